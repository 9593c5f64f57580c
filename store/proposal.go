package store

// Proposal is a decision that waits for another person's approval.
type Proposal struct {
	ReviewID  int64 // the question whether it is approved
	PaymentID int64
	Answers   int64 // the question that it answers; 0: none
	Version   int64 // of the payment, as the person saw it
	Act       string
	Basis     string
	Amount    string // major units, as typed
	Reason    string
	Refers    int64 // undo: id of the decision's fact
	Actor     string
}

// InsertProposal writes a decision down that does not take effect yet.
func (tx *Tx) InsertProposal(p Proposal) error {
	_, err := tx.exec(`INSERT INTO proposal (review_id, payment_id, answers, version, act, basis, amount, reason, refers, actor) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		p.ReviewID, p.PaymentID, nullable(p.Answers), p.Version, p.Act, p.Basis, p.Amount, p.Reason, p.Refers, p.Actor)
	return err
}

// Proposal returns the decision that a review asks another person to approve.
func (rx *Rx) Proposal(reviewID int64) (p Proposal, ok bool, err error) {
	ok, err = rx.one(`SELECT review_id, payment_id, coalesce(answers, 0), version, act, basis, amount, reason, refers, actor FROM proposal WHERE review_id = ?`,
		func(r *Row) {
			p = Proposal{ReviewID: r.Int(0), PaymentID: r.Int(1), Answers: r.Int(2), Version: r.Int(3), Act: r.Text(4), Basis: r.Text(5), Amount: r.Text(6),
				Reason: r.Text(7), Refers: r.Int(8), Actor: r.Text(9)}
		}, reviewID)
	return p, ok, err
}

// KeepProposal has a decision stand on a later version of its payment, in which nothing else is new.
func (tx *Tx) KeepProposal(reviewID, version int64) error {
	_, err := tx.exec(`UPDATE proposal SET version = ? WHERE review_id = ?`, version, reviewID)
	return err
}
