package web

import (
	"bytes"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"nodrop/app/gateway"
)

var (
	requestLine = regexp.MustCompile(`^[A-Z]+ \S+( HTTP/[0-9.]+)?\r?$`)
	headerLine  = regexp.MustCompile(`^[A-Za-z0-9_-]+:`)
	blankLine   = regexp.MustCompile(`\n\r?\n`)
)

// compose makes a whole capture of what a person has: a request with or without its request line, or a body with
// its headers apart. The bytes of the body stay as they are.
func compose(name string, headers, raw []byte) []byte {
	headers = bytes.Trim(headers, "\r\n")
	text := bytes.TrimLeft(raw, "\r\n")
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	first := []byte("POST /hooks/" + name + " HTTP/1.1\n")
	switch {
	case requestLine.Match(line):
		first, text = append(bytes.Clone(line), '\n'), rest
	case headerLine.Match(line):
	default:
		text = append([]byte("\n"), raw...)
	}
	if line, rest, _ := bytes.Cut(headers, []byte("\n")); requestLine.Match(line) {
		first, headers = append(bytes.Clone(line), '\n'), rest
	}
	if len(headers) > 0 {
		headers = append(bytes.Clone(headers), '\n')
	}
	whole := slices.Concat(first, headers, text)
	if !blankLine.Match(whole) {
		whole = append(bytes.TrimRight(whole, "\r\n"), "\n\n"...)
	}
	return whole
}

// candidate is one way to take the line ends of what was pasted.
type candidate struct {
	request gateway.Request
	ends    string // stable word for the way; "" where there is only one
}

// lineEnds lists the ways in which the body of a pasted request may have been meant: a browser sends every line
// end of a field as CRLF, and pasting easily adds one at the end.
func lineEnds(r gateway.Request) []candidate {
	lf := bytes.ReplaceAll(r.Body, []byte("\r\n"), []byte("\n"))
	var list []candidate
	for _, way := range []struct {
		ends string
		body []byte
	}{{"lf", lf}, {"crlf", bytes.ReplaceAll(lf, []byte("\n"), []byte("\r\n"))}, {"cut", bytes.TrimRight(lf, "\n")}} {
		if slices.ContainsFunc(list, func(c candidate) bool { return bytes.Equal(c.request.Body, way.body) }) {
			continue
		}
		one := r
		one.Body = way.body
		list = append(list, candidate{one, way.ends})
	}
	if len(list) == 1 {
		list[0].ends = ""
	}
	return list
}

// best reads the candidates and gives the one that fits: that is let in, or is refused for another reason than
// its signature; else the first.
func best(def *gateway.Gateway, list []candidate) (c candidate, rd gateway.Reading, fits bool) {
	rank := -1
	for _, one := range list {
		got, score := def.Read(one.request), 0
		switch {
		case got.Verdict != gateway.Refused:
			score = 2
		case got.Reason != "bad_signature":
			score = 1
		}
		if score > rank {
			rank, c, rd = score, one, got
		}
	}
	return c, rd, rank > 0
}

// digested is a header's value that stands for the credential whose SHA-256 it is.
var digested = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// secret tells whether the values of a header are credentials, which no page shows.
func (t *trial) secret(name string) bool {
	return t.v.engine.Redacted(t.name, http.Header{name: {"x"}}).Get(name) != "x"
}

// digestedOnly tells whether a credential of the request is given by its digest already, as pages show it.
func (t *trial) digestedOnly(h http.Header) bool {
	for name, values := range h {
		if slices.ContainsFunc(values, digested.MatchString) && t.secret(name) {
			return true
		}
	}
	return false
}

// concealed replaces credentials in the head of a text by their digest, so that the text can be shown and sent again.
func (t *trial) concealed(text string) string {
	head, body, whole := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	for i, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		value, key := strings.TrimSpace(value), http.CanonicalHeaderKey(strings.TrimSpace(name))
		if ok && value != "" && !digested.MatchString(value) && t.secret(key) {
			lines[i] = name + ": " + t.v.engine.Redacted(t.name, http.Header{key: {value}}).Get(key)
		}
	}
	if head = strings.Join(lines, "\n"); !whole {
		return head
	}
	return head + "\n\n" + body
}

// unix writes line ends as LF.
func unix(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
