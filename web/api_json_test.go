package web

import (
	"net/http"
	"strings"
	"testing"
)

// What JSON libraries let pass is refused, each with the place that is wrong.
func TestBodyIsReadStrictly(t *testing.T) {
	l := newLab(t)
	long := strings.Repeat("x", 64<<10)
	for _, c := range []struct {
		name, body string
		status     int
		code, says string
	}{
		{"empty", "", 400, "empty", "send a JSON object"},
		{"no JSON", "gateway=sandbox", 400, "bad_json", "invalid character 'g'"},
		{"half", `{"gateway":"sandbox"`, 400, "bad_json", "ends too early"},
		{"half a list", `{"gateway_refs":[`, 400, "bad_json", "ends too early"},
		{"something behind", order1 + "{}", 400, "bad_json", "something follows"},
		{"a list", "[]", 400, "bad_json", "must be a JSON object"},
		{"null", "null", 400, "bad_json", "must be a JSON object"},
		{"a name twice", strings.Replace(order1, "{", `{"amount":"1.00",`, 1), 400, "bad_json", `\"amount\" stands there twice`},
		{"a name twice further down", strings.Replace(order1, "}", `,"metadata":{"a":{"b":1,"b":2}}}`, 1), 400, "bad_json", `\"metadata.a.b\" stands there twice`},
		{"a name twice with an escape", strings.Replace(order1, "{", `{"\u0061mount":"1.00",`, 1), 400, "bad_json", `\"amount\" stands there twice`},
		{"no UTF-8", strings.Replace(order1, "O-1", "O-\xff", 1), 400, "bad_json", "not UTF-8"},
		{"too deep", strings.Replace(order1, "}", `,"metadata":`+strings.Repeat(`{"a":`, 40)+"1"+strings.Repeat("}", 41), 1), 400, "bad_json", "nested more than 32 deep"},
		{"unknown member", strings.Replace(order1, "}", `,"colour":"red"}`, 1), 400, "invalid_body", `\"colour\" is not known`},
		{"other case", strings.Replace(order1, "amount", "Amount", 1), 400, "invalid_body", `\"amount\" is missing`},
		{"amount as a number", strings.Replace(order1, `"1250.50"`, "1250.50", 1), 400, "invalid_body", `\"amount\" must be a text in major units`},
		{"reference as a number", strings.Replace(order1, `"O-1"`, "1", 1), 400, "invalid_body", `\"merchant_ref\" must be a text`},
		{"reference of null", strings.Replace(order1, `"O-1"`, "null", 1), 400, "invalid_body", `\"merchant_ref\" is missing`},
		{"empty reference", strings.Replace(order1, `"O-1"`, `""`, 1), 400, "invalid_body", `\"merchant_ref\" is empty`},
		{"expiry without a zone", strings.Replace(order1, "}", `,"expires_at":"2031-03-07 09:15"}`, 1), 400, "invalid_body", `\"expires_at\" must be an instant`},
		{"flag as a text", strings.Replace(order1, "}", `,"reopen":"true"}`, 1), 400, "invalid_body", `\"reopen\" must be true or false`},
		{"metadata as a list", strings.Replace(order1, "}", `,"metadata":[1]}`, 1), 400, "invalid_body", `\"metadata\" must be an object`},
		{"ids as an object", strings.Replace(order1, "}", `,"gateway_refs":{"payment":"x"}}`, 1), 400, "invalid_body", `\"gateway_refs\" must be a list`},
		{"an id as a text", strings.Replace(order1, "}", `,"gateway_refs":["pay_1"]}`, 1), 400, "invalid_body", `\"gateway_refs[0]\" must be an object`},
		{"an id without a kind", strings.Replace(order1, "}", `,"gateway_refs":[{"id":"pay_1"}]}`, 1), 400, "invalid_body", `\"gateway_refs[0].kind\" is missing`},
		{"an id with more", strings.Replace(order1, "}", `,"gateway_refs":[{"kind":"p","id":"pay_1","x":1}]}`, 1), 400, "invalid_body", `\"gateway_refs[0].x\" is not known`},
		{"too large", strings.Replace(order1, "O-1", long, 1), 413, "too_large", "65536 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.t = t
			before := l.rows()
			a := l.call("POST /v1/payments", c.body)
			a.wantMembers(t, map[string]any{"code": c.code, "status": c.status})
			if !strings.Contains(a.text, c.says) {
				t.Errorf("%s does not say %s", a.text, c.says)
			}
			l.wantNew(before, map[string]int{})
		})
	}
}

func TestEveryFaultOfABodyIsNamed(t *testing.T) {
	l := newLab(t)
	a := l.call("POST /v1/payments", `{"gateway":7,"amount":1,"colour":"red"}`)
	for i, field := range []string{"gateway", "merchant_ref", "amount", "currency", "colour"} {
		a.wantMembers(t, map[string]any{"errors." + string(rune('0'+i)) + ".field": field})
	}
	a.wantMembers(t, map[string]any{"errors.5": nil})
}

func TestContentTypeOfABody(t *testing.T) {
	l := newLab(t)
	l.call("POST /v1/payments", order1)
	for kind, status := range map[string]int{
		"application/json": 200, "Application/JSON; charset=utf-8": 200, "application/merge-patch+json": 200,
		"application/x-www-form-urlencoded": 415, "text/plain": 415, ";": 415,
	} {
		if a := l.call("POST /v1/payments", order1, header("Content-Type", kind)); a.StatusCode != status {
			t.Errorf("%q: %d, want %d", kind, a.StatusCode, status)
		}
	}
	if a := l.call("POST /v1/payments", order1, func(r *http.Request) { r.Header.Del("Content-Type") }); a.StatusCode != 200 {
		t.Errorf("none: %d", a.StatusCode)
	}
}
