package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// linked makes a symbolic link, or skips the test where that is not allowed.
func linked(t *testing.T, target, name string) string {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	return name
}

func TestAFileHasOneLockUnderAllItsNames(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "core.db")
	near := linked(t, "core.db", filepath.Join(dir, "near.db"))
	far := linked(t, near, filepath.Join(other, "far.db")) // a link to a link, and no file yet
	o := coreOptions()
	o.Serve = true
	db := openCoreAt(t, far, o)
	if db.Path() != path {
		t.Errorf("the path is %s, want %s", db.Path(), path)
	}
	for _, name := range []string{path, near, far} {
		if second, err := Open(t.Context(), name, o); !errors.Is(err, ErrServed) {
			t.Fatalf("a second server by the name %s: %v, %v", name, second, err)
		}
		if _, err := restoreCore(t, path, name, nil); !errors.Is(err, ErrServed) {
			t.Errorf("a restore by the name %s: %v", name, err)
		}
	}
}

func TestLinksInACircleAreRefused(t *testing.T) {
	dir := t.TempDir()
	a := linked(t, "b.db", filepath.Join(dir, "a.db"))
	linked(t, "a.db", filepath.Join(dir, "b.db"))
	if db, err := Open(t.Context(), a, coreOptions()); err == nil {
		_ = db.Close()
		t.Error("opened")
	}
}

func TestRestoreThroughALinkKeepsTheLink(t *testing.T) {
	backup := closed(t, coreOptions(), "then")
	path := closed(t, coreOptions(), "now")
	link := linked(t, path, filepath.Join(t.TempDir(), "link.db"))
	kept, err := restoreCore(t, backup, link, nil)
	if err != nil || kept != path+".replaced" {
		t.Fatalf("kept as %s, %v", kept, err)
	}
	if target, err := os.Readlink(link); err != nil || target != path {
		t.Errorf("the link leads to %s, %v", target, err)
	}
	sameKeys(t, "restored", keys(t, openCoreAt(t, path, coreOptions())), []string{"then"})
}
