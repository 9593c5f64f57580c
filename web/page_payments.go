package web

import (
	"encoding/csv"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"nodrop/app/payment"
	"nodrop/store"
	"nodrop/templates"
)

const (
	paymentsShown = 50
	searchShown   = 200
	exportBatch   = 500
)

// paymentWish is what a person wants to see of the payments, as the address keeps it.
type paymentWish struct {
	text, state, gateway string
	review               bool
	before               int64
}

func (v *visit) paymentWish() paymentWish {
	q := v.r.URL.Query()
	w := paymentWish{text: strings.TrimSpace(q.Get("q")), state: q.Get("state"), gateway: q.Get("gateway"), review: q.Get("review") != ""}
	w.before, _ = strconv.ParseInt(q.Get("before"), 10, 64)
	return w
}

// at is the address of the same wish with another state, gateway and beginning.
func (w paymentWish) at(path string) string {
	before, review := "", ""
	if w.before > 0 {
		before = strconv.FormatInt(w.before, 10)
	}
	if w.review {
		review = "open"
	}
	return address(path, "q", w.text, "state", w.state, "gateway", w.gateway, "review", review, "before", before)
}

func (w paymentWish) filter(limit int) store.PaymentFilter {
	f := store.PaymentFilter{Gateway: w.gateway, State: w.state, Review: w.review, Before: w.before, Limit: limit}
	if f.Before <= 0 {
		f.Before = math.MaxInt64
	}
	return f
}

// keeps tells whether a payment found by searching passes the filters beside it.
func (w paymentWish) keeps(p store.Payment) bool {
	return (w.state == "" || p.State == w.state) && (w.gateway == "" || p.Gateway == w.gateway) && (!w.review || p.Reviews > 0)
}

func (v *visit) payments() error {
	w := v.paymentWish()
	view := templates.PaymentsView{
		Page: v.page("payments", v.lang.T("Payments")), Query: w.text, Export: w.at("/payments.csv"), Narrowed: w != (paymentWish{before: w.before}),
	}
	var list []store.Payment
	var open []store.StateCount
	err := v.read("payments", func(rx *store.Rx) (err error) {
		if open, err = rx.OpenPayments(0, math.MaxInt64); err != nil {
			return err
		}
		list, err = find(rx, w)
		return err
	})
	if err != nil {
		return err
	}
	view.States, view.Gateways, view.Kept = v.stateFilters(w, open), v.gatewayFilters(w), keptOf(w)
	if w.text != "" {
		view.Found = v.found(len(list))
	} else if len(list) > paymentsShown {
		list = list[:paymentsShown]
		view.Pager.Next = paymentWish{state: w.state, gateway: w.gateway, review: w.review, before: list[paymentsShown-1].ID}.at("/payments")
	}
	if w.before > 0 {
		view.Pager.First = paymentWish{state: w.state, gateway: w.gateway, review: w.review}.at("/payments")
	}
	view.List = v.paymentRows(list)
	return v.show(http.StatusOK, templates.Payments(view))
}

// find reads the payments that a wish is about: by search, or newest first, one more than a page shows.
func find(rx *store.Rx, w paymentWish) ([]store.Payment, error) {
	if w.text == "" {
		return rx.Payments(w.filter(paymentsShown + 1))
	}
	all, err := rx.SearchPayments(w.text, amountsOf(w.text), searchShown)
	var kept []store.Payment
	for _, p := range all {
		if w.keeps(p) {
			kept = append(kept, p)
		}
	}
	return kept, err
}

// amountsOf reads a search as an amount of the currencies with none, two and three decimals; a whole number also finds
// what is written with more behind the point.
func amountsOf(text string) (list []store.AmountRange) {
	number := strings.ReplaceAll(strings.TrimLeft(text, "₱€£₹฿₫₩$¥ "), ",", "")
	for _, of := range []struct {
		like     string
		decimals int
		rest     int64
	}{{"JPY", 0, 0}, {"PHP", 2, 99}, {"KWD", 3, 999}} {
		minor, err := payment.ParseAmount(number, of.like)
		if err != nil {
			continue
		}
		a := store.AmountRange{FromMinor: minor, ToMinor: minor, Counts: func(currency string) bool {
			n, _ := payment.Exponent(currency)
			return n == of.decimals
		}}
		if !strings.Contains(number, ".") && minor <= math.MaxInt64-of.rest {
			a.ToMinor += of.rest
		}
		list = append(list, a)
	}
	return list
}

func (v *visit) found(n int) string {
	if n == 0 {
		return "" // the empty list says so
	}
	if n >= searchShown {
		return v.lang.T("More than %d payments match; the newest are shown. Type more of the reference.", searchShown-1)
	}
	return v.lang.N(int64(n), "One payment matches.", "%d payments match.", n)
}

func keptOf(w paymentWish) (rows []templates.Row) {
	for _, pair := range [][2]string{{"state", w.state}, {"gateway", w.gateway}} {
		if pair[1] != "" {
			rows = append(rows, templates.Row{Name: pair[0], Value: pair[1]})
		}
	}
	return rows
}

func (v *visit) stateFilters(w paymentWish, open []store.StateCount) []templates.Filter {
	counts := map[string]int64{}
	for _, c := range open {
		counts[c.State] += c.Count
	}
	all, review := w, w
	all.state, all.review, all.before = "", false, 0
	review.state, review.review, review.before = "", true, 0
	list := []templates.Filter{
		{Text: v.lang.T("All"), Href: all.at("/payments"), Active: w.state == "" && !w.review},
		{Text: v.lang.T("With a review"), Href: review.at("/payments"), Active: w.review},
	}
	for _, s := range payment.States() {
		one := all
		one.state = string(s)
		f := templates.Filter{Text: v.lang.word("state", string(s)), Href: one.at("/payments"), Active: w.state == string(s)}
		if s == payment.Pending || s == payment.Processing || s == payment.Unknown {
			f.Count = count(counts[string(s)])
		}
		list = append(list, f)
	}
	return list
}

func (v *visit) gatewayFilters(w paymentWish) []templates.Filter {
	w.before = 0
	all := w
	all.gateway = ""
	list := []templates.Filter{{Text: v.lang.T("All gateways"), Href: all.at("/payments"), Active: w.gateway == ""}}
	for _, name := range v.engine.GatewayNames() {
		one := w
		one.gateway = name
		list = append(list, templates.Filter{Text: name, Href: one.at("/payments"), Active: w.gateway == name})
	}
	return list
}

func (v *visit) paymentRows(list []store.Payment) []templates.PaymentRow {
	rows := make([]templates.PaymentRow, len(list))
	for i, p := range list {
		rows[i] = v.paymentRow(p)
	}
	return rows
}

func (v *visit) paymentRow(p store.Payment) templates.PaymentRow {
	r := templates.PaymentRow{
		Href: paymentPath(p.PublicID), ID: ref(p.PublicID), Order: ref(p.Order.Ref), Merchant: ref(p.MerchantRef), Gateway: p.Gateway, State: v.standingOf(p),
		Late: p.Late, Reviews: p.Reviews, Amount: money(p.AmountMinor, p.Currency), Created: v.stamp(p.CreatedMs), Changed: v.stamp(p.ChangedMs),
	}
	if p.ReceivedMinor != 0 && p.ReceivedMinor != p.AmountMinor {
		r.Notes = append(r.Notes, v.lang.T("received %s", money(p.ReceivedMinor, p.Currency)))
	}
	if p.RefundedMinor != 0 {
		r.Notes = append(r.Notes, v.lang.T("refunded %s", money(p.RefundedMinor, p.Currency)))
	}
	if p.ReversedMinor != 0 {
		r.Notes = append(r.Notes, v.lang.T("taken back %s", money(p.ReversedMinor, p.Currency)))
	}
	return r
}

var csvHead = []string{"id", "gateway", "merchant_ref", "order_ref", "state", "cause", "late", "currency", "amount", "received", "refunded", "disputed", "reversed", "open_reviews", "created_at", "changed_at"}

// paymentsCSV exports what the same address shows as a page, whole.
func (v *visit) paymentsCSV() error {
	w := v.paymentWish()
	list, err := v.batch(&w)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="payments.csv"`)
	out := csv.NewWriter(v.w)
	_ = out.Write(csvHead) // a lost connection shows in Flush below
	for len(list) > 0 {
		for _, p := range list {
			_ = out.Write(v.csvLine(p))
		}
		out.Flush()
		if out.Error() != nil {
			return nil // the person has left
		}
		_ = http.NewResponseController(v.w).SetWriteDeadline(v.engine.Now().Add(time.Minute)) // not every connection has one
		if list, err = v.batch(&w); err != nil {
			v.log.Error("an export was cut off", "error", err)
			panic(http.ErrAbortHandler) // the browser must not take the part for the whole
		}
	}
	out.Flush()
	return nil
}

// batch reads the next payments of an export and moves the wish on behind them.
func (v *visit) batch(w *paymentWish) (list []store.Payment, err error) {
	if w.text != "" && w.before < 0 {
		return nil, nil
	}
	err = v.read("export", func(rx *store.Rx) (err error) {
		if w.text != "" {
			list, err = find(rx, *w)
			return err
		}
		list, err = rx.Payments(w.filter(exportBatch))
		return err
	})
	switch {
	case w.text != "":
		w.before = -1
	case len(list) > 0:
		w.before = list[len(list)-1].ID
	}
	return list, err
}

func (v *visit) csvLine(p store.Payment) []string {
	amount := func(minor int64) string { return payment.FormatAmount(minor, p.Currency) }
	instant := func(ms int64) string {
		return time.UnixMilli(ms).In(v.engine.Config().Timezone).Format(time.RFC3339)
	}
	return []string{
		p.PublicID, p.Gateway, harmless(p.MerchantRef), harmless(p.Order.Ref), p.State, p.Cause, strconv.FormatBool(p.Late), p.Currency, amount(p.AmountMinor), amount(p.ReceivedMinor),
		amount(p.RefundedMinor), amount(p.DisputedMinor), amount(p.ReversedMinor), strconv.FormatInt(p.Reviews, 10), instant(p.CreatedMs), instant(p.ChangedMs),
	}
}

// harmless keeps a spreadsheet from running a reference as a formula.
func harmless(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
