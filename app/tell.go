package app

import (
	"encoding/json"
	"time"

	"nodrop/app/payment"
	"nodrop/store"
)

// tell writes the outbox entries of a change, each with the payment as it stands now.
func (e *Engine) tell(tx *store.Tx, p *store.Payment, entries []payment.Entry, siblings []store.Payment, now int64) error {
	if len(entries) == 0 {
		return nil
	}
	view, err := e.view(&tx.Rx, *p, siblings)
	if err != nil {
		return err
	}
	state := "pending"
	if e.config.Shop.URL == "" {
		state = "feed"
	}
	for _, entry := range entries {
		v := view
		if entry.Fulfil {
			v.FulfilKey = fulfilKey(p.Order.Ref)
			if _, err := tx.Once(v.FulfilKey, p.ID, now); err != nil {
				return err
			}
		}
		body, err := json.Marshal(envelope[PaymentView]{string(entry.Type), instant(now), v})
		if err != nil {
			return err
		}
		if _, err := tx.InsertEvent(store.Event{PaymentID: p.ID, OrderID: p.OrderID, Version: p.Version, Type: string(entry.Type), Body: body, CreatedMs: now, State: state, DueMs: now}); err != nil {
			return err
		}
	}
	e.sendWake.wake()
	return nil
}

// envelope is the body of an outgoing event.
type envelope[T any] struct {
	Type      string `json:"type"`
	Timestamp string `json:"timestamp"`
	Data      T      `json:"data"`
}

func fulfilKey(orderRef string) string { return "fulfil:" + orderRef }

// instant writes a time as the API does: RFC 3339 in UTC with milliseconds.
func instant(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
