package app

import (
	"slices"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// match is which payment an observation is about.
type match struct {
	payment  store.Payment // ID 0: none that we know
	conflict bool          // gateway ref and merchant reference name different payments
	other    store.Payment // in a conflict: what the merchant reference names
}

// match looks by gateway ref first, then by merchant reference.
func (e *Engine) match(tx *store.Tx, a *account, w store.Work, o gateway.Observation, now int64) (match, error) {
	if w.Channel == channelReport && w.PaymentID != 0 { // the line was matched when it was read
		p, _, err := tx.Payment(w.PaymentID)
		return match{payment: p}, err
	}
	var byRef int64
	for _, ref := range o.Refs {
		id, ok, err := tx.PaymentOfRef(a.name, store.GatewayRef{Kind: ref.Kind, Ref: ref.ID})
		if err != nil {
			return match{}, err
		}
		if ok && byRef != 0 && id != byRef {
			return e.conflict(tx, byRef, id)
		}
		if ok {
			byRef = id
		}
	}
	if byRef == 0 {
		p, err := e.matchMerchantRef(tx, a, o, a.unproved(w.Request.Secret, o), now)
		return match{payment: p}, err
	}
	p, _, err := tx.Payment(byRef)
	if err != nil || o.MerchantRef == "" || o.MerchantRef == p.MerchantRef {
		return match{payment: p}, err
	}
	others, err := tx.PaymentsByMerchantRef(a.name, o.MerchantRef)
	if err != nil {
		return match{}, err
	}
	if len(others) == 0 { // the gateway may have been told the order instead
		return match{payment: p, conflict: o.MerchantRef != p.Order.Ref && !o.OwnNumber()}, nil
	}
	return match{payment: p, conflict: true, other: others[0]}, nil
}

func (e *Engine) conflict(tx *store.Tx, one, other int64) (match, error) {
	p, _, err := tx.Payment(one)
	if err != nil {
		return match{}, err
	}
	q, _, err := tx.Payment(other)
	return match{payment: p, conflict: true, other: q}, err
}

// matchMerchantRef finds the payment of a reference. Where the gateway lets one reference be paid several times, an
// attempt that is new gets the registered payment if that has none yet, else a payment of its own; one that anybody can have
// invented gets neither.
func (e *Engine) matchMerchantRef(tx *store.Tx, a *account, o gateway.Observation, unproved bool, now int64) (store.Payment, error) {
	if o.MerchantRef == "" {
		return store.Payment{}, nil
	}
	if o.Attempt == "" {
		p, _, err := tx.PaymentByMerchantRef(a.name, o.MerchantRef, "")
		if err != nil || p.ID != 0 || a.facts.AttemptKind == "" {
			return p, err
		}
	}
	list, err := tx.PaymentsByMerchantRef(a.name, o.MerchantRef)
	if err != nil || len(list) == 0 {
		return store.Payment{}, err
	}
	for _, p := range list {
		if o.Attempt == "" || p.Attempt == o.Attempt {
			return p, nil
		}
	}
	if unproved {
		return list[0], nil
	}
	for _, p := range list {
		if p.Attempt == "" {
			p.Attempt = o.Attempt
			return p, tx.BindAttempt(p.ID, o.Attempt)
		}
	}
	return e.registerAttempt(tx, a, list[0], o.Attempt, now)
}

// bind gives a payment the gateway's ids that an observation names and it does not have yet, and adopts the notices that
// waited for them. A notice that proves nothing binds only where the payment could not be asked about otherwise.
func (e *Engine) bind(tx *store.Tx, a *account, p *store.Payment, o gateway.Observation, now int64) error {
	if o.Hint {
		if a.unsigned {
			return nil // anybody could have the payment asked about by an id of theirs
		}
		if can, err := canAsk(&tx.Rx, a, *p); err != nil || can {
			return err
		}
	}
	had, err := tx.RefsOfPayment(p.ID)
	if err != nil {
		return err
	}
	if p.Attempt == "" && o.Attempt != "" && o.Word == payment.WordSucceeded {
		if err := e.bindAttempt(tx, a, p, o.Attempt); err != nil {
			return err
		}
	}
	second := false
	var fresh []store.GatewayRef
	for _, ref := range o.Refs {
		if ref.Kind == a.facts.AttemptKind && ref.ID != p.Attempt {
			continue // of another try, or of one that need not be the payment's
		}
		r := store.GatewayRef{Kind: ref.Kind, Ref: ref.ID}
		if slices.Contains(had, r) {
			continue
		}
		taken, err := tx.AddRef(a.name, r, p.ID)
		if err != nil {
			return err
		}
		if taken == 0 {
			fresh = append(fresh, r)
			second = second || slices.ContainsFunc(had, func(h store.GatewayRef) bool { return h.Kind == r.Kind })
		}
	}
	if second && o.Word == payment.WordSucceeded && p.State == string(payment.Succeeded) {
		if err := e.reviewSecondPayment(tx, p, o, now); err != nil {
			return err
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := e.adoptBy(tx, a, fresh, now); err != nil {
		return err
	}
	*p, _, err = tx.Payment(p.ID)
	return err
}

// reviewSecondPayment asks a person when a reference that is paid is paid again under another id of the gateway.
func (e *Engine) reviewSecondPayment(tx *store.Tx, p *store.Payment, o gateway.Observation, now int64) error {
	amount, currency := p.AmountMinor, p.Currency
	if o.HasAmount {
		amount, currency = o.AmountMinor, o.Currency
	}
	subject := paymentSubject(*p, "")
	if len(o.Refs) > 0 {
		subject = paymentSubject(*p, o.Refs[0].ID)
	}
	opened, err := tx.OpenReview(store.Review{
		Kind: secondPaymentKind, Subject: subject, PaymentID: p.ID, OrderID: p.OrderID, Gateway: p.Gateway,
		AmountMinor: amount, Currency: currency, OpenedMs: now,
	})
	if err == nil && opened {
		p.Reviews++
		err = tx.CountReviews(p.ID)
	}
	return err
}

const secondPaymentKind = "second_payment"
