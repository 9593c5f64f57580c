package app

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// world does an errand on a database that fails on purpose, and does what the outside does after a failure: the gateway
// sends again, the caller repeats, a refusing database is opened again.
type world struct {
	t      *testing.T
	path   string
	faults *store.Faults
	b      *bench
	shop   *shop
	asked  *answers
	edit   func(*config.Config, *Options)
	ref    string // of the payment that the errand is about
	at     time.Time
	ids    int
	forms  int
}

// RoundTrip leads to the shop or to a gateway, without a socket.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != "shop.example" {
		return w.asked.RoundTrip(r)
	}
	answer := httptest.NewRecorder()
	w.shop.ServeHTTP(answer, r)
	result := answer.Result()
	result.Request = r
	return result, nil
}

// unaskable is the gateway "own" without its question.
var unaskable = func() gateway.Spec {
	text, _, _ := strings.Cut(ownDefinition, "[query]")
	spec, err := gateway.ParseSpec([]byte(text), "custom")
	if err != nil {
		panic(err)
	}
	return spec
}()

func (w *world) open() {
	w.t.Helper()
	db, err := store.Open(w.t.Context(), w.path, store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler), Faults: w.faults})
	if err != nil {
		w.t.Fatal(err)
	}
	b := &bench{t: w.t, store: db, clock: &clock{at: w.at}, ids: w.ids}
	cfg := config.Default(hookSecret, apiKey)
	own := cfg.Gateways[0]
	own.Name, own.Preset, own.Custom, own.BaseURL = "own", "custom", &unaskable, ""
	cfg.Gateways = append(cfg.Gateways, own)
	cfg.Shop.URL = "https://shop.example/events"
	cfg.Shop.Secrets = []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
	o := Options{Store: db, Config: cfg, Now: b.clock.now, Random: zeroes{}, Log: slog.New(slog.DiscardHandler), HTTP: &http.Client{Transport: w}}
	if w.edit != nil {
		w.edit(cfg, &o)
	}
	if b.e, err = New(o); err != nil {
		w.t.Fatal(err)
	}
	w.b = b
	w.until("begin", func() error { return w.b.e.begin(w.t.Context()) })
	w.b.e.readShopGate(w.t.Context())
}

func (w *world) close() {
	w.at, w.ids = w.b.clock.now(), w.b.ids
	if err := w.b.store.Close(); err != nil {
		w.t.Error(err)
	}
}

// zeroes is randomness that repeats; ids differ by the clock, which moves before each registration.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { return len(p), nil }

// until repeats a step until it works, as the outside would.
func (w *world) until(name string, step func() error) {
	w.t.Helper()
	var err error
	for range 20 {
		if err = step(); err == nil {
			return
		}
		if errors.Is(err, store.ErrRefusing) || errors.Is(err, store.ErrUnknownOutcome) {
			w.at, w.ids = w.b.clock.now(), w.b.ids
			_ = w.b.store.Close() // what could not be written may also keep it from folding its log in
			w.open()
		}
		w.b.clock.move(time.Minute)
	}
	w.t.Fatalf("%s does not work after many tries: %v", name, err)
}

// accept has a gateway send a body until it is acknowledged.
func (w *world) accept(name string, body any, sign func([]byte) gateway.Request) {
	w.t.Helper()
	raw, err := jsonOf(body)
	if err != nil {
		w.t.Fatal(err)
	}
	w.until("webhook", func() error { _, err := w.b.e.Accept(w.t.Context(), name, sign(raw)); return err })
}

// send has the sandbox send something.
func (w *world) send(body func() map[string]any) {
	w.t.Helper()
	w.accept("sandbox", body(), func(raw []byte) gateway.Request { return w.b.signed(raw) })
}

// sends has it worked on too.
func (w *world) sends(body map[string]any) {
	w.t.Helper()
	w.send(func() map[string]any { return body })
	w.work()
}

// owns has the gateway "own" send an item, and it is worked on.
func (w *world) owns(item map[string]any) {
	w.t.Helper()
	w.b.ids++
	item["eid"], item["currency"] = fmt.Sprint(w.b.ids), "PHP"
	w.accept("own", map[string]any{"items": []any{item}}, func(raw []byte) gateway.Request {
		return gateway.Request{Method: http.MethodPost, Target: "/hooks/own", Header: http.Header{"X-Signature": {hexMAC(raw)}}, Body: raw, At: w.b.clock.now()}
	})
	w.work()
}

func (w *world) work() {
	w.t.Helper()
	w.until("work", func() error {
		for {
			n, err := w.b.e.processOnce(w.t.Context())
			if err != nil || n == 0 {
				return err
			}
		}
	})
}

func (w *world) registers(name, ref, amount string) {
	w.t.Helper()
	w.b.clock.move(time.Minute)
	reg := Registration{Gateway: name, MerchantRef: ref, Amount: amount, Currency: "PHP"}
	w.until("register", func() error { _, _, err := w.b.e.Register(w.t.Context(), reg); return err })
}

// decides has ana, or whoever is named, answer the open question of a kind about a payment ("" for its page), and send the form twice.
func (w *world) decides(ref, kind string, d Decision) {
	w.t.Helper()
	w.forms++
	d.FormKey = fmt.Sprintf("form %d", w.forms)
	if d.Actor == "" {
		d.Actor = "ana"
	}
	if ref != "" {
		p := w.one(ref)
		d.PaymentID, d.Version = p.ID, p.Version
	}
	if kind != "" {
		d.ReviewID = w.b.openOf(kind).ID
	}
	if d.Act != ActSnooze {
		d.Reason = "looked into it"
	}
	for range 2 {
		w.until(d.Act, func() error { return w.b.e.Decide(w.t.Context(), d) })
	}
}

// asks has the sandbox asked until a payment stands as it is to.
func (w *world) asks(ref string, stands func(PaymentView) bool) {
	w.t.Helper()
	w.until("ask", func() error {
		a := w.b.e.gateways["sandbox"]
		if _, err := w.b.e.fireOnce(w.t.Context(), a); err != nil {
			return err
		}
		a.asking.Wait()
		if _, err := w.b.e.processOnce(w.t.Context()); err != nil {
			return err
		}
		if p := w.one(ref); !stands(p) {
			return fmt.Errorf("%s is %s", ref, p.State)
		}
		return nil
	})
}

func (w *world) delivers() {
	w.t.Helper()
	w.until("deliver", func() error {
		for {
			n, err := w.b.e.sendOnce(w.t.Context())
			if err != nil {
				return err
			}
			left := store.Backlog{}
			err = w.b.store.View(w.t.Context(), "left", func(rx *store.Rx) (err error) { left, err = rx.OutboxBacklog(); return err })
			if err != nil || left.Count == 0 || w.b.e.shop.closed() {
				return err
			}
			if n == 0 {
				return fmt.Errorf("%d events wait", left.Count)
			}
		}
	})
}

func (w *world) one(ref string) PaymentView {
	w.t.Helper()
	list, _, err := w.b.e.Payments(w.t.Context(), PaymentQuery{MerchantRef: ref})
	if err != nil || len(list) != 1 {
		w.t.Fatalf("%s: %v, %v", ref, list, err)
	}
	return list[0]
}

// faultKinds are the failures that are brought about.
var faultKinds = map[string]store.Fault{
	"statement": store.FailStatement, "group lost": store.LoseGroup, "commit not stored": store.FailCommit,
	"commit dropped": store.DropCommit, "commit hidden": store.HideCommit,
}

// TestFaultSweep lets each statement and each commit of each errand fail in turn.
func TestFaultSweep(t *testing.T) {
	fresh := emptyDatabase(t)
	for _, one := range errands {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range slices.Sorted(maps.Keys(faultKinds)) {
				sweep(t, fresh, one, name)
			}
		})
	}
}

// sweep does an errand again and again, each time for a payment of its own and with the next operation failing, until
// none fails any more.
func sweep(t *testing.T, fresh []byte, one errand, kind string) {
	t.Helper()
	w := newWorld(t, fresh)
	w.edit = func(c *config.Config, _ *Options) { c.Limits.ApproveAbove = one.limits }
	w.open()
	n, step := 1, 1
	if faultKinds[kind] == store.LoseGroup {
		step = 3 // as a statement that fails alone, but for its neighbours
	}
	if simShare > 1 && faultKinds[kind] < store.FailCommit {
		step *= 10 // under the race detector, which slows everything and to which each statement is alike
	}
	for fired := true; fired && !t.Failed(); n += step {
		w.ref, w.shop.answer = fmt.Sprintf("A%d", n), ok
		if one.gone {
			w.shop.answer = func(int) (int, map[string]string) { return http.StatusGone, nil }
		}
		m := w.marked()
		if one.before != nil {
			one.before(w)
		}
		w.faults.Arm(faultKinds[kind], n)
		one.does(w)
		fired = w.faults.Fired()
		w.faults.Arm(0, 0)
		for _, wrong := range one.wrong(w, m) {
			t.Errorf("%s %d: %s", kind, n, wrong)
		}
	}
	if n < 4 {
		t.Errorf("%s: the sweep does not reach the errand", kind)
	}
	w.b.sound()
	w.close()
}

// newWorld has a database with some content and an outside of its own, in which everything goes well.
func newWorld(t *testing.T, content []byte) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "nodrop.db"), faults: &store.Faults{}, at: time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)}
	w.shop = &shop{answer: ok}
	w.asked = &answers{next: func(*http.Request) (int, http.Header, string) { return 404, nil, `{"error":"not_found"}` }}
	if err := os.WriteFile(w.path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// emptyDatabase is the content of a database that holds nothing yet; copying it is faster than making one.
func emptyDatabase(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nodrop.db")
	db, err := store.Open(t.Context(), path, store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
