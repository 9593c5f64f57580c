package gateway

import "time"

// Explanation is how a request reads, in the form that `explain --json` prints.
type Explanation struct {
	Verdict      string                 `json:"verdict"`
	Reason       string                 `json:"reason"`
	Ack          ExplainedAck           `json:"ack"`
	Observations []ExplainedObservation `json:"observations"`
}

// ExplainedAck is the answer that the gateway would get.
type ExplainedAck struct {
	Status      int    `json:"status"`
	ContentType string `json:"content_type"`
	Body        string `json:"body"`
}

// ExplainedObservation is one observation; Word is the status of a refund or dispute.
type ExplainedObservation struct {
	Verdict         string         `json:"verdict"`
	DedupeKey       string         `json:"dedupe_key"`
	Kind            string         `json:"kind"`
	Word            string         `json:"word"`
	GatewayRefs     []ExplainedRef `json:"gateway_refs"`
	MerchantRef     string         `json:"merchant_ref"`
	Amount          string         `json:"amount"`
	AmountMinor     *int64         `json:"amount_minor"` // null when it has no amount
	Currency        string         `json:"currency"`
	MerchantAccount string         `json:"merchant_account"`
	OccurredAt      string         `json:"occurred_at"`
	ConfirmByQuery  bool           `json:"confirm_by_query"`
}

// ExplainedRef is one gateway id.
type ExplainedRef struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// Explain reads a request and says what would be done with it.
func Explain(g *Gateway, r Request) Explanation {
	rd := g.Read(r)
	e := Explanation{Verdict: rd.Verdict, Reason: rd.Reason, Observations: []ExplainedObservation{},
		Ack: ExplainedAck{Status: rd.Ack.Status, ContentType: rd.Ack.ContentType, Body: string(rd.Ack.Body)}}
	for i := range rd.Observations {
		e.Observations = append(e.Observations, explained(&rd.Observations[i]))
	}
	return e
}

func explained(o *Observation) ExplainedObservation {
	e := ExplainedObservation{Verdict: o.Verdict, DedupeKey: o.DedupeKey, Kind: o.Kind, Word: string(o.Word), GatewayRefs: []ExplainedRef{},
		MerchantRef: o.MerchantRef, Amount: o.AmountText, Currency: o.Currency, MerchantAccount: o.Account, ConfirmByQuery: o.Hint}
	if o.Kind != KindPayment {
		e.Word = o.Status
		if o.RefundRef != "" {
			e.GatewayRefs = append(e.GatewayRefs, ExplainedRef{Kind: o.Kind, ID: o.RefundRef})
		}
	}
	for _, r := range o.Refs {
		e.GatewayRefs = append(e.GatewayRefs, ExplainedRef(r))
	}
	if o.HasAmount {
		minor := o.AmountMinor
		e.AmountMinor = &minor
	}
	if !o.OccurredAt.IsZero() {
		e.OccurredAt = o.OccurredAt.Format(time.RFC3339Nano)
	}
	return e
}
