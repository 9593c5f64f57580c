package gateway

import "time"

// verify looks at every signature of the definition.
func (g *Gateway) verify(v *view, at time.Time) proof {
	sum := proof{secret: -1, state: sigMissing, detail: "the request carries no signature"}
	right := 0
	for i := range g.signatures {
		p := g.signatures[i].check(v, at)
		if p.state != sigRight {
			if !g.anyOf {
				return p
			}
			if right == 0 && p.state > sum.state {
				sum.state, sum.detail = p.state, p.detail
			}
			continue
		}
		if right++; right == 1 || p.secret >= 0 && sum.secret < 0 {
			sum.secret, sum.skew, sum.stale, sum.flag, sum.detail = p.secret, p.skew, p.stale, p.flag, p.detail
		}
		sum.state = sigRight
		if g.slotted {
			sum.mark(p.mode)
		}
	}
	return sum
}

func (p *proof) mark(mode string) {
	if p.right == nil {
		p.right = map[string]bool{}
	}
	p.right[mode] = true
}

// refusal is the reason why a request is not let in, or "".
func (p *proof) refusal(g *Gateway) string {
	switch {
	case p.state == sigRight && p.stale:
		return "stale_timestamp"
	case p.state == sigRight:
		return ""
	case !g.hasSecret():
		p.detail = "no webhook secret is configured for this gateway"
		return "no_secret"
	case p.state == sigNoKey:
		return "no_secret"
	case p.state == sigMissing:
		return "no_signature"
	}
	return "bad_signature"
}

func (g *Gateway) hasSecret() bool {
	for i := range g.signatures {
		if len(g.signatures[i].keys) > 0 || g.signatures[i].kind == "none" {
			return true
		}
	}
	return false
}
