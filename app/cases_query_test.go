package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
)

func TestCasesOfQuestions(t *testing.T) {
	t.Run("R-125 errors inside an answer of 200", errorsInside)
	t.Run("R-127 not found to the end", notFoundToTheEnd)
	t.Run("R-127 the key is refused", keyRefused)
	t.Run("R-127 the question cannot be understood", questionRefused)
	t.Run("R-128 the connection breaks", connectionBreaks)
	t.Run("R-129 patience for seconds", func(t *testing.T) { patience(t, 200, "55", 55*time.Second) })
	t.Run("R-129 patience until a date", func(t *testing.T) { patience(t, 40, "Fri, 07 Mar 2031 09:05:00 GMT", 4*time.Minute) })
	t.Run("R-129 patience without a time", func(t *testing.T) { patience(t, 40, "", 0) })
	t.Run("R-130 the power is cut over the due times", powerCut)
	t.Run("R-133 pending for a day", pendingForADay)
	t.Run("R-134 a list is behind the payment itself", listBehind)
}

func errorsInside(t *testing.T) {
	cases := map[string]struct {
		answer, state string
	}{
		"not found":  {`{"result":140,"message":"not found"}`, "pending"},
		"paid":       {`{"result":0,"pid":"p","ref":"ORD-1","status":7,"amount":"10.00","currency":"CZK"}`, "succeeded"},
		"internal":   {`{"result":900,"message":"internal"}`, "pending"},
		"empty":      {`{}`, "pending"},
		"login page": {`<html><body>Log in</body></html>`, "pending"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, a := owning(t, nil)
			a.next = func(*http.Request) (int, http.Header, string) { return 200, nil, c.answer }
			p := b.enter("own", "ORD-1", "", "10.00", "CZK")
			b.clock.move(40 * time.Second)
			b.fireAt("own")
			b.stands(p.ID, c.state, "")
			b.clock.move(time.Minute)
			b.fireAt("own")
			if want := map[bool]int{true: 1, false: 2}[c.state == "succeeded"]; len(a.asked) != want {
				t.Errorf("asked %d times, want %d", len(a.asked), want)
			}
			b.sound()
		})
	}
}

// hours lets hours pass and asks what is due in each.
func (b *bench) hours(n int) {
	b.t.Helper()
	for range n {
		b.clock.move(time.Hour)
		b.fire()
	}
}

func notFoundToTheEnd(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 404, nil, `{"error":"not_found"}` }
	p := b.register("ORD-1", "10.00")
	b.hours(52)
	b.stands(p.ID, "unknown", "no_answer")
	b.told("payment.unknown")
	b.asks("no_answer")
	b.sound()
}

func keyRefused(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 401, nil, `{}` }
	p := b.register("ORD-1", "10.00")
	b.hours(60)
	b.keep()
	b.stands(p.ID, "pending", "")
	b.asks("gateway_unaskable")
	before := len(a.asked)
	if before < 8 {
		t.Errorf("asked %d times, want 8 and more", before)
	}
	b.hours(24)
	if len(a.asked) == before {
		t.Error("no longer asked")
	}
	b.told()
	b.sound()
}

func questionRefused(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 422, nil, `{"error":"unprocessable"}` }
	p := b.register("ORD-1", "10.00")
	b.clock.move(40 * time.Second)
	b.fire()
	b.stands(p.ID, "pending", "")
	b.hours(52)
	b.stands(p.ID, "unknown", "no_answer")
	b.asks("no_answer")
	b.sound()
}

func connectionBreaks(t *testing.T) {
	b, a := asking(t)
	a.next = func(*http.Request) (int, http.Header, string) { return 0, nil, "" }
	p := b.register("ORD-1", "10.00")
	b.clock.move(40 * time.Second)
	b.fire()
	b.stands(p.ID, "pending", "")
	b.told()
	a.next = reply("ORD-1", "paid", "10.00", "PHP", "")
	b.clock.move(5 * time.Minute)
	b.fire()
	b.stands(p.ID, "succeeded", "")
	b.told("payment.succeeded")
	b.sound()
}

func patience(t *testing.T, payments int, after string, least time.Duration) {
	const before = 29 // the thirtieth is refused
	b, a := asking(t, func(c *config.Config, _ *Options) {
		c.Gateways[0].QueryRate = config.Rate{Count: 1000, Per: time.Second}
		c.Gateways[0].QueryConcurrency = 1
	})
	b.clock.at = time.Date(2031, 3, 7, 9, 0, 0, 0, time.UTC)
	for i := range payments {
		b.register(fmt.Sprintf("P%d", i), "10.00")
	}
	throttling := true
	a.next = func(r *http.Request) (int, http.Header, string) {
		if throttling && len(a.asked) > before {
			h := http.Header{}
			if after != "" {
				h.Set("Retry-After", after)
			}
			return 429, h, `slow down`
		}
		ref := r.URL.Query().Get("reference")
		return reply(ref, "paid", "10.00", "PHP", "")(r)
	}
	b.clock.move(40 * time.Second)
	for range 2 * payments {
		b.fire()
	}
	refused := len(a.asked) - before
	if refused < 1 || refused > DefaultPace().PauseAfter {
		t.Fatalf("asked %d times after the first refusal", refused)
	}
	if least > 0 {
		b.clock.move(least - time.Second)
		b.fire()
		if got := len(a.asked) - before; refused != 1 || got != 1 {
			t.Errorf("asked %d times and then %d within the time that was wished", refused, got)
		}
	}
	b.register("NEW", "10.00")
	b.tell(b.notice("NEW", "paid", "10.00"))
	throttling = false
	b.clock.move(10 * time.Minute)
	for range 2 * payments {
		b.fire()
	}
	found, page := 0, PaymentQuery{State: "succeeded", Limit: 200}
	for {
		list, next, err := b.e.Payments(b.ctx(), page)
		if err != nil {
			t.Fatal(err)
		}
		found += len(list)
		if page.After = next; next == "" {
			break
		}
	}
	if found != payments+1 {
		t.Errorf("%d of %d payments are found paid", found, payments+1)
	}
	b.sound()
}

func powerCut(t *testing.T) {
	plan := func(c *config.Config, _ *Options) {
		c.Gateways[0].QuerySchedule = []time.Duration{5 * time.Minute, 15 * time.Minute, time.Hour}
	}
	b, a := asking(t, plan)
	a.next = reply("ORD-1", "waiting", "10.00", "PHP", "")
	p := b.register("ORD-1", "10.00")
	b.clock.move(2 * time.Hour)
	next := b.restarted(plan, func(_ *config.Config, o *Options) { o.HTTP = &http.Client{Transport: a} })
	for range 3 {
		next.fire()
	}
	if len(a.asked) != 1 {
		t.Errorf("asked %d times at the start, want once", len(a.asked))
	}
	a.next = reply("ORD-1", "paid", "10.00", "PHP", "")
	next.clock.move(90 * time.Minute) // the plan goes on three hours after the order, and a little
	next.fire()
	next.stands(p.ID, "succeeded", "")
	if len(a.asked) != 2 {
		t.Errorf("asked %d times, want twice", len(a.asked))
	}
	next.sound()
}

func pendingForADay(t *testing.T) {
	b, a := asking(t)
	a.next = reply("ORD-1", "waiting", "10.00", "PHP", "")
	p := b.register("ORD-1", "10.00")
	began := b.clock.now()
	var at []time.Duration
	for b.payment(p.ID).State == "pending" && b.clock.now().Sub(began) < 80*time.Hour {
		since := b.clock.now().Sub(began)
		if since >= 26*time.Hour {
			a.next = reply("ORD-1", "paid", "10.00", "PHP", "")
		}
		before := len(a.asked)
		b.clock.move(max(5*time.Second, since/40))
		b.fire()
		if len(a.asked) > before {
			at = append(at, b.clock.now().Sub(began))
		}
	}
	b.stands(p.ID, "succeeded", "")
	if len(a.asked) > 20 || len(at) < 4 {
		t.Errorf("asked %d times", len(a.asked))
	}
	for i := 2; i < len(at)-1; i++ { // the last may be the end of the plan
		if at[i]-at[i-1] < (at[i-1]-at[i-2])*9/10 {
			t.Errorf("asked after %v: the gaps do not grow", at)
			break
		}
	}
	b.told("payment.succeeded")
	b.sound()
}

func listBehind(t *testing.T) {
	b, a := asking(t)
	one := b.enter("sandbox", "P-1", "", "10.00", "PHP", Ref{"payment", "sbx_P-1"})
	two := b.enter("sandbox", "P-2", "", "10.00", "PHP")
	a.next = func(r *http.Request) (int, http.Header, string) {
		if strings.HasSuffix(r.URL.Path, "/sbx_P-1") {
			return reply("P-1", "paid", "10.00", "PHP", "")(r)
		}
		return 200, nil, `{"data":[]}` // the list misses the newest
	}
	b.clock.move(40 * time.Second)
	b.fire()
	b.stands(one.ID, "succeeded", "")
	b.stands(two.ID, "pending", "")
	a.next = reply("P-1", "waiting", "10.00", "PHP", "") // an older word, from a list
	b.clock.move(time.Minute)
	if _, err := b.e.Check(b.ctx(), one.ID, 0); err != nil {
		t.Fatal(err)
	}
	b.fire()
	b.stands(one.ID, "succeeded", "")
	a.next = reply("P-2", "paid", "10.00", "PHP", "")
	b.clock.move(5 * time.Minute)
	b.fire()
	b.stands(two.ID, "succeeded", "")
	b.told("payment.succeeded", "payment.succeeded")
	b.sound()
}
