package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"nodrop/store"
)

// call makes an API call with a token and holds the answer against the description.
func (l *lab) call(call, body string, edit ...func(*http.Request)) *answer {
	l.t.Helper()
	method, path, _ := strings.Cut(call, " ")
	r := l.request(method, l.private.URL+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+l.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, f := range edit {
		f(r)
	}
	a := l.do(r)
	if method == http.MethodHead {
		return a
	}
	for _, fault := range loadDescription(l.t).hold(method, r.URL.EscapedPath(), a.StatusCode, a.Header, a.text) {
		l.t.Errorf("against the description: %s", fault)
	}
	return a
}

// member reads one member of a JSON answer by its path.
func (a *answer) member(t *testing.T, path string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(a.text), &v); err != nil {
		t.Fatalf("%q is no JSON: %v", a.text, err)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(x) {
				return nil
			}
			v = x[i]
		}
	}
	return v
}

func (a *answer) wantMembers(t *testing.T, want map[string]any) {
	t.Helper()
	for path, w := range want {
		if got := a.member(t, path); fmt.Sprint(got) != fmt.Sprint(w) {
			t.Errorf("%s is %v, want %v in %s", path, got, w, a.text)
		}
	}
}

// step is one call of a scenario: what is answered, and the rows that it adds and no others.
type step struct {
	name, call, body string
	status           int
	members          map[string]any
	added            map[string]int
}

func (l *lab) play(steps []step, edit ...func(*http.Request)) {
	outer := l.t
	defer func() { l.t = outer }()
	for _, s := range steps {
		outer.Run(s.name, func(t *testing.T) {
			l.t = t
			before := l.rows()
			a := l.call(s.call, s.body, edit...)
			if a.StatusCode != s.status {
				t.Fatalf("%s is answered %d %s, want %d", s.call, a.StatusCode, a.text, s.status)
			}
			a.wantMembers(t, s.members)
			if s.added == nil {
				s.added = map[string]int{}
			}
			l.wantNew(before, s.added)
		})
	}
}

const order1 = `{"gateway":"sandbox","merchant_ref":"O-1","amount":"1250.50","currency":"PHP"}`

func code(word string) map[string]any { return map[string]any{"code": word, "type": "about:blank"} }

func TestRegisterOverHTTP(t *testing.T) {
	l := newLab(t)
	l.play([]step{
		{"new", "POST /v1/payments", order1, 201, map[string]any{
			"gateway": "sandbox", "merchant_ref": "O-1", "order_ref": "O-1", "state": "pending", "amount": "1250.50", "received": "0.00", "currency": "PHP", "version": 1,
			"created_at": "2031-03-07T01:00:00.000Z", "expires_at": nil, "metadata": "map[]", "order.paid": false, "order.safe_to_charge_again": false,
		}, map[string]int{"payment": 1, "order": 1, "history": 1, "timer": 1}},
		{"again", "POST /v1/payments", order1, 200, map[string]any{"merchant_ref": "O-1", "version": 1}, nil},
		{"again with more", "POST /v1/payments", `{"gateway":"sandbox","merchant_ref":"O-1","order_ref":null,"amount":"1250.5","currency":"PHP","gateway_refs":[{"kind":"payment","id":"sbx_1"}],
			"expires_at":"2031-03-07T10:00:00+08:00","give_up_after":"48h","metadata":{"cart":"7"}}`, 200,
			map[string]any{"expires_at": "2031-03-07T02:00:00.000Z", "metadata.cart": "7", "gateway_refs.0.id": "sbx_1"}, map[string]int{"gateway_ref": 1}},
		{"another amount", "POST /v1/payments", strings.Replace(order1, "1250.50", "1250.51", 1), 409, code("registered_otherwise"), nil},
		{"another currency", "POST /v1/payments", strings.Replace(order1, "PHP", "USD", 1), 409, code("registered_otherwise"), nil},
		{"second attempt of the order", "POST /v1/payments", `{"gateway":"plain","merchant_ref":"O-1b","order_ref":"O-1","amount":"1250.50","currency":"PHP"}`, 201,
			map[string]any{"order_ref": "O-1"}, map[string]int{"payment": 1, "history": 1, "timer": 1}},
		{"an id of another payment", "POST /v1/payments", `{"gateway":"sandbox","merchant_ref":"O-2","amount":"1.00","currency":"PHP","gateway_refs":[{"kind":"payment","id":"sbx_1"}]}`, 409, code("ref_taken"), nil},
		{"unknown gateway", "POST /v1/payments", strings.Replace(order1, "sandbox", "nobody", 1), 400, code("unknown_gateway"), nil},
		{"too exact", "POST /v1/payments", strings.Replace(order1, "1250.50", "1250.501", 1), 400, code("bad_amount"), nil},
		{"nothing", "POST /v1/payments", strings.Replace(order1, "1250.50", "0.00", 1), 400, code("bad_amount"), nil},
		{"negative", "POST /v1/payments", strings.Replace(order1, "1250.50", "-1.00", 1), 400, code("bad_amount"), nil},
		{"a duration that is none", "POST /v1/payments", strings.Replace(order1, "}", `,"give_up_after":"soon"}`, 1), 400, code("bad_give_up_after"), nil},
	})
}

func TestCreatedPaymentHasAnAddress(t *testing.T) {
	l := newLab(t)
	a := l.call("POST /v1/payments", order1)
	want := fmt.Sprintf("/v1/payments/%v", a.member(t, "id"))
	if got := a.Header.Get("Location"); got != want {
		t.Errorf("Location %q, want %q", got, want)
	}
	l.call("GET "+want, "").wantMembers(t, map[string]any{"merchant_ref": "O-1"})
	if head := l.call("HEAD "+want, ""); head.StatusCode != 200 || head.text != "" {
		t.Errorf("HEAD: %d %q", head.StatusCode, head.text)
	}
}

func TestAddRefsOverHTTP(t *testing.T) {
	l := newLab(t)
	id := l.call("POST /v1/payments", order1).member(t, "id").(string)
	other := l.call("POST /v1/payments", strings.Replace(order1, "O-1", "O-2", 1)).member(t, "id").(string)
	refs := `{"gateway_refs":[{"kind":"payment","id":"sbx_1"},{"kind":"source","id":"src_1"}]}`
	l.play([]step{
		{"add", "PATCH /v1/payments/" + id, refs, 200, map[string]any{"gateway_refs.0.id": "sbx_1", "gateway_refs.1.kind": "source"}, map[string]int{"gateway_ref": 2}},
		{"add again", "PATCH /v1/payments/" + id, refs, 200, map[string]any{"id": id}, nil},
		{"never replaces", "PATCH /v1/payments/" + id, `{"gateway_refs":[{"kind":"payment","id":"sbx_2"}]}`, 200, map[string]any{"gateway_refs.0.id": "sbx_1", "gateway_refs.1.id": "sbx_2"}, map[string]int{"gateway_ref": 1}},
		{"taken", "PATCH /v1/payments/" + other, refs, 409, code("ref_taken"), nil},
		{"unknown payment", "PATCH /v1/payments/np_0", refs, 404, code("unknown_payment"), nil},
		{"no ids", "PATCH /v1/payments/" + id, `{"gateway_refs":[]}`, 400, code("invalid_body"), nil},
		{"none named", "PATCH /v1/payments/" + id, `{}`, 400, code("invalid_body"), nil},
		{"something else", "PATCH /v1/payments/" + id, `{"gateway_refs":[{"kind":"payment","id":"sbx_3"}],"amount":"2.00"}`, 400, map[string]any{"errors.0.field": "amount"}, nil},
	})
}

func TestListPayments(t *testing.T) {
	l := newLab(t)
	var ids []any
	for i := range 3 {
		ids = append(ids, l.call("POST /v1/payments", strings.Replace(order1, "O-1", fmt.Sprintf("O-%d", i), 1)).member(t, "id"))
	}
	a := l.call("GET /v1/payments?limit=2", "")
	a.wantMembers(t, map[string]any{"payments.0.id": ids[0], "payments.1.id": ids[1], "payments.2.id": nil, "next": ids[1]})
	l.call(fmt.Sprintf("GET /v1/payments?limit=2&after=%v", ids[1]), "").wantMembers(t, map[string]any{"payments.0.id": ids[2], "payments.1.id": nil, "next": ""})
	l.call("GET /v1/payments?order_ref=O-1", "").wantMembers(t, map[string]any{"payments.0.id": ids[1], "payments.1.id": nil})
	l.call("GET /v1/payments?merchant_ref=O-2&state=pending&gateway=sandbox", "").wantMembers(t, map[string]any{"payments.0.id": ids[2], "payments.1.id": nil})
	l.call("GET /v1/payments?state=failed", "").want(t, 200, `{"payments":[],"next":""}`)
	l.play([]step{
		{"unknown state", "GET /v1/payments?state=done", "", 400, code("bad_state"), nil},
		{"unknown gateway", "GET /v1/payments?gateway=nobody", "", 400, code("unknown_gateway"), nil},
		{"unknown cursor", "GET /v1/payments?after=np_0", "", 400, code("bad_cursor"), nil},
		{"misspelt filter", "GET /v1/payments?order=O-1", "", 400, code("unknown_parameter"), nil},
		{"filter twice", "GET /v1/payments?state=failed&state=pending", "", 400, code("repeated_parameter"), nil},
		{"no number", "GET /v1/payments?limit=many", "", 400, code("bad_limit"), nil},
		{"too many", "GET /v1/payments?limit=201", "", 400, code("bad_limit"), nil},
		{"none", "GET /v1/payments?limit=0", "", 400, code("bad_limit"), nil},
		{"unreadable", "GET /v1/payments?state=%zz", "", 400, code("bad_query"), nil},
		{"unknown payment", "GET /v1/payments/np_0", "", 404, code("unknown_payment"), nil},
	})
}

func TestCheckOverHTTP(t *testing.T) {
	l := newLab(t)
	id := l.call("POST /v1/payments", strings.Replace(order1, "sandbox", "plain", 1)).member(t, "id").(string)
	l.play([]step{
		{"cannot be asked", "POST /v1/payments/" + id + "/check?wait=5s", "", 200, map[string]any{"payment.id": id, "asked": false, "because": "no_query"}, nil},
		{"unknown payment", "POST /v1/payments/np_0/check", "", 404, code("unknown_payment"), nil},
		{"too long", "POST /v1/payments/" + id + "/check?wait=61s", "", 400, code("bad_wait"), nil},
		{"backwards", "POST /v1/payments/" + id + "/check?wait=-1s", "", 400, code("bad_wait"), nil},
		{"no time", "POST /v1/payments/" + id + "/check?wait=5", "", 400, code("bad_wait"), nil},
	})
}

func TestOrderOverHTTP(t *testing.T) {
	l := newLab(t)
	l.call("POST /v1/payments", `{"gateway":"plain","merchant_ref":"shop/2031 #7","amount":"5.00","currency":"PHP"}`)
	const path = "/v1/orders/shop%2F2031%20%237"
	l.play([]step{
		{"a reference with a slash", "GET " + path, "", 200, map[string]any{"order_ref": "shop/2031 #7", "paid": false, "safe_to_charge_again": false, "closed_at": nil, "payments.0.state": "pending"}, nil},
		{"unknown", "GET /v1/orders/O-9", "", 404, code("unknown_order"), nil},
		{"may still succeed", "POST " + path + "/close", "", 409, map[string]any{"code": "may_still_succeed", "order.order_ref": "shop/2031 #7"}, nil},
		{"unknown to close", "POST /v1/orders/O-9/close", "{}", 404, code("unknown_order"), nil},
		{"force that is no truth value", "POST " + path + "/close", `{"force":"yes"}`, 400, map[string]any{"errors.0.field": "force"}, nil},
	})
}

func TestCloseByForce(t *testing.T) {
	l := newLab(t)
	l.call("POST /v1/payments", `{"gateway":"plain","merchant_ref":"O-1","amount":"5.00","currency":"PHP"}`)
	l.play([]step{
		{"closed", "POST /v1/orders/O-1/close", `{"force":true}`, 200, map[string]any{"order_ref": "O-1", "closed_at": "2031-03-07T01:00:00.000Z"}, map[string]int{"fact": 1, "history": 1, "audit": 1}},
		{"closed already", "POST /v1/orders/O-1/close", `{"force":true}`, 200, map[string]any{"order_ref": "O-1"}, nil},
		{"a payment for it", "POST /v1/payments", `{"gateway":"plain","merchant_ref":"O-1b","order_ref":"O-1","amount":"5.00","currency":"PHP"}`, 409, code("order_closed"), nil},
		{"reopened", "POST /v1/payments", `{"gateway":"plain","merchant_ref":"O-1b","order_ref":"O-1","amount":"5.00","currency":"PHP","reopen":true}`, 201,
			map[string]any{"order_ref": "O-1"}, map[string]int{"payment": 1, "history": 2, "timer": 1, "fact": 1, "audit": 1}},
	})
}

// From the webhook to the claim: the whole main job over HTTP.
func TestPaidOrderOverHTTP(t *testing.T) {
	l := newLab(t)
	l.run()
	id := l.call("POST /v1/payments", order1).member(t, "id").(string)
	l.call("POST /v1/claims", fmt.Sprintf(`{"key":"fulfil:O-1","payment_id":%q,"owner":"w1"}`, id)).wantMembers(t, code("not_paid"))
	heard := make(chan *answer)
	go func() { heard <- l.call("GET /v1/events?wait=20s", "") }()
	l.post(l.notice("evt_1", "O-1", "paid", "1250.50")).want(t, 200, "OK")
	feed := <-heard
	feed.wantMembers(t, map[string]any{"events.0.type": "payment.succeeded", "events.0.data.id": id, "events.0.data.fulfil_key": "fulfil:O-1", "events.0.data.order.paid": true, "events.1": nil})
	next := fmt.Sprint(feed.member(t, "next"))
	if next == "" || next != feed.member(t, "events.0.id") {
		t.Errorf("next %q", next)
	}
	claim := fmt.Sprintf(`{"key":"fulfil:O-1","payment_id":%q,"owner":"w1"}`, id)
	l.play([]step{
		{"the payment", "GET /v1/payments/" + id, "", 200, map[string]any{"state": "succeeded", "received": "1250.50", "source": "notice", "order.paid": true}, nil},
		{"nothing after it", "GET /v1/events?after=" + next, "", 200, map[string]any{"events.0": nil, "next": next}, nil},
		{"claim", "POST /v1/claims", claim, 201, map[string]any{"state": "held", "owner": "w1", "payment_id": id, "due_at": "2031-03-07T01:15:00.000Z"}, nil},
		{"claim again", "POST /v1/claims", claim, 200, map[string]any{"state": "held"}, nil},
		{"by another", "POST /v1/claims", strings.Replace(claim, "w1", "w2", 1), 409, code("taken"), nil},
		{"done", "PUT /v1/claims/fulfil:O-1/done", "", 200, map[string]any{"state": "done", "done_at": "2031-03-07T01:00:00.000Z"}, nil},
		{"done again", "PUT /v1/claims/fulfil%3AO-1/done", "", 200, map[string]any{"state": "done"}, nil},
		{"claim after", "POST /v1/claims", claim, 409, code("done"), nil},
		{"never claimed", "PUT /v1/claims/other/done", "", 404, code("unknown_claim"), nil},
		{"claim for nothing", "POST /v1/claims", `{"key":"k","payment_id":"np_0","owner":"w1"}`, 404, code("unknown_payment"), nil},
		{"close a paid order", "POST /v1/orders/O-1/close", "", 409, map[string]any{"code": "paid", "order.paid": true}, nil},
		{"bad cursor", "GET /v1/events?after=yesterday", "", 400, code("bad_cursor"), nil},
		{"too long a wait", "GET /v1/events?wait=2m", "", 400, code("bad_wait"), nil},
	})
}

func TestWaitEndsWithTheServer(t *testing.T) {
	l := newLab(t, func(o *Options) { o.ReadTimeout = 50 * time.Millisecond })
	heard := make(chan *answer)
	go func() { heard <- l.call("GET /v1/events?wait=50s", "") }()
	for l.server.gate.count() == 0 {
		time.Sleep(time.Millisecond)
	}
	select {
	case a := <-heard:
		t.Errorf("the limit on reading ended the wait: %d %s", a.StatusCode, a.text)
	case <-time.After(150 * time.Millisecond):
	}
	l.server.BeginDrain()
	a := <-heard
	if a.StatusCode != 503 || a.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.StatusCode, a.text)
	}
	if err := l.server.Wait(t.Context()); err != nil {
		t.Error(err)
	}
	l.call("GET /v1/payments", "").wantMembers(t, map[string]any{"code": "busy", "status": 503})
}

func TestToken(t *testing.T) {
	l := newLab(t)
	before := l.rows()
	for _, c := range []struct{ header, code, challenge string }{
		{"", "token_missing", `Bearer realm="nodrop"`},
		{"Basic dTpw", "token_missing", `Bearer realm="nodrop"`},
		{"Bearer", "token_missing", `Bearer realm="nodrop"`},
		{"Bearer nd_wrong", "token_invalid", `Bearer realm="nodrop", error="invalid_token"`},
		{"Bearer " + l.token + "x", "token_invalid", `Bearer realm="nodrop", error="invalid_token"`},
	} {
		a := l.call("POST /v1/payments", order1, header("Authorization", c.header))
		if a.wantMembers(t, map[string]any{"code": c.code, "status": 401}); a.Header.Get("WWW-Authenticate") != c.challenge {
			t.Errorf("%q: %q", c.header, a.Header.Get("WWW-Authenticate"))
		}
	}
	l.wantNew(before, map[string]int{})
	if a := l.call("GET /v1/payments", "", header("Authorization", "bearer "+l.token)); a.StatusCode != 200 {
		t.Errorf("the scheme in small letters: %d", a.StatusCode)
	}
	if err := l.engine.RevokeToken(t.Context(), "lab"); err != nil {
		t.Fatal(err)
	}
	l.call("GET /v1/payments", "").wantMembers(t, map[string]any{"code": "token_invalid"})
	if a := l.call("GET /v1/openapi.json", "", header("Authorization", "")); a.StatusCode != 200 || a.text != string(openAPI) {
		t.Errorf("the description without a token: %d", a.StatusCode)
	}
	if strings.Contains(l.log.String(), l.token) {
		t.Error("the token is in the log")
	}
}

func TestPathsAndMethodsOfTheAPI(t *testing.T) {
	l := newLab(t)
	for _, c := range []struct {
		call   string
		status int
		allow  string
	}{
		{"GET /v1", 404, ""}, {"GET /v1/", 404, ""}, {"GET /v1/nothing", 404, ""}, {"GET /v1/payments/", 404, ""}, {"GET /v1//payments", 404, ""}, {"POST /v1/./payments", 404, ""},
		{"GET /v1/x/../payments", 404, ""}, {"GET /v1/payments/a/b", 404, ""}, {"GET /v1/PAYMENTS", 404, ""},
		{"DELETE /v1/payments", 405, "GET, HEAD, POST"}, {"PUT /v1/payments/np_1", 405, "GET, HEAD, PATCH"}, {"GET /v1/claims", 405, "POST"}, {"POST /v1/claims/k/done", 405, "PUT"},
		{"POST /v1/openapi.json", 405, "GET, HEAD"}, {"OPTIONS /v1/events", 405, "GET, HEAD"},
	} {
		a := l.call(c.call, "")
		if a.StatusCode != c.status || a.Header.Get("Allow") != c.allow || a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d, Allow %q, %s", c.call, a.StatusCode, a.Header.Get("Allow"), a.Header.Get("Content-Type"))
		}
	}
}

func TestFailureOfOurs(t *testing.T) {
	l := newLab(t)
	l.call("GET /v1/payments", "") // notes the token's use, which is a commit of its own
	l.faults.Arm(store.FailCommit, 1)
	if a := l.call("POST /v1/payments", order1); a.StatusCode != 503 || a.Header.Get("Retry-After") != "2" || !strings.Contains(l.log.String(), fmt.Sprint(a.member(t, "request_id"))) {
		t.Errorf("a full disk: %d %s", a.StatusCode, a.text)
	}
	l.call("POST /v1/payments", order1).wantMembers(t, map[string]any{"merchant_ref": "O-1"})
}
