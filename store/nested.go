package store

import (
	"runtime"
	"time"
)

// stuckAfter is how long a call waits before it asks whether it waits for itself. Asking at once would cost every call
// microseconds.
const stuckAfter = 50 * time.Millisecond

// stuck waits a while for a call and then reports whether it can never be answered, because the closure that the
// writer runs is the one that made it.
func (db *DB) stuck(c *call) bool {
	timer := time.NewTimer(stuckAfter)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-c.ctx.Done():
	case <-timer.C:
		return nested() && c.leave()
	}
	return false
}

// frame is the one place that calls closures, so that its address in a stack tells that a closure is running there.
//
//go:noinline
func frame(f func(*Tx) error, tx *Tx) error { return f(tx) }

var frameAddress = func() uintptr {
	var pc [1]uintptr
	_ = frame(func(*Tx) error { runtime.Callers(2, pc[:]); return nil }, nil)
	return pc[0]
}()

// nested reports whether the calling goroutine is inside a closure.
func nested() bool {
	var pcs [48]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			if pc == frameAddress {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}
