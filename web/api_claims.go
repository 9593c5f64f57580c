package web

import "net/http"

// apiClaim gives one worker the right to do a thing once: 201 the first time, 200 for the same owner again.
func (s *Server) apiClaim(w http.ResponseWriter, r *http.Request) error {
	o, err := readObject(w, r, false)
	if err != nil {
		return err
	}
	key, paymentID, owner := o.text("key"), o.text("payment_id"), o.text("owner")
	if err := o.done(); err != nil {
		return err
	}
	view, created, err := s.engine.Claim(r.Context(), key, paymentID, owner)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	return reply(w, status, view)
}

func (s *Server) apiFinishClaim(w http.ResponseWriter, r *http.Request) error {
	view, err := s.engine.FinishClaim(r.Context(), r.PathValue("key"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view)
}
