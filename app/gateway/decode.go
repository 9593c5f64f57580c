package gateway

import (
	"fmt"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"
)

// SpecFrom decodes a TOML table, as a TOML library gives it, into a definition. It
// is strict: unknown keys and wrong types are Problems with their path below prefix.
func SpecFrom(values map[string]any, prefix string) (Spec, error) {
	var s Spec
	f := &faults{}
	decodeStruct(f, prefix, values, reflect.ValueOf(&s).Elem())
	return s, f.err()
}

func decodeStruct(f *faults, path string, values map[string]any, into reflect.Value) {
	known := map[string]int{}
	for i := range into.NumField() {
		known[into.Type().Field(i).Tag.Get("toml")] = i
	}
	for _, key := range sortedKeys(values) {
		i, ok := known[key]
		if !ok {
			f.add(path+"."+key, "this key is not known", "remove it, or write one of: "+strings.Join(sortedKeys(known), ", "))
			continue
		}
		decodeValue(f, path+"."+key, values[key], into.Field(i))
	}
}

var (
	listType     = reflect.TypeFor[List]()
	durationType = reflect.TypeFor[Duration]()
)

func decodeValue(f *faults, path string, v any, into reflect.Value) {
	switch {
	case into.Type() == listType:
		decodeList(f, path, v, into)
		return
	case into.Type() == durationType:
		decodeDuration(f, path, v, into)
		return
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		decodeValue(f, path, v, into.Elem())
	case reflect.Struct:
		if m, ok := v.(map[string]any); ok {
			decodeStruct(f, path, m, into)
			return
		}
		f.add(path, "a table is expected", "write [table] or { key = value }")
	case reflect.Map:
		decodeMap(f, path, v, into)
	case reflect.Slice:
		decodeSlice(f, path, v, into)
	default:
		decodeScalar(f, path, v, into)
	}
}

func decodeScalar(f *faults, path string, v any, into reflect.Value) {
	switch x := v.(type) {
	case string:
		if into.Kind() == reflect.String {
			into.SetString(x)
			return
		}
	case bool:
		if into.Kind() == reflect.Bool {
			into.SetBool(x)
			return
		}
	case int64:
		if into.Kind() == reflect.Int {
			into.SetInt(x)
			return
		}
	}
	want := map[reflect.Kind]string{reflect.String: "a text in double quotes", reflect.Bool: "true or false", reflect.Int: "a whole number"}
	f.add(path, fmt.Sprintf("%v is of the wrong type", v), "write "+want[into.Kind()])
}

func decodeList(f *faults, path string, v any, into reflect.Value) {
	var out List
	switch x := v.(type) {
	case string:
		out = List{x}
	case []any:
		for _, e := range x {
			s, ok := e.(string)
			if !ok {
				f.add(path, fmt.Sprintf("%v is not a text", e), `write "a" or ["a", "b"]`)
				return
			}
			out = append(out, s)
		}
	default:
		f.add(path, fmt.Sprintf("%v is not a text", v), `write "a" or ["a", "b"]`)
	}
	into.Set(reflect.ValueOf(out))
}

func decodeDuration(f *faults, path string, v any, into reflect.Value) {
	s, _ := v.(string)
	d, err := parseDuration(s)
	if err != nil {
		f.add(path, fmt.Sprintf("%v is not a time span", v), `write for example "30s", "10m", "3h" or "2d"`)
		return
	}
	into.SetInt(int64(d))
}

func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.Atoi(days)
		if err != nil || n < 0 || n > 36_500 {
			return 0, fmt.Errorf("%q is not a number of days", s)
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = fmt.Errorf("%q is negative", s)
	}
	return d, err
}

func decodeMap(f *faults, path string, v any, into reflect.Value) {
	m, ok := v.(map[string]any)
	if !ok {
		f.add(path, "a table is expected", "write { key = value }")
		return
	}
	into.Set(reflect.MakeMap(into.Type()))
	for _, key := range sortedKeys(m) {
		e := reflect.New(into.Type().Elem()).Elem()
		decodeValue(f, path+"."+key, m[key], e)
		into.SetMapIndex(reflect.ValueOf(key), e)
	}
}

func decodeSlice(f *faults, path string, v any, into reflect.Value) {
	list, ok := v.([]any)
	if !ok {
		f.add(path, "a list is expected", "write [ … ], or [[table]] for each element")
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
	for i, e := range list {
		decodeValue(f, fmt.Sprintf("%s[%d]", path, i), e, into.Index(i))
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
