package sandbox

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// small is a world of five payments in which everything is as it must be:
// paid, paid late, failed then retried and paid, and one of a stranger.
type small struct {
	gateway []Account
	shop    ShopLedger
	nodrop  []NodropPayment
}

func accountOf(t *testing.T, n, story, order string, taken int64) Account {
	t.Helper()
	s, ok := StoryByName(story)
	if !ok {
		t.Fatalf("no story %s", story)
	}
	return Account{ID: "sbx_" + n, Reference: "R" + n, Currency: "PHP", Status: "any", Asked: 125050, Taken: taken, Played: true,
		Plan: Plan{Ref: "R" + n, Order: order, Story: s, SecondOf: -1}}
}

func held(n, order, state string, received string) NodropPayment {
	return NodropPayment{ID: "p" + n, Version: 2, MerchantRef: "R" + n, OrderRef: order, State: state, Amount: "1250.50", Currency: "PHP",
		Received: received, Refunded: "0.00", Reversed: "0.00", Source: "notice"}
}

func goodWorld(t *testing.T) *small {
	w := &small{gateway: []Account{
		accountOf(t, "1", "paid", "O1", 125050), accountOf(t, "2", "late_failed", "O2", 125050),
		accountOf(t, "3", "retried", "O3", 0), accountOf(t, "4", "retry", "O3", 125050), accountOf(t, "5", "stranger", "O5", 125050)}}
	w.nodrop = []NodropPayment{held("1", "O1", "succeeded", "1250.50"), held("2", "O2", "succeeded", "1250.50"),
		held("3", "O3", "failed", "0.00"), held("4", "O3", "succeeded", "1250.50")}
	w.nodrop[1].Late = true
	w.nodrop[1].Order.Because = []string{"open_review", "paid"}
	for i, events := range [][]string{{"payment.succeeded"}, {"payment.failed", "payment.succeeded_late"}, {"payment.failed"}, {"payment.succeeded"}} {
		w.shop.Heard = append(w.shop.Heard, Heard{Reference: w.nodrop[i].MerchantRef, Events: events, Last: w.nodrop[i]})
	}
	w.shop.Orders = []Order{{Ref: "O1", Fulfilled: []string{"fulfil:O1"}}, {Ref: "O2"}, {Ref: "O3", Fulfilled: []string{"fulfil:O3"}}}
	return w
}

func (w *small) compare() Report { return Compare(w.gateway, w.shop, w.nodrop) }

func TestCompareFindsNothingInAGoodWorld(t *testing.T) {
	r := goodWorld(t).compare()
	if !r.OK() {
		t.Errorf("differences in a good world: %+v", r.Differences)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"       1        1       ·       ·  paid, webhook on time",
		"       1        ·       1       ·  paid after the shop was told failed (review: late)",
		"       2        2       ·       ·  failed, safe to charge again, paid",
		"       1        ·       ·       1  webhook for an unknown reference",
		"       5        3       1       1  all",
		"0 differences in 0.0 s",
	} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("the report lacks the line %q:\n%s", line, b.String())
		}
	}
}

func TestCompareFindsEachPlantedDifference(t *testing.T) {
	cases := []struct {
		name, kind, ref string
		plant           func(w *small)
	}{
		{"nodrop lost one", DiffMissing, "R1", func(w *small) { w.nodrop = w.nodrop[1:] }},
		{"a stranger was taken in", DiffStranger, "R5", func(w *small) { w.nodrop = append(w.nodrop, held("5", "O5", "succeeded", "1250.50")) }},
		{"nodrop invented one", DiffStranger, "R9", func(w *small) { w.nodrop = append(w.nodrop, held("9", "O9", "pending", "0.00")) }},
		{"nodrop holds one twice", DiffStranger, "R1", func(w *small) { w.nodrop = append(w.nodrop, w.nodrop[0]) }},
		{"paid, not fulfilled", DiffPaidNotShipped, "O1", func(w *small) { w.shop.Orders[0].Fulfilled = nil }},
		{"late, not fulfilled, no review", DiffPaidNotShipped, "O2", func(w *small) { w.nodrop[1].Order.Because = nil }},
		{"late, no review", DiffReview, "R2", func(w *small) { w.nodrop[1].Order.Because = nil }},
		{"late, another review", DiffReview, "R2", func(w *small) { w.nodrop[1].Order.Reviews = Words{"difference"} }},
		{"review without need", DiffReview, "R1", func(w *small) { w.nodrop[0].Reviews = Words{"late"} }},
		{"review without need, unnamed", DiffReview, "R1", func(w *small) { w.nodrop[0].Order.Because = []string{"open_review"} }},
		{"late, fulfilled by itself", DiffShippedUnasked, "O2", func(w *small) { w.shop.Orders[1].Fulfilled = []string{"fulfil:O2"} }},
		{"fulfilled, nothing paid", DiffShippedNotPaid, "O1", func(w *small) { w.gateway[0].Taken = 0 }},
		{"fulfilled twice", DiffShippedTwice, "O3", func(w *small) { w.shop.Orders[2].Fulfilled = []string{"a", "b"} }},
		{"told failed though paid", DiffToldFailed, "R1", func(w *small) { w.shop.Heard[0].Events = append(w.shop.Heard[0].Events, "payment.failed") }},
		{"told closed though paid", DiffToldFailed, "R2", func(w *small) { w.shop.Heard[1].Events = []string{"payment.closed"} }},
		{"told succeeded twice", DiffToldTwice, "R4", func(w *small) { w.shop.Heard[3].Events = []string{"payment.succeeded", "payment.succeeded"} }},
		{"late told as plain success", DiffState, "R2", func(w *small) { w.shop.Heard[1].Events = []string{"payment.failed", "payment.succeeded"} }},
		{"told nothing", DiffUntold, "R4", func(w *small) { w.shop.Heard = w.shop.Heard[:3] }},
		{"told another state last", DiffUntold, "R3", func(w *small) { w.shop.Heard[2].Last.State = "closed" }},
		{"told another sum last", DiffUntold, "R4", func(w *small) { w.shop.Heard[3].Last.Received = "1.00" }},
		{"state against the ledger", DiffState, "R1", func(w *small) { w.nodrop[0].State = "failed" }},
		{"late where it is not", DiffState, "R1", func(w *small) { w.nodrop[0].Late = true }},
		{"expected amount differs", DiffAmount, "R1", func(w *small) { w.nodrop[0].Amount = "1250.51" }},
		{"received differs", DiffAmount, "R1", func(w *small) { w.nodrop[0].Received = "1250.49" }},
		{"currency differs", DiffAmount, "R1", func(w *small) { w.nodrop[0].Currency = "USD" }},
		{"refund unheard", DiffAmount, "R1", func(w *small) { w.gateway[0].Refunds = []Refund{{Status: "succeeded", Amount: 50}} }},
		{"refund invented", DiffAmount, "R1", func(w *small) { w.nodrop[0].Refunded = "0.50" }},
		{"reversal unheard", DiffAmount, "R1", func(w *small) { w.gateway[0].Reversed = true }},
		{"lost dispute unheard", DiffAmount, "R1", func(w *small) { w.gateway[0].Disputes = []Dispute{{Status: "lost", Amount: 125050}} }},
		{"amount that is no number", DiffAmount, "R1", func(w *small) { w.nodrop[0].Received = "1,250.50" }},
		{"story not at its end", DiffStory, "R3", func(w *small) { w.gateway[2].Played = false }},
		{"trouble at the shop", DiffShop, "", func(w *small) { w.shop.Trouble = []string{"the till is stuck"} }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w := goodWorld(t)
			c.plant(w)
			r := w.compare()
			if !slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Kind == c.kind && d.Ref == c.ref && d.Text != "" }) {
				t.Errorf("no difference %q at %q; found %+v", c.kind, c.ref, r.Differences)
			}
			var b bytes.Buffer
			if err := r.Write(&b); err != nil || strings.Count(b.String(), "DIFFERENCE  ") != len(r.Differences) {
				t.Errorf("not every difference is printed (%v):\n%s", err, b.String())
			}
		})
	}
}

// What is no difference must not be called one.
func TestCompareAllows(t *testing.T) {
	cases := map[string]func(w *small){
		"refunds that are pending or failed": func(w *small) {
			w.gateway[0].Refunds = []Refund{{Status: "pending", Amount: 50}, {Status: "failed", Amount: 60}}
		},
		"disputes that are open or won": func(w *small) {
			w.gateway[0].Disputes = []Dispute{{Status: "open", Amount: 125050}, {Status: "won", Amount: 125050}}
		},
		"amounts left empty for nothing": func(w *small) { w.nodrop[0].Refunded = ""; w.shop.Heard[0].Last.Refunded = "" },
		"failed told before success": func(w *small) {
			w.shop.Heard[1].Events = []string{"payment.failed", "payment.unknown", "payment.succeeded_late"}
		},
		"the reason named beside the order": func(w *small) { w.nodrop[1].Order.Reviews = Words{"late"} },
		"the reason named beside the payment": func(w *small) {
			w.nodrop[1].Order.Because, w.nodrop[1].Reviews = nil, Words{"late"}
		},
	}
	for name, change := range cases {
		w := goodWorld(t)
		change(w)
		if r := w.compare(); !r.OK() {
			t.Errorf("%s: %+v", name, r.Differences)
		}
	}
}

func TestCompareNotices(t *testing.T) {
	notices := []Notice{
		{ID: "good", Delivered: true, Status: 200}, {ID: "lost", Lost: true},
		{ID: "refused", Forged: true, Status: 401},
		{ID: "accepted", Reference: "R1", Forged: true, Status: 200, Delivered: true},
		{ID: "muddled", Reference: "R2", Forged: true, Status: 400},
		{ID: "deaf", Reference: "R3", Status: 503},
	}
	var refs []string
	for _, d := range compareNotices(notices) {
		if d.Kind != DiffWebhook {
			t.Errorf("kind %q, want %q", d.Kind, DiffWebhook)
		}
		refs = append(refs, d.Ref)
	}
	if want := []string{"R1", "R2", "R3"}; !slices.Equal(refs, want) {
		t.Errorf("differences at %v, want %v", refs, want)
	}
}

func TestResolutionNamesTheWay(t *testing.T) {
	for source, want := range map[string]string{"notice": byWebhook, "query": byQuery, "scan": byScan, "person": byPerson, "timer": byTime} {
		w := goodWorld(t)
		w.nodrop[0].Source = source
		r := w.compare()
		if got := r.Rows[0].By[want]; got != 1 {
			t.Errorf("source %q: %v, want one by %s", source, r.Rows[0].By, want)
		}
	}
	w := goodWorld(t)
	w.nodrop[0].State = "pending"
	if r := w.compare(); r.Rows[0].By[stillOpen] != 1 {
		t.Errorf("pending: %v, want one still open", r.Rows[0].By)
	}
}
