package store

import (
	"fmt"
	"io/fs"
)

// MetaValue returns a value kept with the database, "" when there is none.
func (rx *Rx) MetaValue(key string) (value string, err error) {
	_, err = rx.one(`SELECT value FROM meta WHERE key = ?`, func(r *Row) { value = r.Text(0) }, key)
	return value, err
}

// SetMeta keeps a value with the database.
func (tx *Tx) SetMeta(key, value string) error {
	_, err := tx.exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}

// Extent is how far a database reaches, to compare a backup with what it replaces; instants are UTC milliseconds, 0: never.
type Extent struct {
	Payments      int64
	Requests      int64 // messages of gateways that are kept, refused ones left out
	Events        int64 // for the shop
	LastReceiptMs int64
	LastChangeMs  int64
	LastEventMs   int64
}

// Extent tells how far the database reaches.
func (rx *Rx) Extent() (x Extent, err error) {
	for _, part := range []struct {
		query       string
		count, last *int64
	}{
		{`SELECT count(*), coalesce(max(changed_ms), 0) FROM payment`, &x.Payments, &x.LastChangeMs},
		{`SELECT count(*), coalesce(max(received_ms), 0) FROM inbox WHERE raw_id IS NULL`, &x.Requests, &x.LastReceiptMs},
		{`SELECT count(*), coalesce(max(created_ms), 0) FROM outbox`, &x.Events, &x.LastEventMs},
	} {
		if _, err := rx.one(part.query, func(r *Row) { *part.count, *part.last = r.Int(0), r.Int(1) }); err != nil {
			return x, err
		}
	}
	return x, nil
}

// RecheckAll has every payment asked about now that is open or was changed since an instant, and tells how many they
// are. Their questions wait in the lane of the old, so that payers who wait are served first.
func (tx *Tx) RecheckAll(nowMs, sinceMs int64) (int64, error) {
	const wanted = `state IN ('pending', 'processing', 'unknown') OR changed_ms >= ?2`
	n, err := tx.exec(`UPDATE payment SET next_reconciliation_at_ms = ?1 WHERE `+wanted, nowMs, sinceMs)
	if err != nil {
		return 0, err
	}
	_, err = tx.exec(`INSERT INTO timer (`+timerColumns+`) SELECT id, 'ask', gateway, ?3, ?1, 0, 0, 0, 'check' FROM payment WHERE `+wanted+`
		ON CONFLICT (payment_id, kind) DO UPDATE SET lane = min(lane, excluded.lane), due_ms = min(due_ms, excluded.due_ms), leased_ms = 0, attempts = 0, why = excluded.why`,
		nowMs, sinceMs, LaneOld)
	return n, err
}

// Behind tells whether the file has an older schema than this program's, so that Open would change it.
func Behind(path string) (bool, error) { return behind(path, embedded()) }

func behind(path string, files fs.FS) (bool, error) {
	have, fresh, err := inspect(path)
	if err != nil {
		return false, fmt.Errorf("store: read the schema of %s: %w", path, err)
	}
	want, err := schemaOf(files)
	return !fresh && have.behind(want), err
}
