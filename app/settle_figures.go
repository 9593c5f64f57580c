package app

import (
	"context"
	"time"

	"nodrop/store"
)

// SettlementFigure is what the figures say of one gateway's reports.
type SettlementFigure struct {
	Gateway           string
	Differences       map[string]int64 // open and asked-about ones, by kind
	DaysWithoutReport int64            // of the last month, with successes, and late
	Found             int64            // payments that only a report made known, so far
}

// figureDays is how far back days without a report are counted.
const figureDays = 31

// SettlementFigures counts what monitoring should know of the gateways' reports.
func (e *Engine) SettlementFigures(ctx context.Context) (list []SettlementFigure, err error) {
	err = e.store.View(ctx, "settlement figures", func(rx *store.Rx) error {
		for _, name := range e.names {
			f, err := e.settlementFigure(rx, e.gateways[name])
			if err != nil {
				return err
			}
			list = append(list, f)
		}
		return nil
	})
	return list, err
}

func (e *Engine) settlementFigure(rx *store.Rx, a *account) (f SettlementFigure, err error) {
	f = SettlementFigure{Gateway: a.name, Differences: map[string]int64{}}
	sums, err := rx.OpenDifferences(a.name)
	if err != nil {
		return f, err
	}
	for _, s := range sums {
		if s.State != DifferenceExpected {
			f.Differences[s.Kind] += s.Count
		}
	}
	if f.Found, err = rx.FoundBySettlement(a.name); err != nil {
		return f, err
	}
	first, _, err := rx.CoveredSpan(a.name)
	if err != nil || first == "" { // a shop that imports no reports misses none
		return f, err
	}
	f.DaysWithoutReport, err = e.daysWithoutReport(rx, a, first)
	return f, err
}

// daysWithoutReport counts the days of the last month, not before the first that a report spoke of, that have successes
// and whose report is late.
func (e *Engine) daysWithoutReport(rx *store.Rx, a *account, first string) (n int64, err error) {
	now := e.now().In(e.config.Timezone)
	from := max(first, now.AddDate(0, 0, -figureDays).Format(time.DateOnly))
	days, err := rx.CoveredDays(a.name, from, now.Format(time.DateOnly))
	if err != nil {
		return 0, err
	}
	covered := map[string]bool{}
	for _, d := range days {
		covered[d.Day] = true
	}
	for t := now.AddDate(0, 0, -figureDays); t.Before(now); t = t.AddDate(0, 0, 1) {
		day := t.Format(time.DateOnly)
		if day < from || covered[day] {
			continue
		}
		fromMs, toMs, err := e.boundsOf(rx, a, day)
		if err != nil {
			return n, err
		}
		paid, err := rx.AnyPaid(a.name, fromMs, toMs)
		if err != nil {
			return n, err
		}
		if paid && toMs+a.config.SettlementGrace.Milliseconds() <= now.UnixMilli() {
			n++
		}
	}
	return n, nil
}
