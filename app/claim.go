package app

import (
	"context"
	"errors"
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
	return v, created, e.askIfUncertain(ctx, key, err)
}

// askIfUncertain asks a person about a claim that was refused because of a restore, for else nobody could release it.
func (e *Engine) askIfUncertain(ctx context.Context, key string, refused error) error {
	var r *Error
	if !errors.As(refused, &r) || r.Code != "uncertain" {
		return refused
	}
	err := e.store.Update(ctx, "uncertain claim", func(tx *store.Tx) error {
		c, ok, err := tx.Claim(key)
		if err != nil || !ok || c.State != "uncertain" {
			return err
		}
		return e.askAboutClaim(tx, c, e.nowMs())
	})
	return errors.Join(err, refused)
}

// askAboutClaim opens the question about a claim, unless a person has answered it and left the claim as it is.
func (e *Engine) askAboutClaim(tx *store.Tx, c store.Claim, now int64) error {
	asked, err := tx.ReviewsOfPayment(c.PaymentID)
	if err != nil {
		return err
	}
	for _, v := range asked {
		if v.Kind == overdueKind && v.Subject == claimSubject(c.Key) && (v.State == "open" || v.Answer == ActDismiss) {
			return nil
		}
	}
	return e.openClaimReview(tx, c, now)
}

func (e *Engine) openClaimReview(tx *store.Tx, c store.Claim, now int64) error {
	p, _, err := tx.Payment(c.PaymentID)
	if err != nil {
		return err
	}
	_, err = e.openReview(tx, store.Review{
		Kind: overdueKind, Subject: claimSubject(c.Key), PaymentID: p.ID, OrderID: p.OrderID, Gateway: p.Gateway,
		AmountMinor: p.AmountMinor, Currency: p.Currency, OpenedMs: now,
	})
	return err
}

// overdueKind is the kind of review about a claim that was not finished in time, or of which a restore left that open.
const overdueKind = "claim_overdue"

// uncertainClaims asks about the claims that were not finished when the database was restored.
func (e *Engine) uncertainClaims(ctx context.Context) error {
	var list []store.Claim
	err := e.store.View(ctx, "uncertain claims", func(rx *store.Rx) (err error) {
		list, err = rx.UncertainClaims(claimBatch)
		return err
	})
	if err != nil || len(list) == 0 {
		return err
	}
	return e.guard(ctx, "uncertain claims", func(tx *store.Tx) error {
		for _, c := range list {
			if err := e.askAboutClaim(tx, c, e.nowMs()); err != nil {
				return err
			}
		}
		return nil
	})
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
		if err := e.closeReview(tx, overdueKind, claimSubject(key), now, "done"); err != nil {
			return err
		}
		p, _, err := tx.Payment(c.PaymentID)
		v = claimView(c, p)
		return err
	})
	return v, e.askIfUncertain(ctx, key, err)
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
		if err := e.openClaimReview(tx, c, now); err != nil {
			return err
		}
		if err := tx.DelayClaim(c.Key, now+(24*60*60*1000)); err != nil {
			return err
		}
	}
	return nil
}
