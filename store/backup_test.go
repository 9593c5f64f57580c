package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestBackupUnderWrites(t *testing.T) {
	db := openCore(t, coreOptions())
	body := make([]byte, 20_000)
	write := func(i int) error {
		return db.Update(context.Background(), "pair", func(tx *Tx) error {
			for _, half := range []string{"a", "b"} {
				if _, err := tx.insert("INSERT INTO note (key, body) VALUES (?, ?)", fmt.Sprintf("%06d%s", i, half), body); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for i := range 60 {
		if err := write(i); err != nil {
			t.Fatal(err)
		}
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	written := 60
	wg.Go(func() {
		for ; ; written++ {
			select {
			case <-stop:
				return
			default:
			}
			if err := write(written); err != nil {
				t.Error(err)
				return
			}
		}
	})
	dest := filepath.Join(t.TempDir(), "copy.db")
	var steps, last, total int
	err := db.Backup(t.Context(), dest, func(done, of int) { steps++; last, total = done, of })
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if steps < 2 || last != total || total < 600 {
		t.Errorf("progress: %d steps, %d of %d pages", steps, last, total)
	}
	entries, err := os.ReadDir(filepath.Dir(dest))
	if err != nil || len(entries) != 1 {
		t.Errorf("beside the backup: %v, %v", entries, err)
	}
	got := keys(t, openCoreAt(t, dest, coreOptions()))
	if len(got) < 120 || len(got)%2 != 0 {
		t.Errorf("the copy has %d notes; they are written in pairs, 120 before it began", len(got))
	}
	if written == 60 {
		t.Error("no writer got on beside the backup")
	}
}

func TestBackupNeverOverwrites(t *testing.T) {
	db := openCore(t, coreOptions())
	dest := filepath.Join(t.TempDir(), "taken")
	if err := os.WriteFile(dest, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := db.Backup(t.Context(), dest, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(dest); err != nil || string(text) != "precious" {
		t.Errorf("the file is now %q, %v", text, err)
	}
}

func TestBackupThatIsGivenUpLeavesNothing(t *testing.T) {
	db := openCore(t, coreOptions())
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Backup(ctx, filepath.Join(dir, "copy.db"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestRestore(t *testing.T) {
	backup := closed(t, coreOptions(), "then")
	path := closed(t, coreOptions(), "now", "later")
	kept, err := restoreCore(t, backup, path, func(ctx context.Context, db *DB) error {
		return db.Update(ctx, "prepare", putting("prepared"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept != path+".replaced" {
		t.Errorf("kept as %q", kept)
	}
	sameKeys(t, "restored", keys(t, openCoreAt(t, path, coreOptions())), []string{"prepared", "then"})
	sameKeys(t, "kept", keys(t, openCoreAt(t, kept, coreOptions())), []string{"later", "now"})
	sameKeys(t, "the backup itself", keys(t, openCoreAt(t, backup, coreOptions())), []string{"then"})
}

func restoreCore(t *testing.T, src, dst string, prepare func(context.Context, *DB) error) (string, error) {
	t.Helper()
	r := restore{src: src, dst: dst, options: coreOptions(), prepare: prepare}
	return r.run(t.Context())
}

func TestRestoreWhereNothingWas(t *testing.T) {
	backup := closed(t, coreOptions(), "then")
	path := filepath.Join(t.TempDir(), "fresh.db")
	kept, err := restoreCore(t, backup, path, nil)
	if err != nil || kept != "" {
		t.Fatalf("kept %q, %v", kept, err)
	}
	sameKeys(t, "restored", keys(t, openCoreAt(t, path, coreOptions())), []string{"then"})
}

func TestFailedRestoreLeavesEverythingAsItWas(t *testing.T) {
	backup := closed(t, coreOptions(), "then")
	damaged := damage(t, closed(t, coreOptions(), strings.Repeat("x", 20_000)))
	fails := errors.New("no thanks")
	cases := map[string]struct {
		src     string
		prepare func(context.Context, *DB) error
		want    error
	}{
		"a damaged backup": {damaged, nil, ErrDamaged},
		"no backup":        {backup + ".none", nil, fs.ErrNotExist},
		"prepare refuses":  {backup, func(context.Context, *DB) error { return fails }, fails},
	}
	for what, c := range cases {
		path := closed(t, coreOptions(), "now")
		if _, err := restoreCore(t, c.src, path, c.prepare); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("%s: left behind: %v, %v", what, entries, err)
		}
		sameKeys(t, what, keys(t, openCoreAt(t, path, coreOptions())), []string{"now"})
	}
}

// damage overwrites the middle of a file.
func damage(t *testing.T, path string) string {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	junk := []byte(strings.Repeat("\xff", 8192))
	if _, err := f.WriteAt(junk, info.Size()/4096/2*4096); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRestoreOverADamagedFileKeepsIt(t *testing.T) {
	backup := closed(t, coreOptions(), "then")
	path := filepath.Join(t.TempDir(), "core.db")
	for name, text := range map[string]string{path: "not a database, " + strings.Repeat("x", 5000), path + "-wal": "an old log", path + "-shm": "an old index"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := restoreCore(t, backup, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(kept + "-wal"); err != nil || string(text) != "an old log" {
		t.Errorf("the old log: %q, %v", text, err)
	}
	sameKeys(t, "restored", keys(t, openCoreAt(t, path, coreOptions())), []string{"then"})
}

func TestRestoreIsRefusedWhileAnybodyHasTheFileOpen(t *testing.T) {
	backup := closed(t, coreOptions(), "then")
	path := filepath.Join(t.TempDir(), "core.db")
	db := openCoreAt(t, path, coreOptions())
	if err := db.Update(t.Context(), "put", putting("now")); err != nil {
		t.Fatal(err)
	}
	if _, err := restoreCore(t, backup, path, nil); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	sameKeys(t, "rows", keys(t, db), []string{"now"})
}

func TestCheckFindsDamageDanglingReferencesAndBrokenLaws(t *testing.T) {
	o := coreOptions()
	o.laws = []law{{"no note is called bad", "SELECT key, n FROM note WHERE key = 'bad'"}}
	path := closed(t, o, "good", "bad")
	c, err := dial(path, []setting{{"foreign_keys", "0"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.exec("INSERT INTO page (id, note) VALUES (8, 99)"); err != nil {
		t.Fatal(err)
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	found, err := openCoreAt(t, path, o).Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sameKeys(t, "findings", found, []string{"reference to nothing (table, row, refers to, key): page 8 note 0", "no note is called bad: bad 0"})
	long := openCoreAt(t, damage(t, closed(t, o, strings.Repeat("x", 40_000))), o)
	if found, err := long.Check(t.Context()); err == nil && len(found) == 0 {
		t.Error("two pages of rubbish were not found")
	}
}
