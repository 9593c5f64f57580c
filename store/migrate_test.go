package store

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
)

// coreNext is coreSchema with a second migration.
func coreNext(sql string) fstest.MapFS {
	files := maps.Clone(coreSchema)
	files["00002_next.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n" + sql)}
	return files
}

func withSchema(files fs.FS) Options {
	o := coreOptions()
	o.migrations = files
	return o
}

// closed makes a database with the given notes and closes it.
func closed(t *testing.T, o Options, notes ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "core.db")
	db, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range notes {
		if err := db.Update(t.Context(), "put", putting(key)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestMigrationKeepsACopy(t *testing.T) {
	path := closed(t, coreOptions(), "a", "b")
	db := openCoreAt(t, path, withSchema(coreNext("DELETE FROM note WHERE key = 'b';")))
	sameKeys(t, "migrated", keys(t, db), []string{"a"})
	sameKeys(t, "the copy", keys(t, openCoreAt(t, path+".before-2", coreOptions())), []string{"a", "b"})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	openCoreAt(t, path, withSchema(coreNext("never run again;")))
	if exists(path + ".before-2.1") {
		t.Error("a copy was made although nothing was migrated")
	}
	if exists(path + ".before-1") {
		t.Error("a copy of an empty file was made")
	}
}

func TestMigrationThatWasWrittenLaterIsNotPassedOver(t *testing.T) {
	late := coreNext("CREATE TABLE late (id INTEGER PRIMARY KEY) STRICT;")
	early := maps.Clone(coreSchema)
	early["00003_early.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE early (id INTEGER PRIMARY KEY) STRICT;")}
	path := closed(t, withSchema(early), "a")
	late["00003_early.sql"] = early["00003_early.sql"]
	if found, err := behind(path, late); err != nil || !found {
		t.Errorf("behind: %v, %v", found, err)
	}
	db := openCoreAt(t, path, withSchema(late))
	if err := db.Update(t.Context(), "both", func(tx *Tx) error {
		for _, table := range []string{"early", "late"} {
			if _, err := tx.exec("INSERT INTO " + table + " (id) VALUES (1)"); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if !exists(path + ".before-3") {
		t.Error("no copy was made")
	}
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	path := closed(t, coreOptions(), "a")
	for range 2 {
		db, err := Open(t.Context(), path, withSchema(coreNext("DELETE FROM note; INSERT INTO nowhere VALUES (1);")))
		if err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Fatalf("a broken migration: %v, %v", db, err)
		}
	}
	if !exists(path+".before-2") || !exists(path+".before-2.1") {
		t.Error("each attempt keeps its own copy")
	}
	sameKeys(t, "rows", keys(t, openCoreAt(t, path, coreOptions())), []string{"a"})
}

func TestMigrationThatLeavesDanglingReferencesIsReported(t *testing.T) {
	path := closed(t, coreOptions(), "a")
	_, err := Open(t.Context(), path, withSchema(coreNext("INSERT INTO page (note) VALUES (99);")))
	if err == nil || !strings.Contains(err.Error(), "before-2") {
		t.Errorf("got %v, want the name of the copy", err)
	}
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	path := closed(t, withSchema(coreNext("CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT;")), "a")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Open(t.Context(), path, coreOptions())
	if !errors.Is(err, ErrNewer) || !strings.Contains(err.Error(), "its schema is 2, this program knows 1") {
		t.Errorf("got %v", err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("the refused file was changed")
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	c, err := dial(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.exec("CREATE TABLE bookmarks (url TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), path, coreOptions()); !errors.Is(err, ErrForeign) {
		t.Errorf("a database of another program: %v", err)
	}
	text := filepath.Join(t.TempDir(), "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database at all\n", 300)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), text, coreOptions()); !errors.Is(err, ErrDamaged) {
		t.Errorf("no database: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "no", "folder", "core.db"), coreOptions()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}

func TestServedDatabaseIsNotMigratedBeneathItsServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "core.db")
	o := coreOptions()
	o.Serve = true
	openCoreAt(t, path, o)
	if _, err := Open(t.Context(), path, withSchema(coreNext("DELETE FROM note;"))); !errors.Is(err, ErrServed) {
		t.Errorf("got %v", err)
	}
}

func TestManyOpenAFreshFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "core.db")
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			db, err := Open(context.Background(), path, coreOptions())
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if exists(path + ".lock") {
		t.Error("the lock file stayed")
	}
}

func TestProductSchemaOpensAndIsSound(t *testing.T) {
	db := openCore(t, Options{})
	if found, err := db.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("check of a fresh database: %v, %v", found, err)
	}
}
