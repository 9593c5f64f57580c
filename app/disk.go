package app

import (
	"fmt"
	"sync"
	"time"
)

// roomKept is what is left free of a full disk, so that what was acknowledged can still be worked on and looked at.
const roomKept = 16 << 20

// Space is the room on the disk that holds the database, in bytes; Size 0: it cannot be told.
type Space struct{ Free, Size int64 }

// Tight tells that more than nine tenths of the disk are used.
func (s Space) Tight() bool { return s.Size > 0 && s.Free < max(s.Size/10, roomKept) }

// Full tells that nothing more is taken in.
func (s Space) Full() bool { return s.Size > 0 && s.Free < roomKept }

// Used is the part of the disk that is used, in hundredths, rounded down.
func (s Space) Used() int {
	if s.Size == 0 {
		return 0
	}
	return int((s.Size - s.Free) * 100 / s.Size)
}

// disk measures the room at most once a second.
type disk struct {
	measure func() (free, size int64, err error)

	mu   sync.Mutex
	at   time.Time
	last Space
}

// look measures if the last measure is old; before is the measure until now.
func (d *disk) look(now time.Time) (before, last Space, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before = d.last
	if age := now.Sub(d.at); !d.at.IsZero() && age >= 0 && age < time.Second {
		return before, before, nil
	}
	d.at = now
	free, size, err := d.measure()
	if err != nil {
		free, size = 0, 0
	}
	d.last = Space{Free: free, Size: size}
	return before, d.last, err
}

// Space tells how much room the database has, and logs when that becomes little or enough again.
func (e *Engine) Space() Space {
	before, s, err := e.disk.look(e.now())
	switch {
	case err != nil:
		e.log.Debug("the disk cannot be measured", "error", err)
	case s.Full() && !before.Full():
		e.log.Error("the disk is full: gateways are answered 503 until there is room; nothing need be started anew", "free_bytes", s.Free)
	case s.Tight() && !before.Tight():
		e.log.Warn("the disk is nearly full: make room", "free_bytes", s.Free, "size_bytes", s.Size)
	case before.Full() && !s.Full(), before.Tight() && !s.Tight():
		e.log.Info("the disk has room again", "free_bytes", s.Free)
	}
	return s
}

// hasRoom fails when the disk is too full to take in more.
func (e *Engine) hasRoom() error {
	if s := e.Space(); s.Full() {
		return fmt.Errorf("the disk that holds the database has %d bytes left: make room", s.Free)
	}
	return nil
}
