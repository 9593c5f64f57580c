package app

import (
	"testing"
	"time"
)

func TestCaseOfAWaitingRefund(t *testing.T) {
	t.Run("R-091 a refund without its final event", func(t *testing.T) {
		b, a := asking(t)
		p := b.register("ORD-1", "15.00")
		b.tell(b.notice("ORD-1", "paid", "15.00"))
		b.clock.move(time.Hour)
		b.tell(b.back("refund", "ORD-1", "re_1", "pending", "15.00", "PHP"))
		a.next = reply("ORD-1", "paid", "15.00", "PHP", `{"id":"re_1","status":"pending","amount":"15.00","currency":"PHP"}`)
		for h := range 8 * 24 {
			if h == 5*24 {
				a.next = reply("ORD-1", "paid", "15.00", "PHP", `{"id":"re_1","status":"succeeded","amount":"15.00","currency":"PHP"}`)
			}
			b.clock.move(time.Hour)
			b.fire()
		}
		b.amounts(p.ID, "15.00", "15.00", "0.00", "0.00")
		if n := len(a.asked); n == 0 || n > 20 {
			t.Errorf("asked %d times in eight days", n)
		}
		b.told("payment.succeeded", "payment.refunded")
		b.sound()
	})
}
