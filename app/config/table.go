package config

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// table reads one table of the file. Asking for a key makes it known; done reports
// the keys that nobody asked for.
type table struct {
	d      *document
	path   string
	values map[string]any
	known  []string
}

// take gives the raw value at key and makes the key known.
func (t *table) take(key string) (any, bool) {
	t.known = append(t.known, key)
	v, ok := t.values[key]
	return v, ok
}

// has tells whether the file gives the key a value that is not the empty text.
func (t *table) has(key string) bool {
	v, ok := t.values[key]
	return ok && v != ""
}

func (t *table) at(key string) string { return join(t.path, key) }

// fault reports what is wrong with the value at key.
func (t *table) fault(key, text, remedy string) { t.d.fault(t.at(key), text, remedy) }

// table gives the table at key, an empty one when it is absent.
func (t *table) table(key string) *table {
	sub := &table{d: t.d, path: t.at(key)}
	v, ok := t.take(key)
	if !ok {
		return sub
	}
	if sub.values, ok = v.(map[string]any); !ok {
		t.fault(key, "is "+kind(v)+", not a table", fmt.Sprintf("write %s on a line of its own and its keys below", sub.title()))
	}
	return sub
}

// tables gives the elements of the [[key]] tables.
func (t *table) tables(key string) []*table {
	v, ok := t.take(key)
	if !ok {
		return nil
	}
	remedy := fmt.Sprintf("begin each %s with [[%s]]", key, key)
	list, ok := v.([]any)
	if !ok {
		t.fault(key, "is "+kind(v)+", not a list of tables", remedy)
		return nil
	}
	var all []*table
	for i, v := range list {
		sub := &table{d: t.d, path: fmt.Sprintf("%s[%d]", t.at(key), i)}
		if sub.values, ok = v.(map[string]any); !ok {
			t.d.fault(sub.path, "is "+kind(v)+", not a table", remedy)
			continue
		}
		all = append(all, sub)
	}
	return all
}

// done reports every key that nobody asked for.
func (t *table) done() {
	for key := range t.values {
		known := false
		for _, k := range t.known {
			known = known || k == key
		}
		if !known {
			t.fault(key, "is not a key of "+t.title(), t.suggest(key))
		}
	}
}

func (t *table) title() string {
	if t.path == "" {
		return "the top of the file"
	}
	return "[" + gatewayIndex.ReplaceAllString(t.path, "gateway") + "]"
}

func (t *table) suggest(key string) string {
	if k, ok := nearest(key, t.known); ok {
		return fmt.Sprintf("did you mean %s?", k)
	}
	known := append([]string(nil), t.known...)
	sort.Strings(known)
	return "known here: " + strings.Join(known, ", ")
}

// kind names the type of a TOML value in plain words.
func kind(v any) string {
	switch v.(type) {
	case string:
		return "a text"
	case bool:
		return "true or false"
	case int64, float64:
		return "a number"
	case time.Time, toml.LocalDate, toml.LocalDateTime, toml.LocalTime:
		return "a date or time"
	case map[string]any:
		return "a table"
	default:
		return "a list"
	}
}
