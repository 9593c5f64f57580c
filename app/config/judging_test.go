package config

import (
	"strings"
	"testing"
	"time"
)

// described is a gateway of its own whose facts a test adds to.
func described(keys, facts string) string {
	return "[[gateway]]\nname = \"g\"\npreset = \"custom\"\nmode = \"live\"\nwebhook_secrets = [\"env:HOOK\"]\n" + keys + `
[gateway.custom.notice]
dedupe = "id"
[[gateway.custom.signature]]
kind = "hmac"
hash = "sha256"
encoding = "hex"
from = "{header:X-Signature}"
message = "{header:X-Time}.{raw_body}"
timestamp = { from = "{header:X-Time}", unit = "s", tolerance = "5m", policy = "reject" }
[gateway.custom.fields]
merchant_ref = "ref"
status = "status"
words = { PAID = "succeeded" }
amount = { from = "amount", kind = "decimal_string", fixed = "PHP", assumed = true }
[gateway.custom.ack]
body = "OK"
` + facts
}

const known = "[gateway.custom.facts.networks]\nlive = [\"192.0.2.0/24\"]\n"

func TestWhatMovesTheJudgementIsRead(t *testing.T) {
	c := mustLoad(t, described("currency = \"SGD\"\nsource_networks = \"enforce\"\ntimestamp_tolerance = \"90s\"\n", known))
	in := c.Gateways[0].Instance()
	equal(t, "currency", in.Currency, "SGD")
	equal(t, "networks", in.Networks, "enforce")
	if in.Tolerance == nil || *in.Tolerance != 90*time.Second {
		t.Errorf("tolerance = %v", in.Tolerance)
	}
	all := "\n" + strings.Join(Effective(c), "\n") + "\n"
	for _, want := range []string{`gateway.g.currency = "SGD"`, `gateway.g.source_networks = "enforce"`, `gateway.g.timestamp_tolerance = 1m30s`} {
		if !strings.Contains(all, "\n"+want+"\n") {
			t.Errorf("no line %q in:%s", want, all)
		}
	}
}

func TestWithoutThemThePresetDecides(t *testing.T) {
	g := mustLoad(t, oneGateway).Gateways[0]
	in := g.Instance()
	equal(t, "networks", in.Networks, "off")
	equal(t, "currency", in.Currency, "")
	equal(t, "tolerance", in.Tolerance == nil, true)
}

func TestWhatAGatewayBearsIsTheDefaultRate(t *testing.T) {
	facts := "[gateway.custom.facts]\nquery_rate = \"20/m\"\n"
	equal(t, "stated", mustLoad(t, described("", facts)).Gateways[0].QueryRate, Rate{20, time.Minute})
	equal(t, "written", mustLoad(t, described("query_rate = \"2/s\"\n", facts)).Gateways[0].QueryRate, Rate{2, time.Second})
	equal(t, "neither", mustLoad(t, described("", "")).Gateways[0].QueryRate, Rate{5, time.Second})
}

func TestSeveralBlocksInAFileAreOneKey(t *testing.T) {
	two := "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n-----BEGIN CERTIFICATE-----\nBB==\n-----END CERTIFICATE-----\n"
	text := oneGateway + "public_keys = [\"file:pair.pem\", \"PUB_1=MIIB\"]\n"
	c, err := Load("/nodrop.toml", world(map[string]string{"/nodrop.toml": text, "/pair.pem": two}, map[string]string{"KEY": "k", "HOOK": "h"}))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "keys", c.Gateways[0].PublicKeys, []string{strings.TrimRight(two, "\n"), "PUB_1=MIIB"})
}

func TestSecretMayHaveAnID(t *testing.T) {
	c := mustLoad(t, strings.Replace(oneGateway, `"env:HOOK"`, `{ id = "v2", value = "env:HOOK" }`, 1))
	equal(t, "id", c.Gateways[0].Instance().Secrets[0].ID, "v2")
	all := strings.Join(Effective(c), "\n")
	if want := `gateway.g.webhook_secrets = (secret from env:HOOK) with the id "v2"`; !strings.Contains(all, want) {
		t.Errorf("no line %q in:\n%s", want, all)
	}
}

var judgings = []wrong{
	{gatewayHead + "source_networks = \"enforced\"\n", 7, "gateway[0].source_networks", "none of", `source_networks = "enforce"`},
	{gatewayHead + "timestamp_tolerance = \"0s\"\n", 7, "gateway[0].timestamp_tolerance", "out of range", "from 1s to 7d"},
	{gatewayHead + "currency = \"PHP\"\n", 7, "gateway[0].currency", "", "remove it"},
	{gatewayHead + "public_keys = [\" \"]\n", 7, "gateway[0].public_keys[0]", "the key is empty", "PEM"},
	{strings.Replace(gatewayHead, `"env:HOOK"`, `{id = "a\nb", value = "env:HOOK"}`, 1), 6, "gateway[0].webhook_secrets[0].id", "not the id", "beside the secret"},
	{described("currency = \"PESO\"\n", ""), 6, "gateway[0].currency", `"PESO"`, "write for example"},
	{described("", "[gateway.custom.facts]\nquery_rate = \"often\"\n"), 24, "gateway[0].custom.facts.query_rate", "not a rate", `"5/s"`},
}

func TestNeedsAndTheirAddress(t *testing.T) {
	c := mustLoad(t, "[public]\nhostname = \"pay.example.com\"\n"+oneGateway)
	g := c.Gateways[0]
	needs := []string{"webhook_secrets", "public_keys", "account", "public_url", "api_key", "api_secret", "private_key"}
	equal(t, "missing", g.Missing(needs), []string{"public_keys", "account", "public_url", "api_secret", "private_key"})
	equal(t, "unknown need", g.Has("luck"), false)
	equal(t, "address", c.HookAddress(g), "https://pay.example.com/hooks/g")
	c.Public.Hostname = ""
	equal(t, "without a host", c.HookAddress(g), "https://YOUR-HOST/hooks/g")
	g.PublicURL = "https://other.example/in"
	equal(t, "as registered", c.HookAddress(g), "https://other.example/in")
}
