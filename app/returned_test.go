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

// returnDefinition is hintDefinition with notices about refunds and disputes, of which its answers never tell.
var returnDefinition = strings.Replace(hintDefinition, "[notice]\n", "[notice]\ntype = \"type\"\n", 1) + `
[[shape]]
when = { "{type}" = "refund" }
kind = "refund"
ref = "rid"
words = { DONE = "succeeded", NOT = "failed" }
[[shape]]
when = { "{type}" = "dispute" }
kind = "dispute"
ref = "rid"
words = { OPEN = "open", WON = "won", LOST = "lost" }
[[shape]]
kind = "payment"
`

// returning is a bench whose hinting gateway has a payment of 100 pesos that its answers call paid.
func returning(t *testing.T) (*bench, PaymentView) {
	t.Helper()
	b, p, _ := returningAs(t, returnDefinition)
	return b, p
}

func returningAs(t *testing.T, definition string) (*bench, PaymentView, *answers) {
	t.Helper()
	spec, err := gateway.ParseSpec([]byte(definition), "custom")
	if err != nil {
		t.Fatal(err)
	}
	b, a := asking(t, func(c *config.Config, _ *Options) {
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.WebhookSecrets, g.BaseURL = "hint", "custom", &spec, nil, ""
		c.Gateways = append(c.Gateways, g)
	})
	a.next = func(r *http.Request) (int, http.Header, string) {
		ref := strings.TrimPrefix(r.URL.Path, "/r/")
		return 200, nil, `{"pid":"` + ref + `-1","ref":"` + ref + `","status":"PAID","amount":"100.00","currency":"PHP"}`
	}
	p := b.registerHinted("A")
	b.clock.move(time.Minute)
	b.fireHint()
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Fatalf("state %s", got.State)
	}
	b.clock.move(time.Hour)
	return b, p, a
}

// hintReturn sends a notice that proves nothing and has the gateway asked.
func (b *bench) hintReturn(kind, rid, status, amount string) {
	b.t.Helper()
	b.hintReturnOf("A", kind, rid, status, amount)
}

func (b *bench) hintReturnOf(ref, kind, rid, status, amount string) {
	b.t.Helper()
	b.ids++
	b.hint(fmt.Sprintf(`{"eid":"e%d","type":%q,"rid":%q,"ref":%q,"status":%q,"amount":%q,"currency":"PHP"}`, b.ids, kind, rid, ref, status, amount))
	b.clock.move(time.Minute)
	b.fireHint()
}

func TestARefundThatOnlyAHintTellsOfIsAsked(t *testing.T) {
	b, p := returning(t)
	b.hintReturn("refund", "re_1", "DONE", "40.00")
	if got := b.payment(p.ID); got.Refunded != "0.00" {
		t.Fatalf("a hint alone refunded %s", got.Refunded)
	}
	v := b.openOf(unprovedReturnKind)
	if v.AmountMinor != 4000 || v.InboxID == 0 {
		t.Errorf("asked %+v", v)
	}
	acts := b.reviewActs(v.ID)
	if want := []string{ActRecordRefund, ActDismiss, ActSnooze, "note"}; !slices.Equal(acts, want) {
		t.Errorf("answers %v, want %v", acts, want)
	}
	version := b.payment(p.ID).Version
	for name, d := range map[string]Decision{
		"no amount": {Act: ActRecordRefund, Version: version}, "too much": {Act: ActRecordRefund, Version: version, Amount: "100.01"}, "a dispute": {Act: ActRecordLoss, Version: version, Amount: "40.00"},
		"stale": {Act: ActRecordRefund, Version: version - 1, Amount: "40.00"},
	} {
		d.ReviewID, d.Reason = v.ID, "seen"
		if err := b.decide(d); err == nil {
			t.Errorf("%s was not refused", name)
		}
	}
	if err := b.decide(Decision{FormKey: "1", ReviewID: v.ID, Version: version, Act: ActRecordRefund, Amount: "40.00", Reason: "the dashboard shows it"}); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "succeeded" || got.Refunded != "40.00" {
		t.Errorf("recorded: %s, refunded %s", got.State, got.Refunded)
	}
	if want := []string{"payment.succeeded", "payment.refunded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v, want %v", b.events(), want)
	}
	b.clock.move(time.Hour)
	b.fireHint()
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("asked again: %v", kinds)
	}
	b.sound()
}

// TestARefundThatAnUnreadableAnswerHidesIsAskedAgain: the gateway tells of refunds, and told of an earlier one, which proves
// nothing about the later one while its answer cannot be read.
func TestARefundThatAnUnreadableAnswerHidesIsAskedAgain(t *testing.T) {
	b, p, a := returningAs(t, returnDefinition+`[[shape.also]]
kind = "refund"
each = "refunds"
ref = "rid"
status = "status"
amount = { from = "amount", kind = "decimal_string", currency = "{item:currency}" }
`)
	refund := func(rid, amount string) string {
		return `{"rid":"` + rid + `","status":"succeeded","amount":"` + amount + `","currency":"PHP"}`
	}
	answer := func(body string) {
		a.next = func(*http.Request) (int, http.Header, string) { return 200, nil, body }
	}
	paid := `{"pid":"A-1","ref":"A","status":"PAID","amount":"100.00","currency":"PHP","refunds":[%s]}`
	answer(fmt.Sprintf(paid, refund("re_1", "40.00")))
	b.hintReturn("refund", "re_1", "DONE", "40.00")
	if got := b.payment(p.ID); got.Refunded != "40.00" || len(b.reviewKinds()) != 0 {
		t.Fatalf("refunded %s, open %v", got.Refunded, b.reviewKinds())
	}
	b.clock.move(time.Hour)
	answer("<html>log in</html>")
	b.hintReturn("refund", "re_2", "DONE", "30.00")
	b.openOf(unprovedReturnKind)
	answer(fmt.Sprintf(paid, refund("re_1", "40.00")+","+refund("re_2", "30.00")))
	b.clock.move(11 * time.Minute)
	b.fireHint()
	if got := b.payment(p.ID); got.Refunded != "70.00" || len(b.reviewKinds()) != 0 {
		t.Errorf("once it can be read: refunded %s, open %v", got.Refunded, b.reviewKinds())
	}
	b.sound()
}

// reviewActs lists the acts that a review offers.
func (b *bench) reviewActs(id int64) (acts []string) {
	b.t.Helper()
	list, err := b.e.ReviewChoices(b.ctx(), id)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range list {
		acts = append(acts, c.Act)
	}
	return acts
}

func TestARecordedDisputeCanBeTakenBack(t *testing.T) {
	b, p := returning(t)
	b.hintReturn("dispute", "dp_1", "LOST", "100.00")
	v := b.openOf(unprovedReturnKind)
	if err := b.decide(Decision{FormKey: "1", ReviewID: v.ID, Version: b.payment(p.ID).Version, Act: ActRecordLoss, Amount: "100.00", Reason: "lost"}); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.Reversed != "100.00" || got.Order.Paid {
		t.Fatalf("recorded: reversed %s, paid %v", got.Reversed, got.Order.Paid)
	}
	b.clock.move(time.Minute)
	if err := b.decide(Decision{FormKey: "2", ReviewID: v.ID, Act: ActReopen, Reason: "another payment was meant"}); err != nil {
		t.Fatal(err)
	}
	if err := b.decide(Decision{FormKey: "3", ReviewID: v.ID, Act: ActDismiss, Reason: "another payment was meant"}); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.Reversed != "0.00" || got.Disputed != "0.00" || !got.Order.Paid {
		t.Errorf("taken back: reversed %s, disputed %s, paid %v", got.Reversed, got.Disputed, got.Order.Paid)
	}
	b.sound()
}

func TestASetAsideHintIsAskedAgainOnlyWhenItComesAgain(t *testing.T) {
	b, p := returning(t)
	b.hintReturn("refund", "re_1", "DONE", "40.00")
	if err := b.decide(Decision{FormKey: "1", ReviewID: b.openOf(unprovedReturnKind).ID, Act: ActDismiss, Reason: "forged"}); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.Refunded != "0.00" || len(b.reviewKinds()) != 0 {
		t.Errorf("set aside: refunded %s, open %v", got.Refunded, b.reviewKinds())
	}
	b.clock.move(time.Hour)
	b.hintReturn("refund", "re_1", "DONE", "41.00")
	b.openOf(unprovedReturnKind)
	b.hintReturn("refund", "re_1", "NOT", "41.00")
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("the gateway says that it failed, and still asked: %v", kinds)
	}
	b.sound()
}

func TestHintsOpenFewQuestions(t *testing.T) {
	b, _ := returning(t)
	for n := range 2 * hintedReviews / hintedReturnsKept {
		ref := fmt.Sprintf("MANY-%d", n)
		b.registerHinted(ref)
		b.clock.move(time.Minute)
		b.fireHint()
		for i := range hintedReturnsKept {
			b.hintReturnOf(ref, "refund", fmt.Sprintf("re_%d_%d", n, i), "DONE", "1.00")
		}
	}
	var open int
	b.view(func(rx *store.Rx) (err error) {
		open, err = rx.CountOpen(unprovedReturnKind, "hint")
		return err
	})
	if open != 20 {
		t.Errorf("%d questions are open after twice as many hints, want 20", open)
	}
	b.sound()
}
