package app

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
)

// alwaysSecret are headers that carry credentials whoever sends them.
var alwaysSecret = []string{"Authorization", "Cookie", "Proxy-Authorization", "Set-Cookie"}

// redacted is a copy of headers in which credentials are replaced by the beginning of their SHA-256,
// so that two of them can still be told apart.
func redacted(h http.Header, secret []string) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		if !slices.Contains(alwaysSecret, name) && !slices.Contains(secret, name) {
			out[name] = values
			continue
		}
		for _, v := range values {
			sum := sha256.Sum256([]byte(v))
			out[name] = append(out[name], "sha256:"+hex.EncodeToString(sum[:8]))
		}
	}
	return out
}
