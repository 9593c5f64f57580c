package web

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

// errDraining is why waits end early when the server is about to stop.
var errDraining = errors.New("shutting down")

// gate counts the requests under way and, once closed, lets no more in.
type gate struct {
	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when the gate is closed and nothing runs
	open    context.Context
	shut    context.CancelFunc
}

func newGate() *gate {
	open, shut := context.WithCancel(context.Background())
	return &gate{idle: make(chan struct{}), open: open, shut: shut}
}

// enter admits a request, which must leave again; false when the gate is closed.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed() {
		return false
	}
	g.running++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running--
	if g.running == 0 && g.closed() {
		close(g.idle)
	}
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed() {
		return
	}
	g.shut()
	if g.running == 0 {
		close(g.idle)
	}
}

func (g *gate) closed() bool { return g.open.Err() != nil }

// count tells how many requests are under way.
func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.running
}

func (g *gate) wait(ctx context.Context) error {
	select {
	case <-g.idle:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%d requests are still running: %w", g.count(), context.Cause(ctx))
	}
}

// whileOpen gives a context that also ends when the gate closes, for waits that nobody needs to the end.
func (g *gate) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(g.open, func() { cancel(errDraining) })
	return ctx, func() {
		stop()
		cancel(context.Canceled)
	}
}

// defaultBodyMemory bounds the bytes of hook bodies held at once.
const defaultBodyMemory = 64 << 20

// budget is memory that may still be used.
type budget struct{ left atomic.Int64 }

func (b *budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

func (b *budget) give(n int64) { b.left.Add(n) }
