package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
)

// Gateway is the simulated payment gateway: an http.Handler for its API, a sender
// of webhooks and the keeper of the true ledger. Close it to stop its stories.
type Gateway struct {
	o     Options
	plans map[string]Plan
	mux   *http.ServeMux
	ctx   context.Context
	stop  context.CancelFunc
	work  sync.WaitGroup

	mu       sync.Mutex // guards all below
	accounts map[string]*account
	byID     map[string]*account
	notices  []*Notice
	stats    Stats
	changed  chan struct{} // closed and replaced whenever something below mu changes
}

type account struct {
	Account
	queries int             // answered so far, however badly
	told    map[string]bool // event types that the shop was told
}

// Stats counts what the gateway did and saw.
type Stats struct {
	Created, Sent, Acknowledged, Lost, Repeated int
	Forged, ForgedRefused                       int
	Queries                                     map[string]int // by class of answer
}

// NewGateway prepares the gateway with the plan that o draws.
func NewGateway(o Options) (*Gateway, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	plans, err := MakePlan(o)
	if err != nil {
		return nil, err
	}
	g := &Gateway{o: o, plans: map[string]Plan{}, accounts: map[string]*account{}, byID: map[string]*account{},
		stats: Stats{Queries: map[string]int{}}, changed: make(chan struct{})}
	for _, p := range plans {
		g.plans[p.Ref] = p
	}
	g.ctx, g.stop = context.WithCancel(context.Background())
	g.mux = g.routes()
	return g, nil
}

// ServeHTTP answers the gateway's API.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) { g.mux.ServeHTTP(w, r) }

// Close ends every story and waits for what is under way.
func (g *Gateway) Close() {
	g.update(g.stop) // under the lock: nothing new begins between stop and Wait
	g.work.Wait()
}

// Told says that the shop was told an event about a payment: payers and merchants
// in the stories wait for what they can see.
func (g *Gateway) Told(reference, event string) {
	g.update(func() {
		if a := g.accounts[reference]; a != nil {
			a.told[event] = true
		}
	})
}

// Idle reports whether every story is played to its end and nothing is left to send.
func (g *Gateway) Idle() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.accounts {
		if !a.Played {
			return false
		}
	}
	return !slices.ContainsFunc(g.notices, func(n *Notice) bool { return !n.Done })
}

// Ledger is the true ledger, by reference.
func (g *Gateway) Ledger() []Account {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]Account, 0, len(g.accounts))
	for _, a := range g.accounts {
		one := a.Account
		one.Refunds, one.Disputes = slices.Clone(a.Refunds), slices.Clone(a.Disputes)
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b Account) int { return cmp.Compare(a.Reference, b.Reference) })
	return out
}

// Notices are all webhooks so far, in the order in which they arose.
func (g *Gateway) Notices() []Notice {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]Notice, len(g.notices))
	for i, n := range g.notices {
		out[i] = *n
	}
	return out
}

// Stats are the counts so far.
func (g *Gateway) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.stats
	s.Queries = maps.Clone(s.Queries)
	return s
}

// AwaitNotice waits until a notice about the reference was acknowledged.
func (g *Gateway) AwaitNotice(ctx context.Context, reference string) bool {
	return g.await(ctx, func() bool {
		return slices.ContainsFunc(g.notices, func(n *Notice) bool { return n.Reference == reference && n.Delivered })
	})
}

func (g *Gateway) update(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
	close(g.changed)
	g.changed = make(chan struct{})
}

// await waits until cond, called under the lock, holds; false when ctx ended first.
func (g *Gateway) await(ctx context.Context, cond func() bool) bool {
	for {
		g.mu.Lock()
		holds, changed := cond(), g.changed
		g.mu.Unlock()
		if holds {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// play lets the steps of a story happen one after the other.
func (g *Gateway) play(a *account) {
	defer g.update(func() { a.Played = g.ctx.Err() == nil })
	for i, st := range a.Plan.Story.Steps {
		if st.Told != "" && !g.await(g.ctx, func() bool { return a.told[st.Told] }) {
			return
		}
		wait := st.After
		if i == 0 {
			wait += a.Plan.Pace
		}
		if !pause(g.ctx, wait) {
			return
		}
		g.perform(a, i, st)
	}
}

func (g *Gateway) perform(a *account, i int, st step) {
	var n *Notice
	g.update(func() {
		a.apply(st.Do)
		n = compose(a.Account, st, fmt.Sprintf("evt_%s_%d", a.ID, i+1), g.o.Now())
		g.notices = append(g.notices, n)
		if n.Lost {
			g.stats.Lost++
		}
	})
	g.work.Go(func() { g.deliver(g.ctx, n) })
}

func (g *Gateway) count(n *Notice, try int, ok bool) {
	switch {
	case n.Forged && try == 0:
		g.stats.Forged++
	case try > 0:
		g.stats.Repeated++
	default:
		g.stats.Sent++
	}
	if n.Forged && n.Status == http.StatusUnauthorized {
		g.stats.ForgedRefused++
	}
	if ok {
		g.stats.Acknowledged++
	}
}
