package app

import (
	"nodrop/app/payment"
	"nodrop/store"
)

// schedule turns the rules' plan into the payment's timers and the instant from which the scan looks after it.
func (e *Engine) schedule(tx *store.Tx, a *account, p *store.Payment, plan payment.Plan) error {
	p.ReconcileMs = 0
	if plan.AskAtMs == 0 && plan.HoldAtMs == 0 {
		return tx.DropTimers(p.ID)
	}
	if plan.AskAtMs == 0 {
		if err := tx.DropTimer(p.ID, "ask"); err != nil {
			return err
		}
	} else {
		p.ReconcileMs = plan.AskAtMs + e.pace.ScanSlack.Milliseconds()
		t := store.Timer{PaymentID: p.ID, Kind: "ask", Gateway: p.Gateway, Lane: laneOf(plan.AskKind), DueMs: plan.AskAtMs, Why: string(plan.AskKind)}
		if err := tx.SetTimer(t); err != nil {
			return err
		}
		if a != nil {
			a.wake.wake()
		}
	}
	return e.scheduleHold(tx, p, plan)
}

func (e *Engine) scheduleHold(tx *store.Tx, p *store.Payment, plan payment.Plan) error {
	if plan.HoldAtMs == 0 {
		if p.Facts == 0 {
			return nil
		}
		return tx.DropTimer(p.ID, "hold")
	}
	if r := plan.HoldAtMs + e.pace.ScanSlack.Milliseconds(); p.ReconcileMs == 0 || r < p.ReconcileMs {
		p.ReconcileMs = r
	}
	return tx.SetTimer(store.Timer{PaymentID: p.ID, Kind: "hold", Gateway: holdLane, Lane: store.LaneHold, DueMs: plan.HoldAtMs, Refers: plan.HoldRefers, Why: "failure_hold"})
}

// holdLane is the name under which appointments that ask no gateway wait.
const holdLane = ""

func laneOf(k payment.AskKind) int64 {
	switch k {
	case payment.AskFirst, payment.AskConfirm, payment.AskExpiry:
		return store.LaneYoung
	case payment.AskHint:
		return store.LaneHinted
	default:
		return store.LaneOld
	}
}
