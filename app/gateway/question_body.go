package gateway

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
)

// pair is one named phrase: a header, a query parameter, or a field of a form.
type pair struct {
	name  string
	value phrase
}

type pairs []pair

// fields fills the pairs in, in their order.
func (p pairs) fields(a *asking) []field {
	out := make([]field, len(p))
	for i := range p {
		out[i] = field{name: p[i].name, value: p[i].value.fill(a, escapeNone)}
	}
	return out
}

// unsigned leaves out the pairs that hold the signature itself.
func (p pairs) unsigned() pairs {
	var out pairs
	for _, one := range p {
		if !one.value.uses(opSignature) {
			out = append(out, one)
		}
	}
	return out
}

// signedPairs are those that a sorted signature is made of: the form, or without one the query parameters.
func (s *step) signedPairs() pairs {
	if len(s.form) > 0 {
		return s.form.unsigned()
	}
	return s.params.unsigned()
}

func (s *step) hasBody() bool { return len(s.form) > 0 || len(s.body) > 0 }

func (s *step) writeBody(a *asking) string {
	switch {
	case len(s.form) == 0:
		return s.body.fill(a, escapeJSON)
	case s.encode == "json":
		return encodeJSON(s.form.fields(a))
	case s.encode == "xml":
		return encodeXML(s.form.fields(a))
	}
	return encodeForm(s.form.fields(a))
}

func encodeForm(list []field) string {
	var b strings.Builder
	for i, f := range list {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(f.name) + "=" + url.QueryEscape(f.value))
	}
	return b.String()
}

func encodeJSON(list []field) string {
	var b strings.Builder
	for i, f := range list {
		b.WriteString(map[bool]string{true: "{", false: ","}[i == 0])
		b.WriteString(`"` + escapeJSON(f.name) + `":"` + escapeJSON(f.value) + `"`)
	}
	return b.String() + "}"
}

func encodeXML(list []field) string {
	var b strings.Builder
	b.WriteString("<xml>")
	for _, f := range list {
		b.WriteString("<" + f.name + ">" + escapeXML(f.value) + "</" + f.name + ">")
	}
	return b.String() + "</xml>"
}

func escapeNone(s string) string { return s }

// escapePath escapes one segment; a dot segment would lead to another address.
func escapePath(s string) string {
	if s == "." || s == ".." {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

// escapeJSON escapes what stands inside the quotation marks of a JSON text.
func escapeJSON(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `"`), "\"\n")
}

func escapeXML(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

func escapeHeader(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}
