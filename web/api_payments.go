package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"nodrop/app"
	"nodrop/app/payment"
)

// apiRegister adds a payment: 201, or 200 with the same one when it was registered before.
func (s *Server) apiRegister(w http.ResponseWriter, r *http.Request) error {
	o, err := readObject(w, r, false)
	if err != nil {
		return err
	}
	reg := app.Registration{
		Gateway: o.text("gateway"), MerchantRef: o.text("merchant_ref"), OrderRef: o.optionalText("order_ref"),
		Amount: o.amount("amount"), Currency: o.text("currency"), GatewayRefs: o.refs("gateway_refs"),
		ExpiresAt: o.instant("expires_at"), GiveUpAfter: o.optionalText("give_up_after"), Reopen: o.flag("reopen"),
		Metadata: o.anyObject("metadata"),
	}
	if err := o.done(); err != nil {
		return err
	}
	view, created, err := s.engine.Register(r.Context(), reg)
	if err != nil {
		return err
	}
	if !created {
		return reply(w, http.StatusOK, view)
	}
	w.Header().Set("Location", "/v1/payments/"+url.PathEscape(view.ID))
	return reply(w, http.StatusCreated, view)
}

// apiAddRefs adds ids that the gateway gave later.
func (s *Server) apiAddRefs(w http.ResponseWriter, r *http.Request) error {
	o, err := readObject(w, r, false)
	if err != nil {
		return err
	}
	refs := o.refs("gateway_refs")
	if len(refs) == 0 && len(*o.wrong) == 0 {
		o.fail("gateway_refs", "is missing or empty")
	}
	if err := o.done(); err != nil {
		return err
	}
	view, err := s.engine.AddRefs(r.Context(), r.PathValue("id"), refs)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view)
}

func (s *Server) apiPayment(w http.ResponseWriter, r *http.Request) error {
	view, err := s.engine.Payment(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view)
}

// paymentList is one page of payments; Next is empty at the end.
type paymentList struct {
	Payments []app.PaymentView `json:"payments"`
	Next     string            `json:"next"`
}

func (s *Server) apiPayments(w http.ResponseWriter, r *http.Request) error {
	limit, err := limitParam(r, 50, 200)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	if err := s.checkFilters(q.Get("state"), q.Get("gateway")); err != nil {
		return err
	}
	list, next, err := s.engine.Payments(r.Context(), app.PaymentQuery{
		MerchantRef: q.Get("merchant_ref"), OrderRef: q.Get("order_ref"), State: q.Get("state"), Gateway: q.Get("gateway"),
		After: q.Get("after"), Limit: limit,
	})
	if err != nil {
		return err
	}
	if list == nil {
		list = []app.PaymentView{}
	}
	return reply(w, http.StatusOK, paymentList{list, next})
}

// states are the words of the filter `state`.
var states = []string{string(payment.Pending), string(payment.Processing), string(payment.Succeeded), string(payment.Failed), string(payment.Closed), string(payment.Unknown)}

func (s *Server) checkFilters(state, gateway string) error {
	if state != "" && !slices.Contains(states, state) {
		return invalid("bad_state", fmt.Sprintf("state=%q is no state; write one of %s.", state, strings.Join(states, ", ")))
	}
	if gateway != "" && !slices.Contains(s.engine.GatewayNames(), gateway) {
		return invalid("unknown_gateway", fmt.Sprintf("gateway=%q is not configured; configured: %s.", gateway, listOr(s.engine.GatewayNames(), "none")))
	}
	return nil
}

// apiCheck asks the gateway now and may wait for its answer.
func (s *Server) apiCheck(w http.ResponseWriter, r *http.Request) error {
	wait, err := waitParam(r)
	if err != nil {
		return err
	}
	if err := patient(w); err != nil {
		return err
	}
	ctx, cancel := s.gate.whileOpen(r.Context())
	defer cancel()
	view, err := s.engine.Check(ctx, r.PathValue("id"), wait)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view)
}
