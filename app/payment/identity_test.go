package payment

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// identity names a state of the model. What happened, whatever the order: the facts, what each decision saw, which came after which
// and which one an undo is about, the first gave_up, and what became of another payment. The whole adds what the future depends on:
// who came first where that gives the source, which decisions saw the late success, what the last commit brought where a decision
// may miss it, which answers were left out and which was the last, what was told, and the standing itself.
func (m *model) identity(r *replay, n *node) (what, whole []byte) {
	var plain, spare, newest uint64
	var acts []byte
	var firsts [4][]byte
	var gaveUp, last uint8
	w, path := &r.world, n.path
	if w.sibling != nil {
		path = slices.DeleteFunc(slices.Clone(path), func(l uint8) bool { return m.letters[l-1].sibling != nil })
	}
	at := 0
	for i := range w.facts {
		f := &w.facts[i]
		if f.Kind == FactLate {
			continue
		}
		l := path[at]
		at++
		if f.Version == w.version {
			newest |= 1 << l
		}
		switch {
		case f.Kind == FactDecision:
			acts = append(append(acts, l), sight(w, path, f)...)
			continue
		case f.Kind == FactGaveUp && gaveUp == 0:
			gaveUp = l
		}
		plain |= 1 << l
		rival := contest(f, &w.t)
		firsts[rival] = append(firsts[rival], l)
		if f.ID == r.last.ID {
			last = l
		}
	}
	for i, l := range n.path {
		if n.spare&(1<<i) != 0 {
			spare |= 1 << l
		}
	}
	what = append(binary.LittleEndian.AppendUint64(nil, plain), gaveUp, flag(w.sibling != nil), flag(w.other))
	what = append(what, acts...)
	whole = append(slices.Clone(what), '|', last)
	whole = binary.LittleEndian.AppendUint64(whole, spare)
	if m.raced {
		whole = binary.LittleEndian.AppendUint64(whole, newest)
	}
	for _, order := range firsts[1:] {
		whole = append(append(whole, order...), '|')
	}
	whole = append(whole, lateSeen(w)...)
	return what, w.history(whole)
}

// contest groups the facts of which the first to come gives the source.
func contest(f *Fact, t *Terms) int {
	switch {
	case f.claims(t) || f.says(WordReversed):
		return 1
	case f.isOdd(t):
		return 2
	case f.says(WordProcessing) || f.says(WordAuthorised):
		return 3
	}
	return 0
}

// sight is what a decision saw, and which decision an undo is about.
func sight(w *world, path []uint8, d *Fact) []byte {
	var plain uint64
	var decisions, target uint8
	n := 0
	for i := range w.facts {
		f := &w.facts[i]
		if f.Kind == FactLate {
			continue
		}
		l := path[n]
		n++
		if f.Kind == FactDecision && f.ID <= d.Refers {
			target++
		}
		if f.Version > d.Saw {
			continue
		}
		if f.Kind == FactDecision {
			decisions++
		} else {
			plain |= 1 << l
		}
	}
	return append(binary.LittleEndian.AppendUint64(nil, plain), decisions, target)
}

// lateSeen says of each decision whether it saw the last late fact.
func lateSeen(w *world) []byte {
	var list []byte
	for i := range w.facts {
		if w.facts[i].Kind != FactLate {
			continue
		}
		list = []byte{'l'}
		for j := range w.facts {
			if d := &w.facts[j]; d.Kind == FactDecision {
				list = append(list, flag(d.Saw >= w.facts[i].Version))
			}
		}
	}
	return list
}

func flag(is bool) byte {
	if is {
		return '+'
	}
	return '-'
}

// history appends what was told, the standing and the reviews.
func (w *world) history(b []byte) []byte {
	t := &w.told
	b = append(b, flag(t.Success), flag(t.Over), flag(t.Authorised), flag(t.Twice))
	b = binary.AppendVarint(binary.AppendVarint(b, t.Refunded), t.Reversed)
	for _, ref := range t.RefundsFailed {
		b = append(b, ref...)
	}
	b = t.Last.append(append(b, t.Disputes...))
	for i := range w.entries {
		e := &w.entries[i]
		b = append(append(append(b, '|'), e.Type...), e.Act...)
		b = e.Body.append(append(b, flag(e.Fulfil)))
	}
	b = w.s.Body().append(append(b, '#'))
	for _, r := range w.reviews {
		b = binary.AppendVarint(append(b, r.Reason...), r.AtRisk)
	}
	return b
}

func (y Body) append(b []byte) []byte {
	b = append(append(append(append(b, y.State...), y.Cause...), y.Source...), flag(y.Late))
	for _, n := range []int64{y.Received, y.Refunded, y.Disputed, y.Reversed} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

// essence is what must come out alike in every order: standing, paid, safe to charge again, money told and reviews; that
// the last entry carries the standing is a law of every commit. Left out: late and its review, and the source, which says who came first.
type essence struct {
	standing   Standing
	paid, safe bool
	twice      bool // a person is asked about two paid payments
	reviews    string
	refunded   int64
	failed     string
	disputes   string
}

func (w *world) essence() essence {
	all := parts(w)
	if w.sibling != nil {
		all = append(all, OrderPart{PaymentID: "pay_2", Currency: "PHP", Standing: *w.sibling})
	}
	order, twice := StandOrder(all, OrderFlags{})
	e := essence{standing: w.s, paid: order.Paid, safe: order.SafeToChargeAgain}
	e.standing.Late, e.standing.Source = false, ""
	e.twice = len(twice) > 0
	e.reviews = reasons(slices.DeleteFunc(slices.Clone(w.reviews), func(r Review) bool { return r.Reason == ReasonLate }))
	if w.s.Settled() {
		e.refunded, e.failed, e.disputes = w.told.Refunded, strings.Join(w.told.RefundsFailed, " "), w.told.Disputes
	}
	return e
}

// The ways in which two orders of arrival may differ in what was told.
const (
	passedThrough = "(a) entries for standings that were passed through or never held"
	otherSuccess  = "(b) succeeded, succeeded_late or duplicate"
	howItEnded    = "(c) reversed or unknown for a contradiction"
	followUps     = "(d) the reviews and fulfil keys that follow from these"
)

// unexplained lists the types of entries that only one of two orders told and that no permitted difference explains.
func (f *filling) unexplained(x, y *ending) []string {
	var list []string
	for _, pair := range [2][2]*ending{{x, y}, {y, x}} {
		for i, e := range pair[0].entries {
			if pair[1].tells(e.Type) {
				continue
			}
			why := permitted(e, i, pair[0], pair[1])
			f.used[why] = true
			if why == "" {
				list = append(list, fmt.Sprintf("%s is told in only one of %q and %q", e.Type, toldTypes(x.entries), toldTypes(y.entries)))
			}
		}
	}
	if x.lateReview != y.lateReview {
		f.used[followUps] = true
		if x.s.Late == y.s.Late {
			list = append(list, "the review for late differs though both or none are late")
		}
	}
	return list
}

func lateReview(reviews []Review) bool {
	return slices.ContainsFunc(reviews, func(r Review) bool { return r.Reason == ReasonLate })
}

func (x *ending) tells(kinds ...EventType) bool {
	return slices.ContainsFunc(x.entries, func(e said) bool { return slices.Contains(kinds, e.Type) })
}

// permitted names the difference that explains an entry which the other order lacks. Where one order passed through a success
// that was told, its end is told as reversed, and a standing that follows a passed one with nothing of its own to tell, as decided.
func permitted(e said, i int, in, other *ending) string {
	final := in.s.Body()
	final.Late, final.Source = e.Body.Late, e.Body.Source
	over := in.s.State != Succeeded
	ends := []EventType{EventFailed, EventClosed, EventUnknown}
	switch {
	case e.Body != final || e.Type == EventDecided && i > 0:
		return passedThrough
	case e.Fulfil && other.tells(EventSucceeded, EventSucceededLate, EventDuplicate):
		return otherSuccess
	case in.s.Cause == Contradiction && other.tells(EventReversed, EventUnknown):
		return howItEnded
	case over && e.Type == EventReversed && slices.ContainsFunc(in.entries[:i], func(x said) bool { return x.Fulfil }):
		return passedThrough
	case over && slices.Contains(ends, e.Type) && other.tells(EventReversed):
		return passedThrough
	}
	return ""
}
