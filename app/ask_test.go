package app

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

// asking is a bench whose gateway answers as the test says.
func asking(t *testing.T, edit ...func(*config.Config, *Options)) (*bench, *answers) {
	t.Helper()
	a := &answers{next: func(*http.Request) (int, http.Header, string) { return 404, nil, `{"error":"not_found"}` }}
	edit = append([]func(*config.Config, *Options){func(_ *config.Config, o *Options) { o.HTTP = &http.Client{Transport: a} }}, edit...)
	return newBench(t, edit...), a
}

// fire asks everything that is due at the sandbox and works on the answers.
func (b *bench) fire() {
	b.t.Helper()
	b.fireAt("sandbox")
}

// fireAt asks everything that is due at one gateway and works on the answers.
func (b *bench) fireAt(name string) {
	b.t.Helper()
	a := b.e.gateways[name]
	if _, err := b.e.fireOnce(b.ctx(), a); err != nil {
		b.t.Fatal(err)
	}
	a.asking.Wait()
	b.work()
}

// says is an answer of the sandbox about a reference.
func says(ref, status, amount string) func(*http.Request) (int, http.Header, string) {
	return func(*http.Request) (int, http.Header, string) {
		object := fmt.Sprintf(`{"id":"sbx_%s","reference":%q,"status":%q,"amount":%q,"currency":"PHP","account":"shop","refunds":[]}`, ref, ref, status, amount)
		return 200, http.Header{"Content-Type": {"application/json"}}, object
	}
}

// listed wraps an answer as the list that a question by reference gets.
func listed(next func(*http.Request) (int, http.Header, string)) func(*http.Request) (int, http.Header, string) {
	return func(r *http.Request) (int, http.Header, string) {
		status, h, body := next(r)
		if r.URL.Query().Has("reference") {
			body = `{"data":[` + body + `]}`
		}
		return status, h, body
	}
}

func TestWhereNoWebhookComesTheGatewayIsAsked(t *testing.T) {
	b, a := asking(t)
	p := b.register("ORDER-1", "20.00")
	b.fire()
	if len(a.asked) != 0 {
		t.Fatalf("asked %v at once", a.asked)
	}
	b.clock.move(40 * time.Second)
	a.next = listed(says("ORDER-1", "paid", "20.00"))
	b.fire()
	if len(a.asked) != 1 {
		t.Fatalf("asked %v", a.asked)
	}
	if got := b.payment(p.ID); got.State != "succeeded" || got.Source != "query" {
		t.Errorf("got %+v", got)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v", b.events())
	}
	b.clock.move(48 * time.Hour)
	b.fire()
	if len(a.asked) != 1 {
		t.Errorf("asked about a payment that is over: %v", a.asked)
	}
	b.sound()
}

func TestAnAnswerThatIsNoneNeverChangesAState(t *testing.T) {
	cases := map[string]func(*http.Request) (int, http.Header, string){
		"404":          func(*http.Request) (int, http.Header, string) { return 404, nil, `{"error":"not_found"}` },
		"401":          func(*http.Request) (int, http.Header, string) { return 401, nil, `{}` },
		"429":          func(*http.Request) (int, http.Header, string) { return 429, http.Header{"Retry-After": {"7"}}, `{}` },
		"500":          func(*http.Request) (int, http.Header, string) { return 500, nil, `oops` },
		"html":         func(*http.Request) (int, http.Header, string) { return 200, nil, `<html>login</html>` },
		"half":         func(*http.Request) (int, http.Header, string) { return 200, nil, `{"data":[{"id":"sb` },
		"time-out":     func(*http.Request) (int, http.Header, string) { return 0, nil, "" },
		"unknown word": listed(says("ORDER-1", "quantum", "20.00")),
		"null status": func(*http.Request) (int, http.Header, string) {
			return 200, nil, `{"data":[{"id":"sbx_1","reference":"ORDER-1","status":null,"amount":"20.00","currency":"PHP"}]}`
		},
	}
	for name, next := range cases {
		t.Run(name, func(t *testing.T) {
			b, a := asking(t)
			a.next = next
			p := b.register("ORDER-1", "20.00")
			for range 4 {
				b.clock.move(2 * time.Minute)
				b.fire()
			}
			if len(a.asked) == 0 {
				t.Fatal("never asked")
			}
			if got := b.payment(p.ID); got.State != "pending" || len(b.events()) != 0 {
				t.Errorf("state %s, told %v", got.State, b.events())
			}
			b.clock.move(2 * time.Hour)
			a.next = listed(says("ORDER-1", "paid", "20.00"))
			b.fire()
			if got := b.payment(p.ID); got.State != "succeeded" {
				t.Errorf("state %s after the gateway has answered at last", got.State)
			}
			b.sound()
		})
	}
}

func TestRetryAfterIsKept(t *testing.T) {
	date := time.Date(2031, 3, 7, 1, 10, 0, 0, time.UTC)
	for name, value := range map[string]string{"seconds": "600", "date": date.Format(http.TimeFormat)} {
		t.Run(name, func(t *testing.T) {
			b, a := asking(t)
			a.next = func(*http.Request) (int, http.Header, string) { return 429, http.Header{"Retry-After": {value}}, "{}" }
			b.register("ORDER-1", "20.00")
			b.clock.move(40 * time.Second)
			b.fire()
			b.clock.move(9 * time.Minute) // 01:09:40: before both ends
			b.fire()
			if len(a.asked) != 1 {
				t.Fatalf("asked %d times within Retry-After", len(a.asked))
			}
			b.clock.move(15 * time.Minute)
			b.fire()
			if len(a.asked) != 2 {
				t.Errorf("asked %d times after it", len(a.asked))
			}
		})
	}
}

func TestAGatewayThatFailsIsPausedAndTriedWithOneQuestion(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 503, nil, "down" }
	for i := range 20 {
		b.register(fmt.Sprintf("ORDER-%d", i), "1.00")
	}
	for range 12 {
		b.clock.move(40 * time.Second)
		b.fire()
	}
	paused := len(a.asked)
	if paused > 12 {
		t.Errorf("asked %d times in 12 rounds: after an error one question at a time finds out", paused)
	}
	if h := b.e.gateways["sandbox"].health(); h.PausedUntilMs <= b.clock.now().UnixMilli() || h.Errors < 5 {
		t.Errorf("not paused: %+v", h)
	}
	a.next = func(r *http.Request) (int, http.Header, string) {
		ref := r.URL.Query().Get("reference")
		return listed(says(ref, "paid", "1.00"))(r)
	}
	for range 40 {
		b.clock.move(10 * time.Minute)
		b.fire()
	}
	for _, v := range mustPayments(t, b) {
		if v.State != "succeeded" {
			t.Errorf("%s is %s after the gateway is back", v.MerchantRef, v.State)
		}
	}
	b.sound()
}

func mustPayments(t *testing.T, b *bench) []PaymentView {
	t.Helper()
	list, _, err := b.e.Payments(b.ctx(), PaymentQuery{Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestAnOverloadOfQuestionsRespectsTheRate(t *testing.T) {
	b, a := asking(t, func(c *config.Config, _ *Options) {
		c.Gateways[0].QueryRate = config.Rate{Count: 2, Per: time.Second}
	})
	for i := range 10 {
		b.register(fmt.Sprintf("ORDER-%d", i), "1.00")
	}
	b.clock.move(50 * time.Second)
	for range 3 {
		b.fire()
	}
	if len(a.asked) != 2 {
		t.Errorf("asked %d times within one instant, want the burst of 2", len(a.asked))
	}
	b.clock.move(time.Second)
	b.fire()
	b.fire()
	if len(a.asked) != 4 {
		t.Errorf("asked %d times after a second more, want 4", len(a.asked))
	}
}

func TestThePayerWhoNeverCameIsAbandonedAndAskedOnceMore(t *testing.T) {
	b, a := asking(t)
	a.next = listed(says("ORDER-1", "waiting", "20.00"))
	p := b.register("ORDER-1", "20.00")
	for range 60 {
		b.clock.move(time.Hour)
		b.fire()
	}
	got := b.payment(p.ID)
	if got.State != "closed" || got.Cause != "abandoned" {
		t.Fatalf("%s %s after 60 hours", got.State, got.Cause)
	}
	if want := []string{"payment.closed"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v", b.events())
	}
	asked := len(a.asked)
	b.clock.move(8 * 24 * time.Hour)
	b.fire()
	b.clock.move(30 * 24 * time.Hour)
	b.fire()
	if len(a.asked) != asked+1 {
		t.Errorf("asked %d times more after it was abandoned, want 1", len(a.asked)-asked)
	}
	if len(b.reviewKinds()) != 0 {
		t.Errorf("reviews %v", b.reviewKinds())
	}
	b.sound()
}

func TestWithoutAnyAnswerNothingIsGivenUpAndTheGatewayIsReviewed(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 401, nil, "{}" }
	p := b.register("ORDER-1", "20.00")
	for range 80 {
		b.clock.move(time.Hour)
		b.fire()
		if err := b.e.keepOnce(b.ctx()); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.payment(p.ID); got.State != "pending" {
		t.Fatalf("%s after 80 hours without an answer", got.State)
	}
	if want := []string{"gateway_unaskable"}; !slices.Equal(b.reviewKinds(), want) {
		t.Errorf("reviews %v, want %v", b.reviewKinds(), want)
	}
	a.next = listed(says("ORDER-1", "waiting", "20.00"))
	b.clock.move(2 * time.Hour)
	b.fire()
	if got := b.payment(p.ID); got.State != "pending" {
		t.Errorf("%s right after the gateway is back: the time in which it could not be asked does not count", got.State)
	}
	if err := b.e.keepOnce(b.ctx()); err != nil {
		t.Fatal(err)
	}
	if len(b.reviewKinds()) != 0 {
		t.Errorf("reviews %v after the gateway is back", b.reviewKinds())
	}
	for range 60 {
		b.clock.move(time.Hour)
		b.fire()
	}
	if got := b.payment(p.ID); got.State != "closed" || got.Cause != "abandoned" {
		t.Errorf("%s %s after 60 askable hours", got.State, got.Cause)
	}
	b.sound()
}

func TestTheScanRestoresALostAppointment(t *testing.T) {
	b, a := asking(t)
	p := b.register("ORDER-1", "20.00")
	err := b.store.Update(b.ctx(), "lose", func(tx *store.Tx) error {
		row, _, err := tx.PaymentByPublicID(p.ID)
		if err != nil {
			return err
		}
		return tx.DropTimers(row.ID, "ask")
	})
	if err != nil {
		t.Fatal(err)
	}
	b.clock.move(30 * time.Minute)
	b.fire()
	if len(a.asked) != 0 {
		t.Fatal("asked although the appointment was lost")
	}
	a.next = listed(says("ORDER-1", "paid", "20.00"))
	if n, err := b.e.ScanOnce(b.ctx()); err != nil || n != 1 {
		t.Fatalf("scan restored %d, %v", n, err)
	}
	b.fire()
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Errorf("state %s", got.State)
	}
	b.view(func(rx *store.Rx) error {
		list, err := rx.ResolvedSince(0)
		if want := []store.Resolved{{Trigger: "scan", State: "succeeded", Count: 1}}; !slices.Equal(list, want) {
			t.Errorf("resolved %v, want %v", list, want)
		}
		return err
	})
	b.sound()
}

func TestWhatHappensMeanwhileDoesNotUndoACheck(t *testing.T) {
	for status, state := range map[string]string{"processing": "processing", "paid": "succeeded"} {
		t.Run(status, func(t *testing.T) {
			b, a := asking(t)
			p := b.register("ORDER-1", "20.00")
			b.clock.move(time.Second)
			if _, err := b.e.Check(b.ctx(), p.ID, 0); err != nil {
				t.Fatal(err)
			}
			b.send(b.notice("ORDER-1", status, "20.00"))
			b.work()
			if got := b.payment(p.ID); got.State != state {
				t.Fatalf("it is %s, want %s", got.State, state)
			}
			a.next = listed(says("ORDER-1", status, "20.00"))
			b.fire()
			if len(a.asked) != 1 {
				t.Errorf("asked %v, want the one question that the payer waits for", a.asked)
			}
			b.fire()
			if len(a.asked) != 1 {
				t.Errorf("asked %v, want one question", a.asked)
			}
			b.sound()
		})
	}
}

func TestCheckAsksNowInAnyState(t *testing.T) {
	b, a := asking(t)
	p := b.register("ORDER-1", "20.00")
	b.send(b.notice("ORDER-1", "paid", "20.00"))
	b.work()
	a.next = listed(says("ORDER-1", "paid", "20.00"))
	b.clock.move(time.Minute)
	v, err := b.e.Check(b.ctx(), p.ID, 0)
	if err != nil || v.Asked {
		t.Fatalf("check without waiting: %+v, %v", v, err)
	}
	b.fire()
	if len(a.asked) != 1 {
		t.Errorf("asked %v", a.asked)
	}
	b.clock.move(24 * time.Hour)
	b.fire()
	if len(a.asked) != 1 {
		t.Errorf("a check is asked once, asked %v", a.asked)
	}
	b.sound()
}
