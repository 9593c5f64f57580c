package config

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	gatewayName   = regexp.MustCompile(`^[a-z0-9-]{1,40}$`)
	giveUpTimes   = span{time.Second, 365 * day}
	holdTimes     = span{time.Second, 7 * day}
	rungTimes     = span{time.Millisecond, 365 * day}
	registerTimes = span{time.Second, 30 * day}
	graceTimes    = span{time.Second, 60 * day}

	toleranceTimes = span{time.Second, 7 * day}
)

const (
	maxConcurrency = 64
	maxRungs       = 50
)

// readGateways reads every [[gateway]] and refuses a name that stands twice.
func readGateways(root *table) []Gateway {
	all, lines := []Gateway{}, map[string]int{}
	for _, t := range root.tables("gateway") {
		g := readGateway(t)
		if first, taken := lines[g.Name]; taken && g.Name != "" {
			t.fault("name", fmt.Sprintf("%q is already the gateway on line %d", g.Name, first), "give each gateway a name of its own")
		} else {
			lines[g.Name] = g.Line
		}
		all = append(all, g)
	}
	if _, given := root.values["gateway"]; !given {
		root.d.warn("", "no gateway is configured, so every webhook is answered with 404", "describe each account with [[gateway]]")
	}
	return all
}

func readGateway(t *table) Gateway {
	defer t.done()
	line, _ := t.d.place(t.path)
	g := Gateway{
		Line:           line,
		Name:           t.name("name"),
		Preset:         t.required("preset", `write preset = "custom" or the name of a shipped preset, such as "paymongo"`),
		Mode:           t.mode("mode"),
		WebhookSecrets: t.secrets("webhook_secrets"),
		PublicKeys:     t.publicKeys("public_keys"),
		Account:        t.text("account", ""),
		PublicURL:      t.address("public_url"),
		BaseURL:        t.address("base_url"),
		APIKey:         t.secret("api_key"),
		APISecret:      t.secret("api_secret"),
		PrivateKey:     t.block("private_key"),
	}
	readCustom(t, &g)
	readJudging(t, &g)
	readQuerying(t, &g)
	checkGateway(t, g)
	return g
}

// readJudging reads what narrows or moves the preset's own judgement of a request.
func readJudging(t *table, g *Gateway) {
	g.SourceNetworks = t.choice("source_networks", DefaultSourceNetworks, []string{"off", "flag", "enforce"})
	g.Currency = t.text("currency", "")
	g.Variant = t.text("variant", "")
	if t.has("timestamp_tolerance") {
		d := t.duration("timestamp_tolerance", 0, toleranceTimes)
		g.Tolerance = &d
		return
	}
	t.take("timestamp_tolerance")
}

func readQuerying(t *table, g *Gateway) {
	g.QueryRate = t.rate("query_rate", g.bearable(t))
	g.QueryConcurrency = t.count("query_concurrency", DefaultQueryConcurrency, maxConcurrency)
	g.GiveUpAfter = t.duration("give_up_after", DefaultGiveUpAfter, giveUpTimes)
	g.FailureHold = t.duration("failure_hold", 0, holdTimes)
	g.Unregistered = t.choice("unregistered", DefaultUnregistered, []string{"review", "count"})
	g.UnregisteredAfter = t.duration("unregistered_after", DefaultUnregisteredAfter, registerTimes)
	g.QuerySchedule = t.schedule("query_schedule", g.GiveUpAfter)
	g.Reports = t.text("reports", "")
	g.SettlementGrace = t.duration("settlement_grace", DefaultSettlementGrace, graceTimes)
}

// schedule gives the rungs at key, ascending and not later than the end; the default
// is cut at the end.
func (t *table) schedule(key string, end time.Duration) []time.Duration {
	var rungs []time.Duration
	whole := true
	for _, it := range t.list(key) {
		rung, ok := t.d.toDuration(it, rungTimes)
		whole = whole && ok
		switch {
		case !ok:
			continue
		case rung > end:
			t.d.fault(it.path, fmt.Sprintf("%s is later than give_up_after (%s)", FormatDuration(rung), FormatDuration(end)),
				"remove it, or raise give_up_after")
		case len(rungs) > 0 && rung <= rungs[len(rungs)-1]:
			t.d.fault(it.path, fmt.Sprintf("%s does not come after %s", FormatDuration(rung), FormatDuration(rungs[len(rungs)-1])),
				"write the times in ascending order, each counted from the creation of the payment")
		}
		rungs = append(rungs, rung)
	}
	_, given := t.values[key]
	switch {
	case !given:
		return cut(DefaultQuerySchedule(), end)
	case whole && (len(rungs) == 0 || len(rungs) > maxRungs):
		t.fault(key, fmt.Sprintf("has %d times", len(rungs)), fmt.Sprintf("write 1 to %d times, or remove the key for the default", maxRungs))
	}
	return rungs
}

// cut gives the rungs up to the end, and the end itself where none is left.
func cut(rungs []time.Duration, end time.Duration) []time.Duration {
	var kept []time.Duration
	for _, r := range rungs {
		if r <= end {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return []time.Duration{end}
	}
	return kept
}

func (t *table) name(key string) string {
	s := t.required(key, `write name = "…", the last part of the address /hooks/{name}`)
	if s != "" && !gatewayName.MatchString(s) {
		t.fault(key, t.d.quote(t.at(key), s)+" is not a name", "write 1 to 40 lower-case letters, digits and hyphens")
		return ""
	}
	return s
}

func (t *table) mode(key string) string {
	if !t.has(key) {
		return t.required(key, `write mode = "test" or mode = "live"`)
	}
	return t.choice(key, "", []string{"live", "test"})
}

// required gives the text at key, which must be there.
func (t *table) required(key, remedy string) string {
	if !t.has(key) {
		t.take(key)
		t.fault(key, "is missing", remedy)
		return ""
	}
	return t.text(key, "")
}

// publicKeys gives the list at key; a file may hold several keys and is one value.
func (t *table) publicKeys(key string) []string {
	var all []string
	for _, it := range t.list(key) {
		if strings.TrimSpace(it.text) == "" {
			t.d.fault(it.path, "the key is empty", `write the key or certificate as PEM, its bare base64, "file:PATH" or "env:NAME", or remove the entry`)
			continue
		}
		all = append(all, it.text)
	}
	return all
}
