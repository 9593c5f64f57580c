package app

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

func TestCasesOfDuplicates(t *testing.T) {
	t.Run("R-043 the lookup fails and the event comes again", lookupFails)
	t.Run("R-057 three deliveries in one instant", threeAtOnce)
	t.Run("R-058 webhook and query decide at once", webhookAndQueryAtOnce)
	t.Run("R-060 one payment under three kinds of events", threeKindsOfEvents)
	t.Run("R-062 killed between any two writes", killedBetweenWrites)
	t.Run("R-064 the return page and the webhook confirm", twoConfirmations)
	t.Run("R-066 two real payments for one order", twoRealPayments)
	t.Run("R-067 a late retry of what was half done", lateRetry)
}

func lookupFails(t *testing.T) {
	faults := &store.Faults{}
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nodrop.db"), store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler), Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b := benchOn(t, db)
	p := b.enter("sandbox", "ORD-9", "", "15.00", "PHP")
	notice := b.word("x", "paid", "15.00", "PHP", map[string]any{"id": "PM-9", "reference": ""})
	for range 5 {
		if ack := b.send(notice); ack.Status != 200 {
			t.Fatalf("acknowledged with %d", ack.Status)
		}
	}
	faults.Arm(store.FailStatement, 1)
	_, _ = b.e.processOnce(b.ctx()) // whether it says so or sets the row back, the event must not be lost
	b.clock.move(4 * time.Second)
	b.work()
	if rows := b.rows(); !faults.Fired() || len(rows) != 1 || rows[0].State != "parked" || rows[0].Repeats != 4 {
		t.Fatalf("a fault happened: %v; rows %+v", faults.Fired(), rows)
	}
	if _, err := b.e.AddRefs(b.ctx(), p.ID, []Ref{{"payment", "PM-9"}}); err != nil {
		t.Fatal(err)
	}
	b.stands(p.ID, "succeeded", "")
	b.clock.move(time.Minute)
	b.tell(notice)
	b.told("payment.succeeded")
	b.sound()
}

func threeAtOnce(t *testing.T) {
	b := newBench(t)
	p := b.enter("sandbox", "ORD-12", "", "9900.00", "EUR")
	raw, err := jsonOf(b.word("ORD-12", "paid", "9900.00", "EUR", nil))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if ack, err := b.e.Accept(b.ctx(), "sandbox", b.signed(raw)); err != nil || ack.Status != 200 {
				t.Errorf("%d %v", ack.Status, err)
			}
		})
	}
	wg.Wait()
	b.work()
	if rows := b.rows(); len(rows) != 1 || rows[0].Repeats != 2 {
		t.Errorf("rows %+v, want one with two repeats", rows)
	}
	if v := b.stands(p.ID, "succeeded", ""); v.Version != 2 {
		t.Errorf("version %d, want one change", v.Version)
	}
	b.told("payment.succeeded")
	b.sound()
}

func webhookAndQueryAtOnce(t *testing.T) {
	b, a := asking(t)
	p := b.register("ORD-1", "20.00")
	a.next = reply("ORD-1", "paid", "20.00", "PHP", "")
	b.clock.move(40 * time.Second)
	acct := b.e.gateways["sandbox"]
	if _, err := b.e.fireOnce(b.ctx(), acct); err != nil {
		t.Fatal(err)
	}
	acct.asking.Wait()
	b.send(b.notice("ORD-1", "paid", "20.00"))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			if _, err := b.e.processOnce(b.ctx()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	b.work()
	b.stands(p.ID, "succeeded", "")
	b.told("payment.succeeded")
	b.asks()
	b.sound()
}

func threeKindsOfEvents(t *testing.T) {
	b, _ := owning(t, nil)
	p := b.enter("own", "ORD-40", "", "150.00", "USD", Ref{"payment", "PM-5"})
	b.own(`{"eid":"ev_1","pid":"PM-5","cid":"CH-5","status":"paid","amount":"150.00","currency":"USD"}`)
	b.own(`{"eid":"ev_2","pid":"PM-5","status":"completed","amount":"150.00","currency":"USD"}`)
	b.own(`{"eid":"ev_3","ref":"ORD-40","status":"completed","amount":"150.00","currency":"USD"}`)
	if v := b.stands(p.ID, "succeeded", ""); v.Received != "150.00" {
		t.Errorf("received %s, want 150.00", v.Received)
	}
	if n := len(b.rows()); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
	b.told("payment.succeeded")
	b.asks()
	b.sound()
}

func killedBetweenWrites(t *testing.T) {
	fresh := emptyDatabase(t)
	for name, kind := range map[string]store.Fault{"commit dropped": store.DropCommit, "commit hidden": store.HideCommit, "group lost": store.LoseGroup} {
		n := 1
		for ; killedAt(t, fresh, kind, n) && !t.Failed(); n++ {
		}
		if n < 3 { // accepting, working and telling are commits of their own
			t.Errorf("%s: only %d faults happened", name, n-1)
		}
	}
}

// killedAt has a paid order's notice come while the n-th write fails, and tells whether it did.
func killedAt(t *testing.T, fresh []byte, kind store.Fault, n int) bool {
	t.Helper()
	s := &shop{answer: ok}
	server := httptest.NewServer(s)
	defer server.Close()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "nodrop.db"), faults: &store.Faults{}, at: time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)}
	w.edit = func(c *config.Config, o *Options) {
		c.Shop.URL, c.Shop.Secrets = server.URL, []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
		o.HTTP = &http.Client{}
	}
	if err := os.WriteFile(w.path, fresh, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	p := w.b.register("ORDER-1", "20.00")
	w.faults.Arm(kind, n)
	w.send(func() map[string]any { return w.b.notice("ORDER-1", "paid", "20.00") })
	w.work()
	w.until("deliver", func() error {
		if _, err := w.b.e.sendOnce(t.Context()); err != nil {
			return err
		}
		left := store.Backlog{}
		err := w.b.store.View(t.Context(), "left", func(rx *store.Rx) (err error) { left, err = rx.OutboxBacklog(); return err })
		if err == nil && left.Count > 0 {
			err = fmt.Errorf("%d events wait", left.Count)
		}
		return err
	})
	fired := w.faults.Fired()
	w.faults.Arm(0, 0)
	w.b.stands(p.ID, "succeeded", "")
	w.b.told("payment.succeeded")
	if ids := slices.Compact(s.sent()); !slices.Equal(ids, []string{"1-1"}) || s.bad != 0 {
		t.Errorf("fault %d: the shop got %v", n, ids)
	}
	w.b.sound()
	if err := w.b.store.Close(); err != nil {
		t.Errorf("fault %d: close: %v", n, err)
	}
	return fired
}

func twoConfirmations(t *testing.T) {
	b, s := selling(t, func(n int) (int, map[string]string) { return []int{500, 200, 200}[n-1], nil })
	a := &answers{next: reply("ORD-1", "paid", "20.00", "PHP", "")}
	p := b.register("ORD-1", "20.00")
	shopping := b.e.http
	b.e.http = &http.Client{Transport: a}
	if _, err := b.e.Check(b.ctx(), p.ID, 0); err != nil {
		t.Fatal(err)
	}
	b.fire()
	b.e.http = shopping
	b.clock.move(150 * time.Millisecond)
	b.tell(b.notice("ORD-1", "paid", "20.00"))
	for range 3 {
		b.deliver()
		b.clock.move(time.Minute)
	}
	if got := s.sent(); !slices.Equal(got, []string{"1-1", "1-1"}) {
		t.Errorf("sent %v, want one id, tried again once", got)
	}
	b.told("payment.succeeded")
}

func twoRealPayments(t *testing.T) {
	b := newBench(t)
	one, two := b.enter("sandbox", "PM-1", "ORD-55", "30.00", "EUR"), b.enter("sandbox", "PM-2", "ORD-55", "30.00", "EUR")
	b.tell(b.word("PM-1", "paid", "30.00", "EUR", nil))
	b.clock.move(4 * time.Minute)
	b.tell(b.word("PM-2", "paid", "30.00", "EUR", nil))
	b.stands(one.ID, "succeeded", "")
	b.stands(two.ID, "succeeded", "")
	b.told("payment.succeeded", "payment.duplicate")
	b.asks("duplicate")
	v := b.reviews()[0]
	if v.AmountMinor != 3000 || v.Currency != "EUR" {
		t.Errorf("at risk %d %s, want 3000 EUR", v.AmountMinor, v.Currency)
	}
	choices, err := b.e.ReviewChoices(b.ctx(), v.ID)
	if err != nil || !slices.ContainsFunc(choices, func(c Choice) bool { return c.Act == "refund" }) {
		t.Errorf("answers %+v, %v; want a refund among them", choices, err)
	}
	b.sound()
}

func lateRetry(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-1", "20.00")
	n := b.notice("ORD-1", "paid", "20.00")
	b.send(n) // stored and acknowledged, and then the process dies
	next := b.restarted()
	next.work()
	next.stands(p.ID, "succeeded", "")
	next.told("payment.succeeded")
	next.clock.move(60 * time.Hour)
	next.tell(n)
	if rows := next.rows(); len(rows) != 1 || rows[0].Repeats != 1 {
		t.Errorf("rows %+v, want one with a repeat", rows)
	}
	next.told("payment.succeeded")
	next.sound()
}
