package app

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"nodrop/store"
)

const (
	certificatesMost   = 32               // addresses of one gateway that wait; requests may name any number of them
	certificatesEvery  = 15 * time.Second // between two fetches of one gateway
	certificatesBurst  = 4
	certificateWithin  = 10 * time.Second // one fetch
	certificatePending = "certificate_pending"
)

// certificateRetries are the waits after a fetch that failed; after the last one it is given up until a request names it again.
var certificateRetries = []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour}

// CertificateWait is one certificate that must be fetched before some requests can be verified; instants are UTC milliseconds.
type CertificateWait struct {
	URL      string
	Tries    int
	NextMs   int64
	LastMs   int64 // 0: not tried yet
	Error    string
	Requests int64 // that named it
}

// certificates are what one gateway's requests point to and nobody has fetched yet.
type certificates struct {
	fetch   func(context.Context, *http.Client, string, time.Time) error
	limiter *rate.Limiter
	wake    waker

	mu   sync.Mutex
	wait map[string]*CertificateWait
}

func newCertificates(fetch func(context.Context, *http.Client, string, time.Time) error) *certificates {
	return &certificates{fetch: fetch, limiter: rate.NewLimiter(rate.Every(certificatesEvery), certificatesBurst), wake: newWaker(), wait: map[string]*CertificateWait{}}
}

// want has a certificate fetched soon. When too many wait, one that failed before gives way; else the request may come again.
func (c *certificates) want(url string, nowMs int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.wait[url]; w != nil {
		w.Requests++
		return
	}
	if len(c.wait) >= certificatesMost && !c.giveWay() {
		return
	}
	c.wait[url] = &CertificateWait{URL: url, NextMs: nowMs, Requests: 1}
	c.wake.wake()
}

// giveWay drops the one that failed most often; false when none has failed.
func (c *certificates) giveWay() bool {
	list := c.ordered()
	worst := list[0]
	for _, w := range list {
		if w.Tries >= worst.Tries {
			worst = w
		}
	}
	if worst.Tries == 0 {
		return false
	}
	delete(c.wait, worst.URL)
	return true
}

// ordered lists what waits, the next one first; the caller holds the lock.
func (c *certificates) ordered() []CertificateWait {
	list := make([]CertificateWait, 0, len(c.wait))
	for _, w := range c.wait {
		list = append(list, *w)
	}
	slices.SortFunc(list, func(a, b CertificateWait) int {
		return cmp.Or(cmp.Compare(a.NextMs, b.NextMs), cmp.Compare(a.Tries, b.Tries), cmp.Compare(a.URL, b.URL))
	})
	return list
}

func (c *certificates) list() []CertificateWait {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ordered()
}

// due gives the address to be fetched now; without one, how long there is none, negative: until woken. Of those that are
// due the least tried goes first, so that addresses which lead nowhere do not hold up a new one.
func (c *certificates) due(now time.Time) (url string, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.ordered()
	if len(list) == 0 {
		return "", -1
	}
	if next := time.Duration(list[0].NextMs-now.UnixMilli()) * time.Millisecond; next > 0 {
		return "", next
	}
	if tokens := c.limiter.TokensAt(now); tokens < 1 {
		return "", max(time.Millisecond, time.Duration((1-tokens)*float64(certificatesEvery)))
	}
	c.limiter.AllowN(now, 1)
	best := list[0]
	for _, w := range list {
		if w.NextMs <= now.UnixMilli() && w.Tries < best.Tries {
			best = w
		}
	}
	return best.URL, 0
}

// done notes what a fetch came to.
func (c *certificates) done(url string, err error, nowMs int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.wait[url]
	if w == nil {
		return
	}
	if err == nil || w.Tries >= len(certificateRetries) {
		delete(c.wait, url)
		return
	}
	w.NextMs = nowMs + certificateRetries[w.Tries].Milliseconds()
	w.LastMs, w.Error = nowMs, err.Error()
	w.Tries++
}

// runCertificates fetches the certificates that a gateway's requests point to, one at a time, until ctx ends.
func (e *Engine) runCertificates(ctx context.Context, a *account) {
	if err := e.rememberCertificates(ctx, a); err != nil && ctx.Err() == nil {
		e.log.Error("the requests that wait for a certificate could not be read", "gateway", a.name, "error", err)
	}
	for ctx.Err() == nil {
		a.certificates.wake.sleep(ctx, e.certificateOnce(ctx, a))
	}
}

// rememberCertificates reads from the kept requests what was still to be fetched when the appliance stopped.
func (e *Engine) rememberCertificates(ctx context.Context, a *account) error {
	return e.eachRefused(ctx, a, certificatePending, func(_ context.Context, page []store.Request) error {
		for _, q := range page {
			if reading := a.def.Read(StoredRequest(q)); reading.Certificate != "" {
				a.certificates.want(reading.Certificate, e.nowMs())
			}
		}
		return nil
	})
}

// certificateOnce fetches one certificate and takes in what waited for it; it tells how long nothing is due, negative: until woken.
func (e *Engine) certificateOnce(ctx context.Context, a *account) time.Duration {
	url, wait := a.certificates.due(e.now())
	if url == "" {
		return wait
	}
	bounded, cancel := context.WithTimeout(ctx, certificateWithin)
	defer cancel()
	err := a.certificates.fetch(bounded, e.http, url, e.now())
	if ctx.Err() != nil {
		return 0
	}
	a.certificates.done(url, err, e.nowMs())
	if err != nil {
		e.log.Warn("a certificate could not be fetched; it is tried again", "gateway", a.name, "url", url, "error", err)
		return 0
	}
	result, err := e.verify(ctx, a, certificatePending, closedByFacts)
	if err != nil && ctx.Err() == nil {
		e.log.Error("requests that waited for a certificate could not be taken in; the gateway's page can verify them again", "gateway", a.name, "error", err)
	}
	e.log.Info("a certificate was fetched", "gateway", a.name, "taken_in", result.Accepted, "still_refused", result.StillRefused)
	return 0
}
