package payment

import (
	"slices"
	"strconv"
	"strings"
)

// Entry is one thing to tell the shop; its body is the standing after the commit.
type Entry struct {
	Type   EventType
	Fulfil bool // a success: carries the order's fulfil key
	Act    Act  // of a payment.decided by a person, else empty
}

// Body is the part of a standing that an entry carries.
type Body struct {
	State    State  `json:"state"`
	Cause    Cause  `json:"cause,omitempty"`
	Source   Source `json:"source,omitempty"`
	Late     bool   `json:"late,omitempty"`
	Received int64  `json:"received,omitempty"`
	Refunded int64  `json:"refunded,omitempty"`
	Disputed int64  `json:"disputed,omitempty"`
	Reversed int64  `json:"reversed,omitempty"`
}

// Body is what an entry written now would carry.
func (s Standing) Body() Body {
	return Body{s.State, s.Cause, s.Source, s.Late, s.Received, s.Refunded, s.Disputed, s.Reversed}
}

// Told sums up a payment's entries so far; it is kept with the payment as JSON.
type Told struct {
	Success       bool     `json:"success,omitempty"`        // the last entry about the state was a success
	Over          bool     `json:"over,omitempty"`           // failed, closed or reversed was told once
	Authorised    bool     `json:"authorised,omitempty"`     // was told
	Twice         bool     `json:"twice,omitempty"`          // paid elsewhere and through the gateway was told
	Seen          int64    `json:"seen,omitempty"`           // greatest ID of a fact that was judged
	Refunded      int64    `json:"refunded,omitempty"`       // minor units
	Reversed      int64    `json:"reversed,omitempty"`       // minor units
	RefundsFailed []string `json:"refunds_failed,omitempty"` // refs
	Disputes      string   `json:"disputes,omitempty"`       // refs with status and amount
	Last          Body     `json:"last,omitzero"`            // of the last entry; zero: nothing was told
}

// OrderContext is what Tell must know of the order's other payments.
type OrderContext struct {
	OtherPaidAndTold bool // another payment is paid, and its last entry about the state was a success
}

// Moved is what one commit makes of a payment.
type Moved struct {
	Standing Standing
	Reviews  []Review
	Entries  []Entry
	Told     Told
	Own      []Fact // facts that nodrop adds in the same commit: late
}

// Move judges a payment's facts, the new ones among them (each with its ID and version), in the
// right order: Stand; Late, and Stand again with its fact; Tell.
func Move(t Terms, facts []Fact, told Told, o OrderContext) Moved {
	var m Moved
	m.Standing, m.Reviews = Stand(t, facts)
	if late, due := Late(m.Standing, facts, told); due {
		m.Own = []Fact{late}
		facts = append(slices.Clip(facts), late)
		m.Standing, m.Reviews = Stand(t, facts)
	}
	m.Entries, m.Told = Tell(m.Standing, facts, told, o)
	return m
}

// Late returns the fact to be written with a success that comes after this payment was called over
// or its order closed. It must be among the facts before Tell; its ID is left to the store.
func Late(s Standing, facts []Fact, told Told) (Fact, bool) {
	if !s.Paid() || told.Success || newAct(facts, told) != "" || !told.Over && !orderClosed(facts) {
		return Fact{}, false
	}
	var newest Fact
	n := 1
	for i := range facts {
		if facts[i].Kind == FactLate {
			n++
		}
		if facts[i].Version >= newest.Version {
			newest = facts[i]
		}
	}
	return Fact{
		Kind: FactLate, Source: SourceNodrop, Key: "late:" + strconv.Itoa(n), Version: newest.Version,
		OwnMs: newest.CommittedMs, CommittedMs: newest.CommittedMs,
	}, true
}

// orderClosed tells whether the shop's last word is that the order is closed.
func orderClosed(facts []Fact) bool {
	var last *Fact
	for i := range facts {
		f := &facts[i]
		if (f.Kind == FactClosed || f.Kind == FactReopened) && (last == nil || rank(f) > rank(last)) {
			last = f
		}
	}
	return last != nil && last.Kind == FactClosed
}

// newAct is the act of the last decision that was not judged yet and that the shop may have to hear of.
func newAct(facts []Fact, told Told) Act {
	var last *Fact
	for i := range facts {
		f := &facts[i]
		if f.Kind == FactDecision && rank(f) > told.Seen && !silent(facts, f) && (last == nil || rank(f) > rank(last)) {
			last = f
		}
	}
	if last == nil {
		return ""
	}
	return last.Act
}

// silent tells whether a decision, or the one that it undoes, is of no concern to the shop.
func silent(facts []Fact, d *Fact) bool {
	act := d.Act
	if act == ActUndo {
		act = ActNote
		for i := range facts {
			if facts[i].Kind == FactDecision && facts[i].ID == d.Refers {
				act = facts[i].Act
			}
		}
	}
	return act == ActNote || act == ActIgnore || act == ActRefundProof
}

// teller writes the entries of one commit.
type teller struct {
	evidence
	told    Told
	next    Told
	act     Act // a person's, new in this commit
	other   bool
	entries []Entry
}

// Tell says what the shop must hear of a standing, given what it was told so far. A late fact that is due
// (see Late) must be among the facts and in the standing. The next Told is to be kept whether or not there are entries.
func Tell(s Standing, facts []Fact, told Told, o OrderContext) ([]Entry, Told) {
	w := teller{told: told, next: told, act: newAct(facts, told), other: o.OtherPaidAndTold}
	w.s, w.facts = s, facts
	for i := range facts {
		w.next.Seen = max(w.next.Seen, facts[i].ID)
	}
	w.state()
	if s.Settled() {
		w.money()
	}
	w.rest()
	return w.entries, w.next
}

func (w *teller) add(e EventType) {
	w.entries = append(w.entries, Entry{Type: e})
	w.next.Last = w.s.Body()
}

// state tells what became of the payment.
func (w *teller) state() {
	switch {
	case w.s.State == Succeeded:
		w.success()
	case w.told.Success:
		w.add(EventReversed)
		w.next.Success, w.next.Over = false, true
	case w.s.Settled():
		w.outcome()
	}
	if w.s.State == Processing && !w.told.Authorised && w.authorised() {
		w.add(EventAuthorised)
		w.next.Authorised = true
	}
}

func (w *teller) success() {
	if !w.s.Paid() || w.told.Success {
		return
	}
	kind := EventSucceeded
	switch {
	case w.other:
		kind = EventDuplicate
	case w.s.Late && w.act == "":
		kind = EventSucceededLate
	}
	w.add(kind)
	w.entries[len(w.entries)-1].Fulfil = true
	w.next.Success = true
}

// outcome tells a new failed, closed or unknown.
func (w *teller) outcome() {
	last := w.told.Last
	if last.State == w.s.State && last.Cause == w.s.Cause {
		return
	}
	w.add(w.outcomeType())
	w.next.Over = w.next.Over || w.s.State != Unknown
}

func (w *teller) outcomeType() EventType {
	switch w.s.State {
	case Failed:
		return EventFailed
	case Closed:
		return EventClosed
	}
	return EventUnknown
}

func (w *teller) authorised() bool {
	for i := range w.facts {
		if w.facts[i].says(WordAuthorised) {
			return true
		}
	}
	return false
}

// money tells what came twice, went back or is disputed.
func (w *teller) money() {
	w.twice()
	w.refunds()
	if now := w.disputeWords(); now != w.told.Disputes {
		w.add(EventDisputed)
		w.next.Disputes = now
	}
	if w.s.Reversed > w.told.Reversed || w.undoneSuccess() && w.s.Reversed > 0 {
		w.add(EventReversed)
		w.next.Over = true
		w.next.Success = w.next.Success && w.s.Paid()
	}
	w.next.Reversed = w.s.Reversed
}

// undoneSuccess: a success that is heard of only now and of which nothing is left.
func (w *teller) undoneSuccess() bool {
	return w.s.State == Succeeded && !w.s.Paid() && w.told.Last.State != Succeeded
}

// twice tells once that the gateway was paid beside another way.
func (w *teller) twice() {
	both := w.s.both() > 0
	if both && !w.told.Twice && w.next.Success && !w.has(EventDuplicate) {
		w.add(EventDuplicate)
		w.entries[len(w.entries)-1].Fulfil = true
	}
	w.next.Twice = both && (w.told.Twice || w.next.Success)
}

func (w *teller) has(e EventType) bool {
	return slices.ContainsFunc(w.entries, func(x Entry) bool { return x.Type == e })
}

func (w *teller) refunds() {
	failed := w.failedRefunds()
	more := slices.ContainsFunc(failed, func(ref string) bool { return !slices.Contains(w.told.RefundsFailed, ref) })
	news := w.s.Refunded > w.told.Refunded || w.s.Refunded < w.told.Refunded && !more
	if news || w.undoneSuccess() && w.s.Refunded > 0 {
		w.add(EventRefunded)
	}
	if more {
		w.add(EventRefundFailed)
	}
	w.next.Refunded, w.next.RefundsFailed = w.s.Refunded, failed
}

// failedRefunds lists the refs of the refunds whose latest word is failed.
func (w *teller) failedRefunds() []string {
	var refs []string
	for i := range w.facts {
		f := &w.facts[i]
		if f.Kind == FactRefund && f.Status == RefundFailed && w.isLatest(i, newestVersion) && !slices.Contains(refs, f.Ref) {
			refs = append(refs, f.Ref)
		}
	}
	slices.Sort(refs)
	return refs
}

// disputeWords is one text for the latest words of all disputes, alike for every order of arrival.
func (w *teller) disputeWords() string {
	var words []string
	for i := range w.facts {
		f := &w.facts[i]
		if f.Kind == FactDispute && w.isLatest(i, newestVersion) {
			words = append(words, f.Ref+" "+f.Status+" "+strconv.FormatInt(f.Amount, 10))
		}
	}
	slices.Sort(words)
	return strings.Join(words, "; ")
}

// rest sees that the last entry carries the standing when nothing above did.
func (w *teller) rest() {
	if len(w.entries) > 0 {
		return
	}
	last := w.told.Last
	if !w.s.Settled() {
		if w.act != "" && last != (Body{}) && last.State != w.s.State {
			w.decided()
		}
		return
	}
	changed := last != w.s.Body()
	switch {
	case changed && (w.act != "" || w.s.State == Succeeded):
		w.decided()
	case changed:
		w.add(w.outcomeType())
	case w.act == ActFulfil || w.act == ActRefund || w.act == ActKeepBoth || w.act == ActUndo:
		w.decided()
	}
}

func (w *teller) decided() {
	w.add(EventDecided)
	w.entries[len(w.entries)-1].Act = w.act
}
