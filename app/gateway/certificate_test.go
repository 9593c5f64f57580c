package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"
)

const certified = `
[[signature]]
kind        = "rsa"
hash        = "sha256"
from        = "{header:X-Sig}"
encoding    = "base64"
certificate = { url = "{header:X-Cert}", hosts = ["api.example.com"], path = "/certs/", names = "signer*.example.com" }
` + kindTail

// authority issues certificates for tests.
type authority struct {
	key  *rsa.PrivateKey
	cert *x509.Certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, _ := newKey(t)
	a := &authority{key: key, cert: &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Root"}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: arrival.AddDate(-1, 0, 0), NotAfter: arrival.AddDate(1, 0, 0)}}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *authority) issue(t *testing.T, name string, until time.Time, public *rsa.PublicKey) string {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: arrival.AddDate(0, -1, 0), NotAfter: until}, a.cert, public, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// serving is a client that gets one answer wherever it asks, and counts.
type serving struct {
	status int
	body   string
	asked  int
}

func (s *serving) RoundTrip(*http.Request) (*http.Response, error) {
	s.asked++
	return &http.Response{StatusCode: s.status, Header: http.Header{"Location": {"https://api.example.com/certs/2"}}, Body: io.NopCloser(bytes.NewBufferString(s.body))}, nil
}

func TestCertificateIsFetchedOnceAndProves(t *testing.T) {
	root, own := newAuthority(t), (*rsa.PrivateKey)(nil)
	own, _ = newKey(t)
	in := customInstance(t, certified)
	in.Roots = x509.NewCertPool()
	in.Roots.AddCert(root.cert)
	g := mustNew(t, in)
	const at = "https://api.example.com/certs/1"
	r := post(kindBody, "X-Cert", at, "X-Sig", signRSA(t, own, kindBody))
	rd := g.Read(r)
	wantVerdict(t, rd, Refused, "certificate_pending")
	if rd.Certificate != at || rd.Ack.Status != http.StatusServiceUnavailable {
		t.Errorf("certificate %q, answer %d", rd.Certificate, rd.Ack.Status)
	}
	net := &serving{status: 200, body: root.issue(t, "signer.live.example.com", arrival.AddDate(0, 1, 0), &own.PublicKey)}
	if err := g.FetchCertificate(context.Background(), &http.Client{Transport: net}, at, arrival); err != nil {
		t.Fatal(err)
	}
	wantVerdict(t, g.Read(r), Accepted, "")
	r.Body = []byte(strings.Replace(kindBody, "12.50", "12.51", 1))
	wantVerdict(t, g.Read(r), Refused, "bad_signature")
	late := post(kindBody, "X-Cert", at, "X-Sig", signRSA(t, own, kindBody))
	late.At = arrival.AddDate(0, 2, 0)
	wantVerdict(t, g.Read(late), Refused, "no_secret")
	if net.asked != 1 {
		t.Errorf("asked %d times", net.asked)
	}
}

func TestCertificatesThatAreNotTrusted(t *testing.T) {
	root, strange := newAuthority(t), newAuthority(t)
	own, _ := newKey(t)
	in := customInstance(t, certified)
	in.Roots = x509.NewCertPool()
	in.Roots.AddCert(root.cert)
	soon := arrival.AddDate(0, 1, 0)
	for name, c := range map[string]struct {
		status    int
		body, why string
	}{
		"another name":      {200, root.issue(t, "evil.example.org", soon, &own.PublicKey), "issued to"},
		"name at the end":   {200, root.issue(t, "signer.example.com.evil.org", soon, &own.PublicKey), "issued to"},
		"another authority": {200, strange.issue(t, "signer.example.com", soon, &own.PublicKey), "not to be trusted"},
		"expired":           {200, root.issue(t, "signer.example.com", arrival.AddDate(0, 0, -1), &own.PublicKey), "not to be trusted"},
		"no certificate":    {200, "<html>", "no certificate"},
		"missing":           {404, "", "answered 404"},
		"redirect":          {302, "", "answered 302"},
	} {
		g := mustNew(t, in)
		err := g.FetchCertificate(context.Background(), &http.Client{Transport: &serving{status: c.status, body: c.body}}, "https://api.example.com/certs/1", arrival)
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
		wantVerdict(t, g.Read(post(kindBody, "X-Cert", "https://api.example.com/certs/1", "X-Sig", signRSA(t, own, kindBody))), Refused, "certificate_pending")
	}
}

func TestCertificateAddressIsBounded(t *testing.T) {
	g := custom(t, certified)
	net := &serving{status: 200}
	for _, address := range []string{"", "http://api.example.com/certs/1", "https://evil.example.com/certs/1", "https://api.example.com.evil.org/certs/1",
		"https://api.example.com/other/1", "https://api.example.com/certs/../x", "https://user@api.example.com/certs/1", "https://api.example.com:444/certs/1",
		"https://api.example.com/certs/1?x=1", "//api.example.com/certs/1"} {
		rd := g.Read(post(kindBody, "X-Cert", address, "X-Sig", "AAAA"))
		if rd.Verdict != Refused || rd.Certificate != "" || rd.Reason != "bad_signature" {
			t.Errorf("%q: %s (%s), certificate %q", address, rd.Verdict, rd.Reason, rd.Certificate)
		}
		if err := g.FetchCertificate(context.Background(), &http.Client{Transport: net}, address, arrival); err == nil {
			t.Errorf("%q was fetched", address)
		}
	}
	if net.asked != 0 {
		t.Errorf("asked %d times", net.asked)
	}
}
