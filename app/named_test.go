package app

import (
	"net/http"
	"testing"
	"time"

	"nodrop/app/config"
)

func TestTheTryThatAHintNamedIsAskedAbout(t *testing.T) {
	const paid = `"status":"PAID","amount":"100.00","currency":"PHP"}`
	for name, c := range map[string]struct {
		answer string // about the id that the hint named
		state  string
	}{
		"it is paid":                {`{"pid":"second","ref":"A",` + paid, "succeeded"},
		"it is of another payment":  {`{"pid":"second","ref":"Z",` + paid, "failed"},
		"it names no reference":     {`{"pid":"second",` + paid, "failed"},
		"it failed":                 {`{"pid":"second","ref":"A","status":"FAILED","amount":"100.00","currency":"PHP"}`, "failed"},
		"the gateway knows it not":  {"", "failed"},
		"it is a try of its own id": {`{"pid":"third","ref":"A",` + paid, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			b, a := hinting(t)
			a.next = func(r *http.Request) (int, http.Header, string) {
				switch {
				case r.URL.Path == "/r/A": // by the reference it shows the first try alone, which failed
					return 200, nil, `{"pid":"first","ref":"A","status":"FAILED","amount":"100.00","currency":"PHP"}`
				case r.URL.Path == "/p/second" && c.answer != "":
					return 200, nil, c.answer
				}
				return 404, nil, `{}`
			}
			p := b.registerHinted("A")
			b.hint(`{"eid":"1","pid":"second","ref":"A",` + paid)
			b.clock.move(time.Minute)
			b.fireHint()
			if got := b.payment(p.ID); got.State != c.state {
				t.Errorf("the payment is %s, want %s; asked %v", got.State, c.state, a.asked)
			}
			b.sound()
		})
	}
}

func TestAPaymentThatIsAskedByItsIDAloneIsAskedSoon(t *testing.T) {
	b, a := hinting(t, byIDAlone)
	register := func(refs ...Ref) PaymentView {
		p, _, err := b.e.Register(b.ctx(), Registration{Gateway: "hint", MerchantRef: "A" + itoa64(int64(len(refs))), Amount: "100.00", Currency: "PHP", GatewayRefs: refs})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a.next = func(*http.Request) (int, http.Header, string) { return 404, nil, `{}` }
	register(Ref{Kind: "payment", ID: "with"})
	later := register()
	b.clock.move(time.Minute)
	b.fireHint()
	if len(a.asked) != 1 || a.asked[0] != "GET https://hints.example/p/with" {
		t.Fatalf("asked %v", a.asked)
	}
	if _, err := b.e.AddRefs(b.ctx(), later.ID, []Ref{{Kind: "payment", ID: "added"}}); err != nil {
		t.Fatal(err)
	}
	b.clock.move(time.Minute)
	b.fireHint()
	if last := a.asked[len(a.asked)-1]; last != "GET https://hints.example/p/added" && a.asked[len(a.asked)-2] != "GET https://hints.example/p/added" {
		t.Errorf("asked %v", a.asked)
	}
}

// byIDAlone leaves the gateway of the hints the question by its own id.
func byIDAlone(c *config.Config, _ *Options) {
	spec := *c.Gateways[1].Custom
	query := *spec.Query
	query.Step = query.Step[:1]
	spec.Query = &query
	c.Gateways[1].Custom = &spec
}

func TestASuccessThatTheAnswerLagsBehindIsAskedAboutAgain(t *testing.T) {
	b, a := hinting(t)
	says := func(status string) {
		a.next = func(*http.Request) (int, http.Header, string) {
			return 200, nil, `{"pid":"X","ref":"A","status":"` + status + `","amount":"100.00","currency":"PHP"}`
		}
	}
	p := b.registerHinted("A")
	says("FAILED")
	b.clock.move(time.Minute)
	b.fireHint()
	b.clock.move(time.Hour)
	b.hint(`{"eid":"1","pid":"X","ref":"A","status":"PAID","amount":"100.00","currency":"PHP"}`)
	b.fireHint()
	if got := b.payment(p.ID); got.State != "failed" {
		t.Fatalf("it is %s", got.State)
	}
	says("PAID")
	b.clock.move(11 * time.Minute)
	b.fireHint()
	if got := b.payment(p.ID); got.State != "succeeded" || !got.Late {
		t.Errorf("it is %s (late %v), asked %v", got.State, got.Late, a.asked)
	}
	b.sound()
}

func TestTheSecondQuestionAboutASuccessComesTenMinutesAfterTheFirstAnswer(t *testing.T) {
	b, a := hinting(t)
	given := 0
	says := func(status int, word string) {
		given = 0
		a.next = func(*http.Request) (int, http.Header, string) {
			given++
			return status, nil, `{"pid":"X","ref":"A","status":"` + word + `","amount":"100.00","currency":"PHP"}`
		}
	}
	p := b.registerHinted("A")
	says(200, "FAILED")
	b.clock.move(time.Minute)
	b.fireHint()
	b.clock.move(time.Hour)
	b.hint(`{"eid":"1","pid":"X","ref":"A","status":"PAID","amount":"100.00","currency":"PHP"}`)
	says(503, "")
	for range 60 { // for an hour it cannot be asked
		b.fireHint()
		b.clock.move(time.Minute)
	}
	says(200, "FAILED")
	for minutes := 0; given == 0; minutes++ {
		if minutes > 24*60 {
			t.Fatal("it is not asked about again")
		}
		b.clock.move(time.Minute)
		b.fireHint()
	}
	says(200, "PAID")
	b.clock.move(12 * time.Minute)
	b.fireHint()
	if got := b.payment(p.ID); got.State != "succeeded" || !got.Late {
		t.Errorf("it is %s (late %v) after %d more questions", got.State, got.Late, given)
	}
	b.sound()
}
