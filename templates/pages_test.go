package templates

import "github.com/a-h/templ"

func samplePayment() PaymentView {
	return PaymentView{
		Page: failedPage("payments"), ID: Ref{"pay_1", "pay_1"}, Merchant: Ref{"ORDER-1042", "ORDER-1042"}, Sentence: "The gateway reports ₱90.00 where ₱100.00 were expected. Decide whether to accept it.", State: Badge{"odd", "Unknown: amount differs"},
		Amount: "₱100.00", Money: []Row{{Name: "Received", Value: "₱90.00"}, {Name: "Refunded", Value: "₱0.00"}},
		Rows: []Row{{Name: "Merchant reference", Ref: Ref{"ORDER-1042", "ORDER-1042"}}, {Name: "Order", Ref: Ref{"1042", "1042"}}, {Name: "Gateway", Link: Link{"gcash", "/gateways/gcash"}},
			{Name: "payment", Ref: Ref{"pay_Yt7…Zk2", "pay_Yt7aaaaaaaaaaaaaaaaaaaaaaaaaaaaZk2"}}, {Name: "Registered", At: stamp("08:50:00", "25 min ago")}, {Name: "Id", Ref: Ref{"pay_1", "pay_1"}}},
		Sources: sampleSources(), Reviews: sampleReviews()[1:2], Siblings: sampleRows()[3:4], Forms: sampleForms(), Entries: sampleEntries(),
		Order: Row{Name: "Charging again", Value: "Not safe: this payment may still succeed."}, Next: Row{Name: "Asked next", At: stamp("09:20:00", "in 5 min")},
	}
}

func sampleReview() ReviewView {
	return ReviewView{Page: samplePage("reviews"), Sentence: "The amount is not the expected one", Advice: "Accept what came, or refund it and reject.", State: Badge{"odd", "Open"}, Money: "₱90.00",
		Rows: []Row{{Name: "Payment", Link: Link{"ORDER-1042", "/payments/pay_1"}}, {Name: "Open since", At: stamp("08:52:01", "23 min ago")}}, Sources: sampleSources(), Forms: sampleForms(), Entries: sampleEntries(),
		Messages: []Message{{Label: "Came in at 08:52:00", Href: "/inbox/5", Text: hostile}, {Label: "Came in at 08:53:00", Href: "/inbox/6", Text: "{}"}}, Payments: sampleRows()[:2]}
}

func sampleInbox() InboxView {
	return InboxView{Page: samplePage("inbox"), States: sampleFilters(), Groups: []ReplayGroup{{"12 of maya: cannot be read", "/inbox/replay?gateway=maya&dead=unreadable"}},
		List: []InboxRow{
			{Href: "/inbox/5", At: stamp("09:14:48", "12 s ago"), Gateway: "gcash", Channel: "webhook", Ref: Ref{"ORDER-1042", "ORDER-1042"}, State: Badge{"ok", "Done"}, Reason: "Applied", Repeats: 3, Payment: "/payments/pay_1"},
			{Href: "/inbox/4", At: stamp("09:10:00", "5 min ago"), Gateway: "maya", Channel: "webhook", Ref: Ref{hostile, hostile}, State: Badge{"bad", "Dead"}, Reason: "Cannot be read", Likely: "Most often a typing error.", Detail: hostile},
		}, Verify: []Link{{"Verify 4 requests of gcash again", "/inbox/verify?gateway=gcash"}}}
}

func sampleItem() InboxItemView {
	replay := FormsView{Page: samplePage("inbox"), Action: "/inbox/4/replay", Key: "k", ID: "replay", Acts: []Act{{Act: "replay", Label: "Replay", Follows: "It is read again as if it had just come in."}}}
	return InboxItemView{Page: samplePage("inbox"), Heading: "Webhook of maya", Sentence: "It is signed, but it cannot be read: the amount is not a number.", State: Badge{"bad", "Dead"}, Replay: &replay,
		Rows: []Row{{Name: "Came in", At: stamp("09:10:00", "5 min ago")}, {Name: "Repeats", Value: "2"}}, Request: []Row{{Name: "Request", Value: "POST /hooks/maya"}, {Name: "Answered", Value: "200"}},
		Header: "Content-Type: application/json\nSandbox-Signature: t=1,v1=…", Body: `{"id":12345678901234567890123,"note":"` + hostile + `"}`,
		Indented: "{\n  \"id\": 12345678901234567890123,\n  \"note\": \"" + hostile + "\"\n}", Bytes: "/inbox/requests/9/body", Detail: "The amount is a word.", Try: Link{"See how maya reads it", "/gateways/maya/try?request=9"}}
}

func sampleOutbox() OutboxView {
	return OutboxView{Page: samplePage("outbox"), Sentence: "Your shop has taken every event but one.", Stopped: Link{"Resume it", "/reviews/9"}, States: sampleFilters(), List: []OutboxRow{
		{Href: "/outbox/88", ID: "1-88", Type: "payment.unknown", Words: "Payment unknown", Payment: Ref{"ORDER-1042", "ORDER-1042"}, Link: "/payments/pay_1", State: Badge{"busy", "Waiting"}, Attempts: 3, Created: stamp("08:52:01", "23 min ago"), Note: "Answered 500; tried again", Due: stamp("09:20:00", "in 5 min")},
		{Href: "/outbox/87", ID: "1-87", Type: "payment.succeeded", Words: "Payment succeeded", Payment: Ref{"ORDER-19", "ORDER-19"}, Link: "/payments/pay_4", State: Badge{"ok", "Delivered"}, Attempts: 1, Created: stamp("08:50:01", "25 min ago")},
	}}
}

func sampleEvent() EventView {
	return EventView{Page: samplePage("outbox"), Heading: "Payment unknown", Sentence: "Your shop has not taken it yet.", State: Badge{"busy", "Waiting"}, Rows: []Row{{Name: "Id", Ref: Ref{"1-88", "1-88"}}},
		Body: "{\n  \"type\": \"payment.unknown\"\n}", Attempts: []AttemptRow{{At: stamp("08:52:02", "23 min ago"), Took: "12 ms", Status: "500", Error: "the shop answered 500"}, {At: stamp("08:53:02", "22 min ago"), Took: "3 ms", Status: "200", OK: true}},
		Forms: FormsView{Page: samplePage("outbox"), Action: "/outbox/88/resend", Key: "k", ID: "resend", Acts: []Act{{Act: "resend", Label: "Send again now", Follows: "The shop gets the same event under the same id."}}}}
}

func sampleGateway() GatewayView {
	return GatewayView{Page: samplePage("gateways"), Row: sampleGateways()[0], Sentence: "Webhooks arrive and questions are answered.", Trust: Badge{"odd", "Unconfirmed"}, TrustSays: "Try it in the gateway's sandbox first.", Confirm: []string{"the not-found code", hostile},
		Address: Ref{"https://pay.shop.example/hooks/gcash", "https://pay.shop.example/hooks/gcash"}, Hint: "Paste it into the gateway's dashboard.", Events: []string{"payment.paid", "payment.failed"}, Resend: "Open the webhook, then Resend.", Try: "/gateways/gcash/try",
		Keys:        []KeyRow{{Name: "api_key", State: Badge{"bad", "missing"}, Where: "Developers > API keys"}, {Name: "webhook_secrets", State: Badge{"ok", "configured"}}},
		Matches:     []MatchRow{{Key: "webhook_secrets[0]", Last: stamp("09:14:48", "12 s ago"), Note: "It matched last of all."}, {Key: "webhook_secrets[1]"}},
		NetworksSay: "A request from elsewhere is refused.", Networks: []string{"192.0.2.0/24"}, Health: []Row{{Name: "Last webhook", At: stamp("09:14:48", "12 s ago")}}, Setup: []Row{{Name: "Preset", Value: "paymongo"}},
		Schedule: []Stamp{stamp("09:15:30", "in 30 s"), stamp("09:16:00", "in 1 min")}, After: "Then after 3, 6 and 12 hours and once a day until it is given up.", Describe: []string{"Signature: HMAC-SHA256."},
		Refused: sampleRefusals(), Verify: Link{"Verify 4 requests of gcash again", "/inbox/verify?gateway=gcash"}}
}

func sampleRefusals() []RefusedRow {
	return []RefusedRow{{Reason: "Wrong signature", Likely: "Most often the secret is another one.", Count: "4", Last: stamp("08:00:00", "1 h ago"), Href: "/inbox?state=refused"}}
}

func sampleTry() TryView {
	return TryView{Page: samplePage("gateways"), Gateway: "gcash", Back: "/gateways/gcash", Action: "/gateways/gcash/try", Capture: "POST /hooks/gcash HTTP/1.1\n\n" + hostile, At: "2031-03-07 09:15:00", AsksFrom: true, Limit: "1 MB",
		Reading: &ReadingView{State: Badge{"bad", "Refused"}, Sentence: "It would be kept for inspection only.", Likely: "The signature does not fit.", Detail: "The body was changed on its way.", Notes: []string{"None of the line ends fits."},
			Rows: []Row{{Name: "Request", Value: "POST /hooks/gcash"}}, Ack: AckView{Rows: []Row{{Name: "Status", Value: "401 Unauthorized"}}, Body: "refused", Bytes: "00000000  72 65 66"},
			Said: []SaidView{{State: Badge{"ok", "Accepted"}, Title: "Payment: succeeded", Likely: "Why.", Detail: hostile, Rows: []Row{{Name: "Amount", Value: "₱90.00 (9000)"}}}}, More: "7 more statements are not shown.",
			Header: "Host: pay.shop.example\n", Body: hostile, BodyNote: "Only the beginning is shown.", Indented: "{}"}}
}

func sampleReady() []ReadyRow {
	return []ReadyRow{{Title: "Maya", Trust: Badge{"odd", "Unconfirmed"}, Needs: []NeedRow{{"webhook_secrets", "Developers > Webhooks"}}, TOML: "[[gateway]]\nname = \"maya\"\n"}}
}

// samples are all pages by name.
func samples() map[string]templ.Component {
	p := samplePage("overview")
	return map[string]templ.Component{
		"overview": Overview(OverviewView{Page: p, Sentence: "3 payments wait for you, ₱4,120.00 at risk.", States: []string{"Pending", "Processing", "Unknown"},
			Tiles: []Tile{{Label: "Reviews", Value: "3", Note: "₱4,120.00 at risk", Href: "/reviews", Kind: "odd"}, {Label: "Inbox", Value: "0", Note: "nothing waits", Href: "/inbox"},
				{Label: "Dead letters", Value: "1", Note: "1 in the inbox", Href: "/inbox?state=dead", Kind: "bad"}, {Label: "To the shop", Value: "2", Note: "oldest 3 min ago", Href: "/outbox"}},
			Reviews: sampleReviews(), Ages: []AgeRow{{"less than an hour", []string{"12", "2", "0"}, "₱18,200.00"}, {"more than a day", []string{"0", "0", "1"}, "₱1,250.50"}},
			Certificates: []CertificateRow{{Host: "pay.shop.example", Listener: "hooks", State: Badge{"odd", "Ends soon"}, Says: "It ends soon.", Failure: hostile, Ends: stamp("20 Mar 09:10", "in 13 days"), Next: stamp("09:20:00", "in 5 min")},
				{Host: "admin.shop.example", Listener: "pages", State: Badge{"ok", "In order"}, Ends: stamp("1 Jun 09:10", "in 86 days"), Next: stamp("1 May 09:10", "in 55 days")}},
			Gateways: sampleGateways(), Span: "Resolved in the last 24 hours", Reading: "Many by question: webhooks do not arrive; look at address and secret.",
			Resolved: []Bar{{"Webhook", "182", 91, "ok"}, {"Question", "14", 7, "busy"}, {"Person", "4", 2, "odd"}}}),
		"overview-empty": Overview(OverviewView{Page: p, Sentence: "Nothing is stuck.", Calm: true}),
		"reviews":        Reviews(ReviewsView{Page: samplePage("reviews"), Sentence: "3 questions are open, ₱4,120.00 at risk.", Filters: sampleFilters(), List: openFirst(sampleReviews())}),
		"reviews-done":   Reviews(ReviewsView{Page: samplePage("reviews"), ShowDone: true, Closed: []ClosedRow{{Href: "/reviews/1", Sentence: "No answer", Payment: Ref{"A", "A"}, Link: "/payments/a", Answer: "Marked as failed", By: "maria", Reason: hostile, At: stamp("09:00:00", "")}}}),
		"review":         Review(sampleReview()),
		"payments":       Payments(PaymentsView{Page: samplePage("payments"), States: sampleFilters(), Gateways: sampleFilters(), List: sampleRows(), Export: "/payments.csv", Pager: Pager{Next: "?before=1"}}),
		"payments-empty": Payments(PaymentsView{Page: samplePage("payments"), States: sampleFilters(), Query: "nothing", Narrowed: true, Export: "/payments.csv"}),
		"payment":        Payment(samplePayment()),
		"inbox":          Inbox(sampleInbox()),
		"inbox-item":     InboxItem(sampleItem()),
		"replay":         Replay(ReplayView{Page: samplePage("inbox"), Sentence: "12 dead entries of maya would be worked on again.", Count: "12", Gateway: "maya", Dead: "unreadable", Key: "k"}),
		"outbox":         Outbox(sampleOutbox()),
		"event":          Event(sampleEvent()),
		"gateways":       Gateways(GatewaysView{Page: samplePage("gateways"), Sentence: "One of two gateways needs attention.", List: sampleGateways(), ReadyTitle: "One more gateway is ready", Ready: sampleReady()}),
		"gateway":        Gateway(sampleGateway()),
		"try":            Try(sampleTry()),
		"try-wrong":      Try(TryView{Page: failedPage("gateways"), Gateway: "gcash", Back: "/gateways/gcash", Action: "/gateways/gcash/try", AsksFrom: true, Wrong: "at", Problem: "This is no time."}),
		"verify":         Verify(VerifyView{Page: samplePage("inbox"), Gateway: "gcash", Sentence: "Of 4 refused requests, 3 are right.", Reasons: sampleRefusals(), Count: "4", Key: "k"}),
		"verify-viewer":  Verify(VerifyView{Page: samplePage("inbox"), Gateway: "gcash", Sentence: "All are right.", Count: "4", ReadOnly: true}),
		"settlement":     Settlement(sampleSettlement()),
		"settlement-new": Settlement(SettlementView{Page: samplePage("settlement"), Sentence: "No report speaks of this month.", Calm: true, Nothing: true, Before: Link{"February 2031", "/settlement?month=2031-02"}, Upload: UploadForm{ReadOnly: true}}),
		"import":         Import(sampleImport()),
		"report":         Report(sampleReport()),
		"report-columns": Report(sampleMapping()),
		"report-wrong":   Report(ReportView{Page: failedPage("settlement"), File: hostile, Gateway: "gcash", Sentence: "This file cannot be imported as it is", Problem: "The archive is damaged.", Again: Link{"Assign the columns anew", "/settlement/upload"}}),
		"day":            Day(sampleDay()),
		"day-lines":      Day(sampleDayLines()),
		"decide":         Decide(DecideView{Page: samplePage("settlement"), Back: Link{"gcash", "/settlement/gcash/2031-03-07"}, Sentence: "2 differences are decided on", Findings: sampleFindings(), List: sampleDifferences(), More: "7 more are not shown.", Forms: sampleForms()}),
		"audit":          Audit(AuditView{Page: samplePage("audit"), List: []AuditRow{{At: stamp("09:12:40", "2 min ago"), Actor: "maria", Action: "Marked as succeeded", Subject: Ref{"ORDER-1042", "ORDER-1042"}, Link: "/payments/pay_1", Detail: hostile}}}),
		"account":        Account(AccountView{Page: samplePage("account"), Role: "Operator", Since: stamp("08:00:00", "1 h ago"), Langs: []Filter{{Text: "English", Href: "en", Active: true}, {Text: "中文", Href: "zh"}}}),
		"signin":         SignIn(SignInView{Page: samplePage(""), Name: "maria", Problem: "Name or password is wrong."}),
		"signup":         SignUp(SignUpView{Page: samplePage(""), Action: "/signup/abc"}),
		"stale":          Fault(FaultView{Page: samplePage("payments"), Heading: "This payment has changed", Text: "Look at it again before you decide.", Back: Link{"To the payment", "/payments/pay_1"}, Changed: sampleEntries()[2:4], Typed: []Row{{Name: "Reason", Value: hostile}}}),
	}
}

func openFirst(list []ReviewRow) []ReviewRow {
	f := sampleForms()
	list[1].Forms = &f
	return list
}
