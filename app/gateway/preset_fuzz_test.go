package gateway

import (
	"bytes"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nodrop/app/payment"
)

// FuzzPreset changes the first accepted sample of a shipped definition: its body at one
// place, the headers that the signature is read from, and the address.
func FuzzPreset(f *testing.F) {
	type target struct {
		s  *subject
		g  *Gateway
		r  Request
		in spotted
	}
	var all []target
	for _, s := range proven(f) {
		one := s.sample(f, "")
		r := one.request(f)
		all = append(all, target{s: s, g: s.gateway(f, one.Instance), r: r, in: spottedIn(s, r)})
		f.Add(uint16(len(all)-1), uint16(0), uint16(0), []byte(nil), "", "")
		f.Add(uint16(len(all)-1), uint16(len(r.Body)/2), uint16(1), []byte("0"), "", "")
		f.Add(uint16(len(all)-1), uint16(0), uint16(len(r.Body)), []byte(`{"a":[{"b":null},1e400,"\ud800"]}`), "t=1,v1=00", "?a=%zz&id=1")
	}
	f.Fuzz(func(t *testing.T, which, at, cut uint16, put []byte, signature, query string) {
		one := all[int(which)%len(all)]
		r := copyOf(one.r)
		from := min(int(at), len(r.Body))
		r.Body = slices.Concat(r.Body[:from], put, r.Body[min(from+int(cut), len(r.Body)):])
		if signature != "" && one.in.header != "" {
			r.Header.Set(one.in.header, signature)
		}
		if query != "" && plainHeader(query) {
			r.Target += query
		}
		rd := readWithin(t, one.g, r)
		readsSoundly(t, rd)
		if one.in.raw && !bytes.Equal(r.Body, one.r.Body) && signature == "" && rd.Verdict != Refused {
			t.Fatalf("%s: a changed body is %s (%s)", one.s.name, rd.Verdict, rd.Reason)
		}
		readsSoundly(t, one.g.Decode(r))
	})
}

// spotted is where the signature of a sample stands, and whether it is over the raw body.
type spotted struct {
	header string
	raw    bool
}

func spottedIn(s *subject, r Request) spotted {
	out := spotted{}
	for _, one := range s.carried(r) {
		p, _ := spotOf(r, one)
		out.header, out.raw = p.header, out.raw || signsRawBody(one)
	}
	return out
}

// readWithin reads twice alike, and within a bound of memory that grows with the request.
func readWithin(t *testing.T, g *Gateway, r Request) Reading {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rd := g.Read(r)
	runtime.ReadMemStats(&after)
	if spent, most := after.TotalAlloc-before.TotalAlloc, uint64(2<<20+400*(len(r.Body)+len(r.Target))); spent > most {
		t.Fatalf("%d bytes allocated for a body of %d", spent, len(r.Body))
	}
	if again := g.Read(r); !reflect.DeepEqual(rd, again) {
		t.Fatal("the same request reads differently")
	}
	return rd
}

// readsSoundly checks what must hold for every reading of every gateway.
func readsSoundly(t *testing.T, rd Reading) {
	t.Helper()
	if !slices.Contains([]string{Accepted, Ignored, Refused, Unreadable, Challenged}, rd.Verdict) || rd.Verdict != Accepted && rd.Verdict != Challenged && rd.Reason == "" {
		t.Fatalf("verdict %q, reason %q", rd.Verdict, rd.Reason)
	}
	if rd.Verdict == Refused && (len(rd.Observations) != 0 || rd.Ack.Status < 400 || rd.Ack.Status > 499 && rd.Certificate == "") {
		t.Fatalf("refused with %d observations and %d", len(rd.Observations), rd.Ack.Status)
	}
	for i := range rd.Observations {
		o := &rd.Observations[i]
		if o.DedupeKey == "" || o.Kind == "" {
			t.Fatalf("observation %+v", o)
		}
		if o.Verdict != Accepted {
			continue
		}
		if o.Word == payment.WordSucceeded && !o.Hint && (!o.HasAmount || o.AmountMinor < 0 || o.Currency == "") {
			t.Fatalf("a success without an amount: %+v", o)
		}
		if len(o.Refs) == 0 && o.MerchantRef == "" {
			t.Fatalf("about no payment: %+v", o)
		}
	}
}

// FuzzPresetAnswer changes the paid answer to a question of a shipped definition at one place.
func FuzzPresetAnswer(f *testing.F) {
	type target struct {
		g *Gateway
		q Question
		a Answer
	}
	var all []target
	for _, s := range proven(f) {
		for i := range s.fix.Query {
			one := &s.fix.Query[i]
			step, at := one.stepOf(s), one.Now.UTC()
			q := one.question(nil)
			all = append(all, target{g: s.asker(f, one), q: q, a: Answer{AskedAt: at, Status: 200, Raw: []byte(one.paid(f).Body), Step: step}})
			f.Add(uint16(len(all)-1), uint16(0), uint16(0), []byte(nil), uint16(200))
			f.Add(uint16(len(all)-1), uint16(9), uint16(3), []byte(`{"data":[]}`), uint16(404))
		}
	}
	f.Fuzz(func(t *testing.T, which, at, cut uint16, put []byte, status uint16) {
		one := all[int(which)%len(all)]
		a := one.a
		from := min(int(at), len(a.Raw))
		a.Raw = slices.Concat(a.Raw[:from], put, a.Raw[min(from+int(cut), len(a.Raw)):])
		a.Status = int(status)
		a.Class, _, _ = one.g.classify(one.q, a)
		rd := one.g.ReadAnswer(one.q, a)
		said := a.Class == ClassAnswered || a.Class == ClassNotFound || a.Class == ClassUnreadable
		if said != (len(rd.Observations) > 0) {
			t.Fatalf("class %s with %d observations", a.Class, len(rd.Observations))
		}
		for _, o := range rd.Observations {
			if o.Word == payment.WordSucceeded && (a.Class != ClassAnswered || status < 200 || status > 299 || o.Hint) {
				t.Fatalf("an answer with status %d of the class %s succeeded", status, a.Class)
			}
		}
	})
}

// stepOf is the step of the definition that a question reaches first.
func (q *fixtureQuery) stepOf(s *subject) int {
	for i, step := range s.spec.Query.Step {
		if step.By == "merchant_ref" || slices.ContainsFunc(q.Question.Refs, func(r string) bool { return strings.HasPrefix(r, step.Ref+":") }) {
			return i
		}
	}
	return 0
}
