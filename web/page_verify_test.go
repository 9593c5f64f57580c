package web

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"nodrop/app"
	"nodrop/store"
)

// newStillDesk is a desk whose engine does not run yet, so that it can be replaced.
func newStillDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{lab: newLab(t)}
	d.addUser("maria", "operator")
	d.client = d.newClient()
	return d
}

// reconfigure starts nodrop again on the same database with another piece of the configuration.
func (d *desk) reconfigure(old, text string) {
	d.t.Helper()
	if !strings.Contains(labConfig, old) {
		d.t.Fatalf("the configuration has no %q", old)
	}
	d.serve(d.t, strings.Replace(labConfig, old, text, 1), slog.NewTextHandler(d.log, nil))
	d.run()
	d.signIn("maria")
}

const (
	muteAlone  = `name    = "mute"`
	muteSpeaks = "name = \"mute\"\nwebhook_secrets = [\"env:HOOK_SECRET\"]"
)

// toMute sends a signed notice to the gateway that has no secret; edit may spoil it.
func (d *desk) toMute(id, ref string, edit ...func(*http.Request)) {
	d.t.Helper()
	move := func(r *http.Request) { r.URL.Path = "/hooks/mute" }
	if a := d.post(d.notice(id, ref, "paid", "10.00"), append(edit, move)...); a.StatusCode != http.StatusUnauthorized {
		d.t.Fatalf("the notice was answered %d, want 401", a.StatusCode)
	}
}

func TestRefusedRequestsAreVerifiedAgainTogether(t *testing.T) {
	d := newStillDesk(t)
	d.toMute("evt_1", "ORDER-1")
	d.toMute("evt_2", "ORDER-2")
	d.toMute("evt_3", "ORDER-3", header("Sandbox-Signature", "t=1,v1=00"))
	d.move(30 * time.Minute)
	d.reconfigure(muteAlone, muteSpeaks)

	p := d.get("/inbox?state=refused")
	p.wants("table", "With the present configuration it is right: verify it again to take it in.")
	link := p.value("section[aria-labelledby=verify] a", "href")
	if link != "/inbox/verify?gateway=mute" || d.get("/gateways/mute").value("section[aria-labelledby=refused] a.button", "href") != link {
		t.Errorf("the list leads to %q", link)
	}
	p = d.get(link)
	p.wants(".lead", "Of 3 refused requests of mute, 2 are right with the present configuration and would be taken in; 1 would stay refused.")
	p.wants(".refusals", "No secret is configured")
	form := url.Values{"gateway": {p.value("input[name=gateway]", "value")}, "form_key": {p.value("input[name=form_key]", "value")}}
	before := d.rows()
	if p := d.send("/inbox/verify", form); p.status != http.StatusSeeOther {
		t.Fatalf("verifying again: %d %s", p.status, p.words("main"))
	}
	p = d.get("/inbox?state=refused")
	p.wants("[role=status]", "Verified again: 3 tried, 2 taken in, 1 still refused.")
	p.wants(".filters", "Refused 1")
	p.wants("table", "Wrong signature")
	d.untilItems("parked", 2)
	if p := d.send("/inbox/verify", form); p.status != http.StatusSeeOther {
		t.Errorf("sending it twice: %d", p.status)
	}
	d.get("/inbox").wants("[role=status]", "That was done already.")
	if now := d.rows(); now["refused"] != before["refused"]-2 || now["inbox parked"] != 2 {
		t.Errorf("rows: %v, before %v", now, before)
	}
	p = d.get("/audit")
	p.wants("table", "maria Verify again")
	if len(p.all(`table a[href="/gateways/mute"]`)) == 0 {
		t.Error("the audit does not lead to the gateway")
	}
	d.get(link).wants(".lead", "The one refused request of mute is still wrong with the present configuration.")
	if len(d.get(link).all("form[action='/inbox/verify']")) != 0 {
		t.Error("verifying is offered although nothing would come of it")
	}
	d.get("/inbox/verify?gateway=plain").wants(".lead", "No refused request of plain is kept.")
	if p := d.get("/inbox/verify?gateway=none"); p.status != http.StatusNotFound || !strings.Contains(p.words("main"), "There is no such gateway") {
		t.Errorf("a gateway that is not configured: %d %s", p.status, p.words("main"))
	}
}

func TestOneRefusedRequestIsVerifiedAgain(t *testing.T) {
	d := newStillDesk(t)
	d.toMute("evt_1", "ORDER-1")
	d.toMute("evt_2", "ORDER-2", header("Sandbox-Signature", "t=1,v1=00"))
	d.reconfigure(muteAlone, muteSpeaks)
	for page, says := range map[string]string{"/inbox/refused/1": "It is right now and was taken in.", "/inbox/refused/2": "It was verified again and is still refused."} {
		if p := d.decide(page, "verify"); p.status != http.StatusSeeOther || p.to != page {
			t.Fatalf("%s: %d to %q", page, p.status, p.to)
		}
		d.get(page).wants("[role=status]", says)
	}
	p := d.get("/inbox/refused/1")
	p.wants(".lead", "It was refused at first, then verified again and taken in.")
	p.wants(".head .state", "Taken in")
	if len(p.all(".acts")) != 0 {
		t.Error("what was taken in is offered to be verified again")
	}
	d.get("/inbox/refused/2").wants(".lead", "The signature does not fit.")
	if p := d.send("/inbox/refused/1/verify", url.Values{"form_key": {"another"}}); p.status != http.StatusConflict || !strings.Contains(p.words("main"), "nothing was done") {
		t.Errorf("one that was taken in: %d %s", p.status, p.words("main"))
	}
	if p := d.send("/inbox/refused/99/verify", url.Values{"form_key": {"k"}}); p.status != http.StatusNotFound {
		t.Errorf("one that is not there: %d", p.status)
	}
	d.until("both acts in the audit", func(rx *store.Rx) (bool, error) {
		list, err := rx.Audits(0, 0, 10)
		n := 0
		for _, a := range list {
			if a.Action == app.ActVerify && strings.HasPrefix(a.Subject, "refused:") {
				n++
			}
		}
		return n >= 2, err
	})
}

func TestRefusedRequestsSayWhy(t *testing.T) {
	d := newDesk(t)
	body := d.notice("evt_1", "ORDER-1", "paid", "10.00")
	early := d.now().Add(-time.Hour)
	spoilt := map[string]func(*http.Request){
		"The body was changed on its way":                           func(r *http.Request) { r.Header.Set("Sandbox-Signature", d.signature(append(body, '\n'))) },
		"There is no signature.":                                    func(r *http.Request) { r.Header.Del("Sandbox-Signature") },
		"Its signature states a time 1 h before it came in":         func(r *http.Request) { r.Header.Set("Sandbox-Signature", d.signatureAt(early, body)) },
		"The signature does not match: another secret, or the body": func(r *http.Request) { r.Header.Set("Sandbox-Signature", "t=1930611600,v1=0011") },
	}
	for says, spoil := range spoilt {
		if a := d.post(body, spoil); a.StatusCode != http.StatusUnauthorized {
			t.Fatalf("%s: answered %d", says, a.StatusCode)
		}
		q := d.lastRefused()
		p := d.get(numbered("/inbox/refused", q.ID))
		if !strings.Contains(p.words(".head"), says) {
			t.Errorf("the page says %q, which lacks %q", p.words(".head"), says)
		}
	}
	d.post(body, spoilt["The body was changed on its way"])
	d.get(numbered("/inbox/refused", d.lastRefused().ID)).wants(".head", "Have it pass the bytes on as they are.")
	d.send("/account/language", url.Values{"language": {"zh"}})
	d.get(numbered("/inbox/refused", d.lastRefused().ID)).wants(".head", "请让其原样转发字节。")
	d.send("/account/language", url.Values{"language": {"en"}})
	p := d.get("/inbox?state=refused")
	for says := range spoilt {
		if says != "There is no signature." {
			p.wants("table", says)
		}
	}
}

func TestViewersDoNotVerify(t *testing.T) {
	d := newDesk(t)
	d.morning()
	d.addUser("vera", "viewer")
	v := &desk{lab: d.lab, client: d.newClient()}
	v.signIn("vera")
	before := d.rows()
	for _, path := range []string{"/inbox/verify", "/inbox/refused/1/verify"} {
		if p := v.send(path, url.Values{"gateway": {"sandbox"}, "form_key": {"k"}}); p.status != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", path, p.status)
		}
	}
	for _, page := range []string{"/inbox/refused/1", "/inbox/verify?gateway=sandbox"} {
		v.get(page).wants(".nothing", "You may look but not decide.")
	}
	d.wantNew(before, map[string]int{})
}
