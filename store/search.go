package store

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

// SearchPayments finds payments by anything that a customer may have: an id, the order, the
// merchant's or the gateway's reference (whole, or its beginning) or, where minor is not
// negative, the amount in minor units. Newest first.
func (rx *Rx) SearchPayments(text string, minors []int64, limit int) ([]Payment, error) {
	end := text + "\U0010FFFF"
	ids := map[int64]bool{}
	note := func(r *Row) { ids[r.Int(0)] = true }
	queries := []string{
		`SELECT id FROM payment WHERE public_id = ?1 AND ?2 != '' LIMIT ?3`,
		`SELECT p.id FROM payment p JOIN orders o ON o.id = p.order_id WHERE o.order_ref >= ?1 AND o.order_ref < ?2 ORDER BY p.id DESC LIMIT ?3`,
		`SELECT payment_id FROM gateway_ref WHERE ref >= ?1 AND ref < ?2 ORDER BY ref LIMIT ?3`,
	}
	for _, q := range queries {
		if err := rx.each(q, note, text, end, limit); err != nil {
			return nil, err
		}
	}
	gateways, err := rx.gatewaysInUse()
	if err != nil {
		return nil, err
	}
	for _, g := range gateways {
		if err := rx.each(`SELECT id FROM payment WHERE gateway = ?4 AND merchant_ref >= ?1 AND merchant_ref < ?2 ORDER BY merchant_ref LIMIT ?3`, note, text, end, limit, g); err != nil {
			return nil, err
		}
	}
	for _, m := range minors {
		if err := rx.each(`SELECT id FROM payment WHERE amount_minor = ? ORDER BY id DESC LIMIT ?`, note, m, limit); err != nil {
			return nil, err
		}
	}
	return rx.paymentsByIDs(ids, limit)
}

func (rx *Rx) paymentsByIDs(ids map[int64]bool, limit int) (list []Payment, err error) {
	sorted := sortedDescending(ids)
	for _, id := range sorted[:min(limit, len(sorted))] {
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
