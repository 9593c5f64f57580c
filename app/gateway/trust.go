package gateway

import (
	"slices"
	"strings"
)

// trust decides whether a notice may be taken at its word. Where the signature does
// not bind what it says, or it tells no amount, it is a hint and the gateway is asked.
func (c *compiler) trust(s Spec) {
	for i, one := range s.Signature {
		c.g.signatures[i].covers = c.covers(i, one)
		c.g.guarded = c.g.guarded || len(one.When) > 0 || one.Sorted != nil
	}
	c.g.confirm = s.ConfirmByQuery
	c.g.hint = c.g.confirm || !c.g.bound(nil)
	if (c.g.hint || c.amountAbsent()) && s.Query == nil && len(s.Signature) > 0 {
		c.add("query", "what a notice says is not proved by its signature, and there is no way to ask the gateway", "add [query] with a step, or a signature over {raw_body}")
	}
}

// bound tells whether the signatures that a message may carry prove what it says; nil is any message.
func (g *Gateway) bound(v *view) bool {
	some, every := false, true
	for i := range g.signatures {
		s := &g.signatures[i]
		if s.withoutKeys && g.holdsKey() || v != nil && s.when.check(v) != holds {
			continue
		}
		covers := s.covers && !s.recut(v)
		some, every = some || covers, every && covers
	}
	return some && (every || g.which == "all")
}

// recut tells whether a text of sorted fields can be cut into other fields: a name or value holds what joins them, or
// nothing does. The signature then proves the text and not the fields.
func (s *signature) recut(v *view) bool {
	for _, m := range s.messages {
		sorted, ok := m.(*sortedMessage)
		if !ok || v == nil {
			continue
		}
		fields, ok := v.fields(sorted.form.leave)
		if ok && slices.ContainsFunc(fields, func(f field) bool { return strings.Contains(f.name+"\x00"+f.value, sorted.form.join) }) {
			return true
		}
	}
	return false
}

// hintAt tells whether this message proves nothing: some definitions sign one kind of message and not another.
func (g *Gateway) hintAt(v *view) bool {
	if !g.guarded || v.doc == nil {
		return g.hint
	}
	return g.confirm || !g.bound(v)
}

// Hints tells whether any of the gateway's notices may prove nothing by itself.
func (g *Gateway) Hints() bool { return g.hint || g.guarded }

func (c *compiler) covers(i int, s SignatureSpec) bool {
	if s.Kind == "static_token" || s.Kind == "none" {
		if len(s.Covers) > 0 {
			c.add("signature["+itoa(i)+"].covers", "a signature of kind "+s.Kind+" covers nothing", "remove covers")
		}
		return false
	}
	for _, f := range s.Covers {
		c.oneOf(c.prefix+"signature["+itoa(i)+"].covers", f, "body", "status", "amount", "currency", "reference")
	}
	if s.Kind == "jwt" || s.Sorted != nil || s.Flattened != nil || c.bindsBody(i) {
		return true
	}
	for _, f := range []string{"status", "amount", "reference"} {
		if !slices.Contains(s.Covers, f) && !slices.Contains(s.Covers, "body") {
			return false
		}
	}
	return slices.Contains(s.Covers, "body") || slices.Contains(s.Covers, "currency") || c.currencyFixed()
}

// bindsBody tells whether every text that a signature may be over holds the whole body. A
// checksum such as CRC-32 binds nothing: another body with the same one is easily made.
func (c *compiler) bindsBody(i int) bool {
	messages := c.g.signatures[i].messages
	for _, m := range messages {
		if t, ok := m.(*template); !ok || !t.uses(opRawBody) {
			return false
		}
	}
	return len(messages) > 0
}

func (c *compiler) amountAbsent() bool {
	for i := range c.g.shapes {
		if s := &c.g.shapes[i]; s.kind == KindPayment && s.amount != nil && s.amount.kind == "absent" {
			return true
		}
	}
	return false
}

func (c *compiler) currencyFixed() bool {
	for i := range c.g.shapes {
		if s := &c.g.shapes[i]; s.amount != nil && s.amount.fixed == "" {
			return false
		}
	}
	return true
}
