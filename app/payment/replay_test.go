package payment

import (
	"fmt"
	"slices"
	"strconv"
)

// replay is the world of a node, as good as if its facts had been committed one by one, and beside it what the store holds if it
// leaves out every answer that it may.
type replay struct {
	world
	lean []Fact
	last Fact // the answer to the last question
	out  Fact // the last answer that was left out; one that says how the payment ended counts most
}

// again leads to the state of a node.
func (r *replay) again(m *model, n *node) {
	r.world = world{t: m.t, rules: m.rules, version: 1, told: n.told, entries: n.entries, facts: r.facts[:0]}
	r.lean, r.last, r.out = r.lean[:0], Fact{}, Fact{}
	late, begin := 0, true
	for i, l := range n.path {
		if event := m.letters[l-1].sibling; event != nil {
			event(&r.world)
			continue
		}
		f, _ := m.letters[l-1].fact(&r.world)
		if begin {
			r.version++
			r.now += second
		}
		r.store(f)
		r.note(r.facts[len(r.facts)-1], n.spare&(1<<i) != 0)
		if begin = n.ends&(1<<i) != 0; n.late&(1<<i) != 0 {
			late++
			r.store(Fact{Kind: FactLate, Source: SourceNodrop, Key: "late:" + strconv.Itoa(late), OwnMs: r.now, CommittedMs: r.now})
			r.note(r.facts[len(r.facts)-1], false)
		}
	}
}

// note files a fact that came.
func (r *replay) note(f Fact, spare bool) {
	if spare && (settles(f.Word) || !settles(r.out.Word)) {
		r.out = f
	}
	if !spare {
		r.lean = append(r.lean, f)
	}
	r.answered(f)
}

// answered keeps the answer to the last question, as the engine does.
func (r *replay) answered(f Fact) {
	if f.Kind == FactWord && f.Source == SourceQuery && f.OwnMs >= r.last.OwnMs {
		r.last = f
	}
}

// commit lets a group of letters happen in one commit and returns which letters are left out by now; false: it cannot happen.
func (r *replay) commit(m *model, group []uint8, next *node) (spare uint8, possible bool) {
	spare = next.spare
	if event := m.letters[group[0]-1].sibling; event != nil {
		possible = event(&r.world)
		r.s, r.reviews = r.rules.stand(r.t, r.facts)
		return spare, possible
	}
	facts := make([]Fact, len(group))
	for i, l := range group {
		if facts[i], possible = m.letters[l-1].fact(&r.world); !possible {
			return spare, false
		}
	}
	asked := AskState{LastAnswer: r.last.Word, LastAnsweredMs: r.last.OwnMs}
	known := len(r.facts)
	r.world.commit(facts...)
	first := len(next.path) - len(group)
	for i, f := range r.facts[known:] {
		out := i < len(group) && !r.rules.keep(r.t, r.lean, asked, f)
		if out {
			spare |= 1 << (first + i)
		}
		r.note(f, out)
	}
	return spare, true
}

// leftOut sees that an answer which Keep leaves out is not missed: what follows comes to the same without it, or else somebody is
// asked, and when the gateway says the same once more that is kept and all is as if nothing had been left out. Beside a decision
// only the standing must be alike, for nobody is asked anew about an answer that was left out; and money that went back is at no risk.
func (f *filling) leftOut(r *replay) string {
	if len(r.lean) == len(r.facts) {
		return ""
	}
	f.spared++
	with, without := r.upshot(r.facts), r.upshot(r.lean)
	if with.standing == without.standing && (with.reviews == without.reviews || r.acts() > 0) {
		return ""
	}
	f.parted++
	if without.asked == 0 && without.reviews == "" && without.left > 0 {
		return fmt.Sprintf("with what was left out %+v, without %+v, and nobody is asked", with, without)
	}
	more := r.out
	more.OwnMs, more.ID, more.Version = 50*hour, int64(len(r.facts)+1), r.version+1
	if !r.rules.keep(r.t, r.lean, AskState{LastAnswer: more.Word}, more) {
		return fmt.Sprintf("with what was left out %+v, without %+v, and the next answer would be left out too", with, without)
	}
	with, without = r.upshot(append(slices.Clip(r.facts), more)), r.upshot(append(slices.Clip(r.lean), more))
	if with.standing != without.standing || with.reviews != without.reviews {
		return fmt.Sprintf("with what was left out and answered again %+v, without %+v", with, without)
	}
	return ""
}

// upshot is what facts amount to, but for lateness.
type upshot struct {
	standing, reviews string
	asked, left       int64
}

func (r *replay) upshot(facts []Fact) upshot {
	s, reviews := r.rules.stand(r.t, facts)
	o := upshot{left: s.Left()}
	if late, due := r.rules.late(s, facts, r.told); due {
		facts = append(slices.Clip(facts), late)
	}
	o.asked = Ask(r.t, facts, AskState{}, r.now).AskAtMs
	s.Late = false
	o.standing = picture(s)
	o.reviews = reasons(slices.DeleteFunc(reviews, func(x Review) bool { return x.Reason == ReasonLate }))
	return o
}
