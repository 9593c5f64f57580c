package gateway

import (
	"strings"
	"testing"
	"time"
)

func TestDiagnose(t *testing.T) {
	g := smartpay(t)
	sig := hex256("bench-secret", smartpayBody)
	for body, want := range map[string]string{
		smartpayBody + "\r\n":                                  "the line end at the end is removed",
		"\ufeff" + smartpayBody:                                "the byte order mark is removed",
		strings.ReplaceAll(smartpayBody, ",\"", ",\n  \""):     "the spaces between its fields are removed",
		strings.Replace(smartpayBody, "1250.00", "9250.00", 1): "another secret, or the body was changed",
	} {
		if got := g.Diagnose(post(body, "X-Signature", sig)); !strings.Contains(got, want) {
			t.Errorf("%q, want …%s…", got, want)
		}
	}
	if got := g.Diagnose(post(smartpayBody)); !strings.Contains(got, "no signature") {
		t.Errorf("without header: %q", got)
	}
	if got := g.Diagnose(post(smartpayBody, "X-Signature", sig)); got != "" {
		t.Errorf("accepted: %q", got)
	}
	in := customInstance(t, signedJSON)
	in.Secrets = []Secret{{Value: "old", Until: arrival}, {Value: "next", NotBefore: arrival.Add(time.Hour)}}
	g = mustNew(t, in)
	body := `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP"}`
	rd := g.Read(signed("old", body))
	wantVerdict(t, rd, Refused, "no_secret")
	in.Secrets = append(in.Secrets, Secret{Value: "now"})
	g = mustNew(t, in)
	for secret, want := range map[string]string{"old": "secret 1, which ended at 2031-03-07T01:15:00Z", "next": "secret 2, which begins at 2031-03-07T02:15:00Z"} {
		if got := g.Diagnose(signed(secret, body)); !strings.Contains(got, want) {
			t.Errorf("%s: %q", secret, got)
		}
	}
}

func TestDiagnoseNamesTheOtherAddress(t *testing.T) {
	in := customInstance(t, strings.Replace(caseBase, `hash     = "sha256"`, "hash     = \"sha256\"\nmessage  = \"{public_url}{raw_body}\"", 1), "k")
	in.PublicURL = "https://shop.example/hooks/gw1"
	g := mustNew(t, in)
	body := `{"id":"1","amount":1,"currency":"PHP"}`
	for signedFor, want := range map[string]string{
		"https://shop.example/hooks/gw1/":    "fits https://shop.example/hooks/gw1/;",
		"http://shop.example/hooks/gw1":      "fits http://shop.example/hooks/gw1;",
		"https://pay.shop.example/hooks/gw1": "fits https://pay.shop.example/hooks/gw1;",
		"https://elsewhere.example/":         "another secret",
	} {
		r := post(body, "X-Sig", hex256("k", signedFor+body), "Host", "pay.shop.example")
		if got := g.Diagnose(r); !strings.Contains(got, want) {
			t.Errorf("%s: %q", signedFor, got)
		}
	}
	wantVerdict(t, g.Read(post(body, "X-Sig", hex256("k", in.PublicURL+body))), Accepted, "")
}

func TestDiagnoseNamesTheOtherMode(t *testing.T) {
	g := custom(t, caseBase+"[mode]\nfrom = \"livemode\"\nlive = \"true\"\ntest = \"false\"\n", "live-secret")
	body := `{"id":"1","amount":1,"currency":"PHP","livemode":false}`
	if got := g.Diagnose(post(body, "X-Sig", hex256("test-secret", body))); !strings.Contains(got, "it is a test notice") || !strings.Contains(got, "live mode") {
		t.Errorf("%q", got)
	}
}
