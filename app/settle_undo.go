package app

import (
	"context"
	"strings"

	"nodrop/store"
)

// UndoImport takes an import back as though it had not been: its lines, what was found on them, and the statements that
// nobody has worked on. It is KindUnprocessable once something was decided on it, or while a later import stands on its
// lines. What a line had the gateway asked stays asked.
func (e *Engine) UndoImport(ctx context.Context, id int64, actor, reason, formKey string) error {
	reason = strings.TrimSpace(reason)
	if err := checkWhoAndWhy(Decision{Actor: actor, Reason: reason}); err != nil {
		return err
	}
	owner, err := e.newOwner()
	if err != nil {
		return err
	}
	var row store.Import
	done := false
	err = e.store.Update(ctx, "undo import", func(tx *store.Tx) error {
		if formKey != "" {
			if done, err = tx.FormUsed(formKey); err != nil || done {
				return err
			}
		}
		if row, err = undoable(tx, id); err != nil {
			return err
		}
		if taken, err := tx.TakeImport(row, owner, e.nowMs()); err != nil || !taken {
			return changed(taken, err)
		}
		row.Owner, row.State, row.BeatMs = owner, ImportUndoing, e.nowMs()
		if err := setImport(tx, row); err != nil {
			return err
		}
		_, err := tx.InsertAudit(store.Audit{AtMs: row.BeatMs, Actor: actor, Action: "undo", Subject: ImportSubject(id), Detail: reason, FormKey: formKey})
		return err
	})
	if err != nil || done {
		return err
	}
	a, ok := e.gateways[row.Gateway]
	if !ok {
		return fail(KindUnprocessable, "gateway_gone", "gateway %q is no longer configured", row.Gateway)
	}
	return e.finishUndo(ctx, a, &row)
}

// ImportSubject is how the audit names an import.
func ImportSubject(id int64) string { return "import " + itoa64(id) }

// undoable returns an import that can be undone, or says why it cannot.
func undoable(tx *store.Tx, id int64) (store.Import, error) {
	row, ok, err := tx.Import(id)
	if err != nil {
		return row, err
	}
	if !ok {
		return row, fail(KindNotFound, "unknown_import", "there is no import %d", id)
	}
	if row.State != ImportDone {
		return row, fail(KindUnprocessable, "not_done", "import %d is %s; only one that is done can be undone", id, row.State)
	}
	why, err := keptBy(&tx.Rx, row)
	if err == nil && why != "" {
		err = fail(KindUnprocessable, "import_kept", "%s", why)
	}
	if err != nil {
		return row, err
	}
	if busy, ok, err := tx.BusyImport(row.Gateway); err != nil || ok {
		if err != nil {
			return row, err
		}
		return row, busyWith(busy, ImportReading)
	}
	return row, nil
}

// keptBy says why an import that is done cannot be undone now; "" when it can.
func keptBy(rx *store.Rx, row store.Import) (string, error) {
	decided, err := rx.DecidedOn(row.ID)
	if err != nil {
		return "", err
	}
	if decided > 0 {
		return "a person has decided differences of this import; open them again first", nil
	}
	later, err := rx.KnowsLinesOf(row.ID)
	if err != nil || later == 0 {
		return "", err
	}
	return "import " + itoa64(later) + " brought lines of this one again; undo that first", nil
}

// finishUndo does the rest of an undo that was begun.
func (e *Engine) finishUndo(ctx context.Context, a *account, row *store.Import) error {
	defer e.wakeAll()
	before := *row
	if err := e.retireStatements(ctx, a, row); err != nil {
		return err
	}
	if err := e.forgetLines(ctx, row); err != nil {
		return err
	}
	row.FirstDay, row.LastDay, row.Lines, row.Rejected = before.FirstDay, before.LastDay, before.Lines, before.Rejected
	if err := e.missOn(ctx, a, row.FirstDay, row.LastDay, nobody); err != nil {
		return err
	}
	if _, err := e.judgeAgain(ctx, a, true); err != nil {
		return err
	}
	if err := e.reviewDays(ctx, a, row); err != nil {
		return err
	}
	row.State, row.DoneMs = ImportUndone, e.nowMs()
	return e.saveImport(ctx, row)
}

// retireStatements sets the statements of an import aside that nobody has worked on, and closes what was asked about them.
func (e *Engine) retireStatements(ctx context.Context, a *account, row *store.Import) error {
	after := int64(0)
	for {
		n := 0
		row.BeatMs = e.nowMs()
		err := e.guard(ctx, "undo import", func(tx *store.Tx) error {
			list, err := tx.StatedDifferences(row.ID, after, actBatch)
			if n = len(list); err != nil {
				return err
			}
			for _, d := range list {
				after = d.ID
				if err := e.retireStatement(tx, d); err != nil {
					return err
				}
			}
			return setImport(tx, *row)
		})
		if err != nil || n < actBatch {
			return err
		}
	}
}

func (e *Engine) retireStatement(tx *store.Tx, d store.Difference) error {
	now := e.nowMs()
	if d.PaymentID != 0 {
		p, _, err := tx.Payment(d.PaymentID)
		if err != nil {
			return err
		}
		if err := e.closeReview(tx, acceptReportKind, paymentSubject(p, ""), now, "import undone"); err != nil {
			return err
		}
	}
	w, ok, err := tx.GetWork(d.InboxID)
	if err != nil || !ok || w.State != "pending" && w.State != "parked" {
		return err
	}
	if err := e.unpark(tx, w.Item, now); err != nil {
		return err
	}
	_, err = tx.FinishItem(w.Item.ID, store.Outcome{State: "ignored", Reason: "import_undone", NowMs: now, DueMs: now})
	return err
}
