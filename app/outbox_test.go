package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

// TestManySendersTellEachThingOnce has several workers of two processes' worth of engines send at the same time.
func TestManySendersTellEachThingOnce(t *testing.T) {
	b, s := selling(t, ok)
	const orders = 30
	for i := range orders {
		ref := fmt.Sprintf("O-%d", i)
		b.register(ref, "15.00")
		b.pay(ref, "15.00")
		b.tell(b.back("refund", ref, "re_1", "succeeded", "5.00", "PHP"))
		b.tell(b.back("refund", ref, "re_2", "succeeded", "2.50", "PHP"))
	}
	other := b.restarted(func(c *config.Config, _ *Options) { c.Shop = b.e.config.Shop })
	var workers sync.WaitGroup
	for _, e := range []*Engine{b.e, b.e, other.e, other.e} {
		workers.Go(func() {
			for waits := int64(1); waits > 0; {
				if _, err := e.sendOnce(b.ctx()); err != nil {
					t.Error(err)
					return
				}
				err := b.store.View(b.ctx(), "left", func(rx *store.Rx) error {
					left, err := rx.OutboxBacklog()
					waits = left.Count
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
	sent := s.sent()
	if all := slices.Compact(slices.Sorted(slices.Values(sent))); len(sent) != 3*orders || len(all) != 3*orders || s.bad != 0 {
		t.Errorf("%d attempts for %d events, %d badly signed; want %d of each", len(sent), len(all), s.bad, 3*orders)
	}
	versions := map[string]int64{}
	for _, body := range s.bodies {
		var e struct {
			Data struct {
				MerchantRef string `json:"merchant_ref"`
				Version     int64
			}
		}
		if err := json.Unmarshal([]byte(body), &e); err != nil {
			t.Fatal(err)
		}
		if e.Data.Version <= versions[e.Data.MerchantRef] {
			t.Errorf("%s: version %d came after %d", e.Data.MerchantRef, e.Data.Version, versions[e.Data.MerchantRef])
		}
		versions[e.Data.MerchantRef] = e.Data.Version
	}
	b.sound()
}

// TestOneOfManyGetsTheClaim has many workers of the shop want the same order at the same time, some of them twice.
func TestOneOfManyGetsTheClaim(t *testing.T) {
	b := newBench(t)
	p := b.register("A", "15.00")
	b.pay("A", "15.00")
	var workers sync.WaitGroup
	var created, again, refused atomic.Int64
	owners := make(chan string, 64)
	for i := range 32 {
		owner := fmt.Sprintf("worker %d", i)
		for range 2 {
			workers.Go(func() {
				_, first, err := b.e.Claim(b.ctx(), "fulfil:A", p.ID, owner)
				switch {
				case err == nil && first:
					created.Add(1)
					owners <- owner
				case err == nil:
					again.Add(1)
					owners <- owner
				case KindOf(err) == KindConflict:
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
	}
	workers.Wait()
	close(owners)
	if created.Load() != 1 || again.Load() != 1 || refused.Load() != 62 {
		t.Errorf("claimed %d times, %d times by its owner again, refused %d times; want 1, 1 and 62", created.Load(), again.Load(), refused.Load())
	}
	winner := <-owners
	if second := <-owners; second != winner {
		t.Errorf("%s and %s both have the claim", winner, second)
	}
	var finished sync.WaitGroup
	for range 8 {
		finished.Go(func() {
			if v, err := b.e.FinishClaim(b.ctx(), "fulfil:A"); err != nil || v.State != "done" {
				t.Errorf("finished as %+v, %v", v, err)
			}
		})
	}
	finished.Wait()
	if _, _, err := b.e.Claim(b.ctx(), "fulfil:A", p.ID, winner); KindOf(err) != KindConflict {
		t.Errorf("claimed again after it was done: %v", err)
	}
	b.sound()
}

func TestAShopThatIsDownForTwoDaysMissesNothing(t *testing.T) {
	var up atomic.Bool
	b, s := selling(t, func(int) (int, map[string]string) {
		if up.Load() {
			return 200, nil
		}
		return 502, nil
	})
	for i := range 3 {
		ref := fmt.Sprintf("O-%d", i)
		b.register(ref, "15.00")
		b.pay(ref, "15.00")
		b.tell(b.back("refund", ref, "re_1", "succeeded", "5.00", "PHP"))
	}
	hours := func(n int) {
		for range 2 * n {
			b.deliver()
			b.clock.move(30 * time.Minute)
		}
	}
	hours(48)
	b.left(6)
	b.asks()
	down := len(s.sent())
	up.Store(true)
	hours(10)
	b.left(0)
	b.asks()
	after := s.sent()[down:]
	if len(after) != 6 || len(slices.Compact(slices.Sorted(slices.Values(after)))) != 6 {
		t.Errorf("after it is back it got %v, want each of six once", after)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	strayed := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed++ }))
	defer elsewhere.Close()
	statuses := []int{301, 302, 303, 307, 308}
	b, s := selling(t, func(n int) (int, map[string]string) {
		if n <= len(statuses) {
			return statuses[n-1], map[string]string{"Location": elsewhere.URL}
		}
		return 200, nil
	})
	b.register("A", "15.00")
	b.pay("A", "15.00")
	for range len(statuses) + 1 {
		b.deliver()
		b.clock.move(7 * time.Hour)
	}
	if strayed != 0 || len(s.sent()) != len(statuses)+1 {
		t.Errorf("%d requests went where the shop pointed, %d came to the shop", strayed, len(s.sent()))
	}
	b.left(0)
	b.asks()
}

// TestAShopThatDiesWhileItAnswers: what it said counts, and what it did not say is sent again under the same id.
func TestAShopThatDiesWhileItAnswers(t *testing.T) {
	var ids []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ids = append(ids, r.Header.Get("webhook-id"))
		if len(ids) == 1 {
			panic(http.ErrAbortHandler) // it has taken the event and dies before it says so
		}
		w.Header().Set("Content-Length", "1000")
		w.WriteHeader(http.StatusOK)
		_, _ = w.Write([]byte("half an ans")) // and dies while it says so
	}))
	defer server.Close()
	b := newBench(t, func(c *config.Config, _ *Options) {
		c.Shop.URL = server.URL
		c.Shop.Secrets = []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
	})
	b.register("A", "15.00")
	b.pay("A", "15.00")
	for range 4 {
		b.deliver()
		b.clock.move(time.Hour)
	}
	if !slices.Equal(ids, []string{"1-1", "1-1"}) {
		t.Errorf("sent %v, want one id twice", ids)
	}
	b.left(0)
	b.asks()
}

// slowShop answers 200 after a while, unless the one who asks has left before.
type slowShop struct {
	after []time.Duration // of each request; the last one stands for all that follow
	ids   []string
}

func (s *slowShop) RoundTrip(r *http.Request) (*http.Response, error) {
	n := min(len(s.ids), len(s.after)-1)
	s.ids = append(s.ids, r.Header.Get("webhook-id"))
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(s.after[n]):
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
	}
}
