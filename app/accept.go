package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"nodrop/app/gateway"
	"nodrop/store"
)

// acceptWithin bounds how long a gateway waits for its acknowledgement; the shortest patience of one is five seconds.
const acceptWithin = 4 * time.Second

// Accept takes in one request of a gateway: it is stored before the acknowledgement is returned.
// It fails with KindNotFound for a gateway that is not configured and with KindBusy when the request could not be stored.
func (e *Engine) Accept(ctx context.Context, name string, r gateway.Request) (gateway.Ack, error) {
	a, ok := e.gateways[name]
	if !ok {
		return gateway.Ack{}, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", name)
	}
	reading := a.def.Read(r)
	switch reading.Verdict {
	case gateway.Challenged:
		return reading.Ack, nil
	case gateway.Refused:
		a.noteSigned(r, reading)
		e.refuse(ctx, a, r, reading)
		return reading.Ack, nil
	}
	// A sender that hangs up may never repeat: what has arrived is stored all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), acceptWithin)
	defer cancel()
	a.noteSigned(r, reading)
	e.matched(a, reading.Secret, r.At.UnixMilli())
	e.reasons.count(a.name, reading.Verdict, reading.Reason)
	fresh := false
	err := e.hasRoom()
	if err == nil {
		err = e.store.Update(ctx, "accept", func(tx *store.Tx) (err error) {
			fresh, err = e.accept(tx, a, r, reading)
			return err
		})
	}
	e.workWake.wake()
	if err != nil {
		return a.def.Ack(gateway.OutcomeBusy), &Error{Kind: KindBusy, Code: "cannot_store", Text: "the request could not be stored now; send it again", Cause: err}
	}
	e.arrivals.note(a.name, r.At.UnixMilli(), false)
	if !fresh {
		a.wake.wake() // a repeated hint asks
		return a.def.Ack(gateway.OutcomeDuplicate), nil
	}
	return reading.Ack, nil
}

// accept stores the raw request once with one row for each of its items; fresh is false when all of it was here before.
func (e *Engine) accept(tx *store.Tx, a *account, r gateway.Request, reading gateway.Reading) (fresh bool, err error) {
	at := r.At.UnixMilli()
	items := itemsOf(reading, r)
	raw, request := int64(0), rowOfRequest(a, r, reading)
	for i, it := range items {
		it.RequestID, it.Item, it.Gateway, it.Channel, it.DueMs, it.ReceivedMs = raw, i, a.name, "webhook", at, at
		if it.State == "dead" && a.unsigned && reading.Secret < 0 {
			if it.State, err = e.junk(tx, a); err != nil {
				return false, err
			}
		}
		if it.State == "ignored" {
			it.DoneMs = at
		}
		id, err := tx.InsertItem(it, request)
		if err != nil {
			return false, err
		}
		if raw == 0 {
			raw = id
		}
		if id == 0 {
			if err := e.repeat(tx, a, it, i < len(reading.Observations) && reading.Observations[i].Hint); err != nil {
				return false, err
			}
			continue
		}
		fresh = true
		if it.State == "dead" {
			it.ID = id
			if err := e.openDeadInbox(tx, it, at); err != nil {
				return false, err
			}
		}
	}
	return fresh, nil
}

// repeat counts an item that came before. A hint may mean something new in the same words, so the gateway is asked again.
func (e *Engine) repeat(tx *store.Tx, a *account, it store.Item, hint bool) error {
	old, ok, err := tx.FindItem(it.Gateway, it.Channel, it.DedupeKey, it.Digest)
	if err != nil || !ok {
		return err
	}
	if hint && old.PaymentID != 0 {
		if _, err := e.askAgain(tx, a, old.PaymentID, it.ReceivedMs); err != nil {
			return err
		}
	}
	return tx.RepeatItem(old.ID, it.ReceivedMs)
}

// itemsOf makes an inbox row of each observation; a message that holds none is one row of its own.
func itemsOf(reading gateway.Reading, r gateway.Request) []store.Item {
	if len(reading.Observations) == 0 {
		sum := sha256.Sum256(r.Body)
		state := "ignored"
		if reading.Verdict == gateway.Unreadable {
			state = "dead"
		}
		return []store.Item{{DedupeKey: "raw:" + hex.EncodeToString(sum[:16]), Digest: sum[:], State: state, Reason: reading.Reason}}
	}
	items := make([]store.Item, len(reading.Observations))
	for i := range reading.Observations {
		o := &reading.Observations[i]
		items[i] = store.Item{DedupeKey: o.DedupeKey, Digest: o.Digest[:], MerchantRef: o.MerchantRef, State: itemState(o.Verdict), Reason: o.Reason}
	}
	return items
}

func itemState(verdict string) string {
	switch verdict {
	case gateway.Accepted:
		return "pending"
	case gateway.Unreadable:
		return "dead"
	default:
		return "ignored"
	}
}

func rowOfRequest(a *account, r gateway.Request, reading gateway.Reading) store.Request {
	return store.Request{
		Gateway: a.name, Channel: "webhook", ReceivedMs: r.At.UnixMilli(), Method: r.Method, Target: r.Target, Remote: r.RemoteIP,
		Header: HeaderLines(redacted(r.Header, a.secretHeaders)), Body: r.Body, Status: reading.Ack.Status, Verdict: reading.Verdict,
		Reason: reading.Reason, Detail: reading.Detail, Secret: reading.Secret,
	}
}

// HeaderLines writes headers as "Name: value" lines, sorted by name.
func HeaderLines(h http.Header) []byte {
	names := make([]string, 0, len(h))
	for n := range h {
		names = append(names, n)
	}
	slices.Sort(names)
	var b bytes.Buffer
	for _, n := range names {
		for _, v := range h[n] {
			b.WriteString(n)
			b.WriteString(": ")
			b.WriteString(v)
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}

// headersFrom reads what HeaderLines wrote.
func headersFrom(lines []byte) http.Header {
	h := http.Header{}
	for line := range strings.Lines(string(lines)) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok {
			h[name] = append(h[name], value)
		}
	}
	return h
}

// refuse keeps a refused request for inspection, and has the certificate fetched that it may lack.
func (e *Engine) refuse(ctx context.Context, a *account, r gateway.Request, reading gateway.Reading) {
	e.reasons.count(a.name, reading.Verdict, reading.Reason)
	if reading.Ack.Status == http.StatusMethodNotAllowed {
		return
	}
	e.keepRefused(ctx, a, r, reading)
	if reading.Certificate != "" {
		a.certificates.want(reading.Certificate, e.nowMs())
	}
}

// keepRefused stores a refused request for inspection; that it cannot be stored changes nothing for the sender.
func (e *Engine) keepRefused(ctx context.Context, a *account, r gateway.Request, reading gateway.Reading) {
	at := r.At.UnixMilli()
	e.arrivals.note(a.name, at, true)
	if !e.arrivals.mayKeep(a.name, r.At) {
		return
	}
	limits := e.config.Limits
	var late []gateway.Observation
	if reading.Reason == staleReason {
		late = a.def.Decode(r).Observations
		defer a.wake.wake()
	}
	err := e.store.Update(ctx, "keep refused", func(tx *store.Tx) error {
		if _, err := tx.InsertRefused(rowOfRequest(a, r, reading)); err != nil {
			return err
		}
		if err := e.askOfLate(tx, a, late, at); err != nil {
			return err
		}
		_, err := tx.PruneRefused(a.name, reading.Reason, limits.RefusedKeep, at-limits.RefusedAge.Milliseconds())
		return err
	})
	if err != nil {
		e.log.Warn("a refused request could not be kept", "gateway", a.name, "reason", reading.Reason, "error", err)
	}
}
