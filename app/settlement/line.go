// Package settlement reads the reports in which a gateway lists the money that it moved, and compares their lines with
// what we know of payments. It knows no database and no clock.
package settlement

import (
	"fmt"
	"time"

	"nodrop/app/gateway"
)

// Amount is money in minor units of a line's currency, where the line states it.
type Amount struct {
	Minor int64
	Known bool
}

// Line is one row of data of a report.
type Line struct {
	Number      int      // of the row in its file, from 1; headings and comments count
	Type        string   // one of gateway.ReportTypes
	Key         [16]byte // identity: of its id, else of its content and how often that stood in the file before
	ID          string   // the gateway's id of the line
	GatewayRef  string   // the first of GatewayRefs
	MerchantRef string
	ParentRef   string   // of the payment that a refund or chargeback is about
	GatewayRefs []string // every id that stands in a column of such ids, the best first
	Currency    string   // ISO 4217
	Batch       string
	Status      string // as the report writes it
	Gross       Amount // from the merchant's view: money that came is positive, a refund negative
	Fee         Amount // a cost is positive; taxes are part of it
	Net         Amount // as Gross, after the fee
	OccurredMs  int64  // UTC milliseconds; 0: not said
	SettledMs   int64  // likewise
	Day         string // the gateway's own calendar day, 2026-11-30; "" for a line that cannot be used
	Fault       string // why it cannot be used, with what to do; "": it can
}

// Format says how a report is read.
type Format struct {
	Spec gateway.ReportSpec
	Days *time.Location // whose midnight parts the days where the report states no zone; nil is UTC
}

func (f Format) zone() *time.Location {
	if f.Spec.Zone != "" {
		if z, err := time.LoadLocation(f.Spec.Zone); err == nil {
			return z
		}
	}
	if f.Days != nil {
		return f.Days
	}
	return time.UTC
}

// Total is a sum or count that the file states of itself, beside what was counted. Amounts are minor units of Currency,
// from the merchant's view; a count has no currency.
type Total struct {
	What     string `json:"what"` // count, gross, fee or net
	Currency string `json:"currency,omitempty"`
	Stated   int64  `json:"stated"`
	Counted  int64  `json:"counted"`
}

// Totals is what a whole file came to. Lines and Rejected are together all its rows of data.
type Totals struct {
	Lines    int // that can be used
	Rejected int // that cannot
	Skipped  int // comments, headings and footers
	Stated   []Total
	Digest   [32]byte // SHA-256 of the file
}

// Problem is why a file cannot be read as a report, with what to do about it. Nothing of such a file counts.
type Problem struct{ Text string }

// Error is the problem in words for a person.
func (p *Problem) Error() string { return p.Text }

func problem(format string, args ...any) *Problem { return &Problem{fmt.Sprintf(format, args...)} }
