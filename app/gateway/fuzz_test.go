package gateway

import (
	"bytes"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"nodrop/app/payment"
)

// sound checks what must hold for every reading, whatever was read.
func sound(t *testing.T, rd Reading, raw []byte) {
	t.Helper()
	if !strings.Contains("accepted ignored refused unreadable", rd.Verdict) || rd.Verdict != Accepted && rd.Reason == "" {
		t.Fatalf("verdict %q, reason %q", rd.Verdict, rd.Reason)
	}
	if rd.Verdict == Refused && (len(rd.Observations) != 0 || rd.Ack.Status != 401) {
		t.Fatalf("refused with %d observations and %d", len(rd.Observations), rd.Ack.Status)
	}
	for i := range rd.Observations {
		o := &rd.Observations[i]
		if o.DedupeKey == "" || o.Kind == "" || !bytes.Contains(raw, o.Item) {
			t.Fatalf("observation %+v", o)
		}
		if o.Verdict != Accepted {
			continue
		}
		if o.Word == payment.WordSucceeded && !o.Hint && (!o.HasAmount || o.AmountMinor < 0 || o.Currency == "") {
			t.Fatalf("a success without an amount: %+v", o)
		}
		if len(o.Refs) == 0 && o.MerchantRef == "" {
			t.Fatalf("about no payment: %+v", o)
		}
	}
}

func seeds(f *testing.F) {
	for _, s := range []string{sandboxPaid, smartpayBody, `{"id":"1","id":"2"}`, `[[[[`, `null`, "\ufeff{}", `{"events":[{"item":{"id":"1","type":"charge.new","value":1e9,"currency":"PHP"}},7,null]}`,
		"txn_id=T1&mc_gross=1.00&mc_currency=PHP&payment_status=Completed", "a=%zz&b=%u1234&&=&a=+", `{"data":{"amount":"\ud800\u0000","status":["paid"]}}`} {
		f.Add([]byte(s))
	}
}

func FuzzRead(f *testing.F) {
	seeds(f)
	box, smart := sandbox(f, "s1"), smartpay(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		r := sandboxNotice("s1", string(body), arrival)
		rd := box.Read(r)
		sound(t, rd, body)
		if rd.Verdict == Refused {
			t.Fatalf("a right signature was refused: %s", rd.Reason)
		}
		if again := box.Read(r); !reflect.DeepEqual(rd, again) {
			t.Fatal("the same request reads differently")
		}
		if decoded := box.Decode(r); !reflect.DeepEqual(rd.Observations, decoded.Observations) {
			t.Fatal("a stored request reads differently")
		}
		sound(t, smart.Read(post(string(body), "X-Signature", hex256("bench-secret", string(body)))), body)
		r.Body = append(append([]byte(nil), body...), 'x')
		if rd := box.Read(r); rd.Verdict != Refused {
			t.Fatalf("a changed body is %s", rd.Verdict)
		}
	})
}

func FuzzSignatureHeader(f *testing.F) {
	for _, s := range []string{"", "t=1,v1=", "t=1930612500,v1=00", "v1=,v1=,t=", "=,=,", strings.Repeat("v1=00,", 50)} {
		f.Add(s)
	}
	g := sandbox(f, "s1")
	good := sandboxNotice("s1", sandboxPaid, arrival).Header.Get("Sandbox-Signature")
	mac := strings.ToLower(good[strings.Index(good, "v1=")+3:])
	f.Fuzz(func(t *testing.T, header string) {
		rd := g.Read(Request{Method: "POST", Target: "/", Header: http.Header{"Sandbox-Signature": {header}}, Body: []byte(sandboxPaid), At: arrival})
		if rd.Verdict != Refused && !strings.Contains(strings.ToLower(header), mac) {
			t.Fatalf("%q is %s", header, rd.Verdict)
		}
		sound(t, rd, []byte(sandboxPaid))
	})
}

func FuzzDecode(f *testing.F) {
	seeds(f)
	list := []*Gateway{custom(f, batch, "k"), custom(f, mcForm, "k"), paymongo(f, "test", "k"), custom(f, caseBase, "k")}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, g := range list {
			sound(t, g.Decode(post(string(body))), body)
		}
	})
}

func FuzzReadAnswer(f *testing.F) {
	for _, s := range []string{sbx("sbx_1", "ORDER-1", "paid"), `{"data":[` + sbx("sbx_1", "ORDER-1", "paid") + `]}`, `{"data":[]}`, `{"error":"not_found"}`, `<html>`, ``} {
		f.Add(200, []byte(s), true)
		f.Add(404, []byte(s), false)
	}
	g := sandbox(f, "s1")
	f.Fuzz(func(t *testing.T, status int, body []byte, id bool) {
		q, step := byRef, 1
		if id {
			q, step = byID, 0
		}
		a := Answer{AskedAt: arrival, Status: status, Raw: body, Step: step}
		a.Class, _, _ = g.classify(q, a)
		rd := g.ReadAnswer(q, a)
		answered := a.Class == ClassAnswered || a.Class == ClassNotFound || a.Class == ClassUnreadable
		if answered != (len(rd.Observations) > 0) {
			t.Fatalf("class %s with %d observations", a.Class, len(rd.Observations))
		}
		if a.Class == ClassAnswered && (status < 200 || status > 299 || rd.Verdict != Accepted) {
			t.Fatalf("status %d: %s %s", status, a.Class, rd.Verdict)
		}
		if answered && a.Class != ClassAnswered && rd.Observations[0].Word == payment.WordSucceeded {
			t.Fatalf("class %s succeeded", a.Class)
		}
	})
}

func FuzzParseCapture(f *testing.F) {
	f.Add([]byte("POST /hooks/x HTTP/1.1\r\nA: b\r\n\r\n{}"))
	f.Add([]byte("GET http://h/x?y\n\n"))
	f.Add([]byte("POST /"))
	g := sandbox(f, "s1")
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ParseCapture(raw, arrival)
		if err != nil {
			return
		}
		if !bytes.HasSuffix(raw, r.Body) || r.Method == "" || !strings.HasPrefix(r.Target, "/") {
			t.Fatalf("%q reads as %+v", raw, r)
		}
		if e := Explain(g, r); e.Verdict != Refused {
			t.Fatalf("an unsigned capture is %s", e.Verdict)
		}
	})
}
