package gateway

import (
	"strings"
	"time"
)

// instant is a compiled InstantSpec.
type instant struct {
	from   selector
	format string // unix, unix_ms, auto, rfc3339 or a layout of package time
	zone   *time.Location
}

// read returns the instant in UTC, or zero when it is missing or no instant: when it
// happened is then the time of first receipt, and never a reason to lose a notice.
func (i *instant) read(v *view) time.Time {
	if i == nil {
		return time.Time{}
	}
	got := i.from.read(v)
	if got.kind == faulty || got.empty() {
		return time.Time{}
	}
	var t time.Time
	var ok bool
	switch i.format {
	case "unix":
		t, ok = parseStamp(got.text, "s")
	case "unix_ms":
		t, ok = parseStamp(got.text, "ms")
	case "auto", "rfc3339":
		t, ok = parseStamp(got.text, i.format)
	default:
		parsed, err := time.ParseInLocation(i.format, got.text, i.zone)
		t, ok = parsed, err == nil
	}
	if !ok || t.Year() < 1990 || t.Year() > 9999 {
		return time.Time{}
	}
	return t.UTC()
}

var patternWords = strings.NewReplacer("yyyy", "2006", "MM", "01", "dd", "02", "HH", "15", "mm", "04",
	"ss", "05", "SSS", "000", "XXX", "Z07:00", "XX", "-0700", "'T'", "T", "'Z'", "Z")

// layoutOf turns a pattern such as yyyy-MM-dd HH:mm:ss into a layout of package time.
func layoutOf(pattern string) (string, bool) {
	layout := patternWords.Replace(pattern)
	return layout, strings.Contains(layout, "2006") && strings.Contains(layout, "02") && layout != pattern
}
