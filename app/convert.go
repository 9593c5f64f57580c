package app

import (
	"nodrop/app/payment"
	"nodrop/store"
)

func factFromRow(f store.Fact) payment.Fact {
	return payment.Fact{
		ID: f.ID, Version: f.Version, Key: f.Key, Kind: payment.FactKind(f.Kind), Source: payment.Source(f.Source), Word: payment.Word(f.Word),
		Hint: f.Hint, Never: f.Never, HasAmount: f.HasAmount, Amount: f.AmountMinor, Currency: f.Currency, Ref: f.Ref, Cumulative: f.Cumulative,
		Status: f.Status, OwnMs: f.OwnMs, CommittedMs: f.CommittedMs, Refers: f.Refers, Act: payment.Act(f.Act), Basis: payment.Basis(f.Basis),
		Saw: f.Saw, Actor: f.Actor, Reason: f.Reason,
	}
}

func factToRow(paymentID, evidence int64, f payment.Fact) store.Fact {
	return store.Fact{
		ID: f.ID, PaymentID: paymentID, Version: f.Version, Key: f.Key, Kind: string(f.Kind), Source: string(f.Source), Word: string(f.Word),
		Hint: f.Hint, Never: f.Never, HasAmount: f.HasAmount, AmountMinor: f.Amount, Currency: f.Currency, Ref: f.Ref, Cumulative: f.Cumulative,
		Status: f.Status, OwnMs: f.OwnMs, CommittedMs: f.CommittedMs, Refers: f.Refers, Act: string(f.Act), Basis: string(f.Basis),
		Saw: f.Saw, Actor: f.Actor, Reason: f.Reason, InboxID: evidence,
	}
}

func factsFromRows(rows []store.Fact) []payment.Fact {
	facts := make([]payment.Fact, 0, len(rows)+1)
	for _, r := range rows {
		facts = append(facts, factFromRow(r))
	}
	return facts
}

// loadFacts reads a payment's facts; a payment that has none costs no statement.
func loadFacts(rx *store.Rx, p store.Payment) ([]payment.Fact, error) {
	if p.Facts == 0 {
		return nil, nil
	}
	rows, err := rx.FactsOf(p.ID)
	return factsFromRows(rows), err
}

func standingOf(p store.Payment) payment.Standing {
	return payment.Standing{
		State: payment.State(p.State), Cause: payment.Cause(p.Cause), Received: p.ReceivedMinor, Refunded: p.RefundedMinor,
		Disputed: p.DisputedMinor, Reversed: p.ReversedMinor, Late: p.Late, Source: payment.Source(p.Source),
	}
}

func askedOf(p store.Payment) payment.AskState {
	return payment.AskState{
		LastAskedMs: p.LastAskedMs, LastAnsweredMs: p.LastAnsweredMs, LastAnswer: payment.Word(p.LastAnswer), EverHeard: p.EverHeard,
	}
}

// setStanding writes a standing into the payment's row.
func setStanding(p *store.Payment, s payment.Standing) {
	p.State, p.Cause, p.Late, p.Source = string(s.State), string(s.Cause), s.Late, string(s.Source)
	p.ReceivedMinor, p.RefundedMinor, p.DisputedMinor, p.ReversedMinor = s.Received, s.Refunded, s.Disputed, s.Reversed
	p.Paid = s.Paid()
}

// paidMs is the own time of a success that the gateway's report of that day should show; 0 where there is none: the money
// did not come, or came another way.
func paidMs(s payment.Standing, facts []payment.Fact) int64 {
	if s.State != payment.Succeeded || s.Elsewhere > 0 && s.Received == s.Elsewhere {
		return 0
	}
	first, vouched := int64(0), int64(0)
	for i := range facts {
		f := &facts[i]
		switch {
		case f.Kind == payment.FactWord && f.Word == payment.WordSucceeded && !f.Hint && (f.Source == payment.SourceNotice || f.Source == payment.SourceQuery):
			if first == 0 || f.OwnMs < first {
				first = f.OwnMs
			}
		case f.Act == payment.ActMarkSucceeded && f.Basis == payment.BasisGateway:
			vouched = f.OwnMs
		}
	}
	if first == 0 {
		return vouched
	}
	return first
}
