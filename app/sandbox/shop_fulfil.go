package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
)

// fulfil sends the goods once for each fulfil key. An error means that the shop
// must be told again.
func (s *Shop) fulfil(ctx context.Context, e Event) error {
	key, p := e.Data.FulfilKey, s.plans[e.Data.MerchantRef]
	if key == "" {
		s.problem("event %s about %s has no fulfil key", e.ID, e.Data.MerchantRef)
		return nil
	}
	if s.overtaken(e) {
		return nil
	}
	if !p.Claims {
		s.update(func() { s.ship(e.Data.OrderRef, key) })
		return nil
	}
	s.mu.Lock()
	done := s.claimed[key]
	s.mu.Unlock()
	if done {
		return nil
	}
	return s.claimAndFulfil(ctx, e, key)
}

// overtaken reports whether a newer event has said that the order is no longer paid.
func (s *Shop) overtaken(e Event) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.told[e.Data.MerchantRef]
	return h != nil && h.Last.Version > e.Data.Version && !h.Last.Order.Paid
}

// ship writes the fulfilment down, unless this key was fulfilled before.
func (s *Shop) ship(order, key string) {
	o := s.orders[order]
	if o == nil {
		o = &Order{Ref: order}
		s.orders[order] = o
	}
	if !slices.Contains(o.Fulfilled, key) {
		o.Fulfilled = append(o.Fulfilled, key)
	}
}

// claimAndFulfil lets the shop's two workers claim the same order at the same
// moment: only one of them may get it.
func (s *Shop) claimAndFulfil(ctx context.Context, e Event, key string) error {
	status, errs := [2]int{}, [2]error{}
	var both sync.WaitGroup
	for i := range status {
		both.Go(func() {
			in := map[string]any{"key": key, "payment_id": e.Data.ID, "owner": fmt.Sprintf("worker-%d", i+1)}
			status[i], errs[i] = s.api.call(ctx, http.MethodPost, "/v1/claims", in, nil)
		})
	}
	both.Wait()
	won := 0
	for i := range status {
		if status[i] == http.StatusCreated || status[i] == http.StatusOK {
			won++
		}
	}
	switch {
	case won > 1:
		s.problem("claim %s was given to two workers", key)
	case won == 1:
		return s.finishClaim(ctx, e, key)
	case errs[0] != nil || errs[1] != nil:
		return fmt.Errorf("claim %s: answered %d and %d", key, status[0], status[1])
	}
	s.update(func() { s.stats.ClaimsRefused++ })
	return nil
}

func (s *Shop) finishClaim(ctx context.Context, e Event, key string) error {
	s.update(func() { s.stats.Claims++; s.ship(e.Data.OrderRef, key) })
	status, err := s.api.call(ctx, http.MethodPut, "/v1/claims/"+url.PathEscape(key)+"/done", nil, nil)
	if err != nil {
		return err
	}
	if status >= 300 && status != http.StatusConflict {
		s.problem("claim %s could not be marked as done: nodrop answered %d", key, status)
	}
	s.update(func() { s.claimed[key] = true })
	return nil
}
