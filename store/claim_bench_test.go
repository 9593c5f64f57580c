package store

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"
)

// openWith makes a database with n open payments, each with an appointment, and n pending inbox rows, due one a
// millisecond from the instant 1001 on, in the order of their registration.
func openWith(b *testing.B, n int) *DB {
	b.Helper()
	path, o := filepath.Join(b.TempDir(), "nodrop.db"), Options{Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	db, err := Open(b.Context(), path, o)
	if err != nil {
		b.Fatal(err)
	}
	fill := []string{
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO orders (id, order_ref, payments, created_ms) SELECT i, 'O-' || i, 1, 1 FROM n`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO payment (id, public_id, gateway, merchant_ref, order_id, amount_minor, currency, state, cause, version, created_ms, changed_ms, give_up_ms, next_reconciliation_at_ms)
			SELECT i, 'np_' || i, 'g', 'O-' || i, i, 100, 'PHP', 'pending', '', 1, 1, 1, 9000000000000, 9000000000000 FROM n`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO timer (payment_id, kind, gateway, lane, due_ms, why) SELECT i, 'ask', 'g', 1, 1000 + i, 'first' FROM n`,
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO inbox (item, gateway, channel, dedupe_key, digest, merchant_ref, state, due_ms, received_ms, header, body)
			SELECT 0, 'g', 'webhook', 'k-' || i, zeroblob(32), 'O-' || i, 'pending', 1000 + i, 1000, x'', zeroblob(200) FROM n`,
	}
	for _, query := range fill {
		if err := db.Update(b.Context(), "fill", func(tx *Tx) error {
			_, err := tx.exec(query, n)
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	// Opened again, so that the log of the filling is not folded in while the claims are timed.
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	if db, err = Open(b.Context(), path, o); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return db
}

var tableSizes = []int{1_000, 1_000_000}

// BenchmarkClaimTimers takes a hundred due appointments out of a small and a large table.
func BenchmarkClaimTimers(b *testing.B) {
	for _, n := range tableSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := openWith(b, n)
			now := int64(2000)
			for b.Loop() {
				err := db.Update(b.Context(), "claim", func(tx *Tx) error {
					list, err := tx.ClaimTimers("g", LaneYoung, now, now+1, 100)
					if len(list) != 100 {
						b.Errorf("claimed %d", len(list))
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
				now += 2
			}
			b.ReportMetric(float64(db.Stats().Pages)/float64(b.N), "pages/op")
		})
	}
}

// BenchmarkDueWork finds a hundred due inbox rows with their messages in a small and a large table. Nothing is leased:
// a row is finished in the commit that works on it.
func BenchmarkDueWork(b *testing.B) {
	for _, n := range tableSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := openWith(b, n)
			for b.Loop() {
				err := db.View(b.Context(), "work", func(rx *Rx) error {
					list, err := rx.DueWork(2000, 100)
					if len(list) != 100 {
						b.Errorf("found %d", len(list))
					}
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
