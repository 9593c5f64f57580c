package gateway

import (
	"strings"
	"testing"
	"time"
)

// replaced builds a definition from the small one with one part exchanged.
func replaced(from, to string) string { return strings.Replace(signedJSON, from, to, 1) }

func TestWrongDefinitionsAreRefusedWithPathAndRemedy(t *testing.T) {
	query := "\n[query]\nbase = { live = \"https://pay.example\" }\nauth = { kind = \"none\" }\n[[query.step]]\n"
	cases := []struct{ name, definition, path, text string }{
		{"unknown key", signedJSON + "\nx = 1\n", "custom.fields.x", "not known"},
		{"unknown nested key", replaced(`encoding = "hex"`, `encodng = "hex"`), "custom.signature[0].encodng", "not known"},
		{"wrong type", replaced(`encoding = "hex"`, `encoding = 7`), "custom.signature[0].encoding", "wrong type"},
		{"table for text", replaced(`dedupe = "id"`, `dedupe = { a = "id" }`), "custom.notice.dedupe", "not a text"},
		{"number in list", replaced(`dedupe = "id"`, `dedupe = ["id", 7]`), "custom.notice.dedupe", "not a text"},
		{"no dedupe", replaced("[notice]\ndedupe = \"id\"", ""), "custom.notice.dedupe", "nothing says"},
		{"text for list", "signature = \"hmac\"\n", "custom.signature", "list"},
		{"bad duration", replaced(`encoding = "hex"`, "encoding = \"hex\"\ntimestamp = { from = \"{header:T}\", tolerance = \"soon\" }"), "custom.signature[0].timestamp.tolerance", "time span"},
		{"unknown kind", replaced(`kind     = "hmac"`, `kind = "hmc"`), "custom.signature[0].kind", "hmc"},
		{"unknown hash", replaced(`"sha256"`, `"md5"`), "custom.signature[0].hash", "md5"},
		{"no place", replaced(`from     = "{header:X-Sig}"`, ""), "custom.signature[0].from", "where the signature stands"},
		{"unknown part", replaced(`{header:X-Sig}`, `{headr:X-Sig}`), "custom.signature[0].from", "not known"},
		{"open brace", replaced(`{header:X-Sig}`, `{header:X-Sig`), "custom.signature[0].from", "no }"},
		{"part without argument", replaced(`{header:X-Sig}`, `{header}`), "custom.signature[0].from", "not complete"},
		{"unknown encoding", replaced(`"hex"`, `"hx"`), "custom.signature[0].encoding", "hx"},
		{"unknown key encoding", replaced(`encoding = "hex"`, "encoding = \"hex\"\nkey_encoding = \"rot13\""), "custom.signature[0].key_encoding", "rot13"},
		{"time without tolerance", replaced(`encoding = "hex"`, "encoding = \"hex\"\ntimestamp = { from = \"{header:T}\" }"), "custom.signature[0].timestamp.tolerance", "how old"},
		{"unknown policy", replaced(`encoding = "hex"`, "encoding = \"hex\"\ntimestamp = { from = \"{header:T}\", tolerance = \"5m\", policy = \"warn\" }"), "custom.signature[0].timestamp.policy", "warn"},
		{"no signature", "[notice]" + strings.SplitN(signedJSON, "[notice]", 2)[1], "custom.signature", "nothing says how"},
		{"unknown envelope", "envelope = [{ kind = \"yaml\" }]\n" + signedJSON, "custom.envelope[0].kind", "yaml"},
		{"second envelope reads nothing", "envelope = [{ kind = \"form\" }, { kind = \"json\" }]\n" + signedJSON, "custom.envelope[1].from", "which field"},
		{"bad path", replaced(`status       = "status"`, `status = "a..b"`), "custom.fields.status", "empty part"},
		{"unknown word", replaced(`"succeeded"`, `"success"`), "custom.fields.words.PAID", "success"},
		{"no words", replaced(`words        = { PAID = "succeeded", WAIT = "pending" }`, ""), "custom.fields.words", "status words"},
		{"no amount", replaced(`amount       = { from = "amount", kind = "decimal", currency = "currency" }`, ""), "custom.fields.amount", "where the amount is"},
		{"unknown amount kind", replaced(`"decimal"`, `"float"`), "custom.fields.amount.kind", "float"},
		{"no currency", replaced(`, currency = "currency"`, ""), "custom.fields.amount.currency", "which currency"},
		{"unknown currency", replaced(`currency = "currency"`, `fixed = "PESO"`), "custom.fields.amount.fixed", "PESO"},
		{"unknown zone", signedJSON + "occurred = { from = \"at\", format = \"yyyy-MM-dd\", zone = \"Manila\" }\n", "custom.fields.occurred.zone", "Manila"},
		{"unknown time format", signedJSON + "occurred = { from = \"at\", format = \"iso\" }\n", "custom.fields.occurred.format", "iso"},
		{"unknown shape kind", signedJSON + "[[shape]]\nkind = \"payout\"\n", "custom.shape[0].kind", "payout"},
		{"refund words in a payment", signedJSON + "[[shape]]\nkind = \"dispute\"\nwords = { x = \"failed\" }\n", "custom.shape[0].words.x", "failed"},
		{"payment inside a payment", signedJSON + "[[fields.also]]\nkind = \"payment\"\n", "custom.fields.also[0].kind", "inside another"},
		{"empty guard", signedJSON + "[[shape]]\nwhen = { a = [] }\n", "custom.shape[0].when.a", "no value"},
		{"acknowledging with an error", signedJSON + "[ack]\nstatus = 500\n", "custom.ack.status", "500"},
		{"refusing with success", signedJSON + "[ack.refused]\nstatus = 200\n", "custom.ack.refused.status", "200"},
		{"gone", signedJSON + "[ack.refused]\nstatus = 410\n", "custom.ack.refused.status", "410"},
		{"body with 204", signedJSON + "[ack]\nstatus = 204\nbody = \"OK\"\n", "custom.ack.body", "no body"},
		{"mode incomplete", signedJSON + "[mode]\nfrom = \"live\"\n", "custom.mode", "not complete"},
		{"no step", signedJSON + "[query]\nbase = { live = \"https://x.example\" }\nauth = { kind = \"none\" }\n", "custom.query.step", "what to ask"},
		{"no base", signedJSON + "[query]\nauth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/\"\n", "base_url", "no address"},
		{"auth incomplete", signedJSON + strings.Replace(query, `"none"`, `"basic"`, 1) + "by = \"merchant_ref\"\npath = \"/\"\n", "custom.query.auth", "who asks"},
		{"step without ref", signedJSON + query + "by = \"ref\"\npath = \"/\"\n", "custom.query.step[0].ref", "way of asking"},
		{"step without path", signedJSON + query + "by = \"merchant_ref\"\n", "custom.query.step[0].path", "no path"},
		{"GET with a body", signedJSON + query + "by = \"merchant_ref\"\npath = \"/\"\nbody = \"{}\"\n", "custom.query.step[0].method", "no body"},
		{"401 as not found", signedJSON + query + "by = \"merchant_ref\"\npath = \"/\"\nnot_found = [{ status = 401 }]\n", "custom.query.step[0].not_found[0].status", "refused"},
		{"always not found", signedJSON + query + "by = \"merchant_ref\"\npath = \"/\"\nnot_found = [{}]\n", "custom.query.step[0].not_found[0]", "every answer"},
		{"token that covers", replaced(`kind     = "hmac"`, "kind = \"static_token\"\ncovers = [\"body\"]") + query + "by = \"merchant_ref\"\npath = \"/\"\n", "custom.signature[0].covers", "covers nothing"},
		{"token without query", replaced(`kind     = "hmac"`, `kind = "static_token"`), "custom.query", "no way to ask"},
		{"status not said", "status = \"tested\"\n" + signedJSON, "custom.status", "tested"},
		{"challenge that is a notice", signedJSON + "[challenge]\nkind = \"fixed\"\nmethod = \"POST\"\n", "custom.challenge.method", "POST"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			list := problemsOf(t, c.definition)
			for _, p := range list {
				if p.Path == c.path && strings.Contains(p.Text, c.text) && p.Remedy != "" {
					return
				}
			}
			t.Errorf("want %s: …%s…, got %+v", c.path, c.text, list)
		})
	}
}

func problemsOf(t *testing.T, definition string) Problems {
	t.Helper()
	spec, err := ParseSpec([]byte(definition), "custom")
	if err == nil {
		_, err = New(Instance{Name: "x", Preset: "custom", Mode: "live", Custom: &spec, Secrets: []Secret{{Value: "k"}}})
	}
	list, ok := err.(Problems)
	if !ok || len(list) == 0 {
		t.Fatalf("no problems: %v", err)
	}
	return list
}

func TestEveryFaultIsReported(t *testing.T) {
	list := problemsOf(t, strings.Replace(replaced(`"sha256"`, `"md5"`), `"decimal"`, `"float"`, 1))
	if len(list) != 2 || !strings.Contains(list.Error(), "custom.signature[0].hash: ") || !strings.Contains(list.Error(), "custom.fields.amount.kind: ") {
		t.Errorf("%v", list)
	}
}

func TestWrongInstances(t *testing.T) {
	spec, err := ParseSpec([]byte(signedJSON), "custom")
	if err != nil {
		t.Fatal(err)
	}
	hexKey, err := ParseSpec([]byte(replaced(`encoding = "hex"`, "encoding = \"hex\"\nkey_encoding = \"hex\"")), "custom")
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		in   Instance
		path string
	}{
		"unknown preset":     {Instance{Preset: "paymungo", Mode: "live"}, "preset"},
		"path as preset":     {Instance{Preset: "../presets/sandbox", Mode: "live"}, "preset"},
		"no mode":            {Instance{Preset: "sandbox"}, "mode"},
		"custom without":     {Instance{Preset: "custom", Mode: "live"}, "custom"},
		"preset with custom": {Instance{Preset: "sandbox", Mode: "test", Custom: &spec}, "custom"},
		"base":               {Instance{Preset: "sandbox", Mode: "test", BaseURL: "127.0.0.1:9090"}, "base_url"},
		"secret ends early":  {Instance{Preset: "sandbox", Mode: "test", Secrets: []Secret{{Value: "a", NotBefore: arrival, Until: arrival.Add(-time.Hour)}}}, "webhook_secrets[0].until"},
		"secret not hex":     {Instance{Preset: "custom", Mode: "live", Custom: &hexKey, Secrets: []Secret{{Value: "ab"}, {Value: "secret-zz"}}}, "webhook_secrets[1]"},
	}
	for name, c := range cases {
		_, err := New(c.in)
		list, ok := err.(Problems)
		if !ok || len(list) != 1 || list[0].Path != c.path || list[0].Remedy == "" {
			t.Errorf("%s: %v, want one problem at %s", name, err, c.path)
		}
		if err != nil && strings.Contains(err.Error(), "secret-zz") {
			t.Errorf("%s: a secret stands in the error", name)
		}
	}
}

func TestPresetsCompileAndDescribeThemselves(t *testing.T) {
	if names := strings.Join(PresetNames(), " "); !strings.Contains(names, "custom") || !strings.Contains(names, "paymongo") || !strings.Contains(names, "sandbox") {
		t.Errorf("presets %s", names)
	}
	for _, name := range PresetNames() {
		if name == CustomPreset {
			continue
		}
		in := shipped(t, name).instance(t, "main")
		g := mustNew(t, in)
		text := strings.Join(g.Describe(), "\n")
		if !strings.Contains(text, g.Facts().Title) || !strings.Contains(text, g.Facts().Status) {
			t.Errorf("%s describes itself as %s", name, text)
		}
		secrets := []string{in.APIKey, in.APISecret, in.PrivateKey}
		for _, s := range in.Secrets {
			secrets = append(secrets, s.Value)
		}
		for _, secret := range secrets {
			if len(secret) > 6 && strings.Contains(text, secret) {
				t.Errorf("%s shows a secret: %s", name, text)
			}
		}
	}
}

func TestDescribe(t *testing.T) {
	want := []string{
		"SmartPay (unconfirmed), live mode.",
		"Takes POST with a body opened as json.",
		"An HMAC-SHA256 over {raw_body}, written in hex, must stand in {header:X-Signature}; keys configured: 1.",
		"Two notices are the same if they agree in {field:gateway_ref}:{field:status}.",
		"Reads a payment with the words CANCELLED = cancelled, EXPIRED = expired, FAILED = failed, PENDING = pending, PROCESSING = processing, SUCCESS = succeeded.",
		"The merchant account in a notice is not compared, because account is not configured.",
		`Acknowledges with 200, text/plain; charset=utf-8, and exactly "SUCCESS".`,
		"The gateway cannot be asked: final failures are held for failure_hold, and open payments end as unknown.",
	}
	got := smartpay(t).Describe()
	if len(got) < len(want) {
		t.Fatalf("%d lines: %q", len(got), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d: %q, want %q", i, got[i], want[i])
		}
	}
}
