package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/templates"
)

const (
	importsShown = 20
	monthLayout  = "2006-01"
)

// settlement shows a gateway's month as a calendar, with its imports and the form for another report.
func (v *visit) settlement() error { return v.showSettlement(http.StatusOK, "") }

// showSettlement draws the page; problem is what is wrong with the file that was sent.
func (v *visit) showSettlement(status int, problem string) error {
	q := v.r.URL.Query()
	names := v.engine.GatewayNames()
	gateway := q.Get("gateway")
	if gateway == "" && len(names) > 0 {
		gateway = names[0]
	}
	today := v.now.In(v.engine.Config().Timezone)
	month, err := time.Parse(monthLayout, q.Get("month"))
	if err != nil {
		month = time.Date(today.Year(), today.Month(), 1, 0, 0, 0, 0, time.UTC)
	}
	days, err := v.engine.SettlementMonth(v.r.Context(), gateway, month.Format(monthLayout))
	if err != nil {
		return err
	}
	after, _ := strconv.ParseInt(q.Get("after"), 10, 64)
	imports, err := v.engine.Imports(v.r.Context(), app.ImportQuery{Gateway: gateway, After: after, Limit: importsShown + 1})
	if err != nil {
		return err
	}
	view := templates.SettlementView{Page: v.page("settlement", v.lang.T("Settlement")), Gateway: gateway, Month: month.Format(v.lang.T("January 2006"))}
	view.Sentence, view.Calm = v.monthSentence(days)
	view.Days, view.Lead = v.dayCells(gateway, days, today.Format(time.DateOnly)), int(month.Weekday()+6)%7
	view.Nothing = !slices.ContainsFunc(days, func(d app.DayView) bool { return d.State != app.DayNone })
	view.Before = v.monthLink(gateway, month.AddDate(0, -1, 0))
	if next := month.AddDate(0, 1, 0); next.Format(monthLayout) <= today.Format(monthLayout) {
		view.After = v.monthLink(gateway, next)
	}
	for _, name := range names {
		view.Gateways = append(view.Gateways, templates.Filter{Text: name, Href: address("/settlement", "gateway", name, "month", q.Get("month")), Active: name == gateway})
	}
	if len(imports) > importsShown {
		imports = imports[:importsShown]
		view.Pager.Next = address("/settlement", "gateway", gateway, "month", q.Get("month"), "after", number(imports[importsShown-1].ID))
	}
	for _, i := range imports {
		view.Imports = append(view.Imports, v.importRow(i))
	}
	view.Upload = v.uploadForm(gateway, problem)
	if problem != "" {
		view.Alerts = []templates.Link{{Text: problem, Href: "#report-file"}}
	}
	return v.show(status, templates.Settlement(view))
}

func (v *visit) monthLink(gateway string, month time.Time) templates.Link {
	return templates.Link{Text: month.Format(v.lang.T("January 2006")), Href: address("/settlement", "gateway", gateway, "month", month.Format(monthLayout))}
}

func (v *visit) uploadForm(gateway, problem string) templates.UploadForm {
	f := templates.UploadForm{Problem: problem, Limit: mebibytes(v.engine.Config().Limits.MaxReport), ReadOnly: !v.mayAct()}
	for _, name := range v.engine.GatewayNames() {
		f.Gateways = append(f.Gateways, templates.Option{Value: name, Text: name, Chosen: name == gateway})
	}
	return f
}

func mebibytes(n int64) string { return grouped(strconv.FormatInt(max(n>>20, 1), 10)) + " MB" }

// monthSentence says how a month stands; calm is false while a person is wanted.
func (v *visit) monthSentence(days []app.DayView) (text string, calm bool) {
	n := map[string]int64{}
	var risk []app.FindingSum
	for _, d := range days {
		n[d.State]++
		if d.State == app.DayOpen {
			risk = append(risk, d.AtRisk...)
		}
	}
	stake := v.stakes(risk)
	switch {
	case n[app.DayOpen] > 0 && stake != "":
		return v.lang.N(n[app.DayOpen], "One day differs from its reports, %[2]s at stake.", "%[1]d days differ from their reports, %[2]s at stake.", n[app.DayOpen], stake), false
	case n[app.DayOpen] > 0:
		return v.lang.N(n[app.DayOpen], "One day differs from its reports.", "%d days differ from their reports.", n[app.DayOpen]), false
	case n[app.DayMissing] > 0:
		return v.lang.N(n[app.DayMissing], "One day lacks its report.", "%d days lack their report.", n[app.DayMissing]), false
	case n[app.DayExpected] > 0:
		return v.lang.T("Nothing differs; some payments are still expected in a report."), true
	case n[app.DayClean] > 0:
		return v.lang.T("Every day with a report agrees with it."), true
	}
	return v.lang.T("No report speaks of this month."), true
}

// stakes adds amounts up by currency.
func (v *visit) stakes(list []app.FindingSum) string {
	sums := map[string]int64{}
	for _, s := range list {
		if s.Currency != noMoney && s.Currency != "" {
			sums[s.Currency] += s.Minor
		}
	}
	return strings.Join(moneys(sums), "\u00a0· ")
}

// moneys writes sums of several currencies.
func moneys(sums map[string]int64) (list []string) {
	var currencies []string
	for c, minor := range sums {
		if minor != 0 && c != noMoney && c != "" {
			currencies = append(currencies, c)
		}
	}
	slices.Sort(currencies)
	for _, c := range currencies {
		list = append(list, strings.ReplaceAll(money(sums[c], c), " ", "\u00a0"))
	}
	return list
}

// dayShape gives each state of a day its shape and colour.
var dayShape = map[string]string{app.DayClean: "ok", app.DayOpen: "bad", app.DayMissing: "odd", app.DayExpected: "wait", app.DayNone: "off"}

func (v *visit) dayState(state string) templates.Badge {
	return templates.Badge{Kind: dayShape[state], Label: v.lang.word("day", state)}
}

func dayPath(gateway, day string) string {
	return "/settlement/" + url.PathEscape(gateway) + "/" + url.PathEscape(day)
}

func (v *visit) dayCells(gateway string, days []app.DayView, today string) []templates.DayCell {
	cells := make([]templates.DayCell, len(days))
	for i, d := range days {
		at, _ := time.Parse(time.DateOnly, d.Day) // the engine wrote it
		cells[i] = templates.DayCell{
			Href: dayPath(gateway, d.Day), Number: strconv.Itoa(at.Day()), Date: d.Day, Weekday: v.lang.word("weekday", strconv.Itoa(int(at.Weekday()))),
			State: v.dayState(d.State), Note: v.dayNote(d), Empty: d.State == app.DayNone, Today: d.Day == today,
		}
	}
	return cells
}

// dayNote says in a word or two what there is about a day.
func (v *visit) dayNote(d app.DayView) string {
	switch d.State {
	case app.DayOpen:
		return v.lang.N(d.Open+d.Asking, "1 difference", "%s differences", count(d.Open+d.Asking))
	case app.DayMissing:
		return v.lang.N(d.Paid, "1 payment", "%s payments", count(d.Paid))
	case app.DayExpected:
		return v.lang.T("%s expected", count(max(d.Expected, d.Paid-d.Matched)))
	}
	return v.lang.N(d.Lines, "1 line", "%s lines", count(d.Lines))
}

// importShape gives each state of an import its shape and colour.
var importShape = map[string]string{
	app.ImportWaiting: "wait", app.ImportReading: "busy", app.ImportActing: "busy", app.ImportDone: "ok", app.ImportFailed: "bad", app.ImportUndoing: "busy", app.ImportUndone: "off",
}

func (v *visit) importState(state string) templates.Badge {
	return templates.Badge{Kind: importShape[state], Label: v.lang.word("import", state)}
}

func importPath(id int64) string { return numbered("/settlement/imports", id) }

func (v *visit) importRow(i app.ImportView) templates.ImportRow {
	row := templates.ImportRow{
		Href: importPath(i.ID), File: visible(i.Name), State: v.importState(i.State), Lines: count(i.Lines + i.Rejected), Matched: count(i.Matched),
		Days: v.daySpan(i.FirstDay, i.LastDay), By: v.importedBy(i), At: v.stamp(i.StartedMs),
	}
	if i.State == app.ImportReading && i.Bytes > 0 {
		row.Progress = strconv.FormatInt(100*i.BytesDone/i.Bytes, 10) + " %"
	}
	if n := differing(i.Findings); n > 0 {
		row.Differ = count(n)
	}
	return row
}

// importedBy names who brought a report, or where it came from.
func (v *visit) importedBy(i app.ImportView) string {
	if i.Actor != "" {
		return i.Actor
	}
	return v.lang.word("brought", i.Source)
}

func (v *visit) daySpan(first, last string) string {
	if first == "" {
		return "–"
	}
	if first == last {
		return v.dayText(first)
	}
	return v.dayText(first) + " – " + v.dayText(last)
}

// dayText writes a day such as 2026-11-30 for the reader.
func (v *visit) dayText(day string) string {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return at.Format(v.lang.T("2 Jan 2006"))
}

// agreeing are the findings that nobody has to look at.
var agreeing = map[string]bool{"matched": true, "other_money": true, "expected": true, "known": true}

// differing counts what a person may have to look at.
func differing(list []app.FindingSum) (n int64) {
	for _, s := range list {
		if !agreeing[s.Kind] {
			n += int64(s.Count)
		}
	}
	return n
}

// findingShape gives each finding that is no plain difference its shape and colour.
var findingShape = map[string]string{"matched": "ok", "other_money": "off", "expected": "wait", "unparseable": "odd", "duplicate_line": "odd", "fee": "odd", "totals": "odd"}

func (v *visit) finding(kind string) templates.Badge {
	shape := findingShape[kind]
	if shape == "" {
		shape = "bad"
	}
	return templates.Badge{Kind: shape, Label: v.lang.word("finding", kind)}
}

// findingRows lists what lines were found to be, one row for each kind, differences first.
func (v *visit) findingRows(list []app.FindingSum) (rows []templates.FindingRow) {
	counts, sums := map[string]int64{}, map[string]map[string]int64{}
	var kinds []string
	for _, s := range list {
		if sums[s.Kind] == nil {
			sums[s.Kind] = map[string]int64{}
			kinds = append(kinds, s.Kind)
		}
		counts[s.Kind] += int64(s.Count)
		sums[s.Kind][s.Currency] += s.Minor
	}
	slices.SortFunc(kinds, byRank)
	for _, k := range kinds {
		rows = append(rows, templates.FindingRow{State: v.finding(k), Says: v.lang.wordOr("found", k, ""), Count: count(counts[k]), Sums: moneys(sums[k])})
	}
	return rows
}

func byRank(a, b string) int { return cmp.Or(findingRank(a)-findingRank(b), strings.Compare(a, b)) }

// findingRank puts differences first and what agrees last.
func findingRank(kind string) int {
	switch kind {
	case "expected":
		return 1
	case "matched":
		return 2
	case "other_money":
		return 3
	}
	return 0
}
