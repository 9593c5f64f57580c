package web

import (
	"net/http"
	"slices"

	"nodrop/app"
	"nodrop/app/payment"
	"nodrop/store"
	"nodrop/templates"
)

func (v *visit) payment() error { return v.showPayment(http.StatusOK, typed{}) }

// file is everything that the page of a payment reads.
type file struct {
	dossier
	refs     []store.GatewayRef
	siblings []store.Payment
	reviews  []store.Review
	about    []subject
	timers   []store.Timer
}

func (v *visit) showPayment(status int, t typed) error {
	id := v.r.PathValue("id")
	var f file
	err := v.read("payment", func(rx *store.Rx) error {
		p, ok, err := rx.PaymentByPublicID(id)
		if err != nil {
			return err
		}
		if !ok {
			return v.lost()
		}
		return readFile(rx, p, &f)
	})
	if err != nil {
		return err
	}
	order, err := v.engine.Order(v.r.Context(), f.payment.Order.Ref)
	if err != nil {
		return err
	}
	choices, err := v.engine.PaymentChoices(v.r.Context(), id)
	if err != nil {
		return err
	}
	view := v.paymentView(f, order)
	if view.Forms, err = v.forms(formsFor{action: paymentPath(id) + "/decide", id: "act", payment: f.payment, review: lateReview(f.reviews)}, choices, t); err != nil {
		return err
	}
	view.Alerts = view.Forms.Wrong
	return v.show(status, templates.Payment(view))
}

// lateReview is the open question about a late success, if there is one.
func lateReview(list []store.Review) store.Review {
	for _, r := range list {
		if r.Kind == string(payment.ReasonLate) {
			return r
		}
	}
	return store.Review{}
}

func readFile(rx *store.Rx, p store.Payment, f *file) (err error) {
	if err = readDossier(rx, p, &f.dossier); err != nil {
		return err
	}
	if f.refs, err = rx.RefsOfPayment(p.ID); err != nil {
		return err
	}
	if f.timers, err = rx.TimersOf(p.ID); err != nil {
		return err
	}
	all, err := rx.PaymentsOfOrder(p.OrderID)
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.ID != p.ID {
			f.siblings = append(f.siblings, s)
		}
	}
	open, err := rx.OpenReviewsOfOrder(p.OrderID)
	if err != nil {
		return err
	}
	for _, r := range open {
		if r.PaymentID == p.ID || r.PaymentID == 0 {
			f.reviews = append(f.reviews, r)
		}
	}
	f.about, err = subjects(rx, f.reviews)
	return err
}

func (v *visit) paymentView(f file, order app.OrderView) templates.PaymentView {
	p := f.payment
	view := templates.PaymentView{
		Page: v.page("payments", ref(p.MerchantRef).Short), ID: ref(p.PublicID), Merchant: ref(p.MerchantRef), State: v.standingOf(p), Late: p.Late, Amount: money(p.AmountMinor, p.Currency),
		Sentence: v.truth(p, order), Rows: v.paymentFacts(f), Money: v.paymentMoney(p), Sources: v.sources(f.dossier), Reviews: v.reviewRows(f.reviews, f.about),
		Siblings: v.paymentRows(f.siblings), Entries: v.timeline(f.dossier), Order: templates.Row{Name: v.lang.T("Charging again"), Value: v.chargeAgain(order)}, Next: v.nextQuestion(f),
	}
	return view
}

// truth says in a sentence what is true and what to tell the customer.
func (v *visit) truth(p store.Payment, order app.OrderView) string {
	word := p.State
	switch {
	case p.State == string(payment.Succeeded) && !p.Paid:
		word = "succeeded.undone"
	case p.State == string(payment.Succeeded) && slices.Contains(order.Reviews, string(payment.ReasonRefundOwed)) && p.Reviews > 0:
		word = "succeeded.owed"
	case p.State == string(payment.Succeeded) && p.Late && p.Reviews > 0:
		word = "succeeded.late"
	case p.State == string(payment.Succeeded) && (p.Reviews > 0 || slices.Contains(order.Reviews, string(payment.ReasonDuplicate))):
		word = "succeeded.asked"
	case p.Cause != "":
		word += "." + p.Cause
	}
	return v.lang.word("truth", word)
}

func (v *visit) paymentFacts(f file) []templates.Row {
	p := f.payment
	rows := []templates.Row{
		{Name: v.lang.T("Merchant reference"), Ref: ref(p.MerchantRef)},
		{Name: v.lang.T("Order"), Ref: ref(p.Order.Ref)},
		{Name: v.lang.T("Gateway"), Link: templates.Link{Text: p.Gateway, Href: "/gateways/" + p.Gateway}},
	}
	if p.Attempt != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Attempt"), Ref: ref(p.Attempt)})
	}
	for _, r := range f.refs {
		rows = append(rows, templates.Row{Name: v.lang.T("Gateway's id (%s)", r.Kind), Ref: ref(r.Ref)})
	}
	rows = append(rows,
		templates.Row{Name: v.lang.T("Registered"), At: v.stamp(p.CreatedMs)}, templates.Row{Name: v.lang.T("Last change"), At: v.stamp(p.ChangedMs)},
		templates.Row{Name: v.lang.T("Decided by"), Value: v.lang.word("source", p.Source)},
	)
	if p.ExpiresMs != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Expires"), At: v.stamp(p.ExpiresMs)})
	}
	if p.Metadata != "" && p.Metadata != "{}" {
		rows = append(rows, templates.Row{Name: v.lang.T("Metadata"), Value: visible(p.Metadata)})
	}
	return append(rows, templates.Row{Name: v.lang.T("Payment id"), Ref: ref(p.PublicID)})
}

func (v *visit) paymentMoney(p store.Payment) []templates.Row {
	rows := []templates.Row{{Name: v.lang.T("Received"), Value: money(p.ReceivedMinor, p.Currency)}}
	for _, part := range []struct {
		name  string
		minor int64
	}{{v.lang.T("Refunded"), p.RefundedMinor}, {v.lang.T("Disputed"), p.DisputedMinor}, {v.lang.T("Taken back"), p.ReversedMinor}} {
		if part.minor != 0 {
			rows = append(rows, templates.Row{Name: part.name, Value: money(part.minor, p.Currency)})
		}
	}
	return rows
}

func (v *visit) chargeAgain(o app.OrderView) string {
	if o.SafeToChargeAgain {
		return v.lang.T("Safe: no payment of this order can still succeed.")
	}
	if len(o.Because) == 0 {
		return v.lang.T("Not safe.")
	}
	return v.lang.word("because", o.Because[0])
}

func (v *visit) nextQuestion(f file) templates.Row {
	row := templates.Row{Name: v.lang.T("The gateway is asked next")}
	next := int64(0)
	for _, t := range f.timers {
		if (t.Kind == "ask" || t.Kind == "hint") && (next == 0 || t.DueMs < next) {
			next = t.DueMs
		}
	}
	if next != 0 {
		row.At = v.stamp(next)
		return row
	}
	row.Value = v.lang.T("not any more")
	return row
}

func (v *visit) postPaymentDecision() error {
	d, t := v.decision()
	d.PaymentID = v.r.PathValue("id")
	return v.decide(d, t, paymentPath(d.PaymentID), func(t typed) error { return v.showPayment(t.status(), t) })
}
