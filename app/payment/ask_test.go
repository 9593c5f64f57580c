package payment

import (
	"math"
	"slices"
	"testing"
)

// committed gives facts ids, versions and the instant of their commit.
func committed(at int64, facts ...Fact) []Fact {
	for i := range facts {
		facts[i].ID, facts[i].Version, facts[i].CommittedMs = int64(i+1), int64(i+2), at
	}
	return facts
}

// between checks an instant that may have a jitter of up to a tenth of its gap.
func between(t *testing.T, got, least, most int64) {
	t.Helper()
	if got < least || got > most {
		t.Errorf("at %d, want from %d to %d", got, least, most)
	}
}

func TestRungsFollowTheDefaultSchedule(t *testing.T) {
	tm := terms()
	tm.CreatedMs, tm.GiveUpMs = 1_000_000, 1_000_000+72*hour
	rungs := rungsOf(tm, 100)
	want := []int64{30 * second, minute, 2 * minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day}
	if len(rungs) != len(want) {
		t.Fatalf("%d rungs, want %d before give-up time", len(rungs), len(want))
	}
	var before int64
	for i, offset := range want {
		between(t, rungs[i]-tm.CreatedMs, offset, offset+(offset-before)/10)
		before = offset
	}
}

func TestJitterDiffersByPaymentAndIsReproducible(t *testing.T) {
	a, b := terms(), terms()
	b.PaymentID = "pay_2"
	first, again, other := rungsOf(a, 5), rungsOf(a, 5), rungsOf(b, 5)
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("rungs %v, again %v, of another payment %v", first, again, other)
	}
}

func TestRungsAscendWhateverTheSchedule(t *testing.T) {
	for _, schedule := range [][]int64{{0, 0, 0}, {hour, second, minute}, {-5, 10}, {20 * hour}, {second, second}, {math.MaxInt64}, {12 * hour, 13 * hour}} {
		tm := terms()
		tm.QueryScheduleMs, tm.GiveUpMs = schedule, 10*day
		var last int64 = -1
		for _, at := range rungsOf(tm, 200) {
			if at <= last {
				t.Errorf("schedule %v: %d follows %d", schedule, at, last)
			}
			last = at
		}
		if last >= tm.GiveUpMs {
			t.Errorf("schedule %v: a rung at %d after give-up time", schedule, last)
		}
	}
}

// The ladder ends at give-up time, on whichever of its parts that falls.
func TestRungsEndAtGiveUpTime(t *testing.T) {
	for end, want := range map[int64]int{10 * second: 0, 90 * second: 2, 90 * minute: 6, 10 * hour: 8, 20 * hour: 9, 30 * hour: 10} {
		tm := terms()
		tm.GiveUpMs = end
		if got := len(rungsOf(tm, 100)); got != want {
			t.Errorf("given up after %d ms: %d rungs, want %d", end, got, want)
		}
	}
}

func TestLateRungIsNeverBeforeItsOffset(t *testing.T) {
	tm := terms()
	tm.GiveUpMs = 400 * day
	at, kind := nextRung(&tm, 300*day+3*hour)
	between(t, at, 301*day, 301*day+day/10)
	if kind != AskTail {
		t.Errorf("kind %s, want tail", kind)
	}
	if at, _ := nextRung(&tm, 400*day); at != 0 {
		t.Errorf("a rung at %d after give-up time", at)
	}
}

// question is what is known of a payment, and when and why it is to be asked about next.
type question struct {
	name  string
	t     Terms
	facts []Fact
	asked AskState
	at    int64
	slack int64 // of the jitter
	kind  AskKind
}

func plan(t *testing.T, questions []question) {
	t.Helper()
	for _, c := range questions {
		t.Run(c.name, func(t *testing.T) {
			p := Ask(c.t, c.facts, c.asked, math.MaxInt64)
			if p.AskKind != c.kind {
				t.Errorf("kind %q, want %q", p.AskKind, c.kind)
			}
			between(t, p.AskAtMs, c.at, c.at+c.slack)
			if p.HoldAtMs != 0 || p.HoldRefers != 0 {
				t.Errorf("a hold %+v where there is a query", p)
			}
		})
	}
}

func TestAskWhileOpen(t *testing.T) {
	expiring := terms()
	expiring.ExpiresMs, expiring.GraceMs = 20*second, 5*second
	plan(t, []question{
		{"new", terms(), nil, AskState{}, 30 * second, 3 * second, AskFirst},
		{"asked once", terms(), nil, AskState{LastAskedMs: 40 * second}, minute, 3 * second, AskFirst},
		{"after an hour", terms(), nil, AskState{LastAskedMs: 2 * hour, LastAnsweredMs: 2 * hour}, 3 * hour, 12 * minute, AskTail},
		{"expiry", expiring, nil, AskState{}, 25 * second, 0, AskExpiry},
		{"expiry answered", expiring, nil, AskState{LastAskedMs: 26 * second, LastAnsweredMs: 27 * second}, 30 * second, 3 * second, AskFirst},
		{"expiry asked in vain", expiring, nil, AskState{LastAskedMs: 50 * minute}, hour, 5 * minute, AskFirst},
		{"give-up time", terms(), nil, AskState{LastAskedMs: 47 * hour, LastAnsweredMs: 47 * hour}, 48 * hour, 0, AskGiveUp},
		{"give-up asked in vain", terms(), nil, AskState{LastAskedMs: 48 * hour, LastAnsweredMs: 47 * hour}, 48*hour + 30*second, 3 * second, AskGiveUp},
		{"give-up asked in vain for long", terms(), nil, AskState{LastAskedMs: 100 * hour, LastAnsweredMs: 47 * hour}, 106 * hour, hour, AskGiveUp},
	})
}

func TestAskToConfirmNotices(t *testing.T) {
	person := decision(ActMarkFailed)
	person.Saw = 99
	plan(t, []question{
		{"final notice", terms(), committed(7*second, notice(WordFailed, 5*second)), AskState{}, 7 * second, 0, AskConfirm},
		{"final notice asked in vain", terms(), committed(7*second, notice(WordExpired, 5*second)), AskState{LastAskedMs: 7 * second}, 30 * second, 3 * second, AskFirst},
		{"final notice answered", terms(), committed(7*second, notice(WordFailed, 5*second)), AskState{LastAskedMs: 8 * second, LastAnsweredMs: 9 * second}, 30 * second, 3 * second, AskFirst},
		{"final notice after a success", terms(), committed(7*second, paidNotice(1), notice(WordCancelled, 2)), AskState{}, 7 * second, 0, AskConfirm},
		{"final notice after failed", terms(), committed(7*second, query(WordFailed, 1), notice(WordFailed, 2)), AskState{}, 0, 0, ""},
		{"final notice after abandoned", terms(), committed(60*hour, gaveUp(WordPending, 50*hour), notice(WordFailed, 2)), AskState{LastAskedMs: 50 * hour}, 60 * hour, 0, AskConfirm},
		{"final notice that a person saw", terms(), committed(7*second, notice(WordFailed, 2), person), AskState{}, 0, 0, ""},
		{"hint", terms(), committed(7*second, paidNotice(5*second).hint()), AskState{}, 7 * second, 0, AskHint},
		{"hint of what is known", terms(), committed(7*second, paidNotice(1), paidNotice(5*second).hint()), AskState{}, 0, 0, ""},
		{"hint of processing", terms(), committed(7*second, notice(WordProcessing, 1).hint()), AskState{}, 7 * second, 0, AskHint},
		{"hint of waiting", terms(), committed(7*second, notice(WordPending, 1).hint()), AskState{}, 30 * second, 3 * second, AskFirst},
		{"report line", terms(), committed(60*hour, gaveUp(WordPending, 50*hour), paidNotice(1).report()), AskState{LastAskedMs: 50 * hour}, 60 * hour, 0, AskHint},
		{"success without an amount", terms(), committed(7*second, notice(WordSucceeded, 1)), AskState{}, 7 * second, 0, AskConfirm},
		{"another amount", terms(), committed(7*second, notice(WordSucceeded, 1).amount(9000)), AskState{}, 7 * second, 0, AskConfirm},
		{"another amount by query", terms(), committed(7*second, query(WordSucceeded, 1).amount(9000)), AskState{}, 0, 0, ""},
		{"success", terms(), committed(7*second, paidNotice(1)), AskState{}, 0, 0, ""},
	})
}

func TestAskWhatIsSettled(t *testing.T) {
	late := Fact{Kind: FactLate, Source: SourceNodrop, Key: "late:1"}
	plan(t, []question{
		{"late success", terms(), committed(7*second, query(WordFailed, 1), paidNotice(2), late), AskState{LastAskedMs: 1, LastAnsweredMs: 2}, 7 * second, 0, AskConfirm},
		{"late success confirmed", terms(), committed(7*second, query(WordFailed, 1), paidQuery(2), late), AskState{}, 0, 0, ""},
		{"denial after a success", terms(), committed(7*second, paidNotice(1), query(WordFailed, 2*second)), AskState{LastAskedMs: 2 * second, LastAnsweredMs: 3 * second}, 2*second + 10*minute, 0, AskAgain},
		{"asked again, unreadable", terms(), committed(7*second, paidNotice(1), query(WordFailed, 2*second)), AskState{LastAskedMs: 11 * minute, LastAnsweredMs: 11 * minute, LastAnswer: WordUnreadable}, 11*minute + 58*second, 6 * second, AskAgain},
		{"asked again, waiting", terms(), committed(7*second, paidNotice(1), query(WordFailed, 2*second)), AskState{LastAskedMs: 11 * minute, LastAnsweredMs: 11 * minute, LastAnswer: WordPending}, 0, 0, ""},
		{"asked again, unreadable for a month", terms(), committed(7*second, paidNotice(1), query(WordFailed, 2*second)), AskState{LastAskedMs: 31 * day, LastAnsweredMs: 31 * day, LastAnswer: WordUnreadable}, 0, 0, ""},
		{"denied twice", terms(), committed(7*second, paidNotice(1), query(WordFailed, 2*second), query(WordFailed, 11*minute)), AskState{}, 0, 0, ""},
		{"denial of money from elsewhere", terms(), committed(7*second, paidNotice(1), elsewhere(), query(WordFailed, 2*second)), AskState{}, 0, 0, ""},
		{"hint of a refund, not borne out", terms(), returned(), asked(8*second, WordSucceeded), 10*minute + 8*second, 0, AskHint},
		{"the same at the second question", terms(), returned(), asked(11*minute, WordSucceeded), 0, 0, ""},
		{"the same, unreadable", terms(), returned(), asked(11*minute, WordUnreadable), 11*minute + 52*second, 6 * second, AskHint},
		{"the same, borne out", terms(), returned(asQuery(refund("a", RefundSucceeded, 1, 8*second))), asked(8*second, WordSucceeded), 0, 0, ""},
		{"hint of a success, denied by what lags behind", terms(), doubted(query(WordFailed, 8*second)), asked(8*second, WordFailed), 10*minute + 8*second, 0, AskHint},
		{"the same, unknown at first", terms(), doubted(query(WordNotFound, 8*second)), asked(8*second, WordNotFound), 30 * second, 3 * second, AskFirst},
		{"the same, denied for the first time at the second question", terms(), doubted(query(WordNotFound, 8*second), query(WordFailed, 11*minute)), asked(11*minute, WordFailed), 21 * minute, 0, AskHint},
		{"the same, unreadable at the third", terms(), doubted(query(WordNotFound, 8*second), query(WordFailed, 11*minute)), asked(22*minute, WordUnreadable), 23 * minute, 6 * second, AskHint},
		{"the same, unknown and then unreadable", terms(), doubted(query(WordNotFound, 8*second)), asked(11*minute, WordUnreadable), 15 * minute, 61 * second, AskFirst},
		{"the same, denied twice", terms(), doubted(query(WordNotFound, 8*second), query(WordFailed, 11*minute)), asked(21*minute, WordFailed), 0, 0, ""},
		{"unmapped", terms(), committed(7*second, unmapped(1)), AskState{}, 7 * second, 0, AskConfirm},
		{"reversed", terms(), committed(7*second, paidNotice(1), notice(WordReversed, 2)), AskState{}, 7 * second, 0, AskConfirm},
		{"hint of reversed", terms(), committed(7*second, paidNotice(1), notice(WordReversed, 2).hint()), AskState{}, 7 * second, 0, AskHint},
		{"refund before success", terms(), committed(7*second, refund("a", RefundSucceeded, 1, 1)), AskState{}, 7 * second, 0, AskConfirm},
		{"refund after success", terms(), committed(7*second, paidNotice(1), refund("a", RefundSucceeded, 1, 1)), AskState{}, 0, 0, ""},
		{"hint of a refund", terms(), committed(7*second, paidNotice(1), refund("a", RefundSucceeded, 1, 1).hint()), AskState{}, 7 * second, 0, AskHint},
		{"failed", terms(), committed(7*second, query(WordFailed, 1)), AskState{}, 0, 0, ""},
		{"abandoned", terms(), []Fact{gaveUp(WordPending, 50*hour)}, AskState{LastAskedMs: 50 * hour, LastAnsweredMs: 50 * hour}, 50*hour + 7*day, 0, AskWeekly},
		{"abandoned, a week later", terms(), []Fact{gaveUp(WordPending, 50*hour)}, AskState{LastAskedMs: 60 * hour * 5, LastAnsweredMs: 60 * hour * 5}, 0, 0, ""},
		{"no answer", terms(), []Fact{gaveUp(WordProcessing, 50*hour)}, AskState{LastAskedMs: 50 * hour, LastAnsweredMs: 50 * hour}, 74 * hour, 144 * minute, AskDaily},
		{"no answer, day 29", terms(), []Fact{gaveUp(WordProcessing, 50*hour)}, AskState{LastAskedMs: 50*hour + 29*day + 5*hour}, 50*hour + 30*day, 144 * minute, AskDaily},
		{"no answer, after thirty days", terms(), []Fact{gaveUp(WordProcessing, 50*hour)}, AskState{LastAskedMs: 50*hour + 31*day}, 0, 0, ""},
	})
}

// doubted are the answers after a hint of a success that came at seven seconds.
func doubted(answers ...Fact) []Fact {
	return committed(7*second, append([]Fact{paidNotice(5 * second).hint()}, answers...)...)
}

// returned are the answers after a hint of a refund that came at seven seconds.
func returned(answers ...Fact) []Fact {
	said := []Fact{paidNotice(1), refund("a", RefundSucceeded, 1, 5*second).hint(), paidQuery(8 * second)}
	return committed(7*second, append(said, answers...)...)
}

func asked(at int64, last Word) AskState {
	return AskState{LastAskedMs: at, LastAnsweredMs: at, LastAnswer: last}
}

// A clock that was set back by an hour does not silence a payment for an hour.
func TestClockSetBack(t *testing.T) {
	p := Ask(terms(), nil, AskState{LastAskedMs: hour, LastAnsweredMs: hour}, 50*second)
	between(t, p.AskAtMs, minute, minute+3*second)
}

func TestHolds(t *testing.T) {
	n := notice(WordFailed, 1)
	later := notice(WordExpired, 2)
	for _, c := range []struct {
		name  string
		facts []Fact
		want  Plan
	}{
		{"none", nil, Plan{AskAtMs: 48 * hour, AskKind: AskGiveUp}},
		{"failed notice", committed(minute, n), Plan{48 * hour, AskGiveUp, 11 * minute, 1}},
		{"the earlier of two", append(committed(minute, n), Fact{Kind: FactWord, Source: SourceNotice, Word: WordExpired, ID: 2, CommittedMs: second}), Plan{48 * hour, AskGiveUp, 10*minute + second, 2}},
		{"the first of two at once", []Fact{{Kind: FactWord, Source: SourceNotice, Word: WordFailed, ID: 9}, {Kind: FactWord, Source: SourceNotice, Word: WordExpired, ID: 8}}, Plan{48 * hour, AskGiveUp, 10 * minute, 8}},
		{"over", committed(minute, n, holdOver(1)), Plan{}},
		{"one over, another not", committed(minute, n, holdOver(1), later), Plan{HoldAtMs: 11 * minute, HoldRefers: 3}},
		{"hint", committed(minute, notice(WordFailed, 1).hint()), Plan{AskAtMs: 48 * hour, AskKind: AskGiveUp}},
		{"paid", committed(minute, n, paidNotice(2)), Plan{}},
		{"difference", committed(minute, n, notice(WordSucceeded, 2)), Plan{}},
		{"decided", committed(minute, n, decision(ActMarkFailed)), Plan{}},
		{"runs beyond give-up time", committed(48*hour, n), Plan{48*hour + 10*minute, AskGiveUp, 48*hour + 10*minute, 1}},
		{"no answer", append(committed(minute, gaveUp("", hour)), Fact{Kind: FactWord, Source: SourceNotice, Word: WordFailed, ID: 2, CommittedMs: day}), Plan{HoldAtMs: day + 10*minute, HoldRefers: 2}},
	} {
		if got := Ask(noQuery(), c.facts, AskState{}, math.MaxInt64); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestGaveUp(t *testing.T) {
	payer := terms()
	payer.PayerCreates = true
	const after = 48*hour + second
	answered := func(w Word, heard bool) AskState {
		return AskState{LastAskedMs: after, LastAnsweredMs: after, LastAnswer: w, EverHeard: heard}
	}
	for _, c := range []struct {
		name  string
		t     Terms
		facts []Fact
		asked AskState
		at    int64
		want  string // standing then, "" if not due
	}{
		{"before its time", terms(), nil, answered(WordPending, true), 48*hour - 1, ""},
		{"never answered", terms(), nil, AskState{LastAskedMs: after}, after, ""},
		{"waiting", terms(), nil, answered(WordPending, true), after, "closed/abandoned"},
		{"attempt failed", terms(), nil, answered(WordAttemptFailed, true), after, "closed/abandoned"},
		{"processing", terms(), nil, answered(WordProcessing, true), after, "unknown/no_answer"},
		{"authorised", terms(), nil, answered(WordAuthorised, true), after, "unknown/no_answer"},
		{"unreadable", terms(), nil, answered(WordUnreadable, true), after, "unknown/no_answer"},
		{"not found", terms(), nil, answered(WordNotFound, false), after, "unknown/no_answer"},
		{"not found, payer creates", payer, nil, answered(WordNotFound, false), after, "closed/abandoned"},
		{"not found, payer creates, heard once", payer, nil, answered(WordNotFound, true), after, "unknown/no_answer"},
		{"not found, payer creates, always so", payer, committed(1, query(WordNotFound, 1)), answered(WordNotFound, false), after, "closed/abandoned"},
		{"not found, payer creates, a notice came", payer, committed(1, notice(WordPending, 1)), answered(WordNotFound, false), after, "unknown/no_answer"},
		{"not found, payer creates, a refund came", payer, committed(1, refund("a", RefundPending, 1, 1)), answered(WordNotFound, false), after, "unknown/no_answer"},
		{"not found, payer creates, a dispute came", payer, committed(1, dispute(DisputeWon, 1, 1)), answered(WordNotFound, false), after, "unknown/no_answer"},
		{"not found, payer creates, an unmapped word came", payer, committed(1, unmapped(1)), answered(WordNotFound, false), after, "unknown/no_answer"},
		{"paid", terms(), committed(1, paidNotice(1)), answered(WordPending, true), after, ""},
		{"given up already", terms(), committed(1, gaveUp(WordProcessing, 1)), answered(WordPending, true), after, ""},
		{"no query", noQuery(), nil, AskState{}, after, "unknown/no_answer"},
		{"no query, before its time", noQuery(), nil, AskState{}, hour, ""},
		{"no query, a hold runs", noQuery(), committed(1, notice(WordFailed, 1)), AskState{}, after, ""},
	} {
		f, due := GaveUp(c.t, c.facts, c.asked, c.at)
		if due != (c.want != "") {
			t.Errorf("%s: due is %t", c.name, due)
			continue
		}
		if !due {
			continue
		}
		if s, _ := Stand(c.t, append(c.facts, f)); picture(s) != c.want || f.CommittedMs != c.at || f.Key != "gave_up" || f.Source != SourceTimer {
			t.Errorf("%s: %s with %+v, want %s", c.name, picture(s), f, c.want)
		}
	}
}

func TestKeep(t *testing.T) {
	person := decision(ActMarkSucceeded)
	person.Saw = 99
	for _, c := range []struct {
		name  string
		facts []Fact
		last  Word
		f     Fact
		want  bool
	}{
		{"a notice", nil, WordFailed, notice(WordFailed, 1), true},
		{"the first answer", nil, "", query(WordPending, 1), true},
		{"the same again", committed(1, query(WordPending, 1)), WordPending, query(WordPending, 9), false},
		{"another word", committed(1, query(WordPending, 1)), WordPending, query(WordNotFound, 9), true},
		{"success again", committed(1, paidQuery(1)), WordSucceeded, paidQuery(9), false},
		{"success of another amount", committed(1, paidQuery(1)), WordSucceeded, query(WordSucceeded, 9).amount(9000), true},
		{"a hint waits", committed(1, query(WordFailed, 1), paidNotice(2).hint()), WordFailed, query(WordFailed, 9), true},
		{"a hint has its answer", committed(1, query(WordFailed, 1), paidNotice(2).hint(), query(WordFailed, 3)), WordFailed, query(WordFailed, 9), false},
		{"an unmapped word waits", committed(1, paidQuery(1), unmapped(2)), WordSucceeded, paidQuery(9), true},
		{"an unmapped word is later", committed(1, paidQuery(1), unmapped(12)), WordSucceeded, paidQuery(9), false},
		{"the first denial after a notice", committed(1, query(WordFailed, 1), paidNotice(2)), WordFailed, query(WordFailed, 9), true},
		{"the second denial too soon", committed(1, paidNotice(2), query(WordFailed, 5*minute)), WordFailed, query(WordFailed, 14*minute), false},
		{"the second denial in time", committed(1, paidNotice(2), query(WordFailed, 5*minute)), WordFailed, query(WordFailed, 15*minute), true},
		{"the third denial", committed(1, paidNotice(2), query(WordFailed, 5*minute), query(WordFailed, 15*minute)), WordFailed, query(WordFailed, 25*minute), false},
		{"the first denial after a person's word", committed(1, query(WordFailed, 1), person), WordFailed, query(WordFailed, 9), true},
		{"a refund is new", nil, "", asQuery(refund("a", RefundSucceeded, 5, 1)), true},
		{"a refund is known", committed(1, refund("a", RefundSucceeded, 5, 1)), "", asQuery(refund("a", RefundSucceeded, 5, 9)), false},
		{"a refund has moved on", committed(1, refund("a", RefundPending, 5, 1)), "", asQuery(refund("a", RefundSucceeded, 5, 9)), true},
		{"a running total beside the same single", committed(1, refund("total", RefundSucceeded, 5, 1)), "", asQuery(running(5, 9)), true},
		{"a dispute beside the same refund", committed(1, named(refund("a", DisputeOpen, 5, 1), "dp_1")), "", asQuery(dispute(DisputeOpen, 5, 9)), true},
		{"another refund", committed(1, refund("a", RefundSucceeded, 5, 1)), "", asQuery(refund("b", RefundSucceeded, 5, 9)), true},
		{"a refund of more", committed(1, refund("a", RefundSucceeded, 5, 1)), "", asQuery(refund("a", RefundSucceeded, 6, 9)), true},
		{"a refund in another currency", committed(1, refund("a", RefundSucceeded, 5, 1)), "", asQuery(refund("a", RefundSucceeded, 5, 9).in("USD")), true},
		{"a dispute is known beside a success", committed(1, paidQuery(1), dispute(DisputeOpen, 5, 1)), WordSucceeded, asQuery(dispute(DisputeOpen, 5, 9)), false},
		{"a dispute is known", committed(1, dispute(DisputeOpen, 5, 1)), "", asQuery(dispute(DisputeOpen, 5, 9)), false},
	} {
		if got := Keep(terms(), c.facts, AskState{LastAnswer: c.last}, c.f); got != c.want {
			t.Errorf("%s: kept is %t", c.name, got)
		}
	}
}

func asQuery(f Fact) Fact {
	f.Source = SourceQuery
	return f
}

func TestUnconfirmed(t *testing.T) {
	person := decision(ActMarkFailed)
	person.Saw = 99
	for _, c := range []struct {
		name  string
		facts []Fact
		want  bool
	}{
		{"nothing", nil, false},
		{"failed", committed(1, query(WordFailed, 1)), false},
		{"hint of success after failed", committed(1, query(WordFailed, 1), paidNotice(2).hint()), true},
		{"the same answered since", committed(1, query(WordFailed, 1), paidNotice(2).hint(), query(WordFailed, 3)), false},
		{"the same seen by a person", committed(1, query(WordFailed, 1), paidNotice(2).hint(), person), false},
		{"hint of failure after failed", committed(1, query(WordFailed, 1), notice(WordFailed, 2).hint()), false},
		{"report of success after failed", committed(1, query(WordFailed, 1), paidNotice(2).report()), true},
		{"unmapped after failed", committed(1, query(WordFailed, 1), unmapped(2)), true},
		{"hint of a refund after failed", committed(1, query(WordFailed, 1), refund("a", RefundSucceeded, 1, 2).hint()), true},
		{"hint of a dispute after failed", committed(1, query(WordFailed, 1), dispute(DisputeLost, 1, 2).hint()), true},
		{"verified notice", committed(1, query(WordFailed, 1), notice(WordFailed, 2)), false},
	} {
		if got := Unconfirmed(terms(), c.facts); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}

// rungsOf lists the first instants, at most limit, at which an open payment is asked about.
func rungsOf(t Terms, limit int) []int64 {
	var list []int64
	at := int64(0)
	for len(list) < limit {
		if at, _ = nextRung(&t, at); at == 0 {
			break
		}
		list = append(list, at)
	}
	return list
}
