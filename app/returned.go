package app

import (
	"nodrop/app/payment"
	"nodrop/store"
)

// The answers to a notice which proves nothing and says that money went back, and to a refund or dispute without its last word.
const (
	ActRecordRefund  = "record_refund"  // the gateway's dashboard shows the refund
	ActRecordDispute = "record_dispute" // it shows a dispute that is open
	ActRecordLoss    = "record_loss"    // it shows a dispute that is lost
	ActRecordNone    = "record_none"    // it shows that the refund failed or the dispute was won
)

// unprovedReturnKind is the kind of review about a refund or dispute that only a hint speaks of.
const unprovedReturnKind = "unproved_return"

// hintedReturnsKept is how many hints of one payment's refunds and disputes are kept while a question is still to be put.
const hintedReturnsKept = 5

// reviewHintedReturns asks a person about refunds and disputes of a success that only notices which prove nothing speak
// of, once the gateway was asked or where it cannot be. What the gateway says itself, since, closes the question.
func (e *Engine) reviewHintedReturns(tx *store.Tx, a *account, p *store.Payment, now int64) error {
	if p.State != string(payment.Succeeded) {
		return nil
	}
	rows, err := tx.FactsOf(p.ID)
	if err != nil {
		return err
	}
	facts := factsFromRows(rows)
	can, err := canAsk(&tx.Rx, a, *p)
	if err != nil {
		return err
	}
	for i, f := range facts {
		if !hintsReturn(f) || hintedSince(facts[i+1:], f) {
			continue
		}
		if proved(p, facts, f) || gone(f) {
			err = e.closeReview(tx, unprovedReturnKind, returnSubject(*p, string(f.Kind), f.Ref), now, "answered")
		} else if !can || p.LastAnsweredMs >= f.CommittedMs {
			err = e.openHintedReturn(tx, *p, rows[i], now)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func hintsReturn(f payment.Fact) bool {
	return f.Hint && (f.Kind == payment.FactRefund || f.Kind == payment.FactDispute)
}

func hintedSince(later []payment.Fact, f payment.Fact) bool {
	for _, g := range later {
		if hintsReturn(g) && g.Kind == f.Kind && g.Ref == f.Ref {
			return true
		}
	}
	return false
}

// proved tells whether the gateway itself, or a person who has looked, speaks of what a hint says; an answer since then that
// can be read, of a gateway that tells of such things at all, would tell of this one.
func proved(p *store.Payment, facts []payment.Fact, hint payment.Fact) bool {
	told := p.LastAnsweredMs >= hint.CommittedMs && p.LastAnswer != string(payment.WordUnreadable)
	for _, f := range facts {
		if f.Kind != hint.Kind || f.Hint || f.Ref != hint.Ref && !(told && f.Source == payment.SourceQuery) {
			continue
		}
		if f.Actor == "" || f.CommittedMs >= hint.CommittedMs {
			return true
		}
	}
	return false
}

// gone tells whether a hint says that nothing went back after all.
func gone(f payment.Fact) bool {
	return f.Status == payment.RefundFailed || f.Status == payment.DisputeWon
}

func returnSubject(p store.Payment, kind, ref string) string { return paymentSubject(p, kind+":"+ref) }

func (e *Engine) openHintedReturn(tx *store.Tx, p store.Payment, f store.Fact, now int64) error {
	subject := returnSubject(p, f.Kind, f.Ref)
	asked, err := tx.ReviewsOfPayment(p.ID)
	if err != nil {
		return err
	}
	for _, v := range asked {
		if v.Kind == unprovedReturnKind && v.Subject == subject && (v.State == "open" || v.ClosedMs >= f.CommittedMs) {
			return nil
		}
	}
	if many, err := full(tx, unprovedReturnKind, p.Gateway); err != nil || many {
		return err
	}
	amount := p.ReceivedMinor
	if f.HasAmount && f.Currency == p.Currency {
		amount = f.AmountMinor
	}
	_, err = e.openReview(tx, store.Review{
		Kind: unprovedReturnKind, Subject: subject, InboxID: f.InboxID, PaymentID: p.ID, OrderID: p.OrderID, Gateway: p.Gateway,
		AmountMinor: amount, Currency: p.Currency, OpenedMs: now,
	})
	return err
}

// record makes what a person saw in the gateway's dashboard a fact of the payment: the notice's own word, vouched for.
func (e *Engine) record(tx *store.Tx, d Decision, v store.Review, now int64) error {
	p, ok, err := tx.Payment(v.PaymentID)
	if err != nil || !ok {
		return err
	}
	f, err := vouched(tx, d, v, p, now)
	if err != nil || f.Kind == "" {
		return err
	}
	c := change{trigger: "person", evidence: v.InboxID, now: now, facts: []payment.Fact{f}, actor: d.Actor, act: d.Act, reason: d.Reason}
	_, err = e.apply(tx, e.gateways[p.Gateway], &p, c)
	return err
}

// vouched is the fact that a person's answer makes; setting aside takes back what was recorded before, and else makes none.
func vouched(tx *store.Tx, d Decision, v store.Review, p store.Payment, now int64) (payment.Fact, error) {
	facts, err := loadFacts(&tx.Rx, p)
	if err != nil {
		return payment.Fact{}, err
	}
	var hint, before payment.Fact
	for _, f := range facts {
		switch {
		case returnSubject(p, string(f.Kind), f.Ref) != v.Subject:
		case f.Actor != "":
			before = f
		case v.Kind != string(payment.ReasonWaiting):
			if hintsReturn(f) {
				hint = f
			}
		case !f.Hint && f.OwnMs >= hint.OwnMs:
			hint = f
		}
	}
	f := payment.Fact{
		Key: "vouched:" + itoa64(v.ID) + ":" + itoa64(p.Version) + ":" + d.Act, Kind: hint.Kind, Source: payment.SourceNotice, Ref: hint.Ref,
		Cumulative: hint.Cumulative, Status: recorded[d.Act], OwnMs: hint.OwnMs, Actor: d.Actor, Reason: d.Reason,
	}
	if before.Kind != "" {
		f.OwnMs = now // the later word wins
	}
	switch d.Act {
	case ActDismiss:
		return withdrawn(f, before), nil
	case ActRecordNone:
		return withdrawn(f, hint), nil
	}
	minor, err := parseTyped(d.Amount, p)
	if err != nil {
		return f, err
	}
	if minor <= 0 || minor > p.ReceivedMinor {
		return f, fail(KindInvalid, payment.RefusedOther, "no more than what was received, %s %s, can have gone back", payment.FormatAmount(p.ReceivedMinor, p.Currency), p.Currency)
	}
	f.HasAmount, f.Amount, f.Currency = true, minor, p.Currency
	return f, nil
}

// recorded is what each answer says of the refund or dispute.
var recorded = map[string]string{ActRecordRefund: payment.RefundSucceeded, ActRecordDispute: payment.DisputeOpen, ActRecordLoss: payment.DisputeLost, ActRecordNone: payment.RefundFailed}

// withdrawn takes back what was said before, or recorded by a person; no fact where nobody did.
func withdrawn(f, before payment.Fact) payment.Fact {
	if before.Kind == "" {
		return payment.Fact{}
	}
	f.HasAmount, f.Amount, f.Currency, f.Status = before.HasAmount, before.Amount, before.Currency, payment.RefundFailed
	if f.Kind == payment.FactDispute {
		f.Status = payment.DisputeWon
	}
	return f
}

// roomForReturn tells whether one more hint about a payment's refunds and disputes is kept.
func roomForReturn(tx *store.Tx, paymentID int64) (bool, error) {
	p, ok, err := tx.Payment(paymentID)
	if err != nil || !ok {
		return false, err
	}
	facts, err := loadFacts(&tx.Rx, p)
	n := 0
	for _, f := range facts {
		if hintsReturn(f) {
			n++
		}
	}
	return n < hintedReturnsKept, err
}
