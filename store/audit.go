package store

// Audit is one act of a person or of the shop.
type Audit struct {
	ID        int64
	AtMs      int64
	Actor     string
	Action    string
	Subject   string
	PaymentID int64 // 0: none
	Detail    string
	FormKey   string // one act for each; "" where none came
}

// InsertAudit adds an act; false means that the form key was used before.
func (tx *Tx) InsertAudit(a Audit) (bool, error) {
	var key any
	if a.FormKey != "" {
		key = a.FormKey
	}
	n, err := tx.exec(`INSERT INTO audit (at_ms, actor, action, subject, payment_id, detail, form_key) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (form_key) DO NOTHING`,
		a.AtMs, a.Actor, a.Action, a.Subject, nullable(a.PaymentID), a.Detail, key)
	return n == 1, err
}

func scanAudit(r *Row) Audit {
	return Audit{ID: r.Int(0), AtMs: r.Int(1), Actor: r.Text(2), Action: r.Text(3), Subject: r.Text(4), PaymentID: r.Int(5), Detail: r.Text(6), FormKey: r.Text(7)}
}

// Audits lists acts newest first, of one payment (0 for all), below an id (0: newest).
func (rx *Rx) Audits(paymentID, before int64, limit int) (list []Audit, err error) {
	if before == 0 {
		before = maxID
	}
	err = rx.each(`SELECT id, at_ms, actor, action, subject, payment_id, detail, form_key FROM audit
		WHERE id < ?1 AND (?2 = 0 OR payment_id = ?2) ORDER BY id DESC LIMIT ?3`,
		func(r *Row) { list = append(list, scanAudit(r)) }, before, paymentID, limit)
	return list, err
}

// AuditOfForm returns the act that a form was sent for.
func (rx *Rx) AuditOfForm(key string) (a Audit, ok bool, err error) {
	ok, err = rx.one(`SELECT id, at_ms, actor, action, subject, payment_id, detail, form_key FROM audit WHERE form_key = ?`, func(r *Row) { a = scanAudit(r) }, key)
	return a, ok, err
}

// FormUsed tells whether a form key was used.
func (rx *Rx) FormUsed(key string) (bool, error) {
	return rx.one(`SELECT 1 FROM audit WHERE form_key = ?`, func(*Row) {}, key)
}

// AuditsOf lists the acts about one subject, oldest first.
func (rx *Rx) AuditsOf(subject string, limit int) (list []Audit, err error) {
	err = rx.each(`SELECT id, at_ms, actor, action, subject, payment_id, detail, form_key FROM audit WHERE subject = ? ORDER BY id LIMIT ?`,
		func(r *Row) { list = append(list, scanAudit(r)) }, subject, limit)
	return list, err
}
