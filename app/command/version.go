package command

import (
	"runtime/debug"
	"strings"
)

// Version says which build this is.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "nodrop (unknown build)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	parts := []string{"nodrop", strings.Trim(info.Main.Version, "()")}
	if revision := settings["vcs.revision"]; revision != "" {
		if settings["vcs.modified"] == "true" {
			revision += " with changes"
		}
		parts = append(parts, "revision "+revision)
	}
	return strings.Join(append(parts, info.GoVersion, settings["GOOS"]+"/"+settings["GOARCH"]), " ")
}
