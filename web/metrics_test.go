package web

import (
	"strings"
	"testing"
	"time"
)

func TestMetrics(t *testing.T) {
	l := newLab(t)
	l.post(l.notice("evt_1", "O-1", "paid", "1.00")).want(t, 200, "OK")
	l.post(l.notice("evt_1", "O-1", "paid", "1.00")).want(t, 200, "OK")
	l.post([]byte(`{"id":"evt_2"`)).want(t, 200, "OK") // dead at once, with a review
	l.post(l.notice("evt_3", "O-1", "paid", "1.00"), header("Sandbox-Signature", "t=1,v1=00")).want(t, 401, "refused")
	l.post(nil).want(t, 400, "the body is empty\n")
	l.post(nil, at("/hooks/nobody")).want(t, 404, "not found\n")
	l.mu.Lock()
	l.at = l.at.Add(90 * time.Second)
	l.mu.Unlock()
	a := l.do(l.request("GET", l.private.URL+"/metrics", nil))
	for _, line := range []string{
		`nodrop_acknowledgements_total{gateway="sandbox",outcome="acknowledged"} 3`,
		`nodrop_acknowledgements_total{gateway="sandbox",outcome="refused"} 1`,
		`nodrop_acknowledgements_total{gateway="sandbox",outcome="empty"} 1`,
		`nodrop_acknowledgements_total{gateway="unknown",outcome="other"} 1`,
		`nodrop_acknowledgements_total{gateway="plain",outcome="acknowledged"} 0`,
		`nodrop_acknowledgement_seconds_count{gateway="sandbox"} 5`,
		`nodrop_inbox_pending 1`, `nodrop_inbox_oldest_seconds 90`, `nodrop_inbox_dead 1`, `nodrop_inbox_parked 0`,
		`nodrop_outbox_pending 0`, `nodrop_outbox_oldest_seconds 0`, `nodrop_outbox_dead 0`, `nodrop_reviews_open 1`, `nodrop_store_refusing 0`,
		`nodrop_disk_free_bytes 5.24288e+08`, `nodrop_disk_size_bytes 1.048576e+09`, `nodrop_gateway_clock_skew_seconds{gateway="plain"} 0`,
	} {
		if !strings.Contains(a.text, "\n"+line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	for name := range figureHelp {
		if !strings.Contains(a.text, "\n"+name+" ") || !strings.Contains(a.text, "# HELP "+name+" ") {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestMetricsWithoutTheDatabase(t *testing.T) {
	l := newLab(t)
	if err := l.store.Close(); err != nil {
		t.Fatal(err)
	}
	a := l.do(l.request("GET", l.private.URL+"/metrics", nil))
	if a.StatusCode != 200 || !strings.Contains(a.text, "nodrop_acknowledgements_total") || strings.Contains(a.text, "nodrop_inbox_pending") {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
	if !strings.Contains(l.log.String(), "could not be read for /metrics") {
		t.Error("nothing is logged")
	}
}
