package app

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/fnv"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"nodrop/store"
)

// simOrder is one order as the shop knows it.
type simOrder struct {
	ref       string
	wanted    string // nodrop's id of the payment of which the shop heard a success
	fulfilled int
	finishing bool  // fulfilled, not yet reported
	held      bool  // claimed, and then the worker died
	since     int64 // when the shop last heard of a success
}

// simPatience is for how long the shop tries again to fulfil an order after it has last heard of a success.
const simPatience = 14 * simDay

// simShop is the merchant's application: it may be down, slow, forgetful or gone.
type simShop struct {
	mu     sync.Mutex
	mode   string // "", down, slow, dies, failing, gone
	heard  []simEvent
	events map[string]*simEvent // by id: the first that came
	wanted []*simOrder          // heard of as paid
	cursor string
	until  int64 // the end of what ails it
}

type simEvent struct {
	id   string
	body []byte
}

// breakDown has the shop fail for a while, in one of its ways.
func (h *simShop) breakDown(s *simulation) {
	long := s.between(10*simMinute, 8*simHour)
	if s.chance(350) {
		long = s.between(simDay, 4*simDay)
	}
	mode := []string{"down", "slow", "dies", "failing"}[s.rng.IntN(4)]
	if s.now >= h.until {
		h.fail(s, mode, long)
	}
}

func (h *simShop) fail(s *simulation, mode string, long int64) {
	h.mode, h.until = mode, s.now+long
	s.count["shop "+mode]++
	s.after(long, func() {
		if s.now >= h.until {
			h.mode = ""
		}
	})
}

// hear is one event on its way to the shop. What is decided here depends on the event alone, for several come at once.
func (h *simShop) hear(s *simulation, r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	ev := simEvent{id: r.Header.Get("webhook-id"), body: body}
	h.mu.Lock()
	defer h.mu.Unlock()
	mode := h.mode
	if mode == "" && lot(s.seed, body)%40 == 0 && h.events[ev.id] == nil {
		mode = []string{"slow", "failing", "dies"}[lot(s.seed+1, body)%3]
	}
	if old := h.events[ev.id]; old == nil {
		h.events[ev.id] = &ev
	} else if !bytes.Equal(old.body, body) {
		s.find("event %s came with another body", ev.id)
	}
	s.count["deliveries"]++
	switch mode {
	case "down":
		return nil, context.DeadlineExceeded
	case "failing":
		return simResponse(r, http.StatusBadGateway, nil, ""), nil
	case "gone":
		s.count["told that the shop is gone"]++
		return simResponse(r, http.StatusGone, nil, ""), nil
	case "dies":
		return simResponse(r, http.StatusOK, nil, ""), nil
	}
	h.heard = append(h.heard, ev)
	if mode == "slow" {
		return nil, context.DeadlineExceeded
	}
	return simResponse(r, http.StatusNoContent, nil, ""), nil
}

// lot is a number drawn from a text.
func lot(seed uint64, text []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte{byte(seed), byte(seed >> 8), byte(seed >> 16), byte(seed >> 24)})
	_, _ = h.Write(text)
	return h.Sum64() >> 7
}

func simResponse(r *http.Request, status int, header http.Header, body string) *http.Response {
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r, ContentLength: int64(len(body))}
}

// send delivers what is due: many at once, or one by one while the disk is about to fail, so that the same thing fails
// at every run.
func (s *simulation) send() bool {
	n, err := 0, error(nil)
	if s.armed {
		n, err = s.sendSingly()
	} else {
		n, err = s.e.sendOnce(s.t.Context())
	}
	s.shop.work(s)
	if !s.up {
		return true
	}
	if !s.worked("send", err) || n == 0 && !s.e.shop.closed() {
		return s.pause("send", 15*simMinute) // all that is due waits for an earlier event of its order
	}
	return n > 0
}

func (s *simulation) sendSingly() (int, error) {
	var due []store.Event
	err := s.e.guard(s.t.Context(), "lease events", func(tx *store.Tx) (err error) {
		now := s.e.nowMs()
		due, err = tx.ClaimEvents(now, now+2*s.e.config.Shop.Timeout.Milliseconds(), sendBatch)
		return err
	})
	for _, ev := range due {
		s.e.deliver(s.t.Context(), ev)
		s.worked("deliver", nil)
	}
	return len(due), err
}

// work has the shop take in what it has heard, in the order of the events' ids.
func (h *simShop) work(s *simulation) {
	h.mu.Lock()
	heard := h.heard
	h.heard = nil
	h.mu.Unlock()
	slices.SortFunc(heard, func(a, b simEvent) int {
		if len(a.id) != len(b.id) {
			return len(a.id) - len(b.id)
		}
		return strings.Compare(a.id, b.id)
	})
	for _, ev := range heard {
		var body envelope[PaymentView]
		if err := json.Unmarshal(ev.body, &body); err != nil {
			s.find("event %s: %v", ev.id, err)
			continue
		}
		h.learn(s, body.Data)
		s.after(s.between(0, 3*simSecond), func() { s.fulfil(body.Data.OrderRef) })
	}
}

func (h *simShop) learn(s *simulation, v PaymentView) {
	o := s.orders[v.OrderRef]
	if o == nil || v.State != "succeeded" {
		return
	}
	if o.since = s.now; o.wanted == "" {
		h.wanted = append(h.wanted, o)
	}
	o.wanted = v.ID
}

// fulfil claims an order and delivers the goods if the claim is granted. The shop trusts the claim alone.
func (s *simulation) fulfil(order string) {
	o := s.orders[order]
	if o == nil || o.wanted == "" || o.finishing || !s.up {
		return
	}
	owner := "worker-a"
	if s.chance(100) && !o.held {
		owner = "worker-b"
	}
	_, created, err := s.e.Claim(s.t.Context(), fulfilKey(order), o.wanted, owner)
	if !s.worked("claim", err) {
		if KindOf(err) == KindBusy || KindOf(err) == KindInternal {
			s.after(simMinute, func() { s.fulfil(order) })
		}
		return
	}
	if created && s.chance(20) {
		s.count["workers died"]++
		o.held = true
		return
	}
	o.fulfilled++
	o.finishing = true
	s.count["fulfilled"]++
	s.report(order)
}

func (s *simulation) report(order string) {
	if s.up {
		if _, err := s.e.FinishClaim(s.t.Context(), fulfilKey(order)); s.worked("claim done", err) {
			s.orders[order].finishing = false
			return
		}
	}
	s.after(simMinute, func() { s.report(order) })
}

// catchUp reads the feed for what the shop missed, and tries again what it could not fulfil.
func (h *simShop) catchUp(s *simulation) func() {
	return func() {
		if !s.up || h.mode != "" {
			return
		}
		for {
			v, err := s.e.Events(s.t.Context(), h.cursor, 0, 500)
			if !s.worked("feed", err) || len(v.Events) == 0 {
				break
			}
			h.cursor = v.Next
			for _, ev := range v.Events {
				var data PaymentView
				if err := json.Unmarshal(ev.Data, &data); err != nil {
					s.find("event %s of the feed: %v", ev.ID, err)
				}
				h.learn(s, data)
			}
		}
		h.wanted = slices.DeleteFunc(h.wanted, func(o *simOrder) bool { return o.fulfilled > 0 || s.now-o.since > simPatience })
		for _, o := range h.wanted {
			s.fulfil(o.ref)
		}
	}
}
