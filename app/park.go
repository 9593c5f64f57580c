package app

import (
	"strconv"

	"nodrop/app/gateway"
	"nodrop/store"
)

// park keeps a notice for a payment that nobody registered yet; a later registration adopts it.
func (e *Engine) park(tx *store.Tx, a *account, it store.Item, o gateway.Observation, now int64) error {
	if err := e.parkUnder(tx, a, it, o); err != nil {
		return err
	}
	_, err := tx.FinishItem(it.ID, store.Outcome{State: "parked", Reason: "unregistered", DueMs: now, NowMs: now})
	return err
}

func (e *Engine) parkUnder(tx *store.Tx, a *account, it store.Item, o gateway.Observation) error {
	if o.MerchantRef != "" {
		if err := tx.Park(a.name, "", o.MerchantRef, it.ID); err != nil {
			return err
		}
	}
	for _, ref := range o.Refs {
		if err := tx.Park(a.name, ref.Kind, ref.ID, it.ID); err != nil {
			return err
		}
	}
	return nil
}

// parkConflict keeps a notice whose references name different payments; a person links it.
func (e *Engine) parkConflict(tx *store.Tx, a *account, it store.Item, o gateway.Observation, m match, now int64) error {
	// Parked under all that it names, so that charging any of these again is not called safe.
	if err := e.parkUnder(tx, a, it, o); err != nil {
		return err
	}
	if _, err := tx.FinishItem(it.ID, store.Outcome{State: "parked", Reason: "reference_conflict", DueMs: now, NowMs: now}); err != nil {
		return err
	}
	if enough, err := e.enough(tx, a, "reference_conflict", o); err != nil || enough {
		return err
	}
	amount, currency := m.payment.AmountMinor, m.payment.Currency
	if o.HasAmount {
		amount, currency = o.AmountMinor, o.Currency
	}
	_, err := e.openReview(tx, store.Review{
		Kind: "reference_conflict", Subject: inboxSubject(it.ID), InboxID: it.ID, PaymentID: m.payment.ID, OrderID: m.payment.OrderID, Gateway: a.name,
		AmountMinor: amount, Currency: currency, OpenedMs: now,
	})
	return err
}

// unpark forgets a parked row and closes what a person was asked about it.
func (e *Engine) unpark(tx *store.Tx, it store.Item, now int64) error {
	if err := tx.Unpark(it.ID); err != nil {
		return err
	}
	for _, kind := range []string{"money_without_order", "reference_conflict"} {
		if err := e.closeReview(tx, kind, inboxSubject(it.ID), now, "matched"); err != nil {
			return err
		}
	}
	return nil
}

// adopt applies the parked notices that name a payment's references, in the registering transaction.
func (e *Engine) adopt(tx *store.Tx, a *account, p store.Payment, refs []store.GatewayRef, now int64) error {
	return e.adoptBy(tx, a, append([]store.GatewayRef{{Ref: p.MerchantRef}}, refs...), now)
}

// adoptBy applies the notices that are parked under any of some references.
func (e *Engine) adoptBy(tx *store.Tx, a *account, keys []store.GatewayRef, now int64) error {
	for _, k := range keys {
		ids, err := tx.ParkedFor(a.name, k.Kind, k.Ref)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := e.adoptOne(tx, a, id, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// adoptOne matches a parked row again and applies it if its payment is known now.
func (e *Engine) adoptOne(tx *store.Tx, a *account, id, now int64) error {
	w, ok, err := tx.GetWork(id)
	if err != nil || !ok || w.State != "parked" || w.Reason == "reference_conflict" {
		return err
	}
	o, ok := e.observation(a, w)
	if !ok {
		return nil
	}
	found, err := e.match(tx, a, w, o, now)
	if err != nil || found.payment.ID == 0 {
		return err
	}
	if found.conflict {
		if err := tx.Unpark(id); err != nil {
			return err
		}
		return e.parkConflict(tx, a, w.Item, o, found, now)
	}
	return e.applyMatched(tx, a, w, o, found.payment, now)
}

// observation reads one stored item again.
func (e *Engine) observation(a *account, w store.Work) (gateway.Observation, bool) {
	reading := a.readingOf(w)
	if w.Item.Item >= len(reading.Observations) || reading.Observations[w.Item.Item].Verdict != gateway.Accepted {
		return gateway.Observation{}, false
	}
	return reading.Observations[w.Item.Item], true
}

func inboxSubject(id int64) string { return "inbox:" + strconv.FormatInt(id, 10) }

// unregisteredOnce opens a review for each parked notice that nobody registered in time, or only counts it where the account is shared.
func (e *Engine) unregisteredOnce(tx *store.Tx, now int64) error {
	for _, name := range e.names {
		a := e.gateways[name]
		items, err := tx.ParkedSince(name, now-a.config.UnregisteredAfter.Milliseconds(), parkedBatch)
		if err != nil {
			return err
		}
		for _, it := range items {
			if err := e.unregistered(tx, a, it, now); err != nil {
				return err
			}
		}
	}
	return nil
}

const parkedBatch = 200

func (e *Engine) unregistered(tx *store.Tx, a *account, it store.Item, now int64) error {
	if a.config.Unregistered == "count" {
		return tx.MarkItem(it.ID, "not_ours")
	}
	w, ok, err := tx.GetWork(it.ID)
	if err != nil || !ok {
		return err
	}
	if err := tx.MarkItem(it.ID, "money_without_order"); err != nil {
		return err
	}
	o, ok := e.observation(a, w)
	if !ok || !movesMoney(o) {
		return nil
	}
	if enough, err := e.enough(tx, a, "money_without_order", o); err != nil || enough {
		return err
	}
	_, err = e.openReview(tx, store.Review{
		Kind: "money_without_order", Subject: inboxSubject(it.ID), InboxID: it.ID, Gateway: a.name,
		AmountMinor: o.AmountMinor, Currency: currencyOr(o.Currency, noCurrency), OpenedMs: now,
	})
	return err
}

// movesMoney tells whether somebody must look at a notice that nobody registered: money came, went or may have.
func movesMoney(o gateway.Observation) bool {
	switch o.Word {
	case "pending", "attempt_failed", "failed", "expired", "cancelled":
		return o.Kind != gateway.KindPayment
	}
	return true
}

func currencyOr(currency, other string) string {
	if currency == "" {
		return other
	}
	return currency
}
