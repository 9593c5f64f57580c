package store

// Order is the merchant's order, shared by its payments.
type Order struct {
	ID        int64
	Ref       string
	Payments  int64 // how many it has
	ClosedMs  int64 // 0: not closed by the shop
	Forced    bool
	CreatedMs int64
}

// Payment is one payment with its last standing; amounts are minor units, instants UTC milliseconds.
type Payment struct {
	ID            int64
	PublicID      string
	Gateway       string
	MerchantRef   string
	Attempt       string
	OrderID       int64
	AmountMinor   int64
	Currency      string
	State         string
	Cause         string
	Late          bool
	ReceivedMinor int64
	RefundedMinor int64
	DisputedMinor int64
	ReversedMinor int64
	Source        string // who decided the state
	Version       int64
	Facts         int64
	Reviews       int64  // open ones
	Told          string // payment.Told as JSON
	Paid          bool
	SuccessTold   bool

	LastAskedMs    int64
	LastAnsweredMs int64
	LastAnswer     string
	EverHeard      bool

	CreatedMs   int64
	ChangedMs   int64
	ExpiresMs   int64 // 0: never
	GiveUpMs    int64
	ReconcileMs int64 // 0: nothing left to ask
	PaidMs      int64 // own time of its success, where a gateway would report it; 0: none
	Metadata    string
	Order       Order // filled by every read
}

const paymentColumns = `p.id, p.public_id, p.gateway, p.merchant_ref, p.attempt, p.order_id, p.amount_minor, p.currency, p.state, p.cause,
	p.late, p.received_minor, p.refunded_minor, p.disputed_minor, p.reversed_minor, p.source, p.version, p.facts, p.reviews, p.told, p.paid, p.success_told,
	p.last_asked_ms, p.last_answered_ms, p.last_answer, p.ever_heard, p.created_ms, p.changed_ms, p.expires_ms, p.give_up_ms, p.next_reconciliation_at_ms, p.metadata, p.paid_ms,
	o.id, o.order_ref, o.payments, o.closed_ms, o.forced, o.created_ms`

const paymentFrom = ` FROM payment p JOIN orders o ON o.id = p.order_id `

const paymentWidth = 33

func scanPayment(r *Row) Payment {
	return Payment{
		ID: r.Int(0), PublicID: r.Text(1), Gateway: r.Text(2), MerchantRef: r.Text(3), Attempt: r.Text(4), OrderID: r.Int(5),
		AmountMinor: r.Int(6), Currency: r.Text(7), State: r.Text(8), Cause: r.Text(9), Late: r.Int(10) == 1,
		ReceivedMinor: r.Int(11), RefundedMinor: r.Int(12), DisputedMinor: r.Int(13), ReversedMinor: r.Int(14),
		Source: r.Text(15), Version: r.Int(16), Facts: r.Int(17), Reviews: r.Int(18), Told: r.Text(19), Paid: r.Int(20) == 1, SuccessTold: r.Int(21) == 1,
		LastAskedMs: r.Int(22), LastAnsweredMs: r.Int(23), LastAnswer: r.Text(24), EverHeard: r.Int(25) == 1,
		CreatedMs: r.Int(26), ChangedMs: r.Int(27), ExpiresMs: r.Int(28), GiveUpMs: r.Int(29), ReconcileMs: r.Int(30), Metadata: r.Text(31), PaidMs: r.Int(32),
		Order: scanOrder(r, paymentWidth),
	}
}

func scanOrder(r *Row, at int) Order {
	return Order{ID: r.Int(at), Ref: r.Text(at + 1), Payments: r.Int(at + 2), ClosedMs: r.Int(at + 3), Forced: r.Int(at+4) == 1, CreatedMs: r.Int(at + 5)}
}

func (rx *Rx) payment(where string, args ...any) (p Payment, ok bool, err error) {
	ok, err = rx.one(`SELECT `+paymentColumns+paymentFrom+where, func(r *Row) { p = scanPayment(r) }, args...)
	return p, ok, err
}

func (rx *Rx) payments(where string, args ...any) (list []Payment, err error) {
	err = rx.each(`SELECT `+paymentColumns+paymentFrom+where, func(r *Row) { list = append(list, scanPayment(r)) }, args...)
	return list, err
}

// Payment returns one payment by its row id.
func (rx *Rx) Payment(id int64) (Payment, bool, error) { return rx.payment(`WHERE p.id = ?`, id) }

// PaymentByPublicID returns one payment by the id that the API shows.
func (rx *Rx) PaymentByPublicID(id string) (Payment, bool, error) {
	return rx.payment(`WHERE p.public_id = ?`, id)
}

// PaymentByMerchantRef returns the payment of (gateway, merchant reference, attempt).
func (rx *Rx) PaymentByMerchantRef(gateway, merchantRef, attempt string) (Payment, bool, error) {
	return rx.payment(`WHERE p.gateway = ? AND p.merchant_ref = ? AND p.attempt = ?`, gateway, merchantRef, attempt)
}

// PaymentsByMerchantRef returns all attempts of (gateway, merchant reference), oldest first.
func (rx *Rx) PaymentsByMerchantRef(gateway, merchantRef string) ([]Payment, error) {
	return rx.payments(`WHERE p.gateway = ? AND p.merchant_ref = ? ORDER BY p.id`, gateway, merchantRef)
}

// PaymentsOfOrder returns an order's payments, oldest first.
func (rx *Rx) PaymentsOfOrder(orderID int64) ([]Payment, error) {
	return rx.payments(`WHERE p.order_id = ? ORDER BY p.id`, orderID)
}

// PaymentsToReconcile returns payments whose next_reconciliation_at has come, oldest first.
func (rx *Rx) PaymentsToReconcile(nowMs int64, limit int) ([]Payment, error) {
	return rx.payments(`WHERE p.next_reconciliation_at_ms <= ? ORDER BY p.next_reconciliation_at_ms LIMIT ?`, nowMs, limit)
}

// OrderByRef returns the merchant's order.
func (rx *Rx) OrderByRef(ref string) (o Order, ok bool, err error) {
	ok, err = rx.one(`SELECT o.id, o.order_ref, o.payments, o.closed_ms, o.forced, o.created_ms FROM orders o WHERE o.order_ref = ?`,
		func(r *Row) { o = scanOrder(r, 0) }, ref)
	return o, ok, err
}

// EnsureOrder returns the order of a reference, made if it was not there.
func (tx *Tx) EnsureOrder(ref string, nowMs int64) (Order, error) {
	if _, err := tx.exec(`INSERT INTO orders (order_ref, created_ms) VALUES (?, ?) ON CONFLICT DO NOTHING`, ref, nowMs); err != nil {
		return Order{}, err
	}
	o, _, err := tx.OrderByRef(ref)
	return o, err
}

// CloseOrder records the shop's word that an order is given up; ms 0 reopens it.
func (tx *Tx) CloseOrder(id, ms int64, forced bool) error {
	_, err := tx.exec(`UPDATE orders SET closed_ms = ?, forced = ? WHERE id = ?`, nullable(ms), flag(forced), id)
	return err
}

// InsertPayment adds a registered payment and returns its row id.
func (tx *Tx) InsertPayment(p Payment) (int64, error) {
	id, err := tx.insert(`INSERT INTO payment (public_id, gateway, merchant_ref, attempt, order_id, amount_minor, currency, state, cause, version,
			created_ms, changed_ms, expires_ms, give_up_ms, next_reconciliation_at_ms, metadata)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.PublicID, p.Gateway, p.MerchantRef, p.Attempt, p.OrderID, p.AmountMinor, p.Currency, p.State, p.Cause, p.Version,
		p.CreatedMs, p.ChangedMs, p.ExpiresMs, p.GiveUpMs, nullable(p.ReconcileMs), p.Metadata)
	if err != nil {
		return 0, err
	}
	_, err = tx.exec(`UPDATE orders SET payments = payments + 1 WHERE id = ?`, p.OrderID)
	return id, err
}

// MovePayment writes a payment's new standing; false means that its version was no longer `from`.
func (tx *Tx) MovePayment(p Payment, from int64) (bool, error) {
	n, err := tx.exec(`UPDATE payment SET state = ?, cause = ?, late = ?, received_minor = ?, refunded_minor = ?, disputed_minor = ?, reversed_minor = ?,
			source = ?, version = ?, facts = ?, reviews = ?, told = ?, paid = ?, success_told = ?, changed_ms = ?, next_reconciliation_at_ms = ?,
			last_asked_ms = ?, last_answered_ms = ?, last_answer = ?, ever_heard = ?, paid_ms = ?
		WHERE id = ? AND version = ?`,
		p.State, p.Cause, flag(p.Late), p.ReceivedMinor, p.RefundedMinor, p.DisputedMinor, p.ReversedMinor,
		p.Source, p.Version, p.Facts, p.Reviews, p.Told, flag(p.Paid), flag(p.SuccessTold), p.ChangedMs, nullable(p.ReconcileMs),
		p.LastAskedMs, p.LastAnsweredMs, p.LastAnswer, flag(p.EverHeard), p.PaidMs, p.ID, from)
	return n == 1, err
}

// NoteAsked records when a payment's gateway was last asked and what it answered; it is no change of standing.
func (tx *Tx) NoteAsked(p Payment) error {
	_, err := tx.exec(`UPDATE payment SET last_asked_ms = ?, last_answered_ms = ?, last_answer = ?, ever_heard = ?, next_reconciliation_at_ms = ? WHERE id = ?`,
		p.LastAskedMs, p.LastAnsweredMs, p.LastAnswer, flag(p.EverHeard), nullable(p.ReconcileMs), p.ID)
	return err
}

// UpdateTerms changes what may be changed by registering again: expiry, give-up time and metadata.
func (tx *Tx) UpdateTerms(p Payment) error {
	_, err := tx.exec(`UPDATE payment SET expires_ms = ?, give_up_ms = ?, metadata = ?, next_reconciliation_at_ms = ? WHERE id = ?`,
		p.ExpiresMs, p.GiveUpMs, p.Metadata, nullable(p.ReconcileMs), p.ID)
	return err
}

// CountReviews sets how many open reviews a payment has.
func (tx *Tx) CountReviews(paymentID int64) error {
	_, err := tx.exec(`UPDATE payment SET reviews = (SELECT count(*) FROM review WHERE payment_id = ?1 AND state = 'open') WHERE id = ?1`, paymentID)
	return err
}

// BindAttempt gives a payment without an attempt the id of its attempt.
func (tx *Tx) BindAttempt(paymentID int64, attempt string) error {
	_, err := tx.exec(`UPDATE payment SET attempt = ? WHERE id = ? AND attempt = ''`, attempt, paymentID)
	return err
}

// GatewayRef is one of the gateway's own ids of a payment.
type GatewayRef struct {
	Kind string
	Ref  string
}

// AddRef binds a gateway's id to a payment; taken is the row id of another payment that has it, or 0.
func (tx *Tx) AddRef(gateway string, ref GatewayRef, paymentID int64) (taken int64, err error) {
	n, err := tx.exec(`INSERT INTO gateway_ref (gateway, kind, ref, payment_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`, gateway, ref.Kind, ref.Ref, paymentID)
	if err != nil || n == 1 {
		return 0, err
	}
	owner, _, err := tx.PaymentOfRef(gateway, ref)
	if owner == paymentID {
		owner = 0
	}
	return owner, err
}

// PaymentOfRef returns the row id of the payment that a gateway's id belongs to.
func (rx *Rx) PaymentOfRef(gateway string, ref GatewayRef) (id int64, ok bool, err error) {
	ok, err = rx.one(`SELECT payment_id FROM gateway_ref WHERE gateway = ? AND kind = ? AND ref = ?`,
		func(r *Row) { id = r.Int(0) }, gateway, ref.Kind, ref.Ref)
	return id, ok, err
}

// RefsOfPayment lists a payment's gateway ids.
func (rx *Rx) RefsOfPayment(paymentID int64) (refs []GatewayRef, err error) {
	err = rx.each(`SELECT kind, ref FROM gateway_ref WHERE payment_id = ? ORDER BY kind, ref`,
		func(r *Row) { refs = append(refs, GatewayRef{r.Text(0), r.Text(1)}) }, paymentID)
	return refs, err
}
