package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// custom is a configuration with one more gateway, described by a definition of the test.
func custom(t *testing.T, name, definition string, edit func(*config.Gateway)) func(*config.Config, *Options) {
	t.Helper()
	spec, err := gateway.ParseSpec([]byte(definition), "custom")
	if err != nil {
		t.Fatal(err)
	}
	return func(c *config.Config, _ *Options) {
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.BaseURL = name, "custom", &spec, ""
		edit(&g)
		c.Gateways = append(c.Gateways, g)
	}
}

// signedAs is the token definition with another signature.
func signedAs(signature, facts string) string {
	return strings.Replace(tokenDefinition, "[[signature]]\nkind = \"static_token\"\nfrom = \"{header:x-callback-token}\"\n", facts+"[[signature]]\n"+signature, 1)
}

func secretOf(value string) func(*config.Gateway) {
	return func(g *config.Gateway) {
		g.WebhookSecrets = []config.TimedSecret{{Value: config.NewSecret(value)}}
	}
}

func TestASignatureInAuthorizationIsKeptForVerifyingAgain(t *testing.T) {
	definition := signedAs("kind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"\nfrom = \"{header:authorization}\"\n", "")
	b := newBench(t, custom(t, "auth", definition, secretOf("wrong")))
	body := []byte(`{"eid":"1","ref":"ORDER-1","status":"PAID","amount":"10.00","currency":"PHP"}`)
	mac := hmac.New(sha256.New, []byte("right"))
	mac.Write(body)
	r := gateway.Request{Method: http.MethodPost, Target: "/hooks/auth", Body: body, At: b.clock.now(),
		Header: http.Header{"Authorization": {hex.EncodeToString(mac.Sum(nil))}, "Cookie": {"session=1"}}}
	if ack, err := b.e.Accept(b.ctx(), "auth", r); err != nil || ack.Status != 401 {
		t.Fatalf("%d, %v", ack.Status, err)
	}
	b = b.corrected(time.Hour, custom(t, "auth", definition, secretOf("right")))
	if got, err := b.e.VerifyRefused(b.ctx(), Verification{Actor: "ana", FormKey: "one", Gateway: "auth"}); err != nil || got != (VerifyResult{Tried: 1, Accepted: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	b.nowhere("session=1")
}

func TestATokenInAuthorizationIsKeptAsItsDigest(t *testing.T) {
	definition := signedAs("kind = \"static_token\"\nfrom = \"{header:Authorization}\"\n", "")
	b := newBench(t, custom(t, "auth", definition, secretOf("wrong")))
	r := tokenRequest(b.clock.now())
	r.Header.Set("Authorization", fixedToken)
	r.Header.Del("X-Callback-Token")
	if ack, err := b.e.Accept(b.ctx(), "auth", r); err != nil || ack.Status != 401 {
		t.Fatalf("%d, %v", ack.Status, err)
	}
	b = b.corrected(time.Hour, custom(t, "auth", definition, secretOf(fixedToken)))
	if got, err := b.e.VerifyRefused(b.ctx(), Verification{Actor: "ana", FormKey: "one", Gateway: "auth"}); err != nil || got != (VerifyResult{Tried: 1, Accepted: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	b.nowhere(fixedToken)
}

const networkFacts = "[facts.networks]\ntest = [\"192.0.2.0/24\"]\n"

// from is a configuration of a gateway with known networks and a policy.
func from(t *testing.T, policy string) func(*config.Config, *Options) {
	t.Helper()
	definition := signedAs("kind = \"static_token\"\nfrom = \"{header:x-callback-token}\"\n", networkFacts)
	return custom(t, "token", definition, func(g *config.Gateway) {
		secretOf(fixedToken)(g)
		g.SourceNetworks = policy
	})
}

func TestRequestsFromUnknownNetworks(t *testing.T) {
	for policy, want := range map[string]int{"off": 200, "flag": 200, "enforce": 401} {
		b := newBench(t, from(t, policy))
		inside, outside := tokenRequest(b.clock.now()), tokenRequest(b.clock.now())
		outside.RemoteIP, outside.Body = "198.51.100.1", []byte(strings.Replace(string(outside.Body), `"eid":"1"`, `"eid":"2"`, 1))
		if ack, err := b.e.Accept(b.ctx(), "token", inside); err != nil || ack.Status != 200 {
			t.Errorf("%s: from a known network: %d, %v", policy, ack.Status, err)
		}
		if ack, err := b.e.Accept(b.ctx(), "token", outside); err != nil || ack.Status != want {
			t.Errorf("%s: from elsewhere: %d, %v; want %d", policy, ack.Status, err, want)
		}
		counted := len(b.e.ReasonCounts()) == 1 && b.e.ReasonCounts()[0].Reason == "unknown_network"
		if counted != (policy != "off") {
			t.Errorf("%s: counted %v", policy, b.e.ReasonCounts())
		}
	}
}

func TestAnUnknownNetworkIsJudgedAgainByTheStoredAddress(t *testing.T) {
	b := newBench(t, from(t, "enforce"))
	r := tokenRequest(b.clock.now())
	r.RemoteIP = "198.51.100.1"
	if ack, err := b.e.Accept(b.ctx(), "token", r); err != nil || ack.Status != 401 {
		t.Fatalf("%d, %v", ack.Status, err)
	}
	counts := []store.RefusedCount{}
	b.view(func(rx *store.Rx) (err error) { counts, err = rx.RefusedCounts(); return err })
	if len(counts) != 1 || counts[0].Reason != "unknown_network" {
		t.Errorf("counts %+v", counts)
	}
	again := func(b *bench, key string, want VerifyResult) {
		t.Helper()
		if got, err := b.e.VerifyRefused(b.ctx(), Verification{Actor: "ana", FormKey: key, Gateway: "token"}); err != nil || got != want {
			t.Errorf("%+v, %v; want %+v", got, err, want)
		}
	}
	again(b, "one", VerifyResult{Tried: 1, StillRefused: 1})
	again(b.corrected(time.Minute, from(t, "flag")), "two", VerifyResult{Tried: 1, Accepted: 1})
}
