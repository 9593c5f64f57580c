package gateway

import (
	"slices"
	"strings"
)

// circles refuses a step in which a part is made of itself, or that has nothing to sign with.
func (c *compiler) circles(at string, q *query, s *step) {
	if s.signer == nil && (s.uses(opSignature) || q.shared(opSignature)) {
		c.add(at, "nothing says how {signature} is made", "add [query.sign]")
		return
	}
	for _, o := range []op{opPath, opRawQuery, opRawBody, opSignature} {
		if s.reaches(o, o, nil) {
			c.add(at, "a part of the question is made of itself, such as a signature of the text that it stands in", "leave that word out of what is signed")
			return
		}
	}
}

// reaches tells whether one part, by way of others, is made of another.
func (s *step) reaches(from, to op, seen []op) bool {
	for _, o := range []op{opPath, opRawQuery, opTarget, opRawBody, opSignature} {
		if !s.madeOf(from, o) || slices.Contains(seen, o) {
			continue
		}
		if o == to || s.reaches(o, to, append(seen, o)) {
			return true
		}
	}
	return false
}

// madeOf tells whether one part holds another.
func (s *step) madeOf(part, o op) bool {
	switch part {
	case opPath:
		return s.path.uses(o)
	case opRawQuery:
		return s.params.uses(o)
	case opTarget:
		return o == opPath || o == opRawQuery
	case opRawBody:
		return s.form.uses(o) || s.body.uses(o)
	case opSignature:
		return s.signer != nil && s.signer.dependsOn(o, s)
	}
	return false
}

func (p pairs) uses(o op) bool {
	return slices.ContainsFunc(p, func(one pair) bool { return one.value.uses(o) })
}

// uses tells whether a step itself holds a part.
func (s *step) uses(o op) bool {
	return s.path.uses(o) || s.params.uses(o) || s.form.uses(o) || s.body.uses(o) || s.headers.uses(o)
}

// shared tells whether what every step has in common holds a part.
func (q *query) shared(o op) bool {
	if q.user.uses(o) || q.password.uses(o) || q.token.uses(o) || q.headers.uses(o) {
		return true
	}
	return q.tokens != nil && (q.tokens.user.uses(o) || q.tokens.password.uses(o) || q.tokens.form.uses(o))
}

// uses tells whether any question holds a part, also in what is signed.
func (q *query) uses(o op) bool {
	if q.shared(o) {
		return true
	}
	for i := range q.steps {
		s := &q.steps[i]
		if s.uses(o) || s.signer != nil && (s.signer.message.uses(o) || s.signer.end.uses(o)) {
			return true
		}
	}
	return false
}

// readiness decides whether the gateway can be asked, and warns of the keys that no list of needs names.
func (c *compiler) readiness(s Spec, q *query) {
	q.ready = true
	listed := s.Needs
	if listed == nil {
		listed = c.needs()
	}
	for _, name := range c.lacking(q) {
		q.ready = false
		if !slices.Contains(listed, name) {
			c.warn(name, "it is not configured, and without it "+s.Title+" cannot be asked", remedyFor(name, s.Facts.Where[name]))
		}
	}
}

// needs lists the keys of the instance that the questions are made with.
func (q *query) needs() []string {
	var out []string
	for _, n := range []struct {
		name string
		op   op
	}{{"api_key", opAPIKey}, {"api_secret", opAPISecret}, {"account", opAccount}, {"public_url", opPublicURL}} {
		if q.uses(n.op) {
			out = append(out, n.name)
		}
	}
	names := []string{q.provedBy()}
	for i := range q.steps {
		names = append(names, q.steps[i].signedBy())
	}
	for _, name := range names {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// provedBy names the keys of the instance that answers are proved with, or "".
func (q *query) provedBy() string {
	switch {
	case q.verify == nil || q.verify.kind == "" || q.verify.kind == "none":
		return ""
	case q.verify.kind == "rsa" || q.verify.kind == "ed25519" || q.verify.kind == "jwt" && !strings.HasPrefix(string(q.verify.algorithm), "HS"):
		return "public_keys"
	}
	return "webhook_secrets"
}

// signedBy names the key of the instance that a step is signed with, or "".
func (s *step) signedBy() string {
	switch {
	case s.signer == nil:
		return ""
	case s.signer.keyName == "webhook_secret":
		return "webhook_secrets"
	}
	return s.signer.keyName
}

// lacking lists what the questions need and the instance has not.
func (c *compiler) lacking(q *query) []string {
	have := map[string]bool{"api_key": c.in.APIKey != "", "api_secret": c.in.APISecret != "", "account": c.in.Account != "",
		"public_url": c.in.PublicURL != "", "private_key": c.in.PrivateKey != "", "public_keys": len(c.in.PublicKeys) > 0,
		"webhook_secrets": slices.ContainsFunc(c.in.Secrets, func(s Secret) bool { return s.Value != "" })}
	out := slices.DeleteFunc(q.needs(), func(name string) bool { return have[name] })
	if q.uses(opKeySerial) && q.serial == "" && !slices.Contains(out, "api_key") {
		out = append(out, "api_key")
	}
	return out
}

// hide collects what must never be shown in a message about a question.
func (c *compiler) hide(q *query) {
	all := []string{c.in.APIKey, c.in.APISecret, c.in.PrivateKey}
	for _, s := range c.in.Secrets {
		all = append(all, s.Value)
	}
	for _, s := range all {
		if s != "" {
			q.hidden = append(q.hidden, s, encodeForm([]field{{value: s}})[1:], escapePath(s), escapeJSON(s))
		}
	}
	slices.SortFunc(q.hidden, func(a, b string) int { return len(b) - len(a) })
	q.hidden = slices.Compact(q.hidden)
}

// conceal takes every secret out of a text.
func (q *query) conceal(s string) string {
	for _, h := range q.hidden {
		s = strings.ReplaceAll(s, h, "…")
	}
	return s
}
