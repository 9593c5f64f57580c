package gateway

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

var errDTD = errors.New("it holds a document type or an instruction, which is never read")

// element is one XML element while it is read.
type element struct {
	name  string
	text  []byte
	names []string // of the children, each once, in order
	below map[string][]*element
}

// parseXML reads elements as an object: an element with children is an object, one
// without is a text, and one that stands several times is a list. There is no DTD, no
// entity and no attribute.
func parseXML(src []byte, depth int) (*document, error) {
	if len(src) > maxBodyBytes {
		return nil, errTooLarge
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src, byteOrderMark)))
	root := &element{}
	stack := []*element{root}
	for count := 0; ; count++ {
		tok, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return root.document(depth)
		case err != nil:
			return nil, fmt.Errorf("it is no XML: %w", err)
		case count > maxNodes:
			return nil, errTooMany
		}
		if stack, err = grow(stack, tok, depth); err != nil {
			return nil, err
		}
	}
}

// grow takes one token into the elements that are open.
func grow(stack []*element, tok xml.Token, depth int) ([]*element, error) {
	top := stack[len(stack)-1]
	switch t := tok.(type) {
	case xml.StartElement:
		if len(stack) > depth {
			return stack, fmt.Errorf("it nests deeper than %d", depth)
		}
		return append(stack, &element{name: t.Name.Local}), nil
	case xml.EndElement:
		stack = stack[:len(stack)-1]
		stack[len(stack)-1].add(top)
	case xml.CharData:
		top.text = append(top.text, t...)
	case xml.Directive:
		return stack, errDTD
	case xml.ProcInst:
		if t.Target != "xml" {
			return stack, errDTD
		}
	}
	return stack, nil
}

func (e *element) add(child *element) {
	if e.below == nil {
		e.below = map[string][]*element{}
	}
	if e.below[child.name] == nil {
		e.names = append(e.names, child.name)
	}
	e.below[child.name] = append(e.below[child.name], child)
}

// appendJSON writes the element as JSON: one form for all that is selected later.
func (e *element) appendJSON(out []byte) []byte {
	if len(e.names) == 0 {
		return appendQuoted(out, e.text)
	}
	before := byte('{')
	for _, name := range e.names {
		out = append(appendQuoted(append(out, before), []byte(name)), ':')
		before = ','
		same := e.below[name]
		if len(same) == 1 {
			out = same[0].appendJSON(out)
			continue
		}
		open := byte('[')
		for _, child := range same {
			out = child.appendJSON(append(out, open))
			open = ','
		}
		out = append(out, ']')
	}
	return append(out, '}')
}

// appendQuoted writes a text as a JSON string.
func appendQuoted(out, text []byte) []byte {
	if bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		quoted, _ := json.Marshal(string(text))
		return append(out, quoted...)
	}
	return append(append(append(out, '"'), text...), '"')
}

// document reads what stands in the one element at the top.
func (e *element) document(depth int) (*document, error) {
	if len(e.names) != 1 || len(e.below[e.names[0]]) != 1 {
		return nil, errors.New("it has not exactly one element at its top")
	}
	d, err := parseJSON(e.below[e.names[0]][0].appendJSON(nil), depth+2)
	if err == nil {
		d.xml = true
	}
	return d, err
}
