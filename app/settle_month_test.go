package app

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"
)

// month plants differences of every kind into a month of payments and its report, and knows what must be found.
type month struct {
	b    *bench
	rows []row
	want map[string][2]int64 // by kind and currency: how many, and their sum in minor units
	n    int
}

func (m *month) expect(kind string, minor int64) {
	w := m.want[kind]
	m.want[kind] = [2]int64{w[0] + 1, w[1] + minor}
}

// pay has a payment of an amount in centavos paid at the present instant.
func (m *month) pay(minor int64) (ref string, v PaymentView) {
	m.n++
	ref = fmt.Sprintf("ORDER-%04d", m.n)
	return ref, m.b.paid(ref, major(minor))
}

func major(minor int64) string {
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	return fmt.Sprintf("%s%d.%02d", sign, minor/100, minor%100)
}

// line adds a line of the present instant.
func (m *month) line(r row) {
	if r.id == "" {
		r.id = fmt.Sprintf("txn-%05d", len(m.rows))
	}
	r.at = m.b.clock.now().Format(time.DateTime)
	m.rows = append(m.rows, r)
}

// good adds a payment with its line.
func (m *month) good(minor int64) (ref string) {
	ref, _ = m.pay(minor)
	m.line(row{payment: "sbx_" + ref, ref: ref, gross: major(minor), fee: major(minor / 50), net: major(minor - minor/50)})
	m.expect("matched PHP", minor)
	return ref
}

// plant plants one difference of each kind that a line can have.
func (m *month) plant(amount int64) {
	b := m.b
	ref, _ := m.pay(amount)
	m.line(row{ref: ref, gross: major(amount - 250)})
	m.expect("amount PHP", 250)

	ref, _ = m.pay(amount)
	m.line(row{ref: ref, gross: major(amount), currency: "USD"})
	m.expect("currency PHP", amount)

	ref, _ = m.pay(amount)
	m.line(row{ref: ref, gross: major(amount), fee: "1.00", net: major(amount - 300)})
	m.expect("fee PHP", 200) // 3.00 are missing, and the line states 1.00 as its fee

	m.n++
	behind := fmt.Sprintf("ORDER-%04d", m.n)
	b.register(behind, major(amount))
	m.line(row{ref: behind, gross: major(amount)})
	m.expect("status_behind PHP", amount)

	ref, _ = m.pay(amount)
	m.line(row{ref: ref, gross: major(amount), status: "failed"})
	m.expect("status_ahead PHP", amount)

	m.line(row{ref: fmt.Sprintf("NOBODY-%d", m.n), gross: major(amount)})
	m.expect("missing_locally PHP", amount)

	m.pay(amount)
	m.expect("missing_at_gateway PHP", amount)

	ref = m.good(amount)
	last := m.rows[len(m.rows)-1]
	m.rows = append(m.rows, last)
	m.expect("duplicate_line PHP", amount)
	m.line(row{ref: ref, gross: major(amount)})
	m.expect("settled_twice PHP", amount)

	m.line(row{kind: "refund", ref: ref, gross: major(-500)})
	m.expect("refund PHP", 500)
	m.line(row{kind: "dispute", ref: ref, gross: major(-700)})
	m.expect("dispute PHP", 700)
	m.line(row{kind: "payout", gross: major(-amount)})
	m.expect("other_money PHP", -amount)
	m.line(row{ref: ref, gross: "twelve"})
	m.expect("unparseable XXX", 0)
}

func TestMonthOfPlantedDifferences(t *testing.T) {
	b := settleBench(t)
	m := &month{b: b, want: map[string][2]int64{}}
	from := b.clock.now()
	for day := range 30 {
		for i := range 3 {
			m.good(int64(10000 + 100*day + i))
		}
		if day%10 == 4 {
			m.plant(int64(20000 + day))
		}
		b.clock.move(24 * time.Hour)
	}
	b.clock.move(5 * 24 * time.Hour)
	path := b.report("month.csv", m.rows...)
	want := map[string]string{}
	for kind, w := range m.want {
		want[kind] = fmt.Sprintf("%d %d", w[0], w[1])
	}
	dry := b.dry(path)
	wantCounts(t, dry, want)
	r := b.imported(path)
	wantCounts(t, r, want)
	if r.Lines+r.Rejected != len(m.rows) || r.Rejected != 3 || len(r.Faults) != 3 || len(r.Days) != 30 || r.Lines != dry.Lines || r.Matched != int(m.want["matched PHP"][0]) {
		t.Errorf("%+v of %d lines", r, len(m.rows))
	}
	states := map[string]int{}
	for _, name := range []string{from.Format("2006-01"), from.AddDate(0, 1, 0).Format("2006-01")} {
		days, err := b.e.SettlementMonth(b.ctx(), "sandbox", name)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range days {
			states[d.State]++
		}
	}
	if want := map[string]int{DayClean: 27, DayOpen: 3, DayNone: 31}; !maps.Equal(states, want) {
		t.Errorf("days %v, want %v", states, want)
	}
	b.settled()
	b.sound()
}

// TestMirroredReports: what only one side knows is found on the other side's account, with the same sums.
func TestMirroredReports(t *testing.T) {
	left, right := settleBench(t), settleBench(t)
	var ofLeft, ofRight []row
	for i := range 20 {
		ref, amount := fmt.Sprintf("ORDER-%02d", i), major(int64(1000+i))
		line := row{id: "txn-" + ref, ref: ref, gross: amount}
		switch {
		case i%5 == 0: // only the left shop knows it
			left.paid(ref, amount)
			ofRight = append(ofRight, line)
		case i%5 == 1: // only the right shop
			right.paid(ref, amount)
			ofLeft = append(ofLeft, line)
		default:
			left.paid(ref, amount)
			right.paid(ref, amount)
			ofLeft, ofRight = append(ofLeft, line), append(ofRight, line)
		}
	}
	for _, b := range []*bench{left, right} {
		b.clock.move(5 * 24 * time.Hour)
	}
	// The left shop gets what its gateway lists, which is what the right shop knows, and the other way round.
	one, two := counts(left.imported(left.report("left.csv", ofLeft...))), counts(right.imported(right.report("right.csv", ofRight...)))
	if one["missing_locally PHP"] != two["missing_at_gateway PHP"] || one["missing_at_gateway PHP"] != two["missing_locally PHP"] || one["matched PHP"] != two["matched PHP"] {
		t.Errorf("left %v, right %v", one, two)
	}
	want := map[string]string{"matched PHP": "12 12126", "missing_locally PHP": "4 4034", "missing_at_gateway PHP": "4 4030"}
	if !maps.Equal(one, want) {
		t.Errorf("left %v, want %v", one, want)
	}
	if kinds := slices.Compact(left.reviewKinds()); !slices.Equal(kinds, []string{settlementKind}) {
		t.Errorf("reviews %v", kinds)
	}
	left.sound()
	right.sound()
}
