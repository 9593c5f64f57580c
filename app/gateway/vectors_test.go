package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// givenVector is one check that the project was given: mostly from official SDKs and documents.
type givenVector struct {
	Gateway, Kind, Description, Usage string

	Secret          string
	PublicKey       string `json:"public_key"`
	PublicKeyPEM    string `json:"public_key_pem"`
	PublicKeyBase64 string `json:"public_key_base64"`
	PublicKeyID     string `json:"public_key_id"`
	CertificatePEM  string `json:"certificate_pem"`
	WebhookID       string `json:"webhook_id"`
	KeyID           string `json:"key_id"`
	Decrypt         struct{ Key string }

	Method      string `json:"http_method"`
	Path        string `json:"http_path"`
	URL         string
	ContentType string `json:"content_type"`
	Headers     map[string]string
	Body        string
	Now         *int64
	ClockUnix   *int64 `json:"clock_unix"`
	ToleranceS  *int64 `json:"tolerance_s"`

	SignedString string  `json:"signed_string"`
	Signature    string  `json:"signature"`
	Valid        bool    `json:"expected_valid"`
	Response     *string `json:"expected_response"`
}

// presetOf leads from the vectors' names of gateways to presets, where they differ.
var presetOf = map[string]string{
	"coinbase_commerce": "coinbase", "coinbase_business": "coinbase", "mollie_nextgen": "mollie", "flutterwave_v3": "flutterwave", "flutterwave_v4": "flutterwave",
	"wechatpay_v3": "wechatpay", "wechatpay_v2": "wechatpay-v2", "antom_alipayplus": "antom", "standard_webhooks": "standard-webhooks",
	"mercado_pago": "mercadopago", "authorize_net": "authorizenet", "checkout_com": "checkout", "worldpay_access": "worldpay",
}

func (v *givenVector) preset() string {
	if name, ok := presetOf[v.Gateway]; ok {
		return name
	}
	return v.Gateway
}

func vectors(t testing.TB) []givenVector {
	t.Helper()
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []givenVector
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// The three things that are done with a vector: a request is read, a challenge is
// answered, and a bare signature is made a message of its own.
func (v *givenVector) treatment() string {
	switch {
	case v.Kind == "braintree-challenge":
		return "challenge"
	case v.Usage == "primitive" || v.Kind == "braintree-primitive":
		return "primitive"
	}
	return "request"
}

func TestVectors(t *testing.T) {
	done, kinds := map[string]int{}, map[string]int{}
	for i, v := range vectors(t) {
		how := v.treatment()
		done[how]++
		kinds[how+" "+v.preset()+" "+v.Kind]++
		t.Run(fmt.Sprintf("%d %s %s", i, v.preset(), v.Description), func(t *testing.T) {
			switch how {
			case "challenge":
				v.challenge(t)
			case "primitive":
				v.primitive(t)
			default:
				v.read(t)
			}
		})
	}
	if len(done) != 3 || done["request"] != 128 || done["challenge"] != 2 || done["primitive"] != 8 {
		t.Errorf("%v, want 128 requests, 2 challenges and 8 primitives: 138", done)
	}
	for _, kind := range sortedKeys(kinds) {
		t.Logf("%3d %s", kinds[kind], kind)
	}
}

// read takes a request to a gateway of each mode: the verdict on its signature is the
// same, and what is properly signed for the other mode is not refused.
func (v *givenVector) read(t *testing.T) {
	for _, keys := range v.publicKeys() {
		for _, mode := range []string{"test", "live"} {
			e := Explain(mustNew(t, v.instance(mode, keys)), v.request(t))
			if (e.Verdict != Refused) != v.Valid {
				t.Errorf("in %s mode it is %s (%s), valid: %v", mode, e.Verdict, e.Reason, v.Valid)
			}
			if !v.Valid && len(e.Observations) > 0 {
				t.Errorf("refused with %d observations", len(e.Observations))
			}
		}
	}
}

// publicKeys lists the forms in which a vector has its public key, each to be tried.
func (v *givenVector) publicKeys() [][]string {
	var out [][]string
	for _, key := range []string{v.PublicKeyPEM, v.PublicKeyBase64, v.CertificatePEM, v.PublicKey} {
		if key != "" && v.PublicKeyID != "" && key != v.CertificatePEM {
			key = v.PublicKeyID + "=" + key
		}
		if key != "" {
			out = append(out, []string{key})
		}
	}
	if out == nil {
		return [][]string{nil}
	}
	return out
}

func (v *givenVector) instance(mode string, keys []string) Instance {
	in := Instance{Name: "vector", Preset: v.preset(), Mode: mode, PublicKeys: keys, Account: v.WebhookID + v.KeyID, PublicURL: v.URL}
	for _, s := range []string{v.Secret, v.Decrypt.Key} {
		if s != "" {
			in.Secrets = append(in.Secrets, Secret{Value: s})
		}
	}
	if v.ToleranceS != nil {
		d := time.Duration(*v.ToleranceS) * time.Second
		in.Tolerance = &d
	}
	return in
}

func (v *givenVector) request(t testing.TB) Request {
	t.Helper()
	r := Request{Method: v.Method, Target: "/hooks/vector", Header: http.Header{}, Body: []byte(v.Body), At: v.at()}
	if r.Method == "" {
		r.Method = http.MethodPost
	}
	if v.Path != "" {
		r.Target = v.Path
	}
	if v.URL != "" {
		u, err := url.Parse(v.URL)
		if err != nil {
			t.Fatal(err)
		}
		r.Target = u.RequestURI()
	}
	if v.ContentType != "" {
		r.Header.Set("Content-Type", v.ContentType)
	}
	for name, value := range v.Headers {
		r.Header.Set(name, value)
	}
	return r
}

// at is the arrival: the vector's clock, else three seconds after the time in a header.
func (v *givenVector) at() time.Time {
	switch {
	case v.Now != nil:
		return time.Unix(*v.Now, 0).UTC()
	case v.ClockUnix != nil:
		return time.Unix(*v.ClockUnix, 0).UTC()
	}
	for _, value := range v.Headers {
		if signed, err := time.Parse(time.RFC3339, value); err == nil {
			return signed.Add(3 * time.Second).UTC()
		}
	}
	return arrival
}

func (v *givenVector) challenge(t *testing.T) {
	e := Explain(mustNew(t, v.instance("test", []string{v.PublicKey})), v.request(t))
	switch {
	case v.Valid && (e.Verdict != Challenged || e.Ack.Status != 200 || e.Ack.Body != *v.Response):
		t.Errorf("%s, answered %d %q, want %q", e.Verdict, e.Ack.Status, e.Ack.Body, *v.Response)
	case !v.Valid && (e.Verdict != Refused || e.Ack.Status < 400):
		t.Errorf("%s, answered %d %q, want it refused", e.Verdict, e.Ack.Status, e.Ack.Body)
	}
}

const primitiveFields = `
from = "{header:X-Sig}"
covers = ["body"]
[notice]
dedupe = "{header:X-Sig}"
[fields]
merchant_ref = "id"
status = "status"
words  = { paid = "succeeded" }
amount = { from = "amount", kind = "minor_int", fixed = "PHP" }
[query]
base = { live = "https://gateway.example" }
auth = { kind = "none" }
[[query.step]]
by   = "merchant_ref"
path = "/{merchant_ref}"
`

// primitives says in the language of the definitions how each bare signature is made.
var primitives = map[string]string{
	"razorpay hmac-sha256-hex-joined-fields":  "kind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"",
	"senangpay hmac-sha256-hex-joined-fields": "kind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"\nmessage = \"{secret}{raw_body}\"",
	"senangpay md5-hex-joined-fields":         "kind = \"digest\"\nhash = \"md5\"\nencoding = \"hex\"\nmessage = \"{secret}{raw_body}\"",
	"ipay88 sha1-base64-concat":               "kind = \"digest\"\nhash = \"sha1\"\nencoding = \"base64\"\nmessage = \"{secret}{raw_body}\"",
	"braintree braintree-primitive":           "kind = \"hmac\"\nhash = \"sha1\"\nencoding = \"hex\"\nkey_encoding = \"sha1\"",
	"wechatpay rsa-sha256-pkcs1v15-base64":    "kind = \"rsa\"\nhash = \"sha256\"\nencoding = \"base64\"",
	"maya flatten-only":                       "kind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"\nflattened = { end = \"&nonce=NONCE\" }",
}

// primitive makes a message of what was signed, and reads it with a definition of its own.
func (v *givenVector) primitive(t *testing.T) {
	how, ok := primitives[v.preset()+" "+v.Kind]
	if !ok {
		t.Fatalf("nothing says how %s %s is made", v.preset(), v.Kind)
	}
	body, signature, secret := v.SignedString, v.Signature, v.Secret
	switch {
	case v.Kind == "flatten-only": // the golden text is signed here, the nested body read there
		body, secret, signature = v.Body, "k", hex256("k", v.SignedString)
	case v.Kind == "braintree-primitive":
		body = v.Body
	case strings.Contains(how, "{secret}"):
		body = strings.TrimPrefix(v.SignedString, v.Secret)
	}
	in := customInstance(t, "[[signature]]\n"+how+primitiveFields, secret)
	if v.CertificatePEM != "" {
		in.Secrets, in.PublicKeys = nil, []string{v.CertificatePEM}
	}
	g := mustNew(t, in)
	if rd := g.Read(post(body, "X-Sig", signature)); rd.Verdict == Refused {
		t.Errorf("refused: %s %s", rd.Reason, rd.Detail)
	}
	if rd := g.Read(post(strings.Replace(body, "a", "b", 1), "X-Sig", signature)); rd.Verdict != Refused && strings.Contains(body, "a") {
		t.Errorf("with another message it is %s", rd.Verdict)
	}
	wantVerdict(t, g.Read(post(body+"1", "X-Sig", signature)), Refused, "bad_signature")
}

// TestVectorNames keeps the table of names and the presets together.
func TestVectorNames(t *testing.T) {
	names := PresetNames()
	for _, v := range vectors(t) {
		if !slices.Contains(names, v.preset()) {
			t.Errorf("the vectors' gateway %s has no preset %s", v.Gateway, v.preset())
		}
	}
}
