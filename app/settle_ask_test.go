package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func (b *bench) figure() SettlementFigure {
	b.t.Helper()
	list, err := b.e.SettlementFigures(b.ctx())
	if err != nil || len(list) != 1 {
		b.t.Fatalf("%+v, %v", list, err)
	}
	return list[0]
}

func TestALineHasTheGatewayAskedAndTheAnswerSettlesIt(t *testing.T) {
	b, a := asking(t)
	withFormat(b)
	p := b.register("ORDER-1", "20.00")
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}))
	a.next = listed(says("ORDER-1", "paid", "20.00"))
	b.work()
	b.fire()
	if len(a.asked) != 1 {
		t.Fatalf("asked %v", a.asked)
	}
	if err := b.e.settleOnce(b.ctx(), newFolders()); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "succeeded" || got.Source != "query" {
		t.Errorf("%+v", got)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v", b.events())
	}
	if got := b.differences(); !slices.Equal(got, []string{"status_behind cleared"}) {
		t.Errorf("differences %v", got)
	}
	if f := b.figure(); f.Found != 1 || len(f.Differences) != 0 {
		t.Errorf("%+v", f)
	}
	v, err := b.e.SettlementDay(b.ctx(), "sandbox", "2031-03-07")
	if err != nil || v.State != DayClean || v.Matched != 1 {
		t.Errorf("%+v, %v", v, err)
	}
	b.sound()
}

func TestAnAnswerThatDoesNotSettleALineShowsIt(t *testing.T) {
	b, a := asking(t)
	withFormat(b)
	p := b.register("ORDER-1", "20.00")
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}))
	a.next = listed(says("ORDER-1", "waiting", "20.00"))
	b.work()
	b.fire()
	if err := b.e.settleOnce(b.ctx(), newFolders()); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.State != "pending" {
		t.Errorf("%+v", got)
	}
	if got := b.differences(); !slices.Equal(got, []string{"status_behind open"}) {
		t.Errorf("differences %v", got)
	}
	if f := b.figure(); f.Differences[findBehind] != 1 || f.Found != 0 {
		t.Errorf("%+v", f)
	}
	b.sound()
}

func TestMoneyWithoutAPaymentIsAskedAbout(t *testing.T) {
	b, a := asking(t)
	withFormat(b)
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-9", payment: "sbx_ORDER-9", gross: "20.00"}))
	b.work()
	a.next = listed(says("ORDER-9", "paid", "20.00"))
	if err := b.e.settleOnce(b.ctx(), newFolders()); err != nil {
		t.Fatal(err)
	}
	d := b.oneDifference(findMissingHere)
	if len(a.asked) != 1 || d.State != DifferenceOpen || !strings.Contains(d.Detail, "confirms") {
		t.Errorf("asked %v: %+v", a.asked, d.Difference)
	}
	if len(b.events()) != 0 {
		t.Error("the shop was told of money that nobody registered")
	}
	if kinds := b.reviewKinds(); !slices.Equal(kinds, []string{settlementKind}) {
		t.Errorf("reviews %v", kinds)
	}
	b.sound()
}

func TestARefundThatOnlyALineKnowsIsAskedAbout(t *testing.T) {
	b, a := asking(t)
	withFormat(b)
	p := b.paid("ORDER-1", "20.00")
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00"}, row{id: "r2", kind: "refund", ref: "ORDER-1", gross: "-5.00"}))
	a.next = listed(func(*http.Request) (int, http.Header, string) {
		return 200, http.Header{"Content-Type": {"application/json"}}, `{"id":"sbx_ORDER-1","reference":"ORDER-1","status":"paid","amount":"20.00","currency":"PHP","account":"shop",` +
			`"refunds":[{"id":"re_1","status":"succeeded","amount":"5.00","currency":"PHP"}]}`
	})
	b.work()
	if got := b.payment(p.ID); got.Refunded != "0.00" {
		t.Fatalf("a line refunded %s", got.Refunded)
	}
	b.clock.move(time.Second)
	b.fire()
	if err := b.e.settleOnce(b.ctx(), newFolders()); err != nil {
		t.Fatal(err)
	}
	if got := b.payment(p.ID); got.Refunded != "5.00" {
		t.Errorf("%+v", got)
	}
	if got := b.differences(); !slices.Equal(got, []string{"refund cleared"}) {
		t.Errorf("differences %v", got)
	}
	if kinds := b.reviewKinds(); len(kinds) != 0 {
		t.Errorf("reviews %v", kinds)
	}
	b.sound()
}

func TestSuccessThatTheReportDeniesIsAskedAbout(t *testing.T) {
	b, a := asking(t)
	withFormat(b)
	b.paid("ORDER-1", "20.00")
	b.imported(b.report("day.csv", row{id: "r1", ref: "ORDER-1", gross: "20.00", status: "failed"}))
	a.next = listed(says("ORDER-1", "paid", "20.00"))
	b.clock.move(time.Second)
	b.fire()
	if err := b.e.settleOnce(b.ctx(), newFolders()); err != nil {
		t.Fatal(err)
	}
	if len(a.asked) != 1 || !slices.Equal(b.differences(), []string{"status_ahead open"}) {
		t.Errorf("asked %v: %v", a.asked, b.differences())
	}
	b.sound()
}
