package web

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"nodrop/app/payment"
)

// Every call that is served is described, and the other way round.
func TestDescriptionListsTheRoutes(t *testing.T) {
	l := newLab(t)
	var served, described []string
	for _, rt := range l.server.routes() {
		served = append(served, rt.method+" "+rt.pattern)
	}
	d := loadDescription(t)
	for template, item := range d.at("paths").(map[string]any) {
		for method := range item.(map[string]any) {
			if method != "parameters" {
				described = append(described, strings.ToUpper(method)+" "+template)
			}
		}
	}
	slices.Sort(served)
	slices.Sort(described)
	if !slices.Equal(served, described) {
		t.Errorf("served:\n%s\ndescribed:\n%s", strings.Join(served, "\n"), strings.Join(described, "\n"))
	}
}

func TestDescriptionListsTheParameters(t *testing.T) {
	l := newLab(t)
	d := loadDescription(t)
	for _, rt := range l.server.routes() {
		inPath, inQuery := parameters(d, rt)
		known := slices.Sorted(slices.Values(rt.query))
		if !slices.Equal(inQuery, known) {
			t.Errorf("%s %s: described %v, known %v", rt.method, rt.pattern, inQuery, known)
		}
		for _, name := range inPath {
			if !strings.Contains(rt.pattern, "{"+name+"}") {
				t.Errorf("%s %s: the path has no %s", rt.method, rt.pattern, name)
			}
		}
		if len(inPath) != strings.Count(rt.pattern, "{") {
			t.Errorf("%s %s: described in the path: %v", rt.method, rt.pattern, inPath)
		}
	}
}

func parameters(d *description, rt route) (inPath, inQuery []string) {
	shared, _ := d.at("paths", rt.pattern, "parameters").([]any)
	own, _ := d.at("paths", rt.pattern, strings.ToLower(rt.method), "parameters").([]any)
	for _, p := range slices.Concat(shared, own) {
		p := p.(map[string]any)
		if p["in"] == "path" {
			inPath = append(inPath, p["name"].(string))
		} else {
			inQuery = append(inQuery, p["name"].(string))
		}
	}
	slices.Sort(inQuery)
	return inPath, inQuery
}

// Only what is open for everybody may be described as open.
func TestDescriptionSaysWhatNeedsAToken(t *testing.T) {
	l := newLab(t)
	d := loadDescription(t)
	for _, rt := range l.server.routes() {
		_, open := d.at("paths", rt.pattern, strings.ToLower(rt.method), "security").([]any)
		if open != rt.open {
			t.Errorf("%s %s: described as open: %v, is open: %v", rt.method, rt.pattern, open, rt.open)
		}
	}
}

func TestDescriptionHoldsTogether(t *testing.T) {
	d := loadDescription(t)
	if d.root["openapi"] != "3.1.0" {
		t.Errorf("version %v", d.root["openapi"])
	}
	walkDocument(t, d, "", d.root)
	schemas := d.at("components", "schemas").(map[string]any)
	for name, schema := range schemas {
		schema := schema.(map[string]any)
		examples, _ := schema["examples"].([]any)
		for _, example := range examples {
			for _, fault := range d.faults(name, schema, example) {
				t.Errorf("example of %s", fault)
			}
		}
		for _, required := range anyList(schema["required"]) {
			if _, ok := schema["properties"].(map[string]any)[required.(string)]; !ok {
				t.Errorf("%s requires %v and does not describe it", name, required)
			}
		}
	}
}

// walkDocument finds references that lead nowhere and operations without a name.
func walkDocument(t *testing.T, d *description, at string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && d.resolve(v) == nil {
			t.Errorf("%s: %s leads nowhere", at, ref)
		}
		if _, isCall := v["responses"].(map[string]any); isCall && at != "/components" && (v["operationId"] == nil || v["summary"] == nil) {
			t.Errorf("%s has no operationId or no summary", at)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			walkDocument(t, d, at+"/"+name, v[name])
		}
	case []any:
		for i, e := range v {
			walkDocument(t, d, fmt.Sprintf("%s/%d", at, i), e)
		}
	}
}

func anyList(v any) []any {
	list, _ := v.([]any)
	return list
}

func TestDescribedWordsAreTheRealOnes(t *testing.T) {
	d := loadDescription(t)
	words := func(keys ...string) (list []string) {
		for _, w := range anyList(d.at(append([]string{"components", "schemas"}, keys...)...)) {
			list = append(list, w.(string))
		}
		slices.Sort(list)
		return list
	}
	if got := words("Payment", "properties", "state", "enum"); !slices.Equal(got, slices.Sorted(slices.Values(states))) {
		t.Errorf("states %v", got)
	}
	causes := []string{string(payment.NoCause), string(payment.Abandoned), string(payment.Cancelled), string(payment.Contradiction), string(payment.Difference), string(payment.Expired), string(payment.NoAnswer)}
	if got := words("Payment", "properties", "cause", "enum"); !slices.Equal(got, causes) {
		t.Errorf("causes %v", got)
	}
	var events []string
	for _, e := range []payment.EventType{payment.EventAuthorised, payment.EventSucceeded, payment.EventSucceededLate, payment.EventDuplicate, payment.EventFailed, payment.EventClosed,
		payment.EventUnknown, payment.EventRefunded, payment.EventRefundFailed, payment.EventDisputed, payment.EventReversed, payment.EventDecided} {
		events = append(events, string(e))
	}
	slices.Sort(events)
	if got := words("Event", "properties", "type", "enum"); !slices.Equal(got, events) {
		t.Errorf("events %v", got)
	}
}

// The validator itself must find what is wrong, or the scenarios prove nothing.
func TestValidatorFindsFaults(t *testing.T) {
	d := loadDescription(t)
	schema := d.at("components", "schemas", "Payment").(map[string]any)
	good := func() map[string]any {
		v := maps.Clone(schema["examples"].([]any)[0].(map[string]any))
		return v
	}
	if faults := d.faults("payment", schema, good()); len(faults) != 0 {
		t.Fatal(faults)
	}
	for name, spoil := range map[string]func(map[string]any){
		"unknown property": func(v map[string]any) { v["colour"] = "red" },
		"missing property": func(v map[string]any) { delete(v, "state") },
		"amount as number": func(v map[string]any) { v["amount"] = 1250.5 },
		"amount in words":  func(v map[string]any) { v["amount"] = "1,250.50" },
		"unknown state":    func(v map[string]any) { v["state"] = "done" },
		"text as integer":  func(v map[string]any) { v["version"] = "2" },
		"half an integer":  func(v map[string]any) { v["version"] = 2.5 },
		"too small":        func(v map[string]any) { v["version"] = 0.0 },
		"no instant":       func(v map[string]any) { v["created_at"] = "yesterday" },
		"null":             func(v map[string]any) { v["created_at"] = nil },
		"inside a list":    func(v map[string]any) { v["gateway_refs"] = []any{map[string]any{"kind": "", "id": "x"}} },
		"inside an object": func(v map[string]any) { v["order"] = map[string]any{"paid": true} },
	} {
		v := good()
		spoil(v)
		if faults := d.faults("payment", schema, v); len(faults) != 1 {
			t.Errorf("%s: %v", name, faults)
		}
	}
	if faults := d.faults("x", map[string]any{"type": "string", "const": "y"}, "y"); len(faults) != 1 {
		t.Errorf("an unknown keyword: %v", faults)
	}
}
