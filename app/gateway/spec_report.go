package gateway

// ReportSpec says how one kind of settlement report is read: which columns hold what.
// Names are tried in order and without regard to case; a report is known by its header.
type ReportSpec struct {
	Name      string            `toml:"name"`
	Status    string            `toml:"status"`    // verified or unconfirmed
	Charset   string            `toml:"charset"`   // utf-8 (default), gbk, utf-16, windows-1252
	Separator string            `toml:"separator"` // default: told from the header line
	Comment   string            `toml:"comment"`   // lines that begin with it are no data
	Rows      List              `toml:"rows"`      // only lines whose first value is one of these are data
	Strip     string            `toml:"strip"`     // characters taken off the front of every value
	Columns   map[string]List   `toml:"columns"`   // see ReportColumns
	Types     map[string]string `toml:"types"`     // the report's word → see ReportTypes
	Amount    string            `toml:"amount"`    // decimal, minor, hundredths (whatever the currency)
	Mark      string            `toml:"mark"`      // before the decimals: "." or ","; without it an amount that could be read in two ways is refused
	Currency  string            `toml:"currency"`  // where no column says it
	Sign      string            `toml:"sign"`      // signed, debit_credit (two columns), direction (a column), type
	Format    string            `toml:"format"`    // of times, as in occurred
	Zone      string            `toml:"zone"`
	Required  List              `toml:"required"` // header names by which the report is recognised
	Totals    *TotalsSpec       `toml:"totals"`
}

// TotalsSpec says where a report states its own totals beside the usual place, a last row that begins with a word such
// as Total and holds sums in the columns of the lines: in a row under headings of their own.
type TotalsSpec struct {
	Count   string            `toml:"count"`   // heading over the number of lines
	Amounts map[string]string `toml:"amounts"` // heading → what it totals: credit, debit or fee
}

// ReportColumns are the facts that a report's columns can hold. Several columns of fee
// and tax are added up; credit and debit belong to the sign debit_credit.
var ReportColumns = []string{"line_id", "type", "gateway_ref", "merchant_ref", "parent_ref", "gross", "fee", "tax", "net", "credit", "debit",
	"direction", "currency", "occurred", "zone", "settled", "batch", "status"}

// ReportTypes are what a line can be about. A balance line is no movement of money.
var ReportTypes = []string{"payment", "refund", "chargeback", "chargeback_reversed", "fee", "payout", "reserve", "adjustment", "balance"}
