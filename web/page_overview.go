package web

import (
	"net/http"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/app/certs"
	"nodrop/store"
	"nodrop/templates"
)

// overviewReviews is how many questions the overview shows.
const overviewReviews = 8

// books is what the overview reads in one transaction.
type books struct {
	inbox, parked, deadIn, outbox, deadOut store.Backlog
	reviews                                []store.Review
	about                                  []subject
	open                                   []store.StateCount
	ages                                   [][]store.StateCount
	resolved                               []store.Resolved
	gateways                               []health
	any                                    bool // there is a payment at all
	stopped                                []store.Review
	certificates                           []certs.Status
	space                                  app.Space
}

// ages are the borders between the rows of payments that are not over, in time before now.
var ages = []time.Duration{0, time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// resolvedSpan is how far back the overview counts what resolved payments.
const resolvedSpan = 24 * time.Hour

func (v *visit) overview() error {
	var b books
	if err := v.read("overview", func(rx *store.Rx) error { return v.readBooks(rx, &b) }); err != nil {
		return err
	}
	view := templates.OverviewView{
		Page: v.page("overview", v.lang.T("Overview")), Tiles: v.tiles(b), Reviews: v.reviewRows(b.reviews, b.about),
		States: []string{v.lang.word("standing", "pending"), v.lang.word("standing", "processing"), v.lang.T("Unknown")},
		Ages:   v.ageRows(b.ages), Gateways: v.gatewayRows(b.gateways), Resolved: v.bars(b.resolved), Span: v.lang.T("How payments were resolved in the last 24 hours"),
	}
	b.certificates = v.statuses()
	view.Certificates = v.certificateRows(b.certificates)
	view.Sentence, view.Calm = v.headline(b)
	view.Stopped, view.Troubles = v.stopped(b.stopped), v.troubles(b)
	view.Calm = view.Calm && len(view.Troubles) == 0
	view.Reading = v.resolvedReading(b.resolved)
	return v.show(http.StatusOK, templates.Overview(view))
}

func (v *visit) readBooks(rx *store.Rx, b *books) (err error) {
	for _, q := range []struct {
		into *store.Backlog
		read func() (store.Backlog, error)
	}{{&b.inbox, rx.InboxBacklog}, {&b.parked, rx.ParkedBacklog}, {&b.deadIn, rx.DeadInbox}, {&b.outbox, rx.OutboxBacklog}, {&b.deadOut, rx.DeadOutbox}} {
		if *q.into, err = q.read(); err != nil {
			return err
		}
	}
	if b.reviews, b.about, err = v.queue(rx, "", false, overviewReviews); err != nil {
		return err
	}
	if b.stopped, err = rx.OpenReviews(shopGone, v.now.UnixMilli(), true, 1); err != nil {
		return err
	}
	nowMs := v.now.UnixMilli()
	for i, from := range ages {
		since := int64(0)
		if i+1 < len(ages) {
			since = nowMs - ages[i+1].Milliseconds()
		}
		counts, err := rx.OpenPayments(since, nowMs-from.Milliseconds()+1)
		if err != nil {
			return err
		}
		b.ages = append(b.ages, counts)
		b.open = append(b.open, counts...)
	}
	if b.resolved, err = rx.ResolvedSince(nowMs - resolvedSpan.Milliseconds()); err != nil {
		return err
	}
	newest, err := rx.Payments(store.PaymentFilter{Limit: 1})
	if err != nil {
		return err
	}
	b.any, b.space = len(newest) > 0, v.engine.Space()
	b.gateways, err = v.healths(rx)
	return err
}

// headline says in one sentence whether money is stuck.
func (v *visit) headline(b books) (sentence string, calm bool) {
	n, risk, open := v.openReviews(), v.risks(v.risk), openCount(b.open)
	switch {
	case n > 0 && risk != "":
		return v.lang.N(n, "One question waits for you, %[2]s at risk.", "%[1]d questions wait for you, %[2]s at risk.", n, risk), false
	case n > 0:
		return v.lang.N(n, "One question waits for you.", "%d questions wait for you.", n), false
	case !b.any:
		sentence = v.lang.T("No payment has been registered yet.")
	default:
		sentence = v.lang.T("All payments are settled.")
	}
	if open > 0 {
		sentence = v.lang.N(open, "Nothing needs you; one payment is under way.", "Nothing needs you; %s payments are under way.", count(open))
	}
	mute, hosts := mutes(b.gateways), troubled(b.certificates)
	switch {
	case len(hosts) > 0:
		return strings.TrimRight(sentence, ".。") + v.lang.T(", but look at the certificate of %s.", strings.Join(hosts, ", ")), false
	case len(mute) == 0:
		return sentence, true
	}
	return strings.TrimRight(sentence, ".。") + v.lang.N(int64(len(mute)), ", but gateway %s does not answer.", ", but gateways %s do not answer.", strings.Join(mute, ", ")), false
}

// troubles are what is wrong with this server itself.
func (v *visit) troubles(b books) (list []string) {
	switch s := b.space; {
	case s.Full():
		list = append(list, v.lang.T("The disk is full: %s MB are free. Gateways are answered 503 and send again later. Make room; nothing need be started anew.", count(s.Free>>20)))
	case s.Tight():
		list = append(list, v.lang.T("The disk that holds the database is %d %% full: %s MB are free. Make room, or gateways' notices can soon not be stored.", s.Used(), count(s.Free>>20)))
	}
	for _, h := range b.gateways {
		if clockOff(h) != 0 {
			list = append(list, v.lang.T("The clock of this server is off: by that of %s, %s. Set it right (NTP); until then notices may be refused as too old.", h.conf.Name, v.skew(h)))
		}
	}
	return list
}

// muteAfter is how many failures in a row make a gateway one that does not answer.
const muteAfter = 5

// mutes names the gateways that have failed again and again.
func mutes(list []health) (names []string) {
	for _, h := range list {
		if h.GatewayState.Errors >= muteAfter {
			names = append(names, h.conf.Name)
		}
	}
	return names
}

func openCount(list []store.StateCount) (n int64) {
	for _, c := range list {
		n += c.Count
	}
	return n
}

func (v *visit) tiles(b books) []templates.Tile {
	n := v.openReviews()
	list := []templates.Tile{
		{Label: v.lang.T("Open reviews"), Value: count(n), Note: v.atRisk(), Href: "/reviews", Kind: kindIf(n > 0, "odd")},
		{Label: v.lang.T("Payments not over"), Value: count(openCount(b.open)), Note: v.totals(b.open), Href: "/payments"},
		{Label: v.lang.T("Inbox, not yet read"), Value: count(b.inbox.Count), Note: v.oldest(b.inbox), Href: address("/inbox", "state", "pending")},
		{Label: v.lang.T("Waiting for a registration"), Value: count(b.parked.Count), Note: v.oldest(b.parked), Href: address("/inbox", "state", "parked")},
		{Label: v.lang.T("Events for your shop"), Value: count(b.outbox.Count), Note: v.oldest(b.outbox), Href: address("/outbox", "state", "pending")},
	}
	dead := templates.Tile{Label: v.lang.T("Dead letters"), Value: count(b.deadIn.Count + b.deadOut.Count), Href: address("/inbox", "state", "dead"), Kind: kindIf(b.deadIn.Count+b.deadOut.Count > 0, "bad"),
		Note: v.lang.T("%s in the inbox, %s in the outbox", count(b.deadIn.Count), count(b.deadOut.Count))}
	if b.deadIn.Count == 0 && b.deadOut.Count > 0 {
		dead.Href = address("/outbox", "state", "dead")
	}
	return append(list, dead)
}

func kindIf(yes bool, kind string) string {
	if yes {
		return kind
	}
	return ""
}

func (v *visit) atRisk() string {
	if risk := v.risks(v.risk); risk != "" {
		return v.lang.T("%s at risk", risk)
	}
	return v.lang.T("no money at risk")
}

func (v *visit) oldest(b store.Backlog) string {
	if b.Count == 0 {
		return v.lang.T("nothing waits")
	}
	return v.lang.T("oldest: %s", v.relative(b.OldestMs))
}

// totals sums what open payments expect, by currency.
func (v *visit) totals(list []store.StateCount) string {
	var order []string
	sums := map[string]int64{}
	for _, c := range list {
		if _, known := sums[c.Currency]; !known {
			order = append(order, c.Currency)
		}
		sums[c.Currency] += c.AmountMinor
	}
	parts := make([]string, len(order))
	for i, currency := range order {
		parts[i] = money(sums[currency], currency)
	}
	return strings.Join(parts, " · ")
}

func (v *visit) ageRows(list [][]store.StateCount) (rows []templates.AgeRow) {
	names := []string{v.lang.T("less than an hour"), v.lang.T("an hour to a day"), v.lang.T("a day to a week"), v.lang.T("more than a week")}
	for i, counts := range list {
		if openCount(counts) == 0 {
			continue
		}
		by := map[string]int64{}
		for _, c := range counts {
			by[c.State] += c.Count
		}
		rows = append(rows, templates.AgeRow{Age: names[i], Counts: []string{count(by["pending"]), count(by["processing"]), count(by["unknown"])}, Money: v.totals(counts)})
	}
	return rows
}

// bars shows what brought payments to their end.
func (v *visit) bars(list []store.Resolved) (bars []templates.Bar) {
	sums, total := byTrigger(list)
	for _, t := range triggers {
		if n := sums[t]; n > 0 {
			bars = append(bars, templates.Bar{Label: v.lang.word("trigger", t), Count: count(n), Share: int(n * 100 / total), Kind: triggerShape[t]})
		}
	}
	return bars
}

// triggers are what can resolve a payment, in the order of the chart.
var triggers = []string{"webhook", "query", "scan", "settlement", "person", "shop", "timer", "registration"}

var triggerShape = map[string]string{"webhook": "ok", "query": "busy", "scan": "busy", "settlement": "busy", "person": "odd", "shop": "wait", "timer": "wait", "registration": "wait"}

func byTrigger(list []store.Resolved) (sums map[string]int64, total int64) {
	sums = map[string]int64{}
	for _, r := range list {
		sums[r.Trigger] += r.Count
		total += r.Count
	}
	return sums, total
}

// resolvedReading says what the chart means.
func (v *visit) resolvedReading(list []store.Resolved) string {
	sums, total := byTrigger(list)
	if asked := sums["query"] + sums["scan"]; asked*5 > total {
		return v.lang.T("More than a fifth was found out only by asking: webhooks may not arrive. Look at the address, the secret and the list of allowed senders.")
	}
	return v.lang.T("Most of them by webhook is how it should be.")
}
