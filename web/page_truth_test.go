package web

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/store"
	"nodrop/templates"
)

// english is a visit that draws words and needs no request.
func english() *visit { return &visit{lang: language("en")} }

func TestMoneyThatWentBackDoesNotLookLikeSuccess(t *testing.T) {
	for _, c := range []struct {
		paid               bool
		refunded, reversed int64
		want               templates.Badge
	}{
		{true, 0, 0, templates.Badge{Kind: "ok", Label: "Succeeded"}},
		{true, 40, 0, templates.Badge{Kind: "ok", Label: "Succeeded"}},
		{false, 100, 0, templates.Badge{Kind: "off", Label: "Succeeded, refunded"}},
		{false, 0, 100, templates.Badge{Kind: "bad", Label: "Succeeded, taken back"}},
		{false, 40, 60, templates.Badge{Kind: "bad", Label: "Succeeded, money back"}},
	} {
		got := english().standingOf(store.Payment{State: "succeeded", Paid: c.paid, ReceivedMinor: 100, RefundedMinor: c.refunded, ReversedMinor: c.reversed})
		if got != c.want {
			t.Errorf("%+v is shown as %+v", c, got)
		}
	}
}

func TestListAndReviewTellWhatWasTakenBack(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	d.post(d.notice("evt_back", "ORDER-1001", "reversed", "1250.50"))
	d.until("the money to be back", func(rx *store.Rx) (bool, error) {
		p, _, err := rx.PaymentByPublicID(m.paid)
		return p.ReversedMinor == 125050 && !p.Paid, err
	})
	p := d.get("/payments?q=ORDER-1001")
	p.wants("table", "Succeeded, taken back")
	p.wants("table", "taken back ₱1,250.50")
	d.get("/payments/"+m.paid).wants("h1 .s-bad", "Succeeded, taken back")
	page := d.get("/reviews?kind=reversed").value("table a.strong", "href")
	d.get(page).wants("section[aria-labelledby=about]", "Taken back ₱1,250.50")
}

func TestReviewsAreOrderedByWhatTheMoneyIsWorth(t *testing.T) {
	list := []store.Review{
		{ID: 1, AmountMinor: 90000, Currency: "PHP", OpenedMs: 1}, {ID: 2, AmountMinor: 20000, Currency: "JPY", OpenedMs: 2},
		{ID: 3, AmountMinor: 901500, Currency: "KWD", OpenedMs: 3}, {ID: 4, Currency: noMoney, Urgent: true, OpenedMs: 4}, {ID: 5, AmountMinor: 90000, Currency: "PHP", OpenedMs: 0},
		{ID: 6, AmountMinor: 90150, Currency: "PHP", OpenedMs: 9},
	}
	slices.SortStableFunc(list, inOrder)
	var got []int64
	for _, r := range list {
		got = append(got, r.ID)
	}
	if want := []int64{4, 2, 3, 6, 5, 1}; !slices.Equal(got, want) {
		t.Errorf("the order is %v, want %v", got, want)
	}
}

func TestAShopThatIsGoneIsSaidWhereEventsAreLookedFor(t *testing.T) {
	d := newDesk(t)
	d.morning()
	for _, path := range []string{"/", "/outbox"} {
		if p := d.get(path); strings.Contains(p.words("main"), "410") {
			t.Errorf("%s says that sending is stopped while it is not", path)
		}
	}
	err := d.store.Update(t.Context(), "gone", func(tx *store.Tx) error {
		_, err := tx.OpenReview(store.Review{Kind: shopGone, Subject: "shop", Currency: noMoney, Urgent: true, OpenedMs: d.now().UnixMilli()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/outbox"} {
		p := d.get(path)
		p.wants("main .problem", "Sending is stopped since your shop answered 410")
		d.get(p.value("main .problem a", "href")).wants(".acts", "Resume sending")
	}
}

func TestTheFirstSentenceNamesAGatewayThatDoesNotAnswer(t *testing.T) {
	named := func(name string, errors int64) health {
		h := health{conf: config.Gateway{Name: name}}
		h.GatewayState.Errors = errors
		return h
	}
	for _, c := range []struct {
		books books
		want  string
		calm  bool
	}{
		{books{any: true, gateways: []health{named("maya", 4)}}, "All payments are settled.", true},
		{books{any: true, gateways: []health{named("maya", 5)}}, "All payments are settled, but gateway maya does not answer.", false},
		{books{any: true, gateways: []health{named("maya", 9), named("gcash", 0), named("xendit", 6)}}, "All payments are settled, but gateways maya, xendit do not answer.", false},
		{books{any: true, open: []store.StateCount{{State: "pending", Count: 1}}, gateways: []health{named("maya", 5)}}, "Nothing needs you; one payment is under way, but gateway maya does not answer.", false},
	} {
		if got, calm := english().headline(c.books); got != c.want || calm != c.calm {
			t.Errorf("it says %q (calm: %v), want %q", got, calm, c.want)
		}
	}
}

func TestAFulfilmentThatWaitsSaysForWhat(t *testing.T) {
	late := formsFor{payment: store.Payment{Paid: true}, review: store.Review{Kind: "late", State: "open"}}
	for act, want := range map[string]string{"fulfil": "The gateway must confirm first: ask it.", "accept": "The present state of the payment does not allow it."} {
		if got := english().blockedText(late, act, "not_allowed"); got != want {
			t.Errorf("%s is blocked with %q, want %q", act, got, want)
		}
	}
	late.review = store.Review{}
	if got := english().blockedText(late, "fulfil", "not_allowed"); got != "The present state of the payment does not allow it." {
		t.Errorf("without a late success it is blocked with %q", got)
	}
}

func TestTheAddressOfWebhooksIsOneThatAGatewayCanReach(t *testing.T) {
	d := newDesk(t)
	d.get("/gateways/sandbox").wants(".address", "https://YOUR-HOST/hooks/sandbox")
}

func TestAnEmptySearchSaysSoOnce(t *testing.T) {
	d := newDesk(t)
	d.morning()
	p := d.get("/payments?q=no-such-thing")
	p.wants(".nothing", "No payment is like that.")
	if got := p.words("main [role=status]"); got != "" {
		t.Errorf("it says once more: %q", got)
	}
}

func TestTheTimelineSaysWhichWaitIsOver(t *testing.T) {
	c := newCounter(t)
	id := c.paid("RW-1")
	c.post(c.back("refund", "RW-1", "re_1", "pending"))
	c.openQuestion("return_waits", 32*24*time.Hour)
	c.client = c.newClient()
	c.signIn("maria")
	p := c.get("/payments/" + id)
	p.wants(".timeline", "A refund or dispute has had no last word for a month")
	if strings.Contains(p.text, "The failure was held back") {
		t.Error("it speaks of a failure")
	}
}

// A decision that waits for a second person is told in words, on the timeline and in the audit.
func TestAProposalIsToldInWords(t *testing.T) {
	for code, want := range map[string]string{"en": "asks another person to approve: Accept what the gateway says", "zh": "请求另一人批准：接受网关的说法"} {
		v := &visit{lang: language(code)}
		what, detail := v.audited(store.Audit{Action: app.ActPropose, Detail: "they [agreed] [wants accept]"})
		if what != want || detail != "they [agreed]" {
			t.Errorf("%s: %q, %q; want %q", code, what, detail, want)
		}
	}
	v := english()
	if what, detail := v.audited(store.Audit{Action: "note", Detail: "as it is [wants accept]"}); what != "Write a note" || detail != "as it is [wants accept]" {
		t.Errorf("a note is told as %q, %q", what, detail)
	}
}
