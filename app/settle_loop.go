package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"nodrop/store"
)

// settlePause is the shortest time between two rounds of looking at differences.
const settlePause = time.Second

// runSettlement imports what waits, takes up what was interrupted, looks into the watched folders and judges waiting
// differences again, until ctx ends.
func (e *Engine) runSettlement(ctx context.Context) {
	if !e.awaitDrained(ctx) {
		return
	}
	folders := newFolders()
	for ctx.Err() == nil {
		if err := e.settleOnce(ctx, folders); err != nil && ctx.Err() == nil {
			e.log.Error("settlement is tried again", "error", err)
		}
		waker(nil).sleep(ctx, settlePause)
		e.settleWake.sleep(ctx, max(time.Millisecond, e.pace.Keep-settlePause))
	}
}

// settleOnce is one round of the settlement loop.
func (e *Engine) settleOnce(ctx context.Context, folders *folders) error {
	e.workWake.wake() // a command beside us may have put statements into the inbox
	if err := e.lookIntoFolders(ctx, folders); err != nil {
		return err
	}
	if err := e.importWaiting(ctx); err != nil {
		return err
	}
	all := []error{e.judgeMoved(ctx)}
	for _, name := range e.names {
		all = append(all, e.askShadows(ctx, e.gateways[name]))
	}
	return errors.Join(all...)
}

// importWaiting imports the files that wait and takes up what was interrupted. A file that is no report blocks nobody
// behind it.
func (e *Engine) importWaiting(ctx context.Context) error {
	var list []store.Import
	err := e.store.View(ctx, "unfinished imports", func(rx *store.Rx) (err error) {
		list, err = rx.UnfinishedImports(100)
		return err
	})
	busy := map[string]bool{}
	for _, row := range list {
		busy[row.Gateway] = busy[row.Gateway] || row.State != ImportWaiting
	}
	for _, row := range list {
		a, ok := e.gateways[row.Gateway]
		if !ok || row.State == ImportWaiting && busy[row.Gateway] || row.State != ImportWaiting && e.nowMs()-row.BeatMs < importStale.Milliseconds() {
			continue
		}
		err = errors.Join(err, e.takeUp(ctx, a, row))
	}
	return err
}

// takeUp works on one unfinished import; what is wrong with the file itself is noted with it and is no failure here.
func (e *Engine) takeUp(ctx context.Context, a *account, row store.Import) error {
	if row.State == ImportWaiting {
		begun, err := e.startWaiting(ctx, &row)
		if err != nil || !begun {
			return err
		}
	}
	err := e.recoverImport(ctx, a, row)
	var known *Error
	if errors.As(err, &known) && (known.Kind == KindInvalid || known.Kind == KindStale) {
		e.log.Warn("a report was not imported", "gateway", a.name, "file", row.Name, "error", err)
		return nil
	}
	return err
}

// startWaiting gives a waiting import its turn; false when its gateway is busy with another one.
func (e *Engine) startWaiting(ctx context.Context, row *store.Import) (begun bool, err error) {
	err = e.guard(ctx, "start import", func(tx *store.Tx) error {
		if _, busy, err := tx.BusyImport(row.Gateway); err != nil || busy {
			return err
		}
		row.State = ImportReading
		begun = true
		return setImport(tx, *row)
	})
	return begun, err
}

// folders remembers what lay in the watched folders.
type folders struct {
	seen   map[string]seenFile
	broken map[string]bool // those of gateways that could not be read at the last look
}

// seenFile is how a file was last found; taken once it was handed on, or is known.
type seenFile struct {
	size  int64
	ms    int64
	taken bool
}

func newFolders() *folders {
	return &folders{seen: map[string]seenFile{}, broken: map[string]bool{}}
}

// stands tells whether a file is the same as at the last look, and is not taken yet: it is written no more.
func (f *folders) stands(path string, info os.FileInfo) bool {
	now := seenFile{size: info.Size(), ms: info.ModTime().UnixMilli()}
	old, ok := f.seen[path]
	if ok && old.size == now.size && old.ms == now.ms {
		return !old.taken
	}
	f.seen[path] = now
	return false
}

func (f *folders) take(path string) {
	s := f.seen[path]
	s.taken = true
	f.seen[path] = s
}

// lookIntoFolders takes in the files of the watched folders that are new and stand still. They stay where they are and are
// known by their content.
func (e *Engine) lookIntoFolders(ctx context.Context, f *folders) error {
	var all []error
	for _, name := range e.names {
		a := e.gateways[name]
		if a.config.Reports == "" {
			continue
		}
		entries, err := os.ReadDir(a.config.Reports)
		if err != nil && !f.broken[name] {
			e.log.Error("the folder of a gateway's reports cannot be read; make it, or correct `reports` in the configuration", "gateway", name, "folder", a.config.Reports, "error", err)
		}
		f.broken[name] = err != nil
		for _, entry := range entries {
			if entry.Type().IsRegular() && !strings.HasPrefix(entry.Name(), ".") {
				all = append(all, e.lookAtFile(ctx, a, f, filepath.Join(a.config.Reports, entry.Name())))
			}
		}
	}
	return errors.Join(all...)
}

func (e *Engine) lookAtFile(ctx context.Context, a *account, f *folders, path string) error {
	info, err := os.Stat(path)
	if err != nil || !f.stands(path, info) {
		return nil // it was taken away, or is still being written
	}
	digest, err := fileDigest(path)
	if err != nil {
		return err
	}
	known := false
	err = e.store.View(ctx, "file seen", func(rx *store.Rx) (err error) {
		known, err = rx.FileSeen(a.name, digest)
		return err
	})
	if err != nil {
		return err
	}
	if !known {
		if _, err := e.QueueImport(ctx, ImportRequest{Gateway: a.name, Path: path, Source: ReportFolder}); err != nil {
			return err
		}
	}
	f.take(path)
	return nil
}

func fileDigest(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, file)
	return sum.Sum(nil), err
}

// shadowsAtOnce is how many questions about money that belongs to no payment are put in one round.
const shadowsAtOnce = 5

// askShadows asks the gateway about lines of payments that nobody registered, within the budget of hints; what it says is
// written beside the difference, which then is a person's.
func (e *Engine) askShadows(ctx context.Context, a *account) error {
	var list []store.Difference
	err := e.store.View(ctx, "shadows", func(rx *store.Rx) (err error) {
		list, err = rx.Shadows(a.name, shadowsAtOnce)
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range list {
		if e.nowMs() < a.health().PausedUntilMs || !a.hinted.AllowN(e.now(), 1) {
			return nil
		}
		a.limiter.ReserveN(e.now(), 1)
		if err := e.askShadow(ctx, a, d); err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) askShadow(ctx context.Context, a *account, d store.Difference) error {
	var w store.Work
	err := e.store.View(ctx, "shadow", func(rx *store.Rx) (err error) {
		w, _, err = rx.GetWork(d.InboxID)
		return err
	})
	s, ok := statementIn(w)
	if err != nil || !ok {
		return err
	}
	said := e.put(ctx, a, shadowQuestion(a, s))
	a.noteAnswer(e, said.answer)
	if !answered(said.answer.Class) {
		return nil // it is asked again until its time is over
	}
	return e.guard(ctx, "shadow answered", func(tx *store.Tx) error {
		d, ok, err := tx.Difference(d.ID)
		if err != nil || !ok || d.State != DifferenceAsking || d.PaymentID != 0 {
			return err
		}
		d.Detail = appendDetail(d.Detail, shadowAnswer(said))
		d.State, d.OpenedMs = DifferenceOpen, e.nowMs()
		if _, err := tx.SetDifference(d); err != nil {
			return err
		}
		return e.reviewDay(tx, d.DayID)
	})
}

// shadowAnswer says in plain words what the gateway knows of money that belongs to no payment of ours.
func shadowAnswer(r heard) string {
	switch {
	case r.weight() == weightMoney:
		return "asked, the gateway confirms that it was paid"
	case r.denies():
		return "asked, the gateway knows of no success"
	}
	return "asked, the gateway gave no clear answer"
}

func appendDetail(detail, more string) string {
	if detail == "" {
		return more
	}
	return detail + "; " + more
}

// settleDaily looks for successes that no line speaks of on the covered days of the last weeks: some may have become
// successes since their report came.
func (e *Engine) settleDaily(ctx context.Context) error {
	var all []error
	for _, name := range e.names {
		a := e.gateways[name]
		to := e.now().AddDate(0, 0, 2)
		err := e.missOn(ctx, a, to.AddDate(0, 0, -missedDays).Format(time.DateOnly), to.Format(time.DateOnly), nobody)
		_, again := e.judgeAgain(ctx, a, true)
		all = append(all, err, again)
	}
	return errors.Join(slices.Clip(all)...)
}

// missedDays is for how many days successes without a line are looked for every day.
const missedDays = 40
