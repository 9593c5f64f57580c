package app

import (
	"context"
	"time"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

const (
	// actBatch is how many differences one commit acts on.
	actBatch = 32
	// askFor is how long the gateway has to settle a difference before a person sees it.
	askFor = time.Hour
	// missingLook is how many payments are looked at for lines at a time.
	missingLook = 2000
)

// settlementKind is the kind of review of a gateway's day with open differences.
const settlementKind = "settlement"

// acceptReportKind is the kind of review that asks whether the report's word on one payment is taken, where no gateway can be asked.
const acceptReportKind = "accept_report"

// actOnImport does what follows from an import that was read whole. It goes by what is stored, so that it can be taken up
// anywhere.
func (e *Engine) actOnImport(ctx context.Context, a *account, row *store.Import) error {
	return e.actOnRead(ctx, a, row, nobody)
}

// nobody knows of no payment that a line speaks of.
func nobody(int64) bool { return false }

// actOnRead is actOnImport for a run that remembers which payments its lines speak of.
func (e *Engine) actOnRead(ctx context.Context, a *account, row *store.Import, spoken func(int64) bool) error {
	miss := func(ctx context.Context, a *account, row *store.Import) error {
		return e.missOn(ctx, a, row.FirstDay, row.LastDay, spoken)
	}
	steps := []func(context.Context, *account, *store.Import) error{e.actOnDifferences, e.coverDays, e.clearMissing, miss, e.reviewDays}
	for _, step := range steps {
		if err := step(ctx, a, row); err != nil {
			return err
		}
		e.wakeAll()
	}
	row.State, row.DoneMs = ImportDone, e.nowMs()
	if err := e.saveImport(ctx, row); err != nil {
		return err
	}
	e.dropSpooled(*row)
	return nil
}

// actOnDifferences has the gateway asked where it may settle what was found, and shows the rest to a person.
func (e *Engine) actOnDifferences(ctx context.Context, a *account, row *store.Import) error {
	for {
		n := 0
		row.BeatMs = e.nowMs()
		err := e.guard(ctx, "act on import", func(tx *store.Tx) error {
			list, err := tx.NewDifferences(row.ID, actBatch)
			if n = len(list); err != nil {
				return err
			}
			for _, d := range list {
				if err := e.actOnDifference(tx, a, *row, d); err != nil {
					return err
				}
			}
			return setImport(tx, *row)
		})
		if err != nil {
			return err
		}
		e.workWake.wake()
		if n < actBatch {
			return nil
		}
	}
}

func (e *Engine) actOnDifference(tx *store.Tx, a *account, row store.Import, d store.Difference) error {
	now := e.nowMs()
	asked, err := e.askAbout(tx, a, row, &d, now)
	if err != nil {
		return err
	}
	d.State, d.OpenedMs = DifferenceOpen, now
	if asked {
		d.State, d.AskedMs, d.DueMs = DifferenceAsking, now, now+askFor.Milliseconds()
	} else if d.Kind == findBehind {
		if err := e.openAcceptReport(tx, d, now); err != nil {
			return err
		}
	}
	_, err = tx.SetDifference(d)
	return err
}

// askAbout tells the inbox what a line says, and tells whether the gateway is asked because of it.
func (e *Engine) askAbout(tx *store.Tx, a *account, row store.Import, d *store.Difference, now int64) (asked bool, err error) {
	switch {
	case d.LineID == 0:
		return false, nil
	case d.Kind == findAhead:
		return e.askAgain(tx, a, d.PaymentID, now)
	case d.Kind == findBehind, d.Kind == findMissingHere, (d.Kind == findRefund || d.Kind == findDispute) && (d.ExpectedMinor == 0 || d.ExpectedMinor == d.SeenMinor):
		return e.state(tx, a, row, d, now)
	}
	return false, nil
}

// state puts what a line says into the inbox.
func (e *Engine) state(tx *store.Tx, a *account, row store.Import, d *store.Difference, now int64) (asked bool, err error) {
	l, ok, err := tx.Line(d.LineID)
	if err != nil || !ok {
		return false, err
	}
	s, ok := statementOf(l, row.Name, refsOfLine(l))
	if !ok {
		return false, nil
	}
	if d.InboxID, err = e.insertStatement(tx, a, s, d.PaymentID, now); err != nil {
		return false, err
	}
	if d.PaymentID == 0 {
		return a.def.CanAsk(shadowQuestion(a, s)), nil
	}
	p, ok, err := tx.Payment(d.PaymentID)
	if err != nil || !ok {
		return false, err
	}
	can, err := canAsk(&tx.Rx, a, p)
	if !can && err == nil && a.def.Queryable() {
		can = bindable(a, s)
	}
	return can, err
}

func refsOfLine(l store.Line) []string {
	if l.GatewayRef == "" {
		return nil
	}
	return []string{l.GatewayRef}
}

// shadowQuestion asks about money that belongs to no payment of ours.
func shadowQuestion(a *account, s statement) gateway.Question {
	q := gateway.Question{PaymentID: "line " + s.Key, MerchantRef: s.MerchantRef, OrderRef: s.MerchantRef, Currency: s.Currency, Amount: s.AmountMinor, CreatedMs: s.OccurredMs}
	for _, id := range s.GatewayRefs {
		for _, kind := range a.kinds {
			q.Refs = append(q.Refs, gateway.Ref{Kind: kind, ID: id})
		}
	}
	return q
}

// openAcceptReport asks a person whether the report's word is taken, for a payment about which no gateway can be asked.
func (e *Engine) openAcceptReport(tx *store.Tx, d store.Difference, now int64) error {
	p, ok, err := tx.Payment(d.PaymentID)
	if err != nil || !ok || p.State == string(payment.Succeeded) {
		return err
	}
	_, err = e.openReview(tx, store.Review{
		Kind: acceptReportKind, Subject: paymentSubject(p, ""), PaymentID: p.ID, OrderID: p.OrderID, InboxID: d.InboxID, Gateway: p.Gateway,
		AmountMinor: d.SeenMinor, Currency: d.Currency, OpenedMs: now,
	})
	return err
}

// coverDays notes of which days an import speaks as a whole: those with lines of payments, and the days between them where
// it leaves out fewer than it has.
func (e *Engine) coverDays(ctx context.Context, a *account, row *store.Import) error {
	return e.guard(ctx, "act on import", func(tx *store.Tx) error {
		days, err := importedDays(&tx.Rx, *row)
		if err != nil || len(days) == 0 {
			return err
		}
		zone, err := zoneOfDays(days)
		if err != nil {
			return err
		}
		for _, day := range coveredDays(days) {
			d := store.Day{Gateway: a.name, Day: day}
			if d.FromMs, d.ToMs, err = zone(day); err != nil {
				return err
			}
			if d.ID, err = tx.EnsureDay(d); err != nil {
				return err
			}
			if err := tx.CoverDay(d.ID, row.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// importedDays lists the days of an import on which it has lines of payments, in order.
func importedDays(rx *store.Rx, row store.Import) ([]store.Day, error) {
	sums, err := rx.SumsOfImport(row)
	if err != nil {
		return nil, err
	}
	with := map[int64]bool{}
	for _, s := range sums {
		with[s.DayID] = with[s.DayID] || s.Type == linePayment
	}
	all, err := rx.Days(row.Gateway, row.FirstDay, row.LastDay)
	var days []store.Day
	for _, d := range all {
		if with[d.ID] {
			days = append(days, d)
		}
	}
	return days, err
}

// zoneOfDays gives the borders of days between known ones: a day has its length from the calendar, and its beginning from
// where the known day before it ends.
func zoneOfDays(days []store.Day) (func(day string) (fromMs, toMs int64, err error), error) {
	first, err := time.Parse(time.DateOnly, days[0].Day)
	if err != nil {
		return nil, err
	}
	known := map[string]store.Day{}
	for _, d := range days {
		known[d.Day] = d
	}
	return func(day string) (int64, int64, error) {
		if d, ok := known[day]; ok {
			return d.FromMs, d.ToMs, nil
		}
		t, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return 0, 0, err
		}
		from := days[0].FromMs + t.Sub(first).Milliseconds()
		for _, d := range days { // a change of the clock between them
			if d.Day < day {
				before, _ := time.Parse(time.DateOnly, d.Day)
				from = d.FromMs + t.Sub(before).Milliseconds()
			}
		}
		return from, from + (24 * time.Hour).Milliseconds(), nil
	}, nil
}

// coveredDays lists the days that lines on some days speak of as a whole.
func coveredDays(days []store.Day) []string {
	var list []string
	for _, d := range days {
		list = append(list, d.Day)
	}
	first, err := time.Parse(time.DateOnly, list[0])
	last, err2 := time.Parse(time.DateOnly, list[len(list)-1])
	span := int(last.Sub(first)/(24*time.Hour)) + 1
	if err != nil || err2 != nil || 2*len(list) < span {
		return list
	}
	list = list[:0]
	for t := first; !t.After(last); t = t.AddDate(0, 0, 1) {
		list = append(list, t.Format(time.DateOnly))
	}
	return list
}

// clearMissing closes the differences of payments that a line speaks of by now.
func (e *Engine) clearMissing(ctx context.Context, a *account, _ *store.Import) error {
	after := int64(0)
	for {
		n := 0
		err := e.guard(ctx, "clear differences", func(tx *store.Tx) error {
			list, err := tx.MissingDifferences(a.name, after, actBatch)
			if n = len(list); err != nil || n == 0 {
				return err
			}
			touched := map[int64]bool{}
			for _, d := range list {
				after = d.ID
				if err := e.clearDifference(tx, &d, touched, "a line came"); err != nil {
					return err
				}
			}
			return e.reviewTouched(tx, touched)
		})
		if err != nil || n < actBatch {
			return err
		}
	}
}

// clearDifference closes a difference that the facts have answered.
func (e *Engine) clearDifference(tx *store.Tx, d *store.Difference, touched map[int64]bool, answer string) error {
	d.State, d.ClosedMs, d.ClosedBy, d.Answer = DifferenceCleared, e.nowMs(), closedByFacts, answer
	touched[d.DayID] = true
	_, err := tx.SetDifference(*d)
	return err
}

// missOn looks for successes of the covered days between two that no line speaks of: expected until the grace is over,
// then a person's to look at.
func (e *Engine) missOn(ctx context.Context, a *account, from, to string, spoken func(int64) bool) error {
	var days []store.Day
	err := e.store.View(ctx, "covered days", func(rx *store.Rx) (err error) {
		days, err = rx.CoveredDays(a.name, from, to)
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range days {
		err := e.unsettled(ctx, d, spoken, func(list []store.UnsettledPayment) error { return e.miss(ctx, a, d, list) })
		if err != nil {
			return err
		}
	}
	return nil
}

// unsettled gives the successes of a day that no line speaks of, some at a time.
func (e *Engine) unsettled(ctx context.Context, d store.Day, spoken func(int64) bool, each func([]store.UnsettledPayment) error) error {
	var last store.UnsettledPayment
	for {
		var list []store.UnsettledPayment
		err := e.store.View(ctx, "payments without a line", func(rx *store.Rx) (err error) {
			list, last, err = rx.Unsettled(d.Gateway, d.FromMs, d.ToMs, last, missingLook, spoken)
			return err
		})
		if err != nil {
			return err
		}
		if err := each(list); err != nil || last.ID == 0 {
			return err
		}
	}
}

// miss notes that no line speaks of some successes of a day.
func (e *Engine) miss(ctx context.Context, a *account, day store.Day, list []store.UnsettledPayment) error {
	for len(list) > 0 {
		n := min(len(list), actBatch)
		err := e.guard(ctx, "missing at the gateway", func(tx *store.Tx) error {
			for _, p := range list[:n] {
				if _, err := tx.InsertDifference(e.missing(a, day, p)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// missing is the difference of a success that no line speaks of.
func (e *Engine) missing(a *account, day store.Day, p store.UnsettledPayment) store.Difference {
	now := e.nowMs()
	d := store.Difference{
		DayID: day.ID, Kind: findMissingThere, State: DifferenceOpen, PaymentID: p.ID, ExpectedMinor: p.ReceivedMinor, RiskMinor: p.ReceivedMinor, Currency: p.Currency,
		SeenVersion: p.Version, OpenedMs: now,
	}
	if due := day.ToMs + a.config.SettlementGrace.Milliseconds(); due > now {
		d.State, d.DueMs = DifferenceExpected, due
	}
	return d
}

// reviewDays asks a person about the days of an import that have open differences.
func (e *Engine) reviewDays(ctx context.Context, a *account, row *store.Import) error {
	var sums []store.DifferenceSum
	var days []store.Day
	err := e.store.View(ctx, "days of import", func(rx *store.Rx) (err error) {
		if days, err = rx.Days(a.name, row.FirstDay, row.LastDay); err != nil {
			return err
		}
		sums, err = rx.OpenDifferences(a.name)
		return err
	})
	if err != nil {
		return err
	}
	touched := map[int64]bool{}
	for _, d := range days {
		touched[d.ID] = true
	}
	for _, s := range sums {
		touched[s.DayID] = true
	}
	for id := range touched {
		err := e.guard(ctx, "review day", func(tx *store.Tx) error { return e.reviewDay(tx, id) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *Engine) reviewTouched(tx *store.Tx, touched map[int64]bool) error {
	for id := range touched {
		if err := e.reviewDay(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// reviewDay keeps one review open for a gateway's day as long as it has open differences.
func (e *Engine) reviewDay(tx *store.Tx, dayID int64) error {
	day, ok, err := tx.Day(dayID)
	if err != nil || !ok {
		return err
	}
	sums, err := tx.DifferencesOfDay(dayID)
	if err != nil {
		return err
	}
	risk, open := map[string]int64{}, false
	for _, s := range sums {
		if s.State == DifferenceOpen {
			risk[s.Currency] += s.RiskMinor
			open = true
		}
	}
	subject, now := day.Gateway+":"+day.Day, e.nowMs()
	if !open {
		return e.closeReview(tx, settlementKind, subject, now, "answered")
	}
	v := store.Review{Kind: settlementKind, Subject: subject, Gateway: day.Gateway, Currency: noCurrency, OpenedMs: now}
	for currency, minor := range risk {
		if minor > v.AmountMinor || minor == v.AmountMinor && (v.Currency == noCurrency || currency < v.Currency) {
			v.AmountMinor, v.Currency = minor, currency
		}
	}
	_, err = e.openReview(tx, v)
	return err
}
