package app

import "nodrop/store"

// attemptOf gives the attempt that a shop's ids name: the id of the kind that tells tries at one reference apart.
func (a *account) attemptOf(refs []Ref) string {
	for _, r := range refs {
		if r.Kind == a.facts.AttemptKind {
			return r.ID
		}
	}
	return ""
}

// registered finds the payment that a registration is about: that of its attempt; else one of its reference that has no
// attempt yet; without an attempt of its own the first of its reference.
func (e *Engine) registered(tx *store.Tx, a *account, want store.Payment) (store.Payment, bool, error) {
	list, err := tx.PaymentsByMerchantRef(a.name, want.MerchantRef)
	if err != nil || len(list) == 0 {
		return store.Payment{}, false, err
	}
	for _, attempt := range []string{want.Attempt, ""} {
		for _, p := range list {
			if p.Attempt == attempt {
				return p, true, nil
			}
		}
	}
	return list[0], want.Attempt == "", nil
}

// bindAttempt makes a payment that one of an id. A payment is one attempt: another id of that kind is another payment.
func (e *Engine) bindAttempt(tx *store.Tx, a *account, p *store.Payment, attempt string) error {
	if attempt == "" || p.Attempt == attempt {
		return nil
	}
	if p.Attempt != "" {
		return fail(KindConflict, "other_attempt", "payment %s is the attempt %s %q; register %q as a payment of its own, with the same merchant_ref",
			p.PublicID, a.facts.AttemptKind, p.Attempt, attempt)
	}
	p.Attempt = attempt
	return tx.BindAttempt(p.ID, attempt)
}
