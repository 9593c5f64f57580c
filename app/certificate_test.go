package app

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
)

const certifiedDefinition = `
[[signature]]
kind = "rsa"
hash = "sha256"
from = "{header:X-Sig}"
encoding = "base64"
certificate = { url = "{header:X-Cert}", hosts = ["api.example.com"], path = "/certs/", names = "signer.example.com" }
[notice]
dedupe = "eid"
[fields]
merchant_ref = "ref"
status = "status"
words = { PAID = "succeeded" }
amount = { from = "amount", kind = "decimal_string", currency = "currency" }
[ack]
body = "OK"
`

// signer is a gateway that signs with a certificate which must be fetched.
type signer struct {
	key   *rsa.PrivateKey
	roots *x509.CertPool
	chain string // PEM
}

func newSigner(t *testing.T, at time.Time) signer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "signer.example.com"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: at.AddDate(-1, 0, 0), NotAfter: at.AddDate(1, 0, 0)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s := signer{key: key, roots: x509.NewCertPool(), chain: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}
	s.roots.AddCert(cert)
	return s
}

func (s signer) request(t *testing.T, url, id string, at time.Time) gateway.Request {
	t.Helper()
	body := []byte(`{"eid":"` + id + `","ref":"ORDER-1","status":"PAID","amount":"10.00","currency":"PHP"}`)
	sum := sha256.Sum256(body)
	sig, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return gateway.Request{Method: http.MethodPost, Target: "/hooks/signed", Body: body, At: at,
		Header: http.Header{"X-Cert": {url}, "X-Sig": {base64.StdEncoding.EncodeToString(sig)}}}
}

// certified is a bench with such a gateway; what its host answers the test says.
func certified(t *testing.T) (*bench, *answers, signer) {
	t.Helper()
	spec, err := gateway.ParseSpec([]byte(certifiedDefinition), "custom")
	if err != nil {
		t.Fatal(err)
	}
	s := newSigner(t, time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC))
	b, a := asking(t, func(c *config.Config, o *Options) {
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.WebhookSecrets, g.BaseURL = "signed", "custom", &spec, nil, ""
		c.Gateways = append(c.Gateways, g)
		o.Roots = s.roots
	})
	a.next = func(*http.Request) (int, http.Header, string) { return 200, nil, s.chain }
	return b, a, s
}

func (b *bench) acked(r gateway.Request, want int) {
	b.t.Helper()
	if ack, err := b.e.Accept(b.ctx(), "signed", r); err != nil || ack.Status != want {
		b.t.Fatalf("answered %d, %v; want %d", ack.Status, err, want)
	}
}

const certURL = "https://api.example.com/certs/1"

func TestARequestWaitsForItsCertificate(t *testing.T) {
	b, a, s := certified(t)
	p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "signed", MerchantRef: "ORDER-1", Amount: "10.00", Currency: "PHP"})
	if err != nil {
		t.Fatal(err)
	}
	b.acked(s.request(t, certURL, "1", b.clock.now()), 503)
	b.acked(s.request(t, certURL, "2", b.clock.now()), 503)
	forged := s.request(t, certURL, "3", b.clock.now())
	forged.Body = []byte(`{"eid":"3","ref":"ORDER-1","status":"PAID","amount":"99.00","currency":"PHP"}`)
	b.acked(forged, 503)
	if len(a.asked) != 0 {
		t.Fatalf("the answer waited for %v", a.asked)
	}
	b.clock.move(time.Second)
	acct := b.e.gateways["signed"]
	if wait := b.e.certificateOnce(b.ctx(), acct); wait != 0 {
		t.Errorf("wait %v", wait)
	}
	if want := []string{"GET " + certURL}; !slices.Equal(a.asked, want) {
		t.Errorf("asked %v, want %v", a.asked, want)
	}
	b.work()
	if got := b.payment(p.ID); got.State != "succeeded" || got.Received != "10.00" {
		t.Errorf("%s, received %s", got.State, got.Received)
	}
	if left := b.refused(); len(left) != 1 || left[0].ID != 3 || left[0].Reason != "bad_signature" {
		t.Errorf("still refused %+v", left)
	}
	if got := b.audits(); len(got) != 1 || got[0] != "nodrop verify gateway:signed taken in: 1, 2" {
		t.Errorf("audit %q", got)
	}
	if wait := b.e.certificateOnce(b.ctx(), acct); wait >= 0 {
		t.Errorf("something is left to fetch in %v", wait)
	}
	b.acked(s.request(t, certURL, "4", b.clock.now()), 200)
	b.sound()
}

func TestAFailedFetchIsTriedAgainLaterAndLaterAndShown(t *testing.T) {
	b, a, s := certified(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 500, nil, "" }
	b.acked(s.request(t, certURL, "1", b.clock.now()), 503)
	acct := b.e.gateways["signed"]
	for i, wait := range []time.Duration{30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour} {
		b.e.certificateOnce(b.ctx(), acct)
		h, _ := b.e.Health("signed")
		if len(h.Certificates) != 1 || h.Certificates[0].Tries != i+1 || h.Certificates[0].Error == "" || h.Certificates[0].URL != certURL {
			t.Fatalf("health after %d tries: %+v", i+1, h.Certificates)
		}
		if got := h.Certificates[0].NextMs - b.clock.now().UnixMilli(); got != wait.Milliseconds() {
			t.Errorf("try %d waits %d ms, want %d", i+1, got, wait.Milliseconds())
		}
		if got := b.e.certificateOnce(b.ctx(), acct); got != wait {
			t.Errorf("nothing is due for %v, want %v", got, wait)
		}
		b.clock.move(wait)
	}
	if len(a.asked) != 6 {
		t.Errorf("asked %d times", len(a.asked))
	}
	b.e.certificateOnce(b.ctx(), acct)
	if h, _ := b.e.Health("signed"); len(h.Certificates) != 0 {
		t.Errorf("after a day it is given up until somebody names it again: %+v", h.Certificates)
	}
	if left := b.refused(); len(left) != 1 || left[0].Reason != "certificate_pending" {
		t.Errorf("kept %+v", left)
	}
}

func TestAfterARestartTheCertificateIsStillFetched(t *testing.T) {
	b, a, s := certified(t)
	b.acked(s.request(t, certURL, "1", b.clock.now()), 503)
	spec := b.e.gateways["signed"].config
	b = b.corrected(time.Minute, func(c *config.Config, o *Options) {
		c.Gateways = append(c.Gateways, *spec)
		o.HTTP, o.Roots = &http.Client{Transport: a}, s.roots
	})
	acct := b.e.gateways["signed"]
	if err := b.e.rememberCertificates(b.ctx(), acct); err != nil {
		t.Fatal(err)
	}
	b.e.certificateOnce(b.ctx(), acct)
	if left := b.refused(); len(left) != 0 {
		t.Errorf("still refused %+v", left)
	}
}

func TestManyAddressesMakeFewFetches(t *testing.T) {
	failed := errors.New("no")
	at := time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)
	c := newCertificates(nil)
	fetched := 0
	for i := range 10 * 60 { // ten minutes, twenty new addresses each second
		for j := range 20 {
			c.want(fmt.Sprintf("https://api.example.com/certs/%d-%d", i, j), at.UnixMilli())
		}
		if url, _ := c.due(at); url != "" {
			fetched++
			c.done(url, failed, at.UnixMilli())
		}
		if n := len(c.list()); n > certificatesMost {
			t.Fatalf("%d addresses wait", n)
		}
		at = at.Add(time.Second)
	}
	if want := certificatesBurst + 10*60/15; fetched > want || fetched < want-2 {
		t.Errorf("%d fetches in ten minutes, want about %d", fetched, want)
	}
}

func TestANewAddressGoesBeforeThoseThatFailed(t *testing.T) {
	at := time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)
	c := newCertificates(nil)
	c.want("old", at.UnixMilli())
	url, _ := c.due(at)
	c.done(url, errors.New("no"), at.UnixMilli())
	at = at.Add(time.Minute)
	c.want("new", at.UnixMilli())
	if got, _ := c.due(at); got != "new" {
		t.Errorf("fetched %q first", got)
	}
}
