package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

func TestRestoreBesideAnOldLog(t *testing.T) {
	backup := closed(t, coreOptions(), "then")
	path := filepath.Join(t.TempDir(), "core.db")
	db, err := Open(t.Context(), path, coreOptions())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50 {
		if err := db.Update(t.Context(), "put", putting(fmt.Sprintf("webhook-%02d", i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := restoreCore(t, backup, path, nil); !errors.Is(err, ErrBusy) {
		t.Fatalf("while it is served: %v", err)
	}
	stale, err := os.ReadFile(path + "-wal") // as it lies there after a power cut
	if err != nil || len(stale) == 0 {
		t.Fatalf("%d bytes of log, %v", len(stale), err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", stale, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := restoreCore(t, backup, path, nil); err != nil {
		t.Fatal(err)
	}
	if exists(path + "-wal") {
		t.Error("a log lies beside the restored file before anything was written")
	}
	again := openCoreAt(t, path, coreOptions())
	sameKeys(t, "restored", keys(t, again), []string{"then"})
	if found, err := again.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("check: %v, %v", found, err)
	}
}

// flipped is a backup of 2,000 notes, 64 bytes of which are changed from an offset on that find gives.
func flipped(t *testing.T, find func([]byte) int) string {
	t.Helper()
	db := openCoreAt(t, filepath.Join(t.TempDir(), "source.db"), coreOptions())
	update(t, db, func(tx *Tx) error {
		for i := range 2000 {
			if _, err := tx.exec("INSERT INTO note (key, body) VALUES (?, ?)", fmt.Sprintf("note-%05d", i), fmt.Appendf(nil, "%0200d", i)); err != nil {
				return err
			}
		}
		return nil
	})
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := db.Backup(t.Context(), backup, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	at := find(whole)
	if at < 0 {
		t.Fatal("there is no such place in the backup")
	}
	for i := at; i < at+64; i++ {
		whole[i] ^= 0xff
	}
	if err := os.WriteFile(backup, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	return backup
}

func TestDamagedBackupIsNotRestored(t *testing.T) {
	for name, find := range map[string]func([]byte) int{
		"a page":         func(b []byte) int { return len(b) / 4096 / 2 * 4096 },
		"within a value": func(b []byte) int { return bytes.Index(b, fmt.Appendf(nil, "%0200d", 1000)) }, // which no check of pages notices
	} {
		backup := flipped(t, find)
		path := closed(t, coreOptions(), "now")
		if _, err := restoreCore(t, backup, path, nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("64 bytes of %s are flipped: %v", name, err)
		}
		sameKeys(t, "untouched", keys(t, openCoreAt(t, path, coreOptions())), []string{"now"})
	}
}

// A backup that was put in place by hand and then used is no longer what was sealed: it is copied and restored like any other.
func TestUsedBackupIsSealedAnew(t *testing.T) {
	first := filepath.Join(t.TempDir(), "first.db")
	if err := openCoreAt(t, closed(t, coreOptions(), "one"), coreOptions()).Backup(t.Context(), first, nil); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), first, coreOptions())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), "put", putting("two")); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(t.TempDir(), "second.db")
	if err := errors.Join(db.Backup(t.Context(), second, nil), db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{first, second} {
		path := closed(t, coreOptions(), "now")
		if _, err := restoreCore(t, src, path, nil); err != nil {
			t.Fatal(err)
		}
		sameKeys(t, "restored", keys(t, openCoreAt(t, path, coreOptions())), []string{"one", "two"})
	}
}

const imported = 50_000 / fewer

// An import of 50,000 rows and a search go on while 500 webhooks come at once.
func TestManyWritersAtOnce(t *testing.T) {
	db := openCore(t, coreOptions())
	ctx, stop := context.WithCancel(t.Context())
	var rest sync.WaitGroup
	rest.Go(func() { importRows(t, db) })
	rest.Go(func() { searchUntil(t, ctx, db) })
	var hooks sync.WaitGroup
	took, errs := make([]time.Duration, 500), make([]error, 500)
	for i := range took {
		hooks.Go(func() {
			began := time.Now()
			errs[i] = db.Update(t.Context(), "hook", putting(fmt.Sprintf("hook-%03d", i)))
			took[i] = time.Since(began)
		})
	}
	hooks.Wait()
	rest.Go(stop)
	rest.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	slices.Sort(took)
	if p99 := took[494]; p99 > 2*time.Second {
		t.Errorf("of 500 webhooks 99 in 100 are stored within %v, more than 2 s", p99)
	}
	if got := len(keys(t, db)); got != imported+500 {
		t.Errorf("%d rows, want %d", got, imported+500)
	}
}

func importRows(t *testing.T, db *DB) {
	for i := 0; i < imported; i += 500 {
		err := db.UpdateLow(t.Context(), "import", func(tx *Tx) error {
			_, err := tx.exec("WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1 + 499) INSERT INTO note (key) SELECT 'row-' || i FROM n", i)
			return err
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}

func searchUntil(t *testing.T, ctx context.Context, db *DB) {
	for ctx.Err() == nil {
		err := db.View(t.Context(), "search", func(rx *Rx) error {
			return rx.each("SELECT key FROM note WHERE key LIKE '%hook-4%'", func(*Row) {})
		})
		if err != nil {
			t.Error(err)
			return
		}
	}
}

// A clean-up goes in pieces, so that an intake beside it waits for one piece at most and the log stays short.
func TestCleaningUpBesideTheIntake(t *testing.T) {
	const rows = 20_000 / fewer
	db := openProduct(t)
	update(t, db, func(tx *Tx) error {
		for i := range rows {
			if _, err := tx.InsertRefused(Request{Gateway: "g", ReceivedMs: int64(i), Method: "POST", Target: "/", Status: 401, Reason: "bad_signature", Body: []byte("{}")}); err != nil {
				return err
			}
		}
		return nil
	})
	hooks, pieces := 0, 0
	for gone := int64(0); gone < rows; pieces++ {
		err := db.UpdateLow(t.Context(), "prune", func(tx *Tx) error {
			n, err := tx.PruneRefused("g", "bad_signature", 0, rows)
			if n == 0 || n > 500 {
				t.Fatalf("one piece takes %d rows after %d, want 1 to 500", n, gone)
			}
			gone += n
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		update(t, db, func(tx *Tx) error {
			_, err := putNotice(tx, fmt.Sprintf("hook-%d", hooks), "pending")
			hooks++
			return err
		})
	}
	if pieces != rows/500 {
		t.Errorf("%d pieces, want %d", pieces, rows/500)
	}
	view(t, db, func(rx *Rx) error {
		items, err := rx.Items(InboxFilter{Limit: 100})
		if len(items) != hooks {
			t.Errorf("%d webhooks are stored, want %d", len(items), hooks)
		}
		return err
	})
	if size := logSize(t, db); size > 16<<20 {
		t.Errorf("the log has %d bytes after the clean-up", size)
	}
}

func TestFullWhileTakingIn(t *testing.T) {
	db := openProduct(t)
	pages := func(n int) {
		update(t, db, func(tx *Tx) error {
			_, err := tx.c.exec(fmt.Sprintf("PRAGMA max_page_count = %d", n))
			return err
		})
	}
	hook := func(i int) error {
		return db.Update(t.Context(), "hook", func(tx *Tx) error {
			_, err := tx.InsertItem(Item{Gateway: "g", Channel: "webhook", DedupeKey: fmt.Sprintf("evt-%d", i), Digest: make([]byte, 32), State: "pending", ReceivedMs: 1, DueMs: 1},
				Request{Verdict: "accepted", Body: make([]byte, 100_000)})
			return err
		})
	}
	stored := func() (n int) {
		view(t, db, func(rx *Rx) error {
			items, err := rx.Items(InboxFilter{Limit: 1000})
			n = len(items)
			return err
		})
		return n
	}
	pages(400)
	taken, err := 0, error(nil)
	for err == nil && taken < 100 {
		if err = hook(taken); err == nil {
			taken++
		}
	}
	if !errors.Is(err, ErrFull) || !Retryable(err) || taken == 0 {
		t.Fatalf("after %d webhooks: %v", taken, err)
	}
	if got := stored(); got != taken {
		t.Errorf("%d webhooks were acknowledged, %d can be read", taken, got)
	}
	pages(4000)
	if err := hook(taken); err != nil {
		t.Errorf("after room was made: %v", err)
	}
	if got := stored(); got != taken+1 {
		t.Errorf("%d webhooks were acknowledged, %d are there", taken+1, got)
	}
	if found, err := db.Check(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("check: %v, %v", found, err)
	}
}
