package gateway

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
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
	ByRef       bool  // by the gateway's ids only

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

// ask puts the question of one step. A token that the gateway did not take is fetched anew, once.
func (g *Gateway) ask(ctx context.Context, c *http.Client, i int, q Question, now func() time.Time) Answer {
	a := Answer{AskedAt: now(), Step: i}
	a.Asked, _ = g.query.steps[i].id(q)
	ctx, cancel := context.WithTimeout(ctx, g.query.timeout)
	defer cancel()
	client := *c
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for again := false; ; again = true {
		asking := g.asking(i, q, now())
		if g.query.tokens != nil {
			token, failed := g.query.tokens.get(ctx, &client, g, now)
			if failed != nil {
				failed.AskedAt, failed.Step, failed.Asked = a.AskedAt, a.Step, a.Asked
				return *failed
			}
			asking.token = token
		}
		got := g.send(ctx, &client, asking, a, now)
		if got.Status != http.StatusUnauthorized || asking.token == "" || again {
			return got
		}
		g.query.tokens.drop(ctx, asking.token)
	}
}

func (g *Gateway) send(ctx context.Context, c *http.Client, asking *asking, a Answer, now func() time.Time) Answer {
	req, err := asking.request(ctx)
	if err != nil {
		a.Class, a.Detail = ClassNotAsked, g.query.conceal(err.Error())
		return a
	}
	resp, err := c.Do(req)
	if err != nil {
		a.Class, a.Detail = failureClass(err)
		a.Detail = g.query.conceal(a.Detail)
		return a
	}
	defer resp.Body.Close()
	a.Status, a.Header = resp.StatusCode, resp.Header
	a.ServerDate, _ = http.ParseTime(resp.Header.Get("Date"))
	a.RetryAfter = waitAsked(resp, now())
	a.Raw, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if a.Status >= 300 && a.Status <= 399 {
		// A redirect repeats our address, which may hold a password.
		a.Header.Del("Location")
		a.Raw = []byte(g.query.conceal(string(a.Raw)))
	}
	switch {
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		a.Class, a.Detail = failureClass(err)
		a.Detail = g.query.conceal(a.Detail)
	case err != nil || len(a.Raw) > maxAnswer:
		a.Class, a.Detail = ClassUnreadable, "the answer was cut off"
	default:
		a.Class, a.Detail, _ = g.sortOut(asking.about, a, &request{method: req.Method, target: req.URL.RequestURI()})
	}
	a.Raw = g.query.unechoed(a.Raw, req.Header.Get("Authorization"))
	return a
}

// echoLength is the shortest credential that is looked for in answers: a shorter one stands in them by chance.
const echoLength = 8

// unechoed takes our credentials out of an answer that repeats them, for it is stored and shown.
func (q *query) unechoed(raw []byte, authorization string) []byte {
	_, credential, _ := strings.Cut(authorization, " ")
	for _, h := range append([]string{credential}, q.hidden...) {
		if len(h) >= echoLength && bytes.Contains(raw, []byte(h)) {
			raw = bytes.ReplaceAll(raw, []byte(h), []byte("…"))
		}
	}
	return raw
}

func failureClass(err error) (class, detail string) {
	var ne net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.As(err, &ne) && ne.Timeout() {
		return ClassTimeout, "the gateway did not answer in time"
	}
	var ue *url.Error
	for errors.As(err, &ue) {
		err = ue.Err // the address may hold a password
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

// waitAsked is how long an answer asks to wait: by Retry-After, else, where it is throttled, by RateLimit-Reset, which
// holds seconds, a unix time or a date.
func waitAsked(resp *http.Response, now time.Time) time.Duration {
	if after := resp.Header.Get("Retry-After"); after != "" || resp.StatusCode != http.StatusTooManyRequests {
		return RetryAfter(after, now)
	}
	reset := strings.TrimSpace(resp.Header.Get("RateLimit-Reset"))
	if n, ok := wholeNumber(reset); ok && n > firstUnixReset {
		return max(0, min(time.Unix(n, 0).Sub(now), maxRetryAfter))
	}
	return RetryAfter(reset, now)
}

// firstUnixReset is where a RateLimit-Reset is no longer a number of seconds to wait but a unix time, in seconds.
const firstUnixReset = 1_000_000_000
