package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nodrop/app/payment"
	"nodrop/store"
)

// account is all that nodrop has of one payment in the end.
type simAccount struct {
	row    store.Payment
	events []store.Event
	open   []store.Review
	all    []store.Review
	facts  []store.Fact
	truth  *simPayment
}

// settle compares what nodrop has in the end with what really happened, and the database with its laws.
func (s *simulation) settle() {
	if s.stopped == nil && !s.up {
		s.start()
		s.drive()
	}
	if s.stopped != nil || !s.up {
		s.find("the simulation ended early: %v", s.stopped)
		return
	}
	broken, err := s.e.CheckAll(s.t.Context())
	if err != nil {
		s.find("check: %v", err)
	}
	for _, b := range broken {
		s.find("law broken: %s", b)
	}
	seen := map[*simPayment]bool{}
	s.eachAccount(func(a simAccount) {
		seen[a.truth] = true
		if a.truth == nil {
			s.find("payment %s (%s %s) came from nowhere", a.row.PublicID, a.row.Gateway, a.row.MerchantRef)
			return
		}
		s.audit(a)
	})
	for _, p := range s.payments {
		if !seen[p] {
			s.auditUnknown(p)
		}
	}
	s.auditOrders()
}

// eachAccount gives all of nodrop's payments, oldest first.
func (s *simulation) eachAccount(do func(simAccount)) {
	after := int64(0)
	for {
		var page []simAccount
		err := s.view(func(rx *store.Rx) error {
			rows, err := rx.Payments(store.PaymentFilter{After: after, Limit: 200})
			for _, row := range rows {
				a := simAccount{row: row, truth: s.truthAbout(row)}
				if err == nil {
					a.events, err = rx.EventsOf(row.ID)
				}
				if err == nil {
					a.open, err = rx.OpenReviewsOfOrder(row.OrderID)
				}
				if err == nil {
					a.all, err = rx.ReviewsOfPayment(row.ID)
				}
				if err == nil {
					a.facts, err = rx.FactsOf(row.ID)
				}
				page = append(page, a)
			}
			return err
		})
		if err != nil {
			s.find("accounts: %v", err)
			return
		}
		for _, a := range page {
			do(a)
			after = a.row.ID
		}
		if len(page) == 0 {
			return
		}
	}
}

// decided tells whether a person has made one of these decisions; without any, whether one of whatever kind.
func (a simAccount) decided(acts ...string) bool {
	for _, f := range a.facts {
		if f.Kind != "decision" {
			continue
		}
		for _, act := range acts {
			if f.Act == act {
				return true
			}
		}
		if len(acts) == 0 {
			return true
		}
	}
	return false
}

// wasAsked tells whether a person was ever asked a question of some kind about the payment.
func (a simAccount) wasAsked(kind string) bool {
	return slices.ContainsFunc(a.all, func(v store.Review) bool { return v.Kind == kind })
}

func (a simAccount) name() string {
	return fmt.Sprintf("%s at %s, which %s (payment %s, %s %s)", a.truth.ref, a.row.Gateway, a.truth.story, a.row.PublicID, a.row.State, a.row.Cause)
}

// told tells whether an event of one of these types was made.
func (a simAccount) told(types ...string) bool {
	for _, e := range a.events {
		for _, t := range types {
			if e.Type == "payment."+t {
				return true
			}
		}
	}
	return false
}

// audit checks one payment against its truth.
func (s *simulation) audit(a simAccount) {
	p := a.truth
	received, currency := p.received()
	right := received == p.amount && currency == "PHP"
	switch {
	case received == 0:
		s.auditUnpaid(a)
	case right:
		s.auditPaid(a)
	case !a.decided() && (a.row.State != "unknown" || len(a.open) == 0):
		s.find("%s: the gateway took %d %s for %d, and nobody is asked", a.name(), received, currency, p.amount)
	}
	if a.row.State == "pending" || a.row.State == "processing" {
		s.find("%s: is neither over nor in front of a person", a.name())
	}
	if a.row.State == "unknown" && len(a.open) == 0 {
		s.find("%s: is unknown, and nobody is asked", a.name())
	}
	s.auditMoney(a)
	s.auditEvents(a)
}

// auditPaid: no paid order is lost, and none is called failed unless a person knows better.
func (s *simulation) auditPaid(a simAccount) {
	switch {
	case a.row.State == "succeeded":
		if !a.told("succeeded", "succeeded_late", "duplicate", "refunded", "reversed", "decided") {
			s.find("%s: paid, and the shop never heard of it", a.name())
		}
	case a.row.State == "unknown":
		// That somebody is asked is checked for every payment.
	case !a.decided("mark_failed", "reject"):
		s.find("%s: the gateway was paid %d, a paid order is lost; truth %v, lag %d; nodrop's facts %+v", a.name(), a.truth.amount, a.truth.words, a.truth.lag, a.facts)
	}
}

// auditUnpaid: no success without money.
func (s *simulation) auditUnpaid(a simAccount) {
	if a.decided() {
		return
	}
	if a.row.State == "succeeded" || a.told("succeeded", "succeeded_late", "duplicate") {
		s.find("%s: told as paid, and no money came", a.name())
	}
}

// auditMoney: nothing is received or refunded that was not, and what was told of for certain is there.
func (s *simulation) auditMoney(a simAccount) {
	p := a.truth
	if received, currency := p.received(); !a.decided() && !p.muddled && currency == "PHP" && a.row.State == "succeeded" && a.row.ReceivedMinor != received {
		s.find("%s: received %d, really %d", a.name(), a.row.ReceivedMinor, received)
	}
	var refunded, arrived, lost, lostArrived int64
	for _, b := range p.backs {
		switch {
		case !b.dispute:
			refunded += b.amount
			if b.arrived {
				arrived += b.amount
			}
		case b.status == payment.DisputeLost:
			lost = b.amount
			if b.arrived {
				lostArrived = b.amount
			}
		}
	}
	if a.row.RefundedMinor > refunded || a.row.RefundedMinor < arrived {
		s.find("%s: refunded %d, really %d, of which %d arrived; truth %+v, nodrop's facts %+v", a.name(), a.row.RefundedMinor, refunded, arrived, p.backs, a.facts)
	}
	if a.wasAsked(unprovedReturnKind) {
		return // nothing proves it, and a person looked
	}
	if a.row.State == "succeeded" && !p.reversed() && !p.lied && (a.row.ReversedMinor > lost || a.row.ReversedMinor < lostArrived) {
		s.find("%s: reversed %d, really %d", a.name(), a.row.ReversedMinor, lost)
	}
}

// auditEvents: every event was delivered or is in front of a person, and what was called over had ended at the gateway.
func (s *simulation) auditEvents(a simAccount) {
	gone := s.e.shop.closed()
	for _, e := range a.events {
		if e.State == "pending" && !gone {
			s.find("%s: %s %d waits still, after %d attempts", a.name(), e.Type, e.Seq, e.Attempts)
		}
		if e.Type != "payment.failed" && e.Type != "payment.closed" || a.decided() {
			continue
		}
		var body envelope[PaymentView]
		if err := json.Unmarshal(e.Body, &body); err != nil {
			s.find("%s: %v", a.name(), err)
		}
		at := e.CreatedMs + 2*simHour // the engine's clock may have been wrong
		if body.Data.Cause != "abandoned" && !a.truth.lied && !a.truth.endedBy(at) {
			s.find("%s: %s was told, and the gateway never said so", a.name(), e.Type)
		}
		if body.Data.Cause == "abandoned" && a.truth.paidAt(e.CreatedMs-2*simHour) {
			s.find("%s: called abandoned though it was paid", a.name())
		}
	}
}

// auditUnknown: money of which nodrop was told for certain is in front of a person even if nobody registered it.
func (s *simulation) auditUnknown(p *simPayment) {
	if p.public != "" && p.gateway != "tries" {
		s.find("%s: %s is registered and gone", p.ref, p.public)
	}
	if !p.arrived {
		return // of a further try nothing is known but by its notice, or while the reference is asked about
	}
	n := 0
	err := s.view(func(rx *store.Rx) error {
		list, err := rx.Items(store.InboxFilter{Query: p.successKey(), Limit: 50})
		for _, it := range list {
			open, ok, err := rx.OpenReviewOf("money_without_order", inboxSubject(it.ID))
			if err != nil {
				return err
			}
			if ok && open.ID > 0 || it.Reason == "dismissed" {
				n++
			}
		}
		return err
	})
	if err != nil || n == 0 {
		s.find("%s at %s, which %s: money came, nothing is registered and nobody is asked (%v)", p.id, p.gateway, p.story, err)
	}
}

// auditOrders: no order is fulfilled twice, and each that is paid and undisputed is fulfilled.
func (s *simulation) auditOrders() {
	for _, p := range s.payments {
		o := s.orders[p.order]
		if o.fulfilled > 1 {
			s.find("order %s, which %s, was fulfilled %d times", o.ref, p.story, o.fulfilled)
		}
		if o.fulfilled > 0 || p.public == "" || p.story != "pays" && p.story != "pays slowly" {
			continue
		}
		v, err := s.e.Order(s.t.Context(), p.order)
		if err != nil {
			s.find("order %s: %v", p.order, err)
			continue
		}
		if v.Paid && len(v.Reviews) == 0 && v.Payments[0].Reversed == "0.00" {
			s.find("order %s, which %s, is paid and was not fulfilled: %+v", o.ref, p.story, v.Payments)
		}
	}
}

// print is a digest of everything that came of it, alike at each run of a seed.
func (s *simulation) print() string {
	h := sha256.New()
	s.eachAccount(func(a simAccount) {
		row := a.row
		fmt.Fprintln(h, row.PublicID, row.MerchantRef, row.Attempt, row.State, row.Cause, row.Late, row.ReceivedMinor, row.RefundedMinor, row.ReversedMinor, row.Version, row.Facts, row.ChangedMs)
		for _, e := range a.events {
			fmt.Fprintln(h, e.Seq, e.Type, e.State, e.Attempts, e.CreatedMs, strings.TrimSpace(string(e.Body)))
		}
		for _, v := range a.all {
			fmt.Fprintln(h, v.Kind, v.Subject, v.State, v.Answer, v.OpenedMs, v.ClosedMs)
		}
	})
	return hex.EncodeToString(h.Sum(nil)[:8])
}
