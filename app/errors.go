package app

import (
	"errors"
	"fmt"

	"nodrop/store"
)

// Kind sorts errors for whoever must answer them.
type Kind int

// The kinds of errors; web has one table from them to HTTP statuses.
const (
	KindInternal      Kind = iota // ours
	KindInvalid                   // the caller's input
	KindForbidden                 // not allowed to this caller
	KindNotFound                  // no such thing
	KindConflict                  // it is otherwise
	KindStale                     // it has changed since the caller looked
	KindUnprocessable             // well-formed, but not in this state
	KindBusy                      // not now; try again
)

// Error is a failure with a public text that says what to do and a private cause.
type Error struct {
	Kind   Kind
	Code   string // stable word
	Text   string // public
	Fields map[string]any
	Cause  error // private
}

// Error words the failure for a log, its private cause included.
func (e *Error) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Text, e.Cause)
	}
	return e.Code + ": " + e.Text
}

// Unwrap gives the private cause.
func (e *Error) Unwrap() error { return e.Cause }

func fail(kind Kind, code, text string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Text: fmt.Sprintf(text, args...)}
}

// KindOf tells what kind of failure an error is; errors of the database that may heal are KindBusy.
func KindOf(err error) Kind {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Kind
	case store.Retryable(err):
		return KindBusy
	default:
		return KindInternal
	}
}
