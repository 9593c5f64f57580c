package app

import (
	"strconv"
	"strings"

	"nodrop/app/payment"
	"nodrop/store"
)

// openReview opens a question and keeps the count on its payment right.
func (e *Engine) openReview(tx *store.Tx, v store.Review) (bool, error) {
	opened, err := tx.OpenReview(v)
	if err == nil && opened && v.PaymentID != 0 {
		err = tx.CountReviews(v.PaymentID)
	}
	return opened, err
}

// closeReview closes an open question that the facts have answered.
func (e *Engine) closeReview(tx *store.Tx, kind, subject string, now int64, answer string) error {
	v, ok, err := tx.OpenReviewOf(kind, subject)
	if err != nil || !ok {
		return err
	}
	if _, err := tx.CloseReview(v.ID, now, closedByFacts, answer, ""); err != nil || v.PaymentID == 0 {
		return err
	}
	return tx.CountReviews(v.PaymentID)
}

// noCurrency is the ISO 4217 code for no currency: no money is at risk, or how much is not known.
const noCurrency = "XXX"

// closedByFacts is who closes a question that nobody has to answer any more.
const closedByFacts = "nodrop"

func paymentSubject(p store.Payment, key string) string {
	subject := "payment:" + strconv.FormatInt(p.ID, 10)
	if key != "" {
		subject += ":" + key
	}
	return subject
}

func orderSubject(orderID int64, key string) string {
	return "order:" + strconv.FormatInt(orderID, 10) + ":" + key
}

// ruleReview is a stored review as the rules know it.
func ruleReview(v store.Review) payment.Review {
	parts := strings.SplitN(v.Subject, ":", 3)
	r := payment.Review{Reason: payment.Reason(v.Kind), AtRisk: v.AmountMinor, Currency: v.Currency, Urgent: v.Urgent}
	if len(parts) == 3 {
		r.Key = parts[2]
	}
	return r
}

// ofEngine are the kinds of reviews that do not follow from one payment's facts and so are not closed by them.
var ofEngine = map[string]bool{
	"duplicate": true, "reference_conflict": true, "money_without_order": true, "same_key_other_content": true,
	"dead_inbox": true, "dead_outbox": true, "shop_gone": true, "gateway_unaskable": true, overdueKind: true, unansweredKind: true, secondPaymentKind: true, unsoundKind: true,
	unprovedReturnKind: true, settlementKind: true, acceptReportKind: true,
}

// settleReviews opens the reviews that follow from the facts and closes those that no longer do.
func (e *Engine) settleReviews(tx *store.Tx, p *store.Payment, before store.Payment, due []payment.Review, siblings []store.Payment, c change) error {
	wanted := map[string]bool{}
	for _, r := range due {
		subject := paymentSubject(*p, r.Key)
		wanted[string(r.Reason)+" "+subject] = true
		opened, err := tx.OpenReview(store.Review{
			Kind: string(r.Reason), Subject: subject, PaymentID: p.ID, OrderID: p.OrderID, Gateway: p.Gateway,
			AmountMinor: r.AtRisk, Currency: r.Currency, Urgent: r.Urgent, OpenedMs: c.now,
		})
		if err != nil {
			return err
		}
		if opened {
			p.Reviews++
		}
	}
	if before.Reviews > 0 {
		if err := e.closeAnswered(tx, p, before, wanted, c); err != nil {
			return err
		}
	}
	return e.settleDuplicate(tx, p, siblings, c)
}

func (e *Engine) closeAnswered(tx *store.Tx, p *store.Payment, before store.Payment, wanted map[string]bool, c change) error {
	all, err := tx.ReviewsOfPayment(p.ID)
	if err != nil {
		return err
	}
	for _, v := range all {
		if v.State != "open" || ofEngine[v.Kind] || wanted[v.Kind+" "+v.Subject] {
			continue
		}
		if v.Kind == approvalKind {
			if kept, err := keptProposal(tx, v, before, *p, c); err != nil || kept {
				if err != nil {
					return err
				}
				continue
			}
		}
		by, answer, reason := c.closer(), c.answer(), c.reason
		if v.Kind == approvalKind { // it was made on what is no longer so
			by, answer, reason = closedByFacts, overtaken, ""
		}
		if _, err := tx.CloseReview(v.ID, c.now, by, answer, reason); err != nil {
			return err
		}
		p.Reviews--
	}
	return nil
}

// settleDuplicate keeps one review for an order as long as two of its payments are paid and no person has answered it.
func (e *Engine) settleDuplicate(tx *store.Tx, p *store.Payment, siblings []store.Payment, c change) error {
	if len(siblings) == 0 {
		return nil
	}
	all := append(siblings[:len(siblings):len(siblings)], *p)
	parts := orderParts(all)
	if _, due := payment.StandOrder(parts, payment.OrderFlags{}); len(due) > 0 {
		for i, q := range all {
			rows, err := tx.FactsOf(q.ID)
			if err != nil {
				return err
			}
			parts[i].Facts = factsFromRows(rows)
		}
	}
	_, due := payment.StandOrder(parts, payment.OrderFlags{})
	wanted := map[string]bool{}
	for _, r := range due {
		subject := orderSubject(p.OrderID, r.Key)
		wanted[subject] = true
		if _, err := tx.OpenReview(store.Review{Kind: string(r.Reason), Subject: subject, OrderID: p.OrderID, Gateway: p.Gateway,
			AmountMinor: r.AtRisk, Currency: r.Currency, Urgent: r.Urgent, OpenedMs: c.now}); err != nil {
			return err
		}
	}
	open, err := tx.OpenReviewsOfOrder(p.OrderID)
	if err != nil {
		return err
	}
	for _, v := range open {
		if v.Kind != string(payment.ReasonDuplicate) || wanted[v.Subject] {
			continue
		}
		if _, err := tx.CloseReview(v.ID, c.now, c.closer(), c.answer(), c.reason); err != nil {
			return err
		}
	}
	return nil
}

// closer is who closes the reviews that a change answers.
func (c change) closer() string {
	if c.actor != "" {
		return c.actor
	}
	return closedByFacts
}

// answer is the word under which a change closes reviews.
func (c change) answer() string {
	if c.act != "" {
		return c.act
	}
	return "answered"
}

// openDeadInbox asks a person about a dead letter of the inbox.
func (e *Engine) openDeadInbox(tx *store.Tx, it store.Item, now int64) error {
	v := store.Review{Kind: "dead_inbox", Subject: inboxSubject(it.ID), InboxID: it.ID, PaymentID: it.PaymentID, Gateway: it.Gateway, Currency: noCurrency, OpenedMs: now}
	if it.PaymentID == 0 && it.MerchantRef != "" {
		p, ok, err := tx.PaymentByMerchantRef(it.Gateway, it.MerchantRef, "")
		if err != nil {
			return err
		}
		if ok {
			v.PaymentID, v.OrderID, v.AmountMinor, v.Currency = p.ID, p.OrderID, p.AmountMinor, p.Currency
		}
	}
	_, err := e.openReview(tx, v)
	return err
}
