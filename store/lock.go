package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// What a lock is held for.
const (
	serving   = "serve"
	migrating = "migrate"
	restoring = "restore"
)

// lock is held in a file beside the database, path.lock, which goes away with it; the system lets go of it when the
// process ends in any way. The database file itself is never opened for that: closing it would strip SQLite's own locks.
type lock struct {
	f    *os.File
	path string
}

// errHeld: another process has the lock.
var errHeld = errors.New("held")

// acquire takes the lock. It is refused at once beside a server, and after two seconds beside shorter work.
func acquire(ctx context.Context, database, purpose string) (*lock, error) {
	l := &lock{path: database + ".lock"}
	for range 40 {
		holder, err := l.try(purpose)
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, errHeld):
			return nil, fmt.Errorf("store: lock %s: %w", l.path, err)
		case strings.HasPrefix(holder, serving):
			return nil, &Error{Op: purpose + " " + database, Kind: ErrServed, Cause: errors.New(holder)}
		}
		timer := time.NewTimer(50 * time.Millisecond)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, &Error{Op: purpose + " " + database, Cause: ctx.Err()}
		}
	}
	return nil, &Error{Op: purpose + " " + database, Kind: ErrBusy, Cause: errors.New("the lock file is held")}
}

// try takes the lock or tells who holds it.
func (l *lock) try(purpose string) (holder string, err error) {
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	if err := lockFile(f); err != nil {
		text, _ := io.ReadAll(io.LimitReader(f, 200))
		_ = f.Close()
		return string(text), err
	}
	if !same(f, l.path) {
		_ = f.Close() // its holder removed it between our opening and locking
		return "", errHeld
	}
	l.f = f
	if err := f.Truncate(0); err != nil {
		return "", errors.Join(err, l.release())
	}
	if _, err := fmt.Fprintf(f, "%s, process %d", purpose, os.Getpid()); err != nil {
		return "", errors.Join(err, l.release())
	}
	return "", nil
}

func same(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

// release removes the lock file and lets go.
func (l *lock) release() error {
	if l == nil || l.f == nil {
		return nil
	}
	err := os.Remove(l.path)
	if e := l.f.Close(); err == nil {
		err = e
	}
	l.f = nil
	return err
}
