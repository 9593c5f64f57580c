package payment

import (
	"fmt"
	"slices"
	"testing"
)

// pair is two payments of one order; every fact comes to one of them, or as the shop's closing to both.
type pair struct {
	worlds [2]world
	path   string
}

// pairLetters are the facts of one payment in the model of two.
func pairLetters() []letter {
	return []letter{
		plain("n+", paidNotice(10*minute)),
		plain("q+", paidQuery(20*minute)),
		plain("q90", query(WordSucceeded, 21*minute).amount(9000)),
		plain("q-", query(WordFailed, 25*minute)),
		plain("hint", paidNotice(32*minute).hint()),
		plain("r100", refund("re_2", RefundSucceeded, 10000, 17*minute)),
		plain("n<", notice(WordReversed, 30*minute)),
		act("accept", decision(ActAccept), 0),
		act("cash", elsewhere(), 0),
		undoing(),
	}
}

// arrive commits a fact to one payment as the engine does, with the other one in view.
func (p *pair) arrive(which int, l letter) (pair, bool) {
	next := *p
	w := &next.worlds[which]
	f, possible := l.fact(w)
	if !possible {
		return next, false
	}
	w.facts, w.entries = slices.Clone(w.facts), slices.Clone(w.entries)
	w.other = OtherPaidAndTold(parts(&next.worlds[0], &next.worlds[1]), w.t.PaymentID).OtherPaidAndTold
	w.commit(f)
	next.path = fmt.Sprintf("%s, %s of P%d", p.path, l.name, which+1)
	return next, true
}

// lawless is the law that the last commit broke: paid once or twice, told as a duplicate, safe to charge again.
func (p *pair) lawless(before *pair, which int) string {
	w, other := &p.worlds[which], &before.worlds[1-which]
	order, reviews := StandOrder(parts(&p.worlds[0], &p.worlds[1]), OrderFlags{})
	left := [2]int64{taken(&p.worlds[0]), taken(&p.worlds[1])}
	told := other.told.Success && taken(other) > 0
	for _, e := range w.entries[len(before.worlds[which].entries):] {
		if e.Fulfil && told && e.Type != EventDuplicate {
			return fmt.Sprintf("told as %s though the order was paid", e.Type)
		}
		if e.Type == EventDuplicate && !told && w.s.both() == 0 {
			return "told as a duplicate of nothing"
		}
	}
	ended := func(w *world) bool { return w.s.State == Failed && w.s.Source != SourcePerson && len(w.reviews) == 0 }
	switch {
	case w.breach != "":
		return w.breach
	case order.Paid != (left[0]+left[1] > 0):
		return fmt.Sprintf("paid is %t with %v left", order.Paid, left)
	case order.SafeToChargeAgain && (!ended(&p.worlds[0]) || !ended(&p.worlds[1]) || p.worlds[0].unanswered() || p.worlds[1].unanswered()):
		return "safe to charge again"
	case min(left[0], left[1]) == 0 && len(reviews) > 0:
		return "asked about a duplicate, and there is none"
	case min(left[0], left[1]) > 0 && (len(reviews) != 1 || reviews[0].AtRisk != min(left[0], left[1])):
		return fmt.Sprintf("both are paid and a person is asked %+v", reviews)
	}
	return ""
}

// taken is what a payment holds by the definition, 0 unless it succeeded.
func taken(w *world) int64 {
	s := consult(w.t, w.facts).standing()
	if s.State != Succeeded {
		return 0
	}
	return max(0, s.Received-s.Refunded-s.Reversed)
}

// Two payments of one order in every order of up to four facts: the order is paid when one of them is, the second success is told as a
// duplicate and asked about only while both are paid, and nobody is charged again while any of them may still be paid.
func TestPairModel(t *testing.T) {
	depth := 4
	if raced || testing.Short() {
		depth = 3
	}
	first, second := newWorld(terms()), newWorld(terms())
	second.t.PaymentID = "pay_2"
	letters, orders, faults, safe := pairLetters(), 0, 0, 0
	var walk func(p *pair, left int)
	walk = func(p *pair, left int) {
		if left == 0 || faults > 10 {
			return
		}
		for i := range 2 * len(letters) {
			next, possible := p.arrive(i%2, letters[i/2])
			if !possible || len(next.worlds[i%2].facts) == len(p.worlds[i%2].facts) {
				continue
			}
			orders++
			if fault := next.lawless(p, i%2); fault != "" {
				faults++
				t.Errorf("%s: %s", next.path, fault)
			}
			if order, _ := StandOrder(parts(&next.worlds[0], &next.worlds[1]), OrderFlags{}); order.SafeToChargeAgain {
				safe++
			}
			walk(&next, left-1)
		}
	}
	walk(&pair{worlds: [2]world{*first, *second}}, depth)
	if safe == 0 {
		t.Error("it was never safe to charge again: the alphabet is too small to show it")
	}
	t.Logf("%d orders of arrival, safe to charge again after %d", orders, safe)
}
