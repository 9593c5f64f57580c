package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"nodrop/app/certs/testca"
	"nodrop/store"
)

// estate is a server with certificates of its own: hooks and pages share one address, the authority asks another.
type estate struct {
	*place
	ca         *testca.CA
	secure     string // host:port of both names
	challenges string // host:port
}

func newEstate(t *testing.T) *estate {
	t.Helper()
	addresses, err := freeAddresses(2)
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(addresses[1])
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	e := &estate{ca: testca.Start(t, testca.Options{Port: number, Lifetime: 90 * 24 * time.Hour}), secure: addresses[0], challenges: addresses[1]}
	e.place = &place{t: t, folder: t.TempDir(), env: append(os.Environ(), "SMARTPAY_SECRET=smartpay-secret")}
	text := fmt.Sprintf(`
[public]
listen   = %[1]q
hostname = "pay.nodrop.test"

[private]
listen   = %[1]q
hostname = "admin.nodrop.test"

[acme]
listen    = %[2]q
directory = %[3]q
email     = "owner@nodrop.test"
authority = "file:authority.pem"
%[4]s`, e.secure, e.challenges, e.ca.Directory, smartpay)
	for name, content := range map[string]string{"nodrop.toml": text, "authority.pem": string(e.ca.Roots)} {
		if err := os.WriteFile(filepath.Join(e.folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// client reaches the server by a name; without one the handshake names nobody.
func (e *estate) client(name string, trust *x509.CertPool) *http.Client {
	transport := &http.Transport{ForceAttemptHTTP2: true, DisableKeepAlives: true, TLSClientConfig: &tls.Config{ServerName: name, RootCAs: trust}}
	return &http.Client{Transport: transport, Timeout: 5 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get asks for a path by a name.
func (e *estate) get(name, path string) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodGet, "https://"+e.secure+path, nil)
	if err != nil {
		return nil, err
	}
	r.Host = name
	res, err := e.client(name, e.ca.Issuer).Do(r)
	if err == nil {
		err = res.Body.Close()
	}
	return res, err
}

// untilSecure waits until both names have a certificate.
func (e *estate) untilSecure() {
	e.t.Helper()
	end := time.Now().Add(30 * time.Second)
	for {
		_, public := e.get("pay.nodrop.test", "/healthz")
		_, private := e.get("admin.nodrop.test", "/readyz")
		if public == nil && private == nil {
			return
		}
		if time.Now().After(end) {
			e.t.Fatalf("no certificates: %v, %v", public, private)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// want asks for a path by a name and compares the status.
func (e *estate) want(name, path string, status int) *http.Response {
	e.t.Helper()
	res, err := e.get(name, path)
	if err != nil {
		e.t.Fatalf("%s%s: %v", name, path, err)
	}
	if res.StatusCode != status {
		e.t.Errorf("%s%s: %d, want %d", name, path, res.StatusCode, status)
	}
	return res
}

func TestServerWithItsOwnCertificates(t *testing.T) {
	e := newEstate(t)
	if out := e.call("check"); !strings.Contains(out, "https://pay.nodrop.test/hooks/NAME") || !strings.Contains(out, "pay.nodrop.test: a certificate of "+e.ca.Directory) {
		t.Errorf("check says\n%s", out)
	}
	away := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "away", http.StatusServiceUnavailable) }
	e.ca.Break(away)
	server := e.serve()
	if status := e.plainly(http.MethodPost, "/hooks/smartpay"); status != http.StatusForbidden {
		t.Errorf("a hook over plain HTTP while there is no certificate: %d", status)
	}
	if _, err := e.get("pay.nodrop.test", "/healthz"); err == nil {
		t.Error("a handshake without a certificate")
	}
	e.untilFailed()
	e.stop(server)
	if text := server.log.String(); !strings.Contains(text, "no certificate was obtained") || !strings.Contains(text, "a hook came over plain HTTP and was refused") ||
		!strings.Contains(text, "nobody can connect") {
		t.Errorf("log:\n%s", text)
	}
	if err := os.Remove(filepath.Join(e.folder, "nodrop.db")); err != nil { // with it goes the pause after the failure
		t.Fatal(err)
	}

	e.ca.Mend()
	server = e.serve()
	e.untilSecure()
	hsts := e.want("pay.nodrop.test", "/healthz", 200).Header.Get("Strict-Transport-Security")
	if hsts != "max-age=31536000" {
		t.Errorf("Strict-Transport-Security is %q", hsts)
	}
	e.want("pay.nodrop.test", "/readyz", 404)
	e.want("pay.nodrop.test", "/v1/payments", 404)
	e.want("admin.nodrop.test", "/v1/payments", 401)
	e.want("admin.nodrop.test", "/hooks/smartpay", 404)
	if _, err := e.get("other.nodrop.test", "/"); err == nil {
		t.Error("a certificate for a foreign name")
	}
	if link := e.call("user", "add", "ada"); !strings.HasPrefix(link, "https://admin.nodrop.test:") {
		t.Errorf("the sign-up link is %q", link)
	}
	e.stop(server)
	if orders := e.ca.Orders(); len(orders) != 2 {
		t.Errorf("ordered %q", orders)
	}
	if strings.Contains(server.log.String(), "PRIVATE") {
		t.Error("the log holds a key")
	}

	e.ca.Break(away)
	again := e.serve()
	e.untilSecure()
	e.stop(again)
	if text := again.log.String(); strings.Contains(text, "a certificate is asked for") || !strings.Contains(text, "gateways post to https://pay.nodrop.test/hooks/NAME") {
		t.Errorf("log after the restart:\n%s", text)
	}
}

// untilFailed waits until the server has written down that it got no certificate.
func (e *estate) untilFailed() {
	e.t.Helper()
	db, err := store.Open(e.t.Context(), filepath.Join(e.folder, "nodrop.db"), store.Options{})
	if err != nil {
		e.t.Fatal(err)
	}
	defer db.Close()
	end := time.Now().Add(30 * time.Second)
	for tries := int64(0); tries == 0; time.Sleep(20 * time.Millisecond) {
		err := db.View(e.t.Context(), "failure", func(rx *store.Rx) error {
			f, err := rx.CertificateFailure(e.ca.Directory, "admin.nodrop.test")
			tries = f.Tries
			return err
		})
		if err != nil || time.Now().After(end) {
			e.t.Fatalf("%d failures, %v", tries, err)
		}
	}
}

// plainly makes a request without TLS, once the server is there.
func (e *estate) plainly(method, path string) int {
	e.t.Helper()
	end := time.Now().Add(30 * time.Second)
	for {
		status, _, err := send(method, "http://"+e.challenges+path, "{}", nil)
		if err == nil {
			return status
		}
		if time.Now().After(end) {
			e.t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
