package store

import (
	"encoding/json"
	"slices"
	"strings"
)

// Amount is minor units of a line's currency that a report may leave out.
type Amount struct {
	Minor int64
	Known bool
}

func (a Amount) value() any {
	if !a.Known {
		return nil
	}
	return a.Minor
}

func (r *Row) amount(i int) Amount { return Amount{Minor: r.Int(i), Known: !r.Null(i)} }

// Line is one stored row of data of a report.
type Line struct {
	ID          int64
	ImportID    int64
	Number      int64 // of the line in its file
	DayID       int64
	Key         []byte
	Type        string
	Finding     string
	GatewayRef  string
	MerchantRef string
	Gross       Amount
	Fee         Amount
	Net         Amount
	Currency    string
	OccurredMs  int64 // 0: not said
	SettledMs   int64
	Batch       string
	Status      string
	PaymentID   int64  // 0: none
	Movement    string // id of the refund or dispute that it is matched with
}

const lineColumns = `l.id, l.import_id, l.number, l.day_id, l.key, l.type, l.finding, l.gateway_ref, l.merchant_ref, l.gross_minor, l.fee_minor, l.net_minor, l.currency,
	l.occurred_ms, l.settled_ms, l.batch, l.status, l.payment_id, l.movement`

func scanLine(r *Row) Line {
	return Line{ID: r.Int(0), ImportID: r.Int(1), Number: r.Int(2), DayID: r.Int(3), Key: r.Blob(4), Type: r.Text(5), Finding: r.Text(6), GatewayRef: r.Text(7), MerchantRef: r.Text(8),
		Gross: r.amount(9), Fee: r.amount(10), Net: r.amount(11), Currency: r.Text(12), OccurredMs: r.Int(13), SettledMs: r.Int(14), Batch: r.Text(15), Status: r.Text(16),
		PaymentID: r.Int(17), Movement: r.Text(18)}
}

func (rx *Rx) lines(where string, args ...any) (list []Line, err error) {
	err = rx.each(`SELECT `+lineColumns+` FROM report_line l `+where, func(r *Row) { list = append(list, scanLine(r)) }, args...)
	return list, err
}

// Line returns one stored line.
func (rx *Rx) Line(id int64) (Line, bool, error) {
	list, err := rx.lines(`WHERE l.id = ?`, id)
	if err != nil || len(list) == 0 {
		return Line{}, false, err
	}
	return list[0], true, nil
}

// LinesOfDay lists a day's lines with a finding ("" for all) behind an id, in the order of their import.
func (rx *Rx) LinesOfDay(dayID int64, finding string, after int64, limit int) ([]Line, error) {
	findings := []string{finding}
	if finding == "" {
		findings = nil
		err := rx.each(`SELECT DISTINCT finding FROM report_sum WHERE day_id = ? AND count > 0`, func(r *Row) { findings = append(findings, r.Text(0)) }, dayID)
		if err != nil {
			return nil, err
		}
	}
	var ids []int64
	for _, f := range findings { // the index is in the order of ids for each finding only
		err := rx.each(`SELECT id FROM report_line WHERE day_id = ? AND finding = ? AND id > ? ORDER BY id LIMIT ?`, func(r *Row) { ids = append(ids, r.Int(0)) }, dayID, f, after, limit)
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	wanted, err := json.Marshal(ids[:min(len(ids), limit)])
	if err != nil {
		return nil, err
	}
	return rx.lines(`JOIN json_each(?) j ON l.id = j.value ORDER BY l.id`, string(wanted))
}

// LinesOfPayment lists the lines that are about a payment, oldest first.
func (rx *Rx) LinesOfPayment(paymentID int64) ([]Line, error) {
	return rx.lines(`WHERE l.payment_id = ? ORDER BY l.id`, paymentID)
}

// NextLineID is the id that the next stored line gets.
func (rx *Rx) NextLineID() (id int64, err error) {
	_, err = rx.one(`SELECT max(id) FROM report_line`, func(r *Row) { id = r.Int(0) + 1 })
	return id, err
}

// lineRows is how many lines one statement stores.
const lineRows = 32

const lineMarks = `(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`

const insertLine = `INSERT INTO report_line (id, import_id, number, day_id, key, type, finding, gateway_ref, merchant_ref, gross_minor, fee_minor, net_minor, currency,
	occurred_ms, settled_ms, batch, status, payment_id, movement) VALUES ` + lineMarks

var insertLines = insertLine + strings.Repeat(`,`+lineMarks, lineRows-1)

// InsertLines stores lines under the ids that they have.
func (tx *Tx) InsertLines(lines []Line) error {
	var args []any
	for len(lines) > 0 {
		n, query := 1, insertLine
		if len(lines) >= lineRows {
			n, query = lineRows, insertLines
		}
		args = args[:0]
		for i := range lines[:n] {
			l := &lines[i]
			args = append(args, l.ID, l.ImportID, l.Number, l.DayID, l.Key, l.Type, l.Finding, l.GatewayRef, l.MerchantRef, l.Gross.value(), l.Fee.value(), l.Net.value(), l.Currency,
				l.OccurredMs, l.SettledMs, l.Batch, l.Status, nullable(l.PaymentID), l.Movement)
		}
		if _, err := tx.exec(query, args...); err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

// JudgeLine writes what a stored line is found to be now, and moves it among the sums of its day.
func (tx *Tx) JudgeLine(l Line, finding string, paymentID int64, movement string) error {
	if _, err := tx.exec(`UPDATE report_line SET finding = ?, payment_id = ?, movement = ? WHERE id = ?`, finding, nullable(paymentID), movement, l.ID); err != nil {
		return err
	}
	if finding == l.Finding {
		return nil
	}
	s := Sum{DayID: l.DayID, ImportID: l.ImportID, Finding: l.Finding, Type: l.Type, Currency: l.Currency, Count: -1, GrossMinor: -l.Gross.Minor, FeeMinor: -l.Fee.Minor, NetMinor: -l.Net.Minor}
	if err := tx.AddSum(s); err != nil {
		return err
	}
	s.Finding, s.Count, s.GrossMinor, s.FeeMinor, s.NetMinor = finding, 1, l.Gross.Minor, l.Fee.Minor, l.Net.Minor
	return tx.AddSum(s)
}

// Sum is what lines of one day, import, finding, type and currency come to; unknown amounts count as 0.
type Sum struct {
	DayID      int64
	ImportID   int64
	Finding    string
	Type       string
	Currency   string
	Count      int64
	GrossMinor int64
	FeeMinor   int64
	NetMinor   int64
}

// AddSum adds lines to what they come to.
func (tx *Tx) AddSum(s Sum) error {
	_, err := tx.exec(`INSERT INTO report_sum (day_id, import_id, finding, type, currency, count, gross_minor, fee_minor, net_minor) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET count = count + excluded.count, gross_minor = gross_minor + excluded.gross_minor, fee_minor = fee_minor + excluded.fee_minor, net_minor = net_minor + excluded.net_minor`,
		s.DayID, s.ImportID, s.Finding, s.Type, s.Currency, s.Count, s.GrossMinor, s.FeeMinor, s.NetMinor)
	return err
}

func (rx *Rx) sums(query string, args ...any) (list []Sum, err error) {
	err = rx.each(query, func(r *Row) {
		list = append(list, Sum{DayID: r.Int(0), ImportID: r.Int(1), Finding: r.Text(2), Type: r.Text(3), Currency: r.Text(4), Count: r.Int(5), GrossMinor: r.Int(6), FeeMinor: r.Int(7), NetMinor: r.Int(8)})
	}, args...)
	return list, err
}

// SumsOfDay lists what the lines of a day come to, over all imports, by finding, type and currency.
func (rx *Rx) SumsOfDay(dayID int64) ([]Sum, error) {
	return rx.sums(`SELECT day_id, 0, finding, type, currency, sum(count), sum(gross_minor), sum(fee_minor), sum(net_minor) FROM report_sum
		WHERE day_id = ? GROUP BY finding, type, currency HAVING sum(count) > 0 ORDER BY finding, type, currency`, dayID)
}

// SumsOfImport lists what the lines of an import come to, by day, finding, type and currency.
func (rx *Rx) SumsOfImport(i Import) ([]Sum, error) {
	return rx.sums(`SELECT s.day_id, s.import_id, s.finding, s.type, s.currency, s.count, s.gross_minor, s.fee_minor, s.net_minor
		FROM report_day d CROSS JOIN report_sum s ON s.day_id = d.id AND s.import_id = ?4
		WHERE d.gateway = ?1 AND d.day BETWEEN ?2 AND ?3 AND s.count > 0 ORDER BY s.day_id, s.finding, s.type, s.currency`, i.Gateway, i.FirstDay, i.LastDay, i.ID)
}

// Book is a payment as a line of a report is compared with it, together with one of the lines that it has already.
type Book struct {
	At       int // which of the references found it
	Payment  BookPayment
	LineID   int64 // 0: it has no line yet
	LineKey  []byte
	LineType string
	Finding  string
	Movement string
	ImportID int64 // of that line
	Number   int64 // of that line in its file
}

// BookPayment is what is compared of a payment; amounts are minor units.
type BookPayment struct {
	ID            int64
	Currency      string
	State         string
	ReceivedMinor int64
	ReversedMinor int64
	PaidMs        int64
	Version       int64
}

const bookColumns = `p.id, p.currency, p.state, p.received_minor, p.reversed_minor, p.paid_ms, p.version, l.id, l.key, l.type, l.finding, l.movement, l.import_id, l.number`

func scanBook(r *Row) Book {
	b := Book{At: int(r.Int(0)), Payment: BookPayment{ID: r.Int(1), Currency: r.Text(2), State: r.Text(3), ReceivedMinor: r.Int(4), ReversedMinor: r.Int(5), PaidMs: r.Int(6), Version: r.Int(7)}}
	if !r.Null(8) {
		b.LineID, b.LineKey, b.LineType, b.Finding, b.Movement, b.ImportID, b.Number = r.Int(8), r.Blob(9), r.Text(10), r.Text(11), r.Text(12), r.Int(13), r.Int(14)
	}
	return b
}

// BooksByRef finds the payments that ids of a gateway belong to, each once for every line that it has, or once.
func (rx *Rx) BooksByRef(gateway string, refs []string, each func(Book)) error {
	return rx.books(`CROSS JOIN gateway_ref g ON g.ref = j.value AND g.gateway = ?2 CROSS JOIN payment p ON p.id = g.payment_id`, gateway, refs, each)
}

// BooksByMerchantRef finds the payments under merchant references, all attempts, each once for every line that it has, or once.
func (rx *Rx) BooksByMerchantRef(gateway string, refs []string, each func(Book)) error {
	return rx.books(`CROSS JOIN payment p ON p.gateway = ?2 AND p.merchant_ref = j.value`, gateway, refs, each)
}

func (rx *Rx) books(join, gateway string, refs []string, each func(Book)) error {
	wanted, err := json.Marshal(refs)
	if err != nil {
		return err
	}
	return rx.each(`SELECT j.key, `+bookColumns+` FROM json_each(?1) j `+join+` LEFT JOIN report_line l ON l.payment_id = p.id`,
		func(r *Row) { each(scanBook(r)) }, string(wanted), gateway)
}

// RefsOf gives the gateway's ids of some payments.
func (rx *Rx) RefsOf(payments []int64, each func(paymentID int64, ref string)) error {
	wanted, err := json.Marshal(payments)
	if err != nil {
		return err
	}
	return rx.each(`SELECT g.payment_id, g.ref FROM json_each(?) j CROSS JOIN gateway_ref g ON g.payment_id = j.value`, func(r *Row) { each(r.Int(0), r.Text(1)) }, string(wanted))
}

// KnownLine is a line that is stored already.
type KnownLine struct {
	At       int // which of the keys it has
	ID       int64
	ImportID int64
	Number   int64 // in its file
}

// LinesWithoutPayment finds the stored lines of some keys that belong to no payment.
func (rx *Rx) LinesWithoutPayment(keys [][]byte, each func(KnownLine)) error {
	var hexes strings.Builder
	hexes.WriteByte('[')
	const digits = "0123456789abcdef"
	for i, k := range keys {
		if i > 0 {
			hexes.WriteByte(',')
		}
		hexes.WriteByte('"')
		for _, b := range k {
			hexes.WriteByte(digits[b>>4])
			hexes.WriteByte(digits[b&15])
		}
		hexes.WriteByte('"')
	}
	hexes.WriteByte(']')
	return rx.each(`SELECT j.key, l.id, l.import_id, l.number FROM json_each(?1) j CROSS JOIN report_line l ON l.key = unhex(j.value) AND l.payment_id IS NULL`,
		func(r *Row) { each(KnownLine{At: int(r.Int(0)), ID: r.Int(1), ImportID: r.Int(2), Number: r.Int(3)}) }, hexes.String())
}

// MovementFact is a refund or dispute that we know of a payment.
type MovementFact struct {
	PaymentID   int64
	Kind        string // refund, dispute
	Ref         string
	AmountMinor int64
	HasAmount   bool
	Currency    string
	Cumulative  bool
	Status      string
	OwnMs       int64
}

// MovementsOf lists what was said of refunds and disputes of some payments, hints and report lines left out, in the order of their commit.
func (rx *Rx) MovementsOf(payments []int64, each func(MovementFact)) error {
	wanted, err := json.Marshal(payments)
	if err != nil {
		return err
	}
	return rx.each(`SELECT f.payment_id, f.kind, f.ref, f.amount_minor, f.currency, f.cumulative, f.status, f.own_ms FROM json_each(?1) j CROSS JOIN fact f ON f.payment_id = j.value
		WHERE (f.kind = 'refund' OR f.kind = 'dispute') AND f.hint = 0 AND f.source != 'report' ORDER BY f.id`,
		func(r *Row) {
			each(MovementFact{PaymentID: r.Int(0), Kind: r.Text(1), Ref: r.Text(2), AmountMinor: r.Int(3), HasAmount: !r.Null(3), Currency: r.Text(4), Cumulative: r.Bool(5), Status: r.Text(6), OwnMs: r.Int(7)})
		}, string(wanted))
}
