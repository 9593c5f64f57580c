package app

import (
	"context"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// What notices that prove nothing may bring about, for anybody can send them.
const (
	hintedReviews   = 20   // open reviews of one gateway and kind
	unprovedKept    = 1000 // messages of one gateway that are about no payment of ours
	unprovedPruning = 100  // batches of messages dropped in one round of housekeeping
)

// unproved tells whether anybody can have sent a notice: the gateway signs nothing, or this one it did not.
func (a *account) unproved(secret int, o gateway.Observation) bool {
	return a.unsigned && o.Hint && secret < 0
}

// askAgain makes an appointment because of a hint alone; many of them about one payment are one question. It tells whether
// the gateway can be asked.
func (e *Engine) askAgain(tx *store.Tx, a *account, paymentID, at int64) (can bool, err error) {
	p, ok, err := tx.Payment(paymentID)
	if err != nil || !ok {
		return false, err
	}
	if can, err = canAsk(&tx.Rx, a, p); err != nil || !can {
		return false, err
	}
	return true, tx.WantHint(store.Timer{PaymentID: p.ID, Gateway: a.name, Lane: store.LaneHinted, DueMs: at, Refers: at, Why: checkNow})
}

// coalesce ends a notice that nothing proves without making a fact of it: while the question that an earlier one wanted is
// still to be put, whose answer says all that this one could, and where its word is none that the definition knows.
func (e *Engine) coalesce(tx *store.Tx, a *account, w store.Work, o gateway.Observation, paymentID int64) (done bool, err error) {
	if o.Kind != gateway.KindPayment { // an answer about the payment may not tell of it
		if room, err := roomForReturn(tx, paymentID); err != nil || room {
			return false, err
		}
	}
	hint, exists, err := tx.HintOf(paymentID)
	unknown := factOf(o, 0).Kind == payment.FactUnmapped
	if err != nil || !exists && !unknown {
		return false, err
	}
	now := e.nowMs()
	if !exists || hint.LeasedMs != 0 { // the one under way may have been put too early
		if can, err := e.askAgain(tx, a, paymentID, now); err != nil || !can {
			return false, err
		}
	}
	if err := e.unpark(tx, w.Item, now); err != nil {
		return false, err
	}
	dropped, err := tx.DropHinted(w.Item.ID)
	if err != nil || dropped {
		return dropped, err
	}
	return tx.FinishItem(w.Item.ID, store.Outcome{State: "done", PaymentID: paymentID, NowMs: now, DueMs: now})
}

// enough tells whether hints have opened so many reviews of a kind that one more tells a person nothing new.
func (e *Engine) enough(tx *store.Tx, a *account, kind string, o gateway.Observation) (bool, error) {
	if !o.Hint {
		return false, nil
	}
	return full(tx, kind, a.name)
}

// full tells whether as many reviews of a kind are open as hints may open.
func full(tx *store.Tx, kind, gateway string) (bool, error) {
	open, err := tx.CountOpen(kind, gateway)
	return open >= hintedReviews, err
}

// junk is what becomes of a message that nobody can read and nothing proves: a dead letter, or nothing once there are many.
func (e *Engine) junk(tx *store.Tx, a *account) (state string, err error) {
	if many, err := full(tx, "dead_inbox", a.name); err != nil || many {
		return "ignored", err
	}
	return "dead", nil
}

// pruneUnproved keeps few of the messages that anybody can have sent and that are about no payment of ours.
func (e *Engine) pruneUnproved(ctx context.Context) error {
	for _, name := range e.names {
		if !e.gateways[name].unsigned {
			continue
		}
		for range unprovedPruning {
			n := int64(0)
			err := e.guard(ctx, "prune unproved", func(tx *store.Tx) (err error) {
				n, err = tx.PruneUnproved(name, unprovedKept)
				return err
			})
			if err != nil {
				return err
			}
			if n == 0 {
				break
			}
		}
	}
	return nil
}
