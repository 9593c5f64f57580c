package sandbox

import (
	"fmt"
	"strconv"
	"strings"
)

// exponents are the ISO 4217 digits of the currencies that the plan uses.
var exponents = map[string]int{"PHP": 2, "JPY": 0, "KWD": 3, "USD": 2}

// decimal writes minor units in major units: 125050 PHP is "1250.50".
func decimal(minor int64, currency string) string {
	digits := exponents[currency]
	if digits == 0 {
		return strconv.FormatInt(minor, 10)
	}
	sign := ""
	if minor < 0 {
		sign, minor = "-", -minor
	}
	text := fmt.Sprintf("%0*d", digits+1, minor)
	cut := len(text) - digits
	return sign + text[:cut] + "." + text[cut:]
}

// minorUnits reads what decimal writes; an empty text is nothing.
func minorUnits(text, currency string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	digits, known := exponents[currency]
	if !known {
		return 0, fmt.Errorf("currency %q: the sandbox knows PHP, JPY, KWD and USD", currency)
	}
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > digits {
		return 0, fmt.Errorf("amount %q: %s has %d decimals", text, currency, digits)
	}
	fraction += strings.Repeat("0", digits-len(fraction))
	minor, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil || whole == "" {
		return 0, fmt.Errorf("amount %q of %s is no decimal number", text, currency)
	}
	return minor, nil
}
