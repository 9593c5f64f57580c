package certs

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io/fs"
	"log/slog"
	"math/big"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nodrop/store"
)

// start is the first instant of tests with a clock of their own.
var start = time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)

// signer is an authority made of a root and, perhaps, intermediates.
type signer struct {
	link *x509.Certificate
	key  *ecdsa.PrivateKey
}

var serial atomic.Int64

// span is from when to when a certificate holds.
type span struct{ from, to time.Time }

// make issues a certificate for a subject; parent nil makes a root. With key nil there is a new one.
func (parent *signer) make(t testing.TB, subject string, key *ecdsa.PrivateKey, s span) *signer {
	t.Helper()
	template := &x509.Certificate{SerialNumber: big.NewInt(serial.Add(1)), Subject: pkix.Name{CommonName: subject}, NotBefore: s.from, NotAfter: s.to,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	return parent.sign(t, template, key)
}

// leaf issues a certificate for a host.
func (parent *signer) leaf(t testing.TB, host string, s span) *signer {
	t.Helper()
	return parent.sign(t, &x509.Certificate{SerialNumber: big.NewInt(serial.Add(1)), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: s.from, NotAfter: s.to,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, nil)
}

func (parent *signer) sign(t testing.TB, template *x509.Certificate, key *ecdsa.PrivateKey) *signer {
	t.Helper()
	var err error
	if key == nil {
		if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
			t.Fatal(err)
		}
	}
	above := &signer{template, key}
	if parent != nil {
		above = parent
	}
	der, err := x509.CreateCertificate(rand.Reader, template, above.link, key.Public(), above.key)
	if err != nil {
		t.Fatal(err)
	}
	link, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{link, key}
}

func (s *signer) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.link.Raw})
}

func (s *signer) keyPEM(t testing.TB) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(s.key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// chainPEM is a leaf with what is sent beside it.
func chainPEM(links ...*signer) []byte {
	var all [][]byte
	for _, l := range links {
		all = append(all, l.pem())
	}
	return bytes.Join(all, nil)
}

func pool(roots ...*signer) *x509.CertPool {
	p := x509.NewCertPool()
	for _, r := range roots {
		p.AddCert(r.link)
	}
	return p
}

// clock is moved by hand.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// bench is a keeper with all that a test looks at.
type bench struct {
	*Keeper
	clock *clock
	log   *journal
	files map[string][]byte
}

// journal is a log that can be read while it is written.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes one line.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func openStore(t testing.TB) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nodrop.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// newBench makes a keeper on a clock; what it asks goes to the authority of o.
func newBench(t testing.TB, at time.Time, o Options) *bench {
	t.Helper()
	b := &bench{clock: &clock{at: at}, log: &journal{}, files: map[string][]byte{}}
	o.Now, o.Random, o.Log = b.clock.now, rand.Reader, slog.New(slog.NewTextHandler(b.log, nil))
	o.ReadFile = func(name string) ([]byte, error) {
		if text, ok := b.files[name]; ok {
			return text, nil
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	b.Keeper = New(o)
	return b
}

func (b *bench) load(t testing.TB) *bench {
	t.Helper()
	if err := b.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

// shake connects to a listener of the keeper and gives what was served. The server and the client go by the keeper's clock.
func (b *bench) shake(t testing.TB, server *tls.Config, client *tls.Config) (tls.ConnectionState, error) {
	t.Helper()
	here, there := net.Pipe()
	defer here.Close()
	ended := make(chan error, 1)
	go func() {
		defer there.Close()
		ended <- tls.Server(there, server).HandshakeContext(context.Background())
	}()
	client.Time = b.clock.now
	c := tls.Client(here, client)
	err := c.HandshakeContext(t.Context())
	state := c.ConnectionState()
	here.Close()
	if failed := <-ended; err == nil && failed != nil && !errors.Is(failed, net.ErrClosed) {
		t.Logf("the server's side: %v", failed)
	}
	return state, err
}

// status is that of the only site.
func (b *bench) status(t testing.TB) Status {
	t.Helper()
	list := b.Statuses()
	if len(list) != 1 {
		t.Fatalf("%d sites", len(list))
	}
	return list[0]
}
