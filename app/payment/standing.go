package payment

// Standing is what the facts of a payment amount to. Amounts are minor units of the
// currency agreed in Terms, each at least 0.
type Standing struct {
	State       State
	Cause       Cause
	Received    int64
	Refunded    int64
	Disputed    int64  // open or lost; what was won is no longer in it
	Reversed    int64  // taken back after success; only while succeeded
	Elsewhere   int64  // the part of Received that a person took in another way
	Late        bool   // paid after it was called over
	Confirmed   bool   // a query claims
	Fulfillable bool   // confirmed, or the gateway has no query to confirm with
	Decided     bool   // a person's decision about the state stands
	Source      Source // of the fact that decided the state, the first that was committed; empty while pending
}

// Paid tells whether money is left of a success.
func (s Standing) Paid() bool {
	return s.State == Succeeded && sum(s.Refunded, s.Reversed) < s.Received
}

// Settled tells whether the payment is past pending and processing.
func (s Standing) Settled() bool { return s.State != Pending && s.State != Processing && s.State != "" }

// Left is what is left of the money received, in minor units.
func (s Standing) Left() int64 { return max(0, s.Received-sum(s.Refunded, s.Reversed)) }

// both is what came twice: elsewhere and, not taken back, through the gateway.
func (s Standing) both() int64 { return max(0, min(s.Elsewhere, s.Received-s.Elsewhere-s.Reversed)) }

// Stand says what the facts amount to and what a person is asked. It reads nothing else:
// the order of the slice does not matter, only the facts' own times, IDs and versions.
func Stand(t Terms, facts []Fact) (Standing, []Review) {
	e := evidence{t: t, facts: facts}
	e.weigh()
	e.standing()
	e.reviews()
	return e.s, e.list
}

// standing applies the eight rules, the first that fits.
func (e *evidence) standing() {
	s := &e.s
	s.State, s.Confirmed, s.Decided = Pending, e.confirmed, e.d != nil
	s.Fulfillable = e.confirmed || !e.t.HasQuery
	switch {
	case e.positive:
		s.State, s.Source = Succeeded, SourcePerson
	case e.claim != nil || e.reversal != nil:
		s.State, s.Source = Succeeded, e.successSource()
		if e.contradicted() {
			s.State, s.Cause = Unknown, Contradiction
		}
	case e.odd != nil:
		s.State, s.Cause, s.Source = Unknown, Difference, e.odd.Source
	case e.d != nil:
		s.State, s.Source = Failed, SourcePerson
	case e.final != nil:
		s.State, s.Cause = closing(e.final.Word)
		s.Source = e.final.Source
	case e.gaveUp != nil:
		s.State, s.Cause = givenUp(&e.t, e.gaveUp)
		s.Source = e.gaveUp.Source
	case e.busy != nil:
		s.State, s.Source = Processing, e.busy.Source
	}
	e.amounts()
	s.Late = e.late != nil && s.State == Succeeded
}

func (e *evidence) successSource() Source {
	if e.claim == nil || e.reversal != nil && rank(e.reversal) < rank(e.claim) {
		return e.reversal.Source
	}
	return e.claim.Source
}

// contradicted: a notice alone says paid, and the gateway's denials lie on both sides of it.
func (e *evidence) contradicted() bool {
	return e.reversal == nil && !e.confirmed && e.before && e.after
}

func closing(w Word) (State, Cause) {
	switch w {
	case WordExpired:
		return Closed, Expired
	case WordCancelled:
		return Closed, Cancelled
	}
	return Failed, NoCause
}

// givenUp reads the last answer before giving up.
func givenUp(t *Terms, f *Fact) (State, Cause) {
	waiting := f.Word == WordPending || f.Word == WordAttemptFailed
	unheard := f.Word == WordNotFound && f.Never && t.PayerCreates
	if waiting || unheard {
		return Closed, Abandoned
	}
	return Unknown, NoAnswer
}
