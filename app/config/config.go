// Package config turns one TOML file into a validated configuration. It reports
// every fault at once, each with its line and with what to write instead, and
// never shows a secret.
//
// A text value may be "env:NAME" or "file:PATH". PATH is relative to the folder of
// the configuration file; `data` is relative to the working folder.
package config

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"time"
	_ "time/tzdata" // a static binary on a bare machine knows its time zones

	"nodrop/app/gateway"
)

// Config is a complete, validated configuration; every default is filled in.
type Config struct {
	Path     string         // of the file; empty for Default
	Data     string         // the database file, relative to the working folder
	Timezone *time.Location // for display, calendar jobs and dates without a zone
	Language string         // "en" or "zh"
	Public   Public
	Private  Private
	ACME     ACME
	Shop     Shop
	Gateways []Gateway
	Jobs     Jobs
	Limits   Limits
	Warnings []Fault // what works but should be changed
}

// Public is the listener that gateways post to.
type Public struct {
	Listen         string // host:port; with Hostname the default is ":443"
	Hostname       string // set: TLS with certificates by ACME, or from Certificate
	Certificate    string // path of a PEM file with the whole chain; "": by ACME
	PrivateKey     string // path of a PEM file; set when Certificate is
	TrustedProxies []netip.Prefix
}

// Private is the listener of the admin pages, the API and the figures.
type Private struct {
	Listen      string // loopback unless Hostname is set
	Hostname    string // set: TLS under a name of its own
	Certificate string // path of a PEM file with the whole chain; "": by ACME
	PrivateKey  string // path of a PEM file; set when Certificate is
}

// Shop is the merchant's own application; without URL it reads the event feed.
type Shop struct {
	URL          string
	Secrets      []TimedSecret // each whsec_…; all valid ones sign
	Timeout      time.Duration // for one delivery
	ClaimTimeout time.Duration // a claim not done within it becomes a review
}

// Gateway is one configured account of a payment provider.
type Gateway struct {
	Name              string // [a-z0-9-], 1 to 40 characters; part of /hooks/{name}
	Preset            string
	Mode              string // "live" or "test"
	WebhookSecrets    []TimedSecret
	PublicKeys        []string       // each PEM, certificate or bare base64, maybe behind "label="
	Account           string         // merchant, app or webhook id
	PublicURL         string         // the webhook address as registered with the gateway
	Currency          string         // ISO 4217, instead of the one that the preset assumes; "": the preset's
	Variant           string         // how the account differs, where the preset knows several ways; "": its default
	SourceNetworks    string         // "off", "flag" or "enforce": whether requests from elsewhere are let in
	Tolerance         *time.Duration // of signing times; nil: the preset's
	BaseURL           string         // instead of the preset's API host
	APIKey            Secret
	APISecret         Secret
	PrivateKey        Secret
	QueryRate         Rate
	QueryConcurrency  int
	QuerySchedule     []time.Duration // from the creation of a payment, ascending
	GiveUpAfter       time.Duration
	FailureHold       time.Duration // 0: the preset's own
	Unregistered      string        // "review" or "count"
	UnregisteredAfter time.Duration
	Reports           string        // a folder whose files are imported as settlement reports; "": none is watched
	SettlementGrace   time.Duration // after the end of a day before a success is missed in its report
	Custom            *gateway.Spec // only with the preset "custom"
	Line              int           // of its [[gateway]]; 0 for Default
}

// Jobs holds the calendar of background work, in Timezone.
type Jobs struct {
	ReconcileSchedule string // cron expression of five fields
}

// Limits bounds what is taken in, what is kept and what one person decides alone.
type Limits struct {
	MaxBody      int64         // bytes of one webhook request
	MaxReport    int64         // bytes of one settlement report that is uploaded
	RefusedKeep  int           // refused requests kept for each gateway and reason
	RefusedAge   time.Duration // refused requests are kept no longer than this
	ApproveAbove Approval      // decisions above it take effect when another person approves
}

// Env is what Load may look at beside the file itself.
type Env struct {
	Getenv   func(string) (string, bool)
	ReadFile func(string) ([]byte, error)
}

// Load reads and validates the file. A fault in its content is a *Faults, which
// holds all of them.
func Load(path string, env Env) (*Config, error) {
	raw, err := env.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration %s cannot be read: %w; name another file with -c, or create this one", path, err)
	}
	d, root := parse(raw)
	d.env, d.folder = env, filepath.Dir(path)
	c := &Config{Path: path}
	if root != nil {
		d.readConfig(c, root)
	}
	if len(d.faults) > 0 {
		return nil, &Faults{Path: path, List: inOrder(d.faults)}
	}
	c.Warnings = inOrder(d.warnings)
	return c, nil
}

func (d *document) readConfig(c *Config, values map[string]any) {
	root := &table{d: d, values: values}
	c.Timezone = root.zone("timezone", DefaultTimezone)
	d.zone = c.Timezone
	c.Data = root.data("data", DefaultData)
	c.Language = root.choice("language", DefaultLanguage, []string{"en", "zh"})
	c.Public = readPublic(root.table("public"))
	c.Private = readPrivate(root.table("private"))
	c.ACME = readACME(root.table("acme"))
	checkListeners(d, c)
	if _, written := d.places["acme"]; written && !c.ByACME() {
		d.warn("acme", "has no effect: no certificate is asked for", "set the hostname of [public] or [private], without a certificate from files, or remove the table")
	}
	c.Shop = readShop(root.table("shop"))
	c.Gateways = readGateways(root)
	c.Jobs = readJobs(root.table("jobs"))
	c.Limits = readLimits(root.table("limits"))
	root.done()
}

func readJobs(t *table) Jobs {
	defer t.done()
	return Jobs{ReconcileSchedule: t.cron("reconcile_schedule", DefaultReconcileSchedule)}
}

func readLimits(t *table) Limits {
	defer t.done()
	return Limits{
		MaxBody:      t.size("max_body", DefaultMaxBody, 64<<20),
		MaxReport:    t.size("max_report", DefaultMaxReport, 2<<30),
		RefusedKeep:  t.count("refused_keep", DefaultRefusedKeep, 1_000_000),
		RefusedAge:   t.duration("refused_age", DefaultRefusedAge, span{time.Hour, 365 * day}),
		ApproveAbove: t.approval("approve_above"),
	}
}
