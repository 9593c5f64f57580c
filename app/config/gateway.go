package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"nodrop/app/gateway"
)

// Instance is the gateway as its reader and query client are built from.
func (g Gateway) Instance() gateway.Instance {
	in := gateway.Instance{
		Name: g.Name, Preset: g.Preset, Mode: g.Mode,
		PublicKeys: g.PublicKeys, Account: g.Account, PublicURL: g.PublicURL, BaseURL: g.BaseURL,
		APIKey: g.APIKey.Reveal(), APISecret: g.APISecret.Reveal(), PrivateKey: g.PrivateKey.Reveal(),
		Custom: g.Custom, Currency: g.Currency, Variant: g.Variant, Networks: g.SourceNetworks, Tolerance: g.Tolerance,
	}
	for _, s := range g.WebhookSecrets {
		in.Secrets = append(in.Secrets, gateway.Secret{ID: s.ID, Value: s.Value.Reveal(), NotBefore: s.NotBefore, Until: s.Until})
	}
	return in
}

// readCustom reads the definition that the preset "custom" needs.
func readCustom(t *table, g *Gateway) {
	_, given := t.values["custom"]
	sub := t.table("custom")
	custom := g.Preset == gateway.CustomPreset
	switch {
	case !given && custom:
		t.fault("preset", `"custom" needs a definition`, "describe the gateway in a [gateway.custom] table below")
	case sub.values != nil && !custom && g.Preset != "":
		t.fault("custom", fmt.Sprintf("has no effect beside preset = %q", g.Preset), `write preset = "custom", or remove the table`)
	case custom && sub.values != nil:
		spec, err := gateway.SpecFrom(sub.values, "custom")
		if t.problems(err); err == nil {
			g.Custom = &spec
		}
	}
}

// checkGateway has the gateway built once, for what only its definition can tell.
func checkGateway(t *table, g Gateway) {
	if names := gateway.PresetNames(); g.Preset != "" && !slices.Contains(names, g.Preset) {
		remedy := "choose one of: " + strings.Join(names, ", ")
		if near, ok := nearest(g.Preset, names); ok {
			remedy = fmt.Sprintf("write preset = %q", near)
		}
		t.fault("preset", t.d.quote(t.at("preset"), g.Preset)+" is not a shipped preset", remedy)
		return
	}
	if g.Preset == "" || g.Preset == gateway.CustomPreset && g.Custom == nil {
		return
	}
	if g.Mode == "" { // reported already; the rest can be checked with either
		g.Mode = "test"
	}
	built, err := gateway.New(g.Instance())
	if err != nil {
		t.problems(err)
		return
	}
	for _, w := range built.Warnings() {
		if path := t.at(w.Path); !touched(t.d.faults, path) {
			t.d.warn(path, w.Text, w.Remedy)
		}
	}
}

// problems reports what the gateway package found, but for what follows from a fault
// that is reported already.
func (t *table) problems(err error) {
	var list gateway.Problems
	switch {
	case err == nil:
	case errors.As(err, &list):
		known := slices.Clone(t.d.faults)
		for _, p := range list {
			if path := t.at(p.Path); !touched(known, path) {
				t.d.fault(path, p.Text, p.Remedy)
			}
		}
	default:
		t.d.fault(t.path, err.Error(), "")
	}
}

// touched tells whether a fault stands at the path, below it or above it.
func touched(faults []Fault, path string) bool {
	for _, f := range faults {
		if within(f.Key, path) || within(path, f.Key) {
			return true
		}
	}
	return false
}

func within(path, table string) bool {
	rest, ok := strings.CutPrefix(path, table)
	return ok && table != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
