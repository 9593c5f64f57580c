package web

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"nodrop/store"
)

// Each row of the table of answers: what the gateway hears, and what is stored and what is not.
func TestHookAnswers(t *testing.T) {
	l := newLab(t)
	good := l.notice("evt_1", "ORDER-1", "paid", "1250.50")
	for _, c := range []struct {
		name   string
		body   []byte
		edit   func(*http.Request)
		status int
		text   string
		added  map[string]int
		reason string // of a refusal that was kept
	}{
		{"stored", good, nil, 200, "OK", map[string]int{"request": 1, "inbox pending": 1}, ""},
		{"already stored", good, nil, 200, "OK", map[string]int{"repeats": 1}, ""},
		{"same key, other content", l.notice("evt_1", "ORDER-1", "paid", "9.00"), nil, 200, "OK", map[string]int{"request": 1, "inbox pending": 1}, ""},
		{"with a final slash", l.notice("evt_2", "ORDER-1", "paid", "1250.50"), at("/hooks/sandbox/"), 200, "OK", map[string]int{"request": 1, "inbox pending": 1}, ""},
		{"with a query", l.notice("evt_3", "ORDER-1", "paid", "1250.50"), at("/hooks/sandbox?x=1"), 200, "OK", map[string]int{"request": 1, "inbox pending": 1}, ""},
		{"not our concern", bytes.Replace(l.notice("evt_4", "ORDER-1", "paid", "1.00"), []byte(`"type":"payment"`), []byte(`"type":"payout"`), 1), nil, 200, "OK", map[string]int{"request": 1, "inbox ignored": 1}, ""},
		{"signed for the other mode", bytes.Replace(l.notice("evt_5", "ORDER-1", "paid", "1.00"), []byte("false"), []byte("true"), 1), nil, 200, "OK", map[string]int{"request": 1, "inbox ignored": 1}, ""},
		{"unreadable although signed", []byte(`{"id":"evt_6"`), nil, 200, "OK", map[string]int{"request": 1, "inbox dead": 1, "review": 1}, ""},
		{"signature missing", good, header("Sandbox-Signature", ""), 401, "refused", map[string]int{"refused": 1}, "no_signature"},
		{"signature wrong", good, header("Sandbox-Signature", strings.Replace(l.signature(good), "v1=", "v1=0", 1)), 401, "refused", map[string]int{"refused": 1}, "bad_signature"},
		{"signature too old", good, header("Sandbox-Signature", oldSignature(l, good)), 401, "refused", map[string]int{"refused": 1}, "stale_timestamp"},
		{"no secret configured", good, at("/hooks/mute"), 401, "refused", map[string]int{"refused": 1}, "no_secret"},
		{"empty", nil, nil, 400, "the body is empty\n", nil, ""},
		{"over the limit", bytes.Repeat([]byte("x"), 2049), nil, 413, "the body is too large\n", nil, ""},
		{"unknown encoding", good, header("Content-Encoding", "br"), 415, "send the body plain or as gzip\n", nil, ""},
		{"encoded twice", good, header("Content-Encoding", "gzip, gzip"), 415, "send the body plain or as gzip\n", nil, ""},
		{"said to be gzip and is not", good, header("Content-Encoding", "gzip"), 400, "the body cannot be read\n", nil, ""},
		{"unknown gateway", good, at("/hooks/nobody"), 404, "not found\n", nil, ""},
		{"wrong method", good, func(r *http.Request) { r.Method = "PUT" }, 405, "method not allowed", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.t = t
			before := l.rows()
			edits := []func(*http.Request){}
			if c.edit != nil {
				edits = append(edits, c.edit)
			}
			a := l.post(c.body, edits...)
			a.want(t, c.status, c.text)
			if c.added == nil {
				c.added = map[string]int{}
			}
			l.wantNew(before, c.added)
			if c.reason != "" {
				if q := l.lastRefused(); q.Reason != c.reason || q.Verdict != "refused" || q.Status != 401 || !bytes.Equal(q.Body, c.body) {
					t.Errorf("kept: %+v, want reason %s", q, c.reason)
				}
			}
		})
	}
}

func at(path string) func(*http.Request) {
	return func(r *http.Request) {
		path, query, _ := strings.Cut(path, "?")
		r.URL.Path, r.URL.RawQuery = path, query
	}
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// oldSignature is right but for an instant 301 seconds ago; the sandbox allows 300.
func oldSignature(l *lab, body []byte) string {
	l.at = l.at.Add(-301 * time.Second)
	defer func() { l.at = l.at.Add(301 * time.Second) }()
	return l.signature(body)
}

func TestRefusalsSayWhatWouldDo(t *testing.T) {
	l := newLab(t)
	good := l.notice("evt_1", "ORDER-1", "paid", "1.00")
	for _, c := range []struct {
		edit        func(*http.Request)
		name, value string
	}{
		{func(r *http.Request) { r.Method = "DELETE" }, "Allow", "POST"},
		{func(r *http.Request) { r.Method = "OPTIONS"; r.URL.Path = "/hooks/plain" }, "Allow", "POST, GET, HEAD"},
		{header("Content-Encoding", "zstd"), "Accept-Encoding", "gzip"},
	} {
		if a := l.post(good, c.edit); a.Header.Get(c.name) != c.value {
			t.Errorf("%d with %s %q, want %q", a.StatusCode, c.name, a.Header.Get(c.name), c.value)
		}
	}
}

// The gateways follow no redirect with their body, and none may reach the handler of another.
func TestHookPathsNeverRedirect(t *testing.T) {
	l := newLab(t)
	before := l.rows()
	for _, target := range []string{
		"//hooks/sandbox", "/hooks//sandbox", "/hooks/sandbox//", "/hooks/./sandbox", "/hooks/plain/../sandbox", "/hooks/sandbox/.", "/hooks/sandbox/..",
		"/hooks%2Fsandbox", "/hooks/sandbox%2F", "/hooks/%73andbox", "/hooks/sand%2fbox", "/hooks/plain%2F..%2Fsandbox", "/hooks/SANDBOX", "/Hooks/sandbox",
		"/hooks", "/hooks/", "/hooks/..", "/hooks/sandbox/x", "/hooks/sandbox%00", "/hooks/sandbox;x", "/hooks/%2e%2e/hooks/sandbox", "/", "/v1/payments", "/metrics", "/readyz", "/signin",
	} {
		res := l.raw("POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("POST %s is answered %s with Location %q", target, res.Status, res.Header.Get("Location"))
		}
	}
	l.wantNew(before, map[string]int{})
}

func TestAcknowledgementIsExact(t *testing.T) {
	l := newLab(t)
	body := `{"id":"1","ref":"ORDER-1","status":"PAID","amount":"5.00","currency":"PHP"}`
	head := "POST /hooks/plain HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\nConnection: close\r\nX-Sig: " + hexMAC([]byte(body)) + "\r\n"
	got := l.bytes(head + "Content-Length: " + length(body) + "\r\n\r\n" + body)
	date, rest := cutLine(got, "Date: ")
	if _, err := time.Parse(http.TimeFormat, date); err != nil {
		t.Error(err)
	}
	want := "HTTP/1.1 202 Accepted\r\nContent-Length: 17\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"received\":true}"
	if rest != want {
		t.Errorf("answered\n%q, want\n%q", rest, want)
	}
}

func TestChallenge(t *testing.T) {
	l := newLab(t)
	before := l.rows()
	a := l.do(l.request("GET", l.public.URL+"/hooks/plain/?c=4711", nil))
	a.want(t, 200, "4711")
	if ct := a.Header.Get("Content-Type"); ct != "text/plain; charset=utf-8" {
		t.Errorf("content type %q", ct)
	}
	a = l.do(l.request("HEAD", l.public.URL+"/hooks/plain?c=4711", nil))
	if a.want(t, 200, ""); a.ContentLength != 4 {
		t.Errorf("length %d", a.ContentLength)
	}
	l.do(l.request("GET", l.public.URL+"/hooks/sandbox?c=4711", nil)).want(t, 405, "method not allowed")
	l.wantNew(before, map[string]int{})
}

func TestGzipIsUnpackedBeforeTheSignatureIsChecked(t *testing.T) {
	l := newLab(t)
	body := l.notice("evt_1", "ORDER-1", "paid", "1.00")
	for _, name := range []string{"gzip", "X-GZIP"} {
		r := l.request("POST", l.public.URL+"/hooks/sandbox", bytes.NewReader(gzipped(t, body)))
		r.Header.Set("Content-Encoding", name)
		r.Header.Set("Sandbox-Signature", l.signature(body))
		l.do(r).want(t, 200, "OK")
	}
	if q := l.firstRequest(); !bytes.Equal(q.Body, body) {
		t.Errorf("stored %q, want %q", q.Body, body)
	}
	before := l.rows()
	r := l.request("POST", l.public.URL+"/hooks/sandbox", bytes.NewReader(gzipped(t, make([]byte, 2049))))
	r.Header.Set("Content-Encoding", "gzip")
	l.do(r).want(t, 413, "the body is too large\n")
	r = l.request("POST", l.public.URL+"/hooks/sandbox", bytes.NewReader(gzipped(t, nil)))
	r.Header.Set("Content-Encoding", "gzip")
	l.do(r).want(t, 400, "the body is empty\n")
	whole := gzipped(t, body)
	r = l.request("POST", l.public.URL+"/hooks/sandbox", bytes.NewReader(whole[:len(whole)-9]))
	r.Header.Set("Content-Encoding", "gzip")
	l.do(r).want(t, 400, "the body cannot be read\n")
	l.wantNew(before, map[string]int{})
}

func TestCannotStoreIs503(t *testing.T) {
	l := newLab(t)
	body := l.notice("evt_1", "ORDER-1", "paid", "1.00")
	before := l.rows()
	for _, fault := range []store.Fault{store.FailStatement, store.LoseGroup, store.FailCommit} {
		l.faults.Arm(fault, 1)
		a := l.post(body)
		a.want(t, 503, "try again")
		if a.Header.Get("Retry-After") != "5" {
			t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
		}
		if !l.faults.Fired() {
			t.Fatalf("fault %d did not fire", fault)
		}
		l.wantNew(before, map[string]int{})
	}
	if n := strings.Count(l.log.String(), "a hook was answered 503"); n != 1 {
		t.Errorf("three failures within ten seconds are logged %d times", n)
	}
	l.post(body).want(t, 200, "OK")
	l.faults.Arm(store.HideCommit, 1) // the commit is stored and reported failed: the gateway sends again
	l.post(l.notice("evt_2", "ORDER-1", "paid", "1.00")).want(t, 503, "try again")
}

func TestBodiesShareBoundedMemory(t *testing.T) {
	l := newLab(t, func(o *Options) { o.BodyMemory = 600 })
	small := l.notice("evt_1", "O", "paid", "1.00")
	l.post(append(small, bytes.Repeat([]byte(" "), 700)...)).want(t, 503, "try again")
	for range 5 {
		l.post(small).want(t, 200, "OK")
	}
	if left := l.server.memory.left.Load(); left != 600 {
		t.Errorf("%d bytes are left of 600 when nothing is read", left)
	}
}

func TestRemoteAddressIsStored(t *testing.T) {
	l := newLab(t)
	l.post(l.notice("evt_1", "O", "paid", "1.00"), header("X-Forwarded-For", "1.1.1.1, 203.0.113.7, 10.0.0.9")).want(t, 200, "OK")
	if q := l.firstRequest(); q.Remote != "203.0.113.7" || q.Target != "/hooks/sandbox" || q.Method != "POST" {
		t.Errorf("stored %+v", q)
	}
}
