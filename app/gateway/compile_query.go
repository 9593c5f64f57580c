package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// query is a compiled QuerySpec.
type query struct {
	ready                 bool
	base                  string
	timeout               time.Duration
	auth                  AuthSpec
	user, password, token template
	headers               []pair
	steps                 []step
	key, secret           string
}

type pair struct {
	name  string
	value template
}

type step struct {
	byRef       string // kind of the gateway ref; empty: by merchant reference
	method      string
	path        template
	params      []pair
	form        []pair
	body        template
	contentType string
	headers     []pair
	envelopes   []envelope
	success     guard
	list        path
	isList      bool
	newestLast  bool
	at          path
	shapes      []shape
	notFound    []notFound
	grace       time.Duration
	next        bool
}

type notFound struct {
	status int
	when   guard
	empty  bool
}

// id returns the reference that a step asks by. One that would be no segment of an
// address is not asked by.
func (s *step) id(q Question) (string, bool) {
	if s.byRef == "" {
		return q.MerchantRef, q.MerchantRef != "" && q.MerchantRef != "." && q.MerchantRef != ".."
	}
	for _, r := range q.Refs {
		if r.Kind == s.byRef && r.ID != "" && r.ID != "." && r.ID != ".." {
			return r.ID, true
		}
	}
	return "", false
}

const defaultQueryTimeout = 10 * time.Second

func (c *compiler) asking(s Spec) {
	if s.Query == nil {
		return
	}
	q := &query{base: c.in.BaseURL, timeout: time.Duration(s.Query.Timeout), auth: s.Query.Auth, key: c.in.APIKey, secret: c.in.APISecret}
	c.g.query = q
	if q.timeout == 0 {
		q.timeout = defaultQueryTimeout
	}
	c.base(s.Query, q)
	c.auth(s.Query.Auth, q)
	q.headers = c.headers("query.headers", s.Query.Headers)
	if len(s.Query.Step) == 0 {
		c.add("query.step", "nothing says what to ask", `add [[query.step]] with path = "/v1/payments/{id}"`)
	}
	for i, one := range s.Query.Step {
		q.steps = append(q.steps, c.step(fmt.Sprintf("query.step[%d]", i), one))
	}
	q.ready = (c.in.APIKey != "" || !q.uses(opAPIKey)) && (c.in.APISecret != "" || !q.uses(opAPISecret)) && (c.in.Account != "" || !q.uses(opAccount))
}

func (c *compiler) base(s *QuerySpec, q *query) {
	for mode, address := range s.Base {
		c.oneOf(c.prefix+"query.base."+mode, mode, "test", "live")
		if !validBase(address) {
			c.add("query.base."+mode, quote(address)+" is no web address", "write https://host")
		}
	}
	if q.base == "" {
		q.base = s.Base[c.in.Mode]
	}
	if q.base == "" && (c.in.Mode == "test" || c.in.Mode == "live") {
		c.faults.add("base_url", "the definition has no address for the mode "+c.in.Mode, "write base_url, or [query.base] in the definition")
	}
	q.base = strings.TrimRight(q.base, "/")
}

func (c *compiler) auth(s AuthSpec, q *query) {
	if !c.oneOf(c.prefix+"query.auth.kind", s.Kind, "none", "basic", "bearer", "header") {
		return
	}
	switch s.Kind {
	case "basic":
		q.user = c.template("query.auth.user", s.User, askWords, false)
		q.password = c.template("query.auth.password", s.Password, askWords, false)
	case "bearer":
		q.token = c.template("query.auth.token", s.Token, askWords, false)
	case "header":
		q.token = c.template("query.auth.value", s.Value, askWords, false)
		if s.Header == "" {
			c.add("query.auth.header", "nothing says which header holds the key", `write header = "X-Api-Key"`)
		}
	}
	if s.Kind == "basic" && s.User == "" || s.Kind == "bearer" && s.Token == "" || s.Kind == "header" && s.Value == "" {
		c.add("query.auth", "nothing says who asks", `write user, token or value, for example "{api_key}"`)
	}
}

// uses tells whether any question holds a credential.
func (q *query) uses(o op) bool {
	all := []template{q.user, q.password, q.token}
	lists := [][]pair{q.headers}
	for i := range q.steps {
		s := &q.steps[i]
		all = append(all, s.path, s.body)
		lists = append(lists, s.params, s.form, s.headers)
	}
	for _, list := range lists {
		for _, p := range list {
			all = append(all, p.value)
		}
	}
	return slices.ContainsFunc(all, func(t template) bool { return t.uses(o) })
}

func (c *compiler) step(at string, s StepSpec) step {
	out := step{byRef: s.Ref, method: s.Method, contentType: s.ContentType, grace: time.Duration(s.Grace), next: s.Next}
	c.oneOf(c.prefix+at+".by", s.By, "ref", "merchant_ref")
	if (s.By == "ref") != (s.Ref != "") {
		c.add(at+".ref", "it does not fit the way of asking", `write by = "ref" with ref = "kind", or by = "merchant_ref" alone`)
	}
	if s.Method == "" {
		out.method = http.MethodGet
	}
	c.oneOf(c.prefix+at+".method", out.method, http.MethodGet, http.MethodPost)
	if !strings.HasPrefix(s.Path, "/") {
		c.add(at+".path", quote(s.Path)+" is no path", `write path = "/v1/payments/{id}"`)
	}
	out.path = c.template(at+".path", s.Path, askWords, false)
	out.params, out.form = c.pairs(at+".query", s.Query), c.pairs(at+".form", s.Form)
	out.body = c.template(at+".body", s.Body, askWords, true)
	out.headers = c.headers(at+".headers", s.Headers)
	c.stepBody(at, s, &out)
	c.stepAnswer(at, s, &out)
	return out
}

func (c *compiler) stepBody(at string, s StepSpec, out *step) {
	if len(s.Form) > 0 && s.Body != "" {
		c.add(at+".body", "a question has one body", "write form or body")
	}
	if out.method == http.MethodGet && (len(s.Form) > 0 || s.Body != "") {
		c.add(at+".method", "a GET has no body", `write method = "POST"`)
	}
	if s.ContentType != "" {
		return
	}
	out.contentType = "application/json"
	if len(s.Form) > 0 {
		out.contentType = "application/x-www-form-urlencoded"
	}
}

func (c *compiler) stepAnswer(at string, s StepSpec, out *step) {
	out.envelopes = c.envelopes(at+".envelope", s.Envelope)
	out.success = c.guard(at+".success", s.Success, false)
	out.list, out.isList, out.at = c.path(at+".list", s.List), s.List != "", c.path(at+".at", s.At)
	if s.Pick == "" {
		s.Pick = "newest_first"
	}
	c.oneOf(c.prefix+at+".pick", s.Pick, "newest_first", "oldest_first")
	out.newestLast = s.Pick == "oldest_first"
	out.shapes = c.g.shapes
	if len(s.Shape) > 0 {
		out.shapes = c.shapes(at+".shape", s.Shape, c.g.spec.Fields)
	}
	for i, n := range s.NotFound {
		where := fmt.Sprintf("%s.not_found[%d]", at, i)
		if n.Status == 0 && len(n.When) == 0 && !n.Empty {
			c.add(where, "it holds for every answer", "write status, when or empty = true")
		}
		switch n.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
			c.add(where+".status", "this status means that the key or the rate is refused", "write the status for a payment that does not exist")
		}
		out.notFound = append(out.notFound, notFound{status: n.Status, when: c.guard(where+".when", n.When, false), empty: n.Empty})
	}
}

func (c *compiler) pairs(at string, m map[string]string) []pair {
	var out []pair
	for _, name := range sortedKeys(m) {
		out = append(out, pair{name: name, value: c.template(at+"."+name, m[name], askWords, false)})
	}
	return out
}

func (c *compiler) headers(at string, m map[string]string) []pair {
	for _, name := range sortedKeys(m) {
		if name == "" || strings.ContainsAny(name, " \t:") || !plainHeader(name) {
			c.add(at+"."+name, quote(name)+" is no name of a header", `write for example "X-Api-Version"`)
		}
	}
	return c.pairs(at, m)
}
