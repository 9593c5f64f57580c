package web

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/store"
)

// hintingGateway is a described gateway whose notices prove nothing.
const hintingGateway = `
[[gateway]]
name    = "hints"
preset  = "custom"
mode    = "test"
api_key = "env:HOOK_SECRET"

[[gateway.custom.signature]]
kind = "none"

[gateway.custom.notice]
type   = "type"
dedupe = "eid"

[gateway.custom.fields]
merchant_ref = "ref"
status       = "status"
words        = { PAID = "succeeded" }
amount       = { from = "amount", kind = "decimal_string", currency = "currency" }

[[gateway.custom.shape]]
when  = { "{type}" = "refund" }
kind  = "refund"
ref   = "rid"
words = { DONE = "succeeded" }

[[gateway.custom.shape]]
kind = "payment"

[gateway.custom.ack]
body = "OK"

[gateway.custom.query]
base = { test = "%[1]s" }
auth = { kind = "bearer", token = "{api_key}" }

[[gateway.custom.query.step]]
by   = "merchant_ref"
path = "/hints/{merchant_ref}"
`

// counter is a desk whose gateways and shop answer as a test says.
type counter struct {
	*desk
	mu     sync.Mutex
	truth  map[string]string // merchant reference → what the gateway says of it: a status of the sandbox, or "" for a failure
	broken bool              // the gateway fails whatever it is asked
	shop   int               // status that the shop answers
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	c := &counter{desk: &desk{lab: newLab(t)}, truth: map[string]string{}, shop: http.StatusOK}
	world := httptest.NewServer(http.HandlerFunc(c.answer))
	t.Cleanup(world.Close)
	text := strings.Replace(labConfig, "http://127.0.0.1:1", world.URL, 1) + fmt.Sprintf(hintingGateway, world.URL) +
		"\n[shop]\nurl = \"" + world.URL + "/shop\"\nsecrets = [\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"]\n"
	text = strings.Replace(text, "[limits]\n", "[limits]\napprove_above = \"5000 PHP\"\n", 1)
	c.start(loadLabConfig(t, text))
	c.addUser("maria", "operator")
	return c
}

// start runs an engine that does its housekeeping all the time and takes a moved clock for time in which it was on.
func (c *counter) start(conf *config.Config) {
	c.t.Helper()
	pace := app.DefaultPace()
	pace.Keep, pace.OffAfter, pace.ScanSlack = 5*time.Millisecond, 1000*time.Hour, 1000*time.Hour
	log := slog.NewTextHandler(c.log, nil)
	var err error
	c.engine, err = app.New(app.Options{Store: c.store, Config: conf, Now: c.now, Random: rand.NewChaCha8([32]byte{2}), Log: slog.New(log), Pace: pace})
	if err != nil {
		c.t.Fatal(err)
	}
	c.server = New(Options{Engine: c.engine, Log: slog.New(log)})
	c.public, c.private = c.listen(c.t, c.server.Public()), c.listen(c.t, c.server.Private())
	c.run()
}

// answer is what the gateways and the shop say.
func (c *counter) answer(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.URL.Path == "/shop" {
		w.WriteHeader(c.shop)
		return
	}
	ref := r.URL.Query().Get("reference")
	for _, prefix := range []string{"/v1/payments/sbx_", "/hints/"} {
		if rest, ok := strings.CutPrefix(r.URL.Path, prefix); ok {
			ref = rest
		}
	}
	status := c.truth[ref]
	switch {
	case c.broken || status == "":
		w.WriteHeader(http.StatusInternalServerError)
	case strings.HasPrefix(r.URL.Path, "/hints/"):
		fmt.Fprintf(w, `{"ref":%q,"status":"PAID","amount":"100.00","currency":"PHP"}`, ref)
	default:
		one := fmt.Sprintf(`{"id":"sbx_%s","reference":%q,"status":%q,"amount":"100.00","currency":"PHP","account":"shop"}`, ref, ref, status)
		if r.URL.Query().Has("reference") {
			one = `{"data":[` + one + `]}`
		}
		fmt.Fprint(w, one)
	}
}

func (c *counter) says(ref, status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.truth[ref] = status
}

// asks has the gateway asked about a payment, a moment later.
func (c *counter) asks(id string) {
	c.t.Helper()
	c.move(time.Minute)
	if v, err := c.engine.Check(c.t.Context(), id, 5*time.Second); err != nil || !v.Asked {
		c.t.Fatalf("asking about %s: asked %v, %s, %v", id, v.Asked, v.Because, err)
	}
}

// order registers a payment of 100 pesos for an order.
func (c *counter) order(gateway, ref, order, amount string) string {
	c.t.Helper()
	v, _, err := c.engine.Register(c.t.Context(), app.Registration{Gateway: gateway, MerchantRef: ref, OrderRef: order, Amount: amount, Currency: "PHP"})
	if err != nil {
		c.t.Fatal(err)
	}
	return v.ID
}

// paid is a payment of 100 pesos that is paid.
func (c *counter) paid(ref string) string {
	c.t.Helper()
	id := c.order("sandbox", ref, ref, "100.00")
	c.says(ref, "paid")
	c.post(c.notice("evt_"+ref, ref, "paid", "100.00"))
	c.untilState(id, "succeeded")
	return id
}

// failed is a payment of 100 pesos of which the gateway says that it failed.
func (c *counter) failed(ref string) string {
	c.t.Helper()
	id := c.order("sandbox", ref, ref, "100.00")
	c.says(ref, "failed")
	c.asks(id)
	c.untilState(id, "failed")
	return id
}

// refunded sends a signed notice that a refund was made.
func (c *counter) refunded(id, ref, amount string) {
	c.t.Helper()
	c.post(fmt.Appendf(nil, `{"id":"evt_%s","type":"refund","livemode":false,"created":%q,"data":{"id":%q,"payment":"sbx_%s","reference":%q,"status":"succeeded","amount":%q,"currency":"PHP"}}`,
		id, c.now().Format(time.RFC3339), id, ref, ref, amount))
}

// back is a notice about a refund or dispute of a payment of 100 pesos.
func (c *counter) back(kind, ref, id, status string) []byte {
	return fmt.Appendf(nil, `{"id":"evt_%s_%s","type":%q,"livemode":false,"created":%q,"data":{"id":%q,"payment":"sbx_%s","reference":%q,"status":%q,"amount":"100.00","currency":"PHP"}}`,
		id, status, kind, c.now().Format(time.RFC3339), id, ref, ref, status)
}

// send posts a body to a hook, with the headers that it needs.
func (c *counter) send(gateway, body string, headers ...string) {
	c.t.Helper()
	r := c.request("POST", c.public.URL+"/hooks/"+gateway, bytes.NewReader([]byte(body)))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if a := c.do(r); a.StatusCode/100 != 2 {
		c.t.Fatalf("%s answered %d to %s", gateway, a.StatusCode, body)
	}
}

// decides has somebody decide about a payment as it stands.
func (c *counter) decides(d app.Decision) {
	c.t.Helper()
	v, err := c.engine.Payment(c.t.Context(), d.PaymentID)
	if err != nil {
		c.t.Fatal(err)
	}
	d.Version = v.Version
	if err := c.engine.Decide(c.t.Context(), d); err != nil {
		c.t.Fatal(err)
	}
}

// openQuestion waits for the question of a kind while time goes on in steps; 0: time stands still.
func (c *counter) openQuestion(kind string, step time.Duration) store.Review {
	c.t.Helper()
	var found store.Review
	c.until("the question "+kind, func(rx *store.Rx) (bool, error) {
		list, err := rx.OpenReviews(kind, 0, true, 10)
		if len(list) > 0 {
			found = list[0]
			return true, err
		}
		if step > 0 {
			c.desk.move(step)
			c.poke()
		}
		return false, err
	})
	return found
}

// poke lets every loop look again at the clock.
func (c *counter) poke() {
	c.t.Helper()
	c.says("POKE", "waiting")
	c.order("mute", "POKE", "POKE", "1.00")
}
