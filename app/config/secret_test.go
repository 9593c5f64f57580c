package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestSecretsAreNeverShown(t *testing.T) {
	const hidden = "correct-horse-battery"
	c := mustLoad(t, `
[[gateway]]
name = "g"
preset = "sandbox"
mode = "test"
api_key = "`+hidden+`"
private_key = "`+hidden+`"
webhook_secrets = ["`+hidden+`", { value = "`+hidden+`", until = 2031-04-01 }]
`)
	type holder struct{ inner TimedSecret } // unexported: fmt cannot call its methods
	values := map[string]any{"config": *c, "gateway": c.Gateways[0], "secret": NewSecret(hidden), "pointer": &c.Gateways[0].APIKey,
		"unexported": holder{c.Gateways[0].WebhookSecrets[0]}, "warnings": c.Warnings, "effective": Effective(c)}
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	for name, v := range values {
		shown := ""
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			shown += fmt.Sprintf(verb, v)
		}
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Errorf("json of %s: %v", name, err)
		}
		logger.Info("shown", name, v)
		for _, form := range []string{hidden, fmt.Sprintf("%x", hidden)} {
			if strings.Contains(shown+string(encoded)+log.String(), form) {
				t.Errorf("%s shows the secret", name)
			}
		}
	}
	if c.Gateways[0].APIKey.Reveal() != hidden {
		t.Error("Reveal does not give the secret")
	}
}

func TestSecretSaysWhereItComesFrom(t *testing.T) {
	c := mustLoad(t, oneGateway)
	equal(t, "from env", c.Gateways[0].APIKey.String(), "(secret from env:KEY)")
	equal(t, "written", NewSecret("x").String(), "(secret)")
	equal(t, "none", Secret{}.String(), "(none)")
	equal(t, "empty is none", NewSecret("").IsSet(), false)
	equal(t, "none reveals", Secret{}.Reveal(), "")
}

func TestFaultsShowNoSecret(t *testing.T) {
	const hidden = "correct-horse-battery"
	for name, text := range map[string]string{
		"list instead of text":  "[[gateway]]\nname=\"g\"\npreset=\"sandbox\"\nmode=\"test\"\napi_key=[\"" + hidden + "\"]\n",
		"text instead of list":  "[[gateway]]\nname=\"g\"\npreset=\"sandbox\"\nmode=\"test\"\nwebhook_secrets=\"" + hidden + "\"\n",
		"no whsec secret":       "[shop]\nurl=\"https://s.example\"\nsecrets=[\"" + hidden + "\"]\n",
		"control character":     "[[gateway]]\nname=\"g\"\npreset=\"sandbox\"\nmode=\"test\"\napi_key=\"" + hidden + "\\n1\"\n",
		"password in address":   "[shop]\nurl=\"https://u:" + hidden + "@s.example\"\n",
		"password, no address":  "[shop]\nurl=\"ftp://u:" + hidden + "@s.example\"\n",
		"unknown key beside it": "[[gateway]]\nname=\"g\"\npreset=\"sandbox\"\nmode=\"test\"\napi_kee=\"" + hidden + "\"\n",
		"duplicate key":         "[shop]\nurl=\"" + hidden + "\"\nurl=\"" + hidden + "\"\n",
		"unfinished text":       "[shop]\nurl=\"" + hidden + "\n",
	} {
		_, err := load(text)
		if err == nil {
			t.Errorf("%s: no fault", name)
			continue
		}
		if strings.Contains(err.Error()+fmt.Sprintf("%#v", err), hidden) {
			t.Errorf("%s: the fault shows the secret: %v", name, err)
		}
	}
}

func TestTimedSecrets(t *testing.T) {
	c := mustLoad(t, `
timezone = "Asia/Manila"
[[gateway]]
name = "g"
preset = "sandbox"
mode = "test"
api_key = "env:KEY"
webhook_secrets = [
  "env:HOOK",
  { value = "env:KEY", not_before = 2031-03-01T08:00:00, until = 2031-04-01 },
  { value = "file:key", until = 2031-04-01T00:00:00Z },
]
`)
	s := c.Gateways[0].WebhookSecrets
	equal(t, "values", []string{s[0].Value.Reveal(), s[1].Value.Reveal(), s[2].Value.Reveal()}, []string{"hook-secret", "key-secret", "from-a-file"})
	// Manila is eight hours ahead of UTC.
	begin, end := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(2031, 3, 31, 16, 0, 0, 0, time.UTC)
	if !s[1].NotBefore.Equal(begin) || !s[1].Until.Equal(end) || !s[2].Until.Equal(time.Date(2031, 4, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("times = %v, %v, %v", s[1].NotBefore, s[1].Until, s[2].Until)
	}
	valid := []bool{s[1].ValidAt(begin.Add(-1)), s[1].ValidAt(begin), s[1].ValidAt(end.Add(-1)), s[1].ValidAt(end), s[0].ValidAt(time.Time{})}
	equal(t, "valid", valid, []bool{false, true, true, false, true})
	in := c.Gateways[0].Instance().Secrets[1]
	equal(t, "instance", []any{in.Value, in.NotBefore.Equal(begin), in.Until.Equal(end)}, []any{"key-secret", true, true})
}

func TestEffectiveShowsTimesOfSecrets(t *testing.T) {
	at := time.Date(2031, 4, 1, 0, 0, 0, 0, time.UTC)
	c := Default("hook", "key")
	c.Gateways[0].WebhookSecrets = append(c.Gateways[0].WebhookSecrets, TimedSecret{Value: NewSecret("x"), NotBefore: at, Until: at.Add(time.Hour)})
	want := "gateway.sandbox.webhook_secrets = (secret), (secret) from 2031-04-01T00:00:00Z until 2031-04-01T01:00:00Z"
	if all := strings.Join(Effective(c), "\n"); !strings.Contains(all, want) {
		t.Errorf("no line %q in:\n%s", want, all)
	}
}

func TestEffectiveListsEverything(t *testing.T) {
	c := mustLoad(t, oneGateway+`failure_hold = "20m"`)
	all := "\n" + strings.Join(Effective(c), "\n") + "\n"
	for _, want := range []string{
		`data = "nodrop.db"`, `timezone = "UTC"`, `public.listen = ":8080"`, `shop.secrets = (none)`, `limits.max_body = 1MiB`,
		`limits.refused_age = 14d`, `gateway.g.preset = "sandbox"`, `gateway.g.webhook_secrets = (secret from env:HOOK)`,
		`gateway.g.api_key = (secret from env:KEY)`, `gateway.g.query_rate = 5/s`, `gateway.g.query_schedule = 30s, 1m, 2m, 5m, 15m, 1h`,
		`gateway.g.give_up_after = 2d`, `gateway.g.failure_hold = 20m`,
	} {
		if !strings.Contains(all, "\n"+want+"\n") {
			t.Errorf("no line %q in:%s", want, all)
		}
	}
}
