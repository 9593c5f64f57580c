package gateway

import (
	"fmt"
	"strings"
	"time"
)

// Describe says in plain words what the definition does, one sentence a line.
func (g *Gateway) Describe() []string {
	lines := []string{g.spec.Title + " (" + g.spec.Status + "), " + g.mode + " mode."}
	lines = append(lines, g.describeReceiving()...)
	lines = append(lines, g.describeReading()...)
	lines = append(lines, g.describeAck(), g.describeQuery())
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
		words := map[bool]string{true: "One right signature is enough.", false: "All signatures must be right."}
		lines = append(lines, words[g.anyOf])
	}
	if g.hint {
		lines = append(lines, "A notice proves nothing by itself: it only makes nodrop ask the gateway.")
	}
	return lines
}

func describeSignature(s SignatureSpec, keys int) string {
	switch s.Kind {
	case "none":
		return "Requests are not signed."
	case "static_token":
		return fmt.Sprintf("A fixed token must stand in %s; tokens configured: %d.", s.From, keys)
	}
	message := s.Message
	if message == "" {
		message = "{raw_body}"
	}
	place := s.From
	if s.Name != "" {
		place += " under " + s.Name
	}
	line := fmt.Sprintf("HMAC-%s over %s, written in %s, must stand in %s; secrets configured: %d.", strings.ToUpper(s.Hash), message, s.Encoding, place, keys)
	if s.Mode != "" {
		line = "For " + s.Mode + " requests: " + line
	}
	if s.Timestamp != nil {
		line += fmt.Sprintf(" Its time may be %s away from ours; beyond: %s.", time.Duration(s.Timestamp.Tolerance), s.Timestamp.Policy)
	}
	return line
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
			line += fmt.Sprintf(" and %d rules before them", len(s.rules))
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
	if !g.query.ready {
		line += " It cannot ask now, because a credential is missing."
	}
	return line
}
