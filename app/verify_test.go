package app

import (
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// mistaken is a configuration with another secret than the gateway's.
func mistaken(c *config.Config, _ *Options) {
	c.Gateways[0].WebhookSecrets = []config.TimedSecret{{Value: config.NewSecret("another-secret")}}
}

// corrected is the engine after the secret was corrected, some time later.
func (b *bench) corrected(later time.Duration, edit ...func(*config.Config, *Options)) *bench {
	next := benchOn(b.t, b.store, edit...)
	next.clock.at = b.clock.now().Add(later)
	next.ids = b.ids
	return next
}

func (b *bench) refuse(body any) gateway.Request {
	b.t.Helper()
	raw, err := jsonOf(body)
	if err != nil {
		b.t.Fatal(err)
	}
	r := b.signed(raw)
	if ack, err := b.e.Accept(b.ctx(), "sandbox", r); err != nil || ack.Status != 401 {
		b.t.Fatalf("answered %d, %v; want 401", ack.Status, err)
	}
	return r
}

func (b *bench) verify(formKey string) VerifyResult {
	b.t.Helper()
	r, err := b.e.VerifyRefused(b.ctx(), Verification{Actor: "ana", FormKey: formKey, Gateway: "sandbox"})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) refused() (list []store.Request) {
	b.t.Helper()
	b.view(func(rx *store.Rx) (err error) { list, err = rx.Refused("", 0, 100); return err })
	return list
}

// audits lists who did what to what, newest first.
func (b *bench) audits() (list []string) {
	b.t.Helper()
	b.view(func(rx *store.Rx) error {
		rows, err := rx.Audits(0, 0, 100)
		for _, a := range rows {
			list = append(list, strings.TrimSpace(a.Actor+" "+a.Action+" "+a.Subject+" "+a.Detail))
		}
		return err
	})
	return list
}

func TestAfterTheSecretIsCorrectedRefusedRequestsCount(t *testing.T) {
	b := newBench(t, mistaken)
	p := b.register("ORDER-1", "20.00")
	arrived := b.clock.now().UnixMilli()
	b.refuse(b.notice("ORDER-1", "paid", "20.00"))
	forged := b.signed([]byte(`{"id":"evt_x"}`))
	forged.Header.Set("Sandbox-Signature", "t=1,v1=00")
	if _, err := b.e.Accept(b.ctx(), "sandbox", forged); err != nil {
		t.Fatal(err)
	}
	b = b.corrected(3 * time.Hour)
	if got, err := b.e.VerifyPreview(b.ctx(), "sandbox"); err != nil || got != (VerifyResult{Tried: 2, Accepted: 1, StillRefused: 1}) {
		t.Errorf("preview %+v, %v", got, err)
	}
	if got := b.payment(p.ID); got.State != "pending" {
		t.Fatalf("a preview made it %s", got.State)
	}
	if got := b.verify("once"); got != (VerifyResult{Tried: 2, Accepted: 1, StillRefused: 1}) {
		t.Errorf("result %+v", got)
	}
	b.work()
	if got := b.payment(p.ID); got.State != "succeeded" {
		t.Errorf("state %s", got.State)
	}
	var w store.Work
	b.view(func(rx *store.Rx) (err error) { w, _, err = rx.GetWork(1); return err })
	if w.ReceivedMs != arrived || w.Request.ReceivedMs != arrived || w.Request.Status != 401 || !strings.HasPrefix(w.Request.Detail, "refused at first as bad_signature") {
		t.Errorf("row came in at %d (want %d), answered %d, detail %q", w.ReceivedMs, arrived, w.Request.Status, w.Request.Detail)
	}
	want := []string{"ana verify gateway:sandbox taken in: 1", "ana verify gateway:sandbox"}
	if got := b.audits(); !slices.Equal(got, want) {
		t.Errorf("audit %q, want %q", got, want)
	}
	b.sound()
}

func TestVerifyingTwiceTakesNothingInTwice(t *testing.T) {
	b := newBench(t, mistaken)
	b.register("ORDER-1", "20.00")
	paid := b.refuse(b.notice("ORDER-1", "paid", "20.00"))
	b = b.corrected(time.Minute)
	if ack, err := b.e.Accept(b.ctx(), "sandbox", paid); err != nil || ack.Status != 200 { // the gateway was faster
		t.Fatalf("%d, %v", ack.Status, err)
	}
	if got := b.verify("one"); got != (VerifyResult{Tried: 1, Accepted: 1}) {
		t.Errorf("first %+v", got)
	}
	if got := b.verify("one"); got != (VerifyResult{Again: true}) {
		t.Errorf("the same form %+v", got)
	}
	if got := b.verify("two"); got != (VerifyResult{}) {
		t.Errorf("second %+v", got)
	}
	b.work()
	var items []store.Item
	b.view(func(rx *store.Rx) (err error) { items, err = rx.Items(store.InboxFilter{Limit: 10}); return err })
	if len(items) != 1 || items[0].Repeats != 1 {
		t.Errorf("inbox %+v, want one row that came twice", items)
	}
	if want := []string{"payment.succeeded"}; !slices.Equal(b.events(), want) {
		t.Errorf("told %v", b.events())
	}
	b.sound()
}

func TestATooOldRequestStaysRefused(t *testing.T) {
	b := newBench(t)
	raw, err := jsonOf(b.notice("ORDER-1", "paid", "20.00"))
	if err != nil {
		t.Fatal(err)
	}
	r := b.signed(raw)
	r.At = r.At.Add(24 * time.Hour)
	if ack, err := b.e.Accept(b.ctx(), "sandbox", r); err != nil || ack.Status != 401 {
		t.Fatalf("%d, %v", ack.Status, err)
	}
	if got := b.verify("one"); got != (VerifyResult{Tried: 1, StillRefused: 1}) {
		t.Errorf("result %+v", got)
	}
	if got := b.refused(); len(got) != 1 || got[0].Reason != "stale_timestamp" {
		t.Errorf("refused %+v", got)
	}
}

func TestWhatIsStillRefusedSaysWhyNow(t *testing.T) {
	b := newBench(t, func(c *config.Config, _ *Options) { c.Gateways[0].WebhookSecrets = nil })
	b.refuse(b.notice("ORDER-1", "paid", "20.00"))
	if got := b.refused(); got[0].Reason != "no_secret" {
		t.Fatalf("refused as %s", got[0].Reason)
	}
	b = b.corrected(time.Minute, mistaken)
	b.verify("one")
	if got := b.refused(); len(got) != 1 || got[0].Reason != "bad_signature" {
		t.Errorf("refused %+v", got)
	}
}

func TestOneRefusedRequestIsVerifiedAlone(t *testing.T) {
	b := newBench(t, mistaken)
	b.refuse(b.notice("ORDER-1", "paid", "20.00"))
	b.refuse(b.notice("ORDER-2", "paid", "20.00"))
	b = b.corrected(time.Minute)
	if got, err := b.e.VerifyOneRefused(b.ctx(), "ana", "one", 2); err != nil || got != (VerifyResult{Tried: 1, Accepted: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got := b.refused(); len(got) != 1 || got[0].ID != 1 {
		t.Errorf("left %+v", got)
	}
	if _, err := b.e.VerifyOneRefused(b.ctx(), "ana", "two", 2); KindOf(err) != KindStale {
		t.Errorf("taken in before: %v", err)
	}
	if _, err := b.e.VerifyOneRefused(b.ctx(), "ana", "three", 99); KindOf(err) != KindNotFound {
		t.Errorf("no such request: %v", err)
	}
	if _, err := b.e.VerifyRefused(b.ctx(), Verification{Actor: "ana", FormKey: "four", Gateway: "none"}); KindOf(err) != KindNotFound {
		t.Errorf("no such gateway: %v", err)
	}
	if got := b.audits(); got[0] != "ana verify refused:2" || got[1] != "ana verify gateway:sandbox taken in: 2" {
		t.Errorf("audit %q", got)
	}
}

func TestMoreThanAPageIsVerified(t *testing.T) {
	b := newBench(t, mistaken)
	const n = 2*verifyPage + 3
	for range n {
		b.refuse(b.notice("ORDER-1", "paid", "20.00"))
		b.clock.move(time.Second) // more at once are only counted
	}
	b = b.corrected(time.Minute)
	if got := b.verify("one"); got != (VerifyResult{Tried: n, Accepted: n}) {
		t.Errorf("result %+v", got)
	}
}

const tokenDefinition = `
[[signature]]
kind = "static_token"
from = "{header:x-callback-token}"
[notice]
dedupe = "eid"
[fields]
merchant_ref = "ref"
status = "status"
words = { PAID = "succeeded" }
amount = { from = "amount", kind = "decimal_string", currency = "currency" }
[ack]
body = "OK"
[query]
base = { test = "https://token.example" }
auth = { kind = "bearer", token = "{api_key}" }
[[query.step]]
by = "merchant_ref"
path = "/r/{merchant_ref}"
`

// tokened is a configuration with a gateway that sends a fixed token.
func tokened(t *testing.T, token string) func(*config.Config, *Options) {
	t.Helper()
	spec, err := gateway.ParseSpec([]byte(tokenDefinition), "custom")
	if err != nil {
		t.Fatal(err)
	}
	return func(c *config.Config, _ *Options) {
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.BaseURL = "token", "custom", &spec, ""
		g.WebhookSecrets = []config.TimedSecret{{Value: config.NewSecret(token)}}
		c.Gateways = append(c.Gateways, g)
	}
}

// fixedToken is the token of the test; its SHA-256 is what `printf %s … | sha256sum` prints.
const (
	fixedToken  = "callback-token-0001"
	fixedDigest = "b1744366bd4cc05ae755fcefdb9eeccb19f60cc944b1f0965c056e830feae4ca"
)

func tokenRequest(at time.Time) gateway.Request {
	return gateway.Request{
		Method: http.MethodPost, Target: "/hooks/token", At: at, RemoteIP: "192.0.2.9", Body: []byte(`{"eid":"1","ref":"ORDER-1","status":"PAID","amount":"10.00","currency":"PHP"}`),
		Header: http.Header{"X-Callback-Token": {fixedToken}, "Cookie": {"session=1"}, "Content-Type": {"application/json"}},
	}
}

func TestAFixedTokenIsKeptAsItsDigestAndStaysVerifiable(t *testing.T) {
	b := newBench(t, tokened(t, "wrong-token"))
	if ack, err := b.e.Accept(b.ctx(), "token", tokenRequest(b.clock.now())); err != nil || ack.Status != 401 {
		t.Fatalf("%d, %v", ack.Status, err)
	}
	kept := b.refused()[0]
	if !strings.Contains(string(kept.Header), "X-Callback-Token: sha256:"+fixedDigest+"\n") || kept.Remote != "192.0.2.9" {
		t.Errorf("kept %q from %q", kept.Header, kept.Remote)
	}
	b = b.corrected(time.Hour, tokened(t, fixedToken))
	if got, err := b.e.VerifyRefused(b.ctx(), Verification{Actor: "ana", FormKey: "one", Gateway: "token"}); err != nil || got != (VerifyResult{Tried: 1, Accepted: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	if shown := b.e.Redacted("token", tokenRequest(b.clock.now()).Header); shown.Get("X-Callback-Token") != "sha256:"+fixedDigest || shown.Get("Content-Type") != "application/json" {
		t.Errorf("shown %v", shown)
	}
	b.nowhere(fixedToken, "session=1")
}

// nowhere fails the test when the database holds one of some texts.
func (b *bench) nowhere(texts ...string) {
	b.t.Helper()
	copied := filepath.Join(b.t.TempDir(), "copy.db")
	if err := b.store.Backup(b.ctx(), copied, nil); err != nil {
		b.t.Fatal(err)
	}
	raw, err := os.ReadFile(copied)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, text := range texts {
		if strings.Contains(string(raw), text) {
			b.t.Errorf("the database holds %q", text)
		}
	}
}

// TestVerifyFaultSweep lets every statement and every commit of verifying fail in turn.
func TestVerifyFaultSweep(t *testing.T) {
	prepared := refusedDatabase(t)
	for name, kind := range map[string]store.Fault{"statement": store.FailStatement, "group lost": store.LoseGroup,
		"commit not stored": store.FailCommit, "commit dropped": store.DropCommit, "commit hidden": store.HideCommit} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 1
			for ; verifySweep(t, prepared, kind, n) && !t.Failed(); n++ {
			}
			if n < 3 {
				t.Errorf("only %d faults happened", n-1)
			}
		})
	}
}

// refusedDatabase is the content of a database that holds two refused requests which a corrected secret makes right, and a forged one.
func refusedDatabase(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nodrop.db")
	db, err := store.Open(t.Context(), path, store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	b := benchOn(t, db, mistaken)
	b.register("ORDER-1", "20.00")
	b.refuse(b.notice("ORDER-1", "processing", "20.00"))
	b.refuse(b.notice("ORDER-1", "paid", "20.00"))
	forged := b.signed([]byte(`{"id":"evt_x"}`))
	forged.Header.Set("Sandbox-Signature", "t=1,v1=00")
	if _, err := b.e.Accept(b.ctx(), "sandbox", forged); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// verifySweep verifies with the n-th operation failing and tells whether it did.
func verifySweep(t *testing.T, prepared []byte, kind store.Fault, n int) bool {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "nodrop.db"), faults: &store.Faults{}, at: time.Date(2031, 3, 7, 2, 0, 0, 0, time.UTC)}
	w.edit = func(*config.Config, *Options) {}
	if err := os.WriteFile(w.path, prepared, 0o600); err != nil {
		t.Fatal(err)
	}
	w.open()
	w.faults.Arm(kind, n)
	tries := 0
	w.until("verify", func() error {
		tries++
		_, err := w.b.e.VerifyRefused(t.Context(), Verification{Actor: "ana", FormKey: itoa(tries), Gateway: "sandbox"})
		return err
	})
	fired := w.faults.Fired()
	w.faults.Arm(0, 0)
	w.b.t = t
	w.work()
	if got := w.one("ORDER-1"); got.State != "succeeded" {
		t.Errorf("fault %d: state %s", n, got.State)
	}
	taken := slices.DeleteFunc(w.b.audits(), func(line string) bool { return !strings.Contains(line, "taken in") })
	if len(taken) != 1 || !strings.HasSuffix(taken[0], "taken in: 1, 2") {
		t.Errorf("fault %d: audit %q", n, taken)
	}
	if left := w.b.refused(); len(left) != 1 || left[0].ID != 3 {
		t.Errorf("fault %d: still refused %+v", n, left)
	}
	w.b.sound()
	if err := w.b.store.Close(); err != nil {
		t.Errorf("fault %d: close: %v", n, err)
	}
	return fired
}
