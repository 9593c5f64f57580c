package config

import (
	"maps"
	"slices"
	"strings"

	"nodrop/app/payment"
)

// Approval says above which amounts another person must approve a decision that moves money: minor units by ISO 4217
// currency. Empty: never. Where it is not empty, a currency that it does not name is limited to nothing.
type Approval map[string]int64

// Needs tells whether a decision about an amount, in minor units of a currency, needs another person.
func (a Approval) Needs(minor int64, currency string) bool {
	return len(a) > 0 && minor > a[currency]
}

// String is the limits as the file writes them.
func (a Approval) String() string {
	list := []string{}
	for _, currency := range slices.Sorted(maps.Keys(a)) {
		list = append(list, `"`+payment.FormatAmount(a[currency], currency)+" "+currency+`"`)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

const approvalRemedy = `write an amount and its currency, such as approve_above = ["50000 PHP", "1000 USD"], each currency once`

// approval gives the limits at key: one text or a list of them.
func (t *table) approval(key string) Approval {
	items := []item{}
	if one, ok := t.values[key].(string); ok {
		t.known = append(t.known, key)
		if s, ok := t.d.resolve(t.at(key), one); ok {
			items = append(items, item{t.at(key), s})
		}
	} else {
		items = t.list(key)
	}
	limits := Approval{}
	for _, it := range items {
		amount, currency, _ := strings.Cut(it.text, " ")
		minor, err := payment.ParseAmount(amount, currency)
		if _, twice := limits[currency]; err != nil || twice {
			t.d.fault(it.path, t.d.quote(it.path, it.text)+" is not an amount that bounds decisions", approvalRemedy)
			continue
		}
		limits[currency] = minor
	}
	if len(limits) == 0 {
		return nil
	}
	return limits
}
