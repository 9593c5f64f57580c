package tidy

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// casesFile lists kinds of faults, each with its number, and why some need no test.
const casesFile = "testdata/cases.toml"

// allCases is how many kinds of faults there are; a list that loses one is a finding.
const allCases = 119

var (
	caseLine = regexp.MustCompile(`^(R-\d{3}) += +"([^"]+)"$`)
	caseName = regexp.MustCompile(`\bR-\d{3}\b`)
)

// checkCases wants every kind of fault named by a test or excused, and not both.
func checkCases(t tree) []string {
	cases, excused, findings := readCases(t)
	named := namedCases(t)
	for n, where := range named {
		if cases[n] == "" {
			findings = append(findings, fmt.Sprintf("%s: names %s, which %s does not list", where, n, casesFile))
		}
	}
	for n := range excused {
		if cases[n] == "" {
			findings = append(findings, fmt.Sprintf("%s: %s is excused and not listed", casesFile, n))
		}
	}
	for n, what := range cases {
		switch {
		case named[n] == "" && excused[n] == "":
			findings = append(findings, fmt.Sprintf("%s: %s (%s) is named by no test and not excused", casesFile, n, what))
		case named[n] != "" && excused[n] != "":
			findings = append(findings, fmt.Sprintf("%s: %s is excused, yet %s names it", casesFile, n, named[n]))
		}
	}
	return findings
}

// readCases gives both tables of the list.
func readCases(t tree) (cases, excused map[string]string, findings []string) {
	i := slices.IndexFunc(t.files, func(f file) bool { return f.path == casesFile })
	if i < 0 {
		return nil, nil, []string{casesFile + ": is missing"}
	}
	return parseCases(string(t.files[i].text))
}

func parseCases(text string) (cases, excused map[string]string, findings []string) {
	cases, excused = map[string]string{}, map[string]string{}
	var table map[string]string
	for i, line := range strings.Split(text, "\n") {
		m := caseLine.FindStringSubmatch(line)
		switch {
		case line == "" || line[0] == '#':
		case line == "[cases]":
			table = cases
		case line == "[excused]":
			table = excused
		case m == nil || table == nil || table[m[1]] != "":
			findings = append(findings, fmt.Sprintf("%s:%d: %q is no line of a table, or its number came before", casesFile, i+1, line))
		default:
			table[m[1]] = m[2]
		}
	}
	return cases, excused, findings
}

// namedCases finds the numbers in test files, each with one file that has it.
func namedCases(t tree) map[string]string {
	named := map[string]string{}
	for _, f := range t.files {
		if !f.test() || f.dir() == "app/tidy" {
			continue
		}
		for _, n := range caseName.FindAll(f.text, -1) {
			named[string(n)] = f.path
		}
	}
	return named
}

func TestEveryCaseIsShownOrExcused(t *testing.T) {
	repo, _ := load(os.DirFS("../.."))
	findings := checkCases(repo)
	slices.Sort(findings)
	for _, f := range findings {
		t.Error(f)
	}
	if cases, _, _ := readCases(repo); len(cases) != allCases {
		t.Errorf("%s lists %d kinds of faults, want %d", casesFile, len(cases), allCases)
	}
}

func TestCasesThatNothingShowsAreFound(t *testing.T) {
	repo, _ := load(fstest.MapFS{
		"go.mod":       {Data: []byte("module example\n")},
		casesFile:      {Data: []byte("[cases]\nR-001 = \"a\"\nR-002 = \"b\"\nR-003 = \"c\"\nR-004 = \"d\"\nR-004 = \"e\"\n\n[excused]\nR-002 = \"x\"\nR-003 = \"y\"\nR-006 = \"z\"\n")},
		"a/x_test.go":  {Data: []byte("package a\n\n// R-003 and ORDER-1001, which is none.\n")},
		"a/y_test.go":  {Data: []byte("package a\n\n// R-005\n")},
		"a/other.go":   {Data: []byte("package a\n\n// R-001 beside the tests counts for nothing.\n")},
		"a/z/notes.md": {Data: []byte("R-004\n")},
	})
	want := []string{
		casesFile + `:6: "R-004 = \"e\"" is no line of a table, or its number came before`,
		casesFile + ": R-001 (a) is named by no test and not excused",
		casesFile + ": R-003 is excused, yet a/x_test.go names it",
		casesFile + ": R-004 (d) is named by no test and not excused",
		casesFile + ": R-006 is excused and not listed",
		"a/y_test.go: names R-005, which " + casesFile + " does not list",
	}
	got := checkCases(repo)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
