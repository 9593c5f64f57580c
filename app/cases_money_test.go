package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
)

func TestCasesOfRefundsAndDisputes(t *testing.T) {
	t.Run("R-086 refunds that tell the total so far", cumulativeRefunds)
	t.Run("R-086 a refund without its amount", refundWithoutAmount)
	t.Run("R-087 a refund told by webhook and then by query", func(t *testing.T) { refundToldTwice(t, false) })
	t.Run("R-087 a refund told by query and then by webhook", func(t *testing.T) { refundToldTwice(t, true) })
	t.Run("R-089 a refund fails days later", refundFails)
	t.Run("R-089 a refund that a person owes fails", owedRefundFails)
	t.Run("R-092 a dispute is lost after a partial refund", disputeAfterRefund)
	t.Run("R-094 a dispute about what was refunded", disputeOfRefunded)
	t.Run("R-095 a dispute is lost before the success is known", func(t *testing.T) { backBeforeSuccess(t, "dispute", "lost", "12.00") })
	t.Run("R-095 a refund comes before the success is known", func(t *testing.T) { backBeforeSuccess(t, "refund", "succeeded", "5.00") })
	t.Run("R-096 a dispute is lost and then won", lostThenWon)
	t.Run("R-097 a part of the authorised amount is captured", partialCapture)
}

func (b *bench) amounts(id, received, refunded, disputed, reversed string) {
	b.t.Helper()
	v := b.payment(id)
	got := []string{v.Received, v.Refunded, v.Disputed, v.Reversed}
	if want := []string{received, refunded, disputed, reversed}; !slices.Equal(got, want) {
		b.t.Errorf("received, refunded, disputed, reversed: %v, want %v", got, want)
	}
}

func cumulativeRefunds(t *testing.T) {
	b, _ := owning(t, nil)
	p := b.enter("own", "R", "", "50.00", "EUR")
	b.own(`{"eid":"0","pid":"p","ref":"R","status":"paid","amount":"50.00","currency":"EUR"}`)
	for i, c := range []struct{ item, refunded string }{
		{`{"eid":"1","kind":"refund","rid":"R1","pid":"p","status":"done","amount":"4.00","total_refunded":"4.00","currency":"EUR"}`, "4.00"},
		{`{"eid":"2","kind":"refund","rid":"R2","pid":"p","status":"done","amount":"6.50","total_refunded":"10.50","currency":"EUR"}`, "10.50"},
		{`{"eid":"3","kind":"refund","rid":"R3","pid":"p","status":"done","total_refunded":"17.00","currency":"EUR"}`, "17.00"},
	} {
		b.clock.move(time.Duration(i+1) * time.Hour)
		for range 2 {
			b.own(c.item)
		}
		b.amounts(p.ID, "50.00", c.refunded, "0.00", "0.00")
	}
	b.told("payment.succeeded", "payment.refunded", "payment.refunded", "payment.refunded")
	b.sound()
}

func refundWithoutAmount(t *testing.T) {
	b, _ := owning(t, nil)
	p := b.enter("own", "R", "", "50.00", "EUR")
	b.own(`{"eid":"0","pid":"p","ref":"R","status":"paid","amount":"50.00","currency":"EUR"}`,
		`{"eid":"1","kind":"single","rid":"R1","pid":"p","status":"done","amount":"4.00","currency":"EUR"}`,
		`{"eid":"2","kind":"single","rid":"R2","pid":"p","status":"done","amount":"6.50","currency":"EUR"}`,
		`{"eid":"3","kind":"single","rid":"R3","pid":"p","status":"done","total_refunded":"17.00","currency":"EUR"}`)
	b.amounts(p.ID, "50.00", "10.50", "0.00", "0.00")
	b.asks("dead_inbox")
	b.sound()
}

func refundToldTwice(t *testing.T, queryFirst bool) {
	b, a := asking(t)
	p := b.register("ORD-1", "50.00")
	b.tell(b.notice("ORD-1", "paid", "50.00"))
	a.next = reply("ORD-1", "paid", "50.00", "PHP", `{"id":"re_7","status":"succeeded","amount":"10.00","currency":"PHP"}`)
	notice := b.back("refund", "ORD-1", "re_7", "succeeded", "10.00", "PHP")
	b.clock.move(time.Minute)
	query := func() {
		if _, err := b.e.Check(b.ctx(), p.ID, 0); err != nil {
			t.Fatal(err)
		}
		b.fire()
	}
	if queryFirst {
		query()
		b.tell(notice)
	} else {
		b.tell(notice)
		query()
	}
	b.amounts(p.ID, "50.00", "10.00", "0.00", "0.00")
	b.told("payment.succeeded", "payment.refunded")
	b.asks()
	b.sound()
}

func refundFails(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-1", "15.00")
	b.tell(b.notice("ORD-1", "paid", "15.00"))
	for _, s := range []struct {
		after    time.Duration
		status   string
		refunded string
	}{{time.Hour, "pending", "0.00"}, {time.Hour, "succeeded", "15.00"}, {96 * time.Hour, "failed", "0.00"}} {
		b.clock.move(s.after)
		b.tell(b.back("refund", "ORD-1", "re_1", s.status, "15.00", "PHP"))
		b.amounts(p.ID, "15.00", s.refunded, "0.00", "0.00")
	}
	b.stands(p.ID, "succeeded", "")
	b.orderIs("ORD-1", true, false)
	b.told("payment.succeeded", "payment.refunded", "payment.refund_failed")
	b.sound()
}

func owedRefundFails(t *testing.T) {
	b, a := asking(t)
	a.next = reply("ORD-1", "waiting", "15.00", "PHP", "")
	p := b.register("ORD-1", "15.00")
	if _, err := b.closing("ORD-1", true); err != nil {
		t.Fatal(err)
	}
	b.tell(b.notice("ORD-1", "paid", "15.00"))
	v := b.payment(p.ID)
	if err := b.decide(Decision{PaymentID: p.ID, ReviewID: b.reviews()[0].ID, Version: v.Version, Act: "refund", Amount: "15.00", Reason: "too late", FormKey: "f"}); err != nil {
		t.Fatal(err)
	}
	b.asks("refund_owed")
	b.clock.move(time.Hour)
	b.tell(b.back("refund", "ORD-1", "re_1", "succeeded", "15.00", "PHP"))
	b.asks()
	b.clock.move(96 * time.Hour)
	b.tell(b.back("refund", "ORD-1", "re_1", "failed", "15.00", "PHP"))
	b.asks("refund_owed")
	b.stands(p.ID, "succeeded", "")
	b.sound()
}

func disputeAfterRefund(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-1", "100.00")
	b.tell(b.notice("ORD-1", "paid", "100.00"))
	b.clock.move(time.Hour)
	b.tell(b.back("refund", "ORD-1", "re_1", "succeeded", "30.00", "PHP"))
	b.clock.move(time.Hour)
	b.tell(b.back("dispute", "ORD-1", "dp_1", "open", "71.20", "PHP"))
	b.amounts(p.ID, "100.00", "30.00", "71.20", "0.00")
	b.asks("double_loss")
	if v := b.reviews()[0]; v.AmountMinor != 120 {
		t.Errorf("%d at risk while the dispute is open, want 120", v.AmountMinor)
	}
	b.clock.move(time.Hour)
	b.tell(b.back("dispute", "ORD-1", "dp_1", "lost", "71.20", "PHP"))
	b.amounts(p.ID, "100.00", "30.00", "71.20", "71.20")
	b.stands(p.ID, "succeeded", "")
	b.asks("reversed", "excess")
	for _, v := range b.reviews() {
		if want := map[string]int64{"reversed": 7120, "excess": 120}[v.Kind]; v.AmountMinor != want {
			t.Errorf("%s: %d at risk, want %d", v.Kind, v.AmountMinor, want)
		}
	}
	b.orderIs("ORD-1", false, false)
	b.sound()
}

func disputeOfRefunded(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-1", "25.00")
	b.tell(b.notice("ORD-1", "paid", "25.00"))
	b.clock.move(time.Hour)
	b.tell(b.back("refund", "ORD-1", "re_1", "succeeded", "25.00", "PHP"))
	b.clock.move(72 * time.Hour)
	b.tell(b.back("dispute", "ORD-1", "dp_1", "open", "25.00", "PHP"))
	b.amounts(p.ID, "25.00", "25.00", "25.00", "0.00")
	b.asks("double_loss")
	if v := b.reviews()[0]; v.AmountMinor != 2500 || v.PaymentID == 0 {
		t.Errorf("asked %+v, want 25.00 at risk", v)
	}
	b.clock.move(17 * 24 * time.Hour)
	b.tell(b.back("dispute", "ORD-1", "dp_1", "won", "25.00", "PHP"))
	b.amounts(p.ID, "25.00", "25.00", "0.00", "0.00")
	b.stands(p.ID, "succeeded", "")
	b.told("payment.succeeded", "payment.refunded", "payment.disputed", "payment.disputed")
	b.orderIs("ORD-1", false, false)
	b.asks()
	b.sound()
}

func backBeforeSuccess(t *testing.T, kind, status, amount string) {
	standing := func(early bool) PaymentView {
		b := newBench(t)
		var p PaymentView
		if early && kind == "dispute" { // nobody has registered it yet
			b.tell(b.back(kind, "PM-6", "x_1", status, amount, "PHP"))
			p = b.register("PM-6", "12.00")
		} else {
			p = b.register("PM-6", "12.00")
			if early {
				b.tell(b.back(kind, "PM-6", "x_1", status, amount, "PHP"))
				b.stands(p.ID, "pending", "")
			}
		}
		b.clock.move(2 * time.Second)
		b.tell(b.notice("PM-6", "paid", "12.00"))
		if !early {
			b.tell(b.back(kind, "PM-6", "x_1", status, amount, "PHP"))
		}
		b.stands(p.ID, "succeeded", "")
		b.sound()
		return b.payment(p.ID)
	}
	early, natural := standing(true), standing(false)
	for name, v := range map[string]PaymentView{"early": early, "natural": natural} {
		got := []string{v.Received, v.Refunded, v.Disputed, v.Reversed}
		want := []string{"12.00", "5.00", "0.00", "0.00"}
		if kind == "dispute" {
			want = []string{"12.00", "0.00", "12.00", "12.00"}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s order: received, refunded, disputed, reversed %v, want %v", name, got, want)
		}
	}
}

func lostThenWon(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-1", "20.00")
	b.tell(b.notice("ORD-1", "paid", "20.00"))
	b.clock.move(10 * 24 * time.Hour)
	b.tell(b.back("dispute", "ORD-1", "dp_1", "lost", "20.00", "PHP"))
	b.amounts(p.ID, "20.00", "0.00", "20.00", "20.00")
	b.orderIs("ORD-1", false, false)
	b.clock.move(24 * time.Hour)
	b.tell(b.back("dispute", "ORD-1", "dp_1", "won", "20.00", "PHP"))
	b.amounts(p.ID, "20.00", "0.00", "0.00", "0.00")
	b.orderIs("ORD-1", true, false)
	if v := b.stands(p.ID, "succeeded", ""); v.Version != 4 {
		t.Errorf("version %d, want both steps in the history", v.Version)
	}
	count := map[string]int{}
	for _, e := range b.events() {
		count[e]++
	}
	if count["payment.reversed"] != 1 || count["payment.succeeded"] != 1 || count["payment.refunded"] != 0 {
		t.Errorf("told %v", b.events())
	}
	b.sound()
}

func partialCapture(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-1", "100.00")
	b.tell(b.notice("ORD-1", "authorised", "100.00"))
	b.stands(p.ID, "processing", "")
	b.clock.move(time.Hour)
	b.tell(b.notice("ORD-1", "paid", "45.00"))
	b.stands(p.ID, "unknown", "difference")
	b.amounts(p.ID, "45.00", "0.00", "0.00", "0.00")
	b.told("payment.authorised", "payment.unknown")
	b.asks("difference")
	b.orderIs("ORD-1", false, false)
	b.sound()
}

func TestCasesOfAmounts(t *testing.T) {
	t.Run("R-099 a currency without decimals", yen)
	t.Run("R-105 equal amounts from two sources", equalAmounts)
	t.Run("R-106 a fee that the payer bears is declared", func(t *testing.T) { feeOnTop(t, true) })
	t.Run("R-106 a fee that nobody declares", func(t *testing.T) { feeOnTop(t, false) })
	t.Run("R-107 a tiny amount", tinyAmount)
	t.Run("R-109 too little, called completed", func(t *testing.T) { otherAmount(t, `"status":"completed","amount":"1.00"`, "1.00") })
	t.Run("R-109 too little, called failed", func(t *testing.T) { otherAmount(t, `"status":"failed","reason":"UNDERPAID","amount":"59.40"`, "59.40") })
	t.Run("R-109 too much, called failed", func(t *testing.T) { otherAmount(t, `"status":"failed","reason":"OVERPAID","amount":"61.00"`, "61.00") })
	t.Run("R-111 amounts as they are written", writtenAmounts)
}

func yen(t *testing.T) {
	b, _ := owning(t, func(s string) string {
		return strings.Replace(s, `from = ["metadata.original_amount", "amount"], kind = "decimal_string"`, `from = "amount", kind = "minor_int"`, 1)
	})
	p := b.enter("own", "ORD-J1", "", "1260", "JPY")
	b.own(`{"eid":"1","pid":"p","ref":"ORD-J1","status":"paid","amount":1260,"currency":"JPY"}`)
	if v := b.stands(p.ID, "succeeded", ""); v.Amount != "1260" || v.Received != "1260" {
		t.Errorf("amount %s, received %s; want 1260", v.Amount, v.Received)
	}
	_, _, err := b.e.Register(b.ctx(), Registration{Gateway: "own", MerchantRef: "ORD-J2", Amount: "12.60", Currency: "JPY"})
	if KindOf(err) != KindInvalid {
		t.Errorf("12.60 JPY: %v", err)
	}
}

func equalAmounts(t *testing.T) {
	b := newBench(t)
	p := b.enter("sandbox", "F1", "", "5.06", "USD")
	b.tell(b.word("F1", "paid", "5.06", "USD", nil))
	b.stands(p.ID, "succeeded", "")
	_, _, err := b.e.Register(b.ctx(), Registration{Gateway: "sandbox", MerchantRef: "F2", Amount: "5.0599999999999996", Currency: "USD"})
	if KindOf(err) != KindInvalid {
		t.Errorf("more decimals than the currency has: %v", err)
	}
}

func feeOnTop(t *testing.T, declared bool) {
	b, _ := owning(t, nil)
	p := b.enter("own", "ORD-1", "", "25000", "IDR")
	metadata := ""
	if declared {
		metadata = `,"metadata":{"original_amount":"25000","customer_fee":"178"}`
	}
	b.own(`{"eid":"1","pid":"p","ref":"ORD-1","status":"paid","amount":"25178.00","currency":"IDR"` + metadata + `}`)
	if declared {
		b.stands(p.ID, "succeeded", "")
		b.amounts(p.ID, "25000.00", "0.00", "0.00", "0.00")
		b.asks()
		return
	}
	b.stands(p.ID, "unknown", "difference")
	b.amounts(p.ID, "25178.00", "0.00", "0.00", "0.00")
	b.asks("difference")
}

func tinyAmount(t *testing.T) {
	b := newBench(t)
	p := b.enter("sandbox", "ORD-D1", "", "318.40", "USD")
	for range 2 {
		b.tell(b.word("ORD-D1", "paid", "0.07", "USD", nil))
		b.stands(p.ID, "unknown", "difference")
		b.amounts(p.ID, "0.07", "0.00", "0.00", "0.00")
		b.clock.move(time.Minute)
	}
	b.told("payment.unknown")
	b.asks("difference")
	b.orderIs("ORD-D1", false, false)
	b.sound()
}

func otherAmount(t *testing.T, said, received string) {
	b, _ := owning(t, nil)
	p := b.enter("own", "ORD-60", "", "60.00", "EUR")
	b.own(`{"eid":"1","pid":"p","ref":"ORD-60",` + said + `,"currency":"EUR"}`)
	b.stands(p.ID, "unknown", "difference")
	b.amounts(p.ID, received, "0.00", "0.00", "0.00")
	b.asks("difference")
	b.told("payment.unknown")
	b.orderIs("ORD-60", false, false)
	b.sound()
}

func writtenAmounts(t *testing.T) {
	b, s := selling(t, ok)
	for ref, c := range map[string]struct{ amount, currency, written string }{
		"A": {"317.462", "OMR", "317.462"}, "B": {"840", "JPY", "840"}, "C": {"10.5", "EUR", "10.50"},
	} {
		p := b.enter("sandbox", ref, "", c.amount, c.currency)
		b.tell(b.word(ref, "paid", c.amount, c.currency, nil))
		b.deliver()
		if v := b.stands(p.ID, "succeeded", ""); v.Amount != c.written || v.Received != c.written {
			t.Errorf("%s %s is written %s, received %s", c.amount, c.currency, v.Amount, v.Received)
		}
		if last := s.bodies[len(s.bodies)-1]; !strings.Contains(last, `"amount":"`+c.written+`"`) || !strings.Contains(last, `"received":"`+c.written+`"`) {
			t.Errorf("told %s", last)
		}
	}
}

func TestCasesOfIdentity(t *testing.T) {
	t.Run("R-113 a test event at a live address", testEventAtLive)
	t.Run("R-115 asked with the key of the other mode", keyOfTheOtherMode)
	t.Run("R-116 an older transaction with another amount", func(t *testing.T) { olderTransaction(t, "T-NEW", "difference") })
	t.Run("R-116 a transaction of another payment", func(t *testing.T) { olderTransaction(t, "T-OLD", "reference_conflict") })
	t.Run("R-118 two references for one transaction", twoReferences)
	t.Run("R-120 two accounts with the same references", twoAccounts)
	t.Run("R-121 one order under several references", severalReferences)
	t.Run("R-122 not found although a webhook proved it", notFoundButProved)
	t.Run("R-124 large numbers as ids", largeIDs)
}

func testEventAtLive(t *testing.T) {
	b := newBench(t, func(c *config.Config, _ *Options) { c.Gateways[0].Mode = "live" })
	p := b.enter("sandbox", "ORD-90", "", "50.00", "USD")
	b.tell(b.word("ORD-90", "paid", "50.00", "USD", nil))
	b.stands(p.ID, "pending", "")
	if rows := b.rows(); len(rows) != 1 || rows[0].State != "ignored" || rows[0].Reason != "wrong_mode" {
		t.Errorf("rows %+v", rows)
	}
	want := ReasonCount{Gateway: "sandbox", Verdict: "ignored", Reason: "wrong_mode", Count: 1}
	if !slices.Contains(b.e.ReasonCounts(), want) {
		t.Errorf("counted %v", b.e.ReasonCounts())
	}
	b.told()
	b.sound()
}

func keyOfTheOtherMode(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 404, nil, `{"error":"exists_in_other_mode"}` }
	p := b.register("P-T1", "10.00")
	for range 47 {
		b.clock.move(time.Hour)
		b.fire()
		b.stands(p.ID, "pending", "")
	}
	b.told()
	for range 4 {
		b.clock.move(time.Hour)
		b.fire()
	}
	b.stands(p.ID, "unknown", "no_answer")
	b.asks("no_answer")
	b.sound()
}

func olderTransaction(t *testing.T, id, review string) {
	b, a := asking(t)
	b.enter("sandbox", "OTHER", "", "40.00", "EUR", Ref{"payment", "T-OLD"})
	p := b.enter("sandbox", "ORD-1001", "", "55.00", "EUR")
	a.next = func(r *http.Request) (int, http.Header, string) {
		if r.URL.Query().Get("reference") != "ORD-1001" {
			return 404, nil, `{"error":"not_found"}`
		}
		return 200, nil, `{"data":[{"id":"` + id + `","reference":"ORD-1001","status":"paid","duplicate":1,"amount":"40.00","currency":"EUR","account":"shop"}]}`
	}
	b.clock.move(40 * time.Second)
	b.fire()
	if v := b.payment(p.ID); v.State == "succeeded" {
		t.Errorf("paid by the money of another payment: %+v", v)
	}
	b.asks(review)
	b.orderIs("ORD-1001", false, false)
	b.sound()
}

// twoReferences: the two references disagree, so a person is asked about the notice; the answer settles the payment.
func twoReferences(t *testing.T) {
	b, a := asking(t)
	p := b.enter("sandbox", "INV-55", "", "20000.00", "IDR")
	b.tell(b.word("INV-55-1741", "paid", "20000.00", "IDR", map[string]any{"id": "tx-9"}))
	a.next = func(*http.Request) (int, http.Header, string) {
		return 200, nil, `{"data":[{"id":"tx-9","reference":"INV-55","status":"paid","amount":"20000.00","currency":"IDR","account":"shop"}]}`
	}
	b.clock.move(40 * time.Second)
	b.fire()
	v := b.stands(p.ID, "succeeded", "")
	if !slices.Contains(v.GatewayRefs, Ref{"payment", "tx-9"}) || v.Received != "20000.00" {
		t.Errorf("refs %v, received %s", v.GatewayRefs, v.Received)
	}
	b.told("payment.succeeded")
	b.asks("reference_conflict")
	review := b.reviews()[0]
	if err := b.decide(Decision{ReviewID: review.ID, Version: v.Version, Act: ActLink, LinkTo: p.ID, Reason: "the same transaction", FormKey: "l"}); err != nil {
		t.Fatal(err)
	}
	b.told("payment.succeeded")
	b.asks()
	b.sound()
}

func twoAccounts(t *testing.T) {
	b, _ := asking(t, func(c *config.Config, _ *Options) {
		second := c.Gateways[0]
		second.Name = "second"
		c.Gateways = append(c.Gateways, second)
	})
	one, two := b.enter("sandbox", "42007", "A", "10.00", "PHP"), b.enter("second", "42007", "B", "10.00", "PHP")
	n := b.notice("42007", "paid", "10.00")
	n["id"], n["data"].(map[string]any)["id"] = "1", "1"
	b.tell(n)
	b.stands(one.ID, "succeeded", "")
	b.stands(two.ID, "pending", "")
	raw, err := jsonOf(n)
	if err != nil {
		t.Fatal(err)
	}
	if ack, err := b.e.Accept(b.ctx(), "second", b.signed(raw)); err != nil || ack.Status != 200 {
		t.Fatalf("%d %v", ack.Status, err)
	}
	b.work()
	b.stands(two.ID, "succeeded", "")
	b.told("payment.succeeded", "payment.succeeded")
	b.asks()
	b.sound()
}

func severalReferences(t *testing.T) {
	b, a := asking(t)
	one, two := b.enter("sandbox", "ORD-300-1", "ORD-300", "10.00", "PHP"), b.enter("sandbox", "ORD-300-2", "ORD-300", "10.00", "PHP")
	a.next = replies(map[string]func(*http.Request) (int, http.Header, string){
		"ORD-300-1": reply("ORD-300-1", "expired", "10.00", "PHP", ""), "ORD-300-2": reply("ORD-300-2", "waiting", "10.00", "PHP", "")})
	b.clock.move(40 * time.Second)
	b.fire()
	b.stands(one.ID, "closed", "expired")
	b.tell(b.notice("ORD-300-2", "paid", "10.00"))
	b.stands(two.ID, "succeeded", "")
	b.orderIs("ORD-300", true, false)
	b.clock.move(time.Hour)
	b.tell(b.notice("ORD-300-1", "paid", "10.00"))
	b.stands(one.ID, "succeeded", "")
	b.told("payment.closed", "payment.succeeded", "payment.duplicate")
	if !slices.Contains(b.reviewKinds(), "duplicate") {
		t.Errorf("reviews %v", b.reviewKinds())
	}
	b.sound()
}

func notFoundButProved(t *testing.T) {
	b, _ := owning(t, nil) // every answer is 200 with the code of "not found"
	paid, busy := b.enter("own", "PAID", "", "10.00", "CZK"), b.enter("own", "BUSY", "", "10.00", "CZK")
	b.own(`{"eid":"1","pid":"p1","ref":"PAID","status":"paid","amount":"10.00","currency":"CZK"}`)
	b.own(`{"eid":"2","pid":"p2","ref":"BUSY","status":"busy","amount":"10.00","currency":"CZK"}`)
	for range 52 {
		b.clock.move(time.Hour)
		b.fireAt("own")
	}
	b.stands(paid.ID, "succeeded", "")
	b.stands(busy.ID, "unknown", "no_answer")
	b.told("payment.succeeded", "payment.unknown")
	b.asks("no_answer")
	b.sound()
}

func largeIDs(t *testing.T) {
	b, _ := owning(t, nil)
	one, two := b.enter("own", "X1", "", "1.00", "EUR"), b.enter("own", "X2", "", "1.00", "EUR")
	b.own(`{"eid":"1","pid":9007199254740993,"ref":"X1","status":"paid","amount":"1.00","currency":"EUR"}`,
		`{"eid":"2","pid":9007199254740992,"ref":"X2","status":"paid","amount":"1.00","currency":"EUR"}`)
	for id, want := range map[string]string{one.ID: "9007199254740993", two.ID: "9007199254740992"} {
		v := b.stands(id, "succeeded", "")
		written, err := jsonOf(v)
		if err != nil || !slices.Equal(v.GatewayRefs, []Ref{{"payment", want}}) || !strings.Contains(string(written), `"id":"`+want+`"`) {
			t.Errorf("refs %v in %s, %v; want %s", v.GatewayRefs, written, err, want)
		}
	}
	b.asks()
	b.sound()
}
