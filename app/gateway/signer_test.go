package gateway

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

func keyFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/keys/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func merchantPublic(t testing.TB) *rsa.PublicKey {
	t.Helper()
	block, _ := pem.Decode([]byte(keyFile(t, "merchant_pub.pem")))
	k, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return k.(*rsa.PublicKey)
}

func wantRSA(t testing.TB, message, signature string) {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(signature)
	sum := sha256.Sum256([]byte(message))
	if err != nil || rsa.VerifyPKCS1v15(merchantPublic(t), crypto.SHA256, sum[:], raw) != nil {
		t.Errorf("%q does not sign %q", signature, message)
	}
}

// between cuts a text out of another.
func between(t testing.TB, s, before, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(s, before)
	out, _, closed := strings.Cut(rest, after)
	if !found || !closed {
		t.Fatalf("%q holds nothing between %q and %q", s, before, after)
	}
	return out
}

func withMerchantKey(t testing.TB) func(*Instance) {
	return func(in *Instance) { in.PrivateKey = keyFile(t, "merchant.pem") }
}

// The request sample of WeChat Pay's v2 documentation, in both of its ways of signing.
func TestSignedXMLForm(t *testing.T) {
	for sign, want := range map[string]string{
		`kind = "digest", hash = "md5"`:  "9A0A8659F005D6984697E2CA0A9CF3B7",
		`kind = "hmac", hash = "sha256"`: "6A9AE1657590FD6257D693A078E1C3E4BB6BA4DC30B23E0EE2496E54170DACD6",
	} {
		got, _ := asked(t, `auth = { kind = "none" }
sign = { `+sign+`, key = "webhook_secret", encoding = "HEX", sorted = { empty = "drop", end = "&key={secret}" } }
[[query.step]]
by = "merchant_ref"
method = "POST"
path = "/pay/orderquery"
encode = "xml"
form = { appid = "wxd930ea5d5a258f4f", mch_id = "{account}", device_info = "1000", body = "{merchant_ref}", nonce_str = "{nonce}", sign = "{signature}" }
`, func(in *Instance) {
			in.Secrets = []Secret{{Value: "192006250b4c09247ec02edce69f6a2d"}}
			in.Account, in.Nonce = "10000100", func() string { return "ibuaiVcKdpRxkhJA" }
		}, Question{MerchantRef: "test"})
		body := "<xml><appid>wxd930ea5d5a258f4f</appid><body>test</body><device_info>1000</device_info><mch_id>10000100</mch_id><nonce_str>ibuaiVcKdpRxkhJA</nonce_str><sign>" + want + "</sign></xml>"
		sends(t, got, "POST /pay/orderquery HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "Content-Length: "+itoa(len(body)),
			"Content-Type: text/xml; charset=utf-8", "User-Agent: nodrop", "", body)
	}
}

func TestDigestInTheQueryString(t *testing.T) {
	got, _ := asked(t, `auth = { kind = "none" }
[[query.step]]
by = "merchant_ref"
path = "/q"
query = { merchant_id = "{account}", order_id = "{merchant_ref}", hash = "{signature}" }
sign = { kind = "digest", hash = "sha256", key = "api_secret", encoding = "hex", message = "{account}{secret}{merchant_ref}" }
`, nil, Question{MerchantRef: "R-1"})
	sum := sha256.Sum256([]byte("M1sec retR-1"))
	sends(t, got, "GET /q?hash="+hex.EncodeToString(sum[:])+"&merchant_id=M1&order_id=R-1 HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "User-Agent: nodrop", "", "")
}

func TestHMACOverTheWholeQuestion(t *testing.T) {
	got, _ := asked(t, `auth = { kind = "header", header = "X-Sign", value = "{signature}" }
sign = { kind = "hmac", hash = "sha512", key = "api_secret", key_encoding = "hex", encoding = "base64", message = "{method}|{target}|{now:unix}|{nonce}|{body}" }
headers = { X-Time = "{now:unix}", X-Nonce = "{nonce}" }
[[query.step]]
by = "merchant_ref"
method = "POST"
path = "/q/{merchant_ref}"
query = { v = "2" }
body = '{"ref":"{merchant_ref}"}'
`, func(in *Instance) { in.APISecret = "6b6579" }, Question{MerchantRef: `a"b`})
	nonce := "0123456789abcdef0123456789abcdef"
	body := `{"ref":"a\"b"}`
	mac := macOf(sha512.New, "key", "POST|/q/a%22b?v=2|1930612500|"+nonce+"|"+body)
	sends(t, got, "POST /q/a%22b?v=2 HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "Content-Length: 14", "Content-Type: application/json",
		"User-Agent: nodrop", "X-Nonce: "+nonce, "X-Sign: "+base64.StdEncoding.EncodeToString(mac), "X-Time: 1930612500", "", body)
}

// alipayQuery is signed over the sorted form, in Beijing's time.
const alipayQuery = `auth = { kind = "none" }
sign = { kind = "rsa", hash = "sha256", key = "private_key", encoding = "base64", sorted = { empty = "drop" } }
[[query.step]]
by = "merchant_ref"
method = "POST"
path = "/gateway.do"
content_type = "application/x-www-form-urlencoded;charset=utf-8"
[query.step.form]
app_id      = "{account}"
biz_content = '{"out_trade_no":"{merchant_ref|json}"}'
charset     = "utf-8"
method      = "alipay.trade.query"
note        = ""
sign        = "{signature}"
sign_type   = "RSA2"
timestamp   = "{now:yyyy-MM-dd HH:mm:ss@Asia/Shanghai}"
version     = "1.0"
`

func TestRSAOverTheSortedForm(t *testing.T) {
	got, _ := asked(t, alipayQuery, withMerchantKey(t), Question{MerchantRef: "R-1"})
	_, body, _ := strings.Cut(got, "\r\n\r\n")
	form, err := url.ParseQuery(body)
	if err != nil {
		t.Fatal(err)
	}
	wantRSA(t, `app_id=M1&biz_content={"out_trade_no":"R-1"}&charset=utf-8&method=alipay.trade.query&sign_type=RSA2&timestamp=2031-03-07 09:15:00&version=1.0`, form.Get("sign"))
	want := "app_id=M1&biz_content=%7B%22out_trade_no%22%3A%22R-1%22%7D&charset=utf-8&method=alipay.trade.query&note=&sign=" + url.QueryEscape(form.Get("sign")) +
		"&sign_type=RSA2&timestamp=2031-03-07+09%3A15%3A00&version=1.0"
	sends(t, got, "POST /gateway.do HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "Content-Length: "+itoa(len(want)),
		"Content-Type: application/x-www-form-urlencoded;charset=utf-8", "User-Agent: nodrop", "", want)
}

func TestRSAAuthorizationWithCertificateSerial(t *testing.T) {
	got, _ := asked(t, `auth = { kind = "header", header = "Authorization", value = 'WECHATPAY2-SHA256-RSA2048 mchid="{account}",nonce_str="{nonce}",timestamp="{now:unix}",serial_no="{key_serial}",signature="{signature}"' }
sign = { kind = "rsa", hash = "sha256", key = "private_key", encoding = "base64", message = "{method}\n{target}\n{now:unix}\n{nonce}\n{body}\n" }
[[query.step]]
by = "merchant_ref"
path = "/v3/pay/transactions/out-trade-no/{merchant_ref}"
query = { mchid = "{account}" }
`, func(in *Instance) {
		in.PrivateKey = keyFile(t, "merchant_cert.pem") + keyFile(t, "merchant.pem")
	}, Question{MerchantRef: "R-1"})
	signature := between(t, got, `signature="`, `"`)
	nonce := "0123456789abcdef0123456789abcdef"
	wantRSA(t, "GET\n/v3/pay/transactions/out-trade-no/R-1?mchid=M1\n1930612500\n"+nonce+"\n\n", signature)
	// The serial is what `openssl x509 -serial` prints of the certificate.
	sends(t, got, "GET /v3/pay/transactions/out-trade-no/R-1?mchid=M1 HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip",
		`Authorization: WECHATPAY2-SHA256-RSA2048 mchid="M1",nonce_str="`+nonce+`",timestamp="1930612500",serial_no="1157DEADBEEF00112233445566778899AABBCCDD",signature="`+signature+`"`,
		"User-Agent: nodrop", "", "")
}

func TestEscapedSignatureInAHeader(t *testing.T) {
	got, _ := asked(t, `auth = { kind = "none" }
sign = { kind = "rsa", hash = "sha256", key = "private_key", encoding = "escaped_base64", message = "{method} {target}\n{account}.{now:unix_ms}.{body}" }
headers = { Client-Id = "{account}", Request-Time = "{now:unix_ms}", Signature = "algorithm=RSA256,keyVersion=1,signature={signature}" }
[[query.step]]
by = "merchant_ref"
method = "POST"
path = "/ams/api/v1/payments/inquiryPayment"
body = '{"paymentRequestId":"{merchant_ref}"}'
`, withMerchantKey(t), Question{MerchantRef: "R-1"})
	escaped := between(t, got, "keyVersion=1,signature=", "\r\n")
	signature, err := url.QueryUnescape(escaped)
	if err != nil || strings.ContainsAny(escaped, "+/=") {
		t.Errorf("%q is not escaped", escaped)
	}
	body := `{"paymentRequestId":"R-1"}`
	wantRSA(t, "POST /ams/api/v1/payments/inquiryPayment\nM1.1930612500000."+body, signature)
	sends(t, got, "POST /ams/api/v1/payments/inquiryPayment HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "Client-Id: M1",
		"Content-Length: 26", "Content-Type: application/json", "Request-Time: 1930612500000", "Signature: algorithm=RSA256,keyVersion=1,signature="+escaped, "User-Agent: nodrop", "", body)
}

func tokenQuery(algorithm, key string) string {
	return `auth = { kind = "none" }
sign = { kind = "jwt", algorithm = "` + algorithm + `", key = "` + key + `", message = '{"merchantID":"{account}","invoiceNo":"{merchant_ref}","iat":{now:unix}}' }
[[query.step]]
by = "merchant_ref"
method = "POST"
path = "/paymentInquiry"
body = '{"payload":"{signature}"}'
`
}

func TestTokenOfHMAC(t *testing.T) {
	secret := "0123456789abcdef0123456789abcdef"
	got, _ := asked(t, tokenQuery("HS256", "webhook_secret"), func(in *Instance) { in.Secrets = []Secret{{Value: secret}} }, Question{MerchantRef: `R"1`})
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	text := part(`{"alg":"HS256","typ":"JWT"}`) + "." + part(`{"merchantID":"M1","invoiceNo":"R\"1","iat":1930612500}`)
	body := `{"payload":"` + text + "." + base64.RawURLEncoding.EncodeToString(macOf(sha256.New, secret, text)) + `"}`
	sends(t, got, "POST /paymentInquiry HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "Content-Length: "+itoa(len(body)),
		"Content-Type: application/json", "User-Agent: nodrop", "", body)
}

func TestTokensOfKeyPairs(t *testing.T) {
	ecKey := keyFile(t, "gateway_ec.pem")
	for algorithm, private := range map[string]string{"RS256": keyFile(t, "merchant.pem"), "ES256": ecKey} {
		got, _ := asked(t, tokenQuery(algorithm, "private_key"), func(in *Instance) { in.PrivateKey = private }, Question{MerchantRef: "R-1"})
		parts := strings.Split(between(t, got, `{"payload":"`, `"}`), ".")
		if len(parts) != 3 {
			t.Fatalf("%d parts", len(parts))
		}
		var header map[string]string
		raw, _ := base64.RawURLEncoding.DecodeString(parts[0])
		if err := json.Unmarshal(raw, &header); err != nil || len(header) != 2 || header["alg"] != algorithm || header["typ"] != "JWT" {
			t.Errorf("header %s", raw)
		}
		signature, _ := base64.RawURLEncoding.DecodeString(parts[2])
		sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
		if algorithm == "RS256" && rsa.VerifyPKCS1v15(merchantPublic(t), crypto.SHA256, sum[:], signature) != nil {
			t.Error("the RS256 signature is wrong")
		}
		if algorithm == "ES256" && !ecVerifies(t, keyFile(t, "gateway_ec_pub.pem"), sum[:], signature) {
			t.Error("the ES256 signature is wrong")
		}
	}
}

func ecVerifies(t testing.TB, public string, sum, signature []byte) bool {
	t.Helper()
	block, _ := pem.Decode([]byte(public))
	k, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil || len(signature) != 64 {
		t.Fatalf("%v, %d bytes of signature", err, len(signature))
	}
	r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
	return ecdsa.Verify(k.(*ecdsa.PublicKey), sum, r, s)
}

func TestPrivateKeysAreReadInEveryForm(t *testing.T) {
	whole := keyFile(t, "merchant.pem")
	block, _ := pem.Decode([]byte(whole))
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	pkcs1 := x509.MarshalPKCS1PrivateKey(parsed.(*rsa.PrivateKey))
	bare := base64.StdEncoding.EncodeToString(block.Bytes)
	for name, form := range map[string]string{
		"PKCS#8": whole, "PKCS#1": string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: pkcs1})),
		"bare PKCS#8": bare, "bare PKCS#1": base64.StdEncoding.EncodeToString(pkcs1), "in lines": bare[:64] + "\n " + bare[64:] + "\n",
		"in one line": strings.ReplaceAll(whole, "\n", `\n`), "behind a certificate": keyFile(t, "merchant_cert.pem") + whole,
	} {
		k, err := readPrivateKey(form, "rsa")
		if err != nil || !k.Public().(*rsa.PublicKey).Equal(merchantPublic(t)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnreadablePrivateKeysAreFaults(t *testing.T) {
	for name, c := range map[string]struct{ key, text string }{
		"nonsense":       {"not a key!", "neither PEM nor base64"},
		"other bytes":    {base64.StdEncoding.EncodeToString([]byte("hello")), "cannot be read"},
		"public":         {keyFile(t, "merchant_pub.pem"), "no private key"},
		"another kind":   {keyFile(t, "gateway_ec.pem"), "another kind"},
		"locked":         {string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte{1}})), "password"},
		"only a heading": {"-----BEGIN PRIVATE KEY-----", "no private key"},
	} {
		in := customInstance(t, questions(alipayQuery), "whs")
		in.PrivateKey, in.Account = c.key, "M1"
		_, err := New(in)
		problems, _ := err.(Problems)
		if len(problems) != 1 || problems[0].Path != "private_key" || !strings.Contains(problems[0].Text, c.text) || problems[0].Remedy == "" {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), c.key) {
			t.Errorf("%s: the error shows the key", name)
		}
	}
}

func TestShortTokenKeyIsAFault(t *testing.T) {
	_, err := New(customInstance(t, questions(tokenQuery("HS256", "webhook_secret")), "short"))
	problems, _ := err.(Problems)
	if len(problems) == 0 || problems[0].Path != "webhook_secrets[0]" || !strings.Contains(problems[0].Text, "5 of the 32 bytes") {
		t.Errorf("%v", err)
	}
}

func TestWithoutTheSigningKeyNothingIsAsked(t *testing.T) {
	in := customInstance(t, questions(alipayQuery), "whs")
	in.Account = "M1"
	g := mustNew(t, in)
	if g.Queryable() || g.CanAsk(odd) {
		t.Error("queryable without its key")
	}
	named := 0
	for _, w := range g.Warnings() {
		if w.Path == "private_key" && w.Remedy != "" {
			named++
		}
	}
	if named != 1 {
		t.Errorf("warnings %v", g.Warnings())
	}
	if a := g.Query(context.Background(), http.DefaultClient, odd, fixed); a.Class != ClassNotAsked {
		t.Errorf("class %s", a.Class)
	}
}

func TestTheSecretThatIsValidNowSigns(t *testing.T) {
	definition := `auth = { kind = "none" }
headers = { X-Sign = "{signature}" }
sign = { kind = "hmac", hash = "sha256", key = "webhook_secret", encoding = "hex", message = "{id}" }
[[query.step]]
by = "merchant_ref"
path = "/q"
`
	old, later := Secret{Value: "old", Until: arrival}, Secret{Value: "new", NotBefore: arrival.Add(time.Hour)}
	got, _ := asked(t, definition, func(in *Instance) { in.Secrets = []Secret{old, later, {Value: "now"}} }, Question{MerchantRef: "R-1"})
	if !strings.Contains(got, "X-Sign: "+hex256("now", "R-1")+"\r\n") {
		t.Errorf("%q", got)
	}
	in := customInstance(t, questions(definition))
	in.Secrets = []Secret{old, later}
	if a := mustNew(t, in).Query(context.Background(), http.DefaultClient, odd, fixed); a.Class != ClassNotAsked || !strings.Contains(a.Detail, "webhook_secret is valid now") {
		t.Errorf("%s (%s)", a.Class, a.Detail)
	}
}

func TestSortedQueryParametersWithoutAForm(t *testing.T) {
	got, _ := asked(t, `auth = { kind = "none" }
sign = { kind = "hmac", hash = "sha256", key = "api_secret", encoding = "hex", sorted = { leave = ["v"], end = "&nonce={nonce|upper}" } }
[[query.step]]
by = "merchant_ref"
path = "/q"
query = { sign = "{signature}", ref = "{merchant_ref}", b = "", v = "2" }
`, nil, Question{MerchantRef: "R 1"})
	want := hex256("sec ret", "b=&ref=R 1&nonce=0123456789ABCDEF0123456789ABCDEF")
	sends(t, got, "GET /q?b=&ref=R+1&sign="+want+"&v=2 HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "User-Agent: nodrop", "", "")
}

func TestSerialWithoutCertificateOrKeyIsLacking(t *testing.T) {
	g := custom(t, questions("auth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/q/{merchant_ref}\"\nheaders = { X-Serial = \"{key_serial}\" }\n"), "whs")
	if g.Queryable() || len(g.Warnings()) != 1 || g.Warnings()[0].Path != "api_key" {
		t.Errorf("queryable %v, warnings %v", g.Queryable(), g.Warnings())
	}
}
