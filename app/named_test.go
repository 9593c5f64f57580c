package app

import (
	"net/http"
	"testing"
	"time"
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
