package settlement

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"nodrop/app/payment"
)

// line reads one row of data. Its error is *Problem where the whole report cannot be read as it is described.
func (p *parser) line(r row) (Line, error) {
	l := Line{Number: r.number, Fault: r.fault}
	if l.Fault == "" {
		if err := p.fill(&l); err != nil {
			var whole *Problem
			if errors.As(err, &whole) {
				return l, whole
			}
			l.Fault = err.Error()
		}
	}
	if l.Fault != "" {
		return Line{Number: l.Number, Fault: l.Fault, Type: l.Type, ID: l.ID, GatewayRef: l.GatewayRef, MerchantRef: l.MerchantRef, Key: p.rejected(l)}, nil
	}
	return l, nil
}

// rejected is the identity of a line that cannot be used: the same bad line of the same file is one.
func (p *parser) rejected(l Line) (key [16]byte) {
	l.ID = ""
	if len(p.rowOf.cells) == 0 {
		l.ID = fmt.Sprintf("%x line %d", p.digest, l.Number) // nothing of it is known but where it stood
	}
	p.identify(&l)
	return l.Key
}

func (p *parser) fill(l *Line) error {
	for _, step := range []func(*Line) error{p.fillText, p.fillRefs, p.fillType, p.fillCurrency, p.fillTimes, p.fillMoney} {
		if err := step(l); err != nil {
			return err
		}
	}
	p.identify(l)
	return nil
}

func (p *parser) fillText(l *Line) error {
	for _, places := range [][]int{p.columns.id, p.columns.refs, p.columns.merchant, p.columns.parent} {
		for _, at := range places {
			if at < len(p.rowOf.cells) && !sound(p.rowOf.cells[at]) {
				return errors.New("its text cannot be read: state the report's charset, or download the file again")
			}
		}
	}
	l.ID, l.Status, l.Batch = p.value(p.columns.id), p.value(p.columns.status), p.value(p.columns.batch)
	return nil
}

// sound tells whether a text is whole: no character was lost on the way.
func sound(s string) bool { return utf8.ValidString(s) && !strings.ContainsAny(s, "\ufffd\x00") }

// damaged is what a spreadsheet makes of a long id.
var damaged = regexp.MustCompile(`^\d([.,]\d+)?[eE]\+\d+$`)

func (p *parser) fillRefs(l *Line) error {
	for _, at := range p.columns.refs {
		if at >= len(p.rowOf.cells) {
			continue
		}
		if id := p.clean(p.rowOf.cells[at]); id != "" && !slices.Contains(l.GatewayRefs, id) {
			l.GatewayRefs = append(l.GatewayRefs, id)
		}
	}
	if len(l.GatewayRefs) > 0 {
		l.GatewayRef = l.GatewayRefs[0]
	}
	l.MerchantRef, l.ParentRef = p.value(p.columns.merchant), p.value(p.columns.parent)
	for _, id := range append([]string{l.ID, l.MerchantRef, l.ParentRef}, l.GatewayRefs...) {
		if strings.Contains(id, "+") && damaged.MatchString(id) {
			return fmt.Errorf("the id %s is damaged (scientific notation): a spreadsheet saved it; use the original file", id)
		}
	}
	return nil
}

// plainTypes are words for what a line is about that need no mapping.
var plainTypes = map[string]string{
	"payment": "payment", "charge": "payment", "sale": "payment", "capture": "payment", "purchase": "payment",
	"refund": "refund", "chargeback": "chargeback", "dispute": "chargeback", "chargeback_reversed": "chargeback_reversed",
	"fee": "fee", "payout": "payout", "withdrawal": "payout", "reserve": "reserve", "adjustment": "adjustment", "balance": "balance",
}

func (p *parser) fillType(l *Line) error {
	word := p.value(p.columns.kind)
	if len(p.columns.kind) == 0 {
		l.Type = "payment" // a negative one is a refund, see fillMoney
		return nil
	}
	if l.Type = p.typeOf(word); l.Type == "" {
		return fmt.Errorf("its type %q is not known: assign it to what such lines are about", word)
	}
	return nil
}

func (p *parser) typeOf(word string) string {
	types := p.format.Spec.Types
	if t, ok := types[word]; ok {
		return t
	}
	best, length := "", -1
	for pattern, t := range types {
		if start, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasPrefix(word, start) && len(start) > length {
			best, length = t, len(start)
		} else if !ok && strings.EqualFold(pattern, word) {
			return t
		}
	}
	if best == "" && len(types) == 0 {
		best = plainTypes[strings.ToLower(word)]
	}
	return best
}

func (p *parser) fillCurrency(l *Line) error {
	code := p.value(p.columns.currency)
	if code == "" {
		code = p.format.Spec.Currency
	}
	if l.Currency = strings.ToUpper(code); l.Currency == "" {
		return errors.New("it states no currency")
	}
	if _, known := payment.Exponent(l.Currency); !known {
		return fmt.Errorf("%q is no currency", code)
	}
	return nil
}

func (p *parser) fillTimes(l *Line) (err error) {
	zone := p.zone
	if name := p.value(p.columns.zone); name != "" {
		if zone, err = time.LoadLocation(name); err != nil {
			return fmt.Errorf("%q is no time zone", name)
		}
	}
	if l.OccurredMs, err = p.instant(p.value(p.columns.occurred), zone); err != nil {
		return err
	}
	if l.SettledMs, err = p.instant(p.value(p.columns.settled), zone); err != nil {
		return err
	}
	at := l.OccurredMs
	if at == 0 {
		at = l.SettledMs
	}
	if at == 0 {
		return errors.New("it states no time")
	}
	l.Day = p.day(at)
	return nil
}

// day is the calendar day of an instant, as 2026-11-30.
func (p *parser) day(ms int64) string {
	if ms < p.dayFrom || ms >= p.dayTo { // lines of one day stand together
		t := time.UnixMilli(ms).In(p.zone)
		p.lastDay = t.Format(time.DateOnly)
		p.dayFrom = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, p.zone).UnixMilli()
		p.dayTo = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, p.zone).UnixMilli()
	}
	return p.lastDay
}

func (p *parser) instant(text string, zone *time.Location) (int64, error) {
	if text == "" {
		return 0, nil
	}
	if ms, ok := p.format.Spec.Instant(text, zone); ok {
		return ms, nil
	}
	if serial, err := strconv.ParseFloat(text, 64); err == nil && p.table && serial > 30000 && serial < 80000 {
		if t, err := excelize.ExcelDateToTime(serial, false); err == nil {
			return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone).UnixMilli(), nil
		}
	}
	return 0, fmt.Errorf("%q is no time in the format %q", text, p.format.Spec.Format)
}

func (p *parser) fillMoney(l *Line) error {
	c, spec := &p.columns, p.format.Spec
	var err error
	if spec.Sign == "debit_credit" {
		l.Gross, err = p.creditLessDebit(l.Currency)
	} else {
		l.Gross, err = p.amount(c.gross, l.Currency)
	}
	if err != nil {
		return err
	}
	if l.Net, err = p.amount(c.net, l.Currency); err != nil {
		return err
	}
	cost, err := p.cost(l.Currency)
	if err != nil {
		return err
	}
	if !l.Gross.Known && !l.Net.Known && !slices.Contains(otherTypes, l.Type) {
		return errors.New("it states no amount")
	}
	if err := p.sign(l); err != nil {
		return err
	}
	l.Fee = p.fee(l, cost)
	return nil
}

func (p *parser) creditLessDebit(currency string) (Amount, error) {
	credit, err := p.amount(p.columns.credit, currency)
	if err != nil {
		return credit, err
	}
	debit, err := p.amount(p.columns.debit, currency)
	return Amount{absolute(credit.Minor) - absolute(debit.Minor), credit.Known || debit.Known}, err
}

// cost adds up fees and taxes as they are written.
func (p *parser) cost(currency string) (sum Amount, err error) {
	for _, at := range p.columns.costs {
		one, err := p.amount([]int{at}, currency)
		if err != nil {
			return sum, err
		}
		sum.Minor += one.Minor
		sum.Known = sum.Known || one.Known
	}
	return sum, nil
}

// amount reads the first of the columns that is not empty.
func (p *parser) amount(places []int, currency string) (a Amount, err error) {
	text := p.value(places)
	if text == "" || text == "-" {
		return a, nil
	}
	switch p.format.Spec.Amount {
	case "minor":
		a.Minor, err = parseWhole(text, currency)
	case "hundredths":
		if a.Minor, err = parseWhole(text, currency); err == nil {
			a.Minor, err = fromHundredths(a.Minor, currency)
		}
	default:
		if p.table {
			text = storedNumber(text)
		}
		a.Minor, err = ParseAmount(text, p.mark(), currency)
	}
	switch {
	case errors.Is(err, errAmbiguous):
		return a, problem("line %d: the amount %q in the column %q can be read in two ways: state the report's decimal mark (mark = \".\" or mark = \",\")", p.rowOf.number, text, p.heading(places))
	case errors.Is(err, errNoAmount):
		return a, fmt.Errorf("%q is no amount in %s", text, currency)
	case absolute(a.Minor) > maxAmount:
		return a, fmt.Errorf("the amount %q is larger than any", text)
	}
	a.Known = err == nil
	return a, err
}

// heading is the one over the first of the columns that is not empty.
func (p *parser) heading(places []int) string {
	for _, at := range places {
		if at < len(p.header) && at < len(p.rowOf.cells) && p.clean(p.rowOf.cells[at]) != "" {
			return p.header[at]
		}
	}
	return ""
}

// maxAmount is larger than any amount of money, and sums of a row's amounts stay below the largest int64.
const maxAmount = 1 << 56

// mark is the decimal mark; numbers in a workbook are stored with a point.
func (p *parser) mark() string {
	if p.table && p.format.Spec.Mark == "" {
		return "."
	}
	return p.format.Spec.Mark
}

// outgoing are the types of lines with which money leaves the merchant.
var outgoing = []string{"refund", "chargeback", "fee", "payout"}

// otherTypes are about no payment; some reports state their amounts in columns of their own.
var otherTypes = []string{"fee", "payout", "reserve", "adjustment", "balance"}

// sign turns the amounts to the merchant's view.
func (p *parser) sign(l *Line) error {
	leaves := slices.Contains(outgoing, l.Type)
	switch p.format.Spec.Sign {
	case "type":
		l.Gross.Minor, l.Net.Minor = turned(l.Gross.Minor, leaves), turned(l.Net.Minor, leaves)
	case "direction":
		out, err := directed(p.value(p.columns.direction))
		if err != nil {
			return err
		}
		l.Gross.Minor, l.Net.Minor = turned(l.Gross.Minor, out), turned(l.Net.Minor, out)
	default:
		if main := mainAmount(l); main > 0 && (l.Type == "refund" || l.Type == "chargeback") {
			return fmt.Errorf("a %s that brings money in: if the report writes refunds without a sign, state sign = \"type\"", l.Type)
		}
		if len(p.columns.kind) == 0 && mainAmount(l) < 0 {
			l.Type = "refund"
		}
	}
	return nil
}

func mainAmount(l *Line) int64 {
	if l.Gross.Known {
		return l.Gross.Minor
	}
	return l.Net.Minor
}

func turned(n int64, out bool) int64 {
	if out {
		return -absolute(n)
	}
	return absolute(n)
}

// directed tells whether a column of directions says that money went out.
func directed(word string) (out bool, err error) {
	switch strings.ToLower(word) {
	case "dr", "debit", "d", "out", "money_out", "-", "支出":
		return true, nil
	case "cr", "credit", "c", "in", "money_in", "+", "收入":
		return false, nil
	}
	return false, fmt.Errorf("%q is no direction: CR or DR is expected", word)
}

// fee is the cost of a line. Reports write costs with or without a sign: which one shows where gross and net are known.
func (p *parser) fee(l *Line, cost Amount) Amount {
	if !cost.Known {
		return cost
	}
	if l.Gross.Known && l.Net.Known && absolute(l.Gross.Minor-l.Net.Minor) == absolute(cost.Minor) {
		return Amount{l.Gross.Minor - l.Net.Minor, true}
	}
	switch {
	case l.Type != "refund":
		return Amount{absolute(cost.Minor), true}
	case p.format.Spec.Sign == "signed" || p.format.Spec.Sign == "":
		return Amount{-cost.Minor, true}
	}
	return cost
}
