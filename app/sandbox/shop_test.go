package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// script is a nodrop that answers each call as a test wants and remembers the calls.
type script struct {
	mu     sync.Mutex
	calls  []string
	answer func(call, body string) (int, string)
}

func (n *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	call := r.Method + " " + r.URL.RequestURI()
	n.mu.Lock()
	n.calls = append(n.calls, call+" "+string(body))
	n.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer token" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	status, answer := n.answer(call, string(body))
	if status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

const testSecret = "whsec_c2FuZGJveC1zaG9wLXNlY3JldC0x"

// testShop is a shop with one planned payment, changed as wanted, beside the scripted nodrop.
func testShop(t *testing.T, n *script, change func(p *Plan)) (*Shop, *Gateway) {
	t.Helper()
	net := local{"nodrop": n}
	o := Options{Payments: 1, Stories: []string{"abandoned"}, Now: time.Now, NodropAPI: "http://nodrop", NodropHooks: "http://nodrop/hooks/sandbox",
		GatewayURL: "http://gateway", HookSecret: "hook-secret", APIKey: "key", Token: "token", ShopSecret: testSecret,
		Client: &http.Client{Transport: net}}
	s, err := NewShop(o)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGateway(o)
	if err != nil {
		t.Fatal(err)
	}
	net["gateway"] = g
	p := s.plans["ORDER-0001"]
	p.Amount, p.Currency, p.Link, p.Claims, p.ShopFault = 125050, "PHP", linkAtOnce, false, shopFine
	change(&p)
	s.plans["ORDER-0001"] = p
	return s, g
}

func unchanged(*Plan) {}

// tell posts an event as nodrop does; the status is 0 when the shop breaks the connection.
func (s *Shop) tell(id, event string, data NodropPayment) (status int) {
	body, _ := json.Marshal(map[string]any{"type": event, "timestamp": s.o.Now(), "data": data})
	return s.tellRaw(id, body, s.o.Now())
}

func (s *Shop) tellRaw(id string, body []byte, at time.Time) (status int) {
	defer func() { _ = recover() }()
	hook, _ := standardwebhooks.NewWebhook(testSecret)
	sig, _ := hook.Sign(id, at, body)
	r := httptest.NewRequest(http.MethodPost, "http://shop/events", bytes.NewReader(body))
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	r.Header.Set("webhook-signature", sig)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code
}

func success(version int64) NodropPayment {
	return NodropPayment{ID: "p1", Version: version, MerchantRef: "ORDER-0001", OrderRef: "ORDER-0001", State: "succeeded", Received: "1250.50",
		FulfilKey: "fulfil:ORDER-0001", Order: OrderState{Paid: true}}
}

func (s *Shop) fulfilled() int {
	n := 0
	for _, o := range s.Ledger().Orders {
		n += len(o.Fulfilled)
	}
	return n
}

func TestShopFulfilsOnce(t *testing.T) {
	s, _ := testShop(t, &script{}, unchanged)
	for range 3 {
		if status := s.tell("1-1", "payment.succeeded", success(2)); status != 200 {
			t.Fatalf("answered %d, want 200", status)
		}
	}
	s.tell("1-2", "payment.succeeded_late", success(3))
	s.tell("1-3", "payment.duplicate", success(4))
	l := s.Ledger()
	if s.fulfilled() != 1 || l.Stats.Repeats != 2 || l.Stats.Events != 3 {
		t.Errorf("fulfilled %d times, %+v; want once, 3 events, 2 repeats", s.fulfilled(), l.Stats)
	}
	if want := []string{"payment.succeeded", "payment.succeeded_late", "payment.duplicate"}; !slices.Equal(l.Heard[0].Events, want) {
		t.Errorf("heard %v, want %v", l.Heard[0].Events, want)
	}
	other := success(5)
	other.FulfilKey = "another"
	s.tell("1-4", "payment.succeeded", other)
	if s.fulfilled() != 2 {
		t.Errorf("fulfilled %d times after another key, want 2: the ledger must show it", s.fulfilled())
	}
}

func TestShopDoesNotFulfilWhatMustWait(t *testing.T) {
	for _, event := range []string{"payment.succeeded_late", "payment.duplicate", "payment.failed", "payment.unknown", "payment.refunded", "payment.decided"} {
		s, _ := testShop(t, &script{}, unchanged)
		if status := s.tell("1-1", event, success(2)); status != 200 || s.fulfilled() != 0 {
			t.Errorf("%s: answered %d, fulfilled %d times; want 200, never", event, status, s.fulfilled())
		}
	}
}

func TestShopDropsOlderVersions(t *testing.T) {
	s, _ := testShop(t, &script{}, unchanged)
	newer := success(5)
	newer.Reversed, newer.Order.Paid = "1250.50", false
	s.tell("1-2", "payment.reversed", newer)
	s.tell("1-1", "payment.succeeded", success(2))
	h := s.Ledger().Heard[0]
	if h.Last.Version != 5 || h.Last.Reversed != "1250.50" || s.fulfilled() != 0 {
		t.Errorf("last heard %+v, fulfilled %d times; want version 5, never", h.Last, s.fulfilled())
	}
}

func TestShopRefusesWhatIsNotNodrops(t *testing.T) {
	s, _ := testShop(t, &script{}, unchanged)
	body, _ := json.Marshal(map[string]any{"type": "payment.succeeded", "data": success(2)})
	r := httptest.NewRequest(http.MethodPost, "http://shop/events", bytes.NewReader(body))
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, r); w.Code != 401 {
		t.Errorf("unsigned: answered %d, want 401", w.Code)
	}
	if status := s.tellRaw("1-1", body, time.Now().Add(-6*time.Minute)); status != 401 {
		t.Errorf("signed six minutes ago: answered %d, want 401", status)
	}
	if status := s.tellRaw("1-1", []byte(`{"type":`), time.Now()); status != 400 {
		t.Errorf("unreadable: answered %d, want 400", status)
	}
	l := s.Ledger()
	if l.Stats.BadSignature != 2 || len(l.Heard) != 0 || len(l.Trouble) != 1 {
		t.Errorf("%+v, want 2 bad signatures, nothing heard, one trouble", l)
	}
}

func TestShopMisbehaves(t *testing.T) {
	cases := map[string][]int{
		shopRefuses:  {500, 500, 200, 200},
		shopVanishes: {0, 200, 200, 200},
		shopSlow:     {200, 200},
	}
	for fault, want := range cases {
		s, _ := testShop(t, &script{}, func(p *Plan) { p.ShopFault = fault })
		var got []int
		for range want {
			got = append(got, s.tell("1-1", "payment.succeeded", success(2)))
		}
		if !slices.Equal(got, want) || s.fulfilled() != 1 {
			t.Errorf("%s: answered %v and fulfilled %d times, want %v, once", fault, got, s.fulfilled(), want)
		}
	}
}

func TestShopIsDownForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := testShop(t, &script{}, unchanged)
		s.begin() // Spread is 4 s: down from 1.333 s on, for 0.8 s
		var got []int
		for _, wait := range []time.Duration{time.Second, 400 * ms, 700 * ms, 100 * ms} {
			time.Sleep(wait)
			got = append(got, s.tell("1-1", "payment.succeeded", success(2)))
		}
		if want := []int{200, 500, 500, 200}; !slices.Equal(got, want) {
			t.Errorf("at 1.0, 1.4, 2.1 and 2.2 s: %v, want %v", got, want)
		}
	})
}

// A shop that answered and crashed with nothing written down learns it from the feed.
func TestShopReadsTheFeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, _ := json.Marshal(Event{ID: "1-1", Type: "payment.succeeded", Data: success(2)})
		n := &script{answer: func(call, _ string) (int, string) {
			if call == "GET /v1/events" {
				return 200, fmt.Sprintf(`{"events":[%s],"next":"cursor"}`, one)
			}
			return 200, `{"events":[],"next":"cursor"}`
		}}
		s, _ := testShop(t, n, func(p *Plan) { p.ShopFault = shopForgets })
		if status := s.tell("1-1", "payment.succeeded", success(2)); status != 200 || s.fulfilled() != 0 {
			t.Errorf("answered %d, fulfilled %d times; want 200, not yet", status, s.fulfilled())
		}
		time.Sleep(time.Second)
		s.Close()
		if want := []string{"GET /v1/events ", "GET /v1/events?after=cursor "}; !slices.Equal(n.calls, want) {
			t.Errorf("calls %q, want %q", n.calls, want)
		}
		if s.fulfilled() != 1 || len(s.Ledger().Trouble) != 0 {
			t.Errorf("fulfilled %d times, trouble %v; want once, none", s.fulfilled(), s.Ledger().Trouble)
		}
	})
}

func TestShopClaims(t *testing.T) {
	cases := []struct {
		name      string
		claims    map[string]int // answer by worker
		done      int
		want      []int // answers to three deliveries of the event
		fulfilled int
		trouble   int
	}{
		{"one wins", map[string]int{"worker-1": 201, "worker-2": 409}, 200, []int{200, 200, 200}, 1, 0},
		{"it had won before a crash", map[string]int{"worker-1": 409, "worker-2": 200}, 200, []int{200, 200, 200}, 1, 0},
		{"both win", map[string]int{"worker-1": 201, "worker-2": 201}, 200, []int{200, 200, 200}, 0, 3},
		{"not to be fulfilled", map[string]int{"worker-1": 422, "worker-2": 422}, 200, []int{200, 200, 200}, 0, 0},
		{"nodrop is away", map[string]int{"worker-1": 0, "worker-2": 0}, 200, []int{503, 503, 503}, 0, 0},
		{"one answer is lost", map[string]int{"worker-1": 0, "worker-2": 409}, 200, []int{503, 503, 503}, 0, 0},
		{"done cannot be said", map[string]int{"worker-1": 201, "worker-2": 409}, 0, []int{503, 503, 503}, 1, 0},
		{"done is refused", map[string]int{"worker-1": 201, "worker-2": 409}, 404, []int{200, 200, 200}, 1, 1},
	}
	for _, c := range cases {
		n := &script{answer: func(call, body string) (int, string) {
			if strings.HasPrefix(call, "PUT /v1/claims/fulfil:ORDER-0001/done") {
				return c.done, "{}"
			}
			var in struct {
				Key, Owner string
				Payment    string `json:"payment_id"`
			}
			if err := json.Unmarshal([]byte(body), &in); err != nil || call != "POST /v1/claims" || in.Key != "fulfil:ORDER-0001" || in.Payment != "p1" {
				t.Errorf("%s: call %s %s", c.name, call, body)
			}
			return c.claims[in.Owner], "{}"
		}}
		s, _ := testShop(t, n, func(p *Plan) { p.Claims = true })
		var got []int
		for range c.want {
			got = append(got, s.tell("1-1", "payment.succeeded", success(2)))
		}
		if !slices.Equal(got, c.want) || s.fulfilled() != c.fulfilled || len(s.Ledger().Trouble) != c.trouble {
			t.Errorf("%s: answered %v, fulfilled %d times, trouble %v; want %v, %d, %d", c.name, got, s.fulfilled(), s.Ledger().Trouble, c.want, c.fulfilled, c.trouble)
		}
	}
}

// The calls of the checkout, in the order and form that each way of linking wants.
func TestShopSells(t *testing.T) {
	const registered = `POST /v1/payments {"amount":"1250.50","currency":"PHP","gateway":"sandbox",%s"give_up_after":"8s","merchant_ref":"ORDER-0001","order_ref":"ORDER-0001"}`
	cases := map[string][]string{
		linkAtOnce: {fmt.Sprintf(registered, `"gateway_refs":[{"kind":"payment","id":"sbx_0001"}],`)},
		linkNever:  {fmt.Sprintf(registered, "")},
		linkLater:  {fmt.Sprintf(registered, ""), `PATCH /v1/payments/p1 {"gateway_refs":[{"kind":"payment","id":"sbx_0001"}]}`},
	}
	for link, want := range cases {
		n := &script{answer: func(call, _ string) (int, string) {
			if strings.HasPrefix(call, "POST") {
				return 201, `{"id":"p1"}`
			}
			return 200, `{"id":"p1"}`
		}}
		s, g := testShop(t, n, func(p *Plan) { p.Link = link })
		if err := s.sell(t.Context(), s.plans["ORDER-0001"], g.AwaitNotice); err != nil {
			t.Errorf("%s: %v", link, err)
		}
		g.Close()
		if !slices.Equal(n.calls, want) {
			t.Errorf("%s: calls\n%q, want\n%q", link, n.calls, want)
		}
		if l := g.Ledger(); len(l) != 1 || l[0].Asked != 125050 {
			t.Errorf("%s: the gateway's ledger %+v, want one payment of 125050", link, l)
		}
	}
}

func TestShopRepeatsCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := []int{0, 503, 429, 201}
		n := &script{}
		n.answer = func(string, string) (int, string) { return answers[len(n.calls)-1], `{"id":"p1"}` }
		s, g := testShop(t, n, unchanged)
		defer g.Close()
		began := time.Now()
		if err := s.sell(t.Context(), s.plans["ORDER-0001"], g.AwaitNotice); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); len(n.calls) != 4 || took != (50+100+200)*ms {
			t.Errorf("%d calls in %v, want 4 in 350 ms", len(n.calls), took)
		}
		n.answer = func(string, string) (int, string) { return 503, "" }
		if err := s.sell(t.Context(), s.plans["ORDER-0001"], g.AwaitNotice); err == nil || time.Since(began) > 15*time.Second {
			t.Errorf("error %v after %v, want one when the patience of 10 s is over", err, time.Since(began))
		}
		n.answer = func(string, string) (int, string) { return 409, "" }
		if err := s.sell(t.Context(), s.plans["ORDER-0001"], g.AwaitNotice); err == nil || !strings.Contains(err.Error(), "409") {
			t.Errorf("error %v, want one that names 409", err)
		}
	})
}

func TestShopAsksBeforeItChargesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var safe atomic.Bool
		n := &script{answer: func(string, string) (int, string) {
			return 200, fmt.Sprintf(`{"safe_to_charge_again":%v,"because":["attempt_open"]}`, safe.Load())
		}}
		s, _ := testShop(t, n, unchanged)
		err := s.safeAgain(t.Context(), "ORDER-0001")
		if err == nil || !strings.Contains(err.Error(), "attempt_open") {
			t.Errorf("error %v, want one that gives the reason", err)
		}
		safe.Store(true)
		if err := s.safeAgain(t.Context(), "ORDER-0001"); err != nil {
			t.Error(err)
		}
	})
}

func TestPagesOfEitherForm(t *testing.T) {
	forms := map[string]func(list string) string{
		"a list":         func(list string) string { return list },
		"under its name": func(list string) string { return `{"payments":` + list + `}` },
		"under data":     func(list string) string { return `{"data":` + list + `,"next":null}` },
	}
	for name, form := range forms {
		n := &script{answer: func(call, _ string) (int, string) {
			switch call {
			case "GET /v1/payments":
				return 200, form(`[{"id":"a","reviews":["late"]},{"id":"b","reviews":[{"reason":"duplicate","key":"x"}]}]`)
			case "GET /v1/payments?after=b":
				return 200, form(`[{"id":"c"}]`)
			}
			return 200, form(`[]`)
		}}
		s, _ := testShop(t, n, unchanged)
		all, err := s.api.payments(context.Background())
		if err != nil || len(all) != 3 || all[0].Reviews[0] != "late" || all[1].Reviews[0] != "duplicate" || all[2].ID != "c" {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	for _, answer := range []string{`{"items":[]}`, `"text"`, `{"payments":[{"id":7}]}`} {
		n := &script{answer: func(string, string) (int, string) { return 200, answer }}
		s, _ := testShop(t, n, unchanged)
		if all, err := s.api.payments(context.Background()); err == nil {
			t.Errorf("%s was read as %+v", answer, all)
		}
	}
}
