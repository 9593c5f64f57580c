package tidy

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// clockFiles may read the clock, because they hand it to all others.
var clockFiles = []string{"main.go"}

// checkClock finds time.Now, time.Since and time.Until outside clockFiles and tests.
func checkClock(t tree) []string {
	var findings []string
	for _, f := range t.goFiles() {
		if f.test() || slices.Contains(clockFiles, f.path) {
			continue
		}
		name := nameOf(f, "time")
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && name != "" && x.Name == name && slices.Contains([]string{"Now", "Since", "Until"}, sel.Sel.Name) {
				findings = append(findings, fmt.Sprintf("%s: time.%s reads the clock; take the instant, or a now func() time.Time", t.at(sel), sel.Sel.Name))
			}
			return true
		})
		if name == "." {
			findings = append(findings, fmt.Sprintf("%s: imports time with a dot, which hides the clock", f.path))
		}
	}
	return findings
}

// nameOf gives the name by which a file calls a package, empty when it does not import it.
func nameOf(f file, imported string) string {
	for _, spec := range f.syntax.Imports {
		if importPath(spec) != imported {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}

// statement matches SQL in capitals or in small letters; a sentence begins with a
// capital and goes on in small letters.
var statement = regexp.MustCompile(`(?s)^\s*(` +
	`SELECT\s.*\bFROM\s|INSERT\s+(OR\s+\w+\s+)?INTO\s|REPLACE\s+INTO\s|UPDATE\s.*\bSET\s|DELETE\s+FROM\s|` +
	`(CREATE|ALTER|DROP)\s+(TEMP\s+|UNIQUE\s+)?(TABLE|INDEX|VIEW|TRIGGER)\s|WITH\s.*\bSELECT\s|PRAGMA\s|` +
	`select\s.*\bfrom\s|insert\s+(or\s+\w+\s+)?into\s|update\s.*\bset\s.*=|delete\s+from\s+\w+(\s+where\s|\s*;?\s*$)|pragma\s)`)

// checkSQL finds statements in texts, also joined ones, and .sql files outside store.
func checkSQL(t tree) []string {
	var findings []string
	for _, f := range t.files {
		if strings.HasPrefix(f.path, "store/") {
			continue
		}
		if path.Ext(f.path) == ".sql" {
			findings = append(findings, f.path+": SQL belongs in store")
		}
		if f.syntax == nil {
			continue
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, whole := textOf(e)
			if whole && statement.MatchString(text) {
				findings = append(findings, t.at(n)+": SQL belongs in store; give it a method there")
			}
			return !whole
		})
	}
	return findings
}

// textOf gives a literal or a sum of literals and other things, each of which counts
// as one letter; whole is false for any other expression.
func textOf(e ast.Expr) (text string, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.ParenExpr:
		return textOf(e.X)
	case *ast.BinaryExpr:
		left, okLeft := textOf(e.X)
		right, okRight := textOf(e.Y)
		if e.Op != token.ADD || !okLeft && !okRight {
			return "", false
		}
		return orLetter(left, okLeft) + orLetter(right, okRight), true
	}
	return "", false
}

func orLetter(s string, known bool) string {
	if !known {
		return "x"
	}
	return s
}

// checkDocs wants a comment on every package and every exported name outside tests,
// generated files and main.
func checkDocs(t tree) []string {
	var findings []string
	described := map[string]bool{}
	for _, f := range t.goFiles() {
		if f.test() || f.generated {
			continue
		}
		described[f.dir()] = described[f.dir()] || f.syntax.Doc != nil
		if f.syntax.Name.Name == "main" {
			continue
		}
		for _, d := range f.syntax.Decls {
			for _, id := range undocumented(d) {
				findings = append(findings, fmt.Sprintf("%s: %s is exported and has no comment", t.at(id), id.Name))
			}
		}
	}
	for dir, ok := range described {
		if !ok {
			findings = append(findings, title(dir)+": no file says what the package is for")
		}
	}
	return findings
}

// undocumented gives the exported names of a declaration that no comment stands at.
func undocumented(d ast.Decl) []*ast.Ident {
	var names []*ast.Ident
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && (d.Recv == nil || receiverExported(d.Recv.List[0].Type)) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
					names = append(names, s.Name)
				}
			case *ast.ValueSpec:
				for _, id := range s.Names {
					if id.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
						names = append(names, id)
					}
				}
			}
		}
	}
	return names
}

func receiverExported(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverExported(e.X)
	case *ast.IndexExpr:
		return receiverExported(e.X)
	case *ast.IndexListExpr:
		return receiverExported(e.X)
	case *ast.Ident:
		return e.IsExported()
	}
	return false
}
