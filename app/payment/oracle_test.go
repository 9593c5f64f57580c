package payment

import (
	"cmp"
	"slices"
)

// oracle reads the definition of a standing line by line, with no regard for speed, to check the rules against.
type oracle struct {
	t     Terms
	facts []Fact // in order of commit
	d     *Fact  // the last decision that sets a state
	back  int64  // what "money is back" saw

	claims, odds, reversals, denials []*Fact
}

func consult(t Terms, facts []Fact) *oracle {
	o := &oracle{t: t, facts: facts}
	o.decisions()
	for i := range facts {
		f := &facts[i]
		gateway := f.Source == SourceQuery || f.Source == SourceNotice && !f.Hint
		if f.Kind != FactWord || !gateway {
			continue
		}
		seenByNo := o.d != nil && !o.positive() && f.Version <= o.d.Saw
		seenByYes := o.positive() && f.Version <= o.d.Saw
		agreed := f.HasAmount && f.Amount == t.Amount && f.Currency == t.Currency
		ending := f.Word == WordFailed || f.Word == WordExpired || f.Word == WordCancelled
		switch {
		case f.Word == WordSucceeded && agreed && !seenByNo:
			o.claims = append(o.claims, f)
		case f.Word == WordSucceeded && !agreed && !seenByNo && !seenByYes:
			o.odds = append(o.odds, f)
		case f.Word == WordReversed && !seenByNo:
			o.reversals = append(o.reversals, f)
		case ending && f.Source == SourceQuery && !seenByYes:
			o.denials = append(o.denials, f)
		}
	}
	return o
}

// decisions goes back from the newest, so that an undo is known before what it undoes.
func (o *oracle) decisions() {
	var gone []int64
	for i := len(o.facts) - 1; i >= 0; i-- {
		f := &o.facts[i]
		if f.Kind != FactDecision || slices.Contains(gone, f.ID) {
			continue
		}
		switch f.Act {
		case ActUndo:
			gone = append(gone, f.Refers)
		case ActMoneyBack:
			o.back = max(o.back, f.Saw)
		case ActMarkSucceeded, ActAccept, ActMarkFailed, ActReject:
			if o.d == nil {
				o.d = f
			}
		}
	}
}

func (o *oracle) positive() bool {
	return o.d != nil && (o.d.Act == ActMarkSucceeded || o.d.Act == ActAccept)
}

func (o *oracle) cash() bool { return o.positive() && o.d.Basis == BasisElsewhere }

// t0 is the latest own time of a claim; a person's word for the gateway stands in where there is none.
func (o *oracle) t0() int64 {
	var last int64
	for _, f := range o.claims {
		last = max(last, f.OwnMs)
	}
	if len(o.claims) == 0 && o.positive() {
		last = o.d.OwnMs
	}
	return last
}

func (o *oracle) contradicted() bool {
	before, after := o.d != nil && !o.positive(), false
	for _, f := range o.denials {
		before = before || f.OwnMs <= o.t0()
		after = after || f.OwnMs > o.t0()
	}
	confirmed := slices.ContainsFunc(o.claims, func(f *Fact) bool { return f.Source == SourceQuery })
	return len(o.reversals) == 0 && !confirmed && before && after
}

// state is the first line that applies.
func (o *oracle) state() (State, Cause) {
	switch {
	case o.positive():
		return Succeeded, NoCause
	case len(o.claims)+len(o.reversals) > 0:
		if o.contradicted() {
			return Unknown, Contradiction
		}
		return Succeeded, NoCause
	case len(o.odds) > 0:
		return Unknown, Difference
	case o.d != nil:
		return Failed, NoCause
	}
	if f := o.finalWord(); f != nil {
		if f.Word == WordFailed {
			return Failed, NoCause
		}
		return Closed, Cause(f.Word) // expired or cancelled
	}
	if s, c := o.givenUp(); s != "" {
		return s, c
	}
	for i := range o.facts {
		if f := &o.facts[i]; f.Kind == FactWord && !f.Hint && (f.Word == WordProcessing || f.Word == WordAuthorised) {
			return Processing, NoCause
		}
	}
	return Pending, NoCause
}

func (o *oracle) finalWord() *Fact {
	final := slices.Clone(o.denials)
	for i := range o.facts {
		if f := &o.facts[i]; f.Kind == FactHoldOver {
			final = append(final, &o.facts[slices.IndexFunc(o.facts, func(g Fact) bool { return g.ID == f.Refers })])
		}
	}
	if len(final) == 0 {
		return nil
	}
	order := []Word{WordExpired, WordCancelled, WordFailed}
	return slices.MaxFunc(final, func(a, b *Fact) int {
		return cmp.Or(cmp.Compare(a.OwnMs, b.OwnMs), cmp.Compare(slices.Index(order, a.Word), slices.Index(order, b.Word)))
	})
}

func (o *oracle) givenUp() (State, Cause) {
	i := slices.IndexFunc(o.facts, func(f Fact) bool { return f.Kind == FactGaveUp })
	if i < 0 {
		return "", ""
	}
	f := o.facts[i]
	if f.Word == WordPending || f.Word == WordAttemptFailed || f.Word == WordNotFound && f.Never && o.t.PayerCreates {
		return Closed, Abandoned
	}
	return Unknown, NoAnswer
}

// gateway is the gateway's part of what was received.
func (o *oracle) gateway() int64 {
	for _, source := range []Source{SourceQuery, SourceNotice} {
		var words []*Fact
		for i := range o.facts {
			f := &o.facts[i]
			voided := o.d != nil && !o.positive() && f.Version <= o.d.Saw
			if f.Kind == FactWord && f.Word == WordSucceeded && f.Source == source && !f.Hint && f.HasAmount && f.Currency == o.t.Currency && !voided {
				words = append(words, f)
			}
		}
		if len(words) > 0 {
			return slices.MaxFunc(words, func(a, b *Fact) int {
				return cmp.Or(cmp.Compare(a.OwnMs, b.OwnMs), cmp.Compare(a.Amount, b.Amount))
			}).Amount
		}
	}
	switch {
	case o.positive() && !o.cash() && o.d.HasAmount:
		return o.d.Amount
	case o.positive() && !o.cash() || len(o.reversals) > 0:
		return o.t.Amount
	}
	return 0
}

// latest keeps the latest word of each ref of one kind.
func (o *oracle) latest(kind FactKind) map[string]*Fact {
	ranks := []string{RefundPending, RefundSucceeded, RefundFailed, DisputeOpen, DisputeWon, DisputeLost}
	var words map[string]*Fact
	for i := range o.facts {
		f := &o.facts[i]
		if f.Kind != kind || f.Hint || f.Currency != o.t.Currency {
			continue
		}
		g, ok := words[f.Ref]
		if !ok || cmp.Or(cmp.Compare(f.OwnMs, g.OwnMs), cmp.Compare(slices.Index(ranks, f.Status), slices.Index(ranks, g.Status))) > 0 {
			if words == nil {
				words = map[string]*Fact{}
			}
			words[f.Ref] = f
		}
	}
	return words
}

// standing is what the definition says; only Late and what follows from it is left out.
func (o *oracle) standing() Standing {
	s := Standing{Received: o.gateway()}
	s.State, s.Cause = o.state()
	if o.cash() {
		s.Received += o.d.Amount
	}
	var singles, running int64
	for _, f := range o.latest(FactRefund) {
		switch {
		case f.Status != RefundSucceeded:
		case f.Cumulative:
			running = max(running, f.Amount)
		default:
			singles += f.Amount
		}
	}
	s.Refunded = max(singles, running)
	var lost int64
	for _, f := range o.latest(FactDispute) {
		if f.Status != DisputeWon {
			s.Disputed += f.Amount
		}
		if f.Status == DisputeLost {
			lost += f.Amount
		}
	}
	if s.State == Succeeded {
		s.Reversed = max(lost, o.takenBack())
	}
	return s
}

// takenBack is the gateway's part if it was taken back and nobody said since that the money is back.
func (o *oracle) takenBack() int64 {
	if slices.ContainsFunc(o.reversals, func(f *Fact) bool { return f.Version > o.back }) {
		return o.gateway()
	}
	if len(o.claims) == 0 && !o.positive() || o.cash() {
		return 0
	}
	for _, f := range o.denials {
		for _, g := range o.denials {
			if f.OwnMs > o.t0() && g.OwnMs-f.OwnMs >= 10*minute && min(f.Version, g.Version) > o.back {
				return o.gateway()
			}
		}
	}
	return 0
}
