package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"nodrop/app/settlement"
	"nodrop/store"
)

// importStale is after how long without a sign of life a run is taken for dead.
const importStale = time.Minute

// Import compares a report with our books in the caller, from the first line to what follows from it. A file that was
// imported before changes nothing. A gateway takes one import at a time: KindBusy meanwhile. A file that cannot be read as
// a report is KindInvalid, and nothing of it is stored.
func (e *Engine) Import(ctx context.Context, r ImportRequest) (ImportResult, error) {
	a, digest, size, err := e.checkImport(&r)
	if err != nil {
		return ImportResult{}, err
	}
	if r.Dry {
		return e.dryRun(ctx, a, r)
	}
	if err := e.recoverBefore(ctx, a); err != nil {
		return ImportResult{}, err
	}
	row, fresh, err := e.beginImport(ctx, a, r, ImportReading, digest, size)
	if err != nil {
		return ImportResult{}, err
	}
	if !fresh {
		return e.alreadyImported(ctx, row)
	}
	return e.runImport(ctx, a, row, r)
}

// QueueImport notes a file that was spooled, to be imported by the loop; the file is ours from then on. The id of an
// import of the same file is returned in its place.
func (e *Engine) QueueImport(ctx context.Context, r ImportRequest) (int64, error) {
	a, digest, size, err := e.checkImport(&r)
	if err != nil {
		return 0, err
	}
	row, fresh, err := e.beginImport(ctx, a, r, ImportWaiting, digest, size)
	if err == nil && !fresh && r.Source == ReportUploaded {
		e.dropSpooled(store.Import{Source: r.Source, Path: r.Path})
	}
	e.settleWake.wake()
	return row.ID, err
}

// checkImport fills in what a request leaves out and reads the file's size and digest.
func (e *Engine) checkImport(r *ImportRequest) (a *account, digest []byte, size int64, err error) {
	a, ok := e.gateways[r.Gateway]
	if !ok {
		return nil, nil, 0, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", r.Gateway)
	}
	if r.Source == "" {
		r.Source = ReportCommand
	}
	if r.Path, err = filepath.Abs(r.Path); err != nil {
		return nil, nil, 0, err
	}
	if r.Name == "" {
		r.Name = filepath.Base(r.Path)
	}
	f, err := os.Open(r.Path)
	if err != nil {
		return nil, nil, 0, &Error{Kind: KindInvalid, Code: "no_file", Text: fmt.Sprintf("%s cannot be opened; look whether it is there and may be read", r.Name), Cause: err}
	}
	defer f.Close()
	sum := sha256.New()
	if size, err = io.Copy(sum, f); err != nil {
		return nil, nil, 0, &Error{Kind: KindInvalid, Code: "no_file", Text: fmt.Sprintf("%s cannot be read", r.Name), Cause: err}
	}
	return a, sum.Sum(nil), size, nil
}

// beginImport notes an import; fresh is false when the same file has one that counts.
func (e *Engine) beginImport(ctx context.Context, a *account, r ImportRequest, state string, digest []byte, size int64) (row store.Import, fresh bool, err error) {
	owner, err := e.newOwner()
	if err != nil {
		return row, false, err
	}
	err = e.store.Update(ctx, "begin import", func(tx *store.Tx) error {
		now := e.nowMs()
		old, ok, err := tx.ImportOfDigest(a.name, digest)
		if err != nil {
			return err
		}
		if row, fresh = old, !ok; ok {
			return busyWith(old, state)
		}
		if busy, ok, err := tx.BusyImport(a.name); err != nil || ok && state == ImportReading {
			return errors.Join(err, busyWith(busy, state))
		}
		row = store.Import{Gateway: a.name, Name: r.Name, Digest: digest, Report: r.Report, Source: r.Source, Actor: r.Actor, State: state, Path: r.Path, Owner: owner,
			Bytes: size, StartedMs: now, BeatMs: now}
		row.ID, err = tx.InsertImport(row)
		return err
	})
	return row, fresh, err
}

// busyWith is the failure to begin beside another import; nil where that one is done, or the file need only wait.
func busyWith(i store.Import, wanted string) error {
	if i.State == ImportDone || wanted == ImportWaiting {
		return nil
	}
	return fail(KindBusy, "import_busy", "gateway %s is busy with import %d (%s, %s); wait until it is done", i.Gateway, i.ID, i.Name, i.State)
}

func (e *Engine) newOwner() (string, error) {
	var b [8]byte
	if _, err := io.ReadFull(e.random, b[:]); err != nil {
		return "", err
	}
	return hex.EncodeToString(b[:]) + "-" + itoa64(e.nowMs()), nil
}

// alreadyImported answers for a file that was imported before.
func (e *Engine) alreadyImported(ctx context.Context, row store.Import) (r ImportResult, err error) {
	err = e.store.View(ctx, "import", func(rx *store.Rx) (err error) {
		r, err = resultOf(rx, row)
		return err
	})
	r.AlreadyImported = true
	return r, err
}

// runImport reads a report and does what follows from it. A file that is no report leaves nothing but the word that it
// failed; any other failure leaves the import to be taken up again.
func (e *Engine) runImport(ctx context.Context, a *account, row store.Import, r ImportRequest) (ImportResult, error) {
	run := newImportRun(e, a, &row, r)
	if err := run.read(ctx); err != nil {
		return ImportResult{}, e.endUnread(ctx, &row, err)
	}
	if err := e.actOnRead(ctx, a, &row, run.spoken.has); err != nil {
		return ImportResult{}, err
	}
	res := ImportResult{}
	err := e.store.View(ctx, "import", func(rx *store.Rx) (err error) {
		res, err = resultOf(rx, row)
		return err
	})
	return res, err
}

// endUnread takes back what was stored of a file that turned out not to be a report.
func (e *Engine) endUnread(ctx context.Context, row *store.Import, cause error) error {
	text, final := problemOf(cause)
	if !final {
		return cause
	}
	if err := e.forgetLines(ctx, row); err != nil {
		return err
	}
	row.State, row.Detail, row.DoneMs = ImportFailed, marshalDetail(importDetail{Problem: text}), e.nowMs()
	if err := e.saveImport(ctx, row); err != nil {
		return err
	}
	e.dropSpooled(*row)
	return &Error{Kind: KindInvalid, Code: "unreadable_report", Text: text}
}

// problemOf words why a file cannot be imported as it is; final is false for a failure that may heal.
func problemOf(cause error) (text string, final bool) {
	var problem *settlement.Problem
	var known *Error
	switch {
	case errors.As(cause, &problem):
		return problem.Error(), true
	case errors.As(cause, &known) && known.Kind == KindInvalid:
		return known.Text, true
	case errors.Is(cause, os.ErrNotExist):
		return "the file is gone: import it again", true
	}
	return "", false
}

// saveImport writes how far an import is; it fails when another run has taken it over.
func (e *Engine) saveImport(ctx context.Context, row *store.Import) error {
	row.BeatMs = e.nowMs()
	return e.guard(ctx, "import", func(tx *store.Tx) error { return setImport(tx, *row) })
}

func setImport(tx *store.Tx, row store.Import) error {
	ok, err := tx.SetImport(row)
	if err == nil && !ok {
		return fail(KindStale, "import_taken", "import %d was taken up by another run, because this one gave no sign of life", row.ID)
	}
	return err
}

// forgetBatch is how many rows one commit deletes.
const forgetBatch = 500

// forgetLines deletes the stored lines of an import with all that was found on them.
func (e *Engine) forgetLines(ctx context.Context, row *store.Import) error {
	for more := true; more; {
		row.BeatMs = e.nowMs()
		err := e.guard(ctx, "forget import", func(tx *store.Tx) (err error) {
			if more, err = tx.ForgetImport(*row, forgetBatch); err != nil {
				return err
			}
			return setImport(tx, *row)
		})
		if err != nil {
			return err
		}
	}
	row.Lines, row.Rejected, row.Skipped, row.Known, row.Matched, row.BytesDone = 0, 0, 0, 0, 0, 0
	row.FirstLine, row.LastLine, row.FirstDay, row.LastDay, row.Detail = 0, 0, "", "", ""
	return nil
}

// dropSpooled deletes our own copy of a file; a file in a watched folder or of a command is not ours.
func (e *Engine) dropSpooled(row store.Import) {
	if row.Source != ReportUploaded || row.Path == "" {
		return
	}
	if err := os.Remove(row.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
		e.log.Warn("a spooled report could not be deleted", "import", row.ID, "file", row.Path, "error", err)
	}
}

// recoverBefore brings an interrupted import of a gateway to its end, so that another one may begin.
func (e *Engine) recoverBefore(ctx context.Context, a *account) error {
	var busy store.Import
	found := false
	err := e.store.View(ctx, "busy import", func(rx *store.Rx) (err error) {
		busy, found, err = rx.BusyImport(a.name)
		return err
	})
	if err != nil || !found || e.nowMs()-busy.BeatMs < importStale.Milliseconds() {
		return err
	}
	return e.recoverImport(ctx, a, busy)
}

// recoverImport takes up an import that was interrupted: what was read in part vanishes and, where the file is still
// there, is read again; what was read whole is brought to its end.
func (e *Engine) recoverImport(ctx context.Context, a *account, row store.Import) error {
	taken, err := e.takeImport(ctx, &row)
	if err != nil || !taken {
		return err
	}
	switch row.State {
	case ImportActing:
		return e.actOnImport(ctx, a, &row)
	case ImportUndoing:
		return e.finishUndo(ctx, a, &row)
	}
	if err := e.forgetLines(ctx, &row); err != nil {
		return err
	}
	if !sameFile(row) {
		row.State, row.DoneMs = ImportFailed, e.nowMs()
		row.Detail = marshalDetail(importDetail{Problem: "the import was interrupted, and the file is no longer there as it was: import it again"})
		return e.saveImport(ctx, &row)
	}
	_, err = e.runImport(ctx, a, row, ImportRequest{Gateway: row.Gateway, Path: row.Path, Name: row.Name, Report: row.Report, Source: row.Source, Actor: row.Actor})
	return err
}

// takeImport makes an import that waits, or whose run is dead, this run's.
func (e *Engine) takeImport(ctx context.Context, row *store.Import) (taken bool, err error) {
	owner, err := e.newOwner()
	if err != nil {
		return false, err
	}
	err = e.guard(ctx, "take import", func(tx *store.Tx) (err error) {
		taken, err = tx.TakeImport(*row, owner, e.nowMs())
		return err
	})
	row.Owner = owner
	return taken, err
}

// sameFile tells whether the file of an import is still what it was.
func sameFile(row store.Import) bool {
	digest, err := fileDigest(row.Path)
	return err == nil && string(digest) == string(row.Digest)
}

// importDetail is what is kept of an import beside its lines.
type importDetail struct {
	Problem string             `json:"problem,omitempty"`
	Faults  []LineFault        `json:"faults,omitempty"`
	Totals  []settlement.Total `json:"totals,omitempty"`
}

func marshalDetail(d importDetail) string {
	text, err := json.Marshal(d)
	if err != nil {
		return ""
	}
	return string(text)
}

func detailOf(row store.Import) (d importDetail, err error) {
	if row.Detail != "" {
		err = json.Unmarshal([]byte(row.Detail), &d)
	}
	return d, err
}
