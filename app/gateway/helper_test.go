package gateway

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"net/http"
	"testing"
	"time"
)

// arrival is the moment at which test requests come in: 2031-03-07T01:15:00Z.
var arrival = time.Unix(1930612500, 0).UTC()

func macOf(h func() hash.Hash, secret, message string) []byte {
	m := hmac.New(h, []byte(secret))
	m.Write([]byte(message))
	return m.Sum(nil)
}

func hex256(secret, message string) string {
	return hex.EncodeToString(macOf(sha256.New, secret, message))
}
func hex512(secret, message string) string {
	return hex.EncodeToString(macOf(sha512.New, secret, message))
}
func b64sha1(secret, message string) string {
	return base64.StdEncoding.EncodeToString(macOf(sha1.New, secret, message))
}

func mustNew(t testing.TB, in Instance) *Gateway {
	t.Helper()
	g, err := New(in)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	return g
}

// custom builds a gateway from a definition written as TOML.
func custom(t testing.TB, definition string, secrets ...string) *Gateway {
	t.Helper()
	return mustNew(t, customInstance(t, definition, secrets...))
}

func customInstance(t testing.TB, definition string, secrets ...string) Instance {
	t.Helper()
	spec, err := ParseSpec([]byte(definition), "custom")
	if err != nil {
		t.Fatalf("ParseSpec: %v", err)
	}
	in := Instance{Name: "gw1", Preset: CustomPreset, Mode: "live", Custom: &spec}
	for _, s := range secrets {
		in.Secrets = append(in.Secrets, Secret{Value: s})
	}
	return in
}

// post is a request with the given headers, in pairs.
func post(body string, headers ...string) Request {
	r := Request{Method: "POST", Target: "/hooks/gw1", Header: http.Header{}, Body: []byte(body), At: arrival}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

func wantVerdict(t testing.TB, rd Reading, verdict, reason string) {
	t.Helper()
	if rd.Verdict != verdict || rd.Reason != reason {
		t.Fatalf("verdict %s (%s), want %s (%s); %s", rd.Verdict, rd.Reason, verdict, reason, rd.Detail)
	}
}

func wantAck(t testing.TB, a Ack, status int, contentType, body string) {
	t.Helper()
	if a.Status != status || a.ContentType != contentType || string(a.Body) != body {
		t.Fatalf("answer %d %q %q, want %d %q %q", a.Status, a.ContentType, a.Body, status, contentType, body)
	}
}

// only returns the one observation of a reading.
func only(t testing.TB, rd Reading) Observation {
	t.Helper()
	if len(rd.Observations) != 1 {
		t.Fatalf("%d observations, want 1 (%s %s %s)", len(rd.Observations), rd.Verdict, rd.Reason, rd.Detail)
	}
	return rd.Observations[0]
}
