package gateway

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const oauthQuery = `timeout = "5s"
auth = { kind = "oauth2", token_path = "/v1/oauth2/token", user = "{api_key}", password = "{api_secret}" }
[[query.step]]
by = "merchant_ref"
path = "/v2/orders/{merchant_ref}"
`

// tokenServer gives the tokens T1, T2, … and takes those that accept says it does.
type tokenServer struct {
	*simulated
	given  atomic.Int32
	answer func(w http.ResponseWriter, r *http.Request) // of the token endpoint, instead
	accept func(token string) bool
}

func tokens3600(t *testing.T) *tokenServer {
	s := &tokenServer{accept: func(string) bool { return true }}
	s.simulated = simulate(t, func(w http.ResponseWriter, r *http.Request) {
		switch token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); {
		case r.URL.Path == "/v1/oauth2/token" && s.answer != nil:
			s.answer(w, r)
		case r.URL.Path == "/v1/oauth2/token":
			canned(200, `{"access_token":"T`+itoa(int(s.given.Add(1)))+`","token_type":"Bearer","expires_in":3600}`)(w, r)
		case s.accept(token):
			canned(200, `{"ref":"R-1","status":"PAID","amount":"5","currency":"JPY"}`)(w, r)
		default:
			canned(401, `{"error":"invalid_token"}`)(w, r)
		}
	})
	return s
}

func (s *tokenServer) gateway(t *testing.T, definition string) *Gateway {
	in := customInstance(t, questions(definition), "whs")
	in.APIKey, in.APISecret, in.BaseURL = "client", "s3cr3t/+", s.URL
	return mustNew(t, in)
}

var r1 = Question{MerchantRef: "R-1"}

func at(seconds int) func() time.Time {
	return func() time.Time { return arrival.Add(time.Duration(seconds) * time.Second) }
}

func TestTokenIsAskedForAndKept(t *testing.T) {
	s := tokens3600(t)
	g := s.gateway(t, oauthQuery)
	for _, now := range []func() time.Time{at(0), at(3539), at(3540)} {
		if a := g.Query(context.Background(), http.DefaultClient, r1, now); a.Class != ClassAnswered {
			t.Fatalf("%s (%s)", a.Class, a.Detail)
		}
	}
	question := func(token string) string {
		return "GET /v2/orders/R-1 HTTP/1.1\r\nHost: gateway.test\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer " + token + "\r\nUser-Agent: nodrop\r\n\r\n"
	}
	// "client:s3cr3t/+" in base64.
	token := "POST /v1/oauth2/token HTTP/1.1\r\nHost: gateway.test\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nAuthorization: Basic Y2xpZW50OnMzY3IzdC8r\r\n" +
		"Content-Length: 29\r\nContent-Type: application/x-www-form-urlencoded\r\nUser-Agent: nodrop\r\n\r\ngrant_type=client_credentials"
	want := []string{token, question("T1"), question("T1"), token, question("T2")}
	if len(s.asked) != len(want) {
		t.Fatalf("%d requests, want %d", len(s.asked), len(want))
	}
	for i := range want {
		if s.asked[i] != want[i] {
			t.Errorf("request %d\n%q, want\n%q", i, s.asked[i], want[i])
		}
	}
}

func TestTokenWithCredentialsInTheForm(t *testing.T) {
	s := tokens3600(t)
	g := s.gateway(t, strings.Replace(oauthQuery, `user = "{api_key}", password = "{api_secret}"`, `form = { client_id = "{api_key}", client_secret = "{api_secret}", grant_type = "client_credentials" }`, 1))
	if a := g.Query(context.Background(), http.DefaultClient, r1, fixed); a.Class != ClassAnswered {
		t.Fatalf("%s (%s)", a.Class, a.Detail)
	}
	if !strings.HasSuffix(s.asked[0], "\r\n\r\nclient_id=client&client_secret=s3cr3t%2F%2B&grant_type=client_credentials") || strings.Contains(s.asked[0], "Authorization") {
		t.Errorf("%q", s.asked[0])
	}
}

func TestRefusedTokenIsAskedForAnewOnce(t *testing.T) {
	s := tokens3600(t)
	g := s.gateway(t, oauthQuery)
	s.accept = func(token string) bool { return token != "T1" }
	if a := g.Query(context.Background(), http.DefaultClient, r1, fixed); a.Class != ClassAnswered || s.given.Load() != 2 || len(s.asked) != 4 {
		t.Errorf("%s after %d tokens and %d requests", a.Class, s.given.Load(), len(s.asked))
	}
	s.accept = func(string) bool { return false }
	if a := g.Query(context.Background(), http.DefaultClient, r1, fixed); a.Class != ClassRefused || s.given.Load() != 3 || len(s.asked) != 7 {
		t.Errorf("%s after %d tokens and %d requests", a.Class, s.given.Load(), len(s.asked))
	}
}

func TestTokenOfUnknownLifeServesOneQuestion(t *testing.T) {
	s := tokens3600(t)
	s.answer = func(w http.ResponseWriter, r *http.Request) {
		canned(200, `{"access_token":"X`+itoa(int(s.given.Add(1)))+`"}`)(w, r)
	}
	g := s.gateway(t, oauthQuery)
	for range 2 {
		if a := g.Query(context.Background(), http.DefaultClient, r1, fixed); a.Class != ClassAnswered {
			t.Fatalf("%s (%s)", a.Class, a.Detail)
		}
	}
	if s.given.Load() != 2 {
		t.Errorf("%d tokens", s.given.Load())
	}
}

func TestOneTokenIsFetchedForManyQuestions(t *testing.T) {
	var given, put atomic.Int32
	begun, release := make(chan struct{}), make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/oauth2/token", func(w http.ResponseWriter, _ *http.Request) {
		if given.Add(1) == 1 {
			close(begun)
		}
		<-release
		canned(200, `{"access_token":"T","expires_in":"3600"}`)(w, nil)
	})
	mux.HandleFunc("/v2/orders/R-1", func(w http.ResponseWriter, _ *http.Request) {
		put.Add(1)
		canned(200, `{"ref":"R-1","status":"PAID","amount":"5","currency":"JPY"}`)(w, nil)
	})
	s := serve(t, mux)
	g := (&tokenServer{simulated: s}).gateway(t, oauthQuery)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { g.Query(context.Background(), http.DefaultClient, r1, fixed) })
	}
	<-begun
	close(release)
	all.Wait()
	if given.Load() != 1 || put.Load() != 8 {
		t.Errorf("%d tokens for %d questions", given.Load(), put.Load())
	}
}

func TestWithoutATokenTheClassSaysWhy(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		class  string
		wait   time.Duration
	}{
		"401":            {canned(401, `{"error":"invalid_client"}`), ClassRefused, 0},
		"403":            {canned(403, ``), ClassRefused, 0},
		"400 client":     {canned(400, `{"error":"invalid_client"}`), ClassRefused, 0},
		"400 otherwise":  {canned(400, `{"error":"invalid_request"}`), ClassFailing, 0},
		"429":            {canned(429, ``, "Retry-After", "30"), ClassThrottled, 30 * time.Second},
		"503":            {canned(503, ``, "Retry-After", "7"), ClassFailing, 7 * time.Second},
		"HTML":           {canned(200, `<html>`), ClassFailing, 0},
		"no token":       {canned(200, `{"expires_in":3600}`), ClassFailing, 0},
		"empty token":    {canned(200, `{"access_token":"","expires_in":3600}`), ClassFailing, 0},
		"redirect":       {canned(302, ``, "Location", "/elsewhere"), ClassFailing, 0},
		"other type":     {canned(200, `{"access_token":7}`), ClassFailing, 0},
		"token of words": {canned(200, `{"access_token":"T","expires_in":"soon"}`), ClassFailing, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := tokens3600(t)
			s.answer = c.answer
			g := s.gateway(t, oauthQuery)
			a := g.Query(context.Background(), http.DefaultClient, r1, fixed)
			if a.Class != c.class || a.RetryAfter != c.wait || a.Detail == "" || !a.AskedAt.Equal(arrival) || a.Asked != "R-1" || len(s.asked) != 1 {
				t.Errorf("%+v after %d requests, want %s", a, len(s.asked), c.class)
			}
			if rd := g.ReadAnswer(r1, a); len(rd.Observations) != 0 || rd.Reason != c.class {
				t.Errorf("%+v", rd)
			}
		})
	}
}

func TestTokenThatDoesNotCome(t *testing.T) {
	s := tokens3600(t)
	var calls atomic.Int32
	s.answer = func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			<-r.Context().Done()
			return
		}
		canned(200, `{"access_token":"T","expires_in":3600}`)(w, r)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	g := s.gateway(t, oauthQuery)
	if a := g.Query(ctx, http.DefaultClient, r1, fixed); a.Class != ClassTimeout {
		t.Errorf("%s (%s)", a.Class, a.Detail)
	}
	if a := g.Query(context.Background(), http.DefaultClient, r1, fixed); a.Class != ClassAnswered {
		t.Errorf("afterwards: %s (%s)", a.Class, a.Detail)
	}
}
