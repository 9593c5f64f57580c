package store

// Import is one reading of one report of a gateway; instants are UTC milliseconds.
type Import struct {
	ID        int64
	Gateway   string
	Name      string // of the file, as it came
	Digest    []byte // SHA-256 of the file
	Report    string // name of the format; "" until it is recognised
	Source    string // upload, command, folder, gateway
	Actor     string
	State     string // waiting, reading, acting, done, failed, undoing, undone
	Path      string // of our own copy; "": there is none to read again
	Owner     string // whose run it is
	Bytes     int64
	BytesDone int64
	Lines     int64 // good ones
	Rejected  int64
	Skipped   int64
	Known     int64
	Matched   int64
	Detail    string
	FirstLine int64 // its stored lines have ids from here
	LastLine  int64 // to here
	StartedMs int64
	BeatMs    int64
	DoneMs    int64 // 0: not done
	FirstDay  string
	LastDay   string
}

const importColumns = `i.id, i.gateway, i.name, i.digest, i.report, i.source, i.actor, i.state, i.path, i.owner, i.bytes, i.bytes_done, i.lines, i.rejected, i.skipped,
	i.known, i.matched, i.detail, i.first_line, i.last_line, i.started_ms, i.beat_ms, i.done_ms, i.first_day, i.last_day`

func scanImport(r *Row) Import {
	return Import{
		ID: r.Int(0), Gateway: r.Text(1), Name: r.Text(2), Digest: r.Blob(3), Report: r.Text(4), Source: r.Text(5), Actor: r.Text(6), State: r.Text(7), Path: r.Text(8), Owner: r.Text(9),
		Bytes: r.Int(10), BytesDone: r.Int(11), Lines: r.Int(12), Rejected: r.Int(13), Skipped: r.Int(14), Known: r.Int(15), Matched: r.Int(16), Detail: r.Text(17),
		FirstLine: r.Int(18), LastLine: r.Int(19), StartedMs: r.Int(20), BeatMs: r.Int(21), DoneMs: r.Int(22), FirstDay: r.Text(23), LastDay: r.Text(24),
	}
}

func (rx *Rx) imports(where string, args ...any) (list []Import, err error) {
	err = rx.each(`SELECT `+importColumns+` FROM report_import i `+where, func(r *Row) { list = append(list, scanImport(r)) }, args...)
	return list, err
}

func (rx *Rx) oneImport(where string, args ...any) (Import, bool, error) {
	list, err := rx.imports(where, args...)
	if err != nil || len(list) == 0 {
		return Import{}, false, err
	}
	return list[0], true, nil
}

// Import returns one import.
func (rx *Rx) Import(id int64) (Import, bool, error) { return rx.oneImport(`WHERE i.id = ?`, id) }

// ImportOfDigest returns the newest import of this very file that was not undone and has not failed.
func (rx *Rx) ImportOfDigest(gateway string, digest []byte) (Import, bool, error) {
	return rx.oneImport(`WHERE i.gateway = ? AND i.digest = ? AND i.state != 'undone' AND i.state != 'failed' ORDER BY i.id DESC LIMIT 1`, gateway, digest)
}

// FileSeen tells whether a file was ever imported or tried, whatever came of it.
func (rx *Rx) FileSeen(gateway string, digest []byte) (bool, error) {
	_, ok, err := rx.oneImport(`WHERE i.gateway = ? AND i.digest = ? LIMIT 1`, gateway, digest)
	return ok, err
}

// BusyImport returns the import that a gateway is busy with.
func (rx *Rx) BusyImport(gateway string) (Import, bool, error) {
	return rx.oneImport(`WHERE i.gateway = ? AND (i.state = 'reading' OR i.state = 'acting' OR i.state = 'undoing')`, gateway)
}

// UnfinishedImports lists the imports that something is left to be done for, oldest first.
func (rx *Rx) UnfinishedImports(limit int) ([]Import, error) {
	return rx.imports(`WHERE i.state = 'waiting' OR i.state = 'reading' OR i.state = 'acting' OR i.state = 'undoing' ORDER BY i.id LIMIT ?`, limit)
}

// Imports lists imports newest first, of one gateway ("" for all), below an id (0: newest).
func (rx *Rx) Imports(gateway string, before int64, limit int) ([]Import, error) {
	if before == 0 {
		before = maxID
	}
	return rx.imports(`WHERE i.id < ?1 AND (?2 = '' OR i.gateway = ?2) ORDER BY i.id DESC LIMIT ?3`, before, gateway, limit)
}

// InsertImport notes a file that is to be read, or is being read.
func (tx *Tx) InsertImport(i Import) (int64, error) {
	return tx.insert(`INSERT INTO report_import (gateway, name, digest, report, source, actor, state, path, owner, bytes, started_ms, beat_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		i.Gateway, i.Name, i.Digest, i.Report, i.Source, i.Actor, i.State, i.Path, i.Owner, i.Bytes, i.StartedMs, i.BeatMs)
}

// TakeImport gives an unfinished import to a run; false means that another run has it, or that its state is no longer `from`.
func (tx *Tx) TakeImport(i Import, owner string, nowMs int64) (bool, error) {
	n, err := tx.exec(`UPDATE report_import SET owner = ?, beat_ms = ? WHERE id = ? AND state = ? AND owner = ?`, owner, nowMs, i.ID, i.State, i.Owner)
	return n == 1, err
}

// SetImport writes how far an import is; false means that another run has taken it over.
func (tx *Tx) SetImport(i Import) (bool, error) {
	n, err := tx.exec(`UPDATE report_import SET report = ?, state = ?, path = ?, bytes = ?, bytes_done = ?, lines = ?, rejected = ?, skipped = ?, known = ?, matched = ?, detail = ?,
			first_line = ?, last_line = ?, beat_ms = ?, done_ms = ?, first_day = ?, last_day = ?
		WHERE id = ? AND owner = ?`,
		i.Report, i.State, i.Path, i.Bytes, i.BytesDone, i.Lines, i.Rejected, i.Skipped, i.Known, i.Matched, i.Detail,
		i.FirstLine, i.LastLine, i.BeatMs, nullable(i.DoneMs), i.FirstDay, i.LastDay, i.ID, i.Owner)
	return n == 1, err
}

// NoteKnown counts lines of an import that had come in an earlier one.
func (tx *Tx) NoteKnown(importID, ofID, count int64) error {
	_, err := tx.exec(`INSERT INTO report_known (import_id, of_id, count) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count`, importID, ofID, count)
	return err
}

// KnowsLinesOf returns an import that holds lines of another one, which therefore cannot be undone before it; 0: none.
func (rx *Rx) KnowsLinesOf(importID int64) (id int64, err error) {
	_, err = rx.one(`SELECT max(k.import_id) FROM report_known k WHERE k.of_id = ? AND k.import_id != k.of_id`, func(r *Row) { id = r.Int(0) }, importID)
	return id, err
}

// ForgetImport deletes up to limit of the stored lines of an import with their differences, and tells whether any are
// left. What was decided on the import is lost with them: look before.
func (tx *Tx) ForgetImport(i Import, limit int) (more bool, err error) {
	if n, err := tx.exec(`DELETE FROM difference WHERE id IN (SELECT id FROM difference WHERE import_id = ? LIMIT ?)`, i.ID, limit); err != nil || n == int64(limit) {
		return true, err
	}
	var first, last int64
	_, err = tx.one(`SELECT min(id), max(id) FROM (SELECT id FROM report_line WHERE id BETWEEN ? AND ? AND import_id = ? ORDER BY id LIMIT ?)`,
		func(r *Row) { first, last = r.Int(0), r.Int(1) }, i.FirstLine, i.LastLine, i.ID, limit)
	if err != nil {
		return false, err
	}
	if last != 0 {
		_, err = tx.exec(`DELETE FROM report_line WHERE id BETWEEN ? AND ? AND import_id = ?`, first, last, i.ID)
		return true, err
	}
	if _, err := tx.exec(`DELETE FROM report_sum WHERE import_id = ?1 AND day_id IN (SELECT id FROM report_day WHERE gateway = ?2)`, i.ID, i.Gateway); err != nil {
		return false, err
	}
	if _, err := tx.exec(`DELETE FROM report_cover WHERE import_id = ?1 AND day_id IN (SELECT id FROM report_day WHERE gateway = ?2)`, i.ID, i.Gateway); err != nil {
		return false, err
	}
	_, err = tx.exec(`DELETE FROM report_known WHERE import_id = ?1 AND of_id IN (SELECT id FROM report_import WHERE gateway = ?2)`, i.ID, i.Gateway)
	return false, err
}

// Day is a calendar day of a gateway, by its own clock: [FromMs, ToMs) in UTC milliseconds.
type Day struct {
	ID      int64
	Gateway string
	Day     string // 2026-11-30
	FromMs  int64
	ToMs    int64
}

func scanDay(r *Row) Day {
	return Day{ID: r.Int(0), Gateway: r.Text(1), Day: r.Text(2), FromMs: r.Int(3), ToMs: r.Int(4)}
}

func (rx *Rx) days(where string, args ...any) (list []Day, err error) {
	err = rx.each(`SELECT d.id, d.gateway, d.day, d.from_ms, d.to_ms FROM report_day d `+where, func(r *Row) { list = append(list, scanDay(r)) }, args...)
	return list, err
}

// DayOf returns a gateway's day.
func (rx *Rx) DayOf(gateway, day string) (d Day, ok bool, err error) {
	list, err := rx.days(`WHERE d.gateway = ? AND d.day = ?`, gateway, day)
	if err != nil || len(list) == 0 {
		return Day{}, false, err
	}
	return list[0], true, nil
}

// Day returns a day by its row id.
func (rx *Rx) Day(id int64) (Day, bool, error) {
	list, err := rx.days(`WHERE d.id = ?`, id)
	if err != nil || len(list) == 0 {
		return Day{}, false, err
	}
	return list[0], true, nil
}

// Days lists the known days of a gateway from one to another, both included.
func (rx *Rx) Days(gateway, from, to string) ([]Day, error) {
	return rx.days(`WHERE d.gateway = ? AND d.day BETWEEN ? AND ? ORDER BY d.day`, gateway, from, to)
}

// EnsureDay returns the id of a day, noted if it was not there.
func (tx *Tx) EnsureDay(d Day) (int64, error) {
	known, ok, err := tx.DayOf(d.Gateway, d.Day)
	if err != nil || ok {
		return known.ID, err
	}
	return tx.insert(`INSERT INTO report_day (gateway, day, from_ms, to_ms) VALUES (?, ?, ?, ?)`, d.Gateway, d.Day, d.FromMs, d.ToMs)
}

// Format is how a person said that a report is to be read.
type Format struct {
	ID      int64
	Gateway string
	Name    string
	Spec    string // a [[report]] in TOML
	Header  string // the line that it was made for, tabs between
	Actor   string
	SavedMs int64
}

// Formats lists the formats that persons saved for a gateway, by name.
func (rx *Rx) Formats(gateway string) (list []Format, err error) {
	err = rx.each(`SELECT id, gateway, name, spec, header, actor, saved_ms FROM report_format WHERE gateway = ? ORDER BY name`, func(r *Row) {
		list = append(list, Format{ID: r.Int(0), Gateway: r.Text(1), Name: r.Text(2), Spec: r.Text(3), Header: r.Text(4), Actor: r.Text(5), SavedMs: r.Int(6)})
	}, gateway)
	return list, err
}

// SaveFormat keeps a format under its name, in the place of an older one of that name.
func (tx *Tx) SaveFormat(f Format) error {
	_, err := tx.exec(`INSERT INTO report_format (gateway, name, spec, header, actor, saved_ms) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (gateway, name) DO UPDATE SET spec = excluded.spec, header = excluded.header, actor = excluded.actor, saved_ms = excluded.saved_ms`,
		f.Gateway, f.Name, f.Spec, f.Header, f.Actor, f.SavedMs)
	return err
}

// CoverDay notes that an import speaks of a whole day.
func (tx *Tx) CoverDay(dayID, importID int64) error {
	_, err := tx.exec(`INSERT INTO report_cover (day_id, import_id) VALUES (?, ?) ON CONFLICT DO NOTHING`, dayID, importID)
	return err
}

// CoveredDays lists the days of a gateway from one to another, both included, that some import speaks of as a whole.
func (rx *Rx) CoveredDays(gateway, from, to string) ([]Day, error) {
	return rx.days(`WHERE d.gateway = ? AND d.day BETWEEN ? AND ? AND EXISTS (SELECT 1 FROM report_cover c WHERE c.day_id = d.id) ORDER BY d.day`, gateway, from, to)
}

// Covered tells whether some import speaks of a whole day.
func (rx *Rx) Covered(dayID int64) (bool, error) {
	return rx.one(`SELECT 1 FROM report_cover WHERE day_id = ?`, func(*Row) {}, dayID)
}

// CoveredSpan gives the first and the last day of a gateway that some import speaks of; "" where there is none.
func (rx *Rx) CoveredSpan(gateway string) (first, last string, err error) {
	_, err = rx.one(`SELECT min(d.day), max(d.day) FROM report_day d WHERE d.gateway = ? AND EXISTS (SELECT 1 FROM report_cover c WHERE c.day_id = d.id)`,
		func(r *Row) { first, last = r.Text(0), r.Text(1) }, gateway)
	return first, last, err
}
