package store

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"
)

// Stats is what the store has done since it was opened.
type Stats struct {
	Groups           int64 // commits, empty ones included
	Closures         int64
	LowClosures      int64
	FailedClosures   int64
	FailedGroups     int64
	CommitTime       time.Duration // sum over the groups
	LongestCommit    time.Duration
	LargestGroup     int   // closures
	Pages            int64 // written to the log
	Checkpoints      int64
	CheckpointErrors int64
	LogFrames        int64  // in the log at the last checkpoint
	LogHeld          int64  // of them not yet in the file
	Queued           int    // calls waiting now
	Refusing         string // why no change is taken, "" when all is well
}

type stats struct {
	mu sync.Mutex
	s  Stats
}

// add counts a group that has ended.
func (t *stats) add(g *group, took time.Duration, pages int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.s.Groups++
	t.s.Closures += int64(len(g.calls))
	t.s.LowClosures += int64(g.low)
	t.s.CommitTime += took
	t.s.LongestCommit = max(t.s.LongestCommit, took)
	t.s.LargestGroup = max(t.s.LargestGroup, len(g.calls))
	t.s.Pages += int64(pages)
	if err != nil {
		t.s.FailedGroups++
	}
	for _, c := range g.calls {
		if c.err != nil || c.panicked != nil || c.exited {
			t.s.FailedClosures++
		}
	}
}

func (t *stats) checkpoint(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.s.Checkpoints++
	if err != nil {
		t.s.CheckpointErrors++
	}
}

func (t *stats) refuse(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.s.Refusing = err.Error()
}

// Space measures the disk that holds the database, in bytes; it fails where the system does not tell.
func (db *DB) Space() (free, size int64, err error) {
	if free, size, err = space(filepath.Dir(db.path)); err != nil {
		err = fmt.Errorf("store: measure the disk of %s: %w", db.path, err)
	}
	return free, size, err
}

// Stats tells what the store has done so far.
func (db *DB) Stats() Stats {
	w := db.w
	w.stats.mu.Lock()
	s := w.stats.s
	w.stats.mu.Unlock()
	s.LogFrames, s.LogHeld, s.Queued = w.log2file.frames.Load(), w.log2file.held.Load(), w.q.length()
	return s
}
