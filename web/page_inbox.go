package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"nodrop/app"
	"nodrop/store"
	"nodrop/templates"
)

const inboxShown = 50

// inboxWish is what a person wants to see of the inbox, as the address keeps it.
type inboxWish struct {
	text, state, gateway string
	before               int64
}

func (w inboxWish) at() string {
	before := ""
	if w.before > 0 {
		before = strconv.FormatInt(w.before, 10)
	}
	return address("/inbox", "q", w.text, "state", w.state, "gateway", w.gateway, "before", before)
}

// refused is the state of requests of which nothing is to be worked on.
const refused = "refused"

// mailbox is what the inbox page reads in one transaction.
type mailbox struct {
	items   []store.Item
	refused []store.Request
	counts  map[string]int64
	dead    []store.Item
	kept    []store.RefusedCount // refused ones, by gateway and reason
	about   map[int64]string     // public ids of the payments that the items are about
}

func (v *visit) inbox() error {
	q := v.r.URL.Query()
	w := inboxWish{text: strings.TrimSpace(q.Get("q")), state: q.Get("state"), gateway: q.Get("gateway")}
	w.before, _ = strconv.ParseInt(q.Get("before"), 10, 64)
	var m mailbox
	if err := v.read("inbox", func(rx *store.Rx) error { return readMailbox(rx, w, &m) }); err != nil {
		return err
	}
	view := templates.InboxView{Page: v.page("inbox", v.lang.T("Inbox")), Query: w.text, States: v.inboxStates(w, m.counts), Gateways: v.inboxGateways(w), Groups: v.deadGroups(m.dead)}
	for _, pair := range [][2]string{{"state", w.state}, {"gateway", w.gateway}} {
		if pair[1] != "" {
			view.Kept = append(view.Kept, templates.Row{Name: pair[0], Value: pair[1]})
		}
	}
	view.Nothing, view.How = v.emptyInbox(w)
	view.List = v.inboxRows(m)
	if w.state == refused {
		view.Verify = v.verifyLinks(w.gateway, m.kept)
	}
	view.Pager = pagerOf(w, m)
	return v.show(http.StatusOK, templates.Inbox(view))
}

func readMailbox(rx *store.Rx, w inboxWish, m *mailbox) (err error) {
	m.counts = map[string]int64{}
	for state, read := range map[string]func() (store.Backlog, error){"pending": rx.InboxBacklog, "parked": rx.ParkedBacklog, "dead": rx.DeadInbox} {
		b, err := read()
		if err != nil {
			return err
		}
		m.counts[state] = b.Count
	}
	if m.kept, err = rx.RefusedCounts(); err != nil {
		return err
	}
	for _, c := range m.kept {
		m.counts[refused] += c.Count
	}
	if w.state == refused {
		m.refused, err = rx.Refused(w.gateway, w.before, inboxShown+1)
		return err
	}
	if w.state == "dead" && m.counts["dead"] > 0 {
		if m.dead, err = rx.Items(store.InboxFilter{State: "dead", Limit: 1000}); err != nil {
			return err
		}
	}
	if m.items, err = rx.Items(store.InboxFilter{Gateway: w.gateway, State: w.state, Query: w.text, Before: w.before, Limit: inboxShown + 1}); err != nil {
		return err
	}
	m.about = map[int64]string{}
	for _, it := range m.items {
		if it.PaymentID == 0 || m.about[it.PaymentID] != "" {
			continue
		}
		p, _, err := rx.Payment(it.PaymentID)
		if err != nil {
			return err
		}
		m.about[it.PaymentID] = p.PublicID
	}
	return nil
}

func pagerOf(w inboxWish, m mailbox) (g templates.Pager) {
	next := w
	switch {
	case len(m.items) > inboxShown:
		next.before = m.items[inboxShown-1].ID
		g.Next = next.at()
	case len(m.refused) > inboxShown:
		next.before = m.refused[inboxShown-1].ID
		g.Next = next.at()
	}
	if w.before > 0 {
		w.before = 0
		g.First = w.at()
	}
	return g
}

func (v *visit) inboxStates(w inboxWish, counts map[string]int64) (list []templates.Filter) {
	w.before = 0
	for _, state := range []string{"", "pending", "parked", "dead", refused, "done", "ignored"} {
		one := w
		one.state = state
		f := templates.Filter{Text: v.lang.T("All"), Href: one.at(), Active: w.state == state}
		if state != "" {
			f.Text = v.lang.word("inbox", state)
		}
		if n, known := counts[state]; known {
			f.Count = count(n)
		}
		list = append(list, f)
	}
	return list
}

func (v *visit) inboxGateways(w inboxWish) []templates.Filter {
	w.before = 0
	all := w
	all.gateway = ""
	list := []templates.Filter{{Text: v.lang.T("All gateways"), Href: all.at(), Active: w.gateway == ""}}
	for _, name := range v.engine.GatewayNames() {
		one := w
		one.gateway = name
		list = append(list, templates.Filter{Text: name, Href: one.at(), Active: w.gateway == name})
	}
	return list
}

// deadGroups offers to replay dead entries together, by gateway and reason.
func (v *visit) deadGroups(dead []store.Item) (list []templates.ReplayGroup) {
	type group struct{ gateway, reason string }
	counts := map[group]int64{}
	var order []group
	for _, it := range dead {
		g := group{it.Gateway, it.Reason}
		if counts[g] == 0 {
			order = append(order, g)
		}
		counts[g]++
	}
	for _, g := range order {
		list = append(list, templates.ReplayGroup{
			Text: v.lang.T("%s of %s: %s", count(counts[g]), g.gateway, v.lang.word("reason", g.reason)), Href: address("/inbox/replay", "gateway", g.gateway, "dead", g.reason),
		})
	}
	if len(order) > 1 {
		list = append(list, templates.ReplayGroup{Text: v.lang.T("All dead entries"), Href: "/inbox/replay"})
	}
	return list
}

func (v *visit) emptyInbox(w inboxWish) (nothing, how string) {
	switch {
	case w.text != "":
		return v.lang.T("No entry is like that."), v.lang.T("Here a merchant reference or an event id must be whole. Search by part of it under Payments.")
	case w.state == "dead":
		return v.lang.T("Nothing is dead."), v.lang.T("An entry that cannot be read, or fails again and again, is kept here until a person replays it.")
	case w.state == "parked":
		return v.lang.T("Nothing is parked."), v.lang.T("A notice for a payment that your shop has not registered waits here and is applied when it does.")
	case w.state == refused:
		return v.lang.T("Nothing was refused."), v.lang.T("A request with a missing, wrong or old signature is answered with 401, never applied, and kept here.")
	case w.state != "":
		return v.lang.T("Nothing is in this state."), ""
	}
	return v.lang.T("Nothing has come in yet."), v.lang.T("Webhooks appear here as soon as a gateway posts to its address; the address is on the page of the gateway.")
}

// inboxShape gives each state of an entry its shape and colour.
var inboxShape = map[string]string{"pending": "busy", "parked": "odd", "done": "ok", "ignored": "off", "dead": "bad", refused: "bad"}

func (v *visit) inboxRows(m mailbox) (rows []templates.InboxRow) {
	for _, it := range m.items[:min(len(m.items), inboxShown)] {
		row := templates.InboxRow{
			Href: numbered("/inbox", it.ID), At: v.stamp(it.ReceivedMs), Gateway: it.Gateway, Channel: v.lang.word("channel", it.Channel), Ref: ref(it.MerchantRef),
			State: v.inboxState(it.State), Reason: v.lang.word("reason", it.Reason), Repeats: it.Repeats,
		}
		if id := m.about[it.PaymentID]; id != "" {
			row.Payment = paymentPath(id)
		}
		rows = append(rows, row)
	}
	for _, r := range m.refused[:min(len(m.refused), inboxShown)] {
		row := templates.InboxRow{
			Href: numbered("/inbox/refused", r.ID), At: v.stamp(r.ReceivedMs), Gateway: r.Gateway, Channel: v.lang.word("channel", r.Channel),
			State: v.inboxState(refused), Reason: v.lang.word("reason", r.Reason),
		}
		likely, detail := v.why(r, len(r.Body) <= diagnosed)
		row.Likely, row.Detail = v.inShort(r.Reason, likely, detail)
		rows = append(rows, row)
	}
	return rows
}

func (v *visit) inboxState(state string) templates.Badge {
	return templates.Badge{Kind: inboxShape[state], Label: v.lang.word("inbox", state)}
}

func (v *visit) replay() error { return v.showReplay(http.StatusOK, "", "") }

// showReplay previews what a replay would wake.
func (v *visit) showReplay(status int, reason, problem string) error {
	gateway, dead := v.r.FormValue("gateway"), v.r.FormValue("dead")
	n, err := v.engine.ReplayCount(v.r.Context(), gateway, dead)
	if err != nil {
		return err
	}
	view := templates.ReplayView{
		Page: v.page("inbox", v.lang.T("Replay dead entries")), Sentence: v.replaySentence(int64(n), gateway, dead), Count: strconv.Itoa(n), Gateway: gateway, Dead: dead,
		Key: v.formKey(), Reason: reason, Empty: n == 0, ReadOnly: !v.mayAct(),
	}
	if problem != "" {
		view.Alerts = []templates.Link{{Text: problem}}
	}
	return v.show(status, templates.Replay(view))
}

func (v *visit) replaySentence(n int64, gateway, dead string) string {
	switch {
	case n == 0:
		return v.lang.T("No dead entry is like that any more.")
	case gateway == "" && dead == "":
		return v.lang.N(n, "The one dead entry would be worked on again.", "All %d dead entries would be worked on again.", n)
	case dead == "":
		return v.lang.N(n, "One dead entry of %[2]s would be worked on again.", "%[1]d dead entries of %[2]s would be worked on again.", n, gateway)
	}
	return v.lang.N(n, "One dead entry of %[2]s would be worked on again. It died of: %[3]s", "%[1]d dead entries of %[2]s would be worked on again. They died of: %[3]s", n, gateway, v.lang.word("reason", dead))
}

func (v *visit) postReplay() error {
	expected, _ := strconv.Atoi(v.r.FormValue("expected"))
	reason := strings.TrimSpace(v.r.FormValue("reason"))
	n, err := v.engine.ReplayAll(v.r.Context(), app.Replay{
		Actor: v.user.Name, FormKey: v.r.FormValue("form_key"), Reason: reason, Gateway: v.r.FormValue("gateway"), DeadReason: v.r.FormValue("dead"), Expected: expected,
	})
	var e *app.Error
	switch {
	case err == nil && n == 0:
		return v.done("/inbox", v.lang.T("That was done already."))
	case err == nil:
		return v.done("/inbox", v.lang.N(int64(n), "One entry is being worked on again.", "%d entries are being worked on again.", n))
	case errors.As(err, &e) && e.Kind == app.KindStale:
		return v.showReplay(http.StatusConflict, reason, v.lang.T("The count has changed since you looked; nothing was done. Look at the new count and send it again."))
	}
	_, text, ok := v.mistake(err)
	if !ok {
		return err
	}
	return v.showReplay(faultOf(err).status, reason, text)
}

func (v *visit) postReplayOne() error {
	id, err := v.number("id")
	if err != nil {
		return err
	}
	if err := v.engine.ReplayOne(v.r.Context(), v.user.Name, v.r.FormValue("form_key"), id); err != nil {
		return err
	}
	return v.done(numbered("/inbox", id), v.lang.wordOr("acted", app.ActReplay, ""))
}
