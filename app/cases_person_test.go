package app

import (
	"slices"
	"strings"
	"testing"

	"nodrop/store"
)

func TestMarkedByHandThenTheRealEvent(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-4", "20.00")
	cash := Decision{PaymentID: p.ID, Version: 1, Act: "mark_succeeded", Basis: "elsewhere", Amount: "20.00", FormKey: "a"}
	if err := b.decide(cash); KindOf(err) != KindInvalid {
		t.Errorf("without a reason: %v", err)
	}
	cash.Reason = "cash at the counter"
	if err := b.decide(cash); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "succeeded" || got.Source != "person" || got.Received != "20.00" {
		t.Errorf("by hand: %+v", got)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	b.view(func(rx *store.Rx) error {
		list, err := rx.EventsAfter(0, 10)
		if len(list) != 1 || !strings.Contains(string(list[0].Body), `"source":"person"`) {
			t.Errorf("told as %+v", list)
		}
		return err
	})
	b.pay("ORD-4", "20.00")
	if want := []string{"elsewhere_and_gateway"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	got := b.payment(p.ID)
	if want := []string{"payment.succeeded", "payment.duplicate"}; !slices.Equal(b.events(), want) || got.State != "succeeded" {
		t.Errorf("%s, told %v, want %v", got.State, b.events(), want)
	}
	choices, err := b.e.PaymentChoices(b.ctx(), p.ID)
	i := slices.IndexFunc(choices, func(c Choice) bool { return c.Act == "undo" })
	if err != nil || i < 0 || choices[i].Blocked != "" {
		t.Fatalf("choices %+v, %v", choices, err)
	}
	if err := b.decide(Decision{PaymentID: p.ID, Version: got.Version, Act: "undo", Refers: choices[i].Refers, Reason: "it was the gateway's", FormKey: "b"}); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "succeeded" || got.Source == "person" || got.Received != "20.00" || len(b.reviewKinds()) != 0 {
		t.Errorf("after the undo: %+v, reviews %v", got, b.reviewKinds())
	}
	b.view(func(rx *store.Rx) error {
		audits, err := rx.Audits(0, 0, 10)
		if len(audits) != 2 || audits[0].Action != "undo" || audits[1].Action != "mark_succeeded" || audits[1].Actor != "ana" {
			t.Errorf("audit %+v", audits)
		}
		return err
	})
	b.sound()
}
