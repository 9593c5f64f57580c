package app

import (
	"context"
	"errors"

	"nodrop/store"
)

// poisoned tells whether work failed because of what it is about, and not because the database takes no write now.
func poisoned(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && !store.Retryable(err) && !errors.Is(err, store.ErrRefusing) && !errors.Is(err, store.ErrUnknownOutcome)
}

// singly works on up to n due appointments of a lane one by one, after a batch of them has failed: one that cannot be
// worked on keeps no other waiting. It is due again after its lease, and a person is asked.
func (e *Engine) singly(ctx context.Context, gateway string, lane int64, n int, work func(*store.Tx, store.Timer, int64) error) error {
	for range n {
		var taken []store.Timer
		now := e.nowMs()
		err := e.guard(ctx, "take one", func(tx *store.Tx) (err error) {
			taken, err = tx.ClaimTimers(gateway, lane, now, now+e.pace.AskLease.Milliseconds(), 1)
			return err
		})
		if err != nil || len(taken) == 0 {
			return err
		}
		err = e.guard(ctx, "one appointment", func(tx *store.Tx) error { return work(tx, taken[0], now) })
		if poisoned(ctx, err) {
			e.log.Error("an appointment cannot be worked on; it is tried again", "payment", taken[0].PaymentID, "why", taken[0].Why, "error", err)
			err = e.guard(ctx, "unsound", func(tx *store.Tx) error { return openUnsound(tx, now) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// openUnsound asks a person about a database that breaks its laws or that cannot be worked on; what is wrong stands in the log.
func openUnsound(tx *store.Tx, now int64) error {
	_, err := tx.OpenReview(store.Review{Kind: unsoundKind, Subject: "database", Currency: noCurrency, Urgent: true, OpenedMs: now})
	return err
}
