package sandbox

// stories is the table of all stories. What is right in each follows from the
// product's rules: time-out, silence, errors and unreadable answers decide
// nothing; success applies at once; amounts are compared on every path; success
// after a failure that was told is late and waits for a person.
var stories = concat(webhookStories, queryStories, endStories, lateStories, backStories, orderStories)

var webhookStories = []Story{
	{Name: "paid", Label: "paid, webhook on time", weight: 40, noise: true,
		Steps: []step{{After: 200 * ms, Do: actPaid}}, Right: paidRight},
	{Name: "attempts", Label: "two tries failed, the third paid", weight: 3, noise: true,
		Steps: []step{{After: 50 * ms, Do: actAttempt}, {After: 100 * ms, Do: actAttempt}, {After: 100 * ms, Do: actPaid}}, Right: paidRight},
	{Name: "lost", Label: "paid, webhook lost", weight: 12, noise: true,
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: paidRight},
	{Name: "late_notice", Label: "paid, webhook late", weight: 6, noise: true,
		Steps: []step{{After: 100 * ms, Do: actPaid, Delay: 2500 * ms}}, Right: paidRight},
	{Name: "doubled", Label: "paid, webhook twice", weight: 6, noise: true,
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireDoubled}}, Right: paidRight},
	{Name: "many", Label: "paid, webhook four times at once", weight: 4, noise: true,
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireMany}}, Right: paidRight},
	{Name: "out_of_order", Label: "paid, \"paid\" before \"processing\"", weight: 4, noise: true,
		Steps: []step{{After: 50 * ms, Do: actProcessing, Delay: 800 * ms}, {After: 100 * ms, Do: actPaid}}, Right: paidRight},
	{Name: "early", Label: "paid, webhook before registration", weight: 4, noise: true, Register: registerLate,
		Steps: []step{{Do: actPaid}}, Right: paidRight},
	{Name: "wrong_amount", Label: "webhook with a wrong amount", weight: 3,
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireWrongAmount}},
		Right: []Right{{State: "succeeded", Review: "difference", Fulfilled: true}}},
	{Name: "wrong_currency", Label: "webhook with a wrong currency", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireWrongCurrency}},
		Right: []Right{{State: "succeeded", Review: "difference", Fulfilled: true}}},
	// A dead letter that came before the payment was registered belongs to no order.
	{Name: "garbled", Label: "signed webhook that cannot be read", weight: 2, noise: true,
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireGarbled}},
		Right: []Right{{State: "succeeded", Review: "dead_inbox", Fulfilled: true}, {State: "succeeded", Fulfilled: true}}},
	{Name: "unmapped", Label: "paid, webhook with an unmapped word", weight: 1, noise: true,
		Steps: []step{{After: 50 * ms, Do: actPaid, Wire: wireLost}, {After: 50 * ms, Do: actUnmapped}}, Right: paidRight},
	{Name: "forged", Label: "never paid, forged webhook: other secret", weight: 2,
		Steps: []step{{After: 200 * ms, Do: actFalselyPaid, Wire: wireForged}}, Right: abandoned},
	{Name: "unsigned", Label: "never paid, forged webhook: unsigned", weight: 2,
		Steps: []step{{After: 200 * ms, Do: actFalselyPaid, Wire: wireUnsigned}}, Right: abandoned},
	{Name: "stale", Label: "never paid, forged webhook: old signature", weight: 1,
		Steps: []step{{After: 200 * ms, Do: actFalselyPaid, Wire: wireStale}}, Right: abandoned},
	{Name: "stranger", Label: "webhook for an unknown reference", weight: 1, Register: registerNever,
		Steps: []step{{After: 200 * ms, Do: actPaid}}, Right: []Right{{Absent: true}}},
}

var queryStories = []Story{
	{Name: "query_timeout", Label: "webhook lost, queries time out", weight: 3, Query: queryFault{First: []string{answerTimeout, answerTimeout}},
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: paidRight},
	{Name: "query_429", Label: "webhook lost, query answered 429 (seconds)", weight: 1, Query: queryFault{First: []string{answerThrottled}},
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: paidRight},
	{Name: "query_429_date", Label: "webhook lost, query answered 429 (date)", weight: 1, Query: queryFault{First: []string{answerThrottDay}},
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: paidRight},
	{Name: "query_500", Label: "webhook lost, queries answered 500", weight: 3, Query: queryFault{First: []string{answerFailing, answerFailing}},
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: paidRight},
	{Name: "query_html", Label: "webhook lost, queries answered with HTML", weight: 3, Query: queryFault{First: []string{answerHTML, answerHTML}},
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: paidRight},
	{Name: "query_truncated", Label: "webhook lost, half answers", weight: 2, Query: queryFault{First: []string{answerTruncated, answerTruncated}},
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: paidRight},
	{Name: "query_young", Label: "webhook lost, not found yet at first", weight: 4, Query: queryFault{NotFoundFor: 1200 * ms},
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: paidRight},
	{Name: "dead_then_notice", Label: "no query ever answered, webhook very late", Query: queryFault{Forever: []string{answerFailing, answerTimeout}},
		Steps: []step{{After: 100 * ms, Do: actPaid, Delay: 4500 * ms}}, Right: paidRight},
	// Nothing is given up without an answered query, so it stays open and is asked again.
	{Name: "dead", Label: "no query ever answered, no webhook", Query: queryFault{Forever: []string{answerTimeout, answerFailing}},
		Right: []Right{{State: "pending"}}},
	{Name: "unreadable", Label: "paid, webhook lost, only HTML ever answered", weight: 1, Query: queryFault{Forever: []string{answerHTML}},
		Steps: []step{{After: 100 * ms, Do: actPaid, Wire: wireLost}}, Right: noAnswer},
	{Name: "not_found", Label: "the gateway never knew it", weight: 1, Query: queryFault{Forever: []string{answerNotFound}}, Right: noAnswer},
}

var endStories = []Story{
	{Name: "failed", Label: "failed", weight: 5, noise: true, Steps: []step{{After: 200 * ms, Do: actFailed}}, Right: []Right{{State: "failed"}}},
	{Name: "failed_lost", Label: "failed, webhook lost", weight: 3, noise: true,
		Steps: []step{{After: 100 * ms, Do: actFailed, Wire: wireLost}}, Right: []Right{{State: "failed"}}},
	{Name: "expired", Label: "expired", weight: 3, noise: true, Steps: []step{{After: 300 * ms, Do: actExpired}},
		Right: []Right{{State: "closed", Cause: "expired"}}},
	{Name: "cancelled", Label: "cancelled by the payer", weight: 3, noise: true, Steps: []step{{After: 200 * ms, Do: actCancelled}},
		Right: []Right{{State: "closed", Cause: "cancelled"}}},
	{Name: "abandoned", Label: "the payer never came", weight: 6, noise: true, Right: abandoned},
	{Name: "attempts_abandoned", Label: "one try failed, the payer never came back", weight: 2, noise: true,
		Steps: []step{{After: 200 * ms, Do: actAttempt}}, Right: abandoned},
	{Name: "processing", Label: "processing without end", weight: 2, Steps: []step{{After: 200 * ms, Do: actProcessing}}, Right: noAnswer},
	{Name: "slow", Label: "processing for long, then paid", weight: 3, noise: true,
		Steps: []step{{After: 100 * ms, Do: actProcessing}, {After: 3000 * ms, Do: actPaid}}, Right: paidRight},
}

var lateStories = []Story{
	{Name: "failed_then_paid", Label: "\"failed\" overtaken by \"paid\" at once", weight: 2,
		Steps: []step{{After: 200 * ms, Do: actFailed, Delay: 60 * ms}, {After: 10 * ms, Do: actPaid, Delay: 150 * ms}}, Right: overtaken},
	{Name: "late_failed", Label: "paid after the shop was told failed", weight: 2,
		Steps: []step{{After: 200 * ms, Do: actFailed}, {Told: "payment.failed", After: 300 * ms, Do: actPaid}}, Right: lateRight},
	{Name: "late_expired", Label: "paid after the shop was told expired", weight: 1,
		Steps: []step{{After: 200 * ms, Do: actExpired}, {Told: "payment.closed", After: 300 * ms, Do: actPaid}}, Right: lateRight},
	{Name: "late_cancelled", Label: "paid after the shop was told cancelled", weight: 1,
		Steps: []step{{After: 200 * ms, Do: actCancelled}, {Told: "payment.closed", After: 300 * ms, Do: actPaid, Wire: wireDoubled}}, Right: lateRight},
	{Name: "late_abandoned", Label: "paid after the shop was told abandoned", weight: 1,
		Steps: []step{{Told: "payment.closed", After: 200 * ms, Do: actPaid}}, Right: lateRight},
	{Name: "answered_late", Label: "paid after nodrop had given up", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actProcessing}, {Told: "payment.unknown", After: 200 * ms, Do: actPaid}}, Right: paidRight},
	{Name: "contradiction", Label: "failed, yet a signed webhook says paid", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actFailed}, {Told: "payment.failed", After: 200 * ms, Do: actFalselyPaid}},
		Right: []Right{{State: "unknown", Cause: "contradiction", Review: "contradiction"}}},
	{Name: "other_amount", Label: "another amount was paid", weight: 2, Steps: []step{{After: 100 * ms, Do: actPaidOther}},
		Right: []Right{{State: "unknown", Cause: "difference", Review: "difference"}}},
}

var backStories = []Story{
	{Name: "refund_part", Label: "paid, refunded in part", weight: 3,
		Steps: []step{{After: 100 * ms, Do: actPaid}, {Told: "payment.succeeded", After: 100 * ms, Do: actRefundPart}}, Right: paidRight},
	{Name: "refund_whole", Label: "paid, refunded wholly", weight: 3,
		Steps: []step{{After: 100 * ms, Do: actPaid}, {Told: "payment.succeeded", After: 100 * ms, Do: actRefundWhole, Wire: wireDoubled}}, Right: paidRight},
	{Name: "refund_twice", Label: "paid, refunded in two parts", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actPaid}, {Told: "payment.succeeded", Do: actRefundPart}, {After: 50 * ms, Do: actRefundPart}}, Right: paidRight},
	{Name: "refund_slow", Label: "paid, refund pending, then done", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actPaid}, {Told: "payment.succeeded", Do: actRefundAsked, Delay: 500 * ms}, {After: 200 * ms, Do: actRefundDone}}, Right: paidRight},
	{Name: "refund_first", Label: "refund webhook before the paid one", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actPaid, Delay: 700 * ms}, {After: 40 * ms, Do: actRefundPart}}, Right: paidRight},
	{Name: "refund_unheard", Label: "paid and refunded in part, both webhooks lost", weight: 1,
		Steps: []step{{After: 20 * ms, Do: actPaid, Wire: wireLost}, {Do: actRefundPart, Wire: wireLost}}, Right: paidRight},
	{Name: "dispute_won", Label: "paid, dispute won", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actPaid}, {Told: "payment.succeeded", Do: actDisputeOpen}, {After: 300 * ms, Do: actDisputeWon}}, Right: paidRight},
	{Name: "dispute_lost", Label: "paid, dispute lost", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actPaid}, {Told: "payment.succeeded", Do: actDisputeOpen}, {After: 300 * ms, Do: actDisputeLost}},
		Right: []Right{{State: "succeeded", Review: "reversed", Fulfilled: true}}},
	{Name: "reversed", Label: "paid, then reversed", weight: 1,
		Steps: []step{{After: 100 * ms, Do: actPaid}, {Told: "payment.succeeded", After: 100 * ms, Do: actReversed}},
		Right: []Right{{State: "succeeded", Review: "reversed", Fulfilled: true}}},
}

var orderStories = []Story{
	{Name: "paid_twice", Label: "one order paid by two payments", weight: 1, Second: "paid_again",
		Steps: []step{{After: 150 * ms, Do: actPaid}}, Right: []Right{{State: "succeeded", Review: "duplicate", Fulfilled: true}}},
	{Name: "paid_again", Label: "one order paid by two payments", follower: true,
		Steps: []step{{After: 150 * ms, Do: actPaid}}, Right: []Right{{State: "succeeded", Review: "duplicate", Fulfilled: true}}},
	{Name: "retried", Label: "failed, safe to charge again, paid", weight: 2, Second: "retry", Wait: "payment.failed",
		Steps: []step{{After: 100 * ms, Do: actFailed}}, Right: []Right{{State: "failed", Fulfilled: true}}},
	{Name: "retry", Label: "failed, safe to charge again, paid", follower: true, noise: true,
		Steps: []step{{After: 100 * ms, Do: actPaid}}, Right: paidRight},
}

func concat(parts ...[]Story) []Story {
	var all []Story
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// StoryByName finds a story of the table.
func StoryByName(name string) (Story, bool) {
	for _, s := range stories {
		if s.Name == name {
			return s, true
		}
	}
	return Story{}, false
}
