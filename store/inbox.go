package store

// Request is one HTTP exchange as it came in, raw, with how it was judged.
type Request struct {
	ID         int64
	Gateway    string
	Channel    string // webhook, query or report
	ReceivedMs int64
	Method     string
	Target     string // path and query as received
	Remote     string
	Header     []byte // "Name: value" lines, credentials redacted
	Body       []byte
	Status     int    // answered (webhook) or received (query)
	Verdict    string // accepted, ignored, refused, unreadable
	Reason     string
	Detail     string // likely cause in plain words
	Secret     int    // index of the secret or key that matched; -1: none
	TakenMs    int64  // a refused one that was verified again and taken in: when; 0: it was not
}

// Item is one inbox row: one statement of a request, to be worked on once.
type Item struct {
	ID          int64
	RequestID   int64
	Item        int // position in the request
	Gateway     string
	Channel     string
	DedupeKey   string
	Digest      []byte // SHA-256 of the item's bytes
	Variant     int64  // rows with the same key and other content that came before
	MerchantRef string
	State       string // pending, parked, done, ignored, dead
	Reason      string
	Error       string
	Attempts    int64
	DueMs       int64
	ReceivedMs  int64
	DoneMs      int64 // 0: not done
	Repeats     int64
	PaymentID   int64 // 0: none yet
}

// Work is an inbox row together with its raw request.
type Work struct {
	Item
	Request Request
}

// requestColumns are the raw message of a row r that holds one.
const requestColumns = `r.id, r.gateway, r.channel, coalesce(r.asked_ms, r.received_ms), r.method, r.target, r.remote, r.header, r.body, r.status, r.verdict, r.cause, r.detail, r.secret`

// messageColumns are the raw message of a row i, which stands in that row or in the row w that it names.
const messageColumns = `coalesce(i.raw_id, i.id), i.gateway, i.channel, coalesce(w.asked_ms, i.asked_ms, i.received_ms), coalesce(w.method, i.method), coalesce(w.target, i.target),
	coalesce(w.remote, i.remote), coalesce(w.header, i.header), coalesce(w.body, i.body), coalesce(w.status, i.status), coalesce(w.verdict, i.verdict),
	coalesce(w.cause, i.cause), coalesce(w.detail, i.detail), coalesce(w.secret, i.secret)`

const workFrom = ` FROM inbox i LEFT JOIN inbox w ON w.id = i.raw_id `

func scanRequest(r *Row, at int) Request {
	return Request{
		ID: r.Int(at), Gateway: r.Text(at + 1), Channel: r.Text(at + 2), ReceivedMs: r.Int(at + 3),
		Method: r.Text(at + 4), Target: r.Text(at + 5), Remote: r.Text(at + 6),
		Header: r.Blob(at + 7), Body: r.Blob(at + 8), Status: int(r.Int(at + 9)),
		Verdict: r.Text(at + 10), Reason: r.Text(at + 11), Detail: r.Text(at + 12), Secret: int(r.Int(at + 13)),
	}
}

const itemColumns = `i.id, coalesce(i.raw_id, i.id), i.item, i.gateway, i.channel, i.dedupe_key, i.digest,
	(SELECT count(*) FROM inbox d WHERE d.gateway = i.gateway AND d.channel = i.channel AND d.dedupe_key = i.dedupe_key AND d.id < i.id), i.merchant_ref, i.state, i.reason, i.error, i.attempts, i.due_ms, i.received_ms, i.done_ms, i.repeats, i.payment_id`

const itemWidth = 18

func scanItem(r *Row) Item {
	return Item{
		ID: r.Int(0), RequestID: r.Int(1), Item: int(r.Int(2)), Gateway: r.Text(3), Channel: r.Text(4),
		DedupeKey: r.Text(5), Digest: r.Blob(6), Variant: r.Int(7), MerchantRef: r.Text(8),
		State: r.Text(9), Reason: r.Text(10), Error: r.Text(11), Attempts: r.Int(12), DueMs: r.Int(13),
		ReceivedMs: r.Int(14), DoneMs: r.Int(15), Repeats: r.Int(16), PaymentID: r.Int(17),
	}
}

func scanWork(r *Row) Work {
	return Work{Item: scanItem(r), Request: scanRequest(r, itemWidth)}
}

// FindItem returns the row that already holds this very item; ok is false when it is new.
func (rx *Rx) FindItem(gateway, channel, dedupeKey string, digest []byte) (it Item, ok bool, err error) {
	ok, err = rx.one(`SELECT `+itemColumns+` FROM inbox i WHERE gateway = ? AND channel = ? AND dedupe_key = ? AND digest = ?`,
		func(r *Row) { it = scanItem(r) }, gateway, channel, dedupeKey, digest)
	return it, ok, err
}

// InsertItem adds an inbox row; the same item again adds nothing and gives id 0. The row of a message's first new item
// holds the message; RequestID names that row for its other items.
func (tx *Tx) InsertItem(it Item, q Request) (id int64, err error) {
	var raw, header, body, asked any
	if it.RequestID != 0 {
		raw, q = it.RequestID, Request{Secret: -1}
	} else {
		header, body = orEmpty(q.Header), orEmpty(q.Body)
	}
	if it.Channel == "query" {
		asked = q.ReceivedMs
	}
	return tx.insert(`INSERT INTO inbox (raw_id, item, gateway, channel, dedupe_key, digest, merchant_ref, state, reason, due_ms, received_ms, done_ms, payment_id,
			asked_ms, method, target, remote, status, verdict, cause, detail, secret, header, body)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`,
		raw, it.Item, it.Gateway, it.Channel, it.DedupeKey, it.Digest, it.MerchantRef, it.State, it.Reason, it.DueMs, it.ReceivedMs, nullable(it.DoneMs), nullable(it.PaymentID),
		asked, q.Method, q.Target, q.Remote, q.Status, q.Verdict, q.Reason, q.Detail, q.Secret, header, body)
}

// RepeatItem counts a repetition of an item and wakes it if it was dead.
func (tx *Tx) RepeatItem(id, nowMs int64) error {
	_, err := tx.exec(`UPDATE inbox SET repeats = repeats + 1,
			due_ms = CASE state WHEN 'dead' THEN ?2 ELSE due_ms END,
			attempts = CASE state WHEN 'dead' THEN 0 ELSE attempts END,
			state = CASE state WHEN 'dead' THEN 'pending' ELSE state END
		WHERE id = ?1`, id, nowMs)
	return err
}

// DueWork returns pending rows that are due, oldest first, with their raw requests.
func (rx *Rx) DueWork(nowMs int64, limit int) (work []Work, err error) {
	err = rx.each(`SELECT `+itemColumns+`, `+messageColumns+``+workFrom+`
		WHERE i.state = 'pending' AND i.due_ms <= ? ORDER BY i.due_ms, i.id LIMIT ?`,
		func(r *Row) { work = append(work, scanWork(r)) }, nowMs, limit)
	return work, err
}

// NextWorkMs returns when the next pending row is due; ok is false when there is none.
func (rx *Rx) NextWorkMs() (dueMs int64, ok bool, err error) {
	ok, err = rx.one(`SELECT due_ms FROM inbox WHERE state = 'pending' ORDER BY due_ms, id LIMIT 1`, func(r *Row) { dueMs = r.Int(0) })
	return dueMs, ok, err
}

// GetWork returns one row with its raw request.
func (rx *Rx) GetWork(id int64) (w Work, ok bool, err error) {
	ok, err = rx.one(`SELECT `+itemColumns+`, `+messageColumns+``+workFrom+`WHERE i.id = ?`,
		func(r *Row) { w = scanWork(r) }, id)
	return w, ok, err
}

// GetRequest returns the raw message that an inbox row holds.
func (rx *Rx) GetRequest(id int64) (q Request, ok bool, err error) {
	ok, err = rx.one(`SELECT `+requestColumns+` FROM inbox r WHERE r.id = ? AND r.body IS NOT NULL`, func(r *Row) { q = scanRequest(r, 0) }, id)
	return q, ok, err
}

// Outcome is what working on an inbox row came to.
type Outcome struct {
	State     string // done, ignored, parked, dead or pending (to be tried again)
	Reason    string
	Error     string
	PaymentID int64 // 0: none
	DueMs     int64 // when to try again, for pending
	NowMs     int64
}

// FinishItem moves a pending or parked row to its outcome; false means that it was not waiting any more.
func (tx *Tx) FinishItem(id int64, o Outcome) (bool, error) {
	var done any
	if o.State == "done" || o.State == "ignored" {
		done = o.NowMs
	}
	n, err := tx.exec(`UPDATE inbox SET state = ?2, reason = ?3, error = ?4, payment_id = coalesce(?5, payment_id), done_ms = ?6, due_ms = ?7,
			attempts = attempts + (?2 = 'pending')
		WHERE id = ?1 AND state IN ('pending', 'parked')`,
		id, o.State, o.Reason, o.Error, nullable(o.PaymentID), done, o.DueMs)
	return n == 1, err
}

// WakeItem makes a dead or parked row pending again; false means that it was neither.
func (tx *Tx) WakeItem(id, nowMs int64) (bool, error) {
	n, err := tx.exec(`UPDATE inbox SET state = 'pending', attempts = 0, due_ms = ? WHERE id = ? AND state IN ('dead', 'parked')`, nowMs, id)
	return n == 1, err
}

// ReviveItem has a row that was set aside worked on after all.
func (tx *Tx) ReviveItem(id, nowMs int64) error {
	_, err := tx.exec(`UPDATE inbox SET state = 'pending', reason = '', attempts = 0, due_ms = ?, done_ms = NULL WHERE id = ? AND state = 'ignored'`, nowMs, id)
	return err
}

// SetAside ends a dead row that a person wants no more of.
func (tx *Tx) SetAside(id, nowMs int64) error {
	_, err := tx.exec(`UPDATE inbox SET state = 'ignored', reason = 'dismissed', done_ms = ? WHERE id = ? AND state = 'dead'`, nowMs, id)
	return err
}

// BringBack has a row that a person set aside wait again, dead or parked; false means that it was not set aside.
func (tx *Tx) BringBack(id int64, state, reason string) (bool, error) {
	n, err := tx.exec(`UPDATE inbox SET state = ?, reason = ?, done_ms = NULL WHERE id = ? AND state = 'ignored' AND reason = 'dismissed'`, state, reason, id)
	return n == 1, err
}

// DropHinted removes a waiting row that says nothing new; false means that other rows stand on it and it stays.
func (tx *Tx) DropHinted(id int64) (bool, error) {
	if _, err := tx.exec(`DELETE FROM parked WHERE inbox_id = ?`, id); err != nil {
		return false, err
	}
	n, err := tx.exec(`DELETE FROM inbox WHERE id = ?1 AND state IN ('pending', 'parked') AND NOT EXISTS (SELECT 1 FROM inbox w WHERE w.raw_id = ?1)
		AND NOT EXISTS (SELECT 1 FROM review v WHERE v.inbox_id = ?1)`, id)
	return n == 1, err
}

// PruneUnproved keeps the newest messages of a gateway that nothing proves and that are about no payment of ours, and
// drops up to two hundred of the others; those that a person was asked about stay.
func (tx *Tx) PruneUnproved(gateway string, keep int) (n int64, err error) {
	const unproved = ` FROM inbox i WHERE i.gateway = ?1 AND i.secret = -1 AND i.channel = 'webhook' AND i.body IS NOT NULL AND i.payment_id IS NULL `
	var ids []int64
	err = tx.each(`SELECT i.id`+unproved+`AND i.state IN ('parked', 'ignored') AND i.id <= (SELECT i.id`+unproved+`ORDER BY i.id DESC LIMIT 1 OFFSET ?2)
			AND NOT EXISTS (SELECT 1 FROM inbox w WHERE w.raw_id = i.id) AND NOT EXISTS (SELECT 1 FROM review v WHERE v.inbox_id = i.id) ORDER BY i.id LIMIT 200`,
		func(r *Row) { ids = append(ids, r.Int(0)) }, gateway, keep)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := tx.Unpark(id); err != nil {
			return n, err
		}
		if _, err := tx.exec(`DELETE FROM inbox WHERE id = ?`, id); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// DropAnswer removes a query answer that changed nothing.
func (tx *Tx) DropAnswer(itemID int64) error {
	_, err := tx.exec(`DELETE FROM inbox WHERE id = ? AND channel = 'query'`, itemID)
	return err
}

// Park notes what a parked row can be adopted by: kind "" is the merchant reference.
func (tx *Tx) Park(gateway, kind, ref string, inboxID int64) error {
	_, err := tx.exec(`INSERT INTO parked (gateway, kind, ref, inbox_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, gateway, kind, ref, inboxID)
	return err
}

// Unpark forgets what a row was parked under.
func (tx *Tx) Unpark(inboxID int64) error {
	_, err := tx.exec(`DELETE FROM parked WHERE inbox_id = ?`, inboxID)
	return err
}

// ParkedFor returns the ids of rows parked under a merchant reference (kind "") or a gateway ref, oldest first.
func (rx *Rx) ParkedFor(gateway, kind, ref string) (ids []int64, err error) {
	err = rx.each(`SELECT inbox_id FROM parked WHERE gateway = ? AND kind = ? AND ref = ? ORDER BY inbox_id`,
		func(r *Row) { ids = append(ids, r.Int(0)) }, gateway, kind, ref)
	return ids, err
}

// ParkedSince returns a gateway's parked rows that came in before an instant and were not looked at since, oldest first.
func (rx *Rx) ParkedSince(gateway string, beforeMs int64, limit int) (items []Item, err error) {
	err = rx.each(`SELECT `+itemColumns+` FROM inbox i WHERE state = 'parked' AND reason = 'unregistered' AND gateway = ? AND received_ms <= ? ORDER BY received_ms LIMIT ?`,
		func(r *Row) { items = append(items, scanItem(r)) }, gateway, beforeMs, limit)
	return items, err
}

// MarkItem changes the reason of a parked row without moving it.
func (tx *Tx) MarkItem(id int64, reason string) error {
	_, err := tx.exec(`UPDATE inbox SET reason = ? WHERE id = ? AND state = 'parked'`, reason, id)
	return err
}

// WaitingFor counts parked rows that name a payment by its merchant reference or by one of the gateway's ids of it.
func (rx *Rx) WaitingFor(gateway, merchantRef string, paymentID int64) (n int64, err error) {
	_, err = rx.one(`SELECT (SELECT count(*) FROM parked k WHERE k.gateway = ?1 AND k.kind = '' AND k.ref = ?2)
			+ (SELECT count(*) FROM gateway_ref g JOIN parked k ON k.gateway = g.gateway AND k.kind = g.kind AND k.ref = g.ref WHERE g.payment_id = ?3)`,
		func(r *Row) { n = r.Int(0) }, gateway, merchantRef, paymentID)
	return n, err
}

// PendingFor counts rows not worked on yet that name a payment or its merchant reference; it looks at the thousand oldest.
func (rx *Rx) PendingFor(gateway, merchantRef string, paymentID int64) (n int64, err error) {
	_, err = rx.one(`SELECT count(*) FROM (SELECT gateway, merchant_ref, payment_id FROM inbox WHERE state = 'pending' ORDER BY due_ms, id LIMIT 1000)
		WHERE payment_id = ?3 OR gateway = ?1 AND merchant_ref = ?2`,
		func(r *Row) { n = r.Int(0) }, gateway, merchantRef, paymentID)
	return n, err
}

// InboxFilter selects requests for the inbox page; empty fields select all.
type InboxFilter struct {
	Gateway string
	State   string // pending, parked, done, ignored, dead
	Query   string // merchant reference or dedupe key, exact
	Before  int64  // ids below it; 0: newest
	Limit   int
}

// Items lists inbox rows, newest first.
func (rx *Rx) Items(f InboxFilter) (items []Item, err error) {
	before := f.Before
	if before == 0 {
		before = maxID
	}
	named := ``
	if f.Query != "" {
		named = ` AND id IN (` + namedItems + `)`
	}
	err = rx.each(`SELECT `+itemColumns+` FROM inbox i
		WHERE id < ?1 AND (?2 = '' OR gateway = ?2) AND (?3 = '' OR state = ?3) AND ?4 = ?4`+named+` ORDER BY id DESC LIMIT ?5`,
		func(r *Row) { items = append(items, scanItem(r)) }, before, f.Gateway, f.State, f.Query, f.Limit)
	return items, err
}

// namedItems finds rows by a dedupe key or by the merchant reference of their payment, of a parked notice or of a dead one; each has an index.
const namedItems = `
	SELECT n.id FROM gateway_state g CROSS JOIN inbox n ON n.gateway = g.gateway AND n.channel = 'webhook' AND n.dedupe_key = ?4
	UNION SELECT k.inbox_id FROM gateway_state g CROSS JOIN parked k ON k.gateway = g.gateway AND k.kind = '' AND k.ref = ?4
	UNION SELECT n.id FROM gateway_state g CROSS JOIN payment p ON p.gateway = g.gateway AND p.merchant_ref = ?4 CROSS JOIN inbox n ON n.payment_id = p.id
	UNION SELECT n.id FROM inbox n WHERE n.state = 'dead' AND n.merchant_ref = ?4`

// DeadItems lists the ids of dead rows of a gateway ("" for all) and reason ("" for all), oldest first.
func (rx *Rx) DeadItems(gateway, reason string, limit int) (ids []int64, err error) {
	err = rx.each(`SELECT id FROM inbox WHERE state = 'dead' AND (?1 = '' OR gateway = ?1) AND (?2 = '' OR reason = ?2) ORDER BY id LIMIT ?3`,
		func(r *Row) { ids = append(ids, r.Int(0)) }, gateway, reason, limit)
	return ids, err
}

// ItemsOfPayment lists a payment's inbox rows with their raw requests, oldest first.
func (rx *Rx) ItemsOfPayment(paymentID int64, limit int) (work []Work, err error) {
	err = rx.each(`SELECT `+itemColumns+`, `+messageColumns+``+workFrom+`
		WHERE i.payment_id = ? ORDER BY i.id LIMIT ?`,
		func(r *Row) { work = append(work, scanWork(r)) }, paymentID, limit)
	return work, err
}

// LatestNotices lists a payment's webhook rows with their raw requests, newest first.
func (rx *Rx) LatestNotices(paymentID int64, limit int) (work []Work, err error) {
	err = rx.each(`SELECT `+itemColumns+`, `+messageColumns+``+workFrom+`
		WHERE i.payment_id = ? AND i.channel = 'webhook' ORDER BY i.id DESC LIMIT ?`,
		func(r *Row) { work = append(work, scanWork(r)) }, paymentID, limit)
	return work, err
}

// Variants lists rows of one dedupe key with their raw requests, oldest first, at most twenty.
func (rx *Rx) Variants(gateway, channel, dedupeKey string) (work []Work, err error) {
	err = rx.each(`SELECT `+itemColumns+`, `+messageColumns+``+workFrom+`
		WHERE i.gateway = ? AND i.channel = ? AND i.dedupe_key = ? ORDER BY i.id LIMIT 20`,
		func(r *Row) { work = append(work, scanWork(r)) }, gateway, channel, dedupeKey)
	return work, err
}
