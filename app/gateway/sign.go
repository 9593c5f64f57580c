package gateway

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"io"
	"strings"
	"sync"
	"time"
)

// signature is a compiled way of proving where a request comes from.
type signature struct {
	kind      string
	newHash   func() hash.Hash
	message   template
	from      template
	name      string
	prefix    string
	separator string
	decode    func(string) ([]byte, bool)
	mode      string
	keys      []*key
	stamp     *stamp
}

// key is one secret of the merchant, prepared for one signature.
type key struct {
	secret           int // index in Instance.Secrets
	raw              []byte
	notBefore, until time.Time
	macs             sync.Pool
}

func (k *key) validAt(at time.Time) bool {
	return !(at.Before(k.notBefore) || !k.until.IsZero() && !at.Before(k.until))
}

var hashes = map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New, "sha512": sha512.New}

// sigState is what came of looking at one signature, from worst to best.
type sigState int

const (
	sigMissing sigState = iota
	sigNoKey
	sigWrong
	sigRight
)

type proof struct {
	state  sigState
	secret int
	skew   time.Duration // the sender's clock minus the arrival
	stale  bool
	flag   bool // stale, but only to be flagged
	detail string
	mode   string
	right  map[string]bool // modes whose slot is right
}

// maxSignatures bounds how many signatures of one request are looked at.
const maxSignatures = 16

func (s *signature) check(v *view, at time.Time) proof {
	p := proof{secret: -1, mode: s.mode}
	if s.kind == "none" {
		p.state = sigRight
		return p
	}
	given := s.from.read(v)
	v.dictionary = given.text
	wanted, present := s.wanted(given.text)
	switch {
	case !present:
		p.detail = "the request carries no signature"
	case len(wanted) == 0:
		p.state, p.detail = sigWrong, "the signature is not written as the gateway writes it"
	default:
		s.match(v, at, wanted, &p)
	}
	if p.state == sigRight && s.stamp != nil {
		s.stamp.check(v, at, &p)
	}
	return p
}

// wanted decodes the signatures of a request; present tells whether one was there.
func (s *signature) wanted(given string) (out [][]byte, present bool) {
	take := func(one string) bool {
		present = present || one != ""
		if one, ok := strings.CutPrefix(one, s.prefix); ok && one != "" {
			if b, ok := s.decode(one); ok {
				out = append(out, b)
			}
		}
		return len(out) < maxSignatures
	}
	switch {
	case s.name != "":
		eachNamed(given, s.name, take)
	case s.separator != "":
		for one := range strings.SplitSeq(given, s.separator) {
			if !take(strings.TrimSpace(one)) {
				break
			}
		}
	default:
		take(given)
	}
	return out, present
}

func (s *signature) match(v *view, at time.Time, wanted [][]byte, p *proof) {
	p.state, p.detail = sigNoKey, "no configured secret is valid at the time of arrival"
	for _, k := range s.keys {
		if !k.validAt(at) {
			continue
		}
		p.state, p.detail = sigWrong, "the signature does not match: another secret, or the body was changed on its way"
		if s.matchesKey(v, k, wanted) {
			p.state, p.secret, p.detail = sigRight, k.secret, ""
			return
		}
	}
}

func (s *signature) matchesKey(v *view, k *key, wanted [][]byte) bool {
	if s.kind == "static_token" {
		return anyEqual(digest(k.raw), wanted)
	}
	mac, _ := k.macs.Get().(hash.Hash)
	if mac == nil {
		mac = hmac.New(s.newHash, k.raw)
	}
	defer k.macs.Put(mac)
	mac.Reset()
	if !s.message.write(mac, v, k.raw) {
		return false
	}
	var room [sha512.Size]byte
	return anyEqual(mac.Sum(room[:0]), wanted)
}

func anyEqual(have []byte, wanted [][]byte) bool {
	found := 0
	for _, w := range wanted {
		found |= subtle.ConstantTimeCompare(have, w)
	}
	return found == 1
}

func digest(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}

// write feeds the signed text to a hash; false when a part of it is missing.
func (t *template) write(w io.Writer, v *view, secret []byte) bool {
	for i := range t.parts {
		switch p := &t.parts[i]; p.op {
		case opRawBody:
			w.Write(v.raw)
		case opSecret:
			w.Write(secret)
		case opLiteral:
			io.WriteString(w, p.text)
		default:
			got := p.read(v)
			if got.kind == absent || got.kind == faulty {
				return false
			}
			io.WriteString(w, got.text)
		}
	}
	return true
}

func decodeHex(s string) ([]byte, bool) {
	b, err := hex.DecodeString(s)
	return b, err == nil
}

func decodeUpperHex(s string) ([]byte, bool) {
	if strings.ToUpper(s) != s {
		return nil, false
	}
	return decodeHex(s)
}

func decodeBase64(s string) ([]byte, bool) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	return b, err == nil
}

// decodeToken compares tokens by digest, so that the time tells nothing of the length.
func decodeToken(s string) ([]byte, bool) { return digest([]byte(s)), true }
