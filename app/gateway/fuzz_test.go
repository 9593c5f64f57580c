package gateway

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"nodrop/app/payment"
)

// sound checks what must hold for every reading, whatever was read.
func sound(t *testing.T, rd Reading, raw []byte) {
	t.Helper()
	readsSoundly(t, rd)
	if rd.Verdict == Challenged || rd.Verdict == Refused && rd.Ack.Status != 401 {
		t.Fatalf("%s with %d", rd.Verdict, rd.Ack.Status)
	}
	for i := range rd.Observations {
		if o := &rd.Observations[i]; !bytes.Contains(raw, o.Item) {
			t.Fatalf("observation %+v", o)
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
	list := []*Gateway{custom(f, batch, "k"), custom(f, mcForm, "k"), custom(f, caseBase, "k")}
	for _, envelope := range fuzzEnvelopes {
		list = append(list, custom(f, envelope+"[[signature]]\nkind = \"none\"\n"+kindTail, "0123456789abcdef0123456789abcdef"))
	}
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

var fuzzEnvelopes = []string{
	"envelope = [{ kind = \"xml\" }]\n", "envelope = [{ kind = \"auto\" }]\n", "envelope = [{ kind = \"text\" }]\n", "envelope = [{ kind = \"query\" }]\n",
	"envelope = [{ kind = \"form\" }, { kind = \"base64\", from = \"data\", as = \"xml\" }]\n",
	"envelope = [{ kind = \"json\" }, { kind = \"decrypt\", from = \"data\", cipher = \"aes-gcm\", nonce = \"nonce\", aad = \"aad\" }]\n",
	"envelope = [{ kind = \"xml\" }, { kind = \"decrypt\", from = \"data\", cipher = \"aes-ecb\", as = \"xml\", key_encoding = \"md5_hex\", optional = true }]\n",
}

// fuzzSignatures has one signature of each kind; none of them is ever right here.
var fuzzSignatures = []string{
	"kind = \"static_token\"\nfrom = \"{header:X-Sig}\"\n",
	"kind = \"digest\"\nhash = \"md5\"\nmessage = \"{secret}{field:id|digits}{field:amount?|fixed2}{crc32}\"\nfrom = [\"{field:sig}\", \"{header:X-Sig}\"]\nencoding = \"hex\"\n",
	"kind = \"hmac\"\nhash = \"sha512\"\nsorted = { leave = \"sig\", empty = \"either\", by = \"element\", end = \"&key={secret}\" }\nfrom = \"{header:X-Sig}\"\nencoding = \"HEX\"\n",
	"kind = \"hmac\"\nhash = \"sha1\"\nflattened = { end = \"&nonce={sig:nonce}\" }\nfrom = \"{header:X-Sig}\"\nname = \"v1\"\nencoding = \"hex\"\n",
	"kind = \"hmac\"\nhash = \"sha256\"\nparts = [\"{query:id};\", \"{sig:t}.{sig_headers:h}\", \"{sent_target}\"]\nfrom = \"{header:X-Sig}\"\nseparator = \",\"\nentry = \"{key}/{signature}\"\nencoding = \"base64\"\n",
	"kind = \"jwt\"\nalgorithm = \"HS256\"\nfrom = \"{header:X-Sig}\"\n",
	"kind = \"rsa\"\nhash = \"sha256\"\nfrom = \"{header:X-Sig}\"\nencoding = \"escaped_base64\"\nkey_id = \"{header:X-Key}\"\ntimestamp = { from = \"{header:X-Key}\", unit = \"auto\", tolerance = \"5m\" }\n",
	"kind = \"ed25519\"\nfrom = \"{header:X-Sig}\"\nencoding = \"base64\"\nkey_prefix = \"whpk_\"\n",
}

func FuzzEverySignatureKind(f *testing.F) {
	for _, sig := range []string{"", "abc", "t=1,v1=00,h=x-key x-sig,nonce=1", "eyJhbGciOiJub25lIn0.e30.", "1/AAAA,2/BBBB", strings.Repeat("a", 64), "%41%zz"} {
		f.Add([]byte(kindBody), sig, "id=1&status=paid")
		f.Add([]byte("id=1&amount=1,0.50&status=paid&sig=00"), sig, "1930612500")
	}
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	var list []*Gateway
	for _, s := range fuzzSignatures {
		in := customInstance(f, "envelope = [{ kind = \"auto\" }]\n[[signature]]\n"+s+kindTail, "0123456789abcdef0123456789abcdef")
		switch {
		case strings.Contains(s, "ed25519"):
			in.PublicKeys = []string{base64.StdEncoding.EncodeToString(public)}
		case strings.Contains(s, "rsa"):
			_, key := newKey(f)
			in.PublicKeys = []string{"1=" + key}
		}
		list = append(list, mustNew(f, in))
	}
	f.Fuzz(func(t *testing.T, body []byte, sig, key string) {
		for i, g := range list {
			r := post(string(body), "X-Sig", sig, "X-Key", key)
			r.Target += "?" + key
			if rd := g.Read(r); rd.Verdict != Refused || len(rd.Observations) != 0 {
				t.Fatalf("kind %d takes %q with %q: %s", i, body, sig, rd.Verdict)
			}
		}
	})
}
