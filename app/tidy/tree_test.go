package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"
)

// tree is the repository as the checks see it.
type tree struct {
	module string
	fset   *token.FileSet
	top    []string // names in the top folder
	files  []file
}

// file is one file; syntax is nil unless it is Go.
type file struct {
	path      string // with slashes, from the top
	text      []byte
	syntax    *ast.File
	generated bool
}

func (f file) dir() string {
	if d := path.Dir(f.path); d != "." {
		return d
	}
	return ""
}

func (f file) test() bool { return strings.HasSuffix(f.path, "_test.go") }

// at names a place in a Go file.
func (t tree) at(n ast.Node) string {
	p := t.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d", p.Filename, p.Line)
}

// load reads everything but .git and what the top .gitignore names; what it cannot
// read is a finding.
func load(repo fs.FS) (tree, []string) {
	t := tree{fset: token.NewFileSet()}
	ignored, findings := readIgnore(repo)
	err := fs.WalkDir(repo, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if name == ".git" || ignored(name, d.IsDir()) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.Contains(name, "/") {
			t.top = append(t.top, name)
		}
		if d.IsDir() {
			return nil
		}
		f, err := t.read(repo, name)
		if err != nil {
			findings = append(findings, err.Error())
		}
		t.files = append(t.files, f)
		return nil
	})
	if err != nil {
		findings = append(findings, err.Error())
	}
	return t, findings
}

func (t *tree) read(repo fs.FS, name string) (file, error) {
	f := file{path: name}
	var err error
	if f.text, err = fs.ReadFile(repo, name); err != nil {
		return f, err
	}
	if name == "go.mod" {
		line, _, _ := strings.Cut(string(f.text), "\n")
		t.module = strings.TrimPrefix(strings.TrimSpace(line), "module ")
	}
	if path.Ext(name) == ".go" && !strings.Contains(name, "testdata/") {
		f.syntax, err = parser.ParseFile(t.fset, name, f.text, parser.ParseComments|parser.SkipObjectResolution)
		f.generated = f.syntax != nil && ast.IsGenerated(f.syntax)
	}
	return f, err
}

// readIgnore understands names, globs and folders; any other pattern is a finding.
func readIgnore(repo fs.FS) (func(name string, dir bool) bool, []string) {
	var patterns, findings []string
	raw, _ := fs.ReadFile(repo, ".gitignore")
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '!' || strings.Contains(line, "**") || strings.Contains(strings.Trim(line, "/"), "/"):
			findings = append(findings, fmt.Sprintf(".gitignore: %q is a pattern that this test does not understand; name the file or folder alone", line))
		default:
			patterns = append(patterns, line)
		}
	}
	return func(name string, dir bool) bool {
		for _, p := range patterns {
			on := path.Base(name)
			if p[0] == '/' {
				on = "/" + name
			}
			if hit, _ := path.Match(strings.TrimSuffix(p, "/"), on); hit && (dir || !strings.HasSuffix(p, "/")) {
				return true
			}
		}
		return false
	}, findings
}

// goFiles gives the parsed Go files.
func (t tree) goFiles() []file {
	var all []file
	for _, f := range t.files {
		if f.syntax != nil {
			all = append(all, f)
		}
	}
	return all
}

// binary tells what is no text.
func (f file) binary() bool { return bytes.IndexByte(f.text, 0) >= 0 }
