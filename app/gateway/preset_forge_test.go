package gateway

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// forged changes the first accepted sample in every way in which a stranger could, and
// wants each of them refused.
func (s *subject) forged(t *testing.T) {
	one := s.sample(t, "")
	in, r := s.instance(t, one.Instance), one.request(t)
	carried := s.carried(r)
	if len(carried) == 0 {
		if slices.ContainsFunc(s.spec.Signature, func(one SignatureSpec) bool { return one.Kind != "none" }) {
			t.Fatal("the first accepted sample carries no signature that can be found: put one that does first")
		}
		s.hintsOnly(t, in, r)
		return
	}
	t.Run("no keys", func(t *testing.T) {
		bare, reason := in, "no_secret"
		if slices.ContainsFunc(carried, func(one SignatureSpec) bool { return one.Certificate != nil }) {
			reason = "" // the key is fetched, after the request was refused
		}
		bare.Secrets, bare.PublicKeys = nil, nil
		s.wantRefused(t, bare, r, reason)
		for i := range in.Secrets {
			bare.Secrets = append(bare.Secrets, Secret{ID: in.Secrets[i].ID})
		}
		s.wantRefused(t, bare, r, reason)
	})
	t.Run("method", func(t *testing.T) {
		odd := copyOf(r)
		odd.Method = "PATCH"
		s.wantRefused(t, in, odd, "wrong_method")
	})
	t.Run("other keys", func(t *testing.T) { s.otherKeys(t, in, r, carried) })
	t.Run("signature", func(t *testing.T) { s.signatures(t, in, r, carried) })
	t.Run("time", func(t *testing.T) { s.times(t, in, r, carried) })
	t.Run("body", func(t *testing.T) { s.bodies(t, in, r, carried) })
}

// hintsOnly is what holds where nothing is signed: every word is confirmed by a query.
func (s *subject) hintsOnly(t *testing.T, in Instance, r Request) {
	for _, o := range mustNew(t, in).Read(r).Observations {
		if o.Verdict == Accepted && !o.Hint {
			t.Errorf("nothing is signed, and %q is taken at its word", o.Word)
		}
	}
}

func (s *subject) wantRefused(t *testing.T, in Instance, r Request, reason string) {
	t.Helper()
	rd := mustNew(t, in).Read(r)
	if rd.Verdict != Refused || reason != "" && rd.Reason != reason || len(rd.Observations) != 0 {
		t.Errorf("%s (%s) with %d observations, want refused (%s)", rd.Verdict, rd.Reason, len(rd.Observations), reason)
	}
	discreet(t, in, rd)
}

// carried lists the signatures of the definition that a request carries.
func (s *subject) carried(r Request) []SignatureSpec {
	return slices.DeleteFunc(slices.Clone(s.spec.Signature), func(one SignatureSpec) bool {
		_, found := spotOf(r, one)
		return !found
	})
}

// spot is a stretch of a request: of a header, of the address, or of the body.
type spot struct {
	header     string
	target     bool
	start, end int
}

func (p spot) text(r *Request) string {
	switch {
	case p.header != "":
		return r.Header.Get(p.header)
	case p.target:
		return r.Target
	}
	return string(r.Body)
}

// with puts another text in the place of the spot.
func (p spot) with(r Request, text string) Request {
	r = copyOf(r)
	all := p.text(&r)
	all = all[:p.start] + text + all[p.end:]
	switch {
	case p.header != "":
		r.Header.Set(p.header, all)
	case p.target:
		r.Target = all
	default:
		r.Body = []byte(all)
	}
	return r
}

// flipped changes the lowest bit of one character; false when that is none of a header.
func (p spot) flipped(r Request, i int) (Request, bool) {
	c := p.text(&r)[p.start+i] ^ 1
	if c <= ' ' || c == 0x7f {
		return r, false
	}
	return p.with(r, p.text(&r)[p.start:p.start+i]+string([]byte{c})+p.text(&r)[p.start+i+1:p.end]), true
}

// spotOf finds the signature of a definition in a request, by its text alone.
func spotOf(r Request, s SignatureSpec) (spot, bool) {
	if s.Kind == "none" {
		return spot{}, false
	}
	for _, from := range s.From {
		if p, ok := find(r, from, s.Name); ok {
			return p, true
		}
	}
	return spot{}, false
}

// find leads from a selector of one part to the text that it reads.
func find(r Request, selector, name string) (spot, bool) {
	kind, arg, braced := strings.Cut(strings.Trim(selector, "{}"), ":")
	arg, _, _ = strings.Cut(arg, "|")
	if !braced {
		arg = kind
	}
	last := regexp.QuoteMeta(arg[strings.LastIndexByte(arg, '.')+1:])
	p, pattern := spot{}, `(?:^|&)`+regexp.QuoteMeta(url.QueryEscape(arg))+`=([^&]*)|"`+last+`"\s*:\s*"?([^",}]*)|<`+last+`>(?:<!\[CDATA\[)?([^<\]]*)`
	switch {
	case braced && kind == "header":
		p.header, pattern = arg, `^(.+)$`
		if name != "" {
			pattern = `(?:^|[,;\s])` + regexp.QuoteMeta(name) + `=([^,;\s]+)`
		}
	case braced && kind == "query":
		p.target, pattern = true, `[?&]`+regexp.QuoteMeta(url.QueryEscape(arg))+`=([^&]+)`
	}
	m := regexp.MustCompile(pattern).FindStringSubmatchIndex(p.text(&r))
	for i := 2; i < len(m); i += 2 {
		if m[i] >= 0 && m[i+1] > m[i] {
			p.start, p.end = m[i], m[i+1]
			return p, true
		}
	}
	return p, false
}

// signatures flips every character of a signature, and leaves it out.
func (s *subject) signatures(t *testing.T, in Instance, r Request, carried []SignatureSpec) {
	g := mustNew(t, in)
	for _, one := range carried {
		p, _ := spotOf(r, one)
		for i := range p.end - p.start {
			changed, ok := p.flipped(r, i)
			if !ok {
				continue
			}
			if rd := g.Read(changed); rd.Verdict != Refused || len(rd.Observations) != 0 {
				t.Fatalf("with character %d of the signature flipped (%s) it is %s (%s)", i, p.text(&changed), rd.Verdict, rd.Reason)
			}
		}
		s.unsigned(t, in, p.with(r, ""))
		if p.header != "" {
			gone := copyOf(r)
			gone.Header.Del(p.header)
			s.unsigned(t, in, gone)
		}
	}
}

// unsigned takes a request without its signature: refused, or a hint where the gateway
// also sends notices that are not signed.
func (s *subject) unsigned(t *testing.T, in Instance, r Request) {
	t.Helper()
	if s.spec.Signatures == "first" && slices.ContainsFunc(s.spec.Signature, unsignedKind) {
		s.hintsOnly(t, in, r)
		return
	}
	s.wantRefused(t, in, r, "")
}

func unsignedKind(one SignatureSpec) bool { return one.Kind == "none" }

// times moves the signed time, and the arrival over the edges of the window.
func (s *subject) times(t *testing.T, in Instance, r Request, carried []SignatureSpec) {
	g := mustNew(t, in)
	for _, one := range carried {
		stamp := one.Timestamp
		if stamp == nil || stamp.Policy == "flag" {
			continue
		}
		if p, ok := s.timeSpot(r, one); ok {
			digits := regexp.MustCompile(`\d`).FindAllStringIndex(p.text(&r)[p.start:p.end], -1)
			changed, _ := p.flipped(r, digits[len(digits)-1][0])
			s.wantRefused(t, in, changed, "")
		}
		tolerance := time.Duration(stamp.Tolerance)
		if in.Tolerance != nil {
			tolerance = *in.Tolerance
		}
		signed := r.At.Add(time.Duration(g.Read(r).SkewMs) * time.Millisecond)
		late := r
		if late.At = signed.Add(tolerance); g.Read(late).Verdict != Accepted {
			t.Errorf("at the edge of the window of %s it is not accepted", tolerance)
		}
		late.At = late.At.Add(time.Second)
		s.wantRefused(t, in, late, "stale_timestamp")
	}
}

func (s *subject) timeSpot(r Request, one SignatureSpec) (spot, bool) {
	name, ok := strings.CutPrefix(strings.Trim(one.Timestamp.From, "{}"), "sig:")
	if !ok {
		return find(r, one.Timestamp.From, "")
	}
	one.Name = name
	return spotOf(r, one)
}

// bodies flips bits over the whole body where it is signed as it came.
func (s *subject) bodies(t *testing.T, in Instance, r Request, carried []SignatureSpec) {
	g := mustNew(t, in)
	if !slices.ContainsFunc(carried, signsRawBody) {
		return
	}
	for i := 0; i < len(r.Body); i += 1 + len(r.Body)/200 {
		changed := copyOf(r)
		changed.Body[i] ^= 1
		if rd := g.Read(changed); rd.Verdict != Refused || len(rd.Observations) != 0 {
			t.Fatalf("with byte %d of the body flipped it is %s (%s)", i, rd.Verdict, rd.Reason)
		}
	}
	longer := copyOf(r)
	longer.Body = append(longer.Body, '\n')
	s.wantRefused(t, in, longer, "")
}

func signsRawBody(s SignatureSpec) bool {
	if len(s.Message)+len(s.Parts) == 0 {
		return s.Sorted == nil && s.Flattened == nil && slices.Contains([]string{"hmac", "rsa", "ed25519"}, s.Kind)
	}
	return slices.ContainsFunc(slices.Concat(s.Message, s.Parts), func(m string) bool {
		return strings.Contains(m, "{raw_body") || strings.Contains(m, "{crc32")
	})
}

// otherKeys takes other secrets and other public keys of the same form.
func (s *subject) otherKeys(t *testing.T, in Instance, r Request, carried []SignatureSpec) {
	strange := in
	strange.Secrets, strange.PublicKeys = nil, nil
	for _, one := range in.Secrets {
		one.Value = neighbour(one.Value)
		strange.Secrets = append(strange.Secrets, one)
	}
	for _, key := range in.PublicKeys {
		strange.PublicKeys = append(strange.PublicKeys, s.otherKey(t, key, carried))
	}
	s.wantRefused(t, strange, r, "")
}

// otherKey is a public key of the kind that the signature needs, but another's.
func (s *subject) otherKey(t *testing.T, key string, carried []SignatureSpec) string {
	label, _, found := strings.Cut(key, "=")
	if !found || len(label) > 64 || strings.ContainsAny(label, "\n+/") {
		label = ""
	} else {
		label += "="
	}
	for _, one := range carried {
		switch {
		case one.Kind == "ed25519":
			der, err := x509.MarshalPKIXPublicKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public())
			if err != nil {
				t.Fatal(err)
			}
			return label + string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
		case one.Kind == "rsa" || strings.HasPrefix(one.Algorithm, "RS"):
			return label + keyText(t, "file:other_pub.pem")
		}
	}
	return neighbour(key)
}

// neighbour changes the character in the middle of a key into the next of its class, so
// that hexadecimal stays hexadecimal and base64 stays base64.
func neighbour(s string) string {
	for d := range len(s) {
		i := (len(s)/2 + d) % len(s)
		for _, class := range []string{"0123456789", "abcdef", "ghijklmnopqrstuvwxyz", "ABCDEF", "GHIJKLMNOPQRSTUVWXYZ"} {
			if at := strings.IndexByte(class, s[i]); at >= 0 {
				return s[:i] + string(class[(at+1)%len(class)]) + s[i+1:]
			}
		}
	}
	return s + "x"
}
