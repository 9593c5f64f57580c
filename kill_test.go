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
	"slices"
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

// TestKill kills the server again and again while payments are registered, paid, refunded, closed and claimed, and a
// person decides what no machine can. What was acknowledged must be there, and nothing may have been done twice.
func TestKill(t *testing.T) {
	kills := killCount(t)
	k := newKilling(t)
	load, stop := make(chan struct{}), sync.OnceFunc(k.cancel)
	defer stop()
	server := k.place.serve()
	k.place.ready()
	k.maria.signsIn()
	var workers sync.WaitGroup
	for w := range killWorkers {
		workers.Go(func() { k.work(load, w) })
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
	close(load)
	workers.Wait()
	k.await()
	stop()
	k.place.stop(server)
	k.place.call("check", "--db")
	k.verify()
}

// killing is the outside of the test: what was acknowledged to it and what it was told.
type killing struct {
	t      *testing.T
	ctx    context.Context // ends with the test: nothing is insisted on any more
	cancel context.CancelFunc
	place  *place
	shop   *listener
	maria  *person
	header http.Header

	mu       sync.Mutex
	steps    int              // acknowledged so far
	tales    map[string]*tale // those that came to their end, by reference
	strays   []string         // references of acknowledged notices that nobody registered
	repeated int              // forms that were sent again though they were acknowledged
}

func newKilling(t *testing.T) *killing {
	raw := make([]byte, 32)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	secret := "whsec_" + base64.StdEncoding.EncodeToString(raw)
	shop := newListener(t, secret)
	rest := fmt.Sprintf("\n[shop]\nurl = %q\ntimeout = \"1s\"\nsecrets = [\"env:SHOP_SECRET\"]\n%s", shop.url, smartpay)
	k := &killing{t: t, shop: shop, tales: map[string]*tale{}}
	k.ctx, k.cancel = context.WithCancel(t.Context())
	k.place = newPlace(t, rest, "SHOP_SECRET="+secret, "SMARTPAY_SECRET="+smartpaySecret)
	k.header = http.Header{"Authorization": {"Bearer " + k.place.call("token", "add", "kill test")}, "Content-Type": {"application/json"}}
	k.maria = newPerson(k, k.place.call("user", "add", "maria"))
	return k
}

// work is one payer after the other: each lives one of the tales, and one of four is known to nobody.
func (k *killing) work(end <-chan struct{}, worker int) {
	pace := time.NewTicker(killPace)
	defer pace.Stop()
	for i := 0; ; i++ {
		select {
		case <-end:
			return
		case <-k.ctx.Done():
			return
		case <-pace.C:
		}
		ref := fmt.Sprintf("K-%d-%d", worker, i)
		if i%4 == 3 {
			if k.notice(ref, "SP-"+ref, "12.50") {
				k.mu.Lock()
				k.strays = append(k.strays, ref)
				k.mu.Unlock()
			}
			continue
		}
		t := &tales[(worker+i-i/4)%len(tales)]
		if k.register(ref) && t.happens(k, ref) {
			k.mu.Lock()
			k.tales[ref] = t
			k.mu.Unlock()
		}
	}
}

// progress waits until so many more steps are acknowledged.
func (k *killing) progress(server *process, more int) {
	k.t.Helper()
	count := func() int {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.steps
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

// insist repeats a request until it is answered with one of the statuses that are wanted, and gives the answer; false when
// the test ended first. No other answer than 503 may come from a server that is there.
func (k *killing) insist(what string, do func() (int, string, error), want ...int) (answer string, done bool) {
	for k.ctx.Err() == nil {
		status, answer, err := do()
		switch {
		case err == nil && slices.Contains(want, status):
			k.mu.Lock()
			k.steps++
			k.mu.Unlock()
			return answer, true
		case err == nil && status != http.StatusServiceUnavailable:
			k.t.Errorf("%s: answered %d, want one of %v\n%s", what, status, want, answer)
			return "", false
		}
		k.rest()
	}
	return "", false
}

// rest lets a moment pass before something is tried again.
func (k *killing) rest() {
	select {
	case <-time.After(5 * time.Millisecond):
	case <-k.ctx.Done():
	}
}

// again counts what was sent once more on purpose.
func (k *killing) again() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.repeated++
}

// call makes a request of the API until it is answered as wanted.
func (k *killing) call(method, path, body string, want ...int) (string, bool) {
	return k.insist(method+" "+path+" "+body, func() (int, string, error) {
		return send(method, "http://"+k.place.private+path, body, k.header)
	}, want...)
}

func (k *killing) register(ref string) bool {
	body := fmt.Sprintf(`{"gateway":"smartpay","merchant_ref":%q,"amount":"12.50","currency":"PHP"}`, ref)
	_, done := k.call("POST", "/v1/payments", body, http.StatusCreated, http.StatusOK)
	return done
}

// notice has the gateway say that a payment is paid.
func (k *killing) notice(ref, id, amount string) bool {
	return k.notify(fmt.Sprintf(`{"gateway_ref":%q,"merchant_ref":%q,"status":"SUCCESS","amount":%q,"currency":"PHP"}`, id, ref, amount))
}

// refund has it say that a part went back.
func (k *killing) refund(ref, id, amount string) bool {
	return k.notify(fmt.Sprintf(`{"kind":"refund","gateway_ref":"%s-%s","payment_ref":"SP-%s","merchant_ref":%q,"status":"SUCCESS","amount":%q,"currency":"PHP"}`, id, ref, ref, ref, amount))
}

func (k *killing) notify(body string) bool {
	mac := hmac.New(sha256.New, []byte(smartpaySecret))
	mac.Write([]byte(body))
	header := http.Header{"X-Signature": {hex.EncodeToString(mac.Sum(nil))}, "Content-Type": {"application/json"}}
	answer, done := k.insist("notice "+body, func() (int, string, error) {
		return send("POST", "http://"+k.place.public+"/hooks/smartpay", body, header)
	}, http.StatusOK)
	if done && answer != "SUCCESS" {
		k.t.Errorf("acknowledged with %q", answer)
	}
	return done
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
	lived := map[string]int{}
	for ref, t := range k.tales {
		lived[t.name]++
		k.see(db, ref, t.verify)
	}
	for _, ref := range k.strays {
		k.see(db, ref, func(rx *store.Rx, ref string) error { return stored(rx, "SP-"+ref+":SUCCESS", "parked") })
	}
	if len(lived) < len(tales) || len(k.strays) == 0 || k.repeated == 0 {
		k.t.Errorf("too little happened to prove anything: %v, %d strays, %d sent again", lived, len(k.strays), k.repeated)
	}
	k.t.Logf("%d steps acknowledged, %d sent again, %d strays, %d events taken, tales %v", k.steps, k.repeated, len(k.strays), len(k.shop.events), lived)
}

func (k *killing) see(db *store.DB, ref string, look func(*store.Rx, string) error) {
	if err := db.View(k.t.Context(), "verify", func(rx *store.Rx) error { return look(rx, ref) }); err != nil {
		k.t.Errorf("%s: %v", ref, err)
	}
}

// stored wants an acknowledged notice stored once, in a state.
func stored(rx *store.Rx, key, state string) error {
	items, err := rx.Items(store.InboxFilter{Gateway: "smartpay", Query: key, Limit: 10})
	if err != nil {
		return err
	}
	if len(items) != 1 || items[0].State != state {
		return fmt.Errorf("the acknowledged notice %s is stored %d times, want once and %s: %+v", key, len(items), state, items)
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
	events map[string]string   // body by event id
	told   map[string][]string // types by merchant reference, in the order in which they first came
	keys   map[string]string   // merchant reference by fulfil key
}

func newListener(t *testing.T, secret string) *listener {
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t, secret: secret, hook: hook, events: map[string]string{}, told: map[string][]string{}, keys: map[string]string{}}
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
	before, known := l.events[id]
	if known && before != string(body) {
		l.t.Errorf("event %s came with another body:\n%s\n%s", id, before, body)
	}
	l.events[id] = string(body)
	if !known {
		l.told[e.Data.MerchantRef] = append(l.told[e.Data.MerchantRef], e.Type)
	}
	if e.Data.FulfilKey == "" {
		return
	}
	if before := l.keys[e.Data.FulfilKey]; before != "" && before != e.Data.MerchantRef {
		l.t.Errorf("%s was handed out twice, for %s and %s", e.Data.FulfilKey, before, e.Data.MerchantRef)
	}
	l.keys[e.Data.FulfilKey] = e.Data.MerchantRef
}

func (l *listener) toldOf(ref string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.told[ref])
}

// await waits until the shop was told of each tale as it went, each thing once and in order.
func (k *killing) await() {
	deadline := time.Now().Add(90 * time.Second)
	for ref, t := range k.tales {
		for len(k.shop.toldOf(ref)) < len(t.events) && time.Now().Before(deadline) {
			k.rest()
		}
		if told := k.shop.toldOf(ref); !slices.Equal(told, t.events) {
			k.t.Errorf("%s (%s): the shop was told %v, want %v", ref, t.name, told, t.events)
		}
	}
}
