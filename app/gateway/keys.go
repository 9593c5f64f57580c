package gateway

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// key is one secret or public key of the merchant, prepared for one signature.
type key struct {
	number           int    // in KeyNames; -1 for a fetched certificate
	id               string // by which the gateway names it; "" when nothing says it
	raw              []byte
	public           crypto.PublicKey
	notBefore, until time.Time
	macs             sync.Pool
}

func (k *key) validAt(at time.Time) bool {
	return !(at.Before(k.notBefore) || !k.until.IsZero() && !at.Before(k.until))
}

// goesBy tells whether a key may be meant by an id in a request.
func (k *key) goesBy(id string) bool {
	return id == "" || k.id == "" || strings.EqualFold(strings.TrimLeft(k.id, "0"), strings.TrimLeft(id, "0"))
}

// KeyNames lists what Reading.Secret counts: the webhook secrets, then the public keys.
func (g *Gateway) KeyNames() []string {
	var out []string
	for i := range g.secretTimes {
		out = append(out, fmt.Sprintf("webhook_secrets[%d]", i))
	}
	for i := range g.publicKeys {
		out = append(out, fmt.Sprintf("public_keys[%d]", i))
	}
	return out
}

// secretKeys prepares the webhook secrets for one use of them.
func (c *compiler) secretKeys(at, encoding, prefix string) []*key {
	if encoding == "" {
		encoding = "text"
	}
	if !c.oneOf(c.prefix+at+".key_encoding", encoding, "text", "hex", "base64", "sha1", "md5_hex") {
		return nil
	}
	var out []*key
	for i, one := range c.in.Secrets {
		if one.Value == "" {
			continue
		}
		raw, err := decodeKey(strings.TrimPrefix(one.Value, prefix), encoding)
		if err != nil || len(raw) == 0 {
			c.faults.add(fmt.Sprintf("webhook_secrets[%d]", i), "it is not written in "+encoding, "copy the secret once more from the gateway's dashboard, whole and without spaces")
			continue
		}
		out = append(out, &key{number: i, id: one.ID, raw: raw, notBefore: one.NotBefore, until: one.Until})
	}
	return out
}

func decodeKey(s, encoding string) ([]byte, error) {
	switch encoding {
	case "hex":
		return hex.DecodeString(s)
	case "base64":
		return decodeLooseBase64(s)
	case "sha1":
		sum := sha1.Sum([]byte(s))
		return sum[:], nil
	case "md5_hex":
		return []byte(md5Hex(s)), nil
	}
	return []byte(s), nil
}

// decodeLooseBase64 takes both alphabets, with or without padding.
func decodeLooseBase64(s string) ([]byte, error) {
	s = strings.TrimRight(s, "=")
	if b, err := base64.RawStdEncoding.DecodeString(s); err == nil {
		return b, nil
	}
	return base64.RawURLEncoding.DecodeString(s)
}

// publicKeysOf prepares the public keys that a signature may be checked with.
func (c *compiler) publicKeysOf(kind, prefix string) []*key {
	var out []*key
	for i, text := range c.in.PublicKeys {
		if strings.TrimSpace(text) == "" {
			continue
		}
		keys, err := parsePublicKeys(text, kind, prefix)
		if err != nil {
			c.faults.add(fmt.Sprintf("public_keys[%d]", i), err.Error(), `write the key or certificate as PEM, its bare base64, or "file:PATH"`)
			continue
		}
		for _, k := range keys {
			k.number = len(c.in.Secrets) + i
			out = append(out, k)
		}
	}
	return out
}

// labelled is a key behind the id that the gateway gives it: PUB_KEY_ID_01=MIIB…
var labelled = regexp.MustCompile(`^([A-Za-z0-9_.-]{1,64})=(-----BEGIN|MI|wh)`)

// parsePublicKeys reads PEM (keys or certificates, several of them), or the bare base64
// of one, behind an optional label.
func parsePublicKeys(text, kind, prefix string) ([]*key, error) {
	text = strings.TrimSpace(text)
	label := ""
	if m := labelled.FindStringSubmatch(text); m != nil {
		label, text = m[1], text[len(m[1])+1:]
	}
	if kind == "ed25519" && !strings.HasPrefix(text, "-----BEGIN") {
		raw, err := decodeLooseBase64(strings.TrimPrefix(text, prefix))
		if err != nil || len(raw) != ed25519.PublicKeySize {
			return nil, errors.New("it is no public key of 32 bytes in base64")
		}
		return []*key{{id: label, public: ed25519.PublicKey(raw)}}, nil
	}
	blocks, err := keyBlocks(text)
	if err != nil {
		return nil, err
	}
	var out []*key
	for _, b := range blocks {
		k, err := publicKey(b, kind)
		if err != nil {
			return nil, err
		}
		if label != "" {
			k.id = label
		}
		out = append(out, k)
	}
	return out, nil
}

// keyBlocks gives the DER bytes of every PEM block, or of the bare base64.
func keyBlocks(text string) ([][]byte, error) {
	if !strings.Contains(text, "-----BEGIN") {
		raw, err := decodeWrappedBase64(text)
		if err != nil {
			return nil, errors.New("it is neither PEM nor base64")
		}
		return [][]byte{raw}, nil
	}
	var out [][]byte
	for rest := []byte(text); ; {
		var b *pem.Block
		if b, rest = pem.Decode(rest); b == nil {
			if len(out) == 0 || bytes.Contains(rest, []byte("-----BEGIN")) {
				return nil, errors.New("its PEM is damaged")
			}
			return out, nil
		}
		if strings.Contains(b.Type, "PRIVATE") {
			return nil, errors.New("it is a private key, which must never stand here")
		}
		out = append(out, b.Bytes)
	}
}

func publicKey(der []byte, kind string) (*key, error) {
	if cert, err := x509.ParseCertificate(der); err == nil {
		k := &key{id: fmt.Sprintf("%X", cert.SerialNumber.Bytes()), public: cert.PublicKey, notBefore: cert.NotBefore, until: cert.NotAfter}
		return k, rightKind(k.public, kind)
	}
	if pub, err := x509.ParsePKIXPublicKey(der); err == nil {
		return &key{public: pub}, rightKind(pub, kind)
	}
	pub, err := x509.ParsePKCS1PublicKey(der)
	if err != nil {
		return nil, errors.New("it is no public key and no certificate")
	}
	return &key{public: pub}, rightKind(pub, kind)
}

const minRSABits = 1024

func rightKind(pub crypto.PublicKey, kind string) error {
	switch k := pub.(type) {
	case *rsa.PublicKey:
		if kind == "rsa" && k.N.BitLen() < minRSABits {
			return fmt.Errorf("its %d bits are too few to prove anything", k.N.BitLen())
		}
		if kind == "rsa" {
			return nil
		}
	case ed25519.PublicKey:
		if kind == "ed25519" {
			return nil
		}
	}
	return errors.New("it is no key of kind " + kind)
}
