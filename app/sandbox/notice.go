package sandbox

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// instant is RFC 3339 in UTC, in milliseconds: in a compressed run seconds would blur the order.
const instant = "2006-01-02T15:04:05.000Z07:00"

// Notice is one webhook of the gateway and how it fared.
type Notice struct {
	ID        string
	Reference string
	Type      string // payment, refund or dispute
	Forged    bool   // not the gateway's: nobody may accept it
	Lost      bool   // never sent
	Delivered bool   // acknowledged exactly as agreed
	Done      bool   // nothing more will be sent
	Attempts  int
	Status    int // of the last answer; 0: none came

	wire  wire
	delay time.Duration
	body  []byte
}

// compose builds the notice about an act that has just happened.
func compose(a Account, st step, id string, at time.Time) *Notice {
	n := &Notice{ID: id, Reference: a.Reference, Type: noticeType(st.Do), wire: st.Wire, delay: st.Delay,
		Forged: st.Wire.refusable(), Lost: st.Wire == wireLost}
	var data map[string]any
	switch n.Type {
	case "refund":
		r := a.Refunds[len(a.Refunds)-1]
		data = part(a, r.ID, r.Status, r.Amount)
	case "dispute":
		d := a.Disputes[len(a.Disputes)-1]
		data = part(a, d.ID, d.Status, d.Amount)
	default:
		data = object(a)
		data["status"] = word(st.Do)
		spoil(data, a, st.Wire)
	}
	n.body = encode(map[string]any{"id": id, "type": n.Type, "livemode": false, "created": at.UTC().Format(instant), "data": data})
	return n
}

func noticeType(do act) string {
	switch do {
	case actRefundPart, actRefundWhole, actRefundAsked, actRefundDone:
		return "refund"
	case actDisputeOpen, actDisputeWon, actDisputeLost:
		return "dispute"
	}
	return "payment"
}

func word(do act) string {
	if do == actPaidOther || do == actFalselyPaid {
		return string(actPaid)
	}
	return string(do)
}

// object is a payment as the gateway's API and webhooks show it.
func object(a Account) map[string]any {
	return map[string]any{"id": a.ID, "reference": a.Reference, "status": a.Status,
		"amount": decimal(a.amount(), a.Currency), "currency": a.Currency, "account": "shop"}
}

func part(a Account, id, status string, amount int64) map[string]any {
	return map[string]any{"id": id, "payment": a.ID, "reference": a.Reference, "status": status,
		"amount": decimal(amount, a.Currency), "currency": a.Currency}
}

func spoil(data map[string]any, a Account, w wire) {
	switch w {
	case wireWrongAmount:
		data["amount"] = decimal(a.amount()-a.amount()/10, a.Currency)
	case wireWrongCurrency:
		data["currency"] = "USD"
		data["amount"] = decimal(a.amount(), "USD")
	case wireGarbled:
		data["amount"] = "twelve"
	}
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("sandbox: a map of plain values does not encode: %v", err))
	}
	return raw
}

// signature is the Sandbox-Signature header of body, signed at the given instant.
func signature(secret string, body []byte, at time.Time) string {
	t := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}

// header is the signature header as this notice carries it, true or forged; empty: none.
func (n *Notice) header(secret string, at time.Time) string {
	switch n.wire {
	case wireUnsigned:
		return ""
	case wireForged:
		return signature(secret+"-of-somebody-else", n.body, at)
	case wireStale:
		return signature(secret, n.body, at.Add(-time.Hour))
	}
	return signature(secret, n.body, at)
}
