package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"

	"nodrop/app/payment"
)

// signedJSON is a small definition: hex HMAC-SHA256 of the raw body in X-Sig.
const signedJSON = `
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"

[notice]
dedupe = "id"

[fields]
merchant_ref = "ref"
status       = "status"
words        = { PAID = "succeeded", WAIT = "pending" }
amount       = { from = "amount", kind = "decimal", currency = "currency" }
`

func signed(secret, body string) Request { return post(body, "X-Sig", hex256(secret, body)) }

func smartpay(t testing.TB) *Gateway {
	raw, err := os.ReadFile("testdata/smartpay.toml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Gateway struct{ Custom map[string]any }
	}
	if err := toml.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	spec, err := SpecFrom(file.Gateway.Custom, "custom")
	if err != nil {
		t.Fatal(err)
	}
	return mustNew(t, Instance{Name: "smartpay", Preset: "custom", Mode: "live", Custom: &spec, Secrets: []Secret{{Value: "bench-secret"}}})
}

const smartpayBody = `{"gateway_ref":"G1","merchant_ref":"ORDER_G1","status":"SUCCESS","amount":"1250.00","currency":"PHP","merchant_id":"M_BENCH","paid_at":"2026-11-30T08:00:00+08:00","payer":{"channel":"GCASH","masked":"0917****123"}}`

func TestSmartPay(t *testing.T) {
	g := smartpay(t)
	request := func() Request { return post(smartpayBody, "X-Signature", hex256("bench-secret", smartpayBody)) }
	rd := g.Read(request())
	wantVerdict(t, rd, Accepted, "")
	wantAck(t, rd.Ack, 200, "text/plain; charset=utf-8", "SUCCESS")
	o := only(t, rd)
	if o.DedupeKey != "G1:SUCCESS" || o.Word != payment.WordSucceeded || o.AmountMinor != 125000 || o.MerchantRef != "ORDER_G1" || o.Account != "M_BENCH" || o.Hint {
		t.Errorf("%+v", o)
	}
	if !o.OccurredAt.Equal(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("occurred %v", o.OccurredAt)
	}
	if g.Queryable() || g.Facts().FailureHoldMs != 600_000 {
		t.Error("smartpay has no query and holds failures for ten minutes")
	}
	for name, change := range map[string]func(*Request){
		"body":      func(r *Request) { r.Body[60] ^= 1 },
		"signature": func(r *Request) { r.Header.Set("X-Signature", hex256("bench-secret", smartpayBody+" ")) },
		"secret":    func(r *Request) { r.Header.Set("X-Signature", hex256("other", smartpayBody)) },
		"short":     func(r *Request) { r.Header.Set("X-Signature", hex256("bench-secret", smartpayBody)[:62]) },
		"longer":    func(r *Request) { r.Header.Set("X-Signature", hex256("bench-secret", smartpayBody)+"00") },
	} {
		r := request()
		change(&r)
		rd := g.Read(r)
		if rd.Verdict != Refused || rd.Reason != "bad_signature" {
			t.Errorf("%s changed: %s %s", name, rd.Verdict, rd.Reason)
		}
	}
}

func TestFormWithTemplateOfFields(t *testing.T) {
	g := custom(t, `
[[envelope]]
kind = "form"

[[signature]]
kind     = "hmac"
hash     = "sha1"
message  = "{field:txn}:{field:status}:{field:amount}"
from     = "{field:sign}"
encoding = "base64"
covers   = ["status", "amount", "reference"]

[notice]
dedupe = "{field:txn}:{field:status}"

[fields]
refs         = [{ kind = "payment", from = "txn" }]
merchant_ref = "order[id]"
status       = "status"
words        = { s = "succeeded", f = "failed" }
fold_case    = true
amount       = { from = "amount", kind = "decimal_string", fixed = "MYR", thousands = "," }
occurred     = { from = "at", format = "yyyy-MM-dd HH:mm:ss", zone = "Asia/Kuala_Lumpur" }

[ack]
body = "RECEIVEOK"
`, "pw")
	body := "txn=T1&status=S&amount=1%2C250.50&order%5Bid%5D=O+1&at=2031-03-07+09%3A15%3A00&sign=" + strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(b64sha1("pw", "T1:S:1,250.50"))
	rd := g.Read(post(body))
	wantVerdict(t, rd, Accepted, "")
	wantAck(t, rd.Ack, 200, "text/plain; charset=utf-8", "RECEIVEOK")
	o := only(t, rd)
	if o.DedupeKey != "T1:S" || o.Word != payment.WordSucceeded || o.AmountMinor != 125050 || o.Currency != "MYR" || o.MerchantRef != "O 1" || o.Hint || !o.OccurredAt.Equal(arrival) {
		t.Errorf("%+v", o)
	}
	for _, changed := range []string{strings.Replace(body, "status=S", "status=F", 1), strings.Replace(body, "1%2C250", "9%2C250", 1),
		body + "&status=F", strings.Replace(body, "status=S&", "", 1), strings.Replace(body, "sign=", "sig=", 1)} {
		if rd := g.Read(post(changed)); rd.Verdict != Refused {
			t.Errorf("%s: %s", changed, rd.Verdict)
		}
	}
}

func TestSignatureVariants(t *testing.T) {
	body := `{"id":"1","ref":"A","status":"PAID","amount":1,"currency":"PHP"}`
	key := "00ff10"
	raw := "\x00\xff\x10"
	cases := map[string]struct {
		signature string
		secret    string
		request   Request
	}{
		"sha512 upper hex with prefix": {`hash = "sha512"
encoding = "HEX"
prefix = "sha512="
from = "{header:X-Anet}"`, "s", post(body, "X-Anet", "sha512="+strings.ToUpper(hex512("s", body)))},
		"sha1 base64 in the query": {`hash = "sha1"
encoding = "base64"
from = "{query:sig}"`, "s", func() Request {
			r := post(body)
			r.Target += "?a=1&sig=" + strings.NewReplacer("+", "%2B", "/", "%2F", "=", "%3D").Replace(b64sha1("s", body))
			return r
		}()},
		"hex key": {`hash = "sha256"
encoding = "hex"
key_encoding = "hex"
from = "{header:X-Sig}"`, key, post(body, "X-Sig", hex256(raw, body))},
		"base64 key with prefix": {`hash = "sha256"
encoding = "hex"
key_encoding = "base64"
key_prefix = "whsec_"
from = "{header:X-Sig}"`, "whsec_AP8Q", post(body, "X-Sig", hex256(raw, body))},
		"method, path, header and literals": {`hash = "sha256"
encoding = "hex"
message = "{method} {path}\n{header:X-Client}.{raw_body}{{"
from = "{header:X-Sig}"`, "s", post(body, "X-Client", "c9", "X-Sig", hex256("s", "POST /hooks/gw1\nc9."+body+"{"))},
		"list of signatures": {`hash = "sha256"
encoding = "hex"
prefix = "v1,"
separator = " "
from = "{header:X-Sig}"`, "s", post(body, "X-Sig", "v1,"+hex256("old", body)+" v2,zz v1,"+hex256("s", body))},
		"token": {`from = "{header:X-Token}"`, "tok", post(body, "X-Token", "tok")},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { variantHolds(t, c.signature, c.secret, c.request) })
	}
}

// variantHolds: a signature of a kind is accepted, and refused with another secret or body.
func variantHolds(t *testing.T, signature, secret string, r Request) {
	kind := "hmac"
	if !strings.Contains(signature, "encoding") {
		kind = "static_token"
	}
	definition := "[[signature]]\nkind = \"" + kind + "\"\n" + signature + strings.SplitN(signedJSON, `encoding = "hex"`, 2)[1] + `
[query]
base = { live = "https://pay.example" }
auth = { kind = "none" }
[[query.step]]
by   = "merchant_ref"
path = "/p/{merchant_ref}"
`
	g := custom(t, definition, secret)
	rd := g.Read(r)
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.Hint != (kind == "static_token") {
		t.Errorf("hint %v", o.Hint)
	}
	wantVerdict(t, custom(t, definition, "ab0102").Read(r), Refused, "bad_signature")
	r.Body = append([]byte(nil), r.Body...)
	r.Body[10] ^= 1
	if rd := g.Read(r); kind == "hmac" && rd.Reason != "bad_signature" {
		t.Errorf("changed body: %s", rd.Reason)
	}
}

func TestUnsignedIsAHintAndNeedsAQuery(t *testing.T) {
	unsigned := "[[signature]]\nkind = \"none\"\n" + strings.SplitN(signedJSON, `encoding = "hex"`, 2)[1]
	spec, err := ParseSpec([]byte(unsigned), "custom")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(Instance{Preset: "custom", Mode: "live", Custom: &spec}); err == nil || !strings.Contains(err.Error(), "custom.query: ") {
		t.Errorf("unsigned without a query: %v", err)
	}
	g := custom(t, unsigned+`
[query]
base = { live = "https://pay.example" }
auth = { kind = "none" }
[[query.step]]
by   = "merchant_ref"
path = "/p/{merchant_ref}"
`)
	rd := g.Read(post(`{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP"}`))
	wantVerdict(t, rd, Accepted, "")
	if !only(t, rd).Hint {
		t.Error("an unsigned notice proves nothing")
	}
}

const batch = `
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"

[notice]
items  = "events"
item   = "item"
type   = "type"
dedupe = "id"
ignore = ["report.*"]

[fields]
refs         = [{ kind = "charge", from = "charge" }]
merchant_ref = ["meta.order", "ref"]
amount       = { from = "value", kind = "minor_int", currency = "currency" }
status       = "success"

[[shape]]
when = { "{type}" = "charge.*" }
words = { "true" = "succeeded", "false" = "failed" }

[[shape]]
kind = "refund"
when = { "{type}" = "refund" }
ref  = "refund"
rule = [{ when = { success = "true" }, word = "succeeded" }, { word = "failed" }]

[ack]
status = 202
content_type = "text/plain"
body = "[accepted]"
`

func TestBatch(t *testing.T) {
	g := custom(t, batch, "k1")
	first := `{"item":{"id":"1","type":"charge.new","charge":"c1","meta":{"order":"O-1"},"value":500,"currency":"PHP","success":true}}`
	body := `{"events":[` + first + `,
 {"item":{"id":"2","type":"charge.new","charge":"c2","ref":"O-2","value":5.5,"currency":"PHP","success":"true"}},
 {"item":{"id":"3","type":"report.ready"}}, {"other":1}, 7,
 {"item":{"id":"6","type":"refund","charge":"c1","refund":"r1","value":100,"currency":"PHP","success":false}}]}`
	rd := g.Read(signed("k1", body))
	wantVerdict(t, rd, Accepted, "")
	wantAck(t, rd.Ack, 202, "text/plain", "[accepted]")
	if len(rd.Observations) != 6 {
		t.Fatalf("%d observations, want 6", len(rd.Observations))
	}
	want := []struct{ verdict, reason, key string }{{Accepted, "", "1"}, {Unreadable, "amount_unreadable", "2"}, {Ignored, "not_concerned", "3"},
		{Unreadable, "items_unreadable", ""}, {Unreadable, "items_unreadable", ""}, {Accepted, "", "6"}}
	for i, w := range want {
		o := rd.Observations[i]
		if o.Verdict != w.verdict || o.Reason != w.reason || w.key != "" && o.DedupeKey != w.key {
			t.Errorf("item %d: %s %s %q, want %+v", i, o.Verdict, o.Reason, o.DedupeKey, w)
		}
	}
	o := rd.Observations[0]
	if string(o.Item) != first || o.Digest != sha256.Sum256([]byte(first)) || o.MerchantRef != "O-1" || o.Word != payment.WordSucceeded || o.AmountMinor != 500 {
		t.Errorf("first item %+v", o)
	}
	seven := sha256.Sum256([]byte("7"))
	if got := rd.Observations[4].DedupeKey; got != "sha256:"+hex.EncodeToString(seven[:]) {
		t.Errorf("item without id is known as %q", got)
	}
	if o := rd.Observations[5]; o.Kind != KindRefund || o.Status != "failed" || o.RefundRef != "r1" || o.Refs[0] != (Ref{"charge", "c1"}) {
		t.Errorf("refund %+v", o)
	}
	wantVerdict(t, g.Read(signed("k1", `{"events":[]}`)), Ignored, "not_concerned")
	wantVerdict(t, g.Read(signed("k1", `{"events":{}}`)), Unreadable, "items_unreadable")
	wantVerdict(t, g.Read(signed("k1", `[]`)), Unreadable, "items_unreadable")
}

func TestTimestampFlagged(t *testing.T) {
	g := custom(t, strings.Replace(signedJSON, `encoding = "hex"`, `encoding = "hex"
message = "{header:X-Time}{raw_body}"
timestamp = { from = "{header:X-Time}", unit = "ms", tolerance = "5m", policy = "flag" }`, 1), "k1")
	body := `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP"}`
	at := "1930612140000" // six minutes before the arrival
	rd := g.Read(post(body, "X-Time", at, "X-Sig", hex256("k1", at+body)))
	wantVerdict(t, rd, Accepted, "stale_timestamp")
	if rd.SkewMs != -360_000 || rd.Detail == "" {
		t.Errorf("skew %d, %q", rd.SkewMs, rd.Detail)
	}
}

func TestChallenge(t *testing.T) {
	g := custom(t, signedJSON+"\n[challenge]\nkind = \"echo\"\nparam = \"c\"\n", "k1")
	rd := g.Read(Request{Method: "GET", Target: "/hooks/gw1?c=a%2Bb&d=1", At: arrival})
	wantVerdict(t, rd, Challenged, "")
	wantAck(t, rd.Ack, 200, "text/plain; charset=utf-8", "a+b")
	g = custom(t, signedJSON+"\n[challenge]\nkind = \"fixed\"\nbody = '{\"Key\":\"VK-55\"}'\ncontent_type = \"application/json\"\n", "k1")
	rd = g.Read(Request{Method: "GET", Target: "/hooks/gw1", At: arrival})
	wantVerdict(t, rd, Challenged, "")
	wantAck(t, rd.Ack, 200, "application/json", `{"Key":"VK-55"}`)
}

func TestAckPerOutcome(t *testing.T) {
	g := custom(t, signedJSON+`
[ack]
status = 204
[ack.duplicate]
status = 200
body = "again"
[ack.refused]
status = 498
body = '{"code":"FAIL"}'
content_type = "application/json"
[ack.busy]
header = { Retry-After = "30" }
`, "k1")
	wantAck(t, g.Ack(OutcomeStored), 204, "", "")
	wantAck(t, g.Ack(OutcomeDuplicate), 200, "text/plain; charset=utf-8", "again")
	wantAck(t, g.Ack(OutcomeRefused), 498, "application/json", `{"code":"FAIL"}`)
	if a := g.Ack(OutcomeBusy); a.Status != 503 || a.Header.Get("Retry-After") != "30" || len(a.Body) != 0 {
		t.Errorf("busy %+v", a)
	}
}

func TestFormInsideForm(t *testing.T) {
	g := custom(t, `
[[envelope]]
kind = "form"
[[envelope]]
kind = "json"
from = "payload"
`+signedJSON, "k1")
	body := "v=1&payload=%7B%22id%22%3A%221%22%2C%22ref%22%3A%22A%22%2C%22status%22%3A%22WAIT%22%7D"
	rd := g.Read(signed("k1", body))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.MerchantRef != "A" || o.Word != payment.WordPending || o.HasAmount {
		t.Errorf("%+v", o)
	}
	wantVerdict(t, g.Read(signed("k1", "v=1")), Unreadable, "body_unreadable")
}
