package config

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Rate is a number of queries in a time.
type Rate struct {
	Count int
	Per   time.Duration
}

// PerSecond is the rate as a number a second.
func (r Rate) PerSecond() float64 { return float64(r.Count) / r.Per.Seconds() }

// String is the rate as the file writes it, such as "5/s".
func (r Rate) String() string {
	for _, u := range units {
		if u.length == r.Per {
			return fmt.Sprintf("%d/%s", r.Count, u.name)
		}
	}
	return fmt.Sprintf("%d/%s", r.Count, r.Per)
}

// units of time, the longest first.
var units = []struct {
	name   string
	length time.Duration
}{{"d", day}, {"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}}

// span bounds a duration, both ends included.
type span struct{ least, most time.Duration }

// longest is more than any setting may be and far from overflow.
const longest = 100 * 365 * day

// ParseDuration reads "30s", "5m", "1h30m", "3d": whole numbers with d, h, m, s or ms.
func ParseDuration(s string) (time.Duration, error) {
	total, rest := time.Duration(0), s
	for first := true; first || rest != ""; first = false {
		number := prefixOf(rest, "0123456789")
		name := prefixOf(rest[len(number):], "dhms")
		n, err := strconv.ParseInt(number, 10, 64)
		unit := unitOf(name)
		if err != nil || unit == 0 || n > int64(longest/unit) {
			return 0, fmt.Errorf("%q is not a duration", s)
		}
		if total += time.Duration(n) * unit; total > longest {
			return 0, fmt.Errorf("%q is not a duration", s)
		}
		rest = rest[len(number)+len(name):]
	}
	return total, nil
}

func prefixOf(s, set string) string { return s[:len(s)-len(strings.TrimLeft(s, set))] }

func unitOf(name string) time.Duration {
	for _, u := range units {
		if u.name == name {
			return u.length
		}
	}
	return 0
}

// FormatDuration writes a duration as the file does, such as "2d" or "1h30m".
func FormatDuration(d time.Duration) string {
	var b strings.Builder
	for _, u := range units {
		if n := d / u.length; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.length
		}
	}
	if b.Len() == 0 {
		return "0s"
	}
	return b.String()
}

// duration gives the duration at key, within the span.
func (t *table) duration(key string, fallback time.Duration, within span) time.Duration {
	s := t.text(key, "")
	if s == "" {
		return fallback
	}
	d, ok := t.d.toDuration(item{t.at(key), s}, within)
	if !ok {
		return fallback
	}
	return d
}

func (d *document) toDuration(it item, within span) (time.Duration, bool) {
	got, err := ParseDuration(it.text)
	if err != nil {
		d.fault(it.path, d.quote(it.path, it.text)+" is not a duration", `write a whole number and d, h, m or s, such as "30s", "5m", "48h" or "3d"`)
		return 0, false
	}
	if got < within.least || got > within.most {
		d.fault(it.path, d.quote(it.path, it.text)+" is out of range",
			fmt.Sprintf("write a duration from %s to %s", FormatDuration(within.least), FormatDuration(within.most)))
		return 0, false
	}
	return got, true
}

// rate gives the rate at key.
func (t *table) rate(key string, fallback Rate) Rate {
	s := t.text(key, "")
	if s == "" {
		return fallback
	}
	r, ok := parseRate(s)
	if !ok {
		t.fault(key, t.d.quote(t.at(key), s)+" is not a rate", rateRemedy)
		return fallback
	}
	return r
}

const rateRemedy = `write a number, "/" and s, m, h or d, such as "5/s" or "300/m" (at most 1000 a second)`

func parseRate(s string) (Rate, bool) {
	number, unit, _ := strings.Cut(s, "/")
	n, err := strconv.Atoi(number)
	per := unitOf(unit)
	if err != nil || n < 1 || per < time.Second || n > int(1000*per/time.Second) {
		return Rate{}, false
	}
	return Rate{Count: n, Per: per}, true
}

// count gives the whole number at key, from 1 to most.
func (t *table) count(key string, fallback, most int) int {
	v, ok := t.take(key)
	if !ok {
		return fallback
	}
	n, ok := v.(int64)
	if !ok || n < 1 || n > int64(most) {
		t.fault(key, "is not a whole number from 1 to "+strconv.Itoa(most), fmt.Sprintf("write %s = %d", key, fallback))
		return fallback
	}
	return int(n)
}

// size gives the number of bytes at key, up to most, written as "1MiB" or as a number.
func (t *table) size(key string, fallback, most int64) int64 {
	const least = 1 << 10
	v, ok := t.take(key)
	if !ok {
		return fallback
	}
	n, isNumber := v.(int64)
	if !isNumber {
		s, ok := t.d.resolve(t.at(key), v)
		if !ok {
			return fallback
		}
		n = parseSize(s)
	}
	if n < least || n > most {
		t.fault(key, "is not a size from 1KiB to "+formatSize(most), fmt.Sprintf("write %s = %q", key, formatSize(fallback)))
		return fallback
	}
	return n
}

// parseSize gives bytes, or 0 for what is no size.
func parseSize(s string) int64 {
	factor := int64(1)
	for suffix, f := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20} {
		if number, ok := strings.CutSuffix(s, suffix); ok {
			s, factor = number, f
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 32)
	if err != nil {
		return 0
	}
	return n * factor
}

func formatSize(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%dMiB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%dKiB", n>>10)
	}
	return strconv.FormatInt(n, 10)
}

// zone gives the time zone at key.
func (t *table) zone(key, fallback string) *time.Location {
	s := t.text(key, fallback)
	zone, err := time.LoadLocation(s)
	if err != nil || s == "Local" {
		t.fault(key, t.d.quote(t.at(key), s)+" is not a time zone", `write a name of the IANA list, such as "Asia/Manila" or "UTC"`)
		return time.UTC
	}
	return zone
}

// data gives the path at key, which is never read as a value.
func (t *table) data(key, fallback string) string {
	if s, ok := t.values[key].(string); ok && (strings.HasPrefix(s, "file:") || s == ":memory:") {
		t.take(key)
		t.fault(key, fmt.Sprintf("%q is not the path of a file", s), fmt.Sprintf("write %s = %q, relative to the working folder", key, fallback))
		return fallback
	}
	return t.text(key, fallback)
}

// cron gives the calendar expression at key.
func (t *table) cron(key, fallback string) string {
	s := t.text(key, fallback)
	if err := checkCron(s); err != nil {
		t.fault(key, t.d.quote(t.at(key), s)+" is not a calendar expression: "+err.Error(),
			fmt.Sprintf("write five fields (minute, hour, day, month, weekday), such as %s = %q", key, fallback))
		return fallback
	}
	return s
}

func checkCron(s string) error {
	if n := len(strings.Fields(s)); n != 5 || strings.Contains(s, "=") {
		return fmt.Errorf("it has %d fields", n)
	}
	schedule, err := cron.ParseStandard(s)
	if err != nil {
		return err
	}
	if schedule.Next(time.Date(2028, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return fmt.Errorf("it names no day that exists")
	}
	return nil
}

// address gives the http or https address at key; plain http is for loopback.
func (t *table) address(key string) string {
	s := t.text(key, "")
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "":
		t.fault(key, "is not an http or https address", fmt.Sprintf(`write %s = "https://host/path"`, key))
	case u.User != nil:
		t.fault(key, "holds a user name or password", "write the address without it")
	case u.Fragment != "":
		t.fault(key, "ends with a fragment (#…), which is never sent", "write the address without it")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		t.d.warn(t.at(key), "is plain http: what it carries can be read and changed on its way", "use https, or an address on this machine")
	}
	return s
}
