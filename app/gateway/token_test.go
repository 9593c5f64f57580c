package gateway

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestQuestionCarriesATokenWithItsKeyInTheHeader(t *testing.T) {
	seed := sha256.Sum256([]byte("seed"))
	private := ed25519.NewKeyFromSeed(seed[:])
	in := customInstance(t, `
[[signature]]
kind     = "hmac"
hash     = "sha256"
from     = "{header:X-Sig}"
encoding = "hex"
`+kindFields+`
[query]
base = { test = "https://api.example/v1", live = "https://api.example/v1" }
auth = { kind = "bearer", token = "{signature}" }
sign = { kind = "jwt", algorithm = "EdDSA", key = "api_secret", header = { kid = "{api_key}", nonce = "{nonce}" }, message = '{"iss":"cdp","exp":{now:unix+120},"uri":"{method} {host}{path}"}' }
[[query.step]]
by   = "merchant_ref"
path = "/links/{merchant_ref}"
`, "k")
	in.APIKey, in.APISecret = "organizations/1/apiKeys/2", base64.StdEncoding.EncodeToString(private)
	in.Nonce = func() string { return "n1" }
	var sent *http.Request
	answer := func(r *http.Request) (*http.Response, error) {
		sent = r
		return &http.Response{StatusCode: 500, Header: http.Header{}, Body: http.NoBody}, nil
	}
	now := time.Unix(1_930_000_000, 0)
	mustNew(t, in).Query(t.Context(), &http.Client{Transport: roundTripper(answer)}, Question{MerchantRef: "o1", Currency: "PHP"}, func() time.Time { return now })
	parts := strings.Split(strings.TrimPrefix(sent.Header.Get("Authorization"), "Bearer "), ".")
	if len(parts) != 3 {
		t.Fatalf("no token: %q", sent.Header)
	}
	part := func(i int) []byte {
		b, err := base64.RawURLEncoding.DecodeString(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if !ed25519.Verify(private.Public().(ed25519.PublicKey), []byte(parts[0]+"."+parts[1]), part(2)) {
		t.Error("the token's signature is wrong")
	}
	var head map[string]string
	if err := json.Unmarshal(part(0), &head); err != nil || head["alg"] != "EdDSA" || head["kid"] != "organizations/1/apiKeys/2" || head["nonce"] != "n1" {
		t.Errorf("header %s: %v", part(0), err)
	}
	if want := `{"iss":"cdp","exp":1930000120,"uri":"GET api.example/v1/links/o1"}`; string(part(1)) != want {
		t.Errorf("claims %s, want %s", part(1), want)
	}
}

// roundTripper is a function that answers requests.
type roundTripper func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
