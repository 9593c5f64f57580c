package gateway

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Question is a payment that the gateway is asked about.
type Question struct {
	PaymentID   string
	MerchantRef string
	OrderRef    string // the merchant's order; gateways may be told it instead
	Attempt     string // set: only this attempt at the reference is meant
	Currency    string
	Amount      int64 // minor units
	Refs        []Ref
	CreatedMs   int64 // UTC, milliseconds

	asked string // the reference that an answer was asked by
}

// The classes of answers. ClassNotAsked: no step had the reference that it needs.
const (
	ClassAnswered   = "answered"
	ClassNotFound   = "not_found"
	ClassUnreadable = "unreadable"
	ClassTimeout    = "timeout"
	ClassRefused    = "refused"
	ClassThrottled  = "throttled"
	ClassFailing    = "failing"
	ClassNotAsked   = "not_asked"
)

// Answer is what came of one question, raw; ReadAnswer decodes it.
type Answer struct {
	Class      string
	AskedAt    time.Time
	Status     int
	RetryAfter time.Duration
	Header     http.Header
	Raw        []byte
	Step       int    // which step of the definition was answered
	Asked      string // the reference that it asked by
	ServerDate time.Time
	Detail     string // plain words for the operator
}

// maxAnswer bounds the body of an answer, in bytes.
const maxAnswer = 4 << 20

// Queryable tells whether the gateway can be asked with the credentials at hand.
func (g *Gateway) Queryable() bool { return g.query != nil && g.query.ready }

// CanAsk tells whether any step has the reference that it needs.
func (g *Gateway) CanAsk(q Question) bool {
	if !g.Queryable() {
		return false
	}
	for i := range g.query.steps {
		if _, ok := g.query.steps[i].id(q); ok {
			return true
		}
	}
	return false
}

// Variants gives a question for each id of the kind that is asked by: a payment may have several, and the answer about
// one of them alone says nothing about the others.
func (g *Gateway) Variants(q Question) []Question {
	if !g.Queryable() {
		return []Question{q}
	}
	for i := range g.query.steps {
		s := &g.query.steps[i]
		if _, ok := s.id(q); !ok {
			continue
		}
		if s.byRef == "" {
			break
		}
		var all []Question
		for _, r := range q.Refs {
			if r.Kind == s.byRef {
				one := q
				one.Refs = append([]Ref{r}, q.Refs...)
				all = append(all, one)
			}
		}
		return all
	}
	return []Question{q}
}

// Query asks the gateway about a payment. Whatever happens is a class, never an error.
func (g *Gateway) Query(ctx context.Context, c *http.Client, q Question, now func() time.Time) Answer {
	a := Answer{Class: ClassNotAsked, AskedAt: now(), Step: -1, Detail: "the payment has no reference that this gateway can be asked by"}
	if !g.Queryable() {
		a.Detail = "this gateway cannot be asked: it has no query, or its key is not configured"
		return a
	}
	for i := range g.query.steps {
		s := &g.query.steps[i]
		if _, ok := s.id(q); !ok || a.Class == ClassNotFound && !g.query.steps[a.Step].next {
			continue
		}
		a = g.ask(ctx, c, i, q, now)
		if a.Class != ClassNotFound {
			return a
		}
	}
	return a
}

func (g *Gateway) ask(ctx context.Context, c *http.Client, i int, q Question, now func() time.Time) Answer {
	a := Answer{AskedAt: now(), Step: i}
	a.Asked, _ = g.query.steps[i].id(q)
	ctx, cancel := context.WithTimeout(ctx, g.query.timeout)
	defer cancel()
	req, err := g.query.request(ctx, g, i, q)
	if err != nil {
		a.Class, a.Detail = ClassNotAsked, err.Error()
		return a
	}
	client := *c
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		a.Class, a.Detail = failureClass(err)
		return a
	}
	defer resp.Body.Close()
	a.Status, a.Header = resp.StatusCode, resp.Header
	a.ServerDate, _ = http.ParseTime(resp.Header.Get("Date"))
	a.RetryAfter = RetryAfter(resp.Header.Get("Retry-After"), now())
	a.Raw, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		a.Class, a.Detail = failureClass(err)
	case err != nil || len(a.Raw) > maxAnswer:
		a.Class, a.Detail = ClassUnreadable, "the answer was cut off"
	default:
		a.Class, a.Detail, _ = g.classify(q, a)
	}
	return a
}

func failureClass(err error) (class, detail string) {
	var ne net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.As(err, &ne) && ne.Timeout() {
		return ClassTimeout, "the gateway did not answer in time"
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return ClassFailing, "the gateway cannot be reached: " + err.Error()
}

// maxRetryAfter bounds what a gateway may ask for, so that no slip silences it for good.
const maxRetryAfter = 24 * time.Hour

// RetryAfter reads the header of that name, seconds or an HTTP date, as a wait of at most a day; 0 when it is neither.
func RetryAfter(s string, now time.Time) time.Duration {
	var wait time.Duration
	if n, ok := wholeNumber(strings.TrimSpace(s)); ok {
		wait = time.Duration(min(n, int64(maxRetryAfter/time.Second))) * time.Second
	} else if t, err := http.ParseTime(s); err == nil {
		wait = t.Sub(now)
	}
	return max(0, min(wait, maxRetryAfter))
}

// request builds the question of a step.
func (q *query) request(ctx context.Context, g *Gateway, i int, about Question) (*http.Request, error) {
	s := &q.steps[i]
	id, _ := s.id(about)
	a := &asking{g: g, q: about, id: id, key: q.key, secret: q.secret}
	target := q.base + s.path.ask(a, escapePath)
	if query := encodePairs(s.params, a); query != "" {
		target += "?" + query
	}
	var body io.Reader
	switch {
	case len(s.form) > 0:
		body = strings.NewReader(encodePairs(s.form, a))
	case len(s.body.parts) > 0:
		body = strings.NewReader(s.body.ask(a, escapeJSON))
	}
	req, err := http.NewRequestWithContext(ctx, s.method, target, body)
	if err != nil {
		return nil, errors.New("the question cannot be written: the address is not valid")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "nodrop")
	if body != nil {
		req.Header.Set("Content-Type", s.contentType)
	}
	for _, list := range [][]pair{q.headers, s.headers} {
		for _, h := range list {
			req.Header.Set(h.name, h.value.ask(a, escapeHeader))
		}
	}
	q.authorise(req, a)
	return req, nil
}

func (q *query) authorise(req *http.Request, a *asking) {
	switch q.auth.Kind {
	case "basic":
		both := q.user.ask(a, escapeNone) + ":" + q.password.ask(a, escapeNone)
		req.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(both)))
	case "bearer":
		req.Header.Set("Authorization", "Bearer "+q.token.ask(a, escapeHeader))
	case "header":
		req.Header.Set(q.auth.Header, q.token.ask(a, escapeHeader))
	}
}

// asking is what the templates of a question are filled from.
type asking struct {
	g           *Gateway
	q           Question
	id          string
	key, secret string
}

// ask fills a template, escaping what is filled in and nothing else.
func (t *template) ask(a *asking, escape func(string) string) string {
	var b strings.Builder
	for i := range t.parts {
		p := &t.parts[i]
		if p.op == opLiteral {
			b.WriteString(p.text)
			continue
		}
		b.WriteString(escape(a.fill(p.op)))
	}
	return b.String()
}

func (a *asking) fill(o op) string {
	switch o {
	case opID:
		return a.id
	case opMerchantRef:
		return a.q.MerchantRef
	case opCurrency:
		return a.q.Currency
	case opAmountMinor:
		return strconv.FormatInt(a.q.Amount, 10)
	case opAccount:
		return a.g.account
	case opAPIKey:
		return a.key
	case opAPISecret:
		return a.secret
	}
	return ""
}

func encodePairs(list []pair, a *asking) string {
	var b strings.Builder
	for i, p := range list {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(p.name) + "=" + p.value.ask(a, url.QueryEscape))
	}
	return b.String()
}

func escapeNone(s string) string { return s }

// escapePath escapes one segment; a dot segment would lead to another address.
func escapePath(s string) string {
	if s == "." || s == ".." {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

func escapeJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

func escapeHeader(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}
