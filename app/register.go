package app

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"nodrop/app/payment"
	"nodrop/store"
)

// Registration is what the shop says of a payment that it has begun; Amount is a decimal string in major units.
type Registration struct {
	Gateway     string          `json:"gateway"`
	MerchantRef string          `json:"merchant_ref"`
	OrderRef    string          `json:"order_ref"` // default: MerchantRef
	Amount      string          `json:"amount"`
	Currency    string          `json:"currency"`
	GatewayRefs []Ref           `json:"gateway_refs"`
	ExpiresAt   *time.Time      `json:"expires_at"`
	GiveUpAfter string          `json:"give_up_after"` // a duration such as "48h"; default: the gateway's
	Reopen      bool            `json:"reopen"`        // the order was closed and is wanted again
	Metadata    json.RawMessage `json:"metadata"`
}

// maxRef bounds references and ids in bytes.
const maxRef = 200

// maxMetadata bounds the shop's own data in bytes.
const maxMetadata = 4096

// Register adds a payment, its first timer and the notices that waited for it; created is false when the same payment was registered before.
func (e *Engine) Register(ctx context.Context, r Registration) (v PaymentView, created bool, err error) {
	a, want, err := e.checkRegistration(r)
	if err != nil {
		return PaymentView{}, false, err
	}
	publicID, err := e.newPublicID()
	if err != nil {
		return PaymentView{}, false, err
	}
	want.PublicID = publicID
	err = e.store.Update(ctx, "register", func(tx *store.Tx) error {
		v, created, err = e.register(tx, a, want, r)
		return err
	})
	e.wakeAll()
	return v, created, err
}

func (e *Engine) register(tx *store.Tx, a *account, want store.Payment, r Registration) (PaymentView, bool, error) {
	want.Attempt = a.attemptOf(r.GatewayRefs)
	old, ok, err := e.registered(tx, a, want)
	if err != nil {
		return PaymentView{}, false, err
	}
	if ok {
		v, err := e.registerAgain(tx, a, old, want, r)
		return v, false, err
	}
	if err := e.admit(tx, want, r); err != nil {
		return PaymentView{}, false, err
	}
	p, err := e.insertPayment(tx, a, want)
	if err != nil {
		return PaymentView{}, false, err
	}
	v, err := e.bindAndAdopt(tx, a, p, r.GatewayRefs)
	return v, true, err
}

// admit refuses a payment for an order that the shop has closed, or reopens it when the call says so.
func (e *Engine) admit(tx *store.Tx, p store.Payment, r Registration) error {
	order, ok, err := tx.OrderByRef(p.Order.Ref)
	if err != nil || !ok || order.ClosedMs == 0 {
		return err
	}
	if !r.Reopen {
		return fail(KindConflict, "order_closed", "order %q was closed by the shop; register with \"reopen\": true if it is wanted again", order.Ref)
	}
	return e.reopenOrder(tx, order, p.CreatedMs)
}

// insertPayment adds a payment to its order with its first appointment and the beginning of its history.
func (e *Engine) insertPayment(tx *store.Tx, a *account, p store.Payment) (store.Payment, error) {
	now := p.CreatedMs
	order, err := tx.EnsureOrder(p.Order.Ref, now)
	if err != nil {
		return p, err
	}
	order.Payments++
	p.OrderID, p.Order = order.ID, order
	if p.ID, err = tx.InsertPayment(p); err != nil {
		return p, err
	}
	if err := tx.InsertMove(store.Move{PaymentID: p.ID, Version: p.Version, ToState: p.State, Source: string(payment.SourceShop), Trigger: "registration", AtMs: now}); err != nil {
		return p, err
	}
	return p, e.reschedule(tx, a, &p, nil, now)
}

// registerAttempt adds a further attempt at a reference that was registered once.
func (e *Engine) registerAttempt(tx *store.Tx, a *account, like store.Payment, attempt string, now int64) (store.Payment, error) {
	id, err := e.newPublicID()
	if err != nil {
		return store.Payment{}, err
	}
	p := store.Payment{
		PublicID: id, Gateway: like.Gateway, MerchantRef: like.MerchantRef, Attempt: attempt, Order: store.Order{Ref: like.Order.Ref},
		AmountMinor: like.AmountMinor, Currency: like.Currency, State: string(payment.Pending), Version: 1,
		CreatedMs: now, ChangedMs: now, ExpiresMs: like.ExpiresMs, GiveUpMs: now + like.GiveUpMs - like.CreatedMs, Metadata: like.Metadata,
	}
	if p, err = e.insertPayment(tx, a, p); err != nil || p.Order.ClosedMs == 0 {
		return p, err
	}
	closed := payment.Fact{Key: closedKey(p.Order.ClosedMs), Kind: payment.FactClosed, Source: payment.SourceShop, OwnMs: p.Order.ClosedMs}
	_, err = e.apply(tx, a, &p, change{trigger: "shop", now: now, facts: []payment.Fact{closed}})
	return p, err
}

// bindAndAdopt gives a payment the gateway's ids and applies the notices that waited for it.
func (e *Engine) bindAndAdopt(tx *store.Tx, a *account, p store.Payment, refs []Ref) (PaymentView, error) {
	if err := e.bindAttempt(tx, a, &p, a.attemptOf(refs)); err != nil {
		return PaymentView{}, err
	}
	var bound []store.GatewayRef
	for _, ref := range refs {
		r := store.GatewayRef{Kind: ref.Kind, Ref: ref.ID}
		taken, err := tx.AddRef(a.name, r, p.ID)
		if err != nil {
			return PaymentView{}, err
		}
		if taken != 0 {
			return PaymentView{}, fail(KindConflict, "ref_taken", "the %s id %q belongs to another payment", ref.Kind, ref.ID)
		}
		bound = append(bound, r)
	}
	if err := e.askable(tx, a, &p, bound); err != nil {
		return PaymentView{}, err
	}
	if err := e.adopt(tx, a, p, bound, e.nowMs()); err != nil {
		return PaymentView{}, err
	}
	return e.freshView(&tx.Rx, p.ID)
}

// askable plans a payment's questions anew once it has ids: some gateways can be asked by nothing else.
func (e *Engine) askable(tx *store.Tx, a *account, p *store.Payment, bound []store.GatewayRef) error {
	if len(bound) == 0 {
		return nil
	}
	facts, err := loadFacts(&tx.Rx, *p)
	if err != nil {
		return err
	}
	return e.reschedule(tx, a, p, facts, e.nowMs())
}

func (e *Engine) freshView(rx *store.Rx, id int64) (PaymentView, error) {
	p, _, err := rx.Payment(id)
	if err != nil {
		return PaymentView{}, err
	}
	others, err := e.siblings(rx, p)
	if err != nil {
		return PaymentView{}, err
	}
	return e.view(rx, p, others)
}

// registerAgain answers a repeated registration: alike, the rest is brought up to date; else a conflict.
func (e *Engine) registerAgain(tx *store.Tx, a *account, old, want store.Payment, r Registration) (PaymentView, error) {
	if old.AmountMinor != want.AmountMinor || old.Currency != want.Currency || old.Order.Ref != want.Order.Ref {
		return PaymentView{}, fail(KindConflict, "registered_otherwise", "%q is already registered at %s as payment %s with %s %s for order %q",
			old.MerchantRef, a.name, old.PublicID, payment.FormatAmount(old.AmountMinor, old.Currency), old.Currency, old.Order.Ref)
	}
	if err := e.sameIDs(tx, old, r.GatewayRefs); err != nil {
		return PaymentView{}, err
	}
	if err := e.admit(tx, want, r); err != nil {
		return PaymentView{}, err
	}
	p, _, err := tx.Payment(old.ID)
	if err != nil {
		return PaymentView{}, err
	}
	if err := e.updateTerms(tx, a, &p, want, r); err != nil {
		return PaymentView{}, err
	}
	return e.bindAndAdopt(tx, a, p, r.GatewayRefs)
}

// sameIDs refuses a registration that names another id of a kind than the registered payment has: it is another payment.
func (e *Engine) sameIDs(tx *store.Tx, old store.Payment, refs []Ref) error {
	had, err := tx.RefsOfPayment(old.ID)
	if err != nil {
		return err
	}
	for _, r := range refs {
		other := ""
		for _, h := range had {
			if h.Kind == r.Kind && h.Ref == r.ID {
				other = ""
				break
			}
			if h.Kind == r.Kind {
				other = h.Ref
			}
		}
		if other != "" {
			return fail(KindConflict, "registered_otherwise", "%q is already registered as payment %s with the %s id %q; register the new one under a reference of its own, or add its id with PATCH",
				old.MerchantRef, old.PublicID, r.Kind, other)
		}
	}
	return nil
}

func (e *Engine) updateTerms(tx *store.Tx, a *account, p *store.Payment, want store.Payment, r Registration) error {
	if r.ExpiresAt != nil {
		p.ExpiresMs = want.ExpiresMs
	}
	if r.GiveUpAfter != "" {
		p.GiveUpMs = p.CreatedMs + want.GiveUpMs - want.CreatedMs
	}
	if r.Metadata != nil {
		p.Metadata = want.Metadata
	}
	facts, err := loadFacts(&tx.Rx, *p)
	if err != nil {
		return err
	}
	if err := e.reschedule(tx, a, p, facts, want.CreatedMs); err != nil {
		return err
	}
	return tx.UpdateTerms(*p)
}

// checkRegistration finds what is wrong with a registration before anything is written.
func (e *Engine) checkRegistration(r Registration) (*account, store.Payment, error) {
	now := e.nowMs()
	a, ok := e.gateways[r.Gateway]
	if !ok {
		return nil, store.Payment{}, fail(KindInvalid, "unknown_gateway", "gateway %q is not configured; configured: %v", r.Gateway, e.names)
	}
	if r.OrderRef == "" {
		r.OrderRef = r.MerchantRef
	}
	if err := checkRefs(r); err != nil {
		return nil, store.Payment{}, err
	}
	amount, err := payment.ParseAmount(r.Amount, r.Currency)
	if err != nil {
		return nil, store.Payment{}, fail(KindInvalid, "bad_amount", "%v", err)
	}
	if amount <= 0 {
		return nil, store.Payment{}, fail(KindInvalid, "bad_amount", "amount must be more than zero")
	}
	p := store.Payment{
		Gateway: a.name, MerchantRef: r.MerchantRef, Order: store.Order{Ref: r.OrderRef}, AmountMinor: amount, Currency: r.Currency,
		State: string(payment.Pending), Version: 1, CreatedMs: now, ChangedMs: now, GiveUpMs: now + a.config.GiveUpAfter.Milliseconds(),
	}
	return a, p, checkTerms(&p, r, now)
}

func checkRefs(r Registration) error {
	for name, ref := range map[string]string{"merchant_ref": r.MerchantRef, "order_ref": r.OrderRef} {
		if err := checkRef(name, ref); err != nil {
			return err
		}
	}
	for _, ref := range r.GatewayRefs {
		if err := checkRef("gateway_refs.kind", ref.Kind); err != nil {
			return err
		}
		if err := checkRef("gateway_refs.id", ref.ID); err != nil {
			return err
		}
	}
	return nil
}

func checkRef(name, ref string) error {
	if ref == "" || len(ref) > maxRef || !utf8.ValidString(ref) {
		return fail(KindInvalid, "bad_reference", "%s must be text of 1 to %d bytes", name, maxRef)
	}
	for _, c := range ref {
		if c == utf8.RuneError {
			return fail(KindInvalid, "bad_reference", "%s holds a character that is none", name)
		}
		if c < ' ' || c == 0x7f {
			return fail(KindInvalid, "bad_reference", "%s holds a control character", name)
		}
	}
	return nil
}

func checkTerms(p *store.Payment, r Registration, now int64) error {
	if r.ExpiresAt != nil {
		if p.ExpiresMs = r.ExpiresAt.UnixMilli(); p.ExpiresMs <= 0 {
			return fail(KindInvalid, "bad_expiry", "expires_at %s is no usable instant", r.ExpiresAt.Format(time.RFC3339))
		}
	}
	if r.GiveUpAfter != "" {
		d, err := time.ParseDuration(r.GiveUpAfter)
		if err != nil || d <= 0 || d > 365*24*time.Hour {
			return fail(KindInvalid, "bad_give_up_after", "give_up_after %q is no duration between 0 and 8760h; write \"48h\"", r.GiveUpAfter)
		}
		p.GiveUpMs = now + d.Milliseconds()
	}
	if r.Metadata != nil {
		var object map[string]any
		if len(r.Metadata) > maxMetadata || json.Unmarshal(r.Metadata, &object) != nil || object == nil {
			return fail(KindInvalid, "bad_metadata", "metadata must be a JSON object of at most %d bytes", maxMetadata)
		}
		p.Metadata = string(r.Metadata)
	}
	return nil
}

// AddRefs gives a payment further ids of the gateway; an id of another payment is a conflict. It never replaces.
func (e *Engine) AddRefs(ctx context.Context, publicID string, refs []Ref) (v PaymentView, err error) {
	if err := checkRefs(Registration{MerchantRef: "-", OrderRef: "-", GatewayRefs: refs}); err != nil {
		return PaymentView{}, err
	}
	err = e.store.Update(ctx, "patch", func(tx *store.Tx) error {
		p, a, err := e.paymentAndAccount(&tx.Rx, publicID)
		if err != nil {
			return err
		}
		v, err = e.bindAndAdopt(tx, a, p, refs)
		return err
	})
	e.wakeAll()
	return v, err
}

// paymentAndAccount finds a payment by its public id, with its gateway.
func (e *Engine) paymentAndAccount(rx *store.Rx, publicID string) (store.Payment, *account, error) {
	p, ok, err := rx.PaymentByPublicID(publicID)
	if err != nil {
		return p, nil, err
	}
	if !ok {
		return p, nil, fail(KindNotFound, "unknown_payment", "there is no payment %q", publicID)
	}
	a, ok := e.gateways[p.Gateway]
	if !ok {
		return p, nil, fail(KindConflict, "gateway_gone", "gateway %q of this payment is no longer configured", p.Gateway)
	}
	return p, a, nil
}

func (e *Engine) newPublicID() (string, error) {
	var b [12]byte
	if _, err := io.ReadFull(e.random, b[:]); err != nil {
		return "", fmt.Errorf("no randomness for a payment id: %w", err)
	}
	return fmt.Sprintf("np_%012x%s", e.nowMs(), hex.EncodeToString(b[:8])), nil
}
