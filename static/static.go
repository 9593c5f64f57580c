// Package static holds the files that the admin pages load, embedded. Each is served under
// a name that carries a hash of its content, so that a browser may keep it for ever.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"strings"
)

//go:embed style.css app.js icon.svg
var files embed.FS

// Prefix is the beginning of every address of a static file.
const Prefix = "/static/"

type file struct {
	body        []byte
	contentType string
}

var (
	byAddress = map[string]file{}
	addresses = map[string]string{}
)

func init() {
	types := map[string]string{"style.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"}
	for name, contentType := range types {
		body, err := files.ReadFile(name)
		if err != nil {
			panic("static: " + name + " is not embedded: " + err.Error())
		}
		sum := sha256.Sum256(body)
		stem, ending, _ := strings.Cut(name, ".")
		address := Prefix + stem + "." + hex.EncodeToString(sum[:8]) + "." + ending
		addresses[name] = address
		byAddress[address] = file{body: body, contentType: contentType}
	}
}

// URL gives the address of an embedded file; "" for one that does not exist.
func URL(name string) string { return addresses[name] }

// Handler serves the embedded files under their addresses and nothing else.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := byAddress[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", f.contentType)
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(f.body)
	})
}
