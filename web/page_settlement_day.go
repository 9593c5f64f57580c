package web

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/store"
	"nodrop/templates"
)

const differencesShown = 100

// dayWish is what a person wants to see of a gateway's day, as the address keeps it.
type dayWish struct {
	gateway, day string
	kind, state  string // of differences
	lines        string // the finding of lines; "": differences are shown
	after        int64
}

func (v *visit) dayWish() dayWish {
	q := v.r.URL.Query()
	w := dayWish{gateway: v.r.PathValue("gateway"), day: v.r.PathValue("day"), kind: q.Get("kind"), state: q.Get("state"), lines: q.Get("lines")}
	w.after, _ = strconv.ParseInt(q.Get("after"), 10, 64)
	return w
}

func (w dayWish) at(more string) string {
	after := ""
	if w.after > 0 {
		after = number(w.after)
	}
	return address(dayPath(w.gateway, w.day)+more, "kind", w.kind, "state", w.state, "lines", w.lines, "after", after)
}

// narrowed is the same day with other things shown, from the beginning.
func (w dayWish) narrowed(kind, state, lines string) string {
	w.kind, w.state, w.lines, w.after = kind, state, lines, 0
	return w.at("")
}

// settlementDay shows one day: what its reports say against our books.
func (v *visit) settlementDay() error {
	w := v.dayWish()
	d, err := v.engine.SettlementDay(v.r.Context(), w.gateway, w.day)
	if err != nil {
		if app.KindOf(err) == app.KindInvalid {
			return v.lost()
		}
		return err
	}
	if w.lines == "" && w.kind == "" && w.state == "" && len(d.Differences) == 0 && d.Lines > 0 {
		if w.lines = "matched"; d.Matched == 0 {
			w.lines = d.Sums[0].Finding
		}
	}
	view := templates.DayView{Page: v.page("settlement", v.lang.T("%s, %s", w.gateway, v.dayText(w.day))), Gateway: w.gateway, State: v.dayState(d.State), OfLines: w.lines != ""}
	view.Sentence, view.Calm = v.daySentence(d)
	view.Says = v.lang.T("%s, %s: %s lines of reports, %s of our payments succeeded", w.gateway, v.dayText(w.day), count(d.Lines), count(d.Paid))
	v.aroundDay(&view, w)
	view.Findings = v.dayFindings(d, w)
	if view.OfLines {
		err = v.showLines(&view, w)
	} else {
		err = v.showDifferences(&view, d, w)
	}
	if err != nil {
		return err
	}
	if w.after > 0 {
		view.Pager.First = w.narrowed(w.kind, w.state, w.lines)
	}
	return v.show(http.StatusOK, templates.Day(view))
}

func (v *visit) aroundDay(view *templates.DayView, w dayWish) {
	at, err := time.Parse(time.DateOnly, w.day)
	if err != nil {
		return
	}
	beside := func(days int) templates.Link {
		day := at.AddDate(0, 0, days).Format(time.DateOnly)
		return templates.Link{Text: v.dayText(day), Href: dayPath(w.gateway, day)}
	}
	view.Before, view.After = beside(-1), beside(1)
	view.Back = templates.Link{Text: v.lang.T("Settlement"), Href: address("/settlement", "gateway", w.gateway, "month", at.Format(monthLayout))}
	for _, f := range []struct{ text, file string }{
		{v.lang.T("Differences as CSV"), "differences.csv"}, {v.lang.T("as XLSX"), "differences.xlsx"}, {v.lang.T("Lines as CSV"), "lines.csv"}, {v.lang.T("as XLSX"), "lines.xlsx"},
	} {
		view.Exports = append(view.Exports, templates.Link{Text: f.text, Href: dayPath(w.gateway, w.day) + "/" + f.file})
	}
}

// daySentence says how a day stands.
func (v *visit) daySentence(d app.DayView) (text string, calm bool) {
	n, stake := d.Open+d.Asking, v.stakes(d.AtRisk)
	switch {
	case n > 0 && stake != "":
		return v.lang.N(n, "One difference, %[2]s", "%[1]s differences, %[2]s", count(n), stake), false
	case n > 0:
		return v.lang.N(n, "One difference", "%s differences", count(n)), false
	case d.State == app.DayMissing:
		return v.lang.N(d.Paid, "One payment succeeded, and no report speaks of this day.", "%s payments succeeded, and no report speaks of this day.", count(d.Paid)), false
	case d.State == app.DayExpected && d.Lines == 0:
		return v.lang.N(d.Paid, "One payment succeeded; the report is still expected.", "%s payments succeeded; the report is still expected.", count(d.Paid)), true
	case d.Expected > 0:
		return v.lang.N(d.Expected, "One payment is still expected in a report.", "%s payments are still expected in a report.", count(d.Expected)), true
	case d.Lines > 0 && d.Matched == d.Lines:
		return v.lang.N(d.Lines, "The one line matches.", "All %s lines match.", count(d.Lines)), true
	case d.Lines > 0:
		return v.lang.N(d.Lines, "Nothing differs in the one line.", "Nothing differs in %s lines.", count(d.Lines)), true
	case d.State == app.DayClean:
		return v.lang.T("A report speaks of this day, and has no line."), true
	}
	return v.lang.T("Nothing happened on this day."), true
}

// dayFindings lists the differences of a day by kind, then its explained lines.
func (v *visit) dayFindings(d app.DayView, w dayWish) (rows []templates.FindingRow) {
	counts, sums := map[string]int64{}, map[string]map[string]int64{}
	add := func(kind, currency string, n, minor int64) {
		if sums[kind] == nil {
			sums[kind] = map[string]int64{}
		}
		counts[kind] += n
		sums[kind][currency] += minor
	}
	for _, t := range d.Differences {
		kind := t.Kind
		if t.State == app.DifferenceCleared {
			continue
		}
		if t.State == app.DifferenceExpected && kind == "missing_at_gateway" {
			kind = "expected"
		}
		add(kind, t.Currency, t.Count, t.Risk)
	}
	for _, s := range d.Sums {
		if s.Finding == "matched" || s.Finding == "other_money" {
			add(s.Finding, s.Currency, s.Count, s.Gross)
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(counts), byRank) {
		row := templates.FindingRow{State: v.finding(k), Says: v.lang.wordOr("found", k, ""), Count: count(counts[k]), Sums: moneys(sums[k])}
		switch k {
		case "matched", "other_money":
			row.Href, row.Active = w.narrowed("", "", k), w.lines == k
		case "expected":
			row.Href, row.Active = w.narrowed("missing_at_gateway", app.DifferenceExpected, ""), w.state == app.DifferenceExpected
		default:
			row.Href, row.Active = w.narrowed(k, "", ""), w.kind == k && w.state != app.DifferenceExpected
		}
		rows = append(rows, row)
	}
	return rows
}

func (v *visit) showLines(view *templates.DayView, w dayWish) error {
	list, err := v.engine.DayLines(v.r.Context(), w.gateway, w.day, w.lines, w.after, differencesShown+1)
	if err != nil {
		return err
	}
	view.Shown = v.lang.T("Lines: %s", v.lang.word("finding", w.lines))
	view.Nothing = v.lang.T("No line is like that.")
	if len(list) > differencesShown {
		list = list[:differencesShown]
		w.after = list[differencesShown-1].ID
		view.Pager.Next = w.at("")
	}
	for _, l := range list {
		view.Lines = append(view.Lines, v.lineRow(l))
	}
	return nil
}

func (v *visit) lineRow(l app.LineView) templates.LineRow {
	row := templates.LineRow{
		Number: count(l.Number), Kind: v.lang.word("line", l.Type), Finding: v.finding(l.Finding), Ref: ref(l.MerchantRef), At: v.clock(max(l.OccurredMs, l.SettledMs)),
		Gross: known(l.Gross, l.Currency), Fee: known(l.Fee, l.Currency), Net: known(l.Net, l.Currency),
	}
	if l.Payment != "" {
		row.Payment = paymentPath(l.Payment)
	}
	switch {
	case l.MerchantRef != "":
	case l.Line.MerchantRef != "":
		row.Ref = ref(l.Line.MerchantRef)
	default:
		row.Ref = ref(l.GatewayRef)
	}
	return row
}

// known shows an amount that a line may leave out.
func known(a store.Amount, currency string) string {
	if !a.Known {
		return "–"
	}
	return money(a.Minor, currency)
}

func (v *visit) showDifferences(view *templates.DayView, d app.DayView, w dayWish) error {
	list, err := v.engine.Differences(v.r.Context(), app.DifferenceQuery{Gateway: w.gateway, Day: w.day, Kind: w.kind, State: w.state, After: w.after, Limit: differencesShown + 1})
	if err != nil {
		return err
	}
	view.Shown = v.lang.T("Differences")
	if w.kind != "" {
		view.Shown = v.lang.T("Differences: %s", v.lang.word("finding", w.kind))
	}
	view.Narrow = v.differenceStates(d, w)
	view.Nothing, view.How = v.lang.T("No difference is like that."), ""
	if len(d.Differences) == 0 {
		view.Nothing, view.How = v.lang.T("Nothing differs."), v.lang.T("What a report and our books say differently about this day appears here, with what can be done about it.")
	}
	if len(list) > differencesShown {
		list = list[:differencesShown]
		w.after = list[differencesShown-1].ID
		view.Pager.Next = w.at("")
		if v.mayAct() {
			view.All = v.lang.T("Decide on all %s", count(shownBy(d, w)))
		}
	}
	for _, one := range list {
		view.Differ = append(view.Differ, v.differenceRow(one))
	}
	if v.mayAct() {
		view.Decide = dayPath(w.gateway, w.day) + "/decide"
	}
	for _, pair := range [][2]string{{"kind", w.kind}, {"state", w.state}} {
		if pair[1] != "" {
			view.Kept = append(view.Kept, templates.Row{Name: pair[0], Value: pair[1]})
		}
	}
	return nil
}

// shownBy counts the differences that a wish is about.
func shownBy(d app.DayView, w dayWish) (n int64) {
	for _, t := range d.Differences {
		if (w.kind == "" || t.Kind == w.kind) && (w.state == "" || t.State == w.state) {
			n += t.Count
		}
	}
	return n
}

func (v *visit) differenceStates(d app.DayView, w dayWish) []templates.Filter {
	counts := map[string]int64{}
	for _, t := range d.Differences {
		if w.kind == "" || t.Kind == w.kind {
			counts[t.State] += t.Count
			counts[""] += t.Count
		}
	}
	if counts[""] == 0 {
		return nil
	}
	list := []templates.Filter{{Text: v.lang.T("All"), Href: w.narrowed(w.kind, "", ""), Count: count(counts[""]), Active: w.state == ""}}
	for _, state := range []string{app.DifferenceOpen, app.DifferenceAsking, app.DifferenceExpected, app.DifferenceDecided, app.DifferenceCleared} {
		if counts[state] > 0 || w.state == state {
			list = append(list, templates.Filter{Text: v.lang.word("difference", state), Href: w.narrowed(w.kind, state, ""), Count: count(counts[state]), Active: w.state == state})
		}
	}
	return list
}

// differenceShape gives each state of a difference its shape and colour.
var differenceShape = map[string]string{app.DifferenceOpen: "bad", app.DifferenceAsking: "busy", app.DifferenceExpected: "wait", app.DifferenceDecided: "ok", app.DifferenceCleared: "off"}

func (v *visit) differenceRow(d app.DifferenceView) templates.DifferenceRow {
	row := templates.DifferenceRow{
		ID: number(d.ID), Kind: v.finding(d.Kind), State: templates.Badge{Kind: differenceShape[d.State], Label: v.lang.word("difference", d.State)},
		Href: dayPath(d.Gateway, d.Day) + "/decide?d=" + number(d.ID), Detail: visible(d.Detail), Differs: d.ExpectedMinor != d.SeenMinor,
	}
	row.Expected, row.Seen = sides(d)
	switch {
	case d.Payment != nil:
		row.Ref, row.Payment, row.Here = ref(d.Payment.MerchantRef), paymentPath(d.Payment.ID), v.lang.word("state", d.Payment.State)
	case d.Line != nil && d.Line.MerchantRef != "":
		row.Ref = ref(d.Line.MerchantRef)
	case d.Line != nil:
		row.Ref = ref(d.Line.GatewayRef)
	}
	if d.ImportID != 0 {
		row.File = templates.Link{Text: visible(d.File), Href: importPath(d.ImportID)}
		if d.Number > 0 {
			row.File.Text = v.lang.T("%s, line %s", visible(d.File), count(d.Number))
		}
	}
	if d.Proposal != "" && d.Payment == nil {
		row.Proposal = templates.Link{Text: v.lang.T("It may be about %s", d.Proposal), Href: paymentPath(d.Proposal)}
	}
	if d.State == app.DifferenceDecided {
		row.Who, row.Reason, row.At = v.lang.T("%[1]s by %[2]s", v.lang.word("settle", d.Answer), d.ClosedBy), visible(d.Reason), v.stamp(d.ClosedMs)
	}
	return row
}

// nothingHere are the findings of which our books, and nothingThere those of which the report, says nothing.
var (
	nothingHere  = map[string]bool{"missing_locally": true, "duplicate_line": true, "unparseable": true}
	nothingThere = map[string]bool{"missing_at_gateway": true, "unparseable": true}
)

// sides are what our books and what the report say.
func sides(d app.DifferenceView) (expected, seen string) {
	show := func(minor int64, nothing bool) string {
		switch {
		case nothing:
			return "–"
		case d.Kind == "totals" && d.Currency == noMoney:
			return count(minor)
		}
		return money(minor, d.Currency)
	}
	seenCurrency := d.Currency
	if d.Kind == "currency" && d.Line != nil && d.Payment != nil {
		d.Currency, seenCurrency = d.Payment.Currency, d.Line.Currency
	}
	expected = show(d.ExpectedMinor, nothingHere[d.Kind])
	d.Currency = seenCurrency
	return expected, show(d.SeenMinor, nothingThere[d.Kind])
}

// settlementReview leads from the question about a day to that day's page.
func settlementReview(r store.Review) (path, day string, ok bool) {
	day, ours := strings.CutPrefix(r.Subject, r.Gateway+":")
	if r.Kind != "settlement" || !ours {
		return "", "", false
	}
	return dayPath(r.Gateway, day), day, true
}
