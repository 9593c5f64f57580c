package store

import (
	"os"
	"sync"
	"testing"
)

// smallLog has the log tended after a twentieth of the usual.
func smallLog() Options {
	o := coreOptions()
	o.limits = limits{every: 50, held: 200, long: 400}
	return o
}

// rewriter gives a function that writes about 16 pages to the log.
func rewriter(t *testing.T, db *DB) func() {
	body := make([]byte, 16*4000)
	return func() {
		t.Helper()
		for i := 0; i < len(body); i += 1000 {
			body[i]++ // a page that stays the same is not written
		}
		err := db.Update(t.Context(), "write", func(tx *Tx) error {
			_, err := tx.insert("INSERT INTO note (key, body) VALUES ('k', ?) ON CONFLICT DO UPDATE SET body = excluded.body", body)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func logSize(t *testing.T, db *DB) int64 {
	t.Helper()
	info, err := os.Stat(db.Path() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// startsAnew writes until the log is short again.
func startsAnew(t *testing.T, db *DB, write func()) {
	t.Helper()
	for n := 0; db.Stats().LogFrames > 100 || n == 0; n++ {
		if n > 5000 {
			t.Fatalf("the log never starts anew: %+v", db.Stats())
		}
		write()
	}
}

func TestLogStaysShort(t *testing.T) {
	db := openCore(t, smallLog())
	write := rewriter(t, db)
	for range 100 { // 1,600 pages
		write()
	}
	if size := logSize(t, db); size > 120*4200 {
		t.Errorf("the log has %d bytes although it is tended every 50 pages", size)
	}
	if s := db.Stats(); s.Checkpoints < 20 || s.CheckpointErrors > 0 || s.Pages < 1600 {
		t.Errorf("stats %+v", s)
	}
}

func TestLogStartsAnewAfterASlowReader(t *testing.T) {
	db := openCore(t, smallLog())
	write := rewriter(t, db)
	reading, release, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- db.View(t.Context(), "slow", func(rx *Rx) error {
			_, err := rx.one("SELECT count(*) FROM note", func(*Row) {})
			close(reading)
			<-release
			return err
		})
	}()
	<-reading
	for db.Stats().LogHeld <= 600 {
		write()
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	startsAnew(t, db, write)
	top := logSize(t, db)
	for range 50 {
		write()
	}
	if now := logSize(t, db); now > top {
		t.Errorf("the log grew from %d to %d bytes with no reader in the way", top, now)
	}
	if s := db.Stats(); s.CheckpointErrors > 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestLogStartsAnewBetweenOverlappingReaders(t *testing.T) {
	db := openCore(t, smallLog())
	write := rewriter(t, db)
	write()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				err := db.View(t.Context(), "read", func(rx *Rx) error {
					_, err := rx.one("SELECT count(*) FROM note", func(*Row) {})
					if err == nil {
						_, err = rx.one("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 500) SELECT count(*) FROM c", func(*Row) {})
					}
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for db.Stats().LogFrames <= 400 && db.Stats().Pages < 8000 {
		write()
	}
	startsAnew(t, db, write)
	close(stop)
	wg.Wait()
	if s := db.Stats(); s.CheckpointErrors > 0 {
		t.Errorf("stats %+v", s)
	}
}
