package app

import (
	"nodrop/app/gateway"
	"nodrop/store"
)

// meetOthers makes payments of other attempts at a reference that the gateway says are paid, and has it asked about each:
// their notices may have been lost, and nobody registered them.
func (e *Engine) meetOthers(tx *store.Tx, a *account, p store.Payment, others []gateway.Observation) error {
	for _, o := range others {
		_, known, err := tx.PaymentByMerchantRef(a.name, p.MerchantRef, o.Attempt)
		if err != nil {
			return err
		}
		if known {
			continue
		}
		other, err := e.registerAttempt(tx, a, p, o.Attempt, e.nowMs())
		if err != nil {
			return err
		}
		if err := e.bind(tx, a, &other, o, e.nowMs()); err != nil {
			return err
		}
		if err := tx.SetTimer(store.Timer{PaymentID: other.ID, Kind: "ask", Gateway: a.name, Lane: store.LaneYoung, DueMs: e.nowMs(), Why: checkNow}); err != nil {
			return err
		}
	}
	return nil
}
