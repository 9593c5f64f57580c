package gateway

import (
	"cmp"
	"slices"
	"strings"
)

// field is one name with its value at the top of a message or a form.
type field struct{ name, value string }

// sortedForm is a compiled SortedSpec but for its End, whose words depend on the place.
type sortedForm struct {
	leave     []string
	strip     string
	keepEmpty bool
	dropEmpty bool
	byElement bool
	pair      []string // literals and, for "{name}" and "{value}", themselves
	join      string
}

func (c *compiler) sorted(at string, s SortedSpec) *sortedForm {
	out := &sortedForm{leave: s.Leave, strip: s.Strip, byElement: s.By == "element", join: "&"}
	if s.Empty == "" {
		s.Empty = "keep"
	}
	c.oneOf(c.prefix+at+".empty", s.Empty, "keep", "drop", "either")
	out.keepEmpty, out.dropEmpty = s.Empty != "drop", s.Empty != "keep"
	if s.By != "" {
		c.oneOf(c.prefix+at+".by", s.By, "name", "element")
	}
	if s.Pair == "" {
		s.Pair = "{name}={value}"
	}
	out.pair = splitPair(s.Pair)
	if !slices.Contains(out.pair, "{value}") {
		c.add(at+".pair", quote(s.Pair)+" leaves the values out", `write for example pair = "{name}={value}"`)
	}
	if s.Join != nil {
		out.join = *s.Join
	}
	return out
}

// splitPair cuts a pair's form around {name} and {value}.
func splitPair(s string) []string {
	var out []string
	for s != "" {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			break
		}
		word := ""
		for _, w := range []string{"{name}", "{value}"} {
			if strings.HasPrefix(s[i:], w) {
				word = w
			}
		}
		if word == "" {
			word = "{"
		}
		out = append(out, s[:i], word)
		s = s[i+len(word):]
	}
	return append(out, s)
}

// sortedText is what is signed: the fields in order, then end. Where empty values may be
// kept or dropped, they are kept; see sortedTexts.
func sortedText(fields []field, s *sortedForm, end string) []byte {
	return s.text(fields, end, !s.keepEmpty)
}

// sortedTexts gives every text that may have been signed: two where empty values may be
// kept or dropped and there are some.
func sortedTexts(fields []field, s *sortedForm, end string) [][]byte {
	out := [][]byte{sortedText(fields, s, end)}
	if s.keepEmpty && s.dropEmpty && slices.ContainsFunc(fields, func(f field) bool { return f.value == "" && !slices.Contains(s.leave, f.name) }) {
		out = append(out, s.text(fields, end, true))
	}
	return out
}

func (s *sortedForm) text(fields []field, end string, drop bool) []byte {
	type element struct{ order, text string }
	var all []element
	for _, f := range fields {
		if slices.Contains(s.leave, f.name) || drop && f.value == "" {
			continue
		}
		f.name = s.stripped(f.name)
		e := element{order: f.name, text: s.written(f)}
		if s.byElement {
			e.order = strings.ToLower(e.text)
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b element) int { return cmp.Compare(a.order, b.order) })
	var out []byte
	for i, e := range all {
		if i > 0 {
			out = append(out, s.join...)
		}
		out = append(out, e.text...)
	}
	return append(out, end...)
}

func (s *sortedForm) stripped(name string) string {
	if s.strip == "" {
		return name
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(s.strip, r) {
			return -1
		}
		return r
	}, name)
}

func (s *sortedForm) written(f field) string {
	out := make([]byte, 0, len(f.name)+len(f.value)+8)
	for _, p := range s.pair {
		switch p {
		case "{name}":
			p = f.name
		case "{value}":
			p = f.value
		}
		out = append(out, p...)
	}
	return string(out)
}
