package gateway

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"nodrop/app/payment"
)

type vector struct {
	Name   string
	Secret string
	Header map[string]string
	Body   string
	At     int64 `json:"at_unix"`
	Valid  bool
	Test   struct{ Verdict, Reason string }
	Live   struct{ Verdict, Reason string }
}

func (v vector) request() Request {
	r := Request{Method: "POST", Target: "/hooks/gcash", Header: http.Header{}, Body: []byte(v.Body), At: time.Unix(v.At, 0)}
	for k, val := range v.Header {
		r.Header.Set(k, val)
	}
	return r
}

func paymongoVectors(t testing.TB) []vector {
	t.Helper()
	raw, err := os.ReadFile("testdata/paymongo_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []vector
	if err := json.Unmarshal(raw, &list); err != nil || len(list) != 4 {
		t.Fatalf("%d vectors, %v", len(list), err)
	}
	return list
}

func paymongo(t testing.TB, mode string, secrets ...string) *Gateway {
	in := Instance{Name: "gcash", Preset: "paymongo", Mode: mode, APIKey: "sk_test_1"}
	for _, s := range secrets {
		in.Secrets = append(in.Secrets, Secret{Value: s})
	}
	return mustNew(t, in)
}

func TestPayMongoVectors(t *testing.T) {
	for _, v := range paymongoVectors(t) {
		for mode, want := range map[string]struct{ Verdict, Reason string }{"test": v.Test, "live": v.Live} {
			t.Run(mode+" "+v.Name, func(t *testing.T) {
				rd := paymongo(t, mode, v.Secret).Read(v.request())
				wantVerdict(t, rd, want.Verdict, want.Reason)
				if (rd.Verdict == Refused) == v.Valid {
					t.Errorf("refused: %v, valid: %v", rd.Verdict == Refused, v.Valid)
				}
			})
		}
	}
}

func TestPayMongoFields(t *testing.T) {
	v := paymongoVectors(t)[0]
	rd := paymongo(t, "test", v.Secret).Read(v.request())
	wantAck(t, rd.Ack, 200, "application/json", `{"received":true}`)
	o := only(t, rd)
	if o.DedupeKey != "evt_8sGvN2mQp4RkT7wXyZ1bCdEf" || o.Word != payment.WordSucceeded || o.AmountMinor != 125050 || o.AmountText != "1250.50" || o.Currency != "PHP" {
		t.Errorf("observation %+v", o)
	}
	want := []Ref{{"payment", "pay_Kd83nVxQ2LmZ7sTrYb5WcPhJ"}, {"payment_intent", "pi_Zt6RmW9qLx3KpVbN7yDsHf2G"}}
	if len(o.Refs) != 2 || o.Refs[0] != want[0] || o.Refs[1] != want[1] || o.MerchantRef != "ORD-2026-00417" || o.Hint {
		t.Errorf("references %v %q, hint %v", o.Refs, o.MerchantRef, o.Hint)
	}
	if o.OccurredAt.Unix() != 1773483718 || rd.SkewMs != -5000 {
		t.Errorf("occurred %v, skew %d", o.OccurredAt, rd.SkewMs)
	}
}

func TestPayMongoRefused(t *testing.T) {
	v := paymongoVectors(t)[0]
	cases := map[string]struct {
		secrets []string
		change  func(*Request)
		reason  string
	}{
		"body changed": {[]string{v.Secret}, func(r *Request) { r.Body[len(r.Body)/2] ^= 1 }, "bad_signature"},
		"signature changed": {[]string{v.Secret}, func(r *Request) {
			r.Header.Set("Paymongo-Signature", strings.Replace(v.Header["Paymongo-Signature"], "te=6", "te=7", 1))
		}, "bad_signature"},
		"time changed": {[]string{v.Secret}, func(r *Request) {
			r.Header.Set("Paymongo-Signature", strings.Replace(v.Header["Paymongo-Signature"], "t=17", "t=16", 1))
		}, "bad_signature"},
		"other secret":     {[]string{"whsk_other"}, func(*Request) {}, "bad_signature"},
		"no secret":        {nil, func(*Request) {}, "no_secret"},
		"both slots empty": {[]string{v.Secret}, func(r *Request) { r.Header.Set("Paymongo-Signature", "t=1773483720,te=,li=") }, "no_signature"},
		"older than 3 h":   {[]string{v.Secret}, func(r *Request) { r.At = time.Unix(1773483720+3*3600+1, 0) }, "stale_timestamp"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := v.request()
			c.change(&r)
			rd := paymongo(t, "test", c.secrets...).Read(r)
			wantVerdict(t, rd, Refused, c.reason)
			if rd.Ack.Status != 401 {
				t.Errorf("status %d", rd.Ack.Status)
			}
		})
	}
	r := v.request()
	r.At = time.Unix(1773483720+3*3600, 0)
	wantVerdict(t, paymongo(t, "test", v.Secret).Read(r), Accepted, "")
}

// event wraps a resource as PayMongo does, in test mode.
func event(typ, resource string) string {
	return `{"data":{"id":"evt_1","type":"event","attributes":{"type":"` + typ + `","livemode":false,"data":` + resource + `,"previous_data":{},"created_at":1930612500,"updated_at":1930612500}}}`
}

func TestPayMongoEvents(t *testing.T) {
	g := paymongo(t, "test", "whsk_1")
	cases := []struct {
		typ, resource string
		word          payment.Word
		ref           Ref
		merchant      string
		minor         int64
	}{
		{"payment.failed", `{"id":"pay_1","type":"payment","attributes":{"amount":5000,"currency":"PHP","status":"failed","payment_intent_id":"pi_1","metadata":{"merchant_ref":"M-1"}}}`,
			payment.WordAttemptFailed, Ref{"payment_intent", "pi_1"}, "M-1", 5000},
		{"payment.failed", `{"id":"pay_1","type":"payment","attributes":{"amount":5000,"currency":"PHP","status":"failed","payment_intent_id":null,"metadata":null,"external_reference_number":"LNK1"}}`,
			payment.WordFailed, Ref{"link_reference", "LNK1"}, "LNK1", 5000},
		{"payment_intent.succeeded", `{"id":"pi_1","type":"payment_intent","attributes":{"amount":5000,"currency":"php","status":"succeeded","metadata":{"order_id":"O-1"},"payments":[{"id":"pay_0","attributes":{"status":"failed"}},{"id":"pay_2","attributes":{"status":"paid"}}]}}`,
			payment.WordSucceeded, Ref{"payment", "pay_2"}, "O-1", 5000},
		{"payment_intent.awaiting_payment_method", `{"id":"pi_1","type":"payment_intent","attributes":{"amount":5000,"currency":"PHP","status":"awaiting_payment_method","last_payment_error":{"code":"x"}}}`,
			payment.WordAttemptFailed, Ref{"payment_intent", "pi_1"}, "", 5000},
		{"payment_intent.awaiting_payment_method", `{"id":"pi_1","type":"payment_intent","attributes":{"amount":5000,"currency":"PHP","status":"awaiting_payment_method","last_payment_error":null}}`,
			payment.WordPending, Ref{"payment_intent", "pi_1"}, "", 5000},
		{"checkout_session.payment.paid", `{"id":"cs_1","type":"checkout_session","attributes":{"status":"active","reference_number":"O-2","payment_intent":{"id":"pi_2","attributes":{"amount":7000,"currency":"PHP","status":"succeeded"}},"payments":[{"id":"pay_3","attributes":{"status":"paid","amount":7000,"currency":"PHP"}}]}}`,
			payment.WordSucceeded, Ref{"payment_intent", "pi_2"}, "O-2", 7000},
		{"link.payment.paid", `{"id":"link_1","type":"link","attributes":{"status":"paid","amount":8000,"currency":"PHP","reference_number":"abc123","payments":[{"data":{"id":"pay_4"}}]}}`,
			payment.WordSucceeded, Ref{"payment", "pay_4"}, "abc123", 8000},
		{"source.chargeable", `{"id":"src_1","type":"source","attributes":{"status":"chargeable","amount":9000,"currency":"PHP"}}`,
			payment.WordAuthorised, Ref{"source", "src_1"}, "", 9000},
	}
	for _, c := range cases {
		t.Run(c.typ+" "+string(c.word), func(t *testing.T) {
			body := event(c.typ, c.resource)
			rd := g.Read(post(body, "Paymongo-Signature", "t=1930612500,te="+hex256("whsk_1", "1930612500."+body)+",li="))
			wantVerdict(t, rd, Accepted, "")
			o := only(t, rd)
			if o.Word != c.word || o.MerchantRef != c.merchant || o.AmountMinor != c.minor || !hasRef(o.Refs, c.ref) {
				t.Errorf("%q %q %d %v, want %q %q %d %v", o.Word, o.MerchantRef, o.AmountMinor, o.Refs, c.word, c.merchant, c.minor, c.ref)
			}
		})
	}
	body := event("payout.deposited", `{"id":"po_1","type":"payout","attributes":{}}`)
	wantVerdict(t, g.Read(post(body, "Paymongo-Signature", "t=1930612500,te="+hex256("whsk_1", "1930612500."+body)+",li=")), Ignored, "not_concerned")
}

func hasRef(list []Ref, want Ref) bool {
	for _, r := range list {
		if r == want {
			return true
		}
	}
	return false
}

func TestPayMongoRefundsAndDisputeInsideAPayment(t *testing.T) {
	body := event("payment.refunded", `{"id":"pay_1","type":"payment","attributes":{"amount":5000,"currency":"PHP","status":"paid","disputed":true,"refunds":[`+
		`{"id":"ref_1","type":"refund","attributes":{"amount":1000,"currency":"PHP","status":"succeeded","updated_at":1930612400}},{"id":"ref_2","amount":500,"status":"processing"}]}}`)
	rd := paymongo(t, "test", "whsk_1").Read(post(body, "Paymongo-Signature", "t=1930612500,te="+hex256("whsk_1", "1930612500."+body)+",li="))
	wantVerdict(t, rd, Accepted, "")
	if len(rd.Observations) != 4 {
		t.Fatalf("%d observations, want payment, two refunds, dispute", len(rd.Observations))
	}
	want := []struct {
		kind, ref, status, key string
		minor                  int64
	}{{KindPayment, "", "", "evt_1", 5000}, {KindRefund, "ref_1", "succeeded", "evt_1#refund:ref_1", 1000},
		{KindRefund, "ref_2", "pending", "evt_1#refund:ref_2", 500}, {KindDispute, "pay_1:dispute", "open", "evt_1#dispute:pay_1:dispute", 5000}}
	for i, w := range want {
		o := rd.Observations[i]
		if o.Kind != w.kind || o.RefundRef != w.ref || o.Status != w.status || o.DedupeKey != w.key || o.AmountMinor != w.minor || o.Currency != "PHP" || !hasRef(o.Refs, Ref{"payment", "pay_1"}) {
			t.Errorf("%d: %+v, want %+v", i, o, w)
		}
	}
	if rd.Observations[1].OccurredAt.Unix() != 1930612400 {
		t.Errorf("refund occurred %v", rd.Observations[1].OccurredAt)
	}
}
