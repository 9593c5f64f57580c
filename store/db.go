// Package store keeps everything in one SQLite file. Update is the only way to write: concurrent Updates share one
// durable commit, each in a savepoint of its own. View reads one state of the file. The store knows no rules and never
// asks what time it is.
package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"modernc.org/sqlite"
)

// Options says how to open a database. The zero value serves a command beside a running server.
type Options struct {
	Serve   bool             // hold the file as its server; a second one is refused with ErrServed
	Readers int              // connections that only read; 4 when zero
	Log     *slog.Logger     // discarded when nil
	Now     func() time.Time // measures how long groups take; without it a group is bounded by its size alone
	Faults  *Faults          // nil in production

	migrations fs.FS // the embedded ones when nil
	laws       []law // the product's own when nil
	limits     limits
	noCopy     bool // migrate without a copy made first
}

// DB is an open database.
type DB struct {
	path    string
	log     *slog.Logger
	w       *writer
	readers *readers
	lock    *lock
	laws    []law
	once    sync.Once
	closing error
}

// uncancelled is what the driver gets when it writes: cancelled inside a write it would roll back the whole group.
var uncancelled = context.Background()

// Open opens the database at path, creates it where there is none, and brings it to this program's schema; an existing
// file is copied to path.before-VERSION first.
func Open(ctx context.Context, path string, o Options) (*DB, error) {
	o = o.filled()
	abs, err := resolve(path)
	if err != nil {
		return nil, fmt.Errorf("store: open %s: %w", path, err)
	}
	_, _ = sqlite.Fdatasync(true) // as durable as fsync, without the file's times; not on every system
	db := &DB{path: abs, log: o.Log, laws: o.laws}
	if o.Serve {
		if db.lock, err = acquire(ctx, abs, serving); err != nil {
			return nil, err
		}
	}
	if err := db.open(ctx, o); err != nil {
		_ = db.lock.release()
		return nil, err
	}
	return db, nil
}

func (o Options) filled() Options {
	if o.Readers <= 0 {
		o.Readers = 4
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Time{} }
	}
	if o.migrations == nil {
		o.migrations = embedded()
	}
	if o.limits == (limits{}) {
		o.limits = usualLimits
	}
	if o.laws == nil {
		o.laws = laws
	}
	return o
}

func (db *DB) open(ctx context.Context, o Options) error {
	if err := create(db.path); err != nil {
		return err
	}
	if err := db.migrate(ctx, o); err != nil {
		return err
	}
	c, err := dial(db.path, writerSettings)
	if err != nil {
		return err
	}
	if _, err := c.exec(unseal); err != nil {
		return errors.Join(err, c.close())
	}
	db.w = &writer{c: c, path: db.path, q: newQueue(), now: o.Now, log: o.Log, faults: o.Faults,
		ended: make(chan struct{}), refused: make(chan struct{}), log2file: checkpointer{limits: o.limits}}
	db.w.hook()
	db.readers = newReaders(db.path, o.Readers)
	go db.w.run()
	return nil
}

// maxLinks bounds how many symbolic links are followed, against a circle.
const maxLinks = 40

// resolve gives the absolute path of the file that a name stands for, so that every name of it leads to the same lock.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range maxLinks {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if path, err = follow(path); err != nil {
			return "", err
		}
	}
	return "", errors.New("its symbolic links lead in a circle: name the file itself")
}

// follow reads one link, which may lead to a file that is yet to be made.
func follow(link string) (string, error) {
	target, err := os.Readlink(link)
	if err != nil || filepath.IsAbs(target) {
		return target, err
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(link)) // the link counts from where it really lies
	if err != nil {
		return "", err
	}
	return filepath.Join(folder, target), nil
}

// create makes an empty file that only its owner may read, unless there is one.
func create(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("store: create the database: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("store: create the database: %w", err)
	}
	return syncDir(path)
}

// Path gives the absolute path of the database file, symbolic links to it followed.
func (db *DB) Path() string { return db.path }

// Refused is closed when the store takes no more changes because a commit's outcome is unknown: restart then.
func (db *DB) Refused() <-chan struct{} { return db.w.refused }

// Update runs f inside a write transaction and returns after the commit: nil means durable. Closures that come at the
// same time share the commit, each in its own savepoint; one that fails takes back only itself. Inside f: no network,
// no waiting, no channel, no other Update. A caller cancelled while it waits leaves; once f has returned nil the
// answer is the commit's. A panic in f is raised again here.
func (db *DB) Update(ctx context.Context, op string, f func(*Tx) error) error {
	return db.submit(&call{ctx: ctx, op: op, f: f})
}

// UpdateLow is Update for work in the background: it lets Updates go first, but is in at least every group once.
func (db *DB) UpdateLow(ctx context.Context, op string, f func(*Tx) error) error {
	return db.submit(&call{ctx: ctx, op: op, f: f, low: true})
}

func (db *DB) submit(c *call) error {
	if c.ctx.Err() != nil {
		return cancelled(c.ctx, c.op, "")
	}
	inside := db.w.inside.Load()
	c.done = make(chan struct{})
	if err := db.w.q.push(c); err != nil {
		return &Error{Op: c.op, Kind: err}
	}
	if inside && db.stuck(c) {
		return &Error{Op: c.op, Kind: ErrNested}
	}
	select {
	case <-c.done:
	case <-c.ctx.Done():
		if c.leave() {
			return cancelled(c.ctx, c.op, "")
		}
		<-c.done
	}
	return c.answer()
}

// Close refuses new calls, answers those that wait, lets readers end, moves the log into the file and closes it. Nothing
// is left beside the file unless another process has it open.
func (db *DB) Close() error {
	db.once.Do(func() { db.closing = db.close() })
	return db.closing
}

func (db *DB) close() error {
	db.w.q.close(ErrClosed)
	db.readers.refuse()
	<-db.w.ended
	db.w.log2file.wg.Wait()
	db.readers.close()
	if db.w.refusing == nil {
		db.w.note(db.w.c.checkpoint("TRUNCATE"))
	}
	err := db.w.c.close()
	if e := db.lock.release(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("store: close %s: %w", db.path, err)
	}
	return nil
}
