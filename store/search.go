package store

import (
	"cmp"
	"slices"
	"strings"
)

// PaymentFilter selects payments; empty fields select all.
type PaymentFilter struct {
	Gateway     string
	State       string
	MerchantRef string
	OrderRef    string
	Review      bool  // only those with an open review
	After       int64 // row ids above it, ascending
	Before      int64 // row ids below it, newest first; wins over After
	Limit       int
}

// Payments lists payments: ascending after an id, or newest first when Before is set.
func (rx *Rx) Payments(f PaymentFilter) ([]Payment, error) {
	const where = `WHERE (?1 = '' OR p.gateway = ?1) AND (?2 = '' OR p.state = ?2) AND (?3 = '' OR p.merchant_ref = ?3)
		AND (?4 = '' OR o.order_ref = ?4) AND (NOT ?5 OR p.reviews > 0) `
	if f.Before > 0 {
		return rx.payments(where+`AND p.id < ?6 ORDER BY p.id DESC LIMIT ?7`, f.Gateway, f.State, f.MerchantRef, f.OrderRef, flag(f.Review), f.Before, f.Limit)
	}
	if f.OrderRef != "" {
		return rx.payments(`WHERE o.order_ref = ?1 AND (?2 = '' OR p.state = ?2) AND (?3 = '' OR p.merchant_ref = ?3) AND p.id > ?4 ORDER BY p.id LIMIT ?5`,
			f.OrderRef, f.State, f.MerchantRef, f.After, f.Limit)
	}
	return rx.payments(where+`AND p.id > ?6 ORDER BY p.id LIMIT ?7`, f.Gateway, f.State, f.MerchantRef, f.OrderRef, flag(f.Review), f.After, f.Limit)
}

// AmountRange is the amounts from FromMinor to ToMinor, both included, in the currencies that count so.
type AmountRange struct {
	FromMinor, ToMinor int64
	Counts             func(currency string) bool
}

// searchedPayments is how many of the newest payments are searched for a piece in the middle of a reference.
const searchedPayments = 20_000

// hits are the row ids of what a search found; a true one is what was asked for exactly.
type hits map[int64]bool

func (h hits) note(id int64, exact bool) { h[id] = h[id] || exact }

// SearchPayments finds payments by anything that a customer may have: an id, the order, the merchant's or the
// gateway's reference (whole, its beginning or, of the newest payments, any piece in either case), or an amount.
// What fits exactly comes first, then the newest.
func (rx *Rx) SearchPayments(text string, amounts []AmountRange, limit int) ([]Payment, error) {
	found := hits{}
	for _, search := range []func(hits, string, int) error{rx.searchBeginnings, rx.searchMerchantRefs, rx.searchPieces} {
		if err := search(found, text, limit); err != nil {
			return nil, err
		}
	}
	for _, a := range amounts {
		if err := rx.searchAmounts(found, a, limit); err != nil {
			return nil, err
		}
	}
	return rx.paymentsFound(found, limit)
}

// named notes rows of (id, name): a name that is the text, in either case, fits exactly.
func (h hits) named(text string) func(*Row) {
	return func(r *Row) { h.note(r.Int(0), strings.EqualFold(r.Text(1), text)) }
}

func (rx *Rx) searchBeginnings(found hits, text string, limit int) error {
	for _, q := range []string{
		`SELECT id, public_id FROM payment WHERE public_id = ?1 AND ?2 != '' LIMIT ?3`,
		`SELECT p.id, o.order_ref FROM payment p JOIN orders o ON o.id = p.order_id WHERE o.order_ref >= ?1 AND o.order_ref < ?2 ORDER BY p.id DESC LIMIT ?3`,
		`SELECT payment_id, ref FROM gateway_ref WHERE ref >= ?1 AND ref < ?2 ORDER BY ref LIMIT ?3`,
	} {
		if err := rx.each(q, found.named(text), text, text+lastRune, limit); err != nil {
			return err
		}
	}
	return nil
}

// lastRune sorts behind everything that follows a beginning.
const lastRune = "\U0010FFFF"

func (rx *Rx) searchMerchantRefs(found hits, text string, limit int) error {
	gateways, err := rx.gatewaysInUse()
	for _, g := range gateways {
		if err := rx.each(`SELECT id, merchant_ref FROM payment WHERE gateway = ?4 AND merchant_ref >= ?1 AND merchant_ref < ?2 ORDER BY merchant_ref LIMIT ?3`,
			found.named(text), text, text+lastRune, limit, g); err != nil {
			return err
		}
	}
	return err
}

// anyText has LIKE take its own signs as plain text.
var anyText = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// searchPieces looks for a text anywhere in the references of the newest payments; LIKE takes ASCII letters in either case.
func (rx *Rx) searchPieces(found hits, text string, limit int) error {
	for _, q := range []string{
		`SELECT id, merchant_ref FROM payment WHERE id > (SELECT coalesce(max(id), 0) FROM payment) - ?2 AND merchant_ref LIKE ?1 ESCAPE '\' ORDER BY id DESC LIMIT ?3`,
		`SELECT p.id, o.order_ref FROM payment p JOIN orders o ON o.id = p.order_id
			WHERE p.id > (SELECT coalesce(max(id), 0) FROM payment) - ?2 AND o.order_ref LIKE ?1 ESCAPE '\' ORDER BY p.id DESC LIMIT ?3`,
		`SELECT payment_id, ref FROM gateway_ref WHERE payment_id > (SELECT coalesce(max(id), 0) FROM payment) - ?2 AND ref LIKE ?1 ESCAPE '\' ORDER BY payment_id DESC LIMIT ?3`,
	} {
		if err := rx.each(q, found.named(text), "%"+anyText.Replace(text)+"%", searchedPayments, limit); err != nil {
			return err
		}
	}
	return nil
}

func (rx *Rx) searchAmounts(found hits, a AmountRange, limit int) error {
	return rx.each(`SELECT p.id, p.currency, p.amount_minor FROM (SELECT id FROM payment WHERE amount_minor BETWEEN ?1 AND ?2 ORDER BY amount_minor, id DESC LIMIT ?3) f
		JOIN payment p ON p.id = f.id`, func(r *Row) {
		if a.Counts(r.Text(1)) {
			found.note(r.Int(0), r.Int(2) == a.FromMinor)
		}
	}, a.FromMinor, a.ToMinor, limit)
}

func (rx *Rx) paymentsFound(found hits, limit int) (list []Payment, err error) {
	ids := sortedDescending(found)
	slices.SortStableFunc(ids, func(a, b int64) int { return cmp.Compare(flag(found[b]), flag(found[a])) })
	for _, id := range ids[:min(limit, len(ids))] {
		p, ok, err := rx.Payment(id)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, p)
		}
	}
	return list, nil
}

// gatewaysInUse skips through the unique index, one step for each gateway.
func (rx *Rx) gatewaysInUse() (names []string, err error) {
	last := ""
	for {
		found, err := rx.one(`SELECT gateway FROM payment WHERE gateway > ? ORDER BY gateway LIMIT 1`, func(r *Row) { last = r.Text(0) }, last)
		if err != nil || !found {
			return names, err
		}
		names = append(names, last)
	}
}
