package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// topNames is what the top folder may hold, beside test files of main and dot-names.
var topNames = []string{"main.go", "app", "store", "web", "templates", "static", "testdata",
	"go.mod", "go.sum", "README.md", "ARCHITECTURE.md", "LICENSE"}

// checkTop keeps the top folder as short as it is.
func checkTop(t tree) []string {
	var findings []string
	for _, name := range t.top {
		if !slices.Contains(topNames, name) && name[0] != '.' && !strings.HasSuffix(name, "_test.go") {
			findings = append(findings, name+": does not belong in the top folder; put it into app, store, web, templates, static or testdata")
		}
	}
	return findings
}

const (
	maxFunction = 70  // lines, first to last
	maxFile     = 600 // lines
)

// checkSizes bounds functions and source files, tests included; generated ones are exempt.
func checkSizes(t tree) []string {
	var findings []string
	for _, f := range t.files {
		lines := bytes.Count(f.text, []byte("\n"))
		if source := f.syntax != nil || path.Ext(f.path) == ".templ"; source && !f.generated && lines > maxFile {
			findings = append(findings, fmt.Sprintf("%s: has %d lines, more than %d; part it by what it does", f.path, lines, maxFile))
		}
		if f.syntax == nil || f.generated {
			continue
		}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := t.fset.Position(fn.End()).Line - t.fset.Position(fn.Pos()).Line + 1; n > maxFunction {
				findings = append(findings, fmt.Sprintf("%s: %s has %d lines, more than %d; part it", t.at(fn), fn.Name.Name, n, maxFunction))
			}
		}
	}
	return findings
}

// words that no text may hold, each with a cheap first look and what to do about it.
var words = []struct {
	hint   []string
	form   *regexp.Regexp
	remedy string
}{
	{[]string{"TO" + "DO", "FIX" + "ME"}, regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`),
		"is a promise: do it, or say as a plain fact what is not done"},
	{[]string{"/wo" + "rk/", "/ro" + "ot/"}, regexp.MustCompile("(?m)(^|[\\s\"'=(`])/(wo" + "rk|ro" + "ot)/"),
		"is a path of one machine only"},
}

// wordsExempt may hold any word: checksums are no words, planted faults are wanted.
var wordsExempt = []string{"go.sum", "app/tidy/testdata/"}

// checkWords wants no promise left open and no path of one machine, in any text file.
func checkWords(t tree) []string {
	var findings []string
	for _, f := range t.files {
		exempt := slices.ContainsFunc(wordsExempt, func(p string) bool { return strings.HasPrefix(f.path, p) })
		if exempt || f.binary() {
			continue
		}
		for _, w := range words {
			if !slices.ContainsFunc(w.hint, func(h string) bool { return bytes.Contains(f.text, []byte(h)) }) {
				continue
			}
			for _, at := range w.form.FindAllIndex(f.text, -1) {
				line := 1 + bytes.Count(f.text[:at[1]], []byte("\n"))
				findings = append(findings, fmt.Sprintf("%s:%d: %q %s", f.path, line, f.text[at[0]:at[1]], w.remedy))
			}
		}
	}
	return findings
}
