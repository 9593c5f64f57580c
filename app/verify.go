package app

import (
	"context"
	"fmt"
	"strings"

	"nodrop/app/gateway"
	"nodrop/store"
)

// verifyPage is how many refused requests are read, and at most taken in, at once: live requests wait for no more.
const verifyPage = 16

// Verification is a person's wish to have the kept refused requests of a gateway read again as it is configured now.
type Verification struct {
	Actor, FormKey, Gateway string
}

// VerifyResult is what verifying again came to. Again: the form was sent before, and nothing was done now.
type VerifyResult struct {
	Tried, Accepted, StillRefused int
	Again                         bool
}

// VerifyRefused reads every refused request of a gateway again as of its own arrival, and takes in those that are right by
// the present configuration. What was taken in before, or has come again meanwhile, is not worked on twice.
func (e *Engine) VerifyRefused(ctx context.Context, v Verification) (VerifyResult, error) {
	a, ok := e.gateways[v.Gateway]
	if !ok {
		return VerifyResult{}, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", v.Gateway)
	}
	used, err := e.beginVerify(ctx, v.Actor, v.FormKey, gatewaySubject(a))
	if err != nil || used {
		return VerifyResult{Again: used}, err
	}
	return e.verify(ctx, a, "", v.Actor)
}

// VerifyOneRefused does so for one refused request.
func (e *Engine) VerifyOneRefused(ctx context.Context, actor, formKey string, id int64) (r VerifyResult, err error) {
	q, a, err := e.refusedRequest(ctx, id)
	if err != nil {
		return r, err
	}
	used, err := e.beginVerify(ctx, actor, formKey, "refused:"+itoa64(id))
	if err != nil || used {
		return VerifyResult{Again: used}, err
	}
	if q.TakenMs != 0 {
		return r, fail(KindStale, "taken_in", "refused request %d was taken in before", id)
	}
	err = e.verifyPage(ctx, a, []store.Request{q}, actor, &r)
	return r, err
}

// VerifyPreview tells what VerifyRefused would come to and writes nothing.
func (e *Engine) VerifyPreview(ctx context.Context, name string) (r VerifyResult, err error) {
	a, ok := e.gateways[name]
	if !ok {
		return r, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", name)
	}
	err = e.eachRefused(ctx, a, "", func(_ context.Context, page []store.Request) error {
		right, wrong := a.judgeAgain(page)
		r.add(len(right), len(wrong))
		return nil
	})
	return r, err
}

func (r *VerifyResult) add(accepted, refused int) {
	r.Tried += accepted + refused
	r.Accepted += accepted
	r.StillRefused += refused
}

func gatewaySubject(a *account) string { return "gateway:" + a.name }

func (e *Engine) refusedRequest(ctx context.Context, id int64) (q store.Request, a *account, err error) {
	err = e.store.View(ctx, "refused request", func(rx *store.Rx) error {
		var ok bool
		if q, ok, err = rx.GetRefused(id); err == nil && !ok {
			err = fail(KindNotFound, "unknown_request", "there is no refused request %d", id)
		}
		return err
	})
	if err != nil {
		return q, nil, err
	}
	a, ok := e.gateways[q.Gateway]
	if !ok {
		return q, nil, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", q.Gateway)
	}
	return q, a, nil
}

// beginVerify writes down who wants it; used tells that the form was sent before.
func (e *Engine) beginVerify(ctx context.Context, actor, formKey, subject string) (used bool, err error) {
	err = e.store.Update(ctx, "begin verify", func(tx *store.Tx) (err error) {
		if used, err = tx.FormUsed(formKey); err != nil || used {
			return err
		}
		return e.auditOnce(tx, store.Audit{Actor: actor, Action: ActVerify, Subject: subject, FormKey: formKey})
	})
	return used, err
}

// eachRefused gives the kept requests that are refused for a reason ("" for any), a page at a time, up to the newest of now.
func (e *Engine) eachRefused(ctx context.Context, a *account, reason string, do func(context.Context, []store.Request) error) error {
	after, upTo := int64(0), int64(0)
	for {
		var page []store.Request
		err := e.store.View(ctx, "refused requests", func(rx *store.Rx) (err error) {
			if upTo == 0 {
				if upTo, err = rx.LastRefused(); err != nil {
					return err
				}
			}
			page, err = rx.RefusedAfter(a.name, reason, after, upTo, verifyPage)
			return err
		})
		if err != nil || len(page) == 0 {
			return err
		}
		if err := do(ctx, page); err != nil {
			return err
		}
		after = page[len(page)-1].ID
	}
}

// verify reads the refused requests of a gateway again and takes in those that are right now.
func (e *Engine) verify(ctx context.Context, a *account, reason, actor string) (r VerifyResult, err error) {
	err = e.eachRefused(ctx, a, reason, func(ctx context.Context, page []store.Request) error {
		return e.verifyPage(ctx, a, page, actor, &r)
	})
	return r, err
}

// verdict is a refused request with how it reads now.
type verdict struct {
	stored  store.Request
	request gateway.Request
	reading gateway.Reading
}

// verifyPage takes in what is right of a few refused requests, in one small commit that lets live ones go first.
func (e *Engine) verifyPage(ctx context.Context, a *account, page []store.Request, actor string, r *VerifyResult) error {
	right, wrong := a.judgeAgain(page)
	taken := 0
	err := e.store.UpdateLow(ctx, "verify", func(tx *store.Tx) (err error) {
		taken, err = e.takeIn(tx, a, right, actor)
		if err != nil {
			return err
		}
		for _, v := range wrong {
			if v.reading.Reason == v.stored.Reason && v.reading.Detail == v.stored.Detail {
				continue
			}
			if err := tx.JudgeRefused(v.stored.ID, v.reading.Reason, v.reading.Detail); err != nil {
				return err
			}
		}
		return nil
	})
	e.wakeAll()
	if err != nil {
		return err
	}
	for _, v := range right {
		e.matched(a, v.reading.Secret, v.request.At.UnixMilli())
	}
	for _, v := range wrong {
		if v.reading.Certificate != "" {
			a.certificates.want(v.reading.Certificate, e.nowMs())
		}
	}
	r.add(taken, len(wrong)) // one that somebody else took in meanwhile is theirs
	return nil
}

func (a *account) judgeAgain(page []store.Request) (right, wrong []verdict) {
	for _, q := range page {
		v := verdict{stored: q, request: StoredRequest(q)}
		v.reading = a.def.Read(v.request)
		switch v.reading.Verdict {
		case gateway.Accepted, gateway.Ignored, gateway.Unreadable:
			right = append(right, v)
		case gateway.Challenged:
			v.reading = gateway.Reading{Reason: q.Reason, Detail: q.Detail}
			wrong = append(wrong, v)
		default:
			wrong = append(wrong, v)
		}
	}
	return right, wrong
}

// takeIn stores requests that were refused at first as if they came now, and marks each so that it is taken in once.
func (e *Engine) takeIn(tx *store.Tx, a *account, right []verdict, actor string) (taken int, err error) {
	var ids []string
	for _, v := range right {
		ok, err := tx.TakeRefused(v.stored.ID, e.nowMs())
		if err != nil {
			return 0, err
		}
		if !ok {
			continue
		}
		v.reading.Detail = strings.TrimSuffix("refused at first as "+v.stored.Reason+"; "+v.reading.Detail, "; ")
		v.reading.Ack.Status = v.stored.Status // what the gateway was told then
		if _, err := e.accept(tx, a, v.request, v.reading); err != nil {
			return 0, err
		}
		ids = append(ids, itoa64(v.stored.ID))
	}
	if len(ids) == 0 {
		return 0, nil
	}
	detail := fmt.Sprintf("taken in: %s", strings.Join(ids, ", "))
	_, err = tx.InsertAudit(store.Audit{AtMs: e.nowMs(), Actor: actor, Action: ActVerify, Subject: gatewaySubject(a), Detail: detail})
	return len(ids), err
}
