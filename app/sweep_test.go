package app

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

// world runs the main job on a database that fails on purpose, and does what the outside does after a failure:
// the gateway sends again, the caller repeats, a refusing database is opened again.
type world struct {
	t      *testing.T
	path   string
	faults *store.Faults
	b      *bench
	edit   func(*config.Config, *Options)
	at     time.Time
}

func (w *world) open() {
	w.t.Helper()
	db, err := store.Open(w.t.Context(), w.path, store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler), Faults: w.faults})
	if err != nil {
		w.t.Fatal(err)
	}
	b := &bench{t: w.t, store: db, clock: &clock{at: w.at}}
	cfg := config.Default(hookSecret, apiKey)
	o := Options{Store: db, Config: cfg, Now: b.clock.now, Random: zeroes{}, Log: slog.New(slog.DiscardHandler)}
	w.edit(cfg, &o)
	if b.e, err = New(o); err != nil {
		w.t.Fatal(err)
	}
	if w.b != nil {
		b.ids = w.b.ids
	}
	w.b = b
	w.until("begin", func() error { return b.e.begin(w.t.Context()) })
}

// zeroes is randomness that repeats; ids differ by the clock, which moves before each registration.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { return len(p), nil }

// until repeats a step until it works, as the outside would.
func (w *world) until(name string, step func() error) {
	w.t.Helper()
	for range 20 {
		err := step()
		if err == nil {
			return
		}
		if errors.Is(err, store.ErrRefusing) || errors.Is(err, store.ErrUnknownOutcome) {
			w.at = w.b.clock.now()
			_ = w.b.store.Close() // what could not be written may also keep it from folding its log in
			w.open()
		}
		w.b.clock.move(time.Minute)
	}
	w.t.Fatalf("%s does not work after many tries", name)
}

func (w *world) send(body func() map[string]any) {
	w.t.Helper()
	made := body()
	w.until("webhook", func() error {
		raw, err := jsonOf(made)
		if err != nil {
			return err
		}
		_, err = w.b.e.Accept(w.t.Context(), "sandbox", w.b.signed(raw))
		return err
	})
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

// mainJob is registered, told early, paid, refunded in part, asked about, decided and delivered.
func (w *world) mainJob() {
	w.t.Helper()
	ctx := w.t.Context()
	w.send(func() map[string]any { return w.b.notice("ORDER-1", "processing", "20.00") })
	w.work()
	reg := Registration{Gateway: "sandbox", MerchantRef: "ORDER-1", Amount: "20.00", Currency: "PHP"}
	w.until("register", func() error { _, _, err := w.b.e.Register(ctx, reg); return err })
	w.b.clock.move(time.Minute)
	odd := Registration{Gateway: "sandbox", MerchantRef: "ORDER-2", Amount: "30.00", Currency: "PHP"}
	w.until("register", func() error { _, _, err := w.b.e.Register(ctx, odd); return err })
	w.send(func() map[string]any { return w.b.notice("ORDER-1", "paid", "20.00") })
	w.send(func() map[string]any { return w.b.notice("ORDER-2", "paid", "29.00") })
	w.work()
	w.send(func() map[string]any {
		return map[string]any{"id": "evt_r", "type": "refund", "livemode": false, "created": w.b.clock.now().Format(time.RFC3339),
			"data": map[string]any{"id": "re_1", "payment": "sbx_ORDER-1", "reference": "ORDER-1", "status": "succeeded", "amount": "5.00", "currency": "PHP"}}
	})
	w.work()
	w.until("decide", func() error {
		p, _, err := w.b.e.Payments(ctx, PaymentQuery{MerchantRef: "ORDER-2"})
		if err != nil {
			return err
		}
		if p[0].State == "succeeded" {
			return nil
		}
		return w.b.e.Decide(ctx, Decision{Actor: "ana", FormKey: "once", PaymentID: p[0].ID, Version: p[0].Version, Act: "accept", Amount: "29.00", Reason: "agreed"})
	})
	w.until("deliver", func() error {
		for {
			n, err := w.b.e.sendOnce(ctx)
			if err != nil {
				return err
			}
			left := store.Backlog{}
			err = w.b.store.View(ctx, "left", func(rx *store.Rx) (err error) { left, err = rx.OutboxBacklog(); return err })
			if err != nil || left.Count == 0 {
				return err
			}
			if n == 0 {
				return fmt.Errorf("%d events wait", left.Count)
			}
		}
	})
}

// TestFaultSweep lets every statement and every commit of the main job fail in turn.
func TestFaultSweep(t *testing.T) {
	kinds := map[string]store.Fault{
		"statement": store.FailStatement, "group lost": store.LoseGroup, "commit not stored": store.FailCommit,
		"commit dropped": store.DropCommit, "commit hidden": store.HideCommit,
	}
	fresh := emptyDatabase(t)
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 1
			for ; sweep(t, fresh, kind, n); n++ {
				if t.Failed() {
					t.Fatalf("at fault %d", n)
				}
			}
			if n < 12 { // the job alone has more Updates than this
				t.Errorf("only %d faults happened: the sweep does not reach the job", n-1)
			}
		})
	}
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

// sweep runs the main job with the n-th operation failing and tells whether it did.
func sweep(t *testing.T, fresh []byte, kind store.Fault, n int) bool {
	t.Helper()
	s := &shop{answer: ok}
	server := httptest.NewServer(s)
	defer server.Close()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "nodrop.db"), faults: &store.Faults{}, at: time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)}
	w.edit = func(c *config.Config, o *Options) {
		c.Shop.URL = server.URL
		c.Shop.Secrets = []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
		o.HTTP = &http.Client{}
	}
	if err := os.WriteFile(w.path, fresh, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.faults.Arm(kind, n)
	w.mainJob()
	fired := w.faults.Fired()
	w.faults.Arm(0, 0)
	w.b.t = t
	one, two := onePayment(w, "ORDER-1"), onePayment(w, "ORDER-2")
	if one.State != "succeeded" || one.Refunded != "5.00" || !one.Order.Paid || two.State != "succeeded" || two.Received != "29.00" {
		t.Errorf("fault %d: %+v and %+v", n, one, two)
	}
	want := []string{"payment.succeeded", "payment.unknown", "payment.refunded", "payment.succeeded"}
	if got := w.b.events(); !slices.Equal(got, want) {
		t.Errorf("fault %d: told %v, want %v", n, got, want)
	}
	ids := slices.Compact(slices.Sorted(slices.Values(s.sent())))
	if want := []string{"1-1", "1-2", "1-3", "1-4"}; !slices.Equal(ids, want) || s.bad != 0 {
		t.Errorf("fault %d: the shop got %v, want each of %v", n, ids, want)
	}
	if kinds := w.b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("fault %d: reviews %v", n, kinds)
	}
	w.b.sound()
	if err := w.b.store.Close(); err != nil {
		t.Errorf("fault %d: close: %v", n, err)
	}
	return fired
}

func onePayment(w *world, ref string) PaymentView {
	w.t.Helper()
	list, _, err := w.b.e.Payments(w.t.Context(), PaymentQuery{MerchantRef: ref})
	if err != nil || len(list) != 1 {
		w.t.Fatalf("%s: %v, %v", ref, list, err)
	}
	return list[0]
}
