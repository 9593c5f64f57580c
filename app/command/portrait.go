package command

import (
	"fmt"
	"slices"
	"strings"

	"nodrop/app/config"
	"nodrop/app/gateway"
)

// confidence says how far a definition may be relied on.
var confidence = map[string]string{
	"verified":    "verified: the gateway's own test vectors or its own SDK stand behind this definition",
	"unconfirmed": "unconfirmed: pay once in the gateway's sandbox and see it arrive here before you rely on it",
}

// portrait shows what a gateway is, what it still needs, what to do in its dashboard, and what its definition does.
func portrait(c *config.Config, conf config.Gateway, g *gateway.Gateway) string {
	var b strings.Builder
	facts := g.Facts()
	fmt.Fprintf(&b, "gateway %s, notices to /hooks/%s\n", conf.Name, conf.Name)
	fmt.Fprintf(&b, "  %s, %s mode, %s\n", facts.Title, conf.Mode, confidence[facts.Status])
	for _, what := range facts.Confirm {
		point(&b, "confirm", what)
	}
	missing := conf.Missing(facts.Needs)
	for _, need := range missing {
		point(&b, "warning", need+" is missing"+found(facts.Where[need]))
	}
	for _, need := range facts.Needs {
		if !slices.Contains(missing, need) {
			point(&b, "has", need+found(facts.Where[need]))
		}
	}
	point(&b, "address", c.HookAddress(conf)+": paste it into the gateway's dashboard")
	if len(facts.Events) > 0 {
		point(&b, "events", "subscribe to "+strings.Join(facts.Events, ", "))
	}
	if facts.ResendHint != "" {
		point(&b, "resend", facts.ResendHint)
	}
	if conf.Tolerance != nil {
		point(&b, "clock", "signing times may be "+config.FormatDuration(*conf.Tolerance)+" away from ours, whatever the definition says")
	}
	point(&b, "networks", networks(conf.SourceNetworks, facts.Networks))
	if g.Queryable() {
		point(&b, "asked", "at most "+conf.QueryRate.String())
	}
	fmt.Fprintf(&b, "  what it does\n")
	for _, line := range deeds(g.Describe(), facts) {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	return b.String()
}

func point(b *strings.Builder, name, text string) { fmt.Fprintf(b, "  %-10s%s\n", name, text) }

func found(where string) string {
	if where == "" {
		return ""
	}
	return ": " + where
}

// networks says what becomes of a request by where it comes from.
func networks(policy string, known []string) string {
	count := fmt.Sprintf("%d known", len(known))
	switch {
	case len(known) == 0:
		return "none are known, so where a request comes from is not looked at"
	case policy == "enforce":
		return count + "; requests from elsewhere are refused"
	case policy == "flag":
		return count + "; requests from elsewhere are taken in and marked unknown_network"
	}
	return count + `; not looked at: source_networks = "flag" or "enforce" changes that`
}

// deeds leaves out of a description what the portrait says already.
func deeds(lines []string, f gateway.Facts) []string {
	said := []string{"Subscribe to: " + strings.Join(f.Events, ", ") + ".", "To have a notice sent again: " + f.ResendHint}
	for _, need := range f.Needs {
		said = append(said, need+": "+f.Where[need])
	}
	return slices.DeleteFunc(lines[1:], func(line string) bool { return slices.Contains(said, line) })
}
