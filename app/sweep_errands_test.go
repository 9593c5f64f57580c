package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

// errand is a small job that is swept, and what must have come of it, whatever failed on the way.
type errand struct {
	name    string
	limits  config.Approval
	gone    bool           // the shop answers 410 until the errand says that it is back
	before  func(w *world) // nothing fails yet
	does    func(w *world)
	stands  string   // state, received, refunded, disputed, reversed of its payment
	second  string   // the same of a second one
	told    []string // events without "payment."
	reviews []string // kind=answer of each, oldest first; open: nobody has answered
	acts    []string // in the audit, oldest first
	sent    bool     // the shop got each event, at least once and as often as there are
}

func isPaid(p PaymentView) bool { return p.State == "succeeded" }

var errands = []errand{
	{
		name: "told early, registered, paid", does: func(w *world) {
			w.sends(w.b.notice(w.ref, "processing", "15.00"))
			w.registers("sandbox", w.ref, "15.00")
			w.sends(w.b.notice(w.ref, "paid", "15.00"))
			w.delivers()
		},
		stands: "succeeded 15.00 0.00 0.00 0.00", told: []string{"succeeded"}, sent: true,
	},
	{
		name: "refunds before and after the success", before: func(w *world) { w.registers("sandbox", w.ref, "15.00") },
		does: func(w *world) {
			first := w.b.back("refund", w.ref, "re_1", "succeeded", "5.00", "PHP")
			w.sends(first)
			w.sends(w.b.notice(w.ref, "paid", "15.00"))
			w.sends(first)
			w.sends(w.b.back("refund", w.ref, "re_2", "succeeded", "2.50", "PHP"))
			w.delivers()
		},
		stands: "succeeded 15.00 7.50 0.00 0.00", told: []string{"succeeded", "refunded", "refunded"}, sent: true,
	},
	{
		name: "refunds as a running total", before: func(w *world) { w.registers("own", w.ref, "15.00"); w.owns(ownPaid(w.ref)) },
		does: func(w *world) {
			for _, total := range []string{"3.00", "5.00", "5.00"} {
				w.owns(map[string]any{"kind": "refund", "rid": "R", "pid": "P-" + w.ref, "ref": w.ref, "status": "done", "total_refunded": total})
				w.b.clock.move(time.Minute)
			}
		},
		stands: "succeeded 15.00 5.00 0.00 0.00", told: []string{"succeeded", "refunded", "refunded"},
	},
	{
		name: "a dispute, lost", before: paidAtSandbox,
		does: func(w *world) {
			w.sends(w.b.back("dispute", w.ref, "dp_1", "open", "15.00", "PHP"))
			w.b.clock.move(time.Minute)
			w.sends(w.b.back("dispute", w.ref, "dp_1", "lost", "15.00", "PHP"))
			w.decides(w.ref, "reversed", Decision{Act: "ignore"})
		},
		stands: "succeeded 15.00 0.00 15.00 15.00", told: []string{"succeeded", "disputed", "disputed", "reversed"},
		reviews: []string{"reversed=ignore"}, acts: []string{"ignore"},
	},
	{
		name: "a dispute about what was refunded, won", before: paidAtSandbox,
		does: func(w *world) {
			w.sends(w.b.back("refund", w.ref, "re_1", "succeeded", "15.00", "PHP"))
			w.sends(w.b.back("dispute", w.ref, "dp_1", "open", "15.00", "PHP"))
			w.b.clock.move(time.Minute)
			w.sends(w.b.back("dispute", w.ref, "dp_1", "won", "15.00", "PHP"))
		},
		stands: "succeeded 15.00 15.00 0.00 0.00", told: []string{"succeeded", "refunded", "disputed", "disputed"},
		reviews: []string{"double_loss=answered"},
	},
	{
		name: "another amount: accepted, undone, noted, rejected",
		before: func(w *world) {
			w.registers("sandbox", w.ref, "15.00")
			w.sends(w.b.notice(w.ref, "paid", "14.00"))
		},
		does: func(w *world) {
			w.decides(w.ref, "difference", Decision{Act: "accept", Amount: "14.00"})
			w.decides(w.ref, "", Decision{Act: "undo", Refers: w.lastDecision(w.ref)})
			w.decides(w.ref, "", Decision{Act: "note"})
			w.decides(w.ref, "difference", Decision{Act: "reject"})
		},
		stands: "failed 0.00 0.00 0.00 0.00", told: []string{"unknown", "succeeded", "reversed", "failed"},
		reviews: []string{"difference=accept", "difference=reject"}, acts: []string{"accept", "undo", "note", "reject"},
	},
	{
		name: "marked as failed, undone, paid elsewhere", before: func(w *world) { w.registers("sandbox", w.ref, "15.00") },
		does: func(w *world) {
			w.decides(w.ref, "", Decision{Act: "mark_failed"})
			w.decides(w.ref, "", Decision{Act: "undo", Refers: w.lastDecision(w.ref)})
			w.decides(w.ref, "", Decision{Act: "mark_succeeded", Basis: "elsewhere", Amount: "15.00"})
			w.delivers()
		},
		stands: "succeeded 15.00 0.00 0.00 0.00", told: []string{"failed", "decided", "succeeded"}, acts: []string{"mark_failed", "undo", "mark_succeeded"}, sent: true,
	},
	{
		name: "asked, failed, then late, confirmed and fulfilled", before: func(w *world) { w.registers("sandbox", w.ref, "15.00") },
		does: func(w *world) {
			w.asked.next = reply(w.ref, "failed", "15.00", "PHP", "")
			w.b.clock.move(time.Minute)
			w.asks(w.ref, func(p PaymentView) bool { return p.State == "failed" })
			w.asked.next = reply(w.ref, "paid", "15.00", "PHP", "")
			w.b.clock.move(time.Minute)
			w.sends(w.b.notice(w.ref, "paid", "15.00"))
			w.asks(w.ref, func(p PaymentView) bool { return isPaid(p) && w.allows("late", "fulfil") })
			w.decides(w.ref, "late", Decision{Act: "fulfil"})
		},
		stands: "succeeded 15.00 0.00 0.00 0.00", told: []string{"failed", "succeeded_late", "decided"}, reviews: []string{"late=fulfil"}, acts: []string{"fulfil"},
	},
	{
		name: "closed by the shop, paid late, refunded", before: func(w *world) { w.registers("own", w.ref, "15.00") },
		does: func(w *world) {
			w.until("close", func() error { _, err := w.b.e.CloseOrder(w.t.Context(), w.ref, true); return err })
			w.owns(ownPaid(w.ref))
			w.decides(w.ref, "late", Decision{Act: "refund", Amount: "15.00"})
			w.owns(map[string]any{"kind": "single", "rid": "R1", "pid": "P-" + w.ref, "ref": w.ref, "status": "done", "amount": "15.00"})
		},
		stands: "succeeded 15.00 15.00 0.00 0.00", told: []string{"succeeded_late", "decided", "refunded"},
		reviews: []string{"late=refund", "refund_owed=answered"}, acts: []string{"order_closed", "refund"},
	},
	{
		name: "failed without a question, closed, wanted again", before: func(w *world) { w.registers("own", w.ref, "15.00") },
		does: func(w *world) {
			w.owns(map[string]any{"kind": "", "pid": "P-" + w.ref, "ref": w.ref, "status": "failed", "amount": "15.00"})
			w.b.clock.move(10 * time.Minute)
			w.until("hold", func() error {
				if _, err := w.b.e.holdsOnce(w.t.Context()); err != nil || w.one(w.ref).State == "failed" {
					return err
				}
				return errors.New("the hold is not over")
			})
			w.until("close", func() error { _, err := w.b.e.CloseOrder(w.t.Context(), w.ref, false); return err })
			w.b.clock.move(time.Minute)
			again := Registration{Gateway: "own", MerchantRef: w.ref + "-B", OrderRef: w.ref, Amount: "15.00", Currency: "PHP", Reopen: true}
			w.until("register", func() error { _, _, err := w.b.e.Register(w.t.Context(), again); return err })
		},
		stands: "failed 0.00 0.00 0.00 0.00", second: "pending 0.00 0.00 0.00 0.00", told: []string{"failed"}, acts: []string{"order_closed", "order_reopened"},
	},
	{
		name: "money without an order, linked",
		before: func(w *world) {
			w.sends(w.b.notice("NOBODY-"+w.ref, "paid", "15.00"))
			w.b.clock.move(time.Hour)
		},
		does: func(w *world) {
			w.until("keep", func() error { return w.b.e.keepOnce(w.t.Context()) })
			w.registers("sandbox", w.ref, "15.00")
			w.decides("", "money_without_order", Decision{Act: ActLink, LinkTo: w.one(w.ref).ID})
		},
		stands: "succeeded 15.00 0.00 0.00 0.00", told: []string{"succeeded"}, reviews: []string{"money_without_order=link"}, acts: []string{"link"},
	},
	{
		name: "a dead letter put off, set aside, opened again, replayed",
		before: func(w *world) {
			w.registers("sandbox", w.ref, "15.00")
			w.sends(w.b.notice(w.ref, "paid", "15,00"))
		},
		does: func(w *world) {
			w.decides("", "dead_inbox", Decision{Act: ActSnooze, Until: w.b.clock.now().Add(24 * time.Hour)})
			id := w.b.openOf("dead_inbox").ID
			w.decides("", "dead_inbox", Decision{Act: ActDismiss})
			w.decides("", "", Decision{Act: ActReopen, ReviewID: id})
			w.decides("", "dead_inbox", Decision{Act: ActReplay})
			w.work()
			w.decides("", "dead_inbox", Decision{Act: ActDismiss}) // it is as little readable as before
		},
		stands: "pending 0.00 0.00 0.00 0.00", reviews: []string{"dead_inbox=replay", "dead_inbox=dismiss"}, acts: []string{ActSnooze, ActDismiss, ActReopen, ActReplay, ActDismiss},
	},
	{
		name: "approved by a second person, another turned down", limits: config.Approval{"PHP": 1000},
		before: func(w *world) { w.registers("sandbox", w.ref, "15.00") },
		does: func(w *world) {
			w.decides(w.ref, "", Decision{Act: "mark_succeeded", Basis: "elsewhere", Amount: "15.00"})
			w.decides("", "approval_wanted", Decision{Actor: "ben", Act: ActApprove})
			w.decides(w.ref, "", Decision{Act: "refund", Amount: "15.00"})
			w.decides("", "approval_wanted", Decision{Actor: "ben", Act: ActTurnDown})
		},
		stands: "succeeded 15.00 0.00 0.00 0.00", told: []string{"succeeded"},
		reviews: []string{"approval_wanted=approve", "approval_wanted=turn_down"}, acts: []string{"propose", "approve", "propose", "turn_down"},
	},
	{
		name: "the shop is gone and comes back", before: paidAtSandbox,
		gone: true,
		does: func(w *world) {
			w.delivers()
			w.shop.answer = ok
			w.decides("", "shop_gone", Decision{Act: ActResume})
			w.delivers()
		},
		stands: "succeeded 15.00 0.00 0.00 0.00", told: []string{"succeeded"}, reviews: []string{"shop_gone=resume"}, acts: []string{"resume"}, sent: true,
	},
	{
		name: "claimed and done", before: paidAtSandbox,
		does: func(w *world) {
			id := w.one(w.ref).ID
			w.until("claim", func() error { _, _, err := w.b.e.Claim(w.t.Context(), "fulfil:"+w.ref, id, "one"); return err })
			w.until("done", func() error { _, err := w.b.e.FinishClaim(w.t.Context(), "fulfil:"+w.ref); return err })
			if _, _, err := w.b.e.Claim(w.t.Context(), "fulfil:"+w.ref, id, "one"); err == nil {
				w.t.Error("it can be claimed a second time")
			}
		},
		stands: "succeeded 15.00 0.00 0.00 0.00", told: []string{"succeeded"},
	},
	{
		name: "a refund that never comes to its end", before: func(w *world) {
			paidAtSandbox(w)
			w.sends(w.b.back("refund", w.ref, "re_1", "pending", "15.00", "PHP"))
			w.b.clock.move(31 * 24 * time.Hour)
		},
		does: func(w *world) {
			w.until("hold", func() error {
				if _, err := w.b.e.holdsOnce(w.t.Context()); err != nil || len(w.b.reviews()) > 0 {
					return err
				}
				return errors.New("nobody is asked")
			})
			w.decides(w.ref, "return_waits", Decision{Act: ActRecordRefund, Amount: "15.00"})
		},
		stands: "succeeded 15.00 15.00 0.00 0.00", told: []string{"succeeded", "refunded"}, reviews: []string{"return_waits=record_refund"}, acts: []string{"record_refund"},
	},
}

func ownPaid(ref string) map[string]any {
	return map[string]any{"kind": "", "pid": "P-" + ref, "ref": ref, "status": "paid", "amount": "15.00"}
}

func paidAtSandbox(w *world) {
	w.registers("sandbox", w.ref, "15.00")
	w.sends(w.b.notice(w.ref, "paid", "15.00"))
}

// lastDecision is the id of the newest decision on a payment.
func (w *world) lastDecision(ref string) (id int64) {
	w.t.Helper()
	public := w.one(ref).ID
	w.b.view(func(rx *store.Rx) error {
		p, _, err := rx.PaymentByPublicID(public)
		if err != nil {
			return err
		}
		facts, err := rx.FactsOf(p.ID)
		for _, f := range facts {
			if f.Kind == "decision" {
				id = f.ID
			}
		}
		return err
	})
	return id
}

// allows tells whether the open question of a kind may be answered with an act.
func (w *world) allows(kind, act string) bool {
	list, err := w.b.e.ReviewChoices(w.t.Context(), w.b.openOf(kind).ID)
	return err == nil && slices.ContainsFunc(list, func(c Choice) bool { return c.Act == act && c.Blocked == "" })
}

// mark is how far the lists of the database and of the shop had come before an errand.
type mark struct {
	event, audit, review int64
	sent                 int
}

func (w *world) marked() (m mark) {
	w.t.Helper()
	m.sent = len(w.shop.sent())
	w.b.view(func(rx *store.Rx) (err error) {
		if m.event, err = rx.LastEvent(); err != nil {
			return err
		}
		audit, err := rx.Audits(0, 0, 1)
		if len(audit) > 0 {
			m.audit = audit[0].ID
		}
		for _, v := range w.allReviews(rx) {
			m.review = max(m.review, v.ID)
		}
		return err
	})
	return m
}

func (w *world) allReviews(rx *store.Rx) []store.Review {
	w.t.Helper()
	open, err := rx.OpenReviews("", w.b.clock.now().UnixMilli(), true, 50)
	if err != nil {
		w.t.Fatal(err)
	}
	closed, err := rx.ClosedReviews(50)
	if err != nil {
		w.t.Fatal(err)
	}
	all := append(open, closed...)
	slices.SortFunc(all, func(a, b store.Review) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// happened lists what was told, asked and done since a mark, oldest first, and the ids of what was told.
func (w *world) happened(m mark) (told, ids, reviews, acts []string) {
	w.t.Helper()
	w.b.view(func(rx *store.Rx) error {
		events, err := rx.EventsAfter(m.event, 50)
		if err != nil {
			return err
		}
		for _, e := range events {
			told, ids = append(told, strings.TrimPrefix(e.Type, "payment.")), append(ids, eventID(e))
		}
		for _, v := range w.allReviews(rx) {
			if v.ID > m.review {
				reviews = append(reviews, v.Kind+"="+cmp.Or(v.Answer, v.State))
			}
		}
		audit, err := rx.Audits(0, 0, 20)
		for _, a := range slices.Backward(audit) {
			if a.ID > m.audit {
				acts = append(acts, a.Action)
			}
		}
		return err
	})
	return told, ids, reviews, acts
}

// wrong compares what has come of an errand with what must.
func (one errand) wrong(w *world, m mark) (list []string) {
	w.t.Helper()
	for ref, want := range map[string]string{w.ref: one.stands, w.ref + "-B": one.second} {
		if want == "" {
			continue
		}
		p := w.one(ref)
		if got := strings.Join([]string{p.State, p.Received, p.Refunded, p.Disputed, p.Reversed}, " "); got != want {
			list = append(list, fmt.Sprintf("%s stands as %s, want %s", ref, got, want))
		}
	}
	told, ids, reviews, acts := w.happened(m)
	for _, c := range []struct {
		what       string
		have, want []string
	}{{"told", told, one.told}, {"reviews", reviews, one.reviews}, {"acts", acts, one.acts}} {
		if !slices.Equal(c.have, c.want) {
			list = append(list, fmt.Sprintf("%s %v, want %v", c.what, c.have, c.want))
		}
	}
	sent := slices.Compact(slices.Clone(w.shop.sent()[m.sent:]))
	if one.sent && !slices.Equal(sent, ids) || w.shop.bad != 0 {
		list = append(list, fmt.Sprintf("the shop got %v (%d signed wrongly), want %v", sent, w.shop.bad, ids))
	}
	return list
}
