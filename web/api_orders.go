package web

import "net/http"

func (s *Server) apiOrder(w http.ResponseWriter, r *http.Request) error {
	view, err := s.engine.Order(r.Context(), r.PathValue("order_ref"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view)
}

// apiCloseOrder hears that the shop is about to cancel an order.
func (s *Server) apiCloseOrder(w http.ResponseWriter, r *http.Request) error {
	o, err := readObject(w, r, true)
	if err != nil {
		return err
	}
	force := o.flag("force")
	if err := o.done(); err != nil {
		return err
	}
	if err := patient(w); err != nil {
		return err
	}
	ctx, cancel := s.gate.whileOpen(r.Context())
	defer cancel()
	view, err := s.engine.CloseOrder(ctx, r.PathValue("order_ref"), force)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view)
}
