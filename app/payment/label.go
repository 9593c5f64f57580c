package payment

// Reason says why a person is asked about a payment or an order.
type Reason string

// The reasons for a review that follow from the facts of one payment, and
// ReasonDuplicate, which follows from the payments of one order.
const (
	ReasonDifference    Reason = "difference"            // another amount or currency than agreed
	ReasonContradiction Reason = "contradiction"         // a success with denials on both sides of it
	ReasonNoAnswer      Reason = "no_answer"             // given up without the gateway's final word
	ReasonReversed      Reason = "reversed"              // money that was here has been taken back
	ReasonLate          Reason = "late"                  // paid after it was called over: fulfil or refund
	ReasonExcess        Reason = "excess"                // more was taken back than received
	ReasonDoubleLoss    Reason = "double_loss"           // a dispute about what was refunded is open: it may be lost twice
	ReasonWaiting       Reason = "return_waits"          // a refund or dispute without its last word for a month
	ReasonMoved         Reason = "money_without_success" // refunded or disputed, yet never paid
	ReasonElsewhere     Reason = "elsewhere_and_gateway" // paid elsewhere and through the gateway
	ReasonUnmapped      Reason = "unmapped"              // a word that the definition does not know
	ReasonRefundOwed    Reason = "refund_owed"           // a refund was decided and has not been seen
	ReasonDuplicate     Reason = "duplicate"             // two payments of one order are paid
)

// EventType names what the shop is told.
type EventType string

// The types of events.
const (
	EventAuthorised    EventType = "payment.authorised"
	EventSucceeded     EventType = "payment.succeeded"
	EventSucceededLate EventType = "payment.succeeded_late"
	EventDuplicate     EventType = "payment.duplicate"
	EventFailed        EventType = "payment.failed"
	EventClosed        EventType = "payment.closed"
	EventUnknown       EventType = "payment.unknown"
	EventRefunded      EventType = "payment.refunded"
	EventRefundFailed  EventType = "payment.refund_failed"
	EventDisputed      EventType = "payment.disputed"
	EventReversed      EventType = "payment.reversed"
	EventDecided       EventType = "payment.decided"
)

// The statuses of refunds and disputes.
const (
	RefundPending   = "pending"
	RefundSucceeded = "succeeded"
	RefundFailed    = "failed"
	DisputeOpen     = "open"
	DisputeWon      = "won"
	DisputeLost     = "lost"
)

// States lists every state.
func States() []State { return []State{Pending, Processing, Succeeded, Failed, Closed, Unknown} }

// Causes lists the causes that a state can have; NoCause for a state without any.
func Causes(s State) []Cause {
	switch s {
	case Closed:
		return []Cause{Expired, Cancelled, Abandoned}
	case Unknown:
		return []Cause{NoAnswer, Difference, Contradiction}
	}
	return []Cause{NoCause}
}

// Words lists every word that a source can say about a payment.
func Words() []Word {
	return []Word{WordPending, WordProcessing, WordAuthorised, WordSucceeded, WordAttemptFailed, WordFailed,
		WordExpired, WordCancelled, WordReversed, WordNotFound, WordUnreadable}
}

// FactKinds lists every kind of fact.
func FactKinds() []FactKind {
	return []FactKind{FactWord, FactUnmapped, FactRefund, FactDispute, FactHoldOver, FactGaveUp, FactLate,
		FactClosed, FactReopened, FactDecision}
}

// Acts lists every act of a person, in the order in which they are offered.
func Acts() []Act {
	return []Act{ActMarkSucceeded, ActAccept, ActMarkFailed, ActReject, ActMoneyBack, ActFulfil, ActRefund,
		ActRefundProof, ActKeepBoth, ActIgnore, ActNote, ActUndo}
}

// Reasons lists every reason for a review that this package gives.
func Reasons() []Reason {
	return []Reason{ReasonDifference, ReasonContradiction, ReasonNoAnswer, ReasonReversed, ReasonLate, ReasonExcess, ReasonDoubleLoss,
		ReasonWaiting, ReasonMoved, ReasonElsewhere, ReasonUnmapped, ReasonRefundOwed, ReasonDuplicate}
}

// EventTypes lists every type of event.
func EventTypes() []EventType {
	return []EventType{EventAuthorised, EventSucceeded, EventSucceededLate, EventDuplicate, EventFailed, EventClosed,
		EventUnknown, EventRefunded, EventRefundFailed, EventDisputed, EventReversed, EventDecided}
}
