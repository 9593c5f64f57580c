package web

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/store"
)

const labSecret = "hook-secret-of-the-test"

// labConfig has a gateway of the sandbox, one that has no secret, and a described one with a challenge and no query.
const labConfig = `
[public]
trusted_proxies = ["127.0.0.0/8", "10.0.0.0/8"]

[limits]
max_body = "2KiB"

[[gateway]]
name            = "sandbox"
preset          = "sandbox"
mode            = "test"
webhook_secrets = ["env:HOOK_SECRET"]
api_key         = "env:HOOK_SECRET"
base_url        = "http://127.0.0.1:1"

[[gateway]]
name    = "mute"
preset  = "sandbox"
mode    = "test"
api_key = "env:HOOK_SECRET"

[[gateway]]
name            = "plain"
preset          = "custom"
mode            = "live"
webhook_secrets = ["env:HOOK_SECRET"]

[[gateway.custom.signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"

[gateway.custom.challenge]
kind  = "echo"
param = "c"

[gateway.custom.notice]
dedupe = "id"

[gateway.custom.fields]
merchant_ref = "ref"
status       = "status"
words        = { PAID = "succeeded", WAIT = "pending" }
amount       = { from = "amount", kind = "decimal", currency = "currency" }

[gateway.custom.ack]
status       = 202
content_type = "application/json"
body         = '{"received":true}'
`

// lab is a server on a fresh database, reached over real HTTP. Its clock stands still until it is moved.
type lab struct {
	t               *testing.T
	engine          *app.Engine
	store           *store.DB
	faults          *store.Faults
	server          *Server
	public, private *httptest.Server
	token           string
	log             *logBuffer
	mu              sync.Mutex
	at              time.Time
	free            int64 // bytes of the disk, of 1,000 MiB
}

func newLab(t *testing.T, edit ...func(*Options)) *lab {
	t.Helper()
	log := &logBuffer{}
	l := newLabOn(t, slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}), edit...)
	l.log = log
	return l
}

func newLabOn(t testing.TB, log slog.Handler, edit ...func(*Options)) *lab {
	t.Helper()
	l := &lab{at: time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC), free: 500 << 20, faults: &store.Faults{}}
	l.t, _ = t.(*testing.T) // a benchmark makes no checks
	var err error
	if l.store, err = store.Open(t.Context(), filepath.Join(t.TempDir(), "nodrop.db"), store.Options{Faults: l.faults}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.store.Close() })
	l.serve(t, labConfig, log, edit...)
	if l.token, err = l.engine.AddToken(t.Context(), "lab"); err != nil {
		t.Fatal(err)
	}
	return l
}

// serve makes the engine and the server of a configuration.
func (l *lab) serve(t testing.TB, config string, log slog.Handler, edit ...func(*Options)) {
	t.Helper()
	var err error
	l.engine, err = app.New(app.Options{Store: l.store, Config: loadLabConfig(t, config), Now: l.now, Random: rand.NewChaCha8([32]byte{1}), Log: slog.New(log), Space: l.space})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Engine: l.engine, Log: slog.New(log)}
	for _, f := range edit {
		f(&o)
	}
	l.server = New(o)
	l.public, l.private = l.listen(t, l.server.Public()), l.listen(t, l.server.Private())
}

func loadLabConfig(t testing.TB, text string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nodrop.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(path, config.Env{ReadFile: os.ReadFile, Getenv: func(string) (string, bool) { return labSecret, true }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// listen serves a handler with the limits of the real thing.
func (l *lab) listen(t testing.TB, h http.Handler) *httptest.Server {
	ts := httptest.NewUnstartedServer(h)
	ts.Config = l.server.HTTPServer(h)
	ts.Start()
	t.Cleanup(ts.Close)
	return ts
}

// run has the engine's loops work until the test ends.
func (l *lab) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- l.engine.Run(ctx) }()
	l.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			l.t.Error(err)
		}
	})
}

func (l *lab) now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

func (l *lab) space() (free, size int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.free, 1000 << 20, nil
}

// left sets how much of the disk is free; the clock moves on so that it is measured.
func (l *lab) left(free int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.free, l.at = free, l.at.Add(2*time.Second)
}

// notice is a sandbox webhook about a payment.
func (l *lab) notice(id, ref, status, amount string) []byte {
	return fmt.Appendf(nil, `{"id":%q,"type":"payment","livemode":false,"created":%q,"data":{"id":"sbx_%s","reference":%q,"status":%q,"amount":%q,"currency":"PHP","account":"shop"}}`,
		id, l.now().Format(time.RFC3339), ref, ref, status, amount)
}

// signature is the header of a sandbox webhook: HMAC-SHA256 over the time, a dot and the body.
func (l *lab) signature(body []byte) string { return l.signatureAt(l.now(), body) }

func (l *lab) signatureAt(at time.Time, body []byte) string {
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), hexMAC(fmt.Appendf(nil, "%d.%s", at.Unix(), body)))
}

func hexMAC(message []byte) string {
	mac := hmac.New(sha256.New, []byte(labSecret))
	mac.Write(message)
	return hex.EncodeToString(mac.Sum(nil))
}

// post sends a signed sandbox webhook; edit may spoil it.
func (l *lab) post(body []byte, edit ...func(*http.Request)) *answer {
	l.t.Helper()
	r := l.request("POST", l.public.URL+"/hooks/sandbox", bytes.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sandbox-Signature", l.signature(body))
	for _, f := range edit {
		f(r)
	}
	return l.do(r)
}

func (l *lab) request(method, url string, body io.Reader) *http.Request {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), method, url, body)
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}

// answer is an HTTP answer, read whole.
type answer struct {
	*http.Response
	text string
}

// do sends a request and follows no redirect.
func (l *lab) do(r *http.Request) *answer {
	l.t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	res, err := client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return &answer{res, string(text)}
}

func (a *answer) want(t *testing.T, status int, text string) {
	t.Helper()
	if a.StatusCode != status || a.text != text {
		t.Errorf("answered %d %q, want %d %q", a.StatusCode, a.text, status, text)
	}
}

// rows counts what the database holds, by table; zero counts are left out.
func (l *lab) rows() map[string]int {
	l.t.Helper()
	n := map[string]int{}
	err := l.store.View(l.t.Context(), "count", func(rx *store.Rx) error {
		if err := countPayments(rx, n); err != nil {
			return err
		}
		return countRest(rx, n)
	})
	if err != nil {
		l.t.Fatal(err)
	}
	maps.DeleteFunc(n, func(_ string, count int) bool { return count == 0 })
	return n
}

func countPayments(rx *store.Rx, n map[string]int) error {
	list, err := rx.Payments(store.PaymentFilter{Limit: 100})
	if err != nil {
		return err
	}
	orders := map[int64]bool{}
	for _, p := range list {
		orders[p.OrderID] = true
		refs, err1 := rx.RefsOfPayment(p.ID)
		facts, err2 := rx.FactsOf(p.ID)
		moves, err3 := rx.MovesOf(p.ID)
		timers, err4 := rx.TimersOf(p.ID)
		for _, err := range []error{err1, err2, err3, err4} {
			if err != nil {
				return err
			}
		}
		n["gateway_ref"] += len(refs)
		n["fact"] += len(facts)
		n["history"] += len(moves)
		n["timer"] += len(timers)
	}
	n["payment"], n["order"] = len(list), len(orders)
	return nil
}

func countRest(rx *store.Rx, n map[string]int) error {
	extent, err := rx.Extent()
	if err != nil {
		return err
	}
	refused, err := rx.Refused("", 0, 100)
	if err != nil {
		return err
	}
	n["refused"] = len(refused)
	n["request"], n["outbox"] = int(extent.Requests), int(extent.Events)
	items, err := rx.Items(store.InboxFilter{Limit: 100})
	for _, it := range items {
		n["inbox "+it.State]++
		n["repeats"] += int(it.Repeats)
	}
	if err != nil {
		return err
	}
	reviews, err := rx.OpenReviews("", 0, true, 100)
	if err != nil {
		return err
	}
	n["review"] = len(reviews)
	audits, err := rx.Audits(0, 0, 100)
	n["audit"] = len(audits)
	return err
}

// wantNew compares what was added since an earlier count.
func (l *lab) wantNew(before map[string]int, want map[string]int) {
	l.t.Helper()
	got := map[string]int{}
	now := l.rows()
	for table := range now {
		if d := now[table] - before[table]; d != 0 {
			got[table] = d
		}
	}
	for table := range before {
		if _, ok := now[table]; !ok {
			got[table] = -before[table]
		}
	}
	if !maps.Equal(got, want) {
		l.t.Errorf("rows added: %v, want %v", got, want)
	}
}

// lastRefused is the newest refused request that was kept.
func (l *lab) lastRefused() (q store.Request) {
	l.t.Helper()
	err := l.store.View(l.t.Context(), "refused", func(rx *store.Rx) error {
		list, err := rx.Refused("", 0, 1)
		if len(list) > 0 {
			q = list[0]
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return q
}

// logBuffer keeps what was logged.
type logBuffer struct {
	mu  sync.Mutex
	all strings.Builder
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}
