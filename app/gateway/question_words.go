package gateway

import (
	"encoding/base64"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// What stands in questions alone.
const (
	opAmount op = iota + 128
	opNonce
	opNow
	opKeySerial
	opPublicKeyID
	opHost
)

// wordSet is the set of part names that a place in a question allows.
type wordSet map[string]op

var (
	// credentialWords are known before there is a question.
	credentialWords = wordSet{"account": opAccount, "api_key": opAPIKey, "api_secret": opAPISecret, "public_url": opPublicURL, "nonce": opNonce, "now": opNow}
	questionWords   = credentialWords.with(wordSet{"id": opID, "merchant_ref": opMerchantRef, "currency": opCurrency, "amount": opAmount,
		"amount_minor": opAmountMinor, "method": opMethod, "path": opPath, "query_string": opRawQuery, "target": opTarget, "body": opRawBody,
		"signature": opSignature, "key_serial": opKeySerial, "public_key_id": opPublicKeyID, "host": opHost})
	signedWords = questionWords.with(wordSet{"secret": opSecret}).without("signature")
)

func (w wordSet) with(more wordSet) wordSet {
	out := wordSet{}
	for _, set := range []wordSet{w, more} {
		for name, o := range set {
			out[name] = o
		}
	}
	return out
}

func (w wordSet) without(name string) wordSet {
	out := w.with(nil)
	delete(out, name)
	return out
}

func (w wordSet) names() string {
	var out []string
	for name, o := range w {
		if o == opNow {
			name += ":…"
		}
		out = append(out, "{"+name+"}")
	}
	sort.Strings(out)
	return strings.Join(out, " ")
}

// turns are the modifiers of a part: {api_key|base64}.
var turns = map[string]func(string) string{
	"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"lower":  strings.ToLower,
	"upper":  strings.ToUpper,
	"json":   escapeJSON,
}

// phrase is a text in a question with parts to fill in.
type phrase []phrasePart

type phrasePart struct {
	op       op
	text     string
	optional bool // empty where the instance does not say it
	now      func(time.Time) string
	turns    []func(string) string
}

// compilePhrase reads {name}, {now:format} and {name|modifier}; {{ is a brace, and so is one before a quotation mark.
// Inside JSON only a brace before a small letter begins a part.
func compilePhrase(s string, words wordSet, inJSON bool) (phrase, error) {
	var p phrase
	lit := ""
	for {
		i := strings.IndexByte(s, '{')
		if i < 0 {
			return p.literal(lit + s), nil
		}
		lit, s = lit+s[:i], s[i:]
		if skip := braceAlone(s, inJSON); skip > 0 {
			lit, s = lit+"{", s[skip:]
			continue
		}
		inner, rest, closed := strings.Cut(s[1:], "}")
		if !closed {
			return p, errors.New("a { has no }")
		}
		one, err := compilePhrasePart(inner, words)
		if err != nil {
			return p, err
		}
		p = append(p.literal(lit), one)
		lit, s = "", rest
	}
}

// braceAlone gives the length of what stands for a brace itself, or 0.
func braceAlone(s string, inJSON bool) int {
	switch {
	case !inJSON && strings.HasPrefix(s, "{{"):
		return 2
	case inJSON && (len(s) == 1 || s[1] < 'a' || s[1] > 'z'), strings.HasPrefix(s, `{"`):
		return 1
	}
	return 0
}

func (p phrase) literal(s string) phrase {
	if s == "" {
		return p
	}
	return append(p, phrasePart{op: opLiteral, text: s})
}

func compilePhrasePart(inner string, words wordSet) (phrasePart, error) {
	word, modifiers, modified := strings.Cut(inner, "|")
	word, optional := strings.CutSuffix(word, "?")
	name, arg, hasArg := strings.Cut(word, ":")
	o, ok := words[name]
	if !ok {
		return phrasePart{}, fmt.Errorf("{%s} is not known here; known are %s", clip(inner), words.names())
	}
	out := phrasePart{op: o, optional: optional}
	if optional && o != opAccount && o != opAPIKey && o != opAPISecret && o != opPublicURL {
		return out, fmt.Errorf("{%s} is always there: only what the instance may leave out ends in ?", clip(inner))
	}
	if hasArg != (o == opNow) {
		return out, fmt.Errorf("{%s} is not complete; known are %s", clip(inner), words.names())
	}
	if o == opNow {
		if out.now = instantWriter(arg); out.now == nil {
			return out, fmt.Errorf("{%s} is no way of writing the time: it is unix, unix+120 (seconds later), unix_ms, rfc3339, or a pattern with its zone such as yyyy-MM-dd HH:mm:ss@Asia/Manila", clip(inner))
		}
	}
	if !modified {
		return out, nil
	}
	for m := range strings.SplitSeq(modifiers, "|") {
		if turns[m] == nil {
			return out, fmt.Errorf("{%s} is modified in an unknown way; known are |%s", clip(inner), strings.Join(sortedKeys(turns), " |"))
		}
		out.turns = append(out.turns, turns[m])
	}
	return out, nil
}

// instantWriter returns how {now:format} is written, or nil.
func instantWriter(format string) func(time.Time) string {
	if seconds, ok := strings.CutPrefix(format, "unix+"); ok {
		n, err := strconv.ParseUint(seconds, 10, 16)
		if err != nil {
			return nil
		}
		return func(t time.Time) string { return strconv.FormatInt(t.Unix()+int64(n), 10) }
	}
	switch format {
	case "unix":
		return func(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
	case "unix_ms":
		return func(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }
	case "rfc3339":
		return func(t time.Time) string { return t.UTC().Format(time.RFC3339) }
	}
	pattern, name, ok := strings.Cut(format, "@")
	layout, known := layoutOf(pattern)
	zone, err := time.LoadLocation(name)
	if !ok || !known || err != nil || name == "" {
		return nil
	}
	return func(t time.Time) string { return t.In(zone).Format(layout) }
}

func (p phrase) uses(o op) bool {
	for i := range p {
		if p[i].op == o && !p[i].optional {
			return true
		}
	}
	return false
}

func (c *compiler) phrase(at, s string, words wordSet, inJSON bool) phrase {
	p, err := compilePhrase(s, words, inJSON)
	if err != nil {
		c.add(at, err.Error(), "write known parts only; a brace itself is {{")
	}
	return p
}
