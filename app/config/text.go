package config

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFileValue bounds what a file: value may hold, in bytes.
const maxFileValue = 64 << 10

// text gives the text at key with env: and file: resolved; an absent or empty one is
// the fallback.
func (t *table) text(key, fallback string) string {
	v, ok := t.take(key)
	if !ok {
		return fallback
	}
	s, ok := t.d.resolve(t.at(key), v)
	if !ok || s == "" {
		return fallback
	}
	return s
}

// choice gives the text at key, which must be one of the allowed words.
func (t *table) choice(key, fallback string, allowed []string) string {
	s := t.text(key, fallback)
	if s == "" || slices.Contains(allowed, s) {
		return s
	}
	quoted := make([]string, len(allowed))
	for i, a := range allowed {
		quoted[i] = fmt.Sprintf("%q", a)
	}
	remedy := fmt.Sprintf("write %s = %s", key, strings.Join(quoted, " or "))
	if near, ok := nearest(s, allowed); ok {
		remedy = fmt.Sprintf("write %s = %q", key, near)
	}
	t.fault(key, t.d.quote(t.at(key), s)+" is none of "+strings.Join(quoted, ", "), remedy)
	return fallback
}

// item is one text of a list with its own path, for faults.
type item struct{ path, text string }

// list gives the texts of the list at key, resolved.
func (t *table) list(key string) []item {
	var all []item
	for i, v := range t.elements(key) {
		path := fmt.Sprintf("%s[%d]", t.at(key), i)
		if s, ok := t.d.resolve(path, v); ok {
			all = append(all, item{path, s})
		}
	}
	return all
}

// elements gives the raw values of the list at key.
func (t *table) elements(key string) []any {
	v, ok := t.take(key)
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		t.fault(key, "is "+kind(v)+", not a list", fmt.Sprintf("write the values in square brackets: %s = [ … ]", key))
	}
	return list
}

// resolve gives the text that a value stands for; it reports the fault when it cannot.
func (d *document) resolve(path string, v any) (string, bool) {
	s, ok := v.(string)
	if !ok {
		d.fault(path, "is "+kind(v)+", not a text", "put the value in double quotes")
		return "", false
	}
	if name, ok := strings.CutPrefix(s, "env:"); ok {
		d.origins[path] = s
		return d.fromEnv(path, name)
	}
	if name, ok := strings.CutPrefix(s, "file:"); ok {
		d.origins[path] = s
		return d.fromFile(path, name)
	}
	return s, true
}

func (d *document) fromEnv(path, name string) (string, bool) {
	value, ok := d.env.Getenv(name)
	switch {
	case name == "":
		d.fault(path, "names no environment variable", `write "env:" and the name of the variable`)
	case !ok:
		d.fault(path, "the environment variable "+name+" is not set", "set "+name+" for the process that runs nodrop, or correct the name")
	case value == "":
		d.fault(path, "the environment variable "+name+" is empty", "give "+name+" its value, or remove this key")
	default:
		return value, true
	}
	return "", false
}

func (d *document) fromFile(path, name string) (string, bool) {
	if name == "" {
		d.fault(path, "names no file", `write "file:" and the path of the file`)
		return "", false
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(d.folder, name)
	}
	raw, err := d.env.ReadFile(name)
	value := bytes.TrimRight(raw, "\r\n")
	switch {
	case err != nil:
		d.fault(path, fmt.Sprintf("the file cannot be read: %v", err), "correct the path (it starts from the folder of the configuration file) or the permissions")
	case len(value) == 0:
		d.fault(path, "the file "+name+" is empty", "write the value into the file, or remove this key")
	case len(raw) > maxFileValue || !utf8.Valid(raw):
		d.fault(path, "the file "+name+" is not a text of at most 64 KiB", "name a text file that holds the value alone")
	default:
		return string(value), true
	}
	return "", false
}

// oneLine tells whether s has no control characters, so that it can stand in a header.
func oneLine(s string) bool { return !strings.ContainsFunc(s, unicode.IsControl) }
