package settlement

import (
	"fmt"
	"strings"
)

// Kind is what a line is against our books.
type Kind string

// The kinds of findings. All but matched, expected and other_money are differences.
const (
	Matched          Kind = "matched"
	KindAmount       Kind = "amount"
	KindCurrency     Kind = "currency"
	KindFee          Kind = "fee"
	StatusBehind     Kind = "status_behind" // they have the money, we do not know yet
	StatusAhead      Kind = "status_ahead"  // we have it as paid, their line says that it is not
	MissingLocally   Kind = "missing_locally"
	MissingAtGateway Kind = "missing_at_gateway"
	Expected         Kind = "expected" // not in a report yet, and it is too early to wonder
	DuplicateLine    Kind = "duplicate_line"
	KindRefund       Kind = "refund"
	KindDispute      Kind = "dispute"
	SettledTwice     Kind = "settled_twice"
	OtherMoney       Kind = "other_money" // payouts, fees, reserves: no payment
	Unparseable      Kind = "unparseable"
	KindTotals       Kind = "totals"
)

// Kinds lists all kinds of findings.
func Kinds() []Kind {
	return []Kind{Matched, KindAmount, KindCurrency, KindFee, StatusBehind, StatusAhead, MissingLocally, MissingAtGateway, Expected,
		DuplicateLine, KindRefund, KindDispute, SettledTwice, OtherMoney, Unparseable, KindTotals}
}

// How a payment was found for a line, the surest first. A suggestion is never applied: its id differs from the line's.
const (
	ByGatewayRef  = "gateway_ref"
	ByMerchantRef = "merchant_ref"
	BySuggestion  = "suggestion"
)

// Books is what we know of one payment that a line may be about. Amounts are minor units.
type Books struct {
	PaymentID     int64
	By            string // ByGatewayRef, ByMerchantRef or BySuggestion
	State         string
	ReceivedMinor int64
	ReversedMinor int64
	Currency      string
	PaidMs        int64     // UTC milliseconds; 0: not paid
	SettledBy     *[16]byte // key of the line that settled it; nil: none
	FeeBy         *[16]byte // key of the line that charged its fee; nil: none
	Refunds       []Movement
	Disputes      []Movement
}

// Movement is a refund or dispute that we know of.
type Movement struct {
	Ref       string
	Minor     int64     // minor units, positive
	Status    string    // as payment.RefundSucceeded …
	SettledBy *[16]byte // key of the line that was matched with it; nil: none
}

// Finding is what a line is against our books. Amounts are minor units of Currency.
type Finding struct {
	Kind          Kind
	PaymentID     int64  // 0: none; of missing_locally, one that it may be about
	Movement      string // ref of the refund or dispute
	ExpectedMinor int64  // by our books
	SeenMinor     int64  // by the line
	Currency      string
	Detail        string // in words, where kind and amounts do not say all
}

// Match compares a line with the payments that it may be about. It is exclusive: what another line has settled already
// is settled twice.
func Match(l *Line, candidates []Books) Finding {
	if l.Fault != "" {
		return Finding{Kind: Unparseable, Currency: l.Currency, Detail: l.Fault}
	}
	seen := mainAmount(l)
	b := choose(l, candidates)
	switch l.Type {
	case "payment":
		if b == nil {
			return missingPayment(l, candidates)
		}
		return matchPayment(l, b)
	case "refund":
		return matchMovement(l, b, KindRefund)
	case "chargeback", "chargeback_reversed":
		return matchMovement(l, b, KindDispute)
	case "fee":
		if b != nil {
			return matchFee(l, b)
		}
	}
	return Finding{Kind: OtherMoney, SeenMinor: seen, Currency: l.Currency}
}

// choose is the payment that a line is about: by the gateway's id before the merchant's reference, and of several the
// one that fits and is not settled.
func choose(l *Line, candidates []Books) *Books {
	var best *Books
	weight := func(b *Books) int {
		w := 0
		if b.By == ByGatewayRef {
			w += 8
		}
		if b.SettledBy == nil {
			w += 4
		}
		if b.Currency == l.Currency && b.ReceivedMinor == absolute(mainAmount(l)) {
			w += 2
		}
		if b.State == "succeeded" {
			w++
		}
		return w
	}
	for i := range candidates {
		b := &candidates[i]
		if b.By != BySuggestion && (best == nil || weight(b) > weight(best)) {
			best = b
		}
	}
	return best
}

func missingPayment(l *Line, candidates []Books) Finding {
	f := Finding{Kind: MissingLocally, SeenMinor: mainAmount(l), Currency: l.Currency}
	if saysUnpaid(l.Status) {
		f.Kind = OtherMoney
		return f
	}
	for i := range candidates {
		if b := &candidates[i]; b.By == BySuggestion && b.SettledBy == nil {
			f.PaymentID = b.PaymentID
			f.Detail = "The ids differ, perhaps because a spreadsheet changed them: it may be about this payment."
			break
		}
	}
	return f
}

// unpaidWords are what reports call a payment that brought no money, or not yet.
var unpaidWords = []string{"fail", "cancel", "declin", "expire", "void", "reject", "pending", "processing", "unpaid", "denied", "error", "incomplete"}

// saysUnpaid tells whether a line's own status says that there is no money.
func saysUnpaid(status string) bool {
	status = strings.ToLower(status)
	for _, w := range unpaidWords {
		if strings.Contains(status, w) {
			return true
		}
	}
	return false
}

func matchPayment(l *Line, b *Books) Finding {
	f := Finding{Kind: Matched, PaymentID: b.PaymentID, ExpectedMinor: b.ReceivedMinor, SeenMinor: mainAmount(l), Currency: l.Currency}
	switch {
	case saysUnpaid(l.Status):
		if f.Kind = OtherMoney; b.State == "succeeded" {
			f.Kind, f.SeenMinor = StatusAhead, 0
		}
		f.Detail = fmt.Sprintf("The report calls it %q.", l.Status)
	case b.SettledBy != nil:
		f.Kind, f.ExpectedMinor = SettledTwice, 0
	case b.State != "succeeded":
		f.Kind = StatusBehind
	case b.Currency != l.Currency:
		f.Kind, f.Currency = KindCurrency, b.Currency
		f.Detail = "The report states it in " + l.Currency + "."
	default:
		f.Kind, f.Detail = compareMoney(l, b.ReceivedMinor)
	}
	return f
}

// compareMoney holds the amounts of a line against what was received, and against each other.
func compareMoney(l *Line, received int64) (Kind, string) {
	switch {
	case l.Gross.Known && l.Gross.Minor != received:
		return KindAmount, ""
	case l.Gross.Known && l.Net.Known && l.Fee.Known && l.Gross.Minor-l.Fee.Minor != l.Net.Minor:
		return KindFee, "The line does not add up: gross less fee is not net."
	case l.Gross.Known && l.Net.Known && l.Net.Minor > l.Gross.Minor && !l.Fee.Known:
		return KindFee, "The line does not add up: net is more than gross."
	case l.Gross.Known || l.Net.Minor+l.Fee.Minor == received:
		return Matched, ""
	case l.Net.Minor > received:
		return KindAmount, ""
	}
	return KindFee, "What is missing is not what the line states as its fee."
}

// matchFee: one line charges the fee of a payment.
func matchFee(l *Line, b *Books) Finding {
	f := Finding{Kind: Matched, PaymentID: b.PaymentID, SeenMinor: mainAmount(l), Currency: l.Currency}
	if b.FeeBy != nil {
		f.Kind, f.Detail = KindFee, "Another line has charged this payment's fee."
	}
	return f
}

// matchMovement finds the refund or dispute that a line is about: by its id, else by its amount.
func matchMovement(l *Line, b *Books, kind Kind) Finding {
	f := Finding{Kind: kind, SeenMinor: mainAmount(l), Currency: l.Currency}
	if b == nil {
		f.Detail = "No payment of ours is known for it."
		return f
	}
	f.PaymentID = b.PaymentID
	list := b.Refunds
	if kind == KindDispute {
		list = b.Disputes
	}
	m := chooseMovement(l, list)
	if m == nil {
		f.Detail = "We do not know of it."
		return f
	}
	f.Movement, f.ExpectedMinor = m.Ref, -m.Minor
	if l.Type == "chargeback_reversed" {
		f.ExpectedMinor = m.Minor
	}
	switch {
	case b.Currency != l.Currency:
		f.Kind = KindCurrency
	case m.SettledBy != nil && l.Type != "chargeback_reversed":
		f.Kind = SettledTwice
	case f.ExpectedMinor == f.SeenMinor && inForce(m.Status, l.Type):
		f.Kind = Matched
	default:
		f.Detail = fmt.Sprintf("We know it as %s.", m.Status)
	}
	return f
}

// inForce tells whether what we know of a refund or dispute agrees with a line of its kind.
func inForce(status, lineType string) bool {
	switch lineType {
	case "refund":
		return status == "succeeded"
	case "chargeback":
		return status == "open" || status == "lost"
	}
	return status == "won"
}

// chooseMovement prefers the id, then an amount that no line has taken.
func chooseMovement(l *Line, list []Movement) *Movement {
	var best *Movement
	weight := func(m *Movement) int {
		w := 0
		for _, id := range append([]string{l.ID, l.MerchantRef}, l.GatewayRefs...) {
			if id != "" && id == m.Ref {
				w = 8
			}
		}
		if m.SettledBy == nil {
			w += 2
		}
		if m.Minor == absolute(mainAmount(l)) {
			w += 4
		}
		return w
	}
	for i := range list {
		m := &list[i]
		if w := weight(m); w >= 4 && (best == nil || w > weight(best)) {
			best = m
		}
	}
	return best
}
