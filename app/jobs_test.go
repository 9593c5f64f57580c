package app

import (
	"slices"
	"testing"
	"time"

	"nodrop/store"
)

// nextNight moves past a slot of the nightly check and does the housekeeping.
func (b *bench) nextNight() {
	b.t.Helper()
	for range 2 { // the first round only makes the appointment
		if err := b.e.keepOnce(b.ctx()); err != nil {
			b.t.Fatal(err)
		}
		b.clock.move(24 * time.Hour)
	}
	if err := b.e.keepOnce(b.ctx()); err != nil {
		b.t.Fatal(err)
	}
}

func TestTheNightlyCheckTellsOfABrokenLawAndOfItsEnd(t *testing.T) {
	b := newBench(t)
	b.register("ORDER-1", "10.00")
	b.pay("ORDER-1", "10.00")
	b.nextNight()
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Fatalf("reviews of a sound database: %v", kinds)
	}
	b.miscount(+1)
	b.nextNight()
	if want := []string{unsoundKind}; !slices.Equal(b.reviewKinds(), want) {
		t.Fatalf("reviews %v, want %v", b.reviewKinds(), want)
	}
	b.miscount(-1)
	b.nextNight()
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("reviews %v after it is sound again", kinds)
	}
}

// miscount has the first payment's row say another number of facts than it has.
func (b *bench) miscount(by int64) {
	b.t.Helper()
	err := b.store.Update(b.ctx(), "break", func(tx *store.Tx) error {
		p, _, err := tx.Payment(1)
		if err != nil {
			return err
		}
		p.Facts += by
		_, err = tx.MovePayment(p, p.Version)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}

func TestAMissedSlotRunsOnce(t *testing.T) {
	b := newBench(t)
	if err := b.e.keepOnce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	b.clock.move(72 * time.Hour)
	ran := 0
	for range 3 {
		due, err := b.e.slot(b.ctx(), calendarJob{name: "reconcile", schedule: b.e.config.Jobs.ReconcileSchedule})
		if err != nil {
			t.Fatal(err)
		}
		if due {
			ran++
		}
	}
	if ran != 1 {
		t.Errorf("a slot missed while off ran %d times, want once", ran)
	}
}
