package app

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"nodrop/app/gateway"
	"nodrop/store"
)

// Payment shows one payment.
func (e *Engine) Payment(ctx context.Context, publicID string) (v PaymentView, err error) {
	err = e.store.View(ctx, "payment", func(rx *store.Rx) error {
		p, ok, err := rx.PaymentByPublicID(publicID)
		if err != nil {
			return err
		}
		if !ok {
			return fail(KindNotFound, "unknown_payment", "there is no payment %q", publicID)
		}
		v, err = e.freshView(rx, p.ID)
		return err
	})
	return v, err
}

// PaymentQuery selects payments; empty fields select all. After is the id that the last page ended with.
type PaymentQuery struct {
	MerchantRef, OrderRef, State, Gateway, After string
	Limit                                        int // 1 to 200; 0: 50
}

// Payments lists payments in the order of their registration; next is the After of the following page, "" at the end.
func (e *Engine) Payments(ctx context.Context, q PaymentQuery) (list []PaymentView, next string, err error) {
	limit := min(max(q.Limit, 1), 200)
	if q.Limit == 0 {
		limit = 50
	}
	err = e.store.View(ctx, "payments", func(rx *store.Rx) error {
		f := store.PaymentFilter{Gateway: q.Gateway, State: q.State, MerchantRef: q.MerchantRef, OrderRef: q.OrderRef, Limit: limit + 1}
		if q.After != "" {
			p, ok, err := rx.PaymentByPublicID(q.After)
			if err != nil {
				return err
			}
			if !ok {
				return fail(KindInvalid, "bad_cursor", "after %q is no payment", q.After)
			}
			f.After = p.ID
		}
		rows, err := rx.Payments(f)
		if err != nil {
			return err
		}
		if len(rows) > limit {
			rows = rows[:limit]
			next = rows[limit-1].PublicID
		}
		for _, p := range rows {
			v, err := e.freshView(rx, p.ID)
			if err != nil {
				return err
			}
			list = append(list, v)
		}
		return nil
	})
	return list, next, err
}

// EventView is one outbox entry of the feed.
type EventView struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Timestamp string          `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// EventsView is a page of the feed; Next is the After of the following one.
type EventsView struct {
	Events []EventView `json:"events"`
	Next   string      `json:"next"`
}

// Events reads the outbox as a feed behind an id, waiting up to `wait` for the first new entry.
func (e *Engine) Events(ctx context.Context, after string, wait time.Duration, limit int) (EventsView, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	limit = min(max(limit, 1), 500)
	for {
		change := e.changed.next()
		v, err := e.eventsAfter(ctx, after, limit)
		if err != nil || len(v.Events) > 0 || wait <= 0 {
			return v, err
		}
		select {
		case <-change:
		case <-deadline.C:
			return v, nil
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

func (e *Engine) eventsAfter(ctx context.Context, after string, limit int) (v EventsView, err error) {
	v = EventsView{Events: []EventView{}, Next: after}
	err = e.store.View(ctx, "events", func(rx *store.Rx) error {
		seq, err := e.cursor(rx, after)
		if err != nil {
			return err
		}
		rows, err := rx.EventsAfter(seq, limit)
		if err != nil {
			return err
		}
		for _, ev := range rows {
			var body envelope[json.RawMessage]
			if err := json.Unmarshal(ev.Body, &body); err != nil {
				return err
			}
			v.Events = append(v.Events, EventView{eventID(ev), body.Type, body.Timestamp, body.Data})
			v.Next = eventID(ev)
		}
		return nil
	})
	return v, err
}

// cursor reads an event id: one of an earlier epoch resumes where both agree.
func (e *Engine) cursor(rx *store.Rx, after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	first, second, ok := strings.Cut(after, "-")
	epoch, err1 := strconv.ParseInt(first, 10, 64)
	seq, err2 := strconv.ParseInt(second, 10, 64)
	now, err := rx.Epoch()
	if err != nil {
		return 0, err
	}
	if !ok || err1 != nil || err2 != nil || epoch < 1 || seq < 0 || epoch > now {
		return 0, fail(KindInvalid, "bad_cursor", "after %q is no event id of this database", after)
	}
	if epoch == now {
		last, err := rx.LastEvent()
		if err == nil && seq > last {
			return 0, fail(KindInvalid, "bad_cursor", "after %q is beyond the newest event, which is %d-%d", after, now, last)
		}
		return seq, err
	}
	end, found, err := rx.EpochEnd(epoch)
	if err == nil && !found {
		return 0, fail(KindInvalid, "bad_cursor", "nothing is known of epoch %d; read the feed from the beginning", epoch)
	}
	return min(seq, end), err
}

// CheckView is a payment after the gateway was asked, or why it was not.
type CheckView struct {
	Payment PaymentView `json:"payment"`
	Asked   bool        `json:"asked"`
	Because string      `json:"because,omitempty"` // no_query, pause, limit, no_answer
}

// closeWait is how long closing an order waits for the gateway's word on each open attempt.
const closeWait = 5 * time.Second

// Check has the gateway asked now, in any state, and waits for its answer to be applied.
func (e *Engine) Check(ctx context.Context, publicID string, wait time.Duration) (CheckView, error) {
	began := e.nowMs()
	p, because, err := e.askNow(ctx, publicID)
	if err != nil {
		return CheckView{}, err
	}
	v := CheckView{Because: because}
	if because == "" {
		if v.Asked, err = e.awaitAnswer(ctx, p.ID, began, wait); err != nil {
			return CheckView{}, err
		}
		if !v.Asked {
			v.Because = e.whyUnasked(p)
		}
	}
	v.Payment, err = e.Payment(ctx, publicID)
	return v, err
}

// askNow makes an appointment that is due at once, in the lane of the payer who waits.
func (e *Engine) askNow(ctx context.Context, publicID string) (p store.Payment, because string, err error) {
	err = e.store.Update(ctx, "check", func(tx *store.Tx) error {
		var a *account
		if p, a, err = e.paymentAndAccount(&tx.Rx, publicID); err != nil {
			return err
		}
		can, err := canAsk(&tx.Rx, a, p)
		if err != nil {
			return err
		}
		if !can {
			because = "no_query"
			return nil
		}
		now := e.nowMs()
		if a.health().PausedUntilMs > now {
			because = "pause"
		}
		return tx.SetTimer(store.Timer{PaymentID: p.ID, Kind: "ask", Gateway: a.name, Lane: store.LaneReturn, DueMs: now, Why: checkNow})
	})
	e.wakeAll()
	return p, because, err
}

// awaitAnswer waits until a question put after an instant has been answered and applied.
func (e *Engine) awaitAnswer(ctx context.Context, id, sinceMs int64, wait time.Duration) (bool, error) {
	deadline := time.NewTimer(wait)
	defer deadline.Stop()
	for {
		change := e.changed.next()
		var p store.Payment
		err := e.store.View(ctx, "await answer", func(rx *store.Rx) (err error) {
			p, _, err = rx.Payment(id)
			return err
		})
		if err != nil || p.LastAnsweredMs >= sinceMs {
			return err == nil, err
		}
		select {
		case <-change:
		case <-deadline.C:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

func (e *Engine) whyUnasked(p store.Payment) string {
	h := e.gateways[p.Gateway].health()
	switch {
	case h.PausedUntilMs > e.nowMs():
		return "pause"
	case h.Errors > 0:
		return "no_answer"
	default:
		return "limit"
	}
}

// GatewayHealth is how a gateway does.
type GatewayHealth struct {
	store.GatewayState
	Facts     gateway.Facts
	Queryable bool
	Tokens    float64 // questions that may be asked at once now

	Certificates []CertificateWait // to be fetched, the next one first
	Misdirected  Misdirected
}

// Health tells how a gateway does.
func (e *Engine) Health(name string) (GatewayHealth, bool) {
	a, ok := e.gateways[name]
	if !ok {
		return GatewayHealth{}, false
	}
	state := a.health()
	webhook, refused := e.arrivals.lastOf(name)
	state.LastWebhookMs, state.LastRefusedMs = max(state.LastWebhookMs, webhook), max(state.LastRefusedMs, refused)
	return GatewayHealth{
		GatewayState: state, Facts: a.facts, Queryable: a.def.Queryable(), Tokens: a.limiter.TokensAt(e.now()), Certificates: a.certificates.list(),
		Misdirected: e.arrivals.misdirected(name),
	}, true
}
