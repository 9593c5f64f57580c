package gateway

import (
	"slices"
	"strings"
)

// guard is a conjunction: each selector must have one of its allowed values. A value
// is a text; "*" means present (also a list or an object), "" absent, "a*" a beginning,
// ">0" a number above zero, "={field:b}" equal to what another selector reads; one that
// begins with "!" is barred.
type guard []condition

type condition struct {
	selector selector
	allowed  []string
	equals   []selector // other values that it may equal
	fold     bool
}

// outcome is what came of a guard: unclear when a value that it needs cannot be read,
// which must never pass for "does not hold".
type outcome int

const (
	holds outcome = iota
	fails
	unclear
)

func (g guard) check(v *view) outcome {
	all := holds
	for i := range g {
		switch g[i].check(v) {
		case fails:
			return fails
		case unclear:
			all = unclear
		}
	}
	return all
}

func (c *condition) check(v *view) outcome {
	got := c.selector.read(v)
	if got.kind == faulty {
		return c.checkFaulty(got.text)
	}
	if len(c.allowed) > 0 && c.matches(got.text) {
		return holds
	}
	for _, other := range c.equals {
		want := other.read(v)
		if want.kind == faulty {
			return unclear
		}
		if !got.empty() && want.text == got.text {
			return holds
		}
	}
	return fails
}

// checkFaulty: of a list or an object a guard can only tell that it is there.
func (c *condition) checkFaulty(why string) outcome {
	switch {
	case why != listFound && why != objectFound:
		return unclear
	case slices.Contains(c.allowed, "*"):
		return holds
	case len(c.allowed) == 1 && c.allowed[0] == "":
		return fails
	}
	return unclear
}

func (c *condition) matches(got string) bool {
	found, onlyBarred := false, true
	for _, want := range c.allowed {
		if barred, negative := strings.CutPrefix(want, "!"); negative {
			if matches(got, barred, c.fold) {
				return false
			}
			continue
		}
		onlyBarred = false
		found = found || matches(got, want, c.fold)
	}
	return found || onlyBarred
}

func matches(got, want string, fold bool) bool {
	switch want {
	case "*":
		return got != ""
	case moreThanZero:
		return positive(got)
	}
	if fold {
		got, want = strings.ToLower(got), strings.ToLower(want)
	}
	if head, ok := strings.CutSuffix(want, "*"); ok {
		return strings.HasPrefix(got, head)
	}
	return got == want
}

func (c *compiler) guard(path string, when map[string]List, fold bool) guard {
	var g guard
	keys := sortedKeys(when)
	for _, key := range keys {
		if len(when[key]) == 0 {
			c.add(path+"."+key, "no value is allowed", `write the values that may stand there, "*" for any, "" for none`)
		}
		one := condition{selector: c.selector(path+"."+key, List{key}), fold: fold}
		for _, value := range when[key] {
			if other, ok := strings.CutPrefix(value, "={"); ok {
				one.equals = append(one.equals, c.selector(path+"."+key, List{"{" + other}))
				continue
			}
			one.allowed = append(one.allowed, value)
		}
		g = append(g, one)
	}
	return g
}

// moreThanZero is the allowed value that every plain number above zero has.
const moreThanZero = ">0"

// positive tells whether a text is a plain decimal above zero.
func positive(s string) bool {
	whole, places, _ := strings.Cut(s, ".")
	return whole != "" && allDigits(whole) && allDigits(places) && strings.Trim(whole+places, "0") != ""
}
