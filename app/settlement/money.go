package settlement

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nodrop/app/payment"
)

// errAmbiguous is an amount that could be read in two ways: it is never guessed.
var errAmbiguous = errors.New("ambiguous")

// ParseAmount reads an amount as reports write it into minor units: with a sign before or behind it or parentheses for a
// negative one, currency signs and codes, and groups of digits parted by spaces, apostrophes or the other one of point
// and comma. A currency that is not the given one, and DR or CR, make it none. mark is the decimal mark, "." or ","; "": only what can be read in one way is read.
func ParseAmount(text, mark, currency string) (int64, error) {
	digits, negative, err := bare(text, currency)
	if err != nil {
		return 0, err
	}
	if mark == "" {
		if mark, err = onlyMark(digits); err != nil {
			return 0, err
		}
	}
	plain, err := ungrouped(digits, mark, currency)
	if err != nil {
		return 0, err
	}
	minor, err := payment.ParseAmount(plain, currency)
	if negative {
		minor = -minor
	}
	return minor, err
}

var errNoAmount = errors.New("is no amount")

// group stands for spaces and apostrophes between digits.
const group = '\''

// bare takes signs, currencies and the spaces around them off an amount; what is left are digits, points, commas and
// the mark of a group.
func bare(text, currency string) (digits string, negative bool, err error) {
	if plainAmount(text) {
		return text, false, nil
	}
	text = strings.TrimSpace(text)
	if inside, ok := strings.CutPrefix(text, "("); ok {
		if text, ok = strings.CutSuffix(inside, ")"); !ok {
			return "", false, errNoAmount
		}
		negative = true
	}
	for _, none := range []string{",-", ".-", ",\u2013", ".\u2013"} { // no cents, as some write
		text = strings.TrimSuffix(text, none)
	}
	from, to := numberIn(text)
	if from < 0 {
		return "", false, errNoAmount
	}
	minus, err := around(text[:from], text[to+1:], currency)
	if err != nil {
		return "", false, err
	}
	digits, err = grouped(text[from : to+1])
	return digits, negative || minus, err
}

// numberIn is where the number stands in a text, its end included; a point behind a letter is not of it (Rs.500).
func numberIn(text string) (from, to int) {
	from, to = strings.IndexFunc(text, isDigit), strings.LastIndexFunc(text, isDigit)
	if from > 0 && partOfNumber(rune(text[from-1])) {
		if before, _ := utf8.DecodeLastRuneInString(text[:from-1]); !unicode.IsLetter(before) {
			from--
		}
	}
	if to >= 0 && to+1 < len(text) && partOfNumber(rune(text[to+1])) {
		to++
	}
	return from, to
}

func isDigit(r rune) bool      { return r >= '0' && r <= '9' }
func partOfNumber(r rune) bool { return isDigit(r) || r == '.' || r == ',' }

// around reads what stands before and behind the digits: at most one sign, and the line's own currency.
func around(before, behind, currency string) (negative bool, err error) {
	signs := 0
	var unit strings.Builder
	for _, r := range before + " " + behind {
		switch {
		case r == '-' || r == '\u2212':
			negative = true
			signs++
		case r == '+':
			signs++
		case unicode.IsSpace(r), r == group, r == '\u2060':
		default:
			unit.WriteRune(r)
		}
	}
	if signs > 1 || !meansCurrency(unit.String(), currency) {
		return false, errNoAmount
	}
	return negative, nil
}

// grouped writes each kind of space or apostrophe between digits as a group mark.
func grouped(text string) (string, error) {
	var b strings.Builder
	for _, r := range text {
		switch {
		case partOfNumber(r):
			b.WriteRune(r)
		case unicode.IsSpace(r), r == group, r == '\u2019':
			b.WriteByte(group)
		default:
			return "", errNoAmount
		}
	}
	return b.String(), nil
}

func plainAmount(s string) bool {
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && s[i] != '.' && s[i] != ',' {
			return false
		}
	}
	return s != ""
}

// onlyMark is the decimal mark of an amount that can be read in one way: one point, and not three digits behind it.
func onlyMark(digits string) (string, error) {
	_, behind, point := strings.Cut(digits, ".")
	if strings.Contains(digits, ",") || point && (len(behind) == 3 || strings.Contains(behind, ".")) {
		return "", errAmbiguous
	}
	return ".", nil
}

// ungrouped takes the groups out of an amount and writes its decimals behind a point.
func ungrouped(digits, mark, currency string) (string, error) {
	at := strings.IndexByte(digits, mark[0])
	whole, part := digits, ""
	if at >= 0 {
		whole, part = digits[:at], digits[at+1:]
	}
	if strings.ContainsAny(part, ".,'") {
		return "", errNoAmount
	}
	if grouping := strings.IndexAny(whole, ".,'"); grouping >= 0 {
		groups := strings.Split(whole, whole[grouping:grouping+1])
		if !soundGroups(groups, currency) {
			return "", errNoAmount
		}
		whole = strings.Join(groups, "")
	}
	switch {
	case part == "":
		return whole, nil
	case whole == "":
		return "0." + part, nil
	case at == len(whole) && mark == ".":
		return digits, nil
	}
	return whole + "." + part, nil
}

// soundGroups: groups have three digits; in the south of Asia those before the last have two.
func soundGroups(groups []string, currency string) bool {
	last, south := len(groups)-1, slices.Contains(lakhs, currency)
	for i, g := range groups {
		switch {
		case strings.ContainsAny(g, ".,'"), i == last && len(g) != 3, i == 0 && (len(g) == 0 || len(g) > 3):
			return false
		case i > 0 && i < last && len(g) != 3 && !(south && len(g) == 2):
			return false
		}
	}
	return true
}

var lakhs = []string{"INR", "PKR", "BDT", "NPR", "LKR"}

// parseWhole reads a whole number with a sign.
func parseWhole(text, currency string) (int64, error) {
	digits, negative, err := bare(text, currency)
	if err != nil || strings.ContainsAny(digits, ".,'") {
		return 0, errNoAmount
	}
	n, err := payment.ParseAmount(digits, wholeUnits)
	if negative {
		n = -n
	}
	return n, err
}

// wholeUnits is a currency without minor units: an amount in it is a whole number.
const wholeUnits = "JPY"

// fromHundredths turns hundredths of a major unit into minor units.
func fromHundredths(n int64, currency string) (int64, error) {
	switch exponent, _ := payment.Exponent(currency); exponent {
	case 2:
		return n, nil
	case 0:
		if n%100 != 0 {
			return 0, payment.ErrPrecision
		}
		return n / 100, nil
	case 3:
		if n > maxThousandths || n < -maxThousandths {
			return 0, payment.ErrOverflow
		}
		return n * 10, nil
	}
	return 0, payment.ErrPrecision
}

const maxThousandths = 1 << 59

func absolute(n int64) int64 { return max(n, -n) }
