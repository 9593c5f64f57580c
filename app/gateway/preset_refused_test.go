package gateway

import (
	"strings"
	"testing"
)

// refused takes every changed request of the fixture to the door.
func (s *subject) refused(t *testing.T) {
	for i := range s.fix.Refused {
		one := &s.fix.Refused[i]
		t.Run(one.Name, func(t *testing.T) { s.refuses(t, one) })
	}
}

func (s *subject) refuses(t *testing.T, one *fixtureRefused) {
	if one.Name == "" || one.Proves == "" || one.Reason == "" {
		t.Fatal("it lacks name, proves or reason")
	}
	in, r := s.changed(t, one)
	rd := mustNew(t, in).Read(r)
	wantVerdict(t, rd, Refused, one.Reason)
	if len(rd.Observations) != 0 {
		t.Errorf("refused with %d observations", len(rd.Observations))
	}
	if rd.Reason != "wrong_method" && rd.Certificate == "" {
		wantExactAck(t, Refused, rd.Ack, s.fix.Ack[OutcomeRefused])
	}
	discreet(t, in, rd)
}

// changed makes the refused request out of a sample, or of its own text.
func (s *subject) changed(t *testing.T, one *fixtureRefused) (Instance, Request) {
	t.Helper()
	text, body64, at, remote, instance := one.Request, one.BodyBase64, one.At, "", one.Instance
	if text == "" {
		of := s.sample(t, one.Of)
		text, body64, remote = of.Request, of.BodyBase64, of.RemoteIP
		if at.IsZero() {
			at = of.At
		}
		if instance == "" {
			instance = of.Instance
		}
	}
	for _, pair := range one.Replace {
		if n := strings.Count(text, pair[0]); n != 1 {
			t.Fatalf("%q stands %d times in the request, not once", pair[0], n)
		}
		text = strings.Replace(text, pair[0], pair[1], 1)
	}
	r := captured(t, text, body64, at)
	r.RemoteIP = remote
	if one.RemoteIP != nil {
		r.RemoteIP = *one.RemoteIP
	}
	for _, name := range one.Remove {
		if r.Header.Get(name) == "" {
			t.Fatalf("the request has no header %s to remove", name)
		}
		r.Header.Del(name)
	}
	flip(t, &r, one.Flip)
	return one.configured(t, s.instance(t, instance)), r
}

func (one *fixtureRefused) configured(t *testing.T, in Instance) Instance {
	if one.Secrets != nil {
		in.Secrets = nil
		for _, v := range *one.Secrets {
			in.Secrets = append(in.Secrets, Secret{Value: v})
		}
	}
	if one.PublicKeys != nil {
		in.PublicKeys = keyTexts(t, *one.PublicKeys)
	}
	for _, c := range []struct{ from, into *string }{{one.Account, &in.Account}, {one.PublicURL, &in.PublicURL}, {one.Mode, &in.Mode}} {
		if c.from != nil {
			*c.into = *c.from
		}
	}
	return in
}

// flip changes the lowest bit of one character: of the body's middle, or the last one of
// a header or of a parameter in the address.
func flip(t testing.TB, r *Request, what string) {
	t.Helper()
	kind, name, _ := strings.Cut(what, ":")
	switch kind {
	case "":
	case "body":
		if len(r.Body) == 0 {
			t.Fatal("there is no body to flip a bit of")
		}
		r.Body[len(r.Body)/2] ^= 1
	case "header":
		v := r.Header.Get(name)
		if v == "" {
			t.Fatalf("there is no header %s to flip a bit of", name)
		}
		r.Header.Set(name, v[:len(v)-1]+string(v[len(v)-1]^1))
	case "query":
		v := param(r.Target, name)
		if v == "" || strings.Count(r.Target, name+"="+v) != 1 {
			t.Fatalf("there is no parameter %s to flip a bit of", name)
		}
		r.Target = strings.Replace(r.Target, name+"="+v, name+"="+v[:len(v)-1]+string(v[len(v)-1]^1), 1)
	default:
		t.Fatalf("flip = %q is not known: write body, header:NAME or query:NAME", what)
	}
}
