package gateway

import (
	"os"
	"path/filepath"
	"testing"
)

// proven lists the shipped definitions whose fixture is there.
func proven(t testing.TB) []*subject {
	t.Helper()
	var out []*subject
	for _, name := range PresetNames() {
		if _, err := os.Stat(filepath.Join("testdata", "presets", name+".toml")); err == nil {
			out = append(out, shipped(t, name))
		}
	}
	return out
}

// BenchmarkPreset verifies and decodes the first accepted sample of every shipped definition.
func BenchmarkPreset(b *testing.B) {
	for _, s := range proven(b) {
		one := s.sample(b, "")
		g, r := s.gateway(b, one.Instance), one.request(b)
		b.Run(s.name, func(b *testing.B) {
			if rd := g.Read(r); rd.Verdict != Accepted {
				b.Fatalf("%s: %s", rd.Verdict, rd.Reason)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(r.Body)))
			for b.Loop() {
				g.Read(r)
			}
		})
	}
}

// TestReadingCostsLittle bounds what the intake allocates for one notice of any gateway.
func TestReadingCostsLittle(t *testing.T) {
	for _, s := range proven(t) {
		t.Run(s.name, func(t *testing.T) {
			one := s.sample(t, "")
			g, r := s.gateway(t, one.Instance), one.request(t)
			if n := testing.AllocsPerRun(20, func() { g.Read(r) }); n > 600 {
				t.Errorf("%.0f allocations, want at most 600: the XML decoder makes many small values", n)
			}
		})
	}
}
