package gateway

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// scripted is a gateway's API on this machine: it gives the answers before, then the last
// one to every further request. Requests keep the name of the real host.
type scripted struct {
	before []fixtureExchange
	last   fixtureExchange
	token  string // path where tokens are asked for again after the first
	cut    bool   // the last answer ends before its length
	hang   bool   // the last answer never comes
	away   bool   // nobody listens
	host   string

	mu   sync.Mutex
	seen []string
}

// client reaches the server under whatever host a request names.
func (s *scripted) client(t testing.TB) *http.Client {
	t.Helper()
	if s.away {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		s.host = l.Addr().String()
		l.Close()
		return &http.Client{Transport: s}
	}
	server := httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(server.Close)
	s.host = strings.TrimPrefix(server.URL, "http://")
	return &http.Client{Transport: s}
}

// asked lists the requests so far.
func (s *scripted) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// RoundTrip takes a request to the local server instead of the host that it is meant for.
func (s *scripted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !strings.HasPrefix(r.URL.Host, "127.0.0.1") {
		return nil, fmt.Errorf("%s is asked without TLS", r.URL.Host)
	}
	local := r.Clone(r.Context())
	local.Host, local.URL.Host, local.URL.Scheme = r.URL.Host, s.host, "http"
	return http.DefaultTransport.RoundTrip(local)
}

func (s *scripted) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Header.Set("Host", r.Host)
	s.mu.Lock()
	n := len(s.seen)
	s.seen = append(s.seen, canonical(Request{Method: r.Method, Target: r.RequestURI, Header: r.Header, Body: body}))
	s.mu.Unlock()
	switch {
	case n < len(s.before):
		s.before[n].write(w)
	case s.token != "" && len(s.before) > 0 && strings.HasSuffix(r.URL.Path, s.token):
		s.before[0].write(w)
	case s.hang:
		<-r.Context().Done()
	case s.cut:
		s.last.writeCut(w)
	default:
		s.last.write(w)
	}
}

func (e *fixtureExchange) write(w http.ResponseWriter) {
	w.Header()["Date"] = nil
	for name, v := range e.Headers {
		w.Header().Set(name, v)
	}
	if e.Status != 0 {
		w.WriteHeader(e.Status)
	}
	io.WriteString(w, e.Body)
}

// writeCut promises more than it sends.
func (e *fixtureExchange) writeCut(w http.ResponseWriter) {
	w.Header().Set("Content-Length", fmt.Sprint(2*len(e.Body)+1))
	e.write(w)
}

// signedQuestion checks what a question is signed with by the public half of the key.
func (s *subject) signedQuestion(t *testing.T, q *fixtureQuery) {
	if q.Signed == nil {
		if s.signsWithRSA() && strings.Contains(q.Request, "ignature") {
			t.Error("the question is signed with a private key: the fixture lacks signed = { public_key, hash, message, signature, tool }")
		}
		return
	}
	block, _ := pem.Decode([]byte(keyText(t, q.Signed.PublicKey)))
	if block == nil || q.Signed.Tool == "" {
		t.Fatal("signed lacks a public key in PEM, or the tool that made the signature")
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := base64.StdEncoding.DecodeString(q.Signed.Signature)
	if err != nil {
		t.Fatal(err)
	}
	hash, sum := crypto.SHA256, sha256.Sum256([]byte(q.Signed.Message))
	digest := sum[:]
	if q.Signed.Hash == "sha1" {
		sum := sha1.Sum([]byte(q.Signed.Message))
		hash, digest = crypto.SHA1, sum[:]
	}
	key, ok := public.(*rsa.PublicKey)
	if !ok || rsa.VerifyPKCS1v15(key, hash, digest, signature) != nil {
		t.Error("the signature is none of the message by this key")
	}
	if !strings.Contains(q.Request, q.Signed.Signature) && !strings.Contains(q.Request, url.QueryEscape(q.Signed.Signature)) {
		t.Error("the request does not hold the signature")
	}
}

func (s *subject) signsWithRSA() bool {
	if sign := s.spec.Query.Sign; sign != nil && sign.Kind == "rsa" {
		return true
	}
	for _, step := range s.spec.Query.Step {
		if step.Sign != nil && step.Sign.Kind == "rsa" {
			return true
		}
	}
	return false
}
