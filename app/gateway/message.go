package gateway

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"io"
	"slices"
	"strconv"
	"strings"
)

// message makes the text that is signed. It calls f with each text that it may be, until f returns true.
type message interface {
	each(v *view, secret []byte, f func(text []byte) bool) (found, whole bool)
}

// each of a template gives its one text; whole is false when a part of it is missing.
func (t *template) each(v *view, secret []byte, f func([]byte) bool) (found, whole bool) {
	var b bytes.Buffer
	if !t.write(&b, v, secret) {
		return false, false
	}
	return f(b.Bytes()), true
}

// write feeds the signed text to a hash; false when a part of it is missing.
func (t *template) write(w io.Writer, v *view, secret []byte) bool {
	for i := range t.parts {
		switch p := &t.parts[i]; {
		case p.op == opRawBody && p.change == nil:
			w.Write(v.raw)
		case p.op == opSecret && p.change == nil:
			w.Write(secret)
		default:
			got := p.read(v)
			if got.kind == faulty || got.kind == absent && !p.optional {
				return false
			}
			io.WriteString(w, got.text)
		}
	}
	return true
}

// optionalParts joins templates, leaving out each that has a missing value.
type optionalParts []template

func (o optionalParts) each(v *view, secret []byte, f func([]byte) bool) (found, whole bool) {
	var all bytes.Buffer
	for i := range o {
		var one bytes.Buffer
		if o[i].write(&one, v, secret) {
			all.Write(one.Bytes())
		}
	}
	return f(all.Bytes()), true
}

// sortedMessage joins the fields at the top of the message.
type sortedMessage struct {
	form *sortedForm
	end  template
}

func (m *sortedMessage) each(v *view, secret []byte, f func([]byte) bool) (found, whole bool) {
	fields, ok := v.fields(m.form.leave)
	var end bytes.Buffer
	if !ok || !m.end.write(&end, v, secret) {
		return false, false
	}
	return slices.ContainsFunc(sortedTexts(fields, m.form, end.String()), f), true
}

// fields lists the values at the top of the message; false when one of them is no single
// value or a name stands there twice, but for those that are left out.
func (v *view) fields(leave []string) ([]field, bool) {
	if v.doc == nil || v.doc.nodes[0].kind != object {
		return nil, false
	}
	var out []field
	seen := map[string]bool{}
	for _, c := range v.doc.children(0) {
		name := v.doc.name(c)
		if slices.Contains(leave, name) {
			continue
		}
		text, ok := v.doc.plainText(c)
		if !ok || seen[name] {
			return nil, false
		}
		seen[name] = true
		out = append(out, field{name: name, value: text})
	}
	return out, len(out) > 0
}

// name returns the name of a member.
func (d *document) name(i int32) string {
	n := &d.nodes[i]
	key := d.src[n.keyStart:n.keyEnd]
	if n.keyEscaped {
		key = unescape(key)
	}
	return string(key)
}

// plainText returns a single value as text, whatever its charset.
func (d *document) plainText(i int32) (string, bool) {
	n := &d.nodes[i]
	switch n.kind {
	case array, object, faulty:
		return "", false
	case null:
		return "", true
	}
	raw := d.src[n.start:n.end]
	if n.escaped {
		raw = unescape(raw)
	}
	return string(raw), true
}

// flattened joins every value of the message under its dotted name.
type flattened struct{ end template }

func (m *flattened) each(v *view, secret []byte, f func([]byte) bool) (found, whole bool) {
	var end bytes.Buffer
	if v.doc == nil || v.doc.nodes[0].kind != object || !m.end.write(&end, v, secret) {
		return false, false
	}
	for _, shortest := range []bool{false, true} {
		fields := flatten(v.doc, 0, field{}, shortest, nil)
		for _, text := range [][]byte{byName.text(fields, end.String(), true), wholePairs(fields, end.String())} {
			if f(text) {
				return true, true
			}
		}
	}
	return false, true
}

// byName sorts by the names; wholePairs by name=value, which differs where one name is
// the beginning of another.
var byName = &sortedForm{pair: splitPair("{name}={value}"), join: "&"}

func wholePairs(fields []field, end string) []byte {
	var pairs []string
	for _, f := range fields {
		if f.value != "" {
			pairs = append(pairs, f.name+"="+f.value)
		}
	}
	slices.Sort(pairs)
	return []byte(strings.Join(pairs, "&") + end)
}

// flatten gives every single value below a node under its dotted name.
func flatten(d *document, i int32, at field, shortest bool, out []field) []field {
	n := &d.nodes[i]
	if n.kind != object && n.kind != array {
		at.value, _ = d.plainText(i)
		if n.kind == number && shortest {
			at.value = shortestNumber(at.value)
		}
		return append(out, at)
	}
	for place, c := range d.children(i) {
		own := strconv.Itoa(place)
		if n.kind == object {
			own = d.name(c)
		}
		if at.name != "" {
			own = at.name + "." + own
		}
		out = flatten(d, c, field{name: own}, shortest, out)
	}
	return out
}

// shortestNumber drops the zeros that end a plain decimal: 199.50 becomes 199.5.
func shortestNumber(s string) string {
	if !strings.Contains(s, ".") || strings.ContainsAny(s, "eE") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func md5Hex(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}
