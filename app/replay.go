package app

import (
	"context"
	"fmt"

	"nodrop/store"
)

// replayLimit bounds how many dead letters one act wakes.
const replayLimit = 10_000

// ReplayCount tells how many dead letters of a gateway ("" for all) and reason ("" for all) a replay would wake.
func (e *Engine) ReplayCount(ctx context.Context, gateway, reason string) (n int, err error) {
	err = e.store.View(ctx, "replay count", func(rx *store.Rx) error {
		ids, err := rx.DeadItems(gateway, reason, replayLimit)
		n = len(ids)
		return err
	})
	return n, err
}

// Replay is a person's wish to have dead letters worked on again.
type Replay struct {
	Actor, FormKey, Reason string
	Gateway, DeadReason    string // filter; "" for all
	Expected               int    // the count that the person saw
}

// ReplayAll wakes the dead letters that a filter selects, if there are as many as the person saw.
func (e *Engine) ReplayAll(ctx context.Context, r Replay) (n int, err error) {
	if r.Reason == "" {
		return 0, fail(KindInvalid, "reason_required", "write in a few words why these are worked on again")
	}
	err = e.store.Update(ctx, "replay", func(tx *store.Tx) error {
		ids, err := tx.DeadItems(r.Gateway, r.DeadReason, replayLimit)
		if err != nil {
			return err
		}
		used, err := tx.FormUsed(r.FormKey)
		if err != nil || used {
			return err
		}
		if len(ids) != r.Expected {
			return fail(KindStale, "count_changed", "%d dead letters match now, not %d; look again", len(ids), r.Expected)
		}
		for _, id := range ids {
			if err := e.replay(tx, id, r.Actor); err != nil {
				return err
			}
		}
		n = len(ids)
		return e.auditOnce(tx, store.Audit{Actor: r.Actor, Action: ActReplay, Subject: fmt.Sprintf("%d dead letters", n), Detail: r.Reason, FormKey: r.FormKey})
	})
	e.wakeAll()
	return n, err
}

// ReplayOne wakes one dead or parked inbox row.
func (e *Engine) ReplayOne(ctx context.Context, actor, formKey string, inboxID int64) error {
	err := e.store.Update(ctx, "replay one", func(tx *store.Tx) error {
		used, err := tx.FormUsed(formKey)
		if err != nil || used {
			return err
		}
		if err := e.replay(tx, inboxID, actor); err != nil {
			return err
		}
		return e.auditOnce(tx, store.Audit{Actor: actor, Action: ActReplay, Subject: inboxSubject(inboxID), FormKey: formKey})
	})
	e.wakeAll()
	return err
}

func (e *Engine) replay(tx *store.Tx, id int64, actor string) error {
	now := e.nowMs()
	ok, err := tx.WakeItem(id, now)
	if err != nil {
		return err
	}
	if !ok {
		return fail(KindStale, "not_waiting", "inbox entry %d is neither dead nor parked", id)
	}
	v, ok, err := tx.OpenReviewOf("dead_inbox", inboxSubject(id))
	if err != nil || !ok {
		return err
	}
	if _, err := tx.CloseReview(v.ID, now, actor, ActReplay, ""); err != nil || v.PaymentID == 0 {
		return err
	}
	return tx.CountReviews(v.PaymentID)
}

// Resend has one event sent to the shop again under its id.
func (e *Engine) Resend(ctx context.Context, actor, formKey string, seq int64) error {
	err := e.store.Update(ctx, "resend", func(tx *store.Tx) error {
		used, err := tx.FormUsed(formKey)
		if err != nil || used {
			return err
		}
		ok, err := tx.Resend(seq, e.nowMs())
		if err != nil {
			return err
		}
		if !ok {
			return fail(KindUnprocessable, "no_address", "event %d cannot be sent: there is none, or no address of the shop is configured", seq)
		}
		return e.auditOnce(tx, store.Audit{Actor: actor, Action: ActResend, Subject: "outbox:" + itoa64(seq), FormKey: formKey})
	})
	e.wakeAll()
	return err
}

func (e *Engine) auditOnce(tx *store.Tx, a store.Audit) error {
	a.AtMs = e.nowMs()
	ok, err := tx.InsertAudit(a)
	if err == nil && !ok {
		return fail(KindStale, "form_used", "this form was sent before")
	}
	return err
}
