package gateway

import (
	"strconv"
	"sync"
	"unicode/utf8"
)

// kind is the type of a value in a message.
type kind byte

const (
	absent kind = iota
	null
	text
	number
	boolean
	array
	object
	faulty // cannot be read; the text says why
)

// node is one value of a document. Nodes stand in document order, so the children
// of node i begin at i+1 and the node after its subtree is nodes[i].next.
type node struct {
	kind             kind
	escaped          bool // the text holds escapes
	keyEscaped       bool
	start, end       int32 // in src: a text without its quotes, else the whole literal
	keyStart, keyEnd int32
	next             int32
}

// document is a parsed message. It keeps every byte: numbers stay the literals that
// they were, and duplicate names stay visible.
type document struct {
	src   []byte
	nodes []node
	flat  bool // a form: names hold no paths
	xml   bool // a list of one element looks like the element itself
}

const (
	maxNodes     = 1 << 17
	maxBodyBytes = 1 << 30
	defaultDepth = 64
)

var documentPool = sync.Pool{New: func() any { return &document{nodes: make([]node, 0, 128)} }}

func newDocument(src []byte) *document {
	d := documentPool.Get().(*document)
	d.src, d.nodes, d.flat, d.xml = src, d.nodes[:0], false, false
	return d
}

func (d *document) release() {
	d.src = nil
	if cap(d.nodes) <= 1024 {
		documentPool.Put(d)
	}
}

// value is what a selector found: its kind and its text, escapes resolved.
type value struct {
	kind kind
	text string
}

func (v value) empty() bool { return v.kind == absent || v.kind == null || v.text == "" }

// What stands where a single value is expected; to a guard it is something present.
const (
	listFound   = "a list stands where a single value is expected"
	objectFound = "an object stands where a single value is expected"
)

func fault(why string) value { return value{kind: faulty, text: why} }

// value reads a node; i < 0 is an absent one.
func (d *document) value(i int32) value {
	if i < 0 {
		return value{}
	}
	n := &d.nodes[i]
	switch n.kind {
	case text:
		return d.text(n)
	case null:
		return value{kind: null}
	case array:
		return fault(listFound)
	case object:
		return fault(objectFound)
	case faulty:
		return fault("its value is not properly encoded")
	default:
		return value{kind: n.kind, text: string(d.src[n.start:n.end])}
	}
}

func (d *document) text(n *node) value {
	raw := d.src[n.start:n.end]
	if n.escaped {
		raw = unescape(raw)
	}
	if !utf8.Valid(raw) {
		return fault("its text is not UTF-8")
	}
	return value{kind: text, text: string(raw)}
}

// raw returns the bytes of a node as they stand in the message.
func (d *document) raw(i int32) []byte {
	n := &d.nodes[i]
	if n.kind == text && !d.flat {
		return d.src[n.start-1 : n.end+1]
	}
	return d.src[n.start:n.end]
}

// member finds a name in an object: -1 when it is not there, -2 when it is there twice.
func (d *document) member(i int32, name string) int32 {
	found := int32(-1)
	for c := i + 1; c < d.nodes[i].next; c = d.nodes[c].next {
		if !d.named(&d.nodes[c], name) {
			continue
		}
		if found >= 0 {
			return -2
		}
		found = c
	}
	return found
}

func (d *document) named(n *node, name string) bool {
	key := d.src[n.keyStart:n.keyEnd]
	if n.keyEscaped {
		return string(unescape(key)) == name
	}
	return string(key) == name
}

// element returns the child of an array at a place; -1 counts from the end.
func (d *document) element(i int32, place int) int32 {
	last := int32(-1)
	for c := i + 1; c < d.nodes[i].next; c = d.nodes[c].next {
		if place == 0 {
			return c
		}
		place--
		last = c
	}
	if place < 0 {
		return last
	}
	return -1
}

func (d *document) children(i int32) []int32 {
	var out []int32
	for c := i + 1; c < d.nodes[i].next; c = d.nodes[c].next {
		out = append(out, c)
	}
	return out
}

// list returns the elements of a list; false when the node is none.
func (d *document) list(i int32) ([]int32, bool) {
	switch {
	case i < 0:
		return nil, false
	case d.nodes[i].kind == array:
		return d.children(i), true
	case d.xml && d.nodes[i].kind == object:
		return []int32{i}, true
	case d.xml && d.nodes[i].kind == text && d.nodes[i].start == d.nodes[i].end:
		return nil, true
	}
	return nil, false
}

// unescape resolves the escapes of a JSON text that the parser has accepted. A lone
// surrogate becomes invalid UTF-8 on purpose, so that a reference with one is refused.
func unescape(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			continue
		}
		i++
		if raw[i] != 'u' {
			out = append(out, plainEscape(raw[i]))
			continue
		}
		r, used := unicodeEscape(raw[i+1:])
		i += used
		if r < 0 {
			out = append(out, 0xff)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

func plainEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unicodeEscape reads XXXX, or a surrogate pair XXXX\uYYYY; -1 is a lone surrogate.
func unicodeEscape(raw []byte) (r rune, used int) {
	high := hex4(raw)
	if high < 0xd800 || high > 0xdfff {
		return high, 4
	}
	if high < 0xdc00 && len(raw) >= 10 && raw[4] == '\\' && raw[5] == 'u' {
		if low := hex4(raw[6:]); low >= 0xdc00 && low <= 0xdfff {
			return 0x10000 + (high-0xd800)<<10 + (low - 0xdc00), 10
		}
	}
	return -1, 4
}

func hex4(raw []byte) rune {
	n, _ := strconv.ParseUint(string(raw[:4]), 16, 32)
	return rune(n)
}
