package store

import (
	"sync"

	sqlite3 "modernc.org/sqlite/lib"
)

// Fault is one kind of failure that Faults can bring about.
type Fault int

// The faults. Statements and commits are counted apart, from the moment of arming.
const (
	FailStatement Fault = iota + 1 // the statement is not run and reports a full disk; the transaction lives on
	LoseGroup                      // the same, and SQLite rolls back the whole transaction, neighbours included
	FailCommit                     // the commit is not stored and reports a full disk
	DropCommit                     // the commit is not stored and reports a disk error: outcome unknown
	HideCommit                     // the commit is stored and yet reports a disk error: outcome unknown
)

// Faults makes a database fail on purpose, for tests: give it to Open, Arm one fault, run, and ask whether it Fired.
// A sweep arms n = 1, 2, … until a run ends without firing.
type Faults struct {
	mu    sync.Mutex
	kind  Fault
	left  int
	fired bool
	count [2]int // statements, commits
}

// Arm has the n-th statement or commit from now fail, once.
func (f *Faults) Arm(kind Fault, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kind, f.left, f.fired = kind, n, false
}

// Fired reports whether the armed fault has happened.
func (f *Faults) Fired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.fired
}

// Counts gives the statements run inside Updates and the commits so far.
func (f *Faults) Counts() (statements, commits int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[0], f.count[1]
}

// step counts a statement or a commit and gives the fault that is due, 0 for none.
func (f *Faults) step(commit bool) Fault {
	if f == nil {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := 0
	if commit {
		at = 1
	}
	f.count[at]++
	if f.kind == 0 || f.fired || commit != (f.kind >= FailCommit) {
		return 0
	}
	if f.left--; f.left > 0 {
		return 0
	}
	f.fired = true
	return f.kind
}

// injected is the error of a fault, with the code that SQLite would give.
type injected struct {
	code int
	text string
}

func (e *injected) Error() string { return "fault on purpose: " + e.text }

var (
	injectedFull = &injected{sqlite3.SQLITE_FULL, "disk full"}
	injectedIO   = &injected{sqlite3.SQLITE_IOERR_FSYNC, "disk error"}
)

// fault fails the statement about to run, if it is its turn.
func (w *writer) fault() error {
	switch w.faults.step(false) {
	case FailStatement:
		return injectedFull
	case LoseGroup:
		_ = w.command("ROLLBACK")
		return injectedFull
	}
	return nil
}

// commit runs a commit, or fails it if it is its turn.
func (f *Faults) commit(do func() error) error {
	switch f.step(true) {
	case FailCommit:
		return injectedFull
	case DropCommit:
		return injectedIO
	case HideCommit:
		if err := do(); err != nil {
			return err
		}
		return injectedIO
	}
	return do()
}
