package gateway

import (
	"slices"
	"strings"
	"time"
)

// verify looks at the signatures of the definition as it says: all of them, any, or the
// first that the request carries.
func (g *Gateway) verify(v *view, at time.Time) proof {
	sum := proof{secret: -1, state: sigMissing, detail: "the request carries no signature"}
	for i := range g.signatures {
		s := &g.signatures[i]
		if s.when.check(v) != holds || s.withoutKeys && g.holdsKey() {
			continue
		}
		p := g.proves(s, v, at)
		switch {
		case g.which == "first" && p.state != sigMissing:
			return p.marked(g)
		case p.state == sigRight:
			sum.take(p, g)
		case g.which == "all":
			return p
		case sum.state != sigRight && p.state > sum.state:
			sum.state, sum.detail, sum.certificate = p.state, p.detail, p.certificate
		}
	}
	return sum
}

// take adds a right proof to what was proved so far.
func (p *proof) take(one proof, g *Gateway) {
	if p.state != sigRight || one.secret >= 0 && p.secret < 0 {
		p.secret, p.skew, p.stale, p.flag, p.detail = one.secret, one.skew, one.stale, one.flag, one.detail
	}
	p.state, p.certificate = sigRight, ""
	if g.slotted {
		p.mark(one.mode)
	}
}

func (p proof) marked(g *Gateway) proof {
	if p.state == sigRight && g.slotted {
		p.mark(p.mode)
	}
	return p
}

func (p *proof) mark(mode string) {
	if p.right == nil {
		p.right = map[string]bool{}
	}
	p.right[mode] = true
}

// proves checks one signature: of the request, or of every item where each has its own.
func (g *Gateway) proves(s *signature, v *view, at time.Time) proof {
	if !s.eachItem {
		return s.check(v, at)
	}
	sum := proof{secret: -1, detail: "the request carries no item that could be signed"}
	items, _ := g.itemsOf(v)
	for _, i := range items {
		one := *v
		if i = v.doc.find(i, &g.item); i < 0 {
			return proof{secret: -1, state: sigWrong, detail: "an element holds no item"}
		}
		one.at, one.item = i, i
		if sum = s.check(&one, at); sum.state != sigRight {
			return sum
		}
	}
	return sum
}

// refusal is the reason why a request is not let in, or "".
func (p *proof) refusal(g *Gateway) string {
	switch {
	case p.state == sigRight && p.stale:
		return "stale_timestamp"
	case p.state == sigRight:
		return ""
	case p.state == sigPending:
		return "certificate_pending"
	case !g.hasKey():
		p.detail = "no key is configured that could check it: " + g.keysWanted()
		return "no_secret"
	case p.state == sigNoKey:
		return "no_secret"
	case p.state == sigMissing:
		return "no_signature"
	case p.state == sigUnknownKey:
		return "key_unknown"
	}
	return "bad_signature"
}

func (g *Gateway) hasKey() bool {
	for i := range g.signatures {
		if s := &g.signatures[i]; len(s.keys) > 0 || s.kind == "none" || s.fetch != nil {
			return true
		}
	}
	return false
}

// holdsKey tells whether any signature can be checked.
func (g *Gateway) holdsKey() bool {
	return slices.ContainsFunc(g.signatures, func(s signature) bool { return len(s.keys) > 0 })
}

// keysWanted names the keys of the instance that requests are checked with.
func (g *Gateway) keysWanted() string {
	var out []string
	for i := range g.signatures {
		name := "webhook_secrets"
		if k := g.signatures[i].kind; k == "rsa" || k == "ed25519" {
			name = "public_keys"
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return strings.Join(out, " or ")
}
