package gateway

import (
	"maps"
	"slices"
	"testing"
)

// TestPreset proves every shipped definition with its fixture. The names of the subtests
// are those of the presets, so that one can be run alone.
func TestPreset(t *testing.T) {
	for _, name := range PresetNames() {
		if name == CustomPreset {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			prove(t, shipped(t, name))
		})
	}
}

// TestAnotherGatewayTakesTOMLOnly proves a gateway that nobody shipped, by the same means.
func TestAnotherGatewayTakesTOMLOnly(t *testing.T) {
	if slices.Contains(PresetNames(), "acme") {
		t.Fatal("acme is meant to be no preset")
	}
	prove(t, described(t, "acme"))
}

func prove(t *testing.T, s *subject) {
	t.Run("complete", s.complete)
	t.Run("facts", s.facts)
	t.Run("ack", s.acks)
	t.Run("sample", s.samples)
	t.Run("refused", s.refused)
	t.Run("forged", s.forged)
	t.Run("query", s.queries)
}

// neededProofs are the proofs that [[refused]] must hold, neededAnswers those of [[query.answer]].
var (
	neededProofs  = []string{"body", "signature", "timestamp", "wrong_secret", "no_secret"}
	neededAnswers = []string{"paid", "pending", "failed", "not_found_old", "not_found_young", "refunded", "error_body"}
)

// complete says what the fixture lacks.
func (s *subject) complete(t *testing.T) {
	f := &s.fix
	if f.Source == "" {
		t.Error(`the fixture lacks source = "where its facts come from"`)
	}
	if len(f.Refused) < 5 {
		t.Errorf("the fixture has %d [[refused]] and needs at least five", len(f.Refused))
	}
	for _, what := range neededProofs {
		has := slices.ContainsFunc(f.Refused, func(r fixtureRefused) bool { return r.Proves == what })
		if what == "timestamp" && !s.bounded() {
			continue
		}
		s.has(t, what, has, `[[refused]] with proves = "`+what+`"`)
	}
	for what := range f.Lacks {
		if !slices.Contains(neededProofs, what) && !slices.Contains(neededAnswers, what) {
			t.Errorf("lacks.%s is about nothing that is required", what)
		}
	}
	for i := range f.Sample {
		if f.Sample[i].Name == "" || f.Sample[i].At.IsZero() || f.Sample[i].Verdict == "" {
			t.Errorf("sample %d (%q) lacks a name, at or verdict", i, f.Sample[i].Name)
		}
	}
	if s.spec.Query == nil {
		if len(f.Query) > 0 {
			t.Error("the fixture has a [[query]], and the definition cannot ask")
		}
		return
	}
	if !maps.Equal(f.Hosts, s.spec.Query.Base) {
		t.Errorf("[hosts] is %v, the definition asks at %v", f.Hosts, s.spec.Query.Base)
	}
	for _, what := range neededAnswers {
		has := slices.ContainsFunc(f.Query, func(q fixtureQuery) bool {
			return slices.ContainsFunc(q.Answer, func(a fixtureAnswer) bool { return a.Shows == what })
		})
		s.has(t, what, has, `[[query.answer]] with shows = "`+what+`"`)
	}
}

func (s *subject) has(t *testing.T, what string, has bool, missing string) {
	t.Helper()
	why, excused := s.fix.Lacks[what]
	switch {
	case has && excused:
		t.Errorf("lacks says that there is no %q, and there is one", what)
	case !has && !excused:
		t.Errorf("the fixture lacks a %s; where the gateway cannot have it, say why: lacks = { %s = \"…\" }", missing, what)
	case excused && len(why) < 10:
		t.Errorf("lacks.%s does not say why", what)
	}
}

// bounded tells whether the definition refuses old requests.
func (s *subject) bounded() bool {
	return slices.ContainsFunc(s.spec.Signature, func(one SignatureSpec) bool {
		return one.Timestamp != nil && one.Timestamp.Tolerance > 0 && one.Timestamp.Policy != "flag"
	})
}

// facts checks what a merchant is told beside the wire format.
func (s *subject) facts(t *testing.T) {
	if s.custom {
		return
	}
	f := s.spec.Facts
	if s.spec.Status == "unconfirmed" && len(f.Confirm) == 0 {
		t.Error("it is unconfirmed, and facts.confirm does not say what to confirm")
	}
	if len(s.spec.Notes) == 0 || len(f.Events) == 0 || f.Resend == "" {
		t.Error("notes, facts.events or facts.resend is missing: say which events to subscribe to and where to send one again")
	}
	g := s.gateway(t, "main")
	for _, need := range g.Facts().Needs {
		if f.Where[need] == "" {
			t.Errorf("facts.where does not say where %s is found", need)
		}
	}
	for _, w := range g.Warnings() {
		t.Errorf("[instance.main] draws a warning: %s: %s", w.Path, w.Text)
	}
}
