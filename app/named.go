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
func namedByHints(rx *store.Rx, a *account, p store.Payment, bound []gateway.Ref) ([]gateway.Question, error) {
	list, err := rx.LatestNotices(p.ID, namedNotices)
	if err != nil {
		return nil, err
	}
	bound = slices.Clone(bound)
	var out []gateway.Question
	for _, w := range list {
		reading := a.def.Decode(StoredRequest(w.Request))
		if w.Item.Item >= len(reading.Observations) {
			continue
		}
		for _, ref := range reading.Observations[w.Item.Item].Refs {
			if slices.Contains(bound, ref) || len(out) == namedIDs {
				continue
			}
			bound = append(bound, ref)
			q := questionOf(p, []store.GatewayRef{{Kind: ref.Kind, Ref: ref.ID}})
			if q.ByRef = true; a.def.CanAsk(q) {
				out = append(out, q)
			}
		}
	}
	return out, nil
}

// askNamed asks about those ids too where the gateway denies, asked otherwise, that there is money: within the budget of
// hints. Only money counts of what it hears, and only if the answer itself names the payment's reference.
func (e *Engine) askNamed(ctx context.Context, a *account, q question, best heard) heard {
	if !a.def.Hints() || !best.denies() {
		return best
	}
	var named []gateway.Question
	err := e.store.View(ctx, "ids that hints named", func(rx *store.Rx) (err error) {
		named, err = namedByHints(rx, a, q.payment, q.ask.Refs)
		return err
	})
	if err != nil {
		e.log.Error("the ids that hints named could not be read; the payment is asked about without them", "gateway", a.name, "payment", q.payment.PublicID, "error", err)
		return best
	}
	for _, one := range named {
		if !a.hinted.AllowN(e.now(), 1) {
			return best
		}
		a.limiter.ReserveN(e.now(), 1)
		if r := e.put(ctx, a, one); answered(r.answer.Class) && r.weight() == weightMoney && r.names(one) {
			return r
		}
	}
	return best
}

// denies tells whether an answer says that nothing was paid, though another try may have been.
func (r heard) denies() bool {
	if !answered(r.answer.Class) {
		return false
	}
	return slices.ContainsFunc(r.said.Observations, func(o gateway.Observation) bool {
		switch o.Word {
		case payment.WordNotFound, payment.WordAttemptFailed, payment.WordFailed, payment.WordExpired, payment.WordCancelled:
			return o.Kind == gateway.KindPayment && o.Verdict == gateway.Accepted
		}
		return false
	})
}

// names tells whether an answer itself names the reference of the payment that was asked about.
func (r heard) names(q gateway.Question) bool {
	return slices.ContainsFunc(r.said.Observations, func(o gateway.Observation) bool {
		return o.MerchantRef != "" && (o.MerchantRef == q.MerchantRef || o.MerchantRef == q.OrderRef)
	})
}
