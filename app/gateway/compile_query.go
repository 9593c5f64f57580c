package gateway

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"maps"
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
	user, password, token phrase
	tokens                *tokens // of oauth2
	headers               pairs
	verify                *signature
	steps                 []step
	key, secret, serial   string
	publicKeyID           string // of the first key that answers are proved with, where it has one
	nonce                 func() string
	hidden                []string // secrets, longest first, that no message may show
}

type step struct {
	byRef       string // kind of the gateway ref; empty: by merchant reference
	method      string
	path        phrase
	params      pairs
	form        pairs
	encode      string
	body        phrase
	contentType string
	accept      string
	headers     pairs
	signer      *signer
	envelopes   []envelope
	success     guard
	list        path
	isList      bool
	newestLast  bool
	at          path
	shapes      []shape
	notFound    []predicate
	refused     []predicate
	throttled   []predicate
	failing     []predicate
	grace       time.Duration
	next        bool
}

// predicate is a compiled NotFoundSpec.
type predicate struct {
	status int
	when   guard
	empty  bool
}

// id returns the reference that a step asks by. One that would be no segment of an
// address is not asked by.
func (s *step) id(q Question) (string, bool) {
	if s.byRef == "" {
		return q.MerchantRef, !q.ByRef && q.MerchantRef != "" && q.MerchantRef != "." && q.MerchantRef != ".."
	}
	for _, r := range q.Refs {
		if r.Kind == s.byRef && r.ID != "" && r.ID != "." && r.ID != ".." {
			return r.ID, true
		}
	}
	return "", false
}

const (
	defaultQueryTimeout = 10 * time.Second
	jsonType            = "application/json"
	formType            = "application/x-www-form-urlencoded"
	xmlType             = "text/xml; charset=utf-8"
)

func (c *compiler) asking(s Spec) {
	if s.Query == nil {
		return
	}
	q := &query{base: c.in.BaseURL, timeout: time.Duration(s.Query.Timeout), auth: s.Query.Auth, key: c.in.APIKey, secret: c.in.APISecret, nonce: c.in.Nonce}
	c.g.query = q
	if q.timeout == 0 {
		q.timeout = defaultQueryTimeout
	}
	if q.nonce == nil {
		q.nonce = randomNonce
	}
	if q.serial = keySerial(c.in.PrivateKey); q.serial == "" {
		q.serial = c.in.APIKey
	}
	c.base(s.Query, q)
	c.auth(s.Query.Auth, q)
	q.headers = c.headers("query.headers", s.Query.Headers)
	c.steps(s.Query, q)
	c.verifying(s.Query.Verify, q)
	c.hide(q)
	c.readiness(s, q)
}

func randomNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func (c *compiler) base(s *QuerySpec, q *query) {
	for mode, address := range s.Base {
		c.oneOf(c.prefix+"query.base."+mode, mode, "test", "live")
		if !validBase(address) {
			c.add("query.base."+mode, quote(address)+" is no web address", "write https://host")
		} else if !strings.HasPrefix(address, "https://") && !strings.HasPrefix(address, "http://127.0.0.1:") {
			c.add("query.base."+mode, quote(address)+" would show keys and answers to anybody on the way", "write https://host; for a host of your own write base_url beside the preset")
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
	if !c.oneOf(c.prefix+"query.auth.kind", s.Kind, "none", "basic", "bearer", "header", "oauth2") {
		return
	}
	switch s.Kind {
	case "basic":
		q.user = c.phrase("query.auth.user", s.User, questionWords, false)
		q.password = c.phrase("query.auth.password", s.Password, questionWords, false)
	case "bearer":
		q.token = c.phrase("query.auth.token", s.Token, questionWords, false)
	case "header":
		q.token = c.phrase("query.auth.value", s.Value, questionWords, false)
		if !headerName(s.Header) {
			c.add("query.auth.header", "nothing says which header holds the key", `write header = "X-Api-Key"`)
		}
	case "oauth2":
		c.oauth(s, q)
	}
	if s.Kind == "basic" && s.User == "" || s.Kind == "bearer" && s.Token == "" || s.Kind == "header" && s.Value == "" {
		c.add("query.auth", "nothing says who asks", `write user, token or value, for example "{api_key}"`)
	}
}

func (c *compiler) steps(s *QuerySpec, q *query) {
	if len(s.Step) == 0 {
		c.add("query.step", "nothing says what to ask", `add [[query.step]] with path = "/v1/payments/{id}"`)
	}
	var shared *signer
	if s.Sign != nil {
		shared = c.signer("query.sign", *s.Sign)
	}
	for i, one := range s.Step {
		at := fmt.Sprintf("query.step[%d]", i)
		compiled := c.step(at, one)
		compiled.signer = shared
		if one.Sign != nil {
			compiled.signer = c.signer(at+".sign", *one.Sign)
		}
		c.circles(at, q, &compiled)
		q.steps = append(q.steps, compiled)
	}
	signs := s.Sign != nil || slices.ContainsFunc(s.Step, func(one StepSpec) bool { return one.Sign != nil })
	if signs && !q.uses(opSignature) {
		c.add("query.sign", "the signature stands nowhere in a question", "write {signature} where the gateway expects it")
	}
}

func (c *compiler) step(at string, s StepSpec) step {
	out := step{byRef: s.Ref, method: s.Method, contentType: s.ContentType, accept: s.Accept, grace: time.Duration(s.Grace), next: s.Next}
	c.oneOf(c.prefix+at+".by", s.By, "ref", "merchant_ref")
	if (s.By == "ref") != (s.Ref != "") {
		c.add(at+".ref", "it does not fit the way of asking", `write by = "ref" with ref = "kind", or by = "merchant_ref" alone`)
	}
	if s.Method == "" {
		out.method = http.MethodGet
	}
	if s.Accept == "" {
		out.accept = jsonType
	}
	c.oneOf(c.prefix+at+".method", out.method, http.MethodGet, http.MethodPost)
	if !strings.HasPrefix(s.Path, "/") || strings.ContainsAny(s.Path, "?#") {
		c.add(at+".path", quote(s.Path)+" is no path", `write path = "/v1/payments/{id}", and query parameters under query`)
	}
	out.path = c.phrase(at+".path", s.Path, questionWords, false)
	out.params, out.form = c.pairs(at+".query", s.Query), c.pairs(at+".form", s.Form)
	out.headers = c.headers(at+".headers", s.Headers)
	c.stepBody(at, s, &out)
	c.stepAnswer(at, s, &out)
	c.stepAsks(at, s)
	return out
}

// stepAsks wants a question to name what it asks about.
func (c *compiler) stepAsks(at string, s StepSpec) {
	said := []string{s.Path, s.Body}
	for _, m := range []map[string]string{s.Query, s.Form, s.Headers} {
		said = slices.AppendSeq(said, maps.Values(m))
	}
	for _, sign := range []*SignSpec{c.g.spec.Query.Sign, s.Sign} {
		if sign != nil {
			said = append(said, sign.Message)
		}
	}
	wanted := "{merchant_ref"
	if s.By == "ref" {
		wanted = "{id"
	}
	if !slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, wanted) }) {
		c.warn(c.prefix+at, "the question does not say what it is about, so that its answer can only be about every payment or none", "write "+wanted+"} into path, query, form or body")
	}
}

func (c *compiler) stepBody(at string, s StepSpec, out *step) {
	out.body = c.phrase(at+".body", s.Body, questionWords, true)
	if s.Body != "" && !out.body.isJSON() {
		c.add(at+".body", "it is no JSON object", `write for example body = '{"id":"{id}"}'`)
	}
	if len(s.Form) > 0 && s.Body != "" {
		c.add(at+".body", "a question has one body", "write form or body")
	}
	if out.method == http.MethodGet && (len(s.Form) > 0 || s.Body != "") {
		c.add(at+".method", "a GET has no body", `write method = "POST"`)
	}
	types := map[string]string{"form": formType, "json": jsonType, "xml": xmlType}
	switch out.encode = s.Encode; {
	case len(s.Form) == 0 && s.Encode != "":
		c.add(at+".encode", "there is no form to write", "write form, or leave encode out")
	case len(s.Form) == 0:
		out.encode = "json"
	case s.Encode == "":
		out.encode = "form"
	}
	c.oneOf(c.prefix+at+".encode", out.encode, "form", "json", "xml")
	for _, name := range sortedKeys(s.Form) {
		if out.encode == "xml" && !xmlName(name) {
			c.add(at+".form."+name, quote(name)+" is no name of an XML element", "write letters, digits and _")
		}
	}
	if s.ContentType == "" {
		out.contentType = types[out.encode]
	}
}

func xmlName(s string) bool {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '-' && r != '.' && (r < '0' || r > '9')) {
			return false
		}
	}
	return s != ""
}

func (c *compiler) stepAnswer(at string, s StepSpec, out *step) {
	out.envelopes = c.envelopes(at+".envelope", s.Envelope, c.answerProofs())
	out.success = c.guard(at+".success", s.Success, false)
	out.isList, out.at = s.List != "", c.path(at+".at", s.At)
	if s.List != "." {
		out.list = c.path(at+".list", s.List)
	}
	if s.Pick == "" {
		s.Pick = "newest_first"
	}
	c.oneOf(c.prefix+at+".pick", s.Pick, "newest_first", "oldest_first")
	out.newestLast = s.Pick == "oldest_first"
	out.shapes = c.g.shapes
	if len(s.Shape) > 0 {
		out.shapes = c.shapes(at+".shape", s.Shape, c.g.spec.Fields)
	}
	out.notFound = c.predicates(at+".not_found", s.NotFound)
	out.refused = c.predicates(at+".refused", s.Refused)
	out.throttled = c.predicates(at+".throttled", s.Throttled)
	out.failing = c.predicates(at+".failing", s.Failing)
}

func (c *compiler) predicates(at string, list []NotFoundSpec) []predicate {
	var out []predicate
	for i, n := range list {
		where := fmt.Sprintf("%s[%d]", at, i)
		if n.Status == 0 && len(n.When) == 0 && !n.Empty {
			c.add(where, "it holds for every answer", "write status, when or empty = true")
		}
		switch n.Status {
		case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests:
			c.add(where+".status", "this status means that the key or the rate is refused", "leave it out: it is known")
		}
		out = append(out, predicate{status: n.Status, when: c.guard(where+".when", n.When, false), empty: n.Empty})
	}
	return out
}

func (c *compiler) pairs(at string, m map[string]string) pairs {
	var out pairs
	for _, name := range sortedKeys(m) {
		out = append(out, pair{name: name, value: c.phrase(at+"."+name, m[name], questionWords, false)})
	}
	return out
}

func (c *compiler) headers(at string, m map[string]string) pairs {
	for _, name := range sortedKeys(m) {
		if !headerName(name) {
			c.add(at+"."+name, quote(name)+" is no name of a header", `write for example "X-Api-Version"`)
		}
	}
	return c.pairs(at, m)
}

func headerName(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t:") && plainHeader(s)
}
