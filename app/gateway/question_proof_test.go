package gateway

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"nodrop/app/payment"
)

// gatewaySigns is the gateway's RSA-SHA256 over a text, in base64.
func gatewaySigns(t testing.TB, text string) string {
	t.Helper()
	block, _ := pem.Decode([]byte(keyFile(t, "gateway.pem")))
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(text))
	out, err := rsa.SignPKCS1v15(nil, k.(*rsa.PrivateKey), crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(out)
}

// proved asks one question of a definition whose answers are signed with gateway.pem.
func proved(t *testing.T, definition string, answer func(http.ResponseWriter, *http.Request)) (*Gateway, Answer) {
	t.Helper()
	s := simulate(t, answer)
	in := customInstance(t, questions(definition), "0123456789abcdef0123456789abcdef")
	in.Account, in.BaseURL, in.PublicKeys = "M1", s.URL, []string{keyFile(t, "gateway_pub.pem")}
	g := mustNew(t, in)
	return g, g.Query(context.Background(), http.DefaultClient, r1, fixed)
}

const headerProof = `auth = { kind = "none" }
verify = { kind = "rsa", hash = "sha256", encoding = "escaped_base64", from = "{header:Signature}", name = "signature", message = "{method} {target}\n{account}.{header:Response-Time}.{raw_body}" }
[[query.step]]
by = "merchant_ref"
method = "POST"
path = "/inquiry"
query = { v = "1" }
body = '{"ref":"{merchant_ref}"}'
not_found = [{ status = 404, when = { code = "NONE" } }]
throttled = [{ when = { code = "SLOW" } }]
`

func signedAnswer(t *testing.T, status int, body string, change func(h http.Header)) func(http.ResponseWriter, *http.Request) {
	signature := gatewaySigns(t, "POST /inquiry?v=1\nM1.1930612500000."+body)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Response-Time", "1930612500000")
		w.Header().Set("Signature", "algorithm=RSA256,keyVersion=1,signature="+url.QueryEscape(signature))
		if change != nil {
			change(w.Header())
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func TestAnswersMustProveWhereTheyComeFrom(t *testing.T) {
	unsign := func(h http.Header) { h.Del("Signature") }
	later := func(h http.Header) { h.Set("Response-Time", "1930612500001") }
	none := `{"code":"NONE"}`
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		class  string
	}{
		"signed":             {signedAnswer(t, 200, paidR1, nil), ClassAnswered},
		"not signed":         {signedAnswer(t, 200, paidR1, unsign), ClassUnreadable},
		"another time":       {signedAnswer(t, 200, paidR1, later), ClassUnreadable},
		"not found":          {signedAnswer(t, 404, none, nil), ClassNotFound},
		"not found, unsaid":  {signedAnswer(t, 404, none, unsign), ClassUnreadable},
		"refused, unsigned":  {signedAnswer(t, 401, `{}`, unsign), ClassRefused},
		"429, unsigned":      {signedAnswer(t, 429, ``, unsign), ClassThrottled},
		"503, unsigned":      {signedAnswer(t, 503, `<html>`, unsign), ClassFailing},
		"slow, unsigned":     {signedAnswer(t, 200, `{"code":"SLOW"}`, unsign), ClassThrottled},
		"HTML, though sound": {signedAnswer(t, 200, `<html>`, nil), ClassUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			g, a := proved(t, headerProof, c.answer)
			if a.Class != c.class {
				t.Fatalf("%s (%s), want %s", a.Class, a.Detail, c.class)
			}
			rd := g.ReadAnswer(r1, a)
			if c.class == ClassUnreadable && (a.Detail == "" || only(t, rd).Word != payment.WordUnreadable) || c.class == ClassAnswered && only(t, rd).Word != payment.WordSucceeded {
				t.Errorf("%q: %+v", a.Detail, rd)
			}
		})
	}
}

func TestStoredAnswersWereProvedWhenTheyCame(t *testing.T) {
	g, a := proved(t, headerProof, signedAnswer(t, 200, paidR1, nil))
	stored := Answer{Class: a.Class, AskedAt: a.AskedAt, Status: a.Status, Raw: a.Raw, Step: a.Step, Asked: a.Asked}
	if o := only(t, g.ReadAnswer(r1, stored)); o.Word != payment.WordSucceeded || o.AmountMinor != 5 {
		t.Errorf("%+v", o)
	}
}

func TestAnswersAreNotAskedForWithoutTheKeyToProveThem(t *testing.T) {
	in := customInstance(t, questions(headerProof), "whs")
	in.Account = "M1"
	g := mustNew(t, in)
	warned := 0
	for _, w := range g.Warnings() {
		if w.Path == "public_keys" {
			warned++
		}
	}
	if g.Queryable() || warned != 1 {
		t.Errorf("queryable %v, warnings %v", g.Queryable(), g.Warnings())
	}
}

func TestSignatureOverARawPartOfTheAnswer(t *testing.T) {
	definition := `auth = { kind = "none" }
verify = { kind = "rsa", hash = "sha256", encoding = "base64", from = "{field:sign}", message = "{raw:query_response}" }
[[query.step]]
by = "merchant_ref"
path = "/q"
at = "query_response"
`
	inner := `{"ref" : "R-1","status":"PAID", "amount":"5","currency":"JPY"}`
	whole := `{"query_response":` + inner + `,"sign":"` + gatewaySigns(t, inner) + `"}`
	if _, a := proved(t, definition, canned(200, whole)); a.Class != ClassAnswered {
		t.Errorf("%s (%s)", a.Class, a.Detail)
	}
	forged := `{"query_response":` + paidR1 + `,"sign":"` + gatewaySigns(t, inner) + `"}`
	if _, a := proved(t, definition, canned(200, forged)); a.Class != ClassUnreadable {
		t.Errorf("forged: %s (%s)", a.Class, a.Detail)
	}
}

func TestTokenAsAnswer(t *testing.T) {
	definition := `auth = { kind = "none" }
verify = { kind = "jwt", algorithm = "HS256", from = "{field:payload}" }
[[query.step]]
by = "merchant_ref"
path = "/q"
envelope = [{ kind = "json" }, { kind = "jwt", from = "payload" }]
refused = [{ when = { respCode = "9015" } }]
`
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	token := func(header, claims, key string) string {
		text := part(header) + "." + part(claims)
		return `{"payload":"` + text + "." + base64.RawURLEncoding.EncodeToString(macOf(sha256.New, key, text)) + `"}`
	}
	const key, hs256 = "0123456789abcdef0123456789abcdef", `{"typ":"JWT","alg":"HS256"}`
	for name, c := range map[string]struct{ body, class string }{
		"proved":         {token(hs256, paidR1, key), ClassAnswered},
		"another key":    {token(hs256, paidR1, "fedcba9876543210fedcba9876543210"), ClassUnreadable},
		"no algorithm":   {`{"payload":"` + part(`{"alg":"none"}`) + "." + part(paidR1) + `."}`, ClassUnreadable},
		"other strength": {token(`{"typ":"JWT","alg":"HS512"}`, paidR1, key), ClassUnreadable},
		"plain":          {paidR1, ClassUnreadable},
		"plain error":    {`{"respCode":"9015"}`, ClassRefused},
	} {
		t.Run(name, func(t *testing.T) {
			if _, a := proved(t, definition, canned(200, c.body)); a.Class != c.class {
				t.Errorf("%s (%s), want %s", a.Class, a.Detail, c.class)
			}
		})
	}
}

func TestPublicKeyIDStandsInAQuestion(t *testing.T) {
	definition := `auth = { kind = "none" }
headers = { X-Serial = "{public_key_id}" }
verify = { kind = "rsa", hash = "sha256", encoding = "base64", from = "{header:Signature}" }
[[query.step]]
by = "merchant_ref"
path = "/q"
`
	head := "GET /q HTTP/1.1\r\nHost: gateway.test\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nUser-Agent: nodrop\r\n"
	labelled, _ := asked(t, definition, func(in *Instance) { in.PublicKeys = []string{"PUB_KEY_ID_01=" + keyFile(t, "gateway_pub.pem")} }, r1)
	if labelled != head+"X-Serial: PUB_KEY_ID_01\r\n\r\n" {
		t.Errorf("%q", labelled)
	}
	plain, _ := asked(t, definition, func(in *Instance) { in.PublicKeys = []string{keyFile(t, "gateway_pub.pem")} }, r1)
	if plain != head+"\r\n" {
		t.Errorf("%q", plain)
	}
}

func TestStaleProofOfAnAnswer(t *testing.T) {
	definition := `auth = { kind = "none" }
verify = { kind = "hmac", hash = "sha256", encoding = "hex", from = "{header:Signature}", message = "{header:Time}.{raw_body}", timestamp = { from = "{header:Time}", tolerance = "300s" } }
[[query.step]]
by = "merchant_ref"
path = "/q"
`
	const key = "0123456789abcdef0123456789abcdef"
	// 301 and 300 seconds before the arrival.
	for stamp, class := range map[string]string{"1930612199": ClassUnreadable, "1930612200": ClassAnswered} {
		if _, a := proved(t, definition, canned(200, paidR1, "Time", stamp, "Signature", hex256(key, stamp+"."+paidR1))); a.Class != class {
			t.Errorf("%s: %s (%s), want %s", stamp, a.Class, a.Detail, class)
		}
	}
}
