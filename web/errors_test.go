package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"nodrop/app"
	"nodrop/store"
)

func TestOneTableFromErrorsToAnswers(t *testing.T) {
	secret := errors.New("the private cause")
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{&app.Error{Kind: app.KindInvalid, Code: "a", Text: "x", Cause: secret}, 400, "a"},
		{&app.Error{Kind: app.KindForbidden, Code: "a"}, 403, "a"},
		{&app.Error{Kind: app.KindNotFound, Code: "a"}, 404, "a"},
		{&app.Error{Kind: app.KindConflict, Code: "a"}, 409, "a"},
		{&app.Error{Kind: app.KindStale, Code: "a"}, 409, "a"},
		{&app.Error{Kind: app.KindUnprocessable, Code: "a"}, 422, "a"},
		{&app.Error{Kind: app.KindBusy, Code: "throttled", Fields: map[string]any{"retry_after": int64(7)}}, 429, "throttled"},
		{&app.Error{Kind: app.KindBusy, Code: "a"}, 503, "a"},
		{&app.Error{Kind: app.KindInternal, Code: "a", Text: "private"}, 500, "internal"},
		{fmt.Errorf("wrapped: %w", &app.Error{Kind: app.KindConflict, Code: "a"}), 409, "a"},
		{&store.Error{Op: "x", Kind: store.ErrFull}, 503, "busy"},
		{store.ErrClosed, 503, "busy"},
		{store.ErrRefusing, 503, "busy"},
		{store.ErrUnknownOutcome, 503, "busy"},
		{context.DeadlineExceeded, 503, "busy"},
		{errDraining, 503, "busy"},
		{store.ErrMisuse, 500, "internal"},
		{secret, 500, "internal"},
		{fmt.Errorf("wrapped: %w", invalid("bad", "Bad.")), 400, "bad"},
	} {
		f := faultOf(c.err)
		if f.status != c.status || f.code != c.code || strings.Contains(f.detail, "private") {
			t.Errorf("%v: %d %s %q, want %d %s", c.err, f.status, f.code, f.detail, c.status, c.code)
		}
		if (f.status == 503 || f.status == 429) != (f.header[0] == "Retry-After") {
			t.Errorf("%v: header %v", c.err, f.header)
		}
	}
	if f := faultOf(&app.Error{Kind: app.KindBusy, Code: "throttled", Fields: map[string]any{"retry_after": int64(7)}}); f.header[1] != "7" {
		t.Errorf("Retry-After %q, want 7", f.header[1])
	}
}

// A handler that fails or panics gives a problem without its cause, and one line in the log with it.
func TestFailuresAreLoggedOnceAndToldWithoutTheirCause(t *testing.T) {
	for name, h := range map[string]handler{
		"error": func(http.ResponseWriter, *http.Request) error { return errors.New("pid 7 has the secret") },
		"panic": func(http.ResponseWriter, *http.Request) error { panic("pid 7 has the secret") },
	} {
		l := newLab(t)
		w := httptest.NewRecorder()
		l.server.guarded(h)(w, httptest.NewRequest("GET", "/v1/x", nil))
		var p struct {
			Status int    `json:"status"`
			Code   string `json:"code"`
			ID     string `json:"request_id"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 500 || p.Status != 500 || p.Code != "internal" || p.ID == "" || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: %d %s, %v", name, w.Code, w.Body, err)
		}
		log := l.log.String()
		if strings.Count(log, "pid 7 has the secret") != 1 || !strings.Contains(log, p.ID) {
			t.Errorf("%s: the log is %s", name, log)
		}
		if n := l.server.gate.count(); n != 0 {
			t.Errorf("%s: %d requests are counted as running", name, n)
		}
	}
}

func TestNobodyIsAnsweredWhoHasLeft(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := httptest.NewRecorder()
	l.server.guarded(func(http.ResponseWriter, *http.Request) error { return context.Canceled })(w, httptest.NewRequest("GET", "/v1/x", nil).WithContext(ctx))
	if w.Body.Len() != 0 || strings.Contains(l.log.String(), "a request failed") {
		t.Errorf("answered %q, logged %s", w.Body, l.log)
	}
}

func TestEvery(t *testing.T) {
	e := every{span: 10 * time.Second}
	at := time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{{0, true}, {0, false}, {9_999 * time.Millisecond, false}, {10 * time.Second, true}, {19 * time.Second, false}} {
		if got := e.due(at.Add(c.after)); got != c.want {
			t.Errorf("after %v: %v", c.after, got)
		}
	}
}

func TestPanicInAHookHasTheGatewayComeAgain(t *testing.T) {
	l := newLab(t)
	w := httptest.NewRecorder()
	def, _ := l.engine.Gateway("sandbox")
	h := &hook{s: l.server, w: w, r: httptest.NewRequest("POST", "/hooks/sandbox", nil), name: "sandbox", def: def, at: l.now()}
	func() {
		defer h.finish()
		panic("a mistake")
	}()
	if w.Code != 503 || w.Header().Get("Retry-After") != "5" || !strings.Contains(l.log.String(), "a mistake") {
		t.Errorf("%d, log %s", w.Code, l.log)
	}
}
