package payment

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

// deepest is the greatest number of facts that the model can explore.
const deepest = 6

// bag is a multiset of letters: their numbers from 1, ascending, then zeros.
type bag [deepest]uint8

func (b bag) without(letter uint8) bag {
	i := slices.Index(b[:], letter)
	copy(b[i:], b[i+1:])
	b[deepest-1] = 0
	return b
}

// node is one state of the world that some orders of arrival of a bag lead to; its facts follow from the first such order.
type node struct {
	path    []uint8
	ends    uint8 // bit n: the n-th letter is the last of its commit
	late    uint8 // bit n: that commit brought a late fact too
	spare   uint8 // bit n: the n-th letter is an answer that Keep leaves out
	told    Told
	entries []said
}

// layer holds the states of all bags of one size.
type layer struct {
	bags  []bag
	nodes [][]node // by bag
	at    map[bag]int
}

// model explores the graph of (what has arrived and was told, what is still to come) with memory: two orders of arrival that
// lead to the same state go on as one. A commit brings one fact, or two or three that can come together. A plain fact that comes
// again is one that the store knows, so it leads nowhere new.
type model struct {
	t       Terms
	letters []letter
	rules   rules
	raced   bool // a decision may miss the last commit, so what that brought matters
	workers int

	layers []layer // by size; only the last three are kept

	mu     sync.Mutex
	faults map[string]bool
	used   map[string]bool // permitted differences that occurred
	states int
	moves  int
	spared int // states with an answer that Keep left out
	parted int // of these, the ones whose standing is another than with it
}

func newModel(t Terms, letters []letter, r rules) *model {
	return &model{
		t: t, letters: letters, rules: r, workers: runtime.GOMAXPROCS(0),
		raced:  slices.ContainsFunc(letters, func(l letter) bool { return l.raced }),
		layers: []layer{{[]bag{{}}, [][]node{{{}}}, map[bag]int{{}: 0}}},
		faults: map[string]bool{}, used: map[string]bool{},
	}
}

// grow explores the bags with one letter more; unless they are kept, nothing can grow on them.
func (m *model) grow(keep bool) {
	next := layer{bags: m.larger(), at: map[bag]int{}}
	next.nodes = make([][]node, len(next.bags))
	var wait sync.WaitGroup
	for n := range m.workers {
		wait.Go(func() {
			var scratch replay
			for i := n; i < len(next.bags); i += m.workers {
				found := m.fill(next.bags[i], &scratch)
				if keep {
					next.nodes[i] = found
				}
			}
		})
	}
	wait.Wait()
	for i, b := range next.bags {
		next.at[b] = i
	}
	m.layers = append(m.layers, next)
	if old := len(m.layers) - 4; old >= 0 {
		m.layers[old] = layer{}
	}
}

func (m *model) larger() []bag {
	var list []bag
	for _, b := range m.layers[len(m.layers)-1].bags {
		size, last := 0, uint8(1)
		for size < deepest && b[size] != 0 {
			last = b[size]
			size++
		}
		for l := last; int(l) <= len(m.letters); l++ {
			if size > 0 && l == last && !m.letters[l-1].person {
				continue
			}
			b[size] = l
			list = append(list, b)
		}
	}
	return list
}

// commits lists what the last commit of a bag may have brought: any letter alone, and two or three that can come together, in
// one order and in the other.
func (m *model) commits(b bag) [][]uint8 {
	var list [][]uint8
	var many []uint8
	for i, l := range b {
		if l == 0 || i > 0 && b[i-1] == l {
			continue
		}
		list = append(list, []uint8{l})
		if m.letters[l-1].together {
			many = append(many, l)
		}
	}
	for i, x := range many {
		for j, y := range many[:i] {
			list = append(list, []uint8{x, y}, []uint8{y, x})
			for _, z := range many[:j] {
				list = append(list, []uint8{x, y, z}, []uint8{z, y, x})
			}
		}
	}
	return list
}

// fill finds the states of a bag: from those of each smaller bag, by the commit that it lacks.
func (m *model) fill(b bag, scratch *replay) []node {
	f := filling{model: m, replay: scratch, seen: map[string]bool{}, groups: map[string][]*ending{}, used: map[string]bool{}}
	for _, group := range m.commits(b) {
		rest := b
		for _, l := range group {
			rest = rest.without(l)
		}
		before := &m.layers[len(m.layers)-len(group)]
		nodes := before.nodes[before.at[rest]]
		for i := range nodes {
			f.step(&nodes[i], group)
		}
	}
	for _, group := range f.groups {
		f.compare(group)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states += len(f.found)
	m.moves += f.moves
	m.spared += f.spared
	m.parted += f.parted
	for d := range f.used {
		m.used[d] = true
	}
	for _, fault := range f.faults {
		m.faults[fault] = true
	}
	return f.found
}

// filling is the work on one bag.
type filling struct {
	*model
	replay *replay
	seen   map[string]bool
	groups map[string][]*ending // by what happened
	found  []node
	faults []string
	used   map[string]bool

	moves, spared, parted int
}

// ending is what one state of a bag comes to.
type ending struct {
	at         node
	s          Standing
	entries    []said
	lateReview bool
	essence    essence
}

// step lets a commit follow on a state, and looks at what comes of it unless it is known.
func (f *filling) step(from *node, group []uint8) {
	r := f.replay
	r.again(f.model, from)
	next := node{path: append(slices.Clone(from.path), group...), ends: from.ends, late: from.late, spare: from.spare}
	last := len(next.path) - 1
	next.ends |= 1 << last
	before := r.world
	possible := false
	if next.spare, possible = r.commit(f.model, group, &next); !possible {
		return
	}
	f.moves++
	w := &r.world
	what, whole := f.identity(r, &next)
	if f.seen[string(whole)] {
		return
	}
	f.seen[string(whole)] = true
	for _, fault := range append(w.lawless(&before), w.breach, f.leftOut(r)) {
		if fault != "" {
			f.faults = append(f.faults, f.spell(&next)+": "+fault)
		}
	}
	if n := len(w.facts); n > 0 && w.facts[n-1].Kind == FactLate {
		next.late |= 1 << last
	}
	next.told, next.entries = w.told, slices.Clip(w.entries)
	f.found = append(f.found, next)
	f.groups[string(what)] = append(f.groups[string(what)], &ending{next, w.s, w.entries, lateReview(w.reviews), w.essence()})
}

// compare sees that the states of one bag in which the same happened end alike, but for the permitted differences.
func (f *filling) compare(group []*ending) {
	for i, x := range group {
		if i > 0 && x.essence != group[0].essence {
			f.faults = append(f.faults, fmt.Sprintf("%s: %+v\n%s: %+v", f.spell(&group[0].at), group[0].essence, f.spell(&x.at), x.essence))
		}
		for _, y := range group[:i] {
			for _, d := range f.unexplained(x, y) {
				f.faults = append(f.faults, f.spell(&x.at)+" and "+f.spell(&y.at)+": "+d)
			}
		}
	}
}

// spell writes a path as its commits.
func (m *model) spell(n *node) string {
	var b strings.Builder
	for i, l := range n.path {
		if i > 0 {
			b.WriteString(map[bool]string{true: ", ", false: " with "}[n.ends&(1<<(i-1)) != 0])
		}
		b.WriteString(m.letters[l-1].name)
		if n.spare&(1<<i) != 0 {
			b.WriteString(" (left out)")
		}
	}
	return b.String()
}

// bound is how many facts are explored, by kind of alphabet.
type bound struct{ core, full int }

// bounds reads NODROP_MODEL: two numbers, the facts of the core alphabet and of the full one, such as 6,5.
func bounds(t *testing.T) bound {
	b := bound{core: 5, full: 3}
	if raced || testing.Short() {
		b = bound{core: 3, full: 2}
	}
	if text := os.Getenv("NODROP_MODEL"); text != "" {
		if _, err := fmt.Sscanf(text, "%d,%d", &b.core, &b.full); err != nil || max(b.core, b.full) > deepest {
			t.Fatalf("NODROP_MODEL=%q: want two numbers of facts up to %d, such as 5,4", text, deepest)
		}
	}
	t.Logf("all multisets of up to %d facts of the core alphabets and %d of the full ones", b.core, b.full)
	return b
}

// TestModel explores every multiset of facts up to the bounds, in every order of arrival, with two or three of them in one commit or
// not, and sees that the same facts end alike but for the differences that the definition permits, that the laws hold at every step,
// and that no answer is missed which Keep leaves out. ARCHITECTURE.md has the figures of the larger run, NODROP_MODEL=5,4.
// The race detector makes each step ten times as slow, and a race between the workers shows at any size: so there it explores less.
func TestModel(t *testing.T) {
	b := bounds(t)
	defer debug.SetGCPercent(debug.SetGCPercent(300))
	used := map[string]bool{}
	for _, c := range []struct {
		name    string
		t       Terms
		letters []letter
		depth   int
	}{
		{"core, with a query", terms(), core(), b.core},
		{"core, without a query", noQuery(), coreWithoutQuery(), b.core},
		{"full, with a query", payerCreates(), full(), b.full},
		{"full, without a query", noQuery(), fullWithoutQuery(), b.full},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newModel(c.t, c.letters, trueRules)
			for size := 1; size <= c.depth && len(m.faults) == 0; size++ {
				m.grow(size < c.depth)
			}
			t.Logf("%d letters, %d states, %d commits; in %d states an answer is left out, and in %d of them that shows until the next answer",
				len(c.letters), m.states, m.moves, m.spared, m.parted)
			for i, f := range sorted(m.faults) {
				if i < 20 {
					t.Error(f)
				}
			}
			for d := range m.used {
				used[d] = true
			}
		})
	}
	for _, d := range []string{passedThrough, otherSuccess, howItEnded, followUps} {
		if !used[d] && !t.Failed() {
			t.Errorf("%s never occurred: the alphabet is too small to show it", d)
		}
	}
}

func sorted(set map[string]bool) []string {
	var list []string
	for s := range set {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}
