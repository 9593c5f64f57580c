package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"nodrop/app"
)

const (
	maxJSON  = 64 << 10
	maxDepth = 32
)

// object is a JSON object whose members are taken one by one. Everything that is wrong is collected;
// a member that nobody took is wrong too.
type object struct {
	path    string
	members map[string]json.RawMessage
	taken   []string
	wrong   *[]wrong
}

// wrong is one thing that is the matter with a request's body.
type wrong struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// readObject reads a request's JSON body: an object, strictly. An empty body is refused unless it may be absent.
func readObject(w http.ResponseWriter, r *http.Request, optional bool) (*object, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxJSON))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &fault{status: http.StatusRequestEntityTooLarge, code: "too_large", detail: fmt.Sprintf("The body is larger than %d bytes.", maxJSON)}
	case err != nil:
		return nil, &fault{status: http.StatusBadRequest, code: "unreadable", detail: "The body could not be read to its end.", cause: err}
	case len(raw) == 0 && optional:
		raw = []byte("{}")
	case len(raw) == 0:
		return nil, invalid("empty", "The body is empty; send a JSON object.")
	}
	if err := jsonType(r.Header); err != nil {
		return nil, err
	}
	if err := wellFormed(raw); err != nil {
		return nil, invalid("bad_json", "The body is no proper JSON: "+err.Error()+".")
	}
	o := &object{wrong: &[]wrong{}}
	if json.Unmarshal(raw, &o.members) != nil || o.members == nil {
		return nil, invalid("bad_json", "The body must be a JSON object.")
	}
	return o, nil
}

func jsonType(h http.Header) error {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if h.Get("Content-Type") == "" || err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json")) {
		return nil
	}
	return &fault{status: http.StatusUnsupportedMediaType, code: "not_json", header: [2]string{"Accept", "application/json"},
		detail: fmt.Sprintf("The body is said to be %q; send JSON with Content-Type: application/json.", h.Get("Content-Type"))}
}

// wellFormed refuses what JSON libraries let pass: a name twice, bytes that are no UTF-8, something behind the end.
func wellFormed(raw []byte) error {
	if !utf8.Valid(raw) {
		return errors.New("it is not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := walk(d, "", 0); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its end")
	}
	return nil
}

func walk(d *json.Decoder, path string, depth int) error {
	token, err := d.Token()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends too early")
	case err != nil:
		return err
	case depth > maxDepth:
		return fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return nil
	}
	seen := map[string]bool{}
	for i := 0; d.More(); i++ {
		at := fmt.Sprintf("%s[%d]", path, i)
		if delim == '{' {
			name, err := memberName(d, seen, path)
			if err != nil {
				return err
			}
			at = join(path, name)
		}
		if err := walk(d, at, depth+1); err != nil {
			return err
		}
	}
	_, err = d.Token()
	if errors.Is(err, io.EOF) {
		return errors.New("it ends too early")
	}
	return err
}

func memberName(d *json.Decoder, seen map[string]bool, path string) (string, error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	name, _ := token.(string)
	if seen[name] {
		return "", fmt.Errorf("%q stands there twice", join(path, name))
	}
	seen[name] = true
	return name, nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (o *object) fail(name, problem string) {
	*o.wrong = append(*o.wrong, wrong{join(o.path, name), problem})
}

// take gives a member; null counts as absent.
func (o *object) take(name string) (json.RawMessage, bool) {
	o.taken = append(o.taken, name)
	raw, ok := o.members[name]
	return raw, ok && string(raw) != "null"
}

// need is take for a member that must be there.
func (o *object) need(name string) (json.RawMessage, bool) {
	raw, ok := o.take(name)
	if !ok {
		o.fail(name, "is missing")
	}
	return raw, ok
}

func (o *object) decode(name, what string, raw json.RawMessage, into any) bool {
	err := json.Unmarshal(raw, into)
	if err != nil {
		o.fail(name, "must be "+what)
	}
	return err == nil
}

// text gives a member that must be there and not empty.
func (o *object) text(name string) (s string) {
	if raw, ok := o.need(name); ok && o.decode(name, "a text in double quotes", raw, &s) && s == "" {
		o.fail(name, "is empty")
	}
	return s
}

// amount gives a sum of money; as a number it would have passed through a float somewhere.
func (o *object) amount(name string) (s string) {
	if raw, ok := o.need(name); ok {
		o.decode(name, `a text in major units such as "1250.50", not a number`, raw, &s)
	}
	return s
}

func (o *object) optionalText(name string) (s string) {
	if raw, ok := o.take(name); ok {
		o.decode(name, "a text in double quotes", raw, &s)
	}
	return s
}

func (o *object) flag(name string) (b bool) {
	if raw, ok := o.take(name); ok {
		o.decode(name, "true or false", raw, &b)
	}
	return b
}

func (o *object) instant(name string) *time.Time {
	raw, ok := o.take(name)
	if !ok {
		return nil
	}
	var t time.Time
	if !o.decode(name, `an instant such as "2031-03-07T09:15:00+08:00"`, raw, &t) {
		return nil
	}
	return &t
}

// anyObject gives an object of the caller's own, unread.
func (o *object) anyObject(name string) json.RawMessage {
	raw, ok := o.take(name)
	if ok && raw[0] != '{' {
		o.fail(name, "must be an object")
	}
	return raw
}

// refs gives a list of the gateway's ids.
func (o *object) refs(name string) []app.Ref {
	raw, ok := o.take(name)
	if !ok {
		return nil
	}
	var list []json.RawMessage
	if !o.decode(name, `a list such as [{"kind":"payment","id":"pay_1"}]`, raw, &list) {
		return nil
	}
	refs := make([]app.Ref, 0, len(list))
	for i, raw := range list {
		at := fmt.Sprintf("%s[%d]", name, i)
		child := &object{path: join(o.path, at), wrong: o.wrong}
		if !o.decode(at, `an object with "kind" and "id"`, raw, &child.members) {
			continue
		}
		refs = append(refs, app.Ref{Kind: child.text("kind"), ID: child.text("id")})
		child.unknown()
	}
	return refs
}

// unknown reports the members that nobody took.
func (o *object) unknown() {
	for _, name := range slices.Sorted(maps.Keys(o.members)) {
		if !slices.Contains(o.taken, name) {
			o.fail(name, "is not known; known: "+strings.Join(o.taken, ", "))
		}
	}
}

// done gives everything that was wrong as one error.
func (o *object) done() error {
	o.unknown()
	if len(*o.wrong) == 0 {
		return nil
	}
	texts := make([]string, len(*o.wrong))
	for i, w := range *o.wrong {
		texts[i] = fmt.Sprintf("%q %s", w.Field, w.Problem)
	}
	f := invalid("invalid_body", "The body is not as it should be: "+strings.Join(texts, "; ")+".")
	f.fields = map[string]any{"errors": *o.wrong}
	return f
}
