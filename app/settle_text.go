package app

import (
	"strconv"

	"nodrop/app/payment"
)

// AmountText writes an amount of minor units with its currency; without one it is a plain count.
func AmountText(minor int64, currency string) string {
	if currency == "" || currency == noCurrency {
		return strconv.FormatInt(minor, 10)
	}
	return payment.FormatAmount(minor, currency) + " " + currency
}
