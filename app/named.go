package app

import (
	"context"
	"slices"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// What is looked at of a payment's unproved notices when it is asked about.
const (
	namedNotices = 5
	namedIDs     = 3
)

// namedByHints makes a question of each id that only notices which prove nothing named. Anybody can send such a notice, so
// the id is not bound to the payment; but where the gateway knows several tries at one reference, and shows one of them
// when asked by the reference, the try that is paid may be the one that the notice was about.
func namedByHints(rx *store.Rx, a *account, p store.Payment, bound []store.GatewayRef) ([]gateway.Question, error) {
	if !a.def.Hints() {
		return nil, nil
	}
	list, err := rx.LatestNotices(p.ID, namedNotices)
	if err != nil {
		return nil, err
	}
	var out []gateway.Question
	for _, w := range list {
		reading := a.def.Decode(StoredRequest(w.Request))
		if w.Item.Item >= len(reading.Observations) {
			continue
		}
		for _, ref := range reading.Observations[w.Item.Item].Refs {
			r := store.GatewayRef{Kind: ref.Kind, Ref: ref.ID}
			if slices.Contains(bound, r) || len(out) == namedIDs {
				continue
			}
			bound = append(bound, r)
			q := questionOf(p, []store.GatewayRef{r})
			if q.ByRef = true; a.def.CanAsk(q) {
				out = append(out, q)
			}
		}
	}
	return out, nil
}

// askNamed asks about those ids too where the gateway denies, asked otherwise, that there is money: within the budget of
// hints. Only money counts of what it hears, and only if the answer itself names the payment's reference.
func (e *Engine) askNamed(ctx context.Context, a *account, q question, best gateway.Answer) gateway.Answer {
	if len(q.named) == 0 || !denied(a.def, q.ask, best) {
		return best
	}
	for _, one := range q.named {
		if !a.hinted.AllowN(e.now(), 1) {
			return best
		}
		a.limiter.ReserveN(e.now(), 1)
		answer := a.def.Query(ctx, e.http, one, e.now)
		if answered(answer.Class) && weight(a.def, one, answer) == weightMoney && namesPayment(a.def, one, answer) {
			return answer
		}
	}
	return best
}

// denied tells whether an answer says that nothing was paid, though another try may have been.
func denied(def *gateway.Gateway, q gateway.Question, answer gateway.Answer) bool {
	if !answered(answer.Class) {
		return false
	}
	return slices.ContainsFunc(def.ReadAnswer(q, answer).Observations, func(o gateway.Observation) bool {
		switch o.Word {
		case payment.WordNotFound, payment.WordAttemptFailed, payment.WordFailed, payment.WordExpired, payment.WordCancelled:
			return o.Kind == gateway.KindPayment && o.Verdict == gateway.Accepted
		}
		return false
	})
}

func namesPayment(def *gateway.Gateway, q gateway.Question, answer gateway.Answer) bool {
	return slices.ContainsFunc(def.ReadAnswer(q, answer).Observations, func(o gateway.Observation) bool {
		return o.MerchantRef != "" && (o.MerchantRef == q.MerchantRef || o.MerchantRef == q.OrderRef)
	})
}
