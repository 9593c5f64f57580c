package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// tokens keeps the access token of oauth2 (RFC 6749, section 4.4) in memory. The channel
// holds it: who has taken it may fetch, and the others wait.
type tokens struct {
	kept           chan kept
	path           string
	user, password phrase
	form           pairs
}

type kept struct {
	token string
	until time.Time
}

const (
	tokenMargin    = 60 * time.Second // a token is not used to its last moment
	maxTokenAnswer = 1 << 16          // bytes
)

func newTokens() *tokens {
	t := &tokens{kept: make(chan kept, 1)}
	t.kept <- kept{}
	return t
}

// get returns the token at hand or a new one; without one, the answer says why.
func (t *tokens) get(ctx context.Context, c *http.Client, g *Gateway, now func() time.Time) (string, *Answer) {
	var have kept
	select {
	case have = <-t.kept:
	case <-ctx.Done():
		class, detail := failureClass(ctx.Err())
		return "", &Answer{Class: class, Detail: detail}
	}
	defer func() { t.kept <- have }()
	at := now()
	if have.token != "" && at.Before(have.until) {
		return have.token, nil
	}
	have = kept{}
	token, lives, failed := t.fetch(ctx, c, g, at)
	if failed == nil {
		have = kept{token: token, until: at.Add(lives - tokenMargin)}
	}
	return token, failed
}

// drop forgets a token that the gateway did not take.
func (t *tokens) drop(ctx context.Context, token string) {
	select {
	case have := <-t.kept:
		if have.token == token {
			have = kept{}
		}
		t.kept <- have
	case <-ctx.Done():
	}
}

func (t *tokens) fetch(ctx context.Context, c *http.Client, g *Gateway, at time.Time) (token string, lives time.Duration, failed *Answer) {
	req, err := t.request(ctx, g, at)
	if err != nil {
		return "", 0, &Answer{Class: ClassNotAsked, Detail: err.Error()}
	}
	resp, err := c.Do(req)
	if err != nil {
		class, detail := failureClass(err)
		return "", 0, &Answer{Class: class, Detail: g.query.conceal(detail)}
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxTokenAnswer))
	if err != nil {
		class, detail := failureClass(err)
		return "", 0, &Answer{Class: class, Detail: g.query.conceal(detail)}
	}
	var said tokenAnswer
	readable := json.Unmarshal(raw, &said) == nil
	if resp.StatusCode == http.StatusOK && readable && said.AccessToken != "" {
		return said.AccessToken, said.lives(), nil
	}
	return "", 0, tokenFailure(resp, said.Error, at)
}

type tokenAnswer struct {
	AccessToken string      `json:"access_token"`
	ExpiresIn   json.Number `json:"expires_in"`
	Error       string      `json:"error"`
}

// lives is how long a token may be used: one that does not say so serves one question.
func (t *tokenAnswer) lives() time.Duration {
	seconds, err := t.ExpiresIn.Int64()
	if err != nil {
		return 0
	}
	return time.Duration(min(max(seconds, 0), int64(maxRetryAfter/time.Second))) * time.Second
}

// tokenFailure sorts an answer that brought no token. It says nothing about any payment.
func tokenFailure(resp *http.Response, word string, at time.Time) *Answer {
	a := &Answer{Status: resp.StatusCode, Header: resp.Header, Class: ClassFailing, Detail: "the gateway gave no access token: it answered " + itoa(resp.StatusCode)}
	a.RetryAfter = waitAsked(resp, at)
	refusals := []string{"invalid_client", "unauthorized_client", "invalid_grant"}
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusBadRequest && slices.Contains(refusals, word):
		a.Class, a.Detail = ClassRefused, "the gateway refused our key when asked for an access token: check api_key, api_secret and the mode"
	case resp.StatusCode == http.StatusTooManyRequests:
		a.Class, a.Detail = ClassThrottled, throttledDetail
	}
	return a
}

func (t *tokens) request(ctx context.Context, g *Gateway, at time.Time) (*http.Request, error) {
	a := g.asking(-1, Question{}, at)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.query.base+t.path, strings.NewReader(encodeForm(t.form.fields(a))))
	if err != nil {
		return nil, errors.New("an access token cannot be asked for: the address is not valid")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "nodrop")
	req.Header.Set("Content-Type", formType)
	if len(t.user) > 0 {
		req.SetBasicAuth(t.user.fill(a, escapeNone), t.password.fill(a, escapeNone))
	}
	return req, a.err
}

func (c *compiler) oauth(s AuthSpec, q *query) {
	t := newTokens()
	q.tokens = t
	if !strings.HasPrefix(s.TokenPath, "/") {
		c.add("query.auth.token_path", quote(s.TokenPath)+" is no path", `write token_path = "/v1/oauth2/token"`)
	}
	t.path = s.TokenPath
	t.user = c.phrase("query.auth.user", s.User, credentialWords, false)
	t.password = c.phrase("query.auth.password", s.Password, credentialWords, false)
	if len(s.Form) == 0 {
		s.Form = map[string]string{"grant_type": "client_credentials"}
	}
	for _, name := range sortedKeys(s.Form) {
		t.form = append(t.form, pair{name: name, value: c.phrase("query.auth.form."+name, s.Form[name], credentialWords, false)})
	}
	if s.User == "" && !t.form.uses(opAPIKey) && !t.form.uses(opAPISecret) {
		c.add("query.auth.user", "nothing says who asks for a token", `write user = "{api_key}" and password = "{api_secret}"`)
	}
}
