package app

import (
	"crypto/x509"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// hintShare is the part of a gateway's query rate and of its concurrency that notices which prove nothing may spend.
const hintShare = 4

// account is one configured gateway at work.
type account struct {
	name    string
	config  *config.Gateway
	def     *gateway.Gateway
	facts   gateway.Facts
	limiter *rate.Limiter // every question
	hinted  *rate.Limiter // of these, the ones that only a hint asked for
	slots   chan struct{} // questions under way
	hinting atomic.Int32  // of these, the ones that only a hint asked for
	asking  sync.WaitGroup
	wake    waker

	unsigned      bool     // anybody can send what it sends
	secretHeaders []string // of its notices, never stored as they are
	keys          []string // stable ids of what Reading.Secret counts
	schedule      []int64  // first rungs, milliseconds from a payment's creation
	certificates  *certificates
	kinds         []string // of the ids that it gives a payment

	mu    sync.Mutex // guards state and skews
	state store.GatewayState
	skews skews
}

func newAccount(c *config.Gateway, roots *x509.CertPool) (*account, error) {
	in := c.Instance()
	in.Roots = roots
	def, err := gateway.New(in)
	if err != nil {
		return nil, fmt.Errorf("gateway %s: %w", c.Name, err)
	}
	perSecond := rate.Limit(c.QueryRate.PerSecond())
	burst := max(1, int(perSecond))
	return &account{
		name: c.Name, config: c, def: def, facts: def.Facts(), unsigned: def.Unsigned(), secretHeaders: secretHeaders(def), keys: keyIDs(c),
		certificates: newCertificates(def.FetchCertificate),
		limiter:      rate.NewLimiter(perSecond, burst), hinted: rate.NewLimiter(perSecond/hintShare, max(1, burst/hintShare)), kinds: def.RefKinds(),
		slots: make(chan struct{}, c.QueryConcurrency), wake: newWaker(), schedule: scheduleMs(c.QuerySchedule),
	}, nil
}

// terms are what the rules need to know of a payment beside its facts.
func (e *Engine) terms(rx *store.Rx, a *account, p store.Payment) (payment.Terms, error) {
	t := payment.Terms{
		PaymentID: p.PublicID, OrderRef: p.Order.Ref, Amount: p.AmountMinor, Currency: p.Currency,
		CreatedMs: p.CreatedMs, ExpiresMs: p.ExpiresMs, GiveUpMs: p.GiveUpMs,
	}
	if a == nil { // no longer configured: nothing is held or given up before it can be asked again
		t.HasQuery, t.FailureHoldMs = true, defaultHold.Milliseconds()
		return t, nil
	}
	t.GiveUpMs += e.outages.during(a.name, p.CreatedMs, e.nowMs())
	t.GraceMs = a.facts.GraceMs
	t.PayerCreates = a.facts.PayerCreates
	t.FailureHoldMs = a.failureHoldMs()
	t.QueryScheduleMs = a.schedule
	var err error
	t.HasQuery, err = canAsk(rx, a, p)
	return t, err
}

// canAsk tells whether the gateway can be asked about this payment: some gateways know only ids of their own.
func canAsk(rx *store.Rx, a *account, p store.Payment) (bool, error) {
	if !a.def.Queryable() || a.def.CanAsk(questionOf(p, nil)) {
		return a.def.Queryable(), nil
	}
	refs, err := rx.RefsOfPayment(p.ID)
	return a.def.CanAsk(questionOf(p, refs)), err
}

func (a *account) failureHoldMs() int64 {
	if a.config.FailureHold > 0 {
		return a.config.FailureHold.Milliseconds()
	}
	if a.facts.FailureHoldMs > 0 {
		return a.facts.FailureHoldMs
	}
	return defaultHold.Milliseconds()
}

const defaultHold = 10 * time.Minute

func scheduleMs(schedule []time.Duration) []int64 {
	list := make([]int64, len(schedule))
	for i, d := range schedule {
		list[i] = d.Milliseconds()
	}
	return list
}

// health returns a copy of what is known of the gateway's answers.
func (a *account) health() store.GatewayState {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.state
}
