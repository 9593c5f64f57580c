package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

func (c *compiler) signer(at string, s SignSpec) *signer {
	out := &signer{kind: s.Kind}
	if !c.oneOf(c.prefix+at+".kind", s.Kind, "hmac", "digest", "rsa", "jwt") {
		return out
	}
	if s.Kind == "jwt" {
		c.signedToken(at, s, out)
	} else {
		c.signedText(at, s, out)
	}
	uses := out.message.uses(opSecret) || out.end.uses(opSecret)
	if uses && s.Kind != "hmac" && s.Kind != "digest" {
		c.add(at, "a private key is no part of what is signed", "leave {secret} out")
	}
	out.keyless = s.Kind == "digest" && !uses
	c.signKeys(at, s, out)
	return out
}

func (c *compiler) signedText(at string, s SignSpec, out *signer) {
	hashNames := []string{"sha1", "sha256", "sha512"}
	if s.Kind == "digest" {
		hashNames = append(hashNames, "md5")
	}
	c.oneOf(c.prefix+at+".hash", s.Hash, hashNames...)
	out.hash = hashes[s.Hash]
	c.oneOf(c.prefix+at+".encoding", s.Encoding, sortedKeys(signWriters)...)
	out.write = signWriters[s.Encoding]
	if (s.Message == "") == (s.Sorted == nil) {
		c.add(at+".message", "it must be clear what is signed", "write message, or [sorted] for the fields of the form")
	}
	out.message = c.phrase(at+".message", s.Message, signedWords, false)
	if s.Sorted != nil {
		out.sorted = c.sorted(at+".sorted", *s.Sorted)
		out.end = c.phrase(at+".sorted.end", s.Sorted.End, signedWords, false)
		if s.Sorted.Empty == "either" {
			c.add(at+".sorted.empty", "a question is signed in one way", "write keep or drop")
		}
	}
}

func (c *compiler) signedToken(at string, s SignSpec, out *signer) {
	c.oneOf(c.prefix+at+".algorithm", s.Algorithm, "HS256", "HS512", "RS256", "ES256", "EdDSA")
	out.header = c.pairs(at+".header", s.Header)
	out.alg = jose.SignatureAlgorithm(s.Algorithm)
	if s.Sorted != nil || s.Encoding != "" || s.Hash != "" {
		c.add(at, "a token is signed over its claims", "leave hash, encoding and sorted out, and write algorithm and message")
	}
	out.message = c.phrase(at+".message", s.Message, signedWords, true)
	if !out.message.isJSON() {
		c.add(at+".message", "the claims are no JSON object", `write for example message = '{"id":"{merchant_ref}"}'`)
	}
}

// isJSON tells whether a phrase is a JSON object once its parts are filled in.
func (p phrase) isJSON() bool {
	var b strings.Builder
	for i := range p {
		if p[i].op != opLiteral {
			b.WriteByte('1')
			continue
		}
		b.WriteString(p[i].text)
	}
	return strings.HasPrefix(strings.TrimSpace(b.String()), "{") && json.Valid([]byte(b.String()))
}

// signKeys prepares the keys that a signer may use.
func (c *compiler) signKeys(at string, s SignSpec, out *signer) {
	if out.keyless && s.Key == "" {
		return
	}
	out.keyName = s.Key
	if s.KeyEncoding == "" {
		s.KeyEncoding = "text"
	}
	if !c.oneOf(c.prefix+at+".key_encoding", s.KeyEncoding, "text", "hex", "base64") {
		return
	}
	if !c.oneOf(c.prefix+at+".key", s.Key, "api_key", "api_secret", "private_key", "webhook_secret") {
		return
	}
	switch s.Key {
	case "api_key":
		c.signKey("api_key", s, Secret{Value: c.in.APIKey}, out)
	case "api_secret":
		c.signKey("api_secret", s, Secret{Value: c.in.APISecret}, out)
	case "private_key":
		c.signKey("private_key", s, Secret{Value: c.in.PrivateKey}, out)
	default:
		for i, one := range c.in.Secrets {
			c.signKey(fmt.Sprintf("webhook_secrets[%d]", i), s, one, out)
		}
	}
}

func (c *compiler) signKey(name string, s SignSpec, one Secret, out *signer) {
	if strings.TrimSpace(one.Value) == "" {
		return
	}
	k := signKey{notBefore: one.NotBefore, until: one.Until}
	var err error
	remedy := "copy it once more from the gateway's dashboard, whole and without spaces"
	if kind := keyKind(s); kind != "" {
		remedy = privateKeyRemedy
		k.private, err = readPrivateKey(one.Value, kind)
	} else {
		k.raw, err = decodeSignKey(one.Value, s)
	}
	if err != nil {
		c.faults.add(name, err.Error(), remedy)
		return
	}
	out.keys = append(out.keys, k)
}

// keyKind is the kind of private key that a question is signed with, or "" for a secret.
func keyKind(s SignSpec) string {
	if s.Kind == "rsa" {
		return "rsa"
	}
	return map[string]string{"RS256": "rsa", "ES256": "ecdsa", "EdDSA": "ed25519"}[s.Algorithm]
}

// tokenKeyBytes is the shortest key that a JWT may be signed with (RFC 7518, section 3.2).
var tokenKeyBytes = map[string]int{"HS256": 32, "HS512": 64}

func decodeSignKey(value string, s SignSpec) ([]byte, error) {
	raw, err := decodeKey(value, s.KeyEncoding)
	if err != nil || len(raw) == 0 {
		return nil, errors.New("it is not written in " + s.KeyEncoding)
	}
	if need := tokenKeyBytes[s.Algorithm]; s.Kind == "jwt" && len(raw) < need {
		return nil, fmt.Errorf("it is too short for %s: it has %d of the %d bytes needed", s.Algorithm, len(raw), need)
	}
	return raw, nil
}
