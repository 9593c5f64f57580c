// Package app is the engine: it takes in what gateways say, makes facts of it, writes
// what they amount to, asks where nobody speaks, and tells the shop. Everything that
// changes a payment goes through apply; everything that leaves waits in a table.
package app

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// Options is what an engine is made of; every field but HTTP, Pace, Space and Roots is required.
type Options struct {
	Store  *store.DB
	Config *config.Config
	Now    func() time.Time
	Random io.Reader // for secrets and ids
	Log    *slog.Logger
	HTTP   *http.Client // for gateways and the shop; nil: one with our own limits
	Pace   Pace         // zero: DefaultPace

	Space func() (free, size int64, err error) // of the disk that holds the database, bytes; nil: the store's own measure

	Roots *x509.CertPool // authorities that gateways' certificates must lead to; nil: those of the system
}

// Engine runs one shop's payments.
type Engine struct {
	store    *store.DB
	config   *config.Config
	now      func() time.Time
	random   io.Reader
	log      *slog.Logger
	http     *http.Client
	pace     Pace
	gateways map[string]*account
	names    []string

	workWake waker // the inbox has work
	sendWake waker // the outbox has work
	holdWake waker // a hold was made

	settleWake waker // a report waits
	moved      movedSet
	drained    chan struct{}
	drainOne   sync.Once
	changed    pulse // a payment or the outbox changed

	arrivals arrivals
	reasons  reasons
	outages  outages
	disk     disk
	shop     shopGate
	auth     authLimits
}

// New makes an engine; nothing runs and nothing is written before Run.
func New(o Options) (*Engine, error) {
	e := &Engine{
		store: o.Store, config: o.Config, now: o.Now, random: o.Random, log: o.Log, http: o.HTTP, pace: o.Pace,
		gateways: map[string]*account{}, arrivals: newArrivals(), workWake: newWaker(), sendWake: newWaker(), holdWake: newWaker(), settleWake: newWaker(), drained: make(chan struct{}),
	}
	if e.http == nil {
		e.http = newHTTPClient()
	}
	e.disk.measure = o.Space
	if e.disk.measure == nil {
		e.disk.measure = o.Store.Space
	}
	if e.pace.Batch == 0 {
		e.pace = DefaultPace()
	}
	var faults []error
	for i := range o.Config.Gateways {
		a, err := newAccount(&o.Config.Gateways[i], o.Roots)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		e.gateways[a.name] = a
		e.names = append(e.names, a.name)
	}
	return e, errors.Join(faults...)
}

// newHTTPClient follows no redirect: a redirected question or event is a failure.
func newHTTPClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 16
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Run starts all loops and returns when ctx has ended and each of them has stopped.
func (e *Engine) Run(ctx context.Context) error {
	if err := e.begin(ctx); err != nil {
		return err
	}
	loops := []func(context.Context){e.runWorker, e.runSender, e.runKeeper, e.runHolds, e.runSettlement}
	for _, name := range e.names {
		a := e.gateways[name]
		loops = append(loops, func(ctx context.Context) { e.runAsker(ctx, a) }, func(ctx context.Context) { e.runCertificates(ctx, a) })
	}
	var wg sync.WaitGroup
	for _, loop := range loops {
		wg.Go(func() { loop(ctx) })
	}
	wg.Wait()
	return e.flushArrivals(context.WithoutCancel(ctx))
}

// Now is the engine's clock.
func (e *Engine) Now() time.Time { return e.now() }

func (e *Engine) nowMs() int64 { return e.now().UnixMilli() }

// Store is the database, for reading pages.
func (e *Engine) Store() *store.DB { return e.store }

// Config is the configuration that the engine was made with.
func (e *Engine) Config() *config.Config { return e.config }

// Gateway returns a configured gateway's definition.
func (e *Engine) Gateway(name string) (*gateway.Gateway, bool) {
	a, ok := e.gateways[name]
	if !ok {
		return nil, false
	}
	return a.def, true
}

// GatewayNames lists the configured gateways in the order of the configuration.
func (e *Engine) GatewayNames() []string { return e.names }

// Ready tells whether requests can be stored: the disk has room and the database takes a write.
func (e *Engine) Ready(ctx context.Context) error {
	if err := e.hasRoom(); err != nil {
		return err
	}
	return e.store.Update(ctx, "ready", func(tx *store.Tx) error { return tx.Beat(e.nowMs()) })
}

// wakeAll lets every loop look again; called after each Update, committed or not, for a commit may be stored and yet reported failed.
func (e *Engine) wakeAll() {
	e.workWake.wake()
	e.sendWake.wake()
	e.holdWake.wake()
	for _, a := range e.gateways {
		a.wake.wake()
	}
	e.changed.beat()
}
