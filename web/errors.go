package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"time"

	"nodrop/app"
	"nodrop/store"
)

// fault is an error with its HTTP answer: public words, and a private cause for the log.
type fault struct {
	status int
	code   string         // stable word
	detail string         // public: what happened to what, and what to do
	fields map[string]any // further members of the answer
	header [2]string      // one more header
	cause  error
}

func (f *fault) Error() string {
	if f.cause != nil {
		return f.code + ": " + f.cause.Error()
	}
	return f.code + ": " + f.detail
}

func (f *fault) Unwrap() error { return f.cause }

func invalid(code, detail string) *fault {
	return &fault{status: http.StatusBadRequest, code: code, detail: detail}
}

// statuses is the one table from kinds of errors to HTTP.
var statuses = map[app.Kind]int{
	app.KindInvalid:       http.StatusBadRequest,
	app.KindForbidden:     http.StatusForbidden,
	app.KindNotFound:      http.StatusNotFound,
	app.KindConflict:      http.StatusConflict,
	app.KindStale:         http.StatusConflict,
	app.KindUnprocessable: http.StatusUnprocessableEntity,
	app.KindBusy:          http.StatusServiceUnavailable,
	app.KindInternal:      http.StatusInternalServerError,
}

// codeThrottled is the one word with a status of its own.
const codeThrottled = "throttled"

// faultOf gives the answer to any error.
func faultOf(err error) *fault {
	var f *fault
	if errors.As(err, &f) {
		return f
	}
	var e *app.Error
	if errors.As(err, &e) {
		f = &fault{status: statuses[e.Kind], code: e.Code, detail: sentence(e.Text), fields: e.Fields, cause: e.Cause}
		if e.Code == codeThrottled {
			f.status = http.StatusTooManyRequests
			f.header = [2]string{"Retry-After", fmt.Sprint(e.Fields["retry_after"])}
		}
	}
	switch {
	case f == nil && passing(err):
		f = &fault{status: http.StatusServiceUnavailable, code: "busy", detail: "This cannot be read or stored at the moment. Try again in a few seconds.", cause: err}
	case f == nil || f.status == http.StatusInternalServerError:
		return &fault{status: http.StatusInternalServerError, code: "internal", cause: err,
			detail: "Something went wrong on our side; nothing is wrong with the request. Look for the request id in nodrop's log."}
	}
	if f.status == http.StatusServiceUnavailable && f.header[0] == "" {
		f.header = [2]string{"Retry-After", "2"}
	}
	return f
}

// passing tells whether the same request may succeed later.
func passing(err error) bool {
	if store.Retryable(err) {
		return true
	}
	for _, e := range []error{store.ErrClosed, store.ErrRefusing, store.ErrUnknownOutcome, context.DeadlineExceeded, context.Canceled, errDraining} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// handler answers a request or says why not.
type handler func(w http.ResponseWriter, r *http.Request) error

// guarded makes a handler of one that returns its error: it counts the request as running, survives a
// panic, logs our own failures once and writes the problem.
func (s *Server) guarded(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.gate.enter() {
			s.problem(w, r, errDraining)
			return
		}
		defer s.gate.leave()
		defer func() {
			if p := recover(); p != nil {
				if p == http.ErrAbortHandler {
					panic(p)
				}
				s.problem(w, r, fmt.Errorf("a mistake in the program: %v\n%s", p, debug.Stack()))
			}
		}()
		if err := h(w, r); err != nil && r.Context().Err() == nil {
			s.problem(w, r, err)
		}
	}
}

// problem writes an error as RFC 9457 has it.
func (s *Server) problem(w http.ResponseWriter, r *http.Request, err error) {
	f := faultOf(err)
	body := map[string]any{"type": "about:blank"}
	maps.Copy(body, f.fields)
	body["title"], body["status"], body["code"], body["detail"] = http.StatusText(f.status), f.status, f.code, f.detail
	if f.status >= http.StatusInternalServerError {
		body["request_id"] = s.report(r, f)
	}
	if f.header[0] != "" {
		w.Header().Set(f.header[0], f.header[1])
	}
	text, err := json.Marshal(body)
	if err != nil {
		s.log.Error("an answer cannot be written as JSON", "code", f.code, "error", err)
		text = []byte(`{"type":"about:blank"}`)
	}
	writeJSON(w, f.status, "application/problem+json", text)
}

// report logs one failure of ours and returns the id that the answer carries too.
func (s *Server) report(r *http.Request, f *fault) string {
	id, level := s.requestID(), slog.LevelError
	if f.status == http.StatusServiceUnavailable {
		level = slog.LevelWarn
	}
	s.log.Log(r.Context(), level, "a request failed", "request", id, "method", r.Method, "path", r.URL.Path, "status", f.status, "code", f.code, "error", f.Error())
	return id
}

func (s *Server) logPanic(r *http.Request, p any) {
	s.log.Error("a request met a mistake in the program", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
}

func writeJSON(w http.ResponseWriter, status int, contentType string, text []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have left; nothing is owed to it
}

// every lets something happen at most once in a span.
type every struct {
	span time.Duration
	last atomic.Int64 // UTC milliseconds
}

func (e *every) due(now time.Time) bool {
	last := e.last.Load()
	return (last == 0 || now.UnixMilli()-last >= e.span.Milliseconds()) && e.last.CompareAndSwap(last, now.UnixMilli())
}
