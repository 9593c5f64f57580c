package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/store"
)

// poison has a payment's row hold what nobody can read.
func (b *bench) poison(id string) {
	b.t.Helper()
	b.change(func(tx *store.Tx) error {
		p, _, err := tx.PaymentByPublicID(id)
		if err != nil {
			return err
		}
		p.Told = "{"
		_, err = tx.MovePayment(p, p.Version)
		return err
	})
}

// unaskables is a bench with two payments at a gateway that cannot be asked, of which the first is poisoned once both
// have got what a test sends.
func unaskables(t *testing.T, items ...string) (b *bench, second PaymentView) {
	t.Helper()
	b, _ = owning(t, func(s string) string { before, _, _ := strings.Cut(s, "[query]"); return before })
	first := b.enter("own", "A", "A", "15.00", "PHP")
	b.clock.move(time.Second)
	second = b.enter("own", "B", "B", "15.00", "PHP")
	for _, item := range items {
		b.own(item)
	}
	b.poison(first.ID)
	return b, second
}

func TestOneEndOfAHoldThatFailsHoldsBackNoOther(t *testing.T) {
	b, second := unaskables(t, `{"eid":"1","pid":"PA","ref":"A","status":"failed","amount":"15.00","currency":"PHP"}`, `{"eid":"2","pid":"PB","ref":"B","status":"failed","amount":"15.00","currency":"PHP"}`)
	b.clock.move(time.Hour)
	b.endHolds()
	b.stands(second.ID, "failed", "")
	b.asks(unsoundKind)
}

func TestOneQuestionThatFailsHoldsBackNoOther(t *testing.T) {
	b, second := unaskables(t)
	for range 2 {
		b.clock.move(7 * 24 * time.Hour)
		b.fireAt("own")
	}
	b.stands(second.ID, "unknown", "no_answer")
	if kinds := b.reviewKinds(); !slices.Contains(kinds, unsoundKind) {
		t.Errorf("asked %v", kinds)
	}
}

func TestACheckThatCannotBeDoneIsTold(t *testing.T) {
	b, _ := unaskables(t)
	b.nextNight()
	b.openOf(unsoundKind)
}
