package config

import (
	"bytes"
	"errors"
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// document is a parsed file together with where each key stands in it.
type document struct {
	raw      []byte
	lines    []int // offset of the first byte of each line
	places   map[string]int
	counts   map[string]int    // elements seen of each [[table]]
	origins  map[string]string // keys whose value came from env: or file:
	env      Env
	folder   string
	zone     *time.Location
	faults   []Fault
	warnings []Fault
}

// parse reads the file; the values are nil when it is not TOML.
func parse(raw []byte) (*document, map[string]any) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	d := &document{raw: raw, places: map[string]int{}, counts: map[string]int{}, origins: map[string]string{}}
	d.lines = append(d.lines, 0)
	for i, c := range raw {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	var values map[string]any
	if err := toml.Unmarshal(raw, &values); err != nil {
		d.notTOML(err)
		return d, nil
	}
	d.locate()
	return d, values
}

func (d *document) notTOML(err error) {
	f := Fault{Line: 1, Column: 1, Text: strings.TrimPrefix(err.Error(), "toml: "),
		Remedy: `a line is: key = value, with text in double quotes; tables are [name] or [[gateway]]`}
	var at *toml.DecodeError
	if errors.As(err, &at) {
		f.Line, f.Column = at.Position()
		f.Key = strings.Join(at.Key(), ".")
	}
	d.faults = append(d.faults, f)
}

// locate walks the syntax tree and notes the place of every key and list element.
func (d *document) locate() {
	var p unstable.Parser
	p.Reset(d.raw)
	prefix := ""
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table:
			prefix = d.header(e, false)
		case unstable.ArrayTable:
			prefix = d.header(e, true)
		case unstable.KeyValue:
			d.keyValue(prefix, e)
		}
	}
}

func (d *document) header(e *unstable.Node, element bool) string {
	path := ""
	for it := e.Key(); it.Next(); {
		path = join(path, string(it.Node().Data))
		if it.IsLast() && element {
			d.note(path, it.Node())
			d.counts[path]++
		}
		if n := d.counts[path]; n > 0 {
			path = fmt.Sprintf("%s[%d]", path, n-1)
		}
		d.note(path, it.Node())
	}
	return path
}

func (d *document) keyValue(path string, e *unstable.Node) {
	for it := e.Key(); it.Next(); {
		path = join(path, string(it.Node().Data))
		d.note(path, it.Node())
	}
	d.value(path, e.Value())
}

func (d *document) value(path string, v *unstable.Node) {
	n := 0
	for it := v.Children(); it.Next(); {
		child := it.Node()
		if v.Kind == unstable.InlineTable {
			d.keyValue(path, child)
			continue
		}
		element := fmt.Sprintf("%s[%d]", path, n)
		if child.Kind != unstable.Array { // an array has no place of its own
			d.note(element, child)
		}
		d.value(element, child)
		n++
	}
}

func (d *document) note(path string, n *unstable.Node) {
	if _, known := d.places[path]; !known {
		d.places[path] = int(n.Raw.Offset)
	}
}

// place gives line and column of a path, or of the nearest table that holds it.
func (d *document) place(path string) (line, column int) {
	for path != "" {
		if offset, ok := d.places[path]; ok {
			i := sort.SearchInts(d.lines, offset+1) - 1
			return i + 1, offset - d.lines[i] + 1
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return 1, 1
}

func (d *document) fault(path, text, remedy string) {
	line, column := d.place(path)
	d.faults = append(d.faults, Fault{line, column, path, text, remedy})
}

func (d *document) warn(path, text, remedy string) {
	line, column := d.place(path)
	d.warnings = append(d.warnings, Fault{line, column, path, text, remedy})
}

// quote shows a value in a message, or only its origin when the file does not hold it.
func (d *document) quote(path, value string) string {
	if origin := d.origins[path]; origin != "" {
		return "the value of " + origin
	}
	return fmt.Sprintf("%q", value)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
