package web

import (
	"net/http"
	"net/netip"
	"strings"
)

// remoteIP is who sent a request: the right-most address that is no trusted proxy. What stands
// left of it in X-Forwarded-For anybody may have written.
func remoteIP(r *http.Request, trusted []netip.Prefix) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip := peer.Addr().Unmap()
	if len(trusted) == 0 {
		return ip.String()
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for len(hops) > 0 && within(ip, trusted) {
		hop, ok := hopAddr(hops[len(hops)-1])
		if !ok {
			break
		}
		ip, hops = hop, hops[:len(hops)-1]
	}
	return ip.String()
}

func within(ip netip.Addr, networks []netip.Prefix) bool {
	for _, n := range networks {
		if n.Contains(ip) {
			return true
		}
	}
	return false
}

// hopAddr reads one entry of X-Forwarded-For; some proxies write a port or brackets.
func hopAddr(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if pair, err := netip.ParseAddrPort(text); err == nil {
		return pair.Addr().Unmap().WithZone(""), true
	}
	ip, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return ip.Unmap().WithZone(""), err == nil
}
