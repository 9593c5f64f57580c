package tidy

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"github.com/a-h/templ"
	"github.com/a-h/templ/generator"
	"github.com/a-h/templ/parser/v2"
)

const generate = "run `go tool templ generate` in the top folder"

// checkGenerated generates every template anew and compares it with the file beside it.
func checkGenerated(t tree) []string {
	var findings []string
	texts := map[string][]byte{}
	for _, f := range t.files {
		texts[f.path] = f.text
	}
	for name, text := range texts {
		if source, ok := strings.CutSuffix(name, "_templ.go"); ok && texts[source+".templ"] == nil {
			findings = append(findings, name+": its template is gone; remove it")
		}
		source, ok := strings.CutSuffix(name, ".templ")
		if !ok {
			continue
		}
		fresh, err := fromTempl(name, text)
		switch have := texts[source+"_templ.go"]; {
		case err != nil:
			findings = append(findings, fmt.Sprintf("%s: cannot be generated from: %v", name, err))
		case have == nil:
			findings = append(findings, fmt.Sprintf("%s: has no generated file; %s", name, generate))
		case !bytes.Equal(have, fresh):
			findings = append(findings, fmt.Sprintf("%s: the generated file is stale; %s", name, generate))
		}
	}
	return findings
}

// fromTempl does what `templ generate` does with one file.
func fromTempl(name string, text []byte) ([]byte, error) {
	parsed, err := parser.ParseString(string(text))
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := generator.Generate(parsed, &out, generator.WithVersion(templ.Version()), generator.WithFileName(name)); err != nil {
		return nil, err
	}
	return format.Source(out.Bytes())
}
