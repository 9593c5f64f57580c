package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"
)

// rootPEM is an authority, payPEM its certificate for pay.example.com, payKey the key of that.
var rootPEM, payPEM, payKey = makePair("pay.example.com")

func makePair(host string) (root, leaf, leafKey string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	from, to := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC)
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Root"}, NotBefore: from, NotAfter: to, IsCA: true, BasicConstraintsValid: true}
	site := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, NotBefore: from, NotAfter: to}
	inPEM := func(kind string, der []byte, err error) string {
		if err != nil {
			panic(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	rootDER, err := x509.CreateCertificate(rand.Reader, authority, authority, key.Public(), key)
	root = inPEM("CERTIFICATE", rootDER, err)
	leafDER, err := x509.CreateCertificate(rand.Reader, site, authority, key.Public(), key)
	leaf = inPEM("CERTIFICATE", leafDER, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	return root, leaf, inPEM("PRIVATE KEY", keyDER, err)
}

const named = "[public]\nhostname = \"pay.example.com\"\n"

var certificates = []wrong{
	{named + "certificate = \"file:pay.pem\"\n", 1, "public.private_key", "missing beside certificate", "file:privkey.pem"},
	{named + "private_key = \"file:pay.key\"\n", 1, "public.certificate", "missing beside private_key", "file:fullchain.pem"},
	{named + "certificate = \"pay.pem\"\nprivate_key = \"file:pay.key\"\n", 3, "public.certificate", "does not name a file", `certificate = "file:fullchain.pem"`},
	{named + "certificate = \"file:none.pem\"\nprivate_key = \"file:pay.key\"\n", 3, "public.certificate", "/etc/nodrop/none.pem", "correct the path"},
	{named + "certificate = \"file:pay.pem\"\nprivate_key = \"file:none.key\"\n", 4, "public.private_key", "/etc/nodrop/none.key", "correct the path"},
	{named + "certificate = \"file:root.pem\"\nprivate_key = \"file:pay.key\"\n", 3, "public.certificate", "cannot be served for pay.example.com", "correct the files"},
	{named + "certificate = \"file:pay.pem\"\nprivate_key = \"file:key\"\n", 3, "public.certificate", "both must be PEM", "correct the files"},
	{"[private]\nhostname = \"admin.example.com\"\ncertificate = \"file:pay.pem\"\nprivate_key = \"file:pay.key\"\n", 3, "private.certificate", "is for pay.example.com, not for admin.example.com", "by ACME"},
	{"[public]\ncertificate = \"file:pay.pem\"\nprivate_key = \"file:pay.key\"\n", 2, "public.certificate", "no effect without a hostname", "write the hostname"},
	{named + "listen = \":80\"\n", 3, "public.listen", "challenges of the authority", "port 80 of the host name"},
	{named + "[acme]\nlisten = \":443\"\n", 4, "acme.listen", "cannot listen side by side", "another port"},
	{named + "listen = \"192.0.2.1:443\"\n[private]\nhostname = \"admin.example.com\"\n", 3, "public.listen", "side by side", "the same address for both"},
	{named + "[acme]\ndirectory = \"http://ca.example/dir\"\n", 4, "acme.directory", "not an https address", DefaultDirectory},
	{named + "[acme]\nemail = \"Owner <owner@example.com>\"\n", 4, "acme.email", "not a mail address", "owner@example.com"},
	{named + "[acme]\nkey_id = \"kid\"\n", 3, "acme.key", "is missing", "or neither"},
	{named + "[acme]\nkey = \"env:HMAC\"\n", 3, "acme.key_id", "is missing", "or neither"},
	{named + "[acme]\nkey_id = \"kid\"\nkey = \"env:LINES\"\n", 5, "acme.key", "line break", "one line"},
	{named + "[acme]\nkey_id = \"kid\"\nkey = \"file:blank\"\n", 5, "acme.key", "is empty", "remove this key"},
	{named + "[acme]\nkey_id = \"kid\"\nkey = \"env:WORDS\"\n", 5, "acme.key", "base64url", "as the authority gave it"},
	{named + "[acme]\nauthority = \"file:key\"\n", 4, "acme.authority", "holds no certificate", "file:root.pem"},
	{named + "[acme]\ndirectry = \"x\"\n", 4, "acme.directry", "not a key of [acme]", "did you mean directory?"},
}

func TestCertificatesFromFilesAndByACME(t *testing.T) {
	c := mustLoad(t, named+"certificate = \"file:pay.pem\"\nprivate_key = \"file:/etc/nodrop/pay.key\"\n"+oneGateway)
	equal(t, "public", []string{c.Public.Listen, c.Public.Certificate, c.Public.PrivateKey}, []string{":443", "/etc/nodrop/pay.pem", "/etc/nodrop/pay.key"})
	equal(t, "by ACME", c.ByACME(), false)

	c = mustLoad(t, named+"[private]\nhostname = \"admin.example.com\"\n"+oneGateway)
	equal(t, "by ACME", c.ByACME(), true)
	equal(t, "one listener", c.OneListener(), true)
	equal(t, "acme", []string{c.ACME.Listen, c.ACME.Directory}, []string{":80", "https://acme-v02.api.letsencrypt.org/directory"})
	text := strings.Join(Effective(c), "\n")
	for _, want := range []string{`acme.directory = "https://acme-v02.api.letsencrypt.org/directory"`, `acme.listen = ":80"`, "acme.key = (none)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not said:\n%s", want, text)
		}
	}

	c = mustLoad(t, named+"[private]\nhostname = \"admin.example.com\"\nlisten = \"10.0.0.1:8443\"\n"+oneGateway)
	equal(t, "one listener", c.OneListener(), false)
	c = mustLoad(t, "[acme]\nemail = \"owner@example.com\"\n"+oneGateway)
	if len(c.Warnings) != 1 || c.Warnings[0].Line != 1 || !strings.Contains(c.Warnings[0].Text, "no certificate is asked for") {
		t.Errorf("warnings of a table without effect: %v", c.Warnings)
	}
	equal(t, "plain HTTP", mustLoad(t, oneGateway).ByACME(), false)
}
