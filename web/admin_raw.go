package web

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rawShown bounds how much of a body a page shows, in bytes; the rest is one click away.
const rawShown = 64 << 10

// visible writes characters that a page would hide or that turn the text around as escapes.
func visible(text string) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "�") {
		if hidden(r) {
			fmt.Fprintf(&b, `\u{%X}`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool {
	return r != '\n' && r != '\t' && r != '\r' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0xFFFE)
}

// bodyText shows a body as text, or as hexadecimal where it is none, and says so; cut tells that it goes on.
func bodyText(body []byte) (text string, binary, cut bool) {
	if len(body) > rawShown {
		body, cut = body[:rawShown], true
		for range utf8.UTFMax {
			if r, size := utf8.DecodeLastRune(body); r == utf8.RuneError && size == 1 {
				body = body[:len(body)-1]
			}
		}
	}
	if !utf8.Valid(body) {
		return hex.Dump(body), true, cut
	}
	return visible(string(body)), false, cut
}

// indented shows JSON with line breaks, every literal as it came; "" for anything else.
func indented(body []byte) string {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 || len(trimmed) > rawShown || trimmed[0] != '{' && trimmed[0] != '[' {
		return ""
	}
	var b bytes.Buffer
	if err := json.Indent(&b, trimmed, "", "  "); err != nil {
		return ""
	}
	return visible(b.String())
}
