package web

import (
	"cmp"
	"slices"
	"strings"

	"nodrop/app"
	"nodrop/app/payment"
	"nodrop/store"
	"nodrop/templates"
)

// storyLength bounds how much of each kind a timeline reads.
const storyLength = 200

// dossier is all that is known of how a payment came to stand as it does.
type dossier struct {
	payment store.Payment
	facts   []store.Fact
	moves   []store.Move
	items   []store.Work
	queries []store.Query
	events  []store.Event
	audits  []store.Audit
}

func readDossier(rx *store.Rx, p store.Payment, d *dossier) (err error) {
	d.payment = p
	if d.facts, err = rx.FactsOf(p.ID); err != nil {
		return err
	}
	if d.moves, err = rx.MovesOf(p.ID); err != nil {
		return err
	}
	if d.items, err = rx.ItemsOfPayment(p.ID, storyLength); err != nil {
		return err
	}
	if d.queries, err = rx.QueriesOf(p.ID); err != nil {
		return err
	}
	if d.events, err = rx.EventsOf(p.ID); err != nil {
		return err
	}
	d.audits, err = rx.Audits(p.ID, 0, storyLength)
	return err
}

// since keeps what came after a version.
func (d dossier) since(version int64) dossier {
	kept := dossier{payment: d.payment}
	for _, m := range d.moves {
		if m.Version > version {
			kept.moves = append(kept.moves, m)
		}
	}
	for _, f := range d.facts {
		if f.Version > version {
			kept.facts = append(kept.facts, f)
		}
	}
	for _, w := range d.items {
		if slices.ContainsFunc(kept.facts, func(f store.Fact) bool { return f.InboxID == w.ID }) {
			kept.items = append(kept.items, w)
		}
	}
	for _, e := range d.events {
		if e.Version > version {
			kept.events = append(kept.events, e)
		}
	}
	return kept
}

// moment is an entry of a timeline with its place in time.
type moment struct {
	ms    int64
	order int // of what happened in the same millisecond: cause before effect
	entry templates.Entry
}

// timeline tells what happened, newest first.
func (v *visit) timeline(d dossier) []templates.Entry {
	moments := slices.Concat(v.itemMoments(d), v.queryMoments(d), v.factMoments(d), v.moveMoments(d), v.eventMoments(d), v.auditMoments(d))
	slices.SortStableFunc(moments, func(a, b moment) int {
		return cmp.Or(cmp.Compare(b.ms, a.ms), cmp.Compare(b.order, a.order))
	})
	entries := make([]templates.Entry, len(moments))
	for i, m := range moments {
		m.entry.At, m.entry.Label = v.stamp(m.ms), v.lang.word("entry", m.entry.Kind)
		entries[i] = m.entry
	}
	return entries
}

func (v *visit) itemMoments(d dossier) (list []moment) {
	for _, w := range d.items {
		e := templates.Entry{Kind: "webhook", Title: v.itemTitle(d, w), Links: []templates.Link{{Text: v.lang.T("Raw bytes"), Href: numbered("/inbox", w.ID)}}}
		if w.Channel == "query" {
			e.Kind = "answer"
		}
		if w.Repeats > 0 {
			e.Detail = v.lang.N(w.Repeats, "It came once more, unchanged.", "It came %d more times, unchanged.", w.Repeats)
		}
		list = append(list, moment{w.ReceivedMs, 1, e})
	}
	return list
}

// itemTitle says what a message says, or why nothing came of it.
func (v *visit) itemTitle(d dossier, w store.Work) string {
	for _, f := range d.facts {
		if f.InboxID == w.ID {
			return v.factTitle(f)
		}
	}
	switch {
	case w.State == "done":
		return v.lang.T("It said nothing new")
	case w.Reason != "":
		return v.lang.word("reason", w.Reason)
	}
	return v.lang.word("inbox", w.State)
}

// factTitle says what a source said.
func (v *visit) factTitle(f store.Fact) string {
	word, amount := v.lang.word("word", f.Word), ""
	if f.HasAmount {
		amount = money(f.AmountMinor, f.Currency)
	}
	if f.Hint && stated[payment.FactKind(f.Kind)] && f.Kind != string(payment.FactWord) {
		f.Hint = false
		return v.lang.T("%s (a hint, which proves nothing)", v.factTitle(f))
	}
	switch payment.FactKind(f.Kind) {
	case payment.FactRefund:
		return v.lang.T("Refund of %s: %s", amount, v.lang.word("refund", f.Status))
	case payment.FactDispute:
		return v.lang.T("Dispute about %s: %s", amount, v.lang.word("dispute", f.Status))
	case payment.FactUnmapped:
		return v.lang.T("The gateway says “%s”, a word that its definition does not know", visible(f.Ref))
	}
	switch {
	case f.Hint:
		return v.lang.T("The gateway hints at: %s. It proves nothing, so the gateway is asked", word)
	case amount != "":
		return v.lang.T("The gateway says: %s, %s", word, amount)
	}
	return v.lang.T("The gateway says: %s", word)
}

func (v *visit) queryMoments(d dossier) (list []moment) {
	for _, q := range d.queries {
		e := templates.Entry{Kind: "query", Title: v.lang.word("class", q.Class), Detail: visible(q.Detail)}
		if q.Repeats > 0 {
			e.Detail = v.lang.N(q.Repeats, "Asked once more with the same result, last at %[2]s.", "Asked %[1]d more times with the same result, last at %[2]s.", q.Repeats, v.clock(q.LastMs).Text)
		}
		list = append(list, moment{q.AskedMs, 0, e})
	}
	return list
}

// factMoments tells of the facts that did not come in a message: time, the shop and people.
func (v *visit) factMoments(d dossier) (list []moment) {
	for _, f := range d.facts {
		switch payment.FactKind(f.Kind) {
		case payment.FactDecision:
			e := templates.Entry{Kind: "decision", Title: v.lang.T("%s: %s", f.Actor, v.lang.word("act", f.Act)), Quote: visible(f.Reason)}
			if f.HasAmount {
				e.Detail = money(f.AmountMinor, f.Currency)
			}
			list = append(list, moment{f.CommittedMs, 2, e})
		case payment.FactRefund, payment.FactDispute:
			if f.Actor != "" {
				list = append(list, moment{f.CommittedMs, 2, templates.Entry{Kind: "decision", Title: v.lang.T("%s, from the gateway's dashboard", visible(f.Actor)), Detail: v.factTitle(f)}})
			}
		case payment.FactHoldOver, payment.FactGaveUp, payment.FactLate:
			list = append(list, moment{f.CommittedMs, 2, templates.Entry{Kind: "nodrop", Title: v.lang.word("fact", timeWord(d.facts, f))}})
		case payment.FactClosed, payment.FactReopened:
			list = append(list, moment{f.CommittedMs, 2, templates.Entry{Kind: "shop", Title: v.lang.word("fact", f.Kind)}})
		}
	}
	return list
}

// timeWord says what time has brought about: the end of a hold is about a failure, or about a refund or dispute.
func timeWord(facts []store.Fact, f store.Fact) string {
	about := slices.IndexFunc(facts, func(g store.Fact) bool { return g.ID == f.Refers })
	if f.Kind == string(payment.FactHoldOver) && about >= 0 && facts[about].Kind != string(payment.FactWord) {
		return "return_over"
	}
	return f.Kind
}

func (v *visit) moveMoments(d dossier) (list []moment) {
	for _, m := range d.moves {
		e := templates.Entry{Kind: "change", Detail: v.lang.word("moved", m.Trigger)}
		to := v.standing(m.ToState, m.ToCause)
		switch {
		case m.FromState == "" || m.Trigger == "registration" && m.Version == 1:
			list = append(list, moment{m.AtMs, -1, templates.Entry{Kind: "shop", Title: v.lang.T("Registered")}})
			continue
		case m.FromState == m.ToState && m.FromCause == m.ToCause:
			e.Title = v.lang.T("Something new is known; the state stayed")
		default:
			e.Title, e.State = v.lang.T("It was: %s. Now it is:", v.standing(m.FromState, m.FromCause).Label), &to
		}
		list = append(list, moment{m.AtMs, 3, e})
	}
	return list
}

func (v *visit) eventMoments(d dossier) (list []moment) {
	for _, ev := range d.events {
		e := templates.Entry{Kind: "event", Title: v.lang.word("event", ev.Type), Detail: v.delivery(ev), Links: []templates.Link{{Text: v.lang.T("The event"), Href: numbered("/outbox", ev.Seq)}}}
		list = append(list, moment{ev.CreatedMs, 4, e})
	}
	return list
}

// delivery says how far an event to the shop has come.
func (v *visit) delivery(e store.Event) string {
	switch e.State {
	case "delivered":
		return v.lang.T("Your shop took it at %s.", v.clock(e.DeliveredMs).Text)
	case "dead":
		return v.lang.T("Given up after three days; send it again by hand.")
	case "feed":
		return v.lang.T("In the feed that your shop reads.")
	}
	if e.Attempts > 0 {
		return v.lang.N(e.Attempts, "Tried once, tried again at %[2]s.", "Tried %[1]d times, tried again at %[2]s.", e.Attempts, v.clock(e.DueMs).Text)
	}
	return v.lang.T("Waits to be sent.")
}

// audited says what somebody did, and what it rests on.
func (v *visit) audited(a store.Audit) (what, detail string) {
	if a.Action != app.ActPropose {
		return v.did(a), a.Detail
	}
	act, reason := app.Proposed(a.Detail)
	if act == "" {
		return v.lang.word("act", a.Action), reason
	}
	return v.lang.T("asks another person to approve: %s", v.lang.word("act", act)), reason
}

// auditMoments tells of people's acts that are no facts of the payment.
func (v *visit) auditMoments(d dossier) (list []moment) {
	for _, a := range d.audits {
		if slices.Contains(payment.Acts(), payment.Act(a.Action)) && !strings.HasPrefix(a.Subject, "difference ") {
			continue
		}
		what, detail := v.audited(a)
		list = append(list, moment{a.AtMs, 2, templates.Entry{Kind: "decision", Title: v.lang.T("%s: %s", a.Actor, what), Quote: visible(detail)}})
	}
	return list
}

// sources sets what we expected beside what each source says; what it said several times is shown once, with its last time.
func (v *visit) sources(d dossier) []templates.Source {
	p := d.payment
	list := []templates.Source{{Who: v.lang.T("We expected"), Says: v.lang.T("as the shop registered it"), Amount: money(p.AmountMinor, p.Currency), At: v.stamp(p.CreatedMs)}}
	said := statements(d.facts)
	for _, source := range []payment.Source{payment.SourceNotice, payment.SourceQuery, payment.SourceReport, payment.SourcePerson} {
		before := len(list)
		for _, f := range said {
			if f.Source == string(source) {
				list = append(list, v.source(p, f))
			}
		}
		switch {
		case len(list) > before:
		case source == payment.SourceQuery && len(d.queries) > 0:
			last := d.queries[len(d.queries)-1]
			list = append(list, templates.Source{Who: v.lang.word("source", string(source)), Says: v.lang.word("class", last.Class), At: v.stamp(last.LastMs)})
		case source == payment.SourceNotice || source == payment.SourceQuery:
			list = append(list, templates.Source{Who: v.lang.word("source", string(source)), Says: v.lang.T("nothing yet")})
		}
	}
	return list
}

// stated are the kinds of facts that a source states.
var stated = map[payment.FactKind]bool{payment.FactWord: true, payment.FactUnmapped: true, payment.FactRefund: true, payment.FactDispute: true, payment.FactDecision: true}

// statements are the different things that were said about a payment, in the order of their own times.
func statements(facts []store.Fact) (list []store.Fact) {
	at := map[store.Fact]int{}
	for _, f := range facts {
		kind := payment.FactKind(f.Kind)
		if !stated[kind] || f.Act == string(payment.ActNote) {
			continue
		}
		alike := store.Fact{Source: f.Source, Kind: f.Kind, Word: f.Word, AmountMinor: f.AmountMinor, Currency: f.Currency, Act: f.Act, Ref: f.Ref, Status: f.Status, Hint: f.Hint, Actor: f.Actor}
		i, known := at[alike]
		switch {
		case !known:
			at[alike] = len(list)
			list = append(list, f)
		case f.OwnMs >= list[i].OwnMs:
			list[i] = f
		}
	}
	slices.SortStableFunc(list, func(a, b store.Fact) int { return cmp.Compare(a.OwnMs, b.OwnMs) })
	return list
}

func (v *visit) source(p store.Payment, f store.Fact) templates.Source {
	s := templates.Source{Who: v.lang.word("source", f.Source), At: v.stamp(f.OwnMs)}
	switch payment.FactKind(f.Kind) {
	case payment.FactDecision:
		s.Says = v.lang.T("%s: %s", f.Actor, v.lang.word("act", f.Act))
	case payment.FactUnmapped:
		s.Says = visible(f.Ref)
	case payment.FactRefund:
		s.Says = v.lang.T("Refund: %s", v.lang.word("refund", f.Status))
	case payment.FactDispute:
		s.Says = v.lang.T("Dispute: %s", v.lang.word("dispute", f.Status))
	default:
		s.State = templates.Badge{Kind: wordShape[f.Word], Label: v.lang.word("word", f.Word)}
	}
	switch {
	case f.Hint && s.Says != "":
		s.Says = v.lang.T("%s (a hint, which proves nothing)", s.Says)
	case f.Hint:
		s.State.Label = v.lang.T("%s (a hint, which proves nothing)", s.State.Label)
	case f.Actor != "" && f.Kind != string(payment.FactDecision):
		s.Who = v.lang.T("%s, from the gateway's dashboard", visible(f.Actor))
	}
	if f.HasAmount {
		s.Amount = money(f.AmountMinor, f.Currency)
		s.Differs = f.Word == string(payment.WordSucceeded) && (f.AmountMinor != p.AmountMinor || f.Currency != p.Currency)
	}
	if f.InboxID != 0 {
		s.Link = templates.Link{Text: v.lang.T("Raw bytes"), Href: numbered("/inbox", f.InboxID)}
	}
	return s
}

// wordShape gives each word of a source the shape of the state that it speaks for.
var wordShape = map[string]string{
	"pending": "wait", "processing": "busy", "authorised": "busy", "succeeded": "ok", "attempt_failed": "wait", "failed": "bad",
	"expired": "off", "cancelled": "off", "reversed": "bad", "not_found": "odd", "unreadable": "odd",
}
