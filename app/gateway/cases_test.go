package gateway

import (
	"strings"
	"testing"
	"time"

	"nodrop/app/payment"
)

// The digests and bodies in this file come from public reports of faults in other
// receivers, with invented values; each stands for a kind of fault.

const caseBase = `
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"

[notice]
dedupe = "id"

[fields]
refs         = [{ kind = "event", from = "id" }]
status       = "status"
words        = { paid = "succeeded" }
rule         = [{ when = { status = "" }, word = "pending" }]
amount       = { from = "amount", kind = "minor_int", currency = "currency" }

[ack]
body         = "success"
content_type = "text/plain"
`

func TestSignedBytesAreTheRawOnes(t *testing.T) {
	g := custom(t, caseBase, "k1-alpha")
	body := "{\"id\":\"ev_1001\", \"amount\":12500,\n \"currency\":\"PHP\"}"
	const sig = "d70f9944a837d3f8e83963a12cf3ac7e29b240317e3ac219218d303534eab25a"
	rd := g.Read(post(body, "X-Sig", sig))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); len(o.Item) != 51 || string(o.Item) != body || o.AmountMinor != 12500 {
		t.Errorf("item of %d bytes, amount %d", len(o.Item), o.AmountMinor)
	}
	wantVerdict(t, g.Read(post(`{"id":"ev_1001","amount":12500,"currency":"PHP"}`, "X-Sig", sig)), Refused, "bad_signature")
}

func TestEscapesStayAsTheyCame(t *testing.T) {
	definition := strings.Replace(caseBase, `amount       = { from = "amount", kind = "minor_int", currency = "currency" }`,
		`merchant_ref = "note"
amount       = { from = "amount", kind = "minor_int", fixed = "PHP" }`, 1)
	body := `{"id":"ev_1002","note":"A\/B \"gift\" \u00e9","amount":500}`
	rd := custom(t, definition, "k1-alpha").Read(post(body, "X-Sig", "c544d67f6feca77a1accf85f6578f78ed8f1599f498130033e90dab1c1ce77d2"))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.MerchantRef != `A/B "gift" é` || string(o.Item) != body {
		t.Errorf("note %q, item %s", o.MerchantRef, o.Item)
	}
}

func TestJoinedFieldsHoldTheSeparator(t *testing.T) {
	g := custom(t, `
[[signature]]
kind     = "hmac"
hash     = "sha256"
message  = "{field:psp}:{field:original}:{field:account}:{field:ref}:{field:value}:{field:currency}:{field:code}:{field:success}"
from     = "{field:sig}"
encoding = "hex"
covers   = ["status", "amount", "currency", "reference"]

[notice]
dedupe = "{field:code}:{field:psp}:{field:success}"

[fields]
merchant_ref = "ref"
account      = "account"
status       = "success"
words        = { "true" = "authorised", "false" = "failed" }
amount       = { from = "value", kind = "minor_int", currency = "currency" }
`, "k1-alpha")
	body := `{"psp":"psp-77","original":"","account":"SHOP1","ref":"07-03-2031-09:15:00","value":8125,"currency":"DKK","code":"AUTHORISATION","success":false,"sig":"59816208d23d48995f049bdaff2285dba23da2b2a3cbf3dddf9454c41b745568"}`
	rd := g.Read(post(body))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.MerchantRef != "07-03-2031-09:15:00" || o.AmountMinor != 8125 || o.Word != payment.WordFailed || o.Hint {
		t.Errorf("%+v", o)
	}
	shifted := strings.Replace(strings.Replace(body, `"account":"SHOP1"`, `"account":"SHOP1:07-03-2031-09"`, 1), `"ref":"07-03-2031-09:15:00"`, `"ref":"15:00"`, 1)
	if o := only(t, g.Read(post(shifted))); o.Account != "SHOP1:07-03-2031-09" || o.MerchantRef != "15:00" {
		t.Errorf("the shifted border shows in the references: %+v", o)
	}
	ours := customInstance(t, "[[signature]]\nkind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"\nfrom = \"{header:X-Sig}\"\n[notice]\ndedupe = \"id\"\n[fields]\nmerchant_ref = \"ref\"\naccount = \"account\"\nstatus = \"status\"\nwords = { paid = \"succeeded\" }\namount = { from = \"value\", kind = \"minor_int\", fixed = \"DKK\" }\n", "k")
	ours.Account = "SHOP1"
	moved := `{"id":"1","account":"SHOP1:07","ref":"15:00","status":"paid","value":1}`
	wantVerdict(t, mustNew(t, ours).Read(signed("k", moved)), Ignored, "not_ours")
}

func TestNoSecretFailsClosed(t *testing.T) {
	body := `{"id":"ev_9","ref":"ORD-77","status":"paid","amount":10000,"currency":"MYR"}`
	for _, secrets := range [][]string{nil, {""}} {
		g := custom(t, caseBase, secrets...)
		for _, r := range []Request{post(body), signed("", body), post(body, "X-Sig", "")} {
			rd := g.Read(r)
			wantVerdict(t, rd, Refused, "no_secret")
			if len(rd.Observations) != 0 || rd.Ack.Status != 401 {
				t.Errorf("%d observations, status %d", len(rd.Observations), rd.Ack.Status)
			}
		}
		if w := g.Warnings(); len(w) == 0 || !strings.HasPrefix(w[0].Path, "webhook_secrets") {
			t.Errorf("warnings %v", w)
		}
	}
	g := custom(t, caseBase, "api-key-XYZ")
	wantVerdict(t, g.Read(signed("hook-secret-1", body)), Refused, "bad_signature")
	both := custom(t, caseBase, "api-key-XYZ", "hook-secret-1")
	if rd := both.Read(signed("hook-secret-1", body)); rd.Verdict != Accepted || rd.Secret != 1 {
		t.Errorf("%s by secret %d, want the second", rd.Verdict, rd.Secret)
	}
}

func TestMissingHeaderIsItsOwnReason(t *testing.T) {
	g := custom(t, caseBase, "k1-alpha")
	body := `{"event":"payment.authorised","id":"pay_31","amount":43100,"currency":"INR"}`
	missing, mismatch := g.Read(post(body, "Content-Type", "application/json")), g.Read(post(body, "X-Sig", hex256("x", body)))
	wantVerdict(t, missing, Refused, "no_signature")
	wantVerdict(t, mismatch, Refused, "bad_signature")
}

func TestRefusalIsRepeatable(t *testing.T) {
	g := custom(t, caseBase, "k1-alpha")
	body := `{"id":"ev_1","amount":1,"currency":"PHP"}`
	for range 100 {
		rd := g.Read(post(body, "X-Sig", strings.Repeat("0", 64)))
		if rd.Verdict != Refused || rd.Ack.Status != 401 || string(rd.Ack.Body) != "refused" {
			t.Fatalf("%s %d", rd.Verdict, rd.Ack.Status)
		}
	}
	wantVerdict(t, g.Read(signed("k1-alpha", body)), Accepted, "")
}

const stamped = `
[[signature]]
kind      = "hmac"
hash      = "sha256"
message   = "{sig:t}.{raw_body}"
from      = "{header:X-Sig}"
name      = "v1"
encoding  = "hex"
timestamp = { from = "{sig:t}", tolerance = "300s" }

[notice]
dedupe = "id"

[fields]
refs   = [{ kind = "event", from = "id" }]
rule   = [{ word = "pending" }]
amount = { from = "amount", kind = "minor_int", fixed = "PHP" }
`

func TestOurClockIsFast(t *testing.T) {
	g := custom(t, stamped, "k1-alpha")
	r := post(`{"id":"ev_7"}`, "X-Sig", "t=1930000000,v1=331e895bfbf1439bfbc45bf7c9b1a030f95bbd208a0e97ef66610cd8c79df147")
	r.At = time.Unix(1930000420, 0)
	rd := g.Read(r)
	wantVerdict(t, rd, Refused, "stale_timestamp")
	if rd.SkewMs != -420_000 || !strings.Contains(rd.Detail, "420 s") || !strings.Contains(rd.Detail, "clock") {
		t.Errorf("skew %d, %q", rd.SkewMs, rd.Detail)
	}
	r.At = time.Unix(1930000000, 0)
	wantVerdict(t, g.Read(r), Accepted, "")
}

func TestDeliveryDelayedByNineMinutes(t *testing.T) {
	body := `{"id":"ev_8","amount":450000}`
	rd := custom(t, stamped, "k").Read(post(body, "X-Sig", "t=1930611960,v1="+hex256("k", "1930611960."+body)))
	wantVerdict(t, rd, Refused, "stale_timestamp")
	if rd.SkewMs != -540_000 {
		t.Errorf("skew %d", rd.SkewMs)
	}
}

func TestRotation(t *testing.T) {
	spec, err := ParseSpec([]byte(stamped), "custom")
	if err != nil {
		t.Fatal(err)
	}
	end := arrival.Add(6 * time.Hour)
	g := mustNew(t, Instance{Preset: "custom", Mode: "live", Custom: &spec, Secrets: []Secret{{Value: "k-old", Until: end}, {Value: "k-new"}, {Value: "k-next", NotBefore: end}}})
	body := `{"id":"ev_1"}`
	at := func(when time.Time, secrets ...string) Reading {
		ts := itoa(int(when.Unix()))
		header := "t=" + ts
		for _, s := range secrets {
			header += ",v1=" + hex256(s, ts+"."+body)
		}
		r := post(body, "X-Sig", header)
		r.At = when
		return g.Read(r)
	}
	for _, c := range []struct {
		name    string
		rd      Reading
		verdict string
		secret  int
	}{
		{"both, old first", at(arrival, "k-old", "k-new"), Accepted, 0},
		{"both, new first", at(arrival, "k-new", "k-old"), Accepted, 0},
		{"old alone in time", at(end.Add(-time.Second), "k-old"), Accepted, 0},
		{"old alone at its end", at(end, "k-old"), Refused, -1},
		{"new alone", at(end, "k-new"), Accepted, 1},
		{"next before its time", at(arrival, "k-next"), Refused, -1},
		{"next in its time", at(end, "k-next"), Accepted, 2},
		{"strange", at(arrival, "k-strange", "k-stranger"), Refused, -1},
	} {
		if c.rd.Verdict != c.verdict || c.rd.Secret != c.secret {
			t.Errorf("%s: %s by secret %d, want %s by %d", c.name, c.rd.Verdict, c.rd.Secret, c.verdict, c.secret)
		}
	}
}

func TestAcknowledgementIsExact(t *testing.T) {
	rd := custom(t, caseBase, "k").Read(signed("k", `{"id":"1","amount":1,"currency":"CNY"}`))
	if want := []byte{0x73, 0x75, 0x63, 0x63, 0x65, 0x73, 0x73}; string(rd.Ack.Body) != string(want) || rd.Ack.ContentType != "text/plain" || len(rd.Ack.Header) != 0 {
		t.Errorf("%x %q %v", rd.Ack.Body, rd.Ack.ContentType, rd.Ack.Header)
	}
}

func TestJunkBodies(t *testing.T) {
	g := custom(t, caseBase, "k")
	for _, body := range []string{"", "null", "[]", "{", `{"resource":null}`, "\x00\xff", `{"a":1}{"b":2}`, strings.Repeat("[", 200), strings.Repeat("[", 2_000_000),
		"7", `"x"`, "{}", `{"id":{}}`, `{"id":["1"]}`, "\xff\xfe{\x00}\x00"} {
		wantVerdict(t, g.Read(post(body, "X-Sig", hex256("other", body))), Refused, "bad_signature")
		rd := g.Read(signed("k", body))
		if rd.Verdict != Unreadable || rd.Ack.Status != 200 || rd.Reason == "" || rd.Detail == "" {
			t.Errorf("%.20q: %s %s %q", body, rd.Verdict, rd.Reason, rd.Detail)
		}
		if o := only(t, rd); o.Verdict != Unreadable || o.DedupeKey == "" {
			t.Errorf("%.20q: %+v", body, o)
		}
	}
}

const mcForm = `
[[envelope]]
kind = "form"
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"
[notice]
dedupe = "txn_id"
[fields]
refs   = [{ kind = "payment", from = "txn_id" }]
status = "payment_status"
words  = { Completed = "succeeded" }
amount = { from = "mc_gross", kind = "decimal_string", currency = "mc_currency" }
`

func TestOtherCharsets(t *testing.T) {
	g := custom(t, mcForm, "k")
	rd := g.Read(signed("k", "charset=x-unknown&item_name=%FF%FE&note=%u00e1&mc_gross=49.00&mc_currency=USD&payment_status=Completed&txn_id=T9"))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.AmountMinor != 4900 || o.Currency != "USD" || !o.HasAmount {
		t.Errorf("%+v", o)
	}
	for _, gross := range []string{"", "%FF", "%u0034", "49%2C00", "49.001"} {
		rd := g.Read(signed("k", "mc_gross="+gross+"&mc_currency=USD&payment_status=Completed&txn_id=T9"))
		if o := only(t, rd); rd.Verdict != Unreadable || !strings.HasPrefix(rd.Reason, "amount_") || o.HasAmount {
			t.Errorf("gross %q: %s %s", gross, rd.Verdict, rd.Reason)
		}
	}
}

func TestFormIsDecodedOnce(t *testing.T) {
	d, err := parseForm([]byte("subject=Member%2B%2520Gold&out_trade_no=M-91&total_amount=8.00&sign=ab%2Bcd%3D"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"subject": "Member+%20Gold", "sign": "ab+cd=", "total_amount": "8.00"} {
		p, _ := compilePath(name)
		if got := d.at(0, &p); got.text != want || got.kind != text {
			t.Errorf("%s = %q, want %q", name, got.text, want)
		}
	}
}
