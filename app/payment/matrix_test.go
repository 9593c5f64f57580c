package payment

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/matrix.txt
var matrixText string

// cell is one line's result for one standing and one fact.
type cell struct{ standing, fact string }

// startingPoints are the standings of the matrix and the commits that lead to them.
func startingPoints() map[string]func() *world {
	with := func(t Terms, facts ...Fact) func() *world {
		return func() *world {
			w := newWorld(t)
			for _, f := range facts {
				w.commit(f)
			}
			return w
		}
	}
	return map[string]func() *world{
		"pending":               with(terms()),
		"processing":            with(terms(), notice(WordProcessing, minute)),
		"succeeded":             with(terms(), paidNotice(10*minute)),
		"succeeded late":        with(terms(), query(WordFailed, minute), paidNotice(10*minute)),
		"succeeded reversed":    with(terms(), paidNotice(10*minute), notice(WordReversed, 11*minute)),
		"failed":                with(terms(), query(WordFailed, minute)),
		"failed by a person":    with(terms(), decision(ActMarkFailed)),
		"closed/expired":        with(terms(), query(WordExpired, minute)),
		"closed/cancelled":      with(terms(), query(WordCancelled, minute)),
		"closed/abandoned":      with(terms(), gaveUp(WordPending, hour)),
		"unknown/no_answer":     with(terms(), gaveUp(WordProcessing, hour)),
		"unknown/difference":    with(terms(), notice(WordSucceeded, 10*minute).amount(9000)),
		"unknown/contradiction": with(terms(), query(WordFailed, minute), query(WordFailed, 20*minute), paidNotice(10*minute)),
		"held, no query":        with(noQuery(), notice(WordFailed, minute)),
		"failed, no query":      with(noQuery(), notice(WordFailed, minute), holdOver(1)),
	}
}

func holdOver(id int64) Fact {
	return Fact{Kind: FactHoldOver, Source: SourceTimer, Refers: id, Key: fmt.Sprintf("hold:%d", id)}
}

// matrixFacts are the columns: every word from every source, and every other kind of fact.
func matrixFacts() map[string]Fact {
	const at = 2 * hour
	m := map[string]Fact{
		"query:odd":      query(WordSucceeded, at).amount(9000),
		"notice:odd":     notice(WordSucceeded, at).amount(9000),
		"query:foreign":  query(WordSucceeded, at).amount(10000).in("USD"),
		"notice:foreign": notice(WordSucceeded, at).amount(10000).in("USD"),
		"query:blind":    query(WordSucceeded, at),
		"notice:blind":   notice(WordSucceeded, at),
		"unmapped":       unmapped(at),
		"hold_over":      holdOver(1),
		"gave_up:never":  neverHeard(at),
		"gave_up:none":   gaveUp("", at),
		"late":           {Kind: FactLate, Source: SourceNodrop, Key: "late:9", OwnMs: at},
		"order_closed":   shopClosed(at),
		"order_reopened": shopReopened(at),
	}
	for _, w := range Words() {
		q, n := query(w, at), notice(w, at)
		if w == WordSucceeded || w == WordReversed {
			q, n = q.amount(10000), n.amount(10000)
		}
		m["query:"+string(w)], m["notice:"+string(w)] = q, n
		m["hint:"+string(w)], m["report:"+string(w)] = n.hint(), n.report()
	}
	for _, w := range []Word{WordPending, WordAttemptFailed, WordProcessing, WordAuthorised, WordNotFound, WordUnreadable} {
		m["gave_up:"+string(w)] = gaveUp(w, at)
	}
	for _, s := range []string{RefundPending, RefundSucceeded, RefundFailed} {
		m["refund:"+s] = refund("re_1", s, 3000, at)
	}
	for _, s := range []string{DisputeOpen, DisputeWon, DisputeLost} {
		m["dispute:"+s] = dispute(s, 3000, at)
	}
	for _, a := range Acts() {
		m["decision:"+string(a)] = decision(a)
	}
	delete(m, "decision:mark_succeeded")
	m["decision:mark_succeeded:gateway"], m["decision:mark_succeeded:elsewhere"] = vouched(), elsewhere()
	return m
}

// readMatrix expands the lines of the file into cells.
func readMatrix(t *testing.T, columns map[string]Fact) map[cell]string {
	t.Helper()
	cells := map[cell]string{}
	for n, line := range strings.Split(matrixText, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.Split(line, "|")
		if len(part) != 3 {
			t.Fatalf("line %d: want standing | facts | result", n+1)
		}
		for name := range strings.FieldsSeq(part[1]) {
			for _, column := range expand(name, columns) {
				c := cell{strings.TrimSpace(part[0]), column}
				if _, twice := cells[c]; twice {
					t.Errorf("line %d: %v is stated twice", n+1, c)
				}
				cells[c] = strings.TrimSpace(part[2])
			}
		}
	}
	return cells
}

func expand(name string, columns map[string]Fact) []string {
	prefix, all := strings.CutSuffix(name, "*")
	if !all {
		return []string{name}
	}
	var list []string
	for column := range columns {
		if strings.HasPrefix(column, prefix) {
			list = append(list, column)
		}
	}
	return list
}

// outcome plays one cell and writes it as the file does.
func outcome(w *world, f Fact) string {
	before, told, reviews := picture(w.s), len(w.entries), reasons(w.reviews)
	if f.Act == ActUndo {
		for _, d := range w.facts {
			if d.Kind == FactDecision {
				f.Refers = d.ID
			}
		}
	}
	w.commit(f)
	var entries []string
	for _, e := range w.entries[told:] {
		entries = append(entries, strings.TrimPrefix(string(e.Type), "payment."))
	}
	if picture(w.s) == before && len(entries) == 0 && reasons(w.reviews) == reviews {
		return "same"
	}
	return strings.TrimSpace(fmt.Sprintf("%s ; %s ; %s", picture(w.s), strings.Join(entries, " "), reasons(w.reviews)))
}

// differences plays the whole matrix with given rules and lists the cells that come out otherwise than stated.
func differences(t *testing.T, r rules) []string {
	columns := matrixFacts()
	cells := readMatrix(t, columns)
	var list []string
	for name, start := range startingPoints() {
		for column, f := range columns {
			w := start()
			if !w.t.HasQuery && f.Source == SourceQuery {
				continue
			}
			w.rules = r
			want, stated := cells[cell{name, column}]
			delete(cells, cell{name, column})
			got := outcome(w, f)
			if clean := strings.ReplaceAll(got, " ;  ;", " ; ;"); !stated || clean != strings.ReplaceAll(want, " ;  ;", " ; ;") {
				list = append(list, fmt.Sprintf("%s + %s: %q, want %q", name, column, clean, want))
			}
			if w.breach != "" {
				list = append(list, fmt.Sprintf("%s + %s: %s", name, column, w.breach))
			}
		}
	}
	for c := range cells {
		list = append(list, fmt.Sprintf("%v is stated and never played", c))
	}
	return list
}

func TestMatrix(t *testing.T) {
	for _, d := range differences(t, trueRules) {
		t.Error(d)
	}
}

// Every state, cause, word, kind of fact and act has its place in the matrix.
func TestMatrixIsComplete(t *testing.T) {
	reached := map[string]bool{}
	for _, start := range startingPoints() {
		s := start().s
		reached[string(s.State)+"/"+string(s.Cause)] = true
	}
	for _, s := range States() {
		for _, c := range Causes(s) {
			if !reached[string(s)+"/"+string(c)] {
				t.Errorf("no row for %s/%s", s, c)
			}
		}
	}
	var kinds []FactKind
	var acts []Act
	for _, f := range matrixFacts() {
		kinds, acts = append(kinds, f.Kind), append(acts, f.Act)
	}
	for _, k := range FactKinds() {
		if !slices.Contains(kinds, k) {
			t.Errorf("no column for %s", k)
		}
	}
	for _, a := range Acts() {
		if !slices.Contains(acts, a) {
			t.Errorf("no column for %s", a)
		}
	}
}
