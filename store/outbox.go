package store

// Event is one outbox entry: what the shop must be told.
type Event struct {
	Seq         int64
	Epoch       int64
	PaymentID   int64
	OrderID     int64
	Version     int64
	Type        string
	Body        []byte // JSON, frozen at the change
	CreatedMs   int64
	State       string // pending, delivered, dead, feed
	Attempts    int64  // finished ones
	DueMs       int64
	LeasedMs    int64
	DeliveredMs int64 // 0: not delivered
	Status      int   // last HTTP status
	Error       string
}

const eventColumns = `e.seq, e.epoch, e.payment_id, e.order_id, e.version, e.type, e.body, e.created_ms, e.state, e.attempts, e.due_ms, e.leased_ms, e.delivered_ms, e.status, e.error`

const eventReturned = `seq, epoch, payment_id, order_id, version, type, body, created_ms, state, attempts, due_ms, leased_ms, delivered_ms, status, error`

func scanEvent(r *Row) Event {
	return Event{Seq: r.Int(0), Epoch: r.Int(1), PaymentID: r.Int(2), OrderID: r.Int(3), Version: r.Int(4), Type: r.Text(5), Body: r.Blob(6), CreatedMs: r.Int(7),
		State: r.Text(8), Attempts: r.Int(9), DueMs: r.Int(10), LeasedMs: r.Int(11), DeliveredMs: r.Int(12), Status: int(r.Int(13)), Error: r.Text(14)}
}

func (rx *Rx) events(where string, args ...any) (list []Event, err error) {
	err = rx.each(`SELECT `+eventColumns+` FROM outbox e `+where, func(r *Row) { list = append(list, scanEvent(r)) }, args...)
	return list, err
}

// InsertEvent adds an outbox entry and returns its sequence number; the same change told again adds nothing and gives 0.
func (tx *Tx) InsertEvent(e Event) (seq int64, err error) {
	return tx.insert(`INSERT INTO outbox (epoch, payment_id, order_id, version, type, body, created_ms, state, due_ms)
		VALUES ((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'epoch'), ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		e.PaymentID, e.OrderID, e.Version, e.Type, e.Body, e.CreatedMs, e.State, e.DueMs)
}

// patience is after how many failures an entry no longer holds back the later ones of its order.
const patience = 5

// ClaimEvents takes up to limit due entries, each the first undelivered one of its order (or behind entries
// that failed five times), and moves them on to leaseMs so that a crash has them due again.
func (tx *Tx) ClaimEvents(nowMs, leaseMs int64, limit int) (list []Event, err error) {
	err = tx.each(`UPDATE outbox SET due_ms = ?2, leased_ms = ?1
		WHERE seq IN (SELECT d.seq FROM outbox d WHERE d.state = 'pending' AND d.due_ms <= ?1
			AND NOT EXISTS (SELECT 1 FROM outbox b WHERE b.state = 'pending' AND b.order_id = d.order_id AND b.seq < d.seq AND b.attempts < ?4)
			ORDER BY d.due_ms, d.seq LIMIT ?3)
		RETURNING `+eventReturned,
		func(r *Row) { list = append(list, scanEvent(r)) }, nowMs, leaseMs, limit, patience)
	return list, err
}

// NextEventMs returns when the next undelivered entry is due; ok is false when there is none.
func (rx *Rx) NextEventMs() (dueMs int64, ok bool, err error) {
	ok, err = rx.one(`SELECT due_ms FROM outbox WHERE state = 'pending' ORDER BY due_ms, seq LIMIT 1`, func(r *Row) { dueMs = r.Int(0) })
	return dueMs, ok, err
}

// Delivery is the outcome of one attempt to tell the shop.
type Delivery struct {
	Seq    int64
	State  string // delivered, pending (again at DueMs) or dead
	DueMs  int64
	AtMs   int64
	TookMs int64
	Status int
	Error  string
}

// FinishDelivery records an attempt and moves the entry on.
func (tx *Tx) FinishDelivery(d Delivery) error {
	var delivered any
	if d.State == "delivered" {
		delivered = d.AtMs
	}
	if _, err := tx.exec(`UPDATE outbox SET state = ?, attempts = attempts + 1, due_ms = ?, delivered_ms = ?, status = ?, error = ? WHERE seq = ? AND state = 'pending'`,
		d.State, d.DueMs, delivered, d.Status, d.Error, d.Seq); err != nil {
		return err
	}
	_, err := tx.insert(`INSERT INTO outbox_attempt (seq, at_ms, took_ms, status, error) VALUES (?, ?, ?, ?, ?)`, d.Seq, d.AtMs, d.TookMs, d.Status, d.Error)
	return err
}

// FeedAll leaves all waiting entries to the feed, where no address of the shop is configured any more.
func (tx *Tx) FeedAll() error {
	_, err := tx.exec(`UPDATE outbox SET state = 'feed' WHERE state = 'pending'`)
	return err
}

// Resend makes a dead, delivered or waiting entry due now; false means that there is no such entry.
func (tx *Tx) Resend(seq, nowMs int64) (bool, error) {
	n, err := tx.exec(`UPDATE outbox SET state = 'pending', attempts = 0, due_ms = ?, delivered_ms = NULL WHERE seq = ? AND state != 'feed'`, nowMs, seq)
	return n == 1, err
}

// Event returns one outbox entry.
func (rx *Rx) Event(seq int64) (e Event, ok bool, err error) {
	list, err := rx.events(`WHERE e.seq = ?`, seq)
	if err != nil || len(list) == 0 {
		return Event{}, false, err
	}
	return list[0], true, nil
}

// EventsAfter returns the feed: entries above a sequence number, ascending.
func (rx *Rx) EventsAfter(seq int64, limit int) ([]Event, error) {
	return rx.events(`WHERE e.seq > ? ORDER BY e.seq LIMIT ?`, seq, limit)
}

// EventsOf returns a payment's outbox entries, oldest first.
func (rx *Rx) EventsOf(paymentID int64) ([]Event, error) {
	return rx.events(`WHERE e.payment_id = ? ORDER BY e.seq`, paymentID)
}

// Events lists outbox entries newest first, of one state ("" for all), below a sequence number (0: newest).
func (rx *Rx) Events(state string, before int64, limit int) ([]Event, error) {
	if before == 0 {
		before = maxID
	}
	return rx.events(`WHERE e.seq < ?1 AND (?2 = '' OR e.state = ?2) ORDER BY e.seq DESC LIMIT ?3`, before, state, limit)
}

// Attempt is one try to deliver an outbox entry.
type Attempt struct {
	AtMs, TookMs int64
	Status       int // HTTP status; 0: no answer
	Error        string
}

// AttemptsOf lists the tries of an outbox entry, oldest first.
func (rx *Rx) AttemptsOf(seq int64) (list []Attempt, err error) {
	err = rx.each(`SELECT at_ms, took_ms, status, error FROM outbox_attempt WHERE seq = ? ORDER BY id`,
		func(r *Row) { list = append(list, Attempt{r.Int(0), r.Int(1), int(r.Int(2)), r.Text(3)}) }, seq)
	return list, err
}

// LastEvent returns the highest sequence number that was ever given; 0: none.
func (rx *Rx) LastEvent() (seq int64, err error) {
	_, err = rx.one(`SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outbox'`, func(r *Row) { seq = r.Int(0) })
	return seq, err
}

// Epoch returns the number that begins every event id; it grows at every restore.
func (rx *Rx) Epoch() (epoch int64, err error) {
	_, err = rx.one(`SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'epoch'`, func(r *Row) { epoch = r.Int(0) })
	return epoch, err
}

// OpenEpoch begins a new epoch after a restore; the sequence begins again behind the last one.
func (tx *Tx) OpenEpoch() error {
	if _, err := tx.exec(`INSERT INTO meta (key, value) SELECT 'epoch_end_' || (SELECT value FROM meta WHERE key = 'epoch'), CAST(coalesce(max(seq), 0) AS TEXT) FROM outbox WHERE true
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE meta SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT) WHERE key = 'epoch'`)
	return err
}

// EpochEnd returns the last sequence number that an earlier epoch shares with this database.
func (rx *Rx) EpochEnd(epoch int64) (seq int64, ok bool, err error) {
	ok, err = rx.one(`SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'epoch_end_' || ?`, func(r *Row) { seq = r.Int(0) }, epoch)
	return seq, ok, err
}
