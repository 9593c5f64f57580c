package gateway

import (
	"crypto"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// signer is a compiled SignSpec: it makes what {signature} stands for.
type signer struct {
	kind    string
	hash    crypto.Hash
	alg     jose.SignatureAlgorithm
	message phrase
	header  pairs // jwt: members of its header beside alg and typ
	sorted  *sortedForm
	end     phrase
	write   func([]byte) string
	keyName string
	keyless bool // a digest without {secret}
	keys    []signKey
}

// signKey is one key of the merchant; the first that is valid signs.
type signKey struct {
	raw              []byte
	private          crypto.Signer // rsa, and jwt by a key pair
	notBefore, until time.Time
}

var signWriters = map[string]func([]byte) string{
	"hex":            hex.EncodeToString,
	"HEX":            func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) },
	"base64":         base64.StdEncoding.EncodeToString,
	"escaped_base64": func(b []byte) string { return url.QueryEscape(base64.StdEncoding.EncodeToString(b)) },
}

func (s *signer) key(at time.Time) (*signKey, error) {
	for i := range s.keys {
		k := &s.keys[i]
		if !at.Before(k.notBefore) && (k.until.IsZero() || at.Before(k.until)) {
			return k, nil
		}
	}
	if s.keyless {
		return &signKey{}, nil
	}
	return nil, fmt.Errorf("the question cannot be signed: no %s is valid now", s.keyName)
}

func (s *signer) sign(a *asking) (string, error) {
	k, err := s.key(a.at)
	if err != nil {
		return "", err
	}
	if s.kind == "jwt" {
		return s.token(k, s.message.fill(a, escapeJSON), s.header.fields(a))
	}
	a.secret = string(k.raw)
	text := s.text(a)
	h := s.hash.New()
	if s.kind == "hmac" {
		h = hmac.New(s.hash.New, k.raw)
	}
	h.Write(text)
	sum := h.Sum(nil)
	if s.kind == "rsa" {
		if sum, err = k.private.Sign(nil, sum, s.hash); err != nil {
			return "", errors.New("the question cannot be signed: " + s.keyName + " does not fit the hash")
		}
	}
	return s.write(sum), nil
}

// text is what is signed.
func (s *signer) text(a *asking) []byte {
	if s.sorted == nil {
		return []byte(s.message.fill(a, escapeNone))
	}
	return sortedText(a.step.signedPairs().fields(a), s.sorted, s.end.fill(a, escapeNone))
}

// token signs claims as a compact JWT.
func (s *signer) token(k *signKey, claims string, header []field) (string, error) {
	var key any = k.raw
	if k.private != nil {
		key = k.private
	}
	options := (&jose.SignerOptions{}).WithType("JWT")
	for _, h := range header {
		options = options.WithHeader(jose.HeaderKey(h.name), h.value)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: s.alg, Key: key}, options)
	if err != nil {
		return "", errors.New("the question cannot be signed: " + s.keyName + " does not fit " + string(s.alg))
	}
	signed, err := signer.Sign([]byte(claims))
	if err != nil {
		return "", errors.New("the question cannot be signed with " + s.keyName + " by " + string(s.alg))
	}
	return signed.CompactSerialize()
}

// dependsOn gives what the signed text is made of.
func (s *signer) dependsOn(o op, of *step) bool {
	if s.message.uses(o) || s.end.uses(o) || s.header.uses(o) {
		return true
	}
	if s.sorted == nil {
		return false
	}
	for _, p := range of.signedPairs() {
		if p.value.uses(o) {
			return true
		}
	}
	return false
}
