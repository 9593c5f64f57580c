package payment

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// letter is one fact of the model's alphabet; it may be impossible before others have come.
type letter struct {
	name string
	fact func(w *world) (Fact, bool)
}

func plain(name string, f Fact) letter {
	return letter{name, func(*world) (Fact, bool) { return f, true }}
}

// act is a person's decision who has seen everything but the last `behind` commits; its own time does not depend on the order.
func act(name string, f Fact, behind int64) letter {
	return letter{name, func(w *world) (Fact, bool) {
		f.OwnMs, f.Saw = 40*minute, w.version-behind
		return f, w.version > behind
	}}
}

// undoing undoes the last decision that stands.
func undoing() letter {
	return letter{"undo", func(w *world) (Fact, bool) {
		for i := len(w.facts) - 1; i >= 0; i-- {
			if f := &w.facts[i]; f.Kind == FactDecision && f.Act != ActUndo && !undone(w.facts, f) {
				u := undo(f.ID)
				u.OwnMs = 41 * minute
				return u, true
			}
		}
		return Fact{}, false
	}}
}

// holding ends the hold of the failed notice, which must have come.
func holding() letter {
	return letter{"hold_over", func(w *world) (Fact, bool) {
		for i := range w.facts {
			if w.facts[i].says(WordFailed) && w.facts[i].Source == SourceNotice {
				return holdOver(w.facts[i].ID), true
			}
		}
		return Fact{}, false
	}}
}

// common are the letters for gateways with and without a query.
func common() []letter {
	return []letter{
		plain("n+", paidNotice(10*minute)),
		plain("n90", notice(WordSucceeded, 11*minute).amount(9000)),
		plain("n-", notice(WordFailed, 8*minute)),
		plain("n~", notice(WordAuthorised, 3*minute)),
		plain("n<", notice(WordReversed, 30*minute)),
		plain("hint", paidNotice(32*minute).hint()),
		plain("r30", refund("re_1", RefundSucceeded, 3000, 15*minute)),
		plain("r30-", refund("re_1", RefundFailed, 3000, 16*minute)),
		plain("r100", refund("re_2", RefundSucceeded, 10000, 17*minute)),
		plain("d?", dispute(DisputeOpen, 4000, 18*minute)),
		plain("d-", dispute(DisputeLost, 10000, 19*minute)),
		plain("unmapped", unmapped(9*minute)),
		plain("closed", shopClosed(35*minute)),
		act("fail", decision(ActMarkFailed), 0),
		act("fail raced", decision(ActMarkFailed), 1),
		act("accept", decision(ActAccept), 0),
		act("cash", elsewhere(), 0),
		act("cash raced", elsewhere(), 1),
		act("back", decision(ActMoneyBack), 0),
		act("refund", decision(ActRefund).amount(10000), 0),
		act("fulfil", decision(ActFulfil), 0),
		undoing(),
	}
}

func withQuery() []letter {
	return append(common(),
		plain("q+", paidQuery(20*minute)),
		plain("q90", query(WordSucceeded, 21*minute).amount(9000)),
		plain("q-5", query(WordFailed, 5*minute)),
		plain("q-25", query(WordFailed, 25*minute)),
		plain("q-36", query(WordCancelled, 36*minute)),
		plain("q?", query(WordPending, 22*minute)),
		plain("gave up ?", gaveUp(WordPending, 48*hour)),
		plain("gave up ~", gaveUp(WordProcessing, 48*hour)),
	)
}

func withoutQuery() []letter {
	return append(common(), plain("nx", notice(WordExpired, 8*minute)), holding(), plain("gave up", gaveUp("", 48*hour)))
}

// model plays every order of arrival of every multiset of letters.
type model struct {
	t       Terms
	letters []letter
	stand   func(Terms, []Fact) (Standing, []Review)
	groups  map[string]*world // of one multiset: what happened → the first order that it was seen in
	faults  map[string]bool
	orders  int
	used    map[string]bool // permitted differences that occurred
}

func newModel(t Terms, letters []letter, stand func(Terms, []Fact) (Standing, []Review)) *model {
	return &model{t: t, letters: letters, stand: stand, faults: map[string]bool{}, used: map[string]bool{}}
}

// explore takes every multiset of the given size.
func (m *model) explore(size int) {
	counts := make([]int, len(m.letters))
	m.choose(counts, 0, size)
}

func (m *model) choose(counts []int, from, left int) {
	if left == 0 {
		m.groups = map[string]*world{}
		w := newWorld(m.t)
		w.stand = m.stand
		m.arrange(w, counts, nil)
		return
	}
	for i := from; i < len(counts); i++ {
		counts[i]++
		m.choose(counts, i, left-1)
		counts[i]--
	}
}

// arrange lets what is left of a multiset arrive in every order.
func (m *model) arrange(w *world, counts []int, path []int) {
	done := true
	for i := range counts {
		if counts[i] == 0 {
			continue
		}
		done = false
		f, possible := m.letters[i].fact(w)
		if !possible {
			continue
		}
		f.Reason = m.letters[i].name
		next := w.clone()
		next.commit(f)
		counts[i]--
		m.arrange(next, counts, append(slices.Clip(path), i))
		counts[i]++
	}
	if done {
		m.orders++
		m.judge(w, path)
	}
}

// what names what happened, but for the order of arrival: the facts, what each decision saw and which decision came
// after which, and which gave_up was first.
func what(w *world) string {
	var base, acts []string
	first := ""
	for _, f := range w.facts {
		switch f.Kind {
		case FactLate:
		case FactDecision:
			acts = append(acts, f.Reason+sawNames(w, &f))
		default:
			base = append(base, f.Reason)
			if f.Kind == FactGaveUp && first == "" {
				first = f.Reason
			}
		}
	}
	slices.Sort(base)
	return strings.Join(base, ",") + "|" + strings.Join(acts, ",") + "|" + first
}

// sawNames says what a decision saw, and for an undo which decision it is about.
func sawNames(w *world, d *Fact) string {
	var names []string
	target := 0
	for i := range w.facts {
		f := &w.facts[i]
		if f.Kind == FactDecision && f.ID <= d.Refers {
			target++
		}
		if f.Version <= d.Saw && f.Kind != FactLate {
			names = append(names, f.Reason)
		}
	}
	slices.Sort(names)
	return "{" + strings.Join(names, " ") + "}" + strconv.Itoa(target)
}

// essence is what must come out alike in every order: standing, paid, safe to charge again, money told and reviews; that
// the last entry carries the standing is a law of every commit. Left out: late and its review, and the source, which says who came first.
type essence struct {
	standing   Standing
	paid, safe bool
	reviews    string
	refunded   int64
	failed     string
	disputes   string
}

func (w *world) essence() essence {
	order, _ := StandOrder(parts(w), OrderFlags{})
	e := essence{standing: w.s, paid: order.Paid, safe: order.SafeToChargeAgain}
	e.standing.Late, e.standing.Source = false, ""
	e.reviews = reasons(slices.DeleteFunc(slices.Clone(w.reviews), func(r Review) bool { return r.Reason == ReasonLate }))
	if w.s.Settled() {
		e.refunded, e.failed, e.disputes = w.told.Refunded, strings.Join(w.told.RefundsFailed, " "), w.told.Disputes
	}
	return e
}

func (m *model) judge(w *world, path []int) {
	if w.breach != "" {
		m.faults[m.spell(path)+": "+w.breach] = true
		return
	}
	key := what(w)
	known, ok := m.groups[key]
	if !ok {
		m.groups[key] = w
		return
	}
	if a, b := known.essence(), w.essence(); a != b {
		m.faults[fmt.Sprintf("%s: %+v, in another order %+v", m.spell(path), b, a)] = true
	}
	for _, d := range m.unexplained(known, w) {
		m.faults[m.spell(path)+": "+d] = true
	}
}

func (m *model) spell(path []int) string {
	var names []string
	for _, i := range path {
		names = append(names, m.letters[i].name)
	}
	return strings.Join(names, ", ")
}

// The ways in which two orders of arrival may differ in what was told.
const (
	passedThrough = "(a) entries for standings that were passed through or never held"
	otherSuccess  = "(b) succeeded, succeeded_late or duplicate"
	howItEnded    = "(c) reversed or unknown for a contradiction"
	followUps     = "(d) the reviews and fulfil keys that follow from these"
)

// unexplained lists the types of entries that only one of two orders told and that no permitted difference explains.
func (m *model) unexplained(x, y *world) []string {
	var list []string
	for _, pair := range [][2]*world{{x, y}, {y, x}} {
		for i, e := range pair[0].entries {
			if pair[1].tells(e.Type) {
				continue
			}
			why := permitted(e, i, pair[0], pair[1])
			m.used[why] = true
			if why == "" {
				list = append(list, fmt.Sprintf("%s is told in only one of %q and %q", e.Type, x.types(), y.types()))
			}
		}
	}
	if lateReview(x) != lateReview(y) {
		m.used[followUps] = true
		if x.s.Late == y.s.Late {
			list = append(list, "the review for late differs though both or none are late")
		}
	}
	return list
}

func lateReview(w *world) bool {
	return slices.ContainsFunc(w.reviews, func(r Review) bool { return r.Reason == ReasonLate })
}

func (w *world) tells(kinds ...EventType) bool {
	return slices.ContainsFunc(w.entries, func(e said) bool { return slices.Contains(kinds, e.Type) })
}

// permitted names the difference that explains an entry which the other order lacks. Where one order passed through a success
// that was told, its end is told as reversed, and a standing that follows a passed one with nothing of its own to tell, as decided.
func permitted(e said, i int, in, other *world) string {
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

// depth is the greatest multiset that is explored; NODROP_MODEL=5 takes some minutes.
func depth(t *testing.T) int {
	n, err := strconv.Atoi(os.Getenv("NODROP_MODEL"))
	if err != nil {
		return 3
	}
	t.Logf("exploring multisets of up to %d facts", n)
	return n
}

func TestModel(t *testing.T) {
	used := map[string]bool{}
	for name, m := range map[string]*model{
		"with a query": newModel(terms(), withQuery(), Stand), "without a query": newModel(noQuery(), withoutQuery(), Stand),
	} {
		t.Run(name, func(t *testing.T) {
			for size := 1; size <= depth(t) && len(m.faults) == 0; size++ {
				m.explore(size)
			}
			shown := 0
			for f := range m.faults {
				if shown++; shown <= 20 {
					t.Error(f)
				}
			}
			t.Logf("%d orders of arrival, %d faults", m.orders, len(m.faults))
			maps.Copy(used, m.used)
		})
	}
	for _, d := range []string{passedThrough, otherSuccess, howItEnded, followUps} {
		if !used[d] {
			t.Errorf("%s never occurred: the alphabet is too small to show it", d)
		}
	}
}
