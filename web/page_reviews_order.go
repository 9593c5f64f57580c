package web

import (
	"cmp"
	"net/http"
	"strconv"

	"nodrop/app"
	"nodrop/app/payment"
	"nodrop/store"
	"nodrop/templates"
)

// inOrder puts the urgent first, then the most money whatever its currency, then the oldest.
func inOrder(a, b store.Review) int {
	if a.Urgent != b.Urgent {
		if a.Urgent {
			return -1
		}
		return 1
	}
	wholeA, restA := major(a.AmountMinor, a.Currency)
	wholeB, restB := major(b.AmountMinor, b.Currency)
	return cmp.Or(cmp.Compare(wholeB, wholeA), cmp.Compare(restB, restA), cmp.Compare(a.OpenedMs, b.OpenedMs), cmp.Compare(a.ID, b.ID))
}

// major splits an amount of minor units into whole major units and ten-thousandths.
func major(minor int64, currency string) (whole, rest int64) {
	decimals, _ := payment.Exponent(currency)
	unit, fill := int64(1), int64(10_000)
	for range decimals {
		unit, fill = unit*10, fill/10
	}
	return minor / unit, minor % unit * fill
}

// orderRows shows an order's payments with the gateway's ids, where there are several.
func (v *visit) orderRows(rx *store.Rx, orderID int64) (rows []templates.PaymentRow, err error) {
	list, err := rx.PaymentsOfOrder(orderID)
	if err != nil || len(list) < 2 {
		return nil, err
	}
	for _, p := range list {
		row := v.paymentRow(p)
		refs, err := rx.RefsOfPayment(p.ID)
		if err != nil {
			return nil, err
		}
		for _, r := range refs {
			row.Refs = append(row.Refs, ref(r.Ref))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// ofOrder lists an order's payments with the version that the person sees, the latest first. The first paid one stands
// for all where an answer is about the order.
func (v *visit) ofOrder(orderID int64) (options []templates.Option, first string, err error) {
	err = v.read("payments of an order", func(rx *store.Rx) error {
		list, err := rx.PaymentsOfOrder(orderID)
		for i := len(list) - 1; i >= 0; i-- {
			p := list[i]
			value := p.PublicID + "/" + strconv.FormatInt(p.Version, 10)
			if p.Paid || first == "" {
				first = value
			}
			options = append(options, templates.Option{Value: value,
				Text: v.lang.T("%s at %s, %s, %s received", ref(p.MerchantRef).Full, p.Gateway, v.standingOf(p).Label, money(p.ReceivedMinor, p.Currency))})
		}
		return err
	})
	return options, first, err
}

// askAll asks about every payment that a question is about and that can be asked about.
func (v *visit) askAll(d app.Decision, t typed) error {
	var about []string
	err := v.read("payments of a question", func(rx *store.Rx) error {
		r, ok, err := rx.Review(d.ReviewID)
		if err != nil || !ok || r.PaymentID != 0 || r.OrderID == 0 {
			return err
		}
		list, err := rx.PaymentsOfOrder(r.OrderID)
		for _, p := range list {
			about = append(about, p.PublicID)
		}
		return err
	})
	if err != nil {
		return err
	}
	again := func(t typed) error { return v.showReview(http.StatusUnprocessableEntity, t) }
	if len(about) == 0 {
		return v.decide(d, t, "/reviews", again)
	}
	return v.decideEach(d, t, about, again)
}

// decideEach asks about one payment after the other; what cannot be asked about is left out unless nothing can.
func (v *visit) decideEach(d app.Decision, t typed, about []string, again func(typed) error) error {
	asked, key := 0, d.FormKey
	for _, id := range about {
		d.PaymentID, d.FormKey = id, key+"-"+id
		err := v.engine.Decide(v.r.Context(), d)
		if _, _, ok := v.mistake(err); err != nil && !ok {
			return err
		}
		if err == nil {
			asked++
		}
	}
	if asked == 0 {
		d.FormKey = key
		return v.decide(d, t, "/reviews", again)
	}
	return v.done("/reviews", v.lang.wordOr("acted", d.Act, v.lang.T("Done.")))
}
