package gateway

import (
	"fmt"
	"strings"
)

// Describe says in plain words what the definition does, one sentence a line.
func (g *Gateway) Describe() []string {
	lines := []string{g.spec.Title + " (" + g.spec.Status + "), " + g.mode + " mode."}
	if len(g.spec.Variants) > 0 {
		lines = append(lines, "Reads it as an account of the kind "+g.variant+"; kinds: "+strings.Join(g.spec.Variants, ", ")+" (set variant).")
	}
	lines = append(lines, g.describeReceiving()...)
	lines = append(lines, g.describeReading()...)
	lines = append(lines, g.describeAck(), g.describeQuery(), g.describeReports())
	if len(g.spec.Facts.Events) > 0 {
		lines = append(lines, "Subscribe to: "+strings.Join(g.spec.Facts.Events, ", ")+".")
	}
	if g.spec.Facts.Resend != "" {
		lines = append(lines, "To have a notice sent again: "+g.spec.Facts.Resend)
	}
	for _, need := range g.spec.Needs {
		if where := g.spec.Facts.Where[need]; where != "" {
			lines = append(lines, need+": "+where)
		}
	}
	return append(lines, g.spec.Notes...)
}

func (g *Gateway) describeReceiving() []string {
	kinds := make([]string, len(g.envelopes))
	for i := range g.envelopes {
		kinds[i] = g.envelopes[i].kind
	}
	lines := []string{"Takes " + strings.Join(g.methods, " or ") + " with a body opened as " + strings.Join(kinds, ", then ") + "."}
	for i := range g.spec.Signature {
		lines = append(lines, describeSignature(g.spec.Signature[i], len(g.signatures[i].keys)))
	}
	if len(g.spec.Signature) > 1 {
		words := map[string]string{"any": "One right signature is enough.", "all": "All signatures must be right.", "first": "The first of these that a request carries decides."}
		lines = append(lines, words[g.which])
	}
	switch {
	case g.guarded && !g.confirm && g.hint:
		lines = append(lines, "A notice whose signature does not bind what it says proves nothing by itself: it only makes nodrop ask the gateway.")
	case g.hint:
		lines = append(lines, "A notice proves nothing by itself: it only makes nodrop ask the gateway.")
	}
	return lines
}

func (g *Gateway) describeReading() []string {
	lines := []string{"Two notices are the same if they agree in " + strings.Join(g.spec.Notice.Dedupe, ", else ") + "."}
	for i := range g.shapes {
		s := &g.shapes[i]
		if s.kind == "ignore" {
			continue
		}
		line := "Reads a " + s.kind
		if len(s.words) > 0 {
			var words []string
			for _, raw := range sortedKeys(s.words) {
				words = append(words, raw+" = "+s.words[raw])
			}
			line += " with the words " + strings.Join(words, ", ")
		}
		if len(s.rules) > 0 {
			line += map[bool]string{true: ", by one rule first", false: fmt.Sprintf(", by %d rules first", len(s.rules))}[len(s.rules) == 1]
		}
		lines = append(lines, line+".")
	}
	if g.account == "" && g.readsAccount() {
		lines = append(lines, "The merchant account in a notice is not compared, because account is not configured.")
	}
	return lines
}

func (g *Gateway) readsAccount() bool {
	for i := range g.shapes {
		if len(g.shapes[i].account) > 0 {
			return true
		}
	}
	return false
}

func (g *Gateway) describeAck() string {
	a := g.acks[OutcomeStored]
	if len(a.Body) == 0 {
		return fmt.Sprintf("Acknowledges with %d and no body.", a.Status)
	}
	return fmt.Sprintf("Acknowledges with %d, %s, and exactly %q.", a.Status, a.ContentType, a.Body)
}

// describeAuth says how a question proves who asks, and what the answer must prove.
func describeAuth(q *QuerySpec) string {
	how := map[string]string{"basic": "Questions carry the key by HTTP basic.", "bearer": "Questions carry the key as a bearer token.",
		"header": "Questions carry the key in " + q.Auth.Header + ".", "oauth2": "Questions carry an access token that is fetched from " + q.Auth.TokenPath + "."}[q.Auth.Kind]
	if q.Sign != nil {
		how = strings.TrimSpace(how + " Questions are signed with " + q.Sign.Key + ".")
	}
	if q.Verify != nil {
		how = strings.TrimSpace(how + " An answer counts only if its signature is right.")
	}
	return how
}

func (g *Gateway) describeQuery() string {
	if g.query == nil {
		return "The gateway cannot be asked: final failures are held for failure_hold, and open payments end as unknown."
	}
	var by []string
	for i := range g.query.steps {
		if ref := g.query.steps[i].byRef; ref != "" {
			by = append(by, "its "+ref+" id")
			continue
		}
		by = append(by, "the merchant reference")
	}
	line := "Asks " + g.query.base + " about a payment by " + strings.Join(by, ", else by ") + "."
	if how := describeAuth(g.spec.Query); how != "" {
		line += " " + how
	}
	if !g.query.ready {
		line += " It cannot ask now, because a credential is missing."
	}
	return line
}
