package config

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
)

func readPublic(t *table) Public {
	defer t.done()
	p := Public{Hostname: t.hostname("hostname")}
	p.Listen = t.listen("listen", defaultListen(p.Hostname, DefaultPublicListen))
	p.Certificate, p.PrivateKey = t.pair(p.Hostname)
	for _, it := range t.list("trusted_proxies") {
		if network, ok := t.d.network(it); ok {
			p.TrustedProxies = append(p.TrustedProxies, network)
		}
	}
	return p
}

func readPrivate(t *table) Private {
	defer t.done()
	p := Private{Hostname: t.hostname("hostname")}
	p.Listen = t.listen("listen", defaultListen(p.Hostname, DefaultPrivateListen))
	p.Certificate, p.PrivateKey = t.pair(p.Hostname)
	host, port, _ := net.SplitHostPort(p.Listen)
	if p.Hostname == "" && !loopback(host) {
		t.fault("listen", fmt.Sprintf("%q would serve the admin pages over plain HTTP beyond this machine", p.Listen),
			fmt.Sprintf(`write listen = "127.0.0.1:%s" and reach it by ssh -L or a VPN, or set hostname for TLS`, port))
	}
	return p
}

func defaultListen(hostname, plain string) string {
	if hostname != "" {
		return DefaultTLSListen
	}
	return plain
}

// checkListeners compares the listeners with each other.
func checkListeners(d *document, c *Config) {
	if c.Public.Hostname != "" && c.Public.Hostname == c.Private.Hostname {
		d.fault("private.hostname", "is also the hostname of [public]", "give the admin pages a name of their own")
		return
	}
	if collide(c.Public.Listen, c.Private.Listen) && !c.OneListener() {
		remedy := fmt.Sprintf("give one of them another port; the defaults are %q and %q", DefaultPublicListen, DefaultPrivateListen)
		if c.Public.Hostname != "" && c.Private.Hostname != "" {
			remedy = "write the same address for both, which then share it by their names, or give one of them another port"
		}
		d.fault(d.written("private.listen", "public.listen"), fmt.Sprintf("[public] on %q and [private] on %q cannot listen side by side", c.Public.Listen, c.Private.Listen), remedy)
		return
	}
	for name, listen := range map[string]string{"public": c.Public.Listen, "private": c.Private.Listen} {
		if c.ByACME() && collide(c.ACME.Listen, listen) {
			d.fault(d.written(name+".listen", "acme.listen"), fmt.Sprintf("[%s] on %q and the challenges of the authority on %q cannot listen side by side", name, listen, c.ACME.Listen),
				"give one of them another port; authorities look for the answers on port 80 of the host name, and nowhere else")
		}
	}
}

// written is the first of two keys if the file has it, else the second.
func (d *document) written(first, second string) string {
	if _, ok := d.places[first]; ok {
		return first
	}
	return second
}

// collide tells whether the two addresses cannot be listened on side by side.
func collide(a, b string) bool {
	hostA, portA, _ := net.SplitHostPort(a)
	hostB, portB, _ := net.SplitHostPort(b)
	return portA == portB && portA != "0" && (hostA == hostB || everywhere(hostA) || everywhere(hostB))
}

func everywhere(host string) bool { return host == "" || host == "0.0.0.0" || host == "::" }

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// listen gives the host:port at key; the host is empty, localhost or an IP address.
func (t *table) listen(key, fallback string) string {
	s := t.text(key, fallback)
	host, port, err := net.SplitHostPort(s)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err == nil && host != "" && host != "localhost" {
		_, err = netip.ParseAddr(host)
	}
	if err != nil {
		t.fault(key, t.d.quote(t.at(key), s)+" is not an address to listen on",
			fmt.Sprintf("write an IP address (or nothing), a colon and a port number, such as listen = %q", fallback))
		return fallback
	}
	return s
}

var hostnameForm = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// hostname gives the DNS name at key.
func (t *table) hostname(key string) string {
	s := t.text(key, "")
	if s == "" || len(s) <= 253 && hostnameForm.MatchString(s) {
		return s
	}
	t.fault(key, t.d.quote(t.at(key), s)+" is not a host name",
		fmt.Sprintf(`write the name alone, in lower case, without scheme and port, such as %s = "pay.example.com"`, key))
	return ""
}

// network reads a network, or one address as a network of its own.
func (d *document) network(it item) (netip.Prefix, bool) {
	if ip, err := netip.ParseAddr(it.text); err == nil && ip.Zone() == "" {
		return netip.PrefixFrom(ip, ip.BitLen()), true
	}
	p, err := netip.ParsePrefix(it.text)
	switch {
	case err != nil:
		d.fault(it.path, d.quote(it.path, it.text)+" is not a network", `write an address or a network, such as "10.0.0.7" or "10.0.0.0/8"`)
		return p, false
	case p != p.Masked():
		d.fault(it.path, d.quote(it.path, it.text)+" has bits beyond its length", fmt.Sprintf("write %q", p.Masked()))
		return p, false
	case p.Bits() == 0:
		d.warn(it.path, "trusts the whole Internet, so anybody can claim any address", "name the networks of your own proxies")
	}
	return p, true
}
