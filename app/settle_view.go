package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"nodrop/app/gateway"
	"nodrop/app/settlement"
	"nodrop/store"
)

// dryRun says what an import would find and writes nothing.
func (e *Engine) dryRun(ctx context.Context, a *account, r ImportRequest) (ImportResult, error) {
	row := store.Import{Gateway: a.name, Name: r.Name}
	run := newImportRun(e, a, &row, r)
	if err := run.read(ctx); err != nil {
		return ImportResult{}, asInvalid(err)
	}
	if err := run.wouldMiss(ctx); err != nil {
		return ImportResult{}, err
	}
	res := ImportResult{Gateway: a.name, File: r.Name, Report: row.Report, Dry: true}
	detail, err := detailOf(row)
	if err != nil {
		return res, err
	}
	res.count(row)
	res.Faults, res.Totals = detail.Faults, orNoTotals(detail.Totals)
	for _, s := range run.judged.sums {
		res.Findings = append(res.Findings, *s)
	}
	for day := range run.judged.days {
		res.Days = append(res.Days, day)
	}
	res.sort()
	return res, nil
}

// wouldMiss counts the successes of the days of a dry run that neither it nor an earlier import speaks of.
func (r *importRun) wouldMiss(ctx context.Context) error {
	var days []store.Day
	for day := range r.judged.paid {
		d := store.Day{Gateway: r.a.name, Day: day}
		var err error
		if d.FromMs, d.ToMs, err = dayBounds(day, r.zone); err != nil {
			return err
		}
		days = append(days, d)
	}
	if len(days) == 0 {
		return nil
	}
	slices.SortFunc(days, func(a, b store.Day) int { return cmp.Compare(a.Day, b.Day) })
	for _, day := range coveredDays(days) {
		d := store.Day{Gateway: r.a.name, Day: day}
		var err error
		if d.FromMs, d.ToMs, err = dayBounds(day, r.zone); err != nil {
			return err
		}
		err = r.e.unsettled(ctx, d, r.spoken.has, func(list []store.UnsettledPayment) error {
			for _, p := range list {
				missing := r.e.missing(r.a, d, p)
				r.judged.count(findingOf(missing.Kind, missing.State), p.Currency, missing.RiskMinor)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// findingOf is what a difference is counted as: a success that no line speaks of is expected while its report may come.
func findingOf(kind, state string) string {
	if state == DifferenceExpected {
		return findExpected
	}
	return kind
}

func (res *ImportResult) count(row store.Import) {
	res.Lines, res.Rejected, res.Known, res.Matched = int(row.Lines), int(row.Rejected), int(row.Known), int(row.Matched)
}

func (res *ImportResult) sort() {
	slices.SortFunc(res.Findings, func(a, b FindingSum) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Currency, b.Currency))
	})
	slices.Sort(res.Days)
}

func orNoTotals(list []settlement.Total) []settlement.Total {
	if list == nil {
		return []settlement.Total{}
	}
	return list
}

// resultOf is what became of an import, as it is stored.
func resultOf(rx *store.Rx, row store.Import) (res ImportResult, err error) {
	v, err := importView(rx, row)
	if err != nil {
		return res, err
	}
	res = ImportResult{ID: row.ID, Gateway: row.Gateway, File: row.Name, Report: row.Report, Findings: v.Findings, Days: v.Days, Faults: v.Faults, Totals: orNoTotals(v.Totals)}
	res.count(row)
	res.sort()
	return res, nil
}

// importView is an import with what its lines were found to be, and the successes of its days that no line speaks of.
func importView(rx *store.Rx, row store.Import) (v ImportView, err error) {
	v.Import = row
	detail, err := detailOf(row)
	if err != nil {
		return v, err
	}
	v.Faults, v.Totals, v.Problem = detail.Faults, detail.Totals, detail.Problem
	if row.State == ImportDone {
		if v.Keeps, err = keptBy(rx, row); err != nil {
			return v, err
		}
		v.Undoable = v.Keeps == ""
	}
	if row.FirstDay == "" {
		return v, nil
	}
	days, err := rx.Days(row.Gateway, row.FirstDay, row.LastDay)
	if err != nil {
		return v, err
	}
	names := map[int64]string{}
	for _, d := range days {
		names[d.ID] = d.Day
	}
	found := newJudged()
	if err := found.lines(rx, row, names); err != nil {
		return v, err
	}
	if err := found.missing(rx, row, days); err != nil {
		return v, err
	}
	for _, s := range found.sums {
		v.Findings = append(v.Findings, *s)
	}
	for day := range found.days {
		v.Days = append(v.Days, day)
	}
	slices.Sort(v.Days)
	return v, nil
}

// lines counts the lines of an import: the explained ones by their sums, the others by their differences.
func (j *judged) lines(rx *store.Rx, row store.Import, names map[int64]string) error {
	sums, err := rx.SumsOfImport(row)
	if err != nil {
		return err
	}
	for _, s := range sums {
		j.days[names[s.DayID]] = true
		if explained(s.Finding) {
			j.add(s.Finding, s.Currency, s.Count, s.GrossMinor)
		}
	}
	differences, err := rx.DifferencesOfImport(row.ID)
	for _, d := range differences {
		if d.State != DifferenceCleared {
			j.add(d.Kind, d.Currency, d.Count, d.RiskMinor)
		}
	}
	return err
}

// missing counts the successes of the days of an import that no line speaks of.
func (j *judged) missing(rx *store.Rx, row store.Import, days []store.Day) error {
	sums, err := rx.MissingOfImport(row.ID, row.Gateway)
	for _, s := range sums {
		if s.State != DifferenceCleared {
			j.add(findingOf(s.Kind, s.State), s.Currency, s.Count, s.RiskMinor)
		}
	}
	return err
}

func (j *judged) add(kind, currency string, count, minor int64) {
	j.count(kind, currency, minor)
	j.sums[FindingSum{Kind: kind, Currency: currencyOr(currency, noCurrency)}].Count += int(count) - 1
}

// Imports lists imports, newest first.
func (e *Engine) Imports(ctx context.Context, q ImportQuery) (list []ImportView, err error) {
	limit := min(max(q.Limit, 1), 200)
	if q.Limit == 0 {
		limit = 50
	}
	err = e.store.View(ctx, "imports", func(rx *store.Rx) error {
		rows, err := rx.Imports(q.Gateway, q.After, limit)
		for _, row := range rows {
			v, err := importView(rx, row)
			if err != nil {
				return err
			}
			list = append(list, v)
		}
		return err
	})
	return list, err
}

// ImportByID returns one import as it stands.
func (e *Engine) ImportByID(ctx context.Context, id int64) (v ImportView, err error) {
	err = e.store.View(ctx, "import", func(rx *store.Rx) error {
		row, ok, err := rx.Import(id)
		if err != nil {
			return err
		}
		if !ok {
			return fail(KindNotFound, "unknown_import", "there is no import %d", id)
		}
		v, err = importView(rx, row)
		return err
	})
	return v, err
}

// SettlementMonth shows every day of a gateway's month (2026-11).
func (e *Engine) SettlementMonth(ctx context.Context, name, month string) (list []DayView, err error) {
	first, err := time.Parse("2006-01", month)
	if err != nil {
		return nil, fail(KindInvalid, "bad_month", "month %q is written like 2026-11", month)
	}
	a, ok := e.gateways[name]
	if !ok {
		return nil, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", name)
	}
	err = e.store.View(ctx, "settlement month", func(rx *store.Rx) error {
		for t := first; t.Month() == first.Month(); t = t.AddDate(0, 0, 1) {
			v, err := e.dayView(rx, a, t.Format(time.DateOnly))
			if err != nil {
				return err
			}
			list = append(list, v)
		}
		return nil
	})
	return list, err
}

// SettlementDay shows one day of a gateway, whether a report speaks of it or not.
func (e *Engine) SettlementDay(ctx context.Context, name, day string) (v DayView, err error) {
	a, ok := e.gateways[name]
	if !ok {
		return v, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", name)
	}
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return v, fail(KindInvalid, "bad_day", "day %q is written like 2026-11-30", day)
	}
	err = e.store.View(ctx, "settlement day", func(rx *store.Rx) (err error) {
		v, err = e.dayView(rx, a, day)
		return err
	})
	return v, err
}

func (e *Engine) dayView(rx *store.Rx, a *account, day string) (v DayView, err error) {
	v = DayView{Gateway: a.name, Day: day}
	d, known, err := rx.DayOf(a.name, day)
	if err != nil {
		return v, err
	}
	covered := false
	if known {
		if covered, err = rx.Covered(d.ID); err != nil {
			return v, err
		}
		if err := v.fill(rx, d.ID); err != nil {
			return v, err
		}
	} else if d.FromMs, d.ToMs, err = e.boundsOf(rx, a, day); err != nil {
		return v, err
	}
	if v.Paid, err = rx.PaidOn(a.name, d.FromMs, d.ToMs); err != nil {
		return v, err
	}
	v.State = stateOfDay(v, covered, e.nowMs() < d.ToMs+a.config.SettlementGrace.Milliseconds())
	return v, nil
}

// boundsOf gives when a day begins and ends that no report spoke of yet: by the zone of the gateway's reports, where one
// states it.
func (e *Engine) boundsOf(rx *store.Rx, a *account, day string) (fromMs, toMs int64, err error) {
	specs := a.def.Reports()
	saved, err := rx.Formats(a.name)
	if err != nil {
		return 0, 0, err
	}
	for _, f := range saved {
		if spec, err := gateway.ParseReport(f.Spec); err == nil {
			specs = append(slices.Clip(specs), spec)
		}
	}
	zone := e.config.Timezone
	for _, spec := range specs {
		if spec.Zone != "" {
			zone = zoneOf(settlement.Format{Spec: spec, Days: zone})
			break
		}
	}
	return dayBounds(day, zone)
}

// fill sums a day up.
func (v *DayView) fill(rx *store.Rx, dayID int64) error {
	sums, err := rx.SumsOfDay(dayID)
	if err != nil {
		return err
	}
	for _, s := range sums {
		v.Lines += s.Count
		if s.Finding == findMatched {
			v.Matched += s.Count
		}
		v.Sums = append(v.Sums, SumView{Finding: s.Finding, Type: s.Type, Currency: s.Currency, Count: s.Count, Gross: s.GrossMinor, Fee: s.FeeMinor, Net: s.NetMinor})
	}
	differences, err := rx.DifferencesOfDay(dayID)
	if err != nil {
		return err
	}
	risk := newJudged()
	for _, d := range differences {
		v.Differences = append(v.Differences, DifferenceTotal{Kind: d.Kind, State: d.State, Currency: d.Currency, Count: d.Count, Risk: d.RiskMinor, Expected: d.ExpectedMinor, Seen: d.SeenMinor})
		switch d.State {
		case DifferenceOpen:
			v.Open += d.Count
			risk.add("", d.Currency, d.Count, d.RiskMinor)
		case DifferenceAsking:
			v.Asking += d.Count
			risk.add("", d.Currency, d.Count, d.RiskMinor)
		case DifferenceExpected:
			v.Expected += d.Count
		}
	}
	for _, s := range risk.sums {
		v.AtRisk = append(v.AtRisk, *s)
	}
	slices.SortFunc(v.AtRisk, func(a, b FindingSum) int { return cmp.Compare(a.Currency, b.Currency) })
	return nil
}

// stateOfDay tells how a day stands; early is while its report may still come.
func stateOfDay(v DayView, covered, early bool) string {
	switch {
	case v.Open+v.Asking > 0:
		return DayOpen
	case v.Expected > 0 || !covered && v.Paid > 0 && early:
		return DayExpected
	case !covered && v.Paid > 0:
		return DayMissing
	case v.Lines > 0 || covered:
		return DayClean
	}
	return DayNone
}

// Differences lists differences with their lines and payments.
func (e *Engine) Differences(ctx context.Context, q DifferenceQuery) (list []DifferenceView, err error) {
	limit := min(max(q.Limit, 1), 1000)
	if q.Limit == 0 {
		limit = 100
	}
	err = e.store.View(ctx, "differences", func(rx *store.Rx) error {
		f := store.DifferenceFilter{Gateway: q.Gateway, Kind: q.Kind, State: q.State, After: q.After, Limit: limit}
		if q.Day != "" {
			d, ok, err := rx.DayOf(q.Gateway, q.Day)
			if err != nil || !ok {
				return err
			}
			f.DayID = d.ID
		}
		rows, err := rx.Differences(f)
		for _, d := range rows {
			v, err := e.differenceView(rx, d)
			if err != nil {
				return err
			}
			list = append(list, v)
		}
		return err
	})
	return list, err
}

func (e *Engine) differenceView(rx *store.Rx, d store.Difference) (v DifferenceView, err error) {
	v.Difference = d
	day, _, err := rx.Day(d.DayID)
	if err != nil {
		return v, err
	}
	v.Gateway, v.Day = day.Gateway, day.Day
	if d.ImportID != 0 {
		row, _, err := rx.Import(d.ImportID)
		if err != nil {
			return v, err
		}
		v.File = row.Name
	}
	if d.LineID != 0 {
		l, ok, err := rx.Line(d.LineID)
		if err != nil {
			return v, err
		}
		if ok {
			v.Line = &l
		}
	}
	if d.PaymentID != 0 {
		p, err := e.freshView(rx, d.PaymentID)
		if err != nil {
			return v, err
		}
		v.Payment = &p
	}
	if d.SuggestedID != 0 {
		p, _, err := rx.Payment(d.SuggestedID)
		if err != nil {
			return v, err
		}
		v.Proposal = p.PublicID
	}
	v.Acts, v.Askable, err = e.actsOn(rx, d)
	return v, err
}

// DayLines lists the stored lines of a gateway's day with a finding ("" for all), behind a line's id.
func (e *Engine) DayLines(ctx context.Context, name, day, finding string, after int64, limit int) (list []LineView, err error) {
	err = e.store.View(ctx, "lines of day", func(rx *store.Rx) error {
		d, ok, err := rx.DayOf(name, day)
		if err != nil || !ok {
			return err
		}
		rows, err := rx.LinesOfDay(d.ID, finding, after, min(max(limit, 1), 1000))
		for _, l := range rows {
			v := LineView{Line: l}
			if l.PaymentID != 0 {
				p, _, err := rx.Payment(l.PaymentID)
				if err != nil {
					return err
				}
				v.Payment, v.MerchantRef, v.State, v.Received = p.PublicID, p.MerchantRef, p.State, p.ReceivedMinor
			}
			list = append(list, v)
		}
		return err
	})
	return list, err
}
