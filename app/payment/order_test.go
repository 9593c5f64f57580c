package payment

import (
	"fmt"
	"math"
	"testing"
)

// part is one payment of an order in a given standing.
func part(id string, s Standing) OrderPart {
	return OrderPart{PaymentID: id, Currency: "PHP", Standing: s, SuccessTold: s.State == Succeeded}
}

func paid(minor int64) Standing {
	return Standing{State: Succeeded, Source: SourceNotice, Received: minor}
}

func TestStandOrder(t *testing.T) {
	failed := part("a", Standing{State: Failed, Source: SourceQuery})
	expired := part("b", Standing{State: Closed, Cause: Expired, Source: SourceQuery})
	cancelled := part("c", Standing{State: Closed, Cause: Cancelled, Source: SourceNotice})
	reviewed, unconfirmed := failed, failed
	reviewed.OpenReview, unconfirmed.Unconfirmed = true, true
	for _, c := range []struct {
		name    string
		parts   []OrderPart
		flags   OrderFlags
		paid    bool
		because string
		reviews int
	}{
		{"unknown", nil, OrderFlags{}, false, "[no_payment]", 0},
		{"all failed or closed", []OrderPart{failed, expired, cancelled}, OrderFlags{}, false, "[]", 0},
		{"paid", []OrderPart{failed, part("p", paid(100))}, OrderFlags{}, true, "[paid]", 0},
		{"pending", []OrderPart{failed, part("p", Standing{State: Pending})}, OrderFlags{}, false, "[attempt_open]", 0},
		{"processing", []OrderPart{part("p", Standing{State: Processing})}, OrderFlags{}, false, "[attempt_open]", 0},
		{"unknown", []OrderPart{part("p", Standing{State: Unknown, Cause: Difference})}, OrderFlags{}, false, "[attempt_unknown]", 0},
		{"refunded", []OrderPart{part("p", Standing{State: Succeeded, Received: 5, Refunded: 5})}, OrderFlags{}, false, "[attempt_succeeded]", 0},
		{"refunded in part", []OrderPart{part("p", Standing{State: Succeeded, Received: 5, Refunded: 2, Reversed: 2})}, OrderFlags{}, true, "[paid]", 0},
		{"abandoned", []OrderPart{part("p", Standing{State: Closed, Cause: Abandoned})}, OrderFlags{}, false, "[attempt_abandoned]", 0},
		{"failed by a person", []OrderPart{part("p", Standing{State: Failed, Source: SourcePerson})}, OrderFlags{}, false, "[failed_by_person]", 0},
		{"review of a payment", []OrderPart{reviewed}, OrderFlags{}, false, "[open_review]", 0},
		{"reviews of payment and order", []OrderPart{reviewed, failed}, OrderFlags{OpenReview: true}, false, "[open_review]", 0},
		{"review of the order alone", []OrderPart{failed}, OrderFlags{OpenReview: true}, false, "[open_review]", 0},
		{"reasons in no order", []OrderPart{part("q", paid(1)), part("p", Standing{}), part("r", paid(1))}, OrderFlags{}, true, "[attempt_open paid]", 1},
		{"unconfirmed notice", []OrderPart{unconfirmed}, OrderFlags{}, false, "[unconfirmed]", 0},
		{"parked notice", []OrderPart{failed}, OrderFlags{Parked: true}, false, "[parked_notice]", 0},
		{"several reasons", []OrderPart{part("p", Standing{}), part("q", paid(1))}, OrderFlags{Parked: true}, true, "[attempt_open paid parked_notice]", 0},
	} {
		o, reviews := StandOrder(c.parts, c.flags)
		if got := fmt.Sprint(o.Because); got != c.because || o.Paid != c.paid || o.SafeToChargeAgain != (c.because == "[]") || len(reviews) != c.reviews {
			t.Errorf("%s: %+v %v, want paid %t because %s", c.name, o, reviews, c.paid, c.because)
		}
	}
}

func TestDuplicateReview(t *testing.T) {
	answer := func(a Act, ref string) []Fact {
		d := decision(a)
		d.ID, d.Ref = 3, ref
		return []Fact{d}
	}
	usd := part("z", paid(700))
	usd.Currency = "USD"
	for _, c := range []struct {
		name   string
		parts  []OrderPart
		facts  []Fact // of the first
		id     string
		atRisk int64
	}{
		{"one paid", []OrderPart{part("a", paid(100)), part("b", Standing{State: Failed})}, nil, "", 0},
		{"two paid", []OrderPart{part("b", paid(100)), part("a", paid(90))}, nil, "duplicate:a+b", 90},
		{"three paid", []OrderPart{part("b", paid(100)), part("a", paid(90)), part("c", paid(70))}, nil, "duplicate:a+b+c", 160},
		{"refunded", []OrderPart{part("a", paid(100)), part("b", Standing{State: Succeeded, Received: 5, Refunded: 5})}, nil, "", 0},
		{"two currencies", []OrderPart{part("a", paid(100)), usd}, nil, "duplicate:a+z", 700},
		{"both are meant", []OrderPart{part("a", paid(100)), part("b", paid(90))}, answer(ActKeepBoth, "duplicate:a+b"), "", 0},
		{"one will be refunded", []OrderPart{part("a", paid(100)), part("b", paid(90))}, answer(ActRefund, "duplicate:a+b"), "", 0},
		{"is fulfilled", []OrderPart{part("a", paid(100)), part("b", paid(90))}, answer(ActFulfil, "duplicate:a+b"), "", 0},
		{"an answer for two is none for three", []OrderPart{part("a", paid(100)), part("b", paid(90)), part("c", paid(90))}, answer(ActKeepBoth, "duplicate:a+b"), "duplicate:a+b+c", 180},
		{"another act", []OrderPart{part("a", paid(100)), part("b", paid(90))}, answer(ActNote, "duplicate:a+b"), "duplicate:a+b", 90},
		{"undone", []OrderPart{part("a", paid(100)), part("b", paid(90))}, append(answer(ActKeepBoth, "duplicate:a+b"), Fact{Kind: FactDecision, Act: ActUndo, ID: 4, Refers: 3}), "duplicate:a+b", 90},
	} {
		c.parts[0].Facts = c.facts
		_, reviews := StandOrder(c.parts, OrderFlags{})
		switch {
		case c.id == "" && len(reviews) == 0:
		case len(reviews) != 1 || reviews[0].ID() != c.id || reviews[0].AtRisk != c.atRisk:
			t.Errorf("%s: %+v, want %q with %d at risk", c.name, reviews, c.id, c.atRisk)
		}
	}
}

func TestOtherPaidAndTold(t *testing.T) {
	untold := part("b", paid(5))
	untold.SuccessTold = false
	for _, c := range []struct {
		name  string
		parts []OrderPart
		want  bool
	}{
		{"alone", []OrderPart{part("a", paid(5))}, false},
		{"another paid", []OrderPart{part("a", Standing{State: Pending}), part("b", paid(5))}, true},
		{"another paid, not told", []OrderPart{part("a", Standing{}), untold}, false},
		{"another refunded", []OrderPart{part("a", Standing{}), part("b", Standing{State: Succeeded, Received: 5, Refunded: 5})}, false},
	} {
		if got := OtherPaidAndTold(c.parts, "a").OtherPaidAndTold; got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

func TestSumsStayWithinInt64(t *testing.T) {
	s := Standing{State: Succeeded, Received: math.MaxInt64, Refunded: math.MaxInt64, Reversed: math.MaxInt64}
	if s.Paid() || s.Left() != 0 {
		t.Errorf("paid %t, left %d of a success taken back twice", s.Paid(), s.Left())
	}
}
