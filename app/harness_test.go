package app

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// clock is a time that a test moves.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

const (
	hookSecret = "hook-secret-of-the-test"
	apiKey     = "api-key-of-the-test"
)

// bench is an engine on a fresh database, with a clock that the test moves and without running loops.
type bench struct {
	t     *testing.T
	e     *Engine
	clock *clock
	store *store.DB
	ids   int
}

func newBench(t *testing.T, edit ...func(*config.Config, *Options)) *bench {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nodrop.db"), store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return benchOn(t, db, edit...)
}

func benchOn(t *testing.T, db *store.DB, edit ...func(*config.Config, *Options)) *bench {
	t.Helper()
	c := &clock{at: time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)}
	cfg := config.Default(hookSecret, apiKey)
	o := Options{Store: db, Config: cfg, Now: c.now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)}
	for _, f := range edit {
		f(cfg, &o)
	}
	e, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return &bench{t: t, e: e, clock: c, store: db}
}

func (b *bench) ctx() context.Context { return b.t.Context() }

// register registers a payment of an amount in PHP under a reference that is its order too.
func (b *bench) register(ref, amount string) PaymentView {
	b.t.Helper()
	v, created, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: ref, Amount: amount, Currency: "PHP"})
	if err != nil || !created {
		b.t.Fatalf("register %s: created %v, %v", ref, created, err)
	}
	return v
}

// notice is the body of a sandbox webhook about a payment.
func (b *bench) notice(ref, status, amount string) map[string]any {
	b.ids++
	return map[string]any{
		"id": fmt.Sprintf("evt_%d", b.ids), "type": "payment", "livemode": false, "created": b.clock.now().Format(time.RFC3339),
		"data": map[string]any{"id": "sbx_" + ref, "reference": ref, "status": status, "amount": amount, "currency": "PHP", "account": "shop"},
	}
}

// send signs a body as the sandbox gateway does and has it accepted.
func (b *bench) send(body any) gateway.Ack {
	b.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	ack, err := b.e.Accept(b.ctx(), "sandbox", b.signed(raw))
	if err != nil {
		b.t.Fatal(err)
	}
	return ack
}

func (b *bench) signed(raw []byte) gateway.Request {
	at := b.clock.now()
	mac := hmac.New(sha256.New, []byte(hookSecret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), raw)
	h := http.Header{"Content-Type": {"application/json"}}
	h.Set("Sandbox-Signature", fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil))))
	return gateway.Request{Method: http.MethodPost, Target: "/hooks/sandbox", Header: h, Body: raw, At: at, RemoteIP: "127.0.0.1"}
}

// work drains the inbox.
func (b *bench) work() {
	b.t.Helper()
	for {
		n, err := b.e.processOnce(b.ctx())
		if err != nil {
			b.t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

func (b *bench) payment(id string) PaymentView {
	b.t.Helper()
	v, err := b.e.Payment(b.ctx(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// events lists the types of everything the shop is to be told, in order.
func (b *bench) events() []string {
	b.t.Helper()
	v, err := b.e.Events(b.ctx(), "", 0, 500)
	if err != nil {
		b.t.Fatal(err)
	}
	types := []string{}
	for _, ev := range v.Events {
		types = append(types, ev.Type)
	}
	return types
}

// reviews lists the kinds of the open reviews, most urgent first.
func (b *bench) reviews() []store.Review {
	b.t.Helper()
	var list []store.Review
	b.view(func(rx *store.Rx) (err error) {
		list, err = rx.OpenReviews("", b.clock.now().UnixMilli(), true, 100)
		return err
	})
	return list
}

func (b *bench) reviewKinds() []string {
	kinds := []string{}
	for _, v := range b.reviews() {
		kinds = append(kinds, v.Kind)
	}
	return kinds
}

func (b *bench) view(f func(*store.Rx) error) {
	b.t.Helper()
	if err := b.store.View(b.ctx(), "test", f); err != nil {
		b.t.Fatal(err)
	}
}

// sound fails the test when the database breaks a law.
func (b *bench) sound() {
	b.t.Helper()
	broken, err := b.e.CheckAll(b.ctx())
	if err != nil {
		b.t.Fatal(err)
	}
	for _, s := range broken {
		b.t.Errorf("law broken: %s", s)
	}
}

// answers is an HTTP transport that answers every question with what a test says.
type answers struct {
	mu    sync.Mutex
	asked []string
	next  func(*http.Request) (status int, header http.Header, body string)
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	a.asked = append(a.asked, r.Method+" "+r.URL.String())
	next := a.next
	a.mu.Unlock()
	status, header, body := next(r)
	if status == 0 {
		return nil, context.DeadlineExceeded
	}
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(stringReader(body)), Request: r, ContentLength: int64(len(body))}, nil
}

func jsonOf(v any) ([]byte, error) { return json.Marshal(v) }

// hexMAC is the hex HMAC-SHA256 of a body under the test's webhook secret.
func hexMAC(body []byte) string {
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}
