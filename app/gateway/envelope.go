package gateway

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-jose/go-jose/v4"
)

// envelope is one compiled stage of opening a body.
type envelope struct {
	kind       string
	from       path
	as         string
	optional   bool
	cipher     string
	nonce, aad path
	keys       []*key
	depth      int
	algorithms []jose.SignatureAlgorithm
}

// opened is a message as the first envelope opened it, and as the last did.
type opened struct{ outer, doc *document }

func (o opened) release() {
	if o.doc != nil && o.doc != o.outer {
		o.doc.release()
	}
	if o.outer != nil {
		o.outer.release()
	}
}

// openOuter runs the first stage.
func openOuter(stages []envelope, body []byte, target string) (opened, error) {
	d, err := stages[0].open(body, target)
	return opened{outer: d, doc: d}, err
}

// inner runs the other stages, each on a field of the one before.
func (o opened) inner(stages []envelope) (opened, error) {
	for i := 1; i < len(stages); i++ {
		s := &stages[i]
		got := o.doc.at(0, &s.from)
		if got.empty() && s.optional {
			return o, nil
		}
		if got.kind != text {
			return o, fmt.Errorf("the field %q holds nothing to open", s.from.whole)
		}
		in, err := s.unwrap(o.doc, got.text)
		if err != nil {
			return o, err
		}
		d, err := s.open(in, "")
		if err != nil {
			return o, err
		}
		if o.doc != o.outer {
			o.doc.release()
		}
		o.doc = d
	}
	return o, nil
}

// unwrap gives the bytes that a field of the stage before wraps.
func (e *envelope) unwrap(d *document, s string) ([]byte, error) {
	switch e.kind {
	case "base64":
		return decodeWrappedBase64(s)
	case "jwt":
		token, err := jose.ParseSignedCompact(s, e.algorithms)
		if err != nil {
			return nil, errors.New("the token cannot be read")
		}
		return token.UnsafePayloadWithoutVerification(), nil
	case "decrypt":
		return e.decrypt(d, s)
	}
	return []byte(s), nil
}

// decodeWrappedBase64 reads base64 that may be broken into lines.
func decodeWrappedBase64(s string) ([]byte, error) {
	b, err := decodeLooseBase64(strings.Join(strings.Fields(s), ""))
	if err != nil {
		return nil, errors.New("a field holds no base64")
	}
	return b, nil
}

func (e *envelope) decrypt(d *document, s string) ([]byte, error) {
	sealed, err := decodeWrappedBase64(s)
	if err != nil {
		return nil, err
	}
	nonce, aad := d.optional(&e.nonce), d.optional(&e.aad)
	if nonce.kind == faulty || aad.kind == faulty {
		return nil, errors.New("the nonce or the associated data cannot be read")
	}
	for _, k := range e.keys {
		if out, ok := e.decryptWith(k.raw, sealed, []byte(nonce.text), []byte(aad.text)); ok {
			return out, nil
		}
	}
	if len(e.keys) == 0 {
		return nil, errors.New("no secret is configured to decrypt it with")
	}
	return nil, errors.New("no configured secret decrypts it")
}

// optional reads a path that the definition may leave out.
func (d *document) optional(p *path) value {
	if p.whole == "" {
		return value{}
	}
	return d.at(0, p)
}

func (e *envelope) decryptWith(secret, sealed, nonce, aad []byte) ([]byte, bool) {
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, false
	}
	if e.cipher == "aes-ecb" {
		return decryptECB(block, sealed)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil || len(nonce) != aead.NonceSize() {
		return nil, false
	}
	out, err := aead.Open(nil, nonce, sealed, aad)
	return out, err == nil
}

// decryptECB undoes AES in ECB mode with PKCS#7 padding, as WeChat Pay v2 seals refunds.
func decryptECB(block cipher.Block, sealed []byte) ([]byte, bool) {
	n := block.BlockSize()
	if len(sealed) == 0 || len(sealed)%n != 0 {
		return nil, false
	}
	out := make([]byte, len(sealed))
	for i := 0; i < len(sealed); i += n {
		block.Decrypt(out[i:i+n], sealed[i:i+n])
	}
	pad := int(out[len(out)-1])
	if pad == 0 || pad > n || !bytes.HasSuffix(out, bytes.Repeat([]byte{byte(pad)}, pad)) {
		return nil, false
	}
	return out[:len(out)-pad], true
}

// open parses the bytes of a stage.
func (e *envelope) open(in []byte, target string) (*document, error) {
	format := e.kind
	if e.as != "" {
		format = e.as
	}
	if format == "auto" {
		format = formatOf(in)
	}
	switch format {
	case "form":
		return parseForm(in)
	case "query":
		_, query, _ := strings.Cut(target, "?")
		return parseForm([]byte(query))
	case "xml":
		return parseXML(in, e.depth)
	case "text":
		return parseText(in)
	}
	return parseJSON(in, e.depth)
}

// formatOf tells a message's format by its first byte; one without a body is its query string.
func formatOf(in []byte) string {
	in = bytes.TrimSpace(bytes.TrimPrefix(in, byteOrderMark))
	switch {
	case len(in) == 0:
		return "query"
	case in[0] == '{' || in[0] == '[':
		return "json"
	case in[0] == '<':
		return "xml"
	}
	return "form"
}

// parseText makes a message of a plain answer: its trimmed text under the name text.
func parseText(in []byte) (*document, error) {
	if len(in) > maxBodyBytes {
		return nil, errTooLarge
	}
	raw, err := json.Marshal(map[string]string{"text": string(bytes.TrimSpace(bytes.TrimPrefix(in, byteOrderMark)))})
	if err != nil {
		return nil, err
	}
	return parseJSON(raw, 2)
}
