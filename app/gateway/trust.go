package gateway

import "slices"

// trust decides whether a notice may be taken at its word. Where the signature does
// not bind what it says, or it tells no amount, it is a hint and the gateway is asked.
func (c *compiler) trust(s Spec) {
	bound := len(s.Signature) > 0
	any := false
	for i, one := range s.Signature {
		covers := c.covers(i, one)
		bound = bound && covers
		any = any || covers
	}
	if s.Signatures != "any" {
		bound = any
	}
	c.g.hint = s.ConfirmByQuery || !bound || c.amountAbsent()
	if c.g.hint && s.Query == nil && len(s.Signature) > 0 {
		c.add("query", "what a notice says is not proved by its signature, and there is no way to ask the gateway", "add [query] with a step, or a signature over {raw_body}")
	}
}

func (c *compiler) covers(i int, s SignatureSpec) bool {
	if s.Kind != "hmac" {
		if len(s.Covers) > 0 {
			c.add("signature["+itoa(i)+"].covers", "a signature of kind "+s.Kind+" covers nothing", "remove covers")
		}
		return false
	}
	for _, f := range s.Covers {
		c.oneOf(c.prefix+"signature["+itoa(i)+"].covers", f, "body", "status", "amount", "currency", "reference")
	}
	message := c.g.signatures[i].message
	if message.uses(opRawBody) {
		return true
	}
	for _, f := range []string{"status", "amount", "reference"} {
		if !slices.Contains(s.Covers, f) && !slices.Contains(s.Covers, "body") {
			return false
		}
	}
	return slices.Contains(s.Covers, "body") || slices.Contains(s.Covers, "currency") || c.currencyFixed()
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
