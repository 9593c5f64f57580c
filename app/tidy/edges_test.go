package tidy

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// rule says what a package and the folders below it may import of ours. "x/..." is x
// and all below it.
type rule struct {
	may   []string
	tests []string // in test files, beside may
	why   string
}

// rules has every folder with packages. A package directly below app needs a line of
// its own; elsewhere the folder's line holds for what is below it.
var rules = map[string]rule{
	"": {may: []string{"app/...", "store", "web"},
		why: "main wires the engine, the store and the pages; templates and files are web's own affair"},
	"app": {may: []string{"app/payment", "app/gateway", "app/settlement", "app/config", "store"}, tests: []string{"app/sandbox"},
		why: "the engine knows no pages, and the simulator only in tests"},
	"app/payment": {why: "the rules are pure: nothing of ours can change what a set of facts amounts to"},
	"app/gateway": {may: []string{"app/payment"},
		why: "reading a message or asking a gateway needs no database and no engine"},
	"app/settlement": {may: []string{"app/gateway", "app/payment"},
		why: "lines of reports are read and compared without a database"},
	"app/config": {may: []string{"app/gateway", "app/payment", "app/certs"},
		why: "the configuration is read before any database or engine exists"},
	"app/certs": {may: []string{"store"},
		why: "certificates have nothing to do with payments"},
	"app/command": {may: []string{"app", "app/certs", "app/config", "app/gateway", "app/sandbox", "store"},
		why: "commands use the engine and the store; pages are main's to wire"},
	"app/sandbox": {may: []string{"app/payment"},
		why: "the simulated gateway and shop speak HTTP and take no short cut into the engine"},
	"app/tidy": {why: "this test reads sources and runs nothing of ours"},
	"store":    {why: "the store is the ground floor: it knows rows, not rules"},
	"web": {may: []string{"app", "app/certs", "app/payment", "app/gateway", "app/settlement", "app/config", "store", "templates", "static"}, tests: []string{"app/sandbox"},
		why: "pages show what the engine and the store say; the simulator only in tests"},
	"templates": {why: "components are pure functions of a view model"},
	"static":    {why: "files stand for themselves"},
}

// checkEdges compares every import of ours with the rules, tests included.
func checkEdges(t tree) []string {
	var findings []string
	for _, f := range t.goFiles() {
		owner, ok := ruleOf(f.dir())
		if !ok {
			findings = append(findings, fmt.Sprintf("%s: the folder %q has no rule; say in app/tidy what it may import and why", f.path, f.dir()))
			continue
		}
		for _, spec := range f.syntax.Imports {
			to, ours := t.ours(spec)
			if target, _ := ruleOf(to); !ours || target == owner {
				continue
			}
			r := rules[owner]
			if !matches(r.may, to) && !(f.test() && matches(r.tests, to)) {
				findings = append(findings, fmt.Sprintf("%s: %s may not import %s: %s", t.at(spec), title(owner), title(to), r.why))
			}
		}
	}
	return findings
}

// ruleOf gives the key of the rule for a folder.
func ruleOf(dir string) (string, bool) {
	parts := strings.Split(dir, "/")
	least := 1
	if parts[0] == "app" && len(parts) > 1 {
		least = 2
	}
	for n := len(parts); n >= least; n-- {
		key := strings.Join(parts[:n], "/")
		if _, ok := rules[key]; ok {
			return key, true
		}
	}
	return "", false
}

// ours gives the folder of an import of this module.
func (t tree) ours(spec *ast.ImportSpec) (string, bool) {
	name := importPath(spec)
	if name == t.module {
		return "", true
	}
	return strings.CutPrefix(name, t.module+"/")
}

func importPath(spec *ast.ImportSpec) string {
	name, _ := strconv.Unquote(spec.Path.Value)
	return name
}

func matches(patterns []string, dir string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		base, deep := strings.CutSuffix(p, "/...")
		return dir == base || deep && strings.HasPrefix(dir, base+"/")
	})
}

func title(dir string) string {
	if dir == "" {
		return "main"
	}
	return dir
}

// outsider is an import from elsewhere that only some folders may have.
type outsider struct {
	path  string   // and all below it
	only  []string // folders that may; nil: all but `never`
	never []string
	tests bool // the rule holds for test files too
	why   string
}

var outsiders = []outsider{
	{path: "database/sql", only: []string{"store"}, tests: true, why: "only the store speaks to the database"},
	{path: "modernc.org/sqlite", only: []string{"store"}, tests: true, why: "only the store speaks to the database"},
	{path: "github.com/pressly/goose", only: []string{"store"}, tests: true, why: "only the store changes the schema"},
	{path: "math/rand", never: []string{"app", "app/payment", "app/gateway", "store"}, why: "chance is injected or derived, so that a run can be repeated"},
	{path: "os", never: []string{"app/payment", "app/gateway", "app/config", "templates"}, why: "it is pure, or given what it reads"},
	{path: "net/http", never: []string{"app/payment", "templates"}, why: "it is pure"},
	{path: "log", never: []string{"app/payment", "templates"}, why: "it is pure"},
}

// checkOutsiders compares the imports from elsewhere with the list above.
func checkOutsiders(t tree) []string {
	var findings []string
	for _, f := range t.goFiles() {
		owner, _ := ruleOf(f.dir())
		for _, spec := range f.syntax.Imports {
			for _, o := range outsiders {
				if o.forbids(importPath(spec), owner, f) {
					findings = append(findings, fmt.Sprintf("%s: %s may not import %s: %s", t.at(spec), title(owner), importPath(spec), o.why))
				}
			}
		}
	}
	return findings
}

func (o outsider) forbids(imported, owner string, f file) bool {
	if imported != o.path && !strings.HasPrefix(imported, o.path+"/") || f.test() && !o.tests {
		return false
	}
	if o.only != nil {
		return !slices.Contains(o.only, owner)
	}
	return slices.Contains(o.never, owner)
}
