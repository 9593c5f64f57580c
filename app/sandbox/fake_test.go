package sandbox

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// local is a transport that calls handlers of this process by host name, so that
// a whole run fits into a synctest bubble.
type local map[string]http.Handler

func (l local) RoundTrip(r *http.Request) (*http.Response, error) {
	h := l[r.URL.Host]
	if h == nil {
		return nil, fmt.Errorf("nobody listens at %s", r.URL.Host)
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	done := make(chan *http.Response, 1)
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // http.ErrAbortHandler: the connection breaks
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		done <- w.Result()
	}()
	select {
	case res, ok := <-done:
		if !ok {
			return nil, io.ErrUnexpectedEOF
		}
		return res, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// fake is a small nodrop: enough of the rules to settle every story rightly, and
// switches that break them on purpose.
type fake struct {
	o      Options
	t      *testing.T
	broken string // the rule that is broken
	ctx    context.Context
	work   sync.WaitGroup

	mu     sync.Mutex
	off    bool
	all    []*fakePayment
	events map[string][]Event // by order, not yet told
	feed   []Event
	busy   map[string]bool // orders that are being told
	dedupe map[string]bool
	parked []fakeNotice
	claims map[string]string // key: owner, "" once done
	keys   map[string]bool   // orders that were paid
}

type fakePayment struct {
	NodropPayment
	gatewayID string
	created   time.Time
	giveUp    time.Duration
	wake      chan struct{}
	amount    int64
	paidAt    time.Time
	over      bool // failed or closed was told
	refunds   map[string]fakePart
	disputes  map[string]fakePart
	reviews   map[string]bool
	lastWord  string
}

type fakePart struct {
	status string
	amount int64
	at     time.Time
}

type fakeNotice struct {
	ID, Type string
	Created  time.Time
	Data     fakeData
}

type fakeData struct {
	ID, Payment, Reference, Status, Amount, Currency string
	Refunds                                          []fakeData
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	off := f.off
	f.mu.Unlock()
	if off {
		panic(http.ErrAbortHandler)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /hooks/sandbox", f.hook)
	mux.HandleFunc("POST /v1/payments", f.register)
	mux.HandleFunc("PATCH /v1/payments/{id}", f.link)
	mux.HandleFunc("GET /v1/payments", f.list)
	mux.HandleFunc("GET /v1/orders/{ref}", f.order)
	mux.HandleFunc("POST /v1/claims", f.claim)
	mux.HandleFunc("PUT /v1/claims/{key}/done", f.done)
	mux.HandleFunc("GET /v1/events", f.outbox)
	mux.ServeHTTP(w, r)
}

// genuine verifies by its own arithmetic: HMAC-SHA256 over "t.body", at most 300 s old.
func (f *fake) genuine(h string, body []byte) bool {
	t, sig, ok := strings.Cut(strings.TrimPrefix(h, "t="), ",v1=")
	unix, err := strconv.ParseInt(t, 10, 64)
	if !ok || err != nil || f.o.Now().Sub(time.Unix(unix, 0)).Abs() > 300*time.Second {
		return false
	}
	mac := hmac.New(sha256.New, []byte(f.o.HookSecret))
	fmt.Fprintf(mac, "%s.%s", t, body)
	return hex.EncodeToString(mac.Sum(nil)) == sig
}

func (f *fake) hook(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !f.genuine(r.Header.Get("Sandbox-Signature"), body) && f.broken != "signature" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var n fakeNotice
	if err := json.Unmarshal(body, &n); err != nil {
		f.t.Errorf("the notice %s cannot be read: %v", body, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.dedupe[n.ID] || f.broken == "dedupe" {
		f.dedupe[n.ID] = true
		if p := f.find(n.Data.Reference); p != nil {
			f.read(p, n, "notice")
		} else {
			f.parked = append(f.parked, n)
		}
	}
	_, _ = io.WriteString(w, "OK")
}

func (f *fake) find(reference string) *fakePayment {
	for _, p := range f.all {
		if p.MerchantRef == reference {
			return p
		}
	}
	return nil
}

func (f *fake) register(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Merchant string `json:"merchant_ref"`
		Order    string `json:"order_ref"`
		Amount   string
		Currency string
		GiveUp   string `json:"give_up_after"`
		Refs     []Ref  `json:"gateway_refs"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		f.t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if p := f.find(in.Merchant); p != nil {
		reply(w, http.StatusOK, p.NodropPayment)
		return
	}
	p := &fakePayment{created: f.o.Now(), wake: make(chan struct{}, 1), refunds: map[string]fakePart{}, disputes: map[string]fakePart{},
		reviews: map[string]bool{}, NodropPayment: NodropPayment{ID: fmt.Sprintf("p%05d", len(f.all)+1), MerchantRef: in.Merchant,
			OrderRef: in.Order, State: "pending", Amount: in.Amount, Currency: in.Currency}}
	p.amount, _ = minorUnits(in.Amount, in.Currency)
	p.giveUp, _ = time.ParseDuration(in.GiveUp)
	if len(in.Refs) > 0 {
		p.gatewayID = in.Refs[0].ID
	}
	f.all = append(f.all, p)
	for _, n := range f.parked {
		if n.Data.Reference == p.MerchantRef {
			f.read(p, n, "notice")
		}
	}
	f.work.Go(func() { f.ask(p) })
	reply(w, http.StatusCreated, p.NodropPayment)
}

func (f *fake) link(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Refs []Ref `json:"gateway_refs"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Refs) != 1 {
		f.t.Errorf("PATCH with %v: %v", in, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.all {
		if p.ID == r.PathValue("id") {
			p.gatewayID = in.Refs[0].ID
		}
	}
	reply(w, http.StatusOK, map[string]any{})
}

// list pages by 50.
func (f *fake) list(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	page := []NodropPayment{}
	for _, p := range f.all {
		if p.ID > r.URL.Query().Get("after") && len(page) < 50 {
			page = append(page, p.NodropPayment)
		}
	}
	reply(w, http.StatusOK, map[string]any{"payments": page})
}

func (f *fake) order(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	state := OrderState{Reviews: Words{}, SafeToChargeAgain: true}
	for _, p := range f.all {
		if p.OrderRef != r.PathValue("ref") {
			continue
		}
		for reason := range p.reviews {
			state.Reviews = append(state.Reviews, reason)
		}
		state.SafeToChargeAgain = state.SafeToChargeAgain && p.State == "failed"
	}
	if f.paidInOrder(r.PathValue("ref")) > 1 && !strings.Contains(f.broken, "duplicate") {
		state.Reviews = append(state.Reviews, "duplicate")
	}
	if f.broken == "review" {
		state.Reviews = Words{}
	}
	reply(w, http.StatusOK, state)
}

func (f *fake) paidInOrder(order string) int {
	n := 0
	for _, p := range f.all {
		if p.OrderRef == order && p.State == "succeeded" {
			n++
		}
	}
	return n
}

func (f *fake) claim(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Key, Owner string
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	f.mu.Lock()
	defer f.mu.Unlock()
	owner, taken := f.claims[in.Key]
	switch {
	case !taken || f.broken == "claims":
		f.claims[in.Key] = in.Owner
		w.WriteHeader(http.StatusCreated)
	case owner == in.Owner:
		w.WriteHeader(http.StatusOK)
	default:
		w.WriteHeader(http.StatusConflict)
	}
}

func (f *fake) done(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claims[r.PathValue("key")] = ""
	w.WriteHeader(http.StatusOK)
}

func (f *fake) outbox(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	page := []Event{}
	for _, e := range f.feed {
		if e.ID > r.URL.Query().Get("after") && len(page) < 100 {
			page = append(page, e)
		}
	}
	reply(w, http.StatusOK, page)
}
