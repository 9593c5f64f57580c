package sandbox

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

func (g *Gateway) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/payments", g.private(g.create))
	mux.HandleFunc("GET /v1/payments", g.private(g.askByReference))
	mux.HandleFunc("GET /v1/payments/{id}", g.private(g.askByID))
	return mux
}

// private lets only the bearer of the API key through.
func (g *Gateway) private(next http.HandlerFunc) http.HandlerFunc {
	want := []byte("Bearer " + g.o.APIKey)
	return func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			g.seen(answerRefused)
			reply(w, http.StatusUnauthorized, map[string]any{"error": "unauthorised"})
			return
		}
		next(w, r)
	}
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(encode(body))
}

func (g *Gateway) seen(class string) { g.update(func() { g.stats.Queries[class]++ }) }

func (g *Gateway) create(w http.ResponseWriter, r *http.Request) {
	var in struct{ Reference, Amount, Currency string }
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&in); err != nil || in.Reference == "" {
		reply(w, http.StatusBadRequest, map[string]any{"error": "reference, amount and currency are needed"})
		return
	}
	amount, err := minorUnits(in.Amount, in.Currency)
	if err != nil || amount <= 0 {
		reply(w, http.StatusUnprocessableEntity, map[string]any{"error": fmt.Sprintf("amount %q of currency %q cannot be charged", in.Amount, in.Currency)})
		return
	}
	a, fresh := g.open(in.Reference, amount, in.Currency)
	switch {
	case a.Asked != amount || a.Currency != in.Currency:
		reply(w, http.StatusConflict, map[string]any{"error": "reference " + in.Reference + " has another amount"})
	case fresh:
		reply(w, http.StatusCreated, object(a))
	default:
		reply(w, http.StatusOK, object(a))
	}
}

// open finds or opens the account of a reference and starts its story. A
// reference outside the plan is paid without any fault.
func (g *Gateway) open(reference string, amount int64, currency string) (Account, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if a := g.accounts[reference]; a != nil {
		return a.Account, false
	}
	plan, planned := g.plans[reference]
	if !planned {
		plain, _ := StoryByName("paid")
		plan = Plan{Index: len(g.plans) + len(g.accounts), Ref: reference, Order: reference, Story: plain, SecondOf: -1}
	}
	a := &account{told: map[string]bool{}, Account: Account{ID: fmt.Sprintf("sbx_%04d", plan.Index+1), Reference: reference,
		Currency: currency, Status: "waiting", Asked: amount, CreatedAt: g.o.Now(), Plan: plan}}
	g.accounts[reference], g.byID[a.ID] = a, a
	g.stats.Created++
	if g.ctx.Err() == nil {
		g.work.Go(func() { g.play(a) })
	}
	return a.Account, true
}

func (g *Gateway) askByID(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	a := g.byID[r.PathValue("id")]
	g.mu.Unlock()
	class, shown := g.next(a)
	g.answer(w, r, class, shown, func() {
		reply(w, http.StatusNotFound, map[string]any{"error": "not_found"})
	})
}

func (g *Gateway) askByReference(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	a := g.accounts[r.URL.Query().Get("reference")]
	g.mu.Unlock()
	class, shown := g.next(a)
	if shown != nil {
		shown = map[string]any{"data": []any{shown}}
	}
	g.answer(w, r, class, shown, func() {
		reply(w, http.StatusOK, map[string]any{"data": []any{}})
	})
}

// next draws the class of this answer and shows the payment as it stands.
func (g *Gateway) next(a *account) (class string, shown map[string]any) {
	g.update(func() {
		class = answerNotFound
		if a != nil {
			class = a.Plan.Story.Query.class(a.queries, g.o.Now().Sub(a.CreatedAt))
			a.queries++
			shown = withRefunds(a.Account)
		}
		g.stats.Queries[class]++
	})
	return class, shown
}

func withRefunds(a Account) map[string]any {
	shown := object(a)
	refunds := make([]any, len(a.Refunds))
	for i, r := range a.Refunds {
		refunds[i] = part(a, r.ID, r.Status, r.Amount)
	}
	shown["refunds"] = refunds
	return shown
}

func (g *Gateway) answer(w http.ResponseWriter, r *http.Request, class string, shown map[string]any, notFound func()) {
	switch class {
	case answerOK:
		reply(w, http.StatusOK, shown)
	case answerNotFound:
		notFound()
	case answerTimeout:
		g.hang(r)
	case answerThrottled:
		w.Header().Set("Retry-After", "1")
		reply(w, http.StatusTooManyRequests, map[string]any{"error": "too_many_requests"})
	case answerThrottDay:
		w.Header().Set("Retry-After", g.o.Now().Add(time.Second).UTC().Format(http.TimeFormat))
		reply(w, http.StatusTooManyRequests, map[string]any{"error": "too_many_requests"})
	case answerFailing:
		reply(w, http.StatusInternalServerError, map[string]any{"error": "internal"})
	case answerHTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>Maintenance</title><p>We will be back soon.</p>")
	case answerTruncated:
		raw := encode(shown)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(raw[:len(raw)/2])
	}
}

// hang holds the request and then breaks the connection without an answer.
func (g *Gateway) hang(r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(g.ctx, cancel)()
	pause(ctx, g.o.Hang)
	panic(http.ErrAbortHandler)
}
