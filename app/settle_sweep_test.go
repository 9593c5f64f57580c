package app

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

// TestImportFaultSweep lets every statement and every commit of an import fail in turn: it is taken up again or vanishes
// whole, and ends as though nothing had been.
func TestImportFaultSweep(t *testing.T) {
	sweepSettlement(t, importSwept)
}

// TestUndoFaultSweep does the same with taking an import back.
func TestUndoFaultSweep(t *testing.T) {
	sweepSettlement(t, undoSwept)
}

func sweepSettlement(t *testing.T, job func(w *world, path string, arm func()) (fired bool)) {
	t.Helper()
	kinds := map[string]store.Fault{
		"statement": store.FailStatement, "group lost": store.LoseGroup, "commit not stored": store.FailCommit,
		"commit dropped": store.DropCommit, "commit hidden": store.HideCommit,
	}
	fresh := emptyDatabase(t)
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, step := 1, 1
			if simShare > 1 { // under the race detector, which slows everything and to which each operation is alike
				if step = 3; kind < store.FailCommit {
					step = 20
				}
			}
			for ; sweepReport(t, fresh, kind, n, job); n += step {
				if t.Failed() {
					t.Fatalf("at fault %d", n)
				}
			}
			if n < 6 { // each job has more Updates than this
				t.Errorf("only %d faults happened: the sweep does not reach the job", n-1)
			}
		})
	}
}

// sweepReport runs a job with the n-th operation failing and tells whether it did.
func sweepReport(t *testing.T, fresh []byte, kind store.Fault, n int, job func(w *world, path string, arm func()) (fired bool)) bool {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "nodrop.db"), faults: &store.Faults{}, at: time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)}
	nothing := &answers{next: func(*http.Request) (int, http.Header, string) { return 404, nil, `{"error":"not_found"}` }}
	w.edit = func(_ *config.Config, o *Options) { o.HTTP = &http.Client{Transport: nothing} }
	if err := os.WriteFile(w.path, fresh, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.b.t = t
	b := w.b
	if err := b.e.SaveReportFormat(b.ctx(), "sandbox", settleSpec(), strings.Split(strings.TrimSpace(settleHeader), ","), "ana"); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"ORDER-1", "ORDER-2", "ORDER-3"} {
		b.clock.move(time.Minute)
		b.paid(ref, "20.00")
	}
	b.clock.move(time.Minute)
	b.register("ORDER-4", "20.00")
	path := b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}, row{id: "r2", ref: "ORDER-2", gross: "19.00"}, row{id: "r2", ref: "ORDER-2", gross: "19.00"},
		row{id: "r3", ref: "ORDER-4", gross: "20.00"}, row{id: "r4", ref: "NOBODY", gross: "5.00"}, row{id: "r5", kind: "payout", gross: "-39.00"}, row{id: "r6", ref: "ORDER-1", gross: "?"})
	fired := job(w, path, func() { w.faults.Arm(kind, n) })
	if err := w.b.store.Close(); err != nil {
		t.Errorf("fault %d: close: %v", n, err)
	}
	return fired
}

// disarm ends the fault that was armed and tells whether it happened.
func (w *world) disarm() (fired bool) {
	fired = w.faults.Fired()
	w.faults.Arm(0, 0)
	w.b.t = w.t
	return fired
}

// importUntil imports a report until it works.
func (w *world) importUntil(path string) (r ImportResult) {
	w.t.Helper()
	w.until("import", func() (err error) {
		r, err = w.b.e.Import(w.t.Context(), ImportRequest{Gateway: "sandbox", Path: path, Actor: "ana"})
		return err
	})
	return r
}

func importSwept(w *world, path string, arm func()) bool {
	arm()
	result := w.importUntil(path)
	fired := w.disarm()
	checkSweptImport(w.b, result)
	return fired
}

func undoSwept(w *world, path string, arm func()) bool {
	w.t.Helper()
	id := w.importUntil(path).ID
	w.work()
	arm()
	w.until("undo", func() error {
		err := w.b.e.UndoImport(w.t.Context(), id, "ana", "wrong file", "undo")
		v, failed := w.b.e.ImportByID(w.t.Context(), id)
		if failed != nil || v.State == ImportUndone {
			return failed
		}
		if v.State == ImportUndoing { // the loop takes it up
			w.b.clock.move(importStale)
			err = errors.Join(err, w.b.e.settleOnce(w.t.Context(), newFolders()))
		}
		return fmt.Errorf("the import is %s: %w", v.State, err)
	})
	fired := w.disarm()
	w.b.sound()
	if got := w.b.differences(); !slices.Equal(got, []string{"missing_at_gateway cleared"}) { // no report speaks of the day any more
		w.t.Errorf("differences %v", got)
	}
	lines, err := w.b.e.DayLines(w.t.Context(), "sandbox", "2031-03-07", "", 0, 10)
	if err != nil || len(lines) != 0 {
		w.t.Errorf("%d lines, %v", len(lines), err)
	}
	if kinds := w.b.reviewKinds(); len(kinds) != 0 {
		w.t.Errorf("reviews %v", kinds)
	}
	result := w.importUntil(path)
	checkSweptImport(w.b, result)
	return fired
}

func checkSweptImport(b *bench, result ImportResult) {
	b.t.Helper()
	want := map[string]string{"matched PHP": "1 2000", "amount PHP": "1 100", "duplicate_line PHP": "1 1900", "status_behind PHP": "1 2000", "missing_locally PHP": "1 500",
		"other_money PHP": "1 -3900", "unparseable XXX": "1 0", "expected PHP": "1 2000"}
	if got := counts(result); !maps.Equal(got, want) {
		b.t.Errorf("found %v, want %v", got, want)
	}
	if result.Lines != 6 || result.Rejected != 1 || result.Known != 0 {
		b.t.Errorf("%+v", result)
	}
	lines, err := b.e.DayLines(b.ctx(), "sandbox", "2031-03-07", "", 0, 100)
	if err != nil || len(lines) != 5 {
		b.t.Errorf("%d lines, %v", len(lines), err)
	}
	b.work()
	again, err := b.e.Import(b.ctx(), ImportRequest{Gateway: "sandbox", Path: b.report("again.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}, row{id: "r4", ref: "NOBODY", gross: "5.00"})})
	if err != nil || again.Known != 2 || len(again.Findings) != 0 {
		b.t.Errorf("again: %+v, %v", again, err)
	}
	b.sound()
	waiting := b.differences()
	if want := []string{"amount open", "duplicate_line open", "missing_at_gateway expected", "missing_locally asking", "status_behind asking", "unparseable open"}; !slices.Equal(waiting, want) {
		b.t.Errorf("differences %v, want %v", waiting, want)
	}
	if got := fmt.Sprint(b.reviewKinds()); got != "["+settlementKind+"]" {
		b.t.Errorf("reviews %s", got)
	}
}
