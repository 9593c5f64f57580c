package web

import (
	"net/http"
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
	view.Ready = v.readyRows()
	view.ReadyTitle = v.lang.N(int64(len(view.Ready)), "One more gateway is ready to be configured", "%d more gateways are ready to be configured", len(view.Ready))
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
	case clockOff(h) != 0:
		return "clock_off"
	case s.LastRefusedMs > s.LastWebhookMs:
		return "refusing"
	case h.Misdirected.LastMs > s.LastWebhookMs:
		return "misdirected"
	case s.LastWebhookMs == 0 && s.LastAnswerMs == 0:
		return "silent"
	}
	return "working"
}

var conditionShape = map[string]string{"working": "ok", "silent": "wait", "paused": "odd", "failing": "bad", "key_refused": "bad", "refusing": "odd", "clock_off": "bad", "misdirected": "odd"}

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
	case h.GatewayState.LastAnswerMs == 0 && d == 0:
		return "–"
	case d > 2*time.Second:
		return v.lang.T("ours is %s behind", v.span(d))
	case d < -2*time.Second:
		return v.lang.T("ours is %s ahead", v.span(-d))
	}
	return v.lang.T("in step")
}

// clockOffFrom is how far our clock must lie from a gateway's to be called wrong: signing times are often bounded by minutes.
const clockOffFrom = time.Minute

// clockOff is how far the gateway's clock is ahead of ours, 0 where that is little.
func clockOff(h health) time.Duration {
	if d := time.Duration(h.GatewayState.SkewMs) * time.Millisecond; d.Abs() >= clockOffFrom {
		return d
	}
	return 0
}
