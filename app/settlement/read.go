package settlement

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
)

// Read reads the lines in their order, good and bad ones, and returns what the file came to. It stops at the first
// failure of each. The error is *Problem when the file turns out not to be readable as this report; nothing of it counts
// then. The format is one that Recognise gave.
func (f *File) Read(format Format, each func(Line) error) (totals Totals, err error) {
	if totals.Digest, err = f.digest(); err != nil {
		return totals, err
	}
	r, err := f.rows(format.Spec)
	if err != nil {
		return totals, err
	}
	p := newParser(format, f.table)
	p.digest = totals.Digest
	defer func() { err = errors.Join(err, r.close()) }()
	if err := p.findHeader(r, &totals); err != nil {
		return totals, err
	}
	for {
		one, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return totals, err
		}
		if !p.isData(one) {
			totals.Skipped++
			continue
		}
		if totals.Lines+totals.Rejected >= f.limits.Lines {
			return totals, problem("the file has more than %d lines: part it", f.limits.Lines)
		}
		l, err := p.line(one)
		if err != nil {
			return totals, err
		}
		if l.Fault != "" {
			totals.Rejected++
		} else {
			totals.Lines++
			p.sums.add(&l)
		}
		if err := each(l); err != nil {
			return totals, err
		}
	}
	if totals.Lines+totals.Rejected == 0 {
		return totals, problem("the file has headings and no lines: look whether it is the report of the right days")
	}
	totals.Stated = p.stated(totals)
	return totals, nil
}

// parser turns rows into lines.
type parser struct {
	format  Format
	zone    *time.Location
	table   bool // a workbook, whose times may be numbers
	columns columns
	header  []string
	seen    map[uint64]uint32 // how often a content stood in the file, for lines without an id
	hash    []byte
	sums    sums
	footers []footer
	under   []string // headings of totals, whose row comes next
	rowOf   row
	digest  [32]byte // of the file

	lastDay        string
	dayFrom, dayTo int64
}

func newParser(format Format, table bool) *parser {
	return &parser{format: format, zone: format.zone(), table: table, seen: map[uint64]uint32{}, sums: sums{}}
}

// findHeader skips to the headings and learns where each column stands.
func (p *parser) findHeader(r rows, totals *Totals) error {
	for range headerWithin {
		one, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		totals.Skipped++
		seen := headings(one.cells, p.format.Spec)
		if len(lacking(p.format.Spec, seen)) > 0 || len(seen) == 0 {
			continue
		}
		p.header = seen
		return p.locate()
	}
	return problem("its headings are not found: look whether it is the right report")
}

// columns holds the places of each column; of alternatives, the first that the headings have.
type columns struct {
	id, kind, status, batch, currency, occurred, zone, settled, direction []int
	refs, merchant, parent                                                []int
	gross, net, credit, debit                                             []int
	costs                                                                 []int // fees and taxes, added up
}

func (p *parser) locate() error {
	var wrong error
	all := func(column string) (list []int) {
		for _, name := range p.format.Spec.Columns[column] {
			at := slices.Index(p.header, normal(name))
			if at < 0 {
				continue
			}
			if slices.Index(p.header[at+1:], normal(name)) >= 0 {
				wrong = problem("the heading %q stands twice: which one holds the %s cannot be told", name, strings.ReplaceAll(column, "_", " "))
			}
			list = append(list, at)
		}
		return list
	}
	p.columns = columns{
		id: all("line_id"), kind: all("type"), status: all("status"), batch: all("batch"), currency: all("currency"), occurred: all("occurred"),
		zone: all("zone"), settled: all("settled"), direction: all("direction"), refs: all("gateway_ref"), merchant: all("merchant_ref"),
		parent: all("parent_ref"), gross: all("gross"), net: all("net"), credit: all("credit"), debit: all("debit"),
		costs: append(all("fee"), all("tax")...),
	}
	switch c := &p.columns; {
	case wrong != nil:
		return wrong
	case len(c.refs) == 0 && len(c.merchant) == 0 && len(c.id) == 0:
		return problem("no column with an id of the payment is there: assign the columns anew in the admin pages")
	case len(c.gross) == 0 && len(c.net) == 0 && len(c.credit) == 0:
		return problem("no column with an amount is there: assign the columns anew in the admin pages")
	}
	return nil
}

// value is the first of the columns that is not empty.
func (p *parser) value(places []int) string {
	for _, at := range places {
		if at < len(p.rowOf.cells) {
			if v := p.clean(p.rowOf.cells[at]); v != "" {
				return v
			}
		}
	}
	return ""
}

func (p *parser) clean(cell string) string {
	cell = strings.TrimSpace(cell)
	if inside, ok := strings.CutPrefix(cell, `="`); ok && strings.HasSuffix(inside, `"`) { // so that a spreadsheet keeps it as text
		cell = strings.TrimSpace(inside[:len(inside)-1])
	}
	if p.format.Spec.Strip != "" {
		cell = strings.TrimSpace(strings.TrimLeft(cell, p.format.Spec.Strip))
	}
	return cell
}

// isData tells a row of data from comments, headings that come again, footers and rows of another kind.
func (p *parser) isData(r row) bool {
	p.rowOf = r
	if r.fault != "" && len(r.cells) == 0 {
		return true
	}
	first, filled := "", 0
	for _, c := range r.cells {
		if c = p.clean(c); c == "" {
			continue
		}
		if filled++; filled == 1 {
			first = c
		}
	}
	spec := p.format.Spec
	switch {
	case filled == 0:
		return false
	case spec.Comment != "" && strings.HasPrefix(strings.TrimSpace(r.cells[0]), spec.Comment):
		return false
	case len(spec.Rows) > 0 && !slices.Contains(spec.Rows, p.clean(r.cells[0])):
		return false
	case p.under != nil:
		p.takeUnder()
		return false
	case p.isTotalsHeader(r.cells), p.isFooter(first):
		return false
	case r.fault != "":
		return true
	}
	return !p.isHeader(r.cells)
}

// isHeader tells whether a row repeats the headings, as files that were joined do.
func (p *parser) isHeader(cells []string) bool {
	if len(cells) != len(p.header) {
		return false
	}
	for i, c := range cells {
		if len(c) > 200 || normal(strings.TrimLeft(c, p.format.Spec.Strip)) != p.header[i] {
			return false
		}
	}
	return true
}

// identify gives a line its identity: its id, else its content and how often that stood in the file before.
func (p *parser) identify(l *Line) {
	p.hash = p.hash[:0]
	part := func(s string) { p.hash = append(append(p.hash, s...), 0x1f) }
	if l.ID != "" {
		part("id")
		part(l.ID)
	} else {
		part("content")
		for _, places := range [][]int{p.columns.kind, p.columns.status, p.columns.refs, p.columns.merchant, p.columns.parent, p.columns.gross, p.columns.net,
			p.columns.credit, p.columns.debit, p.columns.direction, p.columns.costs, p.columns.currency, p.columns.occurred, p.columns.batch} {
			for _, at := range places {
				if at < len(p.rowOf.cells) {
					part(p.clean(p.rowOf.cells[at]))
				}
			}
			p.hash = append(p.hash, 0x1e)
		}
		sum := sha256.Sum256(p.hash)
		content := binary.BigEndian.Uint64(sum[:8])
		p.seen[content]++
		p.hash = binary.BigEndian.AppendUint32(p.hash, p.seen[content])
	}
	sum := sha256.Sum256(p.hash)
	copy(l.Key[:], sum[:])
}
