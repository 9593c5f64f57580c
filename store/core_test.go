package store

import (
	"context"
	"path/filepath"
	"testing"
	"testing/fstest"
)

// coreSchema stands in for the product's own, so that these tests speak of the store alone.
var coreSchema = fstest.MapFS{"00001_core.sql": {Data: []byte(`-- +goose Up
CREATE TABLE note (
  id   INTEGER PRIMARY KEY,
  key  TEXT NOT NULL UNIQUE,
  n    INTEGER NOT NULL DEFAULT 0 CHECK (n >= 0),
  body BLOB
) STRICT;
CREATE TABLE page (
  id   INTEGER PRIMARY KEY,
  note INTEGER NOT NULL REFERENCES note (id)
) STRICT;
`)}}

// coreOptions has no clock: groups are bounded by their size alone, so that a slow machine changes no outcome.
func coreOptions() Options { return Options{migrations: coreSchema, laws: []law{}} }

// openCore opens a fresh database that is closed with the test.
func openCore(t testing.TB, o Options) *DB {
	t.Helper()
	return openCoreAt(t, filepath.Join(t.TempDir(), "core.db"), o)
}

func openCoreAt(t testing.TB, path string, o Options) *DB {
	t.Helper()
	db, err := Open(t.Context(), path, o)
	if err != nil {
		t.Fatalf("open %s: %v", path, err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

// put writes one note.
func put(tx *Tx, key string) error {
	_, err := tx.insert("INSERT INTO note (key) VALUES (?)", key)
	return err
}

// keys lists the notes' keys in order.
func keys(t testing.TB, db *DB) (list []string) {
	t.Helper()
	err := db.View(context.WithoutCancel(t.Context()), "keys", func(rx *Rx) error {
		return rx.each("SELECT key FROM note ORDER BY key", func(r *Row) { list = append(list, r.Text(0)) })
	})
	if err != nil {
		t.Fatalf("keys: %v", err)
	}
	return list
}
