package sandbox

import (
	"bytes"
	"encoding/csv"
	"maps"
	"slices"
	"strconv"
	"time"
)

// feePerMille is what the simulated gateway keeps of each payment.
const feePerMille = 25

var statementHead = []string{"Line", "Type", "Payment", "Refund", "Reference", "Amount", "Fee", "Net", "Currency", "Created", "Payout"}

// StatementName is the name of the file that Statement writes.
const StatementName = "sandbox-settlement.csv"

// Statement is the gateway's settlement report of all that it moved so far, as CSV: one line for each payment, refund and
// chargeback, and one payout for each currency. It holds a few faults, as reports do: one payment is left out, one has another amount, one
// stands twice, and one line has no amount.
func (g *Gateway) Statement() ([]byte, error) {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	s := &statement{net: map[string]int64{}}
	if err := w.Write(statementHead); err != nil {
		return nil, err
	}
	plain := 0
	for _, a := range g.Ledger() {
		lines := s.lines(a)
		if a.Plan.Story.Name == "paid" && len(lines) == 1 {
			plain++
			lines = misstate(lines, plain)
		}
		if err := w.WriteAll(lines); err != nil {
			return nil, err
		}
	}
	for _, currency := range slices.Sorted(maps.Keys(s.net)) {
		if err := w.Write(s.line("payout", Account{Currency: currency}, "", -s.net[currency], 0, g.o.Now())); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return out.Bytes(), w.Error()
}

// misstate plants a fault into the line of the nth plain payment.
func misstate(lines [][]string, n int) [][]string {
	const amount, net = 5, 7
	switch n {
	case 2:
		return nil
	case 4:
		lines[0][amount], lines[0][net] = "1.00", "1.00"
		lines[0][amount+1] = "0.00"
	case 6:
		return append(lines, lines[0])
	case 8:
		lines[0][amount] = "n/a"
	}
	return lines
}

// statement is a report that is being written.
type statement struct {
	n   int              // lines so far
	net map[string]int64 // of them by currency, in minor units
}

func (s *statement) lines(a Account) (out [][]string) {
	if a.Taken == 0 {
		return nil
	}
	out = append(out, s.line("payment", a, "", a.Taken, a.Taken*feePerMille/1000, a.CreatedAt))
	for _, r := range a.Refunds {
		if r.Status == "succeeded" {
			out = append(out, s.line("refund", a, r.ID, -r.Amount, 0, a.CreatedAt))
		}
	}
	for _, d := range a.Disputes {
		if d.Status == "lost" {
			out = append(out, s.line("chargeback", a, d.ID, -d.Amount, 0, a.CreatedAt))
		}
	}
	if a.Reversed {
		out = append(out, s.line("reversal", a, "", -a.Taken, 0, a.CreatedAt))
	}
	return out
}

func (s *statement) line(kind string, a Account, movement string, amount, fee int64, at time.Time) []string {
	s.n++
	s.net[a.Currency] += amount - fee
	money := func(minor int64) string { return decimal(minor, a.Currency) }
	return []string{"ln_" + strconv.Itoa(s.n), kind, a.ID, movement, a.Reference, money(amount), money(fee), money(amount - fee), a.Currency, at.UTC().Format(time.RFC3339), "po_1"}
}
