package store

import (
	"path/filepath"
	"testing"
)

// openProduct opens a fresh database with the product's own schema.
func openProduct(t *testing.T) *DB {
	t.Helper()
	return openCoreAt(t, filepath.Join(t.TempDir(), "nodrop.db"), Options{})
}

func update(t *testing.T, db *DB, f func(*Tx) error) {
	t.Helper()
	if err := db.Update(t.Context(), t.Name(), f); err != nil {
		t.Fatal(err)
	}
}

func TestMetaValueIsKeptAndReplaced(t *testing.T) {
	db := openProduct(t)
	for _, want := range []string{"", "first", "second"} {
		update(t, db, func(tx *Tx) error {
			if want != "" {
				if err := tx.SetMeta("colour", want); err != nil {
					return err
				}
			}
			got, err := tx.MetaValue("colour")
			if got != want {
				t.Errorf("value %q, want %q", got, want)
			}
			return err
		})
	}
}

// putPayment adds a payment with one event that stands since changedMs, and gives its row id.
func putPayment(tx *Tx, ref, state string, changedMs int64) (int64, error) {
	o, err := tx.EnsureOrder(ref, changedMs)
	if err != nil {
		return 0, err
	}
	id, err := tx.InsertPayment(Payment{PublicID: "pay_" + ref, Gateway: "sandbox", MerchantRef: ref, OrderID: o.ID, AmountMinor: 100, Currency: "PHP",
		State: state, Version: 1, CreatedMs: changedMs, ChangedMs: changedMs, GiveUpMs: changedMs + 1000})
	if err != nil {
		return 0, err
	}
	_, err = tx.InsertEvent(Event{PaymentID: id, OrderID: o.ID, Version: 1, Type: "payment." + state, Body: []byte("{}"), CreatedMs: changedMs + 7, State: "feed"})
	return id, err
}

func TestExtentCountsAndFindsTheLast(t *testing.T) {
	db := openProduct(t)
	update(t, db, func(tx *Tx) error {
		for i, ref := range []string{"A", "B", "C"} {
			if _, err := putPayment(tx, ref, "succeeded", int64(5000-1000*i)); err != nil {
				return err
			}
		}
		_, err := tx.InsertItem(Item{Gateway: "sandbox", Channel: "webhook", DedupeKey: "a", Digest: make([]byte, 32), State: "pending", ReceivedMs: 4500}, Request{Verdict: "accepted"})
		return err
	})
	want := Extent{Payments: 3, Requests: 1, Events: 3, LastReceiptMs: 4500, LastChangeMs: 5000, LastEventMs: 5007}
	if err := db.View(t.Context(), "extent", func(rx *Rx) error {
		got, err := rx.Extent()
		if got != want {
			t.Errorf("extent %+v, want %+v", got, want)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

func TestRecheckAllAsksAboutWhatIsOpenOrRecent(t *testing.T) {
	db := openProduct(t)
	const now, since = 100_000, 50_000
	cases := []struct {
		ref, state string
		changedMs  int64
		timer      Timer // before
		due        int64 // after; 0: no appointment
		lane       int64
	}{
		{ref: "open", state: "pending", changedMs: 10, due: now, lane: LaneOld},
		{ref: "under way", state: "processing", changedMs: 10, timer: Timer{Lane: LaneYoung, DueMs: 200_000, LeasedMs: 5, Attempts: 3}, due: now, lane: LaneYoung},
		{ref: "overdue", state: "pending", changedMs: 10, timer: Timer{Lane: LaneHinted, DueMs: 90_000}, due: 90_000, lane: LaneOld},
		{ref: "paid lately", state: "succeeded", changedMs: since, due: now, lane: LaneOld},
		{ref: "paid long ago", state: "succeeded", changedMs: since - 1},
		{ref: "failed, weekly", state: "failed", changedMs: 10, timer: Timer{Lane: LaneOld, DueMs: 300_000}, due: 300_000, lane: LaneOld},
	}
	ids := map[string]int64{}
	update(t, db, func(tx *Tx) (err error) {
		for _, c := range cases {
			if ids[c.ref], err = putPayment(tx, c.ref, c.state, c.changedMs); err != nil {
				return err
			}
			if c.timer.DueMs == 0 {
				continue
			}
			c.timer.PaymentID, c.timer.Kind, c.timer.Gateway = ids[c.ref], "ask", "sandbox"
			if err := tx.SetTimer(c.timer); err != nil {
				return err
			}
		}
		n, err := tx.RecheckAll(now, since)
		if n != 4 {
			t.Errorf("%d payments, want 4", n)
		}
		return err
	})
	update(t, db, func(tx *Tx) error {
		for _, c := range cases {
			timers, err := tx.TimersOf(ids[c.ref])
			if err != nil {
				return err
			}
			p, _, err := tx.Payment(ids[c.ref])
			if err != nil {
				return err
			}
			rechecked := c.state != "failed" && c.due != 0
			if (p.ReconcileMs == now) != rechecked {
				t.Errorf("%s: next reconciliation at %d", c.ref, p.ReconcileMs)
			}
			switch {
			case c.due == 0 && len(timers) > 0:
				t.Errorf("%s: appointments %+v, want none", c.ref, timers)
			case c.due == 0:
			case len(timers) != 1 || timers[0].DueMs != c.due || timers[0].Lane != c.lane:
				t.Errorf("%s: appointments %+v, want one at %d in lane %d", c.ref, timers, c.due, c.lane)
			case rechecked && (timers[0].Why != "check" || timers[0].LeasedMs != 0 || timers[0].Attempts != 0):
				t.Errorf("%s: appointment %+v, want a fresh check", c.ref, timers[0])
			}
		}
		return nil
	})
}

func TestBehindTellsAnOlderSchema(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "fresh.db")
	if err := create(fresh); err != nil {
		t.Fatal(err)
	}
	first := closed(t, coreOptions())
	second := closed(t, withSchema(coreNext("")))
	for _, c := range []struct {
		path string
		want bool
	}{{fresh, false}, {first, true}, {second, false}} {
		if got, err := behind(c.path, coreNext("")); err != nil || got != c.want {
			t.Errorf("%s behind schema 2: %v, %v, want %v", c.path, got, err, c.want)
		}
	}
	if got, err := Behind(openProduct(t).Path()); err != nil || got {
		t.Errorf("a new database is behind: %v, %v", got, err)
	}
	if _, err := Behind(filepath.Join(t.TempDir(), "gone", "gone.db")); err == nil {
		t.Error("a file that cannot be opened is no error")
	}
}
