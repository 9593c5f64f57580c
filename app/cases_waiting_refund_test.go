package app

import (
	"slices"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

const (
	pendingRefund  = `{"id":"re_1","status":"pending","amount":"15.00","currency":"PHP"}`
	finishedRefund = `{"id":"re_1","status":"succeeded","amount":"15.00","currency":"PHP"}`
)

func TestCaseOfAWaitingRefund(t *testing.T) {
	t.Run("R-091 a refund without its final event", func(t *testing.T) {
		b, a, p := refunding(t)
		for h := range 8 * 24 {
			if h == 5*24 {
				a.next = reply("ORD-1", "paid", "15.00", "PHP", finishedRefund)
			}
			b.clock.move(time.Hour)
			b.fire()
		}
		b.amounts(p.ID, "15.00", "15.00", "0.00", "0.00")
		if n := len(a.asked); n == 0 || n > 20 {
			t.Errorf("asked %d times in eight days", n)
		}
		b.told("payment.succeeded", "payment.refunded")
		b.asks()
		b.waitsForNothing(p.ID)
	})
	t.Run("R-091 it never comes to an end", neverEnds)
}

// refunding is a bench with a payment of 15 pesos whose refund is pending, by a notice and by every answer.
func refunding(t *testing.T, edit ...func(*config.Config, *Options)) (*bench, *answers, PaymentView) {
	t.Helper()
	b, a := asking(t, edit...)
	p := b.register("ORD-1", "15.00")
	b.tell(b.notice("ORD-1", "paid", "15.00"))
	b.clock.move(time.Hour)
	b.tell(b.back("refund", "ORD-1", "re_1", "pending", "15.00", "PHP"))
	a.next = reply("ORD-1", "paid", "15.00", "PHP", pendingRefund)
	return b, a, p
}

// monthPasses lets 32 days go by with the questions and the ends of waits that they bring.
func (b *bench) monthPasses() {
	b.t.Helper()
	for range 32 * 4 {
		b.clock.move(6 * time.Hour)
		b.fire()
		b.endHolds()
	}
}

func (b *bench) endHolds() {
	b.t.Helper()
	if _, err := b.e.holdsOnce(b.ctx()); err != nil {
		b.t.Fatal(err)
	}
}

// waitsForNothing wants a payment that no appointment is made for and that the scan does not look after.
func (b *bench) waitsForNothing(id string) {
	b.t.Helper()
	b.view(func(rx *store.Rx) error {
		p, _, err := rx.PaymentByPublicID(id)
		if err != nil {
			return err
		}
		timers, err := rx.TimersOf(p.ID)
		if len(timers) != 0 || p.ReconcileMs != 0 {
			b.t.Errorf("waits for %+v and is looked after at %d", timers, p.ReconcileMs)
		}
		return err
	})
	b.sound()
}

func neverEnds(t *testing.T) {
	b, a, p := refunding(t)
	b.monthPasses()
	if n := len(a.asked); n < 28 || n > 40 {
		t.Errorf("asked %d times, want once a day for thirty days", n)
	}
	b.asks("return_waits")
	b.waitsForNothing(p.ID)
	v := b.reviews()[0]
	if v.AmountMinor != 1500 || v.Currency != "PHP" {
		t.Errorf("%d %s at risk, want 15.00 PHP", v.AmountMinor, v.Currency)
	}
	acts := b.reviewActs(v.ID)
	if want := []string{ActRecordRefund, ActRecordNone, ActAsk, "ignore", ActSnooze, "note"}; !slices.Equal(acts, want) {
		t.Errorf("answers %v, want %v", acts, want)
	}
	err := b.decide(Decision{FormKey: "1", ReviewID: v.ID, Version: b.payment(p.ID).Version, Act: ActRecordRefund, Amount: "15.00", Reason: "the dashboard shows it"})
	if err != nil {
		t.Fatal(err)
	}
	b.amounts(p.ID, "15.00", "15.00", "0.00", "0.00")
	b.told("payment.succeeded", "payment.refunded")
	b.asks()
	b.waitsForNothing(p.ID)
}

func TestAReturnWithoutAnEndIsAnsweredByAPerson(t *testing.T) {
	for name, c := range map[string]struct {
		kind, act, amount          string
		refunded, disputed, backed string
		told                       []string
	}{
		"the refund failed":     {"refund", ActRecordNone, "", "0.00", "0.00", "0.00", []string{"payment.succeeded", "payment.refund_failed"}},
		"the refund is let be":  {"refund", "ignore", "", "0.00", "0.00", "0.00", []string{"payment.succeeded"}},
		"the dispute was lost":  {"dispute", ActRecordLoss, "15.00", "0.00", "15.00", "15.00", []string{"payment.succeeded", "payment.disputed", "payment.disputed", "payment.reversed"}},
		"the dispute was won":   {"dispute", ActRecordNone, "", "0.00", "0.00", "0.00", []string{"payment.succeeded", "payment.disputed", "payment.disputed"}},
		"the dispute is let be": {"dispute", "ignore", "", "0.00", "15.00", "0.00", []string{"payment.succeeded", "payment.disputed"}},
	} {
		t.Run(name, func(t *testing.T) {
			b, a := asking(t)
			a.next = reply("ORD-1", "paid", "15.00", "PHP", "") // it says nothing of what went back
			p := b.register("ORD-1", "15.00")
			b.tell(b.notice("ORD-1", "paid", "15.00"))
			status := map[string]string{"refund": "pending", "dispute": "open"}[c.kind]
			b.tell(b.back(c.kind, "ORD-1", "x_1", status, "15.00", "PHP"))
			b.monthPasses()
			b.asks("return_waits")
			b.clock.move(time.Hour)
			d := Decision{FormKey: "1", ReviewID: b.reviews()[0].ID, Version: b.payment(p.ID).Version, Act: c.act, Amount: c.amount, Reason: "looked into it"}
			if err := b.decide(d); err != nil {
				t.Fatal(err)
			}
			b.amounts(p.ID, "15.00", c.refunded, c.disputed, c.backed)
			b.told(c.told...)
			if c.backed == "0.00" {
				b.asks()
			} else {
				b.asks("reversed")
			}
			b.waitsForNothing(p.ID)
		})
	}
}

// Where the appointment is lost, the scan makes it again.
func TestTheScanFindsALostWaitForARefund(t *testing.T) {
	b, _, p := refunding(t)
	b.dropTimers(p.ID, "ask", "hold")
	b.clock.move(32 * 24 * time.Hour)
	if n, err := b.e.ScanOnce(b.ctx()); err != nil || n == 0 {
		t.Fatalf("the scan found %d, %v", n, err)
	}
	b.fire()
	b.endHolds()
	b.asks("return_waits")
	b.waitsForNothing(p.ID)
}

// dropTimers takes a payment's appointments away, as a fault would.
func (b *bench) dropTimers(id string, kinds ...string) {
	b.t.Helper()
	err := b.store.Update(b.ctx(), "drop", func(tx *store.Tx) error {
		p, _, err := tx.PaymentByPublicID(id)
		if err != nil {
			return err
		}
		return tx.DropTimers(p.ID, kinds...)
	})
	if err != nil {
		b.t.Fatal(err)
	}
}
