package app

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// queues says for each table what of it waits for something, or why nothing does. What falls through in each way that a
// case shows comes to a final state or before a person.
var queues = map[string]struct {
	nothing string // why nothing in the table waits
	cases   map[string]func(t *testing.T)
}{
	"meta": {nothing: "settings of the file"}, "refused": {nothing: "kept for inspection; its sender was told so"}, "orders": {nothing: "its payments wait"},
	"gateway_ref": {nothing: "ids"}, "fact": {nothing: "what was said"}, "history": {nothing: "what happened"}, "query": {nothing: "what was asked"},
	"outbox_attempt": {nothing: "what was tried"}, "once": {nothing: "what may not happen again"}, "audit": {nothing: "who did what"}, "key_match": {nothing: "when a key matched"},
	"certificate": {nothing: "renewed by a loop of its own, which warns of their end"}, "certificate_failure": {nothing: "tried again by the same loop"}, "acme_account": {nothing: "keys"},
	"gateway_state": {nothing: "health"}, "outage": {nothing: "time that does not count"}, "user": {nothing: "people"}, "session": {nothing: "ends by itself"}, "token": {nothing: "keys"},

	"payment": {cases: map[string]func(*testing.T){
		"open, its gateway taken out of the configuration": gatewayTakenOut, "given up without an answer": givenUpUnanswered,
	}},
	"timer": {cases: map[string]func(*testing.T){
		"a question that is lost": questionLost, "a question that was taken and never put": questionTaken, "one that only a hint wants, lost": hintLost, "an end of a hold that is lost": holdLost,
		"an end of a hold that was taken": holdTaken, "a wait for a refund that is lost": TestTheScanFindsALostWaitForARefund,
	}},
	"inbox": {cases: map[string]func(*testing.T){
		"a row that cannot be worked on": rowFails, "a dead row": deadRow, "an answer about a payment": answerWaits,
	}},
	"parked": {cases: map[string]func(*testing.T){
		"a notice that nobody registered": noticeParked, "one of a gateway that was taken out": noticeOfGatewayTakenOut,
	}},
	"outbox": {cases: map[string]func(*testing.T){
		"an event that was taken and never sent": eventTaken, "one that the shop never takes": eventNeverTaken, "one behind it": eventBehind,
		"one whose address was taken out": addressTakenOut, "one of a shop that is gone": shopGoneWaits,
	}},
	"review":   {cases: map[string]func(*testing.T){"a question that was put off": questionPutOff}},
	"proposal": {cases: map[string]func(*testing.T){"a decision that nobody approves": nobodyApproves}},
	"claim": {cases: map[string]func(*testing.T){
		"a claim that is never finished": claimNeverFinished, "one that a restore left open": claimLeftOpen, "one in doubt that is wanted again": claimInDoubt,
	}},
	"report_import": {cases: map[string]func(*testing.T){
		"a file that waits for its turn": TestQueuedReportsAndFolders, "one that was read in part": TestReadInPartVanishesAndIsReadAgain,
	}},
	"difference": {cases: map[string]func(*testing.T){
		"one that the gateway is asked about": TestAnsweredQuestionShowsWhatIsLeft, "one that time may settle": TestMissingAtGatewayIsExpectedFirst,
	}},
	"report_known": {nothing: "which lines came again"}, "report_day": {nothing: "the calendar"}, "report_cover": {nothing: "which days were reported"},
	"report_line": {nothing: "what a report said; what is not explained is a difference"}, "report_sum": {nothing: "sums"}, "report_format": {nothing: "how reports are read"},
	"job": {cases: map[string]func(*testing.T){"a slot missed while off": TestAMissedSlotRunsOnce}},
}

func TestNothingWaitsForEver(t *testing.T) {
	for table, q := range queues {
		if (q.nothing == "") == (len(q.cases) == 0) {
			t.Errorf("table %s has either cases or a reason for having none", table)
		}
		for name, run := range q.cases {
			t.Run(table+"/"+name, run)
		}
	}
}

// Every table of the database is among the queues, so that a new one cannot be forgotten.
func TestEveryTableIsLookedThroughForWhatWaits(t *testing.T) {
	files, err := filepath.Glob("../store/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("migrations %v, %v", files, err)
	}
	found := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bTABLE ([a-z_]+) \(`).FindAllStringSubmatch(string(text), -1) {
			name := strings.TrimSuffix(m[1], "_new")
			if _, ok := queues[name]; !ok {
				t.Errorf("table %s of %s is not among the queues", name, filepath.Base(f))
			}
			found++
		}
	}
	if found < len(queues) {
		t.Errorf("%d tables found, %d queues listed", found, len(queues))
	}
}

func (b *bench) change(f func(*store.Tx) error) {
	b.t.Helper()
	if err := b.store.Update(b.ctx(), "fault", f); err != nil {
		b.t.Fatal(err)
	}
}

// scans moves the clock and has the scan look for what fell through.
func (b *bench) scans(after time.Duration) {
	b.t.Helper()
	b.clock.move(after)
	if err := b.e.scanAll(b.ctx()); err != nil {
		b.t.Fatal(err)
	}
}

func questionLost(t *testing.T) {
	b, a := asking(t)
	p := b.register("A", "15.00")
	b.dropTimers(p.ID, "ask")
	a.next = reply("A", "paid", "15.00", "PHP", "")
	b.scans(time.Hour)
	b.fire()
	b.stands(p.ID, "succeeded", "")
	b.waitsForNothing(p.ID)
}

func questionTaken(t *testing.T) {
	b, a := asking(t)
	p := b.register("A", "15.00")
	b.clock.move(time.Minute)
	b.change(func(tx *store.Tx) error {
		now := b.clock.now().UnixMilli()
		taken, err := tx.ClaimTimers("sandbox", store.LaneYoung, now, now+b.e.pace.AskLease.Milliseconds(), 10)
		if len(taken) != 1 {
			t.Errorf("took %d", len(taken))
		}
		return err
	})
	a.next = reply("A", "paid", "15.00", "PHP", "")
	b.fire()
	if len(a.asked) != 0 {
		t.Fatal("what another has taken was asked at once")
	}
	b.clock.move(b.e.pace.AskLease + time.Second)
	b.fire()
	b.stands(p.ID, "succeeded", "")
	b.waitsForNothing(p.ID)
}

func hintLost(t *testing.T) {
	b, a := hinting(t)
	a.next = open
	p := b.registerHinted("A")
	b.hint(`{"eid":"1","pid":"A-1","ref":"A","status":"PAID","amount":"100.00","currency":"PHP"}`)
	b.dropTimers(p.ID, "ask", hintKind)
	a.next = func(*http.Request) (int, http.Header, string) {
		return 200, nil, `{"pid":"A-1","ref":"A","status":"PAID","amount":"100.00","currency":"PHP"}`
	}
	b.scans(time.Hour)
	b.fireHint()
	b.stands(p.ID, "succeeded", "")
	b.waitsForNothing(p.ID)
}

// heldBench has a failed notice of a gateway that cannot be asked, which is held back.
func heldBench(t *testing.T) (*bench, PaymentView) {
	t.Helper()
	b, _ := owning(t, func(s string) string { before, _, _ := strings.Cut(s, "[query]"); return before })
	p := b.enter("own", "A", "A", "15.00", "PHP")
	b.own(`{"eid":"1","pid":"P","ref":"A","status":"failed","amount":"15.00","currency":"PHP"}`)
	b.stands(p.ID, "pending", "")
	return b, p
}

func holdLost(t *testing.T) {
	b, p := heldBench(t)
	b.dropTimers(p.ID, "hold")
	b.scans(time.Hour)
	b.endHolds()
	b.stands(p.ID, "failed", "")
	b.waitsForNothing(p.ID)
}

func holdTaken(t *testing.T) {
	b, p := heldBench(t)
	b.clock.move(11 * time.Minute)
	b.change(func(tx *store.Tx) error {
		now := b.clock.now().UnixMilli()
		_, err := tx.ClaimTimers(holdLane, store.LaneHold, now, now+b.e.pace.AskLease.Milliseconds(), 10)
		return err
	})
	b.endHolds()
	b.stands(p.ID, "pending", "")
	b.clock.move(b.e.pace.AskLease + time.Second)
	b.endHolds()
	b.stands(p.ID, "failed", "")
	b.waitsForNothing(p.ID)
}

// withoutOwn is the same database under a configuration without the gateway "own".
func (b *bench) withoutOwn() *bench {
	return b.restarted(func(c *config.Config, _ *Options) {
		c.Gateways = slices.DeleteFunc(c.Gateways, func(g config.Gateway) bool { return g.Name == "own" })
	})
}

func gatewayTakenOut(t *testing.T) {
	b, _ := owning(t, nil)
	p := b.enter("own", "A", "A", "15.00", "PHP")
	next := b.withoutOwn()
	next.scans(4 * 24 * time.Hour)
	next.stands(p.ID, "pending", "")
	next.asks("gateway_unaskable")
	next.sound()
}

func noticeOfGatewayTakenOut(t *testing.T) {
	b, _ := owning(t, nil)
	b.own(`{"eid":"1","pid":"P","ref":"A","status":"paid","amount":"15.00","currency":"PHP"}`)
	next := b.withoutOwn()
	next.keep()
	next.asks()
	next.scans(time.Hour)
	next.asks("gateway_unaskable")
	if v := next.reviews()[0]; v.Gateway != "own" || !v.Urgent {
		t.Errorf("asked %+v", v)
	}
	next.sound()
}

func givenUpUnanswered(t *testing.T) {
	b, a := asking(t)
	p := b.register("A", "15.00")
	a.next = reply("A", "processing", "15.00", "PHP", "")
	for range 90 * 4 {
		b.clock.move(6 * time.Hour)
		b.fire()
	}
	b.stands(p.ID, "unknown", "no_answer")
	b.asks("no_answer")
	b.waitsForNothing(p.ID)
}

func rowFails(t *testing.T) {
	b, _ := owning(t, nil)
	body := []byte(`{"items":[{"eid":"1","pid":"P","ref":"A","status":"paid","amount":"15.00","currency":"PHP"}]}`)
	r := gateway.Request{Method: "POST", Target: "/hooks/own", Header: http.Header{"X-Signature": {hexMAC(body)}}, Body: body, At: b.clock.now()}
	if _, err := b.e.Accept(b.ctx(), "own", r); err != nil {
		t.Fatal(err)
	}
	next := b.withoutOwn()
	for range next.e.pace.WorkTries + 1 {
		next.work()
		next.clock.move(2 * time.Hour)
	}
	next.asks("dead_inbox")
	if rows := next.rows(); len(rows) != 1 || rows[0].State != "dead" {
		t.Errorf("rows %+v", rows)
	}
	next.sound()
}

func deadRow(t *testing.T) {
	b := newBench(t)
	b.tell(b.notice("A", "paid", "15,00"))
	b.asks("dead_inbox")
	b.clock.move(365 * 24 * time.Hour)
	b.keep()
	b.asks("dead_inbox")
	b.sound()
}

// An answer that was stored before a crash is worked on after it.
func answerWaits(t *testing.T) {
	b, a := asking(t)
	p := b.register("A", "15.00")
	b.clock.move(time.Minute)
	a.next = reply("A", "paid", "15.00", "PHP", "")
	if _, err := b.e.fireOnce(b.ctx(), b.e.gateways["sandbox"]); err != nil {
		t.Fatal(err)
	}
	b.e.gateways["sandbox"].asking.Wait()
	b.stands(p.ID, "pending", "")
	next := b.restarted()
	next.work()
	next.stands(p.ID, "succeeded", "")
	next.waitsForNothing(p.ID)
}

func noticeParked(t *testing.T) {
	b := newBench(t)
	b.tell(b.notice("A", "paid", "15.00"))
	b.keep()
	b.asks()
	b.clock.move(time.Hour)
	b.keep()
	b.asks("money_without_order")
	b.sound()
}

func eventTaken(t *testing.T) {
	b, s := selling(t, ok)
	b.register("A", "15.00")
	b.pay("A", "15.00")
	lease := 2 * b.e.config.Shop.Timeout
	b.change(func(tx *store.Tx) error {
		now := b.clock.now().UnixMilli()
		_, err := tx.ClaimEvents(now, now+lease.Milliseconds(), sendBatch)
		return err
	})
	b.deliver()
	if len(s.sent()) != 0 {
		t.Fatal("what another has taken was sent at once")
	}
	b.clock.move(lease + time.Second)
	b.deliver()
	b.left(0)
}

// left compares how many events wait.
func (b *bench) left(want int64) {
	b.t.Helper()
	b.view(func(rx *store.Rx) error {
		got, err := rx.OutboxBacklog()
		if got.Count != want {
			b.t.Errorf("%d events wait, want %d", got.Count, want)
		}
		return err
	})
	b.sound()
}

func eventNeverTaken(t *testing.T) {
	b, _ := selling(t, func(int) (int, map[string]string) { return 503, map[string]string{"Retry-After": "999999"} })
	b.register("A", "15.00")
	b.pay("A", "15.00")
	for range 4 * 24 {
		b.deliver()
		b.clock.move(time.Hour)
	}
	b.left(0)
	b.asks("dead_outbox")
}

func eventBehind(t *testing.T) {
	b, s := selling(t, func(n int) (int, map[string]string) { return 500, nil })
	b.register("A", "15.00")
	b.pay("A", "15.00")
	b.tell(b.back("refund", "A", "re_1", "succeeded", "5.00", "PHP"))
	for range 6 * 24 {
		b.deliver()
		b.clock.move(time.Hour)
	}
	if !slices.Contains(s.sent(), "1-2") {
		t.Errorf("sent %v: the second never had its turn", s.sent())
	}
	b.left(0)
	b.asks("dead_outbox", "dead_outbox")
}

func addressTakenOut(t *testing.T) {
	b, s := selling(t, func(int) (int, map[string]string) { return 500, nil })
	b.register("A", "15.00")
	b.pay("A", "15.00")
	b.deliver()
	next := b.restarted() // without an address of the shop
	ctx, cancel := context.WithCancel(b.ctx())
	defer cancel()
	next.e.runSender(ctx) // has nothing to do and ends
	next.left(0)
	if got := next.events(); !slices.Equal(got, []string{"payment.succeeded"}) || len(s.sent()) != 1 {
		t.Errorf("the feed holds %v, the old address was told %d times", got, len(s.sent()))
	}
}

func shopGoneWaits(t *testing.T) {
	b, _ := selling(t, func(int) (int, map[string]string) { return 410, nil })
	b.register("A", "15.00")
	b.pay("A", "15.00")
	for range 10 {
		b.deliver()
		b.clock.move(24 * time.Hour)
	}
	b.left(1)
	b.asks("shop_gone")
}

func questionPutOff(t *testing.T) {
	b := newBench(t)
	b.register("A", "15.00")
	b.pay("A", "14.00")
	v := b.openOf("difference")
	if err := b.decide(Decision{ReviewID: v.ID, Act: ActSnooze, Until: b.clock.now().Add(31 * 24 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	queue := func() (n int) {
		b.view(func(rx *store.Rx) error {
			list, err := rx.OpenReviews("", b.clock.now().UnixMilli(), false, 10)
			n = len(list)
			return err
		})
		return n
	}
	if queue() != 0 {
		t.Error("it was put off and still stands in the queue")
	}
	b.clock.move(31 * 24 * time.Hour)
	if queue() != 1 {
		t.Error("its time has come and it is not back in the queue")
	}
}

func nobodyApproves(t *testing.T) {
	b := limited(t)
	p, v := b.short("A", "600.00", "590.00")
	b.submit(Decision{Actor: "ana", FormKey: "1", ReviewID: v.ID, Version: p.Version, Act: "accept", Amount: "590.00", Reason: "a coupon"}, true)
	b.clock.move(365 * 24 * time.Hour)
	b.keep()
	b.openOf("approval_wanted")
	b.openOf("difference")
	b.sound()
}

// claimed is a bench with a payment that is paid and the claim to fulfil it.
func claimed(t *testing.T, done bool) (*bench, PaymentView) {
	t.Helper()
	b := newBench(t)
	p := b.register("A", "15.00")
	b.pay("A", "15.00")
	if _, _, err := b.e.Claim(b.ctx(), "fulfil:A", p.ID, "one"); err != nil {
		t.Fatal(err)
	}
	if done {
		if _, err := b.e.FinishClaim(b.ctx(), "fulfil:A"); err != nil {
			t.Fatal(err)
		}
	}
	return b, p
}

func claimNeverFinished(t *testing.T) {
	b, _ := claimed(t, false)
	b.keep()
	b.asks()
	b.clock.move(15 * time.Minute)
	b.keep()
	b.asks("claim_overdue")
	b.sound()
}

// doubt makes all claims uncertain, as a restore does.
func (b *bench) doubt() {
	b.t.Helper()
	b.change(func(tx *store.Tx) error { _, err := tx.DoubtClaims(); return err })
}

func claimLeftOpen(t *testing.T) {
	b, p := claimed(t, false)
	b.doubt()
	b.scans(time.Hour)
	b.asks("claim_overdue")
	if err := b.decide(Decision{FormKey: "1", ReviewID: b.reviews()[0].ID, Act: ActRelease, Reason: "it was not done"}); err != nil {
		t.Fatal(err)
	}
	if _, created, err := b.e.Claim(b.ctx(), "fulfil:A", p.ID, "two"); err != nil || !created {
		t.Errorf("after its release: created %v, %v", created, err)
	}
	b.sound()
}

func claimInDoubt(t *testing.T) {
	b, p := claimed(t, true)
	b.doubt()
	b.scans(time.Hour)
	b.asks() // most were finished long ago, and nobody will ask for them again
	wanted := func() {
		t.Helper()
		_, _, err := b.e.Claim(b.ctx(), "fulfil:A", p.ID, "one")
		if KindOf(err) != KindConflict || !strings.Contains(err.Error(), "a person must release it") {
			t.Errorf("wanted again: %v", err)
		}
	}
	wanted()
	wanted()
	b.asks("claim_overdue")
	if err := b.decide(Decision{FormKey: "1", ReviewID: b.reviews()[0].ID, Act: ActDismiss, Reason: "it was done"}); err != nil {
		t.Fatal(err)
	}
	wanted()
	b.asks() // a person has said that it stays as it is
	b.sound()
}
