package sandbox

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// resend is how long the gateway waits before it sends a notice again.
var resend = []time.Duration{200 * ms, 500 * ms, 1000 * ms, 2000 * ms, 2000 * ms, 3000 * ms, 3000 * ms, 3000 * ms}

// deliver sends n as its wire fault wants it, until it is acknowledged or the gateway gives up.
func (g *Gateway) deliver(ctx context.Context, n *Notice) {
	defer g.update(func() { n.Done = true })
	if n.Lost || !pause(ctx, n.delay) {
		return
	}
	switch n.wire {
	case wireMany:
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() { g.insist(ctx, n) })
		}
		all.Wait()
	case wireDoubled:
		g.insist(ctx, n)
		if pause(ctx, 80*ms) {
			g.insist(ctx, n)
		}
	default:
		g.insist(ctx, n)
	}
}

// insist sends n again and again until it is answered as it must be.
func (g *Gateway) insist(ctx context.Context, n *Notice) {
	for try := 0; ; try++ {
		status, ok := g.post(ctx, n)
		g.update(func() {
			n.Attempts++
			n.Status = status
			n.Delivered = n.Delivered || ok
			g.count(n, try, ok)
		})
		// A forger takes any answer for an answer; only silence makes him try again.
		if ok || n.Forged && status != 0 && status < 500 || try >= len(resend) {
			return
		}
		if !pause(ctx, resend[try]) {
			return
		}
	}
}

// post makes one attempt; the status is 0 when no answer came. Only a 200
// with the body OK is the acknowledgement that this gateway accepts.
func (g *Gateway) post(ctx context.Context, n *Notice) (int, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.o.NodropHooks, bytes.NewReader(n.body))
	if err != nil {
		return 0, false
	}
	req.Header.Set("Content-Type", "application/json")
	if h := n.header(g.o.HookSecret, g.o.Now()); h != "" {
		req.Header.Set("Sandbox-Signature", h)
	}
	res, err := g.o.Client.Do(req)
	if err != nil {
		return 0, false
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 4096))
	return res.StatusCode, err == nil && res.StatusCode == http.StatusOK && string(body) == "OK"
}
