package web

import (
	"net/http"
	"strconv"

	"nodrop/app"
	"nodrop/store"
	"nodrop/templates"
)

func (v *visit) inboxItem() error {
	id, err := v.number("id")
	if err != nil {
		return err
	}
	var w store.Work
	var p store.Payment
	err = v.read("inbox entry", func(rx *store.Rx) (err error) {
		var ok bool
		if w, ok, err = rx.GetWork(id); err != nil {
			return err
		} else if !ok {
			return v.lost()
		}
		if w.PaymentID != 0 {
			p, _, err = rx.Payment(w.PaymentID)
		}
		return err
	})
	if err != nil {
		return err
	}
	view := v.requestView(w.Request)
	view.Heading, view.State = v.itemHeading(w.Item), v.inboxState(w.State)
	view.Sentence = v.lang.wordOr("became", w.State, "")
	view.Rows = v.itemFacts(w)
	if p.ID != 0 {
		view.Payment = templates.Link{Text: v.lang.T("To the payment"), Href: paymentPath(p.PublicID)}
	}
	if w.Item.Channel == "webhook" {
		view.Try = v.tryLink("request", w.Request)
	}
	if w.State == "dead" || w.State == "parked" {
		view.Replay = v.plainForm(numbered("/inbox", id)+"/replay", app.ActReplay)
	}
	return v.show(http.StatusOK, templates.InboxItem(view))
}

// plainForm is the form of one act that asks for nothing.
func (v *visit) plainForm(action, act string) *templates.FormsView {
	return &templates.FormsView{Page: v.page("", ""), Action: action, Key: v.formKey(), ID: act, ReadOnly: !v.mayAct(),
		Acts: []templates.Act{{Act: act, Open: true, Label: v.lang.word("act", act), Follows: v.lang.wordOr("follows", act, "")}}}
}

func (v *visit) itemHeading(it store.Item) string {
	if it.Channel == "query" {
		return v.lang.T("Answer of %s", it.Gateway)
	}
	return v.lang.T("Webhook of %s", it.Gateway)
}

func (v *visit) itemFacts(w store.Work) []templates.Row {
	rows := []templates.Row{
		{Name: v.lang.T("Came in"), At: v.stamp(w.ReceivedMs)}, {Name: v.lang.T("Merchant reference"), Ref: ref(w.MerchantRef)}, {Name: v.lang.T("Event id"), Ref: ref(w.DedupeKey)},
	}
	if w.Reason != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Why"), Value: v.lang.word("reason", w.Reason)})
	}
	if w.Error != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Failure"), Value: visible(w.Error)})
	}
	if w.Repeats > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Came again"), Value: v.lang.N(w.Repeats, "once", "%d times", w.Repeats)})
	}
	if w.Variant > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Same id, other content"), Value: v.lang.N(w.Variant, "one came before", "%d came before", w.Variant)})
	}
	if w.Attempts > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Tries"), Value: count(w.Attempts)})
	}
	if w.State == "pending" {
		rows = append(rows, templates.Row{Name: v.lang.T("Worked on"), At: v.stamp(w.DueMs)})
	}
	if w.DoneMs != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Done"), At: v.stamp(w.DoneMs)})
	}
	return rows
}

// request shows a raw request of which nothing is to be worked on.
func (v *visit) request() error {
	q, err := v.readRequest((*store.Rx).GetRefused)
	if err != nil {
		return err
	}
	view := v.requestView(q)
	view.Heading = v.lang.T("Request to %s", q.Gateway)
	view.State = v.verdict(q.Verdict)
	view.Sentence, view.Detail = v.why(q, true)
	view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Reason"), Value: v.lang.word("reason", q.Reason)})
	view.Try = v.tryLink("refused", q)
	if q.TakenMs != 0 {
		view.State, view.Sentence, view.Detail = templates.Badge{Kind: "ok", Label: v.lang.T("Taken in")}, v.lang.T("It was refused at first, then verified again and taken in."), ""
		view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Taken in"), At: v.stamp(q.TakenMs)})
	} else if _, ok := v.engine.Gateway(q.Gateway); ok {
		view.Replay = v.plainForm(numbered("/inbox/refused", q.ID)+"/verify", app.ActVerify)
	}
	return v.show(http.StatusOK, templates.InboxItem(view))
}

// readRequest finds the raw message that the address names.
func (v *visit) readRequest(get func(*store.Rx, int64) (store.Request, bool, error)) (q store.Request, err error) {
	id, err := v.number("id")
	if err != nil {
		return q, err
	}
	err = v.read("request", func(rx *store.Rx) (err error) {
		var ok bool
		if q, ok, err = get(rx, id); err == nil && !ok {
			err = v.lost()
		}
		return err
	})
	return q, err
}

func (v *visit) requestBody() error { return v.sendBody((*store.Rx).GetRequest) }

func (v *visit) refusedBody() error { return v.sendBody((*store.Rx).GetRefused) }

// sendBody gives the untouched bytes, as a file that no browser interprets.
func (v *visit) sendBody(get func(*store.Rx, int64) (store.Request, bool, error)) error {
	q, err := v.readRequest(get)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="request-`+strconv.FormatInt(q.ID, 10)+`.bin"`)
	h.Set("Content-Length", strconv.Itoa(len(q.Body)))
	_, _ = v.w.Write(q.Body)
	return nil
}

// requestView shows what came over the wire, byte for byte and escaped.
func (v *visit) requestView(q store.Request) templates.InboxItemView {
	text, binary, cut := bodyText(q.Body)
	where := "/inbox/requests"
	if q.Verdict == refused {
		where = "/inbox/refused"
	}
	header, _, _ := bodyText(q.Header)
	view := templates.InboxItemView{
		Page: v.page("inbox", v.lang.T("Inbox")), Header: header, Body: text, Indented: indented(q.Body), Bytes: numbered(where, q.ID) + "/body",
		Request: []templates.Row{{Name: v.lang.T("Request"), Value: visible(q.Method + " " + q.Target)}, {Name: v.lang.T("Came in"), At: v.stamp(q.ReceivedMs)}},
	}
	if q.Remote != "" {
		view.Request = append(view.Request, templates.Row{Name: v.lang.T("From"), Ref: ref(q.Remote)})
	}
	status := templates.Row{Name: v.lang.T("Answered with"), Value: strconv.Itoa(q.Status)}
	if q.Channel == "query" {
		status.Name = v.lang.T("The gateway's status")
	}
	view.Request = append(view.Request, status, templates.Row{Name: v.lang.T("Bytes"), Value: count(int64(len(q.Body)))})
	if q.Secret >= 0 && q.Channel == "webhook" && q.Verdict != refused {
		view.Request = append(view.Request, templates.Row{Name: v.lang.T("Secret that matched"), Value: v.lang.T("number %d of the configuration", q.Secret+1)})
	}
	switch {
	case binary:
		view.BodyNote = v.lang.T("The body is no text, so it is shown in hexadecimal.")
	case cut:
		view.BodyNote = v.lang.T("Only the beginning is shown; the file holds all of it.")
	case len(q.Body) == 0:
		view.BodyNote = v.lang.T("The body is empty, or was not kept because it changed nothing.")
	}
	return view
}
