package store

import (
	"context"
	"errors"
	"time"
)

// maxRead bounds a read transaction, so that no reader holds the log back for long.
const maxRead = 5 * time.Second

var errTooLong = errors.New("reading took longer than five seconds: read less at a time")

// View runs f in one read transaction on a connection of its own: it sees one state of the database throughout. It ends
// with an error after five seconds; read much in pages. Inside an Update, read with its Tx instead.
func (db *DB) View(ctx context.Context, op string, f func(*Rx) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, maxRead, errTooLong)
	defer cancel()
	if db.w.inside.Load() && nested() {
		return &Error{Op: op, Kind: ErrNested}
	}
	c, err := db.readers.take(ctx, op)
	if err != nil {
		return err
	}
	ok := false
	defer func() { db.readers.give(c, ok) }()
	if _, err := c.exec("BEGIN"); err != nil {
		return failure(op, "BEGIN", err)
	}
	rx := &Rx{c: c, ctx: ctx, driver: ctx, op: op}
	defer func() {
		rx.ended = true
		_, err := c.exec("ROLLBACK")
		ok = err == nil
	}()
	if err := f(rx); err != nil {
		return err
	}
	return rx.broken
}

// readers is a small pool; a connection is opened when it is first wanted.
type readers struct {
	path   string
	free   chan *conn
	closed chan struct{}
}

func newReaders(path string, n int) *readers {
	r := &readers{path: path, free: make(chan *conn, n), closed: make(chan struct{})}
	for range n {
		r.free <- nil
	}
	return r
}

func (r *readers) take(ctx context.Context, op string) (*conn, error) {
	select {
	case <-r.closed:
		return nil, &Error{Op: op, Kind: ErrClosed}
	default:
	}
	select {
	case c := <-r.free:
		return r.dialled(c)
	case <-r.closed:
		return nil, &Error{Op: op, Kind: ErrClosed}
	case <-ctx.Done():
		return nil, cancelled(ctx, op, "")
	}
}

// dialled opens the connection of a place in the pool that has none yet.
func (r *readers) dialled(c *conn) (*conn, error) {
	if c != nil {
		return c, nil
	}
	c, err := dial(r.path, readerSettings)
	if err != nil {
		r.free <- nil
	}
	return c, err
}

// give takes a connection back, or drops it when its transaction did not end well.
func (r *readers) give(c *conn, ok bool) {
	if !ok {
		_ = c.close()
		c = nil
	}
	r.free <- c
}

// refuse lets no reader begin any more.
func (r *readers) refuse() { close(r.closed) }

// close waits for the readers under way, then closes all connections.
func (r *readers) close() {
	for range cap(r.free) {
		if c := <-r.free; c != nil {
			_ = c.close()
		}
	}
}
