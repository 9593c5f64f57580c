package gateway

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseCapture(t *testing.T) {
	body := "{\"a\":1}\r\n\r\n{\n"
	for name, head := range map[string]string{
		"LF":         "POST /hooks/x?a=1 HTTP/1.1\nHost: shop.example\nX-Sig: a: b\nX-Two: 1\nx-two: 2\n\n",
		"CRLF":       "POST /hooks/x?a=1 HTTP/1.1\r\nHost: shop.example\r\nX-Sig:  a: b \r\nX-Two: 1\r\nx-two: 2\r\n\r\n",
		"proxy":      "POST https://shop.example/hooks/x?a=1 HTTP/1.1\nX-Sig: a: b\nX-Two: 1\nX-Two: 2\n\n",
		"no version": "POST /hooks/x?a=1\nX-Sig:a: b\nX-Two: 1\nX-Two: 2\n\n",
	} {
		r, err := ParseCapture([]byte(head+body), arrival)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Method != "POST" || r.Target != "/hooks/x?a=1" || string(r.Body) != body || r.Header.Get("x-sig") != "a: b" || strings.Join(r.Header.Values("X-Two"), ",") != "1,2" || !r.At.Equal(arrival) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, bad := range []string{"", "POST", "POST\n\n", "post /x HTTP/1.1\n\n", "POST x HTTP/1.1\n\n", "POST /x HTTP/1.1", "POST /x HTTP/1.1\nA: b\n", "POST /x HTTP/1.1\nno header\n\nbody",
		"POST /x HTTP/1.1\n: b\n\n", "POST /x HTTP/1.1\nA b: c\n\n", "{\"a\":1}", "POST /x HTTP/1.1 more\n\n"} {
		if _, err := ParseCapture([]byte(bad), arrival); err == nil || !strings.Contains(err.Error(), "capture") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestExplain(t *testing.T) {
	capture := "POST /hooks/smartpay HTTP/1.1\nContent-Type: application/json\nX-Signature: " + hex256("bench-secret", smartpayBody) + "\n\n" + smartpayBody
	r, err := ParseCapture([]byte(capture), arrival)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(Explain(smartpay(t), r))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"verdict":"accepted","reason":"","ack":{"status":200,"content_type":"text/plain; charset=utf-8","body":"SUCCESS"},` +
		`"observations":[{"verdict":"accepted","dedupe_key":"G1:SUCCESS","kind":"payment","word":"succeeded","gateway_refs":[{"kind":"payment","id":"G1"}],"merchant_ref":"ORDER_G1",` +
		`"amount":"1250.00","amount_minor":125000,"currency":"PHP","merchant_account":"M_BENCH","occurred_at":"2026-11-30T00:00:00Z","confirm_by_query":false}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r.Body = append(r.Body, ' ')
	got, err = json.Marshal(Explain(smartpay(t), r))
	if err != nil || string(got) != `{"verdict":"refused","reason":"bad_signature","ack":{"status":401,"content_type":"text/plain; charset=utf-8","body":"refused"},"observations":[]}` {
		t.Errorf("%s %v", got, err)
	}
}

func TestExplainRefundWithoutPaymentAmount(t *testing.T) {
	g := sandbox(t, "s")
	body := `{"id":"evt_2","type":"refund","livemode":false,"created":"x","data":{"id":"re_1","payment":"sbx_1","status":"pending","amount":"1.00","currency":"PHP"}}`
	o := Explain(g, sandboxNotice("s", body, arrival)).Observations[0]
	if o.Kind != KindRefund || o.Word != "pending" || o.OccurredAt != "" || len(o.GatewayRefs) != 2 || o.GatewayRefs[0] != (ExplainedRef{"refund", "re_1"}) || *o.AmountMinor != 100 {
		t.Errorf("%+v", o)
	}
	waiting := strings.Replace(strings.Replace(sandboxPaid, `"paid"`, `"waiting"`, 1), `"amount":"1250.50",`, "", 1)
	if o := Explain(g, sandboxNotice("s", waiting, arrival)).Observations[0]; o.AmountMinor != nil || o.Amount != "" || o.Word != "pending" {
		t.Errorf("%+v", o)
	}
}
