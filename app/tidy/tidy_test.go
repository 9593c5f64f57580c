// Package tidy holds no code, only the test that keeps the house in order: who may
// import whom, how long a function may be, where the clock and SQL may stand.
package tidy

import (
	"os"
	"testing"
	"time"
)

// checks are all rules of the house, by the name of their subtest.
var checks = map[string]func(tree) []string{
	"top level": checkTop,
	"edges":     checkEdges,
	"outsiders": checkOutsiders,
	"sizes":     checkSizes,
	"clock":     checkClock,
	"sql":       checkSQL,
	"docs":      checkDocs,
	"generated": checkGenerated,
	"words":     checkWords,
}

func TestTidy(t *testing.T) {
	began := time.Now()
	repo, findings := load(os.DirFS("../.."))
	for _, f := range findings {
		t.Error(f)
	}
	if len(repo.files) == 0 || repo.module == "" {
		t.Fatalf("%d files of module %q were found: this test must run in the repository", len(repo.files), repo.module)
	}
	for name, check := range checks {
		t.Run(name, func(t *testing.T) {
			for _, f := range check(repo) {
				t.Error(f)
			}
		})
	}
	t.Logf("%d files in %v", len(repo.files), time.Since(began))
}
