package web

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

func TestGatewayPageSaysWhatIsNeeded(t *testing.T) {
	d := newDesk(t)
	p := d.get("/gateways/sandbox")
	p.wants(".sum", "Verified")
	p.wants("section[aria-labelledby=address]", "payment refund dispute")
	p.wants("section[aria-labelledby=address]", "run the demo again")
	p.wants("section[aria-labelledby=keys]", "api_key configured the key that the sandbox was started with")
	p.wants("section[aria-labelledby=networks]", "source_networks is off")
	p.wants("details", "Two notices are the same if they agree in id.")
	if got := p.value(".head a.button", "href"); got != "/gateways/sandbox/try" {
		t.Errorf("trying a request is at %q", got)
	}
	p = d.get("/gateways/mute")
	rows := p.all("section[aria-labelledby=keys] tbody tr")
	if len(rows) != 2 || !strings.Contains(textOf(rows[0]), "webhook_secrets") || !strings.Contains(textOf(rows[0]), "missing") {
		t.Errorf("the key that is missing is not the first: %s", p.words("section[aria-labelledby=keys]"))
	}
	d.get("/gateways/plain").wants(".sum", "Your own definition")
	d.get("/gateways/plain").wants("section[aria-labelledby=schedule]", "This gateway cannot be asked.")
	keyless := newStillDesk(t)
	keyless.reconfigure("webhook_secrets = [\"env:HOOK_SECRET\"]\napi_key         = \"env:HOOK_SECRET\"", "webhook_secrets = [\"env:HOOK_SECRET\"]")
	keyless.get("/gateways/sandbox").wants("section[aria-labelledby=schedule]", "It is not asked, because a key is missing.")
}

// TestTheKeyThatMatchedIsShown has two secrets, of which the second fits.
func TestTheKeyThatMatchedIsShown(t *testing.T) {
	d := newStillDesk(t)
	d.reconfigure(`webhook_secrets = ["env:HOOK_SECRET"]`, `webhook_secrets = ["an-older-secret", "env:HOOK_SECRET", { value = "a-coming-secret", not_before = 2031-04-01 }]`)
	d.post(d.notice("evt_1", "ORDER-1", "paid", "10.00"))
	rows := d.get("/gateways/sandbox").all("section[aria-labelledby=keys] .tablebox + h3 + .tablebox tbody tr")
	if len(rows) != 3 {
		t.Fatalf("%d keys are shown, want 3", len(rows))
	}
	for i, want := range []string{"webhook_secrets[0] never", "webhook_secrets[1] 01:00:00 just now It matched last of all.", "webhook_secrets[2] never It does not count yet."} {
		if got := strings.Join(strings.Fields(textOf(rows[i])), " "); !strings.HasPrefix(got, want) {
			t.Errorf("key %d: %q, want %q", i, got, want)
		}
	}
}

func TestAKeyThatMayGoIsNamed(t *testing.T) {
	v := &visit{admin: &admin{}, lang: language("en"), now: time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)}
	for want, use := range map[string]app.KeyUse{
		"This one has not matched for 30 days while another one has: it can be removed.": {Valid: true, Removable: true},
		"It has ended and counts no more.":                                               {Until: v.now},
		"It does not count yet.":                                                         {NotBefore: v.now.Add(time.Second)},
		"It matched last of all.":                                                        {Valid: true, Last: true},
		"":                                                                               {Valid: true, LastMs: 1},
	} {
		if got := v.matchNote(use); got != want {
			t.Errorf("%+v: %q, want %q", use, got, want)
		}
	}
}

func TestTheListOffersWhatIsNotConfigured(t *testing.T) {
	d := newDesk(t)
	p := d.get("/gateways")
	titles := p.all("section[aria-labelledby=ready] summary")
	if len(titles) != len(gateway.PresetNames())-2 {
		t.Errorf("%d gateways are offered, want all but the sandbox and the custom one: %d", len(titles), len(gateway.PresetNames())-2)
	}
	if got := strings.Join(strings.Fields(textOf(titles[0])), " "); got != "PayMongo Verified" {
		t.Errorf("the first one offered is %q", got)
	}
	want := "[[gateway]]\nname            = \"paymongo\"\npreset          = \"paymongo\"\nmode            = \"test\"\nwebhook_secrets = [\"env:PAYMONGO_WEBHOOK_SECRET\"]\napi_key         = \"env:PAYMONGO_API_KEY\"\n"
	if got := p.value("section[aria-labelledby=ready] button", "data-copy"); got != want {
		t.Errorf("the table to begin with is\n%s\nwant\n%s", got, want)
	}
	p.wants("section[aria-labelledby=ready] dl", "Developers > API keys")
}

// TestWhatIsOfferedCanBeConfigured loads every table to begin with, its keys filled with values of the right kinds.
func TestWhatIsOfferedCanBeConfigured(t *testing.T) {
	d := newDesk(t)
	v := &visit{admin: &admin{Server: d.server}, lang: language("en")}
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	public := pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(&key.PublicKey)})
	getenv := func(name string) (string, bool) {
		switch {
		case strings.HasSuffix(name, "_PUBLIC_KEY"):
			return string(public), true
		case strings.HasSuffix(name, "_PRIVATE_KEY"):
			return string(private), true
		}
		return strings.Repeat("0123456789abcdef", 2), true // hexadecimal, base64 and text at once
	}
	for _, p := range shipped() {
		path := filepath.Join(t.TempDir(), "nodrop.toml")
		if err := os.WriteFile(path, []byte(v.starter(p)), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(path, config.Env{ReadFile: os.ReadFile, Getenv: getenv})
		var faults *config.Faults
		if errors.As(err, &faults) {
			for _, f := range faults.List {
				if !strings.Contains(f.Key, "public_keys") && !strings.Contains(f.Key, "private_key") { // the kind of key may be another
					t.Errorf("%s: %v", p.name, f)
				}
			}
			continue
		}
		if err != nil || len(c.Gateways) != 1 || c.Gateways[0].Name != p.name {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		if missing := c.Gateways[0].Missing(p.spec.Needs); len(missing) != 0 {
			t.Errorf("%s: %v are still missing", p.name, missing)
		}
	}
}

func TestPhilippineGatewaysComeFirst(t *testing.T) {
	var far bool
	var titles []string
	for _, p := range shipped() {
		near := slices.Contains(p.spec.Facts.Countries, "PH")
		if near && far {
			t.Errorf("%s comes after gateways from elsewhere", p.name)
		}
		if far = far || !near; !near {
			titles = append(titles, strings.ToLower(p.spec.Title))
		}
	}
	if !slices.IsSorted(titles) {
		t.Errorf("the others are not in the order of their titles: %v", titles)
	}
}

func TestACertificateThatIsWaitedForIsShown(t *testing.T) {
	v := &visit{admin: &admin{Server: newDesk(t).server}, lang: language("en"), now: time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC)}
	row := v.certificateRow(app.CertificateWait{URL: "https://certs.example/1", Requests: 2, Error: "answered 500", NextMs: v.now.Add(time.Minute).UnixMilli()})
	if row.Value != "2 requests wait for it; the last try failed: answered 500" || row.Ref.Full != "https://certs.example/1" || row.At.Ago != "in 1 min" {
		t.Errorf("it is shown as %+v", row)
	}
}

func TestRefusedRequestsAreCountedWithTheirReason(t *testing.T) {
	d := newDesk(t)
	d.post([]byte("{}"), header("Sandbox-Signature", "t=1,v1=00"))
	d.until("the refused request", func(rx *store.Rx) (bool, error) {
		list, err := rx.RefusedCounts()
		return len(list) == 1, err
	})
	p := d.get("/gateways/sandbox")
	p.wants(".refusals", "Wrong signature 1")
	p.wants(".refusals", "Most often the secret is another one")
}
