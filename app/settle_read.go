package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"nodrop/app/gateway"
	"nodrop/app/settlement"
	"nodrop/store"
)

// How many lines are judged and stored at a time: few enough that a webhook hardly waits for them, and fewer while
// webhooks come.
const (
	batchIdle = 512
	batchBusy = 128
)

// faultsKept is how many unusable lines of a file are named.
const faultsKept = 100

// importRun is one reading of a report: lines are read, judged and written by one goroutine each.
type importRun struct {
	e      *Engine
	a      *account
	row    *store.Import // of a dry run it is stored nowhere
	dry    bool
	path   string
	report string
	tell   func(done, size int64, lines int)

	format settlement.Format
	zone   *time.Location
	mask   [16]byte             // makes keys of different gateways different
	days   map[string]store.Day // the writer's: those that are stored
	flight flight
	judged judged
	spoken idSet // payments that a line speaks of
	lastMs int64 // when progress was last told

	turn   sync.Mutex   // one stage at a time works on the database while others need it
	size   atomic.Int32 // how many lines are judged and stored at a time
	urgent int64        // what the store had done for others at the last look
}

func newImportRun(e *Engine, a *account, row *store.Import, r ImportRequest) *importRun {
	sum := sha256.Sum256([]byte(a.name))
	run := &importRun{e: e, a: a, row: row, dry: r.Dry, path: r.Path, report: r.Report, tell: r.Progress, days: map[string]store.Day{}, judged: newJudged(), spoken: idSet{}}
	run.size.Store(batchBusy)
	copy(run.mask[:], sum[:])
	if run.flight.keep = r.Dry; r.Dry {
		run.flight.kept.paid = idSet{}
	}
	return run
}

// stored is the identity of a line as the database knows it; the same again gives the line's own back.
func (r *importRun) stored(key [16]byte) [16]byte {
	for i := range key {
		key[i] ^= r.mask[i]
	}
	return key
}

// read takes the whole file in. Its failure is *settlement.Problem where the file is no report that can be read.
func (r *importRun) read(ctx context.Context) (err error) {
	file, err := settlement.Open(r.path, r.e.reportLimits())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if r.format, err = r.recognise(ctx, file); err != nil {
		return err
	}
	r.zone = zoneOf(r.format)
	r.row.Report = r.format.Spec.Name
	totals, err := r.pipe(ctx, file)
	if err != nil {
		return err
	}
	return r.conclude(ctx, totals)
}

// recognise finds the format of a file: the one that was asked for, else the one that its header fits.
func (r *importRun) recognise(ctx context.Context, file *settlement.File) (settlement.Format, error) {
	formats, err := r.e.formatsOf(ctx, r.a)
	if err != nil {
		return settlement.Format{}, err
	}
	if r.report != "" {
		var named []settlement.Format
		for _, f := range formats {
			if f.Spec.Name == r.report {
				named = append(named, f)
			}
		}
		if len(named) == 0 {
			return settlement.Format{}, fail(KindInvalid, "unknown_report", "gateway %s has no report %q", r.a.name, r.report)
		}
		formats = named[:1]
	}
	return file.Recognise(formats)
}

// pipe runs the three stages until the file ends or one of them fails.
func (r *importRun) pipe(ctx context.Context, file *settlement.File) (settlement.Totals, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	read, judged := make(chan []settlement.Line, 2), make(chan *lineBatch, 2)
	var totals settlement.Totals
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(read)
		var err error
		if totals, err = r.readLines(ctx, file, read); err != nil {
			stop(err)
		}
	})
	wg.Go(func() {
		defer close(judged)
		for lines := range read {
			unlock := r.takeTurn()
			b, err := r.judge(ctx, lines)
			unlock()
			if err != nil {
				stop(err)
				continue // until the reader has seen it
			}
			judged <- b
		}
	})
	for b := range judged {
		if ctx.Err() != nil {
			continue
		}
		if err := r.write(ctx, file, b); err != nil {
			stop(err)
		}
	}
	wg.Wait()
	if ctx.Err() != nil {
		return totals, context.Cause(ctx)
	}
	return totals, nil
}

// readLines cuts the file into batches.
func (r *importRun) readLines(ctx context.Context, file *settlement.File, to chan<- []settlement.Line) (settlement.Totals, error) {
	var lines []settlement.Line
	totals, err := file.Read(r.format, func(l settlement.Line) error {
		if lines == nil {
			lines = make([]settlement.Line, 0, r.size.Load())
		}
		if lines = append(lines, l); len(lines) < cap(lines) {
			return nil
		}
		full := lines
		lines = nil
		return hand(ctx, to, full)
	})
	if err != nil || len(lines) == 0 {
		return totals, err
	}
	return totals, hand(ctx, to, lines)
}

func hand(ctx context.Context, to chan<- []settlement.Line, lines []settlement.Line) error {
	select {
	case to <- lines:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// write stores one batch with how far the import is.
func (r *importRun) write(ctx context.Context, file *settlement.File, b *lineBatch) error {
	done, size := file.Progress()
	row := r.row
	row.Lines += int64(b.good)
	row.Rejected += int64(b.rejected)
	row.BytesDone, row.Bytes = done, size
	row.Known += b.known()
	row.Matched += b.matched
	r.progress(done, size)
	if r.dry {
		return nil
	}
	row.BeatMs = r.e.nowMs()
	var fresh map[string]store.Day
	crowded := false
	unlock := r.takeTurn()
	err := r.e.guard(ctx, "import", func(tx *store.Tx) (err error) {
		crowded = tx.Crowded()
		fresh, err = r.store(tx, b)
		return err
	})
	unlock()
	if err != nil {
		return err
	}
	if crowded {
		rest(ctx)
	}
	for day, d := range fresh {
		r.days[day] = d
	}
	r.flight.landed(b)
	r.pace()
	return nil
}

// takeTurn leaves a processor to others while they need the database; it gives what ends the turn.
func (r *importRun) takeTurn() func() {
	if r.size.Load() != batchBusy {
		return func() {}
	}
	r.turn.Lock()
	return r.turn.Unlock
}

// pace makes the batches small while others write.
func (r *importRun) pace() {
	s := r.e.store.Stats()
	urgent, size := s.Closures-s.LowClosures, int32(batchIdle)
	if urgent != r.urgent {
		size = batchBusy
	}
	r.urgent = urgent
	r.size.Store(size)
}

// store writes a batch's lines, their sums and their differences.
func (r *importRun) store(tx *store.Tx, b *lineBatch) (fresh map[string]store.Day, err error) {
	if fresh, err = r.ensureDays(tx, b); err != nil {
		return nil, err
	}
	if len(b.lines) > 0 {
		next, err := tx.NextLineID()
		if err != nil {
			return nil, err
		}
		for i := range b.lines {
			b.lines[i].ID, b.lines[i].ImportID = next+int64(i), r.row.ID
			b.lines[i].DayID = r.dayID(b.days[i], fresh)
		}
		if r.row.FirstLine == 0 {
			r.row.FirstLine = next
		}
		r.row.LastLine = next + int64(len(b.lines)) - 1
		if err := tx.InsertLines(b.lines); err != nil {
			return nil, err
		}
	}
	for key, s := range b.sums {
		s.DayID, s.ImportID = r.dayID(key.day, fresh), r.row.ID
		if err := tx.AddSum(*s); err != nil {
			return nil, err
		}
	}
	for of, n := range b.knownOf {
		if err := tx.NoteKnown(r.row.ID, of, n); err != nil {
			return nil, err
		}
	}
	if err := r.storeDifferences(tx, b, fresh); err != nil {
		return nil, err
	}
	return fresh, setImport(tx, *r.row)
}

func (r *importRun) storeDifferences(tx *store.Tx, b *lineBatch, fresh map[string]store.Day) error {
	for _, p := range b.differences {
		d := p.Difference
		d.DayID, d.ImportID, d.OpenedMs = r.dayID(p.day, fresh), r.row.ID, r.row.BeatMs
		if p.line >= 0 {
			d.LineID = b.lines[p.line].ID
		}
		if _, err := tx.InsertDifference(d); err != nil {
			return err
		}
	}
	return nil
}

func (r *importRun) dayID(day string, fresh map[string]store.Day) int64 {
	if d, ok := r.days[day]; ok {
		return d.ID
	}
	return fresh[day].ID
}

// ensureDays notes the days of a batch that are not stored yet; they are known for good once the batch is committed.
func (r *importRun) ensureDays(tx *store.Tx, b *lineBatch) (map[string]store.Day, error) {
	fresh := map[string]store.Day{}
	for day := range b.daysSeen {
		if _, ok := r.days[day]; ok {
			continue
		}
		d := store.Day{Gateway: r.a.name, Day: day}
		var err error
		if d.FromMs, d.ToMs, err = dayBounds(day, r.zone); err != nil {
			return nil, err
		}
		if d.ID, err = tx.EnsureDay(d); err != nil {
			return nil, err
		}
		fresh[day] = d
	}
	return fresh, nil
}

// progressEvery is how often progress is told, in milliseconds.
const progressEvery = 200

func (r *importRun) progress(done, size int64) {
	now := r.e.nowMs()
	if r.tell == nil || r.lastMs != 0 && now-r.lastMs < progressEvery {
		return
	}
	r.lastMs = now
	r.tell(done, size, int(r.row.Lines+r.row.Rejected))
}

// conclude writes what the whole file says of itself; from then on its lines count.
func (r *importRun) conclude(ctx context.Context, totals settlement.Totals) error {
	row := r.row
	row.Skipped = int64(totals.Skipped)
	row.BytesDone = row.Bytes
	row.Detail = marshalDetail(importDetail{Faults: r.judged.faults, Totals: totals.Stated})
	b := r.totalsDiffer(totals)
	row.FirstDay, row.LastDay = r.judged.span()
	if r.tell != nil {
		r.tell(row.Bytes, row.Bytes, int(row.Lines+row.Rejected))
	}
	if r.dry {
		return nil
	}
	row.State = ImportActing
	row.BeatMs = r.e.nowMs()
	return r.e.guard(ctx, "import", func(tx *store.Tx) error {
		_, err := r.store(tx, b)
		return err
	})
}

// formatsOf lists the ways of reading a gateway's reports: those that persons saved first.
func (e *Engine) formatsOf(ctx context.Context, a *account) (list []settlement.Format, err error) {
	err = e.store.View(ctx, "report formats", func(rx *store.Rx) error {
		saved, err := rx.Formats(a.name)
		for _, f := range saved {
			spec, broken := gateway.ParseReport(f.Spec)
			if broken != nil {
				e.log.Warn("a saved report format cannot be read any more; assign its columns again", "gateway", a.name, "format", f.Name, "error", broken)
				continue
			}
			list = append(list, settlement.Format{Spec: spec, Days: e.config.Timezone})
		}
		return err
	})
	for _, spec := range a.def.Reports() {
		list = append(list, settlement.Format{Spec: spec, Days: e.config.Timezone})
	}
	return list, err
}

// zoneOf is whose midnight parts the days of a report.
func zoneOf(f settlement.Format) *time.Location {
	if f.Spec.Zone != "" {
		if zone, err := time.LoadLocation(f.Spec.Zone); err == nil {
			return zone
		}
	}
	if f.Days == nil {
		return time.UTC
	}
	return f.Days
}

// dayBounds gives when a calendar day begins and ends, in UTC milliseconds.
func dayBounds(day string, zone *time.Location) (fromMs, toMs int64, err error) {
	t, err := time.ParseInLocation(time.DateOnly, day, zone)
	if err != nil {
		return 0, 0, err
	}
	return t.UnixMilli(), t.AddDate(0, 0, 1).UnixMilli(), nil
}
