package payment

import "slices"

// Keep tells whether a query's answer is to be stored as a fact: its word differs from the last answer (asked as
// it was before this one), and so does a success of another amount; a rule waits for it; or it would move the standing. An answer
// that comes after a later one is not compared with that, if it settles something. What did not come from a query is always kept.
func Keep(t Terms, facts []Fact, asked AskState, f Fact) bool {
	if f.Source != SourceQuery {
		return true
	}
	e := evidence{t: t, facts: facts}
	e.weigh()
	if f.Kind == FactRefund || f.Kind == FactDispute {
		return !e.known(&f)
	}
	overtaken := f.OwnMs < asked.LastAnsweredMs && settles(f.Word)
	return f.Word != asked.LastAnswer || overtaken || e.otherSuccess(&f) || e.waits(&f) || e.moves(&f)
}

// otherSuccess tells whether a success is of another amount than the answer that last said so.
func (e *evidence) otherSuccess(f *Fact) bool {
	var last *Fact
	for i := range e.facts {
		if g := &e.facts[i]; g.says(WordSucceeded) && g.Source == SourceQuery && (last == nil || later(g, last) > 0) {
			last = g
		}
	}
	return f.Word == WordSucceeded && last != nil && (f.Amount != last.Amount || f.Currency != last.Currency)
}

// known tells whether the latest word on a refund or dispute says the same.
func (e *evidence) known(f *Fact) bool {
	for i := range e.facts {
		g := &e.facts[i]
		if g.Kind == f.Kind && g.Ref == f.Ref && g.Cumulative == f.Cumulative && e.isLatest(i, newestVersion) {
			return g.Status == f.Status && g.Amount == f.Amount && g.Currency == f.Currency
		}
	}
	return false
}

// waits tells whether something asked for this very answer: a fact that proves nothing by itself, or a success
// that was never denied before.
func (e *evidence) waits(f *Fact) bool {
	if f.denies() && e.unback == 0 && (e.claim != nil || e.gatewayVouched()) && f.OwnMs > e.t0 {
		return true
	}
	for i := range e.facts {
		g := &e.facts[i]
		if g.onlyAsks(&e.t) && g.OwnMs < f.OwnMs {
			if answered, _ := e.answeredAfter(g.OwnMs); !answered {
				return true
			}
		}
	}
	return false
}

// moves tells whether the fact changes the standing or the reviews.
func (e *evidence) moves(f *Fact) bool {
	more := append(slices.Clip(e.facts), *f)
	s0, r0 := Stand(e.t, e.facts)
	s1, r1 := Stand(e.t, more)
	return s0 != s1 || !slices.Equal(r0, r1)
}

// Unconfirmed tells whether a fact that only asks, and that says something else than the standing, still waits for
// an answer; until then it is not safe to charge again.
func Unconfirmed(t Terms, facts []Fact) bool {
	p := newPlanner(t, facts, AskState{})
	for i := range facts {
		f := &facts[i]
		if !f.onlyAsks(&t) || p.decided(f) || !p.asks(f) {
			continue
		}
		if answered, _ := p.answeredAfter(f.OwnMs); !answered {
			return true
		}
	}
	return false
}
