package payment

import (
	"cmp"
	"math"
)

// sum adds amounts of at least 0 and stays at the greatest int64 instead of overflowing.
func sum(a, b int64) int64 {
	if s := a + b; s >= 0 {
		return s
	}
	return math.MaxInt64
}

// amounts derives the five amounts of a standing whose state is set.
func (e *evidence) amounts() {
	s := &e.s
	gateway := e.gatewayPart()
	if e.elsewhere() {
		s.Elsewhere = e.d.tally()
	}
	s.Received = sum(gateway, s.Elsewhere)
	var lost int64
	if e.hasMoney {
		s.Refunded = e.refunded(newestVersion)
		s.Disputed, lost = e.disputed()
	}
	if s.State != Succeeded {
		return
	}
	s.Reversed = lost
	if e.takenBack || e.deniedTwice() {
		s.Reversed = max(lost, gateway)
	}
}

// tally is the amount of a fact, never below 0.
func (f *Fact) tally() int64 { return max(0, f.Amount) }

// gatewayPart is what the gateway received: the latest query success word with an amount, else the
// latest notice's, else what was agreed (or vouched for) where something says that it came.
func (e *evidence) gatewayPart() int64 {
	var best *Fact
	for i := range e.facts {
		f := &e.facts[i]
		if f.says(WordSucceeded) && f.telling() && f.Currency == e.t.Currency && !e.void(f, false) && (best == nil || tellsBetter(f, best)) {
			best = f
		}
	}
	switch {
	case best != nil:
		return best.tally()
	case e.gatewayVouched() && e.d.telling() && e.d.Currency == e.t.Currency:
		return e.d.tally()
	case e.gatewayVouched() || e.reversal != nil:
		return e.t.Amount
	}
	return 0
}

// tellsBetter prefers queries, then the later own time, then the larger amount.
func tellsBetter(a, b *Fact) bool {
	if a.Source != b.Source {
		return a.Source == SourceQuery
	}
	return later(a, b) > 0
}

// later compares two facts by own time, at a tie by amount.
func later(a, b *Fact) int {
	return cmp.Or(cmp.Compare(a.OwnMs, b.OwnMs), cmp.Compare(a.Amount, b.Amount))
}

// isLatest tells whether fact i is the latest word on its refund or dispute, among
// the facts up to a version.
func (e *evidence) isLatest(i int, upTo int64) bool {
	f := &e.facts[i]
	if !f.speaks() || f.version() > upTo {
		return false
	}
	for j := range e.facts {
		g := &e.facts[j]
		if g.Kind == f.Kind && g.Ref == f.Ref && g.Cumulative == f.Cumulative &&
			g.speaks() && g.version() <= upTo && supersedes(g, f, j < i) {
			return false
		}
	}
	return true
}

// supersedes orders two words on one ref; first breaks the tie of facts that say the same.
func supersedes(g, f *Fact, first bool) bool {
	order := cmp.Or(cmp.Compare(g.OwnMs, f.OwnMs), cmp.Compare(statusRank(g.Status), statusRank(f.Status)), cmp.Compare(g.Amount, f.Amount))
	return order > 0 || order == 0 && first
}

func statusRank(status string) int {
	switch status {
	case RefundFailed, DisputeLost:
		return 3
	case RefundSucceeded, DisputeWon:
		return 2
	case RefundPending, DisputeOpen:
		return 1
	}
	return 0
}

// ours tells whether a refund or dispute is in the agreed currency, or does not say.
func (e *evidence) ours(f *Fact) bool { return f.Currency == e.t.Currency || f.Currency == "" }

// refunded is the greater of the sum of the singles and the latest cumulative, up to a version.
func (e *evidence) refunded(upTo int64) int64 {
	var singles int64
	var running *Fact
	for i := range e.facts {
		f := &e.facts[i]
		if f.Kind != FactRefund || f.Status != RefundSucceeded || !e.ours(f) || !e.isLatest(i, upTo) {
			continue
		}
		if !f.Cumulative {
			singles = sum(singles, f.tally())
		} else if running == nil || later(f, running) > 0 {
			running = f
		}
	}
	if running == nil {
		return singles
	}
	return max(singles, running.tally())
}

// disputed sums the disputes that are not won, and of those the lost ones.
func (e *evidence) disputed() (all, lost int64) {
	for i := range e.facts {
		f := &e.facts[i]
		if f.Kind != FactDispute || !e.ours(f) || f.Status == DisputeWon || !e.isLatest(i, newestVersion) {
			continue
		}
		all = sum(all, f.tally())
		if f.Status == DisputeLost {
			lost = sum(lost, f.tally())
		}
	}
	return all, lost
}
