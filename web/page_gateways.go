package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/store"
	"nodrop/templates"
)

// health is what the pages say about one gateway.
type health struct {
	app.GatewayHealth
	conf    config.Gateway
	backlog int64
	oldest  int64 // due time of the oldest waiting question, 0: none waits
}

// healths reads how every gateway does, in the order of the configuration.
func (v *visit) healths(rx *store.Rx) (list []health, err error) {
	for _, c := range v.engine.Config().Gateways {
		state, ok := v.engine.Health(c.Name)
		if !ok {
			continue
		}
		h := health{GatewayHealth: state, conf: c}
		if h.backlog, h.oldest, err = rx.TimerBacklog(c.Name, v.now.UnixMilli()); err != nil {
			return nil, err
		}
		kept, err := rx.GatewayState(c.Name)
		if err != nil {
			return nil, err
		}
		h.GatewayState.LastWebhookMs, h.GatewayState.LastRefusedMs = max(h.GatewayState.LastWebhookMs, kept.LastWebhookMs), max(h.GatewayState.LastRefusedMs, kept.LastRefusedMs)
		list = append(list, h)
	}
	return list, nil
}

func (v *visit) gateways() error {
	var list []health
	err := v.read("gateways", func(rx *store.Rx) (err error) {
		list, err = v.healths(rx)
		return err
	})
	if err != nil {
		return err
	}
	view := templates.GatewaysView{Page: v.page("gateways", v.lang.T("Gateways")), Sentence: v.gatewaysSentence(list), List: v.gatewayRows(list)}
	return v.show(http.StatusOK, templates.Gateways(view))
}

func (v *visit) gatewaysSentence(list []health) string {
	bad := int64(0)
	for _, h := range list {
		if word := v.condition(h); word != "working" && word != "silent" {
			bad++
		}
	}
	if bad == 0 {
		return v.lang.T("Every gateway that has been asked answers.")
	}
	return v.lang.N(bad, "One gateway needs attention.", "%d gateways need attention.", bad)
}

// condition is how a gateway does, in a word.
func (v *visit) condition(h health) string {
	s, now := h.GatewayState, v.now.UnixMilli()
	switch {
	case s.PausedUntilMs > now:
		return "paused"
	case s.Errors > 0 && strings.HasPrefix(s.LastError, "refused"):
		return "key_refused"
	case s.Errors > 0:
		return "failing"
	case s.LastRefusedMs > s.LastWebhookMs:
		return "refusing"
	case s.LastWebhookMs == 0 && s.LastAnswerMs == 0:
		return "silent"
	}
	return "working"
}

var conditionShape = map[string]string{"working": "ok", "silent": "wait", "paused": "odd", "failing": "bad", "key_refused": "bad", "refusing": "odd"}

func (v *visit) gatewayRows(list []health) []templates.GatewayRow {
	rows := make([]templates.GatewayRow, len(list))
	for i, h := range list {
		rows[i] = v.gatewayRow(h)
	}
	return rows
}

func (v *visit) gatewayRow(h health) templates.GatewayRow {
	word := v.condition(h)
	r := templates.GatewayRow{
		Name: h.conf.Name, Href: "/gateways/" + h.conf.Name, Title: h.Facts.Title, Mode: v.lang.word("mode", h.conf.Mode),
		State:   templates.Badge{Kind: conditionShape[word], Label: v.lang.word("condition", word)},
		Webhook: v.stamp(h.GatewayState.LastWebhookMs), Answer: v.stamp(h.GatewayState.LastAnswerMs), Refused: v.stamp(h.GatewayState.LastRefusedMs), Backlog: v.waiting(h.backlog), Clock: v.skew(h),
	}
	if !h.Queryable {
		r.Backlog = "–"
	}
	return r
}

// waiting shows a count that is taken up to a thousand.
func (v *visit) waiting(n int64) string {
	if n >= 1000 {
		return v.lang.T("1,000 or more")
	}
	return count(n)
}

// skew says how far the gateway's clock and ours are apart.
func (v *visit) skew(h health) string {
	switch d := time.Duration(h.GatewayState.SkewMs) * time.Millisecond; {
	case h.GatewayState.LastAnswerMs == 0:
		return "–"
	case d > 2*time.Second:
		return v.lang.T("ours is %s behind", v.span(d))
	case d < -2*time.Second:
		return v.lang.T("ours is %s ahead", v.span(-d))
	}
	return v.lang.T("in step")
}

func (v *visit) gateway() error {
	var one health
	var refusals []store.RefusedCount
	var last []store.Item
	secret := -1
	err := v.read("gateway", func(rx *store.Rx) error {
		list, err := v.healths(rx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(h health) bool { return h.conf.Name == v.r.PathValue("name") })
		if i < 0 {
			return v.lost()
		}
		one = list[i]
		if last, err = rx.Items(store.InboxFilter{Gateway: one.conf.Name, Limit: 20}); err != nil {
			return err
		}
		if secret, err = lastSecret(rx, last); err != nil {
			return err
		}
		refusals, err = rx.RefusedCounts()
		return err
	})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Gateway(v.gatewayView(one, secret, refusals)))
}

// lastSecret is which configured secret the newest webhook matched; -1: none is known.
func lastSecret(rx *store.Rx, items []store.Item) (int, error) {
	for _, it := range items {
		if it.Channel != "webhook" {
			continue
		}
		q, ok, err := rx.GetRequest(it.RequestID)
		if err != nil || !ok {
			return -1, err
		}
		return q.Secret, nil
	}
	return -1, nil
}

func (v *visit) gatewayView(h health, secret int, refusals []store.RefusedCount) templates.GatewayView {
	view := templates.GatewayView{
		Page: v.page("gateways", h.conf.Name), Row: v.gatewayRow(h), Sentence: v.lang.word("condition_says", v.condition(h)), Address: v.hookAddress(h.conf),
		Hint: v.lang.T("Paste it into the gateway's dashboard as the address for webhooks. The address must be reached from the Internet by HTTPS."), Health: v.healthFacts(h, secret), Setup: v.setupFacts(h),
		NoQuery: !h.Queryable,
	}
	if def, ok := v.engine.Gateway(h.conf.Name); ok {
		view.Notes = def.Describe()
	}
	for _, d := range h.conf.QuerySchedule {
		view.Schedule = append(view.Schedule, v.stamp(v.now.Add(d).UnixMilli()))
	}
	view.After = v.lang.T("Then after 3, 6 and 12 hours more and once a day, until %s after its registration it is given up.", v.span(h.conf.GiveUpAfter))
	for _, r := range refusals {
		if r.Gateway == h.conf.Name {
			view.Refused = append(view.Refused, templates.RefusedRow{Reason: v.lang.word("reason", r.Reason), Count: count(r.Count), Last: v.stamp(r.LastMs), Href: address("/inbox", "state", refused, "gateway", r.Gateway)})
		}
	}
	return view
}

// hookAddress is what the gateway must post to, as far as the configuration tells.
func (v *visit) hookAddress(c config.Gateway) templates.Ref {
	address := c.PublicURL
	if address == "" {
		public := v.engine.Config().Public
		host := "https://" + public.Hostname
		if public.Hostname == "" {
			host = "https://" + v.lang.T("YOUR-HOST") // a proxy with a certificate stands before the listener
		}
		address = host + "/hooks/" + c.Name
	}
	return templates.Ref{Short: address, Full: address}
}

func (v *visit) healthFacts(h health, secret int) []templates.Row {
	s := h.GatewayState
	rows := []templates.Row{
		{Name: v.lang.T("Last webhook"), At: v.stamp(s.LastWebhookMs)}, {Name: v.lang.T("Last refused"), At: v.stamp(s.LastRefusedMs)}, {Name: v.lang.T("Last answer"), At: v.stamp(s.LastAnswerMs)},
	}
	if s.LastErrorMs != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Last failure"), Value: visible(s.LastError), At: v.stamp(s.LastErrorMs)})
	}
	if s.Errors > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Failures in a row"), Value: count(s.Errors)})
	}
	if s.PausedUntilMs > v.now.UnixMilli() {
		rows = append(rows, templates.Row{Name: v.lang.T("Not asked before"), At: v.stamp(s.PausedUntilMs)})
	}
	if h.Queryable {
		rows = append(rows, templates.Row{Name: v.lang.T("Questions waiting"), Value: v.waiting(h.backlog), At: v.stamp(h.oldest)},
			templates.Row{Name: v.lang.T("May be asked at once"), Value: count(int64(max(0, h.Tokens)))})
	}
	if secret >= 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Secret that matched last"), Value: v.lang.T("number %d of the configuration", secret+1)})
	}
	return append(rows, templates.Row{Name: v.lang.T("Clock"), Value: v.skew(h)})
}

func (v *visit) setupFacts(h health) []templates.Row {
	rows := []templates.Row{
		{Name: v.lang.T("Preset"), Value: h.conf.Preset}, {Name: v.lang.T("Confidence"), Value: v.lang.word("confidence", h.Facts.Status)}, {Name: v.lang.T("Mode"), Value: v.lang.word("mode", h.conf.Mode)},
		{Name: v.lang.T("Query rate"), Value: h.conf.QueryRate.String()}, {Name: v.lang.T("Given up after"), Value: v.span(h.conf.GiveUpAfter)},
	}
	if h.Facts.RetryHorizon > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("It repeats a webhook for"), Value: v.span(h.Facts.RetryHorizon)})
	}
	if len(h.Facts.Events) > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Event types to subscribe to"), Value: strings.Join(h.Facts.Events, ", ")})
	}
	if h.Facts.ResendHint != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("To send a webhook again by hand"), Value: h.Facts.ResendHint})
	}
	return rows
}
