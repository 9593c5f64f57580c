package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/templates"
)

// shipped are the definitions that come with nodrop: those of the Philippines first, the more at home there the earlier; the others by title.
var shipped = sync.OnceValue(func() (list []preset) {
	for _, name := range gateway.PresetNames() {
		if name == gateway.CustomPreset || name == sandboxPreset {
			continue
		}
		if spec, err := gateway.Preset(name); err == nil {
			list = append(list, preset{name, spec})
		}
	}
	slices.SortStableFunc(list, func(a, b preset) int {
		x, y := nearness(a.spec), nearness(b.spec)
		if x == y && x != math.MaxInt && a.spec.Status != b.spec.Status {
			return strings.Compare(b.spec.Status, a.spec.Status) // verified before unconfirmed
		}
		return cmp.Or(cmp.Compare(x, y), strings.Compare(strings.ToLower(a.spec.Title), strings.ToLower(b.spec.Title)))
	})
	return list
})

// sandboxPreset is the simulated gateway, which nobody registers with.
const sandboxPreset = "sandbox"

type preset struct {
	name string
	spec gateway.Spec
}

// nearness is small for a gateway that serves the Philippines and few other countries.
func nearness(spec gateway.Spec) int {
	if !slices.Contains(spec.Facts.Countries, "PH") {
		return math.MaxInt
	}
	return len(spec.Facts.Countries)
}

// readyRows lists the shipped definitions that nothing is configured with yet.
func (v *visit) readyRows() (rows []templates.ReadyRow) {
	used := map[string]bool{}
	for _, c := range v.engine.Config().Gateways {
		used[c.Preset] = true
	}
	for _, p := range shipped() {
		if used[p.name] {
			continue
		}
		row := templates.ReadyRow{Title: p.spec.Title, Trust: v.trust(p.name, p.spec.Status), TOML: v.starter(p)}
		for _, need := range p.spec.Needs {
			row.Needs = append(row.Needs, templates.NeedRow{Key: need, Where: p.spec.Facts.Where[need]})
		}
		rows = append(rows, row)
	}
	return rows
}

// starter is the least that the configuration must say of a gateway, with its keys taken from the environment.
func (v *visit) starter(p preset) string {
	lines := [][2]string{{"name", quoted(p.name)}, {"preset", quoted(p.name)}, {"mode", `"test"`}}
	width := len("preset")
	for _, need := range p.spec.Needs {
		lines = append(lines, [2]string{need, v.placeholder(p.name, need)})
		width = max(width, len(need))
	}
	var b strings.Builder
	b.WriteString("[[gateway]]\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "%-*s = %s\n", width, l[0], l[1])
	}
	return b.String()
}

// placeholder is the value of a key until a merchant writes theirs: the name of a variable of the environment.
func (v *visit) placeholder(name, need string) string {
	prefix := "env:" + variable(name) + "_"
	switch need {
	case "webhook_secrets", "public_keys":
		return "[" + quoted(prefix+strings.ToUpper(strings.TrimSuffix(need, "s"))) + "]"
	case "public_url":
		c := v.engine.Config()
		return quoted(c.HookAddress(config.Gateway{Name: name}))
	}
	return quoted(prefix + strings.ToUpper(need))
}

// variable is a name as shells take it: it begins with a letter.
func variable(name string) string {
	name = strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if name[0] >= '0' && name[0] <= '9' {
		name = "GATEWAY_" + name
	}
	return name
}

func quoted(text string) string { return `"` + text + `"` }
