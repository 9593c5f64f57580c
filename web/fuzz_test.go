package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// What is let through must be JSON that says the same after it was read and written again.
func FuzzWellFormed(f *testing.F) {
	for _, s := range []string{order1, `{"a":{"b":[1,2,{"c":null}]}}`, `{"a":1,"a":2}`, `[]x`, `{"a":`, "\"\xff\"", `{"\u0061":1,"a":2}`, `1e999`, `{"":{"":0}}`, strings.Repeat("[", 40)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if wellFormed(raw) != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("%q is no JSON and was let through", raw)
		}
		names := bytes.Count(raw, []byte(":")) // an upper bound: colons may stand in texts too
		var v any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if n := countNames(v); n > names {
			t.Fatalf("%q holds %d names and %d colons", raw, n, names)
		}
		again, err := json.Marshal(v)
		if err != nil || wellFormed(again) != nil {
			t.Fatalf("%q becomes %q, which is refused: %v", raw, again, err)
		}
	})
}

func countNames(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += 1 + countNames(e)
		}
	case []any:
		for _, e := range v {
			n += countNames(e)
		}
	}
	return n
}

// A hook's name comes from one spelling of its address only.
func FuzzHookName(f *testing.F) {
	for _, s := range []string{"/hooks/sandbox", "/hooks/sandbox/", "/hooks//sandbox", "/hooks/%73andbox", "/hooks/a%2Fb", "//hooks/x", "/hooks/../x", "/hooks/x?y"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			return
		}
		name, ok := hookName(&http.Request{URL: u})
		if ok && u.EscapedPath() != "/hooks/"+(&url.URL{Path: name}).EscapedPath() && u.EscapedPath() != "/hooks/"+(&url.URL{Path: name}).EscapedPath()+"/" {
			t.Errorf("%q is taken for the hook of %q", target, name)
		}
	})
}

// An address in the log is one that can be looked up.
func FuzzForwardedFor(f *testing.F) {
	for _, s := range []string{"", "1.1.1.1", "1.1.1.1, 10.0.0.1", "[::1]:80", "fe80::1%eth0", ",,", "unknown"} {
		f.Add(s)
	}
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	f.Fuzz(func(t *testing.T, forwarded string) {
		r := &http.Request{RemoteAddr: "10.0.0.1:1", Header: http.Header{"X-Forwarded-For": {forwarded}}}
		if _, err := netip.ParseAddr(remoteIP(r, trusted)); err != nil {
			t.Errorf("%q: %v", forwarded, err)
		}
	})
}
