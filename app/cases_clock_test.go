package app

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

func TestCasesOfClocks(t *testing.T) {
	t.Run("R-011 our clock is fast", ourClockIsFast)
	t.Run("R-011 one notice that was held up says nothing", heldUpOnce)
	t.Run("R-011 answers know better than notices", answersKnowBetter)
	t.Run("R-013 a delivery is nine minutes late", nineMinutesLate)
}

// late has a signed notice arrive after its signing time, and gives the status of its acknowledgement.
func (b *bench) late(n map[string]any, by time.Duration) int {
	b.t.Helper()
	raw, err := jsonOf(n)
	if err != nil {
		b.t.Fatal(err)
	}
	r := b.signed(raw)
	r.At = r.At.Add(by)
	ack, err := b.e.Accept(b.ctx(), "sandbox", r)
	if err != nil {
		b.t.Fatal(err)
	}
	return ack.Status
}

func (b *bench) skewMs() int64 {
	h, _ := b.e.Health("sandbox")
	return h.SkewMs
}

// ourClockIsFast has a clock of ours that is 420 seconds ahead, so that 20 notices are refused; the question finds the money.
func ourClockIsFast(t *testing.T) {
	b, a := asking(t)
	p := b.register("ORD-0", "10.00")
	for i := range 20 {
		if status := b.late(b.notice(fmt.Sprintf("ORD-%d", i), "paid", "10.00"), 420*time.Second); status != 401 {
			t.Fatalf("notice %d is answered %d", i, status)
		}
		b.clock.move(time.Second)
	}
	list := b.refused()
	if len(list) != 20 {
		t.Errorf("%d are kept, want 20", len(list))
	}
	for _, q := range list {
		if q.Reason != "stale_timestamp" {
			t.Errorf("refused for %s", q.Reason)
		}
	}
	if got := b.skewMs(); got != -420_000 {
		t.Errorf("the gateway's clock is said to be %d ms ahead, want -420,000", got)
	}
	a.next = reply("ORD-0", "paid", "10.00", "PHP", "")
	b.clock.move(40 * time.Second)
	b.fire()
	b.stands(p.ID, "succeeded", "")
	b.told("payment.succeeded")
	b.sound()
}

func heldUpOnce(t *testing.T) {
	b, _ := asking(t)
	for i := range 4 {
		b.late(b.notice(fmt.Sprintf("ORD-%d", i), "paid", "10.00"), 300*time.Millisecond)
		b.clock.move(time.Second)
	}
	held := b.notice("ORD-9", "paid", "10.00")
	for range 20 { // sent again and again
		b.late(held, time.Hour)
	}
	if got := b.skewMs(); got != -300 {
		t.Errorf("the clock is said to be %d ms off, want the -300 of most notices", got)
	}
	forged := b.signed([]byte(`{}`))
	forged.Header.Set("Sandbox-Signature", "t=1,v1=00")
	for range 20 {
		if _, err := b.e.Accept(b.ctx(), "sandbox", forged); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.skewMs(); got != -300 {
		t.Errorf("forgeries move the clock to %d ms", got)
	}
}

// answersKnowBetter has three answers dated 5 seconds behind our clock against notices that lie about an hour.
func answersKnowBetter(t *testing.T) {
	var a account
	for i := range int64(9) {
		a.skews.notices.add(reading{skewMs: -3_600_000, statedMs: i})
	}
	for i, want := range []int64{-3_600_000, -3_600_000, -5_000} {
		a.skews.answers.add(reading{skewMs: -5_000, statedMs: int64(i)})
		if got, ok := a.skews.figure(); got != want || !ok {
			t.Errorf("after %d answers: %d, want %d", i+1, got, want)
		}
	}
}

// nineMinutesLate is refused and kept whole; the gateway is asked at once, long before the next rung at 15 minutes.
func nineMinutesLate(t *testing.T) {
	b, a := asking(t)
	p := b.register("ORD-31", "4500.00")
	a.next = reply("ORD-31", "waiting", "4500.00", "PHP", "")
	for range 12 {
		b.clock.move(45 * time.Second)
		b.fire()
	}
	raw, err := jsonOf(b.notice("ORD-31", "paid", "4500.00"))
	if err != nil {
		t.Fatal(err)
	}
	r := b.signed(raw)
	b.clock.move(9 * time.Minute)
	r.At = b.clock.now()
	b.fire()
	asked := len(a.asked)
	if b.fire(); len(a.asked) != asked {
		t.Fatal("a question is due anyway")
	}
	if ack, err := b.e.Accept(b.ctx(), "sandbox", r); err != nil || ack.Status != 401 {
		t.Fatalf("answered %d, %v", ack.Status, err)
	}
	if list := b.refused(); len(list) != 1 || !bytes.Equal(list[0].Body, raw) || list[0].Reason != "stale_timestamp" {
		t.Errorf("%d are kept", len(list))
	}
	if got := b.e.ReasonCounts(); len(got) != 1 || got[0] != (ReasonCount{"sandbox", "refused", "stale_timestamp", 1}) {
		t.Errorf("counted %v", got)
	}
	b.work()
	b.stands(p.ID, "pending", "")
	a.next = reply("ORD-31", "paid", "4500.00", "PHP", "")
	b.fire()
	if v := b.stands(p.ID, "succeeded", ""); v.Source != "query" {
		t.Errorf("found by %s", v.Source)
	}
	b.told("payment.succeeded")
	b.sound()
}
