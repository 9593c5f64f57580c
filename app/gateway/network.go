package gateway

import (
	"net/netip"
	"strings"
)

// networks are where a gateway's requests come from, and what a strange origin means.
type networks struct {
	policy string // "", off, flag, enforce
	list   []netip.Prefix
}

func (c *compiler) networks(s NetworksSpec) {
	for i, one := range s.Live {
		c.network("facts.networks.live["+itoa(i)+"]", one)
	}
	for i, one := range s.Test {
		c.network("facts.networks.test["+itoa(i)+"]", one)
	}
	n := &c.g.networks
	for _, one := range c.g.networksOfMode() {
		if p, ok := parseNetwork(one); ok {
			n.list = append(n.list, p)
		}
	}
	n.policy = c.in.Networks
	if n.policy != "" && !c.faults.oneOf("source_networks", n.policy, "off", "flag", "enforce") {
		return
	}
	if len(n.list) == 0 && (n.policy == "flag" || n.policy == "enforce") {
		c.faults.add("source_networks", "the definition knows no addresses that "+c.g.spec.Title+" sends from in "+c.in.Mode+" mode", `remove it, or write source_networks = "off"`)
	}
}

func (c *compiler) network(at, s string) {
	if _, ok := parseNetwork(s); !ok {
		c.add(at, quote(s)+" is no network", "write for example 203.0.113.0/24 or 203.0.113.7")
	}
}

func parseNetwork(s string) (netip.Prefix, bool) {
	if !strings.Contains(s, "/") {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return netip.Prefix{}, false
		}
		return netip.PrefixFrom(a, a.BitLen()), true
	}
	p, err := netip.ParsePrefix(s)
	return p, err == nil
}

func (g *Gateway) networksOfMode() []string {
	if g.mode == "test" {
		return g.spec.Facts.Networks.Test
	}
	return g.spec.Facts.Networks.Live
}

// strange tells whether a request comes from elsewhere than the gateway sends from. One
// whose origin is not known, as in a capture, is not strange.
func (n *networks) strange(ip string) bool {
	if n.policy != "flag" && n.policy != "enforce" || ip == "" {
		return false
	}
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return true
	}
	for _, p := range n.list {
		if p.Contains(a.Unmap()) {
			return false
		}
	}
	return true
}
