package store

// Once notes a thing that may happen only once; false means that it was noted before.
func (tx *Tx) Once(key string, paymentID, nowMs int64) (bool, error) {
	n, err := tx.exec(`INSERT INTO once (key, payment_id, at_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, key, nullable(paymentID), nowMs)
	return n == 1, err
}

// HappenedOnce tells whether a thing was noted.
func (rx *Rx) HappenedOnce(key string) (bool, error) {
	return rx.one(`SELECT 1 FROM once WHERE key = ?`, func(*Row) {}, key)
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

// DelayClaim moves the time after which a held claim is looked at again.
func (tx *Tx) DelayClaim(key string, dueMs int64) error {
	_, err := tx.exec(`UPDATE claim SET due_ms = ? WHERE key = ? AND state = 'held'`, dueMs, key)
	return err
}

// DoubtClaims marks all held claims uncertain, as after a restore.
func (tx *Tx) DoubtClaims() (int64, error) {
	return tx.exec(`UPDATE claim SET state = 'uncertain' WHERE state IN ('held', 'done')`)
}
