package payment

import (
	"math"
	"testing"
)

// A refund or dispute that is still under way when its wait is over is in front of a person until it has ended.
func TestReturnsWithoutAnEnd(t *testing.T) {
	total := running(3000, 2)
	total.Status, total.Ref = RefundPending, "a"
	pending, open := refund("a", RefundPending, 3000, 2), dispute(DisputeOpen, 4000, 2)
	play(t, []history{
		{"under way", terms(), []Fact{paidNotice(1), pending}, "succeeded received=100", ""},
		{"its wait is over", terms(), []Fact{paidNotice(1), pending, holdOver(2)}, "succeeded received=100", "return_waits:refund:a"},
		{"the wait of another", terms(), []Fact{paidNotice(1), pending, named(refund("a", RefundPending, 3000, 2), "b"), holdOver(2)}, "succeeded received=100", "return_waits:refund:a"},
		{"said again since", terms(), []Fact{paidNotice(1), pending, holdOver(2), refund("a", RefundPending, 3000, 9)}, "succeeded received=100", "return_waits:refund:a"},
		{"then refunded", terms(), []Fact{paidNotice(1), pending, holdOver(2), refund("a", RefundSucceeded, 3000, 9)}, "succeeded received=100 refunded=30", ""},
		{"then failed", terms(), []Fact{paidNotice(1), pending, holdOver(2), refund("a", RefundFailed, 3000, 9)}, "succeeded received=100", ""},
		{"a dispute", terms(), []Fact{paidNotice(1), open, holdOver(2)}, "succeeded received=100 disputed=40", "return_waits:dispute:dp_1"},
		{"then won", terms(), []Fact{paidNotice(1), open, holdOver(2), dispute(DisputeWon, 4000, 3)}, "succeeded received=100", ""},
		{"then lost", terms(), []Fact{paidNotice(1), open, holdOver(2), dispute(DisputeLost, 4000, 3)}, "succeeded received=100 disputed=40 reversed=40", "reversed!"},
		{"before any success", terms(), []Fact{pending, holdOver(1)}, "pending", "return_waits:refund:a"},
		{"left as it is", terms(), []Fact{paidNotice(1), pending, holdOver(2), ignored("return_waits:refund:a")}, "succeeded received=100", ""},
		{"left, then said again", terms(), []Fact{paidNotice(1), pending, holdOver(2), ignored("return_waits:refund:a"), refund("a", RefundPending, 3000, 9)}, "succeeded received=100", "return_waits:refund:a"},
		{"only a hint", terms(), []Fact{paidNotice(1), pending.hint(), holdOver(2)}, "succeeded received=100", ""},
		{"a hint, then a notice", terms(), []Fact{paidNotice(1), refund("a", RefundPending, 3000, 1).hint(), pending, holdOver(2)}, "succeeded received=100", ""},
		{"a single and a running total under one ref", terms(), []Fact{paidNotice(1), pending, total, holdOver(2), holdOver(3)}, "succeeded received=100", "return_waits:refund:a"},
	})
}

// A refund or dispute that is under way is asked about daily for thirty days from its first word, and a day later a
// person is asked, whether or not the gateway can be.
func TestReturnsAreAskedAboutForAMonth(t *testing.T) {
	pending := committed(hour, paidNotice(1), refund("a", RefundPending, 1, 1))
	open := committed(hour, paidNotice(1), dispute(DisputeOpen, 1, 1))
	again := append(committed(hour, paidNotice(1), refund("a", RefundPending, 1, 1)),
		Fact{Kind: FactRefund, Source: SourceNotice, Ref: "a", Status: RefundPending, OwnMs: 20 * day, ID: 3, Version: 4, CommittedMs: 20 * day})
	two := append(committed(hour, paidNotice(1), refund("a", RefundPending, 1, 1)),
		Fact{Kind: FactRefund, Source: SourceNotice, Ref: "b", Status: RefundPending, OwnMs: 1, ID: 3, Version: 4, CommittedMs: day})
	later := append(committed(hour, paidNotice(1), refund("a", RefundPending, 1, 1), holdOver(2)), two[2])
	later[3].ID, later[3].Version = 4, 5
	asked := func(at int64) AskState {
		return AskState{LastAskedMs: at, LastAnsweredMs: at, LastAnswer: WordSucceeded}
	}
	const wait = hour + 31*day
	for _, c := range []struct {
		name  string
		t     Terms
		facts []Fact
		asked AskState
		askAt int64 // and up to a tenth of a day later; 0: never
		hold  int64
		about int64
	}{
		{"a refund, first day", terms(), pending, asked(2 * hour), hour + day, wait, 2},
		{"a refund, last day", terms(), pending, asked(hour + 29*day + 5*hour), hour + 30*day, wait, 2},
		{"a refund, after thirty days", terms(), pending, asked(hour + 30*day + 5*hour), 0, wait, 2},
		{"a refund, said again", terms(), again, asked(hour + 30*day + 5*hour), 0, wait, 2},
		{"two refunds", terms(), two, asked(hour + 30*day + 5*hour), 31 * day, wait, 2},
		{"the second of two", terms(), later, asked(40 * day), 0, 32 * day, 4},
		{"its wait is over", terms(), committed(hour, paidNotice(1), refund("a", RefundPending, 1, 1), holdOver(2)), asked(40 * day), 0, 0, 0},
		{"a dispute", terms(), open, asked(2 * hour), hour + day, wait, 2},
		{"a dispute that is won", terms(), committed(hour, paidNotice(1), dispute(DisputeOpen, 1, 1), dispute(DisputeWon, 1, 2)), asked(2 * hour), 0, 0, 0},
		{"a refund that nobody can be asked about", noQuery(), pending, AskState{}, 0, wait, 2},
	} {
		p := Ask(c.t, c.facts, c.asked, math.MaxInt64)
		if p.HoldAtMs != c.hold || p.HoldRefers != c.about {
			t.Errorf("%s: waits until %d for %d, want %d for %d", c.name, p.HoldAtMs, p.HoldRefers, c.hold, c.about)
		}
		if c.askAt == 0 && p.AskAtMs != 0 || p.AskAtMs < c.askAt || p.AskAtMs > c.askAt+day/10 || p.AskAtMs != 0 && p.AskKind != AskDaily {
			t.Errorf("%s: asked %s at %d, want daily at %d", c.name, p.AskKind, p.AskAtMs, c.askAt)
		}
	}
}

// A pending refund holds nothing else back: giving up comes when it did before.
func TestAPendingRefundDelaysNoGivingUp(t *testing.T) {
	facts := committed(hour, refund("a", RefundPending, 1, 1))
	want := Plan{AskAtMs: 48 * hour, AskKind: AskGiveUp, HoldAtMs: hour + 31*day, HoldRefers: 1}
	if got := Ask(noQuery(), facts, AskState{}, math.MaxInt64); got != want {
		t.Errorf("planned %+v, want %+v", got, want)
	}
	if _, due := GaveUp(noQuery(), facts, AskState{}, 48*hour); !due {
		t.Error("it is not given up")
	}
}
