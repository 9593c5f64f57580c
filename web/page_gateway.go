package web

import (
	"net/http"
	"net/url"
	"slices"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
	"nodrop/templates"
)

func (v *visit) gateway() error {
	var one health
	var kept []store.RefusedCount
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
		kept, err = rx.RefusedCounts()
		return err
	})
	if err != nil {
		return err
	}
	uses, err := v.engine.KeyUses(v.r.Context(), one.conf.Name)
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Gateway(v.gatewayView(one, uses, kept)))
}

func (v *visit) gatewayView(h health, uses []app.KeyUse, kept []store.RefusedCount) templates.GatewayView {
	view := templates.GatewayView{
		Page: v.page("gateways", h.conf.Name), Row: v.gatewayRow(h), Sentence: v.lang.word("condition_says", v.condition(h)),
		Trust: v.trust(h.conf.Preset, h.Facts.Status), Confirm: h.Facts.Confirm,
		Address: v.hookAddress(h.conf), Hint: v.lang.T("Paste it into the gateway's dashboard as the address for webhooks. The address must be reached from the Internet by HTTPS."),
		Events: h.Facts.Events, Resend: h.Facts.ResendHint, Try: "/gateways/" + url.PathEscape(h.conf.Name) + "/try",
		Keys: v.keyRows(h), Matches: v.matchRows(uses), NetworksSay: v.networksSay(h), Networks: h.Facts.Networks, Health: v.healthFacts(h), Setup: v.setupFacts(h),
		NoQuery: !h.Queryable, Refused: v.refusedRows(h.conf.Name, kept),
	}
	view.Keyless = view.NoQuery && describesQuery(h.conf)
	view.TrustSays = v.trustSays(h.conf.Preset, h.Facts)
	if n := countRefused(h.conf.Name, kept); n > 0 {
		view.Verify = v.verifyLink(h.conf.Name, n)
	}
	if def, ok := v.engine.Gateway(h.conf.Name); ok {
		view.Describe = def.Describe()
	}
	for _, d := range h.conf.QuerySchedule {
		view.Schedule = append(view.Schedule, v.stamp(v.now.Add(d).UnixMilli()))
	}
	view.After = v.lang.T("Then after 3, 6 and 12 hours more and once a day, until %s after its registration it is given up.", v.span(h.conf.GiveUpAfter))
	return view
}

// describesQuery tells whether a gateway could be asked, had it its keys.
func describesQuery(c config.Gateway) bool {
	if c.Custom != nil {
		return c.Custom.Query != nil
	}
	spec, err := gateway.Preset(c.Preset)
	return err == nil && spec.Query != nil
}

// confidence is how sure a definition is, in a word: a merchant's own is neither verified nor unconfirmed by us.
func confidence(preset, status string) string {
	if preset == gateway.CustomPreset {
		return ""
	}
	return status
}

// trust shows how sure a definition is.
func (v *visit) trust(preset, status string) templates.Badge {
	word := confidence(preset, status)
	kind := map[string]string{"verified": "ok", "unconfirmed": "odd", "": "off"}[word]
	return templates.Badge{Kind: kind, Label: v.lang.word("confidence", word)}
}

// trustSays says what follows from it; nothing where nothing is left to confirm.
func (v *visit) trustSays(preset string, f gateway.Facts) string {
	word := confidence(preset, f.Status)
	if word == "verified" && len(f.Confirm) == 0 {
		return ""
	}
	return v.lang.wordOr("confidence_says", word, "")
}

// keyRows lists what the gateway must be configured with, missing ones first.
func (v *visit) keyRows(h health) (rows []templates.KeyRow) {
	missing := h.conf.Missing(h.Facts.Needs)
	for _, need := range missing {
		rows = append(rows, templates.KeyRow{Name: need, State: templates.Badge{Kind: "bad", Label: v.lang.T("missing")}, Where: h.Facts.Where[need]})
	}
	for _, need := range h.Facts.Needs {
		if !slices.Contains(missing, need) {
			rows = append(rows, templates.KeyRow{Name: need, State: templates.Badge{Kind: "ok", Label: v.lang.T("configured")}, Where: h.Facts.Where[need]})
		}
	}
	return rows
}

// matchRows says of each secret and public key when it last fitted, and which may go.
func (v *visit) matchRows(uses []app.KeyUse) (rows []templates.MatchRow) {
	for _, u := range uses {
		rows = append(rows, templates.MatchRow{Key: u.Name, Last: v.stamp(u.LastMs), Note: v.matchNote(u)})
	}
	return rows
}

func (v *visit) matchNote(u app.KeyUse) string {
	switch {
	case u.Removable:
		return v.lang.T("This one has not matched for 30 days while another one has: it can be removed.")
	case !u.Valid && !u.Until.IsZero() && !v.now.Before(u.Until):
		return v.lang.T("It has ended and counts no more.")
	case !u.Valid:
		return v.lang.T("It does not count yet.")
	case u.Last:
		return v.lang.T("It matched last of all.")
	}
	return ""
}

// watched tells whether it matters from where a gateway's requests come.
func watched(policy string) bool { return policy == "flag" || policy == "enforce" }

func (v *visit) networksSay(h health) string {
	if policy := h.conf.SourceNetworks; watched(policy) {
		return v.lang.wordOr("networks", policy, "")
	}
	return v.lang.wordOr("networks", "off", "")
}

// hookAddress is what the gateway must post to, as far as the configuration tells.
func (v *visit) hookAddress(c config.Gateway) templates.Ref {
	address := v.engine.Config().HookAddress(c)
	return templates.Ref{Short: address, Full: address}
}

func (v *visit) healthFacts(h health) []templates.Row {
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
	for _, c := range h.Certificates {
		rows = append(rows, v.certificateRow(c))
	}
	if m := h.Misdirected; m.Count > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("GET without a body"), At: v.stamp(m.LastMs),
			Value: v.lang.N(m.Count, "once; probably a redirect on the way, which loses the notice", "%s times; probably a redirect on the way, which loses the notice", count(m.Count))})
	}
	if h.Queryable {
		rows = append(rows, templates.Row{Name: v.lang.T("Questions waiting"), Value: v.waiting(h.backlog), At: v.stamp(h.oldest)},
			templates.Row{Name: v.lang.T("May be asked at once"), Value: count(int64(max(0, h.Tokens)))})
	}
	return append(rows, templates.Row{Name: v.lang.T("Clock"), Value: v.skew(h)})
}

// certificateRow is about a certificate that requests wait for.
func (v *visit) certificateRow(c app.CertificateWait) templates.Row {
	text := v.lang.N(c.Requests, "one request waits for it", "%s requests wait for it", count(c.Requests))
	if c.Error != "" {
		text = v.lang.T("%s; the last try failed: %s", text, visible(c.Error))
	}
	return templates.Row{Name: v.lang.T("Certificate to be fetched"), Ref: ref(c.URL), Value: text, At: v.stamp(c.NextMs)}
}

func (v *visit) setupFacts(h health) []templates.Row {
	rows := []templates.Row{
		{Name: v.lang.T("Preset"), Value: h.conf.Preset}, {Name: v.lang.T("Mode"), Value: v.lang.word("mode", h.conf.Mode)},
		{Name: v.lang.T("Query rate"), Value: h.conf.QueryRate.String()}, {Name: v.lang.T("Given up after"), Value: v.span(h.conf.GiveUpAfter)},
	}
	if h.Facts.RetryHorizon > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("It repeats a webhook for"), Value: v.span(h.Facts.RetryHorizon)})
	}
	if h.conf.Currency != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Currency"), Value: h.conf.Currency})
	}
	if h.conf.Tolerance != nil {
		rows = append(rows, templates.Row{Name: v.lang.T("Signing times may differ by"), Value: v.span(*h.conf.Tolerance)})
	}
	return rows
}
