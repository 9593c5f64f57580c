package app

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"nodrop/app/gateway"
	"nodrop/store"
)

// runWorker works on the inbox until ctx ends.
func (e *Engine) runWorker(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := e.processOnce(ctx)
		if err != nil && ctx.Err() == nil {
			e.log.Error("the inbox could not be worked on; it is tried again", "error", err)
			e.workWake.sleep(ctx, e.pace.WorkRetry)
			continue
		}
		if n > 0 {
			continue
		}
		e.drainOne.Do(func() { close(e.drained) })
		e.workWake.sleep(ctx, e.untilNextWork(ctx))
	}
}

// awaitDrained waits until the inbox was empty once since the start; false when ctx ends before.
func (e *Engine) awaitDrained(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-e.drained:
		return true
	}
}

// untilNextWork is how long the inbox has nothing due; negative: until woken.
func (e *Engine) untilNextWork(ctx context.Context) time.Duration {
	wait := time.Duration(-1)
	err := e.store.View(ctx, "next work", func(rx *store.Rx) error {
		due, ok, err := rx.NextWorkMs()
		if ok {
			wait = max(time.Millisecond, time.Duration(due-e.nowMs())*time.Millisecond)
		}
		return err
	})
	if err != nil {
		return e.pace.WorkRetry
	}
	return wait
}

// processOnce works on one batch of due inbox rows and tells how many there were.
func (e *Engine) processOnce(ctx context.Context) (int, error) {
	var batch []store.Work
	err := e.store.View(ctx, "due work", func(rx *store.Rx) (err error) {
		batch, err = rx.DueWork(e.nowMs(), e.pace.Batch)
		return err
	})
	if err != nil || len(batch) == 0 {
		return 0, err
	}
	for left := batch; len(left) > 0; {
		n, crowded, err := e.processSome(ctx, left)
		e.wakeAll()
		if err == nil {
			left = left[n:]
			if crowded {
				rest(ctx)
			}
			continue
		}
		if store.Retryable(err) || ctx.Err() != nil {
			return len(batch), err
		}
		return len(batch), e.processSingly(ctx, left)
	}
	return len(batch), nil
}

// leastWork is how many rows are worked on in one commit even while a crowd of requests is being stored.
const leastWork = 4

// processSome works on the first rows of a batch in one commit: all of them, or few while a crowd of requests is being stored.
func (e *Engine) processSome(ctx context.Context, batch []store.Work) (n int, crowded bool, err error) {
	err = e.guard(ctx, "process", func(tx *store.Tx) error {
		var m memo
		n, crowded = 0, false
		for _, w := range batch {
			if crowded = n >= leastWork && tx.Crowded(); crowded {
				return nil
			}
			if err := e.process(tx, w, &m); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, crowded, err
}

// processSingly gives each row of a batch that failed a commit of its own, so that one that cannot be worked on blocks nobody.
func (e *Engine) processSingly(ctx context.Context, batch []store.Work) error {
	for _, w := range batch {
		err := e.guard(ctx, "process", func(tx *store.Tx) error { return e.process(tx, w, &memo{}) })
		if err == nil {
			continue
		}
		if ctx.Err() != nil || store.Retryable(err) {
			return err
		}
		if err := e.setBack(ctx, w.Item, err); err != nil {
			return err
		}
	}
	return nil
}

// guard runs a background Update and turns a panic of its closure into an error.
func (e *Engine) guard(ctx context.Context, op string, f func(*store.Tx) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s panicked: %v", op, r)
			e.log.Error("panic", "op", op, "value", r, "stack", string(debug.Stack()))
		}
	}()
	return e.store.UpdateLow(ctx, op, f)
}

// setBack has a row tried again later, or quarantines it after its last try.
func (e *Engine) setBack(ctx context.Context, it store.Item, cause error) error {
	now := e.nowMs()
	if int(it.Attempts)+1 >= e.pace.WorkTries || permanent(cause) {
		return e.store.Update(ctx, "quarantine", func(tx *store.Tx) error {
			return e.bury(tx, it, "failed", cause.Error(), now)
		})
	}
	wait := jittered(doubling(e.pace.WorkRetry, time.Hour, it.Attempts), it.ID, it.Attempts)
	return e.store.Update(ctx, "set back", func(tx *store.Tx) error {
		_, err := tx.FinishItem(it.ID, store.Outcome{State: "pending", Reason: "retry", Error: cause.Error(), DueMs: now + wait.Milliseconds(), NowMs: now})
		return err
	})
}

// permanent tells whether trying again cannot help.
func permanent(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind != KindInternal && e.Kind != KindBusy && e.Kind != KindStale
}

// bury makes a row a dead letter and asks a person.
func (e *Engine) bury(tx *store.Tx, it store.Item, reason, cause string, now int64) error {
	ok, err := tx.FinishItem(it.ID, store.Outcome{State: "dead", Reason: reason, Error: cause, DueMs: now, NowMs: now})
	if err != nil || !ok {
		return err
	}
	it.Reason = reason
	return e.openDeadInbox(tx, it, now)
}

// memo keeps the last reading, for the items of one message come one behind the other.
type memo struct {
	request int64
	reading gateway.Reading
}

// process works on one inbox row inside the caller's transaction: facts, standing, what follows, row done.
func (e *Engine) process(tx *store.Tx, w store.Work, m *memo) error {
	now := e.nowMs()
	a, ok := e.gateways[w.Gateway]
	if !ok {
		return fail(KindInternal, "gateway_gone", "gateway %q is no longer configured; add it to the configuration again", w.Gateway)
	}
	if w.Channel == "query" {
		return e.processAnswer(tx, a, w, now)
	}
	if m.request != w.RequestID {
		*m = memo{w.RequestID, a.readingOf(w)}
	}
	if w.Item.Item >= len(m.reading.Observations) {
		return e.bury(tx, w.Item, "unreadable", "the message is read otherwise than when it came: "+m.reading.Detail, now)
	}
	return e.processNotice(tx, a, w, m.reading.Observations[w.Item.Item], now)
}

// processNotice applies one item of a webhook.
func (e *Engine) processNotice(tx *store.Tx, a *account, w store.Work, o gateway.Observation, now int64) error {
	switch o.Verdict {
	case gateway.Accepted:
	case gateway.Unreadable:
		return e.bury(tx, w.Item, "unreadable", o.Detail, now)
	default:
		_, err := tx.FinishItem(w.Item.ID, store.Outcome{State: "ignored", Reason: o.Reason, NowMs: now, DueMs: now})
		return err
	}
	found, err := e.match(tx, a, w, o, now)
	if err != nil {
		return err
	}
	if found.conflict {
		return e.parkConflict(tx, a, w.Item, o, found, now)
	}
	if found.payment.ID == 0 {
		return e.park(tx, a, w.Item, o, now)
	}
	return e.applyMatched(tx, a, w, o, found.payment, now)
}

// applyMatched applies a notice about a known payment; one that nothing proves only has the gateway asked, once for many.
func (e *Engine) applyMatched(tx *store.Tx, a *account, w store.Work, o gateway.Observation, p store.Payment, now int64) error {
	if w.Channel != channelReport && a.unproved(w.Request.Secret, o) {
		if done, err := e.coalesce(tx, a, w, o, p.ID); err != nil || done {
			return err
		}
	}
	return e.applyNotice(tx, a, w.Item, o, p, now)
}

// applyNotice makes facts of an observation about a known payment and finishes its row.
func (e *Engine) applyNotice(tx *store.Tx, a *account, it store.Item, o gateway.Observation, p store.Payment, now int64) error {
	if it.State == "parked" {
		if err := e.unpark(tx, it, now); err != nil {
			return err
		}
	}
	bind, trigger := e.bind, "webhook"
	if it.Channel == channelReport {
		bind, trigger = e.bindReported, "settlement"
	}
	if err := bind(tx, a, &p, o, now); err != nil {
		return err
	}
	p.EverHeard = true
	c := change{trigger: trigger, evidence: it.ID, now: now, facts: noticeFacts(it, o)}
	if _, err := e.apply(tx, a, &p, c); err != nil {
		return err
	}
	if o.Kind != gateway.KindPayment {
		if err := e.reviewHintedReturns(tx, a, &p, now); err != nil {
			return err
		}
	}
	if it.Variant > 0 {
		if err := e.compareVariants(tx, it, o, p, now); err != nil {
			return err
		}
	}
	if it.Repeats > 0 || it.Error != "" { // it may have been dead before
		if err := e.closeReview(tx, "dead_inbox", inboxSubject(it.ID), now, "worked on"); err != nil {
			return err
		}
	}
	_, err := tx.FinishItem(it.ID, store.Outcome{State: "done", PaymentID: p.ID, NowMs: now, DueMs: now})
	return err
}

// StoredRequest is a stored message as it came in, but for its credentials, of which only the digests are kept.
func StoredRequest(q store.Request) gateway.Request {
	return gateway.Request{
		Method: q.Method, Target: q.Target, Header: headersFrom(q.Header), Body: q.Body, At: time.UnixMilli(q.ReceivedMs).UTC(), RemoteIP: q.Remote, Redacted: true,
	}
}
