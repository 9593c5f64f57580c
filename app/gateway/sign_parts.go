package gateway

import "slices"

// eachPart calls f with every part of the templates that the signature is made of and found by.
func (s *signature) eachPart(f func(*part)) {
	all := slices.Concat(s.from, s.keyID)
	for _, c := range s.when {
		all = append(all, slices.Concat(append(slices.Clip(c.equals), c.selector)...)...)
	}
	for _, m := range s.messages {
		switch m := m.(type) {
		case *template:
			all = append(all, *m)
		case optionalParts:
			all = append(all, m...)
		case *sortedMessage:
			all = append(all, m.end)
		case *flattened:
			all = append(all, m.end)
		}
	}
	if s.stamp != nil {
		all = append(all, s.stamp.from)
	}
	if s.fetch != nil {
		all = append(all, s.fetch.address)
	}
	eachPart(all, f)
}

func eachPart(list selector, f func(*part)) {
	for i := range list {
		for j := range list[i].parts {
			f(&list[i].parts[j])
		}
	}
}

// reads tells whether the signature needs the message opened.
func (s *signature) reads() bool {
	reads := len(s.when) > 0 || s.eachItem
	for _, m := range s.messages {
		switch m.(type) {
		case *sortedMessage, *flattened:
			reads = true
		}
	}
	s.eachPart(func(p *part) {
		reads = reads || slices.Contains([]op{opField, opItem, opBody, opOuter, opRaw}, p.op)
	})
	return reads
}

// SecretHeaders lists the headers that carry a secret as it is, so that they are stored as digests only.
func (g *Gateway) SecretHeaders() []string {
	return g.headers(func(s *signature, f func(*part)) {
		if s.kind == "static_token" {
			eachPart(s.from, f)
		}
	})
}

// SignedHeaders lists the headers that the other signatures are made of or found in: without them a stored request could
// not be verified again.
func (g *Gateway) SignedHeaders() []string {
	return g.headers(func(s *signature, f func(*part)) {
		if s.kind != "static_token" {
			s.eachPart(f)
		}
	})
}

// headers lists the headers among the parts of every signature, as a request holds them.
func (g *Gateway) headers(parts func(*signature, func(*part))) []string {
	var out []string
	for i := range g.signatures {
		parts(&g.signatures[i], func(p *part) {
			if p.op == opHeader && !slices.Contains(out, p.text) {
				out = append(out, p.text)
			}
		})
	}
	return out
}

// Unsigned tells whether anybody can send what the gateway sends: its definition takes messages without a signature.
func (g *Gateway) Unsigned() bool {
	return slices.ContainsFunc(g.signatures, func(s signature) bool { return s.kind == "none" })
}
