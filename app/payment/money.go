package payment

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The ways in which ParseAmount fails.
var (
	ErrCurrency  = errors.New("unknown currency")
	ErrAmount    = errors.New("not an amount")
	ErrPrecision = errors.New("more decimals than the currency has")
	ErrOverflow  = errors.New("amount too large")
)

// longest amount that is looked at; nineteen digits fill an int64.
const longest = 64

// ParseAmount reads a decimal string in major units ("1250.50") exactly into minor units. Digits and one point only:
// signs, spaces, exponents and thousands separators are refused; zeros beyond the currency's decimals are not.
func ParseAmount(text, currency string) (int64, error) {
	exponent, ok := Exponent(currency)
	if !ok {
		return 0, fmt.Errorf("currency %q: %w; write an ISO 4217 code such as PHP", clip(currency), ErrCurrency)
	}
	minor, err := scale(text, exponent)
	if err != nil {
		return 0, fmt.Errorf("amount %q %s: %w; write digits with a point, such as 1250.50", clip(text), currency, err)
	}
	return minor, nil
}

func clip(s string) string {
	if len(s) > longest {
		return s[:longest] + "…"
	}
	return s
}

// scale reads digits with an optional point as a number of 10^-exponent units.
func scale(text string, exponent int) (int64, error) {
	whole, part, point := strings.Cut(text, ".")
	if len(text) > longest || !digits(whole) || point && !digits(part) {
		return 0, ErrAmount
	}
	if len(part) > exponent {
		if strings.Trim(part[exponent:], "0") != "" {
			return 0, ErrPrecision
		}
		part = part[:exponent]
	}
	var minor int64
	for _, c := range []byte(whole + part + "0000"[:exponent-len(part)]) {
		d := int64(c - '0')
		if minor > (math.MaxInt64-d)/10 {
			return 0, ErrOverflow
		}
		minor = minor*10 + d
	}
	return minor, nil
}

// digits tells whether a text is one or more ASCII digits.
func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// FormatAmount writes minor units as a decimal string in major units, with all decimals of the currency; of a currency
// that is not known, the minor units themselves.
func FormatAmount(minor int64, currency string) string {
	exponent, _ := Exponent(currency)
	sign, text := "", strconv.FormatInt(minor, 10)
	if minor < 0 {
		sign, text = "-", text[1:]
	}
	if exponent == 0 {
		return sign + text
	}
	if short := exponent + 1 - len(text); short > 0 {
		text = "00000"[:short] + text
	}
	point := len(text) - exponent
	return sign + text[:point] + "." + text[point:]
}
