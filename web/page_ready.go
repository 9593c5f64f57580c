package web

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/templates"
)

// shipped are the definitions that come with nodrop, Philippine gateways first, the others by title.
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
		if x, y := nearness(a.name), nearness(b.name); x != y {
			return x - y
		}
		return strings.Compare(strings.ToLower(a.spec.Title), strings.ToLower(b.spec.Title))
	})
	return list
})

// sandboxPreset is the simulated gateway, which nobody registers with.
const sandboxPreset = "sandbox"

type preset struct {
	name string
	spec gateway.Spec
}

var philippine = []string{"paymongo", "xendit", "maya", "dragonpay", "antom"}

func nearness(name string) int {
	if i := slices.Index(philippine, name); i >= 0 {
		return i
	}
	return len(philippine)
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
	prefix := "env:" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) + "_"
	switch need {
	case "webhook_secrets", "public_keys":
		return "[" + quoted(prefix+strings.ToUpper(strings.TrimSuffix(need, "s"))) + "]"
	case "public_url":
		c := v.engine.Config()
		return quoted(c.HookAddress(config.Gateway{Name: name}))
	}
	return quoted(prefix + strings.ToUpper(need))
}

func quoted(text string) string { return `"` + text + `"` }
