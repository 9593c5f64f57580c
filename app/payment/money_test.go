package payment

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The numbers of decimals as ISO 4217 lists them.
func TestExponents(t *testing.T) {
	for codes, want := range map[string]int{
		"UGX ISK CLP JPY KRW VND XOF XAF XPF PYG RWF GNF KMF DJF BIF VUV UYI":                                 0,
		"PHP USD EUR CNY SGD MYR THB IDR INR HKD TWD LAK MMK AFN ALL IRR LBP RSD COP CRC HUF MGA MRU AED ZWG": 2,
		"KWD BHD OMR JOD TND LYD IQD": 3,
		"CLF UYW":                     4,
	} {
		for code := range strings.FieldsSeq(codes) {
			if got, ok := Exponent(code); !ok || got != want {
				t.Errorf("%s: %d decimals (listed %t), want %d", code, got, ok, want)
			}
		}
	}
	for _, code := range []string{"", "php", "XXX", "BTC", "PHPP", "X"} {
		if _, ok := Exponent(code); ok {
			t.Errorf("%q is taken for a currency", code)
		}
	}
}

func TestParseAmount(t *testing.T) {
	for _, c := range []struct {
		text, currency string
		want           int64
		err            error
	}{
		{"1250.50", "PHP", 125050, nil},
		{"1250.5", "PHP", 125050, nil},
		{"1250", "PHP", 125000, nil},
		{"0.01", "PHP", 1, nil},
		{"0", "PHP", 0, nil},
		{"0100.00", "PHP", 10000, nil},
		{"19.99", "USD", 1999, nil},
		{"1.1", "USD", 110, nil},
		{"10.500", "PHP", 1050, nil},
		{"10.505", "PHP", 0, ErrPrecision},
		{"1250", "JPY", 1250, nil},
		{"1250.00", "JPY", 1250, nil},
		{"1250.5", "JPY", 0, ErrPrecision},
		{"1.234", "KWD", 1234, nil},
		{"1.2", "KWD", 1200, nil},
		{"1.2345", "CLF", 12345, nil},
		{"92233720368547758.07", "USD", math.MaxInt64, nil},
		{"92233720368547758.08", "USD", 0, ErrOverflow},
		{"99999999999999999999", "JPY", 0, ErrOverflow},
		{"1,250.50", "PHP", 0, ErrAmount},
		{"1.250,50", "PHP", 0, ErrAmount},
		{"1_250", "PHP", 0, ErrAmount},
		{"1 250", "PHP", 0, ErrAmount},
		{" 1250", "PHP", 0, ErrAmount},
		{"-1", "PHP", 0, ErrAmount},
		{"+1", "PHP", 0, ErrAmount},
		{"1e3", "PHP", 0, ErrAmount},
		{"0x10", "PHP", 0, ErrAmount},
		{"NaN", "PHP", 0, ErrAmount},
		{"", "PHP", 0, ErrAmount},
		{".", "PHP", 0, ErrAmount},
		{".5", "PHP", 0, ErrAmount},
		{"5.", "PHP", 0, ErrAmount},
		{"1.2.3", "PHP", 0, ErrAmount},
		{"１２", "PHP", 0, ErrAmount},
		{"1\x00", "PHP", 0, ErrAmount},
		{strings.Repeat("0", 64), "PHP", 0, nil},
		{"1:2", "PHP", 0, ErrAmount},
		{strings.Repeat("0", 65), "PHP", 0, ErrAmount},
		{"1.00", "php", 0, ErrCurrency},
		{"1.00", "", 0, ErrCurrency},
		{"1.00", strings.Repeat("P", 64), 0, ErrCurrency},
		{"1.00", strings.Repeat("P", 999), 0, ErrCurrency},
	} {
		got, err := ParseAmount(c.text, c.currency)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%q %s: %d, %v; want %d, %v", clip(c.text), clip(c.currency), got, err, c.want, c.err)
		}
		if whole := len(c.text) <= 64 && len(c.currency) <= 64; err != nil && strings.Contains(err.Error(), "…") == whole {
			t.Errorf("the error shows %q", err)
		}
		if err != nil && strings.Contains(err.Error(), strings.Repeat("P", 65)) {
			t.Errorf("the error shows more than 64 bytes: %v", err)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	}
}

func TestFormatAmount(t *testing.T) {
	for _, c := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{125050, "PHP", "1250.50"},
		{5, "PHP", "0.05"},
		{50, "PHP", "0.50"},
		{0, "PHP", "0.00"},
		{-5, "PHP", "-0.05"},
		{1250, "JPY", "1250"},
		{-1250, "JPY", "-1250"},
		{1, "KWD", "0.001"},
		{12345, "CLF", "1.2345"},
		{math.MaxInt64, "USD", "92233720368547758.07"},
		{math.MinInt64, "USD", "-92233720368547758.08"},
		{7, "???", "7"},
	} {
		if got := FormatAmount(c.minor, c.currency); got != c.want {
			t.Errorf("%d %s: %q, want %q", c.minor, c.currency, got, c.want)
		}
	}
}

func TestAmountsComeBackExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		minor := rapid.Int64Min(0).Draw(t, "minor")
		currency := rapid.SampledFrom([]string{"PHP", "JPY", "KWD", "CLF"}).Draw(t, "currency")
		if got, err := ParseAmount(FormatAmount(minor, currency), currency); err != nil || got != minor {
			t.Fatalf("%d became %d, %v", minor, got, err)
		}
	})
}

func FuzzParseAmount(f *testing.F) {
	for _, seed := range []string{"1250.50", "0", "1,250", "1e9", ".5", "99999999999999999999", "1.٣"} {
		f.Add(seed, "PHP")
	}
	f.Fuzz(func(t *testing.T, text, currency string) {
		minor, err := ParseAmount(text, currency)
		if err == nil && strings.Trim(text, "0123456789.") != "" {
			t.Fatalf("%q was read as %d", text, minor)
		}
		if minor < 0 {
			t.Fatalf("%q was read as %d", text, minor)
		}
	})
}
