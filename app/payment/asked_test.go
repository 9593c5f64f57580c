package payment

import (
	"math"
	"math/bits"
	"testing"
)

// A hint of success is asked about at once and again ten minutes after the first answer, for answers may lag behind notices;
// anything else is asked about once.
func TestHintsOfSuccessAreAskedAboutTwice(t *testing.T) {
	hint, failed := paidNotice(5*second).hint(), query(WordFailed, 8*second)
	others := []Fact{asQuery(refund("a", RefundFailed, 1, 7500)), notice(WordPending, 7200)}
	over := gaveUp(WordPending, 50*hour)
	answered := func(at int64) AskState { return AskState{LastAskedMs: at, LastAnsweredMs: at, LastAnswer: WordFailed} }
	plan(t, []question{
		{"answered", terms(), committed(7*second, hint, failed), answered(8 * second), 8*second + 10*minute, 0, AskHint},
		{"answered twice", terms(), committed(7*second, hint, query(WordExpired, 9*second), failed, query(WordCancelled, 10*second)), answered(10 * second), 8*second + 10*minute, 0, AskHint},
		{"answered at the instant of its commit", terms(), committed(7*second, hint, query(WordExpired, 7*second), failed), answered(8 * second), 7*second + 10*minute, 0, AskHint},
		{"an answer from before", terms(), committed(7*second, query(WordFailed, 6*second), hint), answered(8 * second), 7*second + 10*minute, 0, AskHint},
		{"only answers count", terms(), committed(7*second, append(others, hint, failed)...), answered(8 * second), 8*second + 10*minute, 0, AskHint},
		{"denied after an unreadable answer", terms(), committed(7*second, hint, query(WordUnreadable, 8*second), query(WordFailed, 10*minute+8*second)), answered(10*minute + 8*second), 20*minute + 8*second, 0, AskHint},
		{"not denied so far", terms(), committed(60*hour, over, paidNotice(55*hour).hint(), query(WordUnreadable, 61*hour), query(WordPending, 60*hour+second)), answered(60*hour + 2*second), 60*hour + second + 10*minute, 0, AskHint},
		{"only answers count, though none denies", terms(), committed(60*hour, over, paidNotice(55*hour).hint(), asQuery(refund("a", RefundFailed, 1, 60*hour+1)), notice(WordPending, 60*hour+2), query(WordPending, 60*hour+second)), answered(60*hour + 2*second), 60*hour + second + 10*minute, 0, AskHint},
		{"answered again", terms(), committed(7*second, hint, failed), answered(11 * minute), 0, 0, ""},
		{"answered again just then", terms(), committed(7*second, hint, failed), answered(8*second + 10*minute), 0, 0, ""},
		{"asked in vain for long", terms(), committed(7*second, query(WordFailed, 6*second), hint), AskState{LastAskedMs: 5 * hour}, 10*hour - 7*second, 30 * minute, AskHint},
		{"a hint of failure", terms(), committed(60*hour, over, notice(WordFailed, 55*hour).hint()), answered(60*hour + second), 60*hour + 7*day, 0, AskWeekly},
		{"a verified notice", terms(), committed(60*hour, over, notice(WordSucceeded, 55*hour)), answered(60*hour + second), 60*hour + 7*day, 0, AskWeekly},
		{"forty days on", terms(), committed(40*day, query(WordFailed, 1), hint), answered(11 * day), 40 * day, 0, AskHint},
	})
}

func TestAskAtTheBorders(t *testing.T) {
	back := decision(ActMoneyBack)
	back.Saw = 4
	firstLate, lastLate := Fact{Kind: FactLate, Key: "late:1"}, Fact{Kind: FactLate, Key: "late:2", ID: 4, Version: 5, CommittedMs: minute}
	twice := append(committed(7*second, query(WordFailed, 1), paidNotice(2), firstLate), lastLate)
	graceful, atOnce := terms(), terms()
	graceful.GraceMs = 5 * second
	atOnce.ExpiresMs, atOnce.GraceMs = 1, 5*second
	deniedAt := int64(2*second + 10*minute)
	last := deniedAt + 30*day - 6*hour - spread("pay_1", uint64(bits.Len64(uint64(6*hour))), 6*hour)
	denied := committed(7*second, paidNotice(1), query(WordFailed, 2*second))
	unreadable := func(at int64) AskState {
		return AskState{LastAskedMs: at, LastAnsweredMs: at, LastAnswer: WordUnreadable}
	}
	plan(t, []question{
		{"a notice of the first millisecond", terms(), committed(1, notice(WordFailed, 1)), AskState{}, 1, 0, AskConfirm},
		{"asked at the instant of the commit", terms(), committed(7*second, query(WordFailed, 1), unmapped(2)), AskState{LastAskedMs: 7 * second, LastAnsweredMs: 7 * second}, 0, 0, ""},
		{"asked a millisecond before", terms(), committed(7*second, query(WordFailed, 1), unmapped(2)), AskState{LastAskedMs: 7*second - 1, LastAnsweredMs: 7*second - 1}, 7 * second, 0, AskConfirm},
		{"an expired notice", terms(), committed(7*second, notice(WordExpired, 1)), AskState{}, 7 * second, 0, AskConfirm},
		{"between the last rung and the end", terms(), committed(48*hour-5*minute, notice(WordFailed, 1)), AskState{LastAskedMs: 48*hour - 10*minute}, 48*hour - 5*minute, 0, AskConfirm},
		{"a hint of processing after failed", terms(), committed(7*second, query(WordFailed, 1), notice(WordProcessing, 2).hint()), AskState{}, 0, 0, ""},
		{"a hint of authorised", terms(), committed(7*second, notice(WordAuthorised, 2).hint()), AskState{}, 7 * second, 0, AskHint},
		{"a hint of a dispute", terms(), committed(7*second, paidNotice(1), dispute(DisputeLost, 1, 1).hint()), AskState{}, 7 * second, 0, AskHint},
		{"a hint that cannot be read", terms(), committed(7*second, unmapped(2).hint()), AskState{}, 7 * second, 0, AskHint},
		{"a final notice after expired", terms(), committed(7*second, query(WordExpired, 1), notice(WordFailed, 2)), AskState{}, 0, 0, ""},
		{"asked in vain", terms(), committed(7*second, query(WordFailed, 1), unmapped(2)), AskState{LastAskedMs: 8 * second}, 38*second + spread("pay_1", 15, 30*second), 0, AskConfirm},
		{"of two late facts the last", terms(), twice, AskState{LastAskedMs: 1, LastAnsweredMs: 1}, minute, 0, AskConfirm},
		{"no expiry, whatever the grace", graceful, nil, AskState{}, 30 * second, 3 * second, AskFirst},
		{"expired in the first millisecond", atOnce, nil, AskState{}, 5*second + 1, 0, AskExpiry},
		{"the money is back", terms(), committed(7*second, paidNotice(1), query(WordFailed, 2*second), query(WordFailed, 15*minute), back), AskState{}, 0, 0, ""},
		{"unreadable, the last time", terms(), denied, unreadable(last - 1), deniedAt + 30*day - 1, 0, AskAgain},
		{"unreadable for thirty days", terms(), denied, unreadable(last), 0, 0, ""},
	})
}

// What was asked about today is asked about tomorrow, not once more today.
func TestDailyQuestionIsAskedOnceADay(t *testing.T) {
	facts := committed(50*hour, gaveUp(WordProcessing, 50*hour))
	first := Ask(terms(), facts, AskState{LastAskedMs: 50 * hour, LastAnsweredMs: 50 * hour}, math.MaxInt64)
	next := Ask(terms(), facts, AskState{LastAskedMs: first.AskAtMs, LastAnsweredMs: first.AskAtMs}, math.MaxInt64)
	if want := 50*hour + day + spread("pay_1", 1, day); first.AskAtMs != want {
		t.Errorf("first asked at %d, want %d", first.AskAtMs, want)
	}
	if want := 50*hour + 2*day + spread("pay_1", 2, day); next.AskAtMs != want {
		t.Errorf("then asked at %d, want %d", next.AskAtMs, want)
	}
}

// After a clock was set back by an hour, an answer that seems to come from the future silences no new notice.
func TestNoticeAfterTheClockWasSetBack(t *testing.T) {
	facts := committed(50*second, query(WordFailed, 1), paidNotice(2).hint())
	p := Ask(terms(), facts, AskState{LastAskedMs: hour, LastAnsweredMs: hour, LastAnswer: WordFailed}, 50*second)
	between(t, p.AskAtMs, 80*second, 83*second)
	if p.AskKind != AskHint {
		t.Errorf("asked as %q, want a hint", p.AskKind)
	}
	p = Ask(terms(), committed(7*second, query(WordFailed, 1), unmapped(2)), AskState{LastAskedMs: 8 * second, LastAnsweredMs: 8 * second}, 8*second)
	if p != (Plan{}) {
		t.Errorf("an answer of this very instant is taken for none: %+v", p)
	}
}

func TestHoldsAtTheBorders(t *testing.T) {
	final := func(id, at int64) Fact {
		return Fact{Kind: FactWord, Source: SourceNotice, Word: WordFailed, ID: id, CommittedMs: at}
	}
	open := Plan{AskAtMs: 48 * hour, AskKind: AskGiveUp}
	for _, c := range []struct {
		name  string
		facts []Fact
		want  Plan
	}{
		{"of two at once the smaller id", []Fact{final(8, 0), final(9, 0)}, Plan{48 * hour, AskGiveUp, 10 * minute, 8}},
		{"the earlier, though its id is greater", []Fact{final(9, 0), final(8, second)}, Plan{48 * hour, AskGiveUp, 10 * minute, 9}},
		{"a notice that waits is not held", committed(minute, notice(WordPending, 1)), open},
		{"nor a notice amid a contradiction", committed(minute, query(WordFailed, 5*minute), paidNotice(10*minute), query(WordFailed, 25*minute), notice(WordFailed, 26*minute)), Plan{}},
		{"nor is an answer", committed(minute, query(WordFailed, 1)), Plan{}},
	} {
		if got := Ask(noQuery(), c.facts, AskState{}, math.MaxInt64); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestGiveUpAtItsVeryTime(t *testing.T) {
	asked := AskState{LastAskedMs: 48 * hour, LastAnsweredMs: 48 * hour, LastAnswer: WordPending}
	if _, due := GaveUp(terms(), nil, asked, 48*hour); !due {
		t.Error("an answer asked for at give-up time does not count")
	}
}

func personSaw(d Fact, version int64) Fact {
	d.Saw = version
	return d
}

func TestKeepAtTheBorders(t *testing.T) {
	blind := notice(WordSucceeded, 5)
	for _, c := range []struct {
		name  string
		facts []Fact
		last  Word
		f     Fact
		want  bool
	}{
		{"a denial at the claim's own instant", committed(1, query(WordFailed, 1), paidNotice(9)), WordFailed, query(WordFailed, 9), false},
		{"a denial a millisecond later", committed(1, query(WordFailed, 1), paidNotice(8)), WordFailed, query(WordFailed, 9), true},
		{"asked at the hint's own instant", committed(1, query(WordPending, 1), notice(WordFailed, 9).hint()), WordPending, query(WordPending, 9), false},
		{"a final word later than another", committed(1, query(WordExpired, 7)), WordFailed, query(WordFailed, 9), true},
		{"after giving up", committed(1, query(WordPending, 1), gaveUp(WordPending, 5)), WordPending, query(WordPending, 9), false},
		{"a success without an amount waits", committed(1, query(WordPending, 1), blind), WordPending, query(WordPending, 9), true},
		{"a denial that a later question overtook", committed(1, query(WordFailed, 25*minute)), WordFailed, query(WordFailed, 5*minute), true},
		{"a success of the amount that a notice told", committed(1, paidQuery(5), personSaw(decision(ActMarkFailed), 3), notice(WordSucceeded, 6).amount(9000)), WordSucceeded, query(WordSucceeded, 9).amount(9000), true},
		{"the same success in another currency", committed(1, query(WordSucceeded, 5).amount(9000), personSaw(decision(ActMarkFailed), 3), notice(WordSucceeded, 6).amount(9000).in("USD")), WordSucceeded, query(WordSucceeded, 9).amount(9000).in("USD"), true},
		{"the success that was told last", committed(1, query(WordSucceeded, 6).amount(9000), paidQuery(5)), WordSucceeded, query(WordSucceeded, 9).amount(9000), false},
		{"the success that was told last, and came last", committed(1, paidQuery(5), query(WordSucceeded, 6).amount(9000)), WordSucceeded, query(WordSucceeded, 9).amount(9000), false},
		{"waiting again after a success", committed(1, paidQuery(5), query(WordPending, 6)), WordPending, query(WordPending, 9), false},
		{"the last question's own answer", committed(1, query(WordFailed, 9)), WordFailed, query(WordFailed, 9), false},
		{"a success that a later question overtook", committed(1, paidQuery(25*minute)), WordSucceeded, paidQuery(5 * minute), true},
		{"waiting that a later question overtook", committed(1, query(WordPending, 25*minute)), WordPending, query(WordPending, 5*minute), false},
		{"one with an amount does not", committed(1, query(WordPending, 1), blind.amount(9000)), WordPending, query(WordPending, 9), false},
	} {
		asked := AskState{LastAnswer: c.last, LastAnsweredMs: c.facts[0].OwnMs}
		if got := Keep(terms(), c.facts, asked, c.f); got != c.want {
			t.Errorf("%s: kept is %t", c.name, got)
		}
	}
	if !Unconfirmed(terms(), committed(1, query(WordFailed, 1), blind)) {
		t.Error("a success without an amount, after a failure, needs no answer")
	}
}
