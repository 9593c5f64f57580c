// Package command holds what the command line does beside serving: checking the
// configuration, explaining a captured request, backup and restore, people and
// tokens, and the demonstration. Each command writes to the streams of an Env and
// returns an error, from which Status makes the exit status.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/store"
)

// Env is what a command is given of the world.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer // the result
	Stderr io.Writer // progress, warnings, errors
	Getenv func(string) (string, bool)
	Now    func() time.Time
	Random io.Reader // for secrets and ids
	Log    *slog.Logger
}

// ErrFound says that the work found something wrong and has told so already.
var ErrFound = errors.New("something is wrong")

// wrong is an error of the caller.
type wrong struct{ text string }

func (w *wrong) Error() string { return w.text }

// Wrong makes an error that says that the call or the configuration is wrong.
func Wrong(text string, args ...any) error { return &wrong{fmt.Sprintf(text, args...)} }

// Status is the exit status for an error: 0 done, 1 something is wrong, 2 the call or the configuration is.
func Status(err error) int {
	var faults *config.Faults
	var caller *wrong
	switch {
	case err == nil:
		return 0
	case errors.As(err, &faults), errors.As(err, &caller), callers(err):
		return 2
	}
	return 1
}

// callers reports whether the engine blames the caller.
func callers(err error) bool {
	switch app.KindOf(err) {
	case app.KindInvalid, app.KindNotFound, app.KindConflict, app.KindUnprocessable, app.KindForbidden:
		return true
	}
	return false
}

// Text words an error for whoever typed the command.
func Text(err error) string {
	var e *app.Error
	if errors.As(err, &e) && e.Cause == nil {
		return e.Text
	}
	text := err.Error()
	var failed *store.Error
	if errors.As(err, &failed) {
		text = strings.Replace(text, failed.Error(), plain(failed), 1)
	}
	return strings.ReplaceAll(text, "store: ", "")
}

// plain words a failure of the database without the program's name for what it was doing; a file that it is about stays.
func plain(e *store.Error) string {
	if e.Kind == nil {
		return e.Error()
	}
	text := e.Kind.Error()
	if e.Cause != nil {
		text += " (" + Text(e.Cause) + ")"
	}
	if _, path, _ := strings.Cut(e.Op, " "); filepath.IsAbs(path) {
		text = path + ": " + text
	}
	return text
}

func (e *Env) print(text string, args ...any) { fmt.Fprintf(e.Stdout, text, args...) }

func (e *Env) note(text string, args ...any) { fmt.Fprintf(e.Stderr, text, args...) }

// Terminal reports whether a stream goes to a person.
func Terminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progress shows how far long work is, on a terminal only.
func (e *Env) progress(what string) (show func(done, total int), end func()) {
	if !Terminal(e.Stderr) {
		return nil, func() {}
	}
	last := -1
	show = func(done, total int) {
		if percent := 100 * done / max(total, 1); percent != last {
			last = percent
			e.note("\r%s: %d %%", what, percent)
		}
	}
	return show, func() {
		if last >= 0 {
			e.note("\n")
		}
	}
}

// engine opens the database beside a running server and makes an engine that runs no loops.
func (e *Env) engine(ctx context.Context, c *config.Config) (*app.Engine, func(), error) {
	db, err := store.Open(ctx, c.Data, store.Options{Log: e.Log, Now: e.Now})
	if err != nil {
		return nil, nil, err
	}
	done := func() {
		if err := db.Close(); err != nil {
			e.note("nodrop: %s\n", Text(err))
		}
	}
	engine, err := app.New(app.Options{Store: db, Config: c, Now: e.Now, Random: e.Random, Log: e.Log})
	if err != nil {
		done()
		return nil, nil, err
	}
	return engine, done, nil
}
