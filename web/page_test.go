package web

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"nodrop/app"
	"nodrop/store"
)

func TestOverviewSaysWhatWaits(t *testing.T) {
	d := newDesk(t)
	d.morning()
	p := d.get("/")
	p.wants("h1", "2 questions wait for you, ₱165.00 at risk.")
	p.wants("table", "₱90.00 came where ₱100.00 was expected")
	p.wants(".tiles", "1 in the inbox, 0 in the outbox")
	p.wants(".bars", "Webhook 2")
	if got := p.words(".side nav .count"); got != "2" {
		t.Errorf("the navigation counts %q open reviews, want 2", got)
	}
}

func TestPaymentsAreFoundByAnything(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	for q, want := range map[string]string{
		"ORDER-1001": m.paid, "order-none": "", "ORDER-1002": m.odd, "sbx_ORDER-1001": m.paid, m.paid: m.paid, "1250.50": m.paid, "₱1,250.50": m.paid, "75": m.open, "1250": m.paid, "order-1003": m.open, "1003": m.open, "SBX_order-1001": m.paid, "1_0": "", "%": "", hostileRef: m.hostile,
	} {
		p := d.get("/payments?" + query("q", q))
		links := []string{}
		for _, n := range p.all("table .wide a") {
			links = append(links, attr(n, "href"))
		}
		if want == "" && len(links) == 0 || len(links) == 1 && links[0] == "/payments/"+want {
			continue
		}
		t.Errorf("%q finds %v, want %s", q, links, want)
	}
	p := d.get("/payments?state=unknown")
	p.wants("table", "ORDER-1002")
	if strings.Contains(p.words("table"), "ORDER-1001") {
		t.Error("the filter by state lets a succeeded payment through")
	}
	if got := p.value(`form[role=search] input[name=state]`, "value"); got != "unknown" {
		t.Errorf("a search within the filter keeps %q", got)
	}
	d.get("/payments?review=open").wants("table", "1 review")
}

func TestListsContinue(t *testing.T) {
	d := newDesk(t)
	const n = paymentsShown + 3
	for i := range n {
		d.register("ORDER-"+strconv.Itoa(1000+i), "10.00")
	}
	seen := map[string]bool{}
	path := "/payments?gateway=sandbox"
	for pages := 0; path != ""; pages++ {
		if pages > 2 {
			t.Fatal("the list does not end")
		}
		p := d.get(path)
		for _, a := range p.all("table .wide a") {
			if href := attr(a, "href"); seen[href] {
				t.Errorf("%s is shown twice", href)
			} else {
				seen[href] = true
			}
		}
		path = ""
		for _, a := range p.all("a[rel=next]") {
			path = attr(a, "href")
		}
	}
	if len(seen) != n {
		t.Errorf("%d payments were shown, want %d", len(seen), n)
	}
}

func TestExport(t *testing.T) {
	d := newDesk(t)
	d.morning()
	d.register("=1+1", "5.00")
	p := d.get("/payments.csv")
	rows, err := csv.NewReader(strings.NewReader(p.text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 || rows[0][2] != "merchant_ref" {
		t.Fatalf("%d rows, the first %v; want a heading and five payments", len(rows), rows[0])
	}
	by := map[string][]string{}
	for _, r := range rows[1:] {
		by[r[2]] = r
	}
	if r := by["ORDER-1001"]; r == nil || r[4] != "succeeded" || r[7] != "PHP" || r[8] != "1250.50" || r[9] != "1250.50" {
		t.Errorf("the paid one is exported as %v", r)
	}
	if by["'=1+1"] == nil {
		t.Error("a reference that a spreadsheet would run is not made harmless")
	}
	if !strings.Contains(p.header.Get("Content-Disposition"), "attachment") {
		t.Error("the export is not offered as a file")
	}
	if rows, _ := csv.NewReader(strings.NewReader(d.get("/payments.csv?q=ORDER-1001").text)).ReadAll(); len(rows) != 2 {
		t.Errorf("the export of a search has %d rows, want 2", len(rows))
	}
}

func TestPaymentPageTellsTheWholeStory(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	p := d.get("/payments/" + m.odd)
	p.wants("h1", "Unknown: amount differs")
	p.wants(".big", "₱100.00")
	p.wants(".sum", "Received ₱90.00")
	p.wants("table", "Webhook succeeded ₱90.00 differs")
	for _, want := range []string{"Registered", "The gateway says: succeeded, ₱90.00", "Unknown: amount differs", "Payment unknown"} {
		p.wants(".timeline", want)
	}
	d.get("/payments/"+m.paid).wants(".timeline", "It came once more, unchanged.")
	if p := d.get("/payments/np_none"); p.status != http.StatusNotFound {
		t.Errorf("a payment that does not exist: %d", p.status)
	}
}

func TestHostileTextIsShownAsText(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	for _, path := range []string{"/payments", "/payments/" + m.hostile, "/inbox/4", "/audit", "/"} {
		p := d.get(path)
		if strings.Contains(p.text, hostileRef) || strings.Contains(p.text, "<b>bold</b>") {
			t.Errorf("%s has hostile text as markup", path)
		}
	}
	if got := d.get("/payments/"+m.hostile).value(".crumb code", "title"); got != hostileRef {
		t.Errorf("the reference is shown as %q", got)
	}
}

// decide opens a page, fills the form of one act and sends it.
func (d *desk) decide(page, act string, fields ...string) *sheet {
	d.t.Helper()
	action, form := d.get(page).form(act, fields...)
	return d.send(action, form)
}

func TestADecisionNeedsWhatTheRulesSay(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	page := "/payments/" + m.odd
	before := d.rows()
	p := d.decide(page, "accept", "amount", "100.00", "reason", "they agreed <b>")
	if p.status != http.StatusUnprocessableEntity || p.value("#act-accept input[name=amount]", "value") != "100.00" || p.words("#act-accept textarea") != "they agreed <b>" {
		t.Errorf("another amount: %d, the form keeps %q", p.status, p.words("#act-accept textarea"))
	}
	p.wants("#act-accept .problem", "This is not the amount.")
	p.wants("title", "Error: ")
	p.wants("main > [role=alert]:first-child", "This is not the amount.")
	if field := p.value("main > [role=alert] a", "href"); p.value("#act-accept input[name=amount]", "id") != strings.TrimPrefix(field, "#") {
		t.Errorf("the summary leads to %q, which is not the amount", field)
	}
	if p := d.decide(page, "accept", "amount", "ninety", "reason", "x"); p.status != http.StatusUnprocessableEntity {
		t.Errorf("no amount: %d", p.status)
	}
	if p := d.decide(page, "accept", "reason", "x"); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.words("#act-accept .problem"), "Type the amount.") {
		t.Errorf("nothing typed: %d", p.status)
	}
	if p := d.decide(page, "accept", "amount", "90.00"); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.words("#act-accept .problem"), "what it rests on") {
		t.Errorf("no reason: %d", p.status)
	}
	d.wantNew(before, map[string]int{})

	if p := d.decide(page, "accept", "amount", "₱90.00", "reason", "they agreed"); p.status != http.StatusSeeOther || p.to != page {
		t.Fatalf("the right amount: %d to %q", p.status, p.to)
	}
	d.wantNew(before, map[string]int{"fact": 1, "history": 1, "outbox": 1, "audit": 1, "review": -1, "timer": -1})
	p = d.get(page)
	p.wants("h1", "Succeeded")
	p.wants("[role=status]", "What the gateway said is accepted.")
	p.wants(".timeline", "maria: Accept what the gateway says")
	p.wants("blockquote", "they agreed")
	d.get("/audit").wants("table", "maria Accept what the gateway says ORDER-1002")
	d.get("/reviews?show=answered").wants("table", "₱90.00")
}

func TestADoubleClickIsOneAct(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	page := "/payments/" + m.open
	action, form := d.get(page).form("note", "reason", "called them")
	before := d.rows()
	for range 2 {
		if p := d.send(action, form); p.status != http.StatusSeeOther || p.to != page {
			t.Errorf("sending the note: %d to %q", p.status, p.to)
		}
	}
	d.wantNew(before, map[string]int{"fact": 1, "history": 1, "audit": 1})
}

func TestAStalePageShowsWhatChanged(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	action, form := d.get("/payments/"+m.open).form("mark_failed", "reason", "they never paid")
	d.post(d.notice("evt_9", "ORDER-1003", "paid", "75.00"))
	d.untilState(m.open, "succeeded")
	before := d.rows()
	p := d.send(action, form)
	if p.status != http.StatusConflict {
		t.Fatalf("a decision on a stale page: %d, want 409", p.status)
	}
	p.wants(".timeline", "The gateway says: succeeded, ₱75.00")
	p.wants("dl", "they never paid")
	if got := p.value("a.main", "href"); got != "/payments/"+m.open {
		t.Errorf("it leads on to %q", got)
	}
	d.wantNew(before, map[string]int{})
}

func TestReviewsAreAnsweredInPlaceAndOnTheirPage(t *testing.T) {
	d := newDesk(t)
	d.morning()
	queue := d.get("/reviews")
	queue.wants("table", "A message of a gateway could not be worked on")
	here := queue.value("tr:first-child td.act a", "href")
	here, _, _ = strings.Cut(here, "#")
	action, form := d.get(here).form("reject", "reason", "sent back")
	if p := d.send(action, form); p.status != http.StatusSeeOther || p.to != "/reviews" {
		t.Fatalf("answering in place: %d to %q: %s", p.status, p.to, p.words("main"))
	}
	p := d.get("/reviews")
	p.wants("[role=status]", "What came is rejected.")
	page := p.value("table a.strong", "href")
	d.get(page).wants("dl", "Why The amount cannot be read")
	if p := d.decide(page, "snooze", "until", "4h0m0s"); p.status != http.StatusSeeOther {
		t.Fatalf("snoozing: %d", p.status)
	}
	d.get("/reviews").wants(".nothing", "Nothing waits for you.")
	d.get("/reviews?show=snoozed").wants("table", "Snoozed until 05:00:00")
	if p := d.get("/reviews/999"); p.status != http.StatusNotFound {
		t.Errorf("a question that does not exist: %d", p.status)
	}
}

func TestMessagesOfOneIdStandSideBySide(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	d.post(d.notice("evt_1", "ORDER-1001", "paid", "1.00"))
	d.until("the question", func(rx *store.Rx) (bool, error) {
		list, err := rx.OpenReviews("same_key_other_content", 0, true, 10)
		return len(list) == 1, err
	})
	page := d.get("/reviews?kind=same_key_other_content").value("table a.strong", "href")
	p := d.get(page)
	p.wants("h1", "The same event came again with other content")
	p.wants(".pair pre", `"amount": "1250.50"`)
	p.wants(".pair pre", `"amount": "1.00"`)
	p.wants("table", "Webhook succeeded ₱1,250.50")
	p.wants("table", "Webhook succeeded ₱1.00 differs")
	d.get("/payments/"+m.paid).wants(".lead", "a question about it is open")
	if p := d.decide(page, "dismiss", "reason", "a test of theirs"); p.status != http.StatusSeeOther {
		t.Fatalf("setting it aside: %d %s", p.status, p.words("main"))
	}
	d.get("/payments/"+m.paid).wants("h1", "Succeeded")
}

func TestAClaimThatIsNotFinishedIsShown(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	if _, _, err := d.engine.Claim(t.Context(), "fulfil:ORDER-1001", m.paid, "packer-1"); err != nil {
		t.Fatal(err)
	}
	err := d.store.Update(t.Context(), "overdue", func(tx *store.Tx) error {
		_, err := tx.OpenReview(store.Review{Kind: "claim_overdue", Subject: "claim:fulfil:ORDER-1001", Gateway: "sandbox", Currency: noMoney, OpenedMs: d.now().UnixMilli()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p := d.get(d.get("/reviews?kind=claim_overdue").value("table a.strong", "href"))
	p.wants("dl", "Claim fulfil:ORDER-1001")
	p.wants("dl", "Claimed by packer-1")
	p.wants(".acts", "Release the claim")
}

func TestTwoPaidPaymentsOfAnOrder(t *testing.T) {
	d := newDesk(t)
	var ids []string
	for _, ref := range []string{"TRY-1", "TRY-2"} {
		v, _, err := d.engine.Register(t.Context(), app.Registration{Gateway: "sandbox", MerchantRef: ref, OrderRef: "ORDER-7", Amount: "50.00", Currency: "PHP"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, v.ID)
		d.post(d.notice("evt_"+ref, ref, "paid", "50.00"))
		d.untilState(v.ID, "succeeded")
	}
	queue := d.get("/reviews")
	queue.wants("table", "Two payments of one order are paid")
	d.get("/payments/"+ids[0]).wants(".notes", "TRY-2")
	page := queue.value("table a.strong", "href")
	p := d.get(page)
	for _, want := range []string{"TRY-1", "TRY-2", "sbx_TRY-1", "sbx_TRY-2", "₱50.00"} {
		p.wants("section[aria-labelledby=payments] table", want)
	}
	for act, n := range map[string]int{"keep_both": 0, "ask": 0, "snooze": 0, "refund": 1} {
		if got := len(p.all("#review1-" + act + " select[name=payment]")); got != n {
			t.Errorf("%s has %d choices of a payment, want %d", act, got, n)
		}
	}
	if p := d.decide(page, "ask"); p.status != http.StatusSeeOther {
		t.Fatalf("asking about both: %d %s", p.status, p.words("main"))
	}
	for _, id := range ids {
		d.until("a question about "+id, func(rx *store.Rx) (bool, error) {
			p, _, err := rx.PaymentByPublicID(id)
			if err != nil {
				return false, err
			}
			list, err := rx.Audits(p.ID, 0, 10)
			return len(list) == 1 && list[0].Action == app.ActAsk, err
		})
	}
	if p := d.decide(page, "keep_both", "reason", "deposit and balance"); p.status != http.StatusSeeOther {
		t.Fatalf("keeping both: %d %s", p.status, p.words("main"))
	}
	d.get("/reviews").wants(".nothing", "Nothing waits for you.")
}

func TestUndoIsADecision(t *testing.T) {
	d := newDesk(t)
	m := d.morning()
	page := "/payments/" + m.open
	if p := d.decide(page, "mark_failed", "reason", "wrong customer"); p.status != http.StatusSeeOther {
		t.Fatalf("marking as failed: %d %s", p.status, p.words("main"))
	}
	p := d.get(page)
	p.wants("h1", "Failed")
	refers := p.value("#act-undo select[name=refers] option", "value")
	action, form := p.form("undo", "refers", refers, "reason", "it was the right one")
	if p := d.send(action, form); p.status != http.StatusSeeOther {
		t.Fatalf("undoing: %d %s", p.status, p.words("main"))
	}
	p = d.get(page)
	p.wants("h1", "Pending")
	p.wants(".timeline", "maria: Undo a decision")
}

func TestInboxShowsWhatBecameOfEverything(t *testing.T) {
	d := newDesk(t)
	d.morning()
	p := d.get("/inbox")
	p.wants(".filters", "Parked 1")
	p.wants(".filters", "Dead 1")
	p.wants(".filters", "Refused 1")
	p.wants("table", "The amount cannot be read")
	d.until("the gateway to be written down, by whose name the search goes", func(rx *store.Rx) (bool, error) {
		list, err := rx.Items(store.InboxFilter{Query: "evt_1", Limit: 1})
		return len(list) == 1, err
	})
	d.get("/inbox?q=evt_1").wants("table", "ORDER-1001")
	refusedPage := d.get("/inbox?state=refused").value("table a.strong", "href")
	p = d.get(refusedPage)
	p.wants(".head", "Refused")
	p.wants(".lead", "The signature does not fit.")
	item := d.get("/inbox?state=dead").value("table a.strong", "href")
	p = d.get(item)
	p.wants("figure", `"big": 12345678901234567890123`)
	p.wants("figure", `"note":"<b>bold</b>"`)
	file := d.get(p.value("a[download]", "href"))
	if file.header.Get("Content-Type") != "application/octet-stream" || !strings.Contains(file.text, `"big":12345678901234567890123,"note":"<b>bold</b>"}}`) {
		t.Errorf("the file is %s: %s", file.header.Get("Content-Type"), file.text)
	}
	for _, path := range []string{"/inbox/999", "/inbox/x", "/inbox/refused/999", "/inbox/requests/999/body", "/outbox/999"} {
		if p := d.get(path); p.status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, p.status)
		}
	}
}

func TestReplayShowsTheCountFirst(t *testing.T) {
	d := newDesk(t)
	d.morning()
	link := d.get("/inbox?state=dead").value("section .notes a", "href")
	p := d.get(link)
	p.wants(".lead", "One dead entry of sandbox would be worked on again. It died of: The amount cannot be read")
	form := url.Values{"gateway": {p.value("input[name=gateway]", "value")}, "dead": {p.value("input[name=dead]", "value")}, "form_key": {p.value("input[name=form_key]", "value")}, "reason": {"corrected"}, "expected": {"2"}}
	before := d.rows()
	if p := d.send("/inbox/replay", form); p.status != http.StatusConflict || !strings.Contains(p.words("[role=alert]"), "count has changed") || p.words("textarea") != "corrected" {
		t.Errorf("another count: %d %s", p.status, p.words("main"))
	}
	d.wantNew(before, map[string]int{})
	form.Set("expected", "1")
	if p := d.send("/inbox/replay", form); p.status != http.StatusSeeOther {
		t.Fatalf("replaying: %d %s", p.status, p.words("main"))
	}
	d.get("/inbox").wants("[role=status]", "One entry is being worked on again.")
	if p := d.send("/inbox/replay", form); p.status != http.StatusSeeOther {
		t.Errorf("sending it twice: %d", p.status)
	}
	d.until("one audit line", func(rx *store.Rx) (bool, error) {
		list, err := rx.Audits(0, 0, 10)
		return len(list) == 1 && list[0].Action == app.ActReplay, err
	})
	d.get("/audit").wants("table", "maria Replay")
}

func TestOneEntryIsReplayed(t *testing.T) {
	d := newDesk(t)
	d.morning()
	item := d.get("/inbox?state=dead").value("table a.strong", "href")
	if p := d.decide(item, "replay"); p.status != http.StatusSeeOther || p.to != item {
		t.Fatalf("replaying: %d to %q", p.status, p.to)
	}
	d.get("/audit").wants("table", "inbox:4")
	d.until("the entry to be dead again", func(rx *store.Rx) (bool, error) {
		w, _, err := rx.GetWork(4)
		return w.State == "dead", err
	})
}

func TestEventsToTheShop(t *testing.T) {
	d := newDesk(t)
	d.morning()
	p := d.get("/outbox")
	p.wants("table", "Payment succeeded payment.succeeded 1-")
	p.wants(".lead", "GET /v1/events")
	p = d.get(p.value("table a.strong", "href"))
	p.wants("pre", `"type": "payment.`)
	p.wants(".blocked", "No address of the shop is configured")
}
