package payment

import (
	"math"
	"testing"
)

// history is what was committed, one fact after another, and what is to come of it; each outcome is worked out by hand.
type history struct {
	name     string
	t        Terms
	commits  []Fact
	standing string
	reviews  string
}

func play(t *testing.T, histories []history) {
	t.Helper()
	for _, c := range histories {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(c.t)
			for _, f := range c.commits {
				w.commit(f)
			}
			if got := picture(w.s); got != c.standing {
				t.Errorf("standing %q, want %q", got, c.standing)
			}
			if got := reasons(w.reviews); got != c.reviews {
				t.Errorf("reviews %q, want %q", got, c.reviews)
			}
			if w.breach != "" {
				t.Error(w.breach)
			}
		})
	}
}

func TestReceived(t *testing.T) {
	typed := decision(ActAccept).amount(8800)
	foreign := notice(WordSucceeded, 1).amount(10000).in("USD")
	play(t, []history{
		{"the latest query tells the amount", terms(), []Fact{paidQuery(2), query(WordSucceeded, 3).amount(9500), paidNotice(9)}, "succeeded received=95", "difference"},
		{"at a tie the larger", terms(), []Fact{paidNotice(2), notice(WordSucceeded, 2).amount(9500)}, "succeeded received=100", "difference"},
		{"of queries at a tie the larger", terms(), []Fact{query(WordSucceeded, 2).amount(9500), query(WordSucceeded, 2).amount(11000)}, "unknown/difference received=110", "difference"},
		{"another currency is not received", terms(), []Fact{foreign}, "unknown/difference", "difference"},
		{"accepted in another currency", terms(), []Fact{foreign, typed}, "succeeded received=88", ""},
		{"accepted without an amount", terms(), []Fact{query(WordSucceeded, 1), typed}, "succeeded received=88", ""},
		{"elsewhere, then the gateway's odd", terms(), []Fact{elsewhere(), notice(WordSucceeded, 1).amount(9000)}, "succeeded received=190", "difference elsewhere_and_gateway"},
		{"cash and a reversed word", terms(), []Fact{elsewhere(), notice(WordReversed, 1)}, "succeeded received=200 reversed=100", "reversed!"},
		{"a rejected odd is not received", terms(), []Fact{notice(WordSucceeded, 1).amount(9000), decision(ActReject)}, "failed", ""},
		{"nor does its refund surprise", terms(), []Fact{notice(WordSucceeded, 1).amount(9000), decision(ActReject), refund("a", RefundSucceeded, 9000, 9)}, "failed refunded=90", ""},
	})
}

func TestDecisions(t *testing.T) {
	play(t, []history{
		{"the last one stands", terms(), []Fact{decision(ActMarkFailed), vouched()}, "succeeded received=100", ""},
		{"undone, the one before stands", terms(), []Fact{decision(ActMarkFailed), vouched(), undo(2)}, "failed", ""},
		{"an undo undone", terms(), []Fact{decision(ActMarkFailed), undo(1), undo(2)}, "failed", ""},
		{"all undone", terms(), []Fact{notice(WordProcessing, 1), decision(ActMarkFailed), undo(2)}, "processing", ""},
		{"a claim that the person did not see", terms(), []Fact{decision(ActMarkFailed), paidNotice(1)}, "succeeded received=100 late", "late"},
		{"later denied once: denials on both sides", terms(), []Fact{decision(ActMarkFailed), paidNotice(1 * minute), query(WordFailed, 2*minute)}, "unknown/contradiction received=100", "contradiction"},
	})
}

func TestTakenBack(t *testing.T) {
	play(t, []history{
		{"nine minutes are not ten", terms(), []Fact{paidNotice(minute), query(WordFailed, 5*minute), query(WordFailed, 14*minute)}, "succeeded received=100", ""},
		{"denials before the claim do not count", terms(), []Fact{query(WordFailed, minute), query(WordFailed, 12*minute), paidQuery(13 * minute)}, "succeeded received=100 late", "late"},
		{"a denial at the claim's instant lies before it", terms(), []Fact{paidQuery(5 * minute), query(WordFailed, 5*minute), query(WordFailed, 15*minute)}, "succeeded received=100", ""},
		{"a later claim takes it back again", terms(), []Fact{paidNotice(1), query(WordFailed, 5*minute), query(WordFailed, 15*minute), paidQuery(20 * minute)}, "succeeded received=100 late", "late"},
		{"denied twice, and the money is back", terms(), []Fact{paidNotice(1), query(WordFailed, 5*minute), query(WordFailed, 15*minute), decision(ActMoneyBack)}, "succeeded received=100", ""},
		{"and denied twice more", terms(), []Fact{paidNotice(1), query(WordFailed, 5*minute), query(WordFailed, 15*minute), decision(ActMoneyBack), query(WordFailed, 30*minute), query(WordFailed, 40*minute)}, "succeeded received=100 reversed=100", "reversed!"},
		{"a person's word, then denied twice", terms(), []Fact{at(vouched(), minute), query(WordFailed, 5*minute), query(WordFailed, 15*minute)}, "succeeded received=100 reversed=100", "reversed!"},
		{"a person's word, a denial asked before it", terms(), []Fact{at(vouched(), 6*minute), query(WordFailed, 5*minute), query(WordFailed, 15*minute)}, "succeeded received=100", ""},
		{"money from elsewhere cannot be denied", terms(), []Fact{at(elsewhere(), minute), query(WordFailed, 5*minute), query(WordFailed, 15*minute)}, "succeeded received=100", ""},
		{"a reversed word among denials is no contradiction", terms(), []Fact{query(WordFailed, 1), paidNotice(2), query(WordFailed, 3), notice(WordReversed, 4)}, "succeeded received=100 reversed=100 late", "reversed!"},
		{"a success word after reversed changes nothing", terms(), []Fact{notice(WordReversed, 4), paidQuery(9)}, "succeeded received=100 reversed=100", "reversed!"},
		{"reversed again after the money was back", terms(), []Fact{paidNotice(1), notice(WordReversed, 4), decision(ActMoneyBack), notice(WordReversed, 9)}, "succeeded received=100 reversed=100", "reversed!"},
		{"the loss is accepted", terms(), []Fact{paidNotice(1), notice(WordReversed, 4), ignored("reversed")}, "succeeded received=100 reversed=100", ""},
		{"a later success word asks anew", terms(), []Fact{paidNotice(1), notice(WordReversed, 4), ignored("reversed"), paidQuery(9)}, "succeeded received=100 reversed=100", "reversed!"},
		{"a lost dispute above what was reversed", terms(), []Fact{paidNotice(1), notice(WordReversed, 4), dispute(DisputeLost, 12000, 5)}, "succeeded received=100 disputed=120 reversed=120", "reversed! excess"},
	})
}

func TestFinalWordsAndHolds(t *testing.T) {
	play(t, []history{
		{"the latest own time", terms(), []Fact{query(WordExpired, 9), query(WordFailed, 8)}, "closed/expired", ""},
		{"at a tie failed", terms(), []Fact{query(WordExpired, 9), query(WordFailed, 9), query(WordCancelled, 9)}, "failed", ""},
		{"at a tie cancelled before expired", terms(), []Fact{query(WordExpired, 9), query(WordCancelled, 9)}, "closed/cancelled", ""},
		{"no query: of two held notices the later", noQuery(), []Fact{notice(WordFailed, 1), notice(WordExpired, 2), holdOver(1), holdOver(2)}, "closed/expired", ""},
		{"no query: the other is still held", noQuery(), []Fact{notice(WordFailed, 1), notice(WordExpired, 2), holdOver(1)}, "failed", ""},
		{"the first giving up counts", terms(), []Fact{gaveUp(WordProcessing, 1), gaveUp(WordPending, 2)}, "unknown/no_answer", "no_answer"},
	})
}

func TestRefundsAndDisputes(t *testing.T) {
	blindRefund := refund("a", RefundSucceeded, 3000, 1)
	blindRefund.Currency = ""
	play(t, []history{
		{"singles add up", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), refund("b", RefundSucceeded, 2000, 2)}, "succeeded received=100 refunded=50", ""},
		{"one ref counts once", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), refund("a", RefundSucceeded, 3000, 3)}, "succeeded received=100 refunded=30", ""},
		{"the later word wins", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 2000, 3), refund("a", RefundSucceeded, 3000, 2)}, "succeeded received=100 refunded=20", ""},
		{"pending then succeeded at one instant", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), refund("a", RefundPending, 3000, 2)}, "succeeded received=100 refunded=30", ""},
		{"succeeded then failed at one instant", terms(), []Fact{paidNotice(1), refund("a", RefundFailed, 3000, 2), refund("a", RefundSucceeded, 3000, 2)}, "succeeded received=100", ""},
		{"two amounts at one instant", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), refund("a", RefundSucceeded, 4000, 2)}, "succeeded received=100 refunded=40", ""},
		{"the same at one instant from two sources", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), asQuery(keyed(refund("a", RefundSucceeded, 3000, 2), "q"))}, "succeeded received=100 refunded=30", ""},
		{"an unknown status says nothing", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), refund("a", "odd", 3000, 2)}, "succeeded received=100 refunded=30", ""},
		{"the running total above the singles", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), running(5000, 4)}, "succeeded received=100 refunded=50", ""},
		{"the singles above the running total", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 6000, 2), running(5000, 4)}, "succeeded received=100 refunded=60", ""},
		{"the latest running total", terms(), []Fact{paidNotice(1), running(5000, 4), running(2000, 9)}, "succeeded received=100 refunded=20", ""},
		{"of two running totals the later", terms(), []Fact{paidNotice(1), running(5000, 4), named(running(2000, 9), "x")}, "succeeded received=100 refunded=20", ""},
		{"of two running totals at one instant the larger", terms(), []Fact{paidNotice(1), running(5000, 4), named(running(2000, 4), "x")}, "succeeded received=100 refunded=50", ""},
		{"more than received", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 11000, 2)}, "succeeded received=100 refunded=110", "excess"},
		{"a refund without a currency is in the agreed one", terms(), []Fact{paidNotice(1), blindRefund}, "succeeded received=100 refunded=30", ""},
		{"a refund in another currency is not counted", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2).in("USD")}, "succeeded received=100", "difference:refund:a"},
		{"and can be left so", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2).in("USD"), ignored("difference:refund:a")}, "succeeded received=100", ""},
		{"a hint of a refund is not counted", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2).hint()}, "succeeded received=100", ""},
		{"open, then won", terms(), []Fact{paidNotice(1), dispute(DisputeWon, 4000, 3), dispute(DisputeOpen, 4000, 2)}, "succeeded received=100", ""},
		{"open, won and lost at one instant", terms(), []Fact{paidNotice(1), dispute(DisputeWon, 4000, 3), dispute(DisputeLost, 4000, 3), dispute(DisputeOpen, 4000, 3)}, "succeeded received=100 disputed=40 reversed=40", "reversed!"},
		{"refunded and disputed", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 10000, 2), dispute(DisputeOpen, 10000, 3)}, "succeeded received=100 refunded=100 disputed=100", "double_loss"},
		{"refunded in part, the rest disputed", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 6000, 2), dispute(DisputeOpen, 4000, 3)}, "succeeded received=100 refunded=60 disputed=40", ""},
		{"disputed, refunded and won", terms(), []Fact{paidNotice(1), dispute(DisputeOpen, 10000, 2), refund("a", RefundSucceeded, 10000, 3), dispute(DisputeWon, 10000, 4)}, "succeeded received=100 refunded=100", ""},
		{"refunded, disputed and lost", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), dispute(DisputeLost, 10000, 3)}, "succeeded received=100 refunded=30 disputed=100 reversed=100", "reversed! excess"},
		{"the evidence against it is sent", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 10000, 2), dispute(DisputeOpen, 10000, 3), ignored("double_loss")}, "succeeded received=100 refunded=100 disputed=100", ""},
		{"sent, and the dispute grows", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 10000, 2), dispute(DisputeOpen, 9000, 3), ignored("double_loss"), dispute(DisputeOpen, 10000, 4)}, "succeeded received=100 refunded=100 disputed=100", "double_loss"},
		{"taken back by a word and disputed", terms(), []Fact{paidNotice(1), notice(WordReversed, 2), dispute(DisputeOpen, 3000, 3)}, "succeeded received=100 disputed=30 reversed=100", "reversed!"},
		{"nothing overflows", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, math.MaxInt64, 2), refund("b", RefundSucceeded, math.MaxInt64, 2)}, "succeeded received=100 refunded=92233720368547758", "excess"},
		{"nothing is below zero", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, -5000, 2), notice(WordSucceeded, 9).amount(-700)}, "succeeded", "difference"},
	})
}

func TestOwedRefunds(t *testing.T) {
	play(t, []history{
		{"owed", terms(), []Fact{paidNotice(1), decision(ActRefund).amount(4000)}, "succeeded received=100", "refund_owed"},
		{"owed in part", terms(), []Fact{paidNotice(1), decision(ActRefund).amount(4000), refund("a", RefundSucceeded, 3000, 2)}, "succeeded received=100 refunded=30", "refund_owed"},
		{"came", terms(), []Fact{paidNotice(1), decision(ActRefund).amount(4000), refund("a", RefundSucceeded, 3000, 2), refund("b", RefundSucceeded, 1000, 2)}, "succeeded received=100 refunded=40", ""},
		{"an earlier refund is not the owed one", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 4000, 2), decision(ActRefund).amount(4000)}, "succeeded received=100 refunded=40", "refund_owed"},
		{"proved", terms(), []Fact{paidNotice(1), decision(ActRefund).amount(4000), decision(ActRefundProof)}, "succeeded received=100", ""},
		{"proof undone", terms(), []Fact{paidNotice(1), decision(ActRefund).amount(4000), decision(ActRefundProof), undo(3)}, "succeeded received=100", "refund_owed"},
		{"undone", terms(), []Fact{paidNotice(1), decision(ActRefund).amount(4000), undo(2)}, "succeeded received=100", ""},
		{"nothing is left to refund", terms(), []Fact{paidNotice(1), decision(ActRefund).amount(4000), notice(WordReversed, 9)}, "succeeded received=100 reversed=100", "reversed!"},
	})
}

func TestUnmappedWords(t *testing.T) {
	play(t, []history{
		{"asked, not answered", terms(), []Fact{unmapped(5)}, "pending", ""},
		{"answered without a final word", terms(), []Fact{unmapped(5), query(WordPending, 6)}, "pending", "unmapped:SETTLING"},
		{"settled", terms(), []Fact{unmapped(5), query(WordPending, 6), paidQuery(7)}, "succeeded received=100", ""},
		{"settled without success", terms(), []Fact{unmapped(5), query(WordCancelled, 6)}, "closed/cancelled", ""},
		{"an answer from before does not count", terms(), []Fact{paidQuery(4), unmapped(5)}, "succeeded received=100", ""},
		{"said twice, one review", noQuery(), []Fact{unmapped(5), unmapped(6)}, "pending", "unmapped:SETTLING"},
		{"left so", noQuery(), []Fact{unmapped(5), ignored("unmapped:SETTLING")}, "pending", ""},
		{"said again", noQuery(), []Fact{unmapped(5), ignored("unmapped:SETTLING"), unmapped(6)}, "pending", "unmapped:SETTLING"},
		{"decided", noQuery(), []Fact{unmapped(5), vouched()}, "succeeded received=100", ""},
	})
}

func TestLateness(t *testing.T) {
	play(t, []history{
		{"fulfilled", terms(), []Fact{query(WordFailed, 1), paidQuery(2), decision(ActFulfil)}, "succeeded received=100 late", ""},
		{"fulfilling undone", terms(), []Fact{query(WordFailed, 1), paidQuery(2), decision(ActFulfil), undo(4)}, "succeeded received=100 late", "late"},
		{"refunded in full", terms(), []Fact{query(WordFailed, 1), paidQuery(2), refund("a", RefundSucceeded, 10000, 3)}, "succeeded received=100 refunded=100 late", ""},
		{"order reopened", terms(), []Fact{shopClosed(1), shopReopened(2), paidQuery(3)}, "succeeded received=100", ""},
		{"order closed after success", terms(), []Fact{paidQuery(3), shopClosed(9)}, "succeeded received=100", ""},
		{"unknown makes nothing late", terms(), []Fact{gaveUp(WordProcessing, 1), paidQuery(3)}, "succeeded received=100", ""},
		{"both are meant, and confirmed", terms(), []Fact{elsewhere(), paidNotice(1), decision(ActKeepBoth), paidQuery(2)}, "succeeded received=200", ""},
		{"kept before the gateway's came", terms(), []Fact{elsewhere(), decision(ActKeepBoth), paidNotice(1)}, "succeeded received=200", "elsewhere_and_gateway"},
		{"kept before the gateway's odd came", terms(), []Fact{elsewhere(), decision(ActKeepBoth), notice(WordSucceeded, 1).amount(9000)}, "succeeded received=190", "difference elsewhere_and_gateway"},
		{"kept before the cash came", terms(), []Fact{paidNotice(1), decision(ActKeepBoth), elsewhere()}, "succeeded received=200", "elsewhere_and_gateway"},
		{"both are meant", terms(), []Fact{elsewhere(), paidNotice(1), decision(ActKeepBoth)}, "succeeded received=200", ""},
	})
}

func at(f Fact, own int64) Fact {
	f.OwnMs = own
	return f
}

func keyed(f Fact, key string) Fact {
	f.Key += key
	return f
}

func named(f Fact, ref string) Fact {
	f.Ref = ref
	f.Key += ref
	return f
}

func ignored(id string) Fact {
	f := decision(ActIgnore)
	f.Ref = id
	return f
}

// What a review shows: the money at risk and its currency.
func TestMoneyAtRisk(t *testing.T) {
	for _, c := range []struct {
		name    string
		commits []Fact
		want    Review
	}{
		{"difference", []Fact{notice(WordSucceeded, 1).amount(9000), notice(WordSucceeded, 5).amount(8000)}, Review{ReasonDifference, "", 8000, "PHP", false}},
		{"difference at one instant", []Fact{notice(WordSucceeded, 5).amount(8000), notice(WordSucceeded, 5).amount(9000)}, Review{ReasonDifference, "", 9000, "PHP", false}},
		{"another currency", []Fact{notice(WordSucceeded, 1).amount(9000).in("USD")}, Review{ReasonDifference, "", 9000, "USD", false}},
		{"no amount", []Fact{query(WordSucceeded, 1)}, Review{ReasonDifference, "", 10000, "PHP", false}},
		{"contradiction", []Fact{query(WordFailed, 1), query(WordFailed, 3), paidNotice(2)}, Review{ReasonContradiction, "", 10000, "PHP", false}},
		{"no answer", []Fact{gaveUp(WordUnreadable, 1)}, Review{ReasonNoAnswer, "", 10000, "PHP", false}},
		{"dispute lost", []Fact{paidNotice(1), dispute(DisputeLost, 4000, 2)}, Review{ReasonReversed, "", 4000, "PHP", true}},
		{"late, refunded in part", []Fact{query(WordFailed, 1), paidNotice(2), refund("a", RefundSucceeded, 3000, 3)}, Review{ReasonLate, "", 7000, "PHP", false}},
		{"excess", []Fact{paidNotice(1), refund("a", RefundSucceeded, 12500, 3)}, Review{ReasonExcess, "", 2500, "PHP", false}},
		{"refunded in part, disputed in full", []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2), dispute(DisputeOpen, 10000, 3)}, Review{ReasonDoubleLoss, "", 3000, "PHP", false}},
		{"a small dispute of what was refunded", []Fact{paidNotice(1), refund("a", RefundSucceeded, 10000, 2), dispute(DisputeOpen, 2500, 3)}, Review{ReasonDoubleLoss, "", 2500, "PHP", false}},
		{"a refund without an end", []Fact{paidNotice(1), refund("a", RefundPending, 3000, 3), holdOver(2)}, Review{ReasonWaiting, "refund:a", 3000, "PHP", false}},
		{"a dispute without an end", []Fact{paidNotice(1), dispute(DisputeOpen, 4000, 3), holdOver(2)}, Review{ReasonWaiting, "dispute:dp_1", 4000, "PHP", false}},
		{"never paid", []Fact{query(WordFailed, 1), refund("a", RefundSucceeded, 3000, 3)}, Review{ReasonMoved, "", 3000, "PHP", false}},
		{"twice", []Fact{elsewhere(), notice(WordSucceeded, 1).amount(10000)}, Review{ReasonElsewhere, "", 10000, "PHP", false}},
		{"owed", []Fact{paidNotice(1), decision(ActRefund).amount(4000), refund("a", RefundSucceeded, 1000, 3)}, Review{ReasonRefundOwed, "2", 3000, "PHP", false}},
		{"foreign refund", []Fact{paidNotice(1), refund("a", RefundSucceeded, 3000, 2).in("USD")}, Review{ReasonDifference, "refund:a", 3000, "USD", false}},
	} {
		w := newWorld(terms())
		for _, f := range c.commits {
			w.commit(f)
		}
		if len(w.reviews) != 1 || w.reviews[0] != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, w.reviews, c.want)
		}
	}
}

// The source is that of the fact that decided the state, the first that was committed.
func TestSource(t *testing.T) {
	for _, c := range []struct {
		name    string
		commits []Fact
		want    Source
	}{
		{"pending", []Fact{notice(WordPending, 1)}, ""},
		{"processing", []Fact{query(WordProcessing, 1), notice(WordAuthorised, 1)}, SourceQuery},
		{"notice first", []Fact{paidNotice(2), paidQuery(1)}, SourceNotice},
		{"query first", []Fact{paidQuery(2), paidNotice(1)}, SourceQuery},
		{"person", []Fact{paidQuery(2), vouched()}, SourcePerson},
		{"failed by query", []Fact{query(WordFailed, 2)}, SourceQuery},
		{"failed by a person", []Fact{query(WordFailed, 2), decision(ActMarkFailed)}, SourcePerson},
		{"given up", []Fact{gaveUp(WordPending, 2)}, SourceTimer},
		{"difference", []Fact{notice(WordSucceeded, 2).amount(1), query(WordSucceeded, 3).amount(1)}, SourceNotice},
		{"reversed first", []Fact{query(WordReversed, 2), paidNotice(1)}, SourceQuery},
		{"reversed later", []Fact{paidNotice(1), query(WordReversed, 2)}, SourceNotice},
	} {
		w := newWorld(terms())
		for _, f := range c.commits {
			w.commit(f)
		}
		if w.s.Source != c.want {
			t.Errorf("%s: %q, want %q", c.name, w.s.Source, c.want)
		}
	}
}

// A fact that is not stored yet was seen by nobody and comes last.
func TestFactsNotYetStored(t *testing.T) {
	d := decision(ActMarkFailed)
	d.ID, d.Version, d.Saw = 1, 2, 1
	if s, _ := Stand(terms(), []Fact{d, paidNotice(1)}); s.State != Succeeded {
		t.Errorf("a claim that nobody has seen was voided: %s", picture(s))
	}
	late := decision(ActAccept)
	late.Saw = 2
	if s, _ := Stand(terms(), []Fact{late, d}); s.State != Succeeded {
		t.Errorf("a decision not yet stored does not come last: %s", picture(s))
	}
}

func BenchmarkStand(b *testing.B) {
	w := newWorld(terms())
	for _, f := range []Fact{notice(WordFailed, 1), query(WordPending, 2), paidNotice(3), paidQuery(4), refund("a", RefundSucceeded, 3000, 5)} {
		w.commit(f)
	}
	b.ReportAllocs()
	for b.Loop() {
		Stand(w.t, w.facts)
	}
}

func BenchmarkMove(b *testing.B) {
	facts := committed(1, paidNotice(1))
	b.ReportAllocs()
	for b.Loop() {
		Move(terms(), facts, Told{}, OrderContext{})
	}
}
