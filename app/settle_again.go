package app

import (
	"context"
	"maps"
	"slices"
	"sync"

	"nodrop/app/payment"
	"nodrop/app/settlement"
	"nodrop/store"
)

// movedSet remembers which payments have moved since their differences were last looked at. What it forgets when the
// program ends is made good by the look at all of them at its start.
type movedSet struct {
	mu  sync.Mutex
	ids map[int64]bool
	all bool // too many to remember
}

// movedMost is how many moved payments are remembered one by one.
const movedMost = 20_000

func (m *movedSet) note(paymentID int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ids == nil {
		m.ids, m.all = map[int64]bool{}, true
	}
	if m.ids[paymentID] = true; len(m.ids) > movedMost {
		m.all = true
		clear(m.ids)
	}
}

// take gives what has moved since it was last taken; the first time that is all.
func (m *movedSet) take() (ids []int64, all bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ids == nil {
		m.all = true
	}
	ids, all = slices.Sorted(maps.Keys(m.ids)), m.all
	m.ids, m.all = map[int64]bool{}, false
	return ids, all
}

// again has everything looked at the next time.
func (m *movedSet) again() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids, m.all = map[int64]bool{}, true
}

// judgeMoved judges the waiting differences again whose payments have moved, or whose time is over.
func (e *Engine) judgeMoved(ctx context.Context) error {
	ids, all := e.moved.take()
	if err := e.judgeThese(ctx, ids, all); err != nil {
		e.moved.again()
		return err
	}
	return nil
}

func (e *Engine) judgeThese(ctx context.Context, ids []int64, all bool) error {
	for _, name := range e.names {
		if !all {
			break
		}
		if _, err := e.judgeAgain(ctx, e.gateways[name], false); err != nil {
			return err
		}
		ids = nil
	}
	for len(ids) > 0 {
		n := min(len(ids), lookedAtOnce)
		err := e.judgeFound(ctx, func(rx *store.Rx) ([]store.Difference, error) { return rx.WaitingOf(ids[:n]) })
		if err != nil {
			return err
		}
		ids = ids[n:]
	}
	return e.judgeFound(ctx, func(rx *store.Rx) ([]store.Difference, error) { return rx.DueDifferences(e.nowMs(), lookedAtOnce) })
}

// lookedAtOnce is how many differences or payments one reading looks at.
const lookedAtOnce = 500

// judgeFound judges some differences again.
func (e *Engine) judgeFound(ctx context.Context, find func(*store.Rx) ([]store.Difference, error)) error {
	var list []store.Difference
	err := e.store.View(ctx, "differences to judge", func(rx *store.Rx) (err error) {
		list, err = find(rx)
		return err
	})
	if err != nil {
		return err
	}
	for part := range slices.Chunk(list, actBatch) {
		if err := e.judgePart(ctx, part); err != nil {
			return err
		}
	}
	return nil
}

// judgePart judges a few differences again in one commit.
func (e *Engine) judgePart(ctx context.Context, part []store.Difference) error {
	err := e.guard(ctx, "judge differences", func(tx *store.Tx) error {
		touched := map[int64]bool{}
		for _, d := range part {
			if err := e.judgeOneAgain(tx, d.ID, touched); err != nil {
				return err
			}
		}
		return e.reviewTouched(tx, touched)
	})
	e.wakeAll()
	return err
}

// judgeAgain looks through all waiting differences of a gateway and judges those again whose payments have moved, that a
// payment was found for, or whose time is over; with all, every one. It tells how many it judged.
func (e *Engine) judgeAgain(ctx context.Context, a *account, all bool) (judged int, err error) {
	after := int64(0)
	for {
		var ripe []store.Difference
		last := int64(0)
		err := e.store.View(ctx, "ripe differences", func(rx *store.Rx) (err error) {
			ripe, last, err = rx.RipeDifferences(a.name, e.nowMs(), all, after, lookedAtOnce)
			return err
		})
		if err != nil || last == 0 {
			return judged, err
		}
		after = last
		for part := range slices.Chunk(ripe, actBatch) {
			if err := e.judgePart(ctx, part); err != nil {
				return judged, err
			}
		}
		judged += len(ripe)
	}
}

// judgeOneAgain looks at one waiting difference as things stand now.
func (e *Engine) judgeOneAgain(tx *store.Tx, id int64, touched map[int64]bool) error {
	d, ok, err := tx.Difference(id)
	if err != nil || !ok || !waits(d) {
		return err
	}
	day, _, err := tx.Day(d.DayID)
	if err != nil {
		return err
	}
	a, ok := e.gateways[day.Gateway]
	if !ok {
		return nil // its rules are not configured any more
	}
	touched[d.DayID] = true
	switch {
	case d.Kind == findMissingThere:
		return e.missingAgain(tx, d, touched)
	case d.LineID != 0:
		return e.lineAgain(tx, a, d, touched)
	}
	return e.overdue(tx, d)
}

// waits tells whether a difference is still to be explained.
func waits(d store.Difference) bool {
	return d.State == DifferenceAsking || d.State == DifferenceExpected || d.State == DifferenceOpen
}

// overdue shows a difference to a person whose time is over or whose question was answered.
func (e *Engine) overdue(tx *store.Tx, d store.Difference) error {
	now := e.nowMs()
	p, _, err := tx.Payment(d.PaymentID)
	if err != nil {
		return err
	}
	d.SeenVersion = p.Version
	answered := d.State == DifferenceAsking && p.LastAnsweredMs >= d.AskedMs && p.ID != 0
	if d.State != DifferenceOpen && (answered || d.DueMs > 0 && d.DueMs <= now) {
		d.State, d.OpenedMs = DifferenceOpen, now
	}
	_, err = tx.SetDifference(d)
	return err
}

// missingAgain looks at a success again that no line spoke of.
func (e *Engine) missingAgain(tx *store.Tx, d store.Difference, touched map[int64]bool) error {
	p, ok, err := tx.Payment(d.PaymentID)
	if err != nil || !ok {
		return err
	}
	lines, err := tx.LinesOfPayment(p.ID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(lines, func(l store.Line) bool { return l.Type == linePayment }) {
		return e.clearDifference(tx, &d, touched, "a line came")
	}
	if p.PaidMs == 0 {
		return e.clearDifference(tx, &d, touched, "no success any more")
	}
	if covered, err := tx.Covered(d.DayID); err != nil || !covered {
		if err != nil {
			return err
		}
		return e.clearDifference(tx, &d, touched, "no report of that day")
	}
	d.ExpectedMinor, d.RiskMinor = p.ReceivedMinor, p.ReceivedMinor
	return e.overdue(tx, d)
}

// lineAgain compares a stored line with our books as they are now.
func (e *Engine) lineAgain(tx *store.Tx, a *account, d store.Difference, touched map[int64]bool) error {
	l, ok, err := tx.Line(d.LineID)
	if err != nil || !ok {
		return err
	}
	paymentID, err := paymentOf(tx, d, l)
	if err != nil {
		return err
	}
	if paymentID == 0 {
		return e.overdue(tx, d)
	}
	p, _, err := tx.Payment(paymentID)
	if err != nil {
		return err
	}
	f, taken, err := e.matchAgain(tx, a, l, p)
	if err != nil {
		return err
	}
	if taken { // it came a second time while the first was not yet known to be about this payment
		return e.clearDifference(tx, &d, touched, "the line is stored with its payment")
	}
	if err := tx.JudgeLine(l, string(f.Kind), p.ID, f.Movement); err != nil {
		return err
	}
	found, behind := d.PaymentID == 0, d.Kind == findBehind
	d.PaymentID, d.SeenVersion = p.ID, p.Version
	if !explained(string(f.Kind)) {
		return e.stillDiffers(tx, d, f, l)
	}
	if found || behind && d.AskedMs > 0 && p.Source == string(payment.SourceQuery) {
		if _, err := tx.NoteFound(a.name, p.PublicID, p.ID, e.nowMs()); err != nil {
			return err
		}
	}
	if err := e.closeReview(tx, acceptReportKind, paymentSubject(p, ""), e.nowMs(), "answered"); err != nil {
		return err
	}
	return e.clearDifference(tx, &d, touched, "matched")
}

// paymentOf is the payment that a line is about by now: the one that it was matched with, or the one that its statement
// was adopted by.
func paymentOf(tx *store.Tx, d store.Difference, l store.Line) (int64, error) {
	if l.PaymentID != 0 {
		return l.PaymentID, nil
	}
	if d.PaymentID != 0 {
		return d.PaymentID, nil
	}
	if d.InboxID == 0 {
		return 0, nil
	}
	w, _, err := tx.GetWork(d.InboxID)
	return w.PaymentID, err
}

// stillDiffers writes a difference as it is found now; one whose question was answered, or whose time is over, becomes a
// person's.
func (e *Engine) stillDiffers(tx *store.Tx, d store.Difference, f settlement.Finding, l store.Line) error {
	line := lineOfRow(l)
	now := differenceOf(f, &line)
	d.Kind, d.ExpectedMinor, d.SeenMinor, d.RiskMinor, d.Currency, d.Detail = now.Kind, now.ExpectedMinor, now.SeenMinor, now.RiskMinor, now.Currency, now.Detail
	return e.overdue(tx, d)
}

// matchAgain compares a stored line with one payment. taken tells that the payment has this very line already, under
// another row.
func (e *Engine) matchAgain(tx *store.Tx, a *account, l store.Line, p store.Payment) (f settlement.Finding, taken bool, err error) {
	r := newImportRun(e, a, &store.Import{}, ImportRequest{})
	b := &book{payment: bookPayment(p)}
	lines, err := tx.LinesOfPayment(p.ID)
	if err != nil {
		return f, false, err
	}
	for _, other := range lines {
		if other.ID != l.ID && string(other.Key) == string(l.Key) && other.Type == l.Type {
			taken = true
		}
		if other.ID >= l.ID || !settles(other) || len(other.Key) != 16 {
			continue
		}
		b.settled = append(b.settled, settledLine{r.stored([16]byte(other.Key)), other.Type, other.Movement})
	}
	err = tx.MovementsOf([]int64{p.ID}, func(m store.MovementFact) { b.movements = append(b.movements, m) })
	line := lineOfRow(l)
	if len(l.Key) == 16 {
		line.Key = r.stored([16]byte(l.Key))
	}
	f, _ = matched(&line, []settlement.Books{booksOf(b, settlement.ByGatewayRef, nil)})
	return f, taken, err
}

func bookPayment(p store.Payment) store.BookPayment {
	return store.BookPayment{
		ID: p.ID, Currency: p.Currency, State: p.State, ReceivedMinor: p.ReceivedMinor, ReversedMinor: p.ReversedMinor, PaidMs: p.PaidMs, Version: p.Version,
	}
}

// lineOfRow is a stored line as it is matched.
func lineOfRow(l store.Line) settlement.Line {
	return settlement.Line{
		Number: int(l.Number), Type: l.Type, GatewayRef: l.GatewayRef, GatewayRefs: refsOfLine(l), MerchantRef: l.MerchantRef, Currency: l.Currency, Batch: l.Batch, Status: l.Status,
		Gross: settlement.Amount(l.Gross), Fee: settlement.Amount(l.Fee), Net: settlement.Amount(l.Net), OccurredMs: l.OccurredMs, SettledMs: l.SettledMs,
	}
}
