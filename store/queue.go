package store

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

const (
	waiting int32 = iota
	taken
	left
)

// call is one Update on its way through the writer.
type call struct {
	ctx   context.Context
	op    string
	f     func(*Tx) error
	low   bool
	state atomic.Int32 // waiting, then taken by the writer or left by its caller
	done  chan struct{}

	// The writer's, until done is closed.
	tx       *Tx
	err      error
	panicked any
	exited   bool
}

// leave takes a cancelled call out of the queue; false when the writer has it already.
func (c *call) leave() bool { return c.state.CompareAndSwap(waiting, left) }

// answer gives the outcome to the caller, in the caller's own goroutine.
func (c *call) answer() error {
	if c.panicked != nil {
		panic(c.panicked)
	}
	if c.exited {
		runtime.Goexit()
	}
	return c.err
}

// queue holds the calls that wait for the writer, urgent ones before low ones.
type queue struct {
	mu     sync.Mutex
	urgent []*call
	low    []*call
	closed error
	wake   chan struct{} // one slot: something came, or the queue was closed
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// push appends a call, or says why the queue takes none.
func (q *queue) push(c *call) error {
	q.mu.Lock()
	if q.closed != nil {
		q.mu.Unlock()
		return q.closed
	}
	if c.low {
		q.low = append(q.low, c)
	} else {
		q.urgent = append(q.urgent, c)
	}
	q.mu.Unlock()
	q.signal()
	return nil
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// pop takes the first call of a lane that its caller has not left; nil when there is none.
func (q *queue) pop(low bool) *call {
	q.mu.Lock()
	defer q.mu.Unlock()
	lane := &q.urgent
	if low {
		lane = &q.low
	}
	for len(*lane) > 0 {
		c := (*lane)[0]
		(*lane)[0] = nil
		*lane = (*lane)[1:]
		if c.state.CompareAndSwap(waiting, taken) {
			return c
		}
	}
	*lane = nil
	return nil
}

func (q *queue) urgentWaits() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.urgent) > 0
}

// wait sleeps until there is a call; false once the queue is closed and empty.
func (q *queue) wait() bool {
	for {
		q.mu.Lock()
		some, closed := len(q.urgent)+len(q.low) > 0, q.closed != nil
		q.mu.Unlock()
		if some || closed {
			return some
		}
		<-q.wake
	}
}

// close refuses further calls with err; those inside are still served.
func (q *queue) close(err error) {
	q.mu.Lock()
	if q.closed == nil {
		q.closed = err
	}
	q.mu.Unlock()
	q.signal()
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.urgent) + len(q.low)
}
