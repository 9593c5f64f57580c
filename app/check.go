package app

import (
	"context"
	"fmt"

	"nodrop/app/payment"
	"nodrop/store"
)

// CheckAll looks at the whole database: its integrity, its laws, and whether each stored standing is what the stored
// facts give. It returns what is wrong in plain words; nothing: all is sound.
func (e *Engine) CheckAll(ctx context.Context) ([]string, error) {
	broken, err := e.store.Check(ctx)
	if err != nil {
		return nil, err
	}
	after := int64(0)
	for {
		var page []store.Payment
		err := e.store.View(ctx, "check standings", func(rx *store.Rx) (err error) {
			if page, err = rx.Payments(store.PaymentFilter{After: after, Limit: checkPage}); err != nil {
				return err
			}
			for _, p := range page {
				faults, err := e.checkStanding(rx, p)
				if err != nil {
					return err
				}
				broken = append(broken, faults...)
			}
			return nil
		})
		if err != nil || len(page) == 0 {
			return broken, err
		}
		after = page[len(page)-1].ID
	}
}

const checkPage = 500

func withStanding(p store.Payment, s payment.Standing) store.Payment {
	setStanding(&p, s)
	return p
}

// checkStanding compares a payment's row with its facts and its last outbox entry.
func (e *Engine) checkStanding(rx *store.Rx, p store.Payment) ([]string, error) {
	a, ok := e.gateways[p.Gateway]
	if !ok {
		return nil, nil // its rules are not configured any more
	}
	rows, err := rx.FactsOf(p.ID)
	if err != nil {
		return nil, err
	}
	terms, err := e.terms(rx, a, p)
	if err != nil {
		return nil, err
	}
	want, _ := payment.Stand(terms, factsFromRows(rows))
	var broken []string
	q := p
	if setStanding(&q, want); q != p { // it was judged when the gateway could, or could not yet, be asked
		terms.HasQuery = !terms.HasQuery
		other, _ := payment.Stand(terms, factsFromRows(rows))
		if p == withStanding(p, other) {
			q, want = p, other
		}
	}
	if q != p {
		broken = append(broken, fmt.Sprintf("payment %s: stored as %s %s (received %d, refunded %d, disputed %d, reversed %d, late %v), its facts give %s %s (%d, %d, %d, %d, %v)", p.PublicID,
			p.State, p.Cause, p.ReceivedMinor, p.RefundedMinor, p.DisputedMinor, p.ReversedMinor, p.Late,
			q.State, q.Cause, q.ReceivedMinor, q.RefundedMinor, q.DisputedMinor, q.ReversedMinor, q.Late))
	}
	if int64(len(rows)) != p.Facts {
		broken = append(broken, fmt.Sprintf("payment %s: has %d facts, its row says %d", p.PublicID, len(rows), p.Facts))
	}
	told, err := toldOf(p)
	if err != nil {
		return nil, err
	}
	if want.Settled() && told.Last != want.Body() {
		broken = append(broken, fmt.Sprintf("payment %s: the shop was last told %+v, it stands as %+v", p.PublicID, told.Last, want.Body()))
	}
	return broken, nil
}
