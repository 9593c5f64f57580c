package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest that a call may wait for something to happen.
const maxWait = time.Minute

// route is one call of the API.
type route struct {
	method, pattern string
	open            bool     // needs no token
	query           []string // parameters that it knows
	handle          handler
}

// routes is the API, whole.
func (s *Server) routes() []route {
	return []route{
		{"POST", "/v1/payments", false, nil, s.apiRegister},
		{"GET", "/v1/payments", false, []string{"merchant_ref", "order_ref", "state", "gateway", "after", "limit"}, s.apiPayments},
		{"GET", "/v1/payments/{id}", false, nil, s.apiPayment},
		{"PATCH", "/v1/payments/{id}", false, nil, s.apiAddRefs},
		{"POST", "/v1/payments/{id}/check", false, []string{"wait"}, s.apiCheck},
		{"GET", "/v1/orders/{order_ref}", false, nil, s.apiOrder},
		{"POST", "/v1/orders/{order_ref}/close", false, nil, s.apiCloseOrder},
		{"POST", "/v1/claims", false, nil, s.apiClaim},
		{"PUT", "/v1/claims/{key}/done", false, nil, s.apiFinishClaim},
		{"GET", "/v1/events", false, []string{"after", "wait", "limit"}, s.apiEvents},
		{"GET", "/v1/openapi.json", true, nil, s.apiDocument},
	}
}

// apiRoutes serves everything below /v1: no redirects, and problems for what is not there.
func (s *Server) apiRoutes() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, rt := range s.routes() {
		mux.HandleFunc(rt.method+" "+rt.pattern, s.guarded(s.admit(rt)))
		methods[rt.pattern] = append(methods[rt.pattern], rt.method)
	}
	for pattern, list := range methods {
		mux.HandleFunc(pattern, s.guarded(wrongMethodFor(list)))
	}
	unknown := s.guarded(unknownPath)
	mux.HandleFunc("/", unknown)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if untidy(r.URL) {
			unknown(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// untidy tells a path that ServeMux would answer with a redirect to a cleaned one.
func untidy(u *url.URL) bool {
	path := u.EscapedPath()
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if segment == "" || segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

func unknownPath(_ http.ResponseWriter, r *http.Request) error {
	return &fault{status: http.StatusNotFound, code: "unknown_path", detail: fmt.Sprintf("There is nothing at %s. The calls are listed at /v1/openapi.json.", r.URL.Path)}
}

func wrongMethodFor(methods []string) handler {
	allowed := slices.Clone(methods)
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
	}
	slices.Sort(allowed)
	allow := strings.Join(allowed, ", ")
	return func(_ http.ResponseWriter, r *http.Request) error {
		return &fault{status: http.StatusMethodNotAllowed, code: "method_not_allowed", header: [2]string{"Allow", allow},
			detail: fmt.Sprintf("%s is not possible here; use %s.", r.Method, allow)}
	}
}

// admit lets a call through that has a valid token and only parameters that are known.
func (s *Server) admit(rt route) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !rt.open {
			if err := s.authenticate(r); err != nil {
				return err
			}
		}
		if err := checkQuery(r.URL.RawQuery, rt.query); err != nil {
			return err
		}
		return rt.handle(w, r)
	}
}

// authenticate wants `Authorization: Bearer nd_…`.
func (s *Server) authenticate(r *http.Request) error {
	scheme, secret, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || secret == "" {
		return &fault{status: http.StatusUnauthorized, code: "token_missing", header: [2]string{"WWW-Authenticate", `Bearer realm="nodrop"`},
			detail: "Send the header Authorization: Bearer with a token made by `nodrop token add`."}
	}
	_, ok, err := s.engine.TokenValid(r.Context(), strings.TrimSpace(secret))
	if err != nil || ok {
		return err
	}
	return &fault{status: http.StatusUnauthorized, code: "token_invalid", header: [2]string{"WWW-Authenticate", `Bearer realm="nodrop", error="invalid_token"`},
		detail: "The token is not known or was revoked. Make another with `nodrop token add`."}
}

// checkQuery refuses parameters that a call does not know: a misspelt filter must not list everything.
func checkQuery(raw string, known []string) error {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return invalid("bad_query", "The query of the address cannot be read; percent-encode its values.")
	}
	for name, list := range values {
		if !slices.Contains(known, name) {
			return invalid("unknown_parameter", fmt.Sprintf("The parameter %q is not known here; known: %s.", name, listOr(known, "none")))
		}
		if len(list) > 1 {
			return invalid("repeated_parameter", fmt.Sprintf("The parameter %q stands there %d times; write it once.", name, len(list)))
		}
	}
	return nil
}

func listOr(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

// waitParam reads how long the caller would wait.
func waitParam(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("wait")
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 || d > maxWait {
		return 0, invalid("bad_wait", fmt.Sprintf("wait=%q is no time from 0s to %v; write wait=5s.", text, maxWait))
	}
	return d, nil
}

// limitParam reads the size of a page: usual when it is left out, at most the most.
func limitParam(r *http.Request, usual, most int) (int, error) {
	text := r.URL.Query().Get("limit")
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > most {
		return 0, invalid("bad_limit", fmt.Sprintf("limit=%q is no whole number from 1 to %d.", text, most))
	}
	return n, nil
}

// patient lifts the limit on reading once the request is read, which would otherwise end a wait.
func patient(w http.ResponseWriter) error {
	err := http.NewResponseController(w).SetReadDeadline(time.Time{})
	if errors.Is(err, http.ErrNotSupported) {
		return nil
	}
	return err
}

// reply writes an answer as JSON.
func reply(w http.ResponseWriter, status int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write an answer as JSON: %w", err)
	}
	writeJSON(w, status, "application/json", text)
	return nil
}
