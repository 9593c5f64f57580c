package payment

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// The table of allowed answers, by standing.
func TestAllowed(t *testing.T) {
	start := startingPoints()
	more := func(name string, facts ...Fact) func() *world {
		return func() *world {
			w := start[name]()
			for _, f := range facts {
				w.commit(f)
			}
			return w
		}
	}
	for name, c := range map[string]struct {
		world func() *world
		want  string
	}{
		"pending":                    {start["pending"], "mark_succeeded mark_failed note"},
		"processing":                 {start["processing"], "mark_succeeded mark_failed note"},
		"succeeded":                  {start["succeeded"], "refund note"},
		"late, not confirmed":        {start["succeeded late"], "refund note"},
		"late, confirmed":            {more("succeeded late", paidQuery(hour)), "fulfil refund note"},
		"late, no query to ask":      {more("failed, no query", paidNotice(hour)), "fulfil refund note"},
		"late, decided":              {more("succeeded late", paidQuery(hour), decision(ActFulfil)), "refund note undo"},
		"reversed":                   {start["succeeded reversed"], "mark_succeeded mark_failed money_back ignore note"},
		"dispute lost":               {more("succeeded", dispute(DisputeLost, 10000, hour)), "mark_succeeded mark_failed ignore note"},
		"dispute lost in part":       {more("succeeded", dispute(DisputeLost, 3000, hour)), "refund ignore note"},
		"refunded in full":           {more("succeeded", refund("a", RefundSucceeded, 10000, hour)), "note"},
		"refunded too much":          {more("succeeded", refund("a", RefundSucceeded, 11000, hour)), "ignore note"},
		"refund owed":                {more("succeeded", decision(ActRefund).amount(10000)), "refund_proof note undo"},
		"difference beside success":  {more("unknown/difference", paidQuery(hour)), "accept refund ignore note"},
		"elsewhere and gateway":      {more("succeeded", elsewhere()), "refund keep_both ignore note undo"},
		"unmapped, no query":         {more("held, no query", unmapped(hour)), "mark_succeeded mark_failed ignore note"},
		"refund without an end":      {more("succeeded", refund("a", RefundPending, 5, hour), holdOver(2)), "refund ignore note"},
		"failed":                     {start["failed"], "mark_succeeded note"},
		"failed, yet refunded":       {more("failed", refund("a", RefundSucceeded, 5, hour)), "mark_succeeded ignore note"},
		"failed by a person":         {start["failed by a person"], "mark_succeeded note undo"},
		"undone":                     {more("failed by a person", undo(1)), "mark_succeeded mark_failed note"},
		"closed/expired":             {start["closed/expired"], "mark_succeeded note"},
		"closed/cancelled":           {start["closed/cancelled"], "mark_succeeded note"},
		"closed/abandoned":           {start["closed/abandoned"], "mark_succeeded note"},
		"unknown/no_answer":          {start["unknown/no_answer"], "mark_succeeded mark_failed note"},
		"unknown/difference":         {start["unknown/difference"], "mark_succeeded accept reject refund note"},
		"unknown/contradiction":      {start["unknown/contradiction"], "mark_succeeded accept reject refund note"},
		"refund in another currency": {more("succeeded", refund("a", RefundSucceeded, 5, hour).in("USD")), "refund ignore note"},
	} {
		w := c.world()
		if got := strings.Join(texts(Allowed(w.s, w.reviews, w.facts)), " "); got != c.want {
			t.Errorf("%s (%s; %s): %q, want %q", name, picture(w.s), reasons(w.reviews), got, c.want)
		}
	}
}

// A duplicate, which only the order knows of, may be fulfilled, refunded or kept.
func TestAllowedForADuplicate(t *testing.T) {
	w := startingPoints()["succeeded"]()
	reviews := append(w.reviews, Review{Reason: ReasonDuplicate, Key: "a+b"})
	if got := fmt.Sprint(Allowed(w.s, reviews, w.facts)); got != "[fulfil refund keep_both note]" {
		t.Errorf("allowed %s", got)
	}
}

// An answer to a duplicate names it, so that a third paid payment asks anew.
func TestAnswerToADuplicateNamesIt(t *testing.T) {
	w := startingPoints()["succeeded"]()
	reviews := append(w.reviews, Review{Reason: ReasonDuplicate, Key: "a+b"})
	for ref, want := range map[string]bool{"": false, "duplicate:a": false, "duplicate:a+b": true} {
		for _, a := range []Act{ActKeepBoth, ActFulfil, ActRefund} {
			d := decision(a).amount(10000)
			d.Saw, d.Ref = w.version, ref
			if err := CheckDecision(w.t, w.s, reviews, w.facts, d); (err == nil) != want {
				t.Errorf("%s of %q: %v", a, ref, err)
			}
		}
	}
}

// Beside a duplicate a refund is whole, and proof of an owed refund need not name it.
func TestMoneyBackBesideADuplicate(t *testing.T) {
	w := startingPoints()["succeeded"]()
	both := Review{Reason: ReasonDuplicate, Key: "a+b"}
	part := decision(ActRefund).amount(1)
	part.Saw, part.Ref = w.version, both.ID()
	var refusal *Refusal
	if err := CheckDecision(w.t, w.s, append(w.reviews, both), w.facts, part); !errors.As(err, &refusal) || refusal.Word != RefusedOther {
		t.Errorf("0.01 of a duplicate: %v", err)
	}
	w.commit(decision(ActRefund).amount(4000))
	proof := decision(ActRefundProof)
	proof.Saw = w.version
	if err := CheckDecision(w.t, w.s, append(w.reviews, both), w.facts, proof); err != nil {
		t.Error(err)
	}
}

func TestCheckDecision(t *testing.T) {
	start := startingPoints()
	owed := func() *world { w := start["succeeded"](); w.commit(decision(ActRefund).amount(4000)); return w }
	strange := func() *world { w := start["held, no query"](); w.commit(unmapped(hour)); return w }
	blind := func() *world { w := newWorld(terms()); w.commit(query(WordSucceeded, 1)); return w }
	with := func(f Fact, change func(f *Fact)) Fact { change(&f); return f }
	ref := func(a Act, ref string) Fact { return with(decision(a), func(f *Fact) { f.Ref = ref }) }
	for _, c := range []struct {
		name  string
		world func() *world
		d     Fact
		word  string // of the refusal; empty: allowed
	}{
		{"paid elsewhere", start["pending"], elsewhere(), ""},
		{"paid through the gateway", start["pending"], vouched(), ""},
		{"no such act", start["pending"], decision("dance"), RefusedNotAllowed},
		{"not in this state", start["succeeded"], decision(ActMarkFailed), RefusedNotAllowed},
		{"not in this state, with its cause", start["unknown/no_answer"], decision(ActReject), RefusedNotAllowed},
		{"no reason", start["pending"], with(decision(ActMarkFailed), func(f *Fact) { f.Reason = "" }), RefusedReason},
		{"stale", start["processing"], with(decision(ActMarkFailed), func(f *Fact) { f.Saw = 1 }), RefusedSaw},
		{"a stale note", start["processing"], with(decision(ActNote), func(f *Fact) { f.Saw = 1 }), ""},
		{"no basis", start["pending"], with(elsewhere(), func(f *Fact) { f.Basis = "" }), RefusedBasis},
		{"no amount", start["pending"], with(elsewhere(), func(f *Fact) { f.HasAmount = false }), RefusedAmount},
		{"amount zero", start["pending"], with(elsewhere(), func(f *Fact) { f.Amount = 0 }), RefusedAmount},
		{"another currency", start["pending"], with(elsewhere(), func(f *Fact) { f.Currency = "USD" }), RefusedCurrency},
		{"reversed, paid elsewhere", start["succeeded reversed"], elsewhere(), ""},
		{"reversed, gateway again", start["succeeded reversed"], vouched(), RefusedBasis},
		{"reversed, money is back", start["succeeded reversed"], decision(ActMoneyBack), ""},
		{"accept", start["unknown/difference"], decision(ActAccept), ""},
		{"accept, typed", start["unknown/difference"], decision(ActAccept).amount(9000), ""},
		{"accept, typed wrong", start["unknown/difference"], decision(ActAccept).amount(9100), RefusedOther},
		{"accept, in another currency", start["unknown/difference"], decision(ActAccept).amount(9000).in("USD"), RefusedCurrency},
		{"accept, elsewhere", start["unknown/difference"], with(decision(ActAccept), func(f *Fact) { f.Basis = BasisElsewhere }), RefusedBasis},
		{"accept what tells no amount", blind, decision(ActAccept), RefusedAmount},
		{"accept what tells no amount, typed", blind, decision(ActAccept).amount(9000), ""},
		{"refund", start["succeeded"], decision(ActRefund).amount(10000), ""},
		{"refund too much", start["succeeded"], decision(ActRefund).amount(10001), RefusedOther},
		{"refund without amount", start["succeeded"], decision(ActRefund), RefusedAmount},
		{"refund for a review that is not open", start["succeeded"], with(decision(ActRefund).amount(1), func(f *Fact) { f.Ref = "late" }), RefusedReview},
		{"refund the late one", start["succeeded late"], with(decision(ActRefund).amount(100_00), func(f *Fact) { f.Ref = "late" }), ""},
		{"refund a part of the late one", start["succeeded late"], with(decision(ActRefund).amount(1), func(f *Fact) { f.Ref = "late" }), RefusedOther},
		{"proof", owed, decision(ActRefundProof), ""},
		{"proof of this one", owed, ref(ActRefundProof, "refund_owed:2"), ""},
		{"proof of another", owed, ref(ActRefundProof, "refund_owed:7"), RefusedReview},
		{"ignore by name", strange, ref(ActIgnore, "unmapped:SETTLING"), ""},
		{"ignore without name", strange, decision(ActIgnore), RefusedUnnamed},
		{"ignore what cannot be", func() *world { w := strange(); w.commit(gaveUp("", hour)); return w }, ref(ActIgnore, "no_answer"), RefusedReview},
		{"undo", owed, undo(2), ""},
		{"undo a note", func() *world { w := owed(); w.commit(decision(ActNote)); return w }, undo(3), RefusedUndo},
		{"undo what was no decision", owed, undo(1), RefusedUndo},
		{"undo what is undone", func() *world { w := owed(); w.commit(decision(ActFulfil)); w.commit(undo(2)); return w }, undo(2), RefusedUndo},
	} {
		w := c.world()
		if c.d.Saw < 0 {
			c.d.Saw = w.version
		}
		err := CheckDecision(w.t, w.s, w.reviews, w.facts, c.d)
		var refusal *Refusal
		errors.As(err, &refusal)
		switch {
		case c.word == "" && err != nil:
			t.Errorf("%s: refused: %v", c.name, err)
		case c.word != "" && (refusal == nil || refusal.Word != c.word || !strings.Contains(err.Error(), "pay_1")):
			t.Errorf("%s: %v, want %s", c.name, err, c.word)
		}
	}
}
