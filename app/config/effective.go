package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Effective lists what holds, defaults included and secrets masked, as "key = value".
func Effective(c *Config) []string {
	lines := []string{
		line("data", c.Data),
		line("timezone", c.Timezone.String()),
		line("language", c.Language),
		line("public.listen", c.Public.Listen),
		line("public.hostname", c.Public.Hostname),
		fmt.Sprintf("public.trusted_proxies = %v", c.Public.TrustedProxies),
		line("private.listen", c.Private.Listen),
		line("private.hostname", c.Private.Hostname),
		line("shop.url", c.Shop.URL),
		"shop.secrets = " + masked(c.Shop.Secrets),
		"shop.timeout = " + FormatDuration(c.Shop.Timeout),
		"shop.claim_timeout = " + FormatDuration(c.Shop.ClaimTimeout),
		line("jobs.reconcile_schedule", c.Jobs.ReconcileSchedule),
		"limits.max_body = " + formatSize(c.Limits.MaxBody),
		"limits.max_report = " + formatSize(c.Limits.MaxReport),
		fmt.Sprintf("limits.refused_keep = %d", c.Limits.RefusedKeep),
		"limits.refused_age = " + FormatDuration(c.Limits.RefusedAge),
		"limits.approve_above = " + c.Limits.ApproveAbove.String(),
	}
	lines = append(lines, c.tlsLines()...)
	for _, g := range c.Gateways {
		for _, l := range g.effective() {
			lines = append(lines, "gateway."+g.Name+"."+l)
		}
	}
	return lines
}

func (g Gateway) effective() []string {
	rungs := make([]string, len(g.QuerySchedule))
	for i, r := range g.QuerySchedule {
		rungs[i] = FormatDuration(r)
	}
	hold := "as the preset says"
	if g.FailureHold > 0 {
		hold = FormatDuration(g.FailureHold)
	}
	tolerance := "as the preset says"
	if g.Tolerance != nil {
		tolerance = FormatDuration(*g.Tolerance)
	}
	return []string{
		line("preset", g.Preset),
		line("mode", g.Mode),
		"webhook_secrets = " + masked(g.WebhookSecrets),
		fmt.Sprintf("public_keys = %d", len(g.PublicKeys)),
		line("account", g.Account),
		line("public_url", g.PublicURL),
		line("base_url", g.BaseURL),
		line("currency", g.Currency),
		line("variant", g.Variant),
		line("source_networks", g.SourceNetworks),
		"timestamp_tolerance = " + tolerance,
		"api_key = " + g.APIKey.String(),
		"api_secret = " + g.APISecret.String(),
		"private_key = " + g.PrivateKey.String(),
		"query_rate = " + g.QueryRate.String(),
		fmt.Sprintf("query_concurrency = %d", g.QueryConcurrency),
		"query_schedule = " + strings.Join(rungs, ", "),
		"give_up_after = " + FormatDuration(g.GiveUpAfter),
		"failure_hold = " + hold,
		line("unregistered", g.Unregistered),
		"unregistered_after = " + FormatDuration(g.UnregisteredAfter),
		line("reports", g.Reports),
		"settlement_grace = " + FormatDuration(g.SettlementGrace),
	}
}

func line(key, value string) string { return fmt.Sprintf("%s = %q", key, value) }

func masked(secrets []TimedSecret) string {
	all := make([]string, len(secrets))
	for i, s := range secrets {
		all[i] = s.Value.String()
		if s.ID != "" {
			all[i] += " with the id " + strconv.Quote(s.ID)
		}
		if !s.NotBefore.IsZero() {
			all[i] += " from " + s.NotBefore.Format(time.RFC3339)
		}
		if !s.Until.IsZero() {
			all[i] += " until " + s.Until.Format(time.RFC3339)
		}
	}
	if len(all) == 0 {
		return "(none)"
	}
	return strings.Join(all, ", ")
}
