package settlement

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unitsOf lists signs and short names of currencies that reports write beside amounts, in capitals.
var unitsOf = map[string][]string{
	"€": {"EUR"}, "£": {"GBP", "EGP"}, "₱": {"PHP"}, "₹": {"INR"}, "฿": {"THB"}, "₫": {"VND"}, "₩": {"KRW"}, "₺": {"TRY"}, "₦": {"NGN"},
	"₪": {"ILS"}, "₴": {"UAH"}, "₽": {"RUB"}, "₸": {"KZT"}, "¥": {"CNY", "JPY"}, "￥": {"CNY", "JPY"}, "元": {"CNY", "HKD", "TWD"}, "円": {"JPY"}, "원": {"KRW"},
	"P": {"PHP"}, "RM": {"MYR"}, "RP": {"IDR"}, "RP.": {"IDR"}, "RS": {"INR", "PKR", "LKR", "NPR"}, "RS.": {"INR", "PKR", "LKR", "NPR"}, "KR": {"SEK", "NOK", "DKK", "ISK"},
	"KR.": {"SEK", "NOK", "DKK", "ISK"}, "ZŁ": {"PLN"}, "FT": {"HUF"}, "KČ": {"CZK"}, "LEI": {"RON"}, "R": {"ZAR"}, "R$": {"BRL"}, "S$": {"SGD"}, "US$": {"USD"},
	"HK$": {"HKD"}, "NT$": {"TWD"}, "A$": {"AUD"}, "AU$": {"AUD"}, "C$": {"CAD"}, "CA$": {"CAD"}, "NZ$": {"NZD"}, "MX$": {"MXN"}, "RMB": {"CNY"}, "FR.": {"CHF"}, "SFR.": {"CHF"}, "KSH": {"KES"}, "GH₵": {"GHS"}, "₵": {"GHS"},
}

// meansCurrency tells whether what stands beside an amount is nothing but a currency, and the given one. A dollar sign
// and signs that are not listed may be any.
func meansCurrency(unit, currency string) bool {
	unit = strings.ToUpper(unit)
	if rest, ok := strings.CutPrefix(unit, currency); ok {
		unit = rest
	} else if rest, ok := strings.CutSuffix(unit, currency); ok {
		unit = rest
	}
	if unit == "" {
		return true
	}
	if owners, ok := unitsOf[unit]; ok {
		return slices.Contains(owners, currency)
	}
	r, size := utf8.DecodeRuneInString(unit)
	return size == len(unit) && unicode.Is(unicode.Sc, r)
}
