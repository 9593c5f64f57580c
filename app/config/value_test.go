package config

import (
	"math/rand"
	"os"
	"strings"
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "5m": 5 * time.Minute, "48h": 48 * time.Hour, "3d": 72 * time.Hour,
		"1h30m": 90 * time.Minute, "250ms": 250 * time.Millisecond, "0s": 0, "1d12h": 36 * time.Hour,
	} {
		if got, err := ParseDuration(text); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "5", "s", "-1s", "1.5h", "5 m", "5M", "1y", "5min", "1h ", "9223372036854775808s", "40000d", "36500d36500d36500d"} {
		if got, err := ParseDuration(text); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", text, got)
		}
	}
}

func TestDurationsReadBack(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 1000 {
		want := time.Duration(random.Int63n(int64(longest/time.Millisecond))) * time.Millisecond
		if got, err := ParseDuration(FormatDuration(want)); err != nil || got != want {
			t.Fatalf("%s reads back as %v, %v; want %v", FormatDuration(want), got, err, want)
		}
	}
}

func TestRates(t *testing.T) {
	equal(t, "five a second", Rate{5, time.Second}.PerSecond(), 5.0)
	equal(t, "300 a minute", Rate{300, time.Minute}.PerSecond(), 5.0)
	equal(t, "text", []string{Rate{300, time.Minute}.String(), Rate{1, 24 * time.Hour}.String(), Rate{1, 2 * time.Second}.String()}, []string{"300/m", "1/d", "1/2s"})
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{`"1MiB"`: 1048576, `"256KiB"`: 262144, `"2048"`: 2048, "2049": 2049, `"1 MiB"`: 1048576} {
		c := mustLoad(t, "[limits]\nmax_body = "+text+"\n")
		equal(t, text, c.Limits.MaxBody, want)
	}
	shown := []string{formatSize(3 << 20), formatSize(1536), formatSize(2049)}
	equal(t, "shown", shown, []string{"3MiB", "1536", "2049"})
}

func TestNearest(t *testing.T) {
	known := []string{"listen", "hostname", "trusted_proxies"}
	for word, want := range map[string]string{"listn": "listen", "lisetn": "listen", "Hostname": "hostname", "trusted-proxies": "trusted_proxies", "colour": "", "x": ""} {
		if got, _ := nearest(word, known); got != want {
			t.Errorf("nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for pair, want := range map[[2]string]int{{"", ""}: 0, {"", "ab"}: 2, {"ab", ""}: 2, {"ab", "ba"}: 1, {"kitten", "sitting"}: 3, {"mode", "mode"}: 0} {
		if got := distance(pair[0], pair[1]); got != want {
			t.Errorf("distance(%q, %q) = %d, want %d", pair[0], pair[1], got, want)
		}
	}
}

// FuzzLoad wants no panic, and for every refusal a fault that can be found and mended.
func FuzzLoad(f *testing.F) {
	raw, err := os.ReadFile("testdata/sample.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(raw))
	for _, list := range [][]wrong{topLevel, listeners, shops, values, gateways} {
		for _, w := range list {
			f.Add(w.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := load(text)
		if err == nil {
			for _, l := range Effective(c) {
				if !strings.Contains(l, " = ") {
					t.Errorf("line %q is no setting", l)
				}
			}
			return
		}
		faults, ok := err.(*Faults)
		if !ok || len(faults.List) == 0 {
			t.Fatalf("err = %#v, want faults", err)
		}
		for _, one := range faults.List {
			if one.Line < 1 || one.Line > strings.Count(text, "\n")+1 || one.Column < 1 || one.Text == "" || one.Remedy == "" {
				t.Errorf("fault %+v cannot be found or mended", one)
			}
		}
	})
}
