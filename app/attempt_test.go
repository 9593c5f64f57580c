package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
)

// attempting is a bench with a gateway that lets one reference be paid several times, each try under an id of its own.
func attempting(t *testing.T) (*bench, *answers) {
	t.Helper()
	definition := strings.Replace(hintDefinition, `kind = "none"`, "kind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"\nfrom = \"{header:X-Signature}\"", 1)
	definition = strings.Replace(definition, `words = {`, `words = { TRY = "attempt_failed", OPEN = "pending",`, 1)
	definition = "[facts]\nattempt_kind = \"payment\"\n" + definition[strings.Index(definition, "[[signature]]"):strings.Index(definition, "[[query.step]]")] +
		"[[query.step]]\nby = \"merchant_ref\"\npath = \"/r/{merchant_ref}\"\nlist = \"all\"\npick = \"newest_first\"\n"
	spec, err := gateway.ParseSpec([]byte(definition), "custom")
	if err != nil {
		t.Fatal(err)
	}
	return asking(t, func(c *config.Config, _ *Options) {
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.BaseURL = "tries", "custom", &spec, ""
		c.Gateways = append(c.Gateways, g)
	})
}

func (b *bench) try(id, attempt, status string) {
	b.t.Helper()
	body := []byte(`{"eid":"` + id + `","pid":"` + attempt + `","ref":"ORDER-1","status":"` + status + `","amount":"10.00","currency":"PHP"}`)
	r := gateway.Request{Method: http.MethodPost, Target: "/hooks/tries", Header: http.Header{"X-Signature": {hexMAC(body)}}, Body: body, At: b.clock.now()}
	if ack, err := b.e.Accept(b.ctx(), "tries", r); err != nil || ack.Status != 200 {
		b.t.Fatalf("notice: %d %v", ack.Status, err)
	}
	b.work()
}

func TestEachAttemptIsAPaymentOfItsOwn(t *testing.T) {
	b, a := attempting(t)
	first, _, err := b.e.Register(b.ctx(), Registration{Gateway: "tries", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	b.try("1", "a1", "TRY")
	b.try("2", "a2", "PAID")
	a.next = func(*http.Request) (int, http.Header, string) {
		return 200, nil, `{"all":[{"pid":"a2","ref":"ORDER-1","status":"PAID","amount":"10.00","currency":"PHP"},{"pid":"a1","ref":"ORDER-1","status":"FAILED","amount":"10.00","currency":"PHP"}]}`
	}
	b.clock.move(time.Minute)
	b.fireAt("tries")
	o, err := b.e.Order(b.ctx(), "ORDER-1")
	if err != nil || len(o.Payments) != 2 || !o.Paid {
		t.Fatalf("order %+v, %v", o, err)
	}
	if got := b.payment(first.ID); got.Attempt != "a1" || got.State != "failed" {
		t.Errorf("the first attempt: %s %s, want a1 failed", got.Attempt, got.State)
	}
	if got := o.Payments[1]; got.Attempt != "a2" || got.State != "succeeded" {
		t.Errorf("the second attempt: %s %s, want a2 succeeded", got.Attempt, got.State)
	}
	if want := []string{"payment.succeeded", "payment.failed"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	if len(b.reviewKinds()) != 0 {
		t.Errorf("reviews %v", b.reviewKinds())
	}
	b.sound()
}

func TestARegisteredAttemptIsAPaymentOfItsOwn(t *testing.T) {
	b, _ := attempting(t)
	register := func(attempt string) (PaymentView, bool, error) {
		r := Registration{Gateway: "tries", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP"}
		if attempt != "" {
			r.GatewayRefs = []Ref{{Kind: "payment", ID: attempt}}
		}
		return b.e.Register(b.ctx(), r)
	}
	first, created, err := register("a1")
	if err != nil || !created || first.Attempt != "a1" {
		t.Fatalf("first: %+v %v %v", first, created, err)
	}
	again, created, err := register("a1")
	if err != nil || created || again.ID != first.ID {
		t.Errorf("the same again: %s %v %v", again.ID, created, err)
	}
	second, created, err := register("a2")
	if err != nil || !created || second.ID == first.ID || second.Attempt != "a2" {
		t.Fatalf("second: %+v %v %v", second, created, err)
	}
	b.try("1", "a1", "TRY")
	b.try("2", "a2", "PAID")
	if got := b.payment(first.ID); got.State != "pending" || got.Attempt != "a1" {
		t.Errorf("the first is %s of attempt %q", got.State, got.Attempt)
	}
	if got := b.payment(second.ID); got.State != "succeeded" {
		t.Errorf("the second is %s", got.State)
	}
	if _, err := b.e.AddRefs(b.ctx(), first.ID, []Ref{{Kind: "payment", ID: "a3"}}); err == nil || !strings.Contains(err.Error(), "payment of its own") {
		t.Errorf("a second attempt was added to a payment: %v", err)
	}
	o, err := b.e.Order(b.ctx(), "ORDER-1")
	if err != nil || len(o.Payments) != 2 || !o.Paid {
		t.Errorf("order %+v, %v", o, err)
	}
	b.sound()
}

func TestAnAttemptIsBoundToWhatWasRegisteredWithoutOne(t *testing.T) {
	b, _ := attempting(t)
	p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "tries", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := b.e.AddRefs(b.ctx(), p.ID, []Ref{{Kind: "payment", ID: "a1"}}); err != nil || v.Attempt != "a1" {
		t.Fatalf("%+v %v", v, err)
	}
	b.try("1", "a2", "PAID")
	if got := b.payment(p.ID); got.State != "pending" {
		t.Errorf("the attempt a1 is %s by a notice about a2", got.State)
	}
	o, err := b.e.Order(b.ctx(), "ORDER-1")
	if err != nil || len(o.Payments) != 2 || !o.Paid {
		t.Errorf("order %+v, %v", o, err)
	}
	b.sound()
}

func TestAnotherAttemptThatTheGatewayShowsAsPaidIsNotLost(t *testing.T) {
	b, a := attempting(t)
	first, _, err := b.e.Register(b.ctx(), Registration{Gateway: "tries", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	b.try("1", "a1", "TRY")
	// The notice about a2 never comes.
	a.next = func(*http.Request) (int, http.Header, string) {
		return 200, nil, `{"all":[{"pid":"a2","ref":"ORDER-1","status":"PAID","amount":"10.00","currency":"PHP"},{"pid":"a1","ref":"ORDER-1","status":"TRY","amount":"10.00","currency":"PHP"}]}`
	}
	for range 2 {
		b.clock.move(time.Minute)
		b.fireAt("tries")
	}
	o, err := b.e.Order(b.ctx(), "ORDER-1")
	if err != nil || len(o.Payments) != 2 || !o.Paid || o.SafeToChargeAgain {
		t.Fatalf("order %+v, %v", o, err)
	}
	if got := b.payment(first.ID); got.Attempt != "a1" || got.State != "pending" {
		t.Errorf("the first attempt: %s %s", got.Attempt, got.State)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	b.sound()
}

func TestATryThatIsOnlySeenIsNotBoundToThePayment(t *testing.T) {
	b, a := attempting(t)
	first, _, err := b.e.Register(b.ctx(), Registration{Gateway: "tries", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	a.next = func(*http.Request) (int, http.Header, string) {
		return 200, nil, `{"all":[{"pid":"a2","ref":"ORDER-1","status":"OPEN"},{"pid":"a1","ref":"ORDER-1","status":"OPEN"}]}`
	}
	b.clock.move(time.Minute)
	b.fireAt("tries")
	b.try("1", "a1", "PAID")
	b.try("2", "a2", "PAID")
	o, err := b.e.Order(b.ctx(), "ORDER-1")
	if err != nil || len(o.Payments) != 2 || !o.Paid {
		t.Fatalf("order %+v, %v", o, err)
	}
	if got := b.payment(first.ID); got.Attempt != "a1" || got.State != "succeeded" {
		t.Errorf("the first: %s %s", got.Attempt, got.State)
	}
	if want := []string{"payment.succeeded", "payment.duplicate"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	b.sound()
}
