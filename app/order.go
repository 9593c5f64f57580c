package app

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"nodrop/app/payment"
	"nodrop/store"
)

// OrderView is an order with what its payments amount to.
type OrderView struct {
	OrderRef          string        `json:"order_ref"`
	Paid              bool          `json:"paid"`
	SafeToChargeAgain bool          `json:"safe_to_charge_again"`
	Because           []string      `json:"because"`
	Reviews           []string      `json:"reviews"` // kinds of the open reviews
	ClosedAt          *string       `json:"closed_at"`
	Payments          []PaymentView `json:"payments"`
}

// Order shows an order; an unknown one is KindNotFound, which means that charging again is not known to be safe.
func (e *Engine) Order(ctx context.Context, ref string) (v OrderView, err error) {
	err = e.store.View(ctx, "order", func(rx *store.Rx) error {
		o, err := e.orderByRef(rx, ref)
		if err != nil {
			return err
		}
		v, err = e.orderView(rx, o)
		return err
	})
	return v, err
}

func (e *Engine) orderByRef(rx *store.Rx, ref string) (store.Order, error) {
	o, ok, err := rx.OrderByRef(ref)
	if err == nil && !ok {
		return o, fail(KindNotFound, "unknown_order", "there is no order %q; that says nothing about whether it is paid", ref)
	}
	return o, err
}

func (e *Engine) orderView(rx *store.Rx, o store.Order) (OrderView, error) {
	list, err := rx.PaymentsOfOrder(o.ID)
	if err != nil {
		return OrderView{}, err
	}
	j, err := e.judge(rx, list, true)
	if err != nil {
		return OrderView{}, err
	}
	v := OrderView{OrderRef: o.Ref, Paid: j.Paid, SafeToChargeAgain: j.SafeToChargeAgain, Because: []string{}, Reviews: []string{}, Payments: []PaymentView{}}
	open, err := rx.OpenReviewsOfOrder(o.ID)
	if err != nil {
		return OrderView{}, err
	}
	for _, r := range open {
		v.Reviews = append(v.Reviews, r.Kind)
	}
	for _, b := range j.Because {
		v.Because = append(v.Because, string(b))
	}
	if o.ClosedMs != 0 {
		at := instant(o.ClosedMs)
		v.ClosedAt = &at
	}
	for i, p := range list {
		others := append(append([]store.Payment{}, list[:i]...), list[i+1:]...)
		pv, err := e.view(rx, p, others)
		if err != nil {
			return OrderView{}, err
		}
		v.Payments = append(v.Payments, pv)
	}
	return v, nil
}

// CloseOrder records that the shop gives an order up, unless money came or may still come; force records it anyway.
// Every open attempt is asked about first.
func (e *Engine) CloseOrder(ctx context.Context, ref string, force bool) (OrderView, error) {
	open, err := e.openAttempts(ctx, ref)
	if err != nil {
		return OrderView{}, err
	}
	if err := e.checkAll(ctx, open); err != nil {
		return OrderView{}, err
	}
	var v OrderView
	err = e.store.Update(ctx, "close order", func(tx *store.Tx) error {
		o, err := e.orderByRef(&tx.Rx, ref)
		if err != nil {
			return err
		}
		if v, err = e.orderView(&tx.Rx, o); err != nil {
			return err
		}
		if refusal := closeRefusal(v); refusal != nil && !force {
			return refusal
		}
		if o.ClosedMs != 0 {
			return nil
		}
		if err := e.closeOrder(tx, o, force); err != nil {
			return err
		}
		o.ClosedMs = e.nowMs()
		v, err = e.orderView(&tx.Rx, o)
		return err
	})
	e.wakeAll()
	return v, err
}

// checkAll has the gateways asked about several payments at once.
func (e *Engine) checkAll(ctx context.Context, ids []string) error {
	errs := make([]error, len(ids))
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { _, errs[i] = e.Check(ctx, id, closeWait) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func closeRefusal(v OrderView) *Error {
	if v.Paid {
		return &Error{Kind: KindConflict, Code: "paid", Text: fmt.Sprintf("order %q is paid; do not cancel it", v.OrderRef), Fields: map[string]any{"order": v}}
	}
	if v.SafeToChargeAgain {
		return nil
	}
	return &Error{Kind: KindConflict, Code: "may_still_succeed", Text: fmt.Sprintf("a payment of order %q may still succeed; cancel it at the gateway first, or close with force", v.OrderRef),
		Fields: map[string]any{"because": v.Because, "order": v}}
}

func (e *Engine) openAttempts(ctx context.Context, ref string) (ids []string, err error) {
	err = e.store.View(ctx, "open attempts", func(rx *store.Rx) error {
		o, err := e.orderByRef(rx, ref)
		if err != nil {
			return err
		}
		list, err := rx.PaymentsOfOrder(o.ID)
		for _, p := range list {
			if !p.Paid && p.State != string(payment.Succeeded) {
				ids = append(ids, p.PublicID)
			}
		}
		return err
	})
	return ids, err
}

func (e *Engine) closeOrder(tx *store.Tx, o store.Order, forced bool) error {
	now := e.nowMs()
	if err := tx.CloseOrder(o.ID, now, forced); err != nil {
		return err
	}
	return e.orderFact(tx, o, now, payment.Fact{Key: closedKey(now), Kind: payment.FactClosed, Source: payment.SourceShop, OwnMs: now})
}

func (e *Engine) reopenOrder(tx *store.Tx, o store.Order, now int64) error {
	if err := tx.CloseOrder(o.ID, 0, false); err != nil {
		return err
	}
	return e.orderFact(tx, o, now, payment.Fact{Key: fmt.Sprintf("reopened:%d", now), Kind: payment.FactReopened, Source: payment.SourceShop, OwnMs: now})
}

// orderFact gives each payment of an order a fact about the order.
func (e *Engine) orderFact(tx *store.Tx, o store.Order, now int64, f payment.Fact) error {
	list, err := tx.PaymentsOfOrder(o.ID)
	if err != nil {
		return err
	}
	for _, p := range list {
		if _, err := e.apply(tx, e.gateways[p.Gateway], &p, change{trigger: "shop", now: now, facts: []payment.Fact{f}}); err != nil {
			return err
		}
	}
	if _, err := tx.InsertAudit(store.Audit{AtMs: now, Actor: "shop", Action: string(f.Kind), Subject: o.Ref}); err != nil {
		return err
	}
	return nil
}

func closedKey(ms int64) string { return fmt.Sprintf("closed:%d", ms) }
