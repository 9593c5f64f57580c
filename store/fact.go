package store

// Fact is an observation that is new, as a row; see payment.Fact for the meaning of its fields.
type Fact struct {
	ID          int64
	PaymentID   int64
	Version     int64
	Key         string
	Kind        string
	Source      string
	Word        string
	Hint        bool
	Never       bool
	HasAmount   bool
	AmountMinor int64
	Currency    string
	Ref         string
	Cumulative  bool
	Status      string
	OwnMs       int64
	CommittedMs int64
	Refers      int64
	Act         string
	Basis       string
	Saw         int64
	Actor       string
	Reason      string
	InboxID     int64 // the evidence; 0: none
}

// InsertFact adds a fact and returns its id; 0 means that the payment had it already.
func (tx *Tx) InsertFact(f Fact) (id int64, err error) {
	var amount any
	if f.HasAmount {
		amount = f.AmountMinor
	}
	return tx.insert(`INSERT INTO fact (payment_id, version, key, kind, source, word, hint, never, amount_minor, currency, ref, cumulative, status,
			own_ms, committed_ms, refers, act, basis, saw, actor, reason, inbox_id)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		f.PaymentID, f.Version, f.Key, f.Kind, f.Source, f.Word, flag(f.Hint), flag(f.Never), amount, f.Currency, f.Ref, flag(f.Cumulative), f.Status,
		f.OwnMs, f.CommittedMs, f.Refers, f.Act, f.Basis, f.Saw, f.Actor, f.Reason, nullable(f.InboxID))
}

// FactsOf returns a payment's facts in the order of their commits.
func (rx *Rx) FactsOf(paymentID int64) (facts []Fact, err error) {
	err = rx.each(`SELECT id, payment_id, version, key, kind, source, word, hint, never, amount_minor, currency, ref, cumulative, status,
			own_ms, committed_ms, refers, act, basis, saw, actor, reason, inbox_id FROM fact WHERE payment_id = ? ORDER BY id`,
		func(r *Row) { facts = append(facts, scanFact(r)) }, paymentID)
	return facts, err
}

func scanFact(r *Row) Fact {
	return Fact{
		ID: r.Int(0), PaymentID: r.Int(1), Version: r.Int(2), Key: r.Text(3), Kind: r.Text(4), Source: r.Text(5), Word: r.Text(6),
		Hint: r.Int(7) == 1, Never: r.Int(8) == 1, HasAmount: !r.Null(9), AmountMinor: r.Int(9), Currency: r.Text(10), Ref: r.Text(11),
		Cumulative: r.Int(12) == 1, Status: r.Text(13), OwnMs: r.Int(14), CommittedMs: r.Int(15), Refers: r.Int(16), Act: r.Text(17),
		Basis: r.Text(18), Saw: r.Int(19), Actor: r.Text(20), Reason: r.Text(21), InboxID: r.Int(22),
	}
}

// Move is one row of a payment's history.
type Move struct {
	ID                 int64
	PaymentID          int64
	Version            int64
	FromState, ToState string
	FromCause, ToCause string
	Source             string // who moved it
	Trigger            string // webhook, query, scan, settlement, person, shop, timer, registration
	Evidence           int64  // inbox id; 0: none
	AtMs               int64
}

// InsertMove adds a history row.
func (tx *Tx) InsertMove(m Move) error {
	_, err := tx.insert(`INSERT INTO history (payment_id, version, from_state, to_state, from_cause, to_cause, source, trigger, evidence, at_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		m.PaymentID, m.Version, m.FromState, m.ToState, m.FromCause, m.ToCause, m.Source, m.Trigger, nullable(m.Evidence), m.AtMs)
	return err
}

// MovesOf returns a payment's history, oldest first.
func (rx *Rx) MovesOf(paymentID int64) (moves []Move, err error) {
	err = rx.each(`SELECT id, payment_id, version, from_state, to_state, from_cause, to_cause, source, trigger, evidence, at_ms
		FROM history WHERE payment_id = ? ORDER BY version`,
		func(r *Row) {
			moves = append(moves, Move{ID: r.Int(0), PaymentID: r.Int(1), Version: r.Int(2), FromState: r.Text(3), ToState: r.Text(4),
				FromCause: r.Text(5), ToCause: r.Text(6), Source: r.Text(7), Trigger: r.Text(8), Evidence: r.Int(9), AtMs: r.Int(10)})
		}, paymentID)
	return moves, err
}
