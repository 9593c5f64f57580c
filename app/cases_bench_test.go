package app

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/store"
)

// The tests in the files cases_* hold one case each of the public reports of faults in other receivers, under its number.

// ownDefinition is a gateway that signs its notices, sends them in batches and is asked by reference.
const ownDefinition = `
title = "Own"
[[signature]]
kind = "hmac"
hash = "sha256"
encoding = "hex"
from = "{header:X-Signature}"
[notice]
items = "items"
dedupe = "eid"
[fields]
merchant_ref = "ref"
status = "status"
[[shape]]
when = { kind = "refund" }
kind = "refund"
refs = [{ kind = "payment", from = "pid" }]
ref = "rid"
cumulative = true
words = { done = "succeeded" }
amount = { from = "total_refunded", kind = "decimal_string", currency = "currency" }
[[shape]]
when = { kind = "single" }
kind = "refund"
refs = [{ kind = "payment", from = "pid" }]
ref = "rid"
words = { done = "succeeded" }
amount = { from = "amount", kind = "decimal_string", currency = "currency" }
[[shape]]
kind = "payment"
refs = [{ kind = "payment", from = "pid" }, { kind = "charge", from = "cid" }]
words = { paid = "succeeded", completed = "succeeded", "7" = "succeeded", failed = "failed", expired = "expired", waiting = "pending", busy = "processing" }
rule = [{ when = { status = "failed", reason = ["UNDERPAID", "OVERPAID"] }, word = "succeeded" }]
amount = { from = ["metadata.original_amount", "amount"], kind = "decimal_string", currency = "currency" }
[ack]
body = "OK"
[query]
base = { test = "https://own.example" }
auth = { kind = "bearer", token = "{api_key}" }
[[query.step]]
by = "merchant_ref"
path = "/r/{merchant_ref}"
success = { result = "0" }
not_found = [{ status = 200, when = { result = "140" } }]
`

// owning is a bench with the gateway "own" beside the sandbox; change edits its definition.
func owning(t *testing.T, change func(string) string, edit ...func(*config.Config, *Options)) (*bench, *answers) {
	t.Helper()
	definition := ownDefinition
	if change != nil {
		definition = change(definition)
	}
	spec, err := gateway.ParseSpec([]byte(definition), "custom")
	if err != nil {
		t.Fatal(err)
	}
	add := func(c *config.Config, _ *Options) {
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.BaseURL = "own", "custom", &spec, ""
		c.Gateways = append(c.Gateways, g)
	}
	b, a := asking(t, append([]func(*config.Config, *Options){add}, edit...)...)
	a.next = func(*http.Request) (int, http.Header, string) { return 200, nil, `{"result":140}` }
	return b, a
}

// own sends a batch of the gateway "own", works on it and checks the one acknowledgement.
func (b *bench) own(items ...string) {
	b.t.Helper()
	body := []byte(`{"items":[` + strings.Join(items, ",") + `]}`)
	r := gateway.Request{Method: http.MethodPost, Target: "/hooks/own", Header: http.Header{"X-Signature": {hexMAC(body)}}, Body: body, At: b.clock.now()}
	if ack, err := b.e.Accept(b.ctx(), "own", r); err != nil || ack.Status != 200 || string(ack.Body) != "OK" {
		b.t.Fatalf("notice: %d %s %v", ack.Status, ack.Body, err)
	}
	b.work()
}

// enter registers a payment at a gateway.
func (b *bench) enter(name, ref, order, amount, currency string, refs ...Ref) PaymentView {
	b.t.Helper()
	v, created, err := b.e.Register(b.ctx(), Registration{Gateway: name, MerchantRef: ref, OrderRef: order, Amount: amount, Currency: currency, GatewayRefs: refs})
	if err != nil || !created {
		b.t.Fatalf("register %s: created %v, %v", ref, created, err)
	}
	return v
}

// word is a sandbox notice about a payment in any currency; over replaces members of its data.
func (b *bench) word(ref, status, amount, currency string, over map[string]any) map[string]any {
	n := b.notice(ref, status, amount)
	data := n["data"].(map[string]any)
	data["currency"] = currency
	maps.Copy(data, over)
	return n
}

// tell has a sandbox notice arrive and works on it.
func (b *bench) tell(n map[string]any) {
	b.t.Helper()
	if ack := b.send(n); ack.Status != 200 {
		b.t.Fatalf("acknowledged with %d", ack.Status)
	}
	b.work()
}

// back is a sandbox notice about a refund or dispute of a payment.
func (b *bench) back(kind, ref, id, status, amount, currency string) map[string]any {
	b.ids++
	return map[string]any{"id": fmt.Sprintf("evt_%d", b.ids), "type": kind, "livemode": false, "created": b.clock.now().Format(time.RFC3339),
		"data": map[string]any{"id": id, "payment": "sbx_" + ref, "reference": ref, "status": status, "amount": amount, "currency": currency}}
}

// reply is what the sandbox says of one payment; refunds are the members of its list.
func reply(ref, status, amount, currency, refunds string) func(*http.Request) (int, http.Header, string) {
	return listed(func(*http.Request) (int, http.Header, string) {
		return 200, nil, fmt.Sprintf(`{"id":"sbx_%s","reference":%q,"status":%q,"amount":%q,"currency":%q,"account":"shop","refunds":[%s]}`, ref, ref, status, amount, currency, refunds)
	})
}

// replies answers by reference, or by the sandbox's id of it; what it does not hold is not found.
func replies(about map[string]func(*http.Request) (int, http.Header, string)) func(*http.Request) (int, http.Header, string) {
	return func(r *http.Request) (int, http.Header, string) {
		ref := r.URL.Query().Get("reference")
		if ref == "" {
			_, ref, _ = strings.Cut(r.URL.Path, "/sbx_")
		}
		if next := about[ref]; next != nil {
			return next(r)
		}
		return 404, nil, `{"error":"not_found"}`
	}
}

// closing closes an order as the shop does, while the gateway answers.
func (b *bench) closing(order string, force bool) (v OrderView, err error) {
	b.t.Helper()
	ended := make(chan struct{})
	go func() {
		v, err = b.e.CloseOrder(b.ctx(), order, force)
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return v, err
		case <-time.After(2 * time.Millisecond):
			b.fire()
		}
	}
}

func (b *bench) stands(id, state, cause string) PaymentView {
	b.t.Helper()
	v := b.payment(id)
	if v.State != state || v.Cause != cause {
		b.t.Errorf("%s is %s %s, want %s %s", v.MerchantRef, v.State, v.Cause, state, cause)
	}
	return v
}

func (b *bench) told(types ...string) {
	b.t.Helper()
	if got := b.events(); !slices.Equal(got, types) {
		b.t.Errorf("told %v, want %v", got, types)
	}
}

func (b *bench) asks(kinds ...string) {
	b.t.Helper()
	if got := b.reviewKinds(); !slices.Equal(got, kinds) {
		b.t.Errorf("reviews %v, want %v", got, kinds)
	}
}

func (b *bench) rows() (items []store.Item) {
	b.t.Helper()
	b.view(func(rx *store.Rx) (err error) {
		items, err = rx.Items(store.InboxFilter{Limit: 200})
		return err
	})
	return items
}

func (b *bench) orderIs(ref string, paid, safe bool) {
	b.t.Helper()
	o, err := b.e.Order(b.ctx(), ref)
	if err != nil || o.Paid != paid || o.SafeToChargeAgain != safe {
		b.t.Errorf("order %s: paid %v, safe to charge again %v because %v, %v; want %v, %v", ref, o.Paid, o.SafeToChargeAgain, o.Because, err, paid, safe)
	}
}

// restarted is the same database under a new process at the same moment.
func (b *bench) restarted(edit ...func(*config.Config, *Options)) *bench {
	b.t.Helper()
	at := b.clock.now()
	stopped := func(_ *config.Config, o *Options) { o.Now = func() time.Time { return at } }
	next := benchOn(b.t, b.store, append(edit, stopped)...)
	next.clock.at, next.ids = at, b.ids
	next.e.now = next.clock.now
	return next
}

func (b *bench) keep() {
	b.t.Helper()
	if err := b.e.keepOnce(b.ctx()); err != nil {
		b.t.Fatal(err)
	}
}
