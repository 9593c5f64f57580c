package app

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/gateway"
)

// settleSpec is the report of the tests: one row for each movement of money, ids of rows, signed amounts.
func settleSpec() gateway.ReportSpec {
	return gateway.ReportSpec{
		Name: "daily", Status: "unconfirmed", Amount: "decimal", Sign: "signed", Mark: ".", Format: "yyyy-MM-dd HH:mm:ss", Zone: "UTC",
		Columns: map[string]gateway.List{
			"line_id": {"row"}, "type": {"kind"}, "gateway_ref": {"payment"}, "merchant_ref": {"reference"}, "gross": {"gross"}, "fee": {"fee"}, "net": {"net"},
			"currency": {"currency"}, "occurred": {"time"}, "status": {"status"},
		},
		Types:    map[string]string{"charge": "payment", "refund": "refund", "dispute": "chargeback", "fee": "fee", "payout": "payout"},
		Required: gateway.List{"row", "kind", "gross", "net"},
	}
}

const settleHeader = "row,kind,payment,reference,gross,fee,net,currency,time,status\n"

// row is one line of the tests' report; amounts are major units, a fee of "" is 0.
type row struct {
	id, kind, payment, ref, gross, fee, net, currency, at, status string
}

func (r row) String() string {
	if r.kind == "" {
		r.kind = "charge"
	}
	if r.currency == "" {
		r.currency = "PHP"
	}
	if r.fee == "" {
		r.fee = "0.00"
	}
	if r.net == "" {
		r.net = r.gross
	}
	if r.at == "" {
		r.at = "2031-03-07 02:00:00"
	}
	return strings.Join([]string{r.id, r.kind, r.payment, r.ref, r.gross, r.fee, r.net, r.currency, r.at, r.status}, ",") + "\n"
}

// settleBench is a bench whose sandbox has the tests' report.
func settleBench(t *testing.T, edit ...func(*bench)) *bench {
	t.Helper()
	b := newBench(t)
	if err := b.e.SaveReportFormat(b.ctx(), "sandbox", settleSpec(), strings.Split(strings.TrimSpace(settleHeader), ","), "ana"); err != nil {
		t.Fatal(err)
	}
	for _, f := range edit {
		f(b)
	}
	return b
}

// report writes a file of rows.
func (b *bench) report(name string, rows ...row) string {
	b.t.Helper()
	var text strings.Builder
	text.WriteString(settleHeader)
	for _, r := range rows {
		text.WriteString(r.String())
	}
	path := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

func (b *bench) imported(path string) ImportResult {
	b.t.Helper()
	r, err := b.e.Import(b.ctx(), ImportRequest{Gateway: "sandbox", Path: path, Actor: "ana"})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) dry(path string) ImportResult {
	b.t.Helper()
	r, err := b.e.Import(b.ctx(), ImportRequest{Gateway: "sandbox", Path: path, Actor: "ana", Dry: true})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// paid registers a payment and has it paid by a notice.
func (b *bench) paid(ref, amount string) PaymentView {
	b.t.Helper()
	v := b.register(ref, amount)
	b.send(b.notice(ref, "paid", amount))
	b.work()
	return b.payment(v.ID)
}

// counts is how many findings of each kind there are, and their sums: "matched 3 30.00" without the currency.
func counts(r ImportResult) map[string]string {
	list := map[string]string{}
	for _, f := range r.Findings {
		list[f.Kind+" "+f.Currency] = fmt.Sprintf("%d %d", f.Count, f.Minor)
	}
	return list
}

func wantCounts(t *testing.T, r ImportResult, want map[string]string) {
	t.Helper()
	if got := counts(r); !maps.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

// settled runs the settlement's rounds until nothing moves any more.
func (b *bench) settled() {
	b.t.Helper()
	for range 3 {
		b.work()
		if _, err := b.e.judgeAgain(b.ctx(), b.e.gateways["sandbox"], false); err != nil {
			b.t.Fatal(err)
		}
	}
}

// differences lists the differences of the sandbox as "kind state".
func (b *bench) differences() []string {
	b.t.Helper()
	list, err := b.e.Differences(b.ctx(), DifferenceQuery{Gateway: "sandbox", Limit: 1000})
	if err != nil {
		b.t.Fatal(err)
	}
	words := []string{}
	for _, d := range list {
		words = append(words, d.Kind+" "+d.State)
	}
	slices.Sort(words)
	return words
}

func (b *bench) oneDifference(kind string) DifferenceView {
	b.t.Helper()
	list, err := b.e.Differences(b.ctx(), DifferenceQuery{Gateway: "sandbox", Kind: kind})
	if err != nil || len(list) != 1 {
		b.t.Fatalf("differences of kind %s: %d, %v", kind, len(list), err)
	}
	return list[0]
}

func TestImportMatches(t *testing.T) {
	b := settleBench(t)
	b.paid("ORDER-1", "20.00")
	b.paid("ORDER-2", "30.00")
	path := b.report("day.csv",
		row{id: "r1", payment: "sbx_ORDER-1", gross: "20.00", fee: "0.50", net: "19.50"},
		row{id: "r2", ref: "ORDER-2", gross: "30.00", fee: "0.75", net: "29.25"},
		row{id: "r3", kind: "payout", gross: "-48.75"})
	want := map[string]string{"matched PHP": "2 5000", "other_money PHP": "1 -4875"}
	wantCounts(t, b.dry(path), want)
	r := b.imported(path)
	wantCounts(t, r, want)
	if r.Lines != 3 || r.Rejected != 0 || r.Matched != 2 || r.AlreadyImported || !slices.Equal(r.Days, []string{"2031-03-07"}) {
		t.Errorf("%+v", r)
	}
	v, err := b.e.SettlementDay(b.ctx(), "sandbox", "2031-03-07")
	if err != nil || v.State != DayClean || v.Lines != 3 || v.Matched != 2 || v.Paid != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	if again := b.imported(path); !again.AlreadyImported || again.ID != r.ID {
		t.Errorf("again: %+v", again)
	}
	b.sound()
}

func TestBehindAsksOnceAndIsClearedByTheAnswer(t *testing.T) {
	b := settleBench(t)
	v := b.register("ORDER-1", "20.00")
	r := b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}))
	wantCounts(t, r, map[string]string{"status_behind PHP": "1 2000"})
	b.work()
	if p := b.payment(v.ID); p.State != "pending" {
		t.Fatalf("a line moved the payment to %s", p.State)
	}
	if got := b.differences(); !slices.Equal(got, []string{"status_behind asking"}) {
		t.Fatalf("differences %v", got)
	}
	b.send(b.notice("ORDER-1", "paid", "20.00"))
	b.settled()
	if got := b.differences(); !slices.Equal(got, []string{"status_behind cleared"}) {
		t.Errorf("differences %v", got)
	}
	if len(b.reviews()) != 0 {
		t.Errorf("reviews %v", b.reviewKinds())
	}
	b.sound()
}

func TestMissingLocallyIsAdopted(t *testing.T) {
	b := settleBench(t)
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-9", payment: "sbx_ORDER-9", gross: "20.00"}))
	b.settled()
	if got := b.differences(); !slices.Equal(got, []string{"missing_locally asking"}) {
		t.Fatalf("differences %v", got)
	}
	if len(b.events()) != 0 {
		t.Error("a line told the shop")
	}
	v := b.register("ORDER-9", "20.00")
	b.send(b.notice("ORDER-9", "paid", "20.00"))
	b.settled()
	if got := b.differences(); !slices.Equal(got, []string{"missing_locally cleared"}) {
		t.Errorf("differences %v", got)
	}
	if p := b.payment(v.ID); p.State != "succeeded" {
		t.Errorf("payment %s", p.State)
	}
	b.sound()
}

func TestMissingAtGatewayIsExpectedFirst(t *testing.T) {
	b := settleBench(t)
	b.paid("ORDER-1", "20.00")
	b.paid("ORDER-2", "30.00")
	r := b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}))
	wantCounts(t, r, map[string]string{"matched PHP": "1 2000", "expected PHP": "1 3000"})
	b.clock.move(5 * 24 * time.Hour)
	b.settled()
	if got := b.differences(); !slices.Equal(got, []string{"missing_at_gateway open"}) {
		t.Fatalf("differences %v", got)
	}
	if kinds := b.reviewKinds(); !slices.Equal(kinds, []string{settlementKind}) {
		t.Fatalf("reviews %v", kinds)
	}
	b.imported(b.report("next.csv", row{id: "r2", ref: "ORDER-2", gross: "30.00", at: "2031-03-08 00:00:01"}))
	if got := b.differences(); !slices.Equal(got, []string{"missing_at_gateway cleared"}) {
		t.Errorf("differences %v", got)
	}
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("reviews %v", kinds)
	}
	b.sound()
}

func TestSameLineAgain(t *testing.T) {
	b := settleBench(t)
	b.paid("ORDER-1", "20.00")
	line := row{id: "r1", ref: "ORDER-1", gross: "20.00"}
	payout := row{id: "r2", kind: "payout", gross: "-20.00"}
	twice := b.imported(b.report("one.csv", line, line, payout))
	wantCounts(t, twice, map[string]string{"matched PHP": "1 2000", "duplicate_line PHP": "1 2000", "other_money PHP": "1 -2000"})
	next := b.imported(b.report("two.csv", line, payout, row{id: "r3", ref: "ORDER-1", gross: "20.00"}))
	wantCounts(t, next, map[string]string{"settled_twice PHP": "1 2000"})
	if next.Known != 2 || next.Lines != 3 {
		t.Errorf("%+v", next)
	}
	b.sound()
}

func TestUndo(t *testing.T) {
	b := settleBench(t)
	b.paid("ORDER-1", "20.00")
	line := row{id: "r1", ref: "ORDER-1", gross: "20.00"}
	one := b.imported(b.report("one.csv", line, row{id: "r2", ref: "NOBODY", gross: "5.00"}))
	two := b.imported(b.report("two.csv", line, row{id: "r3", kind: "payout", gross: "-20.00"}))
	if err := b.e.UndoImport(b.ctx(), one.ID, "ana", "wrong file", "f1"); KindOf(err) != KindUnprocessable {
		t.Errorf("undo of what another import stands on: %v", err)
	}
	for _, id := range []int64{two.ID, one.ID} {
		if err := b.e.UndoImport(b.ctx(), id, "ana", "wrong file", fmt.Sprint("undo", id)); err != nil {
			t.Fatal(err)
		}
	}
	v, err := b.e.SettlementDay(b.ctx(), "sandbox", "2031-03-07")
	if err != nil || v.Lines != 0 || len(v.Sums)+len(v.Differences) != 0 || v.State != DayExpected {
		t.Errorf("after the undo: %+v, %v", v, err)
	}
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("reviews %v", kinds)
	}
	again := b.imported(b.report("one.csv", line, row{id: "r2", ref: "NOBODY", gross: "5.00"}))
	wantCounts(t, again, map[string]string{"matched PHP": "1 2000", "missing_locally PHP": "1 500"})
	b.settled()
	b.sound()
}

func TestDryRunWritesNothing(t *testing.T) {
	b := settleBench(t)
	b.paid("ORDER-1", "20.00")
	b.register("ORDER-2", "20.00")
	groups := b.store.Stats().Groups
	b.dry(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "19.00"}, row{id: "r1", ref: "ORDER-1", gross: "19.00"}, row{id: "r2", ref: "ORDER-2", gross: "20.00"},
		row{id: "r3", ref: "NOBODY", gross: "5.00"}, row{id: "r4", gross: "x"}))
	if now := b.store.Stats().Groups; now != groups {
		t.Errorf("%d commits", now-groups)
	}
}
