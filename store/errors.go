package store

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// What went wrong, to be tested with errors.Is. Unless said otherwise nothing of the call is stored.
var (
	// ErrFull: the disk, or the database's own limit, is full.
	ErrFull = errors.New("no space left for the database: free disk space, then try again")
	// ErrBusy: another process held the database for longer than the wait allows.
	ErrBusy = errors.New("the database is in use by another process: try again")
	// ErrRetry: the call was lost together with its group through no fault of its own.
	ErrRetry = errors.New("not stored because of a neighbouring failure: try again")
	// ErrUnknownOutcome: the commit failed in a way that leaves open whether it is stored; read again after a restart.
	ErrUnknownOutcome = errors.New("the disk failed during the commit, it is unknown whether it was stored: check the disk and restart")
	// ErrRefusing: not begun, because an earlier commit had an unknown outcome.
	ErrRefusing = errors.New("the database takes no changes after a disk failure: check the disk and restart")
	// ErrClosed: the database is closed or about to be.
	ErrClosed = errors.New("the database is closed")
	// ErrNested: Update or View was called inside an Update.
	ErrNested = errors.New("called inside an update, a mistake in the program")
	// ErrMisuse: a transaction was used after its end, or a statement was run while the rows of another are read.
	ErrMisuse = errors.New("the transaction is used wrongly, a mistake in the program")
	// ErrConstraint: the database's own rules refuse the row; errors.As with *ConstraintError says which.
	ErrConstraint = errors.New("refused by a rule of the database")
	// ErrDamaged: the file is damaged, is no database, or cannot be read or written.
	ErrDamaged = errors.New("the database file cannot be used: check the disk and the file, or restore a backup")
	// ErrServed: a running server holds the file.
	ErrServed = errors.New("the database is served by a running nodrop: stop it first")
	// ErrNewer: the file was written by a newer nodrop.
	ErrNewer = errors.New("the database belongs to a newer nodrop: install that version, or restore a backup made before the upgrade")
	// ErrForeign: the file is an SQLite database of another program.
	ErrForeign = errors.New("the file is not a nodrop database: choose another path")
)

// Retryable reports whether the same call may simply be repeated later.
func Retryable(err error) bool {
	return errors.Is(err, ErrRetry) || errors.Is(err, ErrFull) || errors.Is(err, ErrBusy)
}

// Error is a failure of the store: the operation, the statement's beginning where there is one, the kind (one of the
// Err values) and the cause.
type Error struct {
	Op        string
	Statement string
	Kind      error
	Cause     error
}

// Error words the failure with its operation and statement.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("store: " + e.Op + ": ")
	if e.Statement != "" {
		b.WriteString(e.Statement + ": ")
	}
	switch {
	case e.Kind != nil && e.Cause != nil:
		fmt.Fprintf(&b, "%v (%v)", e.Kind, e.Cause)
	case e.Kind != nil:
		b.WriteString(e.Kind.Error())
	default:
		fmt.Fprint(&b, e.Cause)
	}
	return b.String()
}

// Unwrap gives the kind and the cause.
func (e *Error) Unwrap() []error {
	list := make([]error, 0, 2)
	for _, err := range []error{e.Kind, e.Cause} {
		if err != nil {
			list = append(list, err)
		}
	}
	return list
}

// ConstraintError names the rule that refused a row. Rule is unique, primary key, check, not null, foreign key, type or
// other; On is what it is about, as SQLite words it: "inbox.gateway, inbox.dedupe_key", or a check's expression.
type ConstraintError struct {
	Rule string
	On   string
}

// Error names the rule and what it is on.
func (e *ConstraintError) Error() string {
	if e.On == "" {
		return e.Rule + " constraint"
	}
	return e.Rule + " constraint on " + e.On
}

// Is makes every ConstraintError an ErrConstraint.
func (e *ConstraintError) Is(target error) bool { return target == ErrConstraint }

// code gives SQLite's extended result code, 0 when err does not come from SQLite.
func code(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	var i *injected
	if errors.As(err, &i) {
		return i.code
	}
	return 0
}

// kind sorts an error of the driver into ours; nil when it has no name of its own.
func kind(err error) error {
	if code(err) == sqlite3.SQLITE_CONSTRAINT_COMMITHOOK {
		return ErrMisuse
	}
	switch code(err) & 0xff {
	case sqlite3.SQLITE_FULL:
		return ErrFull
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return ErrBusy
	case sqlite3.SQLITE_CONSTRAINT:
		return constraint(err)
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY:
		return ErrDamaged
	case sqlite3.SQLITE_NOMEM:
		return ErrRetry
	}
	return nil
}

var rules = map[int]string{
	sqlite3.SQLITE_CONSTRAINT_UNIQUE:     "unique",
	sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: "primary key",
	sqlite3.SQLITE_CONSTRAINT_ROWID:      "primary key",
	sqlite3.SQLITE_CONSTRAINT_CHECK:      "check",
	sqlite3.SQLITE_CONSTRAINT_NOTNULL:    "not null",
	sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: "foreign key",
	sqlite3.SQLITE_CONSTRAINT_DATATYPE:   "type",
}

func constraint(err error) error {
	c := &ConstraintError{Rule: rules[code(err)]}
	if c.Rule == "" {
		c.Rule = "other"
	}
	_, text, _ := strings.Cut(err.Error(), "constraint failed: ")
	if i := strings.LastIndex(text, " ("); i >= 0 {
		text = text[:i]
	}
	if _, on, found := strings.Cut(text, "constraint failed: "); found {
		text = on
	}
	if !strings.HasSuffix(text, "constraint failed") {
		c.On = text
	}
	return c
}

// failure dresses an error of the driver.
func failure(op, query string, err error) error {
	k := kind(err)
	if _, ok := k.(*ConstraintError); ok {
		return &Error{Op: op, Statement: beginning(query), Kind: k}
	}
	return &Error{Op: op, Statement: beginning(query), Kind: k, Cause: err}
}

// beginning shortens a statement to what tells it apart; statements are constants and hold no values.
func beginning(query string) string {
	words := strings.Fields(query)
	text := strings.Join(words[:min(len(words), 6)], " ")
	if len(text) > 60 {
		text = text[:60]
	}
	return text
}
