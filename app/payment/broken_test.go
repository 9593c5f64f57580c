package payment

import (
	"slices"
	"testing"
)

type stander = func(Terms, []Fact) (Standing, []Review)

// changed is Stand over facts that a broken rule would see otherwise.
func changed(change func(f *Fact, i int)) stander {
	return func(t Terms, facts []Fact) (Standing, []Review) {
		other := slices.Clone(facts)
		for i := range other {
			change(&other[i], i)
		}
		return Stand(t, other)
	}
}

// broken are rules broken on purpose, each in one way.
var broken = map[string]stander{
	"own time is the time of arrival":  changed(func(f *Fact, i int) { f.OwnMs = int64(i) * hour }),
	"a hint proves":                    changed(func(f *Fact, _ int) { f.Hint = false }),
	"a decision sees everything":       changed(func(f *Fact, _ int) { f.Saw = newestVersion }),
	"a decision sees nothing":          changed(func(f *Fact, _ int) { f.Saw = 0 }),
	"a notice's failure is a denial":   changed(func(f *Fact, _ int) { f.Source = orQuery(f) }),
	"every amount is the agreed one":   changed(func(f *Fact, _ int) { f.Amount = 10000 }),
	"money elsewhere is the gateway's": changed(func(f *Fact, _ int) { f.Basis = BasisGateway }),
	"every refund is one of its own":   changed(func(f *Fact, i int) { f.Ref += string(rune('a' + i)) }),
	"an undo undoes nothing":           changed(func(f *Fact, _ int) { f.Refers = -1 }),
	"a hold never ends":                changed(func(f *Fact, _ int) { f.Refers = -f.Refers }),
	"reversed is no word":              changed(func(f *Fact, _ int) { f.Word = unless(f.Word, WordReversed) }),
	"expired means failed":             changed(func(f *Fact, _ int) { f.Word = becomes(f.Word, WordExpired, WordFailed) }),
	"processing falls back to pending": changed(func(f *Fact, _ int) { f.Word = unless(f.Word, WordProcessing) }),
	"giving up always means abandoned": changed(givesUpWaiting),
	"an odd that came first beats all": firstOddWins,
	"the last fact alone decides":      func(t Terms, facts []Fact) (Standing, []Review) { return Stand(t, facts[max(0, len(facts)-1):]) },
	"giving up cannot be taken back":   gaveUpStays,
	"what was told decides":            lateFails,
	"reversed once is reversed for good": func(t Terms, facts []Fact) (Standing, []Review) {
		s, r := Stand(t, facts)
		s.Reversed = 0
		return s, r
	},
	"nobody is asked": func(t Terms, facts []Fact) (Standing, []Review) {
		s, _ := Stand(t, facts)
		return s, nil
	},
}

func orQuery(f *Fact) Source {
	if f.Source == SourceNotice && finality(f.Word) > 0 {
		return SourceQuery
	}
	return f.Source
}

func becomes(w, from, to Word) Word {
	if w == from {
		return to
	}
	return w
}

func unless(w, not Word) Word { return becomes(w, not, WordPending) }

func givesUpWaiting(f *Fact, _ int) {
	if f.Kind == FactGaveUp {
		f.Word = WordPending
	}
}

func firstOddWins(t Terms, facts []Fact) (Standing, []Review) {
	for i := range facts {
		if facts[i].isOdd(&t) {
			return Stand(t, facts[:i+1])
		}
		if facts[i].claims(&t) {
			break
		}
	}
	return Stand(t, facts)
}

func gaveUpStays(t Terms, facts []Fact) (Standing, []Review) {
	s, r := Stand(t, facts)
	if len(facts) > 0 && facts[0].Kind == FactGaveUp {
		s.State, s.Cause = Unknown, NoAnswer
	}
	return s, r
}

func lateFails(t Terms, facts []Fact) (Standing, []Review) {
	s, r := Stand(t, facts)
	if s.Late {
		s.State, s.Cause, s.Late = Unknown, Contradiction, false
	}
	return s, r
}

// A rule that is broken is caught by the matrix, by the model, or by both.
func TestBrokenRulesAreCaught(t *testing.T) {
	for name, stand := range broken {
		t.Run(name, func(t *testing.T) {
			if len(differences(t, stand)) > 0 {
				return
			}
			for _, m := range []*model{newModel(terms(), withQuery(), stand), newModel(noQuery(), withoutQuery(), stand)} {
				for size := 1; size <= 3; size++ {
					if m.explore(size); len(m.faults) > 0 {
						return
					}
				}
			}
			t.Error("neither the matrix nor the model noticed")
		})
	}
}

// A rule that listens to the order of arrival is caught by the model alone.
func TestOrderOfArrivalIsCaughtByTheModel(t *testing.T) {
	for _, name := range []string{"own time is the time of arrival", "an odd that came first beats all",
		"the last fact alone decides", "giving up cannot be taken back", "what was told decides"} {
		m := newModel(terms(), withQuery(), broken[name])
		for size := 1; size <= 2; size++ {
			m.explore(size)
		}
		if len(m.faults) == 0 {
			t.Errorf("%s: the model did not notice", name)
		}
	}
}
