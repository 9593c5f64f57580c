package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app"
	"nodrop/app/payment"
	"nodrop/store"
)

const plainAddress = "/hooks/plain"

// plainNotice is a signed webhook for the described gateway of the lab.
func (l *lab) plainNotice(body []byte, edit ...func(*http.Request)) *answer {
	l.t.Helper()
	r := l.request("POST", l.public.URL+plainAddress, bytes.NewReader(body))
	r.Header.Set("X-Sig", hexMAC(body))
	for _, f := range edit {
		f(r)
	}
	return l.do(r)
}

// labOn is a lab whose configuration differs by one replacement for each pair.
func labOn(t *testing.T, pairs ...string) *lab {
	t.Helper()
	l := newLab(t)
	config := labConfig
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(config, pairs[i]) {
			t.Fatalf("the configuration has no %q", pairs[i])
		}
		config = strings.Replace(config, pairs[i], pairs[i+1], 1)
	}
	l.serve(t, config, slog.NewTextHandler(io.Discard, nil))
	return l
}

func TestAddressIsVerifiedByAGet(t *testing.T) {
	l := labOn(t, "kind  = \"echo\"\nparam = \"c\"", "kind = \"fixed\"\nbody = '{\"Key\":\"VK-55\"}'\ncontent_type = \"application/json\"")
	before := l.rows()
	a := l.do(l.request("GET", l.public.URL+plainAddress, nil))
	if a.want(t, 200, `{"Key":"VK-55"}`); a.Header.Get("Content-Type") != "application/json" {
		t.Errorf("content type %q", a.Header.Get("Content-Type"))
	}
	a = l.do(l.request("GET", l.public.URL+"/hooks/sandbox", nil))
	if a.want(t, 405, "method not allowed"); a.Header.Get("Allow") != "POST" {
		t.Errorf("Allow %q", a.Header.Get("Allow"))
	}
	l.wantNew(before, map[string]int{})
}

// The hook is served over plain HTTP, with and without a final slash; what a redirect would leave of it is told apart.
func TestHooksAreNotRedirected(t *testing.T) {
	l := newLab(t)
	for i, path := range []string{"/hooks/sandbox", "/hooks/sandbox/"} {
		body := l.notice(fmt.Sprintf("evt_%d", i), "ORDER-1", "paid", "1.00")
		a := l.post(body, at(path))
		if a.want(t, 200, "OK"); a.Request.Method != "POST" || a.Header.Get("Location") != "" {
			t.Errorf("%s: %s to %q", path, a.Request.Method, a.Header.Get("Location"))
		}
	}
	before := l.rows()
	for _, path := range []string{"/hooks/sandbox", "/hooks/sandbox/"} {
		l.do(l.request("GET", l.public.URL+path, nil)).want(t, 405, "method not allowed")
	}
	l.wantNew(before, map[string]int{})
}

// A GET without a body is what a redirect leaves of a notice: it is counted and said, until a notice comes again.
func TestGetIsProbablyARedirect(t *testing.T) {
	d := newStillDesk(t)
	d.signIn("maria")
	d.post(d.notice("evt_1", "ORDER-1", "paid", "1.00")).want(t, 200, "OK")
	for range 3 {
		d.do(d.request("GET", d.public.URL+"/hooks/sandbox", nil)).want(t, 405, "method not allowed")
	}
	if got := d.get("/gateways/sandbox").words(".sum"); strings.Contains(got, "redirect") {
		t.Errorf("no GET came after the notice, and yet: %s", got)
	}
	d.left(500 << 20) // a little later
	d.do(d.request("HEAD", d.public.URL+"/hooks/sandbox", nil)).want(t, 405, "")
	d.do(d.request("GET", d.public.URL+"/hooks/sandbox", nil)).want(t, 405, "method not allowed")
	p := d.get("/gateways/sandbox")
	p.wants("main", "GET without a body 4 times; probably a redirect on the way, which loses the notice")
	p.wants("main", "A redirect on the way, say from http to https")
	d.get("/").wants("section[aria-labelledby=health]", "Probably redirected")
	if text := d.do(d.request("GET", d.private.URL+"/metrics", nil)).text; !strings.Contains(text, `nodrop_requests_judged_total{gateway="sandbox",reason="wrong_method",verdict="refused"} 4`) {
		t.Error("the figures do not count the four")
	}
}

// The clock of the server is 420 seconds ahead; every page that speaks of a refused request says so, and what to do.
func TestWrongClockIsSaid(t *testing.T) {
	d := newStillDesk(t)
	d.signIn("maria")
	for i := range 5 {
		body := d.notice(fmt.Sprintf("evt_%d", i), fmt.Sprintf("ORDER-%d", i), "paid", "1.00")
		d.post(body, header("Sandbox-Signature", d.signatureAt(d.now().Add(time.Duration(i-420)*time.Second), body))).want(t, 401, "refused")
	}
	const said = "ours is 6 min ahead"
	d.get("/").wants(".problem", "The clock of this server is off: by that of sandbox, "+said+". Set it right (NTP)")
	d.get("/gateways").wants("main", "Our clock is off")
	d.get("/gateways/sandbox").wants("main", said)
	d.get("/inbox?state=refused").wants("main", "The clock of this server is off: by that of sandbox, "+said)
	d.get(numbered("/inbox/refused", d.lastRefused().ID)).wants("main", "Set it right (NTP), then verify this request again.")
	if text := d.do(d.request("GET", d.private.URL+"/metrics", nil)).text; !strings.Contains(text, `nodrop_gateway_clock_skew_seconds{gateway="sandbox"} -418`) {
		t.Error("the figures do not tell the clock")
	}
}

// At nine tenths the disk is spoken of; when it is full gateways are answered 503, pages can be read, and room alone heals it.
func TestDiskThatFillsUp(t *testing.T) {
	d := newStillDesk(t)
	d.signIn("maria")
	ready := func(status int, text string) {
		t.Helper()
		d.do(d.request("GET", d.private.URL+"/readyz", nil)).want(t, status, text)
	}
	d.left(100 << 20)
	ready(200, "ready\n")
	if got := d.get("/").words(".problem"); got != "" {
		t.Errorf("a tenth is free, and yet: %s", got)
	}
	d.left(99 << 20)
	ready(200, "ready, but the disk is nearly full\n")
	d.get("/").wants(".problem", "90 % full: 99 MB are free. Make room")
	d.post(d.notice("evt_1", "ORDER-1", "paid", "1.00")).want(t, 200, "OK")
	before := d.rows()
	d.left(15 << 20)
	ready(503, "nothing can be stored now; see the log\n")
	if a := d.post(d.notice("evt_2", "ORDER-2", "paid", "1.00")); a.StatusCode != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("a notice is answered %d, Retry-After %q", a.StatusCode, a.Header.Get("Retry-After"))
	}
	d.get("/").wants(".problem", "The disk is full: 15 MB are free. Gateways are answered 503 and send again later.")
	d.wantNew(before, map[string]int{})
	d.left(300 << 20)
	ready(200, "ready\n")
	d.post(d.notice("evt_2", "ORDER-2", "paid", "1.00")).want(t, 200, "OK")
	d.wantNew(before, map[string]int{"request": 1, "inbox pending": 1})
}

func TestHookPathsThatAreNone(t *testing.T) {
	l := newLab(t)
	before := l.rows()
	for _, path := range []string{"/hooks/sandbox//", "/hooks/SANDBOX", "/hooks/sandbox%2F", "/hooks/./sandbox"} {
		res := l.raw("POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
		if res.StatusCode != 404 || res.Header.Get("Location") != "" {
			t.Errorf("%s: %s to %q", path, res.Status, res.Header.Get("Location"))
		}
	}
	l.wantNew(before, map[string]int{})
}

// By default an address outside the gateway's networks does not count against a right signature; flagged it is said, enforced it is refused and kept.
func TestSenderBehindAProxy(t *testing.T) {
	for _, c := range []struct {
		policy, forwarded string
		status            int
		added             map[string]int
	}{
		{"enforce", "198.51.100.195, 10.0.0.2", 202, map[string]int{"request": 1, "inbox pending": 1}},
		{"enforce", "198.51.100.195, 203.0.113.9, 10.0.0.2", 401, map[string]int{"refused": 1}},
		{"flag", "203.0.113.9, 10.0.0.2", 202, map[string]int{"request": 1, "inbox pending": 1}},
		{"off", "203.0.113.9, 10.0.0.2", 202, map[string]int{"request": 1, "inbox pending": 1}},
	} {
		l := labOn(t, "name            = \"plain\"", "name = \"plain\"\nsource_networks = \""+c.policy+"\"",
			"[gateway.custom.challenge]", "[gateway.custom.facts.networks]\nlive = [\"198.51.100.192/27\"]\n[gateway.custom.challenge]")
		before := l.rows()
		a := l.plainNotice([]byte(`{"id":"1","ref":"ORDER-1","status":"PAID","amount":"5.00","currency":"PHP"}`), header("X-Forwarded-For", c.forwarded))
		if a.StatusCode != c.status {
			t.Errorf("%s, %s: answered %d, want %d", c.policy, c.forwarded, a.StatusCode, c.status)
		}
		l.wantNew(before, c.added)
		if c.status == 401 {
			if q := l.lastRefused(); q.Remote != "203.0.113.9" || q.Reason != "unknown_network" {
				t.Errorf("kept as %q from %s", q.Reason, q.Remote)
			}
		}
	}
}

func TestLargeNoticeOfManyLines(t *testing.T) {
	var lines []string
	for i := range 1200 {
		lines = append(lines, fmt.Sprintf(`{"sku":"%06d","qty":1}`, i))
	}
	body := []byte(`{"id":"1","ref":"ORDER-1","status":"PAID","amount":"5.00","currency":"PHP","lines":[` + strings.Join(lines, ",") + `]}`)
	body = append(body, bytes.Repeat([]byte(" "), 180_000-len(body))...)
	l := labOn(t, "[limits]\nmax_body = \"2KiB\"", "")
	l.plainNotice(body).want(t, 202, `{"received":true}`)
	if q := l.firstRequest(); !bytes.Equal(q.Body, body) {
		t.Errorf("%d bytes are stored, want 180,000", len(q.Body))
	}
	l = newLab(t) // which has a limit of its own
	l.plainNotice(body).want(t, 413, "the body is too large\n")
}

// What a gateway signs is the plain text; it is what is kept, beside the header that said how it came.
func TestCompressedNoticeSignedPlain(t *testing.T) {
	l := newLab(t)
	body := []byte(`{"id":"ev_5","ref":"ORDER-1","status":"PAID","amount":"7.00","currency":"PHP"}`)
	r := l.request("POST", l.public.URL+plainAddress, bytes.NewReader(gzipped(t, body)))
	r.Header.Set("Content-Encoding", "gzip")
	r.Header.Set("X-Sig", hexMAC(body))
	l.do(r).want(t, 202, `{"received":true}`)
	if q := l.firstRequest(); !bytes.Equal(q.Body, body) || !strings.Contains(string(q.Header), "Content-Encoding: gzip") {
		t.Errorf("kept %q with %q", q.Body, q.Header)
	}
	before := l.rows()
	a := l.plainNotice(body, header("Content-Encoding", "br"))
	if a.StatusCode != 415 || a.Header.Get("Accept-Encoding") != "gzip" {
		t.Errorf("an unknown encoding: %d, Accept-Encoding %q", a.StatusCode, a.Header.Get("Accept-Encoding"))
	}
	l.wantNew(before, map[string]int{})
}

func TestHostileRequestsAreShownAsText(t *testing.T) {
	d := newDesk(t)
	const body = `{"ref":"<img src=x onerror=alert(1)>","note":"</pre><script>"}`
	d.post([]byte(body), header("Sandbox-Signature", ""), header("User-Agent", "<svg/onload=1>"))
	page := numbered("/inbox/refused", d.lastRefused().ID)
	for _, path := range []string{page, "/inbox?state=refused", "/inbox", "/", "/audit", "/payments.csv"} {
		p := d.get(path)
		for _, tag := range []string{"<img", "<script>", "<svg/onload", "</pre><script"} {
			if strings.Contains(p.text, tag) {
				t.Errorf("%s holds %s as markup", path, tag)
			}
		}
	}
	p := d.get(page)
	shown := p.words("main")
	for _, want := range []string{"<img src=x onerror=alert(1)>", "</pre><script>", "<svg/onload=1>"} {
		if !strings.Contains(shown, want) {
			t.Errorf("the page of the request does not show %s", want)
		}
	}
	if policy := p.header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe-inline") {
		t.Errorf("the policy is %q", policy)
	}
}

func TestExportRunsNothing(t *testing.T) {
	for in, want := range map[string]string{`=HYPERLINK("http://x")`: `'=HYPERLINK("http://x")`, "+1": "'+1", "@SUM(A1)": "'@SUM(A1)", "\tx": "'\tx", "\rx": "'\rx", "-12.50x": "'-12.50x"} {
		if got := harmless(in); got != want {
			t.Errorf("%q is exported as %q, want %q", in, got, want)
		}
	}
	d := newDesk(t)
	refs := []string{`=HYPERLINK("http://x")`, "+1", "@SUM(A1)"}
	for _, ref := range refs {
		d.register(ref, "12.50")
	}
	rows, err := csv.NewReader(strings.NewReader(d.get("/payments.csv").text)).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		if !strings.HasPrefix(row[2], "'") || !slices.Contains(refs, row[2][1:]) || row[8] != "12.50" {
			t.Errorf("exported as %q, amount %q", row[2], row[8])
		}
	}
}

// takenBack is a payment of 40.00 that was paid and about which another object came since, of 40.00 unless it says less.
func (d *desk) takenBack(ref, kind, status string, part ...string) string {
	d.t.Helper()
	id := d.register(ref, "40.00")
	d.post(d.notice("evt_"+ref, ref, "paid", "40.00"))
	d.untilState(id, "succeeded")
	object := fmt.Sprintf(`"id":"x_%[1]s","payment":"sbx_%[1]s","reference":%[1]q`, ref)
	if kind == "payment" {
		object = fmt.Sprintf(`"id":"sbx_%[1]s","reference":%[1]q`, ref)
	}
	d.post(fmt.Appendf(nil, `{"id":"evt_back_%s","type":%q,"livemode":false,"created":%q,"data":{%s,"status":%q,"amount":%q,"currency":"PHP","account":"shop"}}`,
		ref, kind, d.now().Format(time.RFC3339), object, status, append(part, "40.00")[0]))
	d.until("the second fact of "+ref, func(rx *store.Rx) (bool, error) {
		p, _, err := rx.PaymentByPublicID(id)
		if err != nil {
			return false, err
		}
		facts, err := rx.FactsOf(p.ID)
		return len(facts) == 2, err
	})
	return id
}

// The page offers an act exactly where the engine takes it; a form made by hand elsewhere changes nothing.
func TestActsOfEachState(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	for state, id := range map[string]string{"pending": m.open, "succeeded": m.paid, "unknown": m.odd,
		"refunded": d.takenBack("ORDER-2001", "refund", "succeeded"), "dispute lost": d.takenBack("ORDER-2002", "dispute", "lost"), "reversed": d.takenBack("ORDER-2003", "payment", "reversed"),
		"refunded in part": d.takenBack("ORDER-2004", "refund", "succeeded", "10.00"), "disputed and open": d.takenBack("ORDER-2005", "dispute", "open"), "dispute won": d.takenBack("ORDER-2006", "dispute", "won")} {
		page := "/payments/" + id
		p := d.get(page)
		action, form := p.form("note", "reason", "by hand")
		offered, refused, shown := 0, 0, p.words(".sum")
		if shown == "" {
			t.Fatalf("%s: no state is shown", state)
		}
		for _, act := range payment.Acts() {
			if len(p.all(`details[id$="-`+string(act)+`"] form`)) > 0 {
				offered++
				continue
			}
			if act == payment.ActUndo {
				continue
			}
			refused++
			before := d.rows()
			form.Set("act", string(act))
			form.Set("form_key", "by-hand-"+string(act)+id)
			status := http.StatusConflict
			if act == payment.ActIgnore && (state == "dispute lost" || state == "reversed") {
				status = http.StatusUnprocessableEntity // it answers the open question about the money, on that question's page alone
			}
			if p := d.send(action, form); p.status != status || !strings.Contains(p.words("main"), shown) {
				t.Errorf("%s: %s by hand is answered %d to %q: %s", state, act, p.status, p.to, p.words("main"))
			}
			d.wantNew(before, map[string]int{})
		}
		if offered == 0 || refused == 0 {
			t.Errorf("%s: %d acts are offered, %d refused", state, offered, refused)
		}
		if got := app.KindOf(d.engine.Decide(t.Context(), app.Decision{Actor: "maria", PaymentID: id, Version: 1 << 30, Act: "note", Reason: "r"})); got != app.KindStale {
			t.Errorf("%s: a version that never was is kind %v", state, got)
		}
	}
}
