package payment

import (
	"fmt"
	"reflect"
	"slices"
)

// lawless lists the laws that the last commit of a world broke, checked against the definition and not against the code.
func (w *world) lawless(before *world) []string {
	o := consult(w.t, w.facts)
	list := []string{w.defined(o), w.quiet(), w.asking(o), w.safety(o)}
	for i := len(before.entries); i < len(w.entries); i++ {
		list = append(list, w.truthful(o, before, &w.entries[i]))
	}
	return append(append(list, w.questions(o)...), w.twiceAsked())
}

// defined: the standing is what the definition says.
func (w *world) defined(o *oracle) string {
	want, got := o.standing(), w.s
	if o.cash() {
		want.Elsewhere = o.d.Amount
	}
	want.Confirmed = slices.ContainsFunc(o.claims, func(f *Fact) bool { return f.Source == SourceQuery })
	want.Fulfillable, want.Decided = want.Confirmed || !w.t.HasQuery, o.d != nil
	want.Late = want.State == Succeeded && slices.ContainsFunc(w.facts, func(f Fact) bool { return f.Kind == FactLate })
	want.Source = got.Source
	if got != want {
		return fmt.Sprintf("the standing is %+v, by the definition %+v", got, want)
	}
	return ""
}

// quiet: nothing is told twice. The same facts again give no entry, no late fact and the same summary.
func (w *world) quiet() string {
	entries, told := w.rules.tell(w.s, w.facts, w.told, OrderContext{OtherPaidAndTold: w.other})
	if len(entries) > 0 || !reflect.DeepEqual(told, w.told) {
		return fmt.Sprintf("%v told again with nothing new", entries)
	}
	if _, due := w.rules.late(w.s, w.facts, w.told); due {
		return "late again with nothing new"
	}
	for i, e := range w.entries[:max(0, len(w.entries)-1)] {
		if next := w.entries[i+1]; e.Type == next.Type && e.Body == next.Body && e.Type != EventDecided {
			return fmt.Sprintf("%s told twice running with the same body", e.Type)
		}
	}
	return ""
}

// asking: an open payment always has a next question or an end; what waits for the gateway's word is asked.
func (w *world) asking(o *oracle) string {
	p := Ask(w.t, w.facts, AskState{}, w.now)
	switch {
	case !w.s.Settled() && p.AskAtMs == 0:
		return "open, and nobody will ask"
	case w.t.HasQuery && (w.s.Cause == NoAnswer || w.s.Cause == Abandoned || Unconfirmed(w.t, w.facts)) && p.AskAtMs == 0:
		return "the gateway should be asked and is not"
	case w.t.HasQuery && w.s.Late && !w.s.Confirmed && o.d == nil && p.AskAtMs == 0:
		return "a late success is not confirmed"
	case !w.t.HasQuery && w.heldNotice() && p.HoldRefers == 0:
		return "a failure is held for ever"
	}
	asked := AskState{LastAskedMs: 49 * hour, LastAnsweredMs: 49 * hour, LastAnswer: WordProcessing}
	if _, due := GaveUp(w.t, w.facts, asked, 49*hour); due != !w.s.Settled() && w.t.HasQuery {
		return fmt.Sprintf("%s at its end: giving up is %t", picture(w.s), due)
	}
	return ""
}

// heldNotice tells whether an open payment has a final notice whose hold is not over.
func (w *world) heldNotice() bool {
	return !w.s.Settled() && slices.ContainsFunc(w.facts, func(f Fact) bool {
		return f.Source == SourceNotice && !f.Hint && (f.Word == WordFailed || f.Word == WordExpired) &&
			!slices.ContainsFunc(w.facts, func(g Fact) bool { return g.Kind == FactHoldOver && g.Refers == f.ID })
	})
}

// safety: charging again is safe only after the gateway's own final word, with no trace of money and no open question.
func (w *world) safety(o *oracle) string {
	order, _ := StandOrder(parts(w), OrderFlags{})
	paid := w.s.State == Succeeded && w.s.Refunded+w.s.Reversed < w.s.Received
	if order.Paid != paid {
		return fmt.Sprintf("paid is %t", order.Paid)
	}
	ended := w.s.State == Failed || w.s.Cause == Expired || w.s.Cause == Cancelled
	money := len(o.claims)+len(o.odds)+len(o.reversals) > 0 || o.positive()
	switch {
	case order.SafeToChargeAgain != (len(order.Because) == 0):
		return "safe to charge again, and yet because of something"
	case order.SafeToChargeAgain && (!ended || money || o.d != nil || len(w.reviews) > 0 || w.unanswered()):
		return "safe to charge again without the gateway's final word"
	case !order.SafeToChargeAgain && ended && o.d == nil && len(w.reviews) == 0 && !w.hinted():
		return "never safe to charge again"
	}
	return ""
}

// hinted tells whether anything came that only asks.
func (w *world) hinted() bool {
	return slices.ContainsFunc(w.facts, func(f Fact) bool {
		return f.Hint || f.Kind == FactUnmapped || f.Source == SourceReport
	})
}

// unanswered tells whether a hint or report of success is newer than every answer.
func (w *world) unanswered() bool {
	return slices.ContainsFunc(w.facts, func(f Fact) bool {
		return (f.Hint || f.Source == SourceReport) && f.Word == WordSucceeded &&
			!slices.ContainsFunc(w.facts, func(q Fact) bool { return q.Kind == FactWord && q.Source == SourceQuery && q.OwnMs > f.OwnMs })
	})
}

// truthful: an entry's type fits its body and what was told before; a success is told of money only, and as late when it is.
func (w *world) truthful(o *oracle, before *world, e *said) string {
	y := &e.Body
	ok := true
	switch e.Type {
	case EventFailed:
		ok = y.State == Failed
	case EventClosed:
		ok = y.State == Closed
	case EventUnknown:
		ok = y.State == Unknown
	case EventAuthorised:
		ok = y.State == Processing && !before.told.Authorised
	case EventReversed:
		ok = y.Reversed > 0 || y.State != Succeeded && before.told.Success
	case EventRefunded:
		ok = y.Refunded != before.told.Refunded || y.Refunded > 0
	case EventDisputed:
		ok = len(o.latest(FactDispute)) > 0
	case EventDecided:
		ok = e.Act == w.newDecision()
	}
	if success := e.Type == EventSucceeded || e.Type == EventSucceededLate || e.Type == EventDuplicate; success != e.Fulfil {
		return fmt.Sprintf("%s with a fulfil key: %t", e.Type, e.Fulfil)
	}
	if e.Fulfil {
		ok = y.State == Succeeded && y.Refunded+y.Reversed < y.Received && (len(o.claims)+len(o.reversals) > 0 || o.positive())
	}
	if !ok {
		return fmt.Sprintf("%s told of %+v", e.Type, *y)
	}
	if want := w.successType(before); e.Fulfil && e.Type != want && (e.Type != EventDuplicate || w.s.both() == 0) {
		return fmt.Sprintf("told as %s, not %s", e.Type, want)
	}
	return ""
}

// newDecision is the act of the commit, if it was a person's.
func (w *world) newDecision() Act {
	for _, f := range w.facts {
		if f.Version == w.version && f.Kind == FactDecision {
			return f.Act
		}
	}
	return ""
}

// successType is how a success is told now, from what was told before and what the shop did.
func (w *world) successType(before *world) EventType {
	over := slices.ContainsFunc(before.entries, func(e said) bool {
		return e.Type == EventFailed || e.Type == EventClosed || e.Type == EventReversed
	})
	closed := false
	for _, f := range w.facts {
		closed = f.Kind == FactClosed || closed && f.Kind != FactReopened
	}
	switch {
	case w.other:
		return EventDuplicate
	case (over || closed) && w.newDecision() == "":
		return EventSucceededLate
	}
	return EventSucceeded
}

// questions: a person is asked what the definition says, no more and no less.
func (w *world) questions(o *oracle) []string {
	var list []string
	answered := w.acts() > 0
	back := w.s.Refunded + w.s.Reversed
	for _, c := range []struct {
		reason      Reason
		must, never bool
	}{
		{ReasonContradiction, w.s.Cause == Contradiction, w.s.Cause != Contradiction},
		{ReasonNoAnswer, w.s.Cause == NoAnswer, w.s.Cause != NoAnswer},
		{ReasonReversed, w.s.Reversed > 0 && !o.cash(), w.s.Reversed == 0},
		{ReasonLate, w.s.Late && w.s.Paid() && !answered, !w.s.Late || !w.s.Paid()},
		{ReasonElsewhere, false, !o.cash() || w.s.both() == 0},
		{ReasonExcess, (w.s.State == Succeeded || w.s.Received > 0) && back > w.s.Received, w.s.State != Succeeded && w.s.Received == 0 || back <= w.s.Received},
		{ReasonMoved, w.s.Settled() && w.s.State != Succeeded && w.s.Received == 0 && w.s.Refunded+w.s.Disputed > 0 && !answered,
			!w.s.Settled() || w.s.State == Succeeded || w.s.Received > 0 || w.s.Refunded+w.s.Disputed == 0},
		{ReasonRefundOwed, false, !w.acted(ActRefund)},
	} {
		asked := slices.ContainsFunc(w.reviews, func(r Review) bool { return r.Reason == c.reason })
		if c.must && !asked || c.never && asked {
			list = append(list, fmt.Sprintf("review %s: %t", c.reason, asked))
		}
	}
	odd := slices.ContainsFunc(w.reviews, func(r Review) bool { return r.ID() == string(ReasonDifference) })
	if odd != (len(o.odds) > 0) {
		list = append(list, fmt.Sprintf("review difference: %t", odd))
	}
	return list
}

func (w *world) acted(a Act) bool {
	return slices.ContainsFunc(w.facts, func(f Fact) bool { return f.Act == a })
}

// twiceAsked: no review is there twice, and only one about money that was taken back is urgent.
func (w *world) twiceAsked() string {
	for i, r := range w.reviews {
		if r.Urgent != (r.Reason == ReasonReversed) || r.AtRisk < 0 || r.Currency == "" {
			return fmt.Sprintf("review %+v", r)
		}
		if slices.ContainsFunc(w.reviews[:i], func(x Review) bool { return x.ID() == r.ID() }) {
			return "review " + r.ID() + " twice"
		}
	}
	return ""
}
