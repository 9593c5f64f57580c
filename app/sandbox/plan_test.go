package sandbox

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func mustPlan(t *testing.T, o Options) []Plan {
	t.Helper()
	plans, err := MakePlan(o)
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

func TestPlanIsDeterminedByTheSeed(t *testing.T) {
	a, b := mustPlan(t, Options{Payments: 200, Seed: 7}), mustPlan(t, Options{Payments: 200, Seed: 7})
	if !reflect.DeepEqual(a, b) {
		t.Error("the same seed drew two plans")
	}
	if c := mustPlan(t, Options{Payments: 200, Seed: 8}); reflect.DeepEqual(a, c) {
		t.Error("another seed drew the same plan")
	}
}

func TestPlanHoldsEveryStory(t *testing.T) {
	for seed := range uint64(20) {
		count := map[string]int{}
		for _, p := range mustPlan(t, Options{Payments: 200, Seed: seed}) {
			count[p.Story.Name]++
		}
		for _, s := range stories {
			if count[s.Name] == 0 {
				t.Errorf("seed %d: the story %s never comes up", seed, s.Name)
			}
		}
		if count["paid"] < 15 {
			t.Errorf("seed %d: only %d plain payments of 200", seed, count["paid"])
		}
	}
}

func TestPlanIsWhole(t *testing.T) {
	for n := 1; n <= 70; n++ {
		plans := mustPlan(t, Options{Payments: n, Seed: uint64(n), Spread: time.Second})
		if len(plans) != n {
			t.Fatalf("%d payments were asked for, %d planned", n, len(plans))
		}
		refs := map[string]bool{}
		for i, p := range plans {
			if refs[p.Ref] || p.Index != i {
				t.Errorf("n=%d: %s at %d is not unique or out of place", n, p.Ref, p.Index)
			}
			refs[p.Ref] = true
			if p.Amount <= 0 || p.At < 0 || p.At > time.Second {
				t.Errorf("n=%d: amount %d at %v", n, p.Amount, p.At)
			}
			if p.Story.Second != "" && (i+1 == len(plans) || plans[i+1].Order != p.Order || plans[i+1].SecondOf != i || plans[i+1].Amount != p.Amount) {
				t.Errorf("n=%d: the second payment of order %s does not follow", n, p.Order)
			}
		}
	}
}

func TestPlanKeepsToChosenStories(t *testing.T) {
	for _, p := range mustPlan(t, Options{Payments: 9, Stories: []string{"lost", "paid_twice"}}) {
		if name := p.Story.Name; name != "lost" && name != "paid_twice" && name != "paid_again" && p.Index < 8 {
			t.Errorf("story %s was not chosen", name)
		}
	}
	for _, name := range []string{"nonsense", "retry"} {
		if _, err := MakePlan(Options{Payments: 1, Stories: []string{name}}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("story %q: error %v, want one that names it", name, err)
		}
	}
}

// Every story must say what is right, and no two followers may be drawn alone.
func TestStoriesAreStated(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range stories {
		if s.Label == "" || len(s.Right) == 0 || seen[s.Name] {
			t.Errorf("story %q: label %q, right ends %v, or its name comes twice", s.Name, s.Label, s.Right)
		}
		seen[s.Name] = true
		if next, ok := StoryByName(s.Second); s.Second != "" && (!ok || !next.follower) {
			t.Errorf("story %q: its second %q is no follower", s.Name, s.Second)
		}
	}
}

func TestQueryFaults(t *testing.T) {
	cases := []struct {
		fault queryFault
		n     int
		age   time.Duration
		want  string
	}{
		{queryFault{}, 0, 0, answerOK},
		{queryFault{First: []string{answerHTML, answerFailing}}, 0, 0, answerHTML},
		{queryFault{First: []string{answerHTML, answerFailing}}, 1, 0, answerFailing},
		{queryFault{First: []string{answerHTML, answerFailing}}, 2, 0, answerOK},
		{queryFault{Forever: []string{answerTimeout, answerFailing}}, 5, time.Hour, answerFailing},
		{queryFault{NotFoundFor: time.Second}, 3, 999 * ms, answerNotFound},
		{queryFault{NotFoundFor: time.Second}, 3, time.Second, answerOK},
	}
	for _, c := range cases {
		if got := c.fault.class(c.n, c.age); got != c.want {
			t.Errorf("%+v, answer %d after %v: %q, want %q", c.fault, c.n, c.age, got, c.want)
		}
	}
}

func TestMoney(t *testing.T) {
	cases := []struct {
		minor          int64
		currency, text string
	}{
		{125050, "PHP", "1250.50"}, {5, "PHP", "0.05"}, {0, "PHP", "0.00"}, {-125, "PHP", "-1.25"}, {1250, "JPY", "1250"}, {1250, "KWD", "1.250"},
	}
	for _, c := range cases {
		if got := decimal(c.minor, c.currency); got != c.text {
			t.Errorf("decimal(%d, %s) = %q, want %q", c.minor, c.currency, got, c.text)
		}
		if got, err := minorUnits(c.text, c.currency); err != nil || got != c.minor {
			t.Errorf("minorUnits(%q, %s) = %d, %v, want %d", c.text, c.currency, got, err, c.minor)
		}
	}
	if got, err := minorUnits("12.5", "PHP"); err != nil || got != 1250 {
		t.Errorf("12.5 PHP = %d, %v, want 1250", got, err)
	}
	for _, text := range []string{"1.2345", "twelve", "1,250.50", ".5", "99999999999999999999"} {
		if got, err := minorUnits(text, "PHP"); err == nil {
			t.Errorf("minorUnits(%q) = %d, want an error", text, got)
		}
	}
	if _, err := minorUnits("1.00", "XXX"); err == nil {
		t.Error("an unknown currency is no error")
	}
}

func TestLedgerArithmetic(t *testing.T) {
	a := Account{ID: "sbx_1", Currency: "PHP", Asked: 10_000, Status: "waiting"}
	steps := []struct {
		do                        act
		status                    string
		taken, refunded, takenOff int64
	}{
		{actAttempt, "attempt_failed", 0, 0, 0},
		{actFalselyPaid, "attempt_failed", 0, 0, 0},
		{actProcessing, "processing", 0, 0, 0},
		{actPaid, "paid", 10_000, 0, 0},
		{actRefundPart, "paid", 10_000, 2_500, 0},
		{actRefundAsked, "paid", 10_000, 2_500, 0},
		{actRefundDone, "paid", 10_000, 5_000, 0},
		{actDisputeOpen, "paid", 10_000, 5_000, 0},
		{actDisputeWon, "paid", 10_000, 5_000, 0},
		{actDisputeOpen, "paid", 10_000, 5_000, 0},
		{actDisputeLost, "paid", 10_000, 5_000, 10_000},
		{actReversed, "reversed", 10_000, 5_000, 10_000},
	}
	for i, s := range steps {
		a.apply(s.do)
		if a.Status != s.status || a.Taken != s.taken || a.Refunded() != s.refunded || a.TakenBack() != s.takenOff {
			t.Fatalf("step %d, %s: %s, taken %d, refunded %d, taken back %d; want %+v", i, s.do, a.Status, a.Taken, a.Refunded(), a.TakenBack(), s)
		}
	}
	b := Account{Asked: 10_000}
	if b.apply(actPaidOther); b.Taken != 9_000 || b.Status != "paid" {
		t.Errorf("paid otherwise: taken %d, %s; want nine tenths of 10000, paid", b.Taken, b.Status)
	}
}
