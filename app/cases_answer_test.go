package app

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"nodrop/app/config"
)

// sellingTo has the shop at a server's address.
func sellingTo(t *testing.T, url string, patience time.Duration) *bench {
	t.Helper()
	b := newBench(t, func(c *config.Config, _ *Options) {
		c.Shop.URL, c.Shop.Timeout = url, patience
		c.Shop.Secrets = []config.TimedSecret{{Value: config.NewSecret(shopSecret)}}
	})
	b.register("ORD-1", "1.00")
	b.pay("ORD-1", "1.00")
	return b
}

// A shop that answers 200 when our patience is over may have taken the event or not: it is told again under the same id.
func TestCaseOfAnAnswerThatComesTooLate(t *testing.T) {
	s := &shop{answer: ok}
	first := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		late := first
		first = false
		s.ServeHTTP(httptest.NewRecorder(), r)
		if late {
			<-r.Context().Done()
		}
		w.WriteHeader(200)
	}))
	defer server.Close()
	b := sellingTo(t, server.URL, time.Second)
	b.deliver()
	if got := s.sent(); !slices.Equal(got, []string{"1-1"}) {
		t.Fatalf("sent %v", got)
	}
	b.e.config.Shop.Timeout = 15 * time.Second
	b.clock.move(time.Hour)
	b.deliver()
	b.clock.move(time.Hour)
	b.deliver()
	if want := []string{"1-1", "1-1"}; !slices.Equal(s.sent(), want) {
		t.Errorf("sent %v, want %v", s.sent(), want)
	}
	b.asks()
	b.sound()
}

// A shop whose certificate nobody vouches for is told nothing until it is mended.
func TestCaseOfAShopWithoutATrustedCertificate(t *testing.T) {
	s := &shop{answer: ok}
	server := httptest.NewUnstartedServer(s)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	b := sellingTo(t, server.URL, 15*time.Second)
	b.deliver()
	if got := s.sent(); len(got) != 0 {
		t.Fatalf("sent %v to a shop that anybody can be", got)
	}
	b.e.http = server.Client() // which trusts it
	b.clock.move(time.Hour)
	b.deliver()
	b.clock.move(time.Hour)
	b.deliver()
	if want := []string{"1-1"}; !slices.Equal(s.sent(), want) {
		t.Errorf("sent %v, want %v", s.sent(), want)
	}
	b.asks()
	b.sound()
}
