package gateway

import (
	"crypto/sha512"
	"encoding/hex"
	"testing"
	"time"

	"nodrop/app/payment"
)

// amountOf reads one amount, written as JSON, with a definition that expects amounts of a kind.
func amountOf(t *testing.T, kind, text string) Observation {
	t.Helper()
	definition := `
[[signature]]
kind = "hmac"
hash = "sha256"
encoding = "hex"
from = "{header:X-Sig}"
[notice]
dedupe = "id"
[fields]
merchant_ref = "ref"
status = "status"
words = { paid = "succeeded" }
amount = { from = "amount", kind = "` + kind + `", fixed = "EUR" }
`
	body := `{"id":"1","ref":"A","status":"paid","amount":` + text + `}`
	rd := custom(t, definition, "k").Read(signed("k", body))
	wantVerdict(t, rd, Accepted, "")
	return only(t, rd)
}

func TestCasesOfDecimalAmounts(t *testing.T) {
	t.Run("R-102 decimals that floats distort", func(t *testing.T) {
		for text, minor := range map[string]int64{"4.35": 435, "1.15": 115, "64.10": 6410, "0.57": 57, "19.99": 1999, "9.95": 995, "263.90": 26390} {
			if o := amountOf(t, "decimal_string", `"`+text+`"`); o.AmountMinor != minor {
				t.Errorf("the text %s is %d, want %d", text, o.AmountMinor, minor)
			}
			if o := amountOf(t, "decimal_number", text); o.AmountMinor != minor {
				t.Errorf("the number %s is %d, want %d", text, o.AmountMinor, minor)
			}
		}
	})
	t.Run("R-104 gross and fee that floats distort", func(t *testing.T) {
		gross, fee := amountOf(t, "decimal_string", `"37.45"`), amountOf(t, "decimal_number", "0.28")
		if gross.AmountMinor != 3745 || fee.AmountMinor != 28 || gross.AmountMinor-fee.AmountMinor != 3717 {
			t.Errorf("gross %d, fee %d; want 3745 and 28", gross.AmountMinor, fee.AmountMinor)
		}
	})
}

func TestCaseOfAnAmountThatIsSignedAsText(t *testing.T) {
	const key = "SB-server-key"
	notice := func(signedAmount string) Reading {
		sum := sha512.Sum512([]byte("BK-61" + "200" + signedAmount + key))
		body := `{"order_id":"BK-61","transaction_id":"tx-61","merchant_id":"G1","status_code":"200","gross_amount":"98000.00","transaction_status":"settlement",` +
			`"fraud_status":"accept","currency":"IDR","settlement_time":"2031-12-02 00:41:09","signature_key":"` + hex.EncodeToString(sum[:]) + `"}`
		g := mustNew(t, Instance{Name: "m", Preset: "midtrans", Mode: "test", APIKey: key, Secrets: []Secret{{Value: key}}})
		r := post(body)
		r.At = time.Date(2031, 12, 1, 18, 0, 0, 0, time.UTC)
		return g.Read(r)
	}
	t.Run("R-112 the amount as it was written is what is signed", func(t *testing.T) {
		rd := notice("98000.00")
		wantVerdict(t, rd, Accepted, "")
		o := only(t, rd)
		if o.Word != payment.WordSucceeded || o.MerchantRef != "BK-61" || payment.FormatAmount(o.AmountMinor, o.Currency) != "98000.00" || o.Currency != "IDR" {
			t.Errorf("%+v", o)
		}
		if want := time.Date(2031, 12, 1, 17, 41, 9, 0, time.UTC); !o.OccurredAt.Equal(want) {
			t.Errorf("occurred at %v, want %v", o.OccurredAt, want)
		}
		wantVerdict(t, notice("98000"), Refused, "bad_signature")
	})
}
