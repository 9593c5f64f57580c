package web

import (
	"encoding/hex"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/app/settlement"
	"nodrop/store"
	"nodrop/templates"
)

const (
	spoolMark = ".report-"
	// spoolKept is how long an upload waits that nobody confirms.
	spoolKept = 24 * time.Hour
	// reportShown is how many cells of a row a preview shows, and how much of each.
	reportCells, reportCell = 40, 60
)

// upload is a report that was sent and lies beside the database until somebody confirms or forgets it.
type upload struct {
	key     string // of the file, hexadecimal
	gateway string
	name    string // as it came
}

// spool is where the file of an upload lies.
func (v *visit) spool(key string) string { return v.engine.Store().Path() + spoolMark + key }

func (u upload) preview() string {
	return address("/settlement/upload", "file", u.key, "gateway", u.gateway, "name", u.name)
}

func (u upload) hidden() []templates.Row {
	return []templates.Row{{Name: "file", Value: u.key}, {Name: "gateway", Value: u.gateway}, {Name: "name", Value: u.name}}
}

// uploaded is the upload that a form or an address names; an error when its file is gone.
func (v *visit) uploaded() (u upload, err error) {
	u = upload{key: v.r.FormValue("file"), gateway: v.r.FormValue("gateway"), name: v.r.FormValue("name")}
	if _, err := hex.DecodeString(u.key); err != nil || len(u.key) != 24 {
		return u, v.lost()
	}
	if _, err := os.Stat(v.spool(u.key)); err != nil {
		return u, &fault{status: http.StatusNotFound, code: "upload_gone", detail: v.lang.T("This upload is no longer kept: it was imported, or is older than a day. Upload the file again.")}
	}
	return u, nil
}

// postReport takes a report in and leads to its preview.
func (v *visit) postReport() error {
	v.forgetUploads()
	u, err := v.takeReport()
	var large *http.MaxBytesError
	var problem *settlement.Problem
	switch {
	case err == nil:
		return v.done(u.preview(), "")
	case errors.As(err, &large):
		return v.showSettlement(http.StatusRequestEntityTooLarge, v.lang.T("The file is larger than %s. Import it with “nodrop import” on the server.", mebibytes(v.engine.Config().Limits.MaxReport)))
	case errors.As(err, &problem):
		return v.showSettlement(http.StatusUnprocessableEntity, sentence(problem.Error()))
	case errors.Is(err, errNothingPasted):
		return v.showSettlement(http.StatusUnprocessableEntity, v.lang.T("Choose a file."))
	case errors.Is(err, errBrokenForm):
		return v.showSettlement(http.StatusBadRequest, v.lang.T("The form did not arrive whole. Send it again."))
	}
	return err
}

var errBrokenForm = errors.New("the form is not whole")

// takeReport writes the file of a form beside the database while it comes in.
func (v *visit) takeReport() (u upload, err error) {
	parts, err := v.r.MultipartReader()
	if err != nil {
		return u, errBrokenForm
	}
	defer func() {
		if err != nil && u.key != "" {
			_ = os.Remove(v.spool(u.key)) // what is left of it goes with the next upload
		}
	}()
	for {
		v.patient()
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF) && u.key == "":
			return u, errNothingPasted
		case errors.Is(err, io.EOF):
			return u, v.checkUpload(u)
		case err != nil:
			return u, broken(err)
		}
		if err := v.takePart(&u, part); err != nil {
			return u, err
		}
	}
}

// broken keeps what says that too much came, and calls anything else a broken form.
func broken(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return errBrokenForm
}

func (v *visit) takePart(u *upload, part *multipart.Part) error {
	switch part.FormName() {
	case "gateway":
		name, err := io.ReadAll(io.LimitReader(part, 200))
		if err != nil {
			return broken(err)
		}
		u.gateway = string(name)
	case "file":
		if part.FileName() == "" || u.key != "" {
			return nil
		}
		return v.keepFile(u, part)
	}
	return nil
}

func (v *visit) keepFile(u *upload, part *multipart.Part) error {
	key := v.formKey()
	f, err := os.OpenFile(v.spool(key), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	u.key, u.name = key, filepath.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
	source := &steady{v: v, from: part}
	_, err = io.Copy(f, source)
	if source.failed != nil {
		err = broken(source.failed)
	}
	return errors.Join(err, f.Close(), os.Chtimes(f.Name(), v.now, v.now)) // its age is told by our clock
}

// steady reads on with patience, as long as something comes.
type steady struct {
	v      *visit
	from   io.Reader
	failed error
}

func (s *steady) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		s.failed = err
	}
	s.v.patient()
	return n, err
}

// checkUpload refuses at once what is no report of any kind.
func (v *visit) checkUpload(u upload) error {
	if _, ok := v.engine.Gateway(u.gateway); !ok {
		return v.lost()
	}
	f, err := settlement.Open(v.spool(u.key), settlement.Limits{})
	if err != nil {
		return err
	}
	return f.Close()
}

// forgetUploads deletes the files of uploads that nobody confirmed for a day.
func (v *visit) forgetUploads() {
	files, _ := filepath.Glob(v.spool("*"))
	if len(files) == 0 {
		return
	}
	needed := map[string]bool{}
	err := v.read("unfinished imports", func(rx *store.Rx) error {
		list, err := rx.UnfinishedImports(1000)
		for _, i := range list {
			needed[i.Path] = true
		}
		return err
	})
	for _, path := range files {
		info, failed := os.Stat(path)
		full, _ := filepath.Abs(path)
		if err != nil || failed != nil || needed[full] || needed[path] || v.now.Sub(info.ModTime()) < spoolKept {
			continue
		}
		if err := os.Remove(path); err != nil {
			v.log.Warn("an upload that nobody confirmed could not be deleted", "file", path, "error", err)
		}
	}
}

// uploadPage shows an upload: what its import would do, or the form to assign its columns.
func (v *visit) uploadPage() error {
	return v.showReport(http.StatusOK, v.r.URL.Query().Get("assign") != "", "")
}

// showReport draws it; with assign the columns are assigned even where the file is recognised.
func (v *visit) showReport(status int, assign bool, problem string) error {
	u, err := v.uploaded()
	if err != nil {
		return err
	}
	v.patient()
	view := templates.ReportView{Page: v.page("settlement", v.lang.T("Import a report")), File: visible(u.name), Gateway: u.gateway, Hidden: u.hidden()}
	p, err := v.engine.PreviewReport(v.r.Context(), u.gateway, v.spool(u.key))
	if err != nil && app.KindOf(err) != app.KindInvalid {
		return err
	}
	view.Head = clipped(p.Head)
	switch {
	case err != nil:
		_, view.Problem, _ = v.mistake(err)
		view.Sentence = v.lang.T("This file cannot be imported as it is")
		view.Failed = true
	case p.Recognised == "" || assign:
		view.Sentence = v.lang.T("Say what the columns hold")
		if !assign {
			view.Missing = sentence(p.Missing)
		}
		view.Mapping = v.mappingView(u, p.Head, problem)
	default:
		view.Report = p.Recognised
		v.showDry(&view, *p.Result)
		view.Again = templates.Link{Text: v.lang.T("Assign the columns anew"), Href: u.preview() + "&assign=1"}
	}
	if err != nil && len(p.Head) > 0 {
		view.Again = templates.Link{Text: v.lang.T("Assign the columns anew"), Href: u.preview() + "&assign=1"}
	}
	if problem != "" {
		view.Alerts = []templates.Link{{Text: problem, Href: "#mapping-problem"}}
	}
	return v.show(status, templates.Report(view))
}

func (v *visit) showDry(view *templates.ReportView, r app.ImportResult) {
	view.Sentence = v.outcome(int64(r.Lines), int64(r.Rejected), int64(r.Matched), r.Findings)
	view.Findings, view.Totals = v.findingRows(r.Findings), v.totalRows(r.Totals)
	view.Faults, view.More = v.faultRows(r.Faults, int64(r.Rejected))
	first, last := "", ""
	if len(r.Days) > 0 {
		first, last = r.Days[0], r.Days[len(r.Days)-1]
	}
	view.Rows = []templates.Row{
		{Name: v.lang.T("Lines that can be used"), Value: count(int64(r.Lines))}, {Name: v.lang.T("Lines that cannot"), Value: count(int64(r.Rejected))},
		{Name: v.lang.T("Came in an earlier file"), Value: count(int64(r.Known))}, {Name: v.lang.T("Days"), Value: v.daySpan(first, last)},
	}
}

// clipped bounds what is shown of a file's first rows.
func clipped(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, row := range rows {
		for _, cell := range row[:min(len(row), reportCells)] {
			text := []rune(visible(cell))
			if len(text) > reportCell {
				text = append(text[:reportCell], '…')
			}
			out[i] = append(out[i], string(text))
		}
	}
	return out
}

// postImport has an upload imported.
func (v *visit) postImport() error {
	u, err := v.uploaded()
	if err != nil {
		return err
	}
	v.patient()
	id, err := v.engine.QueueImport(v.r.Context(), app.ImportRequest{Gateway: u.gateway, Path: v.spool(u.key), Name: u.name, Source: app.ReportUploaded, Actor: v.user.Name})
	if err != nil {
		return err
	}
	i, err := v.engine.ImportByID(v.r.Context(), id)
	if err != nil {
		return err
	}
	message := ""
	if !strings.HasSuffix(i.Path, spoolMark+u.key) {
		message = v.lang.T("This file was imported before; nothing was done.")
	}
	return v.done(importPath(id), message)
}
