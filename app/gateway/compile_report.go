package gateway

import (
	"fmt"
	"slices"
	"strings"
)

func (c *compiler) reports(list []ReportSpec) {
	for i, r := range list {
		at := fmt.Sprintf("report[%d]", i)
		if r.Name == "" {
			c.add(at+".name", "the report has no name", `write name = "settlement"`)
		}
		c.oneOf(c.prefix+at+".status", r.Status, "verified", "unconfirmed")
		c.optional(at+".charset", r.Charset, "utf-8", "gbk", "utf-16", "windows-1252")
		c.optional(at+".mark", r.Mark, ".", ",")
		if r.Totals != nil {
			if r.Totals.Count == "" && len(r.Totals.Amounts) == 0 {
				c.add(at+".totals", "it names no heading", `write count = "Number of lines" or amounts = { "Total sales" = "credit" }`)
			}
			for _, heading := range sortedKeys(r.Totals.Amounts) {
				c.oneOf(c.prefix+at+".totals.amounts."+heading, r.Totals.Amounts[heading], "credit", "debit", "fee")
			}
		}
		c.optional(at+".separator", r.Separator, ",", ";", "\t", "|")
		c.oneOf(c.prefix+at+".amount", r.Amount, "decimal", "minor", "hundredths")
		c.oneOf(c.prefix+at+".sign", r.Sign, "signed", "debit_credit", "direction", "type")
		c.reportColumns(at, r)
		for _, raw := range sortedKeys(r.Types) {
			c.oneOf(c.prefix+at+".types."+raw, r.Types[raw], ReportTypes...)
		}
		c.instant(at, &InstantSpec{Format: r.Format, Zone: r.Zone})
	}
}

func (c *compiler) optional(at, value string, allowed ...string) {
	if value != "" {
		c.oneOf(c.prefix+at, value, allowed...)
	}
}

func (c *compiler) reportColumns(at string, r ReportSpec) {
	for _, name := range sortedKeys(r.Columns) {
		c.oneOf(c.prefix+at+".columns."+name, name, ReportColumns...)
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return len(r.Columns[n]) > 0 })
	}
	if !has("gateway_ref", "merchant_ref") {
		c.add(at+".columns", "no column names the payment", `write gateway_ref = "Transaction ID" or merchant_ref = "Order ID"`)
	}
	if !has("gross", "net", "credit") {
		c.add(at+".columns", "no column holds an amount", `write gross = "Amount"`)
	}
	if !has("currency") && r.Currency == "" {
		c.add(at+".currency", "nothing says which currency it is", `write currency = "PHP", or a column of that name`)
	}
	if r.Sign == "debit_credit" && !(has("credit") && has("debit")) || r.Sign == "direction" && !has("direction") {
		c.add(at+".sign", "its columns are missing", "name the columns credit and debit, or direction")
	}
}

// describeReports names the reports that are read without a mapping of one's own.
func (g *Gateway) describeReports() string {
	var out []string
	for _, r := range g.spec.Report {
		out = append(out, r.Name+" ("+r.Status+")")
	}
	if len(out) == 0 {
		return "The columns of its settlement report are not known: they are assigned when one is imported."
	}
	return "Knows the columns of the reports " + strings.Join(out, ", ") + "."
}
