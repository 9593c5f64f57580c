package app

import (
	"encoding/json"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// Ref is one of the gateway's own ids of a payment.
type Ref struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// PaymentView is a payment as the API and the events show it; amounts are decimal strings in major units.
type PaymentView struct {
	ID          string          `json:"id"`
	Version     int64           `json:"version"`
	Gateway     string          `json:"gateway"`
	MerchantRef string          `json:"merchant_ref"`
	OrderRef    string          `json:"order_ref"`
	Attempt     string          `json:"attempt"`
	GatewayRefs []Ref           `json:"gateway_refs"`
	State       string          `json:"state"`
	Cause       string          `json:"cause"`
	Late        bool            `json:"late"`
	Amount      string          `json:"amount"`
	Currency    string          `json:"currency"`
	Received    string          `json:"received"`
	Refunded    string          `json:"refunded"`
	Disputed    string          `json:"disputed"`
	Reversed    string          `json:"reversed"`
	Source      string          `json:"source"`
	ExpiresAt   *string         `json:"expires_at"`
	CreatedAt   string          `json:"created_at"`
	ChangedAt   string          `json:"changed_at"`
	Metadata    json.RawMessage `json:"metadata"`
	Order       OrderFlags      `json:"order"`
	FulfilKey   string          `json:"fulfil_key,omitempty"`
}

// OrderFlags is what a payment says of its order.
type OrderFlags struct {
	Paid              bool `json:"paid"`
	SafeToChargeAgain bool `json:"safe_to_charge_again"`
}

// view shows a payment beside the other payments of its order.
func (e *Engine) view(rx *store.Rx, p store.Payment, siblings []store.Payment) (PaymentView, error) {
	refs, err := rx.RefsOfPayment(p.ID)
	if err != nil {
		return PaymentView{}, err
	}
	j, err := e.judge(rx, append([]store.Payment{p}, siblings...), false)
	if err != nil {
		return PaymentView{}, err
	}
	v := PaymentView{
		ID: p.PublicID, Version: p.Version, Gateway: p.Gateway, MerchantRef: p.MerchantRef, OrderRef: p.Order.Ref, Attempt: p.Attempt,
		GatewayRefs: []Ref{}, State: p.State, Cause: p.Cause, Late: p.Late, Currency: p.Currency, Source: p.Source,
		Amount: payment.FormatAmount(p.AmountMinor, p.Currency), Received: payment.FormatAmount(p.ReceivedMinor, p.Currency),
		Refunded: payment.FormatAmount(p.RefundedMinor, p.Currency), Disputed: payment.FormatAmount(p.DisputedMinor, p.Currency),
		Reversed: payment.FormatAmount(p.ReversedMinor, p.Currency), CreatedAt: instant(p.CreatedMs), ChangedAt: instant(p.ChangedMs),
		Metadata: json.RawMessage("{}"), Order: OrderFlags{j.Paid, j.SafeToChargeAgain},
	}
	if p.Metadata != "" {
		v.Metadata = json.RawMessage(p.Metadata)
	}
	if p.ExpiresMs != 0 {
		at := instant(p.ExpiresMs)
		v.ExpiresAt = &at
	}
	for _, r := range refs {
		v.GatewayRefs = append(v.GatewayRefs, Ref{r.Kind, r.Ref})
	}
	return v, nil
}

// judge says of an order's payments whether it is paid and whether charging again is safe. What could forbid a charge
// that seems safe is looked up; with `whole` every reason is.
func (e *Engine) judge(rx *store.Rx, payments []store.Payment, whole bool) (payment.OrderStanding, error) {
	parts := orderParts(payments)
	seems, _ := payment.StandOrder(parts, payment.OrderFlags{})
	if !seems.SafeToChargeAgain && !whole {
		return seems, nil
	}
	var flags payment.OrderFlags
	for i, p := range payments {
		if err := e.lookCloser(rx, p, &parts[i], &flags); err != nil {
			return payment.OrderStanding{}, err
		}
	}
	if len(payments) > 0 {
		open, err := rx.OpenReviewsOfOrder(payments[0].OrderID)
		if err != nil {
			return payment.OrderStanding{}, err
		}
		flags.OpenReview = len(open) > 0
	}
	judged, _ := payment.StandOrder(parts, flags)
	return judged, nil
}

func orderParts(payments []store.Payment) []payment.OrderPart {
	parts := make([]payment.OrderPart, len(payments))
	for i, p := range payments {
		parts[i] = payment.OrderPart{PaymentID: p.PublicID, Currency: p.Currency, Standing: standingOf(p), SuccessTold: p.SuccessTold, OpenReview: p.Reviews > 0}
	}
	return parts
}

// lookCloser finds the notices about a payment that are not confirmed, not worked on or not matched.
func (e *Engine) lookCloser(rx *store.Rx, p store.Payment, part *payment.OrderPart, flags *payment.OrderFlags) error {
	facts, err := loadFacts(rx, p)
	if err != nil {
		return err
	}
	terms, err := e.terms(rx, e.gateways[p.Gateway], p)
	if err != nil {
		return err
	}
	pending, err := rx.PendingFor(p.Gateway, p.MerchantRef, p.ID)
	if err != nil {
		return err
	}
	part.Unconfirmed = pending > 0 || payment.Unconfirmed(terms, facts)
	waiting, err := rx.WaitingFor(p.Gateway, p.MerchantRef, p.ID)
	flags.Parked = flags.Parked || waiting > 0
	return err
}

func toGatewayRefs(refs []store.GatewayRef) []gateway.Ref {
	list := make([]gateway.Ref, len(refs))
	for i, r := range refs {
		list[i] = gateway.Ref{Kind: r.Kind, ID: r.Ref}
	}
	return list
}
