package web

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/app/payment"
	"nodrop/store"
	"nodrop/templates"
)

// typed is what a person had entered when something was wrong with it.
type typed struct {
	values url.Values
	code   string // stable word of the mistake
	text   string
}

// status answers a form that was filled in wrongly with 422, and one that the standing does not allow, as no page offers it, with 409.
func (t typed) status() int {
	if t.code == payment.RefusedNotAllowed {
		return http.StatusConflict
	}
	return http.StatusUnprocessableEntity
}

// formsFor says whose acts are offered and where they are sent.
type formsFor struct {
	action  string
	id      string
	payment store.Payment
	review  store.Review

	payments []templates.Option // of the order, where the question is about several
	first    string             // of them, for an answer that is about the order
}

// forms makes a form of each choice, with what was typed before in the one that went wrong.
func (v *visit) forms(f formsFor, choices []app.Choice, t typed) (templates.FormsView, error) {
	view := templates.FormsView{Page: v.page("", ""), Action: f.action, Version: strconv.FormatInt(f.payment.Version, 10), Key: v.formKey(), ID: f.id, ReadOnly: !v.mayAct()}
	var undoable []templates.Option
	for _, c := range choices {
		if c.Act == string(payment.ActUndo) && c.Blocked == "" && undoable == nil {
			var err error
			if undoable, err = v.undoable(f.payment.ID); err != nil {
				return view, err
			}
		}
		a := v.act(f, c)
		a.Undos = undoable
		if t.values.Get("act") == c.Act {
			wrong := fill(&a, t)
			if a.Blocked == "" && !view.ReadOnly {
				view.Wrong = []templates.Link{{Text: t.text, Href: "#" + view.Field(a, wrong)}}
			}
		}
		view.Acts = append(view.Acts, a)
	}
	if t.text != "" && view.Wrong == nil {
		view.Wrong = []templates.Link{{Text: t.text}}
	}
	return view, nil
}

func (v *visit) act(f formsFor, c app.Choice) templates.Act {
	a := templates.Act{
		Act: c.Act, Label: v.lang.word("act", c.Act), Follows: v.lang.wordOr("follows", c.Act, ""), Money: c.Money,
		Amount: c.Amount, Basis: c.Basis, Link: c.Link, Until: c.Until, Undo: c.Act == string(payment.ActUndo), Reason: c.Act != app.ActAsk && c.Act != app.ActSnooze,
		Bases:  []templates.Option{v.basis(payment.BasisGateway), v.basis(payment.BasisElsewhere)},
		Untils: v.untils(), AmountLabel: v.amountLabel(f, c.Act), Payments: f.payments,
	}
	switch c.Act {
	case string(payment.ActKeepBoth):
		a.Payments, a.Payment = nil, f.first
	case app.ActAsk, app.ActSnooze:
		a.Payments = nil
	}
	if c.Blocked != "" {
		a.Blocked = v.blockedText(f, c.Act, c.Blocked)
	}
	return a
}

func (v *visit) basis(b payment.Basis) templates.Option {
	return templates.Option{Value: string(b), Text: v.lang.word("basis", string(b))}
}

// blockedText says why an act is not allowed; a late success waits for the gateway's own word.
func (v *visit) blockedText(f formsFor, act, word string) string {
	if act == string(payment.ActFulfil) && word == "not_allowed" && f.review.Kind == string(payment.ReasonLate) && f.review.State == "open" && f.payment.Paid {
		word = "not_confirmed"
	}
	return v.lang.word("blocked", word)
}

// amountLabel says which amount is to be typed for an act that asks for one.
func (v *visit) amountLabel(f formsFor, act string) string {
	p := f.payment
	switch payment.Act(act) {
	case payment.ActRefund:
		if len(f.payments) > 0 {
			return v.lang.T("To confirm, type the amount that will be refunded")
		}
		return v.lang.T("To confirm, type the amount that will be refunded; %s is left", money(max(0, p.ReceivedMinor-p.RefundedMinor-p.ReversedMinor), p.Currency))
	case payment.ActAccept:
		if p.ReceivedMinor > 0 {
			return v.lang.T("To confirm, type the amount that the gateway reports: %s", money(p.ReceivedMinor, p.Currency))
		}
	case app.ActRecordRefund, app.ActRecordDispute, app.ActRecordLoss:
		return v.lang.T("The amount that the gateway's dashboard shows; %s was received", money(p.ReceivedMinor, p.Currency))
	}
	return v.lang.T("Amount received; %s was expected", money(p.AmountMinor, p.Currency))
}

// snoozes are how long a question can be put off.
var snoozes = []time.Duration{time.Hour, 4 * time.Hour, 24 * time.Hour, 72 * time.Hour, 7 * 24 * time.Hour}

func (v *visit) untils() (list []templates.Option) {
	for _, d := range snoozes {
		list = append(list, templates.Option{Value: d.String(), Text: v.ahead(d)})
	}
	return list
}

// undoable lists the decisions of a payment that stand.
func (v *visit) undoable(paymentID int64) (list []templates.Option, err error) {
	err = v.read("decisions", func(rx *store.Rx) error {
		facts, err := rx.FactsOf(paymentID)
		for _, f := range standingDecisions(facts) {
			list = append(list, templates.Option{Value: strconv.FormatInt(f.ID, 10), Text: v.lang.T("%s by %s, %s", v.lang.word("act", f.Act), f.Actor, v.clock(f.CommittedMs).Text)})
		}
		return err
	})
	return list, err
}

// standingDecisions are the decisions that no later one has undone, newest first.
func standingDecisions(facts []store.Fact) (list []store.Fact) {
	undone := map[int64]bool{}
	for i := len(facts) - 1; i >= 0; i-- {
		f := facts[i]
		switch {
		case f.Kind != string(payment.FactDecision) || undone[f.ID]:
		case f.Act == string(payment.ActUndo):
			undone[f.Refers] = true
		case f.Act != string(payment.ActNote):
			list = append(list, f)
		}
	}
	return list
}

// fill puts what was typed back into a form, with the message at its field, and names the field.
func fill(a *templates.Act, t typed) (field string) {
	a.Open = true
	a.AmountValue, a.LinkValue, a.ReasonValue = t.values.Get("amount"), t.values.Get("link"), t.values.Get("reason")
	choose(a.Bases, t.values.Get("basis"))
	choose(a.Untils, t.values.Get("until"))
	choose(a.Undos, t.values.Get("refers"))
	choose(a.Payments, t.values.Get("payment"))
	switch {
	case strings.HasPrefix(t.code, "reason"):
		a.ReasonProblem, field = t.text, "reason"
	case strings.HasPrefix(t.code, "amount") || strings.HasPrefix(t.code, "currency") || t.code == "bad_amount":
		a.AmountProblem, field = t.text, "amount"
	case strings.HasPrefix(t.code, "basis"):
		a.BasisProblem, field = t.text, "basis"
	case strings.HasPrefix(t.code, "link"):
		a.LinkProblem, field = t.text, "link"
	case strings.HasPrefix(t.code, "until") || t.code == "bad_until":
		a.UntilProblem, field = t.text, "until"
	case strings.HasPrefix(t.code, "undo") || t.code == "nothing_to_undo":
		a.UndoProblem, field = t.text, "refers"
	default:
		a.Problem = t.text
	}
	return field
}

func choose(options []templates.Option, value string) {
	for i := range options {
		options[i].Chosen = options[i].Value == value && value != ""
	}
}

// decision reads a form.
func (v *visit) decision() (app.Decision, typed) {
	_ = v.r.ParseForm() // a form that cannot be read has no act, which is refused
	t := typed{values: v.r.PostForm}
	d := app.Decision{
		Actor: v.user.Name, FormKey: t.values.Get("form_key"), Act: t.values.Get("act"), Basis: t.values.Get("basis"), Amount: plainAmount(t.values.Get("amount")),
		Reason: strings.TrimSpace(t.values.Get("reason")), LinkTo: strings.TrimSpace(t.values.Get("link")),
	}
	d.Version, _ = strconv.ParseInt(t.values.Get("version"), 10, 64)
	if id, version, ok := strings.Cut(t.values.Get("payment"), "/"); ok {
		d.PaymentID = id
		d.Version, _ = strconv.ParseInt(version, 10, 64)
	}
	d.Refers, _ = strconv.ParseInt(t.values.Get("refers"), 10, 64)
	if span, err := time.ParseDuration(t.values.Get("until")); err == nil && span > 0 {
		d.Until = v.now.Add(span)
	}
	return d, t
}

var (
	typedAmount = regexp.MustCompile(`^(?:[A-Z]{3}|[₱€£₹฿₫₩₪₴₺])?\s*([0-9][0-9.,]*)\s*(?:[A-Z]{3})?$`)
	thousands   = regexp.MustCompile(`^[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?$`)
)

// plainAmount takes the currency and the commas between thousands out of an amount as the pages show it. Anything
// else stays as it is, for the engine to refuse.
func plainAmount(text string) string {
	text = strings.TrimSpace(text)
	m := typedAmount.FindStringSubmatch(text)
	switch {
	case m == nil:
		return text
	case thousands.MatchString(m[1]):
		return strings.ReplaceAll(m[1], ",", "")
	}
	return m[1]
}

// decide has the engine do it, and leads on, or shows the form again with what is wrong, or what changed meanwhile.
func (v *visit) decide(d app.Decision, t typed, next string, again func(typed) error) error {
	waits, err := false, v.confirmed(d)
	if err == nil {
		waits, err = v.engine.Submit(v.r.Context(), d)
	}
	var e *app.Error
	switch {
	case waits:
		return v.done(next, v.lang.T("It is written down and waits until another person approves it. Nothing has changed yet."))
	case err == nil:
		return v.done(next, v.lang.wordOr("acted", d.Act, v.lang.T("Done.")))
	case errors.As(err, &e) && e.Kind == app.KindStale:
		return v.stale(d, t)
	case errors.As(err, &e) && e.Kind == app.KindNotFound && d.Act == app.ActLink:
		t.code, t.text = "link", v.lang.T("There is no payment with this id. Copy it from the payment's page.")
		return again(t)
	}
	if errors.As(err, &e) && e.Code == payment.RefusedAmount && v.blocked(d) {
		err = &app.Error{Kind: app.KindConflict, Code: payment.RefusedNotAllowed}
	}
	code, text, ok := v.mistake(err)
	if !ok {
		return err
	}
	t.code, t.text = code, text
	return again(t)
}

// blocked tells whether the standing does not allow an act, whatever amount is typed.
func (v *visit) blocked(d app.Decision) bool {
	choices, err := v.choices(d)
	return err == nil && slices.ContainsFunc(choices, func(c app.Choice) bool { return c.Act == d.Act && c.Blocked == payment.RefusedNotAllowed })
}

// confirmed wants the amount typed where money moves.
func (v *visit) confirmed(d app.Decision) error {
	if d.Amount != "" {
		return nil
	}
	choices, err := v.choices(d)
	i := slices.IndexFunc(choices, func(c app.Choice) bool { return c.Act == d.Act })
	if err != nil || i < 0 || !choices[i].Money || choices[i].Blocked != "" {
		return err
	}
	return &app.Error{Kind: app.KindInvalid, Code: payment.RefusedAmount, Text: v.lang.word("error", payment.RefusedAmount)}
}

func (v *visit) choices(d app.Decision) ([]app.Choice, error) {
	if d.ReviewID != 0 {
		return v.engine.ReviewChoices(v.r.Context(), d.ReviewID)
	}
	return v.engine.PaymentChoices(v.r.Context(), d.PaymentID)
}

// stale shows what changed since the person looked, with what they had entered.
func (v *visit) stale(d app.Decision, t typed) error {
	view := templates.FaultView{
		Page: v.page("payments", v.lang.T("This has changed since you looked")), Heading: v.lang.T("This has changed since you looked"),
		Text: v.lang.T("Nothing was done. Look at what changed, then decide again."),
	}
	var f dossier
	err := v.read("what changed", func(rx *store.Rx) error {
		p, err := decidedPayment(rx, d)
		if err != nil || p.ID == 0 {
			return err
		}
		return readDossier(rx, p, &f)
	})
	if err != nil {
		return err
	}
	view.Back = templates.Link{Text: v.lang.T("Look again"), Href: strings.TrimSuffix(v.r.URL.Path, "/decide")}
	view.Changed = v.timeline(f.since(d.Version))
	view.Typed = append(view.Typed, templates.Row{Name: v.lang.T("Answer"), Value: v.lang.word("act", d.Act)})
	for _, field := range []struct{ name, value string }{{v.lang.T("Amount"), t.values.Get("amount")}, {v.lang.T("Reason"), d.Reason}} {
		if field.value != "" {
			view.Typed = append(view.Typed, templates.Row{Name: field.name, Value: visible(field.value)})
		}
	}
	return v.show(http.StatusConflict, templates.Fault(view))
}

func decidedPayment(rx *store.Rx, d app.Decision) (store.Payment, error) {
	if d.PaymentID != "" {
		p, _, err := rx.PaymentByPublicID(d.PaymentID)
		return p, err
	}
	r, ok, err := rx.Review(d.ReviewID)
	if err != nil || !ok {
		return store.Payment{}, err
	}
	s, err := subjectOf(rx, r)
	return s.payment, err
}
