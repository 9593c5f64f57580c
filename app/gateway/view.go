package gateway

import (
	"hash/crc32"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// view is what selectors read: one opened message, and where in it they stand.
type view struct {
	doc        *document
	outer      *document // as the first envelope opened it
	at         int32     // where {field:…} starts
	item       int32     // where {item:…} starts
	method     string
	target     string
	header     http.Header
	raw        []byte
	typ        string
	redacted   bool
	hint       bool   // it proves nothing
	publicURL  string // the address as registered with the gateway
	dictionary string // the signature header that {sig:…} looks into
	g          *Gateway
}

// read evaluates a template. A missing part makes the whole absent, so that a joined
// key never loses one of its halves.
func (t *template) read(v *view) value {
	if len(t.parts) == 1 {
		return t.parts[0].read(v)
	}
	var b strings.Builder
	for i := range t.parts {
		got := t.parts[i].read(v)
		if got.kind == faulty {
			return got
		}
		if got.empty() && !t.parts[i].optional {
			return value{}
		}
		b.WriteString(got.text)
	}
	return value{kind: text, text: b.String()}
}

func (p *part) read(v *view) value {
	got := p.found(v)
	for _, f := range p.change {
		if got.empty() || got.kind == faulty {
			return got
		}
		changed, ok := f(got.text)
		if !ok {
			return fault("its value " + clip(got.text) + " is not of the form that is needed")
		}
		got = value{kind: text, text: changed}
	}
	return got
}

func (p *part) found(v *view) value {
	switch p.op {
	case opField:
		return v.path(v.at, &p.path)
	case opItem:
		return v.path(v.item, &p.path)
	case opBody:
		return v.path(0, &p.path)
	case opOuter:
		return v.outside(&p.path)
	case opRaw:
		return v.rawBytes(&p.path)
	case opLiteral:
		return value{kind: text, text: p.text}
	}
	s := p.plain(v)
	if s == "" {
		return value{}
	}
	return value{kind: text, text: s}
}

// plain evaluates the parts that are no paths.
func (p *part) plain(v *view) string {
	switch p.op {
	case opHeader:
		return v.header.Get(p.text)
	case opParam:
		return param(v.target, p.text)
	case opType:
		return v.typ
	case opRawBody:
		return string(v.raw)
	case opSig:
		return firstNamed(v.dictionary, p.text)
	case opMethod:
		return v.method
	case opTarget:
		return v.target
	case opPath, opRawQuery:
		path, query, _ := strings.Cut(v.target, "?")
		if p.op == opPath {
			return path
		}
		return query
	case opPublicURL:
		return v.publicURL
	case opAccount:
		return v.g.account
	case opVariant:
		return v.g.variant
	case opCRC32:
		return strconv.FormatUint(uint64(crc32.ChecksumIEEE(v.raw)), 10)
	case opSigHeaders:
		return v.namedHeaders(firstNamed(v.dictionary, p.text))
	case opSentTarget:
		return v.sentTarget()
	}
	return ""
}

// maxNamedHeaders bounds how many headers a signature may name.
const maxNamedHeaders = 16

// namedHeaders joins the values of the headers in a space list; "" when one is missing.
func (v *view) namedHeaders(list string) string {
	names := strings.Fields(list)
	if len(names) > maxNamedHeaders {
		return ""
	}
	values := make([]string, len(names))
	for i, name := range names {
		got := v.header.Values(name)
		if len(got) != 1 || got[0] == "" {
			return ""
		}
		values[i] = got[0]
	}
	return strings.Join(values, ".")
}

// sentTarget is path and query as the sender knows them: a proxy may have changed ours.
func (v *view) sentTarget() string {
	if u, err := url.Parse(v.publicURL); err == nil && u.Host != "" {
		return u.RequestURI()
	}
	return v.target
}

func (v *view) outside(p *path) value {
	if v.outer == nil {
		return v.path(0, p)
	}
	return v.outer.at(0, p)
}

func (v *view) rawBytes(p *path) value {
	if v.doc == nil {
		return value{}
	}
	i := v.doc.find(v.at, p)
	if i < 0 {
		return value{}
	}
	return value{kind: text, text: string(v.doc.raw(i))}
}

func (v *view) path(from int32, p *path) value {
	if v.doc == nil || from < 0 {
		return value{}
	}
	return v.doc.at(from, p)
}

func param(target, name string) string {
	_, query, _ := strings.Cut(target, "?")
	values, _ := url.ParseQuery(query)
	return values.Get(name)
}

// selector is a compiled list of candidates.
type selector []template

// read returns the first candidate that is there and not empty. A candidate that is
// there and cannot be read ends the search: no other field may stand in for it.
func (s selector) read(v *view) value {
	for i := range s {
		got := s[i].read(v)
		if got.kind == faulty || !got.empty() {
			return got
		}
	}
	return value{}
}

// firstNamed looks a name up in a header such as t=1,v1=ab,v1=cd.
func firstNamed(header, name string) string {
	found := ""
	eachNamed(header, name, func(v string) bool {
		found = v
		return false
	})
	return found
}

// eachNamed calls f with every value under a name, in order, until it returns false.
func eachNamed(header, name string, f func(string) bool) {
	for part := range strings.SplitSeq(header, ",") {
		k, v, ok := strings.Cut(part, "=")
		if ok && strings.TrimSpace(k) == name && !f(strings.TrimSpace(v)) {
			return
		}
	}
}
