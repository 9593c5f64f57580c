package templates

// The made-up view models that the tests draw.

const hostile = `<script>alert("x")</script>`

func stamp(text, ago string) Stamp {
	return Stamp{ISO: "2031-03-07T01:15:00Z", Text: text, Title: "2031-03-07 " + text + " +08:00 Asia/Manila", Ago: ago}
}

func samplePage(section string) Page {
	return Page{
		Lang: Lang{Code: "en"}, Title: "Sample", Section: section, User: User{Name: "maria", Role: "operator"}, Open: 3,
		Assets: Assets{CSS: "/static/style.css", JS: "/static/app.js", Icon: "/static/icon.svg"},
		Now:    stamp("09:15:00", ""), Zone: "Asia/Manila", Refresh: 10,
	}
}

// failedPage is a page to which a form was sent in vain.
func failedPage(section string) Page {
	p := samplePage(section)
	p.Alerts = sampleForms().Wrong
	return p
}

func sampleReviews() []ReviewRow {
	return []ReviewRow{
		{ID: "7", Href: "/reviews/7", Sentence: "The gateway took the money back after a success", Payment: Ref{"ORDER-1042", "ORDER-1042"}, Link: "/payments/pay_1",
			Gateway: "gcash", Money: "₱2,400.00", Opened: stamp("08:51:12", "24 min ago"), Urgent: true, Here: "/reviews?open=7#r7"},
		{ID: "8", Href: "/reviews/8", Sentence: "The amount is not the expected one", Payment: Ref{"ORDER-2031-03…00017-B", "ORDER-2031-03-07-000000000017-B"}, Link: "/payments/pay_2",
			Gateway: "maya", Money: "₱1,250.50", Opened: stamp("6 Mar 22:10", "11 h ago"), Here: "/reviews?open=8#r8"},
		{ID: "9", Href: "/reviews/9", Sentence: "Money came for a payment that nobody registered", Payment: Ref{hostile, hostile},
			Gateway: "maya", Money: "₱469.50", Opened: stamp("5 Mar 14:00", "2 days ago"), Here: "/reviews?open=9#r9"},
	}
}

func sampleForms() FormsView {
	return FormsView{Page: samplePage("payments"), Action: "/payments/pay_1/decide", Version: "4", Key: "k1", ID: "act", Wrong: []Link{{"This is not ₱90.00.", "#act-accept-amount"}}, Acts: []Act{
		{Act: "ask", Label: "Ask the gateway now", Follows: "Nothing is decided; the answer counts like any other."},
		{Act: "accept", Label: "Accept what the gateway says", Follows: "The payment becomes succeeded with ₱90.00 received, and the shop is told so.",
			Money: true, AmountLabel: "To confirm, type the amount: 90.00 PHP", Reason: true, Open: true, AmountValue: "100", AmountProblem: "This is not ₱90.00. Type the amount exactly.", ReasonValue: "Customer agreed"},
		{Act: "mark_succeeded", Label: "Mark as succeeded", Follows: "The payment becomes succeeded, and the shop is told so.", Amount: true, AmountLabel: "Amount received; 100.00 PHP was expected", Basis: true, Reason: true,
			Bases: []Option{{Value: "gateway", Text: "The gateway has the money"}, {Value: "elsewhere", Text: "Paid elsewhere: cash or transfer"}}},
		{Act: "snooze", Label: "Snooze", Follows: "The question stays open and comes back.", Until: true, Reason: true, Untils: []Option{{Value: "1h", Text: "in an hour"}}},
		{Act: "fulfil", Label: "Fulfil after all", Blocked: "Only a late success can be fulfilled."},
	}}
}

func sampleEntries() []Entry {
	return []Entry{
		{Kind: "decision", Label: "Decision", Title: "maria wrote a note", Quote: "Called the customer, she sends the receipt.", At: stamp("09:12:40", "2 min ago")},
		{Kind: "event", Label: "To the shop", Title: "Told that the payment is unknown", Detail: "Delivered at the first attempt.", At: stamp("08:52:03", "23 min ago"), Links: []Link{{"Event 1-88", "/outbox/88"}}},
		{Kind: "change", Label: "Change", Title: "pending → unknown", Detail: "By a webhook.", State: &Badge{"odd", "Unknown: amount differs"}, At: stamp("08:52:01", "23 min ago")},
		{Kind: "webhook", Label: "Webhook", Title: "The gateway says succeeded, ₱90.00", Detail: "Came three times.", At: stamp("08:52:00", "23 min ago"), Links: []Link{{"Raw bytes", "/inbox/5"}}},
		{Kind: "query", Label: "Question", Title: "The gateway did not answer in time", At: stamp("08:50:30", "24 min ago")},
		{Kind: "shop", Label: "Shop", Title: "Registered", At: stamp("08:50:00", "25 min ago")},
	}
}

func sampleSources() []Source {
	return []Source{
		{Who: "We expected", Says: "registered by the shop", Amount: "₱100.00", At: stamp("08:50:00", "25 min ago")},
		{Who: "Webhook", State: Badge{"ok", "Succeeded"}, Amount: "₱90.00", Differs: true, At: stamp("08:52:00", "23 min ago"), Link: Link{"Raw bytes", "/inbox/5"}},
		{Who: "Our question", Says: "no answer yet"},
	}
}

func sampleRows() []PaymentRow {
	return []PaymentRow{
		{Href: "/payments/pay_1", ID: Ref{"pay_1", "pay_1"}, Order: Ref{"1042", "1042"}, Merchant: Ref{"ORDER-1042", "ORDER-1042"}, Gateway: "gcash", State: Badge{"ok", "Succeeded"}, Late: true, Amount: "₱2,400.00", Created: stamp("08:50:00", "25 min ago")},
		{Href: "/payments/pay_2", ID: Ref{"pay_2", "pay_2"}, Order: Ref{"17-B", "17-B"}, Merchant: Ref{"ORDER-2031-03…00017-B", "ORDER-2031-03-07-000000000017-B"}, Gateway: "maya", State: Badge{"odd", "Unknown: amount differs"}, Reviews: 1, Amount: "₱1,250.50", Notes: []string{"received ₱1,200.00"}, Refs: []Ref{{"sbx_17", "sbx_17"}}, Created: stamp("6 Mar 22:10", "11 h ago")},
		{Href: "/payments/pay_3", ID: Ref{"pay_3", "pay_3"}, Order: Ref{"18", "18"}, Merchant: Ref{hostile, hostile}, Gateway: "maya", State: Badge{"wait", "Pending"}, Amount: "₱20.00", Created: stamp("09:14:50", "10 s ago")},
		{Href: "/payments/pay_4", ID: Ref{"pay_4", "pay_4"}, Order: Ref{"19", "19"}, Merchant: Ref{"ORDER-19", "ORDER-19"}, Gateway: "gcash", State: Badge{"bad", "Failed"}, Amount: "₱75.00", Created: stamp("09:10:00", "5 min ago")},
		{Href: "/payments/pay_5", ID: Ref{"pay_5", "pay_5"}, Order: Ref{"20", "20"}, Merchant: Ref{"ORDER-20", "ORDER-20"}, Gateway: "gcash", State: Badge{"busy", "Processing"}, Amount: "₱3,000.00", Created: stamp("09:10:00", "5 min ago")},
		{Href: "/payments/pay_6", ID: Ref{"pay_6", "pay_6"}, Order: Ref{"21", "21"}, Merchant: Ref{"ORDER-21", "ORDER-21"}, Gateway: "gcash", State: Badge{"off", "Closed: expired"}, Amount: "₱64.00", Created: stamp("5 Mar 09:10", "2 days ago")},
	}
}

func sampleGateways() []GatewayRow {
	return []GatewayRow{
		{Name: "gcash", Href: "/gateways/gcash", Title: "PayMongo", Mode: "live", State: Badge{"ok", "Working"}, Webhook: stamp("09:14:48", "12 s ago"), Answer: stamp("09:13:01", "2 min ago"), Backlog: "0", Clock: "in step"},
		{Name: "maya", Href: "/gateways/maya", Title: "Maya", Mode: "test", State: Badge{"bad", "Not answering"}, Refused: stamp("08:00:00", "1 h ago"), Backlog: "17", Clock: "4 s ahead"},
	}
}

func sampleFilters() []Filter {
	return []Filter{{Text: "All", Href: "?", Active: true}, {Text: "Pending", Href: "?state=pending", Count: "12"}, {Text: "Unknown", Href: "?state=unknown", Count: "1"}}
}
