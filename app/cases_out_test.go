package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"nodrop/app/config"
	"nodrop/store"
)

func TestCasesOfTellingTheShop(t *testing.T) {
	t.Run("R-165 a crash while an event is being sent", crashWhileSending)
	t.Run("R-166 one event is refused for good", oneRefusedForGood)
	t.Run("R-168 a retry is overtaken", retryIsOvertaken)
	t.Run("R-172 declined and then paid", declinedThenPaid)
	t.Run("R-173 our secret changes while a retry waits", secretChanges)
}

func crashWhileSending(t *testing.T) {
	b, s := selling(t, ok)
	for i := range 5 {
		ref := "ORD-" + strconv.Itoa(i)
		b.register(ref, "1.00")
		b.pay(ref, "1.00")
	}
	var claimed []store.Event
	now := b.clock.now().UnixMilli()
	err := b.store.Update(b.ctx(), "claim", func(tx *store.Tx) (err error) {
		claimed, err = tx.ClaimEvents(now, now+time.Minute.Milliseconds(), 5)
		return err
	})
	if err != nil || len(claimed) != 5 {
		t.Fatalf("claimed %d, %v", len(claimed), err)
	}
	b.e.deliver(b.ctx(), claimed[0])
	b.e.deliver(b.ctx(), claimed[1])
	if status, _, err := b.e.post(b.ctx(), claimed[2]); status != 200 || err != nil { // and the process ends before it notes that
		t.Fatal(status, err)
	}
	next := b.restarted(func(c *config.Config, _ *Options) { c.Shop = b.e.config.Shop })
	next.deliver()
	if len(s.sent()) != 3 {
		t.Errorf("sent %v within the lease", s.sent())
	}
	next.clock.move(61 * time.Second)
	next.deliver()
	next.clock.move(24 * time.Hour)
	next.deliver()
	sent := s.sent()
	slices.Sort(sent)
	if want := []string{"1-1", "1-2", "1-3", "1-3", "1-4", "1-5"}; !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
	next.sound()
}

func oneRefusedForGood(t *testing.T) {
	b, s := selling(t, nil)
	s.answer = func(n int) (int, map[string]string) {
		if s.ids[n-1] == "1-1" {
			return 404, nil
		}
		return 200, nil
	}
	for _, ref := range []string{"A", "B1", "B2"} {
		b.register(ref, "1.00")
		b.pay(ref, "1.00")
	}
	b.deliver()
	if got := s.sent(); !slices.Contains(got, "1-2") || !slices.Contains(got, "1-3") {
		t.Errorf("sent %v: the other orders wait for the refused one", got)
	}
	for range 80 {
		b.clock.move(time.Hour)
		b.deliver()
	}
	b.asks("dead_outbox")
	b.sound()
}

func retryIsOvertaken(t *testing.T) {
	b, s := selling(t, func(n int) (int, map[string]string) {
		if n <= 5 { // after five failures the later ones of the order pass
			return 500, nil
		}
		return 200, nil
	})
	p := b.register("ORD-1", "20.00")
	b.pay("ORD-1", "20.00")
	b.tell(b.back("refund", "ORD-1", "re_1", "succeeded", "20.00", "PHP"))
	for range 80 {
		b.deliver()
		b.clock.move(5 * time.Minute)
	}
	highest, refunded := int64(-1), ""
	for _, body := range s.bodies { // a shop that keeps the highest version alone ends right
		var event struct {
			Timestamp string
			Data      PaymentView
		}
		if err := json.Unmarshal([]byte(body), &event); err != nil {
			t.Fatal(err)
		}
		if event.Data.ID != p.ID || event.Timestamp == "" {
			t.Errorf("event of %q at %q", event.Data.ID, event.Timestamp)
		}
		if event.Data.Version > highest {
			highest, refunded = event.Data.Version, event.Data.Refunded
		}
	}
	if refunded != "20.00" || !slices.Contains(s.sent(), "1-2") {
		t.Errorf("the highest version says %q refunded; sent %v", refunded, s.sent())
	}
	b.sound()
}

func declinedThenPaid(t *testing.T) {
	b := newBench(t)
	p := b.register("ORD-1", "30.00")
	b.tell(b.word("ORD-1", "attempt_failed", "0.00", "PHP", nil))
	b.stands(p.ID, "pending", "")
	b.told()
	b.clock.move(5 * time.Minute)
	b.pay("ORD-1", "30.00")
	if v := b.stands(p.ID, "succeeded", ""); v.Received != "30.00" {
		t.Errorf("received %s", v.Received)
	}
	b.told("payment.succeeded")
	b.sound()
}

// whatCountsAsDelivered sends one event for each answer of the shop and looks at it again within and after the wait.
func whatCountsAsDelivered(t *testing.T, answer shopAnswer) {
	b, s := selling(t, func(n int) (int, map[string]string) {
		if n > 1 {
			return 200, nil
		}
		return answer.status, answer.header
	})
	b.register("ORD-1", "1.00")
	b.pay("ORD-1", "1.00")
	b.deliver()
	b.clock.move(119 * time.Second)
	b.deliver()
	if got := len(s.sent()); got != answer.within {
		t.Errorf("sent %d times within 119 seconds, want %d", got, answer.within)
	}
	b.clock.move(time.Hour)
	b.deliver()
	if got := s.sent(); len(got) != answer.after || got[len(got)-1] != "1-1" {
		t.Errorf("sent %v after an hour, want %d times the same event", got, answer.after)
	}
	if answer.status == 410 {
		b.asks("shop_gone")
	} else {
		b.asks()
	}
	b.sound()
}

// shopAnswer is an answer to the first attempt, and how often the event has been sent 119 seconds and an hour later.
type shopAnswer struct {
	status        int
	header        map[string]string
	within, after int
}

func TestCasesOfWhatCountsAsDelivered(t *testing.T) {
	for _, status := range []int{200, 201, 202, 204} {
		t.Run("R-171 "+strconv.Itoa(status)+" is delivered", func(t *testing.T) {
			whatCountsAsDelivered(t, shopAnswer{status, nil, 1, 1})
		})
	}
	for _, status := range []int{400, 409, 500} {
		t.Run("R-171 "+strconv.Itoa(status)+" is tried again", func(t *testing.T) {
			whatCountsAsDelivered(t, shopAnswer{status, nil, 2, 2})
		})
	}
	for _, status := range []int{301, 302} {
		t.Run("R-171 "+strconv.Itoa(status)+" is not followed", func(t *testing.T) {
			whatCountsAsDelivered(t, shopAnswer{status, map[string]string{"Location": "/login"}, 2, 2})
		})
	}
	t.Run("R-171 429 waits as long as it says", func(t *testing.T) {
		whatCountsAsDelivered(t, shopAnswer{429, map[string]string{"Retry-After": "120"}, 1, 2})
	})
	t.Run("R-171 410 stops", func(t *testing.T) { whatCountsAsDelivered(t, shopAnswer{410, nil, 1, 1}) })
}

// The shop has the event and its answer is never heard: it is told again under the same id.
func TestCaseOfUnheardAnswers(t *testing.T) {
	for name, fault := range map[string]error{"time-out": context.DeadlineExceeded, "reset": io.ErrUnexpectedEOF} {
		t.Run("R-171 "+name, func(t *testing.T) {
			b, s := selling(t, ok)
			b.register("ORD-1", "1.00")
			b.pay("ORD-1", "1.00")
			honest := b.e.http
			b.e.http = &http.Client{Transport: unheard{fault}}
			b.deliver()
			b.e.http = honest
			b.clock.move(time.Hour)
			b.deliver()
			if want := []string{"1-1", "1-1"}; !slices.Equal(s.sent(), want) {
				t.Errorf("sent %v, want %v", s.sent(), want)
			}
			b.sound()
		})
	}
}

// unheard delivers a request and loses the answer.
type unheard struct{ fault error }

func (u unheard) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	return nil, errors.Join(u.fault, res.Body.Close())
}

func secretChanges(t *testing.T) {
	const second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	var signed []bool // whether each of the two secrets verifies, request by request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		for _, secret := range []string{shopSecret, second} {
			hook, err := standardwebhooks.NewWebhook(secret)
			signed = append(signed, err == nil && hook.VerifyIgnoringTimestamp(body, r.Header) == nil)
		}
		w.WriteHeader(500)
	}))
	defer server.Close()
	with := func(secrets ...string) func(*config.Config, *Options) {
		return func(c *config.Config, _ *Options) {
			c.Shop.URL, c.Shop.Secrets = server.URL, nil
			for _, s := range secrets {
				c.Shop.Secrets = append(c.Shop.Secrets, config.TimedSecret{Value: config.NewSecret(s)})
			}
		}
	}
	b := newBench(t, with(shopSecret))
	b.register("ORD-1", "1.00")
	b.pay("ORD-1", "1.00")
	b.deliver()
	for _, secrets := range [][]string{{shopSecret, second}, {second}} {
		b = b.restarted(with(secrets...))
		b.clock.move(time.Hour)
		b.deliver()
	}
	if want := []bool{true, false, true, true, false, true}; !slices.Equal(signed, want) {
		t.Errorf("signed by the old and the new secret: %v, want %v", signed, want)
	}
}
