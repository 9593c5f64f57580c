package app

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"

	"nodrop/app/gateway"
)

// alwaysSecret are headers that carry credentials whoever sends them, unless a gateway puts its signature there.
var alwaysSecret = []string{"Authorization", "Cookie", "Proxy-Authorization", "Set-Cookie"}

// secretHeaders lists the headers of a gateway's notices that are never stored as they are.
func secretHeaders(def *gateway.Gateway) []string {
	signed := def.SignedHeaders()
	secret := slices.DeleteFunc(slices.Clone(alwaysSecret), func(name string) bool { return slices.Contains(signed, name) })
	return append(secret, def.SecretHeaders()...)
}

// redacted is a copy of headers in which credentials are replaced by their SHA-256: they can still be told apart and
// compared with the right ones, and nobody can use them.
func redacted(h http.Header, secret []string) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		if !slices.Contains(secret, http.CanonicalHeaderKey(name)) {
			out[name] = values
			continue
		}
		for _, v := range values {
			sum := sha256.Sum256([]byte(v))
			out[name] = append(out[name], "sha256:"+hex.EncodeToString(sum[:]))
		}
	}
	return out
}

// Redacted is a copy of the headers of a request to a gateway as they may be shown: credentials are replaced by "sha256:"
// and their digest in hex.
func (e *Engine) Redacted(name string, h http.Header) http.Header {
	secret := alwaysSecret
	if a, ok := e.gateways[name]; ok {
		secret = a.secretHeaders
	}
	return redacted(h, secret)
}
