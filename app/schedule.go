package app

import (
	"slices"

	"nodrop/app/payment"
	"nodrop/store"
)

// plan is what time is to bring, with the question that only hints want apart from the regular ones: hints may be forged,
// and what they want must not take the place of what is due anyway.
type plan struct {
	payment.Plan
	hinted   bool  // something was said that only asks
	hintAtMs int64 // 0: none; else earlier than the regular question
}

// planOf says when to ask next, because of what is proved and because of what is not.
func planOf(t payment.Terms, facts []payment.Fact, asked payment.AskState, nowMs int64) plan {
	whole := payment.Ask(t, facts, asked, nowMs)
	if !slices.ContainsFunc(facts, onlyAsks) {
		return plan{Plan: whole}
	}
	regular := payment.Ask(t, slices.DeleteFunc(slices.Clone(facts), onlyAsks), asked, nowMs)
	regular.HoldAtMs, regular.HoldRefers = whole.HoldAtMs, whole.HoldRefers
	if whole.AskAtMs == 0 || regular.AskAtMs != 0 && regular.AskAtMs <= whole.AskAtMs {
		return plan{Plan: regular, hinted: true}
	}
	return plan{Plan: regular, hinted: true, hintAtMs: whole.AskAtMs}
}

// onlyAsks tells whether a fact proves nothing by itself: a hint, or a line of a report.
func onlyAsks(f payment.Fact) bool { return f.Hint || f.Source == payment.SourceReport }

// schedule turns the rules' plan into the payment's timers and the instant from which the scan looks after it.
func (e *Engine) schedule(tx *store.Tx, a *account, p *store.Payment, plan plan) error {
	p.ReconcileMs = 0
	if err := e.scheduleHint(tx, a, p, plan); err != nil {
		return err
	}
	if plan.AskAtMs == 0 && plan.HoldAtMs == 0 && plan.hintAtMs == 0 {
		if err := tx.DropPlan(p.ID); err != nil {
			return err
		}
		return tx.DropTimers(p.ID, "hold")
	}
	if plan.AskAtMs == 0 {
		if err := tx.DropPlan(p.ID); err != nil {
			return err
		}
	} else {
		p.ReconcileMs = plan.AskAtMs + e.pace.ScanSlack.Milliseconds()
		t := store.Timer{PaymentID: p.ID, Kind: "ask", Gateway: p.Gateway, Lane: laneOf(plan.AskKind), DueMs: plan.AskAtMs, Why: string(plan.AskKind)}
		if err := tx.PlanTimer(t); err != nil {
			return err
		}
		if a != nil {
			a.wake.wake()
		}
	}
	return e.scheduleHold(tx, p, plan.Plan)
}

// scheduleHint makes or drops the appointment that only hints want; one that a repetition wants stays until it is answered.
func (e *Engine) scheduleHint(tx *store.Tx, a *account, p *store.Payment, plan plan) error {
	if !plan.hinted {
		return nil
	}
	if plan.hintAtMs == 0 {
		return tx.DropHint(p.ID, p.LastAnsweredMs)
	}
	p.ReconcileMs = plan.hintAtMs + e.pace.ScanSlack.Milliseconds()
	if a != nil {
		a.wake.wake()
	}
	return tx.WantHint(store.Timer{PaymentID: p.ID, Gateway: p.Gateway, Lane: store.LaneHinted, DueMs: plan.hintAtMs, Why: string(payment.AskHint)})
}

func (e *Engine) scheduleHold(tx *store.Tx, p *store.Payment, plan payment.Plan) error {
	if plan.HoldAtMs == 0 {
		if p.Facts == 0 {
			return nil
		}
		return tx.DropTimers(p.ID, "hold")
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
