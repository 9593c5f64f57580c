package app

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

func object(id, ref, status string) string {
	return fmt.Sprintf(`{"id":%s,"reference":%s,"status":%q,"amount":"10.00","currency":"PHP","account":"shop","refunds":[]}`, id, ref, status)
}

func TestAnAnswerAboutAnotherPaymentIsNotOurs(t *testing.T) {
	list := func(o string) string { return `{"data":[` + o + `]}` }
	cases := map[string]struct {
		refs   []Ref
		answer string
		review bool
	}{
		"the id of another payment":       {nil, list(object(`"sbx_taken"`, `"ORDER-1"`, "paid")), true},
		"another reference":               {nil, list(object(`"sbx_1"`, `"ZZZ"`, "paid")), false},
		"a list without the reference":    {nil, list(object(`"sbx_1"`, `null`, "paid")), false},
		"by id: another id":               {[]Ref{{"payment", "sbx_1"}}, object(`"sbx_2"`, `"ORDER-1"`, "paid"), false},
		"by id: another reference":        {[]Ref{{"payment", "sbx_1"}}, object(`"sbx_1"`, `"ZZZ"`, "paid"), false},
		"by id: neither id nor reference": {[]Ref{{"payment", "sbx_1"}}, object(`null`, `null`, "paid"), false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, a := asking(t)
			a.next = func(*http.Request) (int, http.Header, string) { return 200, nil, c.answer }
			if _, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "OTHER", Amount: "10.00", Currency: "PHP", GatewayRefs: []Ref{{"payment", "sbx_taken"}}}); err != nil {
				t.Fatal(err)
			}
			p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP", GatewayRefs: c.refs})
			if err != nil {
				t.Fatal(err)
			}
			b.clock.move(time.Minute)
			b.fire()
			if got := b.payment(p.ID); got.State != "pending" || len(b.events()) != 0 {
				t.Errorf("state %s, told %v", got.State, b.events())
			}
			if got := slices.Contains(b.reviewKinds(), "reference_conflict"); got != c.review {
				t.Errorf("reviews %v, a conflict wanted: %v", b.reviewKinds(), c.review)
			}
			b.sound()
		})
	}
}

// answering gives each id its own state.
func answering(states map[string]string) func(*http.Request) (int, http.Header, string) {
	return func(r *http.Request) (int, http.Header, string) {
		if r.URL.Query().Has("reference") {
			return 404, nil, `{"error":"not_found"}`
		}
		id := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		return 200, nil, object(`"`+id+`"`, `"ORDER-1"`, states[id])
	}
}

func TestEveryIDOfAPaymentIsAsked(t *testing.T) {
	cases := map[string]struct {
		states      map[string]string
		want, cause string
	}{
		"the second is paid":        {map[string]string{"sbx_1": "cancelled", "sbx_2": "paid"}, "succeeded", ""},
		"the first is paid":         {map[string]string{"sbx_1": "paid", "sbx_2": "failed"}, "succeeded", ""},
		"the second may be paid":    {map[string]string{"sbx_1": "cancelled", "sbx_2": "waiting"}, "pending", ""},
		"the second is under way":   {map[string]string{"sbx_1": "failed", "sbx_2": "processing"}, "processing", ""},
		"the second is not legible": {map[string]string{"sbx_1": "failed", "sbx_2": "quantum"}, "pending", ""},
		"both are over":             {map[string]string{"sbx_1": "cancelled", "sbx_2": "cancelled"}, "closed", "cancelled"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, a := asking(t)
			a.next = answering(c.states)
			p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP",
				GatewayRefs: []Ref{{"payment", "sbx_1"}, {"payment", "sbx_2"}}})
			if err != nil {
				t.Fatal(err)
			}
			b.clock.move(time.Minute)
			b.fire()
			if got := b.payment(p.ID); got.State != c.want || got.Cause != c.cause {
				t.Errorf("%s %s, want %s %s", got.State, got.Cause, c.want, c.cause)
			}
			b.sound()
		})
	}
}

func TestAFinalWordAboutAnIDIsComparedWithTheReference(t *testing.T) {
	b, a := asking(t)
	a.next = func(r *http.Request) (int, http.Header, string) {
		if r.URL.Query().Has("reference") {
			return 200, nil, `{"data":[` + object(`"sbx_2"`, `"ORDER-1"`, "paid") + `,` + object(`"sbx_1"`, `"ORDER-1"`, "failed") + `]}`
		}
		return 200, nil, object(`"sbx_1"`, `"ORDER-1"`, "failed")
	}
	p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP", GatewayRefs: []Ref{{"payment", "sbx_1"}}})
	if err != nil {
		t.Fatal(err)
	}
	b.clock.move(time.Minute)
	b.fire()
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Errorf("state %s, asked %v", got.State, a.asked)
	}
	b.sound()
}

func TestSeveralPaidOnesInAListAreReviewed(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) {
		return 200, nil, `{"data":[` + object(`"sbx_2"`, `"ORDER-1"`, "paid") + `,` + object(`"sbx_1"`, `"ORDER-1"`, "paid") + `]}`
	}
	p := b.register("ORDER-1", "10.00")
	b.clock.move(time.Minute)
	b.fire()
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Errorf("state %s", got.State)
	}
	if want := []string{"second_payment"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	b.sound()
}

func TestAnotherIDNeedsARegistrationOfItsOwn(t *testing.T) {
	b := newBench(t)
	r := Registration{Gateway: "sandbox", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP", GatewayRefs: []Ref{{"payment", "sbx_1"}}}
	for range 2 {
		if _, _, err := b.e.Register(b.ctx(), r); err != nil {
			t.Fatal(err)
		}
	}
	r.GatewayRefs = []Ref{{"payment", "sbx_2"}}
	if _, _, err := b.e.Register(b.ctx(), r); KindOf(err) != KindConflict {
		t.Errorf("another id: %v", err)
	}
}

func TestPaidAgainUnderAnotherIDIsReviewed(t *testing.T) {
	b := newBench(t)
	b.register("ORDER-1", "10.00")
	b.pay("ORDER-1", "10.00")
	again := b.notice("ORDER-1", "paid", "10.00")
	again["data"].(map[string]any)["id"] = "sbx_second"
	b.send(again)
	b.work()
	if want := []string{"second_payment"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	b.sound()
}

func TestAParkedNoticeForbidsToChargeAgain(t *testing.T) {
	b, a := asking(t)
	if _, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "K1", Amount: "10.00", Currency: "PHP", GatewayRefs: []Ref{{"payment", "sbx_K2"}}}); err != nil {
		t.Fatal(err)
	}
	b.register("K2", "10.00")
	a.next = func(r *http.Request) (int, http.Header, string) {
		if ref := r.URL.Query().Get("reference"); ref == "K2" {
			return 200, nil, `{"data":[` + object(`"sbx_other"`, `"K2"`, "failed") + `]}`
		}
		return 404, nil, `{"error":"not_found"}`
	}
	b.clock.move(time.Minute)
	b.fire()
	if o, err := b.e.Order(b.ctx(), "K2"); err != nil || !o.SafeToChargeAgain {
		t.Fatalf("before the notice: %+v, %v", o, err)
	}
	b.pay("K2", "10.00") // names the id of K1 and the reference K2
	o, err := b.e.Order(b.ctx(), "K2")
	if err != nil || o.SafeToChargeAgain {
		t.Errorf("while a signed success for it is parked: safe %v, because %v, %v", o.SafeToChargeAgain, o.Because, err)
	}
	if _, err := b.e.CloseOrder(b.ctx(), "K2", false); KindOf(err) != KindConflict {
		t.Errorf("closed: %v", err)
	}
	b.sound()
}

func TestAStrangersReferenceBesideOurIDMovesNothing(t *testing.T) {
	b := newBench(t)
	p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP", GatewayRefs: []Ref{{"payment", "sbx_STRANGER"}}})
	if err != nil {
		t.Fatal(err)
	}
	b.pay("STRANGER", "10.00")
	if got := b.payment(p.ID); got.State != "pending" {
		t.Errorf("state %s", got.State)
	}
	if want := []string{"reference_conflict"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v", b.reviewKinds())
	}
	b.sound()
}

const hintDefinition = `
title = "Hints"
[[signature]]
kind = "none"
[notice]
dedupe = "eid"
[fields]
refs = [{ kind = "payment", from = "pid" }]
merchant_ref = "ref"
status = "status"
words = { PAID = "succeeded", FAILED = "failed" }
amount = { from = "amount", kind = "decimal_string", currency = "currency" }
[ack]
body = "OK"
[query]
base = { test = "https://hints.example" }
auth = { kind = "bearer", token = "{api_key}" }
[[query.step]]
by = "ref"
ref = "payment"
path = "/p/{id}"
[[query.step]]
by = "merchant_ref"
path = "/r/{merchant_ref}"
`

// hinting is a bench with a gateway whose notices prove nothing.
func hinting(t *testing.T, edit ...func(*config.Config, *Options)) (*bench, *answers) {
	t.Helper()
	spec, err := gateway.ParseSpec([]byte(hintDefinition), "custom")
	if err != nil {
		t.Fatal(err)
	}
	add := func(c *config.Config, _ *Options) {
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.WebhookSecrets, g.BaseURL = "hint", "custom", &spec, nil, ""
		c.Gateways = append(c.Gateways, g)
	}
	return asking(t, append([]func(*config.Config, *Options){add}, edit...)...)
}

func (b *bench) hint(body string) {
	b.t.Helper()
	r := gateway.Request{Method: http.MethodPost, Target: "/hooks/hint", Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(body), At: b.clock.now()}
	if ack, err := b.e.Accept(b.ctx(), "hint", r); err != nil || ack.Status != 200 {
		b.t.Fatalf("hint: %d %v", ack.Status, err)
	}
	b.work()
}

func (b *bench) fireHint() {
	b.t.Helper()
	b.fireAt("hint")
}

func TestAForgedHintPaysNothingAndFailsNothing(t *testing.T) {
	b, a := hinting(t)
	truth := map[string]string{"/p/X": `{"pid":"X","ref":"A","status":"PAID","amount":"100.00","currency":"PHP"}`,
		"/r/A": `{"pid":"X","ref":"A","status":"PAID","amount":"100.00","currency":"PHP"}`, "/r/B": `{"pid":"B1","ref":"B","status":"OPEN"}`,
		"/p/AAA": `{"pid":"AAA","ref":"C","status":"FAILED","amount":"100.00","currency":"PHP"}`, "/p/c-real": `{"pid":"c-real","ref":"C","status":"PAID","amount":"100.00","currency":"PHP"}`}
	a.next = func(r *http.Request) (int, http.Header, string) {
		if body, ok := truth[r.URL.Path]; ok {
			return 200, nil, body
		}
		return 404, nil, `{}`
	}
	ids := map[string]string{}
	for _, ref := range []string{"A", "B", "C"} {
		r := Registration{Gateway: "hint", MerchantRef: ref, Amount: "100.00", Currency: "PHP"}
		if ref == "C" {
			r.GatewayRefs = []Ref{{"payment", "c-real"}}
		}
		p, _, err := b.e.Register(b.ctx(), r)
		if err != nil {
			t.Fatal(err)
		}
		ids[ref] = p.ID
	}
	b.hint(`{"eid":"1","pid":"X","ref":"B","status":"PAID","amount":"100.00","currency":"PHP"}`)
	b.hint(`{"eid":"2","pid":"AAA","ref":"C","status":"FAILED","amount":"100.00","currency":"PHP"}`)
	for range 5 {
		b.clock.move(time.Minute)
		b.fireHint()
	}
	for ref, want := range map[string]string{"A": "succeeded", "B": "pending", "C": "succeeded"} {
		if got := b.payment(ids[ref]); got.State != want {
			t.Errorf("%s is %s, want %s", ref, got.State, want)
		}
	}
	b.sound()
}

func TestForgedHintsMakeFewReviews(t *testing.T) {
	b, _ := hinting(t)
	for i := range 60 {
		b.hint(fmt.Sprintf(`{"eid":"%d","pid":"P%d","ref":"R%d","status":"PAID","amount":"99999.00","currency":"PHP"}`, i, i, i))
	}
	b.clock.move(2 * time.Hour)
	for range 3 {
		if err := b.e.keepOnce(b.ctx()); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(b.reviews()); n != hintedReviews {
		t.Errorf("%d reviews, want %d", n, hintedReviews)
	}
}

func TestAGatewayThatIsNoLongerConfiguredFailsNothing(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 500, nil, "" }
	p := b.register("ORDER-1", "10.00")
	b.send(b.notice("ORDER-1", "failed", "10.00"))
	b.work()
	next := benchOn(t, b.store, func(c *config.Config, _ *Options) { c.Gateways[0].Name = "renamed" })
	next.clock.move(time.Hour)
	if _, err := next.e.CloseOrder(b.ctx(), "ORDER-1", true); KindOf(err) != KindConflict {
		t.Fatalf("closing asks a gateway that is gone: %v", err)
	}
	if _, err := next.e.holdsOnce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "pending" || len(b.events()) != 0 {
		t.Errorf("state %s, told %v", got.State, b.events())
	}
	b.sound()
}

func TestAnAbsurdRetryAfterOfTheShopSilencesNobody(t *testing.T) {
	b, s := selling(t, func(int) (int, map[string]string) { return 503, map[string]string{"Retry-After": "2147483647"} })
	b.register("ORDER-1", "20.00")
	b.pay("ORDER-1", "20.00")
	b.deliver()
	for range 80 {
		b.clock.move(time.Hour)
		b.deliver()
	}
	if n := len(s.sent()); n < 5 {
		t.Errorf("sent %d times in 80 hours", n)
	}
	if want := []string{"dead_outbox"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	b.sound()
}

func TestWhatIsToBeRefundedCannotBeClaimed(t *testing.T) {
	b, _ := asking(t)
	p := b.register("ORDER-1", "10.00")
	if _, err := b.e.CloseOrder(b.ctx(), "ORDER-1", true); err != nil {
		t.Fatal(err)
	}
	b.pay("ORDER-1", "10.00")
	version := b.payment(p.ID).Version
	d := Decision{PaymentID: p.ID, ReviewID: b.reviews()[0].ID, Version: version, Act: "refund", Amount: "4.00", Reason: "too late", FormKey: "1"}
	if err := b.decide(d); KindOf(err) != KindInvalid {
		t.Errorf("a part of a late payment is refunded: %v", err)
	}
	d.Amount, d.FormKey = "10.00", "2"
	if err := b.decide(d); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.e.Claim(b.ctx(), "fulfil:ORDER-1", p.ID, "w"); KindOf(err) != KindUnprocessable {
		t.Errorf("claimed although it is to be refunded: %v", err)
	}
	b.sound()
}

func TestAnIDThatComesLaterTakesNoFailureBack(t *testing.T) {
	b, _ := hintless(t)
	p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "byid", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	b.failByRef("ORDER-1")
	b.clock.move(11 * time.Minute)
	if _, err := b.e.holdsOnce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "failed" {
		t.Fatalf("state %s after the hold", got.State)
	}
	if _, err := b.e.AddRefs(b.ctx(), p.ID, []Ref{{"payment", "later"}}); err != nil {
		t.Fatal(err)
	}
	b.sound()
	b.view(func(rx *store.Rx) error {
		row, _, err := rx.PaymentByPublicID(p.ID)
		if row.State != "failed" {
			t.Errorf("state %s after an id came", row.State)
		}
		return err
	})
}

// hintless is a bench with a gateway that is asked by its own id only and whose notices, signed, do not name it.
func hintless(t *testing.T) (*bench, *answers) {
	t.Helper()
	definition := strings.Replace(hintDefinition, `kind = "none"`, "kind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"\nfrom = \"{header:X-Signature}\"", 1)
	definition = definition[:strings.LastIndex(definition, "[[query.step]]")]
	spec, err := gateway.ParseSpec([]byte(definition), "custom")
	if err != nil {
		t.Fatal(err)
	}
	return asking(t, func(c *config.Config, _ *Options) {
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.BaseURL = "byid", "custom", &spec, ""
		c.Gateways = append(c.Gateways, g)
	})
}

// failByRef sends a signed final failure that names the merchant reference alone.
func (b *bench) failByRef(ref string) {
	b.t.Helper()
	body := []byte(`{"eid":"f1","ref":"` + ref + `","status":"FAILED","amount":"10.00","currency":"PHP"}`)
	h := http.Header{"X-Signature": {hexMAC(body)}}
	if ack, err := b.e.Accept(b.ctx(), "byid", gateway.Request{Method: http.MethodPost, Target: "/hooks/byid", Header: h, Body: body, At: b.clock.now()}); err != nil || ack.Status != 200 {
		b.t.Fatalf("notice: %d %v", ack.Status, err)
	}
	b.work()
}
