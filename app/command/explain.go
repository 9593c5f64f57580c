package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// Explaining is a call of Explain.
type Explaining struct {
	Config  string // path; empty: as Load does
	Gateway string
	At      string // RFC 3339, when the request came in; empty: now
	JSON    bool
	File    string // the captured request; "-": standard input
}

// Explain reads one captured request and says what would be done with it. It writes nothing.
func (e *Env) Explain(ctx context.Context, x Explaining) error {
	at, err := e.instant(x.At)
	if err != nil {
		return err
	}
	g, err := e.gateway(ctx, x.Config, x.Gateway)
	if err != nil {
		return err
	}
	raw, err := e.read(x.File)
	if err != nil {
		return err
	}
	request, err := gateway.ParseCapture(raw, at)
	if err != nil {
		return Wrong("%s: %v", x.File, err)
	}
	e.fetch(ctx, g, request)
	found := gateway.Explain(g, request)
	if x.JSON {
		err = e.printJSON(found)
	} else {
		e.print("%s", explanation(found, cause(g, request, x.At == ""))+evidence(g, request))
	}
	if err == nil && found.Verdict == gateway.Refused {
		return ErrFound
	}
	return err
}

// fetchWithin bounds the fetch of a certificate.
const fetchWithin = 10 * time.Second

// fetch gets the certificate that a request points to and that no configured key stands in for.
func (e *Env) fetch(ctx context.Context, g *gateway.Gateway, r gateway.Request) {
	reading := g.Read(r)
	if reading.Certificate == "" {
		return
	}
	e.note("fetching the certificate %s\n", reading.Certificate)
	if err := g.FetchCertificate(ctx, &http.Client{Timeout: fetchWithin}, reading.Certificate, e.Now()); err != nil {
		e.note("%v\n", err)
	}
}

// evidence says what the verdict rests on: the key that matched, the sender's clock, the mode, and what a capture cannot tell.
func evidence(g *gateway.Gateway, r gateway.Request) string {
	var b strings.Builder
	reading := g.Read(r)
	names := g.KeyNames()
	if reading.Secret >= 0 && reading.Secret < len(names) {
		fmt.Fprintf(&b, "key: %s matched\n", names[reading.Secret])
	}
	if reading.SkewMs != 0 {
		fmt.Fprintf(&b, "signed: %s\n", distance(reading.SkewMs))
	}
	if reading.Mode != "" {
		fmt.Fprintf(&b, "mode: %s\n", reading.Mode)
	}
	if len(g.Facts().Networks) > 0 {
		b.WriteString("networks: a capture does not say where it came from, so that was not looked at\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + b.String()
}

// distance words the signing time, in milliseconds after the arrival.
func distance(skewMs int64) string {
	d := (time.Duration(skewMs) * time.Millisecond).Round(time.Second)
	switch {
	case d > 0:
		return config.FormatDuration(d) + " after it came in"
	case d < 0:
		return config.FormatDuration(-d) + " before it came in"
	}
	return "within the second in which it came in"
}

func (e *Env) instant(text string) (time.Time, error) {
	if text == "" {
		return e.Now(), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, Wrong("--at %s is no instant: write it as 2031-03-07T09:15:00+08:00", text)
	}
	return at, nil
}

func (e *Env) read(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(e.Stdin)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, Wrong("the captured request cannot be read: %v", err)
	}
	return raw, nil
}

// gateway finds one configured gateway by its name.
func (e *Env) gateway(ctx context.Context, path, name string) (*gateway.Gateway, error) {
	c, err := e.Load(path)
	if err == nil && c == nil {
		c, err = e.sandboxAsKept(ctx)
	}
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range c.Gateways {
		if c.Gateways[i].Name == name {
			g, err := gateway.New(c.Gateways[i].Instance())
			if err != nil {
				return nil, Wrong("gateway %s: %v", name, err)
			}
			return g, nil
		}
		names = append(names, c.Gateways[i].Name)
	}
	return nil, Wrong("there is no gateway %q: --gateway takes one of %s", name, strings.Join(names, ", "))
}

// sandboxAsKept is the configuration without a file, with the secrets that a server has made.
func (e *Env) sandboxAsKept(ctx context.Context) (c *config.Config, err error) {
	c = config.Default("", "")
	if _, err := os.Stat(c.Data); errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	db, err := store.Open(ctx, c.Data, store.Options{Log: e.Log, Now: e.Now})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(ctx, "sandbox secrets", func(rx *store.Rx) error {
		secret, err := rx.MetaValue(metaSandboxSecret)
		if err != nil {
			return err
		}
		key, err := rx.MetaValue(metaSandboxKey)
		c = config.Default(secret, key)
		return err
	})
	return c, err
}

func (e *Env) printJSON(v any) error {
	out := json.NewEncoder(e.Stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

// verdicts say what a verdict means.
var verdicts = map[string]string{
	gateway.Accepted:   "accepted: it would be stored and worked on",
	gateway.Ignored:    "ignored: it would be acknowledged, and change nothing",
	gateway.Refused:    "refused: it would be kept for inspection only",
	gateway.Unreadable: "unreadable: it would be stored and acknowledged, and wait for a person as a dead letter",
	gateway.Challenged: "challenge: it would be answered, and nothing stored",
}

// cause says in plain words why a request is not simply accepted. With now, the instant of arrival was not given.
func cause(g *gateway.Gateway, r gateway.Request, now bool) string {
	reading := g.Read(r)
	if reading.Reason != "stale_timestamp" {
		return g.Diagnose(r)
	}
	if reading.SkewMs > 0 {
		return fmt.Sprintf("the signature is right, but its time lies %d s after the request came in: a clock is wrong, here or at the sender", reading.SkewMs/1000)
	}
	text := fmt.Sprintf("the signature is right, but its time lies %d s before the request came in: a late delivery, an old request sent again, or a clock that is wrong", -reading.SkewMs/1000)
	if now {
		text += ". It was taken to have come in just now; say with --at when it did"
	}
	return text
}

func explanation(x gateway.Explanation, cause string) string {
	var b strings.Builder
	b.WriteString(verdicts[x.Verdict])
	if x.Reason != "" {
		fmt.Fprintf(&b, " (%s)", x.Reason)
	}
	if cause != "" {
		fmt.Fprintf(&b, "\nwhy: %s", cause)
	}
	fmt.Fprintf(&b, "\nanswer: %d %s %q\n", x.Ack.Status, x.Ack.ContentType, x.Ack.Body)
	for i, o := range x.Observations {
		fmt.Fprintf(&b, "\nobservation %d\n", i+1)
		for _, line := range observation(o) {
			if line[1] != "" {
				fmt.Fprintf(&b, "  %-18s%s\n", line[0], line[1])
			}
		}
	}
	return b.String()
}

func observation(o gateway.ExplainedObservation) [][2]string {
	lines := [][2]string{{"verdict", o.Verdict}, {"says", strings.TrimSpace(o.Kind + " " + o.Word)}, {"merchant_ref", o.MerchantRef}}
	for _, r := range o.GatewayRefs {
		lines = append(lines, [2]string{"gateway ref", r.Kind + " " + r.ID})
	}
	amount := o.Amount + " " + o.Currency
	if o.AmountMinor != nil {
		amount += fmt.Sprintf(" (%d in minor units)", *o.AmountMinor)
	}
	lines = append(lines, [][2]string{{"amount", strings.TrimSpace(amount)}, {"merchant_account", o.MerchantAccount},
		{"occurred_at", o.OccurredAt}, {"dedupe_key", o.DedupeKey}}...)
	if o.ConfirmByQuery {
		lines = append(lines, [2]string{"proof", "none by itself: the gateway would be asked"})
	}
	return lines
}
