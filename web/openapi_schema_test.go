package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// description is the parsed OpenAPI document, to hold answers against.
type description struct{ root map[string]any }

var parseDescription = sync.OnceValues(func() (*description, error) {
	d := &description{}
	err := json.Unmarshal(openAPI, &d.root)
	return d, err
})

func loadDescription(t testing.TB) *description {
	t.Helper()
	d, err := parseDescription()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// at follows keys from the root.
func (d *description) at(keys ...string) any {
	var v any = d.root
	for _, k := range keys {
		m, _ := v.(map[string]any)
		v = m[k]
	}
	return v
}

// resolve follows a $ref.
func (d *description) resolve(v any) map[string]any {
	m, _ := v.(map[string]any)
	if ref, ok := m["$ref"].(string); ok {
		return d.resolve(d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...))
	}
	return m
}

// operation finds the call that a request is, by the templates of the paths.
func (d *description) operation(method, path string) (map[string]any, string) {
	paths, _ := d.root["paths"].(map[string]any)
	for _, template := range slices.Sorted(maps.Keys(paths)) {
		form := regexp.MustCompile("^" + regexp.MustCompile(`\\\{[a-z_]+\\\}`).ReplaceAllString(regexp.QuoteMeta(template), "[^/]+") + "$")
		if !form.MatchString(path) {
			continue
		}
		op, ok := d.at("paths", template, strings.ToLower(method)).(map[string]any)
		if ok {
			return op, template
		}
	}
	return nil, ""
}

// faults compares a value with a schema. It knows the keywords that the document uses and refuses all others;
// a property that no schema names is a fault.
func (d *description) faults(at string, schema map[string]any, v any) []string {
	schema = d.resolve(schema)
	var list []string
	if schema == nil {
		return []string{at + ": no schema"}
	}
	for _, keyword := range slices.Sorted(maps.Keys(schema)) {
		check, known := keywords[keyword]
		if !known {
			list = append(list, at+": the keyword "+keyword+" is not known")
			continue
		}
		if check != nil && !check(schema[keyword], v) {
			list = append(list, fmt.Sprintf("%s: %v is against %s %v", at, v, keyword, schema[keyword]))
		}
	}
	switch v := v.(type) {
	case map[string]any:
		list = append(list, d.members(at, schema, v)...)
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i, e := range v {
			list = append(list, d.faults(fmt.Sprintf("%s[%d]", at, i), items, e)...)
		}
	}
	return list
}

func (d *description) members(at string, schema, v map[string]any) (list []string) {
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		property, ok := properties[name].(map[string]any)
		if ok {
			list = append(list, d.faults(at+"."+name, property, v[name])...)
		} else if schema["additionalProperties"] != true {
			list = append(list, at+"."+name+": is not described")
		}
	}
	return list
}

// keywords say whether a value keeps to one keyword; nil: it asks nothing of the value itself.
var keywords = map[string]func(want, v any) bool{
	"$ref": nil, "description": nil, "examples": nil, "default": nil, "properties": nil, "additionalProperties": nil, "items": nil,
	"type":     isOfType,
	"required": hasAll,
	"enum":     func(want, v any) bool { return slices.Contains(want.([]any), v) },
	"minimum":  func(want, v any) bool { n, ok := v.(float64); return !ok || n >= want.(float64) },
	"maximum":  func(want, v any) bool { n, ok := v.(float64); return !ok || n <= want.(float64) },
	"minItems": func(want, v any) bool { l, ok := v.([]any); return !ok || len(l) >= int(want.(float64)) },
	"minLength": func(want, v any) bool {
		s, ok := v.(string)
		return !ok || utf8.RuneCountInString(s) >= int(want.(float64))
	},
	"maxLength": func(want, v any) bool {
		s, ok := v.(string)
		return !ok || utf8.RuneCountInString(s) <= int(want.(float64))
	},
	"pattern": func(want, v any) bool {
		s, ok := v.(string)
		return !ok || regexp.MustCompile(want.(string)).MatchString(s)
	},
	"format": hasFormat,
}

func isOfType(want, v any) bool {
	names, several := want.([]any)
	if !several {
		names = []any{want}
	}
	return slices.ContainsFunc(typesOf(v), func(name string) bool { return slices.Contains(names, any(name)) })
}

func typesOf(v any) []string {
	switch v := v.(type) {
	case bool:
		return []string{"boolean"}
	case string:
		return []string{"string"}
	case []any:
		return []string{"array"}
	case map[string]any:
		return []string{"object"}
	case float64:
		if v == float64(int64(v)) {
			return []string{"number", "integer"}
		}
		return []string{"number"}
	}
	return []string{"null"}
}

func hasAll(want, v any) bool {
	m, ok := v.(map[string]any)
	for _, name := range want.([]any) {
		if _, has := m[name.(string)]; ok && !has {
			return false
		}
	}
	return true
}

func hasFormat(want, v any) bool {
	s, ok := v.(string)
	switch {
	case !ok:
		return true
	case want == "date-time":
		_, err := time.Parse(time.RFC3339, s)
		return err == nil
	}
	return want == "uri-reference"
}

// hold compares an answer with what the document says of it.
func (d *description) hold(method, path string, status int, h http.Header, body string) []string {
	op, template := d.operation(method, path)
	if op == nil {
		return d.undescribed(path, status, body)
	}
	responses, _ := op["responses"].(map[string]any)
	response := d.resolve(responses[fmt.Sprint(status)])
	if response == nil {
		return []string{fmt.Sprintf("%s %s: the answer %d is not described", method, template, status)}
	}
	var faults []string
	headers, _ := response["headers"].(map[string]any)
	for name := range headers {
		if h.Get(name) == "" {
			faults = append(faults, fmt.Sprintf("%s %s: the answer %d lacks %s", method, template, status, name))
		}
	}
	content, _ := response["content"].(map[string]any)
	media, ok := content[h.Get("Content-Type")].(map[string]any)
	if !ok {
		return append(faults, fmt.Sprintf("%s %s: the content type %q of %d is not described", method, template, h.Get("Content-Type"), status))
	}
	if template == "/v1/openapi.json" && status == 200 {
		return faults
	}
	return append(faults, d.holdBody(fmt.Sprintf("%s %s %d", method, template, status), media["schema"].(map[string]any), body)...)
}

// undescribed is what may happen at any path: it is not there, or not with this method.
func (d *description) undescribed(path string, status int, body string) []string {
	if status != http.StatusNotFound && status != http.StatusMethodNotAllowed && status != http.StatusServiceUnavailable {
		return []string{fmt.Sprintf("%s: %d for a call that is not described", path, status)}
	}
	return d.holdBody(path, d.at("components", "schemas", "Problem").(map[string]any), body)
}

func (d *description) holdBody(at string, schema map[string]any, body string) []string {
	var v any
	if err := json.NewDecoder(bytes.NewReader([]byte(body))).Decode(&v); err != nil {
		return []string{at + ": " + err.Error()}
	}
	return d.faults(at, schema, v)
}
