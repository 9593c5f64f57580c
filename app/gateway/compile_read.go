package gateway

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nodrop/app/payment"
)

var allowedWords = map[string][]string{
	KindPayment: {string(payment.WordPending), string(payment.WordProcessing), string(payment.WordAuthorised), string(payment.WordSucceeded),
		string(payment.WordAttemptFailed), string(payment.WordFailed), string(payment.WordExpired), string(payment.WordCancelled), string(payment.WordReversed)},
	KindRefund:  {"pending", "succeeded", "failed"},
	KindDispute: {"open", "won", "lost"},
}

func (c *compiler) reading(s Spec) {
	g, n := c.g, s.Notice
	g.items, g.item = c.path("notice.items", n.Items), c.path("notice.item", n.Item)
	g.batch = n.Items != ""
	g.skip = c.guard("notice.skip", n.Skip, false)
	g.noticeAt = c.path("notice.at", n.At)
	g.typ = c.selector("notice.type", n.Type)
	g.dedupe = c.selector("notice.dedupe", n.Dedupe)
	g.ignore = n.Ignore
	if len(n.Dedupe) == 0 {
		c.add("notice.dedupe", "nothing says what makes two notices the same", `write dedupe = "id", or a template with the status in it: "{field:id}:{field:status}"`)
	}
	if len(s.Shape) == 0 {
		g.shapes = c.shapes("fields", []Shape{s.Fields}, Shape{})
		return
	}
	g.shapes = c.shapes("shape", s.Shape, s.Fields)
}

func (c *compiler) shapes(at string, list []Shape, base Shape) []shape {
	var out []shape
	for i, s := range list {
		where := at
		if at != "fields" {
			where = fmt.Sprintf("%s[%d]", at, i)
		}
		s = inherit(s, base)
		out = append(out, c.shape(where, s))
	}
	return out
}

// inherit takes over what a shape does not say itself.
func inherit(s, base Shape) Shape {
	if s.Kind == "" {
		s.Kind = base.Kind
	}
	if s.At == "" {
		s.At = base.At
	}
	if s.MerchantRef == nil {
		s.MerchantRef = base.MerchantRef
	}
	if s.Amount == nil {
		s.Amount = base.Amount
	}
	if s.Account == nil {
		s.Account = base.Account
	}
	if s.Occurred == nil {
		s.Occurred = base.Occurred
	}
	if s.Status == nil {
		s.Status = base.Status
	}
	if s.Words == nil && s.Rules == nil {
		s.Words, s.Rules, s.FoldCase = base.Words, base.Rules, base.FoldCase
	}
	for _, r := range base.Refs {
		if !slices.ContainsFunc(s.Refs, func(own RefSpec) bool { return own.Kind == r.Kind }) {
			s.Refs = append(slices.Clip(s.Refs), r)
		}
	}
	return s
}

func (c *compiler) shape(at string, s Shape) shape {
	if s.Kind == "" {
		s.Kind = KindPayment
	}
	c.oneOf(c.prefix+at+".kind", s.Kind, KindPayment, KindRefund, KindDispute, "ignore")
	out := shape{kind: s.Kind, fold: s.FoldCase, cumulative: s.Cumulative, attempt: c.g.spec.Facts.AttemptKind}
	out.when = c.guard(at+".when", s.When, false)
	out.at, out.each = c.path(at+".at", s.At), c.path(at+".each", s.Each)
	if s.Kind == "ignore" {
		return out
	}
	for i, r := range s.Refs {
		if r.Kind == "" {
			c.add(fmt.Sprintf("%s.refs[%d].kind", at, i), "a reference needs a kind", `write kind = "payment"`)
		}
		if len(r.From) > 0 {
			out.refs = append(out.refs, refSelector{kind: r.Kind, from: c.selector(fmt.Sprintf("%s.refs[%d].from", at, i), r.From)})
		}
	}
	if s.Kind == KindPayment && len(out.refs) == 0 && len(s.MerchantRef) == 0 && !strings.HasPrefix(at, "query.") {
		c.add(at+".refs", "nothing says which payment it is about", `write merchant_ref = "reference", or refs = [{ kind = "payment", from = "id" }]`)
	}
	out.merchant = c.selector(at+".merchant_ref", s.MerchantRef)
	out.status = c.selector(at+".status", s.Status)
	out.account = c.selector(at+".account", s.Account)
	out.ref = c.selector(at+".ref", s.Ref)
	c.words(at, s, &out)
	out.amount = c.amount(at+".amount", s.Amount)
	out.occurred = c.instant(at+".occurred", s.Occurred)
	for i, a := range s.Also {
		where := fmt.Sprintf("%s.also[%d]", at, i)
		if a.Kind != KindRefund && a.Kind != KindDispute {
			c.add(where+".kind", quote(a.Kind)+" cannot stand inside another object", "write refund or dispute")
			continue
		}
		out.also = append(out.also, c.shape(where, a))
	}
	return out
}

func (c *compiler) words(at string, s Shape, out *shape) {
	allowed := allowedWords[s.Kind]
	out.words = map[string]string{}
	for _, raw := range sortedKeys(s.Words) {
		c.oneOf(c.prefix+at+".words."+raw, s.Words[raw], allowed...)
		if low := strings.ToLower(raw); s.FoldCase {
			if other, twice := out.words[low]; twice && other != s.Words[raw] {
				c.add(at+".words."+raw, "it stands there in another case with another meaning", "write it once, or leave fold_case out")
			}
			out.words[low] = s.Words[raw]
			continue
		}
		out.words[raw] = s.Words[raw]
	}
	for i, r := range s.Rules {
		where := fmt.Sprintf("%s.rule[%d]", at, i)
		c.oneOf(c.prefix+where+".word", r.Word, allowed...)
		out.rules = append(out.rules, rule{when: c.guard(where+".when", r.When, s.FoldCase), word: r.Word})
	}
	if len(s.Words)+len(s.Rules) > 0 {
		return
	}
	if s.Kind == KindPayment {
		c.add(at+".words", "nothing says what the gateway's status words mean", `write words = { PAID = "succeeded" }`)
		return
	}
	for _, w := range allowed {
		out.words[w] = w
	}
}

func (c *compiler) amount(at string, s *AmountSpec) *amount {
	if s == nil {
		c.add(at, "nothing says where the amount is", `write amount = { from = "amount", kind = "decimal_string", currency = "currency" }, or kind = "absent"`)
		return nil
	}
	c.oneOf(c.prefix+at+".kind", s.Kind, "minor_int", "minor_string", "decimal_string", "decimal_number", "decimal", "minor", "absent")
	if s.Kind != "absent" && len(s.From) == 0 {
		c.add(at+".from", "nothing says where the amount is", `write from = "amount"`)
	}
	if s.Kind != "absent" && len(s.Currency) == 0 && s.Fixed == "" {
		c.add(at+".currency", "nothing says which currency it is", `write currency = "currency", or fixed = "PHP"`)
	}
	if s.Assumed {
		c.assumed = true
		if s.Fixed == "" {
			c.add(at+".assumed", "nothing says which currency is assumed", `write fixed = "USD"`)
		}
	}
	fixed := s.Fixed
	if s.Assumed && c.in.Currency != "" {
		fixed = c.in.Currency
	}
	if _, ok := payment.Exponent(s.Fixed); s.Fixed != "" && !ok {
		c.add(at+".fixed", quote(s.Fixed)+" is no ISO 4217 code", `write for example "PHP"`)
	}
	for _, code := range sortedKeys(s.Exponents) {
		if e := s.Exponents[code]; e < 0 || e > 4 {
			c.add(at+".exponents."+code, "it is out of range", "write 0 to 4")
		}
	}
	return &amount{from: c.selector(at+".from", s.From), kind: s.Kind, currency: c.selector(at+".currency", s.Currency),
		fixed: fixed, fold: s.FoldCase, thousands: s.Thousands, exponents: s.Exponents}
}

func (c *compiler) instant(at string, s *InstantSpec) *instant {
	if s == nil {
		return nil
	}
	out := &instant{from: c.selector(at+".from", s.From), format: s.Format, zone: time.UTC}
	if s.Format == "" {
		out.format = "rfc3339"
	}
	if !slices.Contains([]string{"unix", "unix_ms", "auto", "rfc3339"}, out.format) {
		layout, ok := layoutOf(out.format)
		if !ok {
			c.add(at+".format", quote(s.Format)+" is no format of time", "write unix, unix_ms, auto, rfc3339 or a pattern such as yyyy-MM-dd HH:mm:ss")
		}
		out.format = layout
	}
	if s.Zone != "" {
		zone, err := time.LoadLocation(s.Zone)
		if err != nil {
			c.add(at+".zone", quote(s.Zone)+" is no time zone", `write for example "Asia/Manila"`)
			zone = time.UTC
		}
		out.zone = zone
	}
	return out
}
