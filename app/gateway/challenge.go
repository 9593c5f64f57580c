package gateway

import (
	"crypto"
	"crypto/hmac"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
)

// challenge is a compiled ChallengeSpec.
type challenge struct {
	ChallengeSpec
	body template
	hash crypto.Hash
	keys []*key
	own  string
}

const maxChallenge = 256

func (c *compiler) challenge(s ChallengeSpec) {
	c.oneOf(c.prefix+"challenge.kind", s.Kind, "fixed", "echo", "signed")
	if s.Method == "" {
		s.Method = http.MethodGet
	}
	if s.Method != http.MethodGet || slices.Contains(c.g.methods, s.Method) {
		c.add("challenge.method", quote(s.Method)+" cannot be told from a notice", `write method = "GET", and leave GET out of methods`)
	}
	if s.Kind != "fixed" && s.Param == "" {
		c.add("challenge.param", "nothing says what is sent back", `write param = "the query parameter"`)
	}
	if s.ContentType == "" {
		s.ContentType = plainText
	}
	out := &challenge{ChallengeSpec: s}
	if s.Kind == "signed" {
		out.body = c.template("challenge.body", s.Body, challengeWords)
		if c.oneOf(c.prefix+"challenge.hash", s.Hash, "sha1", "sha256", "sha512") {
			out.hash = hashes[s.Hash]
		}
		if s.Allowed != "" {
			c.oneOf(c.prefix+"challenge.allowed", s.Allowed, "hex")
		}
		out.keys, out.own = c.secretKeys("challenge", s.KeyEncoding, ""), c.ownKey("challenge.own_key", s.OwnKey)
	}
	c.g.challenge = out
}

// answerChallenge proves to the gateway that the address is ours.
func (g *Gateway) answerChallenge(r Request) Reading {
	a := Ack{Status: http.StatusOK, ContentType: g.challenge.ContentType, Body: []byte(g.challenge.Body), Header: http.Header{}}
	switch sent := param(r.Target, g.challenge.Param); g.challenge.Kind {
	case "echo":
		a.Body = []byte(sent)
	case "signed":
		if r.Method == http.MethodHead && sent == "" {
			a.Body = nil
			break
		}
		body, why := g.challenge.answer(sent, r)
		if why != "" {
			return g.refuse(Reading{Secret: -1}, "bad_challenge", why)
		}
		a.Body = []byte(body)
	}
	return Reading{Verdict: Challenged, Secret: -1, Ack: a}
}

// answer signs what was sent; why says why it is not signed.
func (c *challenge) answer(sent string, r Request) (body, why string) {
	if sent == "" || len(sent) > maxChallenge || c.Allowed == "hex" && strings.Trim(sent, "0123456789abcdef") != "" {
		return "", "the parameter " + c.Param + " is missing or not of the form that the gateway sends"
	}
	for _, k := range c.keys {
		if !k.validAt(r.At) {
			continue
		}
		mac := hmac.New(c.hash.New, k.raw)
		mac.Write([]byte(sent))
		return c.written(hex.EncodeToString(mac.Sum(nil))), ""
	}
	return "", "no secret is configured to answer it with"
}

func (c *challenge) written(signature string) string {
	var b strings.Builder
	for _, p := range c.body.parts {
		switch p.op {
		case opKey:
			b.WriteString(c.own)
		case opSignature:
			b.WriteString(signature)
		default:
			b.WriteString(p.text)
		}
	}
	return b.String()
}
