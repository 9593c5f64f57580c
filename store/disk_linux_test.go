package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=3m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "core.db")
	db, err := Open(t.Context(), path, coreOptions())
	if err != nil {
		t.Fatal(err)
	}
	taken, err := fill(t, db, 100)
	if !errors.Is(err, ErrFull) || !Retryable(err) {
		t.Fatalf("after %d rows: %v", taken, err)
	}
	if got := len(keys(t, db)); got != taken || taken == 0 {
		t.Errorf("%d rows were acknowledged, %d are there", taken, got)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), "room", putting("room")); err != nil {
		t.Errorf("after room was made: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	again, err := Open(t.Context(), path, coreOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if got := len(keys(t, again)); got != taken+1 {
		t.Errorf("%d rows were acknowledged, %d survive", taken+1, got)
	}
	if found, err := again.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("check: %v, %v", found, err)
	}
}
