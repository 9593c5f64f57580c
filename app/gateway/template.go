package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"sort"
	"strings"
)

// op is what a part of a template stands for.
type op byte

const (
	opLiteral op = iota
	opField      // path from where the shape starts
	opItem       // path from the item of the batch, or from the object that an `also` is in
	opBody       // path from the top of the opened message
	opHeader
	opParam // one query parameter of the address
	opType
	opRawBody
	opSig // a name in the dictionary header of the signature
	opMethod
	opPath
	opRawQuery
	opTarget
	opPublicURL
	opAccount
	opSecret
	opVariant
	opOuter      // path from the top of the message as the first envelope opened it
	opRaw        // bytes of a value as they stand in the message
	opCRC32      // of the raw body, unsigned decimal
	opSigHeaders // values of the headers that the signature names under a key, joined with dots
	opSentTarget // the target that the sender signed: that of public_url where it is configured
	opPublicKey
	opKey       // the id of our key
	opSignature // our signature
	opID        // of the question: the gateway ref asked about
	opMerchantRef
	opCurrency
	opAmountMinor
	opAPIKey
	opAPISecret
)

type part struct {
	op       op
	text     string
	path     path
	optional bool // a missing value is an empty text
	change   []change
}

// template is a text with parts to fill in. A plain template is one path alone and
// keeps the kind of the value that it finds.
type template struct {
	parts []part
	plain bool
}

// vocabulary is the set of part names that a place allows, and whether they take an
// argument after a colon.
type vocabulary map[string]struct {
	op  op
	arg bool
}

var (
	readWords = vocabulary{
		"field": {opField, true}, "item": {opItem, true}, "body": {opBody, true}, "header": {opHeader, true},
		"query": {opParam, true}, "type": {opType, false}, "account": {opAccount, false}, "outer": {opOuter, true}, "variant": {opVariant, false},
	}
	signWords = vocabulary{
		"raw_body": {opRawBody, false}, "header": {opHeader, true}, "sig": {opSig, true}, "field": {opField, true},
		"query": {opParam, true}, "method": {opMethod, false}, "path": {opPath, false}, "query_string": {opRawQuery, false},
		"target": {opTarget, false}, "public_url": {opPublicURL, false}, "account": {opAccount, false}, "secret": {opSecret, false},
		"raw": {opRaw, true}, "crc32": {opCRC32, false}, "sig_headers": {opSigHeaders, true}, "sent_target": {opSentTarget, false},
	}
	ownWords       = vocabulary{"account": {opAccount, false}, "api_key": {opAPIKey, false}, "public_key": {opPublicKey, false}}
	challengeWords = vocabulary{"key": {opKey, false}, "signature": {opSignature, false}}
	entryWords     = vocabulary{"key": {opKey, false}, "signature": {opSignature, false}}
)

func (v vocabulary) names() string {
	var out []string
	for name, w := range v {
		if w.arg {
			name += ":…"
		}
		out = append(out, "{"+name+"}")
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

// compileTemplate reads {name} and {name:argument}; {{ is a brace.
func compileTemplate(s string, words vocabulary) (template, error) {
	var t template
	lit := ""
	for len(s) > 0 {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			break
		}
		lit += s[:i]
		s = s[i:]
		if strings.HasPrefix(s, "{{") {
			lit, s = lit+"{", s[2:]
			continue
		}
		p, n, err := compilePart(s, words)
		if err != nil {
			return t, err
		}
		t.literal(lit)
		t.parts = append(t.parts, p)
		lit, s = "", s[n:]
	}
	t.literal(lit + s)
	return t, nil
}

func (t *template) literal(s string) {
	if s != "" {
		t.parts = append(t.parts, part{op: opLiteral, text: s})
	}
}

func compilePart(s string, words vocabulary) (part, int, error) {
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return part{}, 0, errors.New("a { has no }")
	}
	inner, changes, err := cutChanges(s[1:end])
	if err != nil {
		return part{}, 0, err
	}
	inner, optional := strings.CutSuffix(inner, "?")
	name, arg, hasArg := strings.Cut(inner, ":")
	w, ok := words[name]
	if !ok {
		return part{}, 0, fmt.Errorf("{%s} is not known here; known are %s", s[1:end], words.names())
	}
	if w.arg != hasArg || w.arg && arg == "" {
		return part{}, 0, fmt.Errorf("{%s} is not complete; known are %s", s[1:end], words.names())
	}
	p := part{op: w.op, text: arg, optional: optional, change: changes}
	switch w.op {
	case opField, opItem, opBody, opOuter, opRaw:
		p.path, err = compilePath(arg)
	case opHeader:
		p.text = http.CanonicalHeaderKey(arg)
	}
	return p, end + 1, err
}

// compileSelector reads one candidate: a template if it holds a brace, else a path.
func compileSelector(s string) (template, error) {
	if strings.Contains(s, "{") {
		return compileTemplate(s, readWords)
	}
	p, err := compilePath(s)
	return template{parts: []part{{op: opField, path: p}}, plain: true}, err
}

func (t *template) uses(ops ...op) bool {
	for _, p := range t.parts {
		for _, o := range ops {
			if p.op == o {
				return true
			}
		}
	}
	return false
}
