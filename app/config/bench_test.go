package config

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"os"
	"testing"
	"time"

	"nodrop/app/gateway"
)

// TestBenchConfiguration reads the shipped file and lets its gateway take a notice as
// the load generator posts it.
func TestBenchConfiguration(t *testing.T) {
	const path = "../../testdata/bench.toml"
	c, err := Load(path, Env{ReadFile: os.ReadFile, Getenv: os.LookupEnv})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "addresses", []string{c.Public.Listen, c.Private.Listen, c.Data}, []string{"127.0.0.1:8080", "127.0.0.1:8081", "nodrop.db"})
	equal(t, "gateway", c.Gateways[0].Name, "smartpay")
	g, err := gateway.New(c.Gateways[0].Instance())
	if err != nil {
		t.Fatal(err)
	}
	body := `{"gateway_ref":"G1","merchant_ref":"ORDER_G1","status":"SUCCESS","amount":"1250.00","currency":"PHP",` +
		`"merchant_id":"M_BENCH","paid_at":"2026-11-30T08:00:00+08:00","payer":{"channel":"GCASH"},"remark":"x"}`
	mac := hmac.New(sha256.New, []byte("bench-secret"))
	mac.Write([]byte(body))
	r := gateway.Request{Method: "POST", Target: "/hooks/smartpay", Body: []byte(body), At: time.Unix(1796000000, 0),
		Header: http.Header{"X-Signature": {hex.EncodeToString(mac.Sum(nil))}, "Content-Type": {"application/json"}}}

	got := g.Read(r)
	if got.Verdict != "accepted" || len(got.Observations) != 1 {
		t.Fatalf("reading = %+v, want one accepted observation", got)
	}
	equal(t, "acknowledgement", []any{got.Ack.Status, string(got.Ack.Body)}, []any{200, "SUCCESS"})
	o := got.Observations[0]
	equal(t, "observation", []any{string(o.Word), o.MerchantRef, o.AmountMinor, o.Currency, o.DedupeKey, o.Hint},
		[]any{"succeeded", "ORDER_G1", int64(125000), "PHP", "G1:SUCCESS", false})
	equal(t, "occurred", o.OccurredAt.Equal(time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)), true)

	r.Body[len(r.Body)-3] = 'y'
	equal(t, "changed body", g.Read(r).Verdict, "refused")
}
