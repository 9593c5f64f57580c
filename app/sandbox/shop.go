package sandbox

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Shop is the simulated merchant: an http.Handler for nodrop's events, a seller
// and the keeper of its own ledger of what it fulfilled and was told.
type Shop struct {
	o     Options
	api   api
	hook  *standardwebhooks.Webhook
	plans map[string]Plan // by reference
	ctx   context.Context
	stop  context.CancelFunc
	work  sync.WaitGroup

	mu      sync.Mutex // guards all below
	orders  map[string]*Order
	told    map[string]*Heard // by merchant_ref
	seen    map[string]bool   // event ids
	tries   map[string]int    // deliveries about an order
	claimed map[string]bool   // claims that are done
	stats   ShopStats
	began   time.Time
	onTold  func(reference, event string)
	reading bool          // the feed is being read
	trouble []string      // what the shop could not do
	changed chan struct{} // closed and replaced whenever something below mu changes
}

// Order is the shop's page of one order.
type Order struct {
	Ref       string
	Fulfilled []string // the key of each time it was fulfilled
	Payments  []string // references of its payments
}

// Heard is what the shop was told about one payment.
type Heard struct {
	Reference string
	Events    []string      // types, each event once, in the order of arrival
	Last      NodropPayment // of the highest version
}

// ShopStats counts what the shop saw and did.
type ShopStats struct {
	Sold, Events, Repeats, Refused, BadSignature, Claims, ClaimsRefused, FeedReads int
}

// OnTold has f called after each event that the shop has written down.
func (s *Shop) OnTold(f func(reference, event string)) { s.update(func() { s.onTold = f }) }

// begin starts the run's clock, by which the shop is down for a while.
func (s *Shop) begin() { s.update(func() { s.began = s.o.Now() }) }

// down is from a third of Spread on, for a fifth of it.
func (s *Shop) down() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	since, from := s.o.Now().Sub(s.began), s.o.Spread/3
	return !s.began.IsZero() && since >= from && since < from+s.o.Spread/5
}

// NewShop prepares the shop with the plan that o draws.
func NewShop(o Options) (*Shop, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	hook, err := standardwebhooks.NewWebhook(o.ShopSecret)
	if err != nil {
		return nil, fmt.Errorf("sandbox: Options.ShopSecret is no whsec_ secret in base64: make one of whsec_ and 24 to 64 bytes")
	}
	plans, err := MakePlan(o)
	if err != nil {
		return nil, err
	}
	s := &Shop{o: o, api: api{o}, hook: hook, plans: map[string]Plan{}, onTold: func(string, string) {},
		orders: map[string]*Order{}, told: map[string]*Heard{}, seen: map[string]bool{}, tries: map[string]int{},
		claimed: map[string]bool{}, changed: make(chan struct{})}
	for _, p := range plans {
		s.plans[p.Ref] = p
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// Close waits for what the shop has begun.
func (s *Shop) Close() {
	s.update(s.stop) // under the lock: nothing new begins between stop and Wait
	s.work.Wait()
}

// ServeHTTP takes in one event of nodrop.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil || r.Method != http.MethodPost {
		http.Error(w, "an event is posted", http.StatusBadRequest)
		return
	}
	if !s.genuine(body, r.Header) {
		s.update(func() { s.stats.BadSignature++ })
		http.Error(w, "the signature does not match", http.StatusUnauthorized)
		return
	}
	var e Event
	if err := json.Unmarshal(body, &e); err != nil || e.Data.ID == "" {
		s.problem("an event of nodrop could not be read: %v", err)
		http.Error(w, "cannot be read", http.StatusBadRequest)
		return
	}
	e.ID = r.Header.Get(standardwebhooks.HeaderWebhookID)
	s.misbehave(w, r, e)
}

// genuine checks the signature with the library and the age with the shop's own clock.
func (s *Shop) genuine(body []byte, h http.Header) bool {
	if s.hook.VerifyIgnoringTimestamp(body, h) != nil {
		return false
	}
	unix, err := strconv.ParseInt(h.Get(standardwebhooks.HeaderWebhookTimestamp), 10, 64)
	age := s.o.Now().Sub(time.Unix(unix, 0)).Abs()
	return err == nil && age <= 5*time.Minute
}

// misbehave answers as the order's plan wants it.
func (s *Shop) misbehave(w http.ResponseWriter, r *http.Request, e Event) {
	plan := s.plans[e.Data.MerchantRef]
	var try int
	s.update(func() { try = s.tries[plan.Order]; s.tries[plan.Order]++ })
	switch {
	case s.down(), plan.ShopFault == shopRefuses && try < 2:
		s.update(func() { s.stats.Refused++ })
		http.Error(w, "the shop is out of order", http.StatusInternalServerError)
		return
	case plan.ShopFault == shopForgets && try == 0:
		s.readFeed()
		return
	case plan.ShopFault == shopSlow:
		pause(r.Context(), 250*ms)
	}
	if err := s.take(r.Context(), e); err != nil {
		s.update(func() { s.stats.Refused++ })
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if plan.ShopFault == shopVanishes && try == 0 {
		panic(http.ErrAbortHandler)
	}
}

// take does what an event asks for and writes it down; an error means: tell me again.
func (s *Shop) take(ctx context.Context, e Event) error {
	if e.Type == "payment.succeeded" {
		if err := s.fulfil(ctx, e); err != nil {
			return err
		}
	}
	var tell func(reference, event string)
	s.update(func() { s.note(e); tell = s.onTold })
	tell(e.Data.MerchantRef, e.Type)
	return nil
}

// note writes an event down; an older version never overwrites a newer one.
func (s *Shop) note(e Event) {
	if s.seen[e.ID] {
		s.stats.Repeats++
		return
	}
	s.seen[e.ID] = true
	s.stats.Events++
	h := s.told[e.Data.MerchantRef]
	if h == nil {
		h = &Heard{Reference: e.Data.MerchantRef}
		s.told[e.Data.MerchantRef] = h
	}
	h.Events = append(h.Events, e.Type)
	if e.Data.Version >= h.Last.Version {
		h.Last = e.Data
	}
}

// readFeed is the shop after a crash: it reads what it may have missed from nodrop's feed.
func (s *Shop) readFeed() {
	s.update(func() {
		if s.reading || s.ctx.Err() != nil {
			return
		}
		s.reading = true
		s.work.Go(func() {
			if pause(s.ctx, 300*ms) {
				s.catchUp()
			}
		})
	})
}

func (s *Shop) catchUp() {
	s.update(func() { s.reading = false; s.stats.FeedReads++ })
	events, err := s.api.events(s.ctx)
	if err != nil {
		s.problem("the feed of events could not be read: %v", err)
		return
	}
	for _, e := range events {
		s.mu.Lock()
		known := s.seen[e.ID]
		s.mu.Unlock()
		if known {
			continue
		}
		if err := s.takeAtLast(e); err != nil {
			s.problem("event %s of the feed could not be taken: %v", e.ID, err)
		}
	}
}

// takeAtLast is take for an event that nobody will tell again.
func (s *Shop) takeAtLast(e Event) error {
	ctx, cancel := context.WithTimeout(s.ctx, s.o.Patience)
	defer cancel()
	for {
		err := s.take(ctx, e)
		if err == nil || !pause(ctx, 200*ms) {
			return err
		}
	}
}

func (s *Shop) update(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *Shop) problem(format string, args ...any) {
	s.update(func() { s.trouble = append(s.trouble, fmt.Sprintf(format, args...)) })
}

// awaitTold waits until the shop was told the event about a payment.
func (s *Shop) awaitTold(ctx context.Context, reference, event string) bool {
	for {
		s.mu.Lock()
		h, changed := s.told[reference], s.changed
		told := h != nil && slices.Contains(h.Events, event)
		s.mu.Unlock()
		if told {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// ShopLedger is what the shop knows at the end.
type ShopLedger struct {
	Orders  []Order
	Heard   []Heard
	Trouble []string // what it could not do
	Stats   ShopStats
}

// Ledger is the shop's own ledger so far.
func (s *Shop) Ledger() ShopLedger {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := ShopLedger{Trouble: slices.Clone(s.trouble), Stats: s.stats}
	for _, ref := range slices.Sorted(maps.Keys(s.orders)) {
		o := *s.orders[ref]
		o.Fulfilled, o.Payments = slices.Clone(o.Fulfilled), slices.Clone(o.Payments)
		l.Orders = append(l.Orders, o)
	}
	for _, h := range s.told {
		one := *h
		one.Events = slices.Clone(h.Events)
		l.Heard = append(l.Heard, one)
	}
	slices.SortFunc(l.Heard, func(a, b Heard) int { return cmp.Compare(a.Reference, b.Reference) })
	return l
}
