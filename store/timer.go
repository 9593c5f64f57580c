package store

// The lanes of timers, served in this order.
const (
	LaneReturn = 0 // the payer waits on the return page
	LaneYoung  = 1 // the first rungs of the schedule
	LaneOld    = 2 // the tail, daily questions
	LaneHinted = 3 // asked because of a notice that proves nothing
	LaneHold   = 9 // no question: failure_hold
)

// Timer is a durable appointment.
type Timer struct {
	PaymentID int64
	Kind      string // ask, hint (only a notice that proves nothing wants it) or hold
	Gateway   string
	Lane      int64
	DueMs     int64
	LeasedMs  int64 // when it was last taken; 0: never
	Attempts  int64 // unanswered questions in a row
	Refers    int64 // hold: the held fact; hint: when the notice came, UTC milliseconds
	Why       string
}

const timerColumns = `payment_id, kind, gateway, lane, due_ms, leased_ms, attempts, refers, why`

func scanTimer(r *Row) Timer {
	return Timer{PaymentID: r.Int(0), Kind: r.Text(1), Gateway: r.Text(2), Lane: r.Int(3), DueMs: r.Int(4), LeasedMs: r.Int(5), Attempts: r.Int(6), Refers: r.Int(7), Why: r.Text(8)}
}

// SetTimer makes or replaces a payment's appointment of one kind.
func (tx *Tx) SetTimer(t Timer) error {
	_, err := tx.exec(`INSERT INTO timer (`+timerColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (payment_id, kind) DO UPDATE SET lane = excluded.lane, due_ms = excluded.due_ms, leased_ms = excluded.leased_ms,
			attempts = excluded.attempts, refers = excluded.refers, why = excluded.why`,
		t.PaymentID, t.Kind, t.Gateway, t.Lane, t.DueMs, t.LeasedMs, t.Attempts, t.Refers, t.Why)
	return err
}

// AskOnPurpose is why an appointment was made that is kept whatever the plan says, until it was taken once.
const AskOnPurpose = "check"

// PlanTimer is SetTimer for a plan: what was made on purpose and was not taken yet stays.
func (tx *Tx) PlanTimer(t Timer) error {
	if t.Kind == "ask" {
		if kept, err := tx.onPurpose(t.PaymentID); err != nil || kept {
			return err
		}
	}
	return tx.SetTimer(t)
}

// DropPlan removes a payment's regular question, but for one that was made on purpose and was not taken yet.
func (tx *Tx) DropPlan(paymentID int64) error {
	_, err := tx.exec(`DELETE FROM timer WHERE payment_id = ? AND kind = 'ask' AND NOT (why = ? AND leased_ms = 0)`, paymentID, AskOnPurpose)
	return err
}

func (rx *Rx) onPurpose(paymentID int64) (bool, error) {
	return rx.one(`SELECT 1 FROM timer WHERE payment_id = ? AND kind = 'ask' AND why = ? AND leased_ms = 0`, func(*Row) {}, paymentID, AskOnPurpose)
}

// DropTimers removes a payment's appointments of some kinds.
func (tx *Tx) DropTimers(paymentID int64, kinds ...string) error {
	for _, kind := range kinds {
		if _, err := tx.exec(`DELETE FROM timer WHERE payment_id = ? AND kind = ?`, paymentID, kind); err != nil {
			return err
		}
	}
	return nil
}

// WantHint makes an appointment because of a repeated notice that proves nothing, unless one waits already.
func (tx *Tx) WantHint(t Timer) error {
	_, err := tx.exec(`INSERT INTO timer (`+timerColumns+`) VALUES (?, 'hint', ?, ?, ?, 0, 0, ?, ?)
		ON CONFLICT (payment_id, kind) DO UPDATE SET refers = excluded.refers, why = excluded.why WHERE refers < excluded.refers`,
		t.PaymentID, t.Gateway, t.Lane, t.DueMs, t.Refers, t.Why)
	return err
}

// DropHint removes the appointment that only a hint wanted, but for one that a repetition at or after an instant asked for.
func (tx *Tx) DropHint(paymentID, answeredMs int64) error {
	_, err := tx.exec(`DELETE FROM timer WHERE payment_id = ? AND kind = 'hint' AND refers <= ?`, paymentID, answeredMs)
	return err
}

// HintAnswered removes the appointment that only a hint wanted; one that came while the question was under way is due now.
func (tx *Tx) HintAnswered(paymentID, askedMs, nowMs int64) error {
	if err := tx.DropHint(paymentID, askedMs); err != nil {
		return err
	}
	_, err := tx.exec(`UPDATE timer SET due_ms = ?2, leased_ms = 0, attempts = 0 WHERE payment_id = ?1 AND kind = 'hint'`, paymentID, nowMs)
	return err
}

// HintOf returns the appointment that a hint about a payment wanted.
func (rx *Rx) HintOf(paymentID int64) (t Timer, ok bool, err error) {
	ok, err = rx.one(`SELECT `+timerColumns+` FROM timer WHERE payment_id = ? AND kind = 'hint'`, func(r *Row) { t = scanTimer(r) }, paymentID)
	return t, ok, err
}

// AskedSince tells whether a payment's regular question was taken at or after an instant and is not answered.
func (rx *Rx) AskedSince(paymentID, sinceMs int64) (under bool, err error) {
	return rx.one(`SELECT 1 FROM timer WHERE payment_id = ? AND kind = 'ask' AND leased_ms >= ?`, func(*Row) {}, paymentID, max(sinceMs, 1))
}

// TimersOf lists a payment's appointments.
func (rx *Rx) TimersOf(paymentID int64) (list []Timer, err error) {
	err = rx.each(`SELECT `+timerColumns+` FROM timer WHERE payment_id = ? ORDER BY kind`, func(r *Row) { list = append(list, scanTimer(r)) }, paymentID)
	return list, err
}

// ClaimTimers takes up to limit due appointments of a gateway's lane, oldest first, and moves them on to leaseMs
// so that a crash has them due again. The plus keeps SQLite from preparing the statement anew for each lane.
func (tx *Tx) ClaimTimers(gateway string, lane int64, nowMs, leaseMs int64, limit int) (list []Timer, err error) {
	err = tx.each(`UPDATE timer SET due_ms = ?4, leased_ms = ?3
		WHERE (payment_id, kind) IN (SELECT payment_id, kind FROM timer WHERE gateway = ?1 AND lane = +?2 AND due_ms <= ?3 ORDER BY due_ms LIMIT ?5)
		RETURNING `+timerColumns,
		func(r *Row) { list = append(list, scanTimer(r)) }, gateway, lane, nowMs, leaseMs, limit)
	return list, err
}

// NextHoldMs returns when the next hold of a lane of holds ends.
func (rx *Rx) NextHoldMs(gateway string) (dueMs int64, ok bool, err error) {
	ok, err = rx.one(`SELECT due_ms FROM timer WHERE gateway = ? AND lane = 9 ORDER BY due_ms LIMIT 1`, func(r *Row) { dueMs = r.Int(0) }, gateway)
	return dueMs, ok, err
}

// NextQuestionsMs returns when the next question of each of a gateway's lanes is due, in the order in which they are
// served; 0: none. The lanes stand in the text: SQLite would prepare a statement anew whenever another lane is bound.
func (rx *Rx) NextQuestionsMs(gateway string) (due [4]int64, err error) {
	_, err = rx.one(`SELECT coalesce((SELECT min(due_ms) FROM timer WHERE gateway = ?1 AND lane = 0), 0), coalesce((SELECT min(due_ms) FROM timer WHERE gateway = ?1 AND lane = 1), 0),
			coalesce((SELECT min(due_ms) FROM timer WHERE gateway = ?1 AND lane = 2), 0), coalesce((SELECT min(due_ms) FROM timer WHERE gateway = ?1 AND lane = 3), 0)`,
		func(r *Row) {
			for i := range due {
				due[i] = r.Int(i)
			}
		}, gateway)
	return due, err
}

// TimerBacklog counts a gateway's overdue questions, up to a thousand, and gives the oldest's due time.
func (rx *Rx) TimerBacklog(gateway string, nowMs int64) (count, oldestMs int64, err error) {
	_, err = rx.one(`SELECT count(*), coalesce(min(due_ms), 0) FROM (
			SELECT due_ms FROM timer WHERE gateway = ?1 AND lane IN (0, 1, 2, 3) AND due_ms <= ?2 ORDER BY lane, due_ms LIMIT 1000)`,
		func(r *Row) { count, oldestMs = r.Int(0), r.Int(1) }, gateway, nowMs)
	return count, oldestMs, err
}

// Query is one question to a gateway; alike answers in a row share one.
type Query struct {
	ID        int64
	PaymentID int64
	Gateway   string
	AskedMs   int64
	LastMs    int64
	Class     string // answered, not_found, unreadable, timeout, refused, throttled, failing
	Status    int    // HTTP status; 0: none
	Digest    []byte
	Detail    string
	Repeats   int64
}

const queryColumns = `id, payment_id, gateway, asked_ms, last_ms, class, status, digest, detail, repeats`

func scanQuery(r *Row) Query {
	return Query{ID: r.Int(0), PaymentID: r.Int(1), Gateway: r.Text(2), AskedMs: r.Int(3), LastMs: r.Int(4), Class: r.Text(5), Status: int(r.Int(6)), Digest: r.Blob(7), Detail: r.Text(8), Repeats: r.Int(9)}
}

// LogQuery records a question, or counts it on the payment's last one when that was answered alike.
func (tx *Tx) LogQuery(q Query) error {
	n, err := tx.exec(`UPDATE query SET repeats = repeats + 1, last_ms = ?2
		WHERE id = (SELECT max(id) FROM query WHERE payment_id = ?1) AND class = ?3 AND status = ?4 AND digest IS ?5`,
		q.PaymentID, q.AskedMs, q.Class, q.Status, q.Digest)
	if err != nil || n == 1 {
		return err
	}
	_, err = tx.insert(`INSERT INTO query (payment_id, gateway, asked_ms, last_ms, class, status, digest, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		q.PaymentID, q.Gateway, q.AskedMs, q.AskedMs, q.Class, q.Status, q.Digest, q.Detail)
	return err
}

// QueriesOf lists the questions about a payment, oldest first.
func (rx *Rx) QueriesOf(paymentID int64) (list []Query, err error) {
	err = rx.each(`SELECT `+queryColumns+` FROM query WHERE payment_id = ? ORDER BY id`, func(r *Row) { list = append(list, scanQuery(r)) }, paymentID)
	return list, err
}
