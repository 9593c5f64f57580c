package gateway

import (
	"net/http"
	"time"

	"nodrop/app/payment"
)

// Request is one HTTP request as it came in.
type Request struct {
	Method   string
	Target   string // path and query as the sender wrote them
	Header   http.Header
	Body     []byte
	At       time.Time // arrival
	RemoteIP string
	Redacted bool // read from the store: secret headers hold "sha256:" and the digest of what they held
}

// The verdicts on a request and on each of its observations.
const (
	Accepted   = "accepted"
	Ignored    = "ignored"
	Refused    = "refused"
	Unreadable = "unreadable"
	Challenged = "challenge"
)

// The kinds of observations.
const (
	KindPayment = "payment"
	KindRefund  = "refund"
	KindDispute = "dispute"
)

// Reading is what a request says, and how it is to be answered.
type Reading struct {
	Verdict      string
	Reason       string // a stable word; empty when accepted without remark
	Detail       string // plain words for the operator: the likely cause
	Ack          Ack
	Secret       int    // index in KeyNames that matched, -1 for none
	Mode         string // test, live or "" when the message cannot tell
	Observations []Observation
	Others       []Observation // of an answer: successes of other attempts at the reference that was asked about
	SkewMs       int64         // the sender's signing time minus the arrival, milliseconds
	Certificate  string        // address of a certificate that must be fetched before the request can be verified
}

// Ref is one id that the gateway gave a payment.
type Ref struct{ Kind, ID string }

// Observation is one statement about one payment. An accepted one with an empty Word
// (or Status) carries a word that the definition does not map, in RawWord.
type Observation struct {
	Verdict     string
	Reason      string
	Detail      string
	DedupeKey   string
	Digest      [32]byte // SHA-256 of the item's bytes
	Kind        string
	Word        payment.Word
	RawWord     string
	Refs        []Ref
	MerchantRef string
	Attempt     string
	AmountText  string // decimal text in major units
	HasAmount   bool
	AmountMinor int64 // minor units of Currency
	Currency    string
	Account     string
	OccurredAt  time.Time // UTC; zero when the message does not say
	Hint        bool      // proves nothing by itself: confirm by query
	RefundRef   string    // id of the refund or dispute
	Cumulative  bool      // the amount is a total so far
	Status      string    // refunds: pending, succeeded, failed; disputes: open, won, lost
	Item        []byte    // the item's bytes, shared with the request
}

// OwnNumber tells whether the merchant reference is a number that the gateway gave itself,
// as the number of a payment link: it finds a payment, and contradicts none.
func (o *Observation) OwnNumber() bool {
	for _, r := range o.Refs {
		if r.ID == o.MerchantRef {
			return true
		}
	}
	return false
}
