package store

const refusedColumns = `id, gateway, received_ms, method, target, remote, header, body, status, reason, detail, taken_ms`

func scanRefused(r *Row) Request {
	return Request{
		ID: r.Int(0), Gateway: r.Text(1), Channel: "webhook", ReceivedMs: r.Int(2), Method: r.Text(3), Target: r.Text(4), Remote: r.Text(5),
		Header: r.Blob(6), Body: r.Blob(7), Status: int(r.Int(8)), Verdict: "refused", Reason: r.Text(9), Detail: r.Text(10), TakenMs: r.Int(11), Secret: -1,
	}
}

// InsertRefused keeps a refused request for inspection.
func (tx *Tx) InsertRefused(q Request) (int64, error) {
	return tx.insert(`INSERT INTO refused (gateway, received_ms, method, target, remote, header, body, status, reason, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		q.Gateway, q.ReceivedMs, q.Method, q.Target, q.Remote, orEmpty(q.Header), orEmpty(q.Body), q.Status, q.Reason, q.Detail)
}

// PruneRefused keeps the newest `keep` refused requests of a gateway and reason and drops those before `beforeMs`.
func (tx *Tx) PruneRefused(gateway, reason string, keep int, beforeMs int64) (int64, error) {
	return tx.exec(`DELETE FROM refused WHERE id IN (
			SELECT id FROM refused WHERE gateway = ?1 AND reason = ?2 AND (received_ms < ?4 OR id <= coalesce((
				SELECT id FROM refused WHERE gateway = ?1 AND reason = ?2 ORDER BY id DESC LIMIT 1 OFFSET ?3), -1))
			LIMIT 500)`, gateway, reason, keep, beforeMs)
}

// RefusedCount is how many refused requests of one gateway and reason are kept and not taken in.
type RefusedCount struct {
	Gateway, Reason string
	Count, LastMs   int64
}

// RefusedCounts counts by gateway and reason the kept requests that are still refused.
func (rx *Rx) RefusedCounts() (list []RefusedCount, err error) {
	err = rx.each(`SELECT gateway, reason, count(*), max(received_ms) FROM refused WHERE taken_ms IS NULL GROUP BY gateway, reason`,
		func(r *Row) {
			list = append(list, RefusedCount{r.Text(0), r.Text(1), r.Int(2), r.Int(3)})
		})
	return list, err
}

// Refused lists requests that are still refused, newest first, below an id (0: newest).
func (rx *Rx) Refused(gateway string, before int64, limit int) (list []Request, err error) {
	if before == 0 {
		before = maxID
	}
	err = rx.each(`SELECT `+refusedColumns+` FROM refused WHERE id < ?1 AND (?2 = '' OR gateway = ?2) AND taken_ms IS NULL ORDER BY id DESC LIMIT ?3`,
		func(r *Row) { list = append(list, scanRefused(r)) }, before, gateway, limit)
	return list, err
}

// GetRefused returns one refused request, also one that was taken in since.
func (rx *Rx) GetRefused(id int64) (q Request, ok bool, err error) {
	ok, err = rx.one(`SELECT `+refusedColumns+` FROM refused WHERE id = ?`, func(r *Row) { q = scanRefused(r) }, id)
	return q, ok, err
}

// RefusedAfter lists a gateway's requests that are still refused, for one reason ("" for all), oldest first, from above an
// id up to another.
func (rx *Rx) RefusedAfter(gateway, reason string, after, upTo int64, limit int) (list []Request, err error) {
	err = rx.each(`SELECT `+refusedColumns+` FROM refused
		WHERE id > ?3 AND id <= ?4 AND gateway = ?1 AND (?2 = '' OR reason = ?2) AND taken_ms IS NULL ORDER BY id LIMIT ?5`,
		func(r *Row) { list = append(list, scanRefused(r)) }, gateway, reason, after, upTo, limit)
	return list, err
}

// LastRefused is the id of the newest refused request; 0: there is none.
func (rx *Rx) LastRefused() (id int64, err error) {
	_, err = rx.one(`SELECT coalesce(max(id), 0) FROM refused`, func(r *Row) { id = r.Int(0) })
	return id, err
}

// TakeRefused marks a refused request as taken in; false means that it is gone or was taken in before.
func (tx *Tx) TakeRefused(id, nowMs int64) (bool, error) {
	n, err := tx.exec(`UPDATE refused SET taken_ms = ? WHERE id = ? AND taken_ms IS NULL`, nowMs, id)
	return n == 1, err
}

// JudgeRefused writes why a request is still refused.
func (tx *Tx) JudgeRefused(id int64, reason, detail string) error {
	_, err := tx.exec(`UPDATE refused SET reason = ?, detail = ? WHERE id = ? AND taken_ms IS NULL`, reason, detail, id)
	return err
}
