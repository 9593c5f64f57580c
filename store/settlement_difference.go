package store

import "encoding/json"

// Difference is a finding that somebody or something must still explain, or has explained. Amounts are minor units of
// Currency, instants UTC milliseconds.
type Difference struct {
	ID            int64
	DayID         int64
	Kind          string
	State         string // new, asking, expected, open, decided, cleared
	LineID        int64  // 0: none
	ImportID      int64
	Number        int64 // of the line in its file
	PaymentID     int64
	SuggestedID   int64 // a payment that the line may be about; never applied
	InboxID       int64 // the statement that was made of its line
	ExpectedMinor int64
	SeenMinor     int64
	RiskMinor     int64
	Currency      string
	Detail        string
	SeenVersion   int64 // of the payment, when it was last judged
	AskedMs       int64 // 0: nobody was asked
	DueMs         int64 // when it becomes open by time; 0: never
	OpenedMs      int64
	ClosedMs      int64
	ClosedBy      string
	Answer        string
	Reason        string
	Version       int64
}

const differenceColumns = `d.id, d.day_id, d.kind, d.state, d.line_id, d.import_id, d.number, d.payment_id, d.inbox_id, d.expected_minor, d.seen_minor, d.risk_minor, d.currency, d.detail,
	d.seen_version, d.asked_ms, d.due_ms, d.opened_ms, d.closed_ms, d.closed_by, d.answer, d.reason, d.version, d.suggested_id`

func scanDifference(r *Row) Difference {
	return Difference{ID: r.Int(0), DayID: r.Int(1), Kind: r.Text(2), State: r.Text(3), LineID: r.Int(4), ImportID: r.Int(5), Number: r.Int(6), PaymentID: r.Int(7), InboxID: r.Int(8),
		ExpectedMinor: r.Int(9), SeenMinor: r.Int(10), RiskMinor: r.Int(11), Currency: r.Text(12), Detail: r.Text(13), SeenVersion: r.Int(14), AskedMs: r.Int(15), DueMs: r.Int(16),
		OpenedMs: r.Int(17), ClosedMs: r.Int(18), ClosedBy: r.Text(19), Answer: r.Text(20), Reason: r.Text(21), Version: r.Int(22), SuggestedID: r.Int(23)}
}

func (rx *Rx) differences(where string, args ...any) (list []Difference, err error) {
	err = rx.each(`SELECT `+differenceColumns+` FROM difference d `+where, func(r *Row) { list = append(list, scanDifference(r)) }, args...)
	return list, err
}

// Difference returns one difference.
func (rx *Rx) Difference(id int64) (Difference, bool, error) {
	list, err := rx.differences(`WHERE d.id = ?`, id)
	if err != nil || len(list) == 0 {
		return Difference{}, false, err
	}
	return list[0], true, nil
}

// DifferenceFilter selects differences of a gateway; empty fields select all. Those of an import that is still being read
// are never among them.
type DifferenceFilter struct {
	Gateway string
	DayID   int64
	Kind    string
	State   string // or waiting: all that is still to be explained
	After   int64  // ids above it
	Limit   int
}

// Differences lists differences in the order in which they were found.
func (rx *Rx) Differences(f DifferenceFilter) ([]Difference, error) {
	const rest = ` AND (?3 = '' OR x.kind = ?3) AND (?4 = '' AND x.state != 'new' OR ?4 = 'waiting' AND (x.state = 'asking' OR x.state = 'expected' OR x.state = 'open') OR x.state = ?4)
		AND x.id > ?5 ORDER BY x.id LIMIT ?6) ORDER BY d.id`
	if f.DayID != 0 {
		return rx.differences(`WHERE d.id IN (SELECT x.id FROM difference x WHERE x.day_id = ?2 AND ?1 = ?1`+rest, f.Gateway, f.DayID, f.Kind, f.State, f.After, f.Limit)
	}
	return rx.differences(`WHERE d.id IN (SELECT x.id FROM difference x JOIN report_day y ON y.id = x.day_id WHERE (?1 = '' OR y.gateway = ?1) AND ?2 = 0`+rest,
		f.Gateway, f.DayID, f.Kind, f.State, f.After, f.Limit)
}

// NewDifferences lists the differences of an import that nothing was done about yet, by id.
func (rx *Rx) NewDifferences(importID int64, limit int) ([]Difference, error) {
	return rx.differences(`WHERE d.import_id = ? AND d.state = 'new' ORDER BY d.id LIMIT ?`, importID, limit)
}

// DecidedOn counts the differences of an import that a person has answered.
func (rx *Rx) DecidedOn(importID int64) (n int64, err error) {
	_, err = rx.one(`SELECT count(*) FROM difference WHERE import_id = ? AND (state = 'decided' OR answer != '' AND closed_by != ?)`, func(r *Row) { n = r.Int(0) }, importID, byFacts)
	return n, err
}

// byFacts is who closes what the facts have answered.
const byFacts = "nodrop"

const waitingState = `(d.state = 'asking' OR d.state = 'expected' OR d.state = 'open')`

// RipeDifferences looks at up to look waiting differences of a gateway behind an id, and lists those that are to be judged
// again: their payment has moved since, a payment was found for them, or their time is over. With all, every one is. last
// is the last one looked at; 0: there was none.
func (rx *Rx) RipeDifferences(gateway string, nowMs int64, all bool, after int64, look int) (list []Difference, last int64, err error) {
	const looked = ` FROM difference d JOIN report_day y ON y.id = d.day_id WHERE ` + waitingState + ` AND y.gateway = ?1 AND d.id > ?2 ORDER BY d.id LIMIT ?3`
	_, err = rx.one(`SELECT max(id) FROM (SELECT d.id`+looked+`)`, func(r *Row) { last = r.Int(0) }, gateway, after, look)
	if err != nil || last == 0 {
		return nil, 0, err
	}
	list, err = rx.differences(`JOIN report_day y ON y.id = d.day_id LEFT JOIN payment p ON p.id = d.payment_id LEFT JOIN inbox i ON i.id = d.inbox_id
		WHERE `+waitingState+` AND y.gateway = ?1 AND d.id > ?2 AND d.id <= ?3
			AND (?4 OR p.version != d.seen_version OR d.payment_id IS NULL AND i.payment_id IS NOT NULL OR d.state != 'open' AND d.due_ms > 0 AND d.due_ms <= ?5
				OR d.state = 'asking' AND p.last_answered_ms >= d.asked_ms)
		ORDER BY d.id`, gateway, after, last, flag(all), nowMs)
	return list, last, err
}

// WaitingOf lists the waiting differences about some payments, or about lines whose statement one of them has adopted.
func (rx *Rx) WaitingOf(payments []int64) ([]Difference, error) {
	wanted, err := json.Marshal(payments)
	if err != nil {
		return nil, err
	}
	return rx.differences(`WHERE `+waitingState+` AND d.id IN (
		SELECT x.id FROM json_each(?1) j CROSS JOIN difference x ON x.payment_id = j.value
		UNION SELECT x.id FROM json_each(?1) j CROSS JOIN inbox i ON i.payment_id = j.value AND i.channel = 'report' CROSS JOIN difference x ON x.inbox_id = i.id) ORDER BY d.id`, string(wanted))
}

// DueDifferences lists differences whose time is over, the most overdue first.
func (rx *Rx) DueDifferences(nowMs int64, limit int) ([]Difference, error) {
	return rx.differences(`WHERE (d.state = 'asking' OR d.state = 'expected') AND d.due_ms > 0 AND d.due_ms <= ? ORDER BY d.due_ms LIMIT ?`, nowMs, limit)
}

// MissingDifferences lists the waiting differences of payments that no line speaks of though one does by now, by id.
func (rx *Rx) MissingDifferences(gateway string, after int64, limit int) ([]Difference, error) {
	return rx.differences(`JOIN report_day y ON y.id = d.day_id
		WHERE (d.state = 'expected' OR d.state = 'open') AND d.kind = 'missing_at_gateway' AND y.gateway = ? AND d.id > ?
			AND EXISTS (SELECT 1 FROM report_line l WHERE l.payment_id = d.payment_id AND l.type = 'payment') ORDER BY d.id LIMIT ?`, gateway, after, limit)
}

// Shadows lists differences of a gateway about money that belongs to no payment, and about which it is to be asked.
func (rx *Rx) Shadows(gateway string, limit int) ([]Difference, error) {
	return rx.differences(`JOIN report_day y ON y.id = d.day_id
		WHERE d.state = 'asking' AND d.payment_id IS NULL AND d.inbox_id IS NOT NULL AND y.gateway = ? ORDER BY d.asked_ms, d.id LIMIT ?`, gateway, limit)
}

// InsertDifference adds a difference. One about a payment that no line speaks of comes back in the place of its older
// self, unless that waits or was decided; 0 then.
func (tx *Tx) InsertDifference(d Difference) (int64, error) {
	return tx.insert(`INSERT INTO difference (day_id, kind, state, line_id, import_id, number, payment_id, inbox_id, expected_minor, seen_minor, risk_minor, currency, detail,
			seen_version, asked_ms, due_ms, opened_ms, suggested_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET day_id = excluded.day_id, state = excluded.state, expected_minor = excluded.expected_minor, seen_minor = excluded.seen_minor, risk_minor = excluded.risk_minor,
			seen_version = excluded.seen_version, due_ms = excluded.due_ms, opened_ms = excluded.opened_ms, closed_ms = NULL, closed_by = '', answer = '', reason = '', version = version + 1
		WHERE state = 'cleared'`,
		d.DayID, d.Kind, d.State, nullable(d.LineID), nullable(d.ImportID), d.Number, nullable(d.PaymentID), nullable(d.InboxID), d.ExpectedMinor, d.SeenMinor, d.RiskMinor, d.Currency, d.Detail,
		d.SeenVersion, d.AskedMs, d.DueMs, d.OpenedMs, nullable(d.SuggestedID))
}

// SetDifference writes what has become of a difference; false means that it was changed meanwhile.
func (tx *Tx) SetDifference(d Difference) (bool, error) {
	n, err := tx.exec(`UPDATE difference SET kind = ?, state = ?, payment_id = ?, inbox_id = ?, expected_minor = ?, seen_minor = ?, risk_minor = ?, currency = ?, detail = ?,
			seen_version = ?, asked_ms = ?, due_ms = ?, opened_ms = ?, closed_ms = ?, closed_by = ?, answer = ?, reason = ?, version = version + 1
		WHERE id = ? AND version = ?`,
		d.Kind, d.State, nullable(d.PaymentID), nullable(d.InboxID), d.ExpectedMinor, d.SeenMinor, d.RiskMinor, d.Currency, d.Detail,
		d.SeenVersion, d.AskedMs, d.DueMs, d.OpenedMs, nullable(d.ClosedMs), d.ClosedBy, d.Answer, d.Reason, d.ID, d.Version)
	return n == 1, err
}

// DifferenceSum is what differences of one kind, state and currency come to.
type DifferenceSum struct {
	DayID         int64
	Kind          string
	State         string
	Currency      string
	Count         int64
	RiskMinor     int64
	ExpectedMinor int64
	SeenMinor     int64
}

const differenceSums = `SELECT d.day_id, d.kind, d.state, d.currency, count(*), sum(d.risk_minor), sum(d.expected_minor), sum(d.seen_minor) FROM difference d `

func (rx *Rx) differenceSums(query string, args ...any) (list []DifferenceSum, err error) {
	err = rx.each(query, func(r *Row) {
		list = append(list, DifferenceSum{DayID: r.Int(0), Kind: r.Text(1), State: r.Text(2), Currency: r.Text(3), Count: r.Int(4), RiskMinor: r.Int(5), ExpectedMinor: r.Int(6), SeenMinor: r.Int(7)})
	}, args...)
	return list, err
}

// DifferencesOfDay lists what the differences of a day come to.
func (rx *Rx) DifferencesOfDay(dayID int64) ([]DifferenceSum, error) {
	return rx.differenceSums(differenceSums+`WHERE d.day_id = ? AND d.state != 'new' GROUP BY d.state, d.kind, d.currency`, dayID)
}

// DifferencesOfImport lists what the differences of an import come to, over all days.
func (rx *Rx) DifferencesOfImport(importID int64) ([]DifferenceSum, error) {
	return rx.differenceSums(differenceSums+`WHERE d.import_id = ? GROUP BY d.kind, d.state, d.currency`, importID)
}

// MissingOfImport lists what the successes come to that no line speaks of, on the days that an import speaks of.
func (rx *Rx) MissingOfImport(importID int64, gateway string) ([]DifferenceSum, error) {
	return rx.differenceSums(`SELECT 0, d.kind, d.state, d.currency, count(*), sum(d.risk_minor), sum(d.expected_minor), sum(d.seen_minor)
		FROM report_day y CROSS JOIN report_cover c ON c.day_id = y.id AND c.import_id = ? CROSS JOIN difference d ON d.day_id = y.id AND d.kind = 'missing_at_gateway'
		WHERE y.gateway = ? GROUP BY d.kind, d.state, d.currency`, importID, gateway)
}

// OpenDifferences lists what the open differences of every day come to by kind.
func (rx *Rx) OpenDifferences(gateway string) ([]DifferenceSum, error) {
	return rx.differenceSums(differenceSums+`JOIN report_day y ON y.id = d.day_id WHERE (d.state = 'open' OR d.state = 'asking' OR d.state = 'expected') AND y.gateway = ?
		GROUP BY d.day_id, d.kind, d.state, d.currency`, gateway)
}

// UnsettledPayment is a success that no line of a report speaks of.
type UnsettledPayment struct {
	ID            int64
	PaidMs        int64
	ReceivedMinor int64
	Currency      string
	Version       int64
}

// Unsettled lists successes of a gateway that were paid within [fromMs, toMs) and that no line of a report speaks of, in
// the order of (PaidMs, ID) behind one of them. It looks at up to look payments, leaves out those that spoken knows of, and
// gives the last one looked at; ID 0 once there is no more.
func (rx *Rx) Unsettled(gateway string, fromMs, toMs int64, after UnsettledPayment, look int, spoken func(id int64) bool) (list []UnsettledPayment, last UnsettledPayment, err error) {
	var ids []int64
	err = rx.each(`SELECT p.id, p.paid_ms FROM payment p WHERE p.gateway = ?1 AND p.paid_ms != 0 AND p.paid_ms >= max(?2, ?4) AND p.paid_ms < ?3 AND (p.paid_ms > ?4 OR p.id > ?5)
			ORDER BY p.paid_ms, p.id LIMIT ?6`,
		func(r *Row) {
			last = UnsettledPayment{ID: r.Int(0), PaidMs: r.Int(1)}
			if !spoken(last.ID) {
				ids = append(ids, last.ID)
			}
		}, gateway, fromMs, toMs, after.PaidMs, after.ID, look)
	if err != nil || len(ids) == 0 {
		return nil, last, err
	}
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, last, err
	}
	err = rx.each(`SELECT p.id, p.paid_ms, p.received_minor, p.currency, p.version FROM json_each(?) j CROSS JOIN payment p ON p.id = j.value
			WHERE p.state = 'succeeded' AND NOT EXISTS (SELECT 1 FROM report_line l WHERE l.payment_id = p.id AND l.type = 'payment')`,
		func(r *Row) {
			list = append(list, UnsettledPayment{ID: r.Int(0), PaidMs: r.Int(1), ReceivedMinor: r.Int(2), Currency: r.Text(3), Version: r.Int(4)})
		}, string(wanted))
	return list, last, err
}

// PaidOn counts the successes of a gateway that were paid within [fromMs, toMs).
func (rx *Rx) PaidOn(gateway string, fromMs, toMs int64) (n int64, err error) {
	_, err = rx.one(`SELECT count(*) FROM payment WHERE gateway = ? AND paid_ms != 0 AND paid_ms >= ? AND paid_ms < ?`, func(r *Row) { n = r.Int(0) }, gateway, fromMs, toMs)
	return n, err
}

// AnyPaid tells whether a success of a gateway was paid within [fromMs, toMs).
func (rx *Rx) AnyPaid(gateway string, fromMs, toMs int64) (bool, error) {
	return rx.one(`SELECT 1 FROM payment WHERE gateway = ? AND paid_ms != 0 AND paid_ms >= ? AND paid_ms < ? LIMIT 1`, func(*Row) {}, gateway, fromMs, toMs)
}

// FoundBySettlement counts the payments of a gateway of which a report spoke before anybody else, and that succeeded since.
func (rx *Rx) FoundBySettlement(gateway string) (n int64, err error) {
	_, err = rx.one(`SELECT count(*) FROM once WHERE key >= ?1 AND key < ?2`, func(r *Row) { n = r.Int(0) }, foundKey(gateway), foundKey(gateway)+"\U0010FFFF")
	return n, err
}

// NoteFound notes that a payment was found by a report alone; false means that it was noted before.
func (tx *Tx) NoteFound(gateway, publicID string, paymentID, nowMs int64) (bool, error) {
	return tx.Once(foundKey(gateway)+publicID, paymentID, nowMs)
}

func foundKey(gateway string) string { return "found:" + gateway + ":" }

// StatedDifferences lists the differences of an import that a statement was made of, behind an id.
func (rx *Rx) StatedDifferences(importID, after int64, limit int) ([]Difference, error) {
	return rx.differences(`WHERE d.import_id = ? AND d.inbox_id IS NOT NULL AND d.id > ? ORDER BY d.id LIMIT ?`, importID, after, limit)
}
