package sandbox

import (
	"encoding/csv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// statementOf plays a story to its end and reads the report.
func statementOf(t *testing.T, story string, payments int) (rows [][]string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := testGateway(t, story, &catcher{})
		defer g.Close()
		now := time.Now()
		g.update(func() {
			for i := range payments {
				a := &account{Account: Account{ID: "sbx_" + string(rune('1'+i)), Reference: "ORDER-" + string(rune('1'+i)), Currency: "PHP", CreatedAt: now, Plan: Plan{Story: Story{Name: story}}}}
				for _, do := range map[string][]act{"paid": {actPaid}, "refund_part": {actPaid, actRefundPart}, "dispute_lost": {actPaid, actDisputeOpen, actDisputeLost}, "failed": {actFailed}, "reversed": {actPaid, actReversed}}[story] {
					a.Asked = 125050
					a.apply(do)
				}
				g.accounts[a.Reference] = a
			}
		})
		raw, err := g.Statement()
		if err != nil {
			t.Fatal(err)
		}
		if rows, err = csv.NewReader(strings.NewReader(string(raw))).ReadAll(); err != nil {
			t.Fatal(err)
		}
	})
	return rows[1:]
}

func TestStatementStatesWhatMoved(t *testing.T) {
	const at = "2000-01-01T00:00:00Z" // where a bubble's clock begins
	for story, want := range map[string][]string{
		// 2.5 % of 1250.50 is 31.26, a quarter of it 312.62.
		"refund_part": {
			"ln_1,payment,sbx_1,,ORDER-1,1250.50,31.26,1219.24,PHP," + at + ",po_1", "ln_2,refund,sbx_1,re_sbx_1_1,ORDER-1,-312.62,0.00,-312.62,PHP," + at + ",po_1",
			"ln_3,payout,,,,-906.62,0.00,-906.62,PHP," + at + ",po_1",
		},
		"dispute_lost": {
			"ln_1,payment,sbx_1,,ORDER-1,1250.50,31.26,1219.24,PHP," + at + ",po_1", "ln_2,chargeback,sbx_1,dp_sbx_1_1,ORDER-1,-1250.50,0.00,-1250.50,PHP," + at + ",po_1",
			"ln_3,payout,,,,31.26,0.00,31.26,PHP," + at + ",po_1",
		},
		"reversed": {
			"ln_1,payment,sbx_1,,ORDER-1,1250.50,31.26,1219.24,PHP," + at + ",po_1", "ln_2,reversal,sbx_1,,ORDER-1,-1250.50,0.00,-1250.50,PHP," + at + ",po_1",
			"ln_3,payout,,,,31.26,0.00,31.26,PHP," + at + ",po_1",
		},
		"failed": {},
	} {
		rows := statementOf(t, story, 1)
		if len(rows) != len(want) {
			t.Errorf("%s: %v, want %v", story, rows, want)
			continue
		}
		for i, row := range rows {
			if got := strings.Join(row, ","); got != want[i] {
				t.Errorf("%s: line %d is\n%s, want\n%s", story, i+1, got, want[i])
			}
		}
	}
}

func TestStatementHasItsPlantedFaults(t *testing.T) {
	seen := map[string]int{}
	amounts := map[string]string{}
	for _, row := range statementOf(t, "paid", 9) {
		seen[row[4]]++
		amounts[row[4]] = row[5]
	}
	if seen["ORDER-2"] != 0 || seen["ORDER-6"] != 2 || amounts["ORDER-4"] != "1.00" || amounts["ORDER-8"] != "n/a" || seen["ORDER-1"] != 1 || amounts["ORDER-9"] != "1250.50" {
		t.Errorf("the second is left out, the fourth has another amount, the sixth stands twice, the eighth has none: %v %v", seen, amounts)
	}
}
