package app

import (
	"slices"
	"strings"
	"testing"

	"nodrop/app/config"
	"nodrop/store"
)

// limited is a bench on which decisions about more than 500 pesos need two people.
func limited(t *testing.T) *bench {
	t.Helper()
	return newBench(t, func(c *config.Config, _ *Options) { c.Limits.ApproveAbove = config.Approval{"PHP": 50000} })
}

// short has a payment of which ten pesos less came than expected, and the question about it.
func (b *bench) short(ref, amount, came string) (PaymentView, store.Review) {
	b.t.Helper()
	p := b.register(ref, amount)
	b.pay(ref, came)
	return b.payment(p.ID), b.openOf("difference")
}

// openOf is the only open review of a kind.
func (b *bench) openOf(kind string) (found store.Review) {
	b.t.Helper()
	n := 0
	for _, v := range b.reviews() {
		if v.Kind == kind {
			found, n = v, n+1
		}
	}
	if n != 1 {
		b.t.Fatalf("%d open reviews of kind %s, want one; open are %v", n, kind, b.reviewKinds())
	}
	return found
}

// submit has somebody decide and compares whether it waits.
func (b *bench) submit(d Decision, waits bool) {
	b.t.Helper()
	got, err := b.e.Submit(b.ctx(), d)
	if err != nil || got != waits {
		b.t.Fatalf("%s by %s: waits %v, %v; want %v", d.Act, d.Actor, got, err, waits)
	}
}

func TestADecisionAboveTheLimitNeedsASecondPerson(t *testing.T) {
	b := limited(t)
	p, v := b.short("ORDER-1", "600.00", "590.00")
	d := Decision{Actor: "ana", FormKey: "f1", ReviewID: v.ID, Version: p.Version, Act: "accept", Amount: "590.00", Reason: "a coupon"}
	for range 2 { // a double click
		b.submit(d, true)
	}
	if got := b.payment(p.ID); got.State != "unknown" || got.Version != p.Version {
		t.Fatalf("before anybody approved it: %s, version %d", got.State, got.Version)
	}
	asked := b.openOf("approval_wanted")
	if asked.AmountMinor != 59000 || asked.PaymentID == 0 {
		t.Errorf("asked %+v", asked)
	}
	made, ok, err := b.e.ProposalOf(b.ctx(), asked.ID)
	if want := (store.Proposal{ReviewID: asked.ID, PaymentID: asked.PaymentID, Answers: v.ID, Version: p.Version, Act: "accept", Amount: "590.00", Reason: "a coupon", Actor: "ana"}); err != nil || !ok || made != want {
		t.Errorf("written down: %+v, want %+v, %v", made, want, err)
	}
	if err := b.decide(Decision{Actor: "ana", FormKey: "f2", ReviewID: asked.ID, Act: ActApprove, Reason: "I am sure"}); KindOf(err) != KindForbidden {
		t.Errorf("approving the own decision: %v", err)
	}
	b.submit(Decision{Actor: "ben", FormKey: "f3", ReviewID: asked.ID, Act: ActApprove, Reason: "seen in the dashboard"}, false)
	if got := b.payment(p.ID); got.State != "succeeded" || got.Received != "590.00" {
		t.Errorf("approved: %s, %s received", got.State, got.Received)
	}
	if want := []string{"payment.unknown", "payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("still open: %v", kinds)
	}
	b.view(func(rx *store.Rx) error {
		acts, err := rx.Audits(0, 0, 10)
		var got []string
		for _, a := range acts {
			got = append(got, a.Actor+" "+a.Action)
		}
		if want := []string{"ben approve", "ana propose"}; !slices.Equal(got, want) || !strings.Contains(acts[1].Detail, "[wants accept]") {
			t.Errorf("audit %v, want %v: %+v", got, want, acts)
		}
		facts, err2 := rx.FactsOf(asked.PaymentID)
		if last := facts[len(facts)-1]; last.Actor != "ana" || last.Reason != "a coupon" {
			t.Errorf("the fact is of %q because of %q, %v", last.Actor, last.Reason, err2)
		}
		return err
	})
	b.sound()
}

func TestWhatIsBelowTheLimitIsDecidedAlone(t *testing.T) {
	b := limited(t)
	p, v := b.short("ORDER-1", "500.00", "490.00")
	b.submit(Decision{Actor: "ana", ReviewID: v.ID, Version: p.Version, Act: "accept", Amount: "490.00", Reason: "a coupon"}, false)
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Errorf("state %s", got.State)
	}
	q := b.register("ORDER-2", "600.00")
	b.submit(Decision{Actor: "ana", PaymentID: q.ID, Version: 1, Act: "mark_failed", Reason: "never came"}, false) // no money moves
	b.sound()
}

func TestARefundCannotBeCutIntoSmallOnes(t *testing.T) {
	b := limited(t)
	p := b.register("ORDER-1", "900.00")
	b.pay("ORDER-1", "900.00")
	b.submit(Decision{Actor: "ana", FormKey: "1", PaymentID: p.ID, Version: 2, Act: "refund", Amount: "400.00", Reason: "half of it"}, false)
	note := b.notice("ORDER-1", "succeeded", "400.00")
	note["type"] = "refund"
	note["data"].(map[string]any)["refund_id"] = "re_1"
	b.send(note)
	b.work()
	now := b.payment(p.ID)
	if now.Refunded != "400.00" {
		t.Fatalf("refunded %s", now.Refunded)
	}
	b.submit(Decision{Actor: "ana", FormKey: "2", PaymentID: p.ID, Version: now.Version, Act: "refund", Amount: "400.00", Reason: "the rest"}, true)
	b.sound()
}

func TestAnApprovalOfWhatHasChangedIsRefused(t *testing.T) {
	b := limited(t)
	p, v := b.short("ORDER-1", "600.00", "590.00")
	b.submit(Decision{Actor: "ana", FormKey: "1", ReviewID: v.ID, Version: p.Version, Act: "accept", Amount: "590.00", Reason: "a coupon"}, true)
	asked := b.openOf("approval_wanted")
	b.submit(Decision{Actor: "cleo", FormKey: "n", PaymentID: p.ID, Version: p.Version, Act: "note", Reason: "they called"}, false)
	if again := b.openOf("approval_wanted"); again.ID != asked.ID {
		t.Error("a note, which changes nothing, has ended the decision that waits")
	}
	b.sound()
	b.clock.move(1e9)
	b.send(b.notice("ORDER-1", "paid", "600.00"))
	b.work()
	if err := b.decide(Decision{Actor: "ben", FormKey: "2", ReviewID: asked.ID, Act: ActApprove, Reason: "fine"}); KindOf(err) != KindStale {
		t.Errorf("approving after the right amount came: %v", err)
	}
	if got := b.payment(p.ID); got.State != "succeeded" || got.Received != "600.00" {
		t.Errorf("%s, %s received", got.State, got.Received)
	}
	b.view(func(rx *store.Rx) error {
		closed, _, err := rx.Review(asked.ID)
		if closed.Answer != overtaken || closed.ClosedBy != closedByFacts {
			t.Errorf("closed as %+v", closed)
		}
		return err
	})
	b.sound()
}

func TestADecisionThatWaitsOutlivesWhatChangesNothing(t *testing.T) {
	b := limited(t)
	p := b.register("ORDER-1", "600.00")
	cash := Decision{Actor: "ana", FormKey: "1", PaymentID: p.ID, Version: 1, Act: "mark_succeeded", Basis: "elsewhere", Amount: "600.00", Reason: "cash"}
	b.submit(cash, true)
	asked := b.openOf("approval_wanted")
	b.clock.move(1e9)
	b.send(b.notice("ORDER-1", "waiting", "600.00"))
	b.work()
	if now := b.payment(p.ID); now.Version == 1 || now.State != "pending" {
		t.Fatalf("version %d, %s", now.Version, now.State)
	}
	b.sound()
	b.submit(Decision{Actor: "ben", FormKey: "2", ReviewID: asked.ID, Act: ActApprove, Reason: "counted it"}, false)
	if got := b.payment(p.ID); got.State != "succeeded" || got.Received != "600.00" {
		t.Errorf("approved: %s, %s received", got.State, got.Received)
	}
	b.sound()
}

func TestADecisionThatWasOvertakenStaysBeforeAPerson(t *testing.T) {
	b := limited(t)
	p := b.register("ORDER-1", "900.00")
	b.pay("ORDER-1", "900.00")
	b.submit(Decision{Actor: "ana", FormKey: "1", PaymentID: p.ID, Version: 2, Act: "refund", Amount: "900.00", Reason: "sent back"}, true)
	asked := b.openOf("approval_wanted")
	note := b.notice("ORDER-1", "succeeded", "10.00")
	note["type"] = "refund"
	note["data"].(map[string]any)["refund_id"] = "re_1"
	b.send(note)
	b.work()
	if got := b.payment(p.ID); got.Refunded != "10.00" {
		t.Fatalf("refunded %s", got.Refunded)
	}
	if again := b.openOf("approval_wanted"); again.ID != asked.ID {
		t.Error("the refund that waits for approval is gone")
	}
	if err := b.decide(Decision{Actor: "ben", FormKey: "2", ReviewID: asked.ID, Act: ActApprove, Reason: "fine"}); KindOf(err) != KindStale {
		t.Errorf("approving what was overtaken: %v", err)
	}
	choices, err := b.e.ReviewChoices(b.ctx(), asked.ID)
	if err != nil || len(choices) == 0 || choices[0].Act != ActApprove || choices[0].Blocked != overtaken {
		t.Errorf("%+v, %v", choices, err)
	}
	b.sound()
	b.submit(Decision{Actor: "ben", FormKey: "3", ReviewID: asked.ID, Act: ActTurnDown, Reason: "decide anew"}, false)
	b.submit(Decision{Actor: "ana", FormKey: "4", PaymentID: p.ID, Version: b.payment(p.ID).Version, Act: "refund", Amount: "890.00", Reason: "the rest"}, true)
	b.sound()
}

func TestADecisionCanBeTurnedDownAndMadeAgain(t *testing.T) {
	b := limited(t)
	p, v := b.short("ORDER-1", "600.00", "590.00")
	d := Decision{Actor: "ana", FormKey: "1", ReviewID: v.ID, Version: p.Version, Act: "accept", Amount: "590.00", Reason: "a coupon"}
	b.submit(d, true)
	d.FormKey = "2"
	if err := b.decide(d); KindOf(err) != KindUnprocessable {
		t.Errorf("a second decision while one waits: %v", err)
	}
	asked := b.openOf("approval_wanted")
	b.submit(Decision{Actor: "ana", FormKey: "3", ReviewID: asked.ID, Act: ActTurnDown, Reason: "I was wrong"}, false)
	if got := b.payment(p.ID); got.State != "unknown" || b.openOf("difference").ID != v.ID {
		t.Errorf("turned down: %s", got.State)
	}
	d.FormKey = "4"
	b.submit(d, true)
	b.sound()
}

func TestWhatWouldBeRefusedIsNotProposed(t *testing.T) {
	b := limited(t)
	p, v := b.short("ORDER-1", "600.00", "590.00")
	for name, d := range map[string]Decision{
		"other amount": {Act: "accept", Amount: "600.00"}, "no amount": {Act: "accept"}, "not in this state": {Act: "fulfil"},
	} {
		d.Actor, d.ReviewID, d.Version, d.Reason = "ana", v.ID, p.Version, "r"
		if err := b.decide(d); err == nil {
			t.Errorf("%s was not refused", name)
		}
	}
	if kinds := b.reviewKinds(); !slices.Equal(kinds, []string{"difference"}) {
		t.Errorf("open: %v", kinds)
	}
}

func TestALinkAboveTheLimitNeedsASecondPerson(t *testing.T) {
	b := limited(t)
	b.pay("UNKNOWN", "700.00")
	b.clock.move(2 * 3600e9)
	if err := b.e.keepOnce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	v := b.openOf("money_without_order")
	p := b.register("ORDER-1", "700.00")
	b.submit(Decision{Actor: "ana", FormKey: "1", ReviewID: v.ID, Act: ActLink, LinkTo: p.ID, Reason: "same customer"}, true)
	if got := b.payment(p.ID); got.State != "pending" {
		t.Fatalf("before approval: %s", got.State)
	}
	b.submit(Decision{Actor: "ben", FormKey: "2", ReviewID: b.openOf("approval_wanted").ID, Act: ActApprove, Reason: "yes"}, false)
	if got := b.payment(p.ID); got.State != "succeeded" || len(b.reviewKinds()) != 0 {
		t.Errorf("after approval: %s, open %v", got.State, b.reviewKinds())
	}
	b.sound()
}

func TestACurrencyWithoutALimitIsLimitedToNothing(t *testing.T) {
	a := config.Approval{"PHP": 50000}
	for _, c := range []struct {
		minor    int64
		currency string
		want     bool
	}{{50000, "PHP", false}, {50001, "PHP", true}, {1, "USD", true}, {0, "USD", false}} {
		if got := a.Needs(c.minor, c.currency); got != c.want {
			t.Errorf("%d %s: %v, want %v", c.minor, c.currency, got, c.want)
		}
	}
	if config.Approval(nil).Needs(1<<60, "PHP") {
		t.Error("without a limit nothing needs approval")
	}
}
