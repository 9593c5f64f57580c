package web

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"nodrop/app"
	"nodrop/store"
	"nodrop/templates"
)

const outboxShown = 50

// outboxShape gives each state of an event its shape and colour.
var outboxShape = map[string]string{"pending": "busy", "delivered": "ok", "dead": "bad", "feed": "off"}

func (v *visit) outbox() error {
	state := v.r.URL.Query().Get("state")
	before, _ := strconv.ParseInt(v.r.URL.Query().Get("before"), 10, 64)
	var list []store.Event
	var waiting, dead store.Backlog
	var gone []store.Review
	payments := map[int64]store.Payment{}
	err := v.read("outbox", func(rx *store.Rx) (err error) {
		if waiting, err = rx.OutboxBacklog(); err != nil {
			return err
		}
		if dead, err = rx.DeadOutbox(); err != nil {
			return err
		}
		if gone, err = rx.OpenReviews(shopGone, v.now.UnixMilli(), true, 1); err != nil {
			return err
		}
		if list, err = rx.Events(state, before, outboxShown+1); err != nil {
			return err
		}
		return paymentsOf(rx, list, payments)
	})
	if err != nil {
		return err
	}
	view := templates.OutboxView{Page: v.page("outbox", v.lang.T("Outbox")), Sentence: v.outboxSentence(waiting, dead), States: v.outboxStates(state, waiting, dead)}
	view.Stopped = v.stopped(gone)
	if len(list) > outboxShown {
		list = list[:outboxShown]
		view.Pager.Next = address("/outbox", "state", state, "before", strconv.FormatInt(list[outboxShown-1].Seq, 10))
	}
	if before > 0 {
		view.Pager.First = address("/outbox", "state", state)
	}
	for _, e := range list {
		view.List = append(view.List, v.eventRow(e, payments[e.PaymentID]))
	}
	return v.show(http.StatusOK, templates.Outbox(view))
}

// shopGone is the question that stops the sending until a person resumes it.
const shopGone = "shop_gone"

// stopped leads to the question that keeps events from being sent, if it is open.
func (v *visit) stopped(gone []store.Review) templates.Link {
	if len(gone) == 0 {
		return templates.Link{}
	}
	return templates.Link{Text: v.lang.T("Resume it in its review"), Href: numbered("/reviews", gone[0].ID)}
}

func paymentsOf(rx *store.Rx, list []store.Event, into map[int64]store.Payment) error {
	for _, e := range list {
		if _, known := into[e.PaymentID]; known {
			continue
		}
		p, _, err := rx.Payment(e.PaymentID)
		if err != nil {
			return err
		}
		into[e.PaymentID] = p
	}
	return nil
}

func (v *visit) outboxSentence(waiting, dead store.Backlog) string {
	switch {
	case v.engine.Config().Shop.URL == "":
		return v.lang.T("No address of your shop is configured, so events wait in the feed that it reads: GET /v1/events.")
	case dead.Count > 0:
		return v.lang.N(dead.Count, "Your shop never took one event; it was given up.", "Your shop never took %s events; they were given up.", count(dead.Count))
	case waiting.Count > 0:
		return v.lang.N(waiting.Count, "One event waits for your shop to take it.", "%s events wait for your shop to take them.", count(waiting.Count))
	}
	return v.lang.T("Your shop has taken every event.")
}

func (v *visit) outboxStates(state string, waiting, dead store.Backlog) (list []templates.Filter) {
	counts := map[string]string{"pending": count(waiting.Count), "dead": count(dead.Count)}
	for _, s := range []string{"", "pending", "delivered", "dead", "feed"} {
		f := templates.Filter{Text: v.lang.T("All"), Href: address("/outbox", "state", s), Active: state == s, Count: counts[s]}
		if s != "" {
			f.Text = v.lang.word("outbox", s)
		}
		list = append(list, f)
	}
	return list
}

func (v *visit) eventRow(e store.Event, p store.Payment) templates.OutboxRow {
	r := templates.OutboxRow{
		Href: numbered("/outbox", e.Seq), ID: eventID(e), Type: e.Type, Words: v.lang.word("event", e.Type), Payment: ref(p.MerchantRef), Link: paymentPath(p.PublicID),
		State: templates.Badge{Kind: outboxShape[e.State], Label: v.lang.word("outbox", e.State)}, Attempts: e.Attempts, Created: v.stamp(e.CreatedMs),
	}
	if e.State == "pending" && e.Attempts > 0 {
		r.Note, r.Due = v.lang.T("tried again"), v.stamp(e.DueMs)
	}
	return r
}

func eventID(e store.Event) string {
	return strconv.FormatInt(e.Epoch, 10) + "-" + strconv.FormatInt(e.Seq, 10)
}

func (v *visit) event() error {
	seq, err := v.number("seq")
	if err != nil {
		return err
	}
	var e store.Event
	var p store.Payment
	var tries []store.Attempt
	err = v.read("event", func(rx *store.Rx) (err error) {
		var ok bool
		if e, ok, err = rx.Event(seq); err != nil {
			return err
		} else if !ok {
			return v.lost()
		}
		if p, _, err = rx.Payment(e.PaymentID); err != nil {
			return err
		}
		tries, err = rx.AttemptsOf(seq)
		return err
	})
	if err != nil {
		return err
	}
	row := v.eventRow(e, p)
	view := templates.EventView{Page: v.page("outbox", row.Words), Heading: row.Words, Sentence: v.delivery(e), State: row.State, Rows: v.eventFacts(e, p), Body: eventBody(e.Body)}
	for _, a := range tries {
		view.Attempts = append(view.Attempts, v.attemptRow(a))
	}
	view.Forms = *v.plainForm(numbered("/outbox", seq)+"/resend", app.ActResend)
	if e.State == "feed" {
		view.Forms.Acts[0].Blocked = v.lang.word("blocked", "no_address")
	}
	return v.show(http.StatusOK, templates.Event(view))
}

func (v *visit) eventFacts(e store.Event, p store.Payment) []templates.Row {
	rows := []templates.Row{
		{Name: v.lang.T("Event id"), Ref: ref(eventID(e))}, {Name: v.lang.T("Type"), Value: e.Type},
		{Name: v.lang.T("Payment"), Link: templates.Link{Text: ref(p.MerchantRef).Short, Href: paymentPath(p.PublicID)}}, {Name: v.lang.T("Version"), Value: count(e.Version)},
		{Name: v.lang.T("Written"), At: v.stamp(e.CreatedMs)},
	}
	if e.DeliveredMs != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Delivered"), At: v.stamp(e.DeliveredMs)})
	}
	if e.State == "pending" {
		rows = append(rows, templates.Row{Name: v.lang.T("Tried next"), At: v.stamp(e.DueMs)})
	}
	if e.Error != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Last failure"), Value: visible(e.Error)})
	}
	return rows
}

func eventBody(body []byte) string {
	if text := indented(body); text != "" && json.Valid(body) {
		return text
	}
	text, _, _ := bodyText(body)
	return text
}

func (v *visit) attemptRow(a store.Attempt) templates.AttemptRow {
	r := templates.AttemptRow{
		At: v.stamp(a.AtMs), Took: v.lang.T("%s ms", count(a.TookMs)), Status: strconv.Itoa(a.Status), Error: visible(a.Error), OK: a.Status >= 200 && a.Status <= 299,
	}
	if a.Status == 0 {
		r.Status = v.lang.T("none")
	}
	if limit := 15 * time.Second; a.TookMs > limit.Milliseconds() {
		r.OK = false
	}
	return r
}

func (v *visit) postResend() error {
	seq, err := v.number("seq")
	if err != nil {
		return err
	}
	if err := v.engine.Resend(v.r.Context(), v.user.Name, v.r.FormValue("form_key"), seq); err != nil {
		return err
	}
	return v.done(numbered("/outbox", seq), v.lang.wordOr("acted", app.ActResend, ""))
}
