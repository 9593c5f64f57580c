package web

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"nodrop/app/gateway"
	"nodrop/templates"
)

// saidShown bounds how many statements of one request a page shows.
const saidShown = 50

// verdictShape gives each verdict its shape and colour.
var verdictShape = map[string]string{gateway.Accepted: "ok", gateway.Ignored: "off", gateway.Refused: "bad", gateway.Unreadable: "odd", gateway.Challenged: "ok"}

func (v *visit) verdict(word string) templates.Badge {
	return templates.Badge{Kind: verdictShape[word], Label: v.lang.word("verdict", word)}
}

// read shows how the candidate that fits is read.
func (t *trial) read(list []candidate) {
	v := t.v
	for i := range list {
		list[i].request.Redacted = t.digestedOnly(list[i].request.Header)
	}
	c, rd, fits := best(t.def, list)
	r := c.request
	view := &templates.ReadingView{
		State: v.verdict(rd.Verdict), Sentence: v.lang.wordOr("reads", rd.Verdict, ""),
		Rows: t.readFacts(r, rd), Ack: v.ackView(rd.Ack), Indented: indented(r.Body),
	}
	view.Likely, view.Detail = v.diagnosis(t.def, r, rd)
	if rd.Verdict != gateway.Challenged {
		view.Notes = t.remarks(c, fits)
	}
	view.Silent = v.lang.T("It makes no statement about a payment.")
	if rd.Verdict == gateway.Refused {
		view.Silent = v.lang.T("A refused request is not read any further.")
	}
	view.Header = t.headers(r)
	view.Body, view.BodyNote = v.shownBody(r.Body)
	for _, o := range rd.Observations[:min(len(rd.Observations), saidShown)] {
		view.Said = append(view.Said, v.said(o))
	}
	if n := len(rd.Observations) - saidShown; n > 0 {
		view.More = v.lang.N(int64(n), "One more statement is not shown.", "%d more statements are not shown.", n)
	}
	t.view.Reading = view
}

// likely says in the reader's language why something came in otherwise than hoped.
func (v *visit) likely(reason string, skewMs int64) string {
	skew := time.Duration(skewMs) * time.Millisecond
	switch {
	case reason == "stale_timestamp" && skew < 0:
		return v.lang.T("Its signature states a time %s before it came in: it was held up, was sent again by somebody, or a clock is off by that much.", v.span(-skew))
	case reason == "stale_timestamp" && skew > 0:
		return v.lang.T("Its signature states a time %s after it came in: a clock, here or at the sender, is off by that much.", v.span(skew))
	}
	return v.lang.wordOr("likely", reason, "")
}

// remarks are about the bytes that were read: which line ends fitted, and whether the length is the announced one.
func (t *trial) remarks(c candidate, fits bool) (notes []string) {
	v := t.v
	switch {
	case c.ends != "" && !fits:
		notes = append(notes, v.lang.T("The pasted body was tried with line ends as LF and as CRLF, and without one at its end; none fits. If it still should, upload the request as a file, byte for byte."))
	case c.ends != "":
		notes = append(notes, v.lang.wordOr("ends", c.ends, ""))
	}
	announced, err := strconv.Atoi(c.request.Header.Get("Content-Length"))
	if err == nil && announced != len(c.request.Body) {
		notes = append(notes, v.lang.T("The body has %s bytes here, but its Content-Length announces %s: something was added, cut or changed.", count(int64(len(c.request.Body))), count(int64(announced))))
	}
	return notes
}

func (t *trial) readFacts(r gateway.Request, rd gateway.Reading) []templates.Row {
	v := t.v
	rows := []templates.Row{{Name: v.lang.T("Request"), Value: visible(r.Method + " " + r.Target)}, {Name: v.lang.T("Came in"), At: v.stamp(r.At.UnixMilli())}}
	if r.RemoteIP != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("From"), Ref: ref(r.RemoteIP)})
	}
	rows = append(rows, templates.Row{Name: v.lang.T("Bytes"), Value: count(int64(len(r.Body)))})
	if rd.Reason != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Reason"), Value: v.lang.word("reason", rd.Reason)})
	}
	if rd.Mode != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Mode"), Value: v.lang.word("mode", rd.Mode)})
	}
	if names := t.def.KeyNames(); rd.Secret >= 0 && rd.Secret < len(names) {
		rows = append(rows, templates.Row{Name: v.lang.T("Secret that matched"), Ref: ref(names[rd.Secret])})
	}
	if rd.Certificate != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Certificate"), Ref: ref(rd.Certificate)})
	}
	if rd.SkewMs != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Signed"), Value: v.signedAt(rd.SkewMs)})
	}
	return rows
}

// signedAt says how long before or after its arrival a request was signed.
func (v *visit) signedAt(skewMs int64) string {
	d := time.Duration(skewMs) * time.Millisecond
	if d < 0 {
		return v.lang.T("%s before it came in", v.span(-d))
	}
	return v.lang.T("%s after it came in", v.span(d))
}

// ackView shows an answer byte for byte.
func (v *visit) ackView(a gateway.Ack) templates.AckView {
	view := templates.AckView{Rows: []templates.Row{{Name: v.lang.T("Status"), Value: strings.TrimSpace(strconv.Itoa(a.Status) + " " + http.StatusText(a.Status))}, {Name: "Content-Type", Value: visible(a.ContentType)}}}
	names := make([]string, 0, len(a.Header))
	for name := range a.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		view.Rows = append(view.Rows, templates.Row{Name: name, Value: visible(strings.Join(a.Header[name], ", "))})
	}
	view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Bytes"), Value: count(int64(len(a.Body)))})
	if len(a.Body) > 0 {
		view.Body, _, _ = bodyText(a.Body)
		view.Bytes = hex.Dump(a.Body[:min(len(a.Body), 4<<10)])
	}
	return view
}

// said shows one statement of a request.
func (v *visit) said(o gateway.Observation) templates.SaidView {
	view := templates.SaidView{State: v.verdict(o.Verdict), Title: v.saidTitle(o), Detail: visible(sentence(o.Detail))}
	if o.Reason != "" {
		view.Likely = v.lang.wordOr("likely", o.Reason, v.lang.word("reason", o.Reason))
	}
	for _, r := range o.Refs {
		view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Gateway's id (%s)", r.Kind), Ref: ref(r.ID)})
	}
	if o.RefundRef != "" {
		view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Gateway's id (%s)", o.Kind), Ref: ref(o.RefundRef)})
	}
	view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Merchant reference"), Ref: ref(o.MerchantRef)})
	if o.Attempt != "" {
		view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Attempt"), Ref: ref(o.Attempt)})
	}
	view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Amount"), Value: v.saidAmount(o)}, templates.Row{Name: v.lang.T("Currency"), Value: visible(o.Currency)},
		templates.Row{Name: v.lang.T("Merchant account"), Ref: ref(o.Account)}, templates.Row{Name: v.lang.T("Happened at"), At: v.happened(o)}, templates.Row{Name: v.lang.T("Event id"), Ref: ref(o.DedupeKey)})
	proof := v.lang.T("It is taken at its word.")
	if o.Hint {
		proof = v.lang.T("It proves nothing by itself: the gateway is asked.")
	}
	if o.Verdict == gateway.Accepted {
		view.Rows = append(view.Rows, templates.Row{Name: v.lang.T("Proof"), Value: proof})
	}
	return view
}

// saidTitle is what a statement says in a few words; a word that the definition does not know is shown as it came.
func (v *visit) saidTitle(o gateway.Observation) string {
	family, word := "word", string(o.Word)
	if o.Kind != gateway.KindPayment {
		family, word = o.Kind, o.Status
	}
	kind := v.lang.word("observed", o.Kind)
	switch {
	case word != "":
		return v.lang.T("%s: %s", kind, v.lang.word(family, word))
	case o.RawWord != "":
		return v.lang.T("%s: “%s”, a word that the definition does not know", kind, visible(o.RawWord))
	}
	return kind
}

func (v *visit) saidAmount(o gateway.Observation) string {
	switch {
	case o.HasAmount && o.Cumulative:
		return v.lang.T("%s in all so far", saidMoney(o))
	case o.HasAmount:
		return saidMoney(o)
	}
	return visible(o.AmountText)
}

// saidMoney shows an amount and, beside it, the minor units that it is counted in.
func saidMoney(o gateway.Observation) string {
	return fmt.Sprintf("%s (%d)", money(o.AmountMinor, o.Currency), o.AmountMinor)
}

func (v *visit) happened(o gateway.Observation) templates.Stamp {
	if o.OccurredAt.IsZero() {
		return templates.Stamp{}
	}
	return v.stamp(o.OccurredAt.UnixMilli())
}

// shownBody shows a body and says how its bytes are shown.
func (v *visit) shownBody(body []byte) (text, note string) {
	text, binary, cut := bodyText(body)
	switch {
	case binary:
		note = v.lang.T("The body is no text, so it is shown in hexadecimal.")
	case cut:
		note = v.lang.T("Only the beginning is shown.")
	}
	return text, note
}
