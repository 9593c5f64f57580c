package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

// ParseCapture reads a captured HTTP request: request line, headers, blank line, raw
// body. Lines of the head may end in LF or CRLF; the body is kept byte for byte.
func ParseCapture(raw []byte, at time.Time) (Request, error) {
	r := Request{Header: http.Header{}, At: at}
	line, rest, ok := captureLine(raw)
	fields := strings.Fields(line)
	if !ok || len(fields) < 2 || len(fields) > 3 || !plainMethod(fields[0]) || !validTarget(fields[1]) {
		return r, errors.New("the capture does not begin with a request line; write for example POST /hooks/name HTTP/1.1")
	}
	r.Method, r.Target = fields[0], originForm(fields[1])
	for n := 2; ; n++ {
		if line, rest, ok = captureLine(rest); !ok {
			return r, errors.New("the head of the capture does not end; put one blank line between the headers and the body")
		}
		if line == "" {
			r.Body = rest
			return r, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") || !plainHeader(name) {
			return r, fmt.Errorf("line %d of the capture is no header; write Name: value, and one blank line before the body", n)
		}
		r.Header.Add(name, strings.TrimSpace(value))
	}
}

func captureLine(raw []byte) (line string, rest []byte, ok bool) {
	i := bytes.IndexByte(raw, '\n')
	if i < 0 {
		return "", nil, false
	}
	return string(bytes.TrimSuffix(raw[:i], []byte("\r"))), raw[i+1:], true
}

func plainMethod(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < 'A' || r > 'Z' }) < 0
}

func validTarget(s string) bool { return strings.HasPrefix(originForm(s), "/") }

// originForm cuts scheme and host from an address, as a proxy writes it.
func originForm(s string) string {
	for _, scheme := range []string{"http://", "https://"} {
		if rest, ok := strings.CutPrefix(s, scheme); ok {
			_, path, _ := strings.Cut(rest, "/")
			return "/" + path
		}
	}
	return s
}
