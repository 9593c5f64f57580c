package gateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var outcomes = []string{OutcomeStored, OutcomeDuplicate, OutcomeIgnored, OutcomeRefused, OutcomeBusy}

// acks compares every acknowledgement byte for byte.
func (s *subject) acks(t *testing.T) {
	g := s.gateway(t, "main")
	for _, outcome := range outcomes {
		want, ok := s.fix.Ack[outcome]
		if !ok {
			t.Errorf("the fixture lacks [ack] %s", outcome)
			continue
		}
		wantExactAck(t, outcome, g.Ack(outcome), want)
	}
	for outcome := range s.fix.Ack {
		if !slices.Contains(outcomes, outcome) {
			t.Errorf("[ack] %s is no outcome", outcome)
		}
	}
}

func wantExactAck(t testing.TB, what string, got Ack, want fixtureAck) {
	t.Helper()
	wantAck(t, got, want.Status, want.ContentType, want.Body)
	headers := map[string]string{}
	for name := range got.Header {
		headers[name] = strings.Join(got.Header[name], ", ")
	}
	if len(headers) != len(want.Header) || !maps.Equal(headers, want.Header) {
		t.Errorf("%s is answered with the headers %v, want %v", what, headers, want.Header)
	}
}

func (s *subject) samples(t *testing.T) {
	s.sample(t, "")
	for i := range s.fix.Sample {
		one := &s.fix.Sample[i]
		t.Run(one.Name, func(t *testing.T) { s.reads(t, one) })
	}
}

// reads takes one sample through Read, Explain and Decode.
func (s *subject) reads(t *testing.T, one *fixtureSample) {
	g, r := s.gateway(t, one.Instance), one.request(t)
	pristine := copyOf(r)
	rd := g.Read(r)
	wantVerdict(t, rd, one.Verdict, one.Reason)
	if again := g.Read(r); !reflect.DeepEqual(rd, again) || !reflect.DeepEqual(r, pristine) {
		t.Error("the same request reads differently, or was changed by reading")
	}
	if one.Mode != "" && rd.Mode != one.Mode {
		t.Errorf("mode %q, want %q", rd.Mode, one.Mode)
	}
	wantExactAck(t, one.Verdict, rd.Ack, s.ackOf(t, one))
	e := Explain(g, r)
	if e.Verdict != rd.Verdict || e.Reason != rd.Reason || e.Ack.Status != rd.Ack.Status || e.Ack.Body != string(rd.Ack.Body) || e.Ack.ContentType != rd.Ack.ContentType {
		t.Errorf("explained as %s (%s), %+v", e.Verdict, e.Reason, e.Ack)
	}
	if one.Verdict == Accepted || len(one.Observation) > 0 {
		wantObservations(t, rd.Observations, one.Observation)
	}
	if one.Verdict == Accepted {
		decodesAlike(t, g, r, rd)
	}
}

func (s *subject) ackOf(t *testing.T, one *fixtureSample) fixtureAck {
	t.Helper()
	if one.Ack != nil {
		return *one.Ack
	}
	outcome, ok := map[string]string{Accepted: OutcomeStored, Unreadable: OutcomeStored, Ignored: OutcomeIgnored, Refused: OutcomeRefused}[one.Verdict]
	if !ok {
		t.Fatalf("the sample lacks ack = { … }: a %s has an answer of its own", one.Verdict)
	}
	return s.fix.Ack[outcome]
}

// decodesAlike checks that what was stored reads as it did at the door, also without the
// secrets that the store keeps back, and that those can still be verified.
func decodesAlike(t *testing.T, g *Gateway, r Request, rd Reading) {
	t.Helper()
	stored := copyOf(r)
	for _, name := range g.SecretHeaders() {
		if v := stored.Header.Get(name); v != "" {
			sum := sha256.Sum256([]byte(v))
			stored.Header.Set(name, "sha256:"+hex.EncodeToString(sum[:]))
			stored.Redacted = true
		}
	}
	for what, one := range map[string]Request{"as it came": r, "as it is stored": stored} {
		if d := g.Decode(one); !reflect.DeepEqual(d.Observations, rd.Observations) {
			t.Errorf("decoded %s it says\n%+v, not\n%+v", what, d.Observations, rd.Observations)
		}
	}
	if again := g.Read(stored); again.Verdict != rd.Verdict || !reflect.DeepEqual(again.Observations, rd.Observations) {
		t.Errorf("read as it is stored it is %s (%s)", again.Verdict, again.Reason)
	}
}

func wantObservations(t testing.TB, got []Observation, want []fixtureObservation) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d observations, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		wantObservation(t, i, &got[i], &want[i])
	}
}

// wantObservation compares what the fixture states, in the form that Explain gives.
func wantObservation(t testing.TB, i int, o *Observation, want *fixtureObservation) {
	t.Helper()
	e := explained(o)
	verdict := want.Verdict
	if verdict == "" {
		verdict = Accepted
	}
	if e.Verdict != verdict || o.Reason != want.Reason {
		t.Errorf("observation %d is %s (%s: %s), want %s (%s)", i, e.Verdict, o.Reason, o.Detail, verdict, want.Reason)
	}
	if verdict == Accepted && (want.Kind == "" || want.Word == "" && want.RawWord == nil || want.AmountMinor == nil && !want.NoAmount) {
		t.Errorf("observation %d of the fixture lacks kind, word (or raw_word), or amount_minor with currency (or no_amount = true)", i)
	}
	if want.Kind != "" && e.Kind != want.Kind || e.Word != want.Word && (verdict == Accepted || want.Word != "") {
		t.Errorf("observation %d: %s %q (%q), want %s %q", i, e.Kind, e.Word, o.RawWord, want.Kind, want.Word)
	}
	wantMoney(t, i, &e, want)
	wantText(t, i, "raw_word", o.RawWord, want.RawWord)
	wantText(t, i, "dedupe", e.DedupeKey, want.Dedupe)
	wantText(t, i, "merchant_ref", e.MerchantRef, want.MerchantRef)
	wantText(t, i, "amount", e.Amount, want.Amount)
	wantText(t, i, "account", e.MerchantAccount, want.Account)
	if want.Refs != nil && !slices.Equal(refTexts(e.GatewayRefs), want.Refs) {
		t.Errorf("observation %d: refs %v, want %v", i, refTexts(e.GatewayRefs), want.Refs)
	}
	if want.OccurredAt != nil && !o.OccurredAt.Equal(*want.OccurredAt) {
		t.Errorf("observation %d: occurred at %s, want %s", i, e.OccurredAt, want.OccurredAt.UTC().Format(time.RFC3339Nano))
	}
	if want.Confirm != nil && o.Hint != *want.Confirm {
		t.Errorf("observation %d: confirm_by_query %v, want %v", i, o.Hint, *want.Confirm)
	}
	if want.Cumulative != nil && o.Cumulative != *want.Cumulative {
		t.Errorf("observation %d: cumulative %v, want %v", i, o.Cumulative, *want.Cumulative)
	}
}

func wantMoney(t testing.TB, i int, e *ExplainedObservation, want *fixtureObservation) {
	t.Helper()
	switch {
	case want.NoAmount && e.AmountMinor != nil:
		t.Errorf("observation %d: amount %d %s, want none", i, *e.AmountMinor, e.Currency)
	case want.AmountMinor == nil:
	case e.AmountMinor == nil:
		t.Errorf("observation %d: no amount, want %d %s", i, *want.AmountMinor, want.Currency)
	case *e.AmountMinor != *want.AmountMinor || e.Currency != want.Currency:
		t.Errorf("observation %d: amount %d %s, want %d %s", i, *e.AmountMinor, e.Currency, *want.AmountMinor, want.Currency)
	}
}

func wantText(t testing.TB, i int, what, got string, want *string) {
	t.Helper()
	if want != nil && got != *want {
		t.Errorf("observation %d: %s %q, want %q", i, what, got, *want)
	}
}

func refTexts(list []ExplainedRef) []string {
	out := []string{}
	for _, r := range list {
		out = append(out, r.Kind+":"+r.ID)
	}
	return out
}

// discreet checks that nothing which leaves the package shows a secret.
func discreet(t testing.TB, in Instance, rd Reading) {
	t.Helper()
	secrets := []string{in.APISecret, in.PrivateKey}
	for _, s := range in.Secrets {
		secrets = append(secrets, s.Value)
	}
	for _, s := range secrets {
		if len(s) > 3 && (strings.Contains(rd.Detail, s) || bytes.Contains(rd.Ack.Body, []byte(s))) {
			t.Errorf("%s shows a secret: %s", rd.Verdict, rd.Detail)
		}
	}
}
