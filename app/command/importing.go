package command

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"nodrop/app"
	"nodrop/app/config"
)

// Importing is a call of Import.
type Importing struct {
	Config  string // path; empty: as Load does
	Gateway string
	DryRun  bool
	JSON    bool
	File    string
}

// Import compares a gateway's settlement report with the books, beside a running server or without one. Its error is
// ErrFound where a line differs or cannot be used.
func (e *Env) Import(ctx context.Context, x Importing) error {
	if _, err := os.Stat(x.File); err != nil {
		return Wrong("the report cannot be read: %v", err)
	}
	c, err := e.locate(x.Config) // no secret is needed: a running server does the asking
	if err != nil {
		return err
	}
	if names := gatewayNames(c); !slices.Contains(names, x.Gateway) {
		return Wrong("there is no gateway %q: --gateway takes one of %s", x.Gateway, strings.Join(names, ", "))
	}
	engine, done, err := e.engine(ctx, c)
	if err != nil {
		return err
	}
	defer done()
	request := app.ImportRequest{Gateway: x.Gateway, Path: x.File, Source: app.ReportCommand, Dry: x.DryRun}
	show, end := e.progress("reading " + x.File)
	if show != nil {
		request.Progress = func(read, size int64, _ int) { show(int(100*read/max(size, 1)), 100) }
	}
	result, err := engine.Import(ctx, request)
	end()
	if err != nil {
		return err
	}
	if x.JSON {
		err = e.printJSON(result)
	} else {
		e.print("%s", importText(result))
	}
	if err == nil && differs(result) {
		return ErrFound
	}
	return err
}

func gatewayNames(c *config.Config) (names []string) {
	for _, g := range c.Gateways {
		names = append(names, g.Name)
	}
	return names
}

// agreeing are the findings that nobody has to look at.
var agreeing = []string{"matched", "other_money", "expected"}

func differs(r app.ImportResult) bool {
	return r.Rejected > 0 || slices.ContainsFunc(r.Findings, func(f app.FindingSum) bool { return !slices.Contains(agreeing, f.Kind) })
}

// findingWords say what a finding means.
var findingWords = map[string]string{
	"matched": "matched", "amount": "another amount than we received", "currency": "another currency than ours", "fee": "the fee differs",
	"status_behind": "they have it, we have not yet", "status_ahead": "we have it, they have not", "missing_locally": "of payments that nobody registered",
	"missing_at_gateway": "of our payments that the report lacks", "expected": "of our payments that may still come in a report", "duplicate_line": "repeated in the file, counted once",
	"refund": "refunds that differ", "dispute": "disputes that differ", "settled_twice": "payments that another line settled already", "other_money": "other money: payouts, fees, reserves",
	"unparseable": "lines that cannot be used", "totals": "totals that differ from the lines",
}

// faultsPrinted is how many unusable lines are listed.
const faultsPrinted = 20

func importText(r app.ImportResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, read as %s: %s", r.File, r.Report, plural(r.Lines, "line"))
	if r.Rejected > 0 {
		fmt.Fprintf(&b, " and %d that cannot be used", r.Rejected)
	}
	if r.Known > 0 {
		fmt.Fprintf(&b, ", %d of them known from an earlier file", r.Known)
	}
	b.WriteString("\n")
	switch {
	case r.AlreadyImported:
		fmt.Fprintf(&b, "This file was imported before (import %d); nothing was changed.\n", r.ID)
	case r.Dry:
		b.WriteString("Nothing was stored.\n")
	}
	b.WriteString(findingTable(r.Findings))
	for _, t := range r.Totals {
		if t.Stated != t.Counted {
			fmt.Fprintf(&b, "the file states %s as its total of %s, its lines give %s\n", app.AmountText(t.Stated, t.Currency), t.What, app.AmountText(t.Counted, t.Currency))
		}
	}
	for _, f := range r.Faults[:min(len(r.Faults), faultsPrinted)] {
		fmt.Fprintf(&b, "line %d: %s\n", f.Number, f.Message)
	}
	if more := r.Rejected - min(len(r.Faults), faultsPrinted); more > 0 && r.Rejected > faultsPrinted {
		fmt.Fprintf(&b, "and %s more\n", plural(more, "line"))
	}
	return b.String()
}

func findingTable(list []app.FindingSum) string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, agrees := range []bool{true, false} {
		for _, f := range list {
			if slices.Contains(agreeing, f.Kind) == agrees {
				fmt.Fprintf(t, "%d\t%s\t  %s\n", f.Count, app.AmountText(f.Minor, f.Currency), findingWords[f.Kind])
			}
		}
	}
	_ = t.Flush() // a builder takes everything
	return b.String()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}
