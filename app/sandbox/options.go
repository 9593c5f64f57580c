// Package sandbox is a simulated payment gateway and a simulated shop, with
// faults drawn from a seed. They stand on both sides of nodrop and reach it over
// HTTP only, so that nodrop can be shown and tested without a real gateway.
//
// MakePlan draws what will happen to every payment: a Story (what the payer
// truly does, which webhooks go wrong, how queries fail) and what the shop does
// wrong. Gateway plays the stories and keeps the true ledger; Shop sells, listens
// and keeps its own; Run drives both, and Compare sets the two ledgers against
// what nodrop says. Instants come from Options.Now; waiting uses plain timers.
package sandbox

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// Options describes one run; Gateway, Shop and Run must be given the same.
type Options struct {
	Payments int              // how many payments the plan holds; default 200
	Seed     uint64           // the same seed draws the same plan
	Now      func() time.Time // required
	Stories  []string         // only these stories, by name; empty: all

	NodropAPI   string // base URL of nodrop's private listener
	NodropHooks string // address to which the gateway posts, /hooks/{gateway} included
	GatewayURL  string // base URL of the simulated gateway, as the shop reaches it
	GatewayName string // the gateway's name in nodrop's configuration; default "sandbox"
	Token       string // bearer token of nodrop's API
	ShopSecret  string // whsec_… with which nodrop signs its events
	HookSecret  string // with which the gateway signs its webhooks
	APIKey      string // bearer key of the gateway's API

	Spread      time.Duration // all payments are sold within this time; default 4 s
	GiveUpAfter time.Duration // sent with each registration; default 8 s
	Hang        time.Duration // how long a query that times out is held; default 700 ms
	Patience    time.Duration // how long the shop repeats a call to nodrop; default 10 s
	Deadline    time.Duration // Run compares at the latest after this time; default 24 s

	Midway   func(ctx context.Context) error // called once, when half of the payments are sold
	Progress io.Writer                       // lines while it runs; nil: none
	Client   *http.Client                    // for every call that is made; default one of its own
}

func (o Options) withDefaults() Options {
	if o.Payments == 0 {
		o.Payments = 200
	}
	if o.GatewayName == "" {
		o.GatewayName = "sandbox"
	}
	fill(&o.Spread, 4*time.Second)
	fill(&o.GiveUpAfter, 8*time.Second)
	fill(&o.Hang, 700*time.Millisecond)
	fill(&o.Patience, 10*time.Second)
	fill(&o.Deadline, 24*time.Second)
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if o.Client == nil {
		o.Client = newClient()
	}
	return o
}

func fill(d *time.Duration, value time.Duration) {
	if *d == 0 {
		*d = value
	}
}

func (o Options) check() error {
	switch {
	case o.Now == nil:
		return errors.New("sandbox: Options.Now is missing: give the clock to use")
	case o.Payments < 0:
		return errors.New("sandbox: Options.Payments is negative: give how many payments to play")
	case o.NodropAPI == "" || o.NodropHooks == "" || o.GatewayURL == "":
		return errors.New("sandbox: Options.NodropAPI, NodropHooks and GatewayURL are all needed: give the three addresses")
	}
	return nil
}

// newClient follows no redirect, because nodrop never answers with one.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       5 * time.Second,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 32, IdleConnTimeout: 10 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// pause waits for d and reports whether it could do so undisturbed.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
