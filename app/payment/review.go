package payment

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Review is one open question about a payment or an order. Reason and Key identify it.
type Review struct {
	Reason   Reason
	Key      string // tells several of one reason apart: a refund's ref, a raw word, the id of a decision
	AtRisk   int64  // minor units of Currency
	Currency string
	Urgent   bool
}

// ID is what a decision's Ref holds when it answers this review.
func (r Review) ID() string {
	if r.Key == "" {
		return string(r.Reason)
	}
	return string(r.Reason) + ":" + r.Key
}

// reviews lists what a person is asked, once the standing is known.
func (e *evidence) reviews() {
	e.reviewUnknown()
	e.reviewDifference()
	e.reviewReversal()
	e.reviewLate()
	e.reviewTwice()
	if e.hasMoney {
		e.reviewReturned()
		e.reviewWaiting()
		e.reviewForeign()
	}
	if e.hasUnmapped {
		e.reviewUnmapped()
	}
	if e.hasDecision {
		e.reviewOwed()
	}
}

func (e *evidence) add(reason Reason, key string, atRisk int64) {
	e.list = append(e.list, Review{Reason: reason, Key: key, AtRisk: atRisk, Currency: e.t.Currency})
}

// unless adds a review that a person may have answered, having seen its newest evidence.
func (e *evidence) unless(rv Review, newest int64, acts ...Act) {
	for i := range e.facts {
		f := &e.facts[i]
		if f.Saw >= newest && slices.Contains(acts, f.Act) &&
			(f.Ref == rv.ID() || f.Ref == "" && f.Act != ActIgnore) && !undone(e.facts, f) {
			return
		}
	}
	if rv.Currency == "" {
		rv.Currency = e.t.Currency
	}
	e.list = append(e.list, rv)
}

// newest is the newest version among the facts that match, 0: none does.
func (e *evidence) newest(match func(*Fact) bool) int64 {
	var v int64
	for i := range e.facts {
		if match(&e.facts[i]) {
			v = max(v, e.facts[i].version())
		}
	}
	return v
}

func (e *evidence) reviewUnknown() {
	switch e.s.Cause {
	case Contradiction:
		e.add(ReasonContradiction, "", e.s.Received)
	case NoAnswer:
		e.add(ReasonNoAnswer, "", e.t.Amount)
	}
}

// reviewDifference shows the odd with the latest own time; beside a success it can be ignored.
func (e *evidence) reviewDifference() {
	if e.odd == nil {
		return
	}
	odd, newest := e.odd, e.odd.version()
	for i := range e.facts {
		f := &e.facts[i]
		if f.isOdd(&e.t) && !e.decided(f) {
			newest = max(newest, f.version())
			if cmp.Or(later(f, odd), strings.Compare(f.Currency, odd.Currency)) > 0 {
				odd = f
			}
		}
	}
	rv := Review{Reason: ReasonDifference, AtRisk: odd.tally(), Currency: odd.Currency}
	if !odd.telling() {
		rv.AtRisk, rv.Currency = e.t.Amount, e.t.Currency
	}
	if e.s.Cause == Difference {
		newest = math.MaxInt64
	}
	e.unless(rv, newest, ActIgnore)
}

// reviewReversal is urgent; a later success word joins its evidence. Money that came elsewhere since answers it.
func (e *evidence) reviewReversal() {
	if e.s.Reversed == 0 {
		return
	}
	newest := e.newest(func(f *Fact) bool {
		return f.says(WordReversed) || f.denies() || f.claims(&e.t) || f.Kind == FactDispute && f.speaks() && f.Status == DisputeLost
	})
	if e.elsewhere() && newest <= e.d.Saw {
		return
	}
	e.unless(Review{Reason: ReasonReversed, AtRisk: e.s.Reversed, Urgent: true}, newest, ActIgnore)
}

func (e *evidence) reviewLate() {
	if !e.s.Late || !e.s.Paid() {
		return
	}
	if e.decided(e.late) {
		return
	}
	e.unlessAny(ReasonLate, e.s.Left(), e.late.version(), ActFulfil, ActRefund)
}

// unlessAny is unless for acts that answer whatever review they name.
func (e *evidence) unlessAny(reason Reason, atRisk, newest int64, acts ...Act) {
	for i := range e.facts {
		f := &e.facts[i]
		if f.Saw >= newest && slices.Contains(acts, f.Act) && !undone(e.facts, f) {
			return
		}
	}
	e.add(reason, "", atRisk)
}

// reviewReturned compares what went back with what came.
func (e *evidence) reviewReturned() {
	newest := e.newest(func(f *Fact) bool {
		return (f.Kind == FactRefund || f.Kind == FactDispute) && f.speaks() || f.says(WordReversed)
	})
	back := sum(e.s.Refunded, e.s.Reversed)
	switch {
	case e.s.State == Succeeded || e.s.Received > 0:
		if back > e.s.Received {
			e.unless(Review{Reason: ReasonExcess, AtRisk: back - e.s.Received}, newest, ActIgnore)
		}
		e.reviewDoubleLoss(newest)
	case e.s.Settled() && !e.voided && sum(e.s.Refunded, e.s.Disputed) > 0:
		e.unless(Review{Reason: ReasonMoved, AtRisk: max(e.s.Refunded, e.s.Disputed)}, newest, ActIgnore)
	}
}

// reviewDoubleLoss: an open dispute is about money that was refunded too. A reversed word does not count: it may be about
// the dispute's own money.
func (e *evidence) reviewDoubleLoss(newest int64) {
	all, lost := e.disputed()
	open := all - lost
	if most := sum(e.s.Refunded, all); open > 0 && most > e.s.Received {
		e.unless(Review{Reason: ReasonDoubleLoss, AtRisk: min(open, most-e.s.Received)}, newest, ActIgnore)
	}
}

// reviewWaiting: a refund or dispute whose last word has not come, though the time for it is over.
func (e *evidence) reviewWaiting() {
	for i := range e.facts {
		f := &e.facts[i]
		if !e.unended(i) || !held(e.facts, e.firstWord(f).ID) {
			continue
		}
		rv := Review{Reason: ReasonWaiting, Key: string(f.Kind) + ":" + f.Ref, AtRisk: f.tally(), Currency: f.Currency}
		if !slices.ContainsFunc(e.list, func(r Review) bool { return r.ID() == rv.ID() }) {
			e.unless(rv, f.version(), ActIgnore)
		}
	}
}

// unended tells whether fact i is the latest word on its refund or dispute, and not its last one.
func (e *evidence) unended(i int) bool {
	f := &e.facts[i]
	waits := f.Kind == FactRefund && f.Status == RefundPending || f.Kind == FactDispute && f.Status == DisputeOpen
	return waits && e.isLatest(i, newestVersion)
}

// firstWord is the first committed word on the refund or dispute that a fact is about.
func (e *evidence) firstWord(f *Fact) *Fact {
	first := f
	for i := range e.facts {
		g := &e.facts[i]
		if g.Kind == f.Kind && g.Ref == f.Ref && g.Cumulative == f.Cumulative && g.speaks() {
			first = earlier(first, g)
		}
	}
	return first
}

// reviewTwice: a person took the money another way, and the gateway took it too.
func (e *evidence) reviewTwice() {
	both := e.s.both()
	if both == 0 {
		return
	}
	newest := e.newest(func(f *Fact) bool { return f == e.d || f == e.claim || f == e.odd || f == e.reversal })
	e.unless(Review{Reason: ReasonElsewhere, AtRisk: both}, newest, ActKeepBoth, ActRefund, ActIgnore)
}

// reviewForeign: a refund or dispute in another currency is not counted, so a person looks at it.
func (e *evidence) reviewForeign() {
	for i := range e.facts {
		f := &e.facts[i]
		if (f.Kind == FactRefund || f.Kind == FactDispute) && !e.ours(f) && e.isLatest(i, newestVersion) {
			rv := Review{Reason: ReasonDifference, Key: string(f.Kind) + ":" + f.Ref, AtRisk: f.tally(), Currency: f.Currency}
			e.unless(rv, f.version(), ActIgnore)
		}
	}
}

// reviewUnmapped: a word that the definition does not know, and no later answer that settles it.
func (e *evidence) reviewUnmapped() {
	for i := range e.facts {
		f := &e.facts[i]
		if f.Kind != FactUnmapped || e.decided(f) || e.repeated(i) {
			continue
		}
		answered, settled := e.answeredAfter(f.OwnMs)
		if settled || e.t.HasQuery && !answered {
			continue
		}
		e.unless(Review{Reason: ReasonUnmapped, Key: f.Ref, AtRisk: e.t.Amount}, f.version(), ActIgnore)
	}
}

// repeated tells whether a later fact has the same unmapped word; the last one counts.
func (e *evidence) repeated(i int) bool {
	f := &e.facts[i]
	for j := range e.facts {
		g := &e.facts[j]
		if g.Kind == FactUnmapped && g.Ref == f.Ref && (g.OwnMs > f.OwnMs || g.OwnMs == f.OwnMs && j < i) {
			return true
		}
	}
	return false
}

// answeredAfter tells whether a query asked after an instant was answered, and whether with a word that settles.
func (e *evidence) answeredAfter(ms int64) (answered, settled bool) {
	for i := range e.facts {
		f := &e.facts[i]
		if f.Kind == FactWord && f.Source == SourceQuery && f.OwnMs > ms {
			answered = true
			settled = settled || settles(f.Word)
		}
	}
	return answered, settled
}

// settles tells whether a word says how the payment ended.
func settles(w Word) bool { return finality(w) > 0 || w == WordSucceeded || w == WordReversed }

// reviewOwed: a refund was decided, and neither a refund nor proof has come since.
func (e *evidence) reviewOwed() {
	for i := range e.facts {
		f := &e.facts[i]
		if f.Kind != FactDecision || f.Act != ActRefund || undone(e.facts, f) {
			continue
		}
		if e.s.State == Succeeded && e.s.Left() == 0 {
			continue
		}
		amount := e.t.Amount
		if f.HasAmount {
			amount = f.tally()
		}
		came := e.s.Refunded - e.refunded(f.Saw)
		if rv := (Review{Reason: ReasonRefundOwed, Key: strconv.FormatInt(f.ID, 10)}); came < amount && !e.proved(f, rv.ID()) {
			e.add(rv.Reason, rv.Key, amount-max(0, came))
		}
	}
}

func (e *evidence) proved(owed *Fact, id string) bool {
	for i := range e.facts {
		f := &e.facts[i]
		if f.Kind == FactDecision && f.Act == ActRefundProof && rank(f) > rank(owed) && (f.Ref == "" || f.Ref == id) && !undone(e.facts, f) {
			return true
		}
	}
	return false
}
