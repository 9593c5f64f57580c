package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// sell takes one payment through the shop's checkout: it creates the payment at
// the gateway, registers it with nodrop and gives nodrop the gateway's id, in the
// order that the plan wants. early waits for the gateway's notice.
func (s *Shop) sell(ctx context.Context, p Plan, early func(context.Context, string) bool) error {
	if p.Story.Register != registerNever {
		s.update(func() { s.book(p) })
	}
	if p.Link == linkLater && p.Story.Register == registerNormally {
		return s.sellThenLink(ctx, p)
	}
	id, err := s.charge(ctx, p)
	if err != nil || p.Story.Register == registerNever {
		return err
	}
	if p.Story.Register == registerLate {
		wait, cancel := context.WithTimeout(ctx, s.o.Patience)
		early(wait, p.Ref)
		cancel()
	}
	var refs []Ref
	if p.Link != linkNever {
		refs = []Ref{{Kind: "payment", ID: id}}
	}
	_, err = s.register(ctx, p, refs)
	return err
}

func (s *Shop) sellThenLink(ctx context.Context, p Plan) error {
	payment, err := s.register(ctx, p, nil)
	if err != nil {
		return err
	}
	id, err := s.charge(ctx, p)
	if err != nil {
		return err
	}
	body := map[string]any{"gateway_refs": []Ref{{Kind: "payment", ID: id}}}
	status, err := s.api.insist(ctx, http.MethodPatch, "/v1/payments/"+url.PathEscape(payment.ID), body, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("nodrop answered %d when it was given the gateway's id of %s", status, p.Ref)
	}
	return err
}

// book opens the shop's page of the order.
func (s *Shop) book(p Plan) {
	o := s.orders[p.Order]
	if o == nil {
		o = &Order{Ref: p.Order}
		s.orders[p.Order] = o
	}
	o.Payments = append(o.Payments, p.Ref)
	s.stats.Sold++
}

// charge is the merchant's create call at the gateway.
func (s *Shop) charge(ctx context.Context, p Plan) (string, error) {
	body := encode(map[string]any{"reference": p.Ref, "amount": decimal(p.Amount, p.Currency), "currency": p.Currency})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(s.o.GatewayURL, "/")+"/v1/payments", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+s.o.APIKey)
	res, err := s.o.Client.Do(req)
	if err != nil {
		return "", fmt.Errorf("create %s at the gateway: %w", p.Ref, err)
	}
	defer res.Body.Close()
	var made struct{ ID string }
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err == nil {
		err = json.Unmarshal(raw, &made)
	}
	if err != nil || made.ID == "" {
		return "", fmt.Errorf("create %s at the gateway: answered %d without an id", p.Ref, res.StatusCode)
	}
	return made.ID, nil
}

// register tells nodrop about a payment; repeating it is safe.
func (s *Shop) register(ctx context.Context, p Plan, refs []Ref) (NodropPayment, error) {
	body := map[string]any{"gateway": s.o.GatewayName, "merchant_ref": p.Ref, "order_ref": p.Order,
		"amount": decimal(p.Amount, p.Currency), "currency": p.Currency, "give_up_after": s.o.GiveUpAfter.String()}
	if refs != nil {
		body["gateway_refs"] = refs
	}
	var payment NodropPayment
	status, err := s.api.insist(ctx, http.MethodPost, "/v1/payments", body, &payment)
	if err == nil && status != http.StatusCreated && status != http.StatusOK {
		err = fmt.Errorf("nodrop answered %d", status)
	}
	if err != nil {
		return payment, fmt.Errorf("register %s with nodrop: %w", p.Ref, err)
	}
	return payment, nil
}

var errNotSafe = errors.New("nodrop never said that it is safe to charge again")

// safeAgain asks nodrop until it says that the order may be charged again.
func (s *Shop) safeAgain(ctx context.Context, order string) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Patience)
	defer cancel()
	var because []string
	for {
		state, err := s.api.order(ctx, order)
		if err == nil {
			because = state.Because
		}
		switch {
		case err == nil && state.SafeToChargeAgain:
			return nil
		case !pause(ctx, 200*ms):
			return fmt.Errorf("order %s: %w, because of %q", order, errNotSafe, because)
		}
	}
}
