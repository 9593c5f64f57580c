package web

import (
	_ "embed"
	"net/http"
)

//go:embed openapi.json
var openAPI []byte

// apiDocument describes the API; it needs no token.
func (s *Server) apiDocument(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, "application/json", openAPI)
	return nil
}
