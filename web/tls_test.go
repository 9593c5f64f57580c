package web

import (
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nodrop/app/certs"
)

// newPlain is a lab whose names have certificates, with the handler of plain HTTP.
func newPlain(t *testing.T, private string) (*lab, *httptest.Server) {
	t.Helper()
	l := newLab(t)
	l.serve(t, strings.Replace(labConfig, "[public]\n", "[private]\nhostname = \"admin.example.com\"\n"+private+"[public]\nhostname = \"pay.example.com\"\n", 1), slog.NewTextHandler(l.log, nil))
	return l, l.listen(t, l.server.Challenges(func(token string) (string, bool) { return "answer-to-" + token, token == "tok_1-A" }))
}

func TestPlainHTTPAnswersTheAuthorityAlone(t *testing.T) {
	l, plain := newPlain(t, "")
	for _, c := range []struct {
		method, host, path string
		status             int
		text, location     string
	}{
		{"GET", "pay.example.com", "/.well-known/acme-challenge/tok_1-A", 200, "answer-to-tok_1-A", ""},
		{"GET", "admin.example.com", "/.well-known/acme-challenge/tok_1-A", 200, "answer-to-tok_1-A", ""},
		{"GET", "pay.example.com", "/.well-known/acme-challenge/tok_2", 404, "not found\n", ""},
		{"POST", "pay.example.com", "/.well-known/acme-challenge/tok_1-A", 404, "not found\n", ""},
		{"POST", "pay.example.com", "/hooks/sandbox", 403, "hooks are taken over https only\n", ""},
		{"POST", "pay.example.com", "/hooks/sandbox/", 403, "hooks are taken over https only\n", ""},
		{"GET", "pay.example.com", "/hooks/plain?c=1", 403, "hooks are taken over https only\n", ""},
		{"GET", "admin.example.com", "/hooks/plain?c=1", 403, "hooks are taken over https only\n", ""},
		{"POST", "admin.example.com", "/hooks", 403, "hooks are taken over https only\n", ""},
		{"GET", "pay.example.com", "/healthz", 404, "not found\n", ""},
		{"GET", "pay.example.com", "/", 404, "not found\n", ""},
		{"GET", "127.0.0.1", "/", 404, "not found\n", ""},
		{"POST", "admin.example.com", "/signin", 404, "not found\n", ""},
		{"GET", "Admin.Example.com:80", "/reviews?open=7", 308, "", "https://admin.example.com/reviews?open=7"},
		{"HEAD", "admin.example.com", "/", 308, "", "https://admin.example.com/"},
		{"GET", "admin.example.com", "//evil.example/", 308, "", "https://admin.example.com//evil.example/"},
		{"GET", "admin.example.com.evil.example", "/", 404, "not found\n", ""},
	} {
		before := l.rows()
		r := l.request(c.method, plain.URL+c.path, strings.NewReader("{}"))
		r.Host = c.host
		a := l.do(r)
		if a.StatusCode != c.status || c.status != 308 && a.text != c.text || a.Header.Get("Location") != c.location {
			t.Errorf("%s %s%s: %d %q to %q, want %d %q to %q", c.method, c.host, c.path, a.StatusCode, a.text, a.Header.Get("Location"), c.status, c.text, c.location)
		}
		if a.Header.Get("Strict-Transport-Security") != "" {
			t.Error("plain HTTP cannot speak for https")
		}
		l.wantNew(before, nil)
	}
	if n := strings.Count(l.log.String(), "a hook came over plain HTTP and was refused; enter its https address at the gateway"); n != 1 {
		t.Errorf("the log says it %d times within a minute", n)
	}
}

func TestReadersAreLedToThePortOfThePages(t *testing.T) {
	l, plain := newPlain(t, "listen = \"127.0.0.1:8443\"\n")
	r := l.request("GET", plain.URL+"/reviews", nil)
	r.Host = "admin.example.com"
	if got := l.do(r).Header.Get("Location"); got != "https://admin.example.com:8443/reviews" {
		t.Errorf("led to %q", got)
	}
}

// encrypted serves a handler by TLS and HTTP/2, with the limits of the real thing.
func (l *lab) encrypted(h http.Handler) *httptest.Server {
	ts := httptest.NewUnstartedServer(h)
	ts.Config = l.server.HTTPServer(h)
	ts.EnableHTTP2 = true
	ts.StartTLS()
	l.t.Cleanup(ts.Close)
	return ts
}

func TestHooksOverTLS(t *testing.T) {
	l := newLab(t)
	ts := l.encrypted(Secure(l.server.Public()))
	for proto, protocols := range map[string][]string{"HTTP/1.1": {"http/1.1"}, "HTTP/2.0": {"h2"}} {
		body := l.notice("evt_"+proto, "O-1", "paid", "1.00")
		r := l.request("POST", ts.URL+"/hooks/sandbox", strings.NewReader(string(body)))
		r.Header.Set("Sandbox-Signature", l.signature(body))
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: ts.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, NextProtos: protocols}, ForceAttemptHTTP2: proto == "HTTP/2.0"}
		res, err := transport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		transport.CloseIdleConnections()
		if err != nil || res.StatusCode != 200 || string(text) != "OK" || res.Proto != proto {
			t.Errorf("%s: answered %d %q by %s, %v", proto, res.StatusCode, text, res.Proto, err)
		}
		if got := res.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
			t.Errorf("%s: Strict-Transport-Security is %q", proto, got)
		}
	}
	if n := l.rows()["inbox pending"]; n != 2 {
		t.Errorf("%d notices are stored, want 2", n)
	}
}

func TestLimitsHoldOverHTTP2(t *testing.T) {
	l := newLab(t, func(o *Options) { o.ReadTimeout = 200 * time.Millisecond })
	ts := l.encrypted(Secure(l.server.Public()))
	large := strings.Repeat("x", 2049)
	unending, hand := io.Pipe()
	defer hand.Close()
	go func() { _, _ = io.WriteString(hand, "{") }()
	for _, c := range []struct {
		name   string
		body   io.Reader
		length int64
		status int
		text   string
	}{
		{"announced and too large", strings.NewReader(large), 2049, 413, "the body is too large\n"},
		{"not announced and too large", strings.NewReader(large), -1, 413, "the body is too large\n"},
		{"never ending", unending, -1, 408, "the body took too long\n"},
		{"empty", http.NoBody, 0, 400, "the body is empty\n"},
	} {
		before := l.rows()
		r := l.request("POST", ts.URL+"/hooks/sandbox", c.body)
		r.ContentLength = c.length
		res, err := ts.Client().Do(r)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		text, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.ProtoMajor != 2 || res.StatusCode != c.status || string(text) != c.text {
			t.Errorf("%s: %s %d %q, %v; want %d %q by HTTP/2", c.name, res.Proto, res.StatusCode, text, err, c.status, c.text)
		}
		l.wantNew(before, nil)
	}
}

func TestOneListenerPartsByTheNameOfTheHandshake(t *testing.T) {
	say := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	h := ByName("admin.example.com", say("pages"), say("hooks"))
	for _, c := range []struct {
		name string // of the handshake; "-" for none at all
		host string
		want string
	}{
		{"admin.example.com", "admin.example.com", "pages"},
		{"Admin.Example.Com.", "admin.example.com", "pages"},
		{"pay.example.com", "pay.example.com", "hooks"},
		{"pay.example.com", "admin.example.com", "hooks"},
		{"", "admin.example.com", "hooks"},
		{"-", "admin.example.com", "hooks"},
	} {
		r := httptest.NewRequest("GET", "https://"+c.host+"/", nil)
		if r.TLS.ServerName = c.name; c.name == "-" {
			r.TLS = nil
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Body.String() != c.want {
			t.Errorf("handshake for %q, Host %q: %s, want %s", c.name, c.host, w.Body, c.want)
		}
	}
}

func TestCertificatesAreShown(t *testing.T) {
	now := time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)
	pay, admin := certs.Site{Host: "pay.example.com", Listener: "public"}, certs.Site{Host: "admin.example.com", Listener: "private", Certificate: "admin.pem"}
	list := []certs.Status{
		{Site: pay, EndsMs: now.Add(80 * 24 * time.Hour).UnixMilli(), NextMs: now.Add(50 * 24 * time.Hour).UnixMilli()},
		{Site: admin, EndsMs: now.Add(60 * 24 * time.Hour).UnixMilli()},
	}
	d := newDesk(t, func(o *Options) { o.Certificates = func() []certs.Status { return list } })
	p := d.get("/")
	p.wants("h1", "No payment has been registered yet.")
	p.wants("section[aria-labelledby=certificates]", "pay.example.com hooks In order")
	p.wants("section[aria-labelledby=certificates]", "admin.example.com pages and API In order")
	if got := p.words(".problem"); got != "" {
		t.Errorf("in order, and yet %q", got)
	}
	for trouble, want := range map[certs.Trouble]string{
		certs.Missing: "pay.example.com: There is no certificate yet, so nobody can connect.", certs.Ended: "pay.example.com: The certificate has ended",
		certs.Ending: "pay.example.com: The certificate ends soon and could not be renewed.", certs.Link: "pay.example.com: Another certificate in the chain has ended",
	} {
		list[0].Trouble, list[0].Error = trouble, "the authority said <no>"
		p := d.get("/")
		p.wants(".problem", want)
		p.wants(".problem code", "the authority said <no>")
		p.wants("h1", "No payment has been registered yet, but look at the certificate of pay.example.com.")
	}
	list[0].Trouble, list[1].Trouble = certs.Fine, certs.Ending
	d.get("/").wants(".problem", "admin.example.com: The certificate, or another one in its chain, ends soon. Put a new one into its files.")
}

func TestCertificatesAreMeasured(t *testing.T) {
	l := newLab(t, func(o *Options) {
		o.Certificates = func() []certs.Status {
			return []certs.Status{{Site: certs.Site{Host: "pay.example.com", Listener: "public"}, EndsMs: 1_930_000_000_000}, {Site: certs.Site{Host: "admin.example.com", Listener: "private"}, Tries: 3}}
		}
	})
	a := l.do(l.request("GET", l.private.URL+"/metrics", nil))
	for _, line := range []string{
		`nodrop_certificate_expires_timestamp_seconds{listener="public"} 1.93e+09`, `nodrop_certificate_expires_timestamp_seconds{listener="private"} 0`,
		`nodrop_certificate_failures{listener="public"} 0`, `nodrop_certificate_failures{listener="private"} 3`,
	} {
		if !strings.Contains(a.text, "\n"+line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
	if a := newLab(t); strings.Contains(a.do(a.request("GET", a.private.URL+"/metrics", nil)).text, "nodrop_certificate") {
		t.Error("there are figures of certificates where there are none")
	}
}
