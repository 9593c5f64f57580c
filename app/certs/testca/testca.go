// Package testca runs an ACME authority inside a test: Pebble, with a name server that leads every name to loopback.
package testca

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

// Options says how the authority behaves.
type Options struct {
	Port     int           // where it looks for the answers to HTTP challenges
	Lifetime time.Duration // of its certificates, in whole seconds
	KeyID    string        // set: accounts need this external binding
	Key      string        // HMAC key of the binding in base64url
}

// CA is a running authority.
type CA struct {
	Directory string         // address of its directory
	Roots     []byte         // PEM of what the directory's own certificate leads to
	Issuer    *x509.CertPool // what the certificates that it gives lead to

	mu     sync.Mutex
	down   http.HandlerFunc
	orders []string
}

// hurry has Pebble prove names at once, and each time anew.
var hurry = sync.OnceFunc(func() {
	_ = os.Setenv("PEBBLE_VA_NOSLEEP", "1")
	_ = os.Setenv("PEBBLE_AUTHZREUSE", "0")
})

// Start runs an authority until the test ends.
func Start(t testing.TB, o Options) *CA {
	t.Helper()
	hurry()
	quiet := log.New(io.Discard, "", 0)
	memory := db.NewMemoryStore()
	if o.KeyID != "" {
		if err := memory.AddExternalAccountKeyByID(o.KeyID, o.Key); err != nil {
			t.Fatal(err)
		}
	}
	profiles := map[string]ca.Profile{"default": {Description: "the only one", ValidityPeriod: uint64(o.Lifetime.Seconds())}}
	issuer := ca.New(quiet, memory, "", "ecdsa", 0, 1, profiles)
	front := wfe.New(quiet, memory, va.New(quiet, o.Port, 0, true, nameServer(t), memory), issuer, []string{"ca.test"}, true, o.KeyID != "", 0, 0)
	c := &CA{Issuer: x509.NewCertPool()}
	c.Issuer.AppendCertsFromPEM(issuer.GetRootCert(0).PEM())
	server := httptest.NewTLSServer(c.watch(front.Handler()))
	t.Cleanup(server.Close)
	c.Directory = server.URL + wfe.DirectoryPath
	c.Roots = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return c
}

// Break has every request answered by f until Mend.
func (c *CA) Break(f http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.down = f
}

// Mend ends what Break began.
func (c *CA) Mend() { c.Break(nil) }

// Orders lists the names of all orders so far, those of one order with a comma between them.
func (c *CA) Orders() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.orders...)
}

// watch notes the orders on their way in.
func (c *CA) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		c.mu.Lock()
		down := c.down
		c.mu.Unlock()
		if down != nil {
			down(w, r)
			return
		}
		answer := &answer{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		if names := ordered(body); names != "" && answer.status == http.StatusCreated { // one with a stale nonce comes again
			c.mu.Lock()
			defer c.mu.Unlock()
			c.orders = append(c.orders, names)
		}
	})
}

// answer keeps the status of an answer.
type answer struct {
	http.ResponseWriter
	status int
}

// WriteHeader writes the head of the answer.
func (a *answer) WriteHeader(status int) {
	a.status = status
	a.ResponseWriter.WriteHeader(status)
}

// ordered gives the names that a request orders a certificate for (RFC 8555, section 7.4).
func ordered(body []byte) string {
	var signed struct{ Payload string }
	var order struct{ Identifiers []struct{ Value string } }
	if json.Unmarshal(body, &signed) != nil {
		return ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(signed.Payload)
	if err != nil || json.Unmarshal(payload, &order) != nil {
		return ""
	}
	var names []string
	for _, id := range order.Identifiers {
		names = append(names, id.Value)
	}
	return strings.Join(names, ",")
}

// nameServer leads every name to loopback, except those below "nowhere.test".
func nameServer(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &dns.Server{Listener: listener, Handler: dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) {
		answer := new(dns.Msg).SetReply(q)
		for _, question := range q.Question {
			if strings.HasSuffix(question.Name, "nowhere.test.") {
				answer.Rcode = dns.RcodeNameError
			} else if question.Qtype == dns.TypeA {
				answer.Answer = append(answer.Answer, &dns.A{Hdr: dns.RR_Header{Name: question.Name, Rrtype: dns.TypeA, Class: dns.ClassINET}, A: net.IPv4(127, 0, 0, 1)})
			}
		}
		_ = w.WriteMsg(answer)
	})}
	go func() { _ = server.ActivateAndServe() }()
	t.Cleanup(func() { _ = server.Shutdown() })
	return listener.Addr().String()
}
