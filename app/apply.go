package app

import (
	"encoding/json"

	"nodrop/app/payment"
	"nodrop/store"
)

// change is what may move a payment: new facts and where they come from.
type change struct {
	trigger  string // webhook, query, scan, settlement, person, shop, timer, registration
	evidence int64  // inbox id; 0: none
	now      int64
	facts    []payment.Fact
	actor    string // the person whose act it is; "" otherwise
	act      string // that act
	reason   string // their reason
}

// apply is the only writer of standings: facts, standing, history, timers, reviews and outbox entries in one transaction.
// It tells whether anything was new; what was said before moves nothing. The payment is brought up to date in place.
func (e *Engine) apply(tx *store.Tx, a *account, p *store.Payment, c change) (moved bool, err error) {
	facts, err := loadFacts(&tx.Rx, *p)
	if err != nil {
		return false, err
	}
	before := *p
	facts, err = e.addFacts(tx, p, facts, c)
	if err != nil {
		return false, err
	}
	if p.Facts == before.Facts {
		return false, e.reschedule(tx, a, p, facts, c.now)
	}
	p.Version++
	terms, err := e.terms(&tx.Rx, a, *p)
	if err != nil {
		return false, err
	}
	siblings, err := e.siblings(tx, *p)
	if err != nil {
		return false, err
	}
	told, err := toldOf(*p)
	if err != nil {
		return false, err
	}
	m := payment.Move(terms, facts, told, payment.OtherPaidAndTold(orderParts(siblings), p.PublicID))
	for _, f := range m.Own {
		if facts, err = e.addFact(tx, p, facts, f, c.evidence); err != nil {
			return false, err
		}
	}
	setStanding(p, m.Standing)
	p.PaidMs = paidMs(m.Standing, facts)
	p.ChangedMs = c.now
	if err := e.settleReviews(tx, p, before, m.Reviews, siblings, c); err != nil {
		return false, err
	}
	if err := e.tell(tx, p, m.Entries, siblings, c.now); err != nil {
		return false, err
	}
	if err := setTold(p, m.Told); err != nil {
		return false, err
	}
	plan := planOf(terms, facts, askedOf(*p), c.now)
	if err := e.schedule(tx, a, p, plan); err != nil {
		return false, err
	}
	return true, e.move(tx, before, *p, c)
}

// addFacts stores the facts that are new, all with the version that they bring about.
func (e *Engine) addFacts(tx *store.Tx, p *store.Payment, facts []payment.Fact, c change) ([]payment.Fact, error) {
	version := p.Version + 1
	for _, f := range c.facts {
		f.Version, f.CommittedMs = version, c.now
		var err error
		if facts, err = e.addFact(tx, p, facts, f, c.evidence); err != nil {
			return nil, err
		}
	}
	return facts, nil
}

func (e *Engine) addFact(tx *store.Tx, p *store.Payment, facts []payment.Fact, f payment.Fact, evidence int64) ([]payment.Fact, error) {
	id, err := tx.InsertFact(factToRow(p.ID, evidence, f))
	if err != nil || id == 0 {
		return facts, err
	}
	f.ID = id
	p.Facts++
	return append(facts, f), nil
}

// move writes the payment's row and its history.
func (e *Engine) move(tx *store.Tx, before, p store.Payment, c change) error {
	e.moved.note(p.ID)
	ok, err := tx.MovePayment(p, before.Version)
	if err != nil {
		return err
	}
	if !ok {
		return fail(KindStale, "stale", "payment %s has changed meanwhile", p.PublicID)
	}
	source := p.Source
	if len(c.facts) > 0 {
		source = string(c.facts[0].Source)
	}
	return tx.InsertMove(store.Move{
		PaymentID: p.ID, Version: p.Version, FromState: before.State, ToState: p.State, FromCause: before.Cause, ToCause: p.Cause,
		Source: source, Trigger: c.trigger, Evidence: c.evidence, AtMs: c.now,
	})
}

// siblings are the other payments of the order.
func (e *Engine) siblings(rx interface {
	PaymentsOfOrder(int64) ([]store.Payment, error)
}, p store.Payment) ([]store.Payment, error) {
	if p.Order.Payments <= 1 {
		return nil, nil
	}
	all, err := rx.PaymentsOfOrder(p.OrderID)
	others := make([]store.Payment, 0, len(all))
	for _, q := range all {
		if q.ID != p.ID {
			others = append(others, q)
		}
	}
	return others, err
}

func toldOf(p store.Payment) (told payment.Told, err error) {
	if p.Told != "" {
		err = json.Unmarshal([]byte(p.Told), &told)
	}
	return told, err
}

func setTold(p *store.Payment, told payment.Told) error {
	b, err := json.Marshal(told)
	p.Told = string(b)
	p.SuccessTold = told.Success
	return err
}

// reschedule sets a payment's timers again when nothing about its standing is new.
func (e *Engine) reschedule(tx *store.Tx, a *account, p *store.Payment, facts []payment.Fact, now int64) error {
	terms, err := e.terms(&tx.Rx, a, *p)
	if err != nil {
		return err
	}
	plan := planOf(terms, facts, askedOf(*p), now)
	if err := e.schedule(tx, a, p, plan); err != nil {
		return err
	}
	if p.LastAnsweredMs != 0 {
		e.moved.note(p.ID)
	}
	return tx.NoteAsked(*p)
}
