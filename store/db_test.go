package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// childEnv names the database on which the test binary, started again, plays another process.
const childEnv = "NODROP_STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		child(path)
	}
	os.Exit(m.Run())
}

// child serves a database, says so, and writes notes from many goroutines until it is killed, naming each on standard
// output once it is acknowledged.
func child(path string) {
	o := coreOptions()
	o.Serve = true
	db, err := Open(context.Background(), path, o)
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("serving")
	for g := range 16 {
		go func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("%02d-%06d", g, i)
				if err := db.Update(context.Background(), "put", putting(key)); err != nil {
					fmt.Println("error", err)
					os.Exit(1)
				}
				fmt.Println(key)
			}
		}()
	}
	select {}
}

// startChild starts another process on the database and reads its first line.
func startChild(t *testing.T, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "serving" {
		t.Fatalf("the other process says %q", lines.Text())
	}
	return cmd, lines
}

func TestAcknowledgedSurvivesSIGKILL(t *testing.T) {
	for round := range 3 {
		path := filepath.Join(t.TempDir(), "core.db")
		cmd, lines := startChild(t, path)
		var acked []string
		for len(acked) < 200+150*round && lines.Scan() {
			acked = append(acked, lines.Text())
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			acked = append(acked, lines.Text())
		}
		o := coreOptions()
		o.Serve = true // the lock died with its holder
		db := openCoreAt(t, path, o)
		stored := keys(t, db)
		for _, key := range acked {
			if _, found := slices.BinarySearch(stored, key); !found {
				t.Errorf("round %d: %s was acknowledged and is missing", round, key)
			}
		}
		if found, err := db.Check(t.Context()); err != nil || len(found) > 0 {
			t.Errorf("round %d: check: %v, %v", round, found, err)
		}
	}
}

func TestSecondServerIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "core.db")
	startChild(t, path)
	o := coreOptions()
	o.Serve = true
	if db, err := Open(t.Context(), path, o); !errors.Is(err, ErrServed) {
		t.Errorf("a second server: %v, %v", db, err)
	} else if !strings.Contains(err.Error(), "serve, process ") {
		t.Errorf("the holder is not named: %v", err)
	}
	beside := openCoreAt(t, path, coreOptions())
	if err := beside.Update(t.Context(), "beside", putting("a command beside the server")); err != nil {
		t.Error(err)
	}
	if _, err := Restore(t.Context(), path, path, nil); !errors.Is(err, ErrServed) {
		t.Errorf("restoring over a served file: %v", err)
	}
}

func TestLockIsHeldInOneProcessToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "core.db")
	o := coreOptions()
	o.Serve = true
	db := openCoreAt(t, path, o)
	if _, err := Open(t.Context(), path, o); !errors.Is(err, ErrServed) {
		t.Errorf("a second server: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	openCoreAt(t, path, o)
}

func TestSettingsAreReadBack(t *testing.T) {
	db := openCore(t, coreOptions())
	pragma := func(rx *Rx, name string) (text string) {
		if _, err := rx.one("PRAGMA "+name, func(r *Row) { text = fmt.Sprint(r.vals[0]) }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return text
	}
	write := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "temp_store": "2", "page_size": "4096", "mmap_size": "0", "wal_autocheckpoint": "0"}
	if err := db.Update(t.Context(), "settings", func(tx *Tx) error {
		for name, want := range write {
			if got := pragma(&tx.Rx, name); got != want {
				t.Errorf("writer: %s is %s, want %s", name, got, want)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	read := map[string]string{"query_only": "1", "foreign_keys": "1", "temp_store": "2"}
	if err := db.View(t.Context(), "settings", func(rx *Rx) error {
		for name, want := range read {
			if got := pragma(rx, name); got != want {
				t.Errorf("reader: %s is %s, want %s", name, got, want)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if c, err := dial(filepath.Join(t.TempDir(), "other.db"), []setting{{"page_size", "1000"}}); err == nil {
		t.Errorf("a page size that SQLite does not take was believed: %v", c)
	}
}

func TestPathsAreTakenLiterally(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c=d%20#é.db")
	db := openCoreAt(t, path, coreOptions())
	if err := db.Update(t.Context(), "put", putting("a")); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file may be read by others: %v", info.Mode())
	}
}

func TestCloseLeavesOneFile(t *testing.T) {
	dir := t.TempDir()
	o := coreOptions()
	o.Serve = true
	db, err := Open(t.Context(), filepath.Join(dir, "core.db"), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(t.Context(), "put", putting("a")); err != nil {
		t.Fatal(err)
	}
	_ = keys(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != "core.db" {
		t.Errorf("beside the database: %v", entries)
	}
	if err := db.Update(t.Context(), "late", putting("b")); !errors.Is(err, ErrClosed) {
		t.Errorf("update after close: %v", err)
	}
	if err := db.View(t.Context(), "late", func(*Rx) error { return nil }); !errors.Is(err, ErrClosed) {
		t.Errorf("view after close: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
}

func TestCloseAnswersThoseWhoWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "core.db")
	db, err := Open(t.Context(), path, coreOptions())
	if err != nil {
		t.Fatal(err)
	}
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = db.Update(t.Context(), "gate", func(*Tx) error { close(started); <-release; return nil })
	})
	<-started
	answers := make([]error, 20)
	for i := range answers {
		wg.Go(func() { answers[i] = db.Update(t.Context(), "put", putting(fmt.Sprintf("%02d", i))) })
	}
	waitFor(t, func() bool { return db.w.q.length() == len(answers) })
	wg.Go(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	waitFor(t, func() bool { db.w.q.mu.Lock(); defer db.w.q.mu.Unlock(); return db.w.q.closed != nil })
	close(release)
	wg.Wait()
	for i, err := range answers {
		if err != nil {
			t.Errorf("answer %d: %v", i, err)
		}
	}
	if got := len(keys(t, openCoreAt(t, path, coreOptions()))); got != len(answers) {
		t.Errorf("%d rows of %d", got, len(answers))
	}
}

func TestInsideABubble(t *testing.T) {
	path := filepath.Join(t.TempDir(), "core.db")
	synctest.Test(t, func(t *testing.T) {
		o := coreOptions()
		o.Serve = true
		db, err := Open(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for day := range 3 {
			time.Sleep(24 * time.Hour)
			var wg sync.WaitGroup
			for i := range 5 {
				wg.Go(func() {
					if err := db.Update(ctx, "put", putting(fmt.Sprint(day, i))); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
		}
		if got := len(keys(t, db)); got != 15 {
			t.Errorf("%d rows, want 15", got)
		}
		if gone := time.Since(began); gone != 72*time.Hour {
			t.Errorf("the clock of the bubble went on by %v", gone)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}
