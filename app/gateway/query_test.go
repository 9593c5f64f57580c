package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"nodrop/app/payment"
)

// simulated answers every question with one canned answer and keeps the question.
type simulated struct {
	*httptest.Server
	mu    sync.Mutex // of writing asked
	asked []string
}

func simulate(t testing.TB, answer func(w http.ResponseWriter, r *http.Request)) *simulated {
	s := &simulated{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := httputil.DumpRequest(r, true)
		s.mu.Lock()
		s.asked = append(s.asked, strings.Replace(string(raw), r.Host, "gateway.test", 1))
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func serve(t testing.TB, h http.Handler) *simulated {
	s := &simulated{Server: httptest.NewServer(h)}
	t.Cleanup(s.Close)
	return s
}

func canned(status int, body string, headers ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func fixed() time.Time { return arrival }

func asker(t testing.TB, preset string, s *simulated) *Gateway {
	return mustNew(t, Instance{Name: "g", Preset: preset, Mode: "test", APIKey: "sk_test_1", BaseURL: s.URL, Secrets: []Secret{{Value: "s"}}})
}

var (
	byID  = Question{PaymentID: "1-1", MerchantRef: "ORDER-1", Currency: "PHP", Amount: 125050, Refs: []Ref{{"payment", "sbx_1"}}, CreatedMs: 1930612500000 - 3600_000}
	byRef = Question{PaymentID: "1-1", MerchantRef: "ORDER-1", Currency: "PHP", Amount: 125050, CreatedMs: 1930612500000 - 30_000}
)

func sbx(id, reference, status string) string {
	return `{"id":"` + id + `","reference":"` + reference + `","status":"` + status + `","amount":"1250.50","currency":"PHP","account":"shop"}`
}

func TestSandboxAnswers(t *testing.T) {
	notFound := `{"error":"not_found"}`
	cases := map[string]struct {
		question Question
		answer   func(http.ResponseWriter, *http.Request)
		class    string
		word     payment.Word // "" where the answer says nothing
		reason   string
	}{
		"paid":             {byID, canned(200, sbx("sbx_1", "ORDER-1", "paid")), ClassAnswered, payment.WordSucceeded, ""},
		"waiting":          {byID, canned(200, sbx("sbx_1", "ORDER-1", "waiting")), ClassAnswered, payment.WordPending, ""},
		"failed":           {byID, canned(200, sbx("sbx_1", "ORDER-1", "failed")), ClassAnswered, payment.WordFailed, ""},
		"unmapped word":    {byID, canned(200, sbx("sbx_1", "ORDER-1", "on_hold")), ClassAnswered, payment.WordUnreadable, "unmapped_word"},
		"other payment":    {byID, canned(200, sbx("sbx_2", "ORDER-1", "paid")), ClassUnreadable, payment.WordUnreadable, "other_payment"},
		"not found, old":   {byID, canned(404, notFound), ClassNotFound, payment.WordNotFound, ""},
		"not found, young": {byRef, canned(404, notFound), ClassNotFound, payment.WordNotFound, "not_yet"},
		"404 of a proxy":   {byID, canned(404, "<html>404 page not found</html>"), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"404 of something": {byID, canned(404, `{"error":"no_such_route"}`), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"empty list":       {byRef, canned(200, `{"data":[]}`), ClassNotFound, payment.WordNotFound, "not_yet"},
		"list: paid before new": {byRef, canned(200, `{"data":[`+sbx("sbx_3", "ORDER-1", "waiting")+`,`+sbx("sbx_2", "ORDER-1", "paid")+`,`+sbx("sbx_1", "ORDER-1", "failed")+`]}`),
			ClassAnswered, payment.WordSucceeded, ""},
		"list: newest":         {byRef, canned(200, `{"data":[`+sbx("sbx_3", "ORDER-1", "waiting")+`,`+sbx("sbx_1", "ORDER-1", "failed")+`]}`), ClassAnswered, payment.WordPending, ""},
		"list of others":       {byRef, canned(200, `{"data":[`+sbx("sbx_3", "ORDER-11", "paid")+`]}`), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"list: one unreadable": {byRef, canned(200, `{"data":[`+sbx("sbx_3", "ORDER-1", "waiting")+`,{"id":"sbx_2","reference":"ORDER-1","status":"paid","amount":"12,5","currency":"PHP"}]}`), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"list missing":         {byRef, canned(200, `{"data":{}}`), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"refused":              {byID, canned(401, `{"error":"bad_key"}`), ClassRefused, "", "refused"},
		"forbidden":            {byID, canned(403, ``), ClassRefused, "", "refused"},
		"throttled":            {byID, canned(429, `slow down`), ClassThrottled, "", "throttled"},
		"failing":              {byID, canned(500, `oops`), ClassFailing, "", "failing"},
		"bad gateway":          {byID, canned(502, `<html>`), ClassFailing, "", "failing"},
		"HTML":                 {byID, canned(200, "<!doctype html><p>maintenance", "Content-Type", "text/html"), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"200 with error":       {byID, canned(200, `{"error":"internal"}`), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"redirect":             {byID, canned(302, "", "Location", "/elsewhere"), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"400":                  {byID, canned(400, `{"error":"bad"}`), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"empty":                {byID, canned(200, ""), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"null":                 {byID, canned(200, "null"), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"amount unreadable":    {byID, canned(200, strings.Replace(sbx("sbx_1", "ORDER-1", "paid"), `"1250.50"`, `"1250.505"`, 1)), ClassUnreadable, payment.WordUnreadable, "unreadable"},
		"byte order mark":      {byID, canned(200, "\ufeff"+sbx("sbx_1", "ORDER-1", "paid")), ClassAnswered, payment.WordSucceeded, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := asker(t, "sandbox", simulate(t, c.answer))
			a := g.Query(context.Background(), http.DefaultClient, c.question, fixed)
			if a.Class != c.class || !a.AskedAt.Equal(arrival) {
				t.Fatalf("class %s (%s) at %v, want %s", a.Class, a.Detail, a.AskedAt, c.class)
			}
			rd := g.ReadAnswer(c.question, Answer{Class: a.Class, AskedAt: a.AskedAt, Status: a.Status, Raw: a.Raw, Step: a.Step, Header: a.Header})
			if c.word == "" {
				if len(rd.Observations) != 0 || rd.Verdict != Ignored || rd.Reason != c.reason {
					t.Fatalf("%d observations, %s %s", len(rd.Observations), rd.Verdict, rd.Reason)
				}
				return
			}
			o := only(t, rd)
			if o.Word != c.word || o.Hint {
				t.Errorf("word %q, want %q; hint %v", o.Word, c.word, o.Hint)
			}
			if c.class != ClassUnreadable && rd.Reason != c.reason {
				t.Errorf("reason %q, want %q", rd.Reason, c.reason)
			}
		})
	}
}

func TestAnswerHoldsAmountRefsAndRefunds(t *testing.T) {
	body := strings.Replace(sbx("sbx_1", "ORDER-1", "paid"), `"account":"shop"`, `"account":"shop","refunds":[{"id":"re_1","status":"succeeded","amount":"100.00","currency":"PHP"},{"id":"re_2","status":"pending","amount":"1.00"}]`, 1)
	g := asker(t, "sandbox", simulate(t, canned(200, body)))
	rd := g.ReadAnswer(byID, g.Query(context.Background(), http.DefaultClient, byID, fixed))
	if rd.Verdict != Accepted || len(rd.Observations) != 3 {
		t.Fatalf("%s with %d observations", rd.Verdict, len(rd.Observations))
	}
	p, first, second := rd.Observations[0], rd.Observations[1], rd.Observations[2]
	if p.AmountMinor != 125050 || p.Currency != "PHP" || p.Refs[0] != (Ref{"payment", "sbx_1"}) || string(p.Item) != body {
		t.Errorf("payment %+v", p)
	}
	if first.Kind != KindRefund || first.RefundRef != "re_1" || first.Status != "succeeded" || first.AmountMinor != 10000 {
		t.Errorf("first refund %+v", first)
	}
	if second.RefundRef != "re_2" || second.Status != "pending" || second.AmountMinor != 100 || second.Currency != "PHP" {
		t.Errorf("second refund %+v", second)
	}
}

func TestSandboxQuestions(t *testing.T) {
	s := simulate(t, canned(404, `{"error":"not_found"}`))
	g := asker(t, "sandbox", s)
	g.Query(context.Background(), http.DefaultClient, byID, fixed)
	odd := byRef
	odd.MerchantRef = "A&B/1 é"
	g.Query(context.Background(), http.DefaultClient, odd, fixed)
	strange := Question{Refs: []Ref{{"payment", "a/../b?c"}}}
	g.Query(context.Background(), http.DefaultClient, strange, fixed)
	head := " HTTP/1.1\r\nHost: gateway.test\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer sk_test_1\r\nUser-Agent: nodrop\r\n\r\n"
	want := []string{"GET /v1/payments/sbx_1" + head, "GET /v1/payments?reference=A%26B%2F1+%C3%A9" + head, "GET /v1/payments/a%2F..%2Fb%3Fc" + head}
	if len(s.asked) != len(want) {
		t.Fatalf("%d questions, want %d", len(s.asked), len(want))
	}
	for i := range want {
		if s.asked[i] != want[i] {
			t.Errorf("question %d\n%q, want\n%q", i, s.asked[i], want[i])
		}
	}
}

func TestPayMongoQuestions(t *testing.T) {
	s := simulate(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/v1/payments/") {
			canned(200, `{"data":{"id":"pay_1","type":"payment","attributes":{"livemode":false,"amount":5000,"currency":"PHP","status":"paid","refunds":[{"id":"ref_1","amount":5000,"currency":"PHP","status":"succeeded"}]}}}`)(w, r)
			return
		}
		canned(404, `{"errors":[{"code":"resource_not_found","detail":"No such payment intent."}]}`)(w, r)
	})
	g := asker(t, "paymongo", s)
	q := Question{MerchantRef: "O-1", Refs: []Ref{{"payment", "pay_1"}, {"payment_intent", "pi_1"}}, CreatedMs: 1}
	a := g.Query(context.Background(), http.DefaultClient, q, fixed)
	if a.Class != ClassAnswered || a.Step != 1 {
		t.Fatalf("class %s at step %d (%s)", a.Class, a.Step, a.Detail)
	}
	rd := g.ReadAnswer(q, a)
	if len(rd.Observations) != 2 || rd.Observations[0].Word != payment.WordSucceeded || rd.Observations[1].Status != "succeeded" || rd.Observations[1].AmountMinor != 5000 {
		t.Fatalf("%+v", rd.Observations)
	}
	// Basic with "sk_test_1:" in base64.
	head := " HTTP/1.1\r\nHost: gateway.test\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nAuthorization: Basic c2tfdGVzdF8xOg==\r\nUser-Agent: nodrop\r\n\r\n"
	if len(s.asked) != 2 || s.asked[0] != "GET /v1/payment_intents/pi_1"+head || s.asked[1] != "GET /v1/payments/pay_1"+head {
		t.Errorf("asked %q", s.asked)
	}
	unknown := Question{MerchantRef: "O-1"}
	if a := g.Query(context.Background(), http.DefaultClient, unknown, fixed); a.Class != ClassNotAsked || g.CanAsk(unknown) || !g.CanAsk(q) {
		t.Errorf("class %s", a.Class)
	}
	if len(s.asked) != 2 {
		t.Errorf("asked %d times", len(s.asked))
	}
}

func TestPayMongoAnswers(t *testing.T) {
	intent := func(rest string) string {
		return `{"data":{"id":"pi_1","type":"payment_intent","attributes":{"livemode":false,"amount":5000,"currency":"PHP",` + rest + `}}}`
	}
	cases := map[string]struct {
		status int
		body   string
		class  string
		word   payment.Word
	}{
		"succeeded":    {200, intent(`"status":"succeeded"`), ClassAnswered, payment.WordSucceeded},
		"waiting":      {200, intent(`"status":"awaiting_payment_method"`), ClassAnswered, payment.WordPending},
		"one try over": {200, intent(`"status":"awaiting_payment_method","last_payment_error":{"failed_code":"x"}`), ClassAnswered, payment.WordAttemptFailed},
		"cancelled":    {200, intent(`"status":"cancelled"`), ClassAnswered, payment.WordCancelled},
		"live answer":  {200, strings.Replace(intent(`"status":"succeeded"`), `"livemode":false`, `"livemode":true`, 1), ClassUnreadable, payment.WordUnreadable},
		"not found":    {404, `{"errors":[{"code":"resource_not_found"}]}`, ClassNotFound, payment.WordNotFound},
		"404 HTML":     {404, `<html>`, ClassUnreadable, payment.WordUnreadable},
		"401":          {401, `{"errors":[{"code":"unauthorized"}]}`, ClassRefused, ""},
		"error in 200": {200, `{"errors":[{"code":"x"}]}`, ClassUnreadable, payment.WordUnreadable},
		"cut off":      {200, intent(`"status":"succeeded"`)[:60], ClassUnreadable, payment.WordUnreadable},
		"amount text":  {200, strings.Replace(intent(`"status":"succeeded"`), `5000`, `"5000"`, 1), ClassUnreadable, payment.WordUnreadable},
	}
	q := Question{Refs: []Ref{{"payment_intent", "pi_1"}}, CreatedMs: 1}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := asker(t, "paymongo", simulate(t, canned(c.status, c.body)))
			a := g.Query(context.Background(), http.DefaultClient, q, fixed)
			if a.Class != c.class {
				t.Fatalf("class %s (%s), want %s", a.Class, a.Detail, c.class)
			}
			rd := g.ReadAnswer(q, a)
			if c.word == "" && len(rd.Observations) != 0 || c.word != "" && only(t, rd).Word != c.word {
				t.Errorf("%+v, want %q", rd.Observations, c.word)
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	for header, want := range map[string]time.Duration{
		"120":                           120 * time.Second,
		"Fri, 07 Mar 2031 01:17:00 GMT": 2 * time.Minute,
		"Fri, 07 Mar 2031 01:14:00 GMT": 0,
		"":                              0,
		"soon":                          0,
		"-5":                            0,
		"99999999999":                   24 * time.Hour,
	} {
		g := asker(t, "sandbox", simulate(t, canned(429, "", "Retry-After", header)))
		a := g.Query(context.Background(), http.DefaultClient, byID, fixed)
		if a.Class != ClassThrottled || a.RetryAfter != want {
			t.Errorf("%q: %s %v, want %v", header, a.Class, a.RetryAfter, want)
		}
	}
	g := asker(t, "sandbox", simulate(t, canned(503, "", "Retry-After", "7", "Date", "Fri, 07 Mar 2031 01:14:58 GMT")))
	a := g.Query(context.Background(), http.DefaultClient, byID, fixed)
	if a.Class != ClassFailing || a.RetryAfter != 7*time.Second || !a.ServerDate.Equal(arrival.Add(-2*time.Second)) {
		t.Errorf("%s %v %v", a.Class, a.RetryAfter, a.ServerDate)
	}
}

func TestNoAnswer(t *testing.T) {
	hang := simulate(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	g := asker(t, "sandbox", hang)
	a := g.Query(ctx, http.DefaultClient, byID, fixed)
	if a.Class != ClassTimeout || len(g.ReadAnswer(byID, a).Observations) != 0 {
		t.Errorf("hanging: %s (%s)", a.Class, a.Detail)
	}
	cut := simulate(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		fmt.Fprint(buf, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n"+sbx("sbx_1", "ORDER-1", "paid"))
		buf.Flush()
		conn.Close()
	})
	g = asker(t, "sandbox", cut)
	a = g.Query(context.Background(), http.DefaultClient, byID, fixed)
	if a.Class != ClassUnreadable || only(t, g.ReadAnswer(byID, a)).Word != payment.WordUnreadable {
		t.Errorf("cut off: %s (%s)", a.Class, a.Detail)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	g = mustNew(t, Instance{Preset: "sandbox", Mode: "test", APIKey: "k", BaseURL: "http://" + l.Addr().String()})
	if a = g.Query(context.Background(), http.DefaultClient, byID, fixed); a.Class != ClassFailing {
		t.Errorf("nobody there: %s", a.Class)
	}
}

func TestNotAskedWithoutKey(t *testing.T) {
	g := mustNew(t, Instance{Preset: "paymongo", Mode: "live", Secrets: []Secret{{Value: "s"}}})
	if g.Queryable() || g.CanAsk(byID) {
		t.Error("queryable without a key")
	}
	if a := g.Query(context.Background(), http.DefaultClient, byID, fixed); a.Class != ClassNotAsked || a.Detail == "" {
		t.Errorf("class %s", a.Class)
	}
	if w := g.Warnings(); len(w) != 1 || w[0].Path != "api_key" {
		t.Errorf("warnings %v", w)
	}
}

const postQuery = signedJSON + `
[query]
base    = { live = "https://pay.example" }
auth    = { kind = "header", header = "X-Api-Key", value = "{api_key}" }
headers = { X-Version = "7" }

[[query.step]]
by      = "merchant_ref"
method  = "POST"
path    = "/status"
body    = '{"ref":"{merchant_ref}","account":"{account}"}'
success = { "result.ok" = "true" }
at      = "payment"
not_found = [{ when = { "result.code" = "NOPE" } }]
`

func TestPostedQuestionWithSuccessPredicate(t *testing.T) {
	answers := []string{`{"result":{"ok":true},"payment":{"ref":"A\"1","status":"PAID","amount":"5","currency":"JPY"}}`, `{"result":{"ok":false,"code":"NOPE"}}`, `{"result":{"ok":false}}`}
	n := -1
	s := simulate(t, func(w http.ResponseWriter, r *http.Request) { n++; canned(200, answers[n])(w, r) })
	in := customInstance(t, postQuery, "k1")
	in.APIKey, in.Account, in.BaseURL = "key 1", "shop", s.URL
	g := mustNew(t, in)
	q := Question{MerchantRef: `A"1`}
	for i, class := range []string{ClassAnswered, ClassNotFound, ClassUnreadable} {
		if a := g.Query(context.Background(), http.DefaultClient, q, fixed); a.Class != class {
			t.Errorf("answer %d: %s (%s), want %s", i, a.Class, a.Detail, class)
		}
	}
	want := "POST /status HTTP/1.1\r\nHost: gateway.test\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: 31\r\nContent-Type: application/json\r\nUser-Agent: nodrop\r\nX-Api-Key: key 1\r\nX-Version: 7\r\n\r\n" + `{"ref":"A\"1","account":"shop"}`
	if s.asked[0] != want {
		t.Errorf("asked\n%q, want\n%q", s.asked[0], want)
	}
}

// answers asks one question whose step is said, and gives the answer.
func answers(t *testing.T, step string, answer func(http.ResponseWriter, *http.Request)) (*Gateway, Answer) {
	t.Helper()
	s := simulate(t, answer)
	in := customInstance(t, questions("auth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/q\"\n"+step), "whs")
	in.BaseURL = s.URL
	g := mustNew(t, in)
	return g, g.Query(context.Background(), http.DefaultClient, r1, fixed)
}

const paidR1 = `{"ref":"R-1","status":"PAID","amount":"5","currency":"JPY"}`

func TestOtherWaysOfNotAnswering(t *testing.T) {
	step := `success = { "result" = "S" }
refused = [{ when = { code = "KEY" } }, { status = 400, when = { code = "KEY" } }]
throttled = [{ when = { code = "SLOW" } }]
failing = [{ when = { code = "DOWN" } }]
not_found = [{ when = { code = "NONE" } }]
`
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		class  string
	}{
		"refused":               {canned(200, `{"result":"F","code":"KEY"}`), ClassRefused},
		"refused with 400":      {canned(400, `{"result":"F","code":"KEY"}`), ClassRefused},
		"throttled":             {canned(200, `{"result":"F","code":"SLOW"}`), ClassThrottled},
		"throttled, other":      {canned(400, `{"result":"F","code":"SLOW"}`), ClassUnreadable},
		"failing":               {canned(200, `{"result":"F","code":"DOWN"}`), ClassFailing},
		"not found":             {canned(200, `{"result":"F","code":"NONE"}`), ClassNotFound},
		"something else":        {canned(200, `{"result":"F","code":"WHAT"}`), ClassUnreadable},
		"paid":                  {canned(200, strings.Replace(paidR1, "{", `{"result":"S",`, 1)), ClassAnswered},
		"paid, byte order mark": {canned(200, "\ufeff"+strings.Replace(paidR1, "{", `{"result":"S",`, 1)), ClassAnswered},
	} {
		t.Run(name, func(t *testing.T) {
			g, a := answers(t, step, c.answer)
			if a.Class != c.class {
				t.Fatalf("%s (%s), want %s", a.Class, a.Detail, c.class)
			}
			silent := c.class == ClassRefused || c.class == ClassThrottled || c.class == ClassFailing
			if rd := g.ReadAnswer(r1, a); silent != (len(rd.Observations) == 0) || silent && rd.Reason != c.class {
				t.Errorf("%+v", rd)
			}
		})
	}
}

func TestListAsTheWholeAnswer(t *testing.T) {
	step := "list = \".\"\nnot_found = [{ empty = true }]\n"
	for body, class := range map[string]string{"[]": ClassNotFound, "[" + paidR1 + "]": ClassAnswered, paidR1: ClassUnreadable, "[[]]": ClassUnreadable} {
		if _, a := answers(t, step, canned(200, body)); a.Class != class {
			t.Errorf("%s: %s (%s), want %s", body, a.Class, a.Detail, class)
		}
	}
}

func TestRateLimitReset(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		after, reset string
		want         time.Duration
	}{
		"seconds":       {429, "", "90", 90 * time.Second},
		"unix":          {429, "", "1930612560", time.Minute},
		"unix, past":    {429, "", "1930612000", 0},
		"date":          {429, "", "Fri, 07 Mar 2031 01:17:00 GMT", 2 * time.Minute},
		"far":           {429, "", "9999999999", 24 * time.Hour},
		"Retry-After":   {429, "5", "90", 5 * time.Second},
		"not throttled": {503, "", "90", 0},
		"nonsense":      {429, "", "soon", 0},
	} {
		_, a := answers(t, "", canned(c.status, "", "Retry-After", c.after, "RateLimit-Reset", c.reset))
		if a.RetryAfter != c.want {
			t.Errorf("%s: %v, want %v", name, a.RetryAfter, c.want)
		}
	}
}

func TestStoredUnreadableAnswerSaysWhy(t *testing.T) {
	g, a := answers(t, "", canned(200, `{"ref":"R-1"}`))
	stored := Answer{Class: a.Class, AskedAt: a.AskedAt, Status: a.Status, Raw: a.Raw}
	if o := only(t, g.ReadAnswer(r1, stored)); a.Class != ClassUnreadable || o.Detail != a.Detail || a.Detail == "" {
		t.Errorf("%s %q, %q", a.Class, a.Detail, o.Detail)
	}
	stored.Raw = []byte(paidR1)
	if o := only(t, g.ReadAnswer(r1, stored)); o.Word != payment.WordUnreadable || o.HasAmount {
		t.Errorf("%+v", o)
	}
}

func TestNoSecretIsShown(t *testing.T) {
	const password = "p@ss w0rd/&?"
	definition := questions("auth = { kind = \"basic\", user = \"{account}\", password = \"{api_secret}\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/{api_key}/q\"\nquery = { pwd = \"{api_secret}\" }\n")
	failures := map[string]http.RoundTripper{
		"plain":   failing{errors.New("dial: no route")},
		"address": failing{&url.Error{Op: "Get", URL: "https://pay.example/q?pwd=" + url.QueryEscape(password), Err: &url.Error{Op: "Get", URL: "https://pay.example/" + password, Err: errors.New("refused")}}},
		"telling": failing{errors.New("cannot send " + password + " or pwd=" + url.QueryEscape(password) + " with key-of-mine")},
	}
	for name, transport := range failures {
		in := customInstance(t, definition, "whs")
		in.APIKey, in.APISecret, in.Account = "key-of-mine", password, "M1"
		a := mustNew(t, in).Query(context.Background(), &http.Client{Transport: transport}, r1, fixed)
		if a.Class != ClassFailing || a.Detail == "" {
			t.Errorf("%s: %s (%s)", name, a.Class, a.Detail)
		}
		for _, secret := range []string{password, url.QueryEscape(password), url.PathEscape(password), "key-of-mine"} {
			if strings.Contains(a.Detail, secret) {
				t.Errorf("%s: %q shows %q", name, a.Detail, secret)
			}
		}
	}
}

func TestRedirectShowsNoSecret(t *testing.T) {
	s := simulate(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login?back="+r.URL.RawQuery, http.StatusFound)
	})
	in := customInstance(t, questions("auth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/q\"\nquery = { pwd = \"{api_secret}\" }\n"), "whs")
	in.APISecret, in.BaseURL = "pass-word/1", s.URL
	a := mustNew(t, in).Query(context.Background(), http.DefaultClient, r1, fixed)
	if a.Class != ClassUnreadable || !strings.Contains(string(a.Raw), "/login?back=pwd=…") || a.Header.Get("Location") != "" {
		t.Errorf("%s: %q, %q", a.Class, a.Raw, a.Header)
	}
	if len(s.asked) != 1 || !strings.HasPrefix(s.asked[0], "GET /q?pwd=pass-word%2F1 ") {
		t.Errorf("asked %q", s.asked)
	}
}

// failing is a way to a gateway that does not work.
type failing struct{ err error }

func (f failing) RoundTrip(*http.Request) (*http.Response, error) { return nil, f.err }

func TestAnAnswerThatRepeatsOurCredentialsIsStoredWithoutThem(t *testing.T) {
	in := customInstance(t, questions("auth = { kind = \"basic\", user = \"{account}\", password = \"{api_key}\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/q/{merchant_ref}\"\n"), "whs")
	in.Account, in.APIKey = "shop", "Pw/S&ECRETdp+1 x"
	answer := func(r *http.Request) (*http.Response, error) {
		body := `{"echo":"` + r.Header.Get("Authorization") + `","plain":"Pw/S&ECRETdp+1 x","query":"pwd=Pw%2FS%26ECRETdp%2B1+x","ref":"o1"}`
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
	a := mustNew(t, in).Query(t.Context(), &http.Client{Transport: roundTripper(answer)}, Question{MerchantRef: "o1", Currency: "PHP"}, func() time.Time { return arrival })
	if want := `{"echo":"Basic …","plain":"…","query":"pwd=…","ref":"o1"}`; string(a.Raw) != want {
		t.Errorf("stored as %s, want %s", a.Raw, want)
	}
}
