package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/app/settlement"
	"nodrop/templates"
)

// actUndoImport is the one thing to do about an import.
const actUndoImport = "undo_import"

// importPage shows one import; an address with a day belongs to a gateway called imports.
func (v *visit) importPage() error {
	if id := v.r.PathValue("id"); len(id) == len(time.DateOnly) && strings.Contains(id, "-") {
		v.r.SetPathValue("gateway", "imports")
		v.r.SetPathValue("day", id)
		return v.settlementDay()
	}
	return v.showImport(http.StatusOK, typed{})
}

func (v *visit) showImport(status int, t typed) error {
	id, err := v.number("id")
	if err != nil {
		return err
	}
	i, err := v.engine.ImportByID(v.r.Context(), id)
	if err != nil {
		return err
	}
	view := templates.ImportView{
		Page: v.page("settlement", visible(i.Name)), State: v.importState(i.State), Says: v.lang.word("import_says", i.State), Problem: sentence(i.Problem),
		Busy: i.State == app.ImportReading || i.State == app.ImportActing || i.State == app.ImportWaiting || i.State == app.ImportUndoing,
		Rows: v.importFacts(i), Findings: v.findingRows(i.Findings), Totals: v.totalRows(i.Totals), Undo: v.undoForm(i, t),
	}
	view.Sentence = v.importSentence(i)
	if i.Bytes > 0 {
		view.Share = int(100 * i.BytesDone / i.Bytes)
	}
	if view.Busy {
		view.Refresh = 1
	}
	for _, day := range i.Days {
		view.Days = append(view.Days, templates.Link{Text: v.dayText(day), Href: dayPath(i.Gateway, day)})
	}
	view.Faults, view.More = v.faultRows(i.Faults, i.Rejected)
	view.Alerts = view.Undo.Wrong
	return v.show(status, templates.Import(view))
}

// importSentence says what came out.
func (v *visit) importSentence(i app.ImportView) string {
	switch i.State {
	case app.ImportWaiting, app.ImportReading, app.ImportActing:
		return v.lang.T("%s is being imported", visible(i.Name))
	case app.ImportFailed:
		return v.lang.T("%s was not imported", visible(i.Name))
	case app.ImportUndone, app.ImportUndoing:
		return v.lang.T("The import of %s was undone", visible(i.Name))
	}
	return v.outcome(i.Lines, i.Rejected, i.Matched, i.Findings)
}

// outcome says in one sentence what the lines of a report came to.
func (v *visit) outcome(lines, rejected, matched int64, findings []app.FindingSum) string {
	n := differing(findings)
	switch stake := v.stakes(differences(findings)); {
	case n > 0 && stake != "":
		return v.lang.N(n, "One difference, %[2]s", "%[1]s differences, %[2]s", count(n), stake)
	case n > 0:
		return v.lang.N(n, "One difference", "%s differences", count(n))
	case rejected == 0 && lines == matched && lines > 0:
		return v.lang.N(lines, "The one line matches.", "All %s lines match.", count(lines))
	}
	return v.lang.N(lines, "Nothing differs in the one line.", "Nothing differs in %s lines.", count(lines))
}

// differences are the findings that somebody may have to look at.
func differences(list []app.FindingSum) (out []app.FindingSum) {
	for _, s := range list {
		if !agreeing[s.Kind] {
			out = append(out, s)
		}
	}
	return out
}

func (v *visit) importFacts(i app.ImportView) []templates.Row {
	rows := []templates.Row{
		{Name: v.lang.T("File"), Value: visible(i.Name)}, {Name: v.lang.T("Gateway"), Link: templates.Link{Text: i.Gateway, Href: address("/settlement", "gateway", i.Gateway)}},
		{Name: v.lang.T("Read as"), Value: i.Report}, {Name: v.lang.T("Lines that can be used"), Value: count(i.Lines)}, {Name: v.lang.T("Lines that cannot"), Value: count(i.Rejected)},
		{Name: v.lang.T("Came in an earlier file"), Value: count(i.Known)}, {Name: v.lang.T("Imported by"), Value: v.importedBy(i)}, {Name: v.lang.T("Begun"), At: v.stamp(i.StartedMs)},
	}
	if i.DoneMs > 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("Done"), At: v.stamp(i.DoneMs)})
	}
	return rows
}

func (v *visit) faultRows(list []app.LineFault, rejected int64) (rows []templates.FaultRow, more string) {
	for _, f := range list {
		rows = append(rows, templates.FaultRow{Number: v.lang.T("Line %s", strconv.Itoa(f.Number)), Text: visible(f.Message)})
	}
	if n := rejected - int64(len(list)); n > 0 && len(list) > 0 {
		more = v.lang.N(n, "One more is not shown.", "%s more are not shown.", count(n))
	}
	return rows, more
}

func (v *visit) totalRows(list []settlement.Total) (rows []templates.TotalRow) {
	for _, t := range list {
		show := func(n int64) string {
			if t.Currency == "" {
				return count(n)
			}
			return money(n, t.Currency)
		}
		rows = append(rows, templates.TotalRow{What: v.lang.word("total", t.What), Stated: show(t.Stated), Counted: show(t.Counted), Differs: t.Stated != t.Counted})
	}
	return rows
}

// undoForm offers to undo an import, or says why not.
func (v *visit) undoForm(i app.ImportView, t typed) templates.FormsView {
	f := templates.FormsView{Page: v.page("", ""), Action: importPath(i.ID) + "/undo", Key: v.formKey(), ID: "import", ReadOnly: !v.mayAct()}
	if i.State != app.ImportDone {
		return f
	}
	a := templates.Act{Act: actUndoImport, Label: v.lang.word("act", actUndoImport), Follows: v.lang.word("follows", actUndoImport), Reason: true}
	if !i.Undoable {
		a.Blocked = sentence(i.Keeps)
	}
	if t.text != "" {
		field := fill(&a, t)
		f.Wrong = []templates.Link{{Text: t.text, Href: "#" + f.Field(a, field)}}
	}
	f.Acts = []templates.Act{a}
	return f
}

func (v *visit) postUndoImport() error {
	id, err := v.number("id")
	if err != nil {
		return err
	}
	_ = v.r.ParseForm() // a form that cannot be read has no reason, which is refused
	t := typed{values: v.r.PostForm}
	v.patient()
	err = v.engine.UndoImport(v.r.Context(), id, v.user.Name, t.values.Get("reason"), t.values.Get("form_key"))
	if err == nil {
		return v.done(importPath(id), v.lang.T("The import is undone."))
	}
	var ok bool
	if t.code, t.text, ok = v.mistake(err); !ok {
		return err
	}
	return v.showImport(faultOf(err).status, t)
}

// patience is how long one part of long work on a report may take.
const patience = 5 * time.Minute

// patient gives a page the time that long work takes.
func (v *visit) patient() {
	until := v.engine.Now().Add(patience)
	c := http.NewResponseController(v.w)
	_ = c.SetReadDeadline(until) // not every connection has one
	_ = c.SetWriteDeadline(until)
}
