package app

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"nodrop/app/config"
)

const shopSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// shop is a merchant's application that answers as the test says and remembers what it was sent.
type shop struct {
	mu     sync.Mutex
	answer func(n int) (status int, header map[string]string)
	ids    []string
	bodies []string
	bad    int
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	hook, err := standardwebhooks.NewWebhook(shopSecret)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || hook.VerifyIgnoringTimestamp(body, r.Header) != nil {
		s.bad++
	}
	s.ids = append(s.ids, r.Header.Get("webhook-id"))
	s.bodies = append(s.bodies, string(body))
	status, header := s.answer(len(s.ids))
	for k, v := range header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(status)
}

func (s *shop) sent() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ids)
}

func selling(t *testing.T, answer func(n int) (int, map[string]string)) (*bench, *shop) {
	t.Helper()
	s := &shop{answer: answer}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	b := newBench(t, func(c *config.Config, _ *Options) {
		c.Shop.URL = server.URL
		c.Shop.Secrets = []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
	})
	return b, s
}

func ok(int) (int, map[string]string) { return 200, nil }

// deliver sends all that is due now.
func (b *bench) deliver() {
	b.t.Helper()
	for {
		n, err := b.e.sendOnce(b.ctx())
		if err != nil {
			b.t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

func (b *bench) pay(ref, amount string) {
	b.t.Helper()
	b.send(b.notice(ref, "paid", amount))
	b.work()
}

func TestTheShopIsToldOnceAndSigned(t *testing.T) {
	b, s := selling(t, ok)
	b.register("ORDER-1", "20.00")
	b.pay("ORDER-1", "20.00")
	b.deliver()
	b.clock.move(time.Hour)
	b.deliver()
	if want := []string{"1-1"}; !slices.Equal(s.sent(), want) || s.bad != 0 {
		t.Errorf("sent %v (%d with a bad signature), want %v", s.sent(), s.bad, want)
	}
}

func TestARetryHasTheSameIDAndBody(t *testing.T) {
	b, s := selling(t, func(n int) (int, map[string]string) {
		if n < 4 {
			return []int{500, 302, 404}[n-1], map[string]string{"Location": "http://127.0.0.1:1/"}
		}
		return 204, nil
	})
	b.register("ORDER-1", "20.00")
	b.pay("ORDER-1", "20.00")
	for range 12 {
		b.deliver()
		b.clock.move(time.Hour)
	}
	if want := []string{"1-1", "1-1", "1-1", "1-1"}; !slices.Equal(s.sent(), want) {
		t.Fatalf("sent %v, want %v", s.sent(), want)
	}
	for _, body := range s.bodies {
		if body != s.bodies[0] {
			t.Errorf("bodies differ: %s and %s", s.bodies[0], body)
		}
	}
	b.sound()
}

func TestRetryAfterOfTheShopIsKept(t *testing.T) {
	b, s := selling(t, func(n int) (int, map[string]string) {
		if n == 1 {
			return 429, map[string]string{"Retry-After": "3600"}
		}
		return 200, nil
	})
	b.register("ORDER-1", "20.00")
	b.pay("ORDER-1", "20.00")
	b.deliver()
	b.clock.move(59 * time.Minute)
	b.deliver()
	if len(s.sent()) != 1 {
		t.Fatalf("sent %v within Retry-After", s.sent())
	}
	b.clock.move(2 * time.Minute)
	b.deliver()
	if len(s.sent()) != 2 {
		t.Errorf("sent %v after it", s.sent())
	}
}

func TestOneOrderIsToldInOrderAndAnotherDoesNotWait(t *testing.T) {
	b, s := selling(t, func(int) (int, map[string]string) { return 500, nil })
	b.register("ORDER-1", "20.00")
	b.pay("ORDER-1", "20.00")
	refund := map[string]any{"id": "evt_r", "type": "refund", "livemode": false, "created": b.clock.now().Format(time.RFC3339),
		"data": map[string]any{"id": "re_1", "payment": "sbx_ORDER-1", "reference": "ORDER-1", "status": "succeeded", "amount": "5.00", "currency": "PHP"}}
	b.send(refund)
	b.work()
	b.register("ORDER-2", "20.00")
	b.pay("ORDER-2", "20.00")
	if want := []string{"payment.succeeded", "payment.refunded", "payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Fatalf("outbox %v, want %v", b.events(), want)
	}
	b.deliver()
	if got := s.sent(); !slices.Contains(got, "1-1") || !slices.Contains(got, "1-3") || slices.Contains(got, "1-2") {
		t.Fatalf("sent %v: the refund must wait for the success of its order, and nobody else for it", got)
	}
	for range 40 {
		b.clock.move(5 * time.Minute)
		b.deliver()
	}
	if got := s.sent(); !slices.Contains(got, "1-2") {
		t.Errorf("sent %v: after five failures later ones pass", got)
	}
}

func TestAfterThreeDaysADeadLetterAndResend(t *testing.T) {
	up := false
	b, s := selling(t, func(int) (int, map[string]string) {
		if up {
			return 200, nil
		}
		return 500, nil
	})
	b.register("ORDER-1", "20.00")
	b.pay("ORDER-1", "20.00")
	for range 80 {
		b.deliver()
		b.clock.move(time.Hour)
	}
	if want := []string{"dead_outbox"}; !slices.Equal(b.reviewKinds(), want) {
		t.Fatalf("reviews %v, want %v", b.reviewKinds(), want)
	}
	dead := len(s.sent())
	b.clock.move(100 * time.Hour)
	b.deliver()
	if len(s.sent()) != dead {
		t.Error("a dead letter was sent by itself")
	}
	up = true
	v := b.reviews()[0]
	if err := b.e.Decide(b.ctx(), Decision{Actor: "ana", FormKey: "f1", ReviewID: v.ID, Act: ActResend, Reason: "the shop is back"}); err != nil {
		t.Fatal(err)
	}
	b.deliver()
	if got := s.sent(); len(got) != dead+1 || got[dead] != "1-1" {
		t.Errorf("resent %v", got[dead:])
	}
	if len(b.reviewKinds()) != 0 {
		t.Errorf("reviews %v", b.reviewKinds())
	}
	b.sound()
}

func TestGoneStopsUntilAPersonSaysGoOn(t *testing.T) {
	b, s := selling(t, func(n int) (int, map[string]string) {
		if n == 1 {
			return 410, nil
		}
		return 200, nil
	})
	b.register("ORDER-1", "20.00")
	b.pay("ORDER-1", "20.00")
	b.deliver()
	b.clock.move(10 * time.Hour)
	b.deliver()
	if len(s.sent()) != 1 {
		t.Fatalf("sent %v after 410", s.sent())
	}
	if want := []string{"shop_gone"}; !slices.Equal(b.reviewKinds(), want) {
		t.Fatalf("reviews %v, want %v", b.reviewKinds(), want)
	}
	if err := b.e.Decide(b.ctx(), Decision{Actor: "ana", FormKey: "f1", ReviewID: b.reviews()[0].ID, Act: ActResume, Reason: "address corrected"}); err != nil {
		t.Fatal(err)
	}
	b.deliver()
	if len(s.sent()) != 2 {
		t.Errorf("sent %v after it was resumed", s.sent())
	}
	b.sound()
}
