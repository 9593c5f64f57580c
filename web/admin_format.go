package web

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"nodrop/app/payment"
	"nodrop/store"
	"nodrop/templates"
)

// symbols are the signs of currencies that no other currency shares; the others are shown by their code.
var symbols = map[string]string{"PHP": "₱", "EUR": "€", "GBP": "£", "INR": "₹", "THB": "฿", "VND": "₫", "KRW": "₩", "ILS": "₪", "UAH": "₴", "TRY": "₺"}

// noMoney is the currency of questions without an amount.
const noMoney = "XXX"

// money shows an amount of minor units with its currency, thousands grouped.
func money(minor int64, currency string) string {
	if currency == noMoney || currency == "" {
		return "–"
	}
	text := grouped(payment.FormatAmount(minor, currency))
	if s, ok := symbols[currency]; ok {
		if rest, negative := strings.CutPrefix(text, "-"); negative {
			return "−" + s + rest
		}
		return s + text
	}
	return currency + " " + text
}

// grouped puts commas between thousands.
func grouped(text string) string {
	sign, digits := "", text
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, digits = "-", rest
	}
	whole, fraction, has := strings.Cut(digits, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if has {
		whole += "." + fraction
	}
	return sign + whole
}

func count(n int64) string { return grouped(strconv.FormatInt(n, 10)) }

// refWidth is how many characters of a reference are shown.
const refWidth = 20

// ref shows an identifier, cut in the middle when it is long.
func ref(text string) templates.Ref {
	full := visible(text)
	if utf8.RuneCountInString(full) <= refWidth {
		return templates.Ref{Short: full, Full: full}
	}
	runes := []rune(full)
	return templates.Ref{Short: string(runes[:refWidth/2+1]) + "…" + string(runes[len(runes)-refWidth/2+2:]), Full: full}
}

// stamp shows an instant of UTC milliseconds, with how long ago it was; 0 is never.
func (v *visit) stamp(ms int64) templates.Stamp {
	s := v.clock(ms)
	if s.Known() {
		s.Ago = v.relative(ms)
	}
	return s
}

// clock shows an instant in the configured zone: the time alone today, with the day otherwise.
func (v *visit) clock(ms int64) templates.Stamp {
	if ms == 0 {
		return templates.Stamp{}
	}
	zone := v.engine.Config().Timezone
	at, now := time.UnixMilli(ms).In(zone), v.now.In(zone)
	layout := "15:04:05"
	switch {
	case at.Year() != now.Year():
		layout = "2006-01-02 15:04"
	case at.YearDay() != now.YearDay():
		layout = v.lang.T("2 Jan 15:04")
	}
	return templates.Stamp{ISO: at.UTC().Format(time.RFC3339), Text: at.Format(layout), Title: at.Format("2006-01-02 15:04:05.000 -07:00 ") + zone.String()}
}

// relative says how far an instant is from now.
func (v *visit) relative(ms int64) string {
	d := v.now.Sub(time.UnixMilli(ms))
	if d < 0 {
		return v.ahead(-d)
	}
	switch {
	case d < 2*time.Second:
		return v.lang.T("just now")
	case d < time.Minute:
		return v.lang.T("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return v.lang.T("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return v.lang.T("%d h ago", int(d.Hours()))
	}
	return v.lang.T("%d days ago", int(d.Hours()/24))
}

func (v *visit) ahead(d time.Duration) string {
	switch {
	case d < time.Minute:
		return v.lang.T("in %d s", int(d.Seconds()))
	case d < time.Hour:
		return v.lang.T("in %d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return v.lang.T("in %d h", int(d.Hours()))
	}
	return v.lang.T("in %d days", int(d.Hours()/24))
}

// span says how long something lasts.
func (v *visit) span(d time.Duration) string {
	switch {
	case d < time.Minute:
		return v.lang.T("%d s", int(d.Seconds()))
	case d < time.Hour:
		return v.lang.T("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return v.lang.T("%d h", int(d.Hours()))
	}
	return v.lang.T("%d days", int(d.Hours()/24))
}

// standing shows what a payment amounts to.
func (v *visit) standing(state, cause string) templates.Badge {
	word := state
	if cause != "" {
		word += "." + cause
	}
	return templates.Badge{Kind: shapeOf[state], Label: v.lang.word("standing", word)}
}

// standingOf shows what a payment amounts to, with the money that went back after a success.
func (v *visit) standingOf(p store.Payment) templates.Badge {
	if p.State != string(payment.Succeeded) || p.Paid {
		return v.standing(p.State, p.Cause)
	}
	word, kind := "succeeded.back", "bad"
	switch {
	case p.ReversedMinor == 0 && p.RefundedMinor > 0:
		word, kind = "succeeded.refunded", "off"
	case p.ReversedMinor > 0 && p.RefundedMinor == 0:
		word = "succeeded.reversed"
	}
	return templates.Badge{Kind: kind, Label: v.lang.word("standing", word)}
}

// shapeOf gives each state its shape and colour.
var shapeOf = map[string]string{
	"pending": "wait", "processing": "busy", "succeeded": "ok", "failed": "bad", "closed": "off", "unknown": "odd",
}

// risks says how much money is at risk, by currency.
func (v *visit) risks(list []store.Risk) string {
	var parts []string
	for _, r := range list {
		if r.Currency != noMoney && r.AmountMinor > 0 {
			parts = append(parts, money(r.AmountMinor, r.Currency))
		}
	}
	return strings.Join(parts, " · ")
}

// query writes names and values as the query of an address; empty values are left out.
func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q.Encode()
}

// address is a path with a query.
func address(path string, pairs ...string) string {
	if q := query(pairs...); q != "" {
		return path + "?" + q
	}
	return path
}

func paymentPath(publicID string) string { return "/payments/" + url.PathEscape(publicID) }

func numbered(path string, id int64) string { return path + "/" + number(id) }

func number(id int64) string { return strconv.FormatInt(id, 10) }
