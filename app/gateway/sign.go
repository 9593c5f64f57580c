package gateway

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/hmac"
	_ "crypto/md5" // registers the hash
	"crypto/rsa"
	_ "crypto/sha1" // registers the hash
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// signature is a compiled way of proving where a request comes from.
type signature struct {
	kind        string
	hash        crypto.Hash
	algorithm   jose.SignatureAlgorithm
	messages    []message
	from        selector
	name        string
	prefix      string
	separator   string
	entry       *entry
	decode      func(string) ([]byte, bool)
	mode        string
	keys        []*key
	keyID       selector
	when        guard
	eachItem    bool
	withoutKeys bool
	covers      bool // binds what a message says
	base64      bool // the signed text must be base64
	stamp       *stamp
	fetch       *certificates
}

var hashes = map[string]crypto.Hash{"md5": crypto.MD5, "sha1": crypto.SHA1, "sha256": crypto.SHA256, "sha512": crypto.SHA512}

// sigState is what came of looking at one signature, from worst to best.
type sigState int

const (
	sigMissing sigState = iota
	sigNoKey
	sigUnknownKey
	sigWrong
	sigPending // the certificate that it points to must be fetched first
	sigRight
)

type proof struct {
	state       sigState
	secret      int           // in KeyNames
	skew        time.Duration // the sender's clock minus the arrival
	stale       bool
	flag        bool // stale, but only to be flagged
	detail      string
	mode        string
	right       map[string]bool // modes whose slot is right
	certificate string
}

// maxSignatures bounds how many signatures of one request are looked at.
const maxSignatures = 16

// given is one signature that a request carries.
type given struct {
	bytes []byte
	token string // jwt
	key   string // the id of the key that it states
}

func (s *signature) check(v *view, at time.Time) proof {
	p := proof{secret: -1, mode: s.mode}
	if s.kind == "none" {
		p.state = sigRight
		return p
	}
	text := s.from.read(v)
	v.dictionary = text.text
	wanted, present := s.wanted(v, text.text)
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
func (s *signature) wanted(v *view, text string) (out []given, present bool) {
	stated := s.keyID.read(v).text
	take := func(one string) bool {
		present = present || one != ""
		if w, ok := s.taken(v, one); ok {
			if w.key == "" {
				w.key = stated
			}
			out = append(out, w)
		}
		return len(out) < maxSignatures
	}
	switch {
	case s.name != "":
		eachNamed(text, s.name, take)
	case s.separator != "":
		for one := range strings.SplitSeq(text, s.separator) {
			if !take(strings.TrimSpace(one)) {
				break
			}
		}
	default:
		take(text)
	}
	return out, present
}

func (s *signature) taken(v *view, one string) (w given, ok bool) {
	if one == "" {
		return w, false
	}
	if s.kind == "static_token" && v.redacted {
		if digest, cut := strings.CutPrefix(one, redactedPrefix); cut {
			w.bytes, ok = decodeHex(digest)
			return w, ok
		}
	}
	if s.entry != nil {
		if w.key, one, ok = s.entry.cut(one); !ok {
			return w, false
		}
	}
	if one, ok = strings.CutPrefix(one, s.prefix); !ok || one == "" {
		return w, false
	}
	if s.kind == "jwt" {
		return given{token: one, key: w.key}, true
	}
	w.bytes, ok = s.decode(one)
	return w, ok
}

// redactedPrefix stands before the digest of a secret header that was stored.
const redactedPrefix = "sha256:"

func (s *signature) match(v *view, at time.Time, wanted []given, p *proof) {
	p.state, p.detail = sigNoKey, "no configured key is valid at the time of arrival"
	for _, k := range s.keysAt(v, p) {
		if !k.validAt(at) {
			continue
		}
		named := named(k, wanted)
		if len(named) == 0 {
			p.lift(sigUnknownKey, "it is signed with the key "+clip(wanted[0].key)+", which is not configured")
			continue
		}
		right, whole := s.matchesKey(v, k, named)
		switch {
		case right:
			p.state, p.secret, p.detail, p.certificate = sigRight, k.number, "", ""
			return
		case !whole:
			p.lift(sigWrong, "a part of what is signed is missing from the request or from the configuration")
		case s.kind == "static_token":
			p.lift(sigWrong, "the token is another one than the one configured")
		default:
			p.lift(sigWrong, "the signature does not match: another secret, or the body was changed on its way")
		}
	}
}

// keysAt gives the configured keys, and without any the fetched one that the request points to.
func (s *signature) keysAt(v *view, p *proof) []*key {
	if len(s.keys) > 0 || s.fetch == nil {
		return s.keys
	}
	k, address, ok := s.fetch.find(v)
	switch {
	case !ok:
		p.lift(sigWrong, "the request points to no certificate of this gateway")
	case k == nil:
		p.lift(sigPending, "its certificate must be fetched first")
		p.certificate = address
	default:
		return []*key{k}
	}
	return nil
}

func (p *proof) lift(to sigState, detail string) {
	if p.state < to {
		p.state, p.detail = to, detail
	}
}

func named(k *key, wanted []given) []given {
	var out []given
	for _, w := range wanted {
		if k.goesBy(w.key) {
			out = append(out, w)
		}
	}
	return out
}

func (s *signature) matchesKey(v *view, k *key, wanted []given) (right, whole bool) {
	switch s.kind {
	case "static_token":
		return anyEqual(digest([]byte(s.tokenAsStored(v, k))), wanted), true
	case "jwt":
		return s.provesToken(k, wanted), true
	case "hmac", "digest":
		return s.matchesHash(v, k, wanted)
	}
	for _, m := range s.messages {
		found, ok := m.each(v, nil, func(text []byte) bool { return s.provedBy(k.public, text, wanted) })
		if whole = whole || ok; found {
			return true, true
		}
	}
	return false, whole
}

// tokenAsStored is what the digest is taken of: of a stored request it is that of the whole header.
func (s *signature) tokenAsStored(v *view, k *key) string {
	if v.redacted {
		return s.prefix + string(k.raw)
	}
	return string(k.raw)
}

func (s *signature) matchesHash(v *view, k *key, wanted []given) (right, whole bool) {
	h, _ := k.macs.Get().(hash.Hash)
	if h == nil {
		h = s.hasher(k)
	}
	defer k.macs.Put(h)
	var room [sha512.Size]byte
	sum := func() bool { return anyEqual(h.Sum(room[:0]), wanted) }
	for _, m := range s.messages {
		h.Reset()
		if t, plain := m.(*template); plain && !s.base64 {
			if t.write(h, v, k.raw) {
				if whole = true; sum() {
					return true, true
				}
			}
			continue
		}
		found, ok := m.each(v, k.raw, func(text []byte) bool {
			h.Reset()
			h.Write(text)
			return (!s.base64 || onlyBase64(text)) && sum()
		})
		if whole = whole || ok; found {
			return true, true
		}
	}
	return false, whole
}

func (s *signature) hasher(k *key) hash.Hash {
	if s.kind == "digest" {
		return s.hash.New()
	}
	return hmac.New(s.hash.New, k.raw)
}

func (s *signature) provedBy(public crypto.PublicKey, text []byte, wanted []given) bool {
	if s.base64 && !onlyBase64(text) {
		return false
	}
	for _, w := range wanted {
		switch k := public.(type) {
		case *rsa.PublicKey:
			h := s.hash.New()
			h.Write(text)
			if rsa.VerifyPKCS1v15(k, s.hash, h.Sum(nil), w.bytes) == nil {
				return true
			}
		case ed25519.PublicKey:
			if ed25519.Verify(k, text, w.bytes) {
				return true
			}
		}
	}
	return false
}

// provesToken checks compact tokens with the pinned algorithm alone.
func (s *signature) provesToken(k *key, wanted []given) bool {
	var verifier any = k.raw
	if k.public != nil {
		verifier = k.public
	}
	for _, w := range wanted {
		token, err := jose.ParseSignedCompact(w.token, []jose.SignatureAlgorithm{s.algorithm})
		if err != nil {
			continue
		}
		if _, err := token.Verify(verifier); err == nil {
			return true
		}
	}
	return false
}

func anyEqual(have []byte, wanted []given) bool {
	found := 0
	for _, w := range wanted {
		found |= subtle.ConstantTimeCompare(have, w.bytes)
	}
	return found == 1
}

func digest(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
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

func decodeEscapedBase64(s string) ([]byte, bool) {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return nil, false
	}
	return decodeBase64(strings.ReplaceAll(plain, " ", "+"))
}

// decodeToken compares tokens by digest, so that the time tells nothing of the length.
func decodeToken(s string) ([]byte, bool) { return digest([]byte(s)), true }

var notBase64 = func(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/=\n", r))
}

func onlyBase64(text []byte) bool { return bytes.IndexFunc(text, notBase64) < 0 }

// entry is how one signature of a list is written: {key}/SHA256/{signature}.
type entry struct {
	keyFirst bool
	between  string
	before   string
	after    string
}

// cut takes an entry apart into the id of its key and its signature.
func (e *entry) cut(s string) (key, sig string, ok bool) {
	s, ok = strings.CutPrefix(s, e.before)
	if !ok {
		return "", "", false
	}
	if s, ok = strings.CutSuffix(s, e.after); !ok {
		return "", "", false
	}
	key, sig, ok = strings.Cut(s, e.between)
	if !e.keyFirst {
		key, sig = sig, key
	}
	return key, sig, ok && key != "" && sig != ""
}
