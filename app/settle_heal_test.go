package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
)

// withoutKey takes the key away by which the sandbox is asked.
func withoutKey(c *config.Config, _ *Options) { c.Gateways[0].APIKey = config.Secret{} }

// withFormat saves the tests' report for a bench's sandbox.
func withFormat(b *bench) *bench {
	b.t.Helper()
	if err := b.e.SaveReportFormat(b.ctx(), "sandbox", settleSpec(), nil, "ana"); err != nil {
		b.t.Fatal(err)
	}
	return b
}

func (b *bench) decideAll(act, ref string, list ...DifferenceView) error {
	b.t.Helper()
	d := DifferenceDecision{Act: act, PaymentRef: ref, Reason: "looked it up", Actor: "ana", FormKey: fmt.Sprintf("%s-%d", act, b.clock.now().UnixNano())}
	for _, v := range list {
		d.IDs, d.Versions = append(d.IDs, v.ID), append(d.Versions, v.Version)
	}
	b.clock.move(time.Millisecond)
	_, err := b.e.DecideDifferences(b.ctx(), d)
	return err
}

func TestReportIsAcceptedWhereNobodyCanBeAsked(t *testing.T) {
	b := withFormat(newBench(t, withoutKey))
	v := b.register("ORDER-1", "20.00")
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}))
	b.settled()
	if p := b.payment(v.ID); p.State != "pending" {
		t.Fatalf("a line moved the payment to %s", p.State)
	}
	if kinds := b.reviewKinds(); !slices.Equal(kinds, []string{acceptReportKind, settlementKind}) {
		t.Fatalf("reviews %v", kinds)
	}
	d := b.oneDifference(findBehind)
	if d.State != DifferenceOpen || !slices.Contains(d.Acts, ActAcceptReport) || d.Askable {
		t.Fatalf("%+v", d)
	}
	if err := b.decideAll(ActAskDifference, "", d); KindOf(err) != KindUnprocessable {
		t.Errorf("asked where nobody can be: %v", err)
	}
	if err := b.decideAll(ActAcceptReport, "", d); err != nil {
		t.Fatal(err)
	}
	p := b.payment(v.ID)
	if p.State != "succeeded" || p.Received != "20.00" || p.Source != "person" {
		t.Errorf("%+v", p)
	}
	if err := b.decideAll(ActAcceptReport, "", d); KindOf(err) != KindStale {
		t.Errorf("accepted a second time: %v", err)
	}
	if got := b.differences(); !slices.Equal(got, []string{"status_behind cleared"}) {
		t.Errorf("differences %v", got)
	}
	if got := b.events(); !slices.Equal(got, []string{"payment.succeeded"}) {
		t.Errorf("told %v", got)
	}
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("reviews %v", kinds)
	}
	b.sound()
}

func TestLargeAcceptedReportNeedsApproval(t *testing.T) {
	limit := func(c *config.Config, _ *Options) { c.Limits.ApproveAbove = config.Approval{"PHP": 1000} }
	b := withFormat(newBench(t, withoutKey, limit))
	v := b.register("ORDER-1", "20.00")
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}))
	b.settled()
	if err := b.decideAll(ActAcceptReport, "", b.oneDifference(findBehind)); err != nil {
		t.Fatal(err)
	}
	if p := b.payment(v.ID); p.State == "succeeded" {
		t.Fatal("it took effect without approval")
	}
	for _, r := range b.reviews() {
		if r.Kind == approvalKind {
			if err := b.e.Decide(b.ctx(), Decision{Actor: "ben", ReviewID: r.ID, Act: ActApprove, Reason: "seen"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.settled()
	if p := b.payment(v.ID); p.State != "succeeded" {
		t.Errorf("approved and %s", p.State)
	}
	if got := b.differences(); !slices.Equal(got, []string{"status_behind cleared"}) {
		t.Errorf("differences %v", got)
	}
	b.sound()
}

func TestLineIsLinkedByAPerson(t *testing.T) {
	b := settleBench(t)
	v := b.register("ORDER-1", "20.00")
	b.imported(b.report("day.csv", row{id: "r1", ref: "TYPO-1", gross: "20.00"}))
	b.settled()
	if err := b.decideAll(ActLinkDifference, "ORDER-1", b.oneDifference(findMissingHere)); err != nil {
		t.Fatal(err)
	}
	d := b.oneDifference(findBehind)
	if d.Payment == nil || d.Payment.ID != v.ID {
		t.Errorf("%+v", d)
	}
	b.send(b.notice("ORDER-1", "paid", "20.00"))
	b.settled()
	if got := b.differences(); !slices.Equal(got, []string{"status_behind cleared"}) {
		t.Errorf("differences %v", got)
	}
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("reviews %v", kinds)
	}
	b.sound()
}

func TestManyAreDecidedAtOnce(t *testing.T) {
	b := settleBench(t)
	rows := []row{}
	for i := range 120 {
		rows = append(rows, row{id: fmt.Sprint("r", i), kind: "refund", ref: fmt.Sprint("OLD-", i), gross: "-1.00"})
	}
	r := b.imported(b.report("day.csv", rows...))
	b.clock.move(2 * askFor)
	b.settled()
	list, err := b.e.Differences(b.ctx(), DifferenceQuery{Gateway: "sandbox", Day: "2031-03-07", State: DifferenceOpen, Limit: 1000})
	if err != nil || len(list) != 120 {
		t.Fatalf("%d, %v", len(list), err)
	}
	d := DifferenceDecision{Act: ActIgnoreDifference, Reason: "before nodrop", Actor: "ana", FormKey: "once"}
	for _, v := range list {
		d.IDs, d.Versions = append(d.IDs, v.ID), append(d.Versions, v.Version)
	}
	for range 2 { // a double click
		if done, err := b.e.DecideDifferences(b.ctx(), d); err != nil || done != 120 {
			t.Fatalf("%d, %v", done, err)
		}
	}
	day, err := b.e.SettlementDay(b.ctx(), "sandbox", "2031-03-07")
	if err != nil || day.Open != 0 || day.State != DayClean {
		t.Errorf("%+v, %v", day, err)
	}
	if err := b.e.UndoImport(b.ctx(), r.ID, "ana", "wrong", "u"); KindOf(err) != KindUnprocessable {
		t.Errorf("undone although decided: %v", err)
	}
	b.sound()
}

func TestAnsweredQuestionShowsWhatIsLeft(t *testing.T) {
	b := settleBench(t)
	b.register("ORDER-1", "20.00")
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}))
	b.work()
	b.clock.move(2 * askFor) // nobody answered
	b.settled()
	if got := b.differences(); !slices.Equal(got, []string{"status_behind open"}) {
		t.Errorf("differences %v", got)
	}
	if kinds := b.reviewKinds(); !slices.Equal(kinds, []string{settlementKind}) {
		t.Errorf("reviews %v", kinds)
	}
	b.sound()
}

func TestQueuedReportsAndFolders(t *testing.T) {
	folder := t.TempDir()
	b := withFormat(newBench(t, func(c *config.Config, _ *Options) { c.Gateways[0].Reports = folder }))
	b.paid("ORDER-1", "20.00")
	spooled := b.report("spool.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"})
	junk := filepath.Join(t.TempDir(), "junk.csv")
	if err := os.WriteFile(junk, []byte("hello\nworld\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, path := range []string{junk, spooled} {
		id, err := b.e.QueueImport(b.ctx(), ImportRequest{Gateway: "sandbox", Path: path, Source: ReportUploaded, Actor: "ana"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	watched := filepath.Join(folder, "watched.csv")
	if err := os.WriteFile(watched, []byte(settleHeader+row{id: "r9", kind: "payout", gross: "-20.00"}.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	seen := newFolders()
	for range 3 {
		if err := b.e.settleOnce(b.ctx(), seen); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{ImportFailed, ImportDone} {
		if v, err := b.e.ImportByID(b.ctx(), ids[i]); err != nil || v.State != want || (v.Problem != "") != (want == ImportFailed) {
			t.Errorf("import %d: %+v, %v", ids[i], v, err)
		}
	}
	if _, err := os.Stat(spooled); !os.IsNotExist(err) {
		t.Errorf("the spooled file: %v", err)
	}
	list, err := b.e.Imports(b.ctx(), ImportQuery{Gateway: "sandbox"})
	if err != nil || len(list) != 3 || list[0].Source != ReportFolder || list[0].State != ImportDone {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := os.Stat(watched); err != nil {
		t.Errorf("the watched file: %v", err)
	}
	b.sound()
}

// TestReadInPartVanishesAndIsReadAgain takes up an import whose run ended after some of its lines were stored.
func TestReadInPartVanishesAndIsReadAgain(t *testing.T) {
	b := settleBench(t)
	b.paid("ORDER-1", "20.00")
	path := b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}, row{id: "r2", ref: "NOBODY", gross: "5.00"})
	r := ImportRequest{Gateway: "sandbox", Path: path}
	a, digest, size, err := b.e.checkImport(&r)
	if err != nil {
		t.Fatal(err)
	}
	half, _, err := b.e.beginImport(b.ctx(), a, r, ImportReading, digest, size)
	if err != nil {
		t.Fatal(err)
	}
	dead := newImportRun(b.e, a, &half, r)
	if err := dead.read(b.ctx()); err != nil {
		t.Fatal(err)
	}
	half.State = ImportReading // it ended just before it was read whole
	if err := b.e.saveImport(b.ctx(), &half); err != nil {
		t.Fatal(err)
	}
	if got := b.differences(); len(got) != 0 {
		t.Errorf("differences of an import that is being read are shown: %v", got)
	}
	if _, err := b.e.Import(b.ctx(), r); KindOf(err) != KindBusy {
		t.Errorf("a second import beside a living one: %v", err)
	}
	b.clock.move(importStale)
	if err := b.e.settleOnce(b.ctx(), newFolders()); err != nil {
		t.Fatal(err)
	}
	if err := b.e.saveImport(b.ctx(), &half); KindOf(err) != KindStale {
		t.Errorf("the dead run writes on: %v", err)
	}
	v, err := b.e.ImportByID(b.ctx(), half.ID)
	if err != nil || v.State != ImportDone || v.Lines != 2 {
		t.Errorf("%+v, %v", v, err)
	}
	lines, err := b.e.DayLines(b.ctx(), "sandbox", "2031-03-07", "", 0, 10)
	if err != nil || len(lines) != 2 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
	b.sound()
}

func TestReportCases(t *testing.T) {
	t.Run("R-148", func(t *testing.T) {
		b := settleBench(t)
		b.paid("PM-1", "20.00")
		line := row{id: "row-1", ref: "PM-1", gross: "20.00"}
		wantCounts(t, b.imported(b.report("one.csv", line, line)), map[string]string{"matched PHP": "1 2000", "duplicate_line PHP": "1 2000"})
		next := b.imported(b.report("two.csv", line, row{id: "row-2", ref: "PM-1", gross: "20.00", at: "2031-03-08 02:00:00"}))
		wantCounts(t, next, map[string]string{"settled_twice PHP": "1 2000"})
		if next.Known != 1 {
			t.Errorf("%+v", next)
		}
	})
	t.Run("R-149", func(t *testing.T) {
		b := newBench(t)
		spec := settleSpec()
		delete(spec.Columns, "line_id")
		spec.Required = gateway.List{"kind", "gross"}
		if err := b.e.SaveReportFormat(b.ctx(), "sandbox", spec, nil, "ana"); err != nil {
			t.Fatal(err)
		}
		twin := row{kind: "payout", gross: "-35.00"}
		for i, name := range []string{"one.csv", "two.csv"} {
			r := b.imported(b.report(name, slices.Repeat([]row{twin}, 2)...))
			if i == 0 && (r.Known != 0 || r.Lines != 2) || i == 1 && !r.AlreadyImported {
				t.Errorf("%+v", r)
			}
		}
		r := b.imported(b.report("three.csv", slices.Repeat([]row{twin}, 3)...))
		if r.Known != 2 || r.Lines != 3 {
			t.Errorf("%+v", r)
		}
	})
}

func TestReportCasesOfDaysAndIDs(t *testing.T) {
	t.Run("R-150", func(t *testing.T) {
		b := newBench(t)
		spec := settleSpec()
		spec.Zone = "Asia/Bangkok" // UTC+7; the shop's own day is that of UTC+8
		if err := b.e.SaveReportFormat(b.ctx(), "sandbox", spec, nil, "ana"); err != nil {
			t.Fatal(err)
		}
		b.clock.move(15*time.Hour + 30*time.Minute) // 2031-03-07T16:30Z
		b.paid("PM-1", "10.00")
		b.clock.move(time.Hour) // 17:30Z
		b.paid("PM-2", "20.00")
		b.clock.move(30 * 24 * time.Hour)
		r := b.imported(b.report("march-7.csv", row{id: "r1", ref: "PM-1", gross: "10.00", at: "2031-03-07 23:30:00"}))
		wantCounts(t, r, map[string]string{"matched PHP": "1 1000"})
		r = b.imported(b.report("march-8.csv", row{id: "r2", ref: "PM-2", gross: "20.00", at: "2031-03-08 00:30:00"}))
		wantCounts(t, r, map[string]string{"matched PHP": "1 2000"})
		if !slices.Equal(r.Days, []string{"2031-03-08"}) || len(b.differences()) != 0 {
			t.Errorf("%v, %v", r.Days, b.differences())
		}
	})
	t.Run("R-152", func(t *testing.T) {
		b := settleBench(t)
		for _, p := range []struct{ ref, id, amount string }{{"ORD-1", "2031030700000300", "10.00"}, {"ORD-2", "2031030700000421", "12.00"}, {"7", "0000123", "5.00"}} {
			reg := Registration{Gateway: "sandbox", MerchantRef: p.ref, Amount: p.amount, Currency: "PHP", GatewayRefs: []Ref{{Kind: "payment", ID: p.id}}}
			if _, _, err := b.e.Register(b.ctx(), reg); err != nil {
				t.Fatal(err)
			}
		}
		r := b.imported(b.report("day.csv", row{id: "r1", ref: "ORD-1", payment: "2.03103E+15", gross: "10.00"},
			row{id: "r2", ref: "ORD-2", payment: "2031030700000420", gross: "12.00"}, row{id: "r3", ref: "7", payment: "123", gross: "5.00"}))
		wantCounts(t, r, map[string]string{"unparseable XXX": "1 0", "missing_locally PHP": "2 1700"})
		list, err := b.e.Differences(b.ctx(), DifferenceQuery{Gateway: "sandbox", Kind: findMissingHere})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.Proposal == "" || d.Payment != nil {
				t.Errorf("line %d: proposal %q, payment %v", d.Number, d.Proposal, d.Payment)
			}
		}
	})
}
