package store

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "modernc.org/sqlite"
)

// callers runs b.N updates from n goroutines.
func callers(b *testing.B, n int, one func(i int64) error) {
	var next atomic.Int64
	var wg sync.WaitGroup
	b.ResetTimer()
	for range n {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				if err := one(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "updates/s")
}

// timed bounds groups in time as well, as the server does.
func timed() Options {
	o := coreOptions()
	o.Now = time.Now
	return o
}

func BenchmarkUpdate(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", n), func(b *testing.B) {
			db := openCore(b, timed())
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			body := make([]byte, 400)
			callers(b, n, func(i int64) error {
				return db.Update(ctx, "insert", func(tx *Tx) error {
					_, err := tx.insert("INSERT INTO note (key, n, body) VALUES (?, ?, ?)", fmt.Sprintf("evt_%016x", uint64(i)*0x9e3779b97f4a7c15), i, body)
					return err
				})
			})
		})
	}
}

// BenchmarkApply is the shape of applying one notice: ten short statements.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", n), func(b *testing.B) {
			db := openCore(b, timed())
			body := make([]byte, 200)
			callers(b, n, func(i int64) error {
				return db.Update(b.Context(), "apply", func(tx *Tx) error {
					for k := range int64(5) {
						id, err := tx.insert("INSERT INTO note (key, n, body) VALUES (?, ?, ?)", fmt.Sprintf("%d/%d", i, k), i, body)
						if err != nil {
							return err
						}
						_, err = tx.one("SELECT id, key, n, body FROM note WHERE id = ?", func(r *Row) { _ = r.Text(1) }, id)
						if err != nil {
							return err
						}
					}
					return nil
				})
			})
		})
	}
}

// BenchmarkBare is one durable insert in a transaction of its own through database/sql, to compare with.
func BenchmarkBare(b *testing.B) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("CREATE TABLE note (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, n INTEGER NOT NULL, body BLOB) STRICT"); err != nil {
		b.Fatal(err)
	}
	body := make([]byte, 400)
	callers(b, 1, func(i int64) error {
		_, err := db.Exec("INSERT INTO note (key, n, body) VALUES (?, ?, ?)", fmt.Sprintf("evt_%016x", uint64(i)*0x9e3779b97f4a7c15), i, body)
		return err
	})
}

// BenchmarkView is one short read.
func BenchmarkView(b *testing.B) {
	db := openCore(b, timed())
	if err := db.Update(b.Context(), "put", func(tx *Tx) error { return put(tx, "k") }); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := db.View(b.Context(), "read", func(rx *Rx) error {
			_, err := rx.one("SELECT id, key FROM note WHERE key = ?", func(r *Row) { _ = r.Int(0) }, "k")
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
