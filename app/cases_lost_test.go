package app

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

func TestCasesOfLostEvents(t *testing.T) {
	t.Run("R-042 the notice comes before the order", noticeBeforeOrder)
	t.Run("R-042 and the order never comes", orderNeverComes)
	t.Run("R-043 the link is written later", linkWrittenLater)
	t.Run("R-045 one of a batch is about an unknown order", unknownAmongThree)
	t.Run("R-047 one row of a batch panics", oneRowPanics)
	t.Run("R-049 genuine events that are of no use", uselessEvents)
	t.Run("R-051 payments found by query alone", foundByQueryAlone)
	t.Run("R-052 no webhook at all", func(t *testing.T) { noWebhook(t, "250.00", "PHP") })
	t.Run("R-053 something in front blocks the webhook", func(t *testing.T) { noWebhook(t, "45.00", "EUR") })
	t.Run("R-055 the payer opens the return page twice", returnPageTwice)
	t.Run("R-056 the webhook goes elsewhere", webhookElsewhere)
}

func noticeBeforeOrder(t *testing.T) {
	b := newBench(t)
	b.tell(b.word("ORD-501", "paid", "1500.00", "EUR", nil))
	b.told()
	b.clock.move(1200 * time.Millisecond)
	p := b.enter("sandbox", "ORD-501", "", "1500.00", "EUR")
	if v := b.stands(p.ID, "succeeded", ""); v.Received != "1500.00" {
		t.Errorf("received %s", v.Received)
	}
	b.told("payment.succeeded")
	b.sound()
}

func orderNeverComes(t *testing.T) {
	b := newBench(t)
	b.tell(b.word("ORD-501", "paid", "1500.00", "EUR", nil))
	b.clock.move(59 * time.Minute)
	b.keep()
	b.asks()
	b.clock.move(2 * time.Minute)
	b.keep()
	b.asks("money_without_order")
	b.told()
	b.sound()
}

func linkWrittenLater(t *testing.T) {
	b := newBench(t)
	p := b.register("LINK-1", "12.00")
	notice := b.word("GATEWAY-OWN", "paid", "12.00", "PHP", map[string]any{"reference": ""}) // the gateway's id alone
	for range 5 {
		b.tell(notice)
	}
	if rows := b.rows(); len(rows) != 1 {
		t.Errorf("%d rows for one event, want 1", len(rows))
	}
	b.clock.move(5 * time.Second)
	if _, err := b.e.AddRefs(b.ctx(), p.ID, []Ref{{Kind: "payment", ID: "sbx_GATEWAY-OWN"}}); err != nil {
		t.Fatal(err)
	}
	b.stands(p.ID, "succeeded", "")
	b.clock.move(55 * time.Second)
	b.tell(notice)
	b.told("payment.succeeded")
	b.sound()
}

func unknownAmongThree(t *testing.T) {
	b, _ := owning(t, nil)
	item := func(n int) string {
		return fmt.Sprintf(`{"eid":"e%d","pid":"g%d","ref":"ORD-%d","status":"paid","amount":"10.00","currency":"PHP"}`, n, n, n)
	}
	one, three := b.enter("own", "ORD-1", "", "10.00", "PHP"), b.enter("own", "ORD-3", "", "10.00", "PHP")
	b.own(item(1), item(2), item(3)) // acknowledged once
	if rows := b.rows(); len(rows) != 3 {
		t.Errorf("%d rows, want 3", len(rows))
	}
	b.stands(one.ID, "succeeded", "")
	b.stands(three.ID, "succeeded", "")
	b.told("payment.succeeded", "payment.succeeded")
	two := b.enter("own", "ORD-2", "", "10.00", "PHP")
	b.stands(two.ID, "succeeded", "")
	b.told("payment.succeeded", "payment.succeeded", "payment.succeeded")
	b.sound()
}

// oneRowPanics has the fourth of ten rows panic, kills the process, and then has one panic until its last try.
func oneRowPanics(t *testing.T) {
	b, _ := owning(t, nil)
	for n := range 10 {
		ref := fmt.Sprintf("ORD-%d", n)
		if n == 3 {
			b.enter("own", ref, "", "10.00", "PHP")
			b.unworked(ref)
			continue
		}
		b.register(ref, "10.00")
		b.send(b.notice(ref, "paid", "10.00"))
	}
	b.e.gateways["own"].def = nil // reading a row of this gateway panics
	b.work()
	if n := len(b.events()); n != 9 {
		t.Errorf("%d events, want 9: the other rows wait for the one that panics", n)
	}
	next := b.restarted(func(c *config.Config, _ *Options) { *c = *b.e.config })
	next.clock.move(time.Minute)
	next.work()
	if n := len(next.events()); n != 10 {
		t.Errorf("%d events after the restart, want 10", n)
	}
	next.enter("own", "ORD-10", "", "10.00", "PHP")
	next.unworked("ORD-10")
	own := next.e.gateways["own"]
	def := own.def
	own.def = nil
	for range 8 {
		next.asks()
		next.work()
		next.clock.move(2 * time.Hour)
	}
	own.def = def
	next.asks("dead_inbox")
	next.sound()
}

// unworked has a notice of the gateway "own" stored and not yet worked on.
func (b *bench) unworked(ref string) {
	b.t.Helper()
	body := []byte(`{"items":[{"eid":"` + ref + `","pid":"` + ref + `","ref":"` + ref + `","status":"paid","amount":"10.00","currency":"PHP"}]}`)
	r := gateway.Request{Method: http.MethodPost, Target: "/hooks/own", Header: http.Header{"X-Signature": {hexMAC(body)}}, Body: body, At: b.clock.now()}
	if ack, err := b.e.Accept(b.ctx(), "own", r); err != nil || ack.Status != 200 {
		b.t.Fatalf("notice: %d %v", ack.Status, err)
	}
}

// lastNoticeAt fails the test unless the sandbox is known to have sent its last notice at an instant.
func (b *bench) lastNoticeAt(at time.Time) {
	b.t.Helper()
	if err := b.e.flushArrivals(b.ctx()); err != nil {
		b.t.Fatal(err)
	}
	b.view(func(rx *store.Rx) error {
		s, err := rx.GatewayState("sandbox")
		if s.LastWebhookMs != at.UnixMilli() {
			b.t.Errorf("the last notice came at %d, want %d", s.LastWebhookMs, at.UnixMilli())
		}
		return err
	})
}

func uselessEvents(t *testing.T) {
	b := newBench(t)
	for i := range 10 {
		n := b.word(fmt.Sprintf("STRANGE-%d", i), "paid", "1.00", "PHP", nil)
		n["type"] = "payout"
		b.tell(n)
	}
	b.told()
	b.asks()
	b.lastNoticeAt(b.clock.now())
}

func foundByQueryAlone(t *testing.T) {
	b, a := asking(t)
	b.register("ORD-0", "5.00")
	b.pay("ORD-0", "5.00")
	last := b.clock.now()
	for i := range 5 {
		ref := fmt.Sprintf("ORD-%d", i+1)
		p := b.register(ref, "5.00")
		a.next = reply(ref, "paid", "5.00", "PHP", "")
		b.clock.move(40 * time.Second)
		b.fire()
		if v := b.stands(p.ID, "succeeded", ""); v.Source != "query" {
			t.Errorf("found by %s", v.Source)
		}
	}
	b.lastNoticeAt(last) // answers to questions are no webhooks
	b.view(func(rx *store.Rx) error {
		list, err := rx.ResolvedSince(0)
		for _, r := range list {
			if r.State == "succeeded" && r.Trigger == "webhook" && r.Count != 1 || r.Trigger != "webhook" && r.Count != 5 {
				t.Errorf("resolved %v, want one by webhook and five by questions", list)
			}
		}
		if len(list) != 2 {
			t.Errorf("resolved %v, want two ways", list)
		}
		return err
	})
	b.sound()
}

// noWebhook has the first question find the payment, 30 seconds and up to a tenth more after its registration.
func noWebhook(t *testing.T, amount, currency string) {
	b, a := asking(t)
	p := b.enter("sandbox", "ORD-1", "", amount, currency)
	a.next = reply("ORD-1", "paid", amount, currency, "")
	b.clock.move(29 * time.Second)
	b.fire()
	b.stands(p.ID, "pending", "")
	b.clock.move(5 * time.Second)
	b.fire()
	if v := b.stands(p.ID, "succeeded", ""); v.Source != "query" || v.Received != amount {
		t.Errorf("%s received, said by %s", v.Received, v.Source)
	}
	b.clock.move(24 * time.Hour)
	b.tell(b.word("ORD-1", "paid", amount, currency, nil))
	b.told("payment.succeeded")
	b.asks()
	b.sound()
}

// returnPageTwice has the shop ask on the payer's return: the gateway is asked, within its rate, and nothing is proved by it.
func returnPageTwice(t *testing.T) {
	b, a := asking(t, func(c *config.Config, _ *Options) { c.Gateways[0].QueryRate = config.Rate{Count: 2, Per: time.Second} })
	a.next = reply("ORD-8", "waiting", "20.00", "PHP", "")
	p := b.register("ORD-8", "20.00")
	b.clock.move(2 * time.Second) // long before the first rung
	for i := range 6 {
		if _, err := b.e.Check(b.ctx(), p.ID, 0); err != nil {
			t.Fatal(err)
		}
		b.fire()
		if want := min(i+1, 2); len(a.asked) != want { // two at once is the rate
			t.Errorf("asked %d times after %d returns in one instant, want %d", len(a.asked), i+1, want)
		}
	}
	b.stands(p.ID, "pending", "")
	b.told()
	b.sound()
}

func webhookElsewhere(t *testing.T) {
	b, a := asking(t)
	p := b.enter("sandbox", "ORD-56", "", "75000.00", "IDR")
	a.next = reply("ORD-56", "paid", "75000.00", "IDR", "")
	b.clock.move(2 * time.Second) // long before the first rung
	if _, err := b.e.Check(b.ctx(), p.ID, 0); err != nil {
		t.Fatal(err)
	}
	b.stands(p.ID, "pending", "")
	b.fire()
	if v := b.stands(p.ID, "succeeded", ""); v.Source != "query" || v.Received != "75000.00" {
		t.Errorf("%s received, said by %s", v.Received, v.Source)
	}
	b.told("payment.succeeded")
	if h, _ := b.e.Health("sandbox"); h.LastAnswerMs != b.clock.now().UnixMilli() {
		t.Errorf("last answer at %d", h.LastAnswerMs)
	}
	b.sound()
}
