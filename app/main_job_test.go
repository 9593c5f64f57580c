package app

import (
	"io"
	"slices"
	"strings"
	"testing"

	"nodrop/app/gateway"
)

func stringReader(s string) io.Reader { return strings.NewReader(s) }

func TestAWebhookMakesARegisteredPaymentSucceed(t *testing.T) {
	b := newBench(t)
	p := b.register("ORDER-1", "1250.50")
	if p.State != "pending" || p.Amount != "1250.50" || p.Order.Paid {
		t.Fatalf("registered as %+v", p)
	}
	ack := b.send(b.notice("ORDER-1", "paid", "1250.50"))
	if ack.Status != 200 || string(ack.Body) != "OK" {
		t.Fatalf("acknowledged with %d %q", ack.Status, ack.Body)
	}
	b.work()
	got := b.payment(p.ID)
	if got.State != "succeeded" || got.Received != "1250.50" || !got.Order.Paid || got.Source != "notice" {
		t.Errorf("after the notice: %+v", got)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("reviews %v", kinds)
	}
	b.sound()
}

func TestTheSameNoticeAgainChangesNothing(t *testing.T) {
	b := newBench(t)
	p := b.register("ORDER-1", "10.00")
	body := b.notice("ORDER-1", "paid", "10.00")
	for range 3 {
		if ack := b.send(body); ack.Status != 200 {
			t.Fatalf("answered %d", ack.Status)
		}
		b.work()
	}
	if got := b.payment(p.ID); got.Version != 2 {
		t.Errorf("version %d after three times the same, want 2", got.Version)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	b.sound()
}

func TestANoticeBeforeItsRegistrationIsAdopted(t *testing.T) {
	b := newBench(t)
	b.send(b.notice("ORDER-1", "paid", "15.00"))
	b.work()
	if got := b.events(); len(got) != 0 {
		t.Fatalf("told %v before anything was registered", got)
	}
	p := b.register("ORDER-1", "15.00")
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Errorf("state %s after the registration", got.State)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	b.sound()
}

func TestAnotherAmountIsUnknownAndReviewed(t *testing.T) {
	b := newBench(t)
	p := b.register("ORDER-1", "100.00")
	b.send(b.notice("ORDER-1", "paid", "90.00"))
	b.work()
	got := b.payment(p.ID)
	if got.State != "unknown" || got.Cause != "difference" || got.Received != "90.00" || got.Order.Paid {
		t.Errorf("got %+v", got)
	}
	if want := []string{"payment.unknown"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	if want := []string{"difference"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	b.sound()
}

func TestAForgedNoticeIsRefusedAndKept(t *testing.T) {
	b := newBench(t)
	p := b.register("ORDER-1", "10.00")
	r := b.signed([]byte(`{"id":"evt_1","type":"payment","livemode":false}`))
	r.Body = []byte(`{"id":"evt_2","type":"payment","livemode":false}`)
	ack, err := b.e.Accept(b.ctx(), "sandbox", r)
	if err != nil || ack.Status != 401 {
		t.Fatalf("answered %d, %v", ack.Status, err)
	}
	b.work()
	if got := b.payment(p.ID); got.Version != 1 {
		t.Errorf("version %d", got.Version)
	}
	if _, err := b.e.Accept(b.ctx(), "nobody", gateway.Request{}); KindOf(err) != KindNotFound {
		t.Errorf("unknown gateway: %v", err)
	}
	b.sound()
}
