package store

import (
	"context"
	"sync"
	"sync/atomic"
)

// limits are numbers of frames, pages of the log. Beyond held, frames left over are moved by a second connection;
// beyond long, writers wait a moment for the readers so that the log can start anew.
type limits struct{ every, held, long int64 }

var usualLimits = limits{every: 1000, held: 4000, long: 8192}

// checkpointer moves pages from the log into the file. The writer does it while nobody writes, so that the log can
// start anew; what a reader held back is moved by a second connection first.
type checkpointer struct {
	limits  limits
	due     int64        // frames since the last; the writer's
	held    atomic.Int64 // frames in the log that are not in the file
	frames  atomic.Int64 // frames in the log
	running atomic.Bool
	pinned  atomic.Int32 // long readers at work: waiting for them is no use
	wg      sync.WaitGroup
}

// checkpoint tends the log after a group. Readers that overlap without a gap keep it from starting anew although nearly
// nothing is held back; then, too, the second connection helps.
func (w *writer) checkpoint() {
	k := &w.log2file
	if k.due < k.limits.every {
		return
	}
	k.due = 0
	held := k.held.Load() > k.limits.held
	if !held {
		w.note(w.c.checkpoint("PASSIVE"))
	}
	long := k.frames.Load() > k.limits.long && k.pinned.Load() == 0
	if (held || long) && k.running.CompareAndSwap(false, true) {
		k.wg.Go(func() { w.assist(long) })
	}
}

// assist is the checkpoint from a second connection, beside the writer. To start the log anew it keeps writers waiting
// for the readers, for a tenth of a second at most.
func (w *writer) assist(long bool) {
	defer w.log2file.running.Store(false)
	c, err := dial(w.path, checkpointSettings)
	if err != nil {
		w.note(0, 0, err)
		return
	}
	defer c.close()
	w.note(c.checkpoint("PASSIVE"))
	if !long {
		return
	}
	if _, err := c.exec("PRAGMA busy_timeout = 100"); err != nil {
		w.note(0, 0, err)
		return
	}
	w.note(c.checkpoint("RESTART"))
}

// note keeps the result of a checkpoint.
func (w *writer) note(frames, moved int64, err error) {
	w.stats.checkpoint(err)
	if err != nil {
		w.log.Warn("moving the log into the database file failed; it is tried again", "error", err)
		return
	}
	if frames < 0 {
		return // another checkpoint was under way
	}
	w.log2file.frames.Store(frames)
	w.log2file.held.Store(frames - moved)
}

// checkpoint runs one and gives the frames in the log and those moved, -1 when another was under way. A reader in the
// way is no error.
func (c *conn) checkpoint(mode string) (frames, moved int64, err error) {
	err = c.each(context.Background(), "PRAGMA wal_checkpoint("+mode+")", func(r *Row) bool {
		frames, moved = r.Int(1), r.Int(2)
		return false
	})
	return frames, moved, err
}
