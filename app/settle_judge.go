package app

import (
	"context"
	"slices"

	"nodrop/app/settlement"
	"nodrop/store"
)

// What a line can be about.
const (
	linePayment            = "payment"
	lineRefund             = "refund"
	lineChargeback         = "chargeback"
	lineChargebackReversed = "chargeback_reversed"
	lineFee                = "fee"
	lineAttempt            = "attempt" // a try that brought no money, by the report's own word
)

// The kinds of findings that the engine itself speaks of.
const (
	findMatched      = "matched"
	findBehind       = "status_behind"
	findAhead        = "status_ahead"
	findMissingHere  = "missing_locally"
	findMissingThere = "missing_at_gateway"
	findExpected     = "expected"
	findDuplicate    = "duplicate_line"
	findRefund       = "refund"
	findDispute      = "dispute"
	findTwice        = "settled_twice"
	findOther        = "other_money"
	findUnparseable  = "unparseable"
	findTotals       = "totals"
)

// lineBatch is a number of judged lines, ready to be stored.
type lineBatch struct {
	good, rejected int
	matched        int64
	lines          []store.Line
	days           []string // of lines
	sums           map[sumKey]*store.Sum
	differences    []pendingDifference
	knownOf        map[int64]int64 // lines by the import that has them already
	daysSeen       map[string]bool
	keys           []flightKey // what the next batches must know of this one
	settled        []flightSettled
}

type sumKey struct{ day, finding, kind, currency string }

// pendingDifference is a difference whose day and line are stored together with it.
type pendingDifference struct {
	store.Difference
	day  string
	line int // index in the batch; -1: no stored line
}

func newLineBatch() *lineBatch {
	return &lineBatch{sums: map[sumKey]*store.Sum{}, knownOf: map[int64]int64{}, daysSeen: map[string]bool{}}
}

func (b *lineBatch) known() (n int64) {
	for _, count := range b.knownOf {
		n += count
	}
	return n
}

// addLine takes a line in that is to be stored.
func (b *lineBatch) addLine(l store.Line, day string) int {
	b.lines, b.days = append(b.lines, l), append(b.days, day)
	b.daysSeen[day] = true
	key := sumKey{day, l.Finding, l.Type, l.Currency}
	s := b.sums[key]
	if s == nil {
		s = &store.Sum{Finding: l.Finding, Type: l.Type, Currency: l.Currency}
		b.sums[key] = s
	}
	s.Count++
	s.GrossMinor += l.Gross.Minor
	s.FeeMinor += l.Fee.Minor
	s.NetMinor += l.Net.Minor
	return len(b.lines) - 1
}

func (b *lineBatch) differ(d pendingDifference) {
	d.State = DifferenceNew
	b.differences = append(b.differences, d)
	b.daysSeen[d.day] = true
}

// judge compares a number of lines with our books.
func (r *importRun) judge(ctx context.Context, lines []settlement.Line) (*lineBatch, error) {
	books := newBookshelf(r)
	if err := books.fetch(ctx, lines); err != nil {
		return nil, err
	}
	b := newLineBatch()
	for i := range lines {
		l := &lines[i]
		l.Day = r.judged.dayOf(r, l)
		if l.Fault != "" {
			r.reject(b, l)
			continue
		}
		b.good++
		r.judgeLine(b, books, i, l)
	}
	r.flight.takeOff(b)
	return b, nil
}

// reject notes a line that cannot be used.
func (r *importRun) reject(b *lineBatch, l *settlement.Line) {
	b.rejected++
	if len(r.judged.faults) < faultsKept {
		r.judged.faults = append(r.judged.faults, LineFault{Number: l.Number, Message: l.Fault})
	}
	r.judged.count(findUnparseable, l.Currency, 0)
	r.judged.days[l.Day] = true
	b.differ(pendingDifference{day: l.Day, line: -1, Difference: store.Difference{Kind: findUnparseable, Number: int64(l.Number), Currency: currencyOr(l.Currency, noCurrency), Detail: l.Fault}})
}

func (r *importRun) judgeLine(b *lineBatch, books *bookshelf, i int, l *settlement.Line) {
	key := r.stored(l.Key)
	if of, number, known := books.knows(i, key); known {
		r.again(b, l, of, number)
		return
	}
	r.judged.days[l.Day] = true
	f, suggested := matched(l, books.candidates(i, l))
	row := lineRow(l, key, string(f.Kind), f.PaymentID, f.Movement)
	if row.Finding == findOther && row.Type == linePayment {
		row.Type = lineAttempt
	}
	at := b.addLine(row, l.Day)
	if row.Type == linePayment {
		r.judged.paid[l.Day] = true
		r.spoken.add(row.PaymentID)
	}
	b.keys = append(b.keys, flightKey{key, int64(l.Number)})
	books.note(key, row)
	if settles(row) {
		b.settled = append(b.settled, flightSettled{row.PaymentID, settledLine{key: l.Key, kind: row.Type, movement: row.Movement}})
	}
	r.judged.count(string(f.Kind), currencyOr(f.Currency, l.Currency), atStake(string(f.Kind), l, f))
	if string(f.Kind) == findMatched {
		b.matched++
	}
	if !explained(string(f.Kind)) {
		d := differenceOf(f, l)
		d.SeenVersion, d.SuggestedID = books.version(f.PaymentID), suggested
		b.differ(pendingDifference{day: l.Day, line: at, Difference: d})
	}
}

// matched compares a line with the payments that it may be about, and parts what is only suggested from what is found.
func matched(l *settlement.Line, candidates []settlement.Books) (f settlement.Finding, suggested int64) {
	if f = settlement.Match(l, candidates); f.Kind == settlement.MissingLocally {
		suggested, f.PaymentID = f.PaymentID, 0
	}
	return f, suggested
}

// again counts a line that is stored already: it came in an earlier file, or stands twice in this one.
func (r *importRun) again(b *lineBatch, l *settlement.Line, of, number int64) {
	if of != r.row.ID {
		b.knownOf[of]++
		return
	}
	r.judged.count(findDuplicate, l.Currency, magnitude(l))
	b.differ(pendingDifference{day: l.Day, line: -1, Difference: store.Difference{
		Kind: findDuplicate, Number: int64(l.Number), SeenMinor: magnitude(l), RiskMinor: magnitude(l), Currency: currencyOr(l.Currency, noCurrency),
		Detail: "line " + itoa64(int64(l.Number)) + " has the id of line " + itoa64(number) + "; it is counted once",
	}})
}

// explained tells whether nobody has to look at a finding.
func explained(finding string) bool { return finding == findMatched || finding == findOther }

// settles tells whether a line counts as the report's word on its payment or movement, so that a second one is too many.
func settles(l store.Line) bool {
	switch l.Finding {
	case findTwice, findAhead, findOther:
		return l.Finding == findOther && l.Type == lineFee && l.PaymentID != 0
	}
	return l.PaymentID != 0
}

func lineRow(l *settlement.Line, key [16]byte, finding string, paymentID int64, movement string) store.Line {
	return store.Line{
		Number: int64(l.Number), Key: slices.Clone(key[:]), Type: l.Type, Finding: finding, GatewayRef: l.GatewayRef, MerchantRef: l.MerchantRef,
		Gross: store.Amount(l.Gross), Fee: store.Amount(l.Fee), Net: store.Amount(l.Net), Currency: l.Currency,
		OccurredMs: l.OccurredMs, SettledMs: l.SettledMs, Batch: l.Batch, Status: l.Status, PaymentID: paymentID, Movement: movement,
	}
}

// differenceOf makes a difference of what was found on a line.
func differenceOf(f settlement.Finding, l *settlement.Line) store.Difference {
	return store.Difference{
		Kind: string(f.Kind), Number: int64(l.Number), PaymentID: f.PaymentID, ExpectedMinor: f.ExpectedMinor, SeenMinor: f.SeenMinor,
		RiskMinor: atStake(string(f.Kind), l, f), Currency: currencyOr(f.Currency, currencyOr(l.Currency, noCurrency)), Detail: f.Detail,
	}
}

// atStake is the money that a finding is about: the gap between two amounts, the whole line where we or they know nothing
// of it or say otherwise, and the line's gross with its sign where all is well.
func atStake(finding string, l *settlement.Line, f settlement.Finding) int64 {
	switch finding {
	case findMatched, findOther:
		return l.Gross.Minor
	case "amount":
		return abs(f.SeenMinor - f.ExpectedMinor)
	case "fee":
		return missingFee(l, f)
	case findRefund, findDispute:
		if f.SeenMinor != f.ExpectedMinor {
			return abs(f.SeenMinor - f.ExpectedMinor)
		}
	}
	return magnitude(l)
}

// missingFee is what is left unexplained between what was received, the fee and what is paid out.
func missingFee(l *settlement.Line, f settlement.Finding) int64 {
	switch {
	case l.Type == lineFee:
		return magnitude(l)
	case l.Gross.Known && l.Net.Known:
		return abs(l.Gross.Minor - l.Fee.Minor - l.Net.Minor)
	}
	return abs(f.ExpectedMinor - l.Fee.Minor - l.Net.Minor)
}

func abs(n int64) int64 { return max(n, -n) }

// magnitude is the amount of a line without its sign: gross, else net.
func magnitude(l *settlement.Line) int64 {
	if l.Gross.Known {
		return abs(l.Gross.Minor)
	}
	return abs(l.Net.Minor)
}

// totalsDiffer makes a difference of each total that the file states otherwise than its lines give.
func (r *importRun) totalsDiffer(totals settlement.Totals) *lineBatch {
	b := newLineBatch()
	for _, t := range totals.Stated {
		d, differs := totalDifference(t)
		if !differs {
			continue
		}
		day := r.judged.lastDay(r)
		r.judged.count(findTotals, d.Currency, d.RiskMinor)
		r.judged.days[day] = true
		b.differ(pendingDifference{day: day, line: -1, Difference: d})
	}
	return b
}

// judged is what an import has come to so far; it belongs to the stage that judges.
type judged struct {
	sums   map[FindingSum]*FindingSum // by kind and currency
	days   map[string]bool
	paid   map[string]bool // days with lines of payments
	last   string
	faults []LineFault
}

func newJudged() judged {
	return judged{sums: map[FindingSum]*FindingSum{}, days: map[string]bool{}, paid: map[string]bool{}}
}

func (j *judged) count(kind, currency string, minor int64) {
	key := FindingSum{Kind: kind, Currency: currencyOr(currency, noCurrency)}
	s := j.sums[key]
	if s == nil {
		s = &FindingSum{Kind: kind, Currency: key.Currency}
		j.sums[key] = s
	}
	s.Count++
	s.Minor += minor
}

// dayOf is the day of a line; a line that says none, or that cannot be read, belongs to the one before it.
func (j *judged) dayOf(r *importRun, l *settlement.Line) string {
	if l.Day != "" {
		j.last = l.Day
	}
	return j.lastDay(r)
}

// lastDay is the day of the line before; the present one where there is none.
func (j *judged) lastDay(r *importRun) string {
	if j.last == "" {
		j.last = r.e.now().In(r.zone).Format("2006-01-02")
	}
	return j.last
}

// span is the first and the last day of the lines.
func (j *judged) span() (first, last string) {
	for day := range j.days {
		if first == "" || day < first {
			first = day
		}
		last = max(last, day)
	}
	return first, last
}
