package app

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"nodrop/app/gateway"
	"nodrop/store"
)

// sendBatch is how many events are under way at once; each belongs to another order.
const sendBatch = 16

// shopGate stops sending after the shop has answered 410, until a person says go on.
type shopGate struct {
	mu   sync.Mutex
	gone bool
}

func (g *shopGate) set(gone bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = gone
}

func (g *shopGate) closed() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gone
}

// longestWait bounds how long the shop may ask us to wait.
const longestWait = 6 * time.Hour

// shopSubject is what the review of a shop that answered 410 is about.
const shopSubject = "shop"

// runSender tells the shop until ctx ends.
func (e *Engine) runSender(ctx context.Context) {
	if e.config.Shop.URL == "" {
		// What was to be sent to an address that is configured no more waits in the feed, like all that came since.
		if err := e.guard(ctx, "leave to the feed", (*store.Tx).FeedAll); err != nil && ctx.Err() == nil {
			e.log.Error("events that waited for the shop could not be left to the feed; start again to have them there", "error", err)
		}
		return
	}
	e.readShopGate(ctx)
	for ctx.Err() == nil {
		if wait := e.untilNextEvent(ctx); wait != 0 {
			e.sendWake.sleep(ctx, wait)
			rest(ctx)
			continue
		}
		n, err := e.sendOnce(ctx)
		if err != nil && ctx.Err() == nil {
			e.log.Error("events could not be sent; they are tried again", "error", err)
		}
		if n == 0 {
			e.sendWake.sleep(ctx, heldBack)
		}
	}
}

// readShopGate stops sending while the question about a shop that is gone is open. It is read after the commits that open
// and answer it, and not set inside them: one that fails must not leave sending stopped with nobody asked.
func (e *Engine) readShopGate(ctx context.Context) {
	err := e.store.View(ctx, "shop gate", func(rx *store.Rx) error {
		_, open, err := rx.OpenReviewOf("shop_gone", shopSubject)
		if err == nil {
			e.shop.set(open)
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		e.log.Error("whether the shop is gone could not be read", "error", err)
	}
}

// heldBack is how long the sender waits when all that is due waits for an earlier event of its order.
const heldBack = 100 * time.Millisecond

// untilNextEvent is how long nothing is to be told; 0: something is due, negative: until woken.
func (e *Engine) untilNextEvent(ctx context.Context) time.Duration {
	if e.shop.closed() {
		return -1
	}
	wait := time.Duration(-1)
	err := e.store.View(ctx, "next event", func(rx *store.Rx) error {
		due, ok, err := rx.NextEventMs()
		if ok {
			wait = max(0, time.Duration(due-e.nowMs())*time.Millisecond)
		}
		return err
	})
	if err != nil {
		return e.pace.WorkRetry
	}
	return wait
}

// sendOnce delivers one batch of due events and tells how many there were.
func (e *Engine) sendOnce(ctx context.Context) (int, error) {
	if e.shop.closed() {
		return 0, nil
	}
	var due []store.Event
	err := e.guard(ctx, "lease events", func(tx *store.Tx) (err error) {
		now := e.nowMs()
		due, err = tx.ClaimEvents(now, now+2*e.config.Shop.Timeout.Milliseconds(), sendBatch)
		return err
	})
	if err != nil {
		return 0, err
	}
	var wg sync.WaitGroup
	for _, ev := range due {
		wg.Go(func() { e.deliver(ctx, ev) })
	}
	wg.Wait()
	return len(due), nil
}

// eventID is stable over every retry; a restore opens a new epoch.
func eventID(ev store.Event) string { return fmt.Sprintf("%d-%d", ev.Epoch, ev.Seq) }

// deliver makes one attempt to tell the shop and writes down its outcome.
func (e *Engine) deliver(ctx context.Context, ev store.Event) {
	began := e.now()
	status, wait, err := e.post(ctx, ev)
	if ctx.Err() != nil && status == 0 {
		return // we are stopping: the lease runs out and it is sent again under the same id
	}
	took := e.now().Sub(began)
	d := e.outcomeOf(ev, status, wait, err)
	d.AtMs, d.TookMs = began.UnixMilli(), took.Milliseconds()
	err = e.store.Update(context.WithoutCancel(ctx), "delivered", func(tx *store.Tx) error {
		if err := tx.FinishDelivery(d); err != nil {
			return err
		}
		return e.afterDelivery(tx, ev, d)
	})
	if status == http.StatusGone {
		e.readShopGate(context.WithoutCancel(ctx))
	}
	e.sendWake.wake()
	e.changed.beat()
	if err != nil {
		e.log.Error("the outcome of a delivery could not be stored; the event is sent again under its id", "event", eventID(ev), "error", err)
	}
}

// outcomeOf decides what becomes of an event after an attempt.
func (e *Engine) outcomeOf(ev store.Event, status int, wait time.Duration, cause error) store.Delivery {
	d := store.Delivery{Seq: ev.Seq, State: "delivered", Status: status}
	if cause == nil && status/100 == 2 {
		return d
	}
	now := e.nowMs()
	d.State, d.Error = "pending", fmt.Sprintf("the shop answered %d", status)
	if cause != nil {
		d.Error = cause.Error()
	}
	if now-ev.CreatedMs >= e.pace.SendFor.Milliseconds() && status != http.StatusGone {
		d.State = "dead"
		return d
	}
	step := min(int(ev.Attempts), len(e.pace.SendRetries)-1)
	next := jittered(e.pace.SendRetries[step], ev.Seq, ev.Attempts)
	d.DueMs = min(now+max(next, min(wait, longestWait)).Milliseconds(), ev.CreatedMs+e.pace.SendFor.Milliseconds())
	d.DueMs = max(d.DueMs, now+next.Milliseconds())
	return d
}

// afterDelivery asks a person about a dead letter, and about a shop that says it is gone.
func (e *Engine) afterDelivery(tx *store.Tx, ev store.Event, d store.Delivery) error {
	now := e.nowMs()
	if d.Status == http.StatusGone {
		_, err := tx.OpenReview(store.Review{Kind: "shop_gone", Subject: shopSubject, OutboxSeq: ev.Seq, Currency: noCurrency, Urgent: true, OpenedMs: now})
		return err
	}
	subject := "outbox:" + itoa64(ev.Seq)
	if d.State == "delivered" {
		return e.closeReview(tx, "dead_outbox", subject, now, "delivered")
	}
	if d.State != "dead" {
		return nil
	}
	p, _, err := tx.Payment(ev.PaymentID)
	if err != nil {
		return err
	}
	_, err = e.openReview(tx, store.Review{
		Kind: "dead_outbox", Subject: subject, PaymentID: p.ID, OrderID: p.OrderID, OutboxSeq: ev.Seq, AmountMinor: p.AmountMinor, Currency: p.Currency, OpenedMs: now,
	})
	return err
}

// post sends one event, signed as Standard Webhooks says with every secret that is valid.
func (e *Engine) post(ctx context.Context, ev store.Event) (status int, wait time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, e.config.Shop.Timeout)
	defer cancel()
	now := e.now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.config.Shop.URL, bytes.NewReader(ev.Body))
	if err != nil {
		return 0, 0, err
	}
	signature, err := e.sign(eventID(ev), now, ev.Body)
	if err != nil {
		return 0, 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "nodrop")
	req.Header.Set(standardwebhooks.HeaderWebhookID, eventID(ev))
	req.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	resp, err := e.http.Do(req)
	if err != nil {
		return 0, 0, fmt.Errorf("the shop did not answer: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<16)) // only so that the connection can be used again
	return resp.StatusCode, gateway.RetryAfter(resp.Header.Get("Retry-After"), now), nil
}

// sign makes one signature with each secret, parted by spaces.
func (e *Engine) sign(id string, now time.Time, body []byte) (string, error) {
	var all []byte
	for _, s := range e.config.Shop.Secrets {
		if !s.ValidAt(now) {
			continue
		}
		w, err := standardwebhooks.NewWebhook(s.Value.Reveal())
		if err != nil {
			return "", fmt.Errorf("a secret of the shop is no whsec_ secret")
		}
		one, err := w.Sign(id, now, body)
		if err != nil {
			return "", fmt.Errorf("event %s cannot be signed", id)
		}
		if len(all) > 0 {
			all = append(all, ' ')
		}
		all = append(all, one...)
	}
	if len(all) == 0 {
		return "", fmt.Errorf("no secret of the shop is valid now; configure one under [shop] secrets")
	}
	return string(all), nil
}
