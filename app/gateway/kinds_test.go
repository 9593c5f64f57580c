package gateway

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

const kindFields = `
[notice]
dedupe = "id"
[fields]
merchant_ref = "id"
status       = "status"
words        = { paid = "succeeded" }
amount       = { from = "amount", kind = "decimal", fixed = "PHP" }
`

const kindTail = kindFields + `[query]
base = { test = "https://api.example", live = "https://api.example" }
auth = { kind = "none" }
[[query.step]]
by   = "merchant_ref"
path = "/{merchant_ref}"
`

const kindBody = `{"id":"o1","status":"paid","amount":"12.50"}`

// newKey makes a key pair of a test's own and its public half as bare base64.
func newKey(t testing.TB) (*rsa.PrivateKey, string) {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&k.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return k, base64.StdEncoding.EncodeToString(der)
}

func signRSA(t *testing.T, k *rsa.PrivateKey, text string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(text))
	sig, err := rsa.SignPKCS1v15(rand.Reader, k, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(sig)
}

func withKeys(t *testing.T, definition string, public ...string) *Gateway {
	t.Helper()
	in := customInstance(t, definition+kindTail)
	in.PublicKeys = public
	return mustNew(t, in)
}

func TestRSAKeyIsChosenBySerialOrByTrying(t *testing.T) {
	const definition = `
[[signature]]
kind     = "rsa"
hash     = "sha256"
message  = "{header:X-Time}\n{raw_body}\n"
from     = "{header:X-Sig}"
encoding = "base64"
key_id   = "{header:X-Serial}"
`
	own, pub := newKey(t)
	other, otherPub := newKey(t)
	right := signRSA(t, own, "17\n"+kindBody+"\n")
	for name, c := range map[string]struct {
		keys    []string
		serial  string
		sig     string
		verdict string
		reason  string
		key     int
	}{
		"by trying":          {[]string{otherPub, pub}, "", right, Accepted, "", 1},
		"named":              {[]string{"7=" + otherPub, "0A9=" + pub}, "a9", right, Accepted, "", 1},
		"named wrongly":      {[]string{"7=" + otherPub, "A9=" + pub}, "7", right, Refused, "bad_signature", -1},
		"unknown serial":     {[]string{"7=" + otherPub, "A9=" + pub}, "B1", right, Refused, "key_unknown", -1},
		"no id of ours":      {[]string{pub}, "B1", right, Accepted, "", 0},
		"other signer":       {[]string{pub}, "", signRSA(t, other, "17\n"+kindBody+"\n"), Refused, "bad_signature", -1},
		"no key":             {nil, "", right, Refused, "no_secret", -1},
		"empty key":          {[]string{""}, "", right, Refused, "no_secret", -1},
		"other text":         {[]string{pub}, "", signRSA(t, own, kindBody), Refused, "bad_signature", -1},
		"signature is empty": {[]string{pub}, "", "", Refused, "no_signature", -1},
	} {
		g := withKeys(t, definition, c.keys...)
		rd := g.Read(post(kindBody, "X-Time", "17", "X-Sig", c.sig, "X-Serial", c.serial))
		if rd.Verdict != c.verdict || rd.Reason != c.reason || rd.Secret != c.key {
			t.Errorf("%s: %s (%s) by key %d, want %s (%s) by %d", name, rd.Verdict, rd.Reason, rd.Secret, c.verdict, c.reason, c.key)
		}
	}
	if got := withKeys(t, definition, pub, otherPub).KeyNames(); strings.Join(got, " ") != "public_keys[0] public_keys[1]" {
		t.Errorf("key names %q", got)
	}
}

func TestPublicKeysThatAreNone(t *testing.T) {
	const definition = "[[signature]]\nkind = \"rsa\"\nhash = \"sha256\"\nfrom = \"{header:X-Sig}\"\nencoding = \"base64\"\n" + kindTail
	private, _ := newKey(t)
	secret := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(private)}))
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	small.N.Rsh(small.N, 200)
	for name, text := range map[string]string{"nonsense": "@@@", "base64 of nothing": "MIIBAAAA", "a private key": secret,
		"damaged PEM": "-----BEGIN PUBLIC KEY-----\nMIIB\n", "too small": base64.StdEncoding.EncodeToString(x509.MarshalPKCS1PublicKey(&small.PublicKey))} {
		in := customInstance(t, definition)
		in.PublicKeys = []string{text}
		_, err := New(in)
		if err == nil || !strings.Contains(err.Error(), "public_keys[0]") {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "MII") {
			t.Errorf("%s: the key stands in the error: %v", name, err)
		}
	}
}

func TestEd25519(t *testing.T) {
	pub, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	g := withKeys(t, `
[[signature]]
kind       = "ed25519"
message    = "{header:Webhook-Id}.{raw_body}"
from       = "{header:Webhook-Signature}"
prefix     = "v1a,"
separator  = " "
encoding   = "base64"
key_prefix = "whpk_"
`, "whpk_"+base64.StdEncoding.EncodeToString(pub))
	sig := "v1a," + base64.StdEncoding.EncodeToString(ed25519.Sign(private, []byte("m1."+kindBody)))
	wantVerdict(t, g.Read(post(kindBody, "Webhook-Id", "m1", "Webhook-Signature", "v1,AAAA "+sig)), Accepted, "")
	wantVerdict(t, g.Read(post(kindBody, "Webhook-Id", "m2", "Webhook-Signature", sig)), Refused, "bad_signature")
	wantVerdict(t, g.Read(post(kindBody, "Webhook-Signature", sig)), Refused, "bad_signature")
}

func TestFirstPresentSignatureDecides(t *testing.T) {
	g := custom(t, `
signatures = "first"
[[signature]]
kind     = "hmac"
hash     = "sha256"
message  = "{sig:t}.{sig:h}.{sig_headers:h}.{raw_body}"
from     = "{header:X-Sig}"
name     = "v1"
encoding = "hex"
[[signature]]
kind     = "hmac"
hash     = "sha256"
message  = "{sig:t}.{raw_body}"
from     = "{header:X-Sig}"
name     = "v0"
encoding = "hex"
`+kindTail, "k")
	weak := "v0=" + hex256("k", "9."+kindBody)
	strong := "h=x-a x-b,v1=" + hex256("k", "9.x-a x-b.1.2."+kindBody)
	for name, c := range map[string]struct{ header, verdict string }{
		"strong":            {"t=9," + strong, Accepted},
		"weak alone":        {"t=9," + weak, Accepted},
		"both":              {"t=9," + weak + "," + strong, Accepted},
		"weak beside wrong": {"t=9," + weak + ",h=x-a,v1=" + strings.Repeat("0", 64), Refused},
		"other order":       {"t=9,h=x-b x-a,v1=" + hex256("k", "9.x-a x-b.1.2."+kindBody), Refused},
		"missing header":    {"t=9,h=x-c,v1=" + hex256("k", "9.x-c.."+kindBody), Refused},
	} {
		rd := g.Read(post(kindBody, "X-Sig", c.header, "X-A", "1", "X-B", "2"))
		if rd.Verdict != c.verdict {
			t.Errorf("%s: %s (%s)", name, rd.Verdict, rd.Reason)
		}
	}
}

func TestPartsAreLeftOutWhenAValueIsMissing(t *testing.T) {
	g := custom(t, `
[[signature]]
kind     = "hmac"
hash     = "sha256"
parts    = ["id:{query:data.id|lower};", "request-id:{header:X-Request-Id};", "ts:{sig:ts};"]
from     = "{header:X-Signature}"
name     = "v1"
encoding = "hex"
`+kindTail, "k")
	for name, c := range map[string]struct{ query, id, signed, verdict string }{
		"all":        {"?data.id=AB1", "r", "id:ab1;request-id:r;ts:5;", Accepted},
		"no request": {"?data.id=AB1", "", "id:ab1;ts:5;", Accepted},
		"neither":    {"", "", "ts:5;", Accepted},
		"other id":   {"?data.id=AB2", "r", "id:ab1;request-id:r;ts:5;", Refused},
	} {
		r := post(kindBody, "X-Signature", "ts=5,v1="+hex256("k", c.signed), "X-Request-Id", c.id)
		r.Target += c.query
		rd := g.Read(r)
		if rd.Verdict != c.verdict {
			t.Errorf("%s: %s (%s)", name, rd.Verdict, rd.Detail)
		}
		if c.verdict == Accepted && !only(t, rd).Hint {
			t.Errorf("%s: the body is not signed, so it proves nothing", name)
		}
	}
}

func TestDigestNeedsTheSecretInEveryText(t *testing.T) {
	for _, message := range []string{`"{field:id}"`, `["{field:id}{secret}", "{field:id}"]`} {
		spec, err := ParseSpec([]byte("[[signature]]\nkind = \"digest\"\nhash = \"sha1\"\nfrom = \"{field:sig}\"\nencoding = \"hex\"\nmessage = "+message+kindTail), "custom")
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(Instance{Preset: CustomPreset, Mode: "live", Custom: &spec, Secrets: []Secret{{Value: "k"}}})
		if err == nil || !strings.Contains(err.Error(), "{secret}") {
			t.Errorf("%s: %v", message, err)
		}
	}
}

func TestDigestAndChanges(t *testing.T) {
	g := custom(t, `
[[envelope]]
kind = "form"
[[signature]]
kind     = "digest"
hash     = "sha1"
message  = "{secret}{field:id}{field:amount|digits}{field:remark?}"
from     = "{field:sig}"
encoding = "base64"
covers   = ["amount", "reference"]
`+strings.Replace(kindTail, `kind = "decimal",`, `kind = "decimal", thousands = ",",`, 1), "apple")
	sum := sha1.Sum([]byte("appleo1123050"))
	form := url.Values{"id": {"o1"}, "status": {"paid"}, "amount": {"1,230.50"}, "sig": {base64.StdEncoding.EncodeToString(sum[:])}}
	rd := g.Read(post(form.Encode()))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); !o.Hint || o.AmountMinor != 123050 {
		t.Errorf("the status is not covered: hint %v, amount %d", o.Hint, o.AmountMinor)
	}
	form.Set("amount", "1,230.51")
	wantVerdict(t, g.Read(post(form.Encode())), Refused, "bad_signature")
}

func TestTokenIsPinned(t *testing.T) {
	g := custom(t, `
envelope = [{ kind = "json" }, { kind = "jwt", from = "payload" }]
[[signature]]
kind      = "jwt"
algorithm = "HS256"
from      = "{field:payload}"
`+kindTail, "0123456789abcdef0123456789abcdef")
	token := func(header, key string) string {
		head := base64.RawURLEncoding.EncodeToString([]byte(header)) + "." + base64.RawURLEncoding.EncodeToString([]byte(kindBody))
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(head))
		return head + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	wrap := func(s string) Request { b, _ := json.Marshal(map[string]string{"payload": s}); return post(string(b)) }
	const key = "0123456789abcdef0123456789abcdef"
	rd := g.Read(wrap(token(`{"alg":"HS256"}`, key)))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.AmountMinor != 1250 || o.Hint {
		t.Errorf("%+v", o)
	}
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(kindBody)) + "."
	for name, s := range map[string]string{"alg none": none, "other key": token(`{"alg":"HS256"}`, "x"+key[1:]), "other algorithm": token(`{"alg":"HS512"}`, key),
		"unsigned": strings.TrimSuffix(none, "."), "no token": "a.b.c", "critical": token(`{"alg":"HS256","crit":["exp"]}`, key)} {
		if rd := g.Read(wrap(s)); rd.Verdict != Refused || rd.Reason != "bad_signature" {
			t.Errorf("%s: %s (%s)", name, rd.Verdict, rd.Reason)
		}
	}
	spec, _ := ParseSpec([]byte("envelope = [{ kind = \"json\" }, { kind = \"jwt\", from = \"payload\" }]\n[[signature]]\nkind = \"none\"\n"+kindTail), "custom")
	if _, err := New(Instance{Preset: CustomPreset, Mode: "live", Custom: &spec}); err == nil || !strings.Contains(err.Error(), "proves it") {
		t.Errorf("an unproved token may be opened: %v", err)
	}
}

func TestDecryptedMessageKeepsItsEnvelope(t *testing.T) {
	const secret = "0123456789abcdef0123456789abcdef"
	block, _ := aes.NewCipher([]byte(secret))
	aead, _ := cipher.NewGCM(block)
	seal := func(plain, aad string) string {
		return base64.StdEncoding.EncodeToString(aead.Seal(nil, []byte("nonce1234567"), []byte(plain), []byte(aad)))
	}
	g := custom(t, strings.Replace(`
envelope = [{ kind = "json" }, { kind = "decrypt", from = "resource.ciphertext", cipher = "aes-gcm", nonce = "resource.nonce", aad = "resource.associated_data" }]
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"
`+kindTail, `dedupe = "id"`, `dedupe = "{outer:id}"`, 1), "other-secret-of-the-merchant-000", secret)
	body := func(ciphertext string) string {
		return `{"id":"evt1","resource":{"ciphertext":"` + ciphertext + `","nonce":"nonce1234567","associated_data":"tx"}}`
	}
	read := func(b string) Reading { return g.Read(post(b, "X-Sig", hex256(secret, b))) }
	rd := read(body(seal(kindBody, "tx")))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.DedupeKey != "evt1" || o.MerchantRef != "o1" || o.AmountMinor != 1250 {
		t.Errorf("%+v", o)
	}
	for name, ciphertext := range map[string]string{"other data": seal(kindBody, "ty"), "not base64": "%%", "empty": "", "cut": seal(kindBody, "tx")[:24]} {
		if rd := read(body(ciphertext)); rd.Verdict != Unreadable || rd.Reason != "body_unreadable" {
			t.Errorf("%s: %s (%s)", name, rd.Verdict, rd.Reason)
		}
	}
}

func TestECBPadding(t *testing.T) {
	// Nine bytes are missing to a block of sixteen, so PKCS#7 appends nine times nine.
	block, _ := aes.NewCipher([]byte(md5Hex("key")))
	sealed := make([]byte, 16)
	block.Encrypt(sealed, []byte("<root/>\x09\x09\x09\x09\x09\x09\x09\x09\x09"))
	if out, ok := decryptECB(block, sealed); !ok || string(out) != "<root/>" {
		t.Errorf("%q %v", out, ok)
	}
	for _, bad := range [][]byte{nil, sealed[:15], make([]byte, 16)} {
		if out, ok := decryptECB(block, bad); ok {
			t.Errorf("%x became %q", bad, out)
		}
	}
}

func TestXML(t *testing.T) {
	d, err := parseXML([]byte(`<?xml version="1.0"?><xml><id><![CDATA[o<1>]]></id><a><b>x</b><b>y</b></a><n type="integer">7</n><e/></xml>`), 8)
	if err != nil {
		t.Fatal(err)
	}
	defer d.release()
	for name, want := range map[string]string{"id": "o<1>", "a.b.0": "x", "a.b.-1": "y", "n": "7"} {
		p, _ := compilePath(name)
		if got := d.at(0, &p); got.text != want || got.kind != text {
			t.Errorf("%s = %q, want %q", name, got.text, want)
		}
	}
	p, _ := compilePath("a.b")
	if got := d.at(0, &p); got.kind != faulty {
		t.Errorf("an element that stands twice was read as %q", got.text)
	}
	for name, src := range map[string]string{
		"DTD":         `<!DOCTYPE xml [<!ENTITY x "y">]><xml><id>&x;</id></xml>`,
		"entity":      `<xml><id>&x;</id></xml>`,
		"instruction": `<?php echo ?><xml><id>1</id></xml>`,
		"open":        `<xml><id>1</id>`,
		"two tops":    `<a>1</a><b>2</b>`,
		"deep":        strings.Repeat("<a>", 50) + strings.Repeat("</a>", 50),
		"charset":     `<?xml version="1.0" encoding="gbk"?><xml><id>1</id></xml>`,
		"nothing":     ` `,
		"text":        `id=1`,
	} {
		if d, err := parseXML([]byte(src), 8); err == nil {
			t.Errorf("%s was read", name)
			d.release()
		}
	}
}

func TestFormatIsToldByTheFirstByte(t *testing.T) {
	for in, want := range map[string]string{"": "query", " \r\n": "query", " {": "json", "[1]": "json", "\ufeff{}": "json", "<xml>": "xml", "a=1": "form", "id": "form"} {
		if got := formatOf([]byte(in)); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

func TestEntryNamesItsKey(t *testing.T) {
	const definition = `
[[signature]]
kind      = "hmac"
hash      = "sha256"
from      = "{header:X-Sig}"
separator = ","
entry     = "{key}/SHA256/{signature}"
own_key   = "{account}"
encoding  = "hex"
` + kindTail
	mac := hex256("k", kindBody)
	for name, c := range map[string]struct{ account, header, verdict, reason string }{
		"ours":           {"1", "1/SHA256/" + mac, Accepted, ""},
		"ours second":    {"1", "2/SHA256/" + strings.Repeat("0", 64) + ",1/SHA256/" + mac, Accepted, ""},
		"another":        {"1", "2/SHA256/" + mac, Refused, "key_unknown"},
		"weaker hash":    {"1", "1/SHA1/" + mac, Refused, "bad_signature"},
		"no id of ours":  {"", "7/SHA256/" + mac, Accepted, ""},
		"without its id": {"1", mac, Refused, "bad_signature"},
	} {
		in := customInstance(t, definition, "k")
		in.Account = c.account
		rd := mustNew(t, in).Read(post(kindBody, "X-Sig", c.header))
		if rd.Verdict != c.verdict || rd.Reason != c.reason {
			t.Errorf("%s: %s (%s), want %s (%s)", name, rd.Verdict, rd.Reason, c.verdict, c.reason)
		}
	}
}

func TestEveryItemCarriesItsOwnSignature(t *testing.T) {
	g := custom(t, strings.Replace(`
[[signature]]
kind      = "hmac"
hash      = "sha256"
message   = "{field:id}:{field:original?}:{field:status}:{field:amount}"
from      = "{field:extra.sig}"
encoding  = "hex"
each_item = true
covers    = ["status", "amount", "reference"]
`+kindTail, "[notice]\n", "[notice]\nitems = \"items\"\nitem = \"one\"\n", 1), "k")
	item := func(id, sig string) string {
		return `{"one":{"id":"` + id + `","status":"paid","amount":"1.00","extra":{"sig":"` + sig + `"}}}`
	}
	a, b := item("a", hex256("k", "a::paid:1.00")), item("b", hex256("k", "b::paid:1.00"))
	rd := g.Read(post(`{"items":[` + a + "," + b + `]}`))
	wantVerdict(t, rd, Accepted, "")
	if len(rd.Observations) != 2 || rd.Observations[1].MerchantRef != "b" || rd.Observations[0].Hint {
		t.Errorf("%+v", rd.Observations)
	}
	for name, c := range map[string]struct{ body, reason string }{
		"one is forged":  {`{"items":[` + a + "," + item("c", strings.Repeat("0", 64)) + `]}`, "bad_signature"},
		"one is without": {`{"items":[` + a + `,{"one":{"id":"c","status":"paid","amount":"1.00"}}]}`, "no_signature"},
		"none":           {`{"items":[]}`, "no_signature"},
		"no list":        {`{}`, "no_signature"},
		"no message":     {`{"items":[`, "no_signature"},
		"no item":        {`{"items":[` + a + `,7]}`, "bad_signature"},
	} {
		if rd := g.Read(post(c.body)); rd.Verdict != Refused || rd.Reason != c.reason {
			t.Errorf("%s: %s (%s)", name, rd.Verdict, rd.Reason)
		}
	}
}

func TestSignedChallenge(t *testing.T) {
	g := custom(t, `
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"
[challenge]
kind         = "signed"
param        = "bt_challenge"
allowed      = "hex"
hash         = "sha1"
key_encoding = "sha1"
own_key      = "{account}"
body         = "{key}|{signature}"
`+kindTail, "integration_private_key")
	g.challenge.own = "integration_public_key"
	ask := func(query string) Reading {
		return g.Read(Request{Method: http.MethodGet, Target: "/hooks/bt" + query, At: arrival})
	}
	rd := ask("?bt_challenge=20f9f8ed05f77439fe955c977e4c8a53")
	wantVerdict(t, rd, Challenged, "")
	wantAck(t, rd.Ack, 200, plainText, "integration_public_key|d9b899556c966b3f06945ec21311865d35df3ce4")
	for _, q := range []string{"", "?bt_challenge=", "?bt_challenge=bad%20challenge", "?bt_challenge=" + strings.Repeat("a", 300)} {
		wantVerdict(t, ask(q), Refused, "bad_challenge")
	}
}

func TestSourceNetworks(t *testing.T) {
	definition := strings.Replace(caseBase, "[notice]", "[facts.networks]\nlive = [\"203.0.113.0/24\", \"2001:db8::7\"]\n[notice]", 1)
	body := `{"id":"1","amount":1,"currency":"PHP"}`
	for _, c := range []struct{ policy, ip, verdict, reason string }{
		{"", "198.51.100.1", Accepted, ""}, {"off", "198.51.100.1", Accepted, ""},
		{"flag", "198.51.100.1", Accepted, "unknown_network"}, {"flag", "203.0.113.9", Accepted, ""},
		{"enforce", "198.51.100.1", Refused, "unknown_network"}, {"enforce", "::ffff:203.0.113.9", Accepted, ""},
		{"enforce", "2001:db8::7", Accepted, ""}, {"enforce", "2001:db8::8", Refused, "unknown_network"},
		{"enforce", "", Accepted, ""}, {"enforce", "nonsense", Refused, "unknown_network"},
	} {
		in := customInstance(t, definition, "k")
		in.Networks = c.policy
		r := signed("k", body)
		r.RemoteIP = c.ip
		if rd := mustNew(t, in).Read(r); rd.Verdict != c.verdict || rd.Reason != c.reason {
			t.Errorf("%s from %q: %s (%s), want %s (%s)", c.policy, c.ip, rd.Verdict, rd.Reason, c.verdict, c.reason)
		}
	}
	in := customInstance(t, caseBase, "k")
	in.Networks = "enforce"
	if _, err := New(in); err == nil || !strings.Contains(err.Error(), "source_networks") {
		t.Errorf("networks that nobody knows are enforced: %v", err)
	}
}

func TestStoredTokenIsComparedByItsDigest(t *testing.T) {
	g := custom(t, "[[signature]]\nkind = \"static_token\"\nfrom = \"{header:X-Token}\"\n"+kindTail, "tok")
	sum := sha256.Sum256([]byte("tok"))
	stored := "sha256:" + hex.EncodeToString(sum[:])
	if got := g.SecretHeaders(); len(got) != 1 || got[0] != "X-Token" {
		t.Errorf("secret headers %q", got)
	}
	r := post(kindBody, "X-Token", stored)
	wantVerdict(t, g.Read(r), Refused, "bad_signature")
	r.Redacted = true
	wantVerdict(t, g.Read(r), Accepted, "")
	r.Header.Set("X-Token", stored[:len(stored)-1]+"0")
	wantVerdict(t, g.Read(r), Refused, "bad_signature")
}

func TestToleranceOfTheInstance(t *testing.T) {
	minute := time.Minute
	in := customInstance(t, stamped, "k")
	in.Tolerance = &minute
	g := mustNew(t, in)
	body := `{"id":"ev_8"}`
	for age, verdict := range map[time.Duration]string{30 * time.Second: Accepted, 2 * time.Minute: Refused, -2 * time.Minute: Refused} {
		ts := itoa(int(arrival.Add(-age).Unix()))
		if rd := g.Read(post(body, "X-Sig", "t="+ts+",v1="+hex256("k", ts+"."+body))); rd.Verdict != verdict {
			t.Errorf("%s old: %s (%s)", age, rd.Verdict, rd.Reason)
		}
	}
}

func TestUnsignedIsAHintOnlyWhereNoKeyIsConfigured(t *testing.T) {
	const definition = `
signatures = "first"
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"
[[signature]]
kind         = "none"
without_keys = true
` + kindTail
	without := custom(t, definition)
	rd := without.Read(post(kindBody))
	wantVerdict(t, rd, Accepted, "")
	if !only(t, rd).Hint {
		t.Error("an unsigned notice proves something")
	}
	wantVerdict(t, without.Read(signed("k", kindBody)), Refused, "no_secret")
	with := custom(t, definition, "k")
	wantVerdict(t, with.Read(post(kindBody)), Refused, "no_signature")
	wantVerdict(t, with.Read(signed("k", kindBody)), Accepted, "")
}

func TestGuardComparesTwoValues(t *testing.T) {
	g := custom(t, strings.Replace(caseBase, "rule         = [{ when = { status = \"\" }, word = \"pending\" }]",
		"rule = [{ when = { captured = \"={field:amount}\" }, word = \"succeeded\" }, { when = { captured = [\"={field:other}\", \"0\"] }, word = \"pending\" }, { word = \"authorised\" }]", 1), "k")
	for body, want := range map[string]string{
		`{"id":"1","amount":100,"captured":100,"currency":"PHP"}`:             "succeeded",
		`{"id":"1","amount":100,"captured":60,"currency":"PHP"}`:              "authorised",
		`{"id":"1","amount":100,"captured":60,"other":60,"currency":"PHP"}`:   "pending",
		`{"id":"1","amount":100,"captured":0,"currency":"PHP"}`:               "pending",
		`{"id":"1","amount":100,"currency":"PHP"}`:                            "authorised",
		`{"id":"1","amount":100,"captured":60,"other":[60],"currency":"PHP"}`: "",
	} {
		if o := only(t, g.Read(signed("k", body))); string(o.Word) != want {
			t.Errorf("%s is %q (%s), want %q", body, o.Word, o.Detail, want)
		}
	}
}

func TestVariantOfTheAccount(t *testing.T) {
	definition := "variants = [\"manual\", \"automatic\"]\n" + strings.Replace(caseBase, `words        = { paid = "succeeded" }`,
		"words = { paid = \"authorised\" }", 1)
	definition = strings.Replace(definition, `rule         = [{ when = { status = "" }, word = "pending" }]`,
		`rule         = [{ when = { status = "paid", "{variant}" = "automatic" }, word = "succeeded" }]`, 1)
	body := `{"id":"1","status":"paid","amount":100,"currency":"PHP"}`
	for variant, want := range map[string]string{"": "authorised", "manual": "authorised", "automatic": "succeeded"} {
		in := customInstance(t, definition, "k")
		in.Variant = variant
		if o := only(t, mustNew(t, in).Read(signed("k", body))); string(o.Word) != want {
			t.Errorf("%q reads as %s, want %s", variant, o.Word, want)
		}
	}
	for _, d := range []string{definition, caseBase} {
		in := customInstance(t, d, "k")
		in.Variant = "other"
		if _, err := New(in); err == nil || !strings.Contains(err.Error(), "variant") {
			t.Errorf("a strange variant is taken: %v", err)
		}
	}
}
