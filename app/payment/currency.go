package payment

import "strings"

// The active codes of ISO 4217 by number of decimals; a gateway that counts otherwise says so in its definition.
// Withdrawn codes stay as long as old payments may hold them.
const (
	noDecimals    = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
	threeDecimals = "BHD IQD JOD KWD LYD OMR TND"
	fourDecimals  = "CLF UYW"
	twoDecimals   = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF " +
		"CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG " +
		"HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN " +
		"MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD " +
		"SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG"
)

var exponents = table()

func table() map[string]int {
	m := map[string]int{}
	for exponent, codes := range map[int]string{0: noDecimals, 2: twoDecimals, 3: threeDecimals, 4: fourDecimals} {
		for code := range strings.FieldsSeq(codes) {
			m[code] = exponent
		}
	}
	return m
}

// Exponent is the number of decimals of a currency by ISO 4217; false for a code that it does not list.
func Exponent(currency string) (int, bool) {
	n, ok := exponents[currency]
	return n, ok
}
