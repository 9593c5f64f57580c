// Package payment holds the rules: the standing of a payment as a pure function of
// its facts, when to ask next, what to tell the shop and what a person may answer.
package payment

// State is what the facts of a payment amount to.
type State string

// The six states of a payment.
const (
	Pending    State = "pending"
	Processing State = "processing"
	Succeeded  State = "succeeded"
	Failed     State = "failed"
	Closed     State = "closed"
	Unknown    State = "unknown"
)

// Cause says why a payment is closed or unknown; it is empty in every other state.
type Cause string

// The causes of the states closed and unknown.
const (
	NoCause       Cause = ""
	Expired       Cause = "expired"
	Cancelled     Cause = "cancelled"
	Abandoned     Cause = "abandoned"
	NoAnswer      Cause = "no_answer"
	Difference    Cause = "difference"
	Contradiction Cause = "contradiction"
)

// Word is what a source says about a payment, mapped from the gateway's own word.
type Word string

// The words that a gateway definition may map to, and the two results of a
// query that was answered without a word.
const (
	WordPending       Word = "pending"
	WordProcessing    Word = "processing"
	WordAuthorised    Word = "authorised"
	WordSucceeded     Word = "succeeded"
	WordAttemptFailed Word = "attempt_failed"
	WordFailed        Word = "failed"
	WordExpired       Word = "expired"
	WordCancelled     Word = "cancelled"
	WordReversed      Word = "reversed"
	WordNotFound      Word = "not_found"  // answered: the gateway does not know it
	WordUnreadable    Word = "unreadable" // answered: HTML, half an answer or an unmapped word
)

// Source is who said it.
type Source string

// The sources of facts.
const (
	SourceNotice Source = "notice" // a webhook item
	SourceQuery  Source = "query"  // an answer of the gateway to our question
	SourceReport Source = "report" // a settlement line: it only asks
	SourcePerson Source = "person"
	SourceShop   Source = "shop"
	SourceTimer  Source = "timer"  // what time has brought about
	SourceNodrop Source = "nodrop" // what nodrop itself did
)

// FactKind tells the kinds of facts apart.
type FactKind string

// The kinds of facts.
const (
	FactWord     FactKind = "word"      // Word, maybe an amount
	FactUnmapped FactKind = "unmapped"  // a signed notice whose word the definition does not know; Ref holds the raw word
	FactRefund   FactKind = "refund"    // Ref, amount, Cumulative, Status pending|succeeded|failed
	FactDispute  FactKind = "dispute"   // Ref, amount, Status open|won|lost
	FactHoldOver FactKind = "hold_over" // the wait is over for the notice, or the refund or dispute, in Refers
	FactGaveUp   FactKind = "gave_up"   // Word: the last answer (pending, processing, not_found, unreadable; "" without a query); Never: never heard of
	FactLate     FactKind = "late"      // written with a success that came after it was called over
	FactClosed   FactKind = "order_closed"
	FactReopened FactKind = "order_reopened"
	FactDecision FactKind = "decision" // a person's: Act, Basis, Saw
)

// Act is what a person decides.
type Act string

// The acts of a person. Which are allowed in which standing is the table in Allowed.
const (
	ActMarkSucceeded Act = "mark_succeeded" // positive: amount and Basis
	ActAccept        Act = "accept"         // positive: take what the gateway said, amount of the odd
	ActMarkFailed    Act = "mark_failed"    // negative
	ActReject        Act = "reject"         // negative
	ActMoneyBack     Act = "money_back"     // the reversed money is back
	ActFulfil        Act = "fulfil"         // a late success or duplicate is fulfilled after all
	ActRefund        Act = "refund"         // will be refunded: opens refund_owed
	ActRefundProof   Act = "refund_proof"   // proof that the owed refund was made elsewhere
	ActKeepBoth      Act = "keep_both"      // two paid payments of one order are both meant
	ActIgnore        Act = "ignore"         // closes a review whose evidence changes nothing
	ActNote          Act = "note"           // changes nothing
	ActUndo          Act = "undo"           // Refers: the decision undone
)

// Basis is what a person's success rests on.
type Basis string

// The bases of a decision.
const (
	BasisGateway   Basis = "gateway"   // the gateway's success, later, confirms
	BasisElsewhere Basis = "elsewhere" // cash or transfer: the gateway's success, later, is a duplicate
)

// Fact is an observation that is new, as it is stored with its payment.
type Fact struct {
	ID          int64  // order of commit, ascending; 0 before it is stored
	Version     int64  // version of the payment that it was committed with
	Key         string // identity within the payment: the same thing said twice has the same key
	Kind        FactKind
	Source      Source
	Word        Word
	Hint        bool // the notice proves nothing by itself
	Never       bool // gave_up: the gateway never heard of it, from first to last
	HasAmount   bool
	Amount      int64  // minor units of Currency
	Currency    string // ISO 4217
	Ref         string // id of the refund or dispute; raw word of an unmapped notice
	Cumulative  bool
	Status      string // refunds: pending, succeeded, failed; disputes: open, won, lost
	OwnMs       int64  // own time as STANDING defines it
	CommittedMs int64
	Refers      int64 // ID of the fact that a hold_over or an undo is about
	Act         Act
	Basis       Basis
	Saw         int64 // version that the person saw
	Actor       string
	Reason      string
}

// Terms is what was agreed when the payment was registered, with what its
// gateway's preset states; all that Stand, Ask and Tell need beside the facts.
type Terms struct {
	PaymentID       string
	OrderRef        string
	Amount          int64  // minor units
	Currency        string // ISO 4217
	CreatedMs       int64
	ExpiresMs       int64 // 0: never
	GraceMs         int64 // the preset's grace after ExpiresMs
	GiveUpMs        int64 // instant of give_up_after
	HasQuery        bool
	PayerCreates    bool // nothing exists at the gateway before the payer acts
	FailureHoldMs   int64
	QueryScheduleMs []int64 // first rungs, offsets from CreatedMs
}
