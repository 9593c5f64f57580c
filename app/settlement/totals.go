package settlement

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// sums is what the good lines of each currency come to, in minor units.
type sums map[string]*sum

type sum struct{ gross, fee, net, in, out int64 }

func (s sums) add(l *Line) {
	one := s[l.Currency]
	if one == nil {
		one = &sum{}
		s[l.Currency] = one
	}
	plus(&one.gross, l.Gross.Minor)
	plus(&one.fee, l.Fee.Minor)
	plus(&one.net, netOf(l))
	if l.Gross.Minor > 0 {
		plus(&one.in, l.Gross.Minor)
	} else {
		plus(&one.out, -l.Gross.Minor)
	}
}

// plus adds up to the largest number that there is: no sum comes round to a small one.
func plus(sum *int64, n int64) {
	switch {
	case n > 0 && *sum > math.MaxInt64-n:
		*sum = math.MaxInt64
	case n < 0 && *sum < -math.MaxInt64-n:
		*sum = -math.MaxInt64
	default:
		*sum += n
	}
}

// netOf is what a line brings; where it is not stated, what is left of the gross amount.
func netOf(l *Line) int64 {
	if l.Net.Known || !l.Gross.Known {
		return l.Net.Minor
	}
	return l.Gross.Minor - l.Fee.Minor
}

// footer is what a row of totals says, as it is written.
type footer struct {
	currency string
	values   map[string]string // count, gross, fee, net, credit, debit → text
}

// footerWords begin a row that states totals and is no line.
var footerWords = []string{"total", "totals", "grand total", "sum", "subtotal", "payout total", "合计", "总计", "小计"}

// isFooter takes a row that begins with such a word and names no payment.
func (p *parser) isFooter(first string) bool {
	word := strings.TrimRight(strings.ToLower(first), ": ")
	if !slices.Contains(footerWords, word) {
		return false
	}
	for _, places := range [][]int{p.columns.id, p.columns.refs, p.columns.merchant} {
		if v := p.value(places); v != "" && v != first {
			return false
		}
	}
	f := footer{currency: strings.ToUpper(p.value(p.columns.currency)), values: map[string]string{}}
	for what, places := range map[string][]int{"gross": p.columns.gross, "net": p.columns.net, "credit": p.columns.credit, "debit": p.columns.debit} {
		if v := p.value(places); v != first {
			f.values[what] = v
		}
	}
	if len(p.columns.costs) == 1 {
		f.values["fee"] = p.value(p.columns.costs)
	}
	if !strings.HasPrefix(word, "sub") && word != "小计" && p.rowOf.fault == "" {
		p.footers = append(p.footers, f)
	}
	return true
}

// isTotalsHeader takes a row of headings over the totals.
func (p *parser) isTotalsHeader(cells []string) bool {
	spec := p.format.Spec.Totals
	if spec == nil {
		return false
	}
	seen := headings(cells, p.format.Spec)
	has := func(name string) bool { return slices.Contains(seen, normal(name)) }
	if spec.Count != "" && !has(spec.Count) || spec.Count == "" && !slices.ContainsFunc(slices.Collect(maps.Keys(spec.Amounts)), has) {
		return false
	}
	p.under = seen
	return true
}

// takeUnder takes the row under such headings.
func (p *parser) takeUnder() {
	f, spec := footer{values: map[string]string{}}, p.format.Spec.Totals
	for i, heading := range p.under {
		if i >= len(p.rowOf.cells) {
			break
		}
		v := p.clean(p.rowOf.cells[i])
		if heading == normal(spec.Count) {
			f.values["count"] = v
		}
		for name, what := range spec.Amounts {
			if heading == normal(name) {
				f.values[what] = v
			}
		}
	}
	p.under = nil
	p.footers = append(p.footers, f)
}

// stated compares what the file says of itself with what was counted.
func (p *parser) stated(t Totals) (list []Total) {
	for _, f := range p.footers {
		if n, err := parseWhole(f.values["count"], ""); err == nil {
			list = append(list, Total{What: "count", Stated: n, Counted: int64(t.Lines + t.Rejected)})
		}
		currency := f.currency
		if currency == "" {
			if currency = p.onlyCurrency(); currency == "" {
				continue
			}
		}
		counted := p.sums[currency]
		if counted == nil {
			counted = &sum{}
		}
		for _, one := range []struct {
			what    string
			counted int64
		}{{"gross", counted.gross}, {"fee", counted.fee}, {"net", counted.net}, {"credit", counted.in}, {"debit", counted.out}} {
			if n, ok := p.total(f.values[one.what], currency); ok {
				if one.what == "fee" || one.what == "debit" {
					n = turnedLike(n, one.counted)
				}
				list = append(list, Total{What: one.what, Currency: currency, Stated: n, Counted: one.counted})
			}
		}
	}
	return list
}

// turnedLike gives a cost the sign of what was counted: reports write costs with or without one.
func turnedLike(n, counted int64) int64 {
	if n == -counted {
		return counted
	}
	return n
}

func (p *parser) total(text, currency string) (int64, bool) {
	if text == "" || text == "-" {
		return 0, false
	}
	p.rowOf = row{cells: []string{text}}
	a, err := p.amount([]int{0}, currency)
	return a.Minor, err == nil && a.Known
}

// onlyCurrency is the currency of all lines; "" when there are several.
func (p *parser) onlyCurrency() string {
	if len(p.sums) != 1 {
		return ""
	}
	for currency := range p.sums {
		return currency
	}
	return ""
}
