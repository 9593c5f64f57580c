package gateway

import (
	"crypto/x509"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"nodrop/app/payment"
)

// Secret is one webhook secret; zero times mean no bound.
type Secret struct {
	ID               string // by which the gateway names the key, where it does
	Value            string
	NotBefore, Until time.Time
}

// Instance is what a merchant configures: which definition, and their credentials.
type Instance struct {
	Name       string
	Preset     string
	Mode       string // test or live
	Secrets    []Secret
	PublicKeys []string
	Account    string // merchant, app or webhook id
	PublicURL  string // the address as registered with the gateway
	APIKey     string
	APISecret  string
	PrivateKey string
	Nonce      func() string  // makes the {nonce} of questions; default 32 random hex characters
	BaseURL    string         // instead of the definition's API host
	Roots      *x509.CertPool // authorities that a fetched certificate must lead to; nil: those of the system
	Currency   string         // where the definition only assumes one
	Variant    string         // one of the definition's variants; "" is the first
	Networks   string         // off, flag or enforce: where requests may come from; "" is off
	Tolerance  *time.Duration // of signing times, instead of the definition's
	Custom     *Spec          // with the preset custom only
}

// Gateway is a compiled definition with its credentials. It is safe for concurrent use.
type Gateway struct {
	name        string
	preset      string
	mode        string
	account     string
	variant     string
	publicURL   string
	spec        Spec
	secretTimes []Secret // values left out
	methods     []string
	envelopes   []envelope
	signatures  []signature
	which       string // all, any or first of the signatures
	publicKeys  int
	networks    networks
	skip        guard
	parseFirst  bool // a signature reads fields
	slotted     bool // signature slots are bound to modes
	hint        bool // of some message nothing is proved
	confirm     bool // of no message anything is
	guarded     bool // some signatures are of some messages only
	challenge   *challenge
	modeFrom    selector
	modes       map[string]string
	modeAbsent  string
	items, item path
	batch       bool
	noticeAt    path
	typ         selector
	dedupe      selector
	ignore      List
	shapes      []shape
	acks        map[string]Ack
	query       *query
	warnings    Problems
}

// compiler turns a Spec and an Instance into a Gateway, collecting every fault.
type compiler struct {
	faults
	in      Instance
	g       *Gateway
	assumed bool   // some amount's currency is only assumed
	prefix  string // of the paths of faults: "custom." for a merchant's own table
}

func (c *compiler) add(path, text, remedy string) { c.faults.add(c.prefix+path, text, remedy) }

func (c *compiler) warn(path, text, remedy string) {
	c.g.warnings = append(c.g.warnings, Problem{Path: path, Text: text, Remedy: remedy})
}

// New compiles a gateway. Its error is Problems, with paths inside the gateway's table.
func New(in Instance) (*Gateway, error) {
	spec, err := specOf(in)
	if err != nil {
		return nil, err
	}
	c := &compiler{in: in, g: &Gateway{name: in.Name, preset: in.Preset, mode: in.Mode, account: in.Account,
		publicURL: in.PublicURL, spec: spec, publicKeys: len(in.PublicKeys)}}
	if in.Preset == CustomPreset {
		c.prefix = "custom."
	}
	if in.Mode != "test" && in.Mode != "live" {
		c.faults.add("mode", quote(in.Mode)+" is no mode", `write mode = "live" or mode = "test"`)
	}
	c.variant(spec)
	c.receiving(spec)
	c.reading(spec)
	c.g.acks = c.acks(spec.Ack)
	c.asking(spec)
	if spec.Needs == nil {
		c.g.spec.Needs = c.needs()
	}
	c.credentials(c.g.spec)
	c.trust(spec)
	c.facts(spec)
	c.networks(spec.Facts.Networks)
	c.reports(spec.Report)
	c.unused(spec)
	c.slips(spec)
	return c.g, c.err()
}

func specOf(in Instance) (Spec, error) {
	base, err := Preset(in.Preset)
	if err != nil {
		return base, Problems{{Path: "preset", Text: err.Error(), Remedy: "or describe the gateway in [gateway.custom] with preset = \"custom\""}}
	}
	if in.Preset != CustomPreset {
		if in.Custom != nil {
			return base, Problems{{Path: "custom", Text: "the preset " + in.Preset + " takes no table of its own", Remedy: `remove it, or write preset = "custom"`}}
		}
		return base, nil
	}
	if in.Custom == nil {
		return base, Problems{{Path: "custom", Text: "a custom gateway needs its definition", Remedy: "add [gateway.custom] with signature, fields and ack"}}
	}
	return overlay(base, *in.Custom), nil
}

// overlay fills what the merchant's definition leaves out of its description.
func overlay(base, own Spec) Spec {
	if own.Title == "" {
		own.Title = base.Title
	}
	if own.Status == "" {
		own.Status = base.Status
	}
	if own.Notes == nil {
		own.Notes = base.Notes
	}
	if own.Facts.Where == nil {
		own.Facts.Where = base.Facts.Where
	}
	if own.Facts.Resend == "" {
		own.Facts.Resend = base.Facts.Resend
	}
	if own.Facts.FailureHold == 0 {
		own.Facts.FailureHold = base.Facts.FailureHold
	}
	return own
}

// needs derives what an instance must have from what the definition uses.
func (c *compiler) needs() []string {
	var out []string
	for i := range c.g.signatures {
		need := "webhook_secrets"
		if k := c.g.signatures[i].kind; k == "rsa" || k == "ed25519" {
			need = "public_keys"
		}
		if c.g.signatures[i].kind != "none" && !slices.Contains(out, need) {
			out = append(out, need)
		}
	}
	if c.g.query == nil {
		return out
	}
	for _, need := range c.g.query.needs() {
		if !slices.Contains(out, need) {
			out = append(out, need)
		}
	}
	return out
}

// Has tells whether an instance is given what a need names; known is false for what is none.
func (in Instance) Has(need string) (has, known bool) {
	switch need {
	case "webhook_secrets":
		return slices.ContainsFunc(in.Secrets, func(s Secret) bool { return s.Value != "" }), true
	case "public_keys":
		return len(in.PublicKeys) > 0, true
	case "account":
		return in.Account != "", true
	case "public_url":
		return in.PublicURL != "", true
	case "api_key":
		return in.APIKey != "", true
	case "api_secret":
		return in.APISecret != "", true
	case "private_key":
		return in.PrivateKey != "", true
	}
	return false, false
}

// credentials says what an instance lacks. Lacking is a warning: the gateway then
// refuses every request, or cannot be asked, and says so.
func (c *compiler) credentials(spec Spec) {
	for i, s := range c.in.Secrets {
		c.g.secretTimes = append(c.g.secretTimes, Secret{NotBefore: s.NotBefore, Until: s.Until})
		if s.Value == "" {
			c.warn(fmt.Sprintf("webhook_secrets[%d]", i), "this secret is empty and is never used", "write the secret, or remove it")
		}
		if !s.Until.IsZero() && !s.NotBefore.Before(s.Until) {
			c.faults.add(fmt.Sprintf("webhook_secrets[%d].until", i), "it ends before it begins", "write until later than not_before")
		}
	}
	for i, need := range spec.Needs {
		has, known := c.in.Has(need)
		if !known {
			c.add(fmt.Sprintf("needs[%d]", i), quote(need)+" is nothing that a gateway is configured with", "write one of: webhook_secrets, public_keys, account, public_url, api_key, api_secret, private_key")
		}
		if known && !has {
			c.warn(need, "it is not configured, and "+spec.Title+" needs it", remedyFor(need, spec.Facts.Where[need]))
		}
	}
	if c.in.BaseURL != "" && !validBase(c.in.BaseURL) {
		c.faults.add("base_url", quote(c.in.BaseURL)+" is no web address", "write https://host, or http:// for a host of your own")
	}
}

func remedyFor(need, where string) string {
	if where == "" {
		return "write " + need + " in the gateway's table"
	}
	return "write " + need + ": " + where
}

func validBase(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.RawQuery == "" && u.Fragment == "" && u.User == nil
}

// Warnings lists what works but leaves the gateway unable to do part of its work.
func (g *Gateway) Warnings() []Problem { return g.warnings }

// slips warns of what was most likely copied wrongly.
func (c *compiler) slips(s Spec) {
	for i, one := range c.in.Secrets {
		if one.Value != strings.TrimSpace(one.Value) {
			c.warn(fmt.Sprintf("webhook_secrets[%d]", i), "it begins or ends with a space or a line end, which counts as a part of it", "write it without, unless the gateway shows it so")
		}
	}
	for _, mode := range sortedKeys(s.Facts.KeyModes) {
		if !c.oneOf(c.prefix+"facts.key_modes."+mode, mode, "test", "live") {
			continue
		}
		fits := func(pattern string) bool { return c.in.APIKey != "" && matches(c.in.APIKey, pattern, false) }
		if mode != c.in.Mode && slices.ContainsFunc(s.Facts.KeyModes[mode], fits) && !slices.ContainsFunc(s.Facts.KeyModes[c.in.Mode], fits) {
			c.warn("api_key", "it looks like a key of "+mode+" mode, and this gateway is in "+c.in.Mode+" mode", "write the key of "+c.in.Mode+" mode, or mode = \""+mode+"\"")
		}
	}
}

// unused reports what is configured and has no effect.
func (c *compiler) unused(s Spec) {
	for i, one := range s.Signature {
		if one.EachItem && !c.g.batch {
			c.add("signature["+itoa(i)+"].each_item", "the message is no batch", "write [notice] items, or remove it")
		}
	}
	if c.in.Currency != "" && !c.assumed {
		c.faults.add("currency", s.Title+" says itself which currency an amount is in", "remove it")
	}
	if _, ok := payment.Exponent(c.in.Currency); c.in.Currency != "" && !ok {
		c.faults.add("currency", quote(c.in.Currency)+" is no ISO 4217 code", `write for example "USD"`)
	}
	stamped := slices.ContainsFunc(s.Signature, func(one SignatureSpec) bool { return one.Timestamp != nil })
	if c.in.Tolerance != nil && !stamped {
		c.faults.add("timestamp_tolerance", s.Title+" signs no time", "remove it")
	}
}

// variant takes the instance's choice among ways in which accounts of one gateway differ.
func (c *compiler) variant(s Spec) {
	c.g.variant = c.in.Variant
	switch {
	case c.in.Variant == "" && len(s.Variants) > 0:
		c.g.variant = s.Variants[0]
	case c.in.Variant != "" && len(s.Variants) == 0:
		c.faults.add("variant", s.Title+" has no variants", "remove it")
	case c.in.Variant != "":
		c.faults.oneOf("variant", c.in.Variant, s.Variants...)
	}
}
