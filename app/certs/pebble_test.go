package certs

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/certs/testca"
	"nodrop/store"
)

const challengePath = "/.well-known/acme-challenge/"

// port80 is where the authority looks for answers; what answers there can be set later.
type port80 struct {
	port   int
	answer func(string) (string, bool)
}

func newPort80(t *testing.T) *port80 {
	t.Helper()
	p := &port80{answer: func(string) (string, bool) { return "", false }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text, ok := p.answer(strings.TrimPrefix(r.URL.Path, challengePath)); ok {
			fmt.Fprint(w, text)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	p.port = server.Listener.Addr().(*net.TCPAddr).Port
	return p
}

// newAuthority starts an authority and gives what a keeper needs to ask it for two names.
func newAuthority(t *testing.T, o testca.Options) (*testca.CA, *port80, Options) {
	t.Helper()
	gate := newPort80(t)
	o.Port = gate.port
	ca := testca.Start(t, o)
	return ca, gate, Options{Store: openStore(t), ACME: ACME{Directory: ca.Directory, Roots: ca.Roots, Email: "owner@nodrop.test"}, Sites: []Site{{Host: "pay.nodrop.test", Listener: "public"}}}
}

// now is real: the authority goes by the machine's clock.
func now() time.Time { return time.Now().Truncate(time.Second) }

func TestAuthorityGivesTheConfiguredNamesAlone(t *testing.T) {
	t.Parallel()
	ca, gate, o := newAuthority(t, testca.Options{Lifetime: 90 * day})
	o.Sites = append(o.Sites, Site{Host: "admin.nodrop.test", Listener: "private"})
	b := newBench(t, now(), o).load(t)
	gate.answer = b.Answer
	if st := b.Statuses()[0]; st.Trouble != Missing || !st.Urgent || st.EndsMs != 0 {
		t.Errorf("before the first certificate: %+v", st)
	}
	both := b.TLS("public", "private")
	if _, err := b.shake(t, both, &tls.Config{ServerName: "pay.nodrop.test", RootCAs: ca.Issuer}); err == nil {
		t.Error("a handshake without a certificate")
	}
	if wait := b.look(t.Context()); wait != time.Hour {
		t.Errorf("looks again in %s, want an hour", wait)
	}
	b.clock.move(time.Minute) // the authority's clock has gone on meanwhile
	for _, host := range []string{"pay.nodrop.test", "admin.nodrop.test"} {
		state, err := b.shake(t, both, &tls.Config{ServerName: host, RootCAs: ca.Issuer})
		if err != nil {
			t.Fatalf("%s: %v\n%s", host, err, b.log)
		}
		if n := len(state.PeerCertificates); n != 2 || state.PeerCertificates[0].DNSNames[0] != host {
			t.Errorf("%s: %d certificates, the first for %v; want leaf and issuer", host, n, state.PeerCertificates[0].DNSNames)
		}
	}
	if _, err := b.shake(t, both, &tls.Config{ServerName: "other.nodrop.test", RootCAs: ca.Issuer}); err == nil || !strings.Contains(err.Error(), "unrecognized name") {
		t.Errorf("a foreign name: %v", err)
	}
	if got := ca.Orders(); !slices.Equal(got, []string{"pay.nodrop.test", "admin.nodrop.test"}) {
		t.Errorf("ordered %q", got)
	}
	if text := b.log.String(); strings.Contains(text, "PRIVATE") || strings.Count(text, "a certificate was obtained") != 2 {
		t.Errorf("log:\n%s", text)
	}
	if text, ok := b.Answer("anything"); ok {
		t.Errorf("an unknown token is answered %q", text)
	}
}

func TestRestartServesTheStoredCertificateAndAsksNobody(t *testing.T) {
	t.Parallel()
	ca, gate, o := newAuthority(t, testca.Options{Lifetime: 90 * day})
	first := newBench(t, now(), o).load(t)
	gate.answer = first.Answer
	first.look(t.Context())
	before := first.status(t)

	ca.Break(func(w http.ResponseWriter, r *http.Request) { t.Errorf("asked after the restart: %s", r.URL) })
	again := newBench(t, now(), o).load(t)
	if st := again.status(t); st.EndsMs != before.EndsMs || st.Trouble != Fine || st.EndsMs == 0 {
		t.Errorf("after the restart %+v, before %+v", st, before)
	}
	again.look(t.Context())
	if _, err := again.shake(t, again.TLS("public"), &tls.Config{ServerName: "pay.nodrop.test", RootCAs: ca.Issuer}); err != nil {
		t.Error(err)
	}
}

func TestShortLivedCertificateIsRenewedAtHalfOfItsLife(t *testing.T) {
	t.Parallel()
	ca, gate, o := newAuthority(t, testca.Options{Lifetime: 100 * time.Second})
	b := newBench(t, now(), o).load(t)
	gate.answer = b.Answer
	b.look(t.Context())
	ends := b.status(t).EndsMs
	b.clock.at = time.UnixMilli(ends).Add(-51 * time.Second)
	if wait := b.look(t.Context()); wait < time.Second || wait > 2*time.Second || len(ca.Orders()) != 1 {
		t.Fatalf("51 s before the end: %d orders, looks again in %s", len(ca.Orders()), wait)
	}
	b.clock.at = time.UnixMilli(ends).Add(-49 * time.Second)
	b.look(t.Context())
	if len(ca.Orders()) != 2 || b.status(t).EndsMs < ends {
		t.Errorf("49 s before the end: %d orders, ends %d, before %d\n%s", len(ca.Orders()), b.status(t).EndsMs, ends, b.log)
	}
	var stored store.Certificate
	if err := o.Store.View(t.Context(), "look", func(rx *store.Rx) (err error) {
		stored, _, err = rx.Certificate(ca.Directory, "pay.nodrop.test")
		return err
	}); err != nil || stored.ObtainedMs != b.clock.now().UnixMilli() {
		t.Errorf("stored one of %d, %v", stored.ObtainedMs, err)
	}
}

func TestAuthorityThatIsDownIsAskedAgainEverMoreSeldom(t *testing.T) {
	t.Parallel()
	ca, gate, o := newAuthority(t, testca.Options{Lifetime: 90 * day})
	ca.Break(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "down", http.StatusServiceUnavailable) })
	b := newBench(t, now(), o).load(t)
	gate.answer = b.Answer
	for i, minutes := range []time.Duration{1, 2, 5, 10, 20, 40, 60, 60} {
		b.look(t.Context())
		st := b.status(t)
		least := b.clock.now().Add(minutes * time.Minute)
		if st.Tries != int64(i+1) || st.NextMs < least.UnixMilli() || st.NextMs > least.Add(minutes*6*time.Second).UnixMilli() {
			t.Fatalf("after failure %d: %+v, want a pause of %d min and at most a tenth more", i+1, st, minutes)
		}
		b.clock.at = time.UnixMilli(st.NextMs).Add(-time.Second)
		if b.look(t.Context()); b.status(t).Tries != st.Tries {
			t.Fatalf("asked a second too early, after failure %d", i+1)
		}
		b.clock.move(time.Second)
	}
	if text := b.log.String(); strings.Count(text, "no certificate was obtained") != 8 || !strings.Contains(text, "acme.directory can be reached") ||
		strings.Count(text, "nobody can connect") != 1 {
		t.Errorf("log:\n%s", text)
	}
	ca.Mend()
	b.look(t.Context())
	if st := b.status(t); st.Trouble != Fine || st.Tries != 0 || st.Error != "" {
		t.Errorf("when it is up again: %+v\n%s", st, b.log)
	}
	if st := newBench(t, b.clock.now(), o).load(t).status(t); st.Tries != 0 || st.EndsMs == 0 {
		t.Errorf("a new server knows %+v", st)
	}
}

func TestAuthorityNamesItsTime(t *testing.T) {
	t.Parallel()
	ca, _, o := newAuthority(t, testca.Options{Lifetime: 90 * day})
	ca.Break(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			w.Header().Set("Replay-Nonce", "n0nce")
			return
		}
		if r.Method == http.MethodGet {
			fmt.Fprintf(w, `{"newNonce":%[1]q,"newAccount":%[1]q,"newOrder":%[1]q}`, ca.Directory)
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "7200")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many failed authorizations recently","status":429}`)
	})
	b := newBench(t, now(), o).load(t)
	b.look(t.Context())
	want := b.clock.now().Add(2 * time.Hour).UnixMilli()
	if st := b.status(t); st.NextMs != want || !strings.Contains(st.Error, "too many failed authorizations") {
		t.Errorf("next try %d, want %d: %+v", st.NextMs, want, st)
	}
	if !strings.Contains(b.log.String(), "the authority has had too many tries") {
		t.Errorf("log:\n%s", b.log)
	}
	if st := newBench(t, b.clock.now(), o).load(t).status(t); st.NextMs != want {
		t.Errorf("a restart moves the next try to %d, want %d", st.NextMs, want)
	}
}

func TestNameThatLeadsNowhereIsSaidSo(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"pay.nowhere.test": "let pay.nowhere.test lead to this machine's public address", // no address in the DNS
		"pay.nodrop.test":  "let port 80 of pay.nodrop.test reach acme.listen",           // something else answers there
	} {
		_, _, o := newAuthority(t, testca.Options{Lifetime: 90 * day})
		o.Sites = []Site{{Host: host, Listener: "public"}}
		b := newBench(t, now(), o).load(t)
		b.look(t.Context())
		if st := b.status(t); st.Tries != 1 || !strings.Contains(st.Error, "prove "+host) || !strings.Contains(st.Error, want) || !strings.Contains(b.log.String(), want) {
			t.Errorf("%s: %+v\n%s", host, st, b.log)
		}
	}
}

func TestAccountThatIsBoundToAnother(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef0123456789abcdef")
	_, gate, o := newAuthority(t, testca.Options{Lifetime: 90 * day, KeyID: "kid-1", Key: base64.RawURLEncoding.EncodeToString(key)})
	unbound := newBench(t, now(), o).load(t)
	gate.answer = unbound.Answer
	unbound.look(t.Context())
	if !strings.Contains(unbound.log.String(), "set acme.key_id and acme.key") {
		t.Errorf("without the binding:\n%s", unbound.log)
	}
	o.ACME.KeyID, o.ACME.Key = "kid-1", key
	bound := newBench(t, now().Add(time.Hour), o).load(t)
	gate.answer = bound.Answer
	bound.look(t.Context())
	if st := bound.status(t); st.Trouble != Fine {
		t.Errorf("with the binding: %+v\n%s", st, bound.log)
	}
}

func TestForgottenAccountIsMadeAgain(t *testing.T) {
	t.Parallel()
	_, gate, o := newAuthority(t, testca.Options{Lifetime: 90 * day})
	first := newBench(t, now(), o).load(t)
	gate.answer = first.Answer
	first.look(t.Context())

	other, gate, next := newAuthority(t, testca.Options{Lifetime: 90 * day})
	next.Store = o.Store
	if err := o.Store.Update(t.Context(), "copy the account", func(tx *store.Tx) error {
		key, err := tx.ACMEAccount(o.ACME.Directory)
		if err != nil || key == "" {
			t.Errorf("account key of %d bytes, %v", len(key), err)
		}
		return tx.SetACMEAccount(other.Directory, key)
	}); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, now(), next).load(t)
	gate.answer = b.Answer
	if st := b.status(t); st.Trouble != Missing {
		t.Errorf("a certificate of another authority is used: %+v", st)
	}
	b.look(t.Context())
	if st := b.status(t); st.Trouble != Fine {
		t.Errorf("%+v\n%s", st, b.log)
	}
}
