package gateway

import "strings"

// Problem is one fault of a definition or an instance.
type Problem struct {
	Path   string // TOML key path inside the gateway table: custom.signature[0].hash
	Text   string // what is wrong
	Remedy string // what to write instead
}

// Problems is every fault that was found, as an error.
type Problems []Problem

// Error joins the faults, one a line.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Path + ": " + one.Text + "; " + one.Remedy
	}
	return strings.Join(lines, "\n")
}

// faults collects problems while a definition is compiled.
type faults struct{ list Problems }

func (f *faults) add(path, text, remedy string) {
	f.list = append(f.list, Problem{Path: path, Text: text, Remedy: remedy})
}

func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return f.list
}

// oneOf reports a value outside a list of words.
func (f *faults) oneOf(path, value string, allowed ...string) bool {
	for _, a := range allowed {
		if value == a {
			return true
		}
	}
	f.add(path, quote(value)+" is not a known word here", "write one of: "+strings.Join(allowed, ", "))
	return false
}

func quote(s string) string { return "\"" + s + "\"" }
