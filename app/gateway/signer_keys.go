package gateway

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
)

const (
	privateKeyRemedy = "write the key that belongs to the one given to the gateway: PKCS#8 or PKCS#1, as PEM or as base64, without a password"
	shortestRSA      = 1024 // bits; crypto/rsa signs with no fewer
)

// readPrivateKey reads PEM (other blocks, such as a certificate, may stand beside the key) or bare base64; kind is rsa,
// ecdsa (on P-256) or ed25519, whose bare form is also the 32 bytes of its seed, with or without the public half.
func readPrivateKey(s, kind string) (crypto.Signer, error) {
	der, err := privateKeyBytes(s)
	if err != nil {
		return nil, err
	}
	if n := len(der); kind == "ed25519" && (n == ed25519.SeedSize || n == ed25519.PrivateKeySize) {
		return ed25519.NewKeyFromSeed(der[:ed25519.SeedSize]), nil
	}
	key, ok := parsePrivateKey(der)
	if !ok {
		return nil, errors.New("it cannot be read as a private key")
	}
	switch k := key.(type) {
	case *rsa.PrivateKey:
		if kind == "rsa" {
			return longEnough(k)
		}
	case *ecdsa.PrivateKey:
		if kind == "ecdsa" && k.Curve == elliptic.P256() {
			return k, nil
		}
	case ed25519.PrivateKey:
		if kind == "ed25519" {
			return k, nil
		}
	}
	return nil, errors.New("it is a private key of another kind than the gateway takes")
}

func parsePrivateKey(der []byte) (any, bool) {
	for _, parse := range []func([]byte) (any, error){
		x509.ParsePKCS8PrivateKey,
		func(b []byte) (any, error) { return x509.ParsePKCS1PrivateKey(b) },
		func(b []byte) (any, error) { return x509.ParseECPrivateKey(b) },
	} {
		if key, err := parse(der); err == nil {
			return key, true
		}
	}
	return nil, false
}

func longEnough(k *rsa.PrivateKey) (crypto.Signer, error) {
	if k.N.BitLen() < shortestRSA {
		return nil, fmt.Errorf("its %d bits are too few to be safe", k.N.BitLen())
	}
	return k, nil
}

func privateKeyBytes(s string) ([]byte, error) {
	s = strings.ReplaceAll(s, `\n`, "\n") // as a PEM is often written in one line
	if !strings.Contains(s, "-----BEGIN") {
		der, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(s), ""))
		if err != nil {
			return nil, errors.New("it is neither PEM nor base64")
		}
		return der, nil
	}
	for block := range pemBlocks(s) {
		switch {
		case strings.Contains(block.Type, "ENCRYPTED") || block.Headers["DEK-Info"] != "":
			return nil, errors.New("it is locked with a password")
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return block.Bytes, nil
		}
	}
	return nil, errors.New("it holds no private key")
}

func pemBlocks(s string) func(func(*pem.Block) bool) {
	return func(yield func(*pem.Block) bool) {
		for rest := []byte(s); ; {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil || !yield(block) {
				return
			}
		}
	}
}

// keySerial is the serial number, in upper hex, of the certificate that stands beside a private key; "" without one.
func keySerial(s string) string {
	for block := range pemBlocks(s) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil {
			return fmt.Sprintf("%X", cert.SerialNumber.Bytes())
		}
	}
	return ""
}
