package gateway

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"nodrop/app/payment"
)

// A ping at registration is refused like any forgery: nothing proves it. Were it proved, its empty status would be no success.
func TestPingAtRegistration(t *testing.T) {
	g := custom(t, `
[[signature]]
kind     = "hmac"
hash     = "sha256"
message  = "{field:tid}{field:amount}"
from     = "{field:signature}"
encoding = "hex"
covers   = ["status", "amount", "reference"]
[notice]
dedupe = "{field:tid}:{field:status}"
[fields]
merchant_ref = "orderId"
status       = "status"
words        = { paid = "succeeded" }
amount       = { from = "amount", kind = "minor_int", fixed = "KRW" }
`, "merchant-key")
	ping := func(signature string) Reading {
		return g.Read(post(`{"tid":"T0001","orderId":"203103072226","amount":7700,"signature":"` + signature + `","resultCode":"0000","status":"","payMethod":""}`))
	}
	rd := ping("0a1b" + strings.Repeat("0", 60))
	if wantVerdict(t, rd, Refused, "bad_signature"); rd.Ack.Status != 401 || len(rd.Observations) != 0 {
		t.Errorf("status %d, %d observations", rd.Ack.Status, len(rd.Observations))
	}
	if o := only(t, ping(hex256("merchant-key", "T00017700"))); o.Verdict != Unreadable || o.Word == payment.WordSucceeded {
		t.Errorf("an empty status is %s, %q", o.Verdict, o.Word)
	}
}

// certificateOf is a self-signed certificate with a serial number and a time.
func certificateOf(t *testing.T, k *rsa.PrivateKey, serial int64, name string, from, until time.Time) string {
	t.Helper()
	c := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: from, NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

const bySerial = `
[[signature]]
kind     = "rsa"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "base64"
key_id   = "{header:Serial}"
`

func TestCertificateOfTheOldKey(t *testing.T) {
	day := func(h, m, s int) time.Time { return time.Date(2031, 3, 7, h, m, s, 0, time.UTC) }
	a, _ := newKey(t)
	b, _ := newKey(t)
	g := withKeys(t, bySerial, certificateOf(t, a, 0xA1, "gateway", day(0, 0, 0).AddDate(-1, 0, 0), day(12, 0, 0)),
		certificateOf(t, b, 0xB2, "gateway", day(10, 0, 0), day(0, 0, 0).AddDate(1, 0, 0)))
	for _, c := range []struct {
		at      time.Time
		serial  string
		key     *rsa.PrivateKey
		verdict string
		number  int
	}{
		{day(10, 3, 0), "A1", a, Accepted, 0},
		{day(10, 3, 0), "B2", b, Accepted, 1},
		{day(11, 59, 59), "A1", a, Accepted, 0},
		{day(12, 0, 1), "A1", a, Refused, -1},
		{day(12, 0, 1), "B2", b, Accepted, 1},
		{day(9, 59, 0), "B2", b, Refused, -1},
	} {
		r := post(kindBody, "X-Sig", signRSA(t, c.key, kindBody), "Serial", c.serial)
		r.At = c.at
		if rd := g.Read(r); rd.Verdict != c.verdict || rd.Secret != c.number {
			t.Errorf("%s by %s: %s by key %d (%s), want %s by %d", c.at, c.serial, rd.Verdict, rd.Secret, rd.Reason, c.verdict, c.number)
		}
	}
}

func TestOwnCertificateInPlaceOfTheGateways(t *testing.T) {
	own, _ := newKey(t)
	theirs, _ := newKey(t)
	g := withKeys(t, bySerial, certificateOf(t, own, 0x11AA, "merchant 1900000001", arrival.AddDate(-1, 0, 0), arrival.AddDate(1, 0, 0)))
	rd := g.Read(post(kindBody, "X-Sig", signRSA(t, theirs, kindBody), "Serial", "58AA"))
	if wantVerdict(t, rd, Refused, "key_unknown"); !strings.Contains(rd.Detail, "58AA") || rd.Ack.Status != 401 {
		t.Errorf("%d, %q", rd.Ack.Status, rd.Detail)
	}
}

// The digest covers the values as they were decoded, in whatever charset; no text is needed to know what happened.
func TestFormInGBK(t *testing.T) {
	g := custom(t, `
[[envelope]]
kind = "form"
[[signature]]
kind     = "hmac"
hash     = "sha256"
sorted   = { leave = ["sign"] }
from     = "{field:sign}"
encoding = "hex"
covers   = ["status", "amount", "reference"]
[notice]
dedupe = "{field:out_trade_no}:{field:trade_status}"
[fields]
merchant_ref = "out_trade_no"
status       = "trade_status"
words        = { TRADE_SUCCESS = "succeeded" }
amount       = { from = "total_amount", kind = "decimal_string", fixed = "CNY" }
`, "k")
	const form = "charset=GBK&out_trade_no=M-88&subject=%B2%E2%CA%D4&total_amount=1.00&trade_status=TRADE_SUCCESS&sign="
	signed := func(subject string) string {
		return hex256("k", "charset=GBK&out_trade_no=M-88&subject="+subject+"&total_amount=1.00&trade_status=TRADE_SUCCESS")
	}
	rd := g.Read(post(form + signed("\xb2\xe2\xca\xd4")))
	wantVerdict(t, rd, Accepted, "")
	o := only(t, rd)
	if o.Word != payment.WordSucceeded || o.MerchantRef != "M-88" || o.AmountMinor != 100 || o.Currency != "CNY" || o.Hint {
		t.Errorf("%+v", o)
	}
	if !strings.Contains(string(o.Item), "%B2%E2%CA%D4") {
		t.Errorf("the text is kept as %s", o.Item)
	}
	wantVerdict(t, g.Read(post(form+signed("测试"))), Refused, "bad_signature") // written anew in UTF-8
}

// No gateway here wants its notice sent back; what an echo would need, the bytes as they came, is kept.
func TestForeignEscapesStayAsTheyCame(t *testing.T) {
	const body = "address_name=Eva%20Nov%u00e1kov%u00e1&mc_gross=12.00&txn_id=T9&mc_currency=USD&payment_status=Completed"
	g := custom(t, mcForm, "k")
	rd := g.Read(signed("k", body))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.AmountMinor != 1200 || o.Currency != "USD" || string(o.Item) != body {
		t.Errorf("%d %s, kept %s", o.AmountMinor, o.Currency, o.Item)
	}
	again := strings.ReplaceAll(body, "%u", "%25u")
	wantVerdict(t, g.Read(post(again, "X-Sig", hex256("k", body))), Refused, "bad_signature")
}

func TestNewValuesAndFieldsThatNobodyNeeds(t *testing.T) {
	definition := strings.Replace(caseBase, `words        = { paid = "succeeded" }`, `words        = { paid = "succeeded", failed = "failed" }
merchant_ref = "ref"`, 1)
	const body = `{"id":"ev_3","status":"failed","reason":"notPermittedAnyMore","ref":"ORD-2","amount":500,"currency":"EUR","newBlock":{"x":[1,2]}}`
	rd := custom(t, definition, "k").Read(signed("k", body))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.Word != payment.WordFailed || o.MerchantRef != "ORD-2" || o.AmountMinor != 500 || string(o.Item) != body {
		t.Errorf("%+v", o)
	}
}

const twoForms = `
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"
[notice]
dedupe = "{field:type}:{field:id}"
[fields]
refs   = [{ kind = "payment", from = "id" }]
status = "status"
rule   = [{ when = { type = "payment_captured" }, word = "succeeded" }]
words  = { Captured = "succeeded", Declined = "failed" }
amount = { from = "amount", kind = "minor_int", fixed = "EUR" }
[query]
base = { live = "https://pay.example" }
auth = { kind = "none" }
[[query.step]]
by   = "ref"
ref  = "payment"
path = "/payments/{id}"
`

func TestNoticeAndAnswerInTwoForms(t *testing.T) {
	s := simulate(t, canned(200, `{"id":"pay_5","status":"Captured","amount":500}`))
	in := customInstance(t, twoForms, "k")
	in.BaseURL = s.URL
	g := mustNew(t, in)
	rd := g.Read(signed("k", `{"type":"payment_captured","id":"pay_5","amount":500}`))
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.Word != payment.WordSucceeded {
		t.Errorf("the notice says %q", o.Word)
	}
	q := Question{PaymentID: "1-1", MerchantRef: "ORD-5", Currency: "EUR", Amount: 500, Refs: []Ref{{"payment", "pay_5"}}}
	a := g.Query(context.Background(), http.DefaultClient, q, fixed)
	if o := only(t, g.ReadAnswer(q, a)); a.Class != ClassAnswered || o.Word != payment.WordSucceeded {
		t.Errorf("the answer is %s and says %q", a.Class, o.Word)
	}
	for _, body := range []string{`{"type":"other","id":"pay_5","amount":500}`, `{"type":"other","id":"pay_5","amount":500,"status":null}`} {
		if o := only(t, g.Read(signed("k", body))); o.Verdict != Unreadable || o.Word == payment.WordFailed {
			t.Errorf("without a status: %s, %q", o.Verdict, o.Word)
		}
	}
}

// A table of words is the gateway's own: a spelling with a blank stands in it like any other, and what does not is unknown.
func TestSpellingsOfAStatus(t *testing.T) {
	g := custom(t, strings.Replace(caseBase, `words        = { paid = "succeeded" }`, `fold_case    = true
words        = { paid = "succeeded", "paid " = "succeeded", "retry scheduled" = "pending", canceled = "failed", cancelled = "failed" }`, 1), "k")
	for status, want := range map[string]payment.Word{
		"PAID": payment.WordSucceeded, "Paid ": payment.WordSucceeded, "paid": payment.WordSucceeded, "Retry Scheduled": payment.WordPending,
		"canceled": payment.WordFailed, "cancelled": payment.WordFailed, "CANCELLED": payment.WordFailed,
	} {
		rd := g.Read(signed("k", `{"id":"1","status":"`+status+`","amount":1,"currency":"PHP"}`))
		if o := only(t, rd); rd.Verdict != Accepted || o.Word != want {
			t.Errorf("%q: %s, %q, want %q", status, rd.Verdict, o.Word, want)
		}
	}
	for _, status := range []string{"None", "none", "NONE", "paid\t", "unpaid"} {
		rd := g.Read(signed("k", `{"id":"1","status":"`+strings.ReplaceAll(status, "\t", `\t`)+`","amount":1,"currency":"PHP"}`))
		if o := only(t, rd); o.Reason != "unmapped_word" || o.Word == payment.WordFailed || o.Word == payment.WordSucceeded {
			t.Errorf("%q is %q: %s (%s)", status, o.Word, rd.Verdict, rd.Reason)
		}
	}
}
