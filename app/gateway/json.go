package gateway

import (
	"bytes"
	"errors"
	"fmt"
)

var byteOrderMark = []byte{0xef, 0xbb, 0xbf}

var (
	errEmpty    = errors.New("the body is empty")
	errTooMany  = fmt.Errorf("it holds more than %d values", maxNodes)
	errTooLarge = errors.New("it is too large")
)

// parseJSON reads one strict JSON value; depth bounds how far it may nest.
func parseJSON(src []byte, depth int) (*document, error) {
	src = bytes.TrimPrefix(src, byteOrderMark)
	if len(src) > maxBodyBytes {
		return nil, errTooLarge
	}
	d := newDocument(src)
	p := jsonParser{src: src, d: d, depth: depth}
	err := p.document()
	if err != nil {
		d.release()
		return nil, err
	}
	return d, nil
}

type jsonParser struct {
	src   []byte
	at    int
	d     *document
	depth int
}

func (p *jsonParser) document() error {
	p.space()
	if p.at == len(p.src) {
		return errEmpty
	}
	if err := p.value(node{}, 0); err != nil {
		return err
	}
	p.space()
	if p.at != len(p.src) {
		return p.wrong("further text after the value")
	}
	return nil
}

func (p *jsonParser) wrong(what string) error {
	return fmt.Errorf("%s at byte %d", what, p.at)
}

func (p *jsonParser) space() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// value reads one value into a new node; n carries the name that it stands under.
func (p *jsonParser) value(n node, depth int) error {
	if p.at == len(p.src) {
		return p.wrong("it ends in the middle")
	}
	if len(p.d.nodes) >= maxNodes {
		return errTooMany
	}
	me := len(p.d.nodes)
	n.start = int32(p.at)
	p.d.nodes = append(p.d.nodes, n)
	err := p.content(&n, depth)
	n.next = int32(len(p.d.nodes))
	p.d.nodes[me] = n
	return err
}

func (p *jsonParser) content(n *node, depth int) (err error) {
	switch c := p.src[p.at]; {
	case c == '{' || c == '[':
		if depth >= p.depth {
			return p.wrong(fmt.Sprintf("it nests deeper than %d", p.depth))
		}
		err = p.container(n, c, depth+1)
	case c == '"':
		n.kind = text
		n.start, n.end, n.escaped, err = p.quoted()
		return err
	case c == '-' || c >= '0' && c <= '9':
		n.kind = number
		err = p.number()
	default:
		err = p.literal(n)
	}
	n.end = int32(p.at)
	return err
}

func (p *jsonParser) container(n *node, open byte, depth int) error {
	n.kind = object
	end := byte('}')
	if open == '[' {
		n.kind, end = array, ']'
	}
	p.at++
	p.space()
	if p.at < len(p.src) && p.src[p.at] == end {
		p.at++
		return nil
	}
	for {
		if err := p.member(n.kind == object, depth); err != nil {
			return err
		}
		p.space()
		if p.at == len(p.src) {
			return p.wrong("it ends in the middle")
		}
		c := p.src[p.at]
		p.at++
		if c == end {
			return nil
		}
		if c != ',' {
			p.at--
			return p.wrong("a comma or an end is missing")
		}
	}
}

func (p *jsonParser) member(named bool, depth int) error {
	var n node
	p.space()
	if named {
		if p.at == len(p.src) || p.src[p.at] != '"' {
			return p.wrong("a name is missing")
		}
		var err error
		if n.keyStart, n.keyEnd, n.keyEscaped, err = p.quoted(); err != nil {
			return err
		}
		p.space()
		if p.at == len(p.src) || p.src[p.at] != ':' {
			return p.wrong("a colon is missing")
		}
		p.at++
		p.space()
	}
	return p.value(n, depth)
}

func (p *jsonParser) quoted() (start, end int32, escaped bool, err error) {
	src, i := p.src, p.at+1
	start = int32(i)
	for i < len(src) {
		switch c := src[i]; {
		case c == '"':
			p.at = i + 1
			return start, int32(i), escaped, nil
		case c == '\\':
			escaped = true
			n := escapeLength(src[i:])
			if n == 0 {
				p.at = i
				return 0, 0, false, p.wrong("an escape is not valid")
			}
			i += n
		case c < 0x20:
			p.at = i
			return 0, 0, false, p.wrong("a control character stands in a text")
		default:
			i++
		}
	}
	p.at = i
	return 0, 0, false, p.wrong("it ends in the middle of a text")
}

func escapeLength(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), s[1]) >= 0 {
			return 2
		}
		return 0
	}
	if len(s) < 6 {
		return 0
	}
	for _, c := range s[2:6] {
		if !isHex(c) {
			return 0
		}
	}
	return 6
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func (p *jsonParser) number() error {
	if p.src[p.at] == '-' {
		p.at++
	}
	if p.at < len(p.src) && p.src[p.at] == '0' {
		p.at++
	} else if p.digits() == 0 {
		return p.wrong("a number is not valid")
	}
	if p.at < len(p.src) && p.src[p.at] == '.' {
		p.at++
		if p.digits() == 0 {
			return p.wrong("a number is not valid")
		}
	}
	if p.at < len(p.src) && (p.src[p.at] == 'e' || p.src[p.at] == 'E') {
		p.at++
		if p.at < len(p.src) && (p.src[p.at] == '+' || p.src[p.at] == '-') {
			p.at++
		}
		if p.digits() == 0 {
			return p.wrong("a number is not valid")
		}
	}
	return nil
}

func (p *jsonParser) digits() int {
	from := p.at
	for p.at < len(p.src) && p.src[p.at] >= '0' && p.src[p.at] <= '9' {
		p.at++
	}
	return p.at - from
}

func (p *jsonParser) literal(n *node) error {
	for _, l := range []struct {
		word string
		kind kind
	}{{"true", boolean}, {"false", boolean}, {"null", null}} {
		if bytes.HasPrefix(p.src[p.at:], []byte(l.word)) {
			n.kind = l.kind
			p.at += len(l.word)
			return nil
		}
	}
	return p.wrong("no value can begin here")
}
