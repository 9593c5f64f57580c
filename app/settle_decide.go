package app

import (
	"context"
	"slices"
	"strings"

	"nodrop/app/payment"
	"nodrop/store"
)

const (
	// decideAtOnce is how many differences one commit decides.
	decideAtOnce = 50
	// decideMost is how many differences one form decides.
	decideMost = 5000
)

// DecideDifferences carries out a person's answer to differences and tells how many it was carried out on. A difference
// that has changed since the person looked is KindStale, and an answer that it does not allow KindUnprocessable: nothing of
// its part of the form is done then. The same form again goes on where it ended.
func (e *Engine) DecideDifferences(ctx context.Context, d DifferenceDecision) (done int, err error) {
	d.Reason = strings.TrimSpace(d.Reason)
	if err := checkDifferenceDecision(d); err != nil {
		return 0, err
	}
	defer e.wakeAll()
	for first := 0; first < len(d.IDs); first += decideAtOnce {
		part := d
		last := min(first+decideAtOnce, len(d.IDs))
		part.IDs, part.Versions = d.IDs[first:last], d.Versions[first:last]
		if d.FormKey != "" && first > 0 {
			part.FormKey = d.FormKey + ":" + itoa64(int64(first))
		}
		n := 0
		err := e.store.Update(ctx, "decide differences", func(tx *store.Tx) (err error) {
			n, err = e.decidePart(tx, part)
			return err
		})
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

func checkDifferenceDecision(d DifferenceDecision) error {
	switch {
	case len(d.IDs) == 0 || len(d.IDs) != len(d.Versions):
		return fail(KindInvalid, "no_differences", "choose at least one difference")
	case len(d.IDs) > decideMost:
		return fail(KindInvalid, "too_many", "at most %d differences are decided at once", decideMost)
	case !slices.Contains(differenceActs, d.Act):
		return fail(KindInvalid, "unknown_act", "%q is no answer to a difference; choose one of %v", d.Act, differenceActs)
	}
	return checkWhoAndWhy(Decision{Actor: d.Actor, Reason: d.Reason, Act: d.Act})
}

var differenceActs = []string{ActAcceptDifference, ActAskDifference, ActIgnoreDifference, ActReopenDifference, ActNoteDifference, ActLinkDifference, ActAcceptReport}

func (e *Engine) decidePart(tx *store.Tx, d DifferenceDecision) (int, error) {
	if d.FormKey != "" {
		if used, err := tx.FormUsed(d.FormKey); err != nil || used {
			return len(d.IDs), err
		}
	}
	touched := map[int64]bool{}
	for i, id := range d.IDs {
		one, ok, err := tx.Difference(id)
		if err != nil {
			return 0, err
		}
		if !ok || one.State == DifferenceNew {
			return 0, fail(KindNotFound, "unknown_difference", "there is no difference %d", id)
		}
		if one.Version != d.Versions[i] {
			return 0, fail(KindStale, "stale", "difference %d has changed since you looked at it; look again and decide then", id)
		}
		touched[one.DayID] = true
		if err := e.decideDifference(tx, d, one); err != nil {
			return 0, err
		}
		key := ""
		if i == 0 {
			key = d.FormKey
		}
		if err := e.auditDifference(tx, d, one, key); err != nil {
			return 0, err
		}
	}
	return len(d.IDs), e.reviewTouched(tx, touched)
}

func (e *Engine) auditDifference(tx *store.Tx, d DifferenceDecision, one store.Difference, key string) error {
	detail := d.Reason
	if d.PaymentRef != "" {
		detail += " [link " + d.PaymentRef + "]"
	}
	ok, err := tx.InsertAudit(store.Audit{AtMs: e.nowMs(), Actor: d.Actor, Action: d.Act, Subject: DifferenceSubject(one.ID), PaymentID: one.PaymentID, Detail: detail, FormKey: key})
	if err == nil && !ok {
		return fail(KindStale, "form_used", "this form was sent before")
	}
	return err
}

// DifferenceSubject is how the audit names a difference.
func DifferenceSubject(id int64) string { return "difference " + itoa64(id) }

// actsOn lists the answers that a difference allows now.
func (e *Engine) actsOn(rx *store.Rx, d store.Difference) (acts []string, askable bool, err error) {
	if !waits(d) {
		return []string{ActReopenDifference, ActNoteDifference}, false, nil
	}
	acts = []string{ActAcceptDifference, ActIgnoreDifference, ActNoteDifference}
	if d.Kind == findMissingHere && d.InboxID != 0 && d.PaymentID == 0 {
		acts = append(acts, ActLinkDifference)
	}
	p, ok, err := rx.Payment(d.PaymentID)
	if err != nil || !ok {
		return acts, false, err
	}
	a, ok := e.gateways[p.Gateway]
	if !ok {
		return acts, false, nil
	}
	if askable, err = canAsk(rx, a, p); err != nil {
		return nil, false, err
	}
	if askable {
		acts = append(acts, ActAskDifference)
	}
	if d.Kind == findBehind && !askable && p.State != string(payment.Succeeded) {
		acts = append(acts, ActAcceptReport)
	}
	return acts, askable, nil
}

func (e *Engine) decideDifference(tx *store.Tx, d DifferenceDecision, one store.Difference) error {
	acts, _, err := e.actsOn(&tx.Rx, one)
	if err != nil {
		return err
	}
	if !slices.Contains(acts, d.Act) {
		return fail(KindUnprocessable, "not_allowed", "%q does not answer difference %d (%s, %s); choose one of %v", d.Act, one.ID, one.Kind, one.State, acts)
	}
	now := e.nowMs()
	switch d.Act {
	case ActNoteDifference:
		return nil // the audit holds it
	case ActLinkDifference:
		return e.linkDifference(tx, d, one, now)
	case ActAcceptReport:
		return e.acceptReport(tx, d, one, now)
	case ActAskDifference:
		p, _, err := tx.Payment(one.PaymentID)
		if err != nil {
			return err
		}
		if err := e.makeAppointment(tx, p, now); err != nil {
			return err
		}
		one.State, one.AskedMs, one.DueMs = DifferenceAsking, now, now+askFor.Milliseconds()
	case ActReopenDifference:
		one.State, one.OpenedMs, one.ClosedMs, one.ClosedBy, one.Answer, one.Reason = DifferenceOpen, now, 0, "", "", ""
	default:
		one.State, one.ClosedMs, one.ClosedBy, one.Answer, one.Reason = DifferenceDecided, now, d.Actor, d.Act, d.Reason
	}
	return changed(tx.SetDifference(one))
}

func changed(ok bool, err error) error {
	if err == nil && !ok {
		return fail(KindStale, "stale", "the difference has changed meanwhile; look again and decide then")
	}
	return err
}

// linkDifference applies what a line says to the payment that a person names.
func (e *Engine) linkDifference(tx *store.Tx, d DifferenceDecision, one store.Difference, now int64) error {
	p, err := e.namedPayment(tx, d.PaymentRef, one)
	if err != nil {
		return err
	}
	v, err := e.reviewOfLine(tx, one, now)
	if err != nil {
		return err
	}
	decision := Decision{Actor: d.Actor, ReviewID: v.ID, Act: ActLink, LinkTo: p.PublicID, Reason: d.Reason}
	waits, err := e.carryOut(tx, decision, v, store.Payment{})
	if err != nil || waits {
		return err
	}
	return e.judgeOneAgain(tx, one.ID, map[int64]bool{})
}

// reviewOfLine is the question about money without an order that a line raises, opened if it is not yet.
func (e *Engine) reviewOfLine(tx *store.Tx, one store.Difference, now int64) (store.Review, error) {
	subject := inboxSubject(one.InboxID)
	v, ok, err := tx.OpenReviewOf("money_without_order", subject)
	if err != nil || ok {
		return v, err
	}
	w, ok, err := tx.GetWork(one.InboxID)
	if err != nil {
		return v, err
	}
	if !ok || w.State != "parked" {
		return v, fail(KindStale, "notice_moved", "what the line says is still being worked on, or has been dealt with; look again")
	}
	v = store.Review{Kind: "money_without_order", Subject: subject, InboxID: one.InboxID, Gateway: w.Gateway, AmountMinor: one.RiskMinor, Currency: one.Currency, OpenedMs: now}
	if _, err := e.openReview(tx, v); err != nil {
		return v, err
	}
	v, _, err = tx.OpenReviewOf(v.Kind, subject)
	return v, err
}

// namedPayment finds a payment by its public id or by its merchant reference at the gateway of a difference.
func (e *Engine) namedPayment(tx *store.Tx, ref string, one store.Difference) (store.Payment, error) {
	p, ok, err := tx.PaymentByPublicID(ref)
	if err != nil || ok {
		return p, err
	}
	day, _, err := tx.Day(one.DayID)
	if err != nil {
		return p, err
	}
	list, err := tx.PaymentsByMerchantRef(day.Gateway, ref)
	if err != nil {
		return p, err
	}
	switch len(list) {
	case 1:
		return list[0], nil
	case 0:
		return p, fail(KindNotFound, "unknown_payment", "there is no payment %q at %s", ref, day.Gateway)
	}
	return p, fail(KindInvalid, "ambiguous", "%d payments have the reference %q; name one by its id", len(list), ref)
}

// acceptReport takes the report's word on a payment about which no gateway can be asked: a person's decision that rests on
// the gateway.
func (e *Engine) acceptReport(tx *store.Tx, d DifferenceDecision, one store.Difference, now int64) error {
	p, _, err := tx.Payment(one.PaymentID)
	if err != nil {
		return err
	}
	if one.Currency != p.Currency {
		return fail(KindUnprocessable, "other_currency", "the report has %s, payment %s is in %s", one.Currency, p.PublicID, p.Currency)
	}
	if err := e.openAcceptReport(tx, one, now); err != nil {
		return err
	}
	v, ok, err := tx.OpenReviewOf(acceptReportKind, paymentSubject(p, ""))
	if err != nil {
		return err
	}
	if !ok {
		return fail(KindStale, "stale", "payment %s has been dealt with meanwhile", p.PublicID)
	}
	decision := Decision{Actor: d.Actor, ReviewID: v.ID, Version: p.Version, Act: ActAcceptReport, Amount: payment.FormatAmount(one.SeenMinor, one.Currency), Reason: d.Reason}
	waits, err := e.carryOut(tx, decision, v, p)
	if err != nil || waits {
		return err
	}
	return e.judgeOneAgain(tx, one.ID, map[int64]bool{})
}

// reportAccepted is the decision that accepting a report's word amounts to.
func reportAccepted(d Decision) Decision {
	d.Act, d.Basis, d.ReviewID = string(payment.ActMarkSucceeded), string(payment.BasisGateway), 0
	return d
}
