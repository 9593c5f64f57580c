package web

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"nodrop/store"
)

// dial opens a connection to the public listener.
func (l *lab) dial() net.Conn {
	l.t.Helper()
	c, err := net.Dial("tcp", l.public.Listener.Addr().String())
	if err != nil {
		l.t.Fatal(err)
	}
	if err := c.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		l.t.Fatal(err)
	}
	return c
}

// bytes sends bytes as they are and gives everything that comes back.
func (l *lab) bytes(request string) string {
	l.t.Helper()
	c := l.dial()
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		l.t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	if err != nil {
		l.t.Fatal(err)
	}
	return string(got)
}

// raw sends bytes as they are and reads one answer.
func (l *lab) raw(request string) *http.Response {
	l.t.Helper()
	c := l.dial()
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		l.t.Fatal(err)
	}
	return l.readAnswer(c)
}

func (l *lab) readAnswer(c net.Conn) *http.Response {
	l.t.Helper()
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		l.t.Fatal(err)
	}
	return res
}

func (l *lab) firstRequest() (q store.Request) {
	l.t.Helper()
	err := l.store.View(l.t.Context(), "request", func(rx *store.Rx) (err error) {
		q, _, err = rx.GetRequest(1)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return q
}

func gzipped(t testing.TB, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func length(s string) string { return strconv.Itoa(len(s)) }

// cutLine takes one header line out of an answer and gives its value.
func cutLine(text, name string) (value, rest string) {
	before, after, _ := strings.Cut(text, name)
	value, after, _ = strings.Cut(after, "\r\n")
	return value, before + after
}

func TestChunkedBodies(t *testing.T) {
	l := newLab(t)
	head := "POST /hooks/sandbox HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n"
	before := l.rows()
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"over the limit", "400\r\n" + strings.Repeat("x", 1024) + "\r\n401\r\n" + strings.Repeat("x", 1025) + "\r\n0\r\n\r\n", 413},
		{"over the limit and endless", "801\r\n" + strings.Repeat("x", 2049) + "\r\n", 413},
		{"empty", "0\r\n\r\n", 400},
		{"not chunked at all", "zz\r\n", 400},
	} {
		if res := l.raw(head + "\r\n" + c.body); res.StatusCode != c.status || !res.Close {
			t.Errorf("%s: %s, closing: %v", c.name, res.Status, res.Close)
		}
	}
	l.wantNew(before, map[string]int{})
	body := l.notice("evt_1", "O", "paid", "1.00")
	signed := head + "Sandbox-Signature: " + l.signature(body) + "\r\n\r\n" + strconv.FormatInt(int64(len(body)), 16) + "\r\n" + string(body) + "\r\n0\r\n\r\n"
	if res := l.raw(signed); res.StatusCode != 200 {
		t.Errorf("a small chunked body: %s", res.Status)
	}
	l.wantNew(before, map[string]int{"request": 1, "inbox pending": 1})
}

func TestLargeBodyIsNotAwaited(t *testing.T) {
	l := newLab(t)
	res := l.raw("POST /hooks/sandbox HTTP/1.1\r\nHost: x\r\nContent-Length: 900000000\r\nExpect: 100-continue\r\n\r\n")
	if res.StatusCode != 413 || !res.Close {
		t.Errorf("%s, closing: %v", res.Status, res.Close)
	}
}

func TestSlowBodyIs408(t *testing.T) {
	l := newLab(t, func(o *Options) { o.ReadTimeout = 100 * time.Millisecond })
	before := l.rows()
	res := l.raw("POST /hooks/sandbox HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 408 || string(text) != "the body took too long\n" || !res.Close {
		t.Errorf("%s %q, closing: %v, %v", res.Status, text, res.Close, err)
	}
	if got := l.bytes("POST /hooks/sandbox HTTP/1.1\r\nHost: x\r\nContent-"); !strings.HasPrefix(got, "HTTP/1.1 400 ") {
		t.Errorf("a head that never ends is answered %q", got)
	}
	l.wantNew(before, map[string]int{})
}

func TestHalfABodyIsNotStored(t *testing.T) {
	l := newLab(t)
	before := l.rows()
	body := l.notice("evt_1", "O", "paid", "1.00")
	c := l.dial()
	if _, err := io.WriteString(c, "POST /hooks/sandbox HTTP/1.1\r\nHost: x\r\nContent-Length: "+strconv.Itoa(len(body)+1)+"\r\nSandbox-Signature: "+l.signature(body)+"\r\n\r\n"+string(body)); err != nil {
		t.Fatal(err)
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if res := l.readAnswer(c); res.StatusCode != 400 {
		t.Errorf("%s", res.Status)
	}
	c.Close()
	l.wantNew(before, map[string]int{})
}

func TestLargeHeadIsRefused(t *testing.T) {
	l := newLab(t)
	res := l.raw("POST /hooks/sandbox HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("x", 64<<10) + "\r\n\r\n")
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("%s", res.Status)
	}
}

// A request that has begun is finished; a new one is told to come again.
func TestDrain(t *testing.T) {
	l := newLab(t)
	body := l.notice("evt_1", "O", "paid", "1.00")
	c := l.dial()
	defer c.Close()
	head := "POST /hooks/sandbox HTTP/1.1\r\nHost: x\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\nExpect: 100-continue\r\nSandbox-Signature: " + l.signature(body) + "\r\n\r\n"
	if _, err := io.WriteString(c, head); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(c)
	if line, err := in.ReadString('\n'); line != "HTTP/1.1 100 Continue\r\n" || err != nil { // it is being read: it has begun
		t.Fatalf("%q, %v", line, err)
	}
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	l.server.BeginDrain()
	l.server.BeginDrain()
	waiting, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := l.server.Wait(waiting); err == nil || !strings.Contains(err.Error(), "1 requests are still running") {
		t.Errorf("waiting for a running request: %v", err)
	}
	a := l.post(l.notice("evt_2", "O", "paid", "1.00"))
	if a.want(t, 503, "try again"); a.Header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	l.do(l.request("GET", l.private.URL+"/readyz", nil)).want(t, 503, "shutting down\n")
	if _, err := c.Write(body); err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(in, nil)
	if err != nil || res.StatusCode != 200 {
		t.Errorf("the request that had begun: %v, %v", res, err)
	}
	if err := l.server.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if n := l.rows()["request"]; n != 1 {
		t.Errorf("%d requests are stored, want the one that had begun", n)
	}
}

func TestHealth(t *testing.T) {
	l := newLab(t)
	for _, url := range []string{l.public.URL, l.private.URL} {
		l.do(l.request("GET", url+"/healthz", nil)).want(t, 200, "ok\n")
		l.do(l.request("HEAD", url+"/healthz", nil)).want(t, 200, "")
	}
	a := l.do(l.request("POST", l.public.URL+"/healthz", nil))
	if a.want(t, 405, "method not allowed\n"); a.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow %q", a.Header.Get("Allow"))
	}
	l.do(l.request("GET", l.private.URL+"/readyz", nil)).want(t, 200, "ready\n")
	l.faults.Arm(store.FailCommit, 1)
	l.do(l.request("GET", l.private.URL+"/readyz", nil)).want(t, 503, "nothing can be stored now; see the log\n")
}

func TestRemoteIP(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for _, c := range []struct{ peer, forwarded, want string }{
		{"203.0.113.7:1", "", "203.0.113.7"},
		{"203.0.113.7:1", "1.1.1.1", "203.0.113.7"}, // the peer is nobody's proxy: what it says counts for nothing
		{"10.0.0.1:1", "", "10.0.0.1"},
		{"10.0.0.1:1", "203.0.113.7", "203.0.113.7"},
		{"10.0.0.1:1", "1.1.1.1, 203.0.113.7", "203.0.113.7"},
		{"10.0.0.1:1", "203.0.113.7, 10.9.9.9", "203.0.113.7"},
		{"10.0.0.1:1", "10.1.1.1, 10.9.9.9", "10.1.1.1"},
		{"10.0.0.1:1", "203.0.113.7, nonsense", "10.0.0.1"},
		{"10.0.0.1:1", "nonsense, 203.0.113.7", "203.0.113.7"},
		{"10.0.0.1:1", "203.0.113.7:4711", "203.0.113.7"},
		{"[::ffff:10.0.0.1]:1", "::ffff:203.0.113.7", "203.0.113.7"},
		{"[2001:db8::1]:1", "[2001:db9::2]:443", "2001:db9::2"},
		{"[2001:db8::1]:1", "[2001:db9::2]", "2001:db9::2"},
		{"pipe", "1.1.1.1", "pipe"},
	} {
		r := &http.Request{RemoteAddr: c.peer, Header: http.Header{}}
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := remoteIP(r, trusted); got != c.want {
			t.Errorf("%s for %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
	r := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"X-Forwarded-For": {"1.1.1.1", "203.0.113.7"}}}
	if got := remoteIP(r, trusted); got != "203.0.113.7" {
		t.Errorf("of two header lines the last counts: %s", got)
	}
}
