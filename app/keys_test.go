package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
)

// secrets is a configuration of several webhook secrets, in order.
func secrets(list ...config.TimedSecret) func(*config.Config, *Options) {
	return func(c *config.Config, _ *Options) { c.Gateways[0].WebhookSecrets = list }
}

func plain(value string) config.TimedSecret {
	return config.TimedSecret{Value: config.NewSecret(value)}
}

// signedWith is a sandbox notice signed with a secret of the test's choice.
func (b *bench) signedWith(secret string) {
	b.t.Helper()
	raw, err := jsonOf(b.notice("ORDER-1", "pending", "20.00"))
	if err != nil {
		b.t.Fatal(err)
	}
	r := b.signed(raw)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", r.At.Unix(), raw)
	r.Header.Set("Sandbox-Signature", fmt.Sprintf("t=%d,v1=%s", r.At.Unix(), hex.EncodeToString(mac.Sum(nil))))
	if ack, err := b.e.Accept(b.ctx(), "sandbox", r); err != nil || ack.Status != 200 {
		b.t.Fatalf("%d, %v", ack.Status, err)
	}
}

func (b *bench) keyUses() []KeyUse {
	b.t.Helper()
	uses, err := b.e.KeyUses(b.ctx(), "sandbox")
	if err != nil {
		b.t.Fatal(err)
	}
	return uses
}

func TestWhichSecretMatchedLastOutlivesRestartAndReordering(t *testing.T) {
	b := newBench(t, secrets(plain("old"), plain("new")))
	b.signedWith("old")
	oldMs := b.clock.now().UnixMilli()
	b.clock.move(time.Hour)
	b.signedWith("new")
	newMs := b.clock.now().UnixMilli()
	check := func(when string, uses []KeyUse, want []int64) {
		t.Helper()
		var got []int64
		for _, u := range uses {
			got = append(got, u.LastMs)
			if u.Last != (u.LastMs == newMs) || !u.Valid || u.Removable {
				t.Errorf("%s: %+v", when, u)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: last matches %v, want %v", when, got, want)
		}
	}
	check("before it is written down", b.keyUses(), []int64{oldMs, newMs})
	if err := b.e.flushArrivals(b.ctx()); err != nil {
		t.Fatal(err)
	}
	b = b.corrected(time.Hour, secrets(plain("new"), plain("third"), plain("old")))
	check("after a restart", b.keyUses(), []int64{newMs, 0, oldMs})
	if got := b.keyUses()[2].Name; got != "webhook_secrets[2]" {
		t.Errorf("name %q", got)
	}
}

func TestAKeyMayGoThirtyDaysAfterItsLastMatchWhenAnotherMatches(t *testing.T) {
	b := newBench(t, secrets(plain("old"), plain("new"), plain("never")))
	b.signedWith("old")
	b.clock.move(time.Minute)
	b.signedWith("new")
	removable := func() (got []bool) {
		for _, u := range b.keyUses() {
			got = append(got, u.Removable)
		}
		return got
	}
	b.clock.move(30*24*time.Hour - 2*time.Minute)
	if got := removable(); !slices.Equal(got, []bool{false, false, false}) {
		t.Errorf("within thirty days %v", got)
	}
	b.clock.move(time.Minute)
	if got := removable(); !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("after thirty days %v", got)
	}
}

func TestKeysAreNamedByTheirIDOrDigest(t *testing.T) {
	named := func(id, value string) config.TimedSecret {
		return config.TimedSecret{ID: id, Value: config.NewSecret(value)}
	}
	c := &config.Gateway{WebhookSecrets: []config.TimedSecret{named("v1", "a"), named("v2", "b"), named("v2", "c"), named("", "abc")}, PublicKeys: []string{"abc"}}
	// The digests begin as `printf %s abc | sha256sum` prints them.
	want := []string{"v1", "3e23e816", "2e7d2c03", "ba7816bf", "ba7816bf"}
	if got := keyIDs(c); !slices.Equal(got, want) {
		t.Errorf("ids %v, want %v", got, want)
	}
}

func TestSecretsOutsideTheirTimeAreShownSo(t *testing.T) {
	ended := plain("old")
	ended.Until = time.Date(2031, 3, 7, 1, 0, 0, 0, time.UTC) // the bench begins then
	b := newBench(t, secrets(ended, plain("new")))
	if uses := b.keyUses(); uses[0].Valid || !uses[0].Until.Equal(ended.Until) || !uses[1].Valid {
		t.Errorf("uses %+v", uses)
	}
	if _, err := b.e.KeyUses(b.ctx(), "none"); KindOf(err) != KindNotFound {
		t.Errorf("no such gateway: %v", err)
	}
}

func TestReasonsAreCounted(t *testing.T) {
	b := newBench(t)
	b.send(b.notice("ORDER-1", "pending", "20.00"))
	for range 2 {
		r := b.signed([]byte(`{}`))
		r.Header.Set("Sandbox-Signature", "t=1,v1=00")
		if _, err := b.e.Accept(b.ctx(), "sandbox", r); err != nil {
			t.Fatal(err)
		}
	}
	get := b.signed(nil)
	get.Method = http.MethodGet
	if _, err := b.e.Accept(b.ctx(), "sandbox", get); err != nil {
		t.Fatal(err)
	}
	want := []ReasonCount{{"sandbox", gateway.Refused, "bad_signature", 2}, {"sandbox", gateway.Refused, "wrong_method", 1}}
	if got := b.e.ReasonCounts(); !slices.Equal(got, want) {
		t.Errorf("counts %v, want %v", got, want)
	}
}

func TestWhatCouldNotBeWrittenDownIsNotForgotten(t *testing.T) {
	s := newArrivals()
	s.match("g", "k", 5)
	s.note("g", 7, false)
	taken := s.take()
	s.match("g", "k", 3)
	s.giveBack(taken)
	again := s.take()
	if again.webhook["g"] != 7 || again.matches[[2]string{"g", "k"}] != 5 {
		t.Errorf("left %+v", again)
	}
}
