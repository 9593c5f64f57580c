package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// registerHinted registers a payment of the gateway whose notices prove nothing.
func (b *bench) registerHinted(ref string) PaymentView {
	b.t.Helper()
	p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "hint", MerchantRef: ref, Amount: "100.00", Currency: "PHP"})
	if err != nil {
		b.t.Fatal(err)
	}
	return p
}

// open answers every question by saying that the payment waits for its payer.
func open(r *http.Request) (int, http.Header, string) {
	ref := strings.TrimPrefix(r.URL.Path, "/r/")
	return 200, nil, `{"pid":"` + ref + `-1","ref":"` + ref + `","status":"OPEN"}`
}

// flood sends a forged success about each of n payments, three times in other words.
func (b *bench) flood(n int) {
	b.t.Helper()
	for i := range n {
		for j := range 3 {
			b.hint(fmt.Sprintf(`{"eid":"f%d-%d","pid":"P%d","ref":"T%d","status":"PAID","amount":"100.00","currency":"PHP"}`, i, j, i, i))
		}
	}
}

// seconds fires once a second and lists, for each question, in which second it was put.
func (b *bench) seconds(a *answers, n int) map[string][]int {
	b.t.Helper()
	at := map[string][]int{}
	for s := range n {
		before := len(a.asked)
		b.fireHint()
		for _, q := range a.asked[before:] {
			at[q] = append(at[q], s)
		}
		b.clock.move(time.Second)
	}
	return at
}

func TestAFloodOfHintsLeavesTheRegularQuestionsTheirRate(t *testing.T) {
	const targets = 60
	b, a := hinting(t, func(c *config.Config, _ *Options) {
		c.Gateways[1].QuerySchedule = []time.Duration{30 * time.Second} // then the tail, hours later
	})
	a.next = open
	for i := range targets {
		b.registerHinted(fmt.Sprintf("T%d", i))
	}
	b.clock.move(time.Minute)
	b.seconds(a, 20) // 5 a second: all are asked once
	if len(a.asked) != targets {
		t.Fatalf("asked %d first questions, want %d", len(a.asked), targets)
	}
	b.registerHinted("FRESH")
	b.flood(targets)
	b.hint(`{"eid":"last","pid":"X","ref":"FRESH","status":"PAID","amount":"100.00","currency":"PHP"}`)
	// The hints may spend a quarter of 5 a second: 60 of them last 48 seconds and more.
	early := b.seconds(a, 25)
	n := 0
	for q, when := range early {
		n += len(when)
		if strings.HasSuffix(q, "/FRESH") {
			t.Errorf("the last hint was asked about in second %v", when)
		}
	}
	if n != 25 { // the hints' bucket holds one, and it is looked at once a second
		t.Errorf("the flood drew %d questions in 25 seconds, want 25", n)
	}
	late := b.seconds(a, 20) // the first rung is due 30 to 36 seconds after the registration
	if when := late["GET https://hints.example/r/FRESH"]; len(when) != 1 || when[0]+25 < 30 || when[0]+25 > 38 {
		t.Errorf("the regular question was put in seconds %v after 25", when)
	}
	b.sound()
}

func TestHintsAboutOnePaymentAreOneQuestion(t *testing.T) {
	b, a := hinting(t)
	a.next = open
	p := b.registerHinted("T0")
	b.flood(1)
	for i := range 50 {
		b.hint(fmt.Sprintf(`{"eid":"x%d","pid":"X","ref":"T0","status":"PAID","amount":"%d.00","currency":"PHP"}`, i, i+1))
	}
	var items []store.Item
	facts := 0
	b.view(func(rx *store.Rx) (err error) {
		if items, err = rx.Items(store.InboxFilter{Limit: 100}); err != nil {
			return err
		}
		row, _, err := rx.PaymentByPublicID(p.ID)
		facts = int(row.Facts)
		return err
	})
	if len(items) != 1 || facts != 1 {
		t.Errorf("%d rows, %d facts; want one of each", len(items), facts)
	}
	b.fireHint()
	b.fireHint()
	if len(a.asked) != 1 {
		t.Errorf("asked %v", a.asked)
	}
	b.sound()
}

func TestARepeatedHintAsksAgain(t *testing.T) {
	b, a := hinting(t)
	a.next = func(*http.Request) (int, http.Header, string) {
		return 200, nil, `{"pid":"X","ref":"A","status":"PAID","amount":"100.00","currency":"PHP"}`
	}
	p := b.registerHinted("A")
	const same = `{"eid":"1","pid":"X","ref":"A","status":"PAID","amount":"100.00","currency":"PHP"}`
	b.hint(same)
	b.fireHint()
	if got := b.payment(p.ID); got.State != "succeeded" || len(a.asked) != 1 {
		t.Fatalf("state %s, asked %v", got.State, a.asked)
	}
	b.clock.move(time.Hour)
	for range 10 {
		b.hint(same)
	}
	for range 5 {
		b.fireHint()
		b.clock.move(10 * time.Second)
	}
	if len(a.asked) != 2 {
		t.Errorf("asked %v, want one question more", a.asked)
	}
	b.sound()
}

func TestForgedHintsAboutNothingAreKeptInSmallNumbers(t *testing.T) {
	b, a := hinting(t)
	const n = unprovedKept + 250
	for i := range n {
		body := fmt.Sprintf(`{"eid":"%d","pid":"P%d","ref":"R%d","status":"PAID","amount":"9.00","currency":"PHP"}`, i, i, i)
		r := gateway.Request{Method: http.MethodPost, Target: "/hooks/hint", Header: http.Header{}, Body: []byte(body), At: b.clock.now()}
		if _, err := b.e.Accept(b.ctx(), "hint", r); err != nil {
			t.Fatal(err)
		}
	}
	b.work()
	if err := b.e.keepOnce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	parked := store.Backlog{}
	b.view(func(rx *store.Rx) (err error) { parked, err = rx.ParkedBacklog(); return err })
	if parked.Count != unprovedKept || len(a.asked) != 0 {
		t.Errorf("%d parked, want %d; asked %v", parked.Count, unprovedKept, a.asked)
	}
	for i, want := range map[int]string{0: "pending", n - 1: "pending"} {
		if got := b.payment(b.registerHinted(fmt.Sprintf("R%d", i)).ID); got.State != want {
			t.Errorf("R%d is %s", i, got.State)
		}
	}
	b.sound()
}

func TestUnreadableMessagesThatNothingProvesMakeFewDeadLetters(t *testing.T) {
	b, _ := hinting(t)
	for i := range 2 * hintedReviews {
		b.hint(fmt.Sprintf(`{"eid":%d,`, i))
	}
	if n := len(b.reviews()); n != hintedReviews {
		t.Errorf("%d reviews, want %d", n, hintedReviews)
	}
	b.sound()
}

func TestAForgedAttemptIsNoPayment(t *testing.T) {
	b, a := attempting(t)
	first, _, err := b.e.Register(b.ctx(), Registration{Gateway: "tries", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	a.next = func(*http.Request) (int, http.Header, string) { return 404, nil, `{}` }
	b.e.gateways["tries"].unsigned = true
	forged := gateway.Observation{Verdict: gateway.Accepted, Kind: gateway.KindPayment, MerchantRef: "ORDER-1", Attempt: "a9", Hint: true}
	err = b.store.Update(b.ctx(), "match", func(tx *store.Tx) error {
		m, err := b.e.match(tx, b.e.gateways["tries"], store.Work{Request: store.Request{Secret: -1}}, forged, b.clock.now().UnixMilli())
		if m.payment.PublicID != first.ID || m.payment.Attempt != "" {
			t.Errorf("matched %q with the attempt %q", m.payment.PublicID, m.payment.Attempt)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := b.e.Order(b.ctx(), "ORDER-1"); err != nil || len(o.Payments) != 1 {
		t.Errorf("order %+v, %v", o, err)
	}
}

func TestHintsLeaveSlotsToTheRegularQuestions(t *testing.T) {
	release := make(chan struct{})
	b, a := hinting(t)
	asked := make(chan string, 10)
	a.next = func(r *http.Request) (int, http.Header, string) {
		asked <- r.URL.Path
		<-release
		return open(r)
	}
	acct := b.e.gateways["hint"]
	for i := range 5 {
		b.registerHinted(fmt.Sprintf("T%d", i))
	}
	b.flood(5)
	for range 3 {
		if _, err := b.e.fireOnce(b.ctx(), acct); err != nil {
			t.Fatal(err)
		}
		b.clock.move(time.Second)
	}
	<-asked // and it is not answered
	if free := cap(acct.slots) - len(acct.slots); free != 3 {
		t.Errorf("%d slots are free, want 3 of 4", free)
	}
	b.registerHinted("FRESH")
	b.clock.move(40 * time.Second)
	if _, err := b.e.fireOnce(b.ctx(), acct); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-asked
	}
	close(release)
	acct.asking.Wait()
}

func TestAHintWithAnUnknownWordAsksAndOpensNoReview(t *testing.T) {
	b, a := hinting(t)
	a.next = open // a word that the definition does not know either
	b.registerHinted("T0")
	for i := range 3 {
		b.hint(fmt.Sprintf(`{"eid":"%d","pid":"X","ref":"T0","status":"WEIRD%d","amount":"1.00","currency":"PHP"}`, i, i))
		b.fireHint()
		b.clock.move(4 * time.Second)
	}
	if len(a.asked) != 3 || len(b.reviews()) != 0 {
		t.Errorf("asked %v, reviews %v", a.asked, b.reviewKinds())
	}
	b.sound()
}

func TestRegisteringAfterAFloodAdoptsOneHint(t *testing.T) {
	b, a := hinting(t)
	a.next = open
	b.flood(1)
	b.hint(`{"eid":"other","pid":"P0","ref":"T0","status":"FAILED"}`)
	p := b.registerHinted("T0")
	var facts int64
	b.view(func(rx *store.Rx) error {
		row, _, err := rx.PaymentByPublicID(p.ID)
		facts = row.Facts
		return err
	})
	if facts != 1 {
		t.Errorf("%d facts, want one", facts)
	}
	b.fireHint()
	if len(a.asked) != 1 {
		t.Errorf("asked %v", a.asked)
	}
	b.sound()
}

func TestHintsWhileTheQuestionIsUnderWayAreOneMore(t *testing.T) {
	b, a := hinting(t)
	asked, release := make(chan bool, 10), make(chan struct{})
	a.next = func(r *http.Request) (int, http.Header, string) {
		asked <- true
		<-release
		return open(r)
	}
	acct := b.e.gateways["hint"]
	p := b.registerHinted("T0")
	b.flood(1)
	if _, err := b.e.fireOnce(b.ctx(), acct); err != nil {
		t.Fatal(err)
	}
	<-asked
	b.clock.move(time.Second)
	for i := range 20 {
		b.hint(fmt.Sprintf(`{"eid":"m%d","pid":"M","ref":"T0","status":"PAID","amount":"%d.00","currency":"PHP"}`, i, i+1))
	}
	close(release)
	acct.asking.Wait()
	b.work()
	for range 3 {
		b.fireHint()
		b.clock.move(2 * time.Second)
	}
	var facts int64
	b.view(func(rx *store.Rx) error {
		row, _, err := rx.PaymentByPublicID(p.ID)
		facts = row.Facts
		return err
	})
	if len(a.asked) != 2 || facts > 3 { // the first hint and two answers
		t.Errorf("asked %d times, %d facts", len(a.asked), facts)
	}
	b.sound()
}
