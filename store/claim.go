package store

import (
	"context"
	"fmt"
	"os"
)

// Once notes a thing that may happen only once; false means that it was noted before.
func (tx *Tx) Once(key string, paymentID, nowMs int64) (bool, error) {
	n, err := tx.exec(`INSERT INTO once (key, payment_id, at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, key, nullable(paymentID), nowMs)
	return n == 1, err
}

// Claim is one worker's right to do a thing once for a payment.
type Claim struct {
	Key       string
	PaymentID int64
	Owner     string
	State     string // held, done, uncertain
	MadeMs    int64
	DueMs     int64 // not done by then: a review
	DoneMs    int64
}

const claimColumns = `key, payment_id, owner, state, made_ms, due_ms, done_ms`

func scanClaim(r *Row) Claim {
	return Claim{Key: r.Text(0), PaymentID: r.Int(1), Owner: r.Text(2), State: r.Text(3), MadeMs: r.Int(4), DueMs: r.Int(5), DoneMs: r.Int(6)}
}

// Claim returns the claim of a key.
func (rx *Rx) Claim(key string) (c Claim, ok bool, err error) {
	ok, err = rx.one(`SELECT `+claimColumns+` FROM claim WHERE key = ?`, func(r *Row) { c = scanClaim(r) }, key)
	return c, ok, err
}

// InsertClaim takes a key; false means that it is taken.
func (tx *Tx) InsertClaim(c Claim) (bool, error) {
	n, err := tx.exec(`INSERT INTO claim (key, payment_id, owner, state, made_ms, due_ms) VALUES (?, ?, ?, 'held', ?, ?) ON CONFLICT DO NOTHING`, c.Key, c.PaymentID, c.Owner, c.MadeMs, c.DueMs)
	return n == 1, err
}

// FinishClaim marks a held claim done; false means that it was not held.
func (tx *Tx) FinishClaim(key string, nowMs int64) (bool, error) {
	n, err := tx.exec(`UPDATE claim SET state = 'done', done_ms = ? WHERE key = ? AND state = 'held'`, nowMs, key)
	return n == 1, err
}

// ReleaseClaim removes a claim that a person released; false means that there was none to release.
func (tx *Tx) ReleaseClaim(key string) (bool, error) {
	n, err := tx.exec(`DELETE FROM claim WHERE key = ? AND state != 'done'`, key)
	return n == 1, err
}

// OverdueClaims lists held claims whose time is over, oldest first.
func (rx *Rx) OverdueClaims(nowMs int64, limit int) (list []Claim, err error) {
	err = rx.each(`SELECT `+claimColumns+` FROM claim WHERE state = 'held' AND due_ms <= ? ORDER BY due_ms LIMIT ?`, func(r *Row) { list = append(list, scanClaim(r)) }, nowMs, limit)
	return list, err
}

// UncertainClaims lists claims that were not finished when the database was restored, by key.
func (rx *Rx) UncertainClaims(limit int) (list []Claim, err error) {
	err = rx.each(`SELECT `+claimColumns+` FROM claim WHERE state = 'uncertain' AND done_ms IS NULL ORDER BY key LIMIT ?`, func(r *Row) { list = append(list, scanClaim(r)) }, limit)
	return list, err
}

// DelayClaim moves the time after which a held claim is looked at again.
func (tx *Tx) DelayClaim(key string, dueMs int64) error {
	_, err := tx.exec(`UPDATE claim SET due_ms = ? WHERE key = ? AND state = 'held'`, dueMs, key)
	return err
}

// KeptClaim is a claim of another file, with its payment's public id: row ids differ between files.
type KeptClaim struct {
	Claim
	PublicID string
}

// ClaimsIn reads the claims of a database that nobody serves, by key. Where it is damaged, what could be read comes
// with the error.
func ClaimsIn(ctx context.Context, path string) (list []KeptClaim, err error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	have, fresh, err := inspect(path)
	if err != nil || fresh {
		return nil, err
	}
	if known, err := schemaOf(embedded()); err != nil {
		return nil, err
	} else if have.last > known.last {
		return nil, &Error{Op: "open " + path, Kind: ErrNewer, Cause: fmt.Errorf("its schema is %d, this program knows %d", have.last, known.last)}
	}
	c, err := dial(path, readerSettings)
	if err != nil {
		return nil, err
	}
	defer c.close()
	const query = `SELECT ` + claimColumns + `, (SELECT public_id FROM payment WHERE id = payment_id) FROM claim ORDER BY key`
	err = c.each(ctx, query, func(r *Row) bool {
		list = append(list, KeptClaim{Claim: scanClaim(r), PublicID: r.Text(7)})
		return true
	})
	if err != nil {
		return list, failure("open "+path, query, err)
	}
	return list, nil
}

// CarryClaim takes over a claim of a file that is replaced, as uncertain, unless its key is taken; known is false when
// its payment is not here.
func (tx *Tx) CarryClaim(c KeptClaim) (carried, known bool, err error) {
	if _, taken, err := tx.Claim(c.Key); err != nil || taken {
		return false, true, err
	}
	n, err := tx.exec(`INSERT INTO claim (key, payment_id, owner, state, made_ms, due_ms, done_ms) SELECT ?, id, ?, 'uncertain', ?, ?, ? FROM payment WHERE public_id = ?`,
		c.Key, c.Owner, c.MadeMs, c.DueMs, nullable(c.DoneMs), c.PublicID)
	return n == 1, n == 1, err
}

// DoubtClaims marks all claims, held and done, uncertain, as after a restore.
func (tx *Tx) DoubtClaims() (int64, error) {
	return tx.exec(`UPDATE claim SET state = 'uncertain' WHERE state IN ('held', 'done')`)
}
