package app

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// lanes are served in this order: the payer who waits, the young, the old, the merely hinted.
var lanes = []int64{store.LaneReturn, store.LaneYoung, store.LaneOld, store.LaneHinted}

// runAsker asks one gateway about the payments whose appointments are due, within its limits, until ctx ends.
// At the start it waits until the inbox is drained: what came in meanwhile may answer the question.
func (e *Engine) runAsker(ctx context.Context, a *account) {
	if !e.awaitDrained(ctx) {
		return
	}
	if err := e.loadHealth(ctx, a); err != nil && ctx.Err() == nil {
		e.log.Error("the health of a gateway could not be read", "gateway", a.name, "error", err)
	}
	defer a.asking.Wait()
	for ctx.Err() == nil {
		wait, err := e.fireOnce(ctx, a)
		if err != nil && ctx.Err() == nil {
			e.log.Error("due questions could not be taken; they are tried again", "gateway", a.name, "error", err)
			wait = e.pace.AskRetry
		}
		a.wake.sleep(ctx, wait)
		rest(ctx)
	}
}

// rest keeps a loop that is woken very often from looking more than two hundred times a second.
func rest(ctx context.Context) {
	t := time.NewTimer(5 * time.Millisecond)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// fireOnce starts the questions that are due and allowed now, and tells how long nothing more is to be done; negative: until woken.
func (e *Engine) fireOnce(ctx context.Context, a *account) (time.Duration, error) {
	for {
		due, err := e.nextDue(ctx, a)
		if err != nil {
			return 0, err
		}
		now := e.nowMs()
		asked, wait := false, time.Duration(-1)
		for i, lane := range lanes {
			if due[i] == 0 || due[i] > now {
				wait = sooner(wait, due[i], now)
				continue
			}
			n, blocked := e.allowed(a, lane)
			if n == 0 {
				wait = soonest(wait, blocked)
				break // a later lane waits for an earlier one
			}
			if err := e.take(ctx, a, lane, n); err != nil {
				return 0, err
			}
			asked = true
			break
		}
		if !asked {
			return wait, nil
		}
	}
}

// nextDue gives when the first appointment of each lane is due; 0: none.
func (e *Engine) nextDue(ctx context.Context, a *account) (due [4]int64, err error) {
	err = e.store.View(ctx, "next questions", func(rx *store.Rx) (err error) {
		due, err = rx.NextQuestionsMs(a.name)
		return err
	})
	return due, err
}

// sooner is a wait, or the one until an instant (0: none) if that is shorter; negative is for ever.
func sooner(wait time.Duration, dueMs, nowMs int64) time.Duration {
	if dueMs == 0 {
		return wait
	}
	return soonest(wait, time.Duration(dueMs-nowMs)*time.Millisecond)
}

func soonest(wait, other time.Duration) time.Duration {
	if wait < 0 || other < wait {
		return max(other, time.Millisecond)
	}
	return wait
}

// allowed is how many questions of a lane may be asked now; if none, how long until one may.
func (e *Engine) allowed(a *account, lane int64) (int, time.Duration) {
	now := e.now()
	h := a.health()
	if wait := time.Duration(h.PausedUntilMs-now.UnixMilli()) * time.Millisecond; wait > 0 {
		return 0, wait
	}
	free := cap(a.slots) - len(a.slots)
	if h.Errors > 0 {
		free = min(free, 1-len(a.slots)) // half open: one question finds out
	}
	if lane == store.LaneHinted {
		free = min(free, max(1, cap(a.slots)/hintShare)-int(a.hinting.Load()))
	}
	if free <= 0 {
		return 0, time.Hour // an answer wakes the loop
	}
	tokens, wait := tokensOf(a.limiter, now)
	if lane == store.LaneHinted {
		hinted, longer := tokensOf(a.hinted, now)
		tokens, wait = min(tokens, hinted), max(wait, longer)
	}
	return min(free, tokens), wait
}

// tokensOf is how many questions a limiter allows now; if none, how long until one.
func tokensOf(l *rate.Limiter, now time.Time) (int, time.Duration) {
	tokens := l.TokensAt(now)
	if tokens >= 1 {
		return int(tokens), 0
	}
	return 0, time.Duration((1 - tokens) / float64(l.Limit()) * float64(time.Second))
}

// question is one leased appointment that is still wanted.
type question struct {
	payment store.Payment
	timer   store.Timer
	ask     gateway.Question
}

// take leases up to n due appointments of a lane and asks those that are still wanted.
func (e *Engine) take(ctx context.Context, a *account, lane int64, n int) error {
	var wanted []question
	err := e.store.Update(ctx, "fire", func(tx *store.Tx) error {
		wanted = nil
		now := e.nowMs()
		timers, err := tx.ClaimTimers(a.name, lane, now, now+e.pace.AskLease.Milliseconds(), n)
		if err != nil {
			return err
		}
		for _, t := range timers {
			q, ok, err := e.stillWanted(tx, a, t, now)
			if err != nil {
				return err
			}
			if ok {
				wanted = append(wanted, q)
			}
		}
		return nil
	})
	if poisoned(ctx, err) {
		wanted = nil
		err = e.singly(ctx, a.name, lane, n, func(tx *store.Tx, t store.Timer, now int64) error {
			q, ok, err := e.stillWanted(tx, a, t, now)
			if ok && err == nil {
				wanted = append(wanted, q)
			}
			return err
		})
	}
	if err != nil && len(wanted) == 0 {
		return err
	}
	for _, q := range wanted {
		a.limiter.AllowN(e.now(), 1)
		if lane == store.LaneHinted {
			a.hinted.AllowN(e.now(), 1)
		}
		a.slots <- struct{}{}
		held := int32(0)
		if lane == store.LaneHinted {
			held = 1
		}
		a.hinting.Add(held)
		a.asking.Go(func() {
			defer func() { a.hinting.Add(-held); <-a.slots; a.wake.wake() }()
			e.ask(ctx, a, q)
		})
	}
	return nil
}

// checkNow is why an appointment was made that is wanted whatever the plan says.
const checkNow = store.AskOnPurpose

// stillWanted looks at a due appointment again: the plan may have changed, or have come to giving up.
func (e *Engine) stillWanted(tx *store.Tx, a *account, t store.Timer, now int64) (question, bool, error) {
	p, ok, err := tx.Payment(t.PaymentID)
	if err != nil || !ok {
		return question{}, false, err
	}
	facts, err := loadFacts(&tx.Rx, p)
	if err != nil {
		return question{}, false, err
	}
	terms, err := e.terms(&tx.Rx, a, p)
	if err != nil {
		return question{}, false, err
	}
	if !terms.HasQuery {
		return question{}, false, e.giveUp(tx, a, &p, facts, terms, now)
	}
	if wanted, err := e.wanted(tx, a, &p, t, planOf(terms, facts, askedOf(p), now), now); err != nil || !wanted {
		return question{}, false, err
	}
	refs, err := tx.RefsOfPayment(p.ID)
	if err != nil {
		return question{}, false, err
	}
	return question{p, t, questionOf(p, refs)}, true, nil
}

// wanted tells whether a due appointment is to be kept; if not, the plan makes the next one.
func (e *Engine) wanted(tx *store.Tx, a *account, p *store.Payment, t store.Timer, plan plan, now int64) (bool, error) {
	due := plan.AskAtMs
	if t.Kind == hintKind {
		under, err := tx.AskedSince(p.ID, now-e.pace.AskLease.Milliseconds())
		if err != nil || under {
			return false, err // the answer that is awaited says it too; else this one is due again after its lease
		}
		due = plan.hintAtMs
	}
	if t.Why == checkNow || due != 0 && due <= now {
		return true, nil
	}
	if t.Kind == hintKind {
		if err := tx.DropTimers(p.ID, hintKind); err != nil {
			return false, err
		}
	}
	if err := e.schedule(tx, a, p, plan); err != nil {
		return false, err
	}
	return false, tx.NoteAsked(*p)
}

// hintKind is the kind of the appointments that only hints want.
const hintKind = "hint"

// giveUp writes the end of a payment whose gateway cannot be asked.
func (e *Engine) giveUp(tx *store.Tx, a *account, p *store.Payment, facts []payment.Fact, terms payment.Terms, now int64) error {
	f, due := payment.GaveUp(terms, facts, askedOf(*p), now)
	if !due {
		return e.reschedule(tx, a, p, facts, now)
	}
	_, err := e.apply(tx, a, p, change{trigger: "timer", now: now, facts: []payment.Fact{f}})
	return err
}

// ask puts one question and writes down what came of it.
func (e *Engine) ask(ctx context.Context, a *account, q question) {
	best, others := e.askAll(ctx, a, q.ask)
	answer := e.askNamed(ctx, a, q, best).answer
	if ctx.Err() != nil && answer.Class == gateway.ClassTimeout {
		return // we are stopping: the lease runs out and it is asked again
	}
	a.noteAnswer(e, answer)
	err := e.store.Update(context.WithoutCancel(ctx), "answer", func(tx *store.Tx) error {
		if err := e.meetOthers(tx, a, q.payment, others); err != nil {
			return err
		}
		return e.writeAnswer(tx, a, q, answer)
	})
	e.wakeAll()
	if err != nil {
		e.log.Error("an answer could not be stored; the question is asked again", "gateway", a.name, "payment", q.payment.PublicID, "error", err)
	}
}

// askAll puts the question about each id that the payment is asked by, and gives the answer that says most: a success
// before what is under way, and a final word only when every id has one and, where the gateway can be asked by the
// merchant's reference too, nothing under that reference says more. It also gives the successes of other attempts that
// were seen on the way.
func (e *Engine) askAll(ctx context.Context, a *account, q gateway.Question) (best heard, others []gateway.Observation) {
	variants := a.def.Variants(q)
	best = e.put(ctx, a, variants[0])
	others = best.said.Others
	further := func(one gateway.Question) {
		a.limiter.ReserveN(e.now(), 1)
		next := e.put(ctx, a, one)
		others = append(others, next.said.Others...)
		if next.weight() > best.weight() {
			best = next
		}
	}
	for _, one := range variants[1:] {
		further(one)
	}
	byReference := q
	byReference.Refs = nil
	tried := best.weight() == weightFinal || q.Attempt != "" && best.denies()
	if tried && best.answer.Asked != q.MerchantRef && a.def.CanAsk(byReference) {
		further(byReference)
	}
	return best, others
}

// heard is an answer with what it says about the question that it was given to.
type heard struct {
	answer gateway.Answer
	said   gateway.Reading
}

// put asks one question.
func (e *Engine) put(ctx context.Context, a *account, q gateway.Question) heard {
	answer := a.def.Query(ctx, e.http, q, e.now)
	return heard{answer, a.def.ReadAnswer(q, answer)}
}

// weightMoney is the weight of a success and of one that was taken back.
const weightMoney = 5

// weightFinal is the weight of a final word without money.
const weightFinal = 1

// weight ranks the answers about the ids of one payment.
func (r heard) weight() int {
	if !answered(r.answer.Class) {
		return 4
	}
	for _, o := range r.said.Observations {
		if o.Kind != gateway.KindPayment || o.Verdict != gateway.Accepted {
			continue
		}
		switch o.Word {
		case payment.WordSucceeded, payment.WordReversed:
			return weightMoney
		case payment.WordProcessing, payment.WordAuthorised:
			return 3
		case payment.WordPending, payment.WordAttemptFailed:
			return 2
		case payment.WordNotFound:
			return 0
		case payment.WordFailed, payment.WordExpired, payment.WordCancelled:
			return weightFinal
		}
	}
	return 3 // unreadable: no final word of another id may stand in for it
}

// writeAnswer puts an answer into the inbox; a question without one is set back.
func (e *Engine) writeAnswer(tx *store.Tx, a *account, q question, answer gateway.Answer) error {
	asked := answer.AskedAt.UnixMilli()
	if err := tx.SetGatewayState(a.health()); err != nil {
		return err
	}
	digest := digestOf(answer)
	if err := tx.LogQuery(store.Query{PaymentID: q.payment.ID, Gateway: a.name, AskedMs: asked, Class: answer.Class, Status: answer.Status, Digest: digest, Detail: answer.Detail}); err != nil {
		return err
	}
	if !answered(answer.Class) {
		return e.setQuestionBack(tx, a, q, answer)
	}
	now := e.nowMs()
	if q.timer.Kind == hintKind {
		if err := tx.HintAnswered(q.payment.ID, asked, now); err != nil {
			return err
		}
	}
	_, err := tx.InsertItem(store.Item{
		Item: answer.Step, Gateway: a.name, Channel: "query", DedupeKey: q.payment.PublicID + ":" + itoa64(asked), Digest: digest,
		MerchantRef: q.payment.MerchantRef, State: "pending", DueMs: now, ReceivedMs: now, PaymentID: q.payment.ID,
	}, store.Request{
		ReceivedMs: asked, Method: "ANSWER", Target: "step " + itoa(answer.Step) + " " + answer.Asked, Header: HeaderLines(redacted(answer.Header, alwaysSecret)),
		Body: answer.Raw, Status: answer.Status, Verdict: gateway.Accepted, Reason: q.timer.Why, Detail: answer.Class, Secret: -1,
	})
	return err
}

// setQuestionBack makes the appointment of an unanswered question again, later each time.
func (e *Engine) setQuestionBack(tx *store.Tx, a *account, q question, answer gateway.Answer) error {
	wait := jittered(doubling(e.pace.AskRetry, e.pace.AskRetryMax, q.timer.Attempts), q.payment.ID, q.timer.Attempts)
	wait = max(wait, answer.RetryAfter)
	t := q.timer
	t.Attempts++
	t.DueMs = e.nowMs() + wait.Milliseconds()
	if t.Lane == store.LaneReturn {
		t.Lane = store.LaneYoung
	}
	if t.Kind == hintKind {
		t.LeasedMs, t.Why = 0, checkNow // it waits again, also for hints that came meanwhile
	}
	if err := tx.PlanTimer(t); err != nil {
		return err
	}
	return e.reviewUnanswered(tx, a, q, t)
}

// reviewUnanswered asks a person about a payment whose questions alone stay without an answer for a day, while the
// gateway answers others: nothing is given up without an answer.
func (e *Engine) reviewUnanswered(tx *store.Tx, a *account, q question, t store.Timer) error {
	p, now := q.payment, e.nowMs()
	since := max(p.CreatedMs, p.LastAnsweredMs)
	if t.Attempts < unansweredTries || now-since < e.pace.UnansweredFor.Milliseconds() || a.health().LastAnswerMs <= since {
		return nil
	}
	_, err := e.openReview(tx, store.Review{
		Kind: unansweredKind, Subject: paymentSubject(p, ""), PaymentID: p.ID, OrderID: p.OrderID, Gateway: p.Gateway,
		AmountMinor: p.AmountMinor, Currency: p.Currency, OpenedMs: now,
	})
	return err
}

const (
	unansweredKind  = "unanswered"
	unansweredTries = 5
)

func answered(class string) bool {
	switch class {
	case gateway.ClassAnswered, gateway.ClassNotFound, gateway.ClassUnreadable:
		return true
	}
	return false
}
