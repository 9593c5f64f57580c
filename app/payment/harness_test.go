package payment

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The agreed payment of the tests: 100.00 PHP, created at 0.
func terms() Terms {
	return Terms{
		PaymentID: "pay_1", OrderRef: "ORDER-1", Amount: 10000, Currency: "PHP",
		GiveUpMs: 48 * hour, HasQuery: true, FailureHoldMs: 10 * minute,
	}
}

func noQuery() Terms {
	t := terms()
	t.HasQuery = false
	return t
}

func notice(w Word, own int64) Fact {
	return Fact{Kind: FactWord, Source: SourceNotice, Word: w, OwnMs: own, Key: fmt.Sprintf("n:%s:%d", w, own)}
}

func query(w Word, own int64) Fact {
	return Fact{Kind: FactWord, Source: SourceQuery, Word: w, OwnMs: own, Key: fmt.Sprintf("q:%s:%d", w, own)}
}

func (f Fact) amount(minor int64) Fact {
	f.HasAmount, f.Amount, f.Currency = true, minor, "PHP"
	f.Key += fmt.Sprintf(":%d", minor)
	return f
}

func (f Fact) hint() Fact {
	f.Hint = true
	f.Key = "hint:" + f.Key
	return f
}

func (f Fact) report() Fact {
	f.Source = SourceReport
	f.Key = "report:" + f.Key
	return f
}

func (f Fact) in(currency string) Fact {
	f.Currency = currency
	f.Key += currency
	return f
}

func paidNotice(own int64) Fact { return notice(WordSucceeded, own).amount(10000) }
func paidQuery(own int64) Fact  { return query(WordSucceeded, own).amount(10000) }

func refund(ref, status string, minor, own int64) Fact {
	return Fact{Kind: FactRefund, Source: SourceNotice, Ref: ref, Status: status, HasAmount: true, Amount: minor, Currency: "PHP",
		OwnMs: own, Key: fmt.Sprintf("refund:%s:%s:%d:%d", ref, status, minor, own)}
}

func running(minor, own int64) Fact {
	f := refund("total", RefundSucceeded, minor, own)
	f.Cumulative = true
	f.Key = "running:" + f.Key
	return f
}

func dispute(status string, minor, own int64) Fact {
	f := refund("dp_1", status, minor, own)
	f.Kind = FactDispute
	f.Key = "dispute:" + f.Key
	return f
}

func unmapped(own int64) Fact {
	return Fact{Kind: FactUnmapped, Source: SourceNotice, Ref: "SETTLING", OwnMs: own, Key: fmt.Sprintf("unmapped:%d", own)}
}

func gaveUp(w Word, at int64) Fact {
	return Fact{Kind: FactGaveUp, Source: SourceTimer, Word: w, OwnMs: at, CommittedMs: at, Key: fmt.Sprintf("gave_up:%s", w)}
}

func neverHeard(at int64) Fact {
	f := gaveUp(WordNotFound, at)
	f.Never = true
	return f
}

func shopClosed(at int64) Fact {
	return Fact{Kind: FactClosed, Source: SourceShop, OwnMs: at, CommittedMs: at, Key: "order_closed"}
}

func shopReopened(at int64) Fact {
	return Fact{Kind: FactReopened, Source: SourceShop, OwnMs: at, CommittedMs: at, Key: "order_reopened"}
}

// decision is a person's; its Saw is filled by the world with the version before it.
func decision(a Act) Fact {
	return Fact{Kind: FactDecision, Source: SourcePerson, Act: a, Actor: "ana", Reason: "as told on the phone", Saw: -1}
}

func elsewhere() Fact {
	f := decision(ActMarkSucceeded).amount(10000)
	f.Basis = BasisElsewhere
	return f
}

func vouched() Fact {
	f := decision(ActMarkSucceeded).amount(10000)
	f.Basis = BasisGateway
	return f
}

func undo(of int64) Fact {
	f := decision(ActUndo)
	f.Refers = of
	return f
}

// said is an entry with the body that was frozen with it.
type said struct {
	Entry
	Body    Body
	Version int64
}

// world keeps one payment as the engine does: facts in order of commit, one Move for each commit.
type world struct {
	t       Terms
	facts   []Fact
	version int64
	now     int64
	told    Told
	entries []said
	s       Standing
	reviews []Review
	other   bool
	sibling *Standing // of another payment of the order, if there is one
	rules   rules
	breach  string // a law that was broken
}

// rules are the functions that a world plays by; some tests break them on purpose.
type rules struct {
	stand func(Terms, []Fact) (Standing, []Review)
	late  func(Standing, []Fact, Told) (Fact, bool)
	tell  func(Standing, []Fact, Told, OrderContext) ([]Entry, Told)
	keep  func(Terms, []Fact, AskState, Fact) bool
}

var trueRules = rules{Stand, Late, Tell, Keep}

func newWorld(t Terms) *world {
	w := &world{t: t, rules: trueRules, version: 1}
	w.s, w.reviews = Stand(t, nil)
	return w
}

// commit stores new facts together and tells the shop; a fact whose key is known is dropped, as the store does.
func (w *world) commit(facts ...Fact) {
	w.version++
	w.now += second
	n := len(w.facts)
	for _, f := range facts {
		w.store(f)
	}
	if len(w.facts) == n {
		w.version--
		return
	}
	w.move()
}

func (w *world) store(f Fact) {
	if f.Kind == FactDecision {
		f.Key = "decision:" + strconv.Itoa(len(w.facts))
		f.OwnMs = cmp.Or(f.OwnMs, w.now)
		if f.Saw < 0 {
			f.Saw = w.version - 1
		}
	}
	if slices.ContainsFunc(w.facts, func(g Fact) bool { return g.Key == f.Key }) {
		return
	}
	f.ID, f.Version = int64(len(w.facts)+1), w.version
	f.CommittedMs = cmp.Or(f.CommittedMs, w.now)
	w.facts = append(w.facts, f)
}

// move is Move, spelled out so that a broken rule can take the place of the real one.
func (w *world) move() {
	w.s, w.reviews = w.rules.stand(w.t, w.facts)
	if late, due := w.rules.late(w.s, w.facts, w.told); due {
		w.store(late)
		w.s, w.reviews = w.rules.stand(w.t, w.facts)
	}
	var entries []Entry
	entries, w.told = w.rules.tell(w.s, w.facts, w.told, OrderContext{OtherPaidAndTold: w.other})
	for _, e := range entries {
		w.entries = append(w.entries, said{e, w.s.Body(), w.version})
	}
	w.laws(entries)
}

// laws checks what must hold after every commit.
func (w *world) laws(entries []Entry) {
	for i, e := range entries {
		if slices.ContainsFunc(entries[:i], func(x Entry) bool { return x.Type == e.Type }) {
			w.breach = fmt.Sprintf("%s twice in version %d", e.Type, w.version)
		}
	}
	if w.s.Settled() && (len(w.entries) == 0 || w.entries[len(w.entries)-1].Body != w.s.Body()) {
		w.breach = fmt.Sprintf("version %d: the last entry does not carry %+v", w.version, w.s.Body())
	}
	if w.s.Paid() != w.told.Success && (w.s.Paid() || w.s.State != Succeeded) {
		w.breach = fmt.Sprintf("version %d: paid is %t, success told is %t", w.version, w.s.Paid(), w.told.Success)
	}
	if n := w.successes(); n > 1 && w.acts() == 0 {
		w.breach = fmt.Sprintf("payment.succeeded told %d times without a person", n)
	}
	if w.s.Received < 0 || w.s.Refunded < 0 || w.s.Disputed < 0 || w.s.Reversed < 0 || w.s.Elsewhere > w.s.Received {
		w.breach = fmt.Sprintf("version %d: impossible amounts %+v", w.version, w.s)
	}
}

func (w *world) successes() (n int) {
	for _, e := range w.entries {
		if e.Type == EventSucceeded {
			n++
		}
	}
	return n
}

func (w *world) acts() (n int) {
	for _, f := range w.facts {
		if f.Kind == FactDecision {
			n++
		}
	}
	return n
}

func (w *world) types() string { return toldTypes(w.entries) }

func toldTypes(entries []said) string {
	var list []string
	for _, e := range entries {
		list = append(list, strings.TrimPrefix(string(e.Type), "payment."))
	}
	return strings.Join(list, " ")
}

func reasons(reviews []Review) string {
	var list []string
	for _, r := range reviews {
		id := r.ID()
		if r.Reason == ReasonRefundOwed { // its key is an id, which the order of arrival decides
			id = string(r.Reason)
		}
		if r.Urgent {
			id += "!"
		}
		list = append(list, id)
	}
	return strings.Join(list, " ")
}

// picture is a standing in one line: state/cause, then the amounts that are not zero, then flags.
func picture(s Standing) string {
	b := string(s.State)
	if s.Cause != NoCause {
		b += "/" + string(s.Cause)
	}
	for _, a := range []struct {
		name  string
		minor int64
	}{{"received", s.Received}, {"refunded", s.Refunded}, {"disputed", s.Disputed}, {"reversed", s.Reversed}} {
		if a.minor != 0 {
			b += fmt.Sprintf(" %s=%d", a.name, a.minor/100)
		}
	}
	if s.Late {
		b += " late"
	}
	return b
}

// check compares a world with what the specification says of it.
func (w *world) check(t *testing.T, standing, entries, reviews string) {
	t.Helper()
	if got := picture(w.s); got != standing {
		t.Errorf("standing %q, want %q", got, standing)
	}
	if got := w.types(); got != entries {
		t.Errorf("entries %q, want %q", got, entries)
	}
	if got := reasons(w.reviews); got != reviews {
		t.Errorf("reviews %q, want %q", got, reviews)
	}
	if w.breach != "" {
		t.Error(w.breach)
	}
}
