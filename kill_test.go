package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	random "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"nodrop/app"
	"nodrop/app/config"
	"nodrop/store"
)

const (
	smartpaySecret = "kill-test-secret"
	killWorkers    = 8
	killPace       = 20 * time.Millisecond // least time of one worker for one payment
)

// killCount is how often the server is killed.
func killCount(t *testing.T) int {
	if text := os.Getenv("NODROP_KILLS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("NODROP_KILLS=%q is no number", text)
		}
		return n
	}
	if testing.Short() {
		return 5
	}
	return 25
}

// TestKill kills the server again and again while payments are registered and paid. What was acknowledged must be
// there, and nothing may have been done twice.
func TestKill(t *testing.T) {
	kills := killCount(t)
	k := newKilling(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var load sync.WaitGroup
	server := k.place.serve()
	k.place.ready()
	for w := range killWorkers {
		load.Go(func() { k.work(ctx, w) })
	}
	chance := random.New(random.NewPCG(7, uint64(kills)))
	for range kills {
		if chance.IntN(4) > 0 { // else it is killed while it starts
			k.progress(server, 1+chance.IntN(20))
		}
		time.Sleep(time.Duration(chance.Int64N(int64(60 * time.Millisecond))))
		server.kill(t)
		server = k.place.serve()
	}
	k.place.ready()
	cancel()
	load.Wait()
	k.shop.await(t, k.paid())
	k.place.stop(server)
	k.verify()
}

// killing is the outside of the test: what was acknowledged to it and what it was told.
type killing struct {
	t      *testing.T
	place  *place
	shop   *listener
	header http.Header

	mu         sync.Mutex
	registered map[string]bool // acknowledged registrations, by reference
	noticed    map[string]bool // acknowledged notices, by reference
	repeated   int             // of them sent twice on purpose
}

func newKilling(t *testing.T) *killing {
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	secret := "whsec_" + base64.StdEncoding.EncodeToString(raw)
	shop := newListener(t, secret)
	rest := fmt.Sprintf("\n[shop]\nurl = %q\ntimeout = \"1s\"\nsecrets = [\"env:SHOP_SECRET\"]\n%s", shop.url, smartpay)
	k := &killing{t: t, shop: shop, registered: map[string]bool{}, noticed: map[string]bool{}}
	k.place = newPlace(t, rest, "SHOP_SECRET="+secret, "SMARTPAY_SECRET="+smartpaySecret)
	k.header = http.Header{"Authorization": {"Bearer " + k.place.call("token", "add", "kill test")}, "Content-Type": {"application/json"}}
	return k
}

// work is one payer after the other: two of three payments are registered, all are paid, some notices come twice.
func (k *killing) work(ctx context.Context, worker int) {
	pace := time.NewTicker(killPace)
	defer pace.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		ref := fmt.Sprintf("K-%d-%d", worker, i)
		if i%3 != 2 && k.insist(ctx, http.StatusCreated, http.StatusOK, func() (int, error) { return k.register(ref) }) {
			k.note(k.registered, ref)
		}
		if k.insist(ctx, http.StatusOK, http.StatusOK, func() (int, error) { return k.notify(ref) }) {
			k.note(k.noticed, ref)
		}
		if i%5 == 0 && k.insist(ctx, http.StatusOK, http.StatusOK, func() (int, error) { return k.notify(ref) }) {
			k.mu.Lock()
			k.repeated++
			k.mu.Unlock()
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
	}
}

// progress waits until so many more notices are acknowledged.
func (k *killing) progress(server *process, more int) {
	k.t.Helper()
	count := func() int {
		k.mu.Lock()
		defer k.mu.Unlock()
		return len(k.noticed)
	}
	deadline := time.Now().Add(30 * time.Second)
	for goal := count() + more; count() < goal; time.Sleep(time.Millisecond) {
		select {
		case <-server.ended:
			k.t.Fatalf("the server ended by itself: %v\n%s", server.result, server.log.String())
		default:
		}
		if time.Now().After(deadline) {
			k.t.Fatal("nothing is acknowledged any more")
		}
	}
}

func (k *killing) note(set map[string]bool, ref string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	set[ref] = true
}

// insist repeats a request until it is answered with one of two statuses; false when the test ended first. No other
// answer than 503 may come from a server that is there.
func (k *killing) insist(ctx context.Context, first, second int, do func() (int, error)) bool {
	for ctx.Err() == nil {
		status, err := do()
		switch {
		case err == nil && (status == first || status == second):
			return true
		case err == nil && status != http.StatusServiceUnavailable:
			k.t.Errorf("answered %d, want %d or %d", status, first, second)
			return false
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return false
}

func (k *killing) register(ref string) (int, error) {
	body := fmt.Sprintf(`{"gateway":"smartpay","merchant_ref":%q,"amount":"12.50","currency":"PHP"}`, ref)
	status, _, err := send("POST", "http://"+k.place.private+"/v1/payments", body, k.header)
	return status, err
}

func (k *killing) notify(ref string) (int, error) {
	body := fmt.Sprintf(`{"gateway_ref":"SP-%s","merchant_ref":%q,"status":"SUCCESS","amount":"12.50","currency":"PHP"}`, ref, ref)
	mac := hmac.New(sha256.New, []byte(smartpaySecret))
	mac.Write([]byte(body))
	header := http.Header{"X-Signature": {hex.EncodeToString(mac.Sum(nil))}, "Content-Type": {"application/json"}}
	status, answer, err := send("POST", "http://"+k.place.public+"/hooks/smartpay", body, header)
	if err == nil && status == http.StatusOK && answer != "SUCCESS" {
		err = fmt.Errorf("acknowledged with %q", answer)
	}
	return status, err
}

// paid are the payments that were registered and paid, both acknowledged.
func (k *killing) paid() []string {
	var list []string
	for ref := range k.noticed {
		if k.registered[ref] {
			list = append(list, ref)
		}
	}
	return list
}

// verify reads the database that is left.
func (k *killing) verify() {
	cfg, err := config.Load(filepath.Join(k.place.folder, "nodrop.toml"), config.Env{ReadFile: os.ReadFile, Getenv: func(name string) (string, bool) {
		return map[string]string{"SHOP_SECRET": k.shop.secret, "SMARTPAY_SECRET": smartpaySecret}[name], true
	}})
	if err != nil {
		k.t.Fatal(err)
	}
	db, err := store.Open(k.t.Context(), filepath.Join(k.place.folder, "nodrop.db"), store.Options{})
	if err != nil {
		k.t.Fatal(err)
	}
	defer db.Close()
	engine, err := app.New(app.Options{Store: db, Config: cfg, Now: time.Now, Random: rand.Reader, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		k.t.Fatal(err)
	}
	broken, err := engine.CheckAll(k.t.Context())
	if err != nil || len(broken) > 0 {
		k.t.Errorf("the database is not sound: %v %q", err, broken)
	}
	if len(k.paid()) == 0 || len(k.noticed) == len(k.paid()) || k.repeated == 0 {
		k.t.Errorf("too little happened to prove anything: %d notices, %d of registered payments, %d sent twice", len(k.noticed), len(k.paid()), k.repeated)
	}
	for ref := range k.registered {
		k.see(db, ref, k.verifyRegistered)
	}
	for ref := range k.noticed {
		k.see(db, ref, k.verifyNotice)
	}
	k.t.Logf("%d registrations and %d notices acknowledged, %d events taken", len(k.registered), len(k.noticed), len(k.shop.events))
}

func (k *killing) see(db *store.DB, ref string, look func(*store.Rx, string) error) {
	if err := db.View(k.t.Context(), "verify", func(rx *store.Rx) error { return look(rx, ref) }); err != nil {
		k.t.Errorf("%s: %v", ref, err)
	}
}

// verifyNotice wants an acknowledged notice stored once, and applied or parked.
func (k *killing) verifyNotice(rx *store.Rx, ref string) error {
	items, err := rx.Items(store.InboxFilter{Gateway: "smartpay", Query: "SP-" + ref + ":SUCCESS", Limit: 10})
	if err != nil {
		return err
	}
	state := "parked"
	if k.registered[ref] {
		state = "done"
	}
	if len(items) != 1 || items[0].State != state {
		return fmt.Errorf("the acknowledged notice is stored %d times, want once and %s: %+v", len(items), state, items)
	}
	return nil
}

// verifyRegistered wants one payment; if its notice was acknowledged it has succeeded, by one fact, told by one event.
func (k *killing) verifyRegistered(rx *store.Rx, ref string) error {
	list, err := rx.PaymentsByMerchantRef("smartpay", ref)
	if err != nil || len(list) != 1 {
		return fmt.Errorf("%d payments, want 1: %v", len(list), err)
	}
	p := list[0]
	events, err := rx.EventsOf(p.ID)
	if err != nil {
		return err
	}
	facts, err := rx.FactsOf(p.ID)
	if err != nil {
		return err
	}
	switch {
	case !k.noticed[ref] && p.State == "pending":
		return nil
	case p.State != "succeeded" || p.ReceivedMinor != 1250:
		return fmt.Errorf("stands as %s with %d received, want succeeded with 1250", p.State, p.ReceivedMinor)
	case len(facts) != 1:
		return fmt.Errorf("%d facts, want 1: %+v", len(facts), facts)
	case len(events) != 1 || events[0].Type != "payment.succeeded":
		return fmt.Errorf("%d events, want payment.succeeded alone: %+v", len(events), events)
	}
	return nil
}

// listener is the shop: it checks each event and keeps what it was told.
type listener struct {
	t      *testing.T
	url    string
	secret string
	hook   *standardwebhooks.Webhook

	mu     sync.Mutex
	events map[string]string // body by event id
	paid   map[string]string // id of payment.succeeded by merchant reference
	keys   map[string]string // merchant reference by fulfil key
}

func newListener(t *testing.T, secret string) *listener {
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t, secret: secret, hook: hook, events: map[string]string{}, paid: map[string]string{}, keys: map[string]string{}}
	s := httptest.NewServer(l)
	t.Cleanup(s.Close)
	l.url = s.URL
	return l
}

func (l *listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the server was killed while it sent
	}
	if err := l.hook.Verify(body, r.Header); err != nil {
		l.t.Errorf("an event is not signed as it must be: %v", err)
	}
	var e struct {
		Type string
		Data struct {
			MerchantRef string `json:"merchant_ref"`
			FulfilKey   string `json:"fulfil_key"`
		}
	}
	if err := json.Unmarshal(body, &e); err != nil {
		l.t.Errorf("an event cannot be read: %v", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	id := r.Header.Get(standardwebhooks.HeaderWebhookID)
	if before, known := l.events[id]; known && before != string(body) {
		l.t.Errorf("event %s came with another body:\n%s\n%s", id, before, body)
	}
	l.events[id] = string(body)
	if e.Type != "payment.succeeded" {
		l.t.Errorf("%s was told, want payment.succeeded only", e.Type)
	}
	if before := l.paid[e.Data.MerchantRef]; before != "" && before != id {
		l.t.Errorf("%s was told as paid twice, as %s and %s", e.Data.MerchantRef, before, id)
	}
	if before := l.keys[e.Data.FulfilKey]; before != "" && before != e.Data.MerchantRef {
		l.t.Errorf("%s was handed out twice, for %s and %s", e.Data.FulfilKey, before, e.Data.MerchantRef)
	}
	l.paid[e.Data.MerchantRef], l.keys[e.Data.FulfilKey] = id, e.Data.MerchantRef
}

// await waits until every reference was told as paid.
func (l *listener) await(t *testing.T, refs []string) {
	deadline := time.Now().Add(90 * time.Second)
	for _, ref := range refs {
		for {
			l.mu.Lock()
			told := l.paid[ref] != ""
			l.mu.Unlock()
			if told {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s was acknowledged, and the shop was never told", ref)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}
