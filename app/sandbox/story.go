package sandbox

import "time"

// act is one true event at the gateway, or a notice that says something else.
type act string

const (
	actProcessing  act = "processing"
	actAttempt     act = "attempt_failed"
	actPaid        act = "paid"
	actPaidOther   act = "paid_other" // nine tenths of what was asked
	actFailed      act = "failed"
	actExpired     act = "expired"
	actCancelled   act = "cancelled"
	actReversed    act = "reversed"
	actRefundPart  act = "refund_part" // a quarter
	actRefundAsked act = "refund_asked"
	actRefundDone  act = "refund_done" // of the one asked for
	actRefundWhole act = "refund_whole"
	actDisputeOpen act = "dispute_open"
	actDisputeWon  act = "dispute_won"
	actDisputeLost act = "dispute_lost"
	actFalselyPaid act = "falsely_paid"    // only the notice says so, properly signed
	actUnmapped    act = "cleared_in_part" // only a notice, with a word that nobody knows
)

// wire is what becomes of the notice of one act on its way.
type wire string

const (
	wireOK            wire = ""
	wireLost          wire = "lost"
	wireDoubled       wire = "doubled"
	wireMany          wire = "many" // four at the same moment
	wireWrongAmount   wire = "wrong_amount"
	wireWrongCurrency wire = "wrong_currency"
	wireGarbled       wire = "garbled" // signed, but the amount is no number
	wireForged        wire = "forged"  // signed with another secret
	wireUnsigned      wire = "unsigned"
	wireStale         wire = "stale" // signed an hour ago
)

func (w wire) refusable() bool { return w == wireForged || w == wireUnsigned || w == wireStale }

// step is one act of a story.
type step struct {
	Told  string        // the shop must have been told this event first
	After time.Duration // since the step before
	Do    act
	Wire  wire
	Delay time.Duration // how much later the notice leaves
}

// The classes of answers to a query.
const (
	answerOK        = "answered"
	answerNotFound  = "not found"
	answerTimeout   = "timed out"
	answerThrottled = "429 (seconds)"
	answerThrottDay = "429 (date)"
	answerFailing   = "500"
	answerHTML      = "HTML"
	answerTruncated = "truncated"
	answerRefused   = "401"
)

// queryFault is how queries about one payment fail.
type queryFault struct {
	First       []string      // the classes of the first answers
	Forever     []string      // the classes of every answer, in turn
	NotFoundFor time.Duration // since the payment was created
}

// class is the class of the nth answer (from 0), age after the creation.
func (q queryFault) class(n int, age time.Duration) string {
	switch {
	case len(q.Forever) > 0:
		return q.Forever[n%len(q.Forever)]
	case age < q.NotFoundFor:
		return answerNotFound
	case n < len(q.First):
		return q.First[n]
	}
	return answerOK
}

// How the shop registers a payment.
const (
	registerNormally = ""
	registerLate     = "late"  // only after its notice has been acknowledged
	registerNever    = "never" // another system's payment on the same account
)

// Story is what happens to one payment, from every side, and which ends are
// right by the rules.
type Story struct {
	Name     string
	Label    string // plain words for the report
	Steps    []step
	Query    queryFault
	Register string
	Second   string // the story of a second payment of the same order
	Wait     string // what the shop must be told of the first before it sells the second
	Right    []Right
	weight   int // how often it is drawn beyond the first time; 0: only once
	follower bool
	noise    bool // a query that fails once more changes nothing about the end
}

// Right is one right end of a story. Amounts are not stated: received, refunded
// and reversed must always be what the ledger says.
type Right struct {
	Absent    bool // nodrop holds no such payment
	State     string
	Cause     string
	Late      bool
	Review    string // reason that must be open; empty: none may be
	Fulfilled bool   // the shop fulfilled the order because of this payment or another of the order
}

var (
	paidRight = []Right{{State: "succeeded", Fulfilled: true}}
	overtaken = []Right{paidRight[0], lateRight[0]} // late if a question came between the two
	lateRight = []Right{{State: "succeeded", Late: true, Review: "late"}}
	abandoned = []Right{{State: "closed", Cause: "abandoned"}}
	noAnswer  = []Right{{State: "unknown", Cause: "no_answer", Review: "no_answer"}}
)

const ms = time.Millisecond
