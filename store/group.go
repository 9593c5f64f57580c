package store

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

const (
	maxGroup   = 256                   // closures in one commit
	maxRun     = 10 * time.Millisecond // after which no further closure joins
	lowShare   = 1                     // low closures in a group that has urgent ones
	crowdSize  = 8                     // urgent closures in one group that make a crowd
	crowdLasts = 20 * time.Millisecond // between groups
)

// writer owns the one connection that writes. Everything in it belongs to its goroutine, unless said otherwise.
type writer struct {
	c      *conn
	path   string
	q      *queue
	now    func() time.Time // measures durations only
	log    *slog.Logger
	faults *Faults
	ended  chan struct{}

	refused chan struct{} // closed when refusing begins

	lastUrgent int       // urgent closures in the last group that had any
	lastEnd    time.Time // of that group

	lost       bool // the rollback hook ran: SQLite gave up the whole transaction
	committing bool // the commit hook lets only our own COMMIT pass
	leaving    bool // our own ROLLBACK is under way
	refusing   error
	group      group
	log2file   checkpointer

	inside atomic.Bool // a closure runs; read by callers
	stats  stats       // guarded by itself
}

// group is the transaction under way.
type group struct {
	open    bool
	calls   []*call // ended, waiting for the commit
	current *call   // its closure runs or has just ended
	urgent  int
	low     int
	began   time.Time
	err     error // what ended the group before its time
}

// hook has SQLite tell the writer of lost transactions and ask it before each commit.
func (w *writer) hook() {
	h := w.c.raw.(sqlite.HookRegisterer)
	h.RegisterRollbackHook(func() { w.lost = w.lost || !w.leaving })
	h.RegisterCommitHook(func() int32 {
		if w.committing {
			return 0
		}
		return 1
	})
}

// run serves groups until the queue is closed and empty. A closure that ends its goroutine has the rest of its group
// served by a new one.
func (w *writer) run() {
	for w.group.open || w.q.wait() {
		w.serve()
	}
	close(w.ended)
}

// serve runs one group, or the rest of it.
func (w *writer) serve() {
	if w.group.current != nil {
		w.settle()
	} else if !w.begin() {
		return
	}
	for w.group.err == nil {
		c := w.next()
		if c == nil {
			break
		}
		w.group.current = c
		if err := w.command("SAVEPOINT closure"); err != nil {
			w.group.err = err
			w.group.current = nil
			w.group.calls = append(w.group.calls, c)
			break
		}
		w.invoke(c)
		w.settle()
	}
	w.finish()
}

// begin opens the group's transaction; when that fails, everybody waiting is told.
func (w *writer) begin() bool {
	err := w.refusing
	if err == nil {
		w.lost = false
		if err = w.command("BEGIN IMMEDIATE"); err == nil {
			w.group = group{open: true, began: w.now(), calls: w.group.calls[:0]}
			return true
		}
		if code(err)&0xff == sqlite3.SQLITE_ERROR {
			w.refuse(err) // only a transaction that could not be left does that
		}
	}
	for _, low := range []bool{false, true} {
		for c := w.q.pop(low); c != nil; c = w.q.pop(low) {
			c.err = w.stopped(c.op, err)
			close(c.done)
		}
	}
	return false
}

// stopped words for a caller what kept its closure from running.
func (w *writer) stopped(op string, err error) error {
	if w.refusing != nil {
		return &Error{Op: op, Kind: ErrRefusing, Cause: w.refusing}
	}
	return notStored(op, err)
}

// notStored words for a caller that its group is definitely not stored. The cause is text only: a neighbour's own
// reason must not be taken for this caller's.
func notStored(op string, err error) error {
	cause := errors.New(err.Error())
	if k := kind(err); errors.Is(k, ErrBusy) || errors.Is(k, ErrFull) {
		return &Error{Op: op, Kind: k, Cause: cause}
	}
	return &Error{Op: op, Kind: ErrRetry, Cause: cause}
}

// next chooses who joins the group: the urgent first, at least one low, more low ones only while few are urgent.
func (w *writer) next() *call {
	g := &w.group
	full := len(g.calls) >= maxGroup || w.now().Sub(g.began) > maxRun
	if !full {
		if c := w.q.pop(false); c != nil {
			g.urgent++
			return c
		}
	}
	if g.low == 0 || !full && (g.urgent == 0 || g.low < lowShare) {
		if c := w.q.pop(true); c != nil {
			g.low++
			return c
		}
	}
	return nil
}

// invoke runs the closure of a call; it does not return when the closure ends the goroutine.
func (w *writer) invoke(c *call) {
	c.tx = &Tx{Rx{c: w.c, ctx: c.ctx, driver: uncancelled, op: c.op, w: w}}
	if c.ctx.Err() != nil {
		c.err = cancelled(c.ctx, c.op, "")
		return
	}
	w.inside.Store(true)
	returned := false
	defer func() {
		w.inside.Store(false)
		if returned {
			return
		}
		if c.panicked = recover(); c.panicked != nil {
			w.log.Error("an update panicked", "op", c.op, "panic", fmt.Sprint(c.panicked), "stack", string(debug.Stack()))
			return
		}
		c.exited = true
		go w.run()
	}()
	c.err = frame(c.f, c.tx)
	returned = true
}

// settle keeps or takes back what the closure did, by its savepoint.
func (w *writer) settle() {
	g := &w.group
	c := g.current
	g.current = nil
	g.calls = append(g.calls, c)
	c.tx.ended = true
	if c.err == nil {
		c.err = c.tx.broken
	}
	if w.lost {
		g.err = c.err
		if c.tx.broken != nil {
			g.err = c.tx.broken
		}
		return
	}
	if c.err != nil || c.panicked != nil || c.exited {
		if g.err = w.command("ROLLBACK TO closure"); g.err != nil {
			return
		}
	}
	g.err = w.command("RELEASE closure")
}

// finish commits or rolls back, tells every caller, and then tends the log.
func (w *writer) finish() {
	g := &w.group
	began := w.now()
	err := g.err
	if err == nil && !w.lost {
		err = w.commit()
	} else {
		w.rollback()
		if err == nil {
			err = ErrRetry
		}
	}
	w.stats.add(g, w.now().Sub(began), w.pages(), err)
	for i, c := range g.calls {
		if err != nil && c.err == nil && c.panicked == nil && !c.exited {
			c.err = w.outcome(c.op, err)
		}
		g.calls[i] = nil
		close(c.done)
	}
	g.open = false
	if g.urgent > 0 {
		w.lastUrgent, w.lastEnd = g.urgent, w.now()
	}
	w.checkpoint()
}

// outcome words for a caller why the group it was in is not known to be stored.
func (w *writer) outcome(op string, err error) error {
	if errors.Is(err, ErrUnknownOutcome) {
		return &Error{Op: op, Kind: ErrUnknownOutcome, Cause: w.refusing}
	}
	return notStored(op, err)
}

// commit makes the group durable. Full and busy are definitely not stored; after any other failure nobody knows.
func (w *writer) commit() error {
	w.committing = true
	err := w.faults.commit(func() error { return w.command("COMMIT") })
	w.committing = false
	if err == nil {
		return nil
	}
	w.rollback()
	switch code(err) & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_CONSTRAINT:
		return err
	}
	w.refuse(err)
	return fmt.Errorf("%w: %w", ErrUnknownOutcome, err)
}

// refuse ends all writing until the file is opened anew.
func (w *writer) refuse(err error) {
	w.refusing = err
	w.log.Error("a commit failed and its outcome is unknown; no further change is taken until a restart", "error", err)
	w.stats.refuse(err)
	w.q.close(ErrRefusing)
	close(w.refused)
}

// pages gives how many pages went to the log since it was last asked.
func (w *writer) pages() int {
	n, _, err := w.c.raw.(sqlite.DBStatus).Status(sqlite.DBStatusCacheWrite, true)
	if err != nil {
		return 0
	}
	w.log2file.due += int64(n)
	return n
}

// rollback leaves the transaction if SQLite has not left it already.
func (w *writer) rollback() {
	w.leaving = true
	_, _ = w.c.exec("ROLLBACK")
	w.leaving = false
}

// command runs a statement of the group's own.
func (w *writer) command(statement string) error {
	_, err := w.c.exec(statement)
	return err
}
