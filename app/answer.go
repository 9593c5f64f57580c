package app

import (
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// processAnswer works on one answer of a gateway: what it says becomes facts where it is new or waited for.
func (e *Engine) processAnswer(tx *store.Tx, a *account, w store.Work, now int64) error {
	p, ok, err := tx.Payment(w.PaymentID)
	if err != nil {
		return err
	}
	if !ok {
		return e.bury(tx, w.Item, "unreadable", "the payment that was asked about is gone", now)
	}
	refs, err := tx.RefsOfPayment(p.ID)
	if err != nil {
		return err
	}
	facts, err := loadFacts(&tx.Rx, p)
	if err != nil {
		return err
	}
	asked := w.Request.ReceivedMs
	reading := a.def.ReadAnswer(questionOf(p, refs), answerFromRow(w))
	foreign, err := e.namesAnother(tx, a, p, reading.Observations)
	if err != nil {
		return err
	}
	if foreign {
		reading.Observations = nil
	}
	said := answerFacts(asked, reading.Observations)
	if word, silent := silence(w.Request.Detail, said); silent {
		said = append(said, wordless(asked, word))
	}
	if p.Reviews > 0 {
		if err := e.closeReview(tx, unansweredKind, paymentSubject(p, ""), now, "answered"); err != nil {
			return err
		}
		if p, _, err = tx.Payment(p.ID); err != nil {
			return err
		}
	}
	c := change{trigger: triggerOf(w.Request.Reason), evidence: w.Item.ID, now: now}
	terms, err := e.terms(&tx.Rx, a, p)
	if err != nil {
		return err
	}
	c.facts = kept(terms, p, facts, said, asked)
	if err := e.bindAll(tx, a, &p, reading.Observations, now); err != nil {
		return err
	}
	noteAnswered(&p, asked, said)
	moved, err := e.apply(tx, a, &p, c)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(facts, hintsReturn) {
		if err := e.reviewHintedReturns(tx, a, &p, now); err != nil {
			return err
		}
	}
	if foreign {
		return e.conflictingAnswer(tx, w, p, now)
	}
	if !moved {
		return tx.DropAnswer(w.Item.ID)
	}
	_, err = tx.FinishItem(w.Item.ID, store.Outcome{State: "done", PaymentID: p.ID, NowMs: now, DueMs: now})
	return err
}

// bindAll gives a payment the ids that an answer names, and asks a person where several of them are paid.
func (e *Engine) bindAll(tx *store.Tx, a *account, p *store.Payment, observations []gateway.Observation, now int64) error {
	for _, o := range observations {
		if o.Verdict != gateway.Accepted {
			continue
		}
		if err := e.bind(tx, a, p, o, now); err != nil {
			return err
		}
		if o.Reason == gateway.SeveralPaid {
			if err := e.reviewSecondPayment(tx, p, o, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesAnother tells whether an answer names an id that belongs to another payment: then nothing of it counts.
func (e *Engine) namesAnother(tx *store.Tx, a *account, p store.Payment, observations []gateway.Observation) (bool, error) {
	for _, o := range observations {
		for _, ref := range o.Refs {
			owner, ok, err := tx.PaymentOfRef(a.name, store.GatewayRef{Kind: ref.Kind, Ref: ref.ID})
			if err != nil {
				return false, err
			}
			if ok && owner != p.ID {
				return true, nil
			}
		}
	}
	return false, nil
}

// conflictingAnswer keeps an answer that names another payment's id and asks a person.
func (e *Engine) conflictingAnswer(tx *store.Tx, w store.Work, p store.Payment, now int64) error {
	if _, err := tx.FinishItem(w.Item.ID, store.Outcome{State: "done", Reason: "reference_conflict", PaymentID: p.ID, NowMs: now, DueMs: now}); err != nil {
		return err
	}
	_, err := e.openReview(tx, store.Review{
		Kind: "reference_conflict", Subject: paymentSubject(p, "answer"), InboxID: w.Item.ID, PaymentID: p.ID, OrderID: p.OrderID, Gateway: p.Gateway,
		AmountMinor: p.AmountMinor, Currency: p.Currency, OpenedMs: now,
	})
	return err
}

// kept is what of an answer is to be stored: what is new or waited for, and the end of the schedule if it has come.
func kept(terms payment.Terms, p store.Payment, facts, said []payment.Fact, asked int64) []payment.Fact {
	state := askedOf(p)
	var keep []payment.Fact
	known := facts
	for _, f := range said {
		if payment.Keep(terms, known, state, f) {
			keep = append(keep, f)
			known = append(known[:len(known):len(known)], f)
		}
	}
	noteAnswered(&p, asked, said)
	if f, due := payment.GaveUp(terms, known, askedOf(p), asked); due {
		keep = append(keep, f)
	}
	return keep
}

// silence is the word for an answer that names no state of the payment.
func silence(class string, said []payment.Fact) (payment.Word, bool) {
	for _, f := range said {
		if f.Kind == payment.FactWord {
			return "", false
		}
	}
	if class == gateway.ClassNotFound {
		return payment.WordNotFound, true
	}
	return payment.WordUnreadable, true
}

func wordless(asked int64, word payment.Word) payment.Fact {
	f := payment.Fact{Kind: payment.FactWord, Source: payment.SourceQuery, Word: word, OwnMs: asked}
	f.Key = factKey("q", strconv.FormatInt(asked, 10), f)
	return f
}

// noteAnswered brings up to date what is known of the questions about a payment.
func noteAnswered(p *store.Payment, asked int64, said []payment.Fact) {
	if asked < p.LastAnsweredMs {
		return
	}
	p.LastAskedMs, p.LastAnsweredMs = max(p.LastAskedMs, asked), asked
	for _, f := range said {
		if f.Kind != payment.FactWord {
			continue
		}
		p.LastAnswer = string(f.Word)
		if f.Word != payment.WordNotFound && f.Word != payment.WordUnreadable {
			p.EverHeard = true
		}
	}
}

func questionOf(p store.Payment, refs []store.GatewayRef) gateway.Question {
	return gateway.Question{PaymentID: p.PublicID, MerchantRef: p.MerchantRef, OrderRef: p.Order.Ref, Attempt: p.Attempt, Currency: p.Currency,
		Amount: p.AmountMinor, Refs: toGatewayRefs(refs), CreatedMs: p.CreatedMs}
}

func answerFromRow(w store.Work) gateway.Answer {
	number, asked, _ := strings.Cut(strings.TrimPrefix(w.Request.Target, "step "), " ")
	step, _ := strconv.Atoi(number)
	return gateway.Answer{
		Class: w.Request.Detail, AskedAt: time.UnixMilli(w.Request.ReceivedMs).UTC(), Status: w.Request.Status,
		Header: headersFrom(w.Request.Header), Raw: w.Request.Body, Step: step, Asked: asked,
	}
}

// triggerOf tells what led to a question from why it was asked.
func triggerOf(why string) string {
	if why == scanned {
		return "scan"
	}
	return "query"
}

// digestOf is the SHA-256 of what an answer says.
func digestOf(a gateway.Answer) []byte {
	sum := sha256.Sum256(a.Raw)
	return sum[:]
}

func itoa(n int) string { return strconv.Itoa(n) }

func itoa64(n int64) string { return strconv.FormatInt(n, 10) }
