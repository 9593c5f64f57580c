package payment

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// constants reads the values of the typed constants of a file, by type.
func constants(t *testing.T, file string) map[string][]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		name, typed := spec.Type.(*ast.Ident)
		lit, plain := spec.Values[0].(*ast.BasicLit)
		if typed && plain {
			value, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			values[name.Name] = append(values[name.Name], value)
		}
		return true
	})
	return values
}

func texts[T ~string](list []T) []string {
	var out []string
	for _, v := range list {
		out = append(out, string(v))
	}
	return out
}

// Every constant is in its list, so that a new one cannot miss the matrix.
func TestListsAreComplete(t *testing.T) {
	var causes []Cause
	for _, s := range States() {
		causes = append(causes, Causes(s)...)
	}
	slices.Sort(causes)
	facts, labels := constants(t, "fact.go"), constants(t, "label.go")
	for _, c := range []struct {
		name       string
		want, have []string
	}{
		{"State", facts["State"], texts(States())},
		{"Cause", facts["Cause"], texts(slices.Compact(causes))},
		{"Word", facts["Word"], texts(Words())},
		{"FactKind", facts["FactKind"], texts(FactKinds())},
		{"Act", facts["Act"], texts(Acts())},
		{"Reason", labels["Reason"], texts(Reasons())},
		{"EventType", labels["EventType"], texts(EventTypes())},
	} {
		slices.Sort(c.want)
		slices.Sort(c.have)
		if len(c.want) == 0 || !slices.Equal(c.want, c.have) {
			t.Errorf("%s: the constants are %v, the list is %v", c.name, c.want, c.have)
		}
	}
}
