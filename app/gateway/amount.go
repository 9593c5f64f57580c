package gateway

import (
	"fmt"
	"strconv"
	"strings"

	"nodrop/app/payment"
)

// amount is a compiled AmountSpec.
type amount struct {
	from      selector
	kind      string
	currency  selector
	fixed     string
	fold      bool
	thousands string
	exponents map[string]int
}

// money is what a message says about an amount; text is the figure in major units.
type money struct {
	has      bool
	minor    int64
	text     string
	currency string
}

// read returns the amount, or why it cannot be read exactly. Nothing is rounded.
func (a *amount) read(v *view) (m money, why string) {
	if a == nil {
		return m, ""
	}
	if m.currency, why = a.readCurrency(v); why != "" {
		return m, why
	}
	if a.kind == "absent" {
		return m, ""
	}
	got := a.from.read(v)
	if got.kind == faulty {
		return m, "the amount cannot be read: " + got.text
	}
	if got.empty() {
		return m, ""
	}
	if m.currency == "" {
		return m, "the amount " + clip(got.text) + " has no currency"
	}
	exp, ok := payment.Exponent(m.currency)
	if !ok {
		return m, "the currency " + clip(m.currency) + " is no ISO 4217 code"
	}
	if m.minor, why = a.minor(got, m.currency, exp); why != "" {
		return m, why
	}
	m.has, m.text = true, payment.FormatAmount(m.minor, m.currency)
	return m, ""
}

// never tells whether the gateway tells no amount at all.
func (a *amount) never() bool { return a != nil && a.kind == "absent" }

func (a *amount) readCurrency(v *view) (code, why string) {
	if a.fixed != "" {
		return a.fixed, ""
	}
	got := a.currency.read(v)
	if got.kind == faulty {
		return "", "the currency cannot be read: " + got.text
	}
	if a.fold {
		got.text = strings.ToUpper(got.text)
	}
	return got.text, ""
}

// own returns the decimal places that the gateway's minor units have.
func (a *amount) own(currency string, standard int) int {
	if e, ok := a.exponents[currency]; ok {
		return e
	}
	if e, ok := a.exponents["*"]; ok {
		return e
	}
	return standard
}

// minor converts what is written to minor units with exp decimal places.
func (a *amount) minor(got value, currency string, exp int) (int64, string) {
	if why := a.wrongType(got); why != "" {
		return 0, why
	}
	digits := got.text
	if a.thousands != "" {
		digits = strings.ReplaceAll(digits, a.thousands, "")
	}
	if strings.HasPrefix(a.kind, "minor") {
		digits = pointed(digits, a.own(currency, exp))
	}
	n, err := payment.ParseAmount(digits, currency)
	if err != nil {
		return 0, fmt.Sprintf("the amount %s %s cannot be read exactly", clip(got.text), currency)
	}
	return n, ""
}

func (a *amount) wrongType(got value) string {
	wantNumber := a.kind == "minor_int" || a.kind == "decimal_number"
	wantText := a.kind == "minor_string" || a.kind == "decimal_string"
	switch {
	case got.kind == boolean || wantText && got.kind != text:
		return "the amount " + clip(got.text) + " is not written as a text"
	case wantNumber && got.kind != number:
		return "the amount " + clip(got.text) + " is not written as a number"
	}
	return ""
}

// pointed writes whole minor units as a decimal in major units; "" is no whole number.
func pointed(digits string, places int) string {
	if !allDigits(digits) || digits == "" {
		return ""
	}
	if places == 0 {
		return digits
	}
	if len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	return digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// clip bounds what a message may put into our own texts.
func clip(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return strconv.QuoteToASCII(s)
}
