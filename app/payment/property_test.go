package payment

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// anyFact draws a fact that is no decision, with an amount and an own time near the borders of the rules.
func anyFact(t *rapid.T) Fact {
	own := rapid.Int64Range(0, 12).Draw(t, "own") * 5 * minute
	minor := rapid.SampledFrom([]int64{3000, 9000, 10000, 11000}).Draw(t, "amount")
	switch rapid.SampledFrom([]string{"word", "word", "word", "hint", "refund", "running", "dispute", "unmapped", "gave up", "closed"}).Draw(t, "kind") {
	case "hint":
		return paidNotice(own).hint()
	case "refund":
		return refund(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "ref"), rapid.SampledFrom([]string{RefundPending, RefundSucceeded, RefundFailed}).Draw(t, "status"), minor, own)
	case "running":
		return running(minor, own)
	case "dispute":
		return dispute(rapid.SampledFrom([]string{DisputeOpen, DisputeWon, DisputeLost}).Draw(t, "status"), minor, own)
	case "unmapped":
		return unmapped(own)
	case "gave up":
		return gaveUp(WordPending, own)
	case "closed":
		return shopClosed(own)
	}
	word := rapid.SampledFrom(Words()).Draw(t, "word")
	f := query(word, own)
	if rapid.Bool().Draw(t, "notice") {
		f = notice(word, own)
	}
	if word == WordSucceeded {
		f = f.amount(minor)
	}
	return f
}

func anyDecision(t *rapid.T) Fact {
	f := decision(rapid.SampledFrom(Acts()).Draw(t, "act"))
	if f.Act == ActMarkSucceeded || f.Act == ActRefund {
		f = f.amount(10000)
		f.Basis = rapid.SampledFrom([]Basis{BasisGateway, BasisElsewhere}).Draw(t, "basis")
	}
	f.Refers = rapid.Int64Range(0, 6).Draw(t, "refers")
	return f
}

// Any order of arrival and any repetition end in the same standing, and the laws hold at every step.
func TestAnyOrderAndRepetition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := rapid.SliceOfN(rapid.Custom(anyFact), 1, 9).Draw(t, "facts")
		again := rapid.Permutation(slices.Concat(facts, facts)).Draw(t, "again")
		a, b := newWorld(terms()), newWorld(terms())
		for _, f := range facts {
			a.commit(f)
		}
		for _, f := range again {
			b.commit(f)
		}
		if a.essence() != b.essence() {
			t.Fatalf("in order %+v\nmixed and repeated %+v", a.essence(), b.essence())
		}
		if a.breach+b.breach != "" {
			t.Fatal(a.breach, b.breach)
		}
	})
}

// The order of the slice says nothing: only IDs, versions and own times do.
func TestSliceOrderSaysNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(terms())
		for range rapid.IntRange(1, 8).Draw(t, "n") {
			if rapid.IntRange(0, 3).Draw(t, "person") == 0 {
				w.commit(anyDecision(t))
			} else {
				w.commit(anyFact(t))
			}
		}
		s, reviews := Stand(w.t, rapid.Permutation(w.facts).Draw(t, "mixed"))
		if s != w.s || !sameReviews(reviews, w.reviews) {
			t.Fatalf("%+v %v\nmixed %+v %v", w.s, w.reviews, s, reviews)
		}
		if w.breach != "" {
			t.Fatal(w.breach)
		}
	})
}

func sameReviews(a, b []Review) bool {
	byID := func(x, y Review) int {
		if x.ID() < y.ID() {
			return -1
		}
		return 1
	}
	a, b = slices.Clone(a), slices.Clone(b)
	slices.SortFunc(a, byID)
	slices.SortFunc(b, byID)
	return slices.Equal(a, b)
}

// Money is conserved: refunds are never more than the singles said or the last running total; what is reversed without
// a person is never more than what came or was lost; and with no success word there is nothing received.
func TestMoneyIsConserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts := rapid.SliceOfN(rapid.Custom(anyFact), 1, 9).Draw(t, "facts")
		w := newWorld(terms())
		w.commit(facts...)
		var most, refunds, lost int64
		singles := map[string]int64{}
		came := false
		for _, f := range w.facts {
			switch {
			case f.Kind == FactWord && !f.Hint && (f.Word == WordSucceeded || f.Word == WordReversed):
				came = true
				most = max(most, f.Amount, 10000)
			case f.Kind == FactRefund && f.Cumulative:
				refunds = max(refunds, f.Amount)
			case f.Kind == FactRefund && f.Status == RefundSucceeded:
				singles[f.Ref] = max(singles[f.Ref], f.Amount)
			case f.Kind == FactDispute && f.Status == DisputeLost:
				lost = max(lost, f.Amount)
			}
		}
		if w.s.Received > most || !came && w.s.Received != 0 {
			t.Fatalf("received %d of at most %d, came %t", w.s.Received, most, came)
		}
		if w.s.Refunded > max(refunds, singles["a"]+singles["b"]) {
			t.Fatalf("refunded %d, running %d, singles %v", w.s.Refunded, refunds, singles)
		}
		if w.s.Reversed > max(w.s.Received, lost) {
			t.Fatalf("reversed %d of received %d, lost %d", w.s.Reversed, w.s.Received, lost)
		}
	})
}

// Losing facts never makes a success out of nothing, and a claim that arrived is never called failed or closed.
func TestAClaimIsNeverFailed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(terms())
		w.commit(paidNotice(rapid.Int64Range(0, 60).Draw(t, "own") * minute))
		for _, f := range rapid.SliceOfN(rapid.Custom(anyFact), 0, 8).Draw(t, "facts") {
			w.commit(f)
		}
		if w.s.State != Succeeded && w.s.Cause != Contradiction {
			t.Fatalf("a verified success became %s", picture(w.s))
		}
	})
}

// Whatever is planned is planned alike, never for a settled payment's first answer, and ends.
func TestPlansEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(terms())
		for _, f := range rapid.SliceOfN(rapid.Custom(anyFact), 0, 6).Draw(t, "facts") {
			w.commit(f)
		}
		answers := rapid.Bool().Draw(t, "answers")
		var asked AskState
		now := w.now
		for n := 0; ; n++ {
			p := Ask(w.t, w.facts, asked, now)
			if p != Ask(w.t, w.facts, asked, now) {
				t.Fatal("two plans for one state")
			}
			if p.AskAtMs == 0 {
				return
			}
			if s, _ := Stand(w.t, w.facts); s.Settled() && (p.AskKind == AskFirst || p.AskKind == AskTail || p.AskKind == AskExpiry) {
				t.Fatalf("%s is asked as %s", picture(s), p.AskKind)
			}
			if n > 400 {
				t.Fatalf("still asking after %d questions: %+v at %d", n, p, now)
			}
			now = max(now, p.AskAtMs)
			asked.LastAskedMs = now
			if answers || p.AskKind == AskGiveUp {
				now++
				asked.LastAnsweredMs, asked.LastAnswer = now, WordPending
				if f, due := GaveUp(w.t, w.facts, asked, now); due {
					w.commit(f)
				}
			}
		}
	})
}
