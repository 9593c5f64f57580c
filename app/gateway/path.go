package gateway

import (
	"errors"
	"strconv"
	"strings"
)

// path leads from a node to another: names, places in a list (0, -1 the last), and
// #(name=value), the first element whose member has that text.
type path struct {
	whole string
	steps []pathStep
}

type pathStep struct {
	name    string
	place   int
	isPlace bool
	choice  *path // of #(choice=want)
	want    string
}

const duplicateName = "its name stands in the message twice"

func compilePath(s string) (path, error) {
	p := path{whole: s}
	if s == "" {
		return p, nil
	}
	for _, part := range splitPath(s) {
		st, err := compilePathStep(part)
		if err != nil {
			return p, err
		}
		p.steps = append(p.steps, st)
	}
	return p, nil
}

// splitPath cuts at dots, but not at \. and not inside #( ).
func splitPath(s string) []string {
	var parts []string
	var cur strings.Builder
	inside := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			cur.WriteByte(s[i])
		case c == '.' && !inside:
			parts = append(parts, cur.String())
			cur.Reset()
		default:
			if c == '(' && strings.HasSuffix(cur.String(), "#") {
				inside = true
			} else if c == ')' {
				inside = false
			}
			cur.WriteByte(c)
		}
	}
	return append(parts, cur.String())
}

func compilePathStep(part string) (pathStep, error) {
	if part == "" {
		return pathStep{}, errors.New("a path has an empty part")
	}
	if inner, ok := strings.CutPrefix(part, "#("); ok {
		inner, closed := strings.CutSuffix(inner, ")")
		name, want, ok := strings.Cut(inner, "=")
		if !closed || !ok || name == "" {
			return pathStep{}, errors.New("a choice in a list is written #(name=value)")
		}
		choice, err := compilePath(name)
		return pathStep{choice: &choice, want: want}, err
	}
	st := pathStep{name: part}
	if n, err := strconv.Atoi(part); err == nil && n >= -1 {
		st.place, st.isPlace = n, true
	}
	return st, nil
}

// find follows a path from a node: -1 when nothing is there, -2 when a name on the
// way is there twice.
func (d *document) find(from int32, p *path) int32 {
	if d.flat && p.whole != "" {
		return d.member(0, p.whole)
	}
	for i := range p.steps {
		if from = d.step(from, &p.steps[i]); from < 0 {
			return from
		}
	}
	return from
}

func (d *document) step(from int32, s *pathStep) int32 {
	switch k := d.nodes[from].kind; {
	case k == object && s.choice == nil:
		return d.member(from, s.name)
	case k == array && s.choice != nil:
		return d.choose(from, s)
	case k == array && s.isPlace:
		return d.element(from, s.place)
	}
	return -1
}

func (d *document) choose(from int32, s *pathStep) int32 {
	for c := from + 1; c < d.nodes[from].next; c = d.nodes[c].next {
		if got := d.at(c, s.choice); got.kind != faulty && got.kind != absent && got.text == s.want {
			return c
		}
	}
	return -1
}

// at reads the value at the end of a path.
func (d *document) at(from int32, p *path) value {
	i := d.find(from, p)
	if i == -2 {
		return fault(duplicateName)
	}
	return d.value(i)
}
