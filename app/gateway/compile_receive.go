package gateway

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// envelope is one compiled stage of opening a body.
type envelope struct {
	kind  string
	from  path
	depth int
}

func (c *compiler) receiving(s Spec) {
	g := c.g
	g.methods = s.Methods
	if len(g.methods) == 0 {
		g.methods = []string{http.MethodPost}
	}
	for i, m := range g.methods {
		c.oneOf(fmt.Sprintf("%smethods[%d]", c.prefix, i), m, http.MethodPost, http.MethodGet, http.MethodPut)
	}
	g.envelopes = c.envelopes("envelope", s.Envelope)
	if s.Signatures == "" {
		s.Signatures = "all"
	}
	c.oneOf(c.prefix+"signatures", s.Signatures, "all", "any")
	g.anyOf = s.Signatures == "any"
	if len(s.Signature) == 0 {
		c.add("signature", "nothing says how a request is signed", `add [[signature]]; kind = "none" only where the gateway signs nothing`)
	}
	for i, one := range s.Signature {
		g.signatures = append(g.signatures, signature{})
		c.signature(fmt.Sprintf("signature[%d]", i), one, &g.signatures[i])
	}
	if s.Challenge != nil {
		c.challenge(*s.Challenge)
	}
	if s.Mode != nil {
		c.mode(*s.Mode)
	}
}

func (c *compiler) envelopes(path string, list []EnvelopeSpec) []envelope {
	if len(list) == 0 {
		list = []EnvelopeSpec{{Kind: "json"}}
	}
	var out []envelope
	for i, e := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		c.oneOf(c.prefix+at+".kind", e.Kind, "json", "form")
		if e.MaxDepth == 0 {
			e.MaxDepth = defaultDepth
		}
		if e.MaxDepth < 1 || e.MaxDepth > 512 {
			c.add(at+".max_depth", "it is out of range", "write 1 to 512")
		}
		if i > 0 && e.From == "" {
			c.add(at+".from", "a later stage must say which field it opens", `write from = "field"`)
		}
		out = append(out, envelope{kind: e.Kind, from: c.path(at+".from", e.From), depth: e.MaxDepth})
	}
	return out
}

func (c *compiler) signature(path string, s SignatureSpec, out *signature) {
	c.oneOf(c.prefix+path+".kind", s.Kind, "hmac", "static_token", "none")
	out.kind, out.name, out.prefix, out.separator, out.mode = s.Kind, s.Name, s.Prefix, s.Separator, s.Mode
	if s.Mode != "" {
		c.oneOf(c.prefix+path+".mode", s.Mode, "test", "live")
		c.g.slotted = true
	}
	if s.Kind == "none" {
		return
	}
	if s.From == "" {
		c.add(path+".from", "nothing says where the signature stands", `write from = "{header:X-Signature}"`)
	}
	out.from = c.template(path+".from", s.From, signWords, false)
	out.decode = decodeToken
	if s.Kind == "hmac" {
		c.hmac(path, s, out)
	}
	c.keys(path, s, out)
	if s.Timestamp != nil {
		out.stamp = c.stamp(path+".timestamp", *s.Timestamp)
	}
	c.g.parseFirst = c.g.parseFirst || out.from.uses(opField) || out.message.uses(opField) || out.stamp != nil && out.stamp.from.uses(opField)
}

func (c *compiler) hmac(path string, s SignatureSpec, out *signature) {
	c.oneOf(c.prefix+path+".hash", s.Hash, "sha1", "sha256", "sha512")
	out.newHash = hashes[s.Hash]
	if s.Message == "" {
		s.Message = "{raw_body}"
	}
	out.message = c.template(path+".message", s.Message, signWords, false)
	decoders := map[string]func(string) ([]byte, bool){"hex": decodeHex, "HEX": decodeUpperHex, "base64": decodeBase64}
	c.oneOf(c.prefix+path+".encoding", s.Encoding, "hex", "HEX", "base64")
	out.decode = decoders[s.Encoding]
}

func (c *compiler) keys(path string, s SignatureSpec, out *signature) {
	if s.KeyEncoding == "" {
		s.KeyEncoding = "text"
	}
	if !c.oneOf(c.prefix+path+".key_encoding", s.KeyEncoding, "text", "hex", "base64") {
		return
	}
	for i, one := range c.in.Secrets {
		if one.Value == "" {
			continue
		}
		raw, err := decodeKey(strings.TrimPrefix(one.Value, s.KeyPrefix), s.KeyEncoding)
		if err != nil || len(raw) == 0 {
			c.faults.add(fmt.Sprintf("webhook_secrets[%d]", i), "it is not written in "+s.KeyEncoding, "copy the secret once more from the gateway's dashboard, whole and without spaces")
			continue
		}
		out.keys = append(out.keys, &key{secret: i, raw: raw, notBefore: one.NotBefore, until: one.Until})
	}
}

func decodeKey(s, encoding string) ([]byte, error) {
	switch encoding {
	case "hex":
		return hex.DecodeString(s)
	case "base64":
		if b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "=")); err == nil {
			return b, nil
		}
		return base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	}
	return []byte(s), nil
}

func (c *compiler) stamp(path string, s TimestampSpec) *stamp {
	out := &stamp{unit: s.Unit, past: time.Duration(s.Tolerance), future: time.Duration(s.Tolerance)}
	if s.Unit == "" {
		out.unit = "s"
	}
	c.oneOf(c.prefix+path+".unit", out.unit, "s", "ms", "auto", "rfc3339")
	if s.Policy == "" {
		s.Policy = "reject"
	}
	c.oneOf(c.prefix+path+".policy", s.Policy, "reject", "flag")
	out.flagOnly = s.Policy == "flag"
	if s.Future != nil {
		out.future = time.Duration(*s.Future)
	}
	if s.Tolerance == 0 {
		c.add(path+".tolerance", "nothing says how old a request may be", `write for example tolerance = "300s"`)
	}
	if s.From == "" {
		c.add(path+".from", "nothing says where the time stands", `write from = "{sig:t}" or "{header:X-Timestamp}"`)
	}
	out.from = c.template(path+".from", s.From, signWords, false)
	return out
}

func (c *compiler) challenge(s ChallengeSpec) {
	c.oneOf(c.prefix+"challenge.kind", s.Kind, "fixed", "echo")
	if s.Method == "" {
		s.Method = http.MethodGet
	}
	if s.Method != http.MethodGet || slices.Contains(c.g.methods, s.Method) {
		c.add("challenge.method", quote(s.Method)+" cannot be told from a notice", `write method = "GET", and leave GET out of methods`)
	}
	if s.Kind == "echo" && s.Param == "" {
		c.add("challenge.param", "nothing says what is sent back", `write param = "the query parameter"`)
	}
	if s.ContentType == "" {
		s.ContentType = plainText
	}
	c.g.challenge = &s
}

func (c *compiler) mode(s ModeSpec) {
	c.g.modeFrom = c.selector("mode.from", s.From)
	c.g.modes = map[string]string{}
	for _, v := range s.Live {
		c.g.modes[v] = "live"
	}
	for _, v := range s.Test {
		if c.g.modes[v] != "" {
			c.add("mode.test", quote(v)+" cannot mean live and test", "write it in one of the two")
		}
		c.g.modes[v] = "test"
	}
	if len(s.From) == 0 || len(s.Live) == 0 || len(s.Test) == 0 {
		c.add("mode", "it is not complete", `write from = "livemode", live = "true", test = "false"`)
	}
	c.g.modeAbsent = s.Absent
	if s.Absent != "" {
		c.oneOf(c.prefix+"mode.absent", s.Absent, "test", "live")
	}
}

func (c *compiler) path(at, s string) path {
	p, err := compilePath(s)
	if err != nil {
		c.add(at, err.Error(), `write a path such as data.id, list.0.id or list.#(type=card).id`)
	}
	return p
}

func (c *compiler) template(at, s string, words vocabulary, loose bool) template {
	t, err := compileTemplate(s, words, loose)
	if err != nil {
		c.add(at, err.Error(), "write known parts only; a brace itself is {{")
	}
	return t
}

func (c *compiler) selector(at string, l List) selector {
	var out selector
	for _, s := range l {
		t, err := compileSelector(s)
		if err != nil {
			c.add(at, err.Error(), `write a path such as data.id, or parts such as {header:X-Id}`)
		}
		out = append(out, t)
	}
	return out
}
