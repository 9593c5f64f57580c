package web

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"nodrop/app/certs"
)

const challengePrefix = "/.well-known/acme-challenge/"

// Secure has browsers come by https alone from now on; it is for listeners that speak TLS.
func Secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}

// ByName parts the requests of one TLS listener by the name that the handshake was for. The Host header does not
// count: it says nothing about the certificate that was shown.
func ByName(name string, named, other http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil && strings.EqualFold(strings.TrimSuffix(r.TLS.ServerName, "."), name) {
			named.ServeHTTP(w, r)
			return
		}
		other.ServeHTTP(w, r)
	})
}

// Challenges serves plain HTTP where certificates come by ACME: it answers the authority, leads readers of the admin
// pages to https, and refuses hooks, whose senders would not notice that anybody can read along.
func (s *Server) Challenges(answer func(token string) (string, bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, challenge := strings.CutPrefix(r.URL.Path, challengePrefix)
		reading := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case r.URL.Path == "/hooks" || strings.HasPrefix(r.URL.Path, "/hooks/"):
			s.refusePlain(w, r)
		case challenge && reading:
			if text, ok := answer(token); ok {
				plain(w, http.StatusOK, text)
				return
			}
			notFound(w)
		case reading && s.adminHost(r.Host):
			http.Redirect(w, r, s.adminAddress(r.URL), http.StatusPermanentRedirect)
		default:
			notFound(w)
		}
	})
}

// refusePlain answers a hook that came without TLS.
func (s *Server) refusePlain(w http.ResponseWriter, r *http.Request) {
	if s.plainHooks.due(s.engine.Now()) {
		s.log.Warn("a hook came over plain HTTP and was refused; enter its https address at the gateway", "path", r.URL.Path, "from", r.RemoteAddr)
	}
	plain(w, http.StatusForbidden, "hooks are taken over https only\n")
}

// adminHost tells whether a Host header names the admin pages where they are served by TLS.
func (s *Server) adminHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	own := s.engine.Config().Private.Hostname
	return own != "" && strings.EqualFold(host, own)
}

// adminAddress is an address of the admin pages, from the configuration alone.
func (s *Server) adminAddress(to *url.URL) string {
	c := s.engine.Config().Private
	host := c.Hostname
	if _, port, err := net.SplitHostPort(c.Listen); err == nil && port != "443" {
		host = net.JoinHostPort(host, port)
	}
	return (&url.URL{Scheme: "https", Host: host, Path: to.Path, RawPath: to.RawPath, RawQuery: to.RawQuery}).String()
}

// statuses is how our own certificates stand; nil where TLS is somebody else's.
func (s *Server) statuses() []certs.Status {
	if s.certificates == nil {
		return nil
	}
	return s.certificates()
}
