package gateway

import (
	"context"
	"encoding/base64"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/payment"
)

// queries asks a local server every question of the fixture, with every answer.
func (s *subject) queries(t *testing.T) {
	if s.spec.Query == nil {
		return
	}
	t.Run("without keys", s.keyless)
	asked := map[int]bool{}
	for i := range s.fix.Query {
		one := &s.fix.Query[i]
		if one.Name == "" || one.Now.IsZero() || one.Request == "" || len(one.Answer) == 0 {
			t.Fatalf("query %d (%q) lacks name, now, request or an answer", i, one.Name)
		}
		t.Run(one.Name, func(t *testing.T) {
			for j := range one.Answer {
				answer := &one.Answer[j]
				t.Run(answer.title(), func(t *testing.T) { asked[s.asks(t, one, answer)] = true })
			}
			t.Run("signed", func(t *testing.T) { s.signedQuestion(t, one) })
			t.Run("classes", func(t *testing.T) { s.classes(t, one) })
		})
	}
	for i := range s.spec.Query.Step {
		if !asked[i] {
			t.Errorf("query.step[%d] of the definition is asked by no [[query]]", i)
		}
	}
}

// keyless is an instance that was given no key to ask with.
func (s *subject) keyless(t *testing.T) {
	if len(s.fix.Query) == 0 {
		t.Fatal("the fixture lacks a [[query]]")
	}
	one := &s.fix.Query[0]
	in := s.instance(t, one.Instance)
	if in.APIKey+in.APISecret+in.PrivateKey == "" {
		return // it asks with the webhook's secret, or with none
	}
	in.APIKey, in.APISecret, in.PrivateKey = "", "", ""
	g, server := mustNew(t, in), &scripted{}
	a := g.Query(context.Background(), server.client(t), one.question(nil), func() time.Time { return one.Now.UTC() })
	if g.Queryable() || a.Class != ClassNotAsked || len(server.asked()) > 0 || len(g.Warnings()) == 0 {
		t.Errorf("queryable %v, asked %d times: %s; warnings %v", g.Queryable(), len(server.asked()), a.Class, g.Warnings())
	}
}

func (a *fixtureAnswer) title() string {
	if a.Name == "" {
		return a.Shows
	}
	return a.Name
}

func (q *fixtureQuery) question(a *fixtureAnswer) Question {
	f := q.Question
	out := Question{PaymentID: "1-1", MerchantRef: f.MerchantRef, OrderRef: f.OrderRef, Attempt: f.Attempt, Currency: f.Currency, Amount: f.AmountMinor, CreatedMs: f.Created.UnixMilli()}
	for _, r := range f.Refs {
		kind, id, _ := strings.Cut(r, ":")
		out.Refs = append(out.Refs, Ref{Kind: kind, ID: id})
	}
	if a != nil && !a.Created.IsZero() {
		out.CreatedMs = a.Created.UnixMilli()
	}
	return out
}

// asker is a gateway of its own for one question, so that no token is left from another.
func (s *subject) asker(t testing.TB, q *fixtureQuery) *Gateway {
	t.Helper()
	in := s.instance(t, q.Instance)
	in.Nonce = func() string { return q.Nonce }
	return mustNew(t, in)
}

// asks puts one question, gives one answer, and returns the step that was asked.
func (s *subject) asks(t *testing.T, one *fixtureQuery, answer *fixtureAnswer) int {
	server := &scripted{before: one.Before, last: answer.exchange(t), token: s.spec.Query.Auth.TokenPath}
	g, q := s.asker(t, one), one.question(answer)
	now := one.Now.UTC()
	if !g.CanAsk(q) {
		t.Fatalf("it cannot be asked with this question and [instance.%s]", one.Instance)
	}
	a := g.Query(context.Background(), server.client(t), q, func() time.Time { return now })
	server.wantRequests(t, one)
	if a.Class != answer.Class {
		t.Fatalf("class %s (%s), want %s", a.Class, a.Detail, answer.Class)
	}
	rd := g.ReadAnswer(q, a)
	stored := g.ReadAnswer(q, Answer{Class: a.Class, AskedAt: a.AskedAt, Status: a.Status, Header: a.Header, Raw: a.Raw, Step: a.Step, Asked: a.Asked})
	if a.Class != ClassUnreadable && !reflect.DeepEqual(rd.Observations, stored.Observations) {
		t.Errorf("as it is stored it says %+v, not %+v", stored.Observations, rd.Observations)
	}
	answer.wantReading(t, rd)
	return a.Step
}

func (a *fixtureAnswer) exchange(t testing.TB) fixtureExchange {
	t.Helper()
	more, err := base64.StdEncoding.DecodeString(a.BodyBase64)
	if err != nil {
		t.Fatalf("body_base64: %v", err)
	}
	return fixtureExchange{Status: a.Status, Headers: a.Headers, Body: a.Body + string(more)}
}

// wantReading compares the reading, and what it must amount to for what it shows.
func (a *fixtureAnswer) wantReading(t *testing.T, rd Reading) {
	t.Helper()
	if a.Class == ClassAnswered || a.Class == ClassNotFound {
		if rd.Verdict != Accepted || rd.Reason != a.Reason {
			t.Errorf("%s (%s: %s), want accepted (%s)", rd.Verdict, rd.Reason, rd.Detail, a.Reason)
		}
	}
	if a.Class == ClassAnswered {
		wantObservations(t, rd.Observations, a.Observation)
	}
	if a.Class != ClassAnswered && slices.ContainsFunc(rd.Observations, func(o Observation) bool { return o.Word == payment.WordSucceeded }) {
		t.Errorf("an answer of the class %s succeeded", a.Class)
	}
	words := map[string]string{
		"paid": "succeeded", "pending": "pending processing authorised attempt_failed", "failed": "failed expired cancelled attempt_failed",
		"not_found_old": "not_found", "not_found_young": "not_found",
	}
	first := ""
	if len(rd.Observations) > 0 {
		first = string(rd.Observations[0].Word)
	}
	switch want, ok := words[a.Shows]; {
	case ok && (first == "" || !slices.Contains(strings.Fields(want), first)):
		t.Errorf("it is to show %s and says %q", a.Shows, first)
	case a.Shows == "not_found_young" && rd.Reason != "not_yet", a.Shows == "not_found_old" && rd.Reason != "":
		t.Errorf("it is to show %s, and the reason is %q", a.Shows, rd.Reason)
	case a.Shows == "error_body" && (a.Class == ClassAnswered || a.Class == ClassNotFound):
		t.Errorf("an error is taken for %s", a.Class)
	case a.Shows == "refunded" && !slices.ContainsFunc(rd.Observations, givesBack):
		t.Errorf("it is to show a refund and says %+v", rd.Observations)
	case !ok && !slices.Contains([]string{"error_body", "refunded", "other"}, a.Shows):
		t.Errorf("shows = %q is not known", a.Shows)
	}
}

func givesBack(o Observation) bool { return o.Kind == KindRefund || o.Word == "reversed" }

// wantRequests compares what arrived with what the fixture states.
func (s *scripted) wantRequests(t *testing.T, one *fixtureQuery) {
	t.Helper()
	want := []string{}
	for i := range one.Before {
		want = append(want, one.Before[i].Request)
	}
	want = append(want, one.Request)
	seen := s.asked()
	if len(seen) < len(want) {
		t.Fatalf("asked %d times, want %d: %q", len(seen), len(want), seen)
	}
	for i := range want {
		if want[i] == "" {
			continue
		}
		if w := canonical(captured(t, want[i], "", time.Time{})); seen[i] != w {
			t.Errorf("question %d is\n%s\nand must be\n%s", i, seen[i], w)
		}
	}
}

// unlisted are the headers that the client or the wire adds.
var unlisted = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "User-Agent"}

// canonical writes a request with its headers in order, so that two can be compared.
func canonical(r Request) string {
	var b strings.Builder
	b.WriteString(r.Method + " " + r.Target + "\nHost: " + r.Header.Get("Host") + "\n")
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		if !slices.Contains(unlisted, name) {
			b.WriteString(name + ": " + strings.Join(r.Header[name], ", ") + "\n")
		}
	}
	b.WriteString("\n" + string(r.Body))
	return b.String()
}

// classes gives every kind of bad answer to a question, and to the one for a token.
func (s *subject) classes(t *testing.T, one *fixtureQuery) {
	for _, c := range badAnswers(one.paid(t)) {
		t.Run(c.name, func(t *testing.T) {
			server := &scripted{before: one.Before, last: c.answer, token: s.spec.Query.Auth.TokenPath, cut: c.cut, hang: c.hang}
			s.wantClass(t, one, server, c)
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		s.wantClass(t, one, &scripted{away: true}, badAnswer{classes: []string{ClassFailing}})
	})
	if s.spec.Query.Auth.Kind != "oauth2" {
		return
	}
	if len(one.Before) == 0 || one.Before[0].Request == "" {
		t.Fatal("the question needs a token: the fixture lacks [[query.before]] with the request for it")
	}
	for _, c := range badAnswers(fixtureExchange{Body: one.Before[0].Body}) {
		t.Run("token "+c.name, func(t *testing.T) {
			if slices.Contains(c.classes, ClassUnreadable) { // an answer without a token says nothing at all
				c.classes = []string{ClassFailing}
			}
			s.wantClass(t, one, &scripted{last: c.answer, cut: c.cut, hang: c.hang}, c)
		})
	}
}

func (q *fixtureQuery) paid(t testing.TB) fixtureExchange {
	t.Helper()
	for i := range q.Answer {
		if q.Answer[i].Shows == "paid" {
			return q.Answer[i].exchange(t)
		}
	}
	return q.Answer[0].exchange(t)
}

type badAnswer struct {
	name      string
	answer    fixtureExchange
	cut, hang bool
	classes   []string
	wait      time.Duration
}

// badAnswers are those that any gateway may give and that say nothing about a payment.
func badAnswers(good fixtureExchange) []badAnswer {
	cut := good
	cut.Body = good.Body[:len(good.Body)/2]
	html := fixtureExchange{Headers: map[string]string{"Content-Type": "text/html"}, Body: "<!doctype html><title>Maintenance</title><p>Back soon</p>"}
	return []badAnswer{
		{name: "401", answer: fixtureExchange{Status: 401, Body: `{"message":"unauthorised"}`}, classes: []string{ClassRefused}},
		{name: "403", answer: fixtureExchange{Status: 403, Body: "forbidden"}, classes: []string{ClassRefused}},
		{name: "429", answer: fixtureExchange{Status: 429, Headers: map[string]string{"Retry-After": "7"}, Body: "slow down"}, classes: []string{ClassThrottled}, wait: 7 * time.Second},
		{name: "500", answer: fixtureExchange{Status: 500, Body: "{}"}, classes: []string{ClassFailing}},
		{name: "502", answer: fixtureExchange{Status: 502, Body: html.Body}, classes: []string{ClassFailing}},
		{name: "503", answer: fixtureExchange{Status: 503}, classes: []string{ClassFailing}},
		{name: "HTML", answer: html, classes: []string{ClassUnreadable}},
		{name: "302", answer: fixtureExchange{Status: 302, Headers: map[string]string{"Location": "https://elsewhere.example/"}}, classes: []string{ClassUnreadable}},
		{name: "empty", answer: fixtureExchange{}, classes: []string{ClassUnreadable}},
		{name: "cut in half", answer: cut, cut: true, classes: []string{ClassUnreadable, ClassFailing}},
		{name: "time-out", hang: true, classes: []string{ClassTimeout}},
	}
}

func (s *subject) wantClass(t *testing.T, one *fixtureQuery, server *scripted, c badAnswer) {
	t.Helper()
	g, q, now := s.asker(t, one), one.question(nil), one.Now.UTC()
	ctx := context.Background()
	if server.hang {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 30*time.Millisecond)
		defer cancel()
	}
	a := g.Query(ctx, server.client(t), q, func() time.Time { return now })
	if !slices.Contains(c.classes, a.Class) || a.RetryAfter != c.wait || a.Detail == "" {
		t.Fatalf("class %s (%s), to wait %s; want %s and %s", a.Class, a.Detail, a.RetryAfter, strings.Join(c.classes, " or "), c.wait)
	}
	in := s.instance(t, one.Instance)
	secrets := []string{in.APIKey, in.APISecret, in.PrivateKey}
	for _, one := range in.Secrets {
		secrets = append(secrets, one.Value)
	}
	for _, secret := range secrets {
		if len(secret) > 3 && strings.Contains(a.Detail, secret) {
			t.Errorf("the answer shows a secret: %s", a.Detail)
		}
	}
	for _, o := range g.ReadAnswer(q, a).Observations {
		if o.Word != payment.WordUnreadable {
			t.Errorf("it says %s %q", o.Kind, o.Word)
		}
	}
	if len(server.asked()) == 0 && !server.away && !server.hang {
		t.Error("nothing was asked")
	}
}
