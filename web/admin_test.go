package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// readPaths are all pages that need nothing in the books.
var readPaths = []string{"/", "/reviews", "/reviews?show=answered", "/reviews?show=snoozed", "/payments", "/payments?q=x", "/inbox", "/inbox?state=refused", "/inbox?state=dead", "/inbox?state=parked", "/inbox/replay",
	"/outbox", "/gateways", "/gateways/sandbox", "/gateways/mute", "/gateways/plain", "/gateways/sandbox/try", "/inbox/verify?gateway=sandbox", "/audit", "/account",
	"/settlement", "/settlement?gateway=plain&month=2031-02", "/settlement/sandbox/2031-03-07"}

func TestEmptyPagesSayWhatWillAppear(t *testing.T) {
	d := newDesk(t)
	for _, path := range readPaths {
		p := d.get(path)
		if p.status != http.StatusOK {
			t.Errorf("%s: %d, want 200: %s", path, p.status, p.words("main"))
		}
		if len(p.all(".tablebox, .nothing, form, dl")) == 0 {
			t.Errorf("%s says neither what is there nor what will be", path)
		}
	}
	d.get("/").wants("h1", "No payment has been registered yet.")
	d.get("/payments").wants(".nothing", "POST /v1/payments")
}

func TestEveryPageKeepsToItself(t *testing.T) {
	d := newDesk(t)
	for _, path := range append([]string{"/signin", "/nowhere"}, readPaths...) {
		h := d.get(path).header
		for name, want := range map[string]string{
			"Content-Security-Policy": contentPolicy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
	if strings.Contains(contentPolicy, "unsafe") || !strings.HasPrefix(contentPolicy, "default-src 'none'") {
		t.Error("the policy allows what it should not")
	}
}

func TestStrangersSeeOnlyTheSignIn(t *testing.T) {
	d := &desk{lab: newLab(t)}
	d.client = d.newClient()
	for _, path := range readPaths {
		want := "/signin"
		if path != "/" {
			want += "?next=" + url.QueryEscape(path)
		}
		if p := d.get(path); p.status != http.StatusSeeOther || p.to != want {
			t.Errorf("%s: %d to %q, want the sign-in, then back", path, p.status, p.to)
		}
	}
	for _, path := range []string{"/payments/x/decide", "/inbox/replay", "/inbox/verify", "/gateways/sandbox/try", "/outbox/1/resend", "/account/password", "/settlement/upload", "/settlement/import", "/settlement/imports/1/undo", "/settlement/sandbox/2031-03-07/decide"} {
		if p := d.send(path, nil); p.status != http.StatusSeeOther || p.to != "/signin" {
			t.Errorf("%s: %d to %q, want the sign-in", path, p.status, p.to)
		}
	}
	if p := d.get("/nowhere"); p.status != http.StatusNotFound {
		t.Errorf("an address that leads nowhere: %d, want 404", p.status)
	}
}

func TestSignUpAndSignIn(t *testing.T) {
	d := &desk{lab: newLab(t)}
	d.client = d.newClient()
	secret, err := d.engine.AddUser(t.Context(), "jo", "viewer")
	if err != nil {
		t.Fatal(err)
	}
	link := "/signup/" + secret
	d.get(link).wants("h1", "Choose your password")
	if p := d.send(link, url.Values{"password": {"twelve letters"}, "again": {"twelve Letters"}}); p.status != http.StatusBadRequest || !strings.Contains(p.words("[role=alert]"), "not alike") {
		t.Errorf("two different passwords: %d %s", p.status, p.words("main"))
	}
	if p := d.send(link, url.Values{"password": {"short"}, "again": {"short"}}); p.status != http.StatusBadRequest || !strings.Contains(p.words("[role=alert]"), "twelve characters") {
		t.Errorf("a short password: %d %s", p.status, p.words("main"))
	}
	if p := d.send(link, url.Values{"password": {deskPassword}, "again": {deskPassword}}); p.status != http.StatusSeeOther || p.to != "/signin" {
		t.Fatalf("signing up: %d to %q", p.status, p.to)
	}
	d.get("/signin").wants("[role=status]", "Your password is set, jo.")
	if p := d.get(link); p.status != http.StatusNotFound || !strings.Contains(p.words("main"), "not valid") {
		t.Errorf("the link again: %d %s", p.status, p.words("main"))
	}
	p := d.send("/signin", url.Values{"name": {"JO"}, "password": {deskPassword}, "next": {"/payments?state=pending"}})
	if p.status != http.StatusSeeOther || p.to != "/payments?state=pending" {
		t.Errorf("signing in leads with %d to %q", p.status, p.to)
	}
	cookie := p.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q lacks %s", cookie, want)
		}
	}
	if p := d.get("/"); p.status != http.StatusOK {
		t.Errorf("after signing in: %d", p.status)
	}
}

func TestWrongPasswordsAreThrottled(t *testing.T) {
	d := &desk{lab: newLab(t)}
	d.client = d.newClient()
	d.addUser("maria", "operator")
	wrong := url.Values{"name": {"maria"}, "password": {"not the password"}}
	for range 5 {
		if p := d.send("/signin", wrong); p.status != http.StatusForbidden || p.value("input[name=name]", "value") != "maria" || !strings.Contains(p.words("[role=alert]"), "wrong") {
			t.Fatalf("a wrong password: %d %s", p.status, p.words("main"))
		}
	}
	if p := d.send("/signin", url.Values{"name": {"maria"}, "password": {deskPassword}}); p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") == "" {
		t.Errorf("after five wrong ones even the right one: %d, want 429 with Retry-After", p.status)
	}
	if strings.Contains(d.log.String(), "not the password") || strings.Contains(d.log.String(), deskPassword) {
		t.Error("a password is in the log")
	}
}

// move moves the clock on.
func (d *desk) move(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.at = d.at.Add(by)
}

func TestSessionsEnd(t *testing.T) {
	d := newDesk(t)
	d.move(sessionIdle - time.Second)
	if p := d.get("/audit"); p.status != http.StatusOK {
		t.Fatalf("just before the idle time is over: %d", p.status)
	}
	d.move(sessionIdle - time.Second)
	if p := d.get("/audit"); p.status != http.StatusOK {
		t.Fatalf("a request prolongs the session, but: %d", p.status)
	}
	d.move(sessionIdle + time.Second)
	if p := d.get("/audit"); p.status != http.StatusSeeOther {
		t.Errorf("after the idle time: %d, want the sign-in", p.status)
	}
	d.signIn("maria")
	for range 13 {
		d.move(sessionIdle - time.Minute)
		if p := d.get("/audit"); p.status != http.StatusOK {
			if d.now().Sub(time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)) < sessionLife {
				t.Fatalf("too early: %d", p.status)
			}
			return
		}
	}
	t.Errorf("the session still holds after %v", sessionLife)
}

func TestRefreshingDoesNotProlong(t *testing.T) {
	d := newDesk(t)
	refresh := func() *sheet {
		r := d.request("GET", d.private.URL+"/reviews", nil)
		r.Header.Set("X-Refresh", "1")
		return d.fetch(r)
	}
	d.move(sessionIdle - time.Minute)
	if p := refresh(); p.status != http.StatusOK {
		t.Fatalf("refreshing: %d", p.status)
	}
	d.move(2 * time.Minute)
	if p := refresh(); p.status != http.StatusUnauthorized {
		t.Errorf("refreshing after the idle time: %d, want 401 and no redirect", p.status)
	}
}

func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	d := newDesk(t)
	other := &desk{lab: d.lab, client: d.newClient()}
	other.signIn("maria")
	if p := d.send("/account/password", url.Values{"old": {"wrong password"}, "password": {"another long one"}, "again": {"another long one"}}); p.status != http.StatusForbidden || !strings.Contains(p.words("[role=alert]"), "present password is wrong") {
		t.Errorf("a wrong present password: %d %s", p.status, p.words("main"))
	}
	if p := d.send("/account/password", url.Values{"old": {deskPassword}, "password": {"another long one"}, "again": {"another long one"}}); p.status != http.StatusSeeOther {
		t.Fatalf("changing the password: %d %s", p.status, p.words("main"))
	}
	d.get("/account").wants("[role=status]", "Your other sessions have ended.")
	if p := other.get("/account"); p.status != http.StatusSeeOther {
		t.Errorf("the other session: %d, want the sign-in", p.status)
	}
}

func TestSignOut(t *testing.T) {
	d := newDesk(t)
	u, _ := url.Parse(d.private.URL)
	before := d.client.Jar.Cookies(u)
	if p := d.send("/signout", nil); p.status != http.StatusSeeOther || p.to != "/signin" {
		t.Fatalf("signing out: %d to %q", p.status, p.to)
	}
	d.client.Jar.SetCookies(u, before)
	if p := d.get("/"); p.status != http.StatusSeeOther {
		t.Errorf("with the old cookie: %d, want the sign-in", p.status)
	}
}

func TestViewersDoNotAct(t *testing.T) {
	d := newDesk(t)
	id := d.register("ORDER-1", "10.00")
	d.addUser("vic", "viewer")
	d.client = d.newClient()
	d.signIn("vic")
	d.get("/payments/"+id).wants(".nothing", "You may look but not decide.")
	before := d.rows()
	for _, path := range []string{"/payments/" + id + "/decide", "/reviews/1/decide", "/inbox/1/replay", "/inbox/replay", "/outbox/1/resend"} {
		if p := d.send(path, url.Values{"act": {"note"}, "reason": {"x"}, "version": {"1"}, "form_key": {"k"}}); p.status != http.StatusForbidden {
			t.Errorf("%s: %d, want 403", path, p.status)
		}
	}
	d.wantNew(before, map[string]int{})
}

func TestFormsOfOtherSitesDoNothing(t *testing.T) {
	d := newDesk(t)
	id := d.register("ORDER-1", "10.00")
	before := d.rows()
	r := d.request("POST", d.private.URL+"/payments/"+id+"/decide", strings.NewReader("act=note&reason=x&version=1&form_key=k"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if p := d.fetch(r); p.status != http.StatusForbidden || !strings.Contains(p.words("main"), "another site") {
		t.Errorf("a form of another site: %d %s", p.status, p.words("main"))
	}
	d.wantNew(before, map[string]int{})
}

func TestLanguageOfAPerson(t *testing.T) {
	d := newDesk(t)
	d.send("/account/language", url.Values{"language": {"zh"}})
	p := d.get("/")
	if p.value("html", "lang") != "zh" || !strings.Contains(p.words("nav"), "概览") {
		t.Errorf("after choosing Chinese: %q", p.words("nav"))
	}
	for _, path := range readPaths {
		if p := d.get(path); p.status != http.StatusOK {
			t.Errorf("%s in Chinese: %d", path, p.status)
		}
	}
}

func TestGatewayPageShowsTheAddressAndTheSchedule(t *testing.T) {
	d := newDesk(t)
	p := d.get("/gateways/sandbox")
	p.wants(".address", "/hooks/sandbox")
	p.wants(".schedule", "01:00:30")
	p.wants(".schedule", "02:00:00")
	d.get("/gateways/plain").wants(".nothing", "cannot be asked")
	if p := d.get("/gateways/none"); p.status != http.StatusNotFound {
		t.Errorf("a gateway that is not configured: %d", p.status)
	}
}
