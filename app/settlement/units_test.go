package settlement

import (
	"strings"
	"testing"
)

func TestWhatStandsBesideAmounts(t *testing.T) {
	for _, c := range []struct {
		text, mark, currency string
		want                 int64
		wrong                bool
	}{
		{"RM12.50", ".", "MYR", 1250, false},
		{"Rs.500", ".", "INR", 50000, false},
		{"Rp. 1.500", ",", "IDR", 150000, false},
		{"US$ 12.50", ".", "USD", 1250, false},
		{"$12.50", ".", "SGD", 1250, false},
		{"12,50 zł", ",", "PLN", 1250, false},
		{"-₱12.50", ".", "PHP", -1250, false},
		{"12.50 PHP", ".", "PHP", 1250, false},
		{"php 12.50", ".", "PHP", 1250, false},
		{"500,-", ",", "EUR", 50000, false},
		{"500.\u2013", ".", "CHF", 50000, false},
		{"1,00,000.00", ".", "INR", 10000000, false},
		{"12,34,567", ".", "INR", 123456700, false},
		{"USD 12.50", ".", "PHP", 0, true}, // another currency than the line's
		{"€12.50", ".", "PHP", 0, true},
		{"US$12.50", ".", "SGD", 0, true},
		{"1,250.50 DR", ".", "INR", 0, true}, // money that left
		{"1,250.50 Cr", ".", "INR", 0, true},
		{"1.250,50 S", ",", "EUR", 0, true},
		{"1,00,000.00", ".", "PHP", 0, true}, // groups of two are not written there
		{"12 50", ".", "PHP", 0, true},
		{"1'2'3.50", ".", "PHP", 0, true},
		{"5-3", ".", "PHP", 0, true},
		{"1 - 2", ".", "PHP", 0, true},
		{"12.50%", ".", "PHP", 0, true},
		{"12.50 12.50", ".", "PHP", 0, true},
	} {
		got, err := ParseAmount(c.text, c.mark, c.currency)
		if (err != nil) != c.wrong || err == nil && got != c.want {
			t.Errorf("%q in %s: %d, %v, want %d", c.text, c.currency, got, err, c.want)
		}
	}
}

func TestLocalAmounts(t *testing.T) {
	t.Run("R-143", func(t *testing.T) {
		report := strings.Replace(strings.Replace(refReport, "sign =", "mark = \",\"\nsign =", 1), `"PHP"`, `"EUR"`, 1)
		lines, totals := mustRead(t, "Ref;Gross;Date\nA;3.842,17 €;2031-03-07\nB;1'000'000,00;2031-03-07\nC;1\u00a0234,50;2031-03-07\nD;10,00;2031-03-07\n", report)
		if totals.Lines != 4 {
			t.Fatalf("%+v", lines)
		}
		for i, want := range []int64{384217, 100000000, 123450, 1000} {
			if lines[i].Gross != known(want) {
				t.Errorf("line %d: %+v, want %d", i, lines[i].Gross, want)
			}
		}
	})
}

// TestSumsNeverComeRound: no amount is larger than any money, and sums stop at the largest number.
func TestSumsNeverComeRound(t *testing.T) {
	_, totals := mustRead(t, "Ref,Gross,Date\nA,9223372036854775807.00,2031-03-07\nB,92233720368547758.07,2031-03-07\nC,1.00,2031-03-07\n", pointReport)
	if totals.Lines != 1 || totals.Rejected != 2 {
		t.Errorf("%+v", totals)
	}
	s := sums{}
	for range 200 {
		s.add(&Line{Currency: "PHP", Gross: known(maxAmount), Fee: known(-maxAmount)})
	}
	if got := s["PHP"]; got.gross != 1<<63-1 || got.in != got.gross || got.fee != -got.gross {
		t.Errorf("%+v", got)
	}
}
