package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// catcher takes the gateway's webhooks and answers as told.
type catcher struct {
	mu      sync.Mutex
	bodies  []string
	headers []string
	at      []time.Time
	answer  func(n int, w http.ResponseWriter)
}

func (c *catcher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, string(body))
	c.headers = append(c.headers, r.Header.Get("Sandbox-Signature"))
	c.at = append(c.at, time.Now())
	if c.answer != nil {
		c.answer(len(c.bodies), w)
		return
	}
	_, _ = io.WriteString(w, "OK")
}

func ok(w http.ResponseWriter) { _, _ = io.WriteString(w, "OK") }

// testGateway serves one payment of the given story inside a bubble.
func testGateway(t *testing.T, story string, c *catcher) *Gateway {
	t.Helper()
	o := Options{Payments: 1, Stories: []string{story}, Now: time.Now, NodropAPI: "http://nodrop", NodropHooks: "http://nodrop/hooks/sandbox",
		GatewayURL: "http://gateway", HookSecret: "hook-secret", APIKey: "key", ShopSecret: "whsec_c2FuZGJveC1zaG9wLXNlY3JldC0x",
		Client: &http.Client{Transport: local{"nodrop": c}}}
	g, err := NewGateway(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *Gateway) call(method, target, body, key string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://gateway"+target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+key)
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

const newPayment = `{"reference":"ORDER-0001","amount":"1250.50","currency":"PHP"}`

func TestSignatureByIndependentArithmetic(t *testing.T) {
	// printf '%s' '1930266900.{"id":"evt_1"}' | openssl dgst -sha256 -hmac hook-secret
	const want = "t=1930266900,v1=043b74d92f1c4b4bc62fa2b07d80d7292ba8a3e66b6447a354e20c18cfcb17f8"
	got := signature("hook-secret", []byte(`{"id":"evt_1"}`), time.Unix(1930266900, 999_000_000))
	if got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

func TestWebhookAsAgreed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &catcher{}
		g := testGateway(t, "paid", c)
		defer g.Close()
		if w := g.call("POST", "/v1/payments", newPayment, "key"); w.Code != http.StatusCreated {
			t.Fatalf("create answered %d: %s", w.Code, w.Body)
		}
		g.work.Wait()
		if len(c.bodies) != 1 {
			t.Fatalf("%d webhooks, want 1", len(c.bodies))
		}
		// The bubble begins at 2000-01-01T00:00:00Z; the payer acts within a second.
		want := `{"created":"2000-01-01T00:00:00.000Z","data":{"account":"shop","amount":"1250.50","currency":"PHP","id":"sbx_0001","reference":"ORDER-0001","status":"paid"},"id":"evt_sbx_0001_1","livemode":false,"type":"payment"}`
		wantAt := c.at[0].UTC().Format("2006-01-02T15:04:05.000Z")
		if want = strings.Replace(want, "2000-01-01T00:00:00.000Z", wantAt, 1); c.bodies[0] != want {
			t.Errorf("webhook\n%s, want\n%s", c.bodies[0], want)
		}
		f := fake{o: g.o}
		if !f.genuine(c.headers[0], []byte(c.bodies[0])) {
			t.Errorf("signature %q does not verify", c.headers[0])
		}
	})
}

func TestRefundAndDisputeWebhooks(t *testing.T) {
	cases := map[string][]string{
		"refund_part":  {`"amount":"312.62"`, `"id":"re_sbx_0001_1"`, `"payment":"sbx_0001"`, `"status":"succeeded"`, `"type":"refund"`},
		"dispute_lost": {`"amount":"1250.50"`, `"id":"dp_sbx_0001_1"`, `"status":"lost"`, `"type":"dispute"`},
		"reversed":     {`"status":"reversed"`, `"type":"payment"`},
	}
	for story, parts := range cases {
		synctest.Test(t, func(t *testing.T) {
			c := &catcher{}
			g := testGateway(t, story, c)
			defer g.Close()
			g.call("POST", "/v1/payments", newPayment, "key")
			time.Sleep(2 * time.Second)
			if synctest.Wait(); len(c.bodies) != 1 || g.Idle() {
				t.Errorf("%s: %d webhooks before the shop was told, want 1", story, len(c.bodies))
			}
			g.Told("ORDER-0001", "payment.succeeded")
			g.work.Wait()
			for _, part := range parts {
				if last := c.bodies[len(c.bodies)-1]; !strings.Contains(last, part) {
					t.Errorf("%s: the last webhook lacks %s: %s", story, part, last)
				}
			}
			if !g.Idle() {
				t.Errorf("%s: not idle at the end", story)
			}
		})
	}
}

// What each fault does to the webhooks of a payment that is paid once.
func TestWebhookFaults(t *testing.T) {
	cases := []struct {
		story   string
		count   int
		check   func(c *catcher) bool
		genuine bool
	}{
		{"lost", 0, nil, true},
		{"doubled", 2, func(c *catcher) bool { return c.bodies[0] == c.bodies[1] && c.at[1].After(c.at[0]) }, true},
		{"many", 4, func(c *catcher) bool { return c.bodies[0] == c.bodies[3] && c.at[0].Equal(c.at[3]) }, true},
		{"late_notice", 1, func(c *catcher) bool { return c.at[0].Sub(start) >= 2500*ms }, true},
		{"out_of_order", 2, func(c *catcher) bool {
			return strings.Contains(c.bodies[0], `"paid"`) && strings.Contains(c.bodies[1], `"processing"`) && created(c.bodies[1]).Before(created(c.bodies[0]))
		}, true},
		{"wrong_amount", 1, func(c *catcher) bool { return strings.Contains(c.bodies[0], `"amount":"1125.45"`) }, true},
		{"wrong_currency", 1, func(c *catcher) bool { return strings.Contains(c.bodies[0], `"currency":"USD"`) }, true},
		{"garbled", 1, func(c *catcher) bool { return strings.Contains(c.bodies[0], `"amount":"twelve"`) }, true},
		{"unmapped", 1, func(c *catcher) bool { return strings.Contains(c.bodies[0], `"status":"cleared_in_part"`) }, true},
		{"forged", 1, nil, false},
		{"unsigned", 1, func(c *catcher) bool { return c.headers[0] == "" }, false},
		{"stale", 1, nil, false},
	}
	for _, tc := range cases {
		synctest.Test(t, func(t *testing.T) {
			c := &catcher{}
			g := testGateway(t, tc.story, c)
			defer g.Close()
			g.call("POST", "/v1/payments", newPayment, "key")
			g.work.Wait()
			if len(c.bodies) != tc.count || tc.check != nil && !tc.check(c) {
				t.Errorf("%s: %d webhooks, want %d, or not as they must be: %v at %v", tc.story, len(c.bodies), tc.count, c.bodies, c.at)
			}
			for i := range c.bodies {
				f := fake{o: g.o}
				if got := f.genuine(c.headers[i], []byte(c.bodies[i])); got != tc.genuine {
					t.Errorf("%s: webhook %d verifies: %v, want %v", tc.story, i, got, tc.genuine)
				}
			}
		})
	}
}

var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // of every bubble

func created(body string) time.Time {
	var n struct{ Created time.Time }
	_ = json.Unmarshal([]byte(body), &n)
	return n.Created
}

// A webhook is sent again until it is answered with 200 and exactly OK, at the gateway's own times.
func TestWebhookIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &catcher{answer: func(n int, w http.ResponseWriter) {
			switch n {
			case 1:
				panic(http.ErrAbortHandler)
			case 2:
				w.WriteHeader(http.StatusServiceUnavailable)
			case 3:
				_, _ = io.WriteString(w, "fine") // 200, but not the acknowledgement
			default:
				ok(w)
			}
		}}
		g := testGateway(t, "paid", c)
		defer g.Close()
		g.call("POST", "/v1/payments", newPayment, "key")
		g.work.Wait()
		var gaps []time.Duration
		for i := 1; i < len(c.at); i++ {
			gaps = append(gaps, c.at[i].Sub(c.at[i-1]))
		}
		if want := []time.Duration{200 * ms, 500 * ms, time.Second}; !slices.Equal(gaps, want) {
			t.Errorf("sent again after %v, want %v", gaps, want)
		}
		n := g.Notices()[0]
		if !n.Delivered || n.Attempts != 4 || n.Status != http.StatusOK {
			t.Errorf("%+v, want delivered at the fourth attempt", n)
		}
		if s := g.Stats(); s.Sent != 1 || s.Repeated != 3 || s.Acknowledged != 1 {
			t.Errorf("%+v, want 1 sent, 3 again, 1 acknowledged", s)
		}
	})
}

func TestWebhookIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &catcher{answer: func(_ int, w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }}
		g := testGateway(t, "paid", c)
		defer g.Close()
		g.call("POST", "/v1/payments", newPayment, "key")
		g.work.Wait()
		if n := g.Notices()[0]; n.Delivered || !n.Done || n.Attempts != len(resend)+1 {
			t.Errorf("%+v, want given up after %d attempts", n, len(resend)+1)
		}
	})
}

func TestCreateCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testGateway(t, "abandoned", &catcher{})
		defer g.Close()
		cases := []struct {
			body, key string
			status    int
		}{
			{newPayment, "wrong", http.StatusUnauthorized},
			{newPayment, "key", http.StatusCreated},
			{newPayment, "key", http.StatusOK},
			{strings.Replace(newPayment, "1250.50", "1250.51", 1), "key", http.StatusConflict},
			{strings.Replace(newPayment, "1250.50", "many", 1), "key", http.StatusUnprocessableEntity},
			{strings.Replace(newPayment, "1250.50", "0.00", 1), "key", http.StatusUnprocessableEntity},
			{"nonsense", "key", http.StatusBadRequest},
		}
		for _, c := range cases {
			if w := g.call("POST", "/v1/payments", c.body, c.key); w.Code != c.status {
				t.Errorf("create %s with key %q: %d, want %d", c.body, c.key, w.Code, c.status)
			}
		}
		if l := g.Ledger(); len(l) != 1 || l[0].Asked != 125050 || l[0].Reference != "ORDER-0001" {
			t.Errorf("ledger %+v, want the one payment of 125050", l)
		}
	})
}

func TestQueryAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testGateway(t, "refund_unheard", &catcher{})
		defer g.Close()
		g.call("POST", "/v1/payments", newPayment, "key")
		g.work.Wait()
		object := `{"account":"shop","amount":"1250.50","currency":"PHP","id":"sbx_0001","reference":"ORDER-0001","refunds":[{"amount":"312.62","currency":"PHP","id":"re_sbx_0001_1","payment":"sbx_0001","reference":"ORDER-0001","status":"succeeded"}],"status":"paid"}`
		cases := []struct {
			target, key, body string
			status            int
		}{
			{"/v1/payments/sbx_0001", "key", object, 200},
			{"/v1/payments?reference=ORDER-0001", "key", `{"data":[` + object + `]}`, 200},
			{"/v1/payments/sbx_9999", "key", `{"error":"not_found"}`, 404},
			{"/v1/payments?reference=ORDER-9999", "key", `{"data":[]}`, 200},
			{"/v1/payments/sbx_0001", "wrong", `{"error":"unauthorised"}`, 401},
		}
		for _, c := range cases {
			w := g.call("GET", c.target, "", c.key)
			if w.Code != c.status || w.Body.String() != c.body {
				t.Errorf("GET %s: %d %s, want %d %s", c.target, w.Code, w.Body, c.status, c.body)
			}
		}
		q := g.Stats().Queries
		if q[answerOK] != 2 || q[answerNotFound] != 2 || q[answerRefused] != 1 {
			t.Errorf("counted %v, want 2 answered, 2 not found, 1 refused", q)
		}
	})
}

func TestQueryFaultsOnTheWire(t *testing.T) {
	cases := map[string]func(w *httptest.ResponseRecorder) bool{
		"query_429": func(w *httptest.ResponseRecorder) bool { return w.Code == 429 && w.Header().Get("Retry-After") == "1" },
		"query_429_date": func(w *httptest.ResponseRecorder) bool {
			return w.Code == 429 && w.Header().Get("Retry-After") == "Sat, 01 Jan 2000 00:00:01 GMT"
		},
		"query_500": func(w *httptest.ResponseRecorder) bool { return w.Code == 500 },
		"query_html": func(w *httptest.ResponseRecorder) bool {
			return w.Code == 200 && strings.HasPrefix(w.Body.String(), "<!doctype html>")
		},
		"query_truncated": func(w *httptest.ResponseRecorder) bool {
			return w.Code == 200 && !json.Valid(w.Body.Bytes()) && bytes.HasPrefix(w.Body.Bytes(), []byte(`{"account"`))
		},
		"query_young": func(w *httptest.ResponseRecorder) bool { return w.Code == 404 },
	}
	for story, right := range cases {
		synctest.Test(t, func(t *testing.T) {
			g := testGateway(t, story, &catcher{})
			defer g.Close()
			g.call("POST", "/v1/payments", newPayment, "key")
			if w := g.call("GET", "/v1/payments/sbx_0001", "", "key"); !right(w) {
				t.Errorf("%s: answered %d %v %s", story, w.Code, w.Header(), w.Body)
			}
			time.Sleep(2 * time.Second)
			g.call("GET", "/v1/payments/sbx_0001", "", "key")
			if w := g.call("GET", "/v1/payments/sbx_0001", "", "key"); w.Code != 200 || !strings.Contains(w.Body.String(), `"status":"paid"`) {
				t.Errorf("%s: the third answer is %d %s, want paid", story, w.Code, w.Body)
			}
		})
	}
}

// A query that times out is held and then broken off; a closing gateway holds nobody.
func TestQueryHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testGateway(t, "query_timeout", &catcher{})
		g.call("POST", "/v1/payments", newPayment, "key")
		broken := func() (v any) {
			defer func() { v = recover() }()
			g.call("GET", "/v1/payments/sbx_0001", "", "key")
			return nil
		}
		began := time.Now()
		if v := broken(); v != http.ErrAbortHandler || time.Since(began) != 700*ms {
			t.Errorf("ended with %v after %v, want broken off after 700 ms", v, time.Since(began))
		}
		g.Close()
		began = time.Now()
		if v := broken(); v != http.ErrAbortHandler || time.Since(began) != 0 {
			t.Errorf("closed: ended with %v after %v, want at once", v, time.Since(began))
		}
	})
}

func TestUnplannedPaymentIsPaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := testGateway(t, "abandoned", &catcher{})
		defer g.Close()
		g.call("POST", "/v1/payments", strings.Replace(newPayment, "ORDER-0001", "by-hand", 1), "key")
		g.work.Wait()
		if l := g.Ledger(); len(l) != 1 || l[0].Status != "paid" || l[0].Taken != 125050 {
			t.Errorf("%+v, want it paid", l)
		}
	})
}

// Over real connections: a webhook survives that nodrop is not there at first.
func TestWebhookOverLoopback(t *testing.T) {
	c := &catcher{}
	server := httptest.NewUnstartedServer(c)
	address := server.Listener.Addr().String()
	defer server.Close()
	o := Options{Payments: 1, Stories: []string{"paid"}, Now: time.Now, NodropAPI: "http://" + address, GatewayURL: "http://gateway.invalid",
		NodropHooks: fmt.Sprintf("http://%s/hooks/sandbox", address), HookSecret: "hook-secret", APIKey: "key"}
	g, err := NewGateway(o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	g.call("POST", "/v1/payments", newPayment, "key")
	server.Start()
	if !g.AwaitNotice(t.Context(), "ORDER-0001") || len(c.bodies) != 1 {
		t.Errorf("%d webhooks came, want one that is acknowledged", len(c.bodies))
	}
}

func TestOptionsAreChecked(t *testing.T) {
	good := Options{Payments: 1, Now: time.Now, NodropAPI: "http://a", NodropHooks: "http://a/hooks/x", GatewayURL: "http://b", ShopSecret: "whsec_c2VjcmV0"}
	cases := map[string]func(o *Options){
		"Now": func(o *Options) { o.Now = nil }, "Payments": func(o *Options) { o.Payments = -1 },
		"NodropHooks": func(o *Options) { o.NodropHooks = "" }, "nonsense": func(o *Options) { o.Stories = []string{"nonsense"} },
	}
	for word, spoil := range cases {
		o := good
		spoil(&o)
		if _, err := NewGateway(o); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("gateway without a proper %s: error %v", word, err)
		}
		if _, err := NewShop(o); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("shop without a proper %s: error %v", word, err)
		}
	}
	bad := good
	bad.ShopSecret = "whsec_***"
	if _, err := NewShop(bad); err == nil || strings.Contains(err.Error(), "***") {
		t.Errorf("bad secret: error %v, want one that does not show it", err)
	}
}
