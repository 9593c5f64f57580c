package payment

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

// Facts of one instant, facts said twice, and facts that come in the other order.
func TestTies(t *testing.T) {
	blind := notice(WordSucceeded, 1).amount(10000).in("")
	foreign := refund("a", RefundSucceeded, 3000, 2).in("USD")
	unknown := refund("a", "odd", 3000, 2)
	play(t, []history{
		{"failed after cancelled at one instant", terms(), []Fact{query(WordCancelled, 9), query(WordFailed, 9)}, "failed", ""},
		{"cancelled after expired at one instant", terms(), []Fact{query(WordExpired, 9), query(WordCancelled, 9)}, "closed/cancelled", ""},
		{"pending, then succeeded at one instant", terms(), []Fact{paidNotice(1), refund("a", RefundPending, 3000, 2), refund("a", RefundSucceeded, 3000, 2)}, "succeeded received=100 refunded=30", ""},
		{"the larger running total is the older", terms(), []Fact{paidNotice(1), named(running(2000, 9), "x"), running(5000, 4)}, "succeeded received=100 refunded=20", ""},
		{"a status that says nothing", terms(), []Fact{paidNotice(1), unknown, refund("a", RefundPending, 3000, 2), holdOver(2)}, "succeeded received=100", "return_waits:refund:a"},
		{"a foreign refund from two sources, left as it is", terms(), []Fact{paidNotice(1), foreign, ignored("difference:refund:a"), asQuery(keyed(foreign, "q"))}, "succeeded received=100", ""},
		{"an unmapped word from two sources, left as it is", noQuery(), []Fact{unmapped(5), ignored("unmapped:SETTLING"), keyed(unmapped(5), "again")}, "pending", ""},
		{"a dispute in another currency", terms(), []Fact{paidNotice(1), dispute(DisputeOpen, 3000, 2).in("USD")}, "succeeded received=100", "difference:dispute:dp_1"},
		{"two unmapped words", noQuery(), []Fact{unmapped(5), named(unmapped(6), "HELD")}, "pending", "unmapped:SETTLING unmapped:HELD"},
		{"open and won at one instant", terms(), []Fact{paidNotice(1), dispute(DisputeWon, 4000, 3), dispute(DisputeOpen, 4000, 3)}, "succeeded received=100", ""},
		{"a dispute's status that says nothing", terms(), []Fact{paidNotice(1), dispute("odd", 4000, 3), dispute(DisputeOpen, 4000, 3), holdOver(2)}, "succeeded received=100 disputed=40", "return_waits:dispute:dp_1"},
		{"an undo of itself", terms(), []Fact{decision(ActMarkFailed), undo(2)}, "failed", ""},
		{"a success without a currency", terms(), []Fact{blind}, "pending", ""},
		{"owed, though a refund that was seen failed", terms(), []Fact{paidNotice(1), refund("a", RefundSucceeded, 4000, 2), refund("a", RefundFailed, 4000, 3), decision(ActRefund).amount(4000), refund("a", RefundSucceeded, 4000, 9)}, "succeeded received=100 refunded=40", ""},
	})
}

// A review that was answered comes back with new evidence and not without.
func TestAnsweredReviews(t *testing.T) {
	odd := notice(WordSucceeded, 2).amount(9000)
	lost := dispute(DisputeLost, 4000, 3)
	two := []Fact{paidNotice(1), decision(ActRefund).amount(4000), decision(ActRefund).amount(3000)}
	proof := decision(ActRefundProof)
	proof.Ref = "refund_owed:2"
	excess := []Fact{paidNotice(1), refund("a", RefundSucceeded, 11000, 2), ignored("excess")}
	play(t, []history{
		{"a difference, left as it is", terms(), []Fact{paidNotice(1), odd, ignored("difference")}, "succeeded received=90", ""},
		{"another difference", terms(), []Fact{paidNotice(1), odd, ignored("difference"), notice(WordSucceeded, 1).amount(8000)}, "succeeded received=90", "difference"},
		{"a difference alone cannot be left", terms(), []Fact{odd, ignored("difference")}, "unknown/difference received=90", "difference"},
		{"a loss, left as it is", terms(), []Fact{paidNotice(1), lost, ignored("reversed")}, "succeeded received=100 disputed=40 reversed=40", ""},
		{"another loss", terms(), []Fact{paidNotice(1), lost, ignored("reversed"), named(dispute(DisputeLost, 3000, 4), "dp_2")}, "succeeded received=100 disputed=70 reversed=70", "reversed!"},
		{"another dispute is no loss yet", terms(), []Fact{paidNotice(1), lost, ignored("reversed"), named(dispute(DisputeOpen, 3000, 4), "dp_2")}, "succeeded received=100 disputed=70 reversed=40", ""},
		{"a hint of another loss", terms(), []Fact{paidNotice(1), lost, ignored("reversed"), named(dispute(DisputeLost, 3000, 4), "dp_2").hint()}, "succeeded received=100 disputed=40 reversed=40", ""},
		{"a refund that fails is no loss", terms(), []Fact{paidNotice(1), lost, ignored("reversed"), refund("a", RefundFailed, 3000, 4)}, "succeeded received=100 disputed=40 reversed=40", ""},
		{"a refund with a dispute's status", terms(), []Fact{paidNotice(1), lost, ignored("reversed"), refund("a", DisputeLost, 3000, 4)}, "succeeded received=100 disputed=40 reversed=40", ""},
		{"too much, left as it is", terms(), excess, "succeeded received=100 refunded=110", ""},
		{"still more", terms(), append(excess, refund("b", RefundSucceeded, 100, 3)), "succeeded received=100 refunded=111", "excess"},
		{"a hint of still more", terms(), append(excess, refund("b", RefundSucceeded, 100, 3).hint()), "succeeded received=100 refunded=110", ""},
		{"too much, then taken back", terms(), append(excess, notice(WordReversed, 9)), "succeeded received=100 refunded=110 reversed=100", "reversed! excess"},
		{"one of two owed refunds is proved", terms(), append(two, proof), "succeeded received=100", "refund_owed"},
		{"late a second time", terms(), []Fact{query(WordFailed, 1), paidQuery(2), decision(ActFulfil), dispute(DisputeLost, 10000, 3), dispute(DisputeWon, 10000, 4)}, "succeeded received=100 late", "late"},
		{"an unmapped word and a question of the same instant", terms(), []Fact{unmapped(5), query(WordPending, 5)}, "pending", ""},
		{"paid twice, left as it is", terms(), []Fact{paidNotice(1), elsewhere(), ignored("elsewhere_and_gateway")}, "succeeded received=200", ""},
		{"paid twice, one to be refunded", terms(), []Fact{paidNotice(1), elsewhere(), decision(ActRefund).amount(10000)}, "succeeded received=200", "refund_owed"},
		{"money moved, left as it is", terms(), []Fact{query(WordFailed, 1), refund("a", RefundSucceeded, 3000, 2), ignored("money_without_success")}, "failed refunded=30", ""},
		{"a success of nothing, and a refund", terms(), []Fact{paidNotice(1), query(WordSucceeded, 2).amount(0), refund("a", RefundSucceeded, 3000, 3)}, "succeeded refunded=30", "difference excess"},
		{"one minor unit instead, and a refund of two", terms(), []Fact{notice(WordSucceeded, 1).amount(1), refund("a", RefundSucceeded, 2, 2)}, "unknown/difference received=0 refunded=0", "difference excess"},
		{"an unmapped word that reversal settles", terms(), []Fact{unmapped(5), query(WordReversed, 6)}, "succeeded received=100 reversed=100", "reversed!"},
		{"an unmapped word and a later notice", terms(), []Fact{unmapped(5), notice(WordPending, 6)}, "pending", ""},
		{"an unmapped word that expiry settles", terms(), []Fact{unmapped(5), query(WordExpired, 6)}, "closed/expired", ""},
	})
	w := newWorld(terms())
	for _, f := range append(two, proof) {
		w.commit(f)
	}
	if w.reviews[0].ID() != "refund_owed:3" || w.reviews[0].AtRisk != 3000 {
		t.Errorf("%+v, want the other one of 30.00", w.reviews)
	}
}

// What a difference shows: of the words that nobody has decided on, the latest.
func TestShownDifference(t *testing.T) {
	dollars, pesos := notice(WordSucceeded, 5).amount(9000).in("USD"), notice(WordSucceeded, 5).amount(9000)
	for _, c := range []struct {
		name    string
		commits []Fact
		want    Review
	}{
		{"the later, though smaller and first", []Fact{notice(WordSucceeded, 5).amount(8000), notice(WordSucceeded, 1).amount(9000)}, Review{ReasonDifference, "", 8000, "PHP", false}},
		{"no other word", []Fact{pesos, query(WordPending, 9)}, Review{ReasonDifference, "", 9000, "PHP", false}},
		{"not the accepted one", []Fact{notice(WordSucceeded, 9).amount(9500), decision(ActAccept), notice(WordSucceeded, 5).amount(8000)}, Review{ReasonDifference, "", 8000, "PHP", false}},
		{"not the rejected one", []Fact{notice(WordSucceeded, 9).amount(9500), decision(ActReject), notice(WordSucceeded, 5).amount(8000)}, Review{ReasonDifference, "", 8000, "PHP", false}},
		{"of two currencies", []Fact{dollars, pesos}, Review{ReasonDifference, "", 9000, "USD", false}},
		{"of two currencies, the other first", []Fact{pesos, dollars}, Review{ReasonDifference, "", 9000, "USD", false}},
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

// The key of an owed refund is the decision's id in decimal digits, and at risk is what has not come.
func TestOwedRefundIsNamedByItsDecision(t *testing.T) {
	w := newWorld(terms())
	w.commit(paidNotice(1))
	for n := int64(2); n < 12; n++ {
		w.commit(notice(WordPending, n))
	}
	w.commit(decision(ActRefund).amount(4000))
	if want := (Review{ReasonRefundOwed, "12", 4000, "PHP", false}); len(w.reviews) != 1 || w.reviews[0] != want {
		t.Errorf("%+v, want %+v", w.reviews, want)
	}
}

// At one instant the same word from two sources counts as the first that was committed, however the facts are sorted.
func TestSourceOfTheSameWordSaidTwice(t *testing.T) {
	w := newWorld(noQuery())
	for _, f := range []Fact{notice(WordFailed, 5), holdOver(1), query(WordFailed, 5)} {
		w.commit(f)
	}
	slices.Reverse(w.facts)
	if s, _ := Stand(w.t, w.facts); s.Source != SourceNotice || w.s.Source != SourceNotice {
		t.Errorf("source %q, and mixed %q; want the notice", w.s.Source, s.Source)
	}
}

// One minor unit is money: it is refunded, taken back, moved and asked about like any other amount.
func TestOneMinorUnitIsMoney(t *testing.T) {
	unit := terms()
	unit.Amount = 1
	paid, vouch := notice(WordSucceeded, 1).amount(1), vouched().amount(1)
	for _, c := range []struct {
		name                      string
		commits                   []Fact
		entries, reviews, allowed string
	}{
		{"paid", []Fact{paid}, "succeeded", "", "refund note"},
		{"reversed", []Fact{paid, notice(WordReversed, 2)}, "succeeded reversed", "reversed!", "mark_succeeded mark_failed money_back ignore note"},
		{"refunded before", []Fact{refund("a", RefundSucceeded, 1, 1), paid}, "refunded", "", "note"},
		{"refunded twice", []Fact{paid, refund("a", RefundSucceeded, 2, 2)}, "succeeded refunded", "excess", "ignore note"},
		{"refunded after failed", []Fact{query(WordFailed, 1), refund("a", RefundSucceeded, 1, 2)}, "failed refunded", "money_without_success", "mark_succeeded ignore note"},
		{"paid twice", []Fact{elsewhere().amount(1), paid}, "succeeded duplicate", "elsewhere_and_gateway", "refund keep_both ignore note undo"},
		{"refunded, and disputed in full", []Fact{paid, refund("a", RefundSucceeded, 1, 2), dispute(DisputeOpen, 1, 3)}, "succeeded refunded disputed", "double_loss", "ignore note"},
		{"refunded, undone and vouched for again", []Fact{vouch, refund("a", RefundSucceeded, 1, 2), undo(1), vouch}, "succeeded refunded reversed refunded", "", "note undo"},
		{"lost, undone and vouched for again", []Fact{vouch, dispute(DisputeLost, 1, 2), undo(1), vouch}, "succeeded disputed reversed decided reversed", "reversed!", "mark_succeeded mark_failed ignore note undo"},
	} {
		w := newWorld(unit)
		for _, f := range c.commits {
			w.commit(f)
		}
		allowed := strings.Join(texts(Allowed(w.s, w.reviews, w.facts)), " ")
		if w.types() != c.entries || reasons(w.reviews) != c.reviews || allowed != c.allowed || w.breach != "" {
			t.Errorf("%s: %q; %q; %q %s", c.name, w.types(), reasons(w.reviews), allowed, w.breach)
		}
	}
}

// What an entry says, word for word, and what is kept of it.
func TestTellWordForWord(t *testing.T) {
	first := Move(terms(), committed(second, query(WordFailed, 1)), Told{}, OrderContext{})
	if want := (Body{State: Failed, Source: SourceQuery}); first.Told.Last != want {
		t.Errorf("told %+v, want %+v", first.Told.Last, want)
	}
	late := Move(terms(), committed(second, query(WordFailed, 1), paidQuery(2)), first.Told, OrderContext{})
	if want := (Body{State: Succeeded, Source: SourceQuery, Late: true, Received: 10000}); late.Told.Last != want {
		t.Errorf("told %+v, want %+v", late.Told.Last, want)
	}
	w := newWorld(terms())
	for _, f := range []Fact{paidNotice(1), named(refund("b", RefundFailed, 3, 2), "b"), refund("a", RefundFailed, 5, 2), named(dispute(DisputeOpen, 12, 2), "dp_2"), dispute(DisputeOpen, 34, 2)} {
		w.commit(f)
	}
	text, err := json.Marshal(w.told)
	if want := `"refunds_failed":["a","b"],"disputes":"dp_1 open 34; dp_2 open 12"`; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("kept %s (%v), want %s in it", text, err, want)
	}
}

// What the shop hears where a commit brings several facts or the same words in another order.
func TestTellOfManyFacts(t *testing.T) {
	open, other := dispute(DisputeOpen, 3000, 3), named(dispute(DisputeOpen, 2000, 3), "dp_2")
	back := dispute(DisputeLost, 5000, 8)
	for _, c := range []struct {
		name    string
		commits [][]Fact
		want    string
		act     Act // of the last entry
	}{
		{"a dispute is said again", [][]Fact{{paidNotice(1)}, {open}, {other}, {dispute(DisputeOpen, 3000, 5)}}, "succeeded disputed disputed", ""},
		{"of two decisions the last", [][]Fact{{paidNotice(1)}, {decision(ActFulfil), decision(ActRefund).amount(5)}}, "succeeded decided", ActRefund},
		{"unknown with more, and refunded", [][]Fact{{notice(WordSucceeded, 1).amount(9000)}, {notice(WordSucceeded, 2).amount(9500), refund("a", RefundSucceeded, 5, 3)}}, "unknown refunded", ""},
		{"paid twice, taken back, and paid again", [][]Fact{{elsewhere()}, {paidNotice(1)}, {refund("a", RefundSucceeded, 15000, 2)}, {back}, {notice(WordPending, 8)}, {refund("a", RefundFailed, 15000, 9)}},
			"succeeded duplicate refunded disputed reversed succeeded_late refund_failed", ""},
	} {
		w := newWorld(terms())
		for _, facts := range c.commits {
			w.commit(facts...)
		}
		if last := w.entries[len(w.entries)-1]; w.types() != c.want || last.Act != c.act || w.breach != "" {
			t.Errorf("%s: %q by %q, want %q by %q %s", c.name, w.types(), last.Act, c.want, c.act, w.breach)
		}
	}
}

// What changes nothing by itself makes a success that comes with it no act of a person.
func TestSilentDecisions(t *testing.T) {
	for _, a := range []Act{ActNote, ActIgnore, ActRefundProof} {
		w := newWorld(terms())
		w.commit(query(WordFailed, 1))
		w.commit(decision(a), paidQuery(2))
		if got := w.types(); got != "failed succeeded_late" {
			t.Errorf("%s: %q", a, got)
		}
	}
}

// A refusal names the standing in full, and a typed amount is compared however small it is.
func TestRefusalsInFull(t *testing.T) {
	differs := newWorld(terms())
	differs.commit(notice(WordSucceeded, 1).amount(1))
	check := func(w *world, d Fact) *Refusal {
		d.Saw = w.version
		var refusal *Refusal
		errors.As(CheckDecision(w.t, w.s, w.reviews, w.facts, d), &refusal)
		return refusal
	}
	if r := check(differs, decision(ActMoneyBack)); r == nil || !strings.Contains(r.Text, "while it is unknown (difference);") {
		t.Errorf("refused as %+v", r)
	}
	if r := check(newWorld(terms()), decision(ActMoneyBack)); r == nil || !strings.Contains(r.Text, "while it is pending;") {
		t.Errorf("refused as %+v", r)
	}
	accept, baseless := decision(ActAccept), vouched()
	accept.Basis, baseless.Basis = BasisElsewhere, ""
	taken := newWorld(terms())
	taken.commit(paidNotice(1), notice(WordReversed, 2))
	for _, c := range []struct {
		w    *world
		d    Fact
		says string
	}{
		{newWorld(terms()), baseless, `needs a basis: "gateway" or "elsewhere"`},
		{taken, vouched(), `choose "money_back"`},
		{differs, accept, `choose "mark_succeeded"`},
		{differs, decision(ActAccept).amount(2), `or choose "mark_succeeded"`},
	} {
		if r := check(c.w, c.d); r == nil || !strings.HasSuffix(r.Text, c.says) {
			t.Errorf("refused as %+v, want it to end in %s", r, c.says)
		}
	}
	if r := check(differs, decision(ActAccept).amount(2)); r == nil || r.Word != RefusedOther {
		t.Errorf("0.02 typed for 0.01: %+v", r)
	}
	rejected := newWorld(terms())
	for _, f := range []Fact{query(WordSucceeded, 5).amount(9500), decision(ActReject), notice(WordSucceeded, 6).amount(8000)} {
		rejected.commit(f)
	}
	if r := check(rejected, decision(ActAccept).amount(8000)); r != nil {
		t.Errorf("80.00 typed for 80.00, after 95.00 was rejected: %+v", r)
	}
}
