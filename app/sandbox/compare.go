package sandbox

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The kinds of differences.
const (
	DiffMissing        = "missing"            // the shop registered it, nodrop does not hold it
	DiffStranger       = "stranger"           // nodrop holds what the shop never registered
	DiffPaidNotShipped = "paid not fulfilled" // and no review is open
	DiffShippedNotPaid = "fulfilled not paid"
	DiffShippedTwice   = "fulfilled twice"
	DiffShippedUnasked = "fulfilled without need" // what waits for a person was fulfilled
	DiffToldFailed     = "told failed though paid"
	DiffToldTwice      = "told succeeded twice"
	DiffUntold         = "not told" // the shop's last word is not nodrop's
	DiffAmount         = "amount"
	DiffState          = "state"
	DiffReview         = "review" // missing, or open without need
	DiffWebhook        = "webhook"
	DiffShop           = "shop"  // what the shop could not do
	DiffStory          = "story" // a step of the story never came
)

// Difference is one thing that is not as it must be.
type Difference struct {
	Kind string
	Ref  string // merchant_ref, or order_ref
	Text string
}

// comparison gathers the differences of one run.
type comparison struct {
	shop    ShopLedger
	nodrop  map[string]NodropPayment // by merchant_ref
	heard   map[string]Heard
	orders  map[string]Order
	byOrder map[string][]Account
	found   []Difference
}

// Compare sets the gateway's ledger and the shop's against nodrop's payments,
// payment by payment and order by order. Each payment's Order must be filled in.
func Compare(gateway []Account, shop ShopLedger, nodrop []NodropPayment) Report {
	c := newComparison(gateway, shop, nodrop)
	report := Report{}
	for _, a := range gateway {
		c.payment(a)
		way, reason := c.resolution(a)
		report.add(a, way, reason)
	}
	for _, order := range sortedKeys(c.byOrder) {
		c.order(order, c.byOrder[order])
	}
	c.strangers(gateway)
	for _, text := range shop.Trouble {
		c.differ(DiffShop, "", "%s", text)
	}
	slices.SortStableFunc(c.found, func(a, b Difference) int { return cmp.Compare(a.Ref, b.Ref) })
	report.Differences = c.found
	return report
}

func newComparison(gateway []Account, shop ShopLedger, nodrop []NodropPayment) *comparison {
	c := &comparison{shop: shop, nodrop: map[string]NodropPayment{}, heard: map[string]Heard{},
		orders: map[string]Order{}, byOrder: map[string][]Account{}}
	for _, p := range nodrop {
		if _, twice := c.nodrop[p.MerchantRef]; twice {
			c.differ(DiffStranger, p.MerchantRef, "nodrop holds it twice")
		}
		c.nodrop[p.MerchantRef] = p
	}
	for _, h := range shop.Heard {
		c.heard[h.Reference] = h
	}
	for _, o := range shop.Orders {
		c.orders[o.Ref] = o
	}
	for _, a := range gateway {
		c.byOrder[a.Plan.Order] = append(c.byOrder[a.Plan.Order], a)
	}
	return c
}

func (c *comparison) differ(kind, ref, format string, args ...any) {
	c.found = append(c.found, Difference{Kind: kind, Ref: ref, Text: fmt.Sprintf(format, args...)})
}

func (c *comparison) payment(a Account) {
	p, held := c.nodrop[a.Reference]
	absent := a.Plan.Story.Register == registerNever
	switch {
	case absent && held:
		c.differ(DiffStranger, a.Reference, "the shop never registered it, nodrop holds it as %s", standing(p))
		return
	case absent:
		return
	case !held:
		c.differ(DiffMissing, a.Reference, "the gateway knows it as %s, nodrop does not hold it", a.Status)
		return
	}
	if !a.Played {
		c.differ(DiffStory, a.Reference, "%s: the story is not at its end", a.Plan.Story.Label)
	}
	c.state(a, p)
	c.amounts(a, p)
	c.told(a, p)
}

// state compares with the table of what is right.
func (c *comparison) state(a Account, p NodropPayment) {
	label, reasons, want := a.Plan.Story.Label, reviews(p), []string{}
	for _, r := range a.Plan.Story.Right {
		if r.State != p.State || r.Cause != p.Cause || r.Late != p.Late {
			continue
		}
		if r.Review == "" && len(reasons) == 0 || slices.Contains(reasons, r.Review) {
			return
		}
		want = append(want, cmp.Or(r.Review, "none"))
	}
	if len(want) == 0 {
		c.differ(DiffState, a.Reference, "%s: nodrop says %s, right would be %s", label, standing(p), rights(a.Plan.Story.Right))
		return
	}
	open := cmp.Or(strings.Join(reasons, ", "), "none")
	c.differ(DiffReview, a.Reference, "%s: the open review must be %s, open is %s", label, strings.Join(want, " or "), open)
}

func standing(p NodropPayment) string {
	return phrase(p.State, p.Cause, p.Late)
}

func phrase(state, cause string, late bool) string {
	if cause != "" {
		state += "/" + cause
	}
	if late {
		state += " (late)"
	}
	return state
}

func rights(all []Right) string {
	texts := make([]string, len(all))
	for i, r := range all {
		texts[i] = phrase(r.State, r.Cause, r.Late)
	}
	return strings.Join(texts, " or ")
}

// anyReview stands for an open review whose reason nodrop does not name.
const anyReview = "review"

// reviews are the reasons of the open reviews: named with the payment or the
// order, else read from the standing when the order says that one is open.
func reviews(p NodropPayment) []string {
	named := append(slices.Clone([]string(p.Reviews)), p.Order.Reviews...)
	if p.Reviews != nil || p.Order.Reviews != nil {
		slices.Sort(named)
		return slices.Compact(named)
	}
	open := slices.ContainsFunc(p.Order.Because, func(why string) bool { return strings.Contains(why, "review") })
	if !open {
		return nil
	}
	return implied(p)
}

func implied(p NodropPayment) []string {
	var out []string
	if p.State == "unknown" {
		out = append(out, p.Cause)
	}
	if p.Late {
		out = append(out, "late")
	}
	if isMoney(p.Reversed) {
		out = append(out, "reversed")
	}
	if len(out) == 0 {
		out = append(out, anyReview, "duplicate", "difference", "dead_inbox")
	}
	return out
}

func isMoney(text string) bool { return strings.Trim(text, "0.") != "" }

func (c *comparison) amounts(a Account, p NodropPayment) {
	c.same(a, "amount", p.Amount, a.Asked)
	if p.State == "succeeded" || p.Cause == "difference" {
		c.same(a, "received", p.Received, a.Taken)
	}
	if p.State == "succeeded" {
		c.same(a, "refunded", p.Refunded, a.Refunded())
		c.same(a, "reversed", p.Reversed, a.TakenBack())
	}
	if p.Currency != a.Currency {
		c.differ(DiffAmount, a.Reference, "currency: nodrop says %s, the gateway %s", p.Currency, a.Currency)
	}
}

func (c *comparison) same(a Account, what, text string, want int64) {
	got, err := minorUnits(text, a.Currency)
	if err != nil || got != want {
		c.differ(DiffAmount, a.Reference, "%s: nodrop says %q, the gateway's ledger %s %s", what, text, decimal(want, a.Currency), a.Currency)
	}
}

// strangers are payments of nodrop that no ledger knows.
func (c *comparison) strangers(gateway []Account) {
	known := map[string]bool{}
	for _, a := range gateway {
		known[a.Reference] = true
	}
	for _, ref := range sortedKeys(c.nodrop) {
		if !known[ref] {
			c.differ(DiffStranger, ref, "nodrop holds it as %s, the gateway does not know it", standing(c.nodrop[ref]))
		}
	}
}
