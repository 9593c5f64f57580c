package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// read takes one statement about a payment; the lock is held.
func (f *fake) read(p *fakePayment, n fakeNotice, source string) {
	amount, err := minorUnits(n.Data.Amount, n.Data.Currency)
	if err != nil {
		p.reviews["dead_inbox"] = true
		return
	}
	at := fakePart{status: n.Data.Status, amount: amount, at: n.Created}
	switch n.Type {
	case "refund":
		p.refunds[n.Data.ID] = later(p.refunds[n.Data.ID], at)
	case "dispute":
		p.disputes[n.Data.ID] = later(p.disputes[n.Data.ID], at)
	default:
		f.word(p, n, amount, source)
	}
	for _, r := range n.Data.Refunds {
		sum, _ := minorUnits(r.Amount, r.Currency)
		p.refunds[r.ID] = later(p.refunds[r.ID], fakePart{r.Status, sum, n.Created})
	}
	f.sums(p)
}

func later(old, next fakePart) fakePart {
	if next.at.Before(old.at) {
		return old
	}
	return next
}

func (f *fake) word(p *fakePayment, n fakeNotice, amount int64, source string) {
	switch n.Data.Status {
	case "paid":
		f.paid(p, n, amount, source)
	case "failed", "expired", "cancelled":
		if source == "query" {
			f.denied(p, n)
		} else {
			wake(p, source)
		}
	case "processing":
		if p.State == "pending" {
			p.State = "processing"
		}
	case "reversed":
		p.Reversed = p.Received
		p.reviews["reversed"] = true
		f.tell(p, "payment.reversed")
	case "waiting", "attempt_failed":
	default:
		wake(p, source)
	}
	p.lastWord = n.Data.Status
}

// wake has the gateway asked at once, unless it has just been.
func wake(p *fakePayment, source string) {
	if source == "query" {
		return
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (f *fake) paid(p *fakePayment, n fakeNotice, amount int64, source string) {
	right := amount == p.amount && n.Data.Currency == p.Currency
	if !right && f.broken != "amount" {
		p.reviews["difference"] = true
		if p.State != "succeeded" {
			f.move(p, "unknown", "difference", source)
			p.Received = n.Data.Amount
			f.tell(p, "payment.unknown")
			wake(p, source)
		}
		return
	}
	if p.State == "succeeded" {
		return
	}
	p.Late = p.over && f.broken != "late"
	p.Received, p.paidAt = n.Data.Amount, n.Created
	delete(p.reviews, "no_answer")
	others := f.paidInOrder(p.OrderRef)
	f.move(p, "succeeded", "", source)
	f.keys[p.OrderRef] = true
	p.FulfilKey = "fulfil:" + p.OrderRef
	if strings.Contains(f.broken, "keys") {
		p.FulfilKey += ":" + p.MerchantRef
	}
	switch {
	case others > 0 && !strings.Contains(f.broken, "duplicate"):
		f.tell(p, "payment.duplicate")
	case p.Late:
		p.reviews["late"] = true
		f.tell(p, "payment.succeeded_late")
		wake(p, source)
	default:
		f.tell(p, "payment.succeeded")
	}
}

func (f *fake) denied(p *fakePayment, n fakeNotice) {
	if p.Cause == "contradiction" {
		return
	}
	if p.State == "succeeded" {
		if p.Late {
			f.move(p, "unknown", "contradiction", "query")
			p.Late = false
			delete(p.reviews, "late")
			p.reviews["contradiction"] = true
			f.tell(p, "payment.unknown")
		}
		return
	}
	p.over = true
	if n.Data.Status == "failed" {
		f.move(p, "failed", "", "query")
		f.tell(p, "payment.failed")
		return
	}
	f.move(p, "closed", n.Data.Status, "query")
	f.tell(p, "payment.closed")
}

func (f *fake) move(p *fakePayment, state, cause, source string) {
	p.State, p.Cause, p.Source = state, cause, source
}

// sums derives refunded and reversed and tells of a change.
func (f *fake) sums(p *fakePayment) {
	var refunded, lost int64
	for _, r := range p.refunds {
		if r.status == "succeeded" {
			refunded += r.amount
		}
	}
	for _, d := range p.disputes {
		if d.status == "lost" {
			lost += d.amount
		}
	}
	if text := decimal(refunded, p.Currency); refunded > 0 && text != p.Refunded && f.broken != "refund" {
		p.Refunded = text
		if p.State == "succeeded" {
			f.tell(p, "payment.refunded")
		}
	}
	if text := decimal(lost, p.Currency); lost > 0 && text != p.Reversed {
		p.Reversed = text
		p.reviews["reversed"] = true
		f.tell(p, "payment.reversed")
	}
}

var rungs = []time.Duration{300 * ms, 700 * ms, 1500 * ms, 3000 * ms, 5000 * ms, 6500 * ms}

// ask is the timer of one payment: the rungs, what wakes it, and giving up.
func (f *fake) ask(p *fakePayment) {
	for rung := 0; ; {
		at := p.giveUp
		if rung < len(rungs) {
			at = rungs[rung]
		}
		wait := time.NewTimer(max(p.created.Add(at).Sub(f.o.Now()), 400*ms))
		select {
		case <-f.ctx.Done():
			wait.Stop()
			return
		case <-p.wake:
			wait.Stop()
		case <-wait.C:
			rung++
			f.mu.Lock()
			settled := f.off || p.State != "pending" && p.State != "processing" && p.Cause != "difference"
			f.mu.Unlock()
			if settled {
				continue
			}
		}
		f.query(p)
	}
}

func (f *fake) query(p *fakePayment) {
	f.mu.Lock()
	id, asked := p.gatewayID, f.o.Now()
	f.mu.Unlock()
	target := f.o.GatewayURL + "/v1/payments/" + id
	if id == "" {
		target = f.o.GatewayURL + "/v1/payments?reference=" + p.MerchantRef
	}
	req, _ := http.NewRequestWithContext(f.ctx, http.MethodGet, target, nil)
	req.Header.Set("Authorization", "Bearer "+f.o.APIKey)
	res, err := f.o.Client.Do(req)
	answered := err == nil && (res.StatusCode == http.StatusOK || res.StatusCode == http.StatusNotFound)
	var raw []byte
	if err == nil {
		raw, _ = io.ReadAll(res.Body)
		res.Body.Close()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken == "timeouts fail" && !answered {
		f.denied(p, fakeNotice{Created: asked, Data: fakeData{Status: "failed"}})
	}
	if !answered {
		return
	}
	f.digest(p, raw, asked)
	if asked.Sub(p.created) >= p.giveUp {
		f.gaveUp(p)
	}
}

func (f *fake) digest(p *fakePayment, raw []byte, asked time.Time) {
	var one fakeData
	var many struct{ Data []fakeData }
	if json.Unmarshal(raw, &many) == nil && len(many.Data) > 0 {
		one = many.Data[0]
	} else if json.Unmarshal(raw, &one) != nil || one.Status == "" {
		p.lastWord = "unreadable"
		return
	}
	f.read(p, fakeNotice{Type: "payment", Created: asked, Data: one}, "query")
}

func (f *fake) gaveUp(p *fakePayment) {
	switch {
	case p.State != "pending" && p.State != "processing":
	case p.lastWord == "waiting" || p.lastWord == "attempt_failed":
		f.move(p, "closed", "abandoned", "timer")
		p.over = true
		f.tell(p, "payment.closed")
	default:
		f.move(p, "unknown", "no_answer", "timer")
		p.reviews["no_answer"] = true
		f.tell(p, "payment.unknown")
	}
}

// tell freezes an event and lets the order's messenger carry it.
func (f *fake) tell(p *fakePayment, event string) {
	p.Version++
	body := p.NodropPayment
	body.Order.Paid = p.State == "succeeded" && p.Reversed == ""
	e := Event{ID: fmt.Sprintf("1-%06d", len(f.feed)+1), Type: event, Timestamp: f.o.Now(), Data: body}
	f.feed = append(f.feed, e)
	if f.broken == "untold" && event == "payment.refunded" {
		return
	}
	f.events[p.OrderRef] = append(f.events[p.OrderRef], e)
	if !f.busy[p.OrderRef] {
		f.busy[p.OrderRef] = true
		f.work.Go(func() { f.carry(p.OrderRef) })
	}
}

func (f *fake) carry(order string) {
	for {
		f.mu.Lock()
		if len(f.events[order]) == 0 {
			f.busy[order] = false
			f.mu.Unlock()
			return
		}
		e := f.events[order][0]
		f.mu.Unlock()
		for !f.send(e) {
			if !pause(f.ctx, 200*ms) {
				return
			}
		}
		f.mu.Lock()
		f.events[order] = f.events[order][1:]
		f.mu.Unlock()
	}
}

func (f *fake) send(e Event) bool {
	body, _ := json.Marshal(map[string]any{"type": e.Type, "timestamp": e.Timestamp, "data": e.Data})
	req, _ := http.NewRequestWithContext(f.ctx, http.MethodPost, "http://shop/events", bytes.NewReader(body))
	hook, _ := standardwebhooks.NewWebhook(f.o.ShopSecret)
	sig, _ := hook.Sign(e.ID, f.o.Now(), body)
	req.Header.Set("webhook-id", e.ID)
	req.Header.Set("webhook-timestamp", fmt.Sprint(f.o.Now().Unix()))
	req.Header.Set("webhook-signature", sig)
	res, err := f.o.Client.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	return res.StatusCode < 300
}
