package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDemo plays the demonstration as `nodrop demo --exit` does, in a smaller form.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a quarter of a minute")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	folder := t.TempDir()
	c := exec.CommandContext(ctx, "nodrop", "demo", "--payments", "70", "--seed", "3", "--within", "60s", "--exit")
	c.Env = append(os.Environ(), "TMPDIR="+folder)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	for _, text := range []string{"the server is killed …", "… and runs again", "\n0 differences in ", "is sound"} {
		if err != nil || !strings.Contains(string(out), text) {
			t.Fatalf("%v; %q is not in\n%s", err, text, out)
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) > 0 {
		t.Errorf("%d files are left behind: %v", len(left), err)
	}
}

// TestDemoKeepsItsFolderWhenItFindsDifferences compares long before the payments can be at their ends.
func TestDemoKeepsItsFolderWhenItFindsDifferences(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	folder := t.TempDir()
	c := exec.CommandContext(ctx, "nodrop", "demo", "--payments", "20", "--within", "1s", "--exit")
	c.Env = append(os.Environ(), "TMPDIR="+folder)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("%v, want exit status 1\n%s", err, out)
	}
	_, rest, found := strings.Cut(string(out), "The database and the log are kept in ")
	kept, _, _ := strings.Cut(rest, "\n")
	if !found || filepath.Dir(kept) != folder {
		t.Fatalf("where the folder is kept is not said:\n%s", out)
	}
	for _, name := range []string{"nodrop.db", "server.log"} {
		if _, err := os.Stat(filepath.Join(kept, name)); err != nil {
			t.Error(err)
		}
	}
}
