package store

import (
	"context"
	"errors"
	"fmt"

	sqlite3 "modernc.org/sqlite/lib"
)

// Rx reads in one transaction. It is valid inside its closure only.
type Rx struct {
	c        *conn
	ctx      context.Context // the caller's, looked at before each statement
	driver   context.Context // what the driver gets
	op       string
	w        *writer // nil when only reading
	ended    bool
	scanning bool
	broken   error // the first failure after which the closure cannot succeed
}

// Tx reads and writes inside an Update.
type Tx struct{ Rx }

// exec runs a statement and tells how many rows it changed.
func (tx *Tx) exec(query string, args ...any) (changed int64, err error) {
	changed, _, err = tx.run(query, args)
	return changed, err
}

// insert runs an INSERT and gives the new row's id; 0 when a conflict clause kept it from adding one.
func (tx *Tx) insert(query string, args ...any) (id int64, err error) {
	changed, id, err := tx.run(query, args)
	if changed == 0 {
		return 0, err
	}
	return id, err
}

func (tx *Tx) run(query string, args []any) (changed, id int64, err error) {
	if err := tx.enter(query); err != nil {
		return 0, 0, err
	}
	res, err := tx.c.exec(query, args...)
	if err != nil {
		return 0, 0, tx.leave(query, err)
	}
	if changed, err = res.RowsAffected(); err != nil {
		return 0, 0, tx.leave(query, err)
	}
	if id, err = res.LastInsertId(); err != nil {
		return 0, 0, tx.leave(query, err)
	}
	return changed, id, nil
}

// each gives every row of a query to scan. Nothing else may run inside scan: collect first.
func (rx *Rx) each(query string, scan func(*Row), args ...any) error {
	return rx.rows(query, func(r *Row) bool { scan(r); return true }, args)
}

// one gives the first row of a query to scan and tells whether there was one.
func (rx *Rx) one(query string, scan func(*Row), args ...any) (found bool, err error) {
	err = rx.rows(query, func(r *Row) bool {
		found = true
		scan(r)
		return false
	}, args)
	return found && err == nil, err
}

func (rx *Rx) rows(query string, scan func(*Row) bool, args []any) error {
	if err := rx.enter(query); err != nil {
		return err
	}
	rx.scanning = true
	defer func() { rx.scanning = false }()
	if err := rx.c.each(rx.driver, query, scan, args...); err != nil {
		return rx.leave(query, err)
	}
	return nil
}

// enter looks at everything that forbids the next statement.
func (rx *Rx) enter(query string) error {
	if rx.ended {
		return &Error{Op: rx.op, Statement: beginning(query), Kind: ErrMisuse, Cause: errors.New("used after its end")}
	}
	if rx.scanning {
		return rx.leave(query, fmt.Errorf("%w: run while rows of another statement are read", ErrMisuse))
	}
	if rx.broken != nil {
		return rx.broken
	}
	if err := rx.ctx.Err(); err != nil {
		return rx.leave(query, err)
	}
	if rx.w == nil {
		return nil
	}
	if rx.w.lost {
		return rx.leave(query, fmt.Errorf("%w: it was ended inside", ErrMisuse))
	}
	if err := rx.w.fault(); err != nil {
		return rx.leave(query, err)
	}
	return nil
}

// leave dresses a failure and keeps it unless the closure may go on after it.
func (rx *Rx) leave(query string, err error) error {
	dressed := failure(rx.op, query, err)
	if ended := rx.ctx.Err(); ended != nil && (errors.Is(err, ended) || code(err)&0xff == sqlite3.SQLITE_INTERRUPT) {
		dressed = cancelled(rx.ctx, rx.op, query)
	}
	lost := rx.w != nil && rx.w.lost
	if rx.broken == nil && (lost || !errors.Is(dressed, ErrConstraint)) {
		rx.broken = dressed
	}
	return dressed
}

// cancelled words the end of a context, with its cause where that says more.
func cancelled(ctx context.Context, op, query string) error {
	e := &Error{Op: op, Statement: beginning(query), Kind: ctx.Err()}
	if cause := context.Cause(ctx); cause != e.Kind {
		e.Cause = cause
	}
	return e
}

// Crowded tells whether many Updates come at this time, so that background work should do little now: one waits for this
// group to end, or this group or the one just before it served a crowd.
func (tx *Tx) Crowded() bool {
	w := tx.w
	if w.group.urgent >= crowdSize || w.q.urgentWaits() {
		return true
	}
	return w.lastUrgent >= crowdSize && w.group.began.Sub(w.lastEnd) < crowdLasts
}
