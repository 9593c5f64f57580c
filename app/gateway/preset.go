package gateway

import (
	"embed"
	"fmt"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

//go:embed presets/*.toml
var presetFiles embed.FS

// CustomPreset is the empty base that a merchant's own table fills.
const CustomPreset = "custom"

// PresetNames lists the shipped definitions, sorted.
func PresetNames() []string {
	entries, _ := presetFiles.ReadDir("presets")
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	sort.Strings(names)
	return names
}

// Preset returns a shipped definition by name.
func Preset(name string) (Spec, error) {
	raw, err := presetFiles.ReadFile("presets/" + name + ".toml")
	if err != nil {
		return Spec{}, fmt.Errorf("preset %q does not exist; choose one of: %s", name, strings.Join(PresetNames(), ", "))
	}
	return ParseSpec(raw, "preset "+name)
}

// ParseSpec decodes a definition written as one TOML document, strictly.
func ParseSpec(raw []byte, prefix string) (Spec, error) {
	var values map[string]any
	if err := toml.Unmarshal(raw, &values); err != nil {
		return Spec{}, fmt.Errorf("%s is not TOML: %w", prefix, err)
	}
	return SpecFrom(values, prefix)
}
