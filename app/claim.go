package app

import (
	"context"
	"strings"

	"nodrop/app/payment"
	"nodrop/store"
)

// ClaimView is a right to do a thing once for a payment, as the API shows it.
type ClaimView struct {
	Key       string  `json:"key"`
	PaymentID string  `json:"payment_id"`
	Owner     string  `json:"owner"`
	State     string  `json:"state"` // held, done, uncertain
	MadeAt    string  `json:"made_at"`
	DueAt     string  `json:"due_at"`
	DoneAt    *string `json:"done_at"`
}

// Claim takes a key for an owner: created the first time, the same claim for the same owner until done, else a conflict.
// A payment that is not a success to be fulfilled is KindUnprocessable.
func (e *Engine) Claim(ctx context.Context, key, publicID, owner string) (v ClaimView, created bool, err error) {
	for name, text := range map[string]string{"key": key, "owner": owner} {
		if err := checkRef(name, text); err != nil {
			return ClaimView{}, false, err
		}
	}
	err = e.store.Update(ctx, "claim", func(tx *store.Tx) error {
		p, _, err := e.paymentAndAccount(&tx.Rx, publicID)
		if err != nil {
			return err
		}
		if strings.HasPrefix(key, fulfilKey("")) && key != fulfilKey(p.Order.Ref) {
			return fail(KindUnprocessable, "other_order", "%q is the key of another order than that of payment %s", key, p.PublicID)
		}
		old, ok, err := tx.Claim(key)
		if err != nil {
			return err
		}
		if ok {
			v, err = e.claimAgain(tx, old, p, owner)
			return err
		}
		if err := e.claimable(tx, p); err != nil {
			return err
		}
		now := e.nowMs()
		c := store.Claim{Key: key, PaymentID: p.ID, Owner: owner, State: "held", MadeMs: now, DueMs: now + e.config.Shop.ClaimTimeout.Milliseconds()}
		if created, err = tx.InsertClaim(c); err != nil {
			return err
		}
		v = claimView(c, p)
		return nil
	})
	return v, created, err
}

func (e *Engine) claimAgain(tx *store.Tx, c store.Claim, p store.Payment, owner string) (ClaimView, error) {
	switch {
	case c.State == "uncertain":
		return ClaimView{}, fail(KindConflict, "uncertain", "whether %q was done before the database was restored is not known; a person must release it", c.Key)
	case c.State == "done":
		return ClaimView{}, fail(KindConflict, "done", "%q is done already", c.Key)
	case c.Owner != owner:
		return ClaimView{}, fail(KindConflict, "taken", "%q is taken by another owner", c.Key)
	case c.PaymentID != p.ID:
		return ClaimView{}, fail(KindConflict, "other_payment", "%q was claimed for another payment", c.Key)
	}
	return claimView(c, p), e.claimable(tx, p)
}

// claimable refuses what must not be fulfilled: no success, nothing left of it, a late or duplicate one that nobody decided.
func (e *Engine) claimable(tx *store.Tx, p store.Payment) error {
	if p.State != string(payment.Succeeded) || !p.Paid {
		return fail(KindUnprocessable, "not_paid", "payment %s is %s; only a success of which money is left can be claimed", p.PublicID, p.State)
	}
	if p.ReversedMinor > 0 {
		return fail(KindUnprocessable, "reversed", "money of payment %s was taken back", p.PublicID)
	}
	open, err := tx.OpenReviewsOfOrder(p.OrderID)
	if err != nil {
		return err
	}
	for _, v := range open {
		if v.Kind == string(payment.ReasonLate) && v.PaymentID == p.ID || v.Kind == string(payment.ReasonDuplicate) {
			return fail(KindUnprocessable, "undecided", "a person must decide first what becomes of payment %s (%s)", p.PublicID, v.Kind)
		}
		if v.Kind == string(payment.ReasonRefundOwed) && v.PaymentID == p.ID {
			return fail(KindUnprocessable, "refund_owed", "payment %s is to be refunded; it must not be fulfilled", p.PublicID)
		}
	}
	return nil
}

// FinishClaim says that what was claimed is done.
func (e *Engine) FinishClaim(ctx context.Context, key string) (v ClaimView, err error) {
	err = e.store.Update(ctx, "claim done", func(tx *store.Tx) error {
		now := e.nowMs()
		c, ok, err := tx.Claim(key)
		if err != nil {
			return err
		}
		if !ok {
			return fail(KindNotFound, "unknown_claim", "there is no claim %q", key)
		}
		if c.State == "uncertain" {
			return fail(KindConflict, "uncertain", "claim %q is from before the database was restored; a person must release it", key)
		}
		if c.State == "held" {
			if _, err := tx.FinishClaim(key, now); err != nil {
				return err
			}
			c.State, c.DoneMs = "done", now
		}
		if err := e.closeReview(tx, "claim_overdue", claimSubject(key), now, "done"); err != nil {
			return err
		}
		p, _, err := tx.Payment(c.PaymentID)
		v = claimView(c, p)
		return err
	})
	return v, err
}

func claimView(c store.Claim, p store.Payment) ClaimView {
	v := ClaimView{Key: c.Key, PaymentID: p.PublicID, Owner: c.Owner, State: c.State, MadeAt: instant(c.MadeMs), DueAt: instant(c.DueMs)}
	if c.DoneMs != 0 {
		at := instant(c.DoneMs)
		v.DoneAt = &at
	}
	return v
}

func claimSubject(key string) string { return "claim:" + key }

const claimBatch = 100

// overdueClaims asks a person about claims that were not done in time.
func (e *Engine) overdueClaims(tx *store.Tx, now int64) error {
	list, err := tx.OverdueClaims(now, claimBatch)
	if err != nil {
		return err
	}
	for _, c := range list {
		p, _, err := tx.Payment(c.PaymentID)
		if err != nil {
			return err
		}
		if _, err := e.openReview(tx, store.Review{
			Kind: "claim_overdue", Subject: claimSubject(c.Key), PaymentID: p.ID, OrderID: p.OrderID, Gateway: p.Gateway,
			AmountMinor: p.AmountMinor, Currency: p.Currency, OpenedMs: now,
		}); err != nil {
			return err
		}
		if err := tx.DelayClaim(c.Key, now+(24*60*60*1000)); err != nil {
			return err
		}
	}
	return nil
}
