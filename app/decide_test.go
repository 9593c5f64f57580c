package app

import (
	"slices"
	"testing"
	"time"

	"nodrop/store"
)

func (b *bench) decide(d Decision) error {
	b.t.Helper()
	if d.Actor == "" {
		d.Actor = "ana"
	}
	return b.e.Decide(b.ctx(), d)
}

func TestAPersonAcceptsADifference(t *testing.T) {
	b := newBench(t)
	p := b.register("ORDER-1", "100.00")
	b.pay("ORDER-1", "90.00")
	v := b.reviews()[0]
	seen := b.payment(p.ID).Version
	d := Decision{FormKey: "form-1", ReviewID: v.ID, Version: seen, Act: "accept", Amount: "90.00", Reason: "the customer has a coupon"}
	for range 2 { // a double click
		if err := b.decide(d); err != nil {
			t.Fatal(err)
		}
	}
	got := b.payment(p.ID)
	if got.State != "succeeded" || got.Received != "90.00" || got.Source != "person" || got.Version != seen+1 {
		t.Errorf("got %+v", got)
	}
	if want := []string{"payment.unknown", "payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	if len(b.reviewKinds()) != 0 {
		t.Errorf("reviews %v", b.reviewKinds())
	}
	b.view(func(rx *store.Rx) error {
		closed, err := rx.ClosedReviews(10)
		if len(closed) != 1 || closed[0].ClosedBy != "ana" || closed[0].Answer != "accept" {
			t.Errorf("closed %+v", closed)
		}
		audits, err2 := rx.Audits(0, 0, 10)
		if len(audits) != 1 || audits[0].Actor != "ana" || audits[0].Action != "accept" {
			t.Errorf("audit %+v %v", audits, err2)
		}
		return err
	})
	b.sound()
}

func TestWhatAPersonMayNotDo(t *testing.T) {
	b := newBench(t)
	p := b.register("ORDER-1", "100.00")
	b.pay("ORDER-1", "90.00")
	v := b.reviews()[0]
	cases := map[string]struct {
		d    Decision
		kind Kind
	}{
		"no reason":       {Decision{ReviewID: v.ID, Version: 2, Act: "accept", Amount: "90.00"}, KindInvalid},
		"stale":           {Decision{ReviewID: v.ID, Version: 1, Act: "accept", Amount: "90.00", Reason: "r"}, KindStale},
		"other amount":    {Decision{ReviewID: v.ID, Version: 2, Act: "accept", Amount: "91.00", Reason: "r"}, KindInvalid},
		"garbled amount":  {Decision{ReviewID: v.ID, Version: 2, Act: "accept", Amount: "9o", Reason: "r"}, KindInvalid},
		"not in state":    {Decision{ReviewID: v.ID, Version: 2, Act: "fulfil", Reason: "r"}, KindConflict},
		"unknown act":     {Decision{ReviewID: v.ID, Version: 2, Act: "explode", Reason: "r"}, KindUnprocessable},
		"unknown review":  {Decision{ReviewID: 99, Version: 2, Act: "accept", Reason: "r"}, KindNotFound},
		"unknown payment": {Decision{PaymentID: "np_0", Version: 2, Act: "note", Reason: "r"}, KindNotFound},
		"foreign payment": {Decision{PaymentID: b.register("ORDER-2", "1.00").ID, ReviewID: v.ID, Version: 1, Act: "note", Reason: "r"}, KindInvalid},
	}
	for name, c := range cases {
		if err := b.decide(c.d); KindOf(err) != c.kind {
			t.Errorf("%s: %v, want kind %d", name, err, c.kind)
		}
	}
	if got := b.payment(p.ID); got.Version != 2 {
		t.Errorf("version %d after refused decisions", got.Version)
	}
	b.sound()
}

func TestUndoIsADecisionToo(t *testing.T) {
	b := newBench(t)
	p := b.register("ORDER-1", "100.00")
	b.pay("ORDER-1", "90.00")
	if err := b.decide(Decision{PaymentID: p.ID, Version: 2, Act: "mark_succeeded", Basis: "elsewhere", Amount: "100.00", Reason: "cash at the door", FormKey: "a"}); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Fatalf("state %s", got.State)
	}
	choices, err := b.e.PaymentChoices(b.ctx(), p.ID)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(choices, func(c Choice) bool { return c.Act == "undo" })
	if i < 0 || choices[i].Blocked != "" {
		t.Fatalf("choices %+v", choices)
	}
	if err := b.decide(Decision{PaymentID: p.ID, Version: 3, Act: "undo", Refers: choices[i].Refers, Reason: "it was another order", FormKey: "b"}); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "unknown" || got.Cause != "difference" {
		t.Errorf("after the undo: %s %s", got.State, got.Cause)
	}
	b.sound()
}

func TestTwoPaidPaymentsOfAnOrder(t *testing.T) {
	b := newBench(t)
	one, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "TRY-1", OrderRef: "O", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "TRY-2", OrderRef: "O", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	b.pay("TRY-1", "10.00")
	b.pay("TRY-2", "10.00")
	if want := []string{"payment.succeeded", "payment.duplicate"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	v := b.reviews()
	if len(v) != 1 || v[0].Kind != "duplicate" || v[0].AmountMinor != 1000 {
		t.Fatalf("reviews %+v", v)
	}
	if _, _, err := b.e.Claim(b.ctx(), "fulfil:O", one.ID, "w1"); KindOf(err) != KindUnprocessable {
		t.Errorf("claimed while a duplicate is undecided: %v", err)
	}
	if err := b.decide(Decision{PaymentID: two.ID, ReviewID: v[0].ID, Version: 2, Act: "refund", Amount: "10.00", Reason: "paid twice", FormKey: "x"}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"refund_owed"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	refund := map[string]any{"id": "evt_r", "type": "refund", "livemode": false, "created": b.clock.now().Format(time.RFC3339),
		"data": map[string]any{"id": "re_1", "payment": "sbx_TRY-2", "reference": "TRY-2", "status": "succeeded", "amount": "10.00", "currency": "PHP"}}
	b.send(refund)
	b.work()
	if len(b.reviewKinds()) != 0 {
		t.Errorf("reviews %v after the refund", b.reviewKinds())
	}
	if o, err := b.e.Order(b.ctx(), "O"); err != nil || !o.Paid || o.SafeToChargeAgain {
		t.Errorf("order %+v, %v", o, err)
	}
	b.sound()
}

func TestMoneyWithoutOrderIsLinked(t *testing.T) {
	b := newBench(t)
	b.send(b.notice("TYPO-1", "paid", "10.00"))
	b.work()
	b.clock.move(2 * time.Hour)
	if err := b.e.keepOnce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	v := b.reviews()
	if len(v) != 1 || v[0].Kind != "money_without_order" || v[0].AmountMinor != 1000 || v[0].Currency != "PHP" {
		t.Fatalf("reviews %+v", v)
	}
	p := b.register("ORDER-1", "10.00")
	if err := b.decide(Decision{ReviewID: v[0].ID, Act: ActLink, LinkTo: p.ID, Reason: "same customer, same amount", FormKey: "l"}); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Errorf("state %s", got.State)
	}
	if len(b.reviewKinds()) != 0 {
		t.Errorf("reviews %v", b.reviewKinds())
	}
	b.sound()
}

func TestReferencesThatDisagreeMoveNothing(t *testing.T) {
	b := newBench(t)
	one, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "A", Amount: "10.00", Currency: "PHP", GatewayRefs: []Ref{{"payment", "sbx_B"}}})
	if err != nil {
		t.Fatal(err)
	}
	two := b.register("B", "10.00")
	b.pay("B", "10.00") // names sbx_B, which belongs to A, and the reference B
	if b.payment(one.ID).State != "pending" || b.payment(two.ID).State != "pending" {
		t.Errorf("moved: %s, %s", b.payment(one.ID).State, b.payment(two.ID).State)
	}
	v := b.reviews()
	if len(v) != 1 || v[0].Kind != "reference_conflict" {
		t.Fatalf("reviews %+v", v)
	}
	if err := b.decide(Decision{ReviewID: v[0].ID, Version: 1, Act: ActLink, LinkTo: two.ID, Reason: "the gateway says so on the phone", FormKey: "l"}); err != nil {
		t.Fatal(err)
	}
	if b.payment(two.ID).State != "succeeded" || b.payment(one.ID).State != "pending" {
		t.Errorf("after the link: %s, %s", b.payment(one.ID).State, b.payment(two.ID).State)
	}
	b.sound()
}

func TestClaims(t *testing.T) {
	b := newBench(t)
	p := b.register("ORDER-1", "10.00")
	if _, _, err := b.e.Claim(b.ctx(), "k", p.ID, "w1"); KindOf(err) != KindUnprocessable {
		t.Errorf("claimed while pending: %v", err)
	}
	b.pay("ORDER-1", "10.00")
	if _, created, err := b.e.Claim(b.ctx(), "k", p.ID, "w1"); err != nil || !created {
		t.Fatalf("first: %v %v", created, err)
	}
	if _, created, err := b.e.Claim(b.ctx(), "k", p.ID, "w1"); err != nil || created {
		t.Errorf("again by the same owner: %v %v", created, err)
	}
	if _, _, err := b.e.Claim(b.ctx(), "k", p.ID, "w2"); KindOf(err) != KindConflict {
		t.Errorf("by another owner: %v", err)
	}
	b.clock.move(16 * time.Minute)
	if err := b.e.keepOnce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"claim_overdue"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	for range 2 {
		if v, err := b.e.FinishClaim(b.ctx(), "k"); err != nil || v.State != "done" {
			t.Errorf("done: %+v %v", v, err)
		}
	}
	if len(b.reviewKinds()) != 0 {
		t.Errorf("reviews %v after it was done", b.reviewKinds())
	}
	if _, _, err := b.e.Claim(b.ctx(), "k", p.ID, "w1"); KindOf(err) != KindConflict {
		t.Errorf("after it was done: %v", err)
	}
	b.sound()
}

func TestClosingAnOrder(t *testing.T) {
	b, a := asking(t)
	p := b.register("ORDER-1", "10.00")
	a.next = listed(says("ORDER-1", "waiting", "10.00"))
	if _, err := b.e.CloseOrder(b.ctx(), "ORDER-1", true); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "SECOND", OrderRef: "ORDER-1", Amount: "10.00", Currency: "PHP"}); KindOf(err) != KindConflict {
		t.Errorf("registered for a closed order: %v", err)
	}
	b.pay("ORDER-1", "10.00")
	if got := b.payment(p.ID); got.State != "succeeded" || !got.Late {
		t.Errorf("got %+v", got)
	}
	if want := []string{"payment.succeeded_late"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	if want := []string{"late"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	if _, err := b.e.CloseOrder(b.ctx(), "NOBODY", false); KindOf(err) != KindNotFound {
		t.Errorf("unknown order: %v", err)
	}
	b.sound()
}

// What was set aside by mistake waits again once its question is opened again, and the next answer finds it.
func TestAMessageThatWasSetAsideComesBackWithItsQuestion(t *testing.T) {
	for kind, c := range map[string]struct {
		amount string
		answer Decision
	}{
		"dead_inbox":          {"15,00", Decision{Act: ActReplay}},
		"money_without_order": {"15.00", Decision{Act: ActLink}},
	} {
		t.Run(kind, func(t *testing.T) {
			b := newBench(t)
			b.tell(b.notice("LOST", "paid", c.amount))
			b.clock.move(time.Hour)
			b.keep()
			id := b.openOf(kind).ID
			p := b.register("ORDER-1", "15.00")
			for n, d := range []Decision{{Act: ActDismiss}, {Act: ActReopen}, c.answer} {
				d.FormKey, d.ReviewID, d.Reason = itoa(n), id, "looked into it"
				if d.Act == ActLink {
					d.LinkTo = p.ID
				}
				if err := b.decide(d); err != nil {
					t.Fatalf("%s: %v", d.Act, err)
				}
				b.sound()
			}
			b.work()
			if kind == "dead_inbox" {
				b.asks("dead_inbox") // it was read again and is no more readable than before
				return
			}
			b.stands(p.ID, "succeeded", "")
			b.asks()
		})
	}
}
