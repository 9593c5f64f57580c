package payment

import (
	"cmp"
	"math"
)

// apart is how far two denials after a success must lie apart to take it back, in milliseconds.
const apart = 10 * 60 * 1000

// newestVersion is above every version.
const newestVersion = math.MaxInt64

// evidence is what the rules read out of a payment's facts: the decision that stands,
// and for each rule the fact that it rests on.
type evidence struct {
	t     Terms
	facts []Fact
	s     Standing // once standing was called
	list  []Review // once reviews was called

	// Whether there are facts of these kinds at all: most payments have none.
	hasDecision, hasMoney, hasUnmapped, hasDenial bool

	d        *Fact // the last decision that sets a state
	positive bool  // d marks a success
	backSaw  int64 // newest version that a standing "money is back" saw, 0: none

	claim     *Fact // first committed
	t0        int64 // latest own time of a claim
	confirmed bool  // a query claims
	odd       *Fact // first committed
	voided    bool  // a negative decision made a success word void
	reversal  *Fact // first committed reversed word
	takenBack bool  // a reversed word that no "money is back" saw

	before      bool  // a denial at or before t0, or a negative decision
	after       bool  // a denial later than t0
	unback      int   // denials later than t0 that no "money is back" saw
	firstUnback int64 // own time of the earliest of them
	lastUnback  int64

	final  *Fact // the final word that counts
	gaveUp *Fact // first committed
	busy   *Fact // first committed processing or authorised
	late   *Fact // last committed
}

// weigh reads the facts once for every rule.
func (e *evidence) weigh() {
	e.survey()
	if e.hasDecision {
		e.decisions()
	}
	for i := range e.facts {
		e.take(&e.facts[i])
	}
	if e.claim == nil && e.gatewayVouched() {
		e.t0 = e.d.OwnMs
	}
	e.before = e.d != nil && !e.positive
	if e.hasDenial && (e.claim != nil || e.gatewayVouched()) {
		e.denials()
	}
}

// survey notes which kinds of facts there are.
func (e *evidence) survey() {
	for i := range e.facts {
		switch f := &e.facts[i]; f.Kind {
		case FactWord:
			e.hasDenial = e.hasDenial || f.denies()
		case FactDecision:
			e.hasDecision = true
		case FactRefund, FactDispute:
			e.hasMoney = true
		case FactUnmapped:
			e.hasUnmapped = true
		}
	}
}

// gatewayVouched tells whether a person said that the money came through the gateway.
func (e *evidence) gatewayVouched() bool { return e.positive && e.d.Basis != BasisElsewhere }

// elsewhere tells whether a person said that the money came another way.
func (e *evidence) elsewhere() bool { return e.positive && e.d.Basis == BasisElsewhere }

// decisions finds the last decision that sets a state, and what "money is back" saw.
func (e *evidence) decisions() {
	for i := range e.facts {
		f := &e.facts[i]
		if f.Kind != FactDecision || undone(e.facts, f) {
			continue
		}
		if f.Act == ActMoneyBack {
			e.backSaw = max(e.backSaw, f.Saw)
		}
		if setsState(f.Act) && (e.d == nil || rank(f) > rank(e.d)) {
			e.d = f
		}
	}
	e.positive = e.d != nil && (e.d.Act == ActMarkSucceeded || e.d.Act == ActAccept)
}

func setsState(a Act) bool {
	return a == ActMarkSucceeded || a == ActAccept || a == ActMarkFailed || a == ActReject
}

// undone tells whether a later undo, itself not undone, is about decision d.
func undone(facts []Fact, d *Fact) bool {
	for i := range facts {
		u := &facts[i]
		if u.Act == ActUndo && u.Refers == d.ID && rank(u) > rank(d) && !undone(facts, u) {
			return true
		}
	}
	return false
}

// rank is a fact's place in the order of commit; one not yet stored comes last.
func rank(f *Fact) int64 {
	if f.ID == 0 {
		return math.MaxInt64
	}
	return f.ID
}

// version is the version that a fact came with; one not yet stored was seen by nobody.
func (f *Fact) version() int64 {
	if f.Version == 0 {
		return math.MaxInt64
	}
	return f.Version
}

// sawBy tells whether the deciding person saw the fact.
func (f *Fact) sawBy(d *Fact) bool { return f.version() <= d.Saw }

// speaks tells whether a fact counts as the gateway's word: hints and report lines only ask.
func (f *Fact) speaks() bool {
	return !f.Hint && (f.Source == SourceNotice || f.Source == SourceQuery)
}

func (f *Fact) says(w Word) bool { return f.Kind == FactWord && f.Word == w && f.speaks() }

// denies tells whether a fact is a query's failed, expired or cancelled.
func (f *Fact) denies() bool {
	return f.Kind == FactWord && f.Source == SourceQuery && !f.Hint && finality(f.Word) > 0
}

// finality ranks the final words without money: at one instant the greater one counts; 0 is none.
func finality(w Word) int {
	switch w {
	case WordFailed:
		return 3
	case WordCancelled:
		return 2
	case WordExpired:
		return 1
	}
	return 0
}

// telling tells whether a fact states an amount that can be compared.
func (f *Fact) telling() bool { return f.HasAmount && f.Currency != "" }

// claims tells whether a fact is a success word with what was agreed.
func (f *Fact) claims(t *Terms) bool {
	return f.says(WordSucceeded) && f.telling() && f.Amount == t.Amount && f.Currency == t.Currency
}

// isOdd tells whether a fact is a success word with something else, or one that cannot
// tell and after which nobody can be asked.
func (f *Fact) isOdd(t *Terms) bool {
	if !f.says(WordSucceeded) {
		return false
	}
	if !f.telling() {
		return f.Source == SourceQuery || !t.HasQuery
	}
	return f.Amount != t.Amount || f.Currency != t.Currency
}

// onlyAsks tells whether a fact proves nothing and is to be settled by a query.
func (f *Fact) onlyAsks(t *Terms) bool {
	switch f.Kind {
	case FactUnmapped:
		return true
	case FactWord:
		return !f.speaks() || f.Word == WordSucceeded && !f.telling() && !f.isOdd(t)
	case FactRefund, FactDispute:
		return !f.speaks()
	}
	return false
}

// take files one fact under the rules that it matters to.
func (e *evidence) take(f *Fact) {
	switch f.Kind {
	case FactGaveUp:
		e.gaveUp = earlier(e.gaveUp, f)
	case FactLate:
		if e.late == nil || rank(f) > rank(e.late) {
			e.late = f
		}
	case FactWord:
		if f.speaks() {
			e.word(f)
		}
	}
}

func earlier(a, b *Fact) *Fact {
	if a == nil || rank(b) < rank(a) {
		return b
	}
	return a
}

// void tells whether the decision that stands took a success or reversed word away (negative)
// or an odd or a denial (positive).
func (e *evidence) void(f *Fact, positive bool) bool {
	return e.positive == positive && e.decided(f)
}

// decided tells whether the decision that stands was made with the fact in view.
func (e *evidence) decided(f *Fact) bool { return e.d != nil && f.sawBy(e.d) }

func (e *evidence) word(f *Fact) {
	switch {
	case f.Word == WordSucceeded:
		e.success(f)
	case f.Word == WordReversed:
		e.reversed(f)
	case f.Word == WordProcessing || f.Word == WordAuthorised:
		e.busy = earlier(e.busy, f)
	case finality(f.Word) > 0 && e.isFinal(f):
		if e.final == nil || outranks(f, e.final) {
			e.final = f
		}
	}
}

func (e *evidence) success(f *Fact) {
	if e.void(f, false) {
		e.voided = true
		return
	}
	switch {
	case f.claims(&e.t):
		e.t0 = max(e.t0, f.OwnMs)
		e.claim = earlier(e.claim, f)
		e.confirmed = e.confirmed || f.Source == SourceQuery
	case f.isOdd(&e.t) && !e.void(f, true):
		e.odd = earlier(e.odd, f)
	}
}

func (e *evidence) reversed(f *Fact) {
	if e.void(f, false) {
		return
	}
	e.reversal = earlier(e.reversal, f)
	e.takenBack = e.takenBack || f.version() > e.backSaw
}

// isFinal tells whether a final word counts: a query's, or a notice's once its hold is over. Only where nobody can be asked
// is a hold made; one that is over counts on when the gateway can be asked later.
func (e *evidence) isFinal(f *Fact) bool {
	return f.Source == SourceQuery || held(e.facts, f.ID)
}

// held tells whether failure_hold has passed for a notice.
func held(facts []Fact, id int64) bool {
	for i := range facts {
		if facts[i].Kind == FactHoldOver && facts[i].Refers == id {
			return true
		}
	}
	return false
}

// outranks orders final words: later own time first, at a tie the graver word; of the same said twice the first committed.
func outranks(a, b *Fact) bool {
	return cmp.Or(cmp.Compare(a.OwnMs, b.OwnMs), cmp.Compare(finality(a.Word), finality(b.Word)), cmp.Compare(rank(b), rank(a))) > 0
}

// denials sorts the denials that stand into those before and after the latest claim.
func (e *evidence) denials() {
	for i := range e.facts {
		f := &e.facts[i]
		if !f.denies() || e.void(f, true) {
			continue
		}
		if f.OwnMs <= e.t0 {
			e.before = true
			continue
		}
		e.denied(f)
	}
}

func (e *evidence) denied(f *Fact) {
	e.after = true
	if f.version() <= e.backSaw {
		return
	}
	if e.unback == 0 || f.OwnMs < e.firstUnback {
		e.firstUnback = f.OwnMs
	}
	if e.unback == 0 || f.OwnMs > e.lastUnback {
		e.lastUnback = f.OwnMs
	}
	e.unback++
}

// deniedTwice tells whether the gateway took a success back by two denials ten minutes apart.
func (e *evidence) deniedTwice() bool {
	return e.lastUnback-e.firstUnback >= apart && !e.elsewhere()
}
