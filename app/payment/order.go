package payment

import (
	"slices"
	"strings"
)

// Because is a stable word for why it is not safe to charge an order again.
type Because string

// The words of Because.
const (
	BecauseNoPayment   Because = "no_payment"        // nothing is known of the order
	BecausePaid        Because = "paid"              // a payment is paid
	BecauseReview      Because = "open_review"       // a person is being asked
	BecauseParked      Because = "parked_notice"     // a notice waits to be matched
	BecauseUnconfirmed Because = "unconfirmed"       // a notice waits to be read or confirmed
	BecauseOpen        Because = "attempt_open"      // pending or processing
	BecauseUnknown     Because = "attempt_unknown"   // no machine can say
	BecauseSucceeded   Because = "attempt_succeeded" // was paid, nothing is left of it
	BecauseAbandoned   Because = "attempt_abandoned" // not the gateway's own word
	BecausePerson      Because = "failed_by_person"  // not the gateway's own word
)

// OrderPart is one payment of an order as its row holds it.
type OrderPart struct {
	PaymentID   string
	Currency    string
	Standing    Standing
	SuccessTold bool   // Told.Success
	OpenReview  bool   // any review of it is open
	Unconfirmed bool   // see Unconfirmed; or a notice for it is not processed yet
	Facts       []Fact // read only while two payments are paid
}

// OrderFlags is what concerns an order beside its payments.
type OrderFlags struct {
	OpenReview bool
	Parked     bool // a parked notice may be about it
}

// OrderStanding is what the payments of an order amount to.
type OrderStanding struct {
	Paid              bool
	SafeToChargeAgain bool
	Because           []Because // why not, sorted; empty when it is safe
}

// StandOrder judges an order by all its payments and returns its review, if two of them are paid.
func StandOrder(parts []OrderPart, flags OrderFlags) (OrderStanding, []Review) {
	var o OrderStanding
	for i := range parts {
		o.Paid = o.Paid || parts[i].Standing.Paid()
		o.Because = append(o.Because, because(&parts[i])...)
	}
	if flags.OpenReview {
		o.Because = append(o.Because, BecauseReview)
	}
	if flags.Parked {
		o.Because = append(o.Because, BecauseParked)
	}
	if len(parts) == 0 {
		o.Because = append(o.Because, BecauseNoPayment)
	}
	slices.Sort(o.Because)
	o.Because = slices.Compact(o.Because)
	o.SafeToChargeAgain = len(o.Because) == 0
	return o, duplicate(parts)
}

func because(p *OrderPart) []Because {
	var list []Because
	if p.OpenReview {
		list = append(list, BecauseReview)
	}
	if p.Unconfirmed {
		list = append(list, BecauseUnconfirmed)
	}
	if w := attempt(p.Standing); w != "" {
		list = append(list, w)
	}
	return list
}

// attempt says why one payment alone forbids charging again; empty: the gateway's own final word is that it was not paid.
func attempt(s Standing) Because {
	switch {
	case s.Paid():
		return BecausePaid
	case s.State == Succeeded:
		return BecauseSucceeded
	case s.State == Failed && s.Source == SourcePerson:
		return BecausePerson
	case s.State == Closed && s.Cause == Abandoned:
		return BecauseAbandoned
	case s.State == Failed || s.State == Closed:
		return ""
	case s.State == Unknown:
		return BecauseUnknown
	}
	return BecauseOpen
}

// duplicate is the review of an order of which several payments are paid. Its key names them, so that
// a third one asks anew; at risk is all but the largest.
func duplicate(parts []OrderPart) []Review {
	var paid []*OrderPart
	for i := range parts {
		if parts[i].Standing.Paid() {
			paid = append(paid, &parts[i])
		}
	}
	if len(paid) < 2 {
		return nil
	}
	slices.SortFunc(paid, func(a, b *OrderPart) int { return strings.Compare(a.PaymentID, b.PaymentID) })
	r := Review{Reason: ReasonDuplicate}
	var ids []string
	for _, p := range paid {
		ids = append(ids, p.PaymentID)
	}
	r.Key = strings.Join(ids, "+")
	r.AtRisk, r.Currency = surplus(paid)
	for _, p := range paid {
		if duplicateAnswered(p.Facts, r.ID()) {
			return nil
		}
	}
	return []Review{r}
}

// surplus is all but the largest amount; of several currencies, what the last payment holds.
func surplus(paid []*OrderPart) (int64, string) {
	last := paid[len(paid)-1]
	var all, most int64
	for _, p := range paid {
		if p.Currency != last.Currency {
			return last.Standing.Left(), last.Currency
		}
		all, most = sum(all, p.Standing.Left()), max(most, p.Standing.Left())
	}
	return all - most, last.Currency
}

// duplicateAnswered tells whether one of the facts answers the review with the given id.
func duplicateAnswered(facts []Fact, id string) bool {
	for i := range facts {
		f := &facts[i]
		if f.Kind == FactDecision && f.Ref == id && !undone(facts, f) &&
			(f.Act == ActKeepBoth || f.Act == ActRefund || f.Act == ActFulfil) {
			return true
		}
	}
	return false
}

// OtherPaidAndTold is the context in which Tell judges one of an order's payments: a success of it would be a duplicate.
func OtherPaidAndTold(parts []OrderPart, paymentID string) OrderContext {
	for i := range parts {
		if p := &parts[i]; p.PaymentID != paymentID && p.SuccessTold && p.Standing.Paid() {
			return OrderContext{OtherPaidAndTold: true}
		}
	}
	return OrderContext{}
}
