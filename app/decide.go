package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nodrop/app/payment"
	"nodrop/store"
)

// The acts of a person that are not facts of a payment.
const (
	ActAsk     = "ask"     // ask the gateway now
	ActLink    = "link"    // a parked notice is about this payment
	ActReplay  = "replay"  // work on a dead letter again
	ActResend  = "resend"  // send an event again
	ActVerify  = "verify"  // read refused requests again
	ActRelease = "release" // a claim may be taken again
	ActResume  = "resume"  // the shop is there again
	ActSnooze  = "snooze"
	ActReopen  = "reopen"
	ActDismiss = "dismiss" // close a review that nothing follows from
)

// Decision is a person's act on a payment or on a review.
type Decision struct {
	Actor     string
	FormKey   string    // one act for each; "" where no form was used
	PaymentID string    // public id; for a review of one payment it may be empty
	ReviewID  int64     // the review that it answers; 0: none
	Version   int64     // of the payment, as the person saw it
	Act       string    // payment.Act or one of the acts above
	Basis     string    // mark_succeeded: gateway or elsewhere
	Amount    string    // major units of the payment's currency
	Reason    string    // required, but for ask and snooze
	LinkTo    string    // link: public id of the payment
	Until     time.Time // snooze
	Refers    int64     // undo: id of the decision's fact
}

// maxReason bounds a person's reason in bytes.
const maxReason = 2000

// Decide carries out a person's act once. A form that was sent before is done already; a payment that has changed
// since the person looked is KindStale; an act that the standing does not allow is KindConflict. A decision above the
// configured limit waits for another person's approval.
func (e *Engine) Decide(ctx context.Context, d Decision) error {
	_, err := e.Submit(ctx, d)
	return err
}

// Submit is Decide, and tells whether the decision waits for another person's approval.
func (e *Engine) Submit(ctx context.Context, d Decision) (waits bool, err error) {
	d.Reason = strings.TrimSpace(d.Reason)
	if err := checkWhoAndWhy(d); err != nil {
		return false, err
	}
	err = e.store.Update(ctx, "decide", func(tx *store.Tx) error {
		used, err := tx.FormUsed(d.FormKey)
		if err != nil {
			return err
		}
		if used && d.FormKey != "" {
			waits, err = stillWaits(tx, d)
			return err
		}
		waits, err = e.decide(tx, d)
		return err
	})
	if d.Act == ActResume {
		e.readShopGate(context.WithoutCancel(ctx))
	}
	e.wakeAll()
	return waits, err
}

func checkWhoAndWhy(d Decision) error {
	if d.Actor == "" {
		return fail(KindForbidden, "no_actor", "a decision needs somebody who makes it")
	}
	if d.Reason == "" && d.Act != ActAsk && d.Act != ActSnooze {
		return fail(KindInvalid, "reason_required", "write in a few words what the decision rests on")
	}
	if len(d.Reason) > maxReason {
		return fail(KindInvalid, "reason_too_long", "a reason has at most %d bytes", maxReason)
	}
	return nil
}

func (e *Engine) decide(tx *store.Tx, d Decision) (waits bool, err error) {
	v, err := answeredReview(tx, d)
	if err != nil {
		return false, err
	}
	p, err := e.decidedPayment(tx, d, v)
	if err != nil {
		return false, err
	}
	if waits, err = e.carryOut(tx, d, v, p); err != nil {
		return false, err
	}
	if waits {
		d = asProposed(d)
	}
	return waits, e.writeAudit(tx, d, v, p)
}

// answeredReview is the review that a decision answers, ID 0 where there is none. Only opening again and undoing are about
// an answered one, and writing a note about any.
func answeredReview(tx *store.Tx, d Decision) (v store.Review, err error) {
	if d.ReviewID == 0 {
		return v, nil
	}
	v, ok, err := tx.Review(d.ReviewID)
	if err != nil {
		return v, err
	}
	if !ok {
		return v, fail(KindNotFound, "unknown_review", "there is no review %d", d.ReviewID)
	}
	if d.Act == string(payment.ActNote) || v.State == "closed" && d.Act == string(payment.ActUndo) {
		return v, nil
	}
	if (v.State == "open") == (d.Act == ActReopen) {
		return v, fail(KindStale, "review_changed", "review %d is %s meanwhile", v.ID, v.State)
	}
	return v, nil
}

// decidedPayment is the payment that a decision is about, as it stands; ID 0 where there is none.
func (e *Engine) decidedPayment(tx *store.Tx, d Decision, v store.Review) (p store.Payment, err error) {
	ok := true
	switch {
	case d.PaymentID != "":
		p, ok, err = tx.PaymentByPublicID(d.PaymentID)
	case v.PaymentID != 0:
		p, ok, err = tx.Payment(v.PaymentID)
	}
	if err != nil {
		return p, err
	}
	if !ok {
		return p, fail(KindNotFound, "unknown_payment", "there is no payment %q", d.PaymentID)
	}
	if v.ID != 0 && p.ID != 0 && v.PaymentID != p.ID && v.OrderID != p.OrderID {
		return p, fail(KindInvalid, "other_payment", "payment %s has nothing to do with review %d", p.PublicID, v.ID)
	}
	if p.ID != 0 && (ruled(d.Act) || recorded[d.Act] != "" || d.Act == ActAcceptReport) && d.Version != p.Version {
		return p, fail(KindStale, "stale", "payment %s has changed since you looked at it; look again and decide then", p.PublicID)
	}
	return p, nil
}

// ruled tells whether an act is a fact of a payment, bound by the table of allowed answers.
func ruled(act string) bool { return slices.Contains(payment.Acts(), payment.Act(act)) }

// carryOut has a decision take effect, or wait if it is above the limit.
func (e *Engine) carryOut(tx *store.Tx, d Decision, v store.Review, p store.Payment) (waits bool, err error) {
	now := e.nowMs()
	if v.Kind == approvalKind && slices.Contains(answersOf[approvalKind], d.Act) {
		return false, e.answerProposal(tx, d, v, now)
	}
	about := p
	if d.Act == ActLink && slices.Contains(answersTo(v), ActLink) {
		if about, _, err = e.paymentAndAccount(&tx.Rx, d.LinkTo); err != nil {
			return false, err
		}
	}
	if about.ID == 0 || !e.needsApproval(d, v, about) {
		return false, e.takesEffect(tx, d, v, p, now)
	}
	if err := e.wouldTakeEffect(tx, d, v, about, now); err != nil {
		return false, err
	}
	return true, e.propose(tx, d, v, about, now)
}

// wouldTakeEffect refuses what would be refused even if it were approved.
func (e *Engine) wouldTakeEffect(tx *store.Tx, d Decision, v store.Review, p store.Payment, now int64) (err error) {
	switch {
	case ruled(d.Act):
		_, err = e.judgedFact(tx, d, v, p, now)
	case !slices.Contains(answersTo(v), d.Act):
		err = notAnAnswer(d, v)
	case d.Act == ActLink:
		_, _, err = e.linked(tx, v, p)
	case d.Act == ActAcceptReport:
		_, err = e.judgedFact(tx, reportAccepted(d), store.Review{}, p, now)
	default:
		_, err = vouched(tx, d, v, p, now)
	}
	return err
}

func (e *Engine) takesEffect(tx *store.Tx, d Decision, v store.Review, p store.Payment, now int64) error {
	switch {
	case ruled(d.Act) && p.ID != 0:
		return e.decideFact(tx, d, v, p, now)
	case d.Act == ActAsk && p.ID != 0:
		return e.makeAppointment(tx, p, now)
	case v.ID == 0:
		return fail(KindUnprocessable, "not_allowed", "%q is no answer here", d.Act)
	case d.Act == string(payment.ActNote):
		return nil // the audit holds it
	case d.Act == ActSnooze:
		return e.snooze(tx, d, v, now)
	case d.Act == ActReopen:
		return e.reopenReview(tx, v)
	}
	return e.answerReview(tx, d, v, now)
}

// decideFact adds a person's decision to the facts of a payment.
func (e *Engine) decideFact(tx *store.Tx, d Decision, v store.Review, p store.Payment, now int64) error {
	f, err := e.judgedFact(tx, d, v, p, now)
	if err != nil {
		return err
	}
	_, err = e.apply(tx, e.gateways[p.Gateway], &p, change{trigger: "person", now: now, facts: []payment.Fact{f}, actor: d.Actor, act: d.Act, reason: d.Reason})
	return err
}

// judgedFact makes a fact of a decision, if the table of allowed answers allows it.
func (e *Engine) judgedFact(tx *store.Tx, d Decision, v store.Review, p store.Payment, now int64) (payment.Fact, error) {
	f := payment.Fact{
		Key: "decision:" + itoa64(p.Version) + ":" + d.Act + ":" + d.FormKey, Kind: payment.FactDecision, Source: payment.SourcePerson, OwnMs: now, Refers: d.Refers,
		Act: payment.Act(d.Act), Basis: payment.Basis(d.Basis), Saw: p.Version, Actor: d.Actor, Reason: d.Reason,
	}
	if v.ID != 0 {
		f.Ref = ruleReview(v).ID()
	}
	if choiceOf(f.Act).Money && d.Amount == "" {
		return f, fail(KindInvalid, payment.RefusedAmount, "type the amount as a confirmation: money is at stake")
	}
	if d.Amount != "" {
		minor, err := parseTyped(d.Amount, p)
		if err != nil {
			return f, err
		}
		f.HasAmount, f.Amount, f.Currency = true, minor, p.Currency
	}
	facts, terms, reviews, err := e.situation(&tx.Rx, p)
	if err != nil {
		return f, err
	}
	if f.Ref == "" {
		f.Ref = theOnly(reviews, f.Act)
	}
	if err := payment.CheckDecision(terms, standNow(terms, facts), reviews, facts, f); err != nil {
		return f, refusal(err)
	}
	return f, nil
}

func parseTyped(text string, p store.Payment) (int64, error) {
	if text == "" {
		return 0, fail(KindInvalid, payment.RefusedAmount, "type the amount as a confirmation: money is at stake")
	}
	minor, err := payment.ParseAmount(text, p.Currency)
	if err != nil {
		return 0, fail(KindInvalid, "bad_amount", "amount %q: %v; write it like %s", text, err, payment.FormatAmount(p.AmountMinor, p.Currency))
	}
	return minor, nil
}

// theOnly is the open review that an act made on the payment's own page answers, if just one of those that must be named is open.
func theOnly(reviews []payment.Review, act payment.Act) (id string) {
	for _, r := range reviews {
		if r.Reason != payment.ReasonDuplicate || !slices.Contains(answersByRule[r.Reason], act) {
			continue
		}
		if id != "" {
			return ""
		}
		id = r.ID()
	}
	return id
}

func standNow(t payment.Terms, facts []payment.Fact) payment.Standing {
	s, _ := payment.Stand(t, facts)
	return s
}

// situation is what the table of allowed answers looks at: facts, terms and every open review of the payment and its order.
func (e *Engine) situation(rx *store.Rx, p store.Payment) ([]payment.Fact, payment.Terms, []payment.Review, error) {
	facts, err := loadFacts(rx, p)
	if err != nil {
		return nil, payment.Terms{}, nil, err
	}
	terms, err := e.terms(rx, e.gateways[p.Gateway], p)
	if err != nil {
		return nil, payment.Terms{}, nil, err
	}
	_, reviews := payment.Stand(terms, facts)
	open, err := rx.OpenReviewsOfOrder(p.OrderID)
	for _, v := range open {
		if v.Kind == string(payment.ReasonDuplicate) {
			reviews = append(reviews, ruleReview(v))
		}
	}
	return facts, terms, reviews, err
}

func refusal(err error) error {
	var r *payment.Refusal
	if !errors.As(err, &r) {
		return err
	}
	kind := KindUnprocessable
	switch r.Word {
	case payment.RefusedSaw, payment.RefusedReview:
		kind = KindStale
	case payment.RefusedNotAllowed:
		kind = KindConflict
	case payment.RefusedAmount, payment.RefusedOther, payment.RefusedCurrency, payment.RefusedBasis, payment.RefusedReason:
		kind = KindInvalid
	}
	return &Error{Kind: kind, Code: r.Word, Text: r.Text, Cause: err}
}

// makeAppointment has the gateway asked about a payment now.
func (e *Engine) makeAppointment(tx *store.Tx, p store.Payment, now int64) error {
	a, ok := e.gateways[p.Gateway]
	if !ok {
		return fail(KindUnprocessable, "gateway_gone", "gateway %q is no longer configured", p.Gateway)
	}
	can, err := canAsk(&tx.Rx, a, p)
	if err != nil {
		return err
	}
	if !can {
		return fail(KindUnprocessable, "no_query", "gateway %q cannot be asked about this payment", p.Gateway)
	}
	return tx.SetTimer(store.Timer{PaymentID: p.ID, Kind: "ask", Gateway: a.name, Lane: store.LaneReturn, DueMs: now, Why: checkNow})
}

func (e *Engine) snooze(tx *store.Tx, d Decision, v store.Review, now int64) error {
	until := d.Until.UnixMilli()
	if until <= now || until > now+(31*24*time.Hour).Milliseconds() {
		return fail(KindInvalid, "bad_until", "a review can be put off for up to 31 days, into the future")
	}
	_, err := tx.SnoozeReview(v.ID, until)
	return err
}

func (e *Engine) reopenReview(tx *store.Tx, v store.Review) error {
	if !reopens(v.Kind) {
		return fail(KindUnprocessable, "not_allowed", "this review follows from the facts of the payment; undo the decision that answered it instead")
	}
	ok, err := tx.ReopenReview(v.ID)
	if err != nil {
		return err
	}
	if !ok {
		return fail(KindStale, "review_changed", "a review like %d is open already", v.ID)
	}
	if err := e.bringBack(tx, v); err != nil || v.PaymentID == 0 {
		return err
	}
	return tx.CountReviews(v.PaymentID)
}

// bringBack has the message that a review is about wait again if it was set aside with its answer, so that the next
// answer finds it.
func (e *Engine) bringBack(tx *store.Tx, v store.Review) error {
	if v.Kind == "dead_inbox" {
		_, err := tx.BringBack(v.InboxID, "dead", "failed")
		return err
	}
	if v.InboxID == 0 || v.Subject != inboxSubject(v.InboxID) || !slices.Contains(answersTo(v), ActLink) {
		return nil
	}
	back, err := tx.BringBack(v.InboxID, "parked", v.Kind)
	if err != nil || !back {
		return err
	}
	w, _, err := tx.GetWork(v.InboxID)
	if err != nil {
		return err
	}
	a, ok := e.gateways[w.Gateway]
	if !ok {
		return fail(KindUnprocessable, "gateway_gone", "gateway %q is no longer configured", w.Gateway)
	}
	if o, ok := e.observation(a, w); ok {
		return e.parkUnder(tx, a, w.Item, o)
	}
	return nil
}

// ReviewSubject is how the audit names a review.
func ReviewSubject(v store.Review) string { return fmt.Sprintf("review %d (%s)", v.ID, v.Kind) }

// writeAudit notes who did what; it fails with the act that it is about.
func (e *Engine) writeAudit(tx *store.Tx, d Decision, v store.Review, p store.Payment) error {
	subject := "payment " + p.PublicID
	if v.ID != 0 {
		subject = ReviewSubject(v)
	}
	detail := d.Reason
	for name, value := range map[string]string{"amount": d.Amount, "basis": d.Basis, "link": d.LinkTo} {
		if value != "" {
			detail += fmt.Sprintf(" [%s %s]", name, value)
		}
	}
	ok, err := tx.InsertAudit(store.Audit{AtMs: e.nowMs(), Actor: d.Actor, Action: d.Act, Subject: subject, PaymentID: p.ID, Detail: detail, FormKey: d.FormKey})
	if err == nil && !ok {
		return fail(KindStale, "form_used", "this form was sent before")
	}
	return err
}
