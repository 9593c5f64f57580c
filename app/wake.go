package app

import (
	"context"
	"sync"
	"time"
)

// waker is a one-slot signal: many wakes before a loop looks count as one. A nil one only sleeps.
type waker chan struct{}

func newWaker() waker { return make(waker, 1) }

func (w waker) wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// sleep waits until woken, until d has passed (forever when negative) or until ctx ends.
func (w waker) sleep(ctx context.Context, d time.Duration) {
	if d == 0 {
		return
	}
	var after <-chan time.Time
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		after = t.C
	}
	select {
	case <-ctx.Done():
	case <-w:
	case <-after:
	}
}

// pulse lets any number of callers wait for the next change.
type pulse struct {
	mu sync.Mutex
	ch chan struct{}
}

// next returns a channel that is closed at the next beat.
func (p *pulse) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch == nil {
		p.ch = make(chan struct{})
	}
	return p.ch
}

func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ch != nil {
		close(p.ch)
		p.ch = nil
	}
}
