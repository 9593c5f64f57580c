package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Ref is one of the gateway's own ids of a payment.
type Ref struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// OrderState is what nodrop says about an order.
type OrderState struct {
	Paid              bool     `json:"paid"`
	SafeToChargeAgain bool     `json:"safe_to_charge_again"`
	Because           []string `json:"because"`
	Reviews           Words    `json:"reviews"`
}

// NodropPayment is a payment as nodrop shows it; amounts are decimal strings in major units.
type NodropPayment struct {
	ID          string     `json:"id"`
	Version     int64      `json:"version"`
	MerchantRef string     `json:"merchant_ref"`
	OrderRef    string     `json:"order_ref"`
	State       string     `json:"state"`
	Cause       string     `json:"cause"`
	Late        bool       `json:"late"`
	Amount      string     `json:"amount"`
	Currency    string     `json:"currency"`
	Received    string     `json:"received"`
	Refunded    string     `json:"refunded"`
	Disputed    string     `json:"disputed"`
	Reversed    string     `json:"reversed"`
	Source      string     `json:"source"`
	FulfilKey   string     `json:"fulfil_key"`
	Reviews     Words      `json:"reviews"` // open reviews, where nodrop names them with the payment
	Order       OrderState `json:"order"`
}

// Words is a list of reasons, given as strings or as objects with a reason.
type Words []string

// UnmarshalJSON reads either form.
func (w *Words) UnmarshalJSON(raw []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return err
	}
	*w = make(Words, len(items))
	for i, item := range items {
		var named struct{ Reason string }
		if json.Unmarshal(item, &(*w)[i]) == nil {
			continue
		}
		if err := json.Unmarshal(item, &named); err != nil {
			return err
		}
		(*w)[i] = named.Reason
	}
	return nil
}

// Event is one message of nodrop to the shop.
type Event struct {
	ID        string        `json:"id"` // webhook-id
	Type      string        `json:"type"`
	Timestamp time.Time     `json:"timestamp"`
	Data      NodropPayment `json:"data"`
}

// api is the merchant's client of nodrop's private listener.
type api struct{ o Options }

var errUnreachable = errors.New("nodrop could not be reached or was busy")

// call makes one call; errUnreachable says that it is worth repeating.
func (c api) call(ctx context.Context, method, path string, in, out any) (int, error) {
	var body io.Reader
	if in != nil {
		body = bytes.NewReader(encode(in))
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(c.o.NodropAPI, "/")+path, body)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+c.o.Token)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.o.Client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("%w: %v", errUnreachable, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, 16<<20))
	switch {
	case err != nil, res.StatusCode >= 500, res.StatusCode == http.StatusTooManyRequests:
		return res.StatusCode, fmt.Errorf("%w: %s %s answered %d", errUnreachable, method, path, res.StatusCode)
	case out != nil && res.StatusCode < 300:
		if err := json.Unmarshal(raw, out); err != nil {
			return res.StatusCode, fmt.Errorf("%s %s: the answer cannot be read: %w", method, path, err)
		}
	}
	return res.StatusCode, nil
}

// insist repeats a call while nodrop cannot be reached, within Options.Patience.
// Every call of this client may be repeated without harm.
func (c api) insist(ctx context.Context, method, path string, in, out any) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Patience)
	defer cancel()
	for wait := 50 * ms; ; wait = min(wait*2, 400*ms) {
		status, err := c.call(ctx, method, path, in, out)
		if !errors.Is(err, errUnreachable) || !pause(ctx, wait) {
			return status, err
		}
	}
}

// payments reads all payments, page after page.
func (c api) payments(ctx context.Context) ([]NodropPayment, error) {
	return pages(ctx, c, "/v1/payments", "payments", func(p NodropPayment) string { return p.ID })
}

// events reads nodrop's outbox from its beginning.
func (c api) events(ctx context.Context) ([]Event, error) {
	return pages(ctx, c, "/v1/events", "events", func(e Event) string { return e.ID })
}

// pages follows after=… until a page brings nothing new. A page is a list, or
// an object that holds the list under name or "data", and maybe "next".
func pages[T any](ctx context.Context, c api, path, name string, id func(T) string) ([]T, error) {
	var all []T
	seen := map[string]bool{}
	for after := ""; ; {
		target := path
		if after != "" {
			target += "?after=" + url.QueryEscape(after)
		}
		var raw json.RawMessage
		status, err := c.insist(ctx, http.MethodGet, target, nil, &raw)
		if err != nil {
			return nil, err
		}
		if status != http.StatusOK {
			return nil, fmt.Errorf("GET %s answered %d", target, status)
		}
		page, next, err := readPage[T](raw, name)
		if err != nil {
			return nil, fmt.Errorf("GET %s: %w", target, err)
		}
		fresh := 0
		for _, item := range page {
			if !seen[id(item)] {
				seen[id(item)] = true
				all = append(all, item)
				fresh++
			}
		}
		if fresh == 0 {
			return all, nil
		}
		after = cmp.Or(next, id(page[len(page)-1]))
	}
}

func readPage[T any](raw json.RawMessage, name string) (page []T, next string, err error) {
	if err := json.Unmarshal(raw, &page); err == nil {
		return page, "", nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, "", err
	}
	for _, key := range []string{name, "data"} {
		if list, ok := object[key]; ok {
			_ = json.Unmarshal(object["next"], &next) // absent or null: the last id serves
			return page, next, json.Unmarshal(list, &page)
		}
	}
	return nil, "", fmt.Errorf("the answer holds neither %q nor \"data\"", name)
}

// order asks what nodrop says about an order.
func (c api) order(ctx context.Context, ref string) (OrderState, error) {
	var state OrderState
	status, err := c.insist(ctx, http.MethodGet, "/v1/orders/"+url.PathEscape(ref), nil, &state)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("GET /v1/orders/%s answered %d", ref, status)
	}
	return state, err
}
