package sandbox

import (
	"fmt"
	"time"
)

// Refund is money that the merchant sent back.
type Refund struct {
	ID     string
	Status string // pending, succeeded or failed
	Amount int64  // minor units
}

// Dispute is the payer's bank taking a payment back.
type Dispute struct {
	ID     string
	Status string // open, won or lost
	Amount int64  // minor units
}

// Account is the true ledger's page of one payment: what the payer really did.
type Account struct {
	ID        string // the gateway's own
	Reference string
	Currency  string // ISO 4217
	Status    string // the gateway's word
	Asked     int64  // minor units
	Taken     int64  // minor units, 0 before it is paid
	Reversed  bool   // the whole payment was taken back
	Refunds   []Refund
	Disputes  []Dispute
	CreatedAt time.Time
	Plan      Plan
	Played    bool // the story has come to its end
}

// Refunded is the sum of the refunds that were made, in minor units.
func (a Account) Refunded() int64 {
	var sum int64
	for _, r := range a.Refunds {
		if r.Status == "succeeded" {
			sum += r.Amount
		}
	}
	return sum
}

// TakenBack is what a reversal or lost disputes took back, in minor units.
func (a Account) TakenBack() int64 {
	if a.Reversed {
		return a.Taken
	}
	var sum int64
	for _, d := range a.Disputes {
		if d.Status == "lost" {
			sum += d.Amount
		}
	}
	return sum
}

// apply lets one act happen; acts that only a notice claims change nothing.
func (a *Account) apply(do act) {
	switch do {
	case actPaid:
		a.Status, a.Taken = "paid", a.Asked
	case actPaidOther:
		a.Status, a.Taken = "paid", a.Asked-a.Asked/10
	case actReversed:
		a.Status, a.Reversed = "reversed", true
	case actRefundPart, actRefundWhole, actRefundAsked, actRefundDone:
		a.refund(do)
	case actDisputeOpen, actDisputeWon, actDisputeLost:
		a.dispute(do)
	case actProcessing, actAttempt, actFailed, actExpired, actCancelled:
		a.Status = string(do)
	}
}

func (a *Account) refund(do act) {
	if do == actRefundDone {
		a.Refunds[len(a.Refunds)-1].Status = "succeeded"
		return
	}
	r := Refund{ID: fmt.Sprintf("re_%s_%d", a.ID, len(a.Refunds)+1), Status: "succeeded", Amount: a.Taken / 4}
	if do == actRefundWhole {
		r.Amount = a.Taken
	}
	if do == actRefundAsked {
		r.Status = "pending"
	}
	a.Refunds = append(a.Refunds, r)
}

func (a *Account) dispute(do act) {
	switch do {
	case actDisputeWon:
		a.Disputes[len(a.Disputes)-1].Status = "won"
	case actDisputeLost:
		a.Disputes[len(a.Disputes)-1].Status = "lost"
	default:
		a.Disputes = append(a.Disputes, Dispute{ID: fmt.Sprintf("dp_%s_%d", a.ID, len(a.Disputes)+1), Status: "open", Amount: a.Taken})
	}
}

// amount is what the gateway shows for the payment, in minor units.
func (a Account) amount() int64 {
	if a.Taken > 0 {
		return a.Taken
	}
	return a.Asked
}
