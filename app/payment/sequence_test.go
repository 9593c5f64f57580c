package payment

import "testing"

// The opening sequences of the definition of a standing, one commit for each group of facts.
func TestOpeningSequences(t *testing.T) {
	for _, c := range []struct {
		name     string
		terms    Terms
		commits  [][]Fact
		standing string
		entries  string
		reviews  string
	}{
		{"failed notice, success notice, query succeeded", terms(),
			[][]Fact{{notice(WordFailed, 1*minute)}, {paidNotice(2 * minute)}, {paidQuery(3 * minute)}},
			"succeeded received=100", "succeeded", ""},
		{"no query: failed notice, hold over, success notice", noQuery(),
			[][]Fact{{notice(WordFailed, 1*minute)}, {{Kind: FactHoldOver, Source: SourceTimer, Refers: 1, Key: "hold:1"}}, {paidNotice(20 * minute)}},
			"succeeded received=100 late", "failed succeeded_late", "late"},
		{"notice of 90 for 100, then the query says 100", terms(),
			[][]Fact{{notice(WordSucceeded, 1*minute).amount(9000)}, {paidQuery(2 * minute)}},
			"succeeded received=100", "unknown succeeded", "difference"},
		{"refund of 30, then success", terms(),
			[][]Fact{{refund("re_1", RefundSucceeded, 3000, 1*minute)}, {paidNotice(2 * minute)}},
			"succeeded received=100 refunded=30", "succeeded refunded", ""},
		{"gave up while processing, success notice", terms(),
			[][]Fact{{gaveUp(WordProcessing, 48*hour)}, {paidNotice(49 * hour)}},
			"succeeded received=100", "unknown succeeded", ""},
		{"elsewhere, then the gateway's success, then its refund", terms(),
			[][]Fact{{elsewhere()}, {paidNotice(5 * minute)}, {refund("re_1", RefundSucceeded, 10000, 9*minute)}},
			"succeeded received=200 refunded=100", "succeeded duplicate refunded", "elsewhere_and_gateway"},
		{"order closed by force, success paid earlier", terms(),
			[][]Fact{{shopClosed(10 * minute)}, {paidNotice(9 * minute)}},
			"succeeded received=100 late", "succeeded_late", "late"},
		{"query failed, a minute later query succeeded", terms(),
			[][]Fact{{query(WordFailed, 1*minute)}, {paidQuery(2 * minute)}},
			"succeeded received=100 late", "failed succeeded_late", "late"},
		{"success, two queries failed ten minutes apart", terms(),
			[][]Fact{{paidNotice(1 * minute)}, {query(WordFailed, 5*minute)}, {query(WordFailed, 15*minute)}},
			"succeeded received=100 reversed=100", "succeeded reversed", "reversed!"},
		{"success, dispute lost in full", terms(),
			[][]Fact{{paidNotice(1 * minute)}, {dispute(DisputeLost, 10000, 9*minute)}},
			"succeeded received=100 disputed=100 reversed=100", "succeeded disputed reversed", "reversed!"},
		{"attempt failed three times, then the payer never came back", terms(),
			[][]Fact{{notice(WordAttemptFailed, 1)}, {notice(WordAttemptFailed, 2)}, {notice(WordAttemptFailed, 3)}, {gaveUp(WordAttemptFailed, 48*hour)}},
			"closed/abandoned", "closed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(c.terms)
			for _, facts := range c.commits {
				w.commit(facts...)
			}
			w.check(t, c.standing, c.entries, c.reviews)
		})
	}
}

// The sequence of two payments: P1 differs, P2 of the same order succeeds, a person accepts P1.
func TestSecondPaidPaymentIsTheDuplicate(t *testing.T) {
	p1, p2 := newWorld(terms()), newWorld(terms())
	p2.t.PaymentID = "pay_2"
	p1.commit(notice(WordSucceeded, minute).amount(9000))
	p2.other = OtherPaidAndTold(parts(p1, p2), "pay_2").OtherPaidAndTold
	p2.commit(paidNotice(2 * minute))
	p1.other = OtherPaidAndTold(parts(p1, p2), "pay_1").OtherPaidAndTold
	p1.commit(decision(ActAccept))
	p1.check(t, "succeeded received=90", "unknown duplicate", "")
	p2.check(t, "succeeded received=100", "succeeded", "")
	o, reviews := StandOrder(parts(p1, p2), OrderFlags{})
	if !o.Paid || o.SafeToChargeAgain || reasons(reviews) != "duplicate:pay_1+pay_2" || reviews[0].AtRisk != 9000 {
		t.Errorf("order %+v, reviews %+v; want one duplicate with 90.00 at risk", o, reviews)
	}
	p1.commit(refund("re_1", RefundSucceeded, 9000, hour))
	if _, reviews := StandOrder(parts(p1, p2), OrderFlags{}); len(reviews) != 0 {
		t.Errorf("reviews %+v after one was refunded, want none", reviews)
	}
}

func parts(worlds ...*world) []OrderPart {
	var list []OrderPart
	for _, w := range worlds {
		list = append(list, OrderPart{
			PaymentID: w.t.PaymentID, Currency: w.t.Currency, Standing: w.s, SuccessTold: w.told.Success,
			OpenReview: len(w.reviews) > 0, Unconfirmed: Unconfirmed(w.t, w.facts), Facts: w.facts,
		})
	}
	return list
}
