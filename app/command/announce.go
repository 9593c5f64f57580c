package command

import (
	"fmt"
	"net"
	"strings"

	"nodrop/app/config"
)

// Announce says at the start of a server what holds and where it is reached.
func (e *Env) Announce(c *config.Config, public, private string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", Version())
	if c.Path == "" {
		fmt.Fprintf(&b, "There is no %s here: this serves the sandbox gateway, on loopback only, with\n", ConfigFile)
		fmt.Fprintf(&b, "  webhook secret %s\n  API key        %s\n", c.Gateways[0].WebhookSecrets[0].Value.Reveal(), c.Gateways[0].APIKey.Reveal())
	} else {
		fmt.Fprintf(&b, "configuration %s:\n", c.Path)
	}
	for _, line := range config.Effective(c) {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	for _, w := range c.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	fmt.Fprintf(&b, "gateways post to %s/hooks/NAME\nadmin pages and API at %s/\n", PublicURL(c, public), PrivateURL(c, private))
	e.note("%s", b.String())
}

// anywhere writes an address that stands for every one of the machine's as *:port.
func anywhere(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return "*:" + port
	}
	return address
}
