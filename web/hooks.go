package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"nodrop/app/gateway"
)

// hookName reads the gateway's name from /hooks/{gateway} with or without a final slash.
// Any other spelling of a path, such as an encoded letter or a doubled slash, names nothing.
func hookName(r *http.Request) (string, bool) {
	if r.URL.RawPath != "" {
		return "", false
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/hooks/")
	name = strings.TrimSuffix(name, "/")
	return name, ok && name != "" && !strings.Contains(name, "/")
}

// hook is one request to one gateway's address.
type hook struct {
	s        *Server
	w        http.ResponseWriter
	r        *http.Request
	name     string
	def      *gateway.Gateway
	at       time.Time
	status   int // that was answered
	answered bool
	refused  bool // by the definition
}

// serveHook answers one request of a gateway and counts the answer.
func (s *Server) serveHook(w http.ResponseWriter, r *http.Request, name string) {
	def, ok := s.engine.Gateway(name)
	if !ok {
		s.metrics.unknownHook()
		notFound(w)
		return
	}
	h := &hook{s: s, w: w, r: r, name: name, def: def, at: s.engine.Now()}
	defer h.finish()
	if !s.gate.enter() {
		h.busy(errDraining)
		return
	}
	defer s.gate.leave()
	h.serve()
}

// finish counts the answer; after a panic there is none yet and the gateway must come again.
func (h *hook) finish() {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler || h.answered {
			panic(p)
		}
		h.s.logPanic(h.r, p)
		h.ack(h.def.Ack(gateway.OutcomeBusy))
	}
	h.s.metrics.hook(h.name, h.status, h.refused, h.s.engine.Now().Sub(h.at))
}

// serve takes in what may be a notice. A definition may answer a question by which the gateway tests
// the address, and a few put their notices into the query of a GET.
func (h *hook) serve() {
	if h.r.Method == http.MethodPost {
		h.takeIn()
		return
	}
	reading := h.def.Read(h.request(nil))
	switch {
	case reading.Verdict == gateway.Challenged:
		h.ack(reading.Ack)
	case reading.Ack.Status == http.StatusMethodNotAllowed:
		if h.r.Method == http.MethodGet {
			h.s.engine.NoteMisdirected(h.name, h.at.UnixMilli())
		}
		h.ack(reading.Ack)
	case h.r.Method == http.MethodGet:
		h.accept(nil)
	default:
		h.takeIn()
	}
}

// takeIn reads, stores and acknowledges a notice.
func (h *hook) takeIn() {
	body := bodyReader{w: h.w, limit: h.s.maxBody, memory: &h.s.memory}
	defer body.release()
	raw, no := body.read(h.r)
	switch {
	case no == noRoom:
		h.busy(errNoMemory)
	case no != nil:
		h.refuse(no)
	default:
		h.accept(raw)
	}
}

func (h *hook) accept(body []byte) {
	ack, err := h.s.engine.Accept(h.r.Context(), h.name, h.request(body))
	if err != nil {
		h.busy(err)
		return
	}
	h.refused = ack.Status >= 400 && ack.Status < 500 && ack.Status != http.StatusMethodNotAllowed
	h.ack(ack)
}

func (h *hook) request(body []byte) gateway.Request {
	h.r.Header["Host"] = []string{h.r.Host}
	return gateway.Request{
		Method: h.r.Method, Target: target(h.r), Header: h.r.Header, Body: body, At: h.at,
		RemoteIP: remoteIP(h.r, h.s.proxies),
	}
}

// target is the path and query as the sender wrote them.
func target(r *http.Request) string {
	if strings.HasPrefix(r.RequestURI, "/") {
		return r.RequestURI
	}
	return r.URL.RequestURI()
}

// busy has the gateway send again later; the log hears of it at most once in ten seconds.
func (h *hook) busy(cause error) {
	if h.s.complaints.due(h.at) {
		h.s.log.Error("a hook was answered 503 because it could not be stored", "gateway", h.name, "error", cause)
	}
	h.ack(h.def.Ack(gateway.OutcomeBusy))
}

// ack writes an answer byte for byte.
func (h *hook) ack(a gateway.Ack) {
	header := h.w.Header()
	for name, values := range a.Header {
		header[name] = values
	}
	if a.Status == http.StatusServiceUnavailable && header.Get("Retry-After") == "" {
		header.Set("Retry-After", "5")
	}
	header["Content-Type"] = nil // without it net/http would guess one
	if a.ContentType != "" {
		header["Content-Type"] = []string{a.ContentType}
	}
	if a.Status != http.StatusNoContent {
		header["Content-Length"] = []string{strconv.Itoa(len(a.Body))}
	}
	h.write(a.Status, a.Body)
}

// refuse answers a request of which nothing is stored.
func (h *hook) refuse(no *refusal) {
	header := h.w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("Content-Length", strconv.Itoa(len(no.text)))
	if no.header != "" {
		header.Set(no.header, no.value)
	}
	h.write(no.status, []byte(no.text))
}

func (h *hook) write(status int, body []byte) {
	h.answered, h.status = true, status
	h.w.WriteHeader(status)
	if len(body) > 0 {
		_, _ = h.w.Write(body) // a gateway that has left sends again
	}
}
