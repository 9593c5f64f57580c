package web

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"nodrop/app"
	"nodrop/store"
	"nodrop/templates"
)

// reviewsShown bounds the queue on its page; the most money comes first.
const reviewsShown = 200

// reviewsSorted is how many open questions are put in order.
const reviewsSorted = 500

// subject is what a question is about, as far as there is something.
type subject struct {
	payment store.Payment
	item    store.Work
	like    []store.Work // the messages with the item's id, where they differ
	claim   store.Claim
}

// queue reads open questions with what they are about.
func (v *visit) queue(rx *store.Rx, kind string, snoozed bool, limit int) ([]store.Review, []subject, error) {
	list, err := rx.OpenReviews(kind, v.now.UnixMilli(), snoozed, reviewsSorted)
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(list, inOrder)
	list = list[:min(limit, len(list))]
	about, err := subjects(rx, list)
	return list, about, err
}

func subjects(rx *store.Rx, list []store.Review) ([]subject, error) {
	about := make([]subject, len(list))
	for i, r := range list {
		s, err := subjectOf(rx, r)
		if err != nil {
			return nil, err
		}
		about[i] = s
	}
	return about, nil
}

func subjectOf(rx *store.Rx, r store.Review) (s subject, err error) {
	switch {
	case r.PaymentID != 0:
		s.payment, _, err = rx.Payment(r.PaymentID)
	case r.OrderID != 0:
		var list []store.Payment
		if list, err = rx.PaymentsOfOrder(r.OrderID); err == nil && len(list) > 0 {
			s.payment = list[len(list)-1]
		}
	}
	if err == nil && r.InboxID != 0 {
		s.item, _, err = rx.GetWork(r.InboxID)
	}
	if err == nil && r.Kind == "same_key_other_content" {
		s.like, err = rx.Variants(s.item.Gateway, s.item.Channel, s.item.DedupeKey)
	}
	if key, ok := strings.CutPrefix(r.Subject, "claim:"); ok && err == nil {
		s.claim, _, err = rx.Claim(key)
	}
	return s, err
}

// messages are what a question's evidence said, to be compared.
func (v *visit) messages(s subject) (list []templates.Message) {
	like := s.like
	if len(like) == 0 && s.item.ID != 0 {
		like = []store.Work{s.item}
	}
	for _, w := range like {
		text := indented(w.Request.Body)
		if text == "" {
			text, _, _ = bodyText(w.Request.Body)
		}
		list = append(list, templates.Message{Label: v.lang.T("Came in at %s", v.clock(w.ReceivedMs).Text), Href: numbered("/inbox", w.ID), Text: text})
	}
	return list
}

func (v *visit) reviews() error {
	q := v.r.URL.Query()
	kind, which := q.Get("kind"), q.Get("show")
	view := templates.ReviewsView{Page: v.page("reviews", v.lang.T("Reviews")), Sentence: v.reviewsSentence(), ShowDone: which == "answered"}
	var list []store.Review
	var about []subject
	var counts map[string]int64
	err := v.read("reviews", func(rx *store.Rx) (err error) {
		if view.ShowDone {
			list, err = rx.ClosedReviews(reviewsShown)
			if err == nil {
				about, err = subjects(rx, list)
			}
			return err
		}
		if counts, err = reviewKinds(rx, v.now.UnixMilli()); err != nil {
			return err
		}
		list, about, err = v.queue(rx, kind, which == "snoozed", reviewsShown)
		return err
	})
	if err != nil {
		return err
	}
	view.Filters = v.reviewFilters(kind, which, counts)
	if view.ShowDone {
		view.Closed = v.closedRows(list, about)
		return v.show(http.StatusOK, templates.Reviews(view))
	}
	view.List = v.reviewRows(list, about)
	if err := v.openInPlace(view.List, list, about); err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Reviews(view))
}

func (v *visit) reviewsSentence() string {
	n, risk := v.openReviews(), v.risks(v.risk)
	switch {
	case n == 0:
		return v.lang.T("No question is open.")
	case risk == "":
		return v.lang.N(n, "One question is open.", "%d questions are open.", n)
	}
	return v.lang.N(n, "One question is open, %[2]s at risk.", "%[1]d questions are open, %[2]s at risk. Most money first, then the oldest.", n, risk)
}

// reviewKinds counts the open questions by kind.
func reviewKinds(rx *store.Rx, nowMs int64) (map[string]int64, error) {
	list, err := rx.OpenReviews("", nowMs, true, 1000)
	counts := map[string]int64{}
	for _, r := range list {
		if r.SnoozedMs > nowMs {
			counts["snoozed"]++
			continue
		}
		counts[""]++
		counts[r.Kind]++
	}
	return counts, err
}

func (v *visit) reviewFilters(kind, which string, counts map[string]int64) []templates.Filter {
	open := templates.Filter{Text: v.lang.T("Open"), Href: "/reviews", Active: kind == "" && which == ""}
	if counts != nil {
		open.Count = count(counts[""])
	}
	list := []templates.Filter{open}
	for _, k := range sortedWords("kind") {
		if counts[k] > 0 || kind == k {
			list = append(list, templates.Filter{Text: v.lang.word("kind", k), Href: address("/reviews", "kind", k), Count: count(counts[k]), Active: kind == k})
		}
	}
	if counts["snoozed"] > 0 || which == "snoozed" {
		list = append(list, templates.Filter{Text: v.lang.T("With snoozed ones"), Href: address("/reviews", "show", "snoozed"), Count: count(counts["snoozed"]), Active: which == "snoozed"})
	}
	return append(list, templates.Filter{Text: v.lang.T("Answered"), Href: address("/reviews", "show", "answered"), Active: which == "answered"})
}

func (v *visit) reviewRows(list []store.Review, about []subject) []templates.ReviewRow {
	rows := make([]templates.ReviewRow, len(list))
	for i, r := range list {
		rows[i] = v.reviewRow(r, about[i])
	}
	return rows
}

func (v *visit) reviewRow(r store.Review, s subject) templates.ReviewRow {
	id := strconv.FormatInt(r.ID, 10)
	row := templates.ReviewRow{
		ID: id, Href: numbered("/reviews", r.ID), Sentence: v.reviewSentence(r, s), Gateway: r.Gateway, Money: money(r.AmountMinor, r.Currency),
		Opened: v.stamp(r.OpenedMs), Urgent: r.Urgent, Here: address("/reviews", "kind", v.r.URL.Query().Get("kind"), "show", v.r.URL.Query().Get("show"), "open", id) + "#r" + id,
	}
	if path, day, ok := settlementReview(r); ok {
		row.Href, row.Here, row.Payment, row.Link = path, path, templates.Ref{Short: v.dayText(day), Full: day}, path
	}
	if r.SnoozedMs > v.now.UnixMilli() {
		row.Snoozed = v.stamp(r.SnoozedMs)
	}
	switch {
	case s.payment.PublicID != "":
		row.Payment, row.Link = ref(s.payment.MerchantRef), paymentPath(s.payment.PublicID)
	case s.item.ID != 0:
		row.Payment = ref(s.item.MerchantRef)
	}
	return row
}

// reviewSentence says in words what is wrong, with the amounts where they tell more.
func (v *visit) reviewSentence(r store.Review, s subject) string {
	p := s.payment
	if r.Kind == "difference" && r.Currency == p.Currency && r.AmountMinor != p.AmountMinor && r.AmountMinor > 0 {
		return v.lang.T("%s came where %s was expected", money(r.AmountMinor, r.Currency), money(p.AmountMinor, p.Currency))
	}
	if r.Kind == "gateway_unaskable" {
		return v.lang.T("%s has not answered any question for long", r.Gateway)
	}
	return v.lang.word("review", r.Kind)
}

func (v *visit) closedRows(list []store.Review, about []subject) (rows []templates.ClosedRow) {
	for i, r := range list {
		open := v.reviewRow(r, about[i])
		rows = append(rows, templates.ClosedRow{Href: open.Href, Sentence: open.Sentence, Payment: open.Payment, Link: open.Link,
			Answer: v.lang.word("answer", r.Answer), By: r.ClosedBy, Reason: r.Reason, At: v.stamp(r.ClosedMs)})
	}
	return rows
}

// openInPlace puts the answers of the one question that the address names below its row.
func (v *visit) openInPlace(rows []templates.ReviewRow, list []store.Review, about []subject) error {
	open := v.r.URL.Query().Get("open")
	for i := range rows {
		if rows[i].ID != open {
			continue
		}
		forms, err := v.reviewForms(list[i], about[i], typed{})
		if err != nil {
			return err
		}
		rows[i].Forms = &forms
	}
	return nil
}

func (v *visit) review() error { return v.showReview(http.StatusOK, typed{}) }

func (v *visit) showReview(status int, t typed) error {
	id, err := v.number("id")
	if err != nil {
		return err
	}
	var r store.Review
	var s subject
	var d dossier
	var others []templates.PaymentRow
	var approval []templates.Row
	err = v.read("review", func(rx *store.Rx) (err error) {
		var ok bool
		if r, ok, err = rx.Review(id); err != nil {
			return err
		} else if !ok {
			return v.lost()
		}
		if s, err = subjectOf(rx, r); err != nil {
			return err
		}
		if s.payment.ID == 0 {
			d.audits, err = rx.AuditsOf(app.ReviewSubject(r), reviewsShown)
			return err
		}
		if approval, err = v.approval(rx, r, s.payment); err != nil {
			return err
		}
		if others, err = v.orderRows(rx, s.payment.OrderID); err != nil {
			return err
		}
		return readDossier(rx, s.payment, &d)
	})
	if err != nil {
		return err
	}
	if path, _, ok := settlementReview(r); ok {
		return v.done(path, "")
	}
	view := templates.ReviewView{
		Page: v.page("reviews", v.reviewSentence(r, s)), Sentence: v.reviewSentence(r, s), Advice: v.lang.wordOr("advice", r.Kind, ""), Money: money(r.AmountMinor, r.Currency),
		State: templates.Badge{Kind: "odd", Label: v.lang.T("Open")}, Rows: append(approval, v.reviewFacts(r, s)...), Messages: v.messages(s), Payments: others,
		Entries: v.timeline(d),
	}
	if s.payment.ID != 0 {
		view.Sources = v.sources(d)
	}
	if r.State == "closed" {
		view.State = templates.Badge{Kind: "ok", Label: v.lang.T("Answered")}
		view.Closed = &v.closedRows([]store.Review{r}, []subject{s})[0]
	}
	if view.Forms, err = v.reviewForms(r, s, t); err != nil {
		return err
	}
	view.Alerts = view.Forms.Wrong
	return v.show(status, templates.Review(view))
}

func (v *visit) reviewFacts(r store.Review, s subject) []templates.Row {
	rows := []templates.Row{{Name: v.lang.T("Open since"), At: v.stamp(r.OpenedMs)}}
	if p := s.payment; p.ID != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Payment"), Link: templates.Link{Text: ref(p.MerchantRef).Short, Href: paymentPath(p.PublicID)}},
			templates.Row{Name: v.lang.T("Order"), Ref: ref(p.Order.Ref)}, templates.Row{Name: v.lang.T("State"), Value: v.standingOf(p).Label},
			templates.Row{Name: v.lang.T("Expected"), Value: money(p.AmountMinor, p.Currency)})
		rows = append(rows, v.paymentMoney(p)...)
	}
	if r.Gateway != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Gateway"), Link: templates.Link{Text: r.Gateway, Href: "/gateways/" + r.Gateway}})
	}
	if s.item.ID != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Evidence"), Link: templates.Link{Text: v.lang.T("The request as it came in"), Href: numbered("/inbox", s.item.ID)}})
		if s.item.Reason != "" {
			rows = append(rows, templates.Row{Name: v.lang.T("Why"), Value: v.lang.word("reason", s.item.Reason)})
		}
		if s.item.Error != "" {
			rows = append(rows, templates.Row{Name: v.lang.T("Failure"), Value: visible(s.item.Error)})
		}
	}
	if s.claim.Key != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Claim"), Ref: ref(s.claim.Key)}, templates.Row{Name: v.lang.T("Claimed by"), Value: visible(s.claim.Owner)}, templates.Row{Name: v.lang.T("Claimed at"), At: v.stamp(s.claim.MadeMs)})
	}
	if r.OutboxSeq != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Event"), Link: templates.Link{Text: v.lang.T("The event and its attempts"), Href: numbered("/outbox", r.OutboxSeq)}})
	}
	if r.SnoozedMs > v.now.UnixMilli() {
		rows = append(rows, templates.Row{Name: v.lang.T("Snoozed until"), At: v.stamp(r.SnoozedMs)})
	}
	return rows
}

// reviewForms are the allowed answers to one question.
func (v *visit) reviewForms(r store.Review, s subject, t typed) (templates.FormsView, error) {
	choices, err := v.engine.ReviewChoices(v.r.Context(), r.ID)
	if err != nil {
		return templates.FormsView{}, err
	}
	if choices, err = v.withoutOwn(r, choices); err != nil {
		return templates.FormsView{}, err
	}
	f := formsFor{action: numbered("/reviews", r.ID) + "/decide", id: "review" + strconv.FormatInt(r.ID, 10), payment: s.payment, review: r}
	if r.PaymentID == 0 && r.OrderID != 0 {
		if f.payments, f.first, err = v.ofOrder(r.OrderID); err != nil {
			return templates.FormsView{}, err
		}
	}
	return v.forms(f, choices, t)
}

func (v *visit) postReviewDecision() error {
	id, err := v.number("id")
	if err != nil {
		return err
	}
	d, t := v.decision()
	d.ReviewID = id
	if d.Act == app.ActAsk && d.PaymentID == "" {
		return v.askAll(d, t)
	}
	return v.decide(d, t, "/reviews", func(t typed) error { return v.showReview(t.status(), t) })
}

// number reads a whole number out of the path.
func (v *visit) number(name string) (int64, error) {
	n, err := strconv.ParseInt(v.r.PathValue(name), 10, 64)
	if err != nil || n <= 0 {
		return 0, v.lost()
	}
	return n, nil
}
