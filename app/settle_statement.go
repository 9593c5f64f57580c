package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/store"
)

// channelReport is the inbox channel of what a line of a report says.
const channelReport = "report"

// statement is what a line of a report says of a payment, as it is kept in the inbox. It goes the way of a notice that
// proves nothing: it has the gateway asked, and moves nothing by itself.
type statement struct {
	Kind        string   `json:"kind"` // payment, refund, dispute
	Key         string   `json:"key"`  // the line's identity
	GatewayRefs []string `json:"gateway_refs,omitempty"`
	MerchantRef string   `json:"merchant_ref,omitempty"`
	Ref         string   `json:"ref,omitempty"` // id of the refund or dispute
	Status      string   `json:"status,omitempty"`
	AmountMinor int64    `json:"amount_minor"`
	HasAmount   bool     `json:"has_amount"`
	Currency    string   `json:"currency"`
	OccurredMs  int64    `json:"occurred_ms,omitempty"`
	File        string   `json:"file"`
	Line        int64    `json:"line"`
}

// statementOf makes a statement of a stored line; ok is false for one that is about no payment.
func statementOf(l store.Line, file string, refs []string) (s statement, ok bool) {
	s = statement{
		Key: hex.EncodeToString(l.Key), GatewayRefs: refs, MerchantRef: l.MerchantRef, Currency: l.Currency, OccurredMs: max(l.OccurredMs, 0),
		AmountMinor: max(l.Gross.Minor, -l.Gross.Minor), HasAmount: l.Gross.Known, File: file, Line: l.Number,
	}
	if !l.Gross.Known && l.Net.Known && l.Fee.Known {
		s.AmountMinor, s.HasAmount = max(l.Net.Minor, -l.Net.Minor)+l.Fee.Minor, true
	}
	switch l.Type {
	case linePayment:
		s.Kind = gateway.KindPayment
	case lineRefund:
		s.Kind, s.Ref, s.Status = gateway.KindRefund, movementRef(l), payment.RefundSucceeded
	case lineChargeback:
		s.Kind, s.Ref, s.Status = gateway.KindDispute, movementRef(l), payment.DisputeOpen
	case lineChargebackReversed:
		s.Kind, s.Ref, s.Status = gateway.KindDispute, movementRef(l), payment.DisputeWon
	default:
		return s, false
	}
	return s, len(s.GatewayRefs) > 0 || s.MerchantRef != ""
}

// movementRef names the refund or dispute of a line.
func movementRef(l store.Line) string {
	if l.Movement != "" {
		return l.Movement
	}
	return "report:" + hex.EncodeToString(l.Key)
}

// insertStatement puts a statement into the inbox, once for each line; the id is that of the row that was there before.
func (e *Engine) insertStatement(tx *store.Tx, a *account, s statement, paymentID, now int64) (id int64, err error) {
	body, err := json.Marshal(s)
	if err != nil {
		return 0, err
	}
	digest := sha256.Sum256(body)
	it := store.Item{
		Gateway: a.name, Channel: channelReport, DedupeKey: "line:" + s.Key, Digest: digest[:], MerchantRef: s.MerchantRef,
		State: "pending", DueMs: now, ReceivedMs: now, PaymentID: paymentID,
	}
	q := store.Request{
		Gateway: a.name, Channel: channelReport, ReceivedMs: now, Method: "REPORT", Target: fmt.Sprintf("%s line %d", s.File, s.Line),
		Body: body, Verdict: gateway.Accepted, Secret: -1,
	}
	if id, err = tx.InsertItem(it, q); err != nil || id != 0 {
		return id, err
	}
	old, _, err := tx.FindItem(it.Gateway, it.Channel, it.DedupeKey, it.Digest)
	if err != nil {
		return 0, err
	}
	if old.State == "ignored" { // its import was undone
		return old.ID, tx.ReviveItem(old.ID, now)
	}
	return old.ID, nil
}

// readingOf reads what an inbox row holds again.
func (a *account) readingOf(w store.Work) gateway.Reading {
	if w.Channel != channelReport {
		return a.def.Decode(StoredRequest(w.Request))
	}
	s, ok := statementIn(w)
	if !ok {
		return gateway.Reading{Verdict: gateway.Unreadable, Detail: "the line of the report is not kept as it should be"}
	}
	return gateway.Reading{Verdict: gateway.Accepted, Secret: -1, Observations: []gateway.Observation{s.observation(a, w)}}
}

// statementIn reads the statement that an inbox row holds.
func statementIn(w store.Work) (s statement, ok bool) {
	return s, w.Channel == channelReport && json.Unmarshal(w.Request.Body, &s) == nil
}

// observation is the statement as the engine takes in what gateways say. Which kind of id a report names is not known, so
// each is tried as every kind that the gateway has.
func (s statement) observation(a *account, w store.Work) gateway.Observation {
	o := gateway.Observation{
		Verdict: gateway.Accepted, DedupeKey: w.DedupeKey, Kind: s.Kind, MerchantRef: s.MerchantRef, HasAmount: s.HasAmount, AmountMinor: s.AmountMinor, Currency: s.Currency,
		Hint: true, RefundRef: s.Ref, Status: s.Status, Item: w.Request.Body,
	}
	copy(o.Digest[:], w.Digest)
	if s.Kind == gateway.KindPayment {
		o.Word = payment.WordSucceeded
	}
	if s.OccurredMs > 0 {
		o.OccurredAt = time.UnixMilli(s.OccurredMs).UTC()
	}
	for _, id := range s.GatewayRefs {
		for _, kind := range a.kinds {
			o.Refs = append(o.Refs, gateway.Ref{Kind: kind, ID: id})
		}
	}
	return o
}

// bindReported gives a payment an id that a line named, where the gateway can be asked by nothing else and there is no
// doubt which kind of id it is.
func (e *Engine) bindReported(tx *store.Tx, a *account, p *store.Payment, o gateway.Observation, now int64) error {
	if can, err := canAsk(&tx.Rx, a, *p); err != nil || can || len(o.Refs) != 1 || !a.oneKind() {
		return err
	}
	r := store.GatewayRef{Kind: o.Refs[0].Kind, Ref: o.Refs[0].ID}
	had, err := tx.RefsOfPayment(p.ID)
	if err != nil || slices.ContainsFunc(had, func(h store.GatewayRef) bool { return h.Kind == r.Kind }) {
		return err
	}
	taken, err := tx.AddRef(a.name, r, p.ID)
	if err != nil || taken != 0 {
		return err
	}
	if err := e.adoptBy(tx, a, []store.GatewayRef{r}, now); err != nil {
		return err
	}
	*p, _, err = tx.Payment(p.ID)
	return err
}

// oneKind tells whether the gateway has one kind of ids only, and can be asked by it.
func (a *account) oneKind() bool {
	return len(a.kinds) == 1 && slices.Equal(a.def.AskedKinds(), a.kinds)
}

// bindable tells whether a statement names an id by which its payment can be asked about from then on.
func bindable(a *account, s statement) bool { return a.oneKind() && len(s.GatewayRefs) == 1 }
