package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with the file, or, as a warning, one that should
// be changed.
type Fault struct {
	Line   int    // from 1
	Column int    // in bytes, from 1
	Key    string // such as gateway[0].mode
	Text   string // what is wrong
	Remedy string // what to write instead
}

// String is the fault on one line, for people.
func (f Fault) String() string {
	b := fmt.Sprintf("line %d: ", f.Line)
	if f.Key != "" {
		b += gatewayIndex.ReplaceAllString(f.Key, "gateway") + ": "
	}
	b += f.Text
	if f.Remedy != "" {
		b += "; " + f.Remedy
	}
	return b
}

var gatewayIndex = regexp.MustCompile(`^gateway\[\d+\]`)

// Faults is the error of a configuration that cannot be used, with all that is wrong.
type Faults struct {
	Path string
	List []Fault // by line
}

// Error lists every fault on a line of its own.
func (f *Faults) Error() string {
	var b strings.Builder
	noun := "faults"
	if len(f.List) == 1 {
		noun = "fault"
	}
	fmt.Fprintf(&b, "configuration %s has %d %s", f.Path, len(f.List), noun)
	for _, one := range f.List {
		b.WriteString("\n  " + one.String())
	}
	return b.String()
}

func inOrder(list []Fault) []Fault {
	slices.SortStableFunc(list, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return list
}

// nearest gives the known word that a slip of the fingers would turn into word.
func nearest(word string, known []string) (string, bool) {
	best, least := "", 1+max(1, len(word)/3)
	for _, k := range known {
		if n := distance(strings.ToLower(word), k); n < least {
			best, least = k, n
		}
	}
	return best, best != ""
}

// distance counts the bytes to insert, delete or replace, or neighbours to swap.
func distance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	before, last, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}
