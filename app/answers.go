package app

import (
	"context"
	"maps"
	"slices"
	"strings"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// answersOf is which acts answer a review that does not follow from the facts of one payment.
var answersOf = map[string][]string{
	"reference_conflict":     {ActLink, ActDismiss},
	"money_without_order":    {ActLink, ActDismiss},
	"same_key_other_content": {ActDismiss},
	"dead_inbox":             {ActReplay, ActDismiss},
	"dead_outbox":            {ActResend, ActDismiss},
	"shop_gone":              {ActResume},
	"gateway_unaskable":      {ActDismiss},
	overdueKind:              {ActRelease, ActDismiss},
	unansweredKind:           {ActDismiss},
	secondPaymentKind:        {ActDismiss},
	unsoundKind:              {ActDismiss},
	unprovedReturnKind:       {ActRecordRefund, ActRecordDispute, ActRecordLoss, ActDismiss},
	approvalKind:             {ActApprove, ActTurnDown},
	acceptReportKind:         {ActAcceptReport, ActDismiss},
	settlementKind:           {}, // its day's page holds the answers

	string(payment.ReasonWaiting): {ActRecordRefund, ActRecordLoss, ActRecordNone}, // beside what the rules allow
}

// ReviewKinds lists every kind of review that there can be: those that follow from facts, then the engine's own by name.
func ReviewKinds() []string {
	var kinds []string
	for _, r := range payment.Reasons() {
		kinds = append(kinds, string(r))
	}
	for _, k := range slices.Sorted(maps.Keys(answersOf)) {
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// answersTo is which acts answer one review of the engine's own.
func answersTo(v store.Review) []string {
	acts := slices.Clone(answersOf[v.Kind])
	return slices.DeleteFunc(acts, func(act string) bool {
		switch act {
		case ActLink: // an answer belongs to the payment that was asked about
			return v.Subject != inboxSubject(v.InboxID)
		case ActRecordRefund:
			return !strings.Contains(v.Subject, ":"+string(payment.FactRefund)+":")
		case ActRecordDispute, ActRecordLoss:
			return !strings.Contains(v.Subject, ":"+string(payment.FactDispute)+":")
		}
		return false
	})
}

func notAnAnswer(d Decision, v store.Review) error {
	return fail(KindUnprocessable, "not_allowed", "%q does not answer a review of kind %q; choose one of %v", d.Act, v.Kind, answersTo(v))
}

// answerReview carries out the answer to a review of the engine's own and closes it.
func (e *Engine) answerReview(tx *store.Tx, d Decision, v store.Review, now int64) error {
	if !slices.Contains(answersTo(v), d.Act) {
		return notAnAnswer(d, v)
	}
	// First of all it is closed as the person's, for what follows may close it too.
	if _, err := tx.CloseReview(v.ID, now, d.Actor, d.Act, d.Reason); err != nil {
		return err
	}
	if err := e.actOn(tx, d, v, now); err != nil || v.PaymentID == 0 {
		return err
	}
	return tx.CountReviews(v.PaymentID)
}

func (e *Engine) actOn(tx *store.Tx, d Decision, v store.Review, now int64) error {
	switch d.Act {
	case ActLink:
		return e.link(tx, d, v, now)
	case ActReplay:
		_, err := tx.WakeItem(v.InboxID, now)
		return err
	case ActResend:
		_, err := tx.Resend(v.OutboxSeq, now)
		return err
	case ActRelease:
		_, err := tx.ReleaseClaim(strings.TrimPrefix(v.Subject, "claim:"))
		return err
	case ActRecordRefund, ActRecordDispute, ActRecordLoss, ActRecordNone:
		return e.record(tx, d, v, now)
	case ActAcceptReport:
		p, _, err := tx.Payment(v.PaymentID)
		if err != nil {
			return err
		}
		return e.decideFact(tx, reportAccepted(d), store.Review{}, p, now)
	case ActDismiss:
		switch v.Kind {
		case unprovedReturnKind:
			return e.record(tx, d, v, now)
		case "reference_conflict", "money_without_order":
			return e.dismissNotice(tx, v, now)
		case "dead_inbox":
			return tx.SetAside(v.InboxID, now)
		}
	}
	return nil
}

// link applies a notice that nothing matched to the payment that a person names.
func (e *Engine) link(tx *store.Tx, d Decision, v store.Review, now int64) error {
	p, a, err := e.paymentAndAccount(&tx.Rx, d.LinkTo)
	if err != nil {
		return err
	}
	w, o, err := e.linked(tx, v, p)
	if err != nil {
		return err
	}
	return e.applyNotice(tx, a, w.Item, o, p, now)
}

// linked is the notice that a review is about, if it can be linked to a payment.
func (e *Engine) linked(tx *store.Tx, v store.Review, p store.Payment) (w store.Work, o gateway.Observation, err error) {
	w, ok, err := tx.GetWork(v.InboxID)
	if err != nil {
		return w, o, err
	}
	if !ok || w.State != "parked" {
		return w, o, fail(KindStale, "notice_moved", "the notice has been dealt with meanwhile")
	}
	if w.Gateway != p.Gateway {
		return w, o, fail(KindInvalid, "other_gateway", "the notice came from %s, payment %s belongs to %s", w.Gateway, p.PublicID, p.Gateway)
	}
	if o, ok = e.observation(e.gateways[p.Gateway], w); !ok {
		return w, o, fail(KindUnprocessable, "unreadable", "the notice cannot be read; correct the gateway's definition and replay it")
	}
	return w, o, nil
}

// dismissNotice sets a notice aside that is not about any of our payments.
func (e *Engine) dismissNotice(tx *store.Tx, v store.Review, now int64) error {
	if err := tx.Unpark(v.InboxID); err != nil {
		return err
	}
	_, err := tx.FinishItem(v.InboxID, store.Outcome{State: "ignored", Reason: "dismissed", NowMs: now, DueMs: now})
	return err
}

// Choice is one act that a form may offer, with what it must ask for, or why it is not allowed now.
type Choice struct {
	Act     string
	Amount  bool   // asks for an amount
	Basis   bool   // asks for a basis
	Link    bool   // asks for a payment
	Until   bool   // asks for an instant
	Money   bool   // money moves: the amount is typed as confirmation
	Refers  int64  // undo: the decision's fact
	Blocked string // why not now, a stable word; "" when allowed
}

// PaymentChoices lists a person's acts on a payment, those that are not allowed now with the reason.
func (e *Engine) PaymentChoices(ctx context.Context, publicID string) (list []Choice, err error) {
	err = e.store.View(ctx, "choices", func(rx *store.Rx) error {
		p, ok, err := rx.PaymentByPublicID(publicID)
		if err != nil {
			return err
		}
		if !ok {
			return fail(KindNotFound, "unknown_payment", "there is no payment %q", publicID)
		}
		list, err = e.paymentChoices(rx, p)
		return err
	})
	return list, err
}

func (e *Engine) paymentChoices(rx *store.Rx, p store.Payment) ([]Choice, error) {
	facts, terms, reviews, err := e.situation(rx, p)
	if err != nil {
		return nil, err
	}
	allowed := payment.Allowed(standNow(terms, facts), reviews, facts)
	list := []Choice{{Act: ActAsk, Blocked: blockedUnless(terms.HasQuery, "no_query")}}
	for _, act := range payment.Acts() {
		if act == payment.ActIgnore {
			continue // answers one review, on its own page
		}
		c := choiceOf(act)
		if act == payment.ActUndo {
			c.Refers = lastDecision(facts)
		}
		c.Blocked = blockedUnless(slices.Contains(allowed, act), "not_allowed")
		list = append(list, c)
	}
	return list, nil
}

func choiceOf(act payment.Act) Choice {
	c := Choice{Act: string(act), Link: act == ActLink}
	switch act {
	case payment.ActMarkSucceeded:
		c.Amount, c.Basis, c.Money = true, true, true
	case payment.ActAccept, payment.ActRefund, ActRecordRefund, ActRecordDispute, ActRecordLoss, ActAcceptReport:
		c.Amount, c.Money = true, true
	}
	return c
}

// lastDecision is the newest decision that stands; it is what undo is offered for.
func lastDecision(facts []payment.Fact) int64 {
	undone := map[int64]bool{}
	var last int64
	for _, f := range facts {
		if f.Act == payment.ActUndo {
			undone[f.Refers] = true
		}
	}
	for _, f := range facts {
		if f.Kind == payment.FactDecision && f.Act != payment.ActUndo && f.Act != payment.ActNote && !undone[f.ID] {
			last = f.ID
		}
	}
	return last
}

func blockedUnless(ok bool, word string) string {
	if ok {
		return ""
	}
	return word
}

// answersByRule is which acts answer a review that follows from the facts of a payment.
var answersByRule = map[payment.Reason][]payment.Act{
	payment.ReasonDifference:    {payment.ActAccept, payment.ActReject, payment.ActMarkSucceeded, payment.ActIgnore},
	payment.ReasonContradiction: {payment.ActAccept, payment.ActReject, payment.ActMarkSucceeded},
	payment.ReasonNoAnswer:      {payment.ActMarkSucceeded, payment.ActMarkFailed},
	payment.ReasonReversed:      {payment.ActMoneyBack, payment.ActMarkSucceeded, payment.ActMarkFailed, payment.ActIgnore},
	payment.ReasonLate:          {payment.ActFulfil, payment.ActRefund},
	payment.ReasonExcess:        {payment.ActIgnore},
	payment.ReasonDoubleLoss:    {payment.ActIgnore},
	payment.ReasonWaiting:       {payment.ActIgnore},
	payment.ReasonMoved:         {payment.ActMarkSucceeded, payment.ActIgnore},
	payment.ReasonElsewhere:     {payment.ActKeepBoth, payment.ActRefund, payment.ActIgnore},
	payment.ReasonUnmapped:      {payment.ActMarkSucceeded, payment.ActMarkFailed, payment.ActIgnore},
	payment.ReasonRefundOwed:    {payment.ActRefundProof},
	payment.ReasonDuplicate:     {payment.ActRefund, payment.ActKeepBoth, payment.ActFulfil},
}

// ReviewChoices lists the answers to a review, those that are not allowed now with the reason. For a review of an
// order each answer is meant for the payment that the person chooses.
func (e *Engine) ReviewChoices(ctx context.Context, id int64) (list []Choice, err error) {
	err = e.store.View(ctx, "review choices", func(rx *store.Rx) error {
		v, ok, err := rx.Review(id)
		if err != nil {
			return err
		}
		if !ok {
			return fail(KindNotFound, "unknown_review", "there is no review %d", id)
		}
		list, err = e.reviewChoices(rx, v)
		return err
	})
	return list, err
}

func (e *Engine) reviewChoices(rx *store.Rx, v store.Review) ([]Choice, error) {
	if v.State != "open" {
		return e.closedChoices(rx, v)
	}
	var list []Choice
	for _, act := range answersTo(v) {
		c := choiceOf(payment.Act(act))
		if act == ActApprove {
			var err error
			if c.Blocked, err = approveBlocked(rx, v); err != nil {
				return nil, err
			}
		}
		list = append(list, c)
	}
	byRule, err := e.ruleChoices(rx, v)
	list = append(list, byRule...)
	return append(list, Choice{Act: ActSnooze, Until: true}, Choice{Act: string(payment.ActNote)}), err
}

// closedChoices are to open a question of the engine's own again, or to undo the decision that answered one of the rules'.
func (e *Engine) closedChoices(rx *store.Rx, v store.Review) ([]Choice, error) {
	list := []Choice{{Act: ActReopen, Blocked: blockedUnless(reopens(v.Kind), "follows_from_facts")}, {Act: string(payment.ActNote)}}
	if v.PaymentID == 0 || reopens(v.Kind) {
		return list, nil
	}
	p, _, err := rx.Payment(v.PaymentID)
	if err != nil {
		return nil, err
	}
	facts, err := loadFacts(rx, p)
	if last := lastDecision(facts); last != 0 {
		list = append(list, Choice{Act: string(payment.ActUndo), Refers: last})
	}
	return list, err
}

// reopens tells whether an answered review of a kind can be opened again by hand.
func reopens(kind string) bool {
	return ofEngine[kind] && kind != string(payment.ReasonDuplicate) && kind != settlementKind
}

func (e *Engine) ruleChoices(rx *store.Rx, v store.Review) ([]Choice, error) {
	acts, ok := answersByRule[payment.Reason(v.Kind)]
	if !ok {
		return nil, nil
	}
	payments, err := rx.PaymentsOfOrder(v.OrderID)
	if err != nil {
		return nil, err
	}
	allowed := map[payment.Act]bool{}
	canAskAny := false
	for _, p := range payments {
		if v.PaymentID != 0 && p.ID != v.PaymentID {
			continue
		}
		facts, terms, reviews, err := e.situation(rx, p)
		if err != nil {
			return nil, err
		}
		canAskAny = canAskAny || terms.HasQuery
		for _, act := range payment.Allowed(standNow(terms, facts), reviews, facts) {
			allowed[act] = true
		}
	}
	list := []Choice{{Act: ActAsk, Blocked: blockedUnless(canAskAny, "no_query")}}
	for _, act := range acts {
		c := choiceOf(act)
		c.Blocked = blockedUnless(allowed[act], "not_allowed")
		list = append(list, c)
	}
	return list, nil
}
