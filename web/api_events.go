package web

import "net/http"

// apiEvents is the outbox as a feed; with wait it answers when something comes.
func (s *Server) apiEvents(w http.ResponseWriter, r *http.Request) error {
	wait, err := waitParam(r)
	if err != nil {
		return err
	}
	limit, err := limitParam(r, 100, 500)
	if err != nil {
		return err
	}
	if err := patient(w); err != nil {
		return err
	}
	after := r.URL.Query().Get("after")
	ctx, cancel := s.gate.whileOpen(r.Context())
	defer cancel()
	view, err := s.engine.Events(ctx, after, wait, limit)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, view)
}
