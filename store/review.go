package store

// Review is one open question for a person.
type Review struct {
	ID          int64
	Kind        string
	Subject     string // what it is about, unique among the open ones of its kind
	PaymentID   int64  // 0: none
	OrderID     int64
	InboxID     int64
	OutboxSeq   int64
	Gateway     string
	AmountMinor int64 // money at risk
	Currency    string
	Urgent      bool
	State       string // open, closed
	SnoozedMs   int64  // hidden until
	OpenedMs    int64
	ClosedMs    int64
	ClosedBy    string
	Answer      string
	Reason      string
}

const reviewColumns = `v.id, v.kind, v.subject, v.payment_id, v.order_id, v.inbox_id, v.outbox_seq, v.gateway, v.amount_minor, v.currency, v.urgent, v.state, v.snoozed_ms, v.opened_ms, v.closed_ms, v.closed_by, v.answer, v.reason`

func scanReview(r *Row) Review {
	return Review{ID: r.Int(0), Kind: r.Text(1), Subject: r.Text(2), PaymentID: r.Int(3), OrderID: r.Int(4), InboxID: r.Int(5), OutboxSeq: r.Int(6), Gateway: r.Text(7),
		AmountMinor: r.Int(8), Currency: r.Text(9), Urgent: r.Int(10) == 1, State: r.Text(11), SnoozedMs: r.Int(12), OpenedMs: r.Int(13), ClosedMs: r.Int(14),
		ClosedBy: r.Text(15), Answer: r.Text(16), Reason: r.Text(17)}
}

func (rx *Rx) reviews(where string, args ...any) (list []Review, err error) {
	err = rx.each(`SELECT `+reviewColumns+` FROM review v `+where, func(r *Row) { list = append(list, scanReview(r)) }, args...)
	return list, err
}

// OpenReview opens a question; if it is open already its money at risk and urgency are brought up to date. opened tells which.
func (tx *Tx) OpenReview(v Review) (opened bool, err error) {
	n, err := tx.exec(`UPDATE review SET amount_minor = ?, currency = ?, urgent = ? WHERE kind = ? AND subject = ? AND state = 'open'`,
		v.AmountMinor, v.Currency, flag(v.Urgent), v.Kind, v.Subject)
	if err != nil || n == 1 {
		return false, err
	}
	_, err = tx.insert(`INSERT INTO review (kind, subject, payment_id, order_id, inbox_id, outbox_seq, gateway, amount_minor, currency, urgent, state, opened_ms)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open', ?)`,
		v.Kind, v.Subject, nullable(v.PaymentID), nullable(v.OrderID), nullable(v.InboxID), nullable(v.OutboxSeq), v.Gateway, v.AmountMinor, v.Currency, flag(v.Urgent), v.OpenedMs)
	return err == nil, err
}

// CloseReview answers an open question; false means that it was not open.
func (tx *Tx) CloseReview(id, nowMs int64, by, answer, reason string) (bool, error) {
	n, err := tx.exec(`UPDATE review SET state = 'closed', closed_ms = ?, closed_by = ?, answer = ?, reason = ? WHERE id = ? AND state = 'open'`, nowMs, by, answer, reason, id)
	return n == 1, err
}

// ReopenReview opens a closed question again; false means that it is open or that a like one is.
func (tx *Tx) ReopenReview(id int64) (bool, error) {
	n, err := tx.exec(`UPDATE OR IGNORE review SET state = 'open', closed_ms = NULL, closed_by = '', answer = '', reason = '' WHERE id = ? AND state = 'closed'`, id)
	return n == 1, err
}

// SnoozeReview hides an open question until an instant.
func (tx *Tx) SnoozeReview(id, untilMs int64) (bool, error) {
	n, err := tx.exec(`UPDATE review SET snoozed_ms = ? WHERE id = ? AND state = 'open'`, untilMs, id)
	return n == 1, err
}

// Review returns one question.
func (rx *Rx) Review(id int64) (Review, bool, error) {
	list, err := rx.reviews(`WHERE v.id = ?`, id)
	if err != nil || len(list) == 0 {
		return Review{}, false, err
	}
	return list[0], true, nil
}

// OpenReviewOf returns the open question of a kind and subject.
func (rx *Rx) OpenReviewOf(kind, subject string) (Review, bool, error) {
	list, err := rx.reviews(`WHERE v.kind = ? AND v.subject = ? AND v.state = 'open'`, kind, subject)
	if err != nil || len(list) == 0 {
		return Review{}, false, err
	}
	return list[0], true, nil
}

// ReviewsOfPayment lists a payment's questions, oldest first.
func (rx *Rx) ReviewsOfPayment(paymentID int64) ([]Review, error) {
	return rx.reviews(`WHERE v.payment_id = ? ORDER BY v.id`, paymentID)
}

// OpenReviewsOfOrder lists the open questions of an order and of its payments.
func (rx *Rx) OpenReviewsOfOrder(orderID int64) ([]Review, error) {
	return rx.reviews(`WHERE v.state = 'open' AND v.order_id = ? ORDER BY v.id`, orderID)
}

// OpenReviews lists the queue: urgent first, then most money and oldest; snoozed ones are left out unless asked for.
func (rx *Rx) OpenReviews(kind string, nowMs int64, snoozed bool, limit int) ([]Review, error) {
	return rx.reviews(`WHERE v.state = 'open' AND (?1 = '' OR v.kind = ?1) AND (?3 OR v.snoozed_ms <= ?2)
		ORDER BY v.urgent DESC, v.amount_minor DESC, v.opened_ms, v.id LIMIT ?4`, kind, nowMs, flag(snoozed), limit)
}

// ClosedReviews lists answered questions, newest answer first.
func (rx *Rx) ClosedReviews(limit int) ([]Review, error) {
	return rx.reviews(`WHERE v.state = 'closed' ORDER BY v.closed_ms DESC LIMIT ?`, limit)
}

// CountOpen counts the open questions of a kind about a gateway.
func (rx *Rx) CountOpen(kind, gateway string) (n int, err error) {
	_, err = rx.one(`SELECT count(*) FROM review WHERE state = 'open' AND kind = ? AND gateway = ?`, func(r *Row) { n = int(r.Int(0)) }, kind, gateway)
	return n, err
}

// Risk is the money at risk in one currency, over a number of open questions.
type Risk struct {
	Currency    string
	AmountMinor int64
	Count       int64
}

// AtRisk sums the open questions by currency, the money of one payment once; snoozed ones count too.
func (rx *Rx) AtRisk() (list []Risk, err error) {
	err = rx.each(`SELECT currency, sum(most), sum(n) FROM (SELECT currency, max(amount_minor) AS most, count(*) AS n FROM review
			WHERE state = 'open' GROUP BY currency, coalesce(payment_id, -id)) GROUP BY currency ORDER BY 2 DESC`,
		func(r *Row) { list = append(list, Risk{r.Text(0), r.Int(1), r.Int(2)}) })
	return list, err
}
