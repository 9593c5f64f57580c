package payment

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
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
	late    uint8 // bit n: the n-th commit brought a late fact
	told    Told
	entries []said
}

// model explores the graph of (what has arrived and was told, what is still to come) with memory: two orders of arrival that
// lead to the same state go on as one. A plain fact that comes again is one that the store knows, so it leads nowhere new.
type model struct {
	t       Terms
	letters []letter
	rules   rules
	other   bool // another payment of the order is paid and told
	workers int

	bags  []bag
	nodes [][]node // by bag
	at    map[bag]int

	mu     sync.Mutex
	faults map[string]bool
	used   map[string]bool // permitted differences that occurred
	states int
	moves  int
}

func newModel(t Terms, letters []letter, r rules) *model {
	return &model{
		t: t, letters: letters, rules: r, workers: runtime.GOMAXPROCS(0),
		bags: []bag{{}}, nodes: [][]node{{{}}}, at: map[bag]int{{}: 0},
		faults: map[string]bool{}, used: map[string]bool{},
	}
}

// grow explores the bags with one letter more; unless they are kept, nothing can grow on them.
func (m *model) grow(keep bool) {
	bags := m.larger()
	nodes := make([][]node, len(bags))
	var wait sync.WaitGroup
	for n := range m.workers {
		wait.Go(func() {
			for i := n; i < len(bags); i += m.workers {
				found := m.fill(bags[i])
				if keep {
					nodes[i] = found
				}
			}
		})
	}
	wait.Wait()
	m.bags, m.nodes, m.at = bags, nodes, map[bag]int{}
	for i, b := range bags {
		m.at[b] = i
	}
}

func (m *model) larger() []bag {
	var list []bag
	for _, b := range m.bags {
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

// fill finds the states of a bag: from those of each smaller bag, by the letter that it lacks.
func (m *model) fill(b bag) []node {
	f := filling{model: m, seen: map[string]bool{}, groups: map[string][]*ending{}, used: map[string]bool{}}
	for i, l := range b {
		if l == 0 || i > 0 && b[i-1] == l {
			continue
		}
		for _, from := range m.nodes[m.at[b.without(l)]] {
			f.step(&from, l)
		}
	}
	for _, group := range f.groups {
		f.compare(group)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states += len(f.found)
	m.moves += f.moves
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
	seen   map[string]bool
	groups map[string][]*ending // by what happened
	found  []node
	faults []string
	used   map[string]bool
	moves  int
}

// ending is what one state of a bag comes to.
type ending struct {
	path       []uint8
	s          Standing
	entries    []said
	lateReview bool
	essence    essence
}

func (f *filling) step(from *node, l uint8) {
	w := f.rebuild(from)
	fact, possible := f.letters[l-1].fact(w)
	if !possible {
		return
	}
	f.moves++
	before := *w
	w.commit(fact)
	path := append(slices.Clone(from.path), l)
	what, whole := f.identity(w, path)
	if f.seen[string(whole)] {
		return
	}
	f.seen[string(whole)] = true
	for _, fault := range append(w.lawless(&before), w.breach) {
		if fault != "" {
			f.faults = append(f.faults, f.spell(path)+": "+fault)
		}
	}
	late := from.late
	if w.facts[len(w.facts)-1].Kind == FactLate {
		late |= 1 << len(from.path)
	}
	f.found = append(f.found, node{path, late, w.told, slices.Clip(w.entries)})
	f.groups[string(what)] = append(f.groups[string(what)], &ending{path, w.s, w.entries, lateReview(w.reviews), w.essence()})
}

// rebuild is the world of a node, as good as if its facts had been committed one by one.
func (m *model) rebuild(n *node) *world {
	w := &world{t: m.t, rules: m.rules, other: m.other, version: 1, told: n.told, entries: n.entries, facts: make([]Fact, 0, 2*deepest)}
	late := 0
	for i, l := range n.path {
		f, _ := m.letters[l-1].fact(w)
		w.version++
		w.now += second
		w.store(f)
		if n.late&(1<<i) != 0 {
			late++
			w.store(Fact{Kind: FactLate, Source: SourceNodrop, Key: "late:" + strconv.Itoa(late), OwnMs: w.now, CommittedMs: w.now})
		}
	}
	return w
}

// compare sees that the states of one bag in which the same happened end alike, but for the permitted differences.
func (f *filling) compare(group []*ending) {
	for i, x := range group {
		if i > 0 && x.essence != group[0].essence {
			f.faults = append(f.faults, fmt.Sprintf("%s: %+v\n%s: %+v", f.spell(group[0].path), group[0].essence, f.spell(x.path), x.essence))
		}
		for _, y := range group[:i] {
			for _, d := range f.unexplained(x, y) {
				f.faults = append(f.faults, f.spell(x.path)+" and "+f.spell(y.path)+": "+d)
			}
		}
	}
}

func (m *model) spell(path []uint8) string {
	var names []string
	for _, l := range path {
		names = append(names, m.letters[l-1].name)
	}
	return strings.Join(names, ", ")
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

func TestModel(t *testing.T) {
	b := bounds(t)
	defer debug.SetGCPercent(debug.SetGCPercent(300))
	used := map[string]bool{}
	for _, c := range []struct {
		name    string
		t       Terms
		letters []letter
		other   bool
		depth   int
	}{
		{"core, with a query", terms(), core(), false, b.core},
		{"core, without a query", noQuery(), coreWithoutQuery(), false, b.core},
		{"full, with a query", payerCreates(), full(), false, b.full},
		{"full, without a query", noQuery(), fullWithoutQuery(), false, b.full},
		{"another payment is paid", terms(), core(), true, min(b.core, 3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newModel(c.t, c.letters, trueRules)
			m.other = c.other
			for size := 1; size <= c.depth && len(m.faults) == 0; size++ {
				m.grow(size < c.depth)
			}
			t.Logf("%d letters, %d states, %d moves", len(c.letters), m.states, m.moves)
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
