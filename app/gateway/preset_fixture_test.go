package gateway

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// fixture is what a definition is proved with. It is decoded strictly.
type fixture struct {
	Source   string                     `toml:"source"`
	Lacks    map[string]string          `toml:"lacks"` // required thing that the gateway cannot have → why
	Hosts    map[string]string          `toml:"hosts"`
	Instance map[string]fixtureInstance `toml:"instance"`
	Ack      map[string]fixtureAck      `toml:"ack"`
	Sample   []fixtureSample            `toml:"sample"`
	Refused  []fixtureRefused           `toml:"refused"`
	Query    []fixtureQuery             `toml:"query"`
}

type fixtureInstance struct {
	Mode       string   `toml:"mode"`
	Secrets    []string `toml:"secrets"`
	SecretIDs  []string `toml:"secret_ids"`
	PublicKeys []string `toml:"public_keys"`
	Account    string   `toml:"account"`
	PublicURL  string   `toml:"public_url"`
	APIKey     string   `toml:"api_key"`
	APISecret  string   `toml:"api_secret"`
	PrivateKey string   `toml:"private_key"`
	Currency   string   `toml:"currency"`
	Networks   string   `toml:"networks"`
	Variant    string   `toml:"variant"`
	Tolerance  string   `toml:"tolerance"`
}

type fixtureAck struct {
	Status      int               `toml:"status"`
	ContentType string            `toml:"content_type"`
	Body        string            `toml:"body"`
	Header      map[string]string `toml:"header"`
}

type fixtureSample struct {
	Name        string               `toml:"name"`
	Instance    string               `toml:"instance"`
	At          time.Time            `toml:"at"`
	RemoteIP    string               `toml:"remote_ip"`
	Request     string               `toml:"request"`
	BodyBase64  string               `toml:"body_base64"`
	Verdict     string               `toml:"verdict"`
	Reason      string               `toml:"reason"`
	Mode        string               `toml:"mode"`
	Ack         *fixtureAck          `toml:"ack"`
	Observation []fixtureObservation `toml:"observation"`
}

type fixtureObservation struct {
	Verdict     string     `toml:"verdict"`
	Reason      string     `toml:"reason"`
	Kind        string     `toml:"kind"`
	Word        string     `toml:"word"`
	RawWord     *string    `toml:"raw_word"`
	Dedupe      *string    `toml:"dedupe"`
	Refs        []string   `toml:"refs"`
	MerchantRef *string    `toml:"merchant_ref"`
	Amount      *string    `toml:"amount"`
	AmountMinor *int64     `toml:"amount_minor"`
	NoAmount    bool       `toml:"no_amount"`
	Currency    string     `toml:"currency"`
	Account     *string    `toml:"account"`
	OccurredAt  *time.Time `toml:"occurred_at"`
	Confirm     *bool      `toml:"confirm_by_query"`
	Cumulative  *bool      `toml:"cumulative"`
}

type fixtureRefused struct {
	Name       string      `toml:"name"`
	Proves     string      `toml:"proves"`
	Of         string      `toml:"of"`
	Request    string      `toml:"request"`
	BodyBase64 string      `toml:"body_base64"`
	Instance   string      `toml:"instance"`
	Replace    [][2]string `toml:"replace"`
	Flip       string      `toml:"flip"`
	Remove     []string    `toml:"remove"`
	Secrets    *[]string   `toml:"secrets"`
	PublicKeys *[]string   `toml:"public_keys"`
	Account    *string     `toml:"account"`
	PublicURL  *string     `toml:"public_url"`
	Mode       *string     `toml:"mode"`
	RemoteIP   *string     `toml:"remote_ip"`
	At         time.Time   `toml:"at"`
	Reason     string      `toml:"reason"`
}

type fixtureQuery struct {
	Name     string            `toml:"name"`
	Instance string            `toml:"instance"`
	Now      time.Time         `toml:"now"`
	Nonce    string            `toml:"nonce"`
	Question fixtureQuestion   `toml:"question"`
	Request  string            `toml:"request"`
	Signed   *fixtureSigned    `toml:"signed"`
	Before   []fixtureExchange `toml:"before"`
	Answer   []fixtureAnswer   `toml:"answer"`
}

type fixtureQuestion struct {
	MerchantRef string    `toml:"merchant_ref"`
	OrderRef    string    `toml:"order_ref"`
	Attempt     string    `toml:"attempt"`
	AmountMinor int64     `toml:"amount_minor"`
	Currency    string    `toml:"currency"`
	Refs        []string  `toml:"refs"`
	Created     time.Time `toml:"created"`
}

// fixtureSigned says what was signed in a question, and by which tool outside.
type fixtureSigned struct {
	PublicKey string `toml:"public_key"`
	Hash      string `toml:"hash"`
	Message   string `toml:"message"`
	Signature string `toml:"signature"`
	Tool      string `toml:"tool"`
}

// fixtureExchange comes before the question itself: a token, or a step that found nothing.
type fixtureExchange struct {
	Request string            `toml:"request"`
	Status  int               `toml:"status"`
	Headers map[string]string `toml:"headers"`
	Body    string            `toml:"body"`
}

type fixtureAnswer struct {
	Shows       string               `toml:"shows"`
	Name        string               `toml:"name"`
	Status      int                  `toml:"status"`
	Headers     map[string]string    `toml:"headers"`
	Body        string               `toml:"body"`
	BodyBase64  string               `toml:"body_base64"`
	Created     time.Time            `toml:"created"`
	Class       string               `toml:"class"`
	Reason      string               `toml:"reason"`
	Observation []fixtureObservation `toml:"observation"`
}

// subject is one definition with its fixture.
type subject struct {
	name   string
	spec   Spec
	custom bool // a merchant's own, taken through the preset custom
	fix    fixture
}

func loadFixture(t testing.TB, file string) fixture {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("the definition has no fixture: write %s", file)
	}
	var f fixture
	d := toml.NewDecoder(bytes.NewReader(raw)).DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		if strict, ok := err.(*toml.StrictMissingError); ok {
			t.Fatalf("%s has keys that are not known:\n%s", file, strict)
		}
		t.Fatalf("%s: %v", file, err)
	}
	return f
}

// shipped is a preset of the package with its fixture.
func shipped(t testing.TB, name string) *subject {
	t.Helper()
	spec, err := Preset(name)
	if err != nil {
		t.Fatal(err)
	}
	return &subject{name: name, spec: spec, fix: loadFixture(t, filepath.Join("testdata", "presets", name+".toml"))}
}

// described is a definition that is no preset: two TOML files in testdata/presets-extra.
func described(t testing.TB, name string) *subject {
	t.Helper()
	dir := filepath.Join("testdata", "presets-extra")
	raw, err := os.ReadFile(filepath.Join(dir, name+".toml"))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := ParseSpec(raw, "custom")
	if err != nil {
		t.Fatalf("ParseSpec: %v", err)
	}
	return &subject{name: name, spec: spec, custom: true, fix: loadFixture(t, filepath.Join(dir, name+"_fixture.toml"))}
}

// instance is what a merchant would configure.
func (s *subject) instance(t testing.TB, name string) Instance {
	t.Helper()
	if name == "" {
		name = "main"
	}
	f, ok := s.fix.Instance[name]
	if !ok {
		t.Fatalf("the fixture has no [instance.%s]", name)
	}
	in := Instance{Name: s.name, Preset: s.name, Mode: f.Mode, Account: f.Account, PublicURL: f.PublicURL, APIKey: f.APIKey, APISecret: f.APISecret,
		PrivateKey: keyText(t, f.PrivateKey), Currency: f.Currency, Networks: f.Networks, Variant: f.Variant, PublicKeys: keyTexts(t, f.PublicKeys)}
	for i, v := range f.Secrets {
		in.Secrets = append(in.Secrets, Secret{Value: v})
		if i < len(f.SecretIDs) {
			in.Secrets[i].ID = f.SecretIDs[i]
		}
	}
	if f.Tolerance != "" {
		d, err := time.ParseDuration(f.Tolerance)
		if err != nil {
			t.Fatalf("[instance.%s] tolerance: %v", name, err)
		}
		in.Tolerance = &d
	}
	if s.custom {
		in.Preset, in.Custom = CustomPreset, &s.spec
	}
	return in
}

func (s *subject) gateway(t testing.TB, name string) *Gateway {
	t.Helper()
	return mustNew(t, s.instance(t, name))
}

func keyTexts(t testing.TB, list []string) []string {
	t.Helper()
	var out []string
	for _, one := range list {
		out = append(out, keyText(t, one))
	}
	return out
}

// keyText puts the content of a key file in the place of file:NAME.
func keyText(t testing.TB, s string) string {
	t.Helper()
	before, file, ok := strings.Cut(s, "file:")
	if !ok || before != "" && !strings.HasSuffix(before, "=") {
		return s
	}
	raw, err := os.ReadFile(filepath.Join("testdata", "keys", file))
	if err != nil {
		t.Fatal(err)
	}
	return before + strings.TrimSpace(string(raw))
}

// captured parses a request as the fixture writes it.
func captured(t testing.TB, text, bodyBase64 string, at time.Time) Request {
	t.Helper()
	r, err := ParseCapture([]byte(text), at.UTC())
	if err != nil {
		t.Fatalf("request: %v", err)
	}
	more, err := base64.StdEncoding.DecodeString(bodyBase64)
	if err != nil {
		t.Fatalf("body_base64: %v", err)
	}
	r.Body = append(r.Body, more...)
	return r
}

func (f *fixtureSample) request(t testing.TB) Request {
	t.Helper()
	r := captured(t, f.Request, f.BodyBase64, f.At)
	r.RemoteIP = f.RemoteIP
	return r
}

// sample finds a sample by name; without one it is the first accepted.
func (s *subject) sample(t testing.TB, name string) *fixtureSample {
	t.Helper()
	for i := range s.fix.Sample {
		if one := &s.fix.Sample[i]; one.Name == name || name == "" && one.Verdict == Accepted {
			return one
		}
	}
	if name == "" {
		t.Fatal("the fixture lacks an accepted [[sample]]")
	}
	t.Fatalf("the fixture has no sample %q", name)
	return nil
}

// copyOf leaves the original untouched by what a test changes.
func copyOf(r Request) Request {
	r.Header, r.Body = r.Header.Clone(), bytes.Clone(r.Body)
	return r
}
