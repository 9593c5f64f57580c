package payment

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

//go:embed testdata/mutant/mutant.txt
var mutantHelpers string

// edit replaces some bytes of a source; at one place the closing edits come first, the inner ones before the outer.
type edit struct {
	from, to int
	text     string
	closing  bool
}

// mutator writes a copy of the rules that holds every mutant; the environment chooses one.
type mutator struct {
	set    *token.FileSet
	info   types.Info
	source []byte
	name   string // of the file
	fn     string // and the function that is being read
	edits  []edit
	list   []string // of mutants, by number from 1
	known  map[string]int
}

func (m *mutator) text(n ast.Node) string {
	return string(m.source[m.offset(n.Pos()):m.offset(n.End())])
}

func (m *mutator) offset(p token.Pos) int { return m.set.Position(p).Offset }

// number gives a mutant its number and a name that does not change with the lines around it.
func (m *mutator) number(n ast.Node, what string) int {
	code := strings.Join(strings.Fields(m.text(n)), " ")
	name := fmt.Sprintf("%s %s: `%s` %s", m.name, m.fn, code, what)
	if m.known[name]++; m.known[name] > 1 {
		name += " #" + strconv.Itoa(m.known[name])
	}
	m.list = append(m.list, name)
	return len(m.list)
}

func (m *mutator) wrap(n ast.Node, before, after string) {
	m.edits = append(m.edits,
		edit{m.offset(n.Pos()), m.offset(n.Pos()), before, false}, edit{m.offset(n.End()), m.offset(n.End()), after, true})
}

// replaceOp puts a comma or more in the place of an operator.
func (m *mutator) replaceOp(x *ast.BinaryExpr, text string) {
	m.edits = append(m.edits, edit{m.offset(x.OpPos), m.offset(x.OpPos) + len(x.Op.String()), text, false})
}

func (m *mutator) file(f *ast.File) {
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if g, isVar := d.(*ast.GenDecl); isVar && g.Tok == token.VAR {
			m.fn = "var"
			m.walk(g)
		}
		if ok && fn.Body != nil {
			m.fn = fn.Name.Name
			m.walk(fn.Body)
		}
	}
}

func (m *mutator) walk(root ast.Node) {
	var above []ast.Node
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		var parent ast.Node
		if len(above) > 0 {
			parent = above[len(above)-1]
		}
		if skips(n, parent) {
			return false
		}
		above = append(above, n)
		if s, ok := n.(ast.Stmt); ok {
			m.statement(s, parent)
		}
		if e, ok := n.(ast.Expr); ok {
			m.expression(e, parent)
		}
		return true
	})
}

// skips leaves out what is no value: types, and constants.
func skips(n, parent ast.Node) bool {
	switch n := n.(type) {
	case *ast.ArrayType, *ast.MapType, *ast.FuncType:
		return true
	case *ast.GenDecl:
		return n.Tok != token.VAR
	}
	key, ok := parent.(*ast.KeyValueExpr)
	return ok && key.Key == n
}

// statement makes a mutant that leaves the statement out.
func (m *mutator) statement(s ast.Stmt, parent ast.Node) {
	switch p := parent.(type) {
	case *ast.ForStmt:
		return
	case *ast.IfStmt:
		if p.Init == s {
			return
		}
	case *ast.SwitchStmt:
		return
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || m.text(s.Lhs[0]) == "_" {
			return
		}
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt:
	case *ast.ReturnStmt:
		if len(s.Results) > 0 {
			return
		}
	default:
		return
	}
	m.wrap(s, fmt.Sprintf("if !mutant(%d) { ", m.number(s, "left out")), " }")
}

func (m *mutator) expression(e ast.Expr, parent ast.Node) {
	tv := m.info.Types[e]
	basic, ok := types.Type(types.Typ[types.Invalid]), false
	if tv.Type != nil {
		basic = tv.Type.Underlying()
	}
	b, ok := basic.(*types.Basic)
	if !ok || !tv.IsValue() || isTarget(e, parent) {
		return
	}
	if b.Info()&types.IsBoolean != 0 {
		if _, paren := e.(*ast.ParenExpr); !paren {
			m.wrap(e, "((", fmt.Sprintf(") != mutant(%d))", m.number(e, "negated")))
		}
	}
	if tv.Value == nil {
		m.operation(e, b)
		return
	}
	_, literal := e.(*ast.BasicLit)
	_, named := e.(*ast.Ident)
	switch {
	case b.Info()&types.IsInteger != 0 && b.Info()&types.IsUntyped == 0 && (literal || named):
		m.wrap(e, "(", fmt.Sprintf("+mutantOne[%s](%d))", strings.TrimPrefix(tv.Type.String(), "p."), m.number(e, "one more")))
	case b.Info()&types.IsString != 0 && named:
		m.wrap(e, fmt.Sprintf("mutantText(%d, ", m.number(e, "another word")), ")")
	}
}

// isTarget tells whether an expression is assigned to, or part of a name.
func isTarget(e ast.Expr, parent ast.Node) bool {
	switch p := parent.(type) {
	case *ast.AssignStmt:
		return slices.Contains(p.Lhs, e)
	case *ast.SelectorExpr, *ast.IncDecStmt, *ast.RangeStmt, *ast.Field, *ast.ValueSpec:
		return true
	case *ast.KeyValueExpr:
		return p.Key == e
	case *ast.UnaryExpr:
		return p.Op == token.AND
	case *ast.CallExpr:
		return p.Fun == e
	}
	return false
}

func (m *mutator) operation(e ast.Expr, b *types.Basic) {
	integer := b.Info()&types.IsInteger != 0
	switch x := e.(type) {
	case *ast.CallExpr:
		name, ok := x.Fun.(*ast.Ident)
		if ok && integer && (name.Name == "max" || name.Name == "min") {
			n := m.number(e, "the other end")
			m.edits = append(m.edits, edit{m.offset(x.Pos()), m.offset(x.Lparen) + 1, fmt.Sprintf("mutantMost(%d, %q, ", n, name.Name), false})
		}
	case *ast.BinaryExpr:
		op := x.Op.String()
		switch {
		case x.Op == token.LAND || x.Op == token.LOR:
			n := m.number(e, "and for or")
			m.wrap(x, fmt.Sprintf("mutantBoth(%d, %t, func() bool { return (", n, x.Op == token.LAND), ") })")
			m.replaceOp(x, ") }, func() bool { return (")
		case slices.Contains([]string{"<", "<=", ">", ">="}, op):
			m.wrap(x, fmt.Sprintf("mutantOrder(%d, %q, ", m.number(e, "at the border"), op), ")")
			m.replaceOp(x, ",")
		case integer && (op == "+" || op == "-"):
			m.wrap(x, fmt.Sprintf("mutantSum(%d, %q, ", m.number(e, "plus for minus"), op), ")")
			m.replaceOp(x, ",")
		case integer && (op == "*" || op == "/"):
			m.wrap(x, fmt.Sprintf("mutantScale(%d, %q, ", m.number(e, "times for by"), op), ")")
			m.replaceOp(x, ",")
		}
	}
}

func (m *mutator) rewritten() []byte {
	order := make([]int, len(m.edits))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := m.edits[i], m.edits[j]
		if a.from != b.from {
			return cmp.Compare(a.from, b.from)
		}
		if a.closing != b.closing {
			if a.closing {
				return -1
			}
			return 1
		}
		if a.closing {
			return cmp.Compare(j, i)
		}
		return cmp.Compare(i, j)
	})
	var out bytes.Buffer
	at := 0
	for _, i := range order {
		e := m.edits[i]
		out.Write(m.source[at:e.from])
		out.WriteString(e.text)
		at = e.to
	}
	out.Write(m.source[at:])
	return out.Bytes()
}

// mutate builds the tests with all mutants in them and lists the mutants.
func mutate(t *testing.T, program string) []string {
	t.Helper()
	m := &mutator{set: token.NewFileSet(), known: map[string]int{}, info: types.Info{Types: map[ast.Expr]types.TypeAndValue{}}}
	names, _ := filepath.Glob("*.go")
	names = slices.DeleteFunc(names, func(n string) bool { return strings.HasSuffix(n, "_test.go") })
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(m.set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: importer.ForCompiler(m.set, "source", nil)}
	if _, err := conf.Check("p", m.set, files, &m.info); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := map[string]string{filepath.Join(here, "mutant.go"): filepath.Join(dir, "mutant.go")}
	write(t, filepath.Join(dir, "mutant.go"), []byte(mutantHelpers))
	for i, name := range names {
		m.name, m.edits = name, nil
		if m.source, err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
		m.file(files[i])
		overlay[filepath.Join(here, name)] = filepath.Join(dir, name)
		write(t, filepath.Join(dir, name), m.rewritten())
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "overlay.json"), text)
	build := exec.Command("go", "test", "-vet=off", "-c", "-o", program, "-overlay", filepath.Join(dir, "overlay.json"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the mutants do not build: %v\n%s", err, out)
	}
	return m.list
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// survives runs the tests with one mutant; memory and time are bounded, for a mutant may never end, and chance is seeded,
// so that each run gives the same list.
func survives(program string, n int) bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	run := exec.CommandContext(ctx, "/bin/sh", "-c", `ulimit -v 6000000; exec "$@"`, "sh", program, "-test.short", "-test.failfast",
		"-test.skip=TestBroken|TestMutants", "-test.timeout=25s", "-rapid.nofailfile", "-rapid.shrinktime=1ms", "-rapid.seed=1")
	run.Env = append(os.Environ(), "NODROP_MUTATE=", "NODROP_MODEL=", "NODROP_MUTANT="+strconv.Itoa(n))
	return run.Run() == nil
}

// survivors runs the tests with every mutant whose name holds a text and says of each, by number, whether it survives.
func survivors(program string, list []string, text string) map[int]bool {
	alive := map[int]bool{}
	var lock sync.Mutex
	var wait sync.WaitGroup
	numbers := make(chan int)
	for range 2 {
		wait.Go(func() {
			for n := range numbers {
				lives := survives(program, n)
				lock.Lock()
				alive[n] = lives
				lock.Unlock()
			}
		})
	}
	for i, name := range list {
		if strings.Contains(name, text) {
			numbers <- i + 1
		}
	}
	close(numbers)
	wait.Wait()
	return alive
}

// TestMutants changes the rules in every small way, one at a time, and sees that a test notices: NODROP_MUTATE=all takes some
// minutes; any other text, such as a file's name, chooses the mutants whose names hold it.
// A mutant that survives must be listed, with the reason, in testdata/survivors.md.
func TestMutants(t *testing.T) {
	choice := os.Getenv("NODROP_MUTATE")
	if choice == "" {
		t.Skip("set NODROP_MUTATE=all")
	}
	program := filepath.Join(t.TempDir(), "mutants.test")
	list := mutate(t, program)
	if !survives(program, 0) {
		t.Fatal("the tests fail without a mutant")
	}
	text, err := os.ReadFile("testdata/survivors.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "- "); ok {
			listed[strings.TrimSpace(name)] = true
		}
	}
	alive := 0
	for n, lives := range survivors(program, list, strings.TrimPrefix(choice, "all")) {
		name := list[n-1]
		if lives {
			alive++
		}
		if lives != listed[name] {
			t.Errorf("listed as a survivor %t, survives %t: - %s", listed[name], lives, name)
		}
	}
	for name := range listed {
		if !slices.Contains(list, name) {
			t.Errorf("listed as a survivor, and there is no such mutant: - %s", name)
		}
	}
	if sum := fmt.Sprintf("%d mutants, %d survive", len(list), alive); choice == "all" && !strings.Contains(string(text), sum) {
		t.Errorf("testdata/survivors.md does not say %q", sum)
	}
}
