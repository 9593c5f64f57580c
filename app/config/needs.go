package config

import (
	"fmt"

	"nodrop/app/gateway"
)

// spec is the definition that the gateway is built from; ok is false when it has none that can be read.
func (g Gateway) spec() (s gateway.Spec, ok bool) {
	if g.Preset == gateway.CustomPreset {
		if g.Custom == nil {
			return s, false
		}
		return *g.Custom, true
	}
	s, err := gateway.Preset(g.Preset)
	return s, err == nil
}

// bearable is how often the gateway may be asked where the file says nothing.
func (g Gateway) bearable(t *table) Rate {
	s, _ := g.spec()
	if s.Facts.QueryRate == "" {
		return DefaultQueryRate()
	}
	r, ok := parseRate(s.Facts.QueryRate)
	if !ok {
		t.fault("custom.facts.query_rate", fmt.Sprintf("%q is not a rate", s.Facts.QueryRate), rateRemedy)
		return DefaultQueryRate()
	}
	return r
}

// Has tells whether the configuration gives the gateway what a need names: "webhook_secrets", "public_keys", "account",
// "public_url", "api_key", "api_secret" or "private_key".
func (g Gateway) Has(need string) bool {
	has, _ := g.Instance().Has(need)
	return has
}

// Missing lists the needs of a definition that the configuration does not meet, in the order given.
func (g Gateway) Missing(needs []string) []string {
	var missing []string
	for _, need := range needs {
		if !g.Has(need) {
			missing = append(missing, need)
		}
	}
	return missing
}

// HookAddress is what a gateway must post to; where no host name is configured it holds YOUR-HOST.
func (c *Config) HookAddress(g Gateway) string {
	if g.PublicURL != "" {
		return g.PublicURL
	}
	host := c.Public.Hostname
	if host == "" {
		host = "YOUR-HOST" // a proxy with a certificate stands before the listener
	}
	return "https://" + host + "/hooks/" + g.Name
}
