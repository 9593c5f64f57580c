package app

import (
	"nodrop/app/settlement"
	"nodrop/store"
)

// The places that reports come from.
const (
	ReportUploaded = "upload"
	ReportCommand  = "command"
	ReportFolder   = "folder"
)

// The states of an import.
const (
	ImportWaiting = "waiting" // for its turn
	ImportReading = "reading" // nothing of it counts yet
	ImportActing  = "acting"  // read whole; what follows from it is being written
	ImportDone    = "done"
	ImportFailed  = "failed" // nothing of it is stored
	ImportUndoing = "undoing"
	ImportUndone  = "undone"
)

// The states of a difference. One that was found in an import which is still being read is shown nowhere.
const (
	DifferenceNew      = "new"
	DifferenceAsking   = "asking"   // the gateway is asked first
	DifferenceExpected = "expected" // time may still settle it
	DifferenceOpen     = "open"     // a person must look
	DifferenceDecided  = "decided"  // by a person
	DifferenceCleared  = "cleared"  // by the facts
)

// The answers to differences.
const (
	ActAcceptDifference = "accept" // it is so, and right
	ActAskDifference    = "ask"    // ask the gateway now
	ActIgnoreDifference = "ignore"
	ActReopenDifference = "reopen"
	ActNoteDifference   = "note"
	ActLinkDifference   = "link"          // the line is about this payment
	ActAcceptReport     = "accept_report" // no gateway can be asked: the report's word is taken
)

// The states of a gateway's day.
const (
	DayClean    = "clean"
	DayOpen     = "open"     // a difference is open, or being asked about
	DayMissing  = "missing"  // we have successes and no report
	DayExpected = "expected" // all is well so far, and something may still come
	DayNone     = "none"     // nothing happened
)

// ImportRequest is a report that is to be compared with our books.
type ImportRequest struct {
	Gateway string
	Path    string // of the file
	Name    string // as it came; "": the path's last part
	Report  string // name of a format; "": it is recognised by its header
	Source  string // upload, command or folder
	Actor   string // the person; "" for the folder
	Dry     bool   // say what would be found and write nothing
	// Progress is called now and then with the bytes read and to read, and the lines so far.
	Progress func(done, size int64, lines int)
}

// FindingSum is what the lines, or the payments without one, of a finding come to. Minor is what they are about: the money
// at risk of a difference, and otherwise the gross amounts with their signs.
type FindingSum struct {
	Kind     string `json:"kind"`
	Currency string `json:"currency"`
	Count    int    `json:"count"`
	Minor    int64  `json:"minor"`
}

// LineFault is a line that cannot be used, and why.
type LineFault struct {
	Number  int    `json:"line"`
	Message string `json:"message"`
}

// ImportResult is what became of a report.
type ImportResult struct {
	ID              int64              `json:"id"` // 0 in a dry run
	Gateway         string             `json:"gateway"`
	File            string             `json:"file"`
	Report          string             `json:"report"`
	Dry             bool               `json:"dry_run"`
	AlreadyImported bool               `json:"already_imported"`
	Lines           int                `json:"lines"` // good ones, known and repeated ones included
	Rejected        int                `json:"rejected"`
	Known           int                `json:"known"` // came in an earlier file
	Matched         int                `json:"matched"`
	Findings        []FindingSum       `json:"findings"`
	Days            []string           `json:"days"`
	Faults          []LineFault        `json:"faults"` // the first hundred
	Totals          []settlement.Total `json:"totals"`
}

// ImportQuery selects imports, newest first; After is the id that the last page ended with.
type ImportQuery struct {
	Gateway string
	After   int64
	Limit   int // 1 to 200; 0: 50
}

// ImportView is an import as it stands.
type ImportView struct {
	store.Import
	Findings []FindingSum
	Days     []string
	Faults   []LineFault
	Totals   []settlement.Total
	Problem  string // why it failed
	Undoable bool
	Keeps    string // why it cannot be undone now; "" where it can, and where it is not done yet
}

// SumView is what the lines of a day with one finding, or its differences of one kind and state, come to. Amounts are
// minor units.
type SumView struct {
	Finding  string
	Type     string // payment, refund …; "" for a payment without a line
	State    string // of the differences; "" for lines without one
	Currency string
	Count    int64
	Gross    int64
	Fee      int64
	Net      int64
}

// DifferenceTotal is what the differences of a day of one kind and state come to, in minor units.
type DifferenceTotal struct {
	Kind     string
	State    string
	Currency string
	Count    int64
	Risk     int64 // what is at stake
	Expected int64 // by our books
	Seen     int64 // by the report
}

// DayView is a gateway's day, by the gateway's own clock.
type DayView struct {
	Gateway     string
	Day         string // 2026-11-30
	State       string // clean, open, missing, expected, none
	Lines       int64  // stored ones
	Matched     int64
	Open        int64 // differences that a person must look at
	Asking      int64 // differences that the gateway is asked about
	Expected    int64 // differences that time may settle
	Paid        int64 // our own successes of that day
	Sums        []SumView
	Differences []DifferenceTotal
	AtRisk      []FindingSum // by currency, of what is open and being asked about; Kind is empty
}

// DifferenceQuery selects differences in the order in which they were found; empty fields select all. State "waiting" is
// all of asking, expected and open.
type DifferenceQuery struct {
	Gateway string
	Day     string
	Kind    string
	State   string
	After   int64 // the id that the last page ended with
	Limit   int   // 1 to 1000; 0: 100
}

// DifferenceView is one difference with its line and its payment.
type DifferenceView struct {
	store.Difference
	Gateway  string
	Day      string
	File     string      // whose line it is
	Line     *store.Line // nil: no line
	Payment  *PaymentView
	Acts     []string // the answers that are allowed now
	Askable  bool     // the gateway can be asked
	Proposal string   // the public id of the payment that the line may be about; "": none
}

// LineView is one stored line with the public id of its payment.
type LineView struct {
	store.Line
	Payment     string // public id; "": none
	MerchantRef string // the payment's own
	State       string // the payment's
	Received    int64  // minor units
}

// DifferenceDecision is a person's answer to one or many differences. Versions are those that the person saw, in the order
// of IDs.
type DifferenceDecision struct {
	IDs        []int64
	Versions   []int64
	Act        string
	PaymentRef string // link: public id of the payment, or its merchant reference
	Reason     string
	Actor      string
	FormKey    string
}

// ReportFormat is a way of reading a gateway's reports.
type ReportFormat struct {
	Name   string
	Spec   string // a [[report]] in TOML; "" for a preset's own
	Header []string
	Preset bool
	Actor  string
	Saved  int64 // UTC milliseconds; 0 for a preset's own
}

// ReportPreview is what a file looks like before it is imported.
type ReportPreview struct {
	Head       [][]string // its first rows
	Recognised string     // name of the format; "": none fits
	Missing    string     // why none fits, with what is missing
	Result     *ImportResult
}
