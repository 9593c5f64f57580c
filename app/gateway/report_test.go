package gateway

import (
	"strings"
	"testing"
)

const soundReport = `
[[report]]
name     = "settlement"
status   = "unconfirmed"
amount   = "decimal"
mark     = ","
currency = "PHP"
sign     = "signed"
format   = "yyyy-MM-dd"
[report.totals]
amounts = { "Total sales" = "credit" }
[report.columns]
gateway_ref = "ID"
gross       = "Amount"
occurred    = "Date"
`

func TestReportDescriptions(t *testing.T) {
	r, err := ParseReport(soundReport)
	if err != nil || r.Mark != "," || r.Totals == nil || r.Totals.Amounts["Total sales"] != "credit" {
		t.Fatalf("%+v, %v", r, err)
	}
	for name, c := range map[string]struct{ from, to, says string }{
		"no such mark":         {`mark     = ","`, `mark = ";"`, "mark"},
		"totals of nothing":    {`amounts = { "Total sales" = "credit" }`, "", "names no heading"},
		"no such total":        {`= "credit" }`, `= "sales" }`, "totals.amounts.Total sales"},
		"no such charset":      {`mark     = ","`, `charset = "latin-9"`, "charset"},
		"no such column":       {"occurred    =", "happened =", "columns.happened"},
		"no id":                {`gateway_ref = "ID"`, "", "no column names the payment"},
		"no amount":            {`gross       = "Amount"`, "", "no column holds an amount"},
		"no currency":          {`currency = "PHP"`, "", "which currency"},
		"debit without column": {`"signed"`, `"debit_credit"`, "its columns are missing"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseReport(strings.Replace(soundReport, c.from, c.to, 1)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v; want a problem that says %q", err, c.says)
			}
		})
	}
	text, err := ReportText(r)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ParseReport(text); err != nil || again.Mark != r.Mark || again.Totals == nil || again.Totals.Amounts["Total sales"] != "credit" {
		t.Errorf("%+v, %v: it is written otherwise than it was read", again, err)
	}
}
