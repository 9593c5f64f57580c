package payment

import (
	"math"
	"math/bits"
	"slices"
)

// AskKind says why the gateway is to be asked.
type AskKind string

// The kinds of questions.
const (
	AskFirst   AskKind = "first"   // a rung of the schedule
	AskTail    AskKind = "tail"    // a rung of the thinning tail
	AskConfirm AskKind = "confirm" // to confirm what a notice said
	AskHint    AskKind = "hint"    // a hint or a report line: has a budget of its own
	AskAgain   AskKind = "again"   // ten minutes after a denial that followed a success
	AskExpiry  AskKind = "expiry"  // the payment's time is over
	AskGiveUp  AskKind = "give_up" // the last one; without a query nobody is asked, see GaveUp
	AskDaily   AskKind = "daily"   // for thirty days after giving up without an answer, or while a refund is pending or a dispute open
	AskWeekly  AskKind = "weekly"  // once, a week after it was called abandoned
)

// AskState is what is known of the questions so far, kept with the payment; instants are UTC milliseconds, 0: never.
type AskState struct {
	LastAskedMs    int64
	LastAnsweredMs int64 // when the last question was asked that got an answer
	LastAnswer     Word  // of the last answered query
	EverHeard      bool  // the gateway ever knew of the payment: an answer other than not_found, or a notice
}

// Plan is what time is to bring: the next question and the end of a hold.
type Plan struct {
	AskAtMs    int64 // 0: never; an instant that has passed is due now
	AskKind    AskKind
	HoldAtMs   int64 // when the hold_over for the fact HoldRefers is due, 0: none
	HoldRefers int64
}

const (
	retryLeast = 30 * second // between a question that got no answer and the next
	retryMost  = 6 * hour
	retryEnd   = 30 * day // after which nothing is confirmed any more
	dailyDays  = 30
	returnHold = 31 * day // after which a person is asked about a refund or dispute without its last word
	weekLater  = 7 * day
)

// planner collects the earliest wish.
type planner struct {
	evidence
	asked AskState
	plan  Plan
}

func newPlanner(t Terms, facts []Fact, asked AskState) planner {
	p := planner{evidence: evidence{t: t, facts: facts}, asked: asked}
	p.weigh()
	p.standing()
	return p
}

// Ask says when to ask the gateway next, and when a hold ends. It is to be called with every change of facts or of AskState.
func Ask(t Terms, facts []Fact, asked AskState, nowMs int64) Plan {
	p := newPlanner(t, facts, asked)
	// A clock that was set back must not silence a payment: an answer of a later instant may be older than anything.
	p.asked.LastAskedMs = min(asked.LastAskedMs, nowMs)
	if asked.LastAnsweredMs > nowMs {
		p.asked.LastAnsweredMs = 0
	}
	if !t.HasQuery {
		p.hold()
		p.clock()
		p.returns()
		return p.plan
	}
	p.notices()
	p.again()
	p.open()
	p.afterwards()
	p.returns()
	return p.plan
}

func (p *planner) want(at int64, kind AskKind) {
	if at > 0 && (p.plan.AskAtMs == 0 || at < p.plan.AskAtMs) {
		p.plan.AskAtMs, p.plan.AskKind = at, kind
	}
}

// answeredSince tells whether a question asked at or after an instant was answered.
func (p *planner) answeredSince(at int64) bool { return p.asked.LastAnsweredMs >= at }

// retry is an instant, or if it was asked since then, a later one with growing gaps.
func (p *planner) retry(at int64) int64 {
	last := p.asked.LastAskedMs
	if last < at {
		return at
	}
	gap := min(max(last-at, retryLeast), retryMost)
	return last + gap + jitter(p.t.PaymentID, uint64(bits.Len64(uint64(gap))), gap)
}

// once wants one answered question at or after an instant.
func (p *planner) once(at int64, kind AskKind) {
	if !p.answeredSince(at) {
		p.patiently(at, kind)
	}
}

// readably wants one answer at or after an instant, and one that can be read.
func (p *planner) readably(at int64, kind AskKind) {
	if p.asked.LastAnswer == WordUnreadable {
		p.patiently(at, kind)
	} else {
		p.once(at, kind)
	}
}

// patiently wants a question at an instant and again with growing gaps, for thirty days.
func (p *planner) patiently(at int64, kind AskKind) {
	if next := p.retry(at); next-at < retryEnd {
		p.want(next, kind)
	}
}

// open asks along the schedule, at expiry and at the end, while nothing is settled.
func (p *planner) open() {
	if p.s.Settled() {
		return
	}
	if p.t.ExpiresMs > 0 {
		p.once(p.t.ExpiresMs+p.t.GraceMs, AskExpiry)
	}
	p.want(nextRung(&p.t, p.asked.LastAskedMs))
	p.want(p.retry(p.t.GiveUpMs), AskGiveUp)
}

// notices wants one answer for each notice that cannot stand alone.
func (p *planner) notices() {
	for i := range p.facts {
		f := &p.facts[i]
		if p.decided(f) || !p.asks(f) {
			continue
		}
		kind := AskConfirm
		if f.Kind != FactLate && !f.speaks() {
			kind = AskHint
		}
		p.once(f.CommittedMs, kind)
		if kind == AskHint && p.answeredSince(f.CommittedMs) {
			p.doubt(f)
		}
	}
}

// doubt asks once more about a hint of a success, refund or dispute that its answer did not bear out: what a gateway answers
// may lag behind what it sends, or be wrong once.
func (p *planner) doubt(f *Fact) {
	at := p.firstAnswer(f.CommittedMs) + apart
	switch {
	case f.Word == WordSucceeded && p.s.final(), f.Kind != FactWord && !p.borneOut(f):
		p.readably(at, AskHint)
	case f.Word == WordSucceeded:
		p.once(at, AskHint)
	}
}

// borneOut tells whether the gateway itself speaks of the refund or dispute of a hint.
func (p *planner) borneOut(hint *Fact) bool {
	return slices.ContainsFunc(p.facts, func(f Fact) bool { return f.Kind == hint.Kind && f.Ref == hint.Ref && f.speaks() })
}

// firstAnswer is when the first of the denials that are kept since an instant was asked for, else the first answer of
// whatever kind; the instant itself if none is.
func (p *planner) firstAnswer(at int64) int64 {
	denied, first := int64(math.MaxInt64), int64(math.MaxInt64)
	for i := range p.facts {
		f := &p.facts[i]
		if f.Kind != FactWord || f.Source != SourceQuery || f.OwnMs < at {
			continue
		}
		first = min(first, f.OwnMs)
		if f.denies() {
			denied = min(denied, f.OwnMs)
		}
	}
	switch {
	case denied < math.MaxInt64:
		return denied
	case first < math.MaxInt64:
		return first
	}
	return at
}

// asks tells whether a fact is to be confirmed, as things stand.
func (p *planner) asks(f *Fact) bool {
	switch f.Kind {
	case FactUnmapped:
		return true
	case FactLate:
		return f == p.late && p.s.Late && !p.s.Confirmed
	case FactRefund, FactDispute:
		return !f.speaks() || f.Source == SourceNotice && p.s.Received == 0
	case FactWord:
		return f.Source != SourceQuery && p.news(f)
	}
	return false
}

// news tells whether a notice or report line says something that the standing does not.
func (p *planner) news(f *Fact) bool {
	switch {
	case f.Word == WordSucceeded:
		return p.s.State != Succeeded
	case f.Word == WordReversed:
		return p.s.Reversed == 0 || f.speaks()
	case finality(f.Word) > 0:
		return !p.s.final()
	case f.Word == WordProcessing || f.Word == WordAuthorised:
		return p.s.State == Pending
	}
	return false
}

// final tells whether the gateway's own final word without money, or a person's, is the standing.
func (s Standing) final() bool {
	return s.State == Failed || s.State == Closed && s.Cause != Abandoned
}

// again asks once more ten minutes after the first denial that followed a success.
func (p *planner) again() {
	if p.unback == 0 || p.deniedTwice() || p.elsewhere() {
		return
	}
	p.readably(p.firstUnback+apart, AskAgain)
}

// afterwards asks on where the end was no final word.
func (p *planner) afterwards() {
	switch p.s.Cause {
	case Abandoned:
		p.once(p.gaveUp.CommittedMs+weekLater, AskWeekly)
	case NoAnswer:
		p.daily(p.gaveUp.CommittedMs)
	}
	for i := range p.facts {
		if p.unended(i) {
			p.daily(p.firstWord(&p.facts[i]).CommittedMs)
		}
	}
}

// returns ends the wait for the last words on refunds and disputes, whether or not anybody can be asked.
func (p *planner) returns() {
	for i := range p.facts {
		if !p.unended(i) {
			continue
		}
		if first := p.firstWord(&p.facts[i]); !held(p.facts, first.ID) {
			p.holdUntil(first.CommittedMs+returnHold, first.ID)
		}
	}
}

// daily asks once a day for thirty days.
func (p *planner) daily(since int64) {
	n := max(1, (p.asked.LastAskedMs-since)/day)
	for ; n <= dailyDays; n++ {
		if at := since + n*day + jitter(p.t.PaymentID, uint64(n), day); at > p.asked.LastAskedMs {
			p.want(at, AskDaily)
			return
		}
	}
}

// hold finds the next notice whose failure_hold is to end, where there is no query to confirm it.
func (p *planner) hold() {
	if p.s.State == Succeeded || p.s.Cause == Difference || p.s.Cause == Contradiction || p.d != nil {
		return
	}
	for i := range p.facts {
		f := &p.facts[i]
		if !p.awaitsHold(f) {
			continue
		}
		p.holdUntil(f.CommittedMs+p.t.FailureHoldMs, f.ID)
	}
}

// holdUntil keeps the earliest end of a hold.
func (p *planner) holdUntil(at, id int64) {
	if p.plan.HoldRefers == 0 || at < p.plan.HoldAtMs || at == p.plan.HoldAtMs && id < p.plan.HoldRefers {
		p.plan.HoldAtMs, p.plan.HoldRefers = at, id
	}
}

// awaitsHold tells whether a fact is a final notice whose hold is not over.
func (p *planner) awaitsHold(f *Fact) bool {
	return f.Kind == FactWord && f.Source == SourceNotice && !f.Hint && finality(f.Word) > 0 && !held(p.facts, f.ID)
}

// clock gives up by the clock alone, though not while a hold runs.
func (p *planner) clock() {
	if !p.s.Settled() {
		p.want(max(p.t.GiveUpMs, p.plan.HoldAtMs), AskGiveUp)
	}
}

// GaveUp returns the fact to be written when give-up time has passed and, where there is a query, one was
// answered after it: answeredAtMs is when that one was asked, with its answer already in asked. Without a query it is the present instant.
func GaveUp(t Terms, facts []Fact, asked AskState, answeredAtMs int64) (Fact, bool) {
	p := newPlanner(t, facts, asked)
	if p.s.Settled() || answeredAtMs < t.GiveUpMs {
		return Fact{}, false
	}
	f := Fact{Kind: FactGaveUp, Source: SourceTimer, Key: "gave_up", OwnMs: answeredAtMs, CommittedMs: answeredAtMs}
	if !t.HasQuery {
		p.hold()
		return f, p.plan.HoldRefers == 0
	}
	f.Word = asked.LastAnswer
	f.Never = f.Word == WordNotFound && !asked.EverHeard && !heard(facts)
	return f, f.Word != ""
}

// heard tells whether anything but "not found" was ever said of the payment.
func heard(facts []Fact) bool {
	for i := range facts {
		switch facts[i].Kind {
		case FactUnmapped, FactRefund, FactDispute:
			return true
		case FactWord:
			if facts[i].Word != WordNotFound {
				return true
			}
		}
	}
	return false
}
