package payment

import (
	"encoding/json"
	"reflect"
	"testing"
)

// What the shop hears, commit by commit.
func TestTell(t *testing.T) {
	for _, c := range []struct {
		name    string
		t       Terms
		commits [][]Fact
		want    string
	}{
		{"authorised once", terms(), [][]Fact{{notice(WordAuthorised, 1)}, {query(WordAuthorised, 2)}, {paidNotice(3)}}, "authorised succeeded"},
		{"authorised and paid at once", terms(), [][]Fact{{notice(WordAuthorised, 1), paidNotice(3)}}, "succeeded"},
		{"said twice", terms(), [][]Fact{{paidNotice(1)}, {paidNotice(1)}, {paidQuery(2)}}, "succeeded"},
		{"refunded before anyone heard", terms(), [][]Fact{{refund("a", RefundSucceeded, 10000, 1)}, {paidNotice(2)}}, "refunded"},
		{"reversed before anyone heard", terms(), [][]Fact{{notice(WordReversed, 1)}, {paidNotice(2)}}, "reversed"},
		{"failed, then paid and refunded", terms(), [][]Fact{{query(WordFailed, 1)}, {refund("a", RefundSucceeded, 10000, 1)}, {paidNotice(2)}}, "failed refunded refunded"},
		{"failed, then paid with a lost dispute", terms(), [][]Fact{{query(WordFailed, 1)}, {dispute(DisputeLost, 10000, 1)}, {paidNotice(2)}}, "failed disputed reversed"},
		{"the refund fails after all", terms(), [][]Fact{{refund("a", RefundSucceeded, 10000, 1)}, {paidNotice(2)}, {refund("a", RefundFailed, 10000, 3)}}, "refunded succeeded refund_failed"},
		{"a refund fails, another is made", terms(), [][]Fact{{paidNotice(2)}, {refund("a", RefundFailed, 100, 3)}, {refund("b", RefundFailed, 100, 3)}, {refund("c", RefundSucceeded, 100, 3)}}, "succeeded refund_failed refund_failed refunded"},
		{"a refund shrinks", terms(), [][]Fact{{paidNotice(2)}, {refund("a", RefundSucceeded, 500, 3)}, {refund("a", RefundSucceeded, 400, 4)}}, "succeeded refunded refunded"},
		{"a dispute's course", terms(), [][]Fact{{paidNotice(2)}, {dispute(DisputeOpen, 10000, 3)}, {dispute(DisputeLost, 10000, 4)}, {dispute(DisputeWon, 10000, 5)}}, "succeeded disputed disputed reversed succeeded_late disputed"},
		{"lost in part is still paid", terms(), [][]Fact{{paidNotice(2)}, {dispute(DisputeLost, 4000, 3)}, {paidQuery(4)}}, "succeeded disputed reversed"},
		{"reversed in full after a part", terms(), [][]Fact{{paidNotice(2)}, {dispute(DisputeLost, 4000, 3)}, {notice(WordReversed, 4)}}, "succeeded disputed reversed reversed"},
		{"money is back", terms(), [][]Fact{{paidNotice(2)}, {notice(WordReversed, 4)}, {decision(ActMoneyBack)}}, "succeeded reversed succeeded"},
		{"reversed twice, back once", terms(), [][]Fact{{paidNotice(2)}, {notice(WordReversed, 4)}, {decision(ActMoneyBack)}, {notice(WordReversed, 9)}}, "succeeded reversed succeeded reversed"},
		{"a person undoes a success", terms(), [][]Fact{{vouched()}, {undo(1)}, {paidNotice(2)}}, "succeeded reversed succeeded_late"},
		{"a person undoes a failure", terms(), [][]Fact{{decision(ActMarkFailed)}, {undo(1)}, {query(WordFailed, 2)}}, "failed decided failed"},
		{"undone while authorised", terms(), [][]Fact{{vouched()}, {notice(WordAuthorised, 1)}, {undo(1)}}, "succeeded reversed authorised"},
		{"a note", terms(), [][]Fact{{paidNotice(1)}, {decision(ActNote)}, {undo(2)}}, "succeeded"},
		{"fulfilled after all", terms(), [][]Fact{{query(WordFailed, 1)}, {paidQuery(2)}, {decision(ActFulfil)}, {undo(4)}}, "failed succeeded_late decided decided"},
		{"unknown with more", terms(), [][]Fact{{notice(WordSucceeded, 1).amount(9000)}, {notice(WordSucceeded, 2).amount(9500)}}, "unknown unknown"},
		{"unknown, then contradiction", terms(), [][]Fact{{notice(WordSucceeded, 1).amount(9000)}, {query(WordFailed, 1)}, {query(WordFailed, 9)}, {paidNotice(2)}}, "unknown unknown"},
		{"confirmed amount differs", terms(), [][]Fact{{paidNotice(1)}, {query(WordSucceeded, 2).amount(9000)}}, "succeeded decided"},
		{"a person says failed twice", terms(), [][]Fact{{query(WordFailed, 1)}, {decision(ActMarkFailed)}, {decision(ActMarkFailed)}}, "failed decided"},
		{"cash beside the gateway", terms(), [][]Fact{{paidNotice(1)}, {elsewhere()}}, "succeeded duplicate"},
		{"cash after the gateway took it back", terms(), [][]Fact{{paidNotice(1)}, {notice(WordReversed, 2)}, {elsewhere()}}, "succeeded reversed succeeded"},
		{"closed order, paid, then reversed, then paid", terms(), [][]Fact{{shopClosed(1)}, {paidNotice(2)}, {dispute(DisputeLost, 10000, 3)}, {dispute(DisputeWon, 10000, 4)}}, "succeeded_late disputed reversed succeeded_late disputed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(c.t)
			for _, facts := range c.commits {
				w.commit(facts...)
			}
			if got := w.types(); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if w.breach != "" {
				t.Error(w.breach)
			}
		})
	}
}

// A second commit with nothing new has nothing to tell, whoever acted last.
func TestNothingIsToldTwice(t *testing.T) {
	for name, start := range startingPoints() {
		w := start()
		entries, told := Tell(w.s, w.facts, w.told, OrderContext{})
		if len(entries) != 0 || !reflect.DeepEqual(told, w.told) {
			t.Errorf("%s: %v told again", name, entries)
		}
		if _, due := Late(w.s, w.facts, w.told); due {
			t.Errorf("%s: late again", name)
		}
	}
}

func TestDuplicateIsToldWhenAnotherPaymentWas(t *testing.T) {
	for _, c := range []struct {
		name    string
		commits []Fact
		want    string
	}{
		{"success", []Fact{paidNotice(1)}, "duplicate"},
		{"late success", []Fact{query(WordFailed, 1), paidNotice(2)}, "failed duplicate"},
		{"by a person", []Fact{vouched()}, "duplicate"},
		{"paid twice itself", []Fact{notice(WordSucceeded, 1).amount(9000), elsewhere()}, "unknown duplicate"},
	} {
		w := newWorld(terms())
		w.other = true
		for _, f := range c.commits {
			w.commit(f)
		}
		if got := w.types(); got != c.want || w.breach != "" {
			t.Errorf("%s: %q, want %q %s", c.name, got, c.want, w.breach)
		}
	}
}

// Every success entry, and no other, carries the fulfil key; a decision names its act.
func TestEntriesCarryWhatTheyMust(t *testing.T) {
	w := newWorld(terms())
	for _, f := range []Fact{query(WordFailed, 1), paidQuery(2), decision(ActFulfil), elsewhere()} {
		w.commit(f)
	}
	want := []Entry{{Type: EventFailed}, {Type: EventSucceededLate, Fulfil: true}, {Type: EventDecided, Act: ActFulfil}, {Type: EventDuplicate, Fulfil: true}}
	var got []Entry
	for _, e := range w.entries {
		got = append(got, e.Entry)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Move does in one call what its doc comment says, and leaves the caller's facts alone.
func TestMove(t *testing.T) {
	facts := committed(7*second, query(WordFailed, 1))
	first := Move(terms(), facts, Told{}, OrderContext{})
	facts = append(facts, Fact{Kind: FactWord, Source: SourceQuery, Word: WordSucceeded, HasAmount: true, Amount: 10000, Currency: "PHP",
		OwnMs: 2, ID: 2, Version: 3, CommittedMs: 9 * second, Key: "q2"})
	m := Move(terms(), facts, first.Told, OrderContext{})
	late := Fact{Kind: FactLate, Source: SourceNodrop, Key: "late:1", Version: 3, OwnMs: 9 * second, CommittedMs: 9 * second}
	if len(m.Own) != 1 || m.Own[0] != late || len(facts) != 2 {
		t.Errorf("own facts %+v, want %+v", m.Own, late)
	}
	if picture(m.Standing) != "succeeded received=100 late" || reasons(m.Reviews) != "late" ||
		len(m.Entries) != 1 || m.Entries[0].Type != EventSucceededLate || m.Told.Last != m.Standing.Body() {
		t.Errorf("%+v", m)
	}
}

// The summary survives its way through the payment's row.
func TestToldAsJSON(t *testing.T) {
	w := newWorld(terms())
	for _, f := range []Fact{query(WordFailed, 1), paidQuery(2), refund("a", RefundFailed, 5, 3), dispute(DisputeOpen, 5, 3)} {
		w.commit(f)
	}
	text, err := json.Marshal(w.told)
	if err != nil {
		t.Fatal(err)
	}
	var back Told
	if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, w.told) {
		t.Errorf("%+v came back as %+v, %v", w.told, back, err)
	}
	if text, err := json.Marshal(Told{}); err != nil || string(text) != "{}" {
		t.Errorf("nothing told is %s, %v", text, err)
	}
}
