package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

func TestCasesOfOrderAndLateness(t *testing.T) {
	t.Run("R-068 paid after the order was given up", paidAfterClosing)
	t.Run("R-070 an old success after the full refund", oldSuccessAfterRefund)
	t.Run("R-071 an older attempt fails after the success", olderAttemptFails)
	t.Run("R-072 the first attempt expires while the second is open", firstAttemptExpires)
	t.Run("R-073 attempts that we do not know, paid first", func(t *testing.T) { unknownAttempts(t, "paid", "expired") })
	t.Run("R-073 attempts that we do not know, expired first", func(t *testing.T) { unknownAttempts(t, "expired", "paid") })
	t.Run("R-075 failed and then paid under one id", failedThenPaid)
	t.Run("R-075 and the failure was confirmed between", confirmedFailureThenPaid)
	t.Run("R-076 closing races the payer", closingRacesThePayer)
	t.Run("R-079 the capture fails after the success", captureFails)
	t.Run("R-080 a voucher is paid two days later", func(t *testing.T) { voucher(t, "paid", "succeeded", "", "payment.succeeded") })
	t.Run("R-080 a voucher expires", func(t *testing.T) { voucher(t, "expired", "closed", "expired", "payment.closed") })
	t.Run("R-082 paid on the due date, seen a day later", paidOnTheDueDate)
	t.Run("R-083 a fast wallet and a slow transfer", fastAndSlow)
	t.Run("R-085 closing what has expired", func(t *testing.T) { closingWhatIsOver(t, "expired") })
	t.Run("R-085 closing what was paid", func(t *testing.T) { closingWhatIsOver(t, "paid") })
}

func paidAfterClosing(t *testing.T) {
	b, a := asking(t)
	a.next = reply("ORD-59", "waiting", "59.00", "EUR", "")
	p := b.enter("sandbox", "ORD-59", "", "59.00", "EUR")
	b.clock.move(30 * time.Minute)
	if _, err := b.closing("ORD-59", true); err != nil {
		t.Fatal(err)
	}
	b.clock.move(80 * time.Second)
	b.tell(b.word("ORD-59", "paid", "59.00", "EUR", nil))
	if v := b.stands(p.ID, "succeeded", ""); !v.Late || v.Received != "59.00" {
		t.Errorf("late %v, received %s", v.Late, v.Received)
	}
	o, err := b.e.Order(b.ctx(), "ORD-59")
	if err != nil || o.ClosedAt == nil {
		t.Errorf("the order is no longer closed: %+v, %v", o, err)
	}
	b.told("payment.succeeded_late")
	b.asks("late")
	b.sound()
}

func oldSuccessAfterRefund(t *testing.T) {
	b, a := asking(t)
	p := b.register("ORD-1", "40.00")
	b.tell(b.notice("ORD-1", "paid", "40.00"))
	b.clock.move(2 * time.Hour)
	b.tell(b.back("refund", "ORD-1", "re_1", "succeeded", "40.00", "PHP"))
	b.clock.move(2 * time.Hour)
	b.tell(b.notice("ORD-1", "paid", "40.00"))
	a.next = reply("ORD-1", "paid", "40.00", "PHP", `{"id":"re_1","status":"succeeded","amount":"40.00","currency":"PHP"}`)
	if _, err := b.e.Check(b.ctx(), p.ID, 0); err != nil {
		t.Fatal(err)
	}
	b.fire()
	if v := b.stands(p.ID, "succeeded", ""); v.Refunded != "40.00" || len(a.asked) != 1 {
		t.Errorf("refunded %s after %v", v.Refunded, a.asked)
	}
	b.told("payment.succeeded", "payment.refunded")
	b.orderIs("ORD-1", false, false)
	b.asks()
	b.sound()
}

func olderAttemptFails(t *testing.T) {
	b, a := asking(t)
	one, two := b.enter("sandbox", "A1", "ORD", "10.00", "PHP"), b.enter("sandbox", "A2", "ORD", "10.00", "PHP")
	b.clock.move(time.Minute)
	b.tell(b.notice("A2", "paid", "10.00"))
	b.clock.move(4 * time.Minute)
	b.tell(b.notice("A1", "failed", "10.00"))
	a.next = replies(map[string]func(*http.Request) (int, http.Header, string){"A1": reply("A1", "failed", "10.00", "PHP", "")})
	b.fire()
	b.stands(one.ID, "failed", "")
	b.stands(two.ID, "succeeded", "")
	b.orderIs("ORD", true, false)
	b.told("payment.succeeded", "payment.failed")
	b.asks()
	b.sound()
}

func firstAttemptExpires(t *testing.T) {
	b, a := asking(t)
	one, two := b.enter("sandbox", "A1", "ORD", "10.00", "PHP"), b.enter("sandbox", "A2", "ORD", "10.00", "PHP")
	a.next = replies(map[string]func(*http.Request) (int, http.Header, string){
		"A1": reply("A1", "expired", "10.00", "PHP", ""), "A2": reply("A2", "waiting", "10.00", "PHP", "")})
	b.clock.move(15 * time.Minute)
	b.tell(b.notice("A1", "expired", "10.00"))
	b.fire()
	b.stands(one.ID, "closed", "expired")
	b.stands(two.ID, "pending", "")
	b.orderIs("ORD", false, false)
	b.clock.move(time.Minute)
	b.tell(b.notice("A2", "paid", "10.00"))
	b.orderIs("ORD", true, false)
	b.clock.move(14 * time.Minute)
	b.tell(b.notice("A1", "expired", "10.00"))
	b.fire()
	b.stands(one.ID, "closed", "expired")
	b.stands(two.ID, "succeeded", "")
	b.told("payment.closed", "payment.succeeded")
	b.asks()
	b.sound()
}

func unknownAttempts(t *testing.T, words ...string) {
	b, _ := owning(t, func(s string) string {
		return strings.Replace(s, "[[signature]]", "[facts]\nattempt_kind = \"payment\"\n[[signature]]", 1)
	})
	b.enter("own", "ORD-7", "", "20.00", "EUR")
	for i, word := range words {
		id := map[string]string{"paid": "tr_B", "expired": "tr_A"}[word]
		b.own(`{"eid":"` + itoa(i) + `","pid":"` + id + `","ref":"ORD-7","status":"` + word + `","amount":"20.00","currency":"EUR"}`)
		b.clock.move(20 * time.Minute)
	}
	o, err := b.e.Order(b.ctx(), "ORD-7")
	if err != nil || len(o.Payments) != 2 || !o.Paid || o.SafeToChargeAgain {
		t.Fatalf("order %+v, %v", o, err)
	}
	for _, p := range o.Payments {
		if want := map[string]string{"tr_A": "pending", "tr_B": "succeeded"}[p.Attempt]; p.State != want || p.Late {
			t.Errorf("attempt %s is %s, late %v; want %s", p.Attempt, p.State, p.Late, want)
		}
	}
	b.told("payment.succeeded")
	b.sound()
}

// versions are those of the payment in everything that was told.
func (b *bench) versions() (list []int64) {
	b.t.Helper()
	b.view(func(rx *store.Rx) error {
		events, err := rx.EventsAfter(0, 100)
		for _, e := range events {
			list = append(list, e.Version)
		}
		return err
	})
	return list
}

func failedThenPaid(t *testing.T) {
	b := newBench(t)
	p := b.enter("sandbox", "PM-8", "", "25.00", "EUR")
	b.tell(b.word("PM-8", "failed", "25.00", "EUR", nil))
	b.stands(p.ID, "pending", "")
	b.clock.move(2 * time.Minute)
	b.tell(b.word("PM-8", "paid", "25.00", "EUR", nil))
	if v := b.stands(p.ID, "succeeded", ""); v.Late {
		t.Error("late although nobody was told of a failure")
	}
	b.told("payment.succeeded")
	b.sound()
}

func confirmedFailureThenPaid(t *testing.T) {
	b, a := asking(t)
	p := b.enter("sandbox", "PM-8", "", "25.00", "EUR")
	b.tell(b.word("PM-8", "failed", "25.00", "EUR", nil))
	a.next = reply("PM-8", "failed", "25.00", "EUR", "")
	b.clock.move(time.Minute)
	b.fire()
	b.stands(p.ID, "failed", "")
	b.clock.move(time.Minute)
	b.tell(b.word("PM-8", "paid", "25.00", "EUR", nil))
	b.stands(p.ID, "succeeded", "")
	b.told("payment.failed", "payment.succeeded_late")
	if v := b.versions(); len(v) != 2 || v[0] >= v[1] {
		t.Errorf("versions %v do not rise", v)
	}
	b.asks("late")
	b.sound()
}

func closingRacesThePayer(t *testing.T) {
	b, a := asking(t)
	a.next = reply("ORD-1", "waiting", "10.00", "PHP", "")
	p := b.register("ORD-1", "10.00")
	if _, err := b.closing("ORD-1", false); KindOf(err) != KindConflict || !strings.Contains(err.Error(), "may still succeed") {
		t.Fatalf("closed while the payer may pay: %v", err)
	}
	b.clock.move(2 * time.Second)
	before := len(a.asked)
	if _, err := b.closing("ORD-1", true); err != nil {
		t.Fatal(err)
	}
	if len(a.asked) == before {
		t.Error("closing by force asked nobody")
	}
	b.clock.move(2 * time.Second)
	b.tell(b.notice("ORD-1", "paid", "10.00"))
	if v := b.stands(p.ID, "succeeded", ""); !v.Late {
		t.Error("not late")
	}
	b.told("payment.succeeded_late")
	b.asks("late")
	b.sound()
}

func captureFails(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-33", "33.00")
	b.tell(b.notice("ORD-33", "paid", "33.00"))
	b.clock.move(20 * time.Minute)
	b.tell(b.notice("ORD-33", "reversed", "33.00"))
	if v := b.stands(p.ID, "succeeded", ""); v.Reversed != "33.00" {
		t.Errorf("reversed %s, want 33.00", v.Reversed)
	}
	b.orderIs("ORD-33", false, false)
	b.told("payment.succeeded", "payment.reversed")
	b.asks("reversed")
	if !b.reviews()[0].Urgent {
		t.Error("the review is not urgent")
	}
	b.sound()
}

func voucher(t *testing.T, end, state, cause, event string) {
	b, a := asking(t, func(c *config.Config, _ *Options) { c.Gateways[0].GiveUpAfter = 7 * 24 * time.Hour })
	p := b.enter("sandbox", "V-1", "", "350.00", "MXN")
	b.tell(b.word("V-1", "pending_payment", "350.00", "MXN", nil)) // a word that the definition does not know
	b.stands(p.ID, "pending", "")
	b.tell(b.word("V-1", "waiting", "350.00", "MXN", nil))
	a.next = reply("V-1", "waiting", "350.00", "MXN", "")
	for range 48 {
		b.clock.move(time.Hour)
		b.fire()
		if v := b.payment(p.ID); v.State != "pending" {
			t.Fatalf("%s before the voucher is paid", v.State)
		}
	}
	b.told()
	b.tell(b.word("V-1", end, "350.00", "MXN", nil))
	a.next = reply("V-1", end, "350.00", "MXN", "")
	b.fire()
	b.stands(p.ID, state, cause)
	b.told(event)
	b.sound()
}

func paidOnTheDueDate(t *testing.T) {
	b, a := asking(t)
	manila := time.FixedZone("UTC+8", 8*60*60)
	b.clock.at = time.Date(2031, 6, 9, 10, 0, 0, 0, manila)
	due := time.Date(2031, 6, 10, 23, 59, 0, 0, manila)
	a.next = reply("T-1", "waiting", "10.00", "PHP", "")
	p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "T-1", Amount: "10.00", Currency: "PHP", ExpiresAt: &due, GiveUpAfter: "168h"})
	if err != nil {
		t.Fatal(err)
	}
	b.clock.at = time.Date(2031, 6, 11, 0, 30, 0, 0, manila)
	b.fire()
	b.stands(p.ID, "pending", "") // the gateway still waits, so the due date closes nothing
	b.clock.at = time.Date(2031, 6, 11, 8, 0, 0, 0, manila)
	n := b.notice("T-1", "paid", "10.00")
	n["created"] = "2031-06-10T15:00:00+08:00"
	b.tell(n)
	if v := b.stands(p.ID, "succeeded", ""); v.Late {
		t.Error("late although it was paid on the due date")
	}
	b.told("payment.succeeded")
	b.asks()
	b.sound()
}

func fastAndSlow(t *testing.T) {
	b, a := asking(t, func(c *config.Config, _ *Options) {
		bank := c.Gateways[0]
		bank.Name, bank.GiveUpAfter = "bank", 10*24*time.Hour
		c.Gateways[0].GiveUpAfter = 30 * time.Minute
		c.Gateways = append(c.Gateways, bank)
	})
	wallet, slow := b.enter("sandbox", "W", "", "10.00", "PHP"), b.enter("bank", "B", "", "10.00", "PHP")
	a.next = replies(map[string]func(*http.Request) (int, http.Header, string){
		"W": reply("W", "waiting", "10.00", "PHP", ""), "B": reply("B", "waiting", "10.00", "PHP", "")})
	b.clock.move(40 * time.Minute)
	b.fire()
	b.stands(wallet.ID, "closed", "abandoned")
	var at []int
	for h := range 6 * 24 {
		before := len(a.asked)
		b.clock.move(time.Hour)
		b.fireAt("bank")
		if len(a.asked) > before {
			at = append(at, h)
		}
	}
	b.stands(slow.ID, "pending", "")
	if len(at) < 6 || at[len(at)-1] < 4*24 {
		t.Fatalf("asked in the hours %v: it must be asked to the end", at)
	}
	if first, last := at[1]-at[0], at[len(at)-1]-at[len(at)-2]; last <= first {
		t.Errorf("asked in the hours %v: not rarer with time", at)
	}
	b.told("payment.closed")
	b.sound()
}

func closingWhatIsOver(t *testing.T, word string) {
	b, a := asking(t)
	p := b.enter("sandbox", "INV", "", "75000", "IDR")
	b.clock.move(30 * time.Minute)
	a.next = reply("INV", word, "75000", "IDR", "")
	v, err := b.closing("INV", false)
	if word == "paid" {
		if KindOf(err) != KindConflict || !strings.Contains(err.Error(), "paid") {
			t.Errorf("closing a paid order: %v", err)
		}
		b.stands(p.ID, "succeeded", "")
		b.told("payment.succeeded")
	} else {
		if err != nil || v.ClosedAt == nil {
			t.Errorf("closing what has expired: %+v, %v", v, err)
		}
		b.stands(p.ID, "closed", "expired")
		b.told("payment.closed")
	}
	b.fire() // where the regular question was answered first, the one on purpose is still to be put
	asked := slices.Clone(a.asked)
	b.clock.move(48 * time.Hour)
	b.fire()
	if !slices.Equal(asked, a.asked) {
		t.Errorf("asked on although it is over: %v", a.asked[len(asked):])
	}
	b.sound()
}
