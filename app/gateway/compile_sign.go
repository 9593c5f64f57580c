package gateway

import (
	"crypto/aes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

var tokenAlgorithms = map[string]jose.SignatureAlgorithm{"HS256": jose.HS256, "HS512": jose.HS512, "RS256": jose.RS256}

var decoders = map[string]func(string) ([]byte, bool){"hex": decodeHex, "HEX": decodeUpperHex, "base64": decodeBase64, "escaped_base64": decodeEscapedBase64}

var signatureKinds = []string{"static_token", "hmac", "digest", "rsa", "ed25519", "jwt", "none"}

func (c *compiler) signature(path string, s SignatureSpec, out *signature) {
	if !c.oneOf(c.prefix+path+".kind", s.Kind, signatureKinds...) {
		return
	}
	out.kind, out.name, out.prefix, out.separator, out.mode = s.Kind, s.Name, s.Prefix, s.Separator, s.Mode
	out.when = c.guard(path+".when", s.When, false)
	out.eachItem, out.withoutKeys = s.EachItem, s.WithoutKeys
	if s.WithoutKeys && s.Kind != "none" {
		c.add(path+".without_keys", "a signature of kind "+s.Kind+" needs keys", "remove it")
	}
	if s.Mode != "" {
		c.oneOf(c.prefix+path+".mode", s.Mode, "test", "live")
		c.g.slotted = true
	}
	if s.Kind != "none" {
		c.proving(path, s, out)
	}
	c.g.parseFirst = c.g.parseFirst || out.reads()
}

// proving compiles what every kind but none has: a place, a form, keys and a text.
func (c *compiler) proving(path string, s SignatureSpec, out *signature) {
	if len(s.From) == 0 {
		c.add(path+".from", "nothing says where the signature stands", `write from = "{header:X-Signature}"`)
	}
	for _, from := range s.From {
		out.from = append(out.from, c.template(path+".from", from, signWords))
	}
	for _, id := range s.KeyID {
		out.keyID = append(out.keyID, c.template(path+".key_id", id, signWords))
	}
	out.entry = c.entry(path+".entry", s.Entry)
	out.decode = decodeToken
	switch s.Kind {
	case "hmac", "digest", "rsa", "ed25519":
		c.hashed(path, s, out)
	case "jwt":
		if c.oneOf(c.prefix+path+".algorithm", s.Algorithm, sortedKeys(tokenAlgorithms)...) {
			out.algorithm = tokenAlgorithms[s.Algorithm]
		}
	}
	c.signatureKeys(path, s, out)
	if s.Certificate != nil {
		c.certificate(path+".certificate", *s.Certificate, out)
	}
	if s.Timestamp != nil {
		out.stamp = c.stamp(path+".timestamp", *s.Timestamp)
	}
}

func (c *compiler) hashed(path string, s SignatureSpec, out *signature) {
	known := []string{"sha1", "sha256", "sha512"}
	if s.Kind == "digest" {
		known = append(known, "md5")
	}
	if s.Kind != "ed25519" && c.oneOf(c.prefix+path+".hash", s.Hash, known...) {
		out.hash = hashes[s.Hash]
	}
	if c.oneOf(c.prefix+path+".encoding", s.Encoding, sortedKeys(decoders)...) {
		out.decode = decoders[s.Encoding]
	}
	if s.Only != "" && c.oneOf(c.prefix+path+".only", s.Only, "base64") {
		out.base64 = true
	}
	out.messages = c.messages(path, s)
	if s.Kind == "digest" && !c.holdsSecret(s) {
		c.add(path+".message", "a digest without {secret} can be made by anybody", `write for example message = "{field:id}{field:status}{secret}"`)
	}
}

func (c *compiler) holdsSecret(s SignatureSpec) bool {
	all := slices.Concat(s.Message, s.Parts)
	if s.Sorted != nil {
		all = append(all, s.Sorted.End)
	}
	if s.Flattened != nil {
		all = append(all, s.Flattened.End)
	}
	return slices.ContainsFunc(all, func(t string) bool { return strings.Contains(t, "{secret}") }) &&
		!slices.ContainsFunc(s.Message, func(t string) bool { return !strings.Contains(t, "{secret}") })
}

// messages compiles the texts that may be signed; they are written in one of four ways.
func (c *compiler) messages(path string, s SignatureSpec) []message {
	ways := 0
	for _, given := range []bool{len(s.Message) > 0, len(s.Parts) > 0, s.Sorted != nil, s.Flattened != nil} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		c.add(path+".message", "the signed text is described twice", "write one of: message, parts, sorted, flattened")
	}
	switch {
	case s.Sorted != nil:
		return []message{&sortedMessage{form: c.sorted(path+".sorted", *s.Sorted), end: c.template(path+".sorted.end", s.Sorted.End, signWords)}}
	case s.Flattened != nil:
		return []message{&flattened{end: c.template(path+".flattened.end", s.Flattened.End, signWords)}}
	case len(s.Parts) > 0:
		var parts optionalParts
		for _, one := range s.Parts {
			parts = append(parts, c.template(path+".parts", one, signWords))
		}
		return []message{parts}
	}
	if len(s.Message) == 0 {
		s.Message = List{"{raw_body}"}
	}
	var out []message
	for _, one := range s.Message {
		t := c.template(path+".message", one, signWords)
		out = append(out, &t)
	}
	return out
}

func (c *compiler) entry(path, s string) *entry {
	if s == "" {
		return nil
	}
	t := c.template(path, s, entryWords)
	e, place := &entry{}, 0
	for _, p := range t.parts {
		switch {
		case p.op == opKey || p.op == opSignature:
			if place == 0 {
				e.keyFirst = p.op == opKey
			}
			place++
		case place == 0:
			e.before = p.text
		case place == 1:
			e.between = p.text
		default:
			e.after = p.text
		}
	}
	if place != 2 || e.between == "" || !t.uses(opKey) || !t.uses(opSignature) {
		c.add(path, quote(s)+" does not tell a key from a signature", `write for example entry = "{key}/SHA256/{signature}"`)
	}
	return e
}

func (c *compiler) signatureKeys(path string, s SignatureSpec, out *signature) {
	asymmetric := s.Kind == "rsa" || s.Kind == "jwt" && s.Algorithm == "RS256"
	switch {
	case s.Kind == "ed25519":
		out.keys = c.publicKeysOf("ed25519", s.KeyPrefix)
	case asymmetric:
		out.keys = c.publicKeysOf("rsa", "")
	default:
		out.keys = c.secretKeys(path, s.KeyEncoding, s.KeyPrefix)
	}
	own := c.ownKey(path+".own_key", s.OwnKey)
	for _, k := range out.keys {
		if k.id == "" {
			k.id = own
		}
	}
}

// ownKey is the id that our key has where it states none itself.
func (c *compiler) ownKey(path string, l List) string {
	values := map[op]string{opAccount: c.in.Account, opAPIKey: c.in.APIKey}
	if len(c.in.PublicKeys) > 0 {
		values[opPublicKey] = c.in.PublicKeys[0]
	}
	id := ""
	for _, one := range l {
		t := c.template(path, one, ownWords)
		if len(t.parts) == 1 && id == "" {
			id = values[t.parts[0].op]
		}
	}
	return id
}

func (c *compiler) certificate(path string, s CertificateSpec, out *signature) {
	if s.URL == "" || len(s.Hosts) == 0 || s.Path == "" || s.Names == "" || strings.Count(s.Names, "*") > 1 {
		c.add(path, "it is not complete", `write url, hosts, path and names (with at most one *)`)
	}
	if out.kind != "rsa" {
		c.add(path, "only a signature of kind rsa has a certificate", "remove it")
	}
	out.fetch = &certificates{address: c.template(path+".url", s.URL, signWords), hosts: s.Hosts, path: s.Path, names: s.Names,
		roots: c.in.Roots, known: map[string]*key{}}
}

var envelopeKinds = []string{"json", "form", "xml", "query", "auto", "text", "jwt", "base64", "decrypt"}

func (c *compiler) envelopes(path string, list []EnvelopeSpec, proofs []SignatureSpec) []envelope {
	if len(list) == 0 {
		list = []EnvelopeSpec{{Kind: "json"}}
	}
	var out []envelope
	for i, e := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		c.oneOf(c.prefix+at+".kind", e.Kind, envelopeKinds...)
		if e.MaxDepth == 0 {
			e.MaxDepth = defaultDepth
		}
		if e.MaxDepth < 1 || e.MaxDepth > 512 {
			c.add(at+".max_depth", "it is out of range", "write 1 to 512")
		}
		wraps := slices.Contains([]string{"jwt", "base64", "decrypt"}, e.Kind)
		if (i > 0 || wraps) && e.From == "" {
			c.add(at+".from", "nothing says which field it opens", `write from = "field"`)
		}
		if i == 0 && wraps {
			c.add(at+".kind", "a "+e.Kind+" stands in a field of a message", `write [[envelope]] kind = "json" or "form" before it`)
		}
		one := envelope{kind: e.Kind, from: c.path(at+".from", e.From), as: e.As, optional: e.Optional, depth: e.MaxDepth}
		if e.As != "" {
			c.oneOf(c.prefix+at+".as", e.As, "json", "form", "xml")
		}
		c.sealed(at, e, proofs, &one)
		out = append(out, one)
	}
	return out
}

// sealed compiles what only tokens and encrypted fields have.
func (c *compiler) sealed(at string, e EnvelopeSpec, proofs []SignatureSpec, out *envelope) {
	switch e.Kind {
	case "jwt":
		for _, p := range proofs {
			if p.Kind != "jwt" || !slices.Equal(p.From, List{"{field:" + e.From + "}"}) {
				c.add(at, "a token may be opened only where every signature proves it", `write [[signature]] kind = "jwt", from = "{field:`+e.From+`}" and no other`)
			}
			out.algorithms = append(out.algorithms, tokenAlgorithms[p.Algorithm])
		}
		if len(proofs) == 0 {
			c.add(at, "nothing proves the token", `add a signature of kind "jwt"`)
		}
	case "decrypt":
		out.cipher = e.Cipher
		c.oneOf(c.prefix+at+".cipher", e.Cipher, "aes-gcm", "aes-ecb")
		out.nonce, out.aad = c.path(at+".nonce", e.Nonce), c.path(at+".aad", e.AAD)
		if e.Cipher == "aes-gcm" && e.Nonce == "" {
			c.add(at+".nonce", "nothing says where the nonce stands", `write nonce = "resource.nonce"`)
		}
		out.keys = c.secretKeys(at, e.KeyEncoding, "")
		for _, k := range out.keys {
			if _, err := aes.NewCipher(k.raw); err != nil {
				c.faults.add(fmt.Sprintf("webhook_secrets[%d]", k.number), fmt.Sprintf("it has %d bytes, and what decrypts the messages has 32", len(k.raw)), "copy the key once more from the gateway's dashboard, whole and without spaces")
			}
		}
	}
}

// answerProofs are the signatures that an answer of the gateway carries.
func (c *compiler) answerProofs() []SignatureSpec {
	if c.g.spec.Query == nil || c.g.spec.Query.Verify == nil {
		return nil
	}
	return []SignatureSpec{*c.g.spec.Query.Verify}
}
