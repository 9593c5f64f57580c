package config

import (
	"errors"
	"io/fs"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

const shopSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=" // 32 bytes

// world is what a test lets Load see.
func world(files, vars map[string]string) Env {
	return Env{
		Getenv: func(name string) (string, bool) { v, ok := vars[name]; return v, ok },
		ReadFile: func(name string) ([]byte, error) {
			if v, ok := files[name]; ok {
				return []byte(v), nil
			}
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		},
	}
}

// load reads text as /etc/nodrop/nodrop.toml with a few variables and files beside it.
func load(text string) (*Config, error) {
	return Load("/etc/nodrop/nodrop.toml", world(
		map[string]string{
			"/etc/nodrop/nodrop.toml": text,
			"/etc/nodrop/key":         "from-a-file\n",
			"/etc/nodrop/root.pem":    rootPEM,
			"/etc/nodrop/pay.pem":     payPEM,
			"/etc/nodrop/pay.key":     payKey,
			"/etc/nodrop/blank":       "\n",
			"/etc/nodrop/binary":      "\xff\xfe",
			"/run/secret":             "absolute\r\n",
		},
		map[string]string{
			"SHOP": shopSecret, "HOOK": "hook-secret", "KEY": "key-secret", "EMPTY": "", "SPACES": "  ", "LINES": "a\nb",
			"MODE": "prod", "NODROP_SHOP_SECRET": shopSecret, "PAYMONGO_WEBHOOK_SECRET": "whsk_1",
			"PAYMONGO_SECRET_KEY": "sk_live_1", "SMARTPAY_SECRET": "s",
			"HMAC": "MDEyMzQ1Njc4OT8+", "WORDS": "two words",
		}))
}

func mustLoad(t *testing.T, text string) *Config {
	t.Helper()
	c, err := load(text)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s = %#v, want %#v", what, got, want)
	}
}

func TestSampleLoads(t *testing.T) {
	raw, err := os.ReadFile("testdata/sample.toml")
	if err != nil {
		t.Fatal(err)
	}
	c := mustLoad(t, string(raw))
	equal(t, "data", c.Data, "nodrop.db")
	equal(t, "timezone", c.Timezone.String(), "Asia/Manila")
	equal(t, "public", c.Public, Public{Listen: ":8080"})
	equal(t, "private", c.Private, Private{Listen: "127.0.0.1:8081"})
	equal(t, "shop url", c.Shop.URL, "https://shop.example/nodrop-events")
	equal(t, "shop secret", c.Shop.Secrets[0].Value.Reveal(), shopSecret)
	equal(t, "warnings", len(c.Warnings), 0)
	equal(t, "gateways", len(c.Gateways), 2)

	g := c.Gateways[0]
	equal(t, "line", g.Line, 18)
	equal(t, "webhook secret", g.WebhookSecrets[0].Value.Reveal(), "whsk_1")
	equal(t, "api key", g.APIKey.Reveal(), "sk_live_1")
	equal(t, "rate", g.QueryRate, Rate{5, time.Second})
	equal(t, "schedule", g.QuerySchedule, []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour})
	equal(t, "give up", g.GiveUpAfter, 48*time.Hour)
	equal(t, "custom of a preset", g.Custom == nil, true)

	custom := c.Gateways[1]
	equal(t, "custom name", custom.Name, "smartpay")
	equal(t, "custom hash", custom.Custom.Signature[0].Hash, "sha256")
	equal(t, "instance secret", custom.Instance().Secrets[0].Value, "s")
}

func TestEmptyFileIsTheDefaults(t *testing.T) {
	c := mustLoad(t, "")
	equal(t, "data", c.Data, "nodrop.db")
	equal(t, "timezone", c.Timezone, time.UTC)
	equal(t, "language", c.Language, "en")
	equal(t, "public", c.Public.Listen, ":8080")
	equal(t, "private", c.Private.Listen, "127.0.0.1:8081")
	equal(t, "shop timeout", c.Shop.Timeout, 15*time.Second)
	equal(t, "claim timeout", c.Shop.ClaimTimeout, 15*time.Minute)
	equal(t, "reconcile", c.Jobs.ReconcileSchedule, "*/10 * * * *")
	equal(t, "max body", c.Limits.MaxBody, int64(1048576))
	equal(t, "gateways", len(c.Gateways), 0)
	if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0].Text, "no gateway") {
		t.Errorf("warnings = %v, want one about the missing gateway", c.Warnings)
	}
}

const oneGateway = `
[[gateway]]
name = "g"
preset = "sandbox"
mode = "test"
api_key = "env:KEY"
webhook_secrets = ["env:HOOK"]
`

func TestEveryKeyIsRead(t *testing.T) {
	c := mustLoad(t, `
data = "/var/lib/nodrop/n.db"
timezone = "UTC"
language = "zh"
[public]
listen = "0.0.0.0:8443"
hostname = "pay.example.com"
trusted_proxies = ["10.0.0.0/8", "192.0.2.7", "2001:db8::/32"]
[private]
hostname = "admin.example.com"
[acme]
listen = "127.0.0.1:5002"
directory = "https://ca.example/dir"
email = "owner@example.com"
key_id = "kid-1"
key = "env:HMAC"
authority = "file:root.pem"
[shop]
url = "http://localhost:3000/events"
secrets = ["env:SHOP"]
timeout = "5s"
claim_timeout = "1h30m"
[jobs]
reconcile_schedule = "*/5 * * * *"
[limits]
max_body = "256KiB"
max_report = "1024MiB"
refused_keep = 10
refused_age = "3d"
`+oneGateway+`
public_keys = ["file:key"]
account = "shop"
public_url = "https://pay.example.com/hooks/g"
base_url = "http://127.0.0.1:9090"
api_secret = "file:/run/secret"
private_key = "env:LINES"
query_rate = "300/m"
query_concurrency = 2
query_schedule = ["200ms", "1s"]
give_up_after = "3d"
failure_hold = "20m"
unregistered = "count"
unregistered_after = "2h"
`)
	equal(t, "public", c.Public, Public{Listen: "0.0.0.0:8443", Hostname: "pay.example.com", TrustedProxies: []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("2001:db8::/32")}})
	equal(t, "private", c.Private, Private{Listen: ":443", Hostname: "admin.example.com"})
	hmac, err := c.ACME.HMAC()
	equal(t, "hmac key", string(hmac), "0123456789?>")
	equal(t, "hmac error", err, nil)
	c.ACME.Key = Secret{}
	equal(t, "acme", c.ACME, ACME{Listen: "127.0.0.1:5002", Directory: "https://ca.example/dir", Email: "owner@example.com", KeyID: "kid-1", Authority: strings.TrimSpace(rootPEM)})
	equal(t, "timeouts", []time.Duration{c.Shop.Timeout, c.Shop.ClaimTimeout}, []time.Duration{5 * time.Second, 90 * time.Minute})
	equal(t, "jobs", c.Jobs, Jobs{ReconcileSchedule: "*/5 * * * *"})
	equal(t, "limits", c.Limits, Limits{MaxBody: 262144, MaxReport: 1 << 30, RefusedKeep: 10, RefusedAge: 72 * time.Hour})
	g := c.Gateways[0]
	equal(t, "public keys", g.PublicKeys, []string{"from-a-file"})
	equal(t, "account", g.Account, "shop")
	equal(t, "addresses", []string{g.PublicURL, g.BaseURL}, []string{"https://pay.example.com/hooks/g", "http://127.0.0.1:9090"})
	equal(t, "api secret", g.APISecret.Reveal(), "absolute")
	equal(t, "private key", g.PrivateKey.Reveal(), "a\nb")
	equal(t, "rate", g.QueryRate, Rate{300, time.Minute})
	equal(t, "concurrency", g.QueryConcurrency, 2)
	equal(t, "schedule", g.QuerySchedule, []time.Duration{200 * time.Millisecond, time.Second})
	equal(t, "times", []time.Duration{g.GiveUpAfter, g.FailureHold, g.UnregisteredAfter}, []time.Duration{72 * time.Hour, 20 * time.Minute, 2 * time.Hour})
	equal(t, "unregistered", g.Unregistered, "count")
	equal(t, "warnings", len(c.Warnings), 0)
}

func TestMissingFile(t *testing.T) {
	_, err := Load("/none.toml", world(nil, nil))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "/none.toml") {
		t.Errorf("err = %v, want the missing file with its name", err)
	}
	if faults := (*Faults)(nil); errors.As(err, &faults) {
		t.Error("a missing file is no fault of its content")
	}
}

func TestByteOrderMarkAndCRLF(t *testing.T) {
	c := mustLoad(t, "\ufefflanguage = \"zh\"\r\n[jobs]\r\nreconcile_schedule = \"0 * * * *\"\r\n"+strings.ReplaceAll(oneGateway, "\n", "\r\n"))
	equal(t, "language", c.Language, "zh")
	equal(t, "schedule", c.Jobs.ReconcileSchedule, "0 * * * *")
	equal(t, "gateway", c.Gateways[0].Line, 5)
}

func TestDefaultScheduleIsCutAtTheEnd(t *testing.T) {
	got := mustLoad(t, oneGateway+`give_up_after = "3m"`).Gateways[0].QuerySchedule
	equal(t, "schedule", got, []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute})
	got = mustLoad(t, oneGateway+`give_up_after = "5s"`).Gateways[0].QuerySchedule
	equal(t, "schedule", got, []time.Duration{5 * time.Second})
}

func TestDefaultIsLoopbackSandbox(t *testing.T) {
	c := Default("hook", "key")
	equal(t, "listeners", []string{c.Public.Listen, c.Private.Listen}, []string{"127.0.0.1:8080", "127.0.0.1:8081"})
	equal(t, "data", c.Data, "nodrop.db")
	g := c.Gateways[0]
	equal(t, "gateway", []string{g.Name, g.Preset, g.Mode}, []string{"sandbox", "sandbox", "test"})
	equal(t, "secrets", []string{g.WebhookSecrets[0].Value.Reveal(), g.APIKey.Reveal()}, []string{"hook", "key"})
	read := mustLoad(t, strings.Replace(oneGateway, `"g"`, `"sandbox"`, 1)).Gateways[0]
	g.Line, g.WebhookSecrets, g.APIKey = read.Line, read.WebhookSecrets, read.APIKey
	equal(t, "sandbox gateway", g, read)
}
