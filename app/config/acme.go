package config

import (
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/mail"
	"path/filepath"
	"strings"

	"nodrop/app/certs"
)

// ACME says which authority is asked for certificates, and as whom.
type ACME struct {
	Listen    string // host:port that answers challenges; port 80 of the host names must lead to it
	Directory string // address of the authority's directory
	Email     string // where the authority may write to; "" for none
	KeyID     string // external account binding, where the authority wants one
	Key       Secret // its HMAC key, in base64url
	Authority string // PEM of what the directory's own certificate leads to; "": as the system trusts
}

// ByACME tells whether an authority is asked for a certificate.
func (c *Config) ByACME() bool {
	return c.Public.Hostname != "" && c.Public.Certificate == "" || c.Private.Hostname != "" && c.Private.Certificate == ""
}

// OneListener tells whether both listeners share one address by their host names.
func (c *Config) OneListener() bool {
	return c.Public.Hostname != "" && c.Private.Hostname != "" && c.Public.Listen == c.Private.Listen && collide(c.Public.Listen, c.Private.Listen)
}

func readACME(t *table) ACME {
	defer t.done()
	a := ACME{Listen: t.listen("listen", DefaultChallengeListen), Directory: t.directory(), Email: t.text("email", ""), KeyID: t.text("key_id", ""), Key: t.secret("key"),
		Authority: t.text("authority", "")}
	if at, err := mail.ParseAddress(a.Email); a.Email != "" && (err != nil || at.Address != a.Email) {
		t.fault("email", t.d.quote(t.at("email"), a.Email)+" is not a mail address", `write the address alone, such as email = "owner@example.com"`)
	}
	t.together("key_id", "key", "write both as the authority gave them, or neither")
	if _, err := a.HMAC(); err != nil {
		t.fault("key", "is not the base64url text of an HMAC key", "write it as the authority gave it")
	}
	if a.Authority != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(a.Authority)) {
		t.fault("authority", "holds no certificate", `name a PEM file with the root of the authority, such as authority = "file:root.pem"`)
	}
	return a
}

// HMAC is the key of the external account binding in bytes; nil for none.
func (a ACME) HMAC() ([]byte, error) {
	if !a.Key.IsSet() {
		return nil, nil
	}
	text := strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(a.Key.Reveal(), "="))
	return base64.RawURLEncoding.DecodeString(text)
}

func (t *table) directory() string {
	s := t.address("directory")
	if s == "" {
		return DefaultDirectory
	}
	if !strings.HasPrefix(s, "https://") {
		t.fault("directory", "is not an https address, and ACME knows no other", fmt.Sprintf("write directory = %q", DefaultDirectory))
	}
	return s
}

// pair gives the paths of a certificate and its key, which must be good for the host; both are empty where the
// certificate comes by ACME.
func (t *table) pair(host string) (certificate, key string) {
	certificate, key = t.file("certificate", "fullchain.pem"), t.file("private_key", "privkey.pem")
	t.together("certificate", "private_key", `write both, such as "file:fullchain.pem" and "file:privkey.pem", or neither for certificates by ACME`)
	switch {
	case certificate == "" || key == "":
	case host == "":
		t.fault("certificate", "has no effect without a hostname", "write the hostname that the certificate is for")
	default:
		t.checkPair(certificate, key, host)
	}
	return certificate, key
}

// together reports the one of two keys that is missing beside the other.
func (t *table) together(first, second, remedy string) {
	switch {
	case t.has(first) == t.has(second):
	case t.has(first):
		t.fault(second, "is missing beside "+first, remedy)
	default:
		t.fault(first, "is missing beside "+second, remedy)
	}
}

func (t *table) checkPair(certificate, key, host string) {
	chain, ok := t.readFile("certificate", certificate)
	if !ok {
		return
	}
	secret, ok := t.readFile("private_key", key)
	if !ok {
		return
	}
	if err := certs.CheckPair(chain, secret, host); err != nil {
		t.fault("certificate", "cannot be served for "+host+": "+err.Error(), "correct the files, or remove both keys for certificates by ACME")
	}
}

func (t *table) readFile(key, path string) ([]byte, bool) {
	raw, err := t.d.env.ReadFile(path)
	if err != nil {
		t.fault(key, fmt.Sprintf("the file cannot be read: %v", err), "correct the path (it starts from the folder of the configuration file) or the permissions")
	}
	return raw, err == nil
}

// file gives the path of a file that is read again whenever it changes; it is written as "file:PATH".
func (t *table) file(key, example string) string {
	v, ok := t.take(key)
	if !ok || v == "" {
		return ""
	}
	s, _ := v.(string)
	name, ok := strings.CutPrefix(s, "file:")
	if !ok || name == "" {
		t.fault(key, "does not name a file", fmt.Sprintf("write %s = \"file:%s\"", key, example))
		return ""
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(t.d.folder, name)
	}
	return name
}

// tlsLines lists what holds for certificates, where there are any.
func (c *Config) tlsLines() (lines []string) {
	for _, p := range []struct{ key, value string }{
		{"public.certificate", c.Public.Certificate}, {"public.private_key", c.Public.PrivateKey},
		{"private.certificate", c.Private.Certificate}, {"private.private_key", c.Private.PrivateKey},
	} {
		if p.value != "" {
			lines = append(lines, line(p.key, p.value))
		}
	}
	if c.ByACME() {
		lines = append(lines, line("acme.listen", c.ACME.Listen), line("acme.directory", c.ACME.Directory), line("acme.email", c.ACME.Email),
			line("acme.key_id", c.ACME.KeyID), "acme.key = "+c.ACME.Key.String())
	}
	return lines
}
