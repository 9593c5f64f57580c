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
	if _, err := b.e.fireOnce(b.ctx(), b.e.gateways["tries"]); err != nil {
		t.Fatal(err)
	}
	b.e.gateways["tries"].asking.Wait()
	b.work()
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
