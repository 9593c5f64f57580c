// Package web is what nodrop serves over HTTP: the gateways' hooks on the public
// listener; the API, the admin pages and the figures on the private one. It reads
// the store for pages and changes it through the engine alone.
package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"nodrop/app"
	"nodrop/app/certs"
)

// Limits of every connection. The write limit leaves room for the longest wait of the API.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 10 * time.Second
	writeTimeout  = maxWait + 30*time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 32 << 10
)

// Options is what a server is made of; Engine is required.
type Options struct {
	Engine      *app.Engine
	Log         *slog.Logger  // nil: none
	ReadTimeout time.Duration // for one whole request; 0: ten seconds
	BodyMemory  int64         // bytes of hook bodies held at once; 0: 64 MiB

	Certificates func() []certs.Status // how our own certificates stand; nil: there are none
}

// Server answers on both listeners.
type Server struct {
	engine      *app.Engine
	log         *slog.Logger
	readTimeout time.Duration
	maxBody     int64
	proxies     []netip.Prefix
	memory      budget
	gate        *gate
	metrics     *metrics
	complaints  every
	plainHooks  every
	started     string // begins every request id
	requests    atomic.Int64

	certificates func() []certs.Status
}

// New makes a server; it listens to nothing by itself.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.ReadTimeout == 0 {
		o.ReadTimeout = readTimeout
	}
	if o.BodyMemory == 0 {
		o.BodyMemory = defaultBodyMemory
	}
	c := o.Engine.Config()
	s := &Server{
		engine: o.Engine, log: o.Log, readTimeout: o.ReadTimeout, maxBody: c.Limits.MaxBody, proxies: c.Public.TrustedProxies,
		gate: newGate(), complaints: every{span: 10 * time.Second}, plainHooks: every{span: time.Minute}, certificates: o.Certificates,
		started: strconv.FormatInt(o.Engine.Now().UnixMilli(), 36),
	}
	s.memory.left.Store(o.BodyMemory)
	s.metrics = newMetrics(o.Engine, o.Log)
	if o.Certificates != nil {
		s.metrics.registry.MustRegister(certificateFigures(o.Certificates))
	}
	return s
}

// Public serves what the Internet may reach: the hooks and a sign of life, nothing
// else, and never a redirect.
func (s *Server) Public() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name, ok := hookName(r); ok {
			s.serveHook(w, r, name)
			return
		}
		if r.URL.Path == "/healthz" {
			serveHealth(w, r)
			return
		}
		notFound(w)
	})
}

// Private serves the admin pages, the API and the figures.
func (s *Server) Private() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", s.adminRoutes())
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("GET /healthz", serveHealth)
	mux.HandleFunc("GET /readyz", s.serveReady)
	api := s.apiRoutes()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1" || strings.HasPrefix(r.URL.Path, "/v1/") {
			api.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// HTTPServer makes a server for one of the handlers, with limits against slow and
// oversized requests.
func (s *Server) HTTPServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: min(headerTimeout, s.readTimeout), ReadTimeout: s.readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, DisableGeneralOptionsHandler: true,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// BeginDrain makes hooks and API calls that come from now on answer 503, readiness
// false and running waits end; what has begun is finished.
func (s *Server) BeginDrain() { s.gate.close() }

// Wait returns when every request that had begun before BeginDrain is answered, or when ctx ends.
func (s *Server) Wait(ctx context.Context) error { return s.gate.wait(ctx) }

// requestID names one request in the log and in the answer that blames us.
func (s *Server) requestID() string {
	return s.started + "-" + strconv.FormatInt(s.requests.Add(1), 36)
}

func serveHealth(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		plain(w, http.StatusMethodNotAllowed, "method not allowed\n")
		return
	}
	plain(w, http.StatusOK, "ok\n")
}

// serveReady tells a load balancer whether requests can be stored now.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	if s.gate.closed() {
		plain(w, http.StatusServiceUnavailable, "shutting down\n")
		return
	}
	if err := s.engine.Ready(r.Context()); err != nil {
		s.log.Warn("not ready", "error", err)
		plain(w, http.StatusServiceUnavailable, "nothing can be stored now; see the log\n")
		return
	}
	if s.engine.Space().Tight() {
		plain(w, http.StatusOK, "ready, but the disk is nearly full\n")
		return
	}
	plain(w, http.StatusOK, "ready\n")
}

func notFound(w http.ResponseWriter) { plain(w, http.StatusNotFound, "not found\n") }

// plain writes a short text that nothing may keep or reinterpret.
func plain(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the client may have left; nothing is owed to it
}
