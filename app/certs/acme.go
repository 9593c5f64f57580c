package certs

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/acme"

	"nodrop/store"
)

// ACME says which authority gives the certificates, and as whom it knows us.
type ACME struct {
	Directory string // address of its directory
	Email     string // where it may write to; "" for none
	KeyID     string // external account binding, where the authority wants one
	Key       []byte // its HMAC key
	Roots     []byte // PEM of what the directory's own certificate must lead to; nil: the system's
}

// tokens are the answers to challenges under way.
type tokens struct {
	mu      sync.Mutex
	answers map[string]string
}

func (t *tokens) get(token string) (string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	answer, ok := t.answers[token]
	return answer, ok
}

func (t *tokens) put(token, answer string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answers == nil {
		t.answers = map[string]string{}
	}
	t.answers[token] = answer
}

func (t *tokens) drop(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.answers, token)
}

// authority speaks RFC 8555 with the authority that gives our certificates.
type authority struct {
	ACME
	store  *store.DB
	now    func() time.Time
	random io.Reader
	http   *http.Client
	tokens *tokens
}

// obtain proves that the host is ours and brings its certificate.
func (a *authority) obtain(ctx context.Context, host string) (store.Certificate, error) {
	none := store.Certificate{}
	client, err := a.client(ctx)
	if err != nil {
		return none, err
	}
	order, err := client.AuthorizeOrder(ctx, acme.DomainIDs(host))
	if err != nil {
		return none, fmt.Errorf("order a certificate for %s at %s: %w", host, a.Directory, err)
	}
	for _, url := range order.AuthzURLs {
		if err := a.prove(ctx, client, url); err != nil {
			return none, fmt.Errorf("prove %s: %w", host, err)
		}
	}
	if order, err = client.WaitOrder(ctx, order.URI); err != nil {
		return none, fmt.Errorf("wait for the order of %s: %w", host, err)
	}
	return a.fetch(ctx, client, order, host)
}

// prove answers the HTTP challenge of one authorisation.
func (a *authority) prove(ctx context.Context, client *acme.Client, url string) error {
	z, err := client.GetAuthorization(ctx, url)
	if err != nil || z.Status == acme.StatusValid {
		return err
	}
	for _, c := range z.Challenges {
		if c.Type != "http-01" {
			continue
		}
		answer, err := client.HTTP01ChallengeResponse(c.Token)
		if err != nil {
			return err
		}
		a.tokens.put(c.Token, answer)
		defer a.tokens.drop(c.Token)
		if _, err := client.Accept(ctx, c); err != nil {
			return err
		}
		_, err = client.WaitAuthorization(ctx, z.URI)
		return err
	}
	return errors.New("the authority offers no HTTP challenge (http-01)")
}

// fetch has the certificate made for a new key.
func (a *authority) fetch(ctx context.Context, client *acme.Client, order *acme.Order, host string) (store.Certificate, error) {
	none := store.Certificate{}
	key, text, err := a.newKey()
	if err != nil {
		return none, err
	}
	request, err := x509.CreateCertificateRequest(a.random, &x509.CertificateRequest{DNSNames: []string{host}}, key)
	if err != nil {
		return none, fmt.Errorf("make a certificate request for %s: %w", host, err)
	}
	list, _, err := client.CreateCertFromOrder(ctx, order, request, true)
	if err != nil {
		return none, fmt.Errorf("fetch the certificate of %s: %w", host, err)
	}
	var chain strings.Builder
	for _, der := range list {
		chain.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	return store.Certificate{Directory: a.Directory, Host: host, Chain: chain.String(), PrivateKey: text, ObtainedMs: a.now().UnixMilli()}, nil
}

// client speaks for our account, which is made first where there is none.
func (a *authority) client(ctx context.Context) (*acme.Client, error) {
	var text string
	err := a.store.View(ctx, "acme account", func(rx *store.Rx) (err error) {
		text, err = rx.ACMEAccount(a.Directory)
		return err
	})
	if err != nil {
		return nil, err
	}
	client := &acme.Client{DirectoryURL: a.Directory, UserAgent: "nodrop", RetryBackoff: retryBackoff}
	if client.HTTPClient, err = a.httpClient(); err != nil {
		return nil, err
	}
	if text != "" {
		return client, a.resume(ctx, client, text)
	}
	if client.Key, text, err = a.newKey(); err != nil {
		return nil, err
	}
	if err := a.register(ctx, client); err != nil {
		return nil, err
	}
	return client, a.store.Update(ctx, "acme account", func(tx *store.Tx) error { return tx.SetACMEAccount(a.Directory, text) })
}

// resume takes up the account of a stored key, which is made again where the authority has forgotten it.
func (a *authority) resume(ctx context.Context, client *acme.Client, text string) (err error) {
	if client.Key, err = parseKey(text); err != nil {
		return err
	}
	account, err := client.GetReg(ctx, "")
	switch {
	case errors.Is(err, acme.ErrNoAccount):
		return a.register(ctx, client)
	case err != nil:
		return fmt.Errorf("look up the account at %s: %w", a.Directory, err)
	}
	client.KID = acme.KeyID(account.URI)
	return nil
}

func (a *authority) register(ctx context.Context, client *acme.Client) error {
	account := &acme.Account{}
	if a.Email != "" {
		account.Contact = []string{"mailto:" + a.Email}
	}
	if a.KeyID != "" {
		account.ExternalAccountBinding = &acme.ExternalAccountBinding{KID: a.KeyID, Key: a.Key}
	}
	if _, err := client.Register(ctx, account, acme.AcceptTOS); err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return fmt.Errorf("make an account at %s: %w", a.Directory, err)
	}
	return nil
}

// requestWithin bounds one request to the authority.
const requestWithin = 30 * time.Second

func (a *authority) httpClient() (*http.Client, error) {
	if a.http != nil {
		return a.http, nil
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if a.Roots != nil {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(a.Roots) {
			return nil, errors.New("acme.authority holds no certificate; name a PEM file with the root of the authority")
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	return &http.Client{Transport: transport, Timeout: requestWithin}, nil
}

// retryBackoff gives a request a few quick repeats, which stale nonces need; anything longer is for the next try.
func retryBackoff(n int, _ *http.Request, res *http.Response) time.Duration {
	if n > 5 || res.StatusCode == http.StatusTooManyRequests || res.StatusCode >= 500 {
		return 0
	}
	return time.Duration(n) * 100 * time.Millisecond
}

func (a *authority) newKey() (crypto.Signer, string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), a.random)
	if err != nil {
		return nil, "", fmt.Errorf("make a key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, "", fmt.Errorf("write a key: %w", err)
	}
	return key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), nil
}

func parseKey(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the stored account key is no PEM")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the stored account key: %w", err)
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("the stored account key cannot sign")
	}
	return signer, nil
}
