package gateway

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// certificates are the fetched certificates of one signature.
type certificates struct {
	address template
	hosts   []string
	path    string
	names   string
	roots   *x509.CertPool // nil: those of the system

	mu    sync.RWMutex
	known map[string]*key // by address
}

const (
	maxCertificates     = 16
	maxCertificateBytes = 64 << 10
)

// find returns the certificate that a request points to, nil when it is not fetched yet,
// and its address; false when it points to no place of the gateway's.
func (c *certificates) find(v *view) (*key, string, bool) {
	address := c.address.read(v).text
	if !c.allowed(address) {
		return nil, "", false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.known[address], address, true
}

func (c *certificates) allowed(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https" && u.User == nil && u.RawQuery == "" && u.Fragment == "" && u.Port() == "" &&
		slices.Contains(c.hosts, u.Hostname()) && strings.HasPrefix(u.Path, c.path) && !strings.Contains(u.Path, "..")
}

// FetchCertificate fetches a certificate that Reading.Certificate named, checks that it
// was issued to the gateway by a public authority, and keeps it for later requests.
func (g *Gateway) FetchCertificate(ctx context.Context, client *http.Client, address string, now time.Time) error {
	for i := range g.signatures {
		if c := g.signatures[i].fetch; c != nil && c.allowed(address) {
			return c.load(ctx, client, address, now)
		}
	}
	return fmt.Errorf("%s fetches no certificate from there", g.spec.Title)
}

func (c *certificates) load(ctx context.Context, client *http.Client, address string, now time.Time) error {
	raw, err := download(ctx, client, address)
	if err != nil {
		return err
	}
	k, err := c.trusted(raw, now)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxCertificates {
		clear(c.known)
	}
	c.known[address] = k
	return nil
}

func download(ctx context.Context, client *http.Client, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the certificate's address is not valid")
	}
	direct := *client
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := direct.Do(req)
	if err != nil {
		return nil, fmt.Errorf("the certificate cannot be fetched: %w", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxCertificateBytes))
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the certificate cannot be fetched: the gateway answered %d", resp.StatusCode)
	}
	return raw, nil
}

// trusted checks a PEM chain: the first certificate is the gateway's, the others lead to a root.
func (c *certificates) trusted(raw []byte, now time.Time) (*key, error) {
	var chain []*x509.Certificate
	for b := range pemBlocks(string(raw)) {
		cert, err := x509.ParseCertificate(b.Bytes)
		if err != nil {
			return nil, errors.New("the certificate cannot be read")
		}
		chain = append(chain, cert)
	}
	if len(chain) == 0 {
		return nil, errors.New("what was fetched is no certificate")
	}
	between := x509.NewCertPool()
	for _, one := range chain[1:] {
		between.AddCert(one)
	}
	own := chain[0]
	if !nameFits(own.Subject.CommonName, c.names) {
		return nil, fmt.Errorf("the certificate was issued to %s", clip(own.Subject.CommonName))
	}
	_, err := own.Verify(x509.VerifyOptions{Roots: c.roots, Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	if err != nil {
		return nil, fmt.Errorf("the certificate is not to be trusted: %w", err)
	}
	if err := rightKind(own.PublicKey, "rsa"); err != nil {
		return nil, errors.New("the certificate: " + err.Error())
	}
	return &key{number: -1, public: own.PublicKey, notBefore: own.NotBefore, until: own.NotAfter}, nil
}

// nameFits compares a name with one that may hold a single *.
func nameFits(name, pattern string) bool {
	head, tail, wild := strings.Cut(pattern, "*")
	if !wild {
		return name == pattern
	}
	return len(name) >= len(head)+len(tail) && strings.HasPrefix(name, head) && strings.HasSuffix(name, tail)
}
