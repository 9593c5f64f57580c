package certs

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nodrop/store"
)

// given makes a chain as an authority gave it at the start.
func given(t *testing.T, lifetime time.Duration, linkEnds time.Time) *chain {
	t.Helper()
	root := (*signer)(nil).make(t, "Root", nil, span{start.AddDate(-9, 0, 0), start.AddDate(9, 0, 0)})
	issuer := root.make(t, "Issuer", nil, span{start.AddDate(-9, 0, 0), linkEnds})
	leaf := issuer.leaf(t, "pay.example.com", span{start, start.Add(lifetime)})
	c, err := parseChain(chainPEM(leaf, issuer), leaf.keyPEM(t), "pay.example.com")
	if err != nil {
		t.Fatal(err)
	}
	c.obtained = start
	return c
}

func TestRenewalIsDueInTime(t *testing.T) {
	never := start.AddDate(8, 0, 0)
	for _, c := range []struct {
		lifetime time.Duration
		linkEnds time.Time
		due      time.Duration // after the start
	}{
		{90 * day, never, 60 * day},
		{45 * day, never, 30 * day},
		{6 * day, never, 3 * day},
		{90 * day, start.Add(70 * day), 49 * day}, // 21 days before the issuer's own end
		{90 * day, start.Add(89 * day), 60 * day}, // the leaf's third comes first
		{90 * day, start.Add(20 * day), 7 * day},  // at most once a week
		{6 * day, start.Add(2 * day), 3 * day},
		{2 * time.Hour, never, time.Hour},
	} {
		got := renewalDue(given(t, c.lifetime, c.linkEnds), start).Sub(start)
		if got != c.due {
			t.Errorf("%s of life, issuer's end after %s: due after %s, want %s", c.lifetime, c.linkEnds.Sub(start), got, c.due)
		}
	}
}

// Let's Encrypt allows five failed validations of a name an hour, and one more every twelve minutes.
func TestFailuresStayWithinTheAuthoritysLimit(t *testing.T) {
	const most, refill = 5.0, 12 * time.Minute
	left, at := most, time.Duration(0)
	for try := int64(1); try <= 40; try++ {
		if left < 1 {
			t.Fatalf("try %d after %s is beyond the limit", try, at)
		}
		pause := pauseAfter(try, "pay.example.com")
		at += pause
		left = min(most, left-1+float64(pause)/float64(refill))
	}
	if restartPause < refill {
		t.Errorf("a server that is started again and again may ask every %s", restartPause)
	}
}

func TestRestartAfterFailures(t *testing.T) {
	failed := start.UnixMilli()
	hour := time.Hour.Milliseconds()
	for _, c := range []struct {
		name string
		f    store.CertificateFailure
		next int64
	}{
		{"early", store.CertificateFailure{Tries: 1, FailedMs: failed, NextMs: failed + 60_000}, failed + 60_000},
		{"late", store.CertificateFailure{Tries: 9, FailedMs: failed, NextMs: failed + hour}, failed + 12*60_000},
		{"held", store.CertificateFailure{Tries: 1, FailedMs: failed, NextMs: failed + 3*hour, Held: true}, failed + 3*hour},
	} {
		if got := afterRestart(c.f).NextMs; got != c.next {
			t.Errorf("%s: next %d, want %d", c.name, got, c.next)
		}
	}
}

func TestWrongClocksHammerNobody(t *testing.T) {
	root := (*signer)(nil).make(t, "Root", nil, span{start, start.AddDate(9, 0, 0)})
	asked := 0
	b := newBench(t, start.AddDate(1, 0, 0), Options{Store: openStore(t), Sites: []Site{{Host: "pay.example.com", Listener: "public"}}, ACME: ACME{Directory: "d"}}).load(t)
	b.obtain = func(context.Context, string) (store.Certificate, error) {
		asked++
		leaf := root.leaf(t, "pay.example.com", span{start, start.Add(90 * day)}) // the authority's clock is right
		return store.Certificate{Directory: "d", Host: "pay.example.com", Chain: string(chainPEM(leaf, root)), PrivateKey: string(leaf.keyPEM(t)), ObtainedMs: b.clock.now().UnixMilli()}, nil
	}
	for range 7 * 24 {
		b.look(t.Context())
		b.clock.move(time.Hour)
	}
	if asked != 1 || b.status(t).Trouble != Ended {
		t.Errorf("a clock that is a year ahead: asked %d times in a week, %+v", asked, b.status(t))
	}
	if n := strings.Count(b.log.String(), "look at the certificate"); n != 7 {
		t.Errorf("the log says it %d times in a week, want once a day", n)
	}
	b.clock.at = start.Add(59 * day) // put right
	if b.look(t.Context()); asked != 1 || b.status(t).Trouble != Fine {
		t.Errorf("once it is right: asked %d times, %+v", asked, b.status(t))
	}
	b.clock.at = start.Add(61 * day)
	if b.look(t.Context()); asked != 2 {
		t.Errorf("not renewed after the clock was set back: asked %d times", asked)
	}
	b.obtain = func(context.Context, string) (store.Certificate, error) {
		asked++
		return store.Certificate{}, errors.New("away")
	}
	b.clock.at = start.AddDate(2, 0, 0)
	b.look(t.Context())
	b.clock.at = start.Add(124 * day) // two thirds of the second one are over
	if b.look(t.Context()); asked != 4 {
		t.Errorf("a failure that lies in the future holds the next try back: asked %d times", asked)
	}
}

func TestLoopRenewsForYearsAndStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		root := (*signer)(nil).make(t, "Root", nil, span{began, began.AddDate(20, 0, 0)})
		var asked []time.Duration
		fail := errors.New("the authority is away")
		k := New(Options{Store: openStore(t), Sites: []Site{{Host: "pay.example.com", Listener: "public"}}, ACME: ACME{Directory: "https://ca.example/dir"},
			Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
		k.obtain = func(_ context.Context, host string) (store.Certificate, error) {
			since := time.Since(began)
			asked = append(asked, since.Round(time.Hour))
			if since > 100*day && since < 130*day {
				return store.Certificate{}, fail
			}
			leaf := root.leaf(t, host, span{time.Now(), time.Now().Add(90 * day)})
			return store.Certificate{Directory: "https://ca.example/dir", Host: host, Chain: string(chainPEM(leaf, root)), PrivateKey: string(leaf.keyPEM(t)), ObtainedMs: time.Now().UnixMilli()}, nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			k.Run(ctx)
			close(ended)
		}()
		time.Sleep(125 * day)
		synctest.Wait()
		if st := k.Statuses()[0]; st.Trouble != Fine || st.Tries < 100 {
			t.Errorf("25 days before the end, with renewal failing for five: %+v", st)
		}
		time.Sleep(4*day + 12*time.Hour)
		synctest.Wait()
		if st := k.Statuses()[0]; st.Trouble != Ending || st.Urgent || !strings.HasPrefix(st.Error, fail.Error()+"; ") {
			t.Errorf("20 days before the end, with renewal failing: %+v", st)
		}
		time.Sleep(270 * day)
		cancel()
		<-ended
		asked = slices.Compact(asked)
		good := slices.DeleteFunc(asked, func(d time.Duration) bool { return d > 120*day && d <= 130*day })
		want := []time.Duration{0, 60 * day, 120 * day, 130 * day, 190 * day, 250 * day, 310 * day, 370 * day}
		if !slices.EqualFunc(good, want, func(a, b time.Duration) bool { return (a - b).Abs() <= 2*time.Hour }) {
			t.Errorf("asked after %v, want %v", good, want)
		}
		if err := k.store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCertificateThatCannotBeStoredIsServedAndStoredLater(t *testing.T) {
	faults := &store.Faults{}
	db, err := store.Open(t.Context(), t.TempDir()+"/nodrop.db", store.Options{Faults: faults})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	root := (*signer)(nil).make(t, "Root", nil, span{start, start.AddDate(1, 0, 0)})
	leaf := root.leaf(t, "pay.example.com", span{start, start.Add(90 * day)})
	b := newBench(t, start, Options{Store: db, Sites: []Site{{Host: "pay.example.com", Listener: "public"}}, ACME: ACME{Directory: "d"}}).load(t)
	b.obtain = func(context.Context, string) (store.Certificate, error) {
		return store.Certificate{Directory: "d", Host: "pay.example.com", Chain: string(leaf.pem()), PrivateKey: string(leaf.keyPEM(t)), ObtainedMs: start.UnixMilli()}, nil
	}
	faults.Arm(store.FailStatement, 1)
	b.look(t.Context())
	if !faults.Fired() || b.status(t).EndsMs != leaf.link.NotAfter.UnixMilli() || !strings.Contains(b.log.String(), "is served but could not be stored") {
		t.Fatalf("fired %v, %+v\n%s", faults.Fired(), b.status(t), b.log)
	}
	if st := newBench(t, start, Options{Store: db, Sites: b.sitesOf(), ACME: ACME{Directory: "d"}}).load(t).status(t); st.Trouble != Missing {
		t.Errorf("stored although it failed: %+v", st)
	}
	b.look(t.Context())
	if st := newBench(t, start, Options{Store: db, Sites: b.sitesOf(), ACME: ACME{Directory: "d"}}).load(t).status(t); st.Trouble != Fine {
		t.Errorf("not stored at the next look: %+v", st)
	}
}

func TestStoppingCountsForNoFailure(t *testing.T) {
	b := newBench(t, start, Options{Store: openStore(t), Sites: []Site{{Host: "pay.example.com", Listener: "public"}}, ACME: ACME{Directory: "d"}}).load(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.obtain = func(ctx context.Context, _ string) (store.Certificate, error) {
		cancel()
		return store.Certificate{}, ctx.Err()
	}
	b.look(ctx)
	if st := b.status(t); st.Tries != 0 {
		t.Errorf("%+v", st)
	}
}

func TestUselessAnswerIsAFailure(t *testing.T) {
	leaf := (*signer)(nil).leaf(t, "other.example.com", span{start, start.Add(90 * day)})
	b := newBench(t, start, Options{Store: openStore(t), Sites: []Site{{Host: "pay.example.com", Listener: "public"}}, ACME: ACME{Directory: "d"}}).load(t)
	b.obtain = func(context.Context, string) (store.Certificate, error) {
		return store.Certificate{Directory: "d", Host: "pay.example.com", Chain: string(leaf.pem()), PrivateKey: string(leaf.keyPEM(t))}, nil
	}
	b.look(t.Context())
	if st := b.status(t); st.Tries != 1 || st.Trouble != Missing || !strings.Contains(st.Error, "is for other.example.com, not for pay.example.com") {
		t.Errorf("%+v", st)
	}
}

// sitesOf gives the sites as they were configured.
func (b *bench) sitesOf() (list []Site) {
	for _, s := range b.sites {
		list = append(list, s.Site)
	}
	return list
}
