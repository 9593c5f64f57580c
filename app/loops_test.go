package app

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nodrop/app/config"
)

// town is a transport that plays the gateway and the shop, so that the engine's loops can run in a bubble.
type town struct {
	mu      sync.Mutex
	gateway func(*http.Request) (int, http.Header, string)
	shop    func(n int) int
	asked   []time.Time
	told    []time.Time
	bodies  []string
}

func (w *town) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	status, header, body := 200, http.Header{}, ""
	if r.URL.Host == "shop.example" {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		w.told, w.bodies = append(w.told, time.Now()), append(w.bodies, string(raw))
		status = w.shop(len(w.told))
	} else {
		w.asked = append(w.asked, time.Now())
		status, header, body = w.gateway(r)
	}
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// inBubble runs a test with an engine whose loops run, in a time that passes by itself.
func inBubble(t *testing.T, w *town, test func(t *testing.T, b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(c *config.Config, o *Options) {
			c.Shop.URL = "https://shop.example/events"
			c.Shop.Secrets = []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
			o.HTTP = &http.Client{Transport: w}
			o.Now = time.Now
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.e.Run(ctx) }()
		synctest.Wait()
		test(t, b)
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the loops ended with %v", err)
		}
	})
}

func TestTheLoopsAskAtTheScheduleAndTellTheShop(t *testing.T) {
	w := &town{shop: func(int) int { return 200 }}
	w.gateway = listed(says("ORDER-1", "waiting", "20.00"))
	inBubble(t, w, func(t *testing.T, b *bench) {
		began := time.Now()
		b.register("ORDER-1", "20.00")
		time.Sleep(20 * time.Minute)
		w.mu.Lock()
		if len(w.asked) != 5 {
			t.Errorf("asked %d times in 20 minutes, want 5 (30 s, 1, 2, 5, 15 min)", len(w.asked))
		}
		for i, rung := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute} {
			if i < len(w.asked) {
				if at := w.asked[i].Sub(began); at < rung || at > rung+rung/10+time.Second {
					t.Errorf("question %d came after %v, want %v and up to a tenth more", i, at, rung)
				}
			}
		}
		w.gateway = listed(says("ORDER-1", "paid", "20.00"))
		w.mu.Unlock()
		time.Sleep(2 * time.Hour)
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.told) != 1 || !strings.Contains(w.bodies[0], `"payment.succeeded"`) {
			t.Errorf("told %d times: %v", len(w.told), w.bodies)
		}
		if len(w.asked) != 6 {
			t.Errorf("asked %d times, want no more than the one that was answered", len(w.asked))
		}
	})
}

func TestTheLoopsRetryTheShopWithGrowingWaits(t *testing.T) {
	w := &town{shop: func(n int) int {
		if n < 6 {
			return 500
		}
		return 200
	}}
	inBubble(t, w, func(t *testing.T, b *bench) {
		b.register("ORDER-1", "20.00")
		b.clock.at = time.Now() // signs with the bubble's time
		b.send(b.notice("ORDER-1", "paid", "20.00"))
		time.Sleep(6 * time.Hour)
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.told) != 6 {
			t.Fatalf("told %d times, want 5 failures and a success", len(w.told))
		}
		var gaps []time.Duration
		for i := 1; i < len(w.told); i++ {
			gaps = append(gaps, w.told[i].Sub(w.told[i-1]))
		}
		if !slices.IsSorted(gaps) || gaps[0] < 5*time.Second || gaps[4] < 15*time.Minute {
			t.Errorf("waits %v", gaps)
		}
		if len(slices.Compact(w.bodies)) != 1 {
			t.Error("the body changed between attempts")
		}
	})
}

func TestShutdownLeavesAnUnansweredQuestionToTheNextStart(t *testing.T) {
	w := &town{shop: func(int) int { return 200 }}
	w.gateway = listed(says("ORDER-1", "paid", "20.00"))
	synctest.Test(t, func(t *testing.T) {
		hang := hanging{}
		b := newBench(t, func(_ *config.Config, o *Options) {
			o.HTTP = &http.Client{Transport: hang}
			o.Now = time.Now
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.e.Run(ctx) }()
		p := b.register("ORDER-1", "20.00")
		time.Sleep(40 * time.Second)
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		next := benchOn(t, b.store, func(_ *config.Config, o *Options) {
			o.HTTP = &http.Client{Transport: w}
			o.Now = time.Now
		})
		ctx, cancel = context.WithCancel(t.Context())
		go func() { ended <- next.e.Run(ctx) }()
		time.Sleep(5 * time.Minute)
		if got := next.payment(p.ID); got.State != "succeeded" {
			t.Errorf("state %s", got.State)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// hanging is a gateway that never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// An answer that comes after fifteen seconds is none: the event is sent again under its id.
func TestASlowShopIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowShop{after: []time.Duration{40 * time.Second, 16 * time.Second, 14 * time.Second}}
		b := newBench(t, func(c *config.Config, o *Options) {
			c.Shop.URL = "https://shop.example/events"
			c.Shop.Secrets = []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
			o.HTTP, o.Now = &http.Client{Transport: s}, time.Now
		})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.e.Run(ctx) }()
		b.clock.at = time.Now()
		b.register("ORDER-1", "20.00")
		b.send(b.notice("ORDER-1", "paid", "20.00"))
		time.Sleep(time.Hour)
		if want := []string{"1-1", "1-1", "1-1"}; !slices.Equal(s.ids, want) {
			t.Errorf("sent %v, want %v", s.ids, want)
		}
		b.left(0)
		b.asks()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
