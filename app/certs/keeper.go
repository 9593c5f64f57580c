// Package certs keeps the certificates of our own host names: it asks an ACME authority for them and renews them, or
// reads them from files; it hands them to TLS listeners and says how they stand.
package certs

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"nodrop/store"
)

// Site is one host name that is served by TLS.
type Site struct {
	Host        string // in lower case
	Listener    string // "public" or "private"
	Certificate string // path of a PEM file with the whole chain; "": asked for by ACME
	PrivateKey  string // path of a PEM file; set when Certificate is
}

func (s Site) files() bool { return s.Certificate != "" }

// Options is what a keeper is made of; every field but HTTP is required.
type Options struct {
	Store    *store.DB
	Sites    []Site
	ACME     ACME
	Now      func() time.Time
	Random   io.Reader // for keys
	Log      *slog.Logger
	ReadFile func(string) ([]byte, error)
	HTTP     *http.Client // for the authority; nil: one with our own limits
}

// Keeper holds the certificates of all host names. One loop looks after them.
type Keeper struct {
	store     *store.DB
	now       func() time.Time
	log       *slog.Logger
	readFile  func(string) ([]byte, error)
	directory string
	sites     []*site
	tokens    tokens
	obtain    func(ctx context.Context, host string) (store.Certificate, error)
}

// site is a host name with what is known of its certificate.
type site struct {
	Site
	mu      sync.Mutex
	current *chain // nil: none yet
	failure store.CertificateFailure
	unsaved *store.Certificate // obtained, and not yet in the database
	told    Status             // what the log has heard
	toldAt  time.Time
}

// New makes a keeper; it asks nobody before Run.
func New(o Options) *Keeper {
	k := &Keeper{store: o.Store, now: o.Now, log: o.Log, readFile: o.ReadFile, directory: o.ACME.Directory}
	for _, s := range o.Sites {
		k.sites = append(k.sites, &site{Site: s})
	}
	k.obtain = (&authority{ACME: o.ACME, store: o.Store, now: o.Now, random: o.Random, http: o.HTTP, tokens: &k.tokens}).obtain
	return k
}

// Load reads the certificates that are there already, so that a server that starts anew asks nobody.
func (k *Keeper) Load(ctx context.Context) error {
	for _, s := range k.sites {
		if s.files() {
			k.readFiles(s)
			continue
		}
		if err := k.loadStored(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (k *Keeper) loadStored(ctx context.Context, s *site) error {
	var row store.Certificate
	var failure store.CertificateFailure
	var known bool
	err := k.store.View(ctx, "certificate", func(rx *store.Rx) (err error) {
		if row, known, err = rx.Certificate(k.directory, s.Host); err != nil {
			return err
		}
		failure, err = rx.CertificateFailure(k.directory, s.Host)
		return err
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if failure.Tries > 0 {
		s.failure = afterRestart(failure)
	}
	if !known {
		return nil
	}
	c, err := chainOf(row)
	if err != nil {
		k.log.Error("the stored certificate cannot be used; another is asked for", "host", s.Host, "error", err)
		return nil
	}
	s.current = c
	return nil
}

// chainOf reads what an authority gave.
func chainOf(row store.Certificate) (*chain, error) {
	c, err := parseChain([]byte(row.Chain), []byte(row.PrivateKey), row.Host)
	if err == nil {
		c.obtained = time.UnixMilli(row.ObtainedMs)
	}
	return c, err
}

// How often the loop looks at least: clocks jump, machines sleep, files change.
const (
	longestWait  = time.Hour
	shortestWait = time.Second
	filesEvery   = time.Minute
)

// Run looks after the certificates until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	for ctx.Err() == nil && len(k.sites) > 0 {
		timer := time.NewTimer(k.look(ctx))
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// look does what is due for every site and tells when to look again.
func (k *Keeper) look(ctx context.Context) time.Duration {
	wait := longestWait
	for _, s := range k.sites {
		wait = min(wait, k.lookAt(ctx, s))
		k.tell(s)
	}
	return max(wait, shortestWait)
}

func (k *Keeper) lookAt(ctx context.Context, s *site) time.Duration {
	if s.files() {
		k.readFiles(s)
		return filesEvery
	}
	k.save(ctx, s)
	if wait := s.dueAt(k.now()).Sub(k.now()); wait > 0 {
		return wait
	}
	row, c, err := k.order(ctx, s.Host)
	switch {
	case ctx.Err() != nil && err != nil:
		return longestWait // we are stopping; that says nothing about the authority
	case err != nil:
		k.failed(ctx, s, err)
	default:
		k.take(ctx, s, row, c)
	}
	return s.dueAt(k.now()).Sub(k.now())
}

// orderWithin bounds one attempt, with all waiting for the authority.
const orderWithin = 5 * time.Minute

func (k *Keeper) order(ctx context.Context, host string) (store.Certificate, *chain, error) {
	ctx, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	k.log.Info("a certificate is asked for", "host", host, "directory", k.directory)
	row, err := k.obtain(ctx, host)
	if err != nil {
		return row, nil, err
	}
	c, err := chainOf(row)
	if err != nil {
		return row, nil, fmt.Errorf("the certificate that came for %s cannot be used: %w", host, err)
	}
	return row, c, nil
}

// take has a new certificate served at once, and keeps it.
func (k *Keeper) take(ctx context.Context, s *site, row store.Certificate, c *chain) {
	s.mu.Lock()
	s.current, s.unsaved, s.failure = c, &row, store.CertificateFailure{}
	s.mu.Unlock()
	now := k.now()
	k.log.Info("a certificate was obtained", "host", s.Host, "ends", c.ends(now).UTC(), "renewed_from", renewalDue(c, now).UTC())
	k.save(ctx, s)
}

// save writes a new certificate into the database; what fails is tried again at the next look.
func (k *Keeper) save(ctx context.Context, s *site) {
	if s.unsaved == nil {
		return
	}
	err := k.store.Update(ctx, "keep certificate", func(tx *store.Tx) error { return tx.SetCertificate(*s.unsaved) })
	if err != nil {
		k.log.Error("the new certificate is served but could not be stored; it is tried again", "host", s.Host, "error", err)
		return
	}
	s.unsaved = nil
}

// failed counts a failure, says what to do about it and sets the time of the next try.
func (k *Keeper) failed(ctx context.Context, s *site, cause error) {
	now := k.now()
	hold := holdOf(cause, now)
	s.mu.Lock()
	f := store.CertificateFailure{Directory: k.directory, Host: s.Host, Tries: s.failure.Tries + 1, FailedMs: now.UnixMilli(), Error: cause.Error() + "; " + remedyOf(cause, s.Host)}
	next := now.Add(pauseAfter(f.Tries, s.Host))
	if hold.After(next) {
		next, f.Held = hold, true
	}
	f.NextMs = next.UnixMilli()
	s.failure = f
	s.mu.Unlock()
	k.log.Warn("no certificate was obtained", "host", s.Host, "tries", f.Tries, "next", next.UTC(), "error", f.Error)
	err := k.store.Update(ctx, "certificate failure", func(tx *store.Tx) error { return tx.NoteCertificateFailure(f) })
	if err != nil {
		k.log.Warn("the failure could not be written down", "host", s.Host, "error", err)
	}
}

// readFiles takes a certificate from its files. A pair that is wrong, or half replaced, leaves the last good one.
func (k *Keeper) readFiles(s *site) {
	certificate, err := k.readFile(s.Certificate)
	key, err2 := k.readFile(s.PrivateKey)
	err = errors.Join(err, err2)
	var c *chain
	if err == nil {
		c, err = parseChain(certificate, key, s.Host)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		if s.failure.Error != err.Error() {
			k.log.Error("the certificate's files cannot be used; the last good ones are", "host", s.Host, "certificate", s.Certificate, "error", err)
		}
		s.failure = store.CertificateFailure{Tries: s.failure.Tries + 1, FailedMs: k.now().UnixMilli(), Error: err.Error()}
		return
	}
	s.failure = store.CertificateFailure{}
	if s.current != nil && slices.EqualFunc(s.current.whole.Certificate, c.whole.Certificate, slices.Equal) {
		return
	}
	s.current = c
	k.log.Info("a certificate was read", "host", s.Host, "certificate", s.Certificate, "ends", c.ends(k.now()).UTC())
	if c.lone() {
		k.log.Warn("the file holds no issuer's certificate, and many senders refuse that; put the whole chain into it", "host", s.Host, "certificate", s.Certificate)
	}
}

// remindEvery is how often the log hears of a trouble that lasts.
const remindEvery = day

// tell has the log hear of each trouble, again every day, and of its end.
func (k *Keeper) tell(s *site) {
	now := k.now()
	st := s.status(now)
	if same := st.Trouble == s.told.Trouble && st.Urgent == s.told.Urgent; same && (st.Trouble == Fine || now.Sub(s.toldAt) < remindEvery) {
		return
	}
	s.told, s.toldAt = st, now
	switch st.Trouble {
	case Fine:
		k.log.Info("the certificate is in order again", "host", s.Host)
	case Missing:
		k.log.Error("there is no certificate, so nobody can connect", "host", s.Host)
	default:
		k.log.Error("look at the certificate", "host", s.Host, "trouble", string(st.Trouble), "ends", time.UnixMilli(st.EndsMs).UTC())
	}
}

// due is when a certificate is asked for; the caller holds the lock.
func (s *site) due(now time.Time) time.Time {
	switch {
	case s.failure.Tries > 0 && s.failure.FailedMs > now.UnixMilli(): // the clock was set back
		return now
	case s.failure.Tries > 0:
		return time.UnixMilli(s.failure.NextMs)
	case s.current == nil:
		return now
	}
	return renewalDue(s.current, now)
}

func (s *site) dueAt(now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.due(now)
}

// Statuses says how each certificate stands, in the order of the sites.
func (k *Keeper) Statuses() []Status {
	now := k.now()
	list := make([]Status, len(k.sites))
	for i, s := range k.sites {
		list[i] = s.status(now)
	}
	return list
}

// Answer is what proves to the authority that a token of a challenge under way reached us.
func (k *Keeper) Answer(token string) (string, bool) { return k.tokens.get(token) }

var errNoCertificate = errors.New("there is no certificate for this name yet")

// TLS is the configuration of a listener that serves the sites of the listeners named. A sender that gives no name
// gets the certificate of the first of them; one that gives a foreign name gets none.
func (k *Keeper) TLS(listeners ...string) *tls.Config {
	var sites []*site
	for _, l := range listeners {
		for _, s := range k.sites {
			if s.Listener == l {
				sites = append(sites, s)
			}
		}
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
			for _, s := range sites {
				if name == "" || name == s.Host {
					return s.serve(k.now())
				}
			}
			return nil, nil // answered as an unrecognised name
		},
	}
}

func (s *site) serve(now time.Time) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil, errNoCertificate
	}
	return s.current.served(now), nil
}
