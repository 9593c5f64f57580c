package app

import (
	"nodrop/app/gateway"
	"nodrop/store"
)

// match is which payment an observation is about.
type match struct {
	payment  store.Payment // ID 0: none that we know
	conflict bool          // gateway ref and merchant reference name different payments
	other    store.Payment // in a conflict: what the merchant reference names
}

// match looks by gateway ref first, then by merchant reference.
func (e *Engine) match(tx *store.Tx, a *account, o gateway.Observation, now int64) (match, error) {
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
		p, err := e.matchMerchantRef(tx, a, o, now)
		return match{payment: p}, err
	}
	p, _, err := tx.Payment(byRef)
	if err != nil || o.MerchantRef == "" || o.MerchantRef == p.MerchantRef {
		return match{payment: p}, err
	}
	others, err := tx.PaymentsByMerchantRef(a.name, o.MerchantRef)
	if err != nil || len(others) == 0 {
		return match{payment: p}, err
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
// attempt that is new gets the registered payment if that has none yet, else a payment of its own.
func (e *Engine) matchMerchantRef(tx *store.Tx, a *account, o gateway.Observation, now int64) (store.Payment, error) {
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
	for _, p := range list {
		if p.Attempt == "" {
			p.Attempt = o.Attempt
			return p, tx.BindAttempt(p.ID, o.Attempt)
		}
	}
	return e.registerAttempt(tx, a, list[0], o.Attempt, now)
}

// bind gives a payment the gateway's ids that an observation names and it does not have yet.
func (e *Engine) bind(tx *store.Tx, a *account, p *store.Payment, refs []gateway.Ref) error {
	for _, ref := range refs {
		if _, err := tx.AddRef(a.name, store.GatewayRef{Kind: ref.Kind, Ref: ref.ID}, p.ID); err != nil {
			return err
		}
	}
	return nil
}
