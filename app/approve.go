package app

import (
	"context"
	"slices"
	"strings"

	"nodrop/app/payment"
	"nodrop/store"
)

// The acts of the second person that a decision above the limit needs.
const (
	ActApprove  = "approve"   // the decision takes effect
	ActTurnDown = "turn_down" // it does not; its own maker withdraws it so
)

// ActPropose is what the audit calls a decision that waits for approval.
const ActPropose = "propose"

// overtaken is the answer to a proposal whose payment has changed since it was made.
const overtaken = "overtaken"

// approvalKind is the kind of review that asks whether a decision above the limit is approved.
const approvalKind = "approval_wanted"

// moneyActs are the decisions after which goods or money leave, or that say of money that it came or went.
var moneyActs = []string{
	string(payment.ActMarkSucceeded), string(payment.ActAccept), string(payment.ActMoneyBack), string(payment.ActFulfil), string(payment.ActRefund),
	string(payment.ActRefundProof), string(payment.ActKeepBoth), string(payment.ActUndo), ActLink, ActRecordRefund, ActRecordDispute, ActRecordLoss, ActRecordNone, ActAcceptReport,
}

// needsApproval tells whether a decision is above the limit. A refund counts together with what was refunded before, so
// that it cannot be cut into small ones; everything else counts with at least the whole payment.
func (e *Engine) needsApproval(d Decision, v store.Review, p store.Payment) bool {
	limits := e.config.Limits.ApproveAbove
	if !slices.Contains(moneyActs, d.Act) {
		return false
	}
	typed, _ := payment.ParseAmount(d.Amount, p.Currency) // one that cannot be read is refused before
	if d.Act == string(payment.ActRefund) {
		return limits.Needs(p.RefundedMinor+typed, p.Currency)
	}
	if d.Act == ActLink && limits.Needs(v.AmountMinor, v.Currency) {
		return true
	}
	return limits.Needs(max(typed, p.AmountMinor, p.ReceivedMinor), p.Currency)
}

// propose writes a decision down and asks whether another person approves it.
func (e *Engine) propose(tx *store.Tx, d Decision, v store.Review, p store.Payment, now int64) error {
	amount := max(p.AmountMinor, p.ReceivedMinor)
	if typed, err := payment.ParseAmount(d.Amount, p.Currency); err == nil {
		amount = typed
	}
	subject := paymentSubject(p, "")
	opened, err := e.openReview(tx, store.Review{
		Kind: approvalKind, Subject: subject, PaymentID: p.ID, OrderID: p.OrderID, InboxID: v.InboxID, Gateway: p.Gateway,
		AmountMinor: amount, Currency: p.Currency, Urgent: v.Urgent, OpenedMs: now,
	})
	if err != nil {
		return err
	}
	if !opened {
		return fail(KindUnprocessable, "approval_waits", "another decision about payment %s waits for approval; approve it or turn it down first", p.PublicID)
	}
	asked, _, err := tx.OpenReviewOf(approvalKind, subject)
	if err != nil {
		return err
	}
	return tx.InsertProposal(store.Proposal{
		ReviewID: asked.ID, PaymentID: p.ID, Answers: v.ID, Version: p.Version, Act: d.Act, Basis: d.Basis, Amount: d.Amount, Reason: d.Reason, Refers: d.Refers, Actor: d.Actor,
	})
}

// answerProposal approves a decision, which then takes effect as its maker's, or turns it down.
func (e *Engine) answerProposal(tx *store.Tx, d Decision, v store.Review, now int64) error {
	made, ok, err := tx.Proposal(v.ID)
	if err != nil {
		return err
	}
	if !ok {
		return fail(KindStale, "stale", "the decision that waited is gone")
	}
	if d.Act == ActApprove && d.Actor == made.Actor {
		return fail(KindForbidden, "own_decision", "%s made this decision; another person must approve it", made.Actor)
	}
	if _, err := tx.CloseReview(v.ID, now, d.Actor, d.Act, d.Reason); err != nil {
		return err
	}
	if err := tx.CountReviews(made.PaymentID); err != nil || d.Act != ActApprove {
		return err
	}
	return e.takeEffect(tx, made, now)
}

// takeEffect carries out a decision that was approved, if what it was made on is still so.
func (e *Engine) takeEffect(tx *store.Tx, made store.Proposal, now int64) error {
	p, ok, err := tx.Payment(made.PaymentID)
	if err != nil {
		return err
	}
	var v store.Review
	if ok && made.Answers != 0 {
		v, ok, err = tx.Review(made.Answers)
		if err != nil {
			return err
		}
		ok = ok && (v.State == "open" || made.Act == string(payment.ActUndo))
	}
	if !ok || p.Version != made.Version {
		return fail(KindStale, overtaken, "payment %s has changed since the decision was made; turn it down and decide anew", p.PublicID)
	}
	d := Decision{Actor: made.Actor, PaymentID: p.PublicID, ReviewID: made.Answers, Version: made.Version, Act: made.Act, Basis: made.Basis, Amount: made.Amount,
		Reason: made.Reason, Refers: made.Refers, FormKey: "approved:" + itoa64(made.ReviewID)}
	if made.Act == ActLink {
		d.LinkTo = p.PublicID
	}
	return e.takesEffect(tx, d, v, p, now)
}

// keptProposal tells whether a decision goes on waiting for approval when its payment changes. It stands where what it
// rests on is as it was. Where that changed, it can only be turned down, which a person has to see; but a success that
// needs no such decision any more ends it.
func keptProposal(tx *store.Tx, v store.Review, before, now store.Payment, c change) (bool, error) {
	if c.act == string(payment.ActNote) || sameStanding(before, now) {
		return true, tx.KeepProposal(v.ID, now.Version)
	}
	made, ok, err := tx.Proposal(v.ID)
	if err != nil || !ok {
		return false, err
	}
	wantsSuccess := made.Act == string(payment.ActMarkSucceeded) || made.Act == string(payment.ActAccept)
	return !wantsSuccess || now.State != string(payment.Succeeded), nil
}

func sameStanding(a, b store.Payment) bool {
	return a.State == b.State && a.Cause == b.Cause && a.Late == b.Late && a.ReceivedMinor == b.ReceivedMinor && a.RefundedMinor == b.RefundedMinor &&
		a.DisputedMinor == b.DisputedMinor && a.ReversedMinor == b.ReversedMinor
}

// approveBlocked is why a decision cannot be approved any more; "" when it can.
func approveBlocked(rx *store.Rx, v store.Review) (string, error) {
	made, ok, err := rx.Proposal(v.ID)
	if err != nil || !ok {
		return "", err
	}
	p, _, err := rx.Payment(made.PaymentID)
	return blockedUnless(p.Version == made.Version, overtaken), err
}

// ProposalOf returns the decision that a review asks another person to approve.
func (e *Engine) ProposalOf(ctx context.Context, reviewID int64) (p store.Proposal, ok bool, err error) {
	err = e.store.View(ctx, "proposal", func(rx *store.Rx) error {
		p, ok, err = rx.Proposal(reviewID)
		return err
	})
	return p, ok, err
}

// asProposed is a decision as the audit tells of it while it waits.
func asProposed(d Decision) Decision {
	d.Reason += " [wants " + d.Act + "]"
	d.Act = ActPropose
	return d
}

// Proposed reads which act the audit's detail of a proposal wants, and what it rests on.
func Proposed(detail string) (act, reason string) {
	at := strings.LastIndex(detail, " [wants ")
	if at < 0 || !strings.HasSuffix(detail, "]") {
		return "", detail
	}
	return detail[at+len(" [wants ") : len(detail)-1], detail[:at]
}

// stillWaits tells whether the decision of a form that was sent before waits for approval.
func stillWaits(tx *store.Tx, d Decision) (bool, error) {
	a, ok, err := tx.AuditOfForm(d.FormKey)
	return ok && a.Action == ActPropose, err
}
