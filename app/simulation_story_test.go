package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"nodrop/app/payment"
	"nodrop/store"
)

// simWord is what a gateway itself holds of a payment from an instant on.
type simWord struct {
	at       int64
	word     payment.Word
	amount   int64
	currency string
}

// simBack is money that went back.
type simBack struct {
	id      string
	at      int64
	amount  int64
	dispute bool
	status  string
	arrived bool // its notice was acknowledged
}

// simPayment is the truth about one payment, as its gateway knows it.
type simPayment struct {
	gateway, ref, order, id string
	story                   string
	amount                  int64 // minor units of PHP
	created                 int64
	lag                     int64 // by which answers to questions are behind
	unheard                 bool  // unknown at the gateway before the payer acts
	words                   []simWord
	backs                   []simBack
	public                  string // nodrop's id; "": not registered
	noticed                 bool   // the notice of its success arrives for certain
	arrived                 bool   // and was acknowledged
	lied                    bool   // the gateway denied its success once
	muddled                 bool   // another amount came under the key of its notice
	mistyped                string // the reference under which the shop registers it, if that is not the gateway's
}

func (p *simPayment) wordAt(t int64) simWord {
	last := simWord{p.created, payment.WordPending, p.amount, "PHP"}
	for _, w := range p.words {
		if w.at <= t {
			last = w
		}
	}
	return last
}

func (p *simPayment) shownAt(t int64) bool {
	if p.unheard {
		return len(p.words) > 0 && p.words[0].at <= t
	}
	return p.created <= t
}

// paidAt tells whether the gateway had taken money by an instant.
func (p *simPayment) paidAt(t int64) bool {
	return slices.ContainsFunc(p.words, func(w simWord) bool { return w.word == payment.WordSucceeded && w.at <= t })
}

// endedBy tells whether the gateway had called the payment over without money by an instant.
func (p *simPayment) endedBy(t int64) bool {
	return slices.ContainsFunc(p.words, func(w simWord) bool {
		return w.at <= t && (w.word == payment.WordFailed || w.word == payment.WordExpired || w.word == payment.WordCancelled)
	})
}

// received is what the gateway took in the end, and in which currency.
func (p *simPayment) received() (int64, string) {
	for _, w := range slices.Backward(p.words) {
		if w.word == payment.WordSucceeded {
			return w.amount, w.currency
		}
	}
	return 0, ""
}

// successKey is what the gateway called its notice that the payment is paid.
func (p *simPayment) successKey() string {
	for _, w := range p.words {
		if w.word == payment.WordSucceeded {
			return p.key(w)
		}
	}
	return ""
}

func (p *simPayment) reversed() bool {
	return slices.ContainsFunc(p.words, func(w simWord) bool { return w.word == payment.WordReversed })
}

// simStory is a way for a payment to go; weight is how often, of all.
type simStory struct {
	name   string
	weight int
	at     string // the gateway; "": any
	live   func(s *simulation, p *simPayment)
}

var simStories = []simStory{
	{"pays", 420, "", func(s *simulation, p *simPayment) { s.pays(p, s.between(20*simSecond, 20*simMinute), false) }},
	{"pays slowly", 50, "", func(s *simulation, p *simPayment) {
		s.says(p, simMinute, payment.WordProcessing, false)
		s.pays(p, s.between(simHour, 20*simHour), false)
	}},
	{"under way for days", 20, "", func(s *simulation, p *simPayment) {
		s.says(p, simMinute, payment.WordProcessing, true)
		s.pays(p, s.between(3*simDay, 9*simDay), true)
	}},
	{"never pays", 60, "", func(s *simulation, p *simPayment) { s.says(p, simDay, payment.WordExpired, false) }},
	{"never comes back", 40, "", func(*simulation, *simPayment) {}},
	{"fails", 50, "", func(s *simulation, p *simPayment) {
		s.says(p, s.between(simMinute, simHour), payment.WordFailed, false)
	}},
	{"cancels", 20, "", func(s *simulation, p *simPayment) {
		s.says(p, s.between(simMinute, simHour), payment.WordCancelled, false)
	}},
	{"fails, then pays", 40, "", func(s *simulation, p *simPayment) {
		s.says(p, s.between(simMinute, 10*simMinute), payment.WordFailed, false)
		s.pays(p, s.between(11*simMinute, 30*simHour), true)
	}},
	{"expires, then pays", 25, "", func(s *simulation, p *simPayment) {
		s.says(p, simDay, payment.WordExpired, false)
		s.pays(p, simDay+s.between(simMinute, 40*simHour), true)
	}},
	{"pays long after", 20, "", func(s *simulation, p *simPayment) { s.pays(p, s.between(3*simDay, 6*simDay), true) }},
	{"tries again", 50, "", (*simulation).triesAgain},
	{"pays too little", 25, "", func(s *simulation, p *simPayment) { s.paysOther(p, p.amount-s.between(1, p.amount-1), "PHP") }},
	{"pays too much", 10, "", func(s *simulation, p *simPayment) { s.paysOther(p, p.amount+s.between(1, 9999), "PHP") }},
	{"pays other money", 10, "", func(s *simulation, p *simPayment) { s.paysOther(p, p.amount, "USD") }},
	{"pays twice", 30, "", (*simulation).paysTwice},
	{"is replaced", 25, "", (*simulation).isReplaced},
	{"is closed", 25, "", (*simulation).isClosed},
	{"is refunded", 40, "", (*simulation).isRefunded},
	{"is disputed", 20, "", (*simulation).isDisputed},
	{"is taken back", 10, "", func(s *simulation, p *simPayment) {
		s.pays(p, s.between(simMinute, simHour), true)
		s.says(p, s.between(simDay, 6*simDay), payment.WordReversed, true)
	}},
	{"is mistyped", 15, "blind", func(s *simulation, p *simPayment) {
		p.mistyped = p.ref + "-"
		s.refs["mistyped "+p.gateway+" "+p.mistyped] = []*simPayment{p}
		s.pays(p, s.between(simMinute, simHour), true)
	}},
	{"is a stranger", 10, "sandbox", func(s *simulation, p *simPayment) { s.pays(p, simMinute, true) }},
}

// sell makes one payment of a new order and lets its story begin.
func (s *simulation) sell(i int) {
	total := 0
	for _, st := range simStories {
		total += st.weight
	}
	n := s.rng.IntN(total)
	var story simStory
	for _, story = range simStories {
		if n -= story.weight; n < 0 {
			break
		}
	}
	at := story.at
	if at == "" {
		at = []string{"sandbox", "sandbox", "hint", "hint", "tries", "blind"}[s.rng.IntN(6)]
	}
	p := s.payment(at, fmt.Sprintf("R%d", i), fmt.Sprintf("O%d", i), s.between(100, 2_000_000))
	p.story = story.name
	s.count[story.name]++
	s.orders[p.order] = &simOrder{ref: p.order}
	if story.name != "is a stranger" {
		s.after(s.lateness(), func() { s.register(p) })
	}
	story.live(s, p)
	if s.chance(60) {
		s.after(s.between(simMinute, simDay), func() { s.forge(p) })
	}
	if s.chance(30) {
		s.after(s.between(simMinute, simDay), func() { s.elsewhere(p) })
	}
}

// lateness is how long after the payer has begun the shop registers the payment.
func (s *simulation) lateness() int64 {
	switch {
	case s.chance(20):
		s.count["registered hours late"]++
		return s.between(2*simHour, 10*simHour)
	case s.chance(50):
		s.count["registered late"]++
		return s.between(simMinute, 50*simMinute)
	}
	return 0
}

// payment begins a payment at a gateway; one more of a reference is a further try.
func (s *simulation) payment(at, ref, order string, amount int64) *simPayment {
	key := at + " " + ref
	p := &simPayment{gateway: at, ref: ref, order: order, id: fmt.Sprintf("%s_%s_%d", at, ref, len(s.refs[key])+1), amount: amount, created: s.now}
	if s.chance(300) {
		p.lag = s.between(simMinute, 9*simMinute) // what is denied wrongly is asked about again after ten
	}
	p.unheard = s.chance(100)
	s.refs[key] = append(s.refs[key], p)
	s.payments = append(s.payments, p)
	return p
}

func (s *simulation) register(p *simPayment) {
	if !s.up {
		s.after(30*simSecond, func() { s.register(p) })
		return
	}
	r := Registration{Gateway: p.gateway, MerchantRef: cmp.Or(p.mistyped, p.ref), OrderRef: p.order, Amount: payment.FormatAmount(p.amount, "PHP"), Currency: "PHP"}
	if len(p.id)%2 == 0 {
		at := s.clock().Add(24 * time.Hour)
		r.ExpiresAt = &at
	}
	s.touch(p.gateway)
	v, _, err := s.e.Register(s.t.Context(), r)
	if s.worked("register", err) {
		p.public = v.ID
		return
	}
	var known *Error
	if errors.As(err, &known) {
		s.find("%s could not be registered: %v", p.ref, err)
		return
	}
	s.after(5*simSecond, func() { s.register(p) })
}

// says has a gateway hold a word from an instant on, and send a notice of it.
func (s *simulation) says(p *simPayment, after int64, w payment.Word, mustArrive bool) {
	s.saysWith(p, after, simWord{word: w, amount: p.amount, currency: "PHP"}, mustArrive)
}

func (s *simulation) saysWith(p *simPayment, after int64, w simWord, mustArrive bool) {
	s.after(after, func() {
		w.at = s.now
		p.words = append(p.words, w)
		n := s.notice(p, w)
		if w.word == payment.WordSucceeded {
			n.done = func() { p.arrived = true }
		}
		sent := s.announce(n, mustArrive)
		p.noticed = p.noticed || sent && w.word == payment.WordSucceeded
		if s.chance(30) {
			s.again(p, w)
		}
	})
}

func (s *simulation) pays(p *simPayment, after int64, mustArrive bool) {
	s.says(p, after, payment.WordSucceeded, mustArrive)
}

func (s *simulation) paysOther(p *simPayment, amount int64, currency string) {
	s.saysWith(p, s.between(simMinute, simHour), simWord{word: payment.WordSucceeded, amount: amount, currency: currency}, p.gateway == "blind")
}

// triesAgain fails some tries before it pays; where each try is a payment of its own, each has its own id.
func (s *simulation) triesAgain(p *simPayment) {
	at := int64(0)
	for range 1 + s.rng.IntN(3) {
		at += s.between(20*simSecond, 5*simMinute)
		s.says(p, at, payment.WordAttemptFailed, false)
		if p.gateway == "tries" {
			story := p.story
			p = s.payment(p.gateway, p.ref, p.order, p.amount)
			p.story, p.created, p.unheard = story, s.now+at, false
		}
	}
	s.pays(p, at+s.between(20*simSecond, 10*simMinute), false)
}

// paysTwice pays one order at two gateways, or two tries of one reference.
func (s *simulation) paysTwice(p *simPayment) {
	s.pays(p, s.between(simMinute, simHour), true)
	q := s.second(p)
	s.pays(q, s.between(simMinute, 3*simHour), true)
}

func (s *simulation) second(p *simPayment) *simPayment {
	if p.gateway == "tries" {
		q := s.payment("tries", p.ref, p.order, p.amount)
		q.story, q.unheard = p.story, false
		return q
	}
	q := s.payment([]string{"sandbox", "hint", "tries", "blind"}[s.rng.IntN(4)], p.ref+"b", p.order, p.amount)
	q.story = p.story
	s.after(s.lateness(), func() { s.register(q) })
	return q
}

// isReplaced fails; the shop charges the order again as soon as that is called safe.
func (s *simulation) isReplaced(p *simPayment) {
	s.says(p, s.between(simMinute, 10*simMinute), payment.WordFailed, false)
	tries := 0
	var look func()
	look = func() {
		if tries++; tries > 60 {
			return
		}
		if !s.safe(p.order) {
			s.after(simHour, look)
			return
		}
		s.count["charged again"]++
		q := s.payment("sandbox", p.ref+"b", p.order, p.amount)
		q.story = p.story
		s.register(q)
		s.pays(q, s.between(simMinute, simHour), false)
	}
	s.after(15*simMinute, look)
}

// safe asks whether an order may be charged again, and checks that against the truth.
func (s *simulation) safe(order string) bool {
	if !s.up {
		return false
	}
	o, err := s.e.Order(s.t.Context(), order)
	if KindOf(err) == KindNotFound || !s.worked("order", err) || !o.SafeToChargeAgain {
		return false
	}
	for _, p := range s.payments {
		if p.order == order && p.public != "" && !p.endedBy(s.now) {
			s.find("order %s was called safe to charge again while %s (%s) is %s at %s", order, p.ref, p.public, p.wordAt(s.now).word, p.gateway)
		}
	}
	return true
}

// isClosed is given up by the shop, by force if need be; the payer may pay nevertheless.
func (s *simulation) isClosed(p *simPayment) {
	if s.chance(500) {
		s.pays(p, s.between(simHour, 5*simHour), true)
	} else {
		s.says(p, s.between(30*simMinute, 5*simHour), payment.WordCancelled, false)
	}
	s.after(s.between(11*simHour, 12*simHour), func() { s.closeOrder(p.order, 0) })
}

// closeOrder does what CloseOrder does, without waiting in real time for the gateways' answers.
func (s *simulation) closeOrder(ref string, attempt int) {
	again := func() { s.after(simHour, func() { s.closeOrder(ref, attempt+1) }) }
	if !s.up || attempt > 20 {
		if attempt <= 20 {
			again()
		}
		return
	}
	s.touch()
	ids, err := s.e.openAttempts(s.t.Context(), ref)
	for _, id := range ids {
		if err == nil {
			_, _, err = s.e.askNow(s.t.Context(), id)
		}
	}
	if !s.worked("close: ask", err) {
		again()
		return
	}
	s.drive()
	if !s.up {
		again()
		return
	}
	force := s.chance(300)
	s.touch()
	err = s.e.store.Update(s.t.Context(), "close order", func(tx *store.Tx) error {
		o, err := s.e.orderByRef(&tx.Rx, ref)
		if err != nil {
			return err
		}
		v, err := s.e.orderView(&tx.Rx, o)
		if err != nil {
			return err
		}
		if refusal := closeRefusal(v); refusal != nil && !force {
			return refusal
		}
		return s.e.closeOrder(tx, o, force)
	})
	if s.worked("close", err) {
		s.count["orders closed"]++
		return
	}
	again()
}

// isRefunded pays, and gets back a part or all, in one or two refunds.
func (s *simulation) isRefunded(p *simPayment) {
	s.pays(p, s.between(simMinute, simHour), true)
	first := s.between(1, p.amount)
	s.refunded(p, s.between(2*simHour, 4*simDay), first)
	if rest := p.amount - first; rest > 0 && s.chance(500) {
		s.refunded(p, s.between(2*simHour, 4*simDay), rest)
	}
}

func (s *simulation) refunded(p *simPayment, after, amount int64) {
	s.goesBack(p, after, simBack{amount: amount, status: payment.RefundSucceeded}, "refund")
}

func (s *simulation) goesBack(p *simPayment, after int64, b simBack, kind string) {
	s.after(after, func() {
		if b.id == "" {
			b.id = fmt.Sprintf("%s_%s%d", p.id, kind, len(p.backs))
		}
		b.at = s.now
		s.count[kind+" at "+p.gateway]++
		p.backs = append(p.backs, b)
		i := len(p.backs) - 1
		n := s.message(p, fmt.Sprintf("%s_%s", b.id, b.status), kind, b.at, map[string]any{
			"id": b.id, "status": b.status, "amount": payment.FormatAmount(b.amount, "PHP"), "currency": "PHP"})
		n.done = func() { p.backs[i].arrived = true }
		s.announce(n, false)
	})
}

// isDisputed pays, and a part of it is disputed; the dispute is won or lost.
func (s *simulation) isDisputed(p *simPayment) {
	s.pays(p, s.between(simMinute, simHour), true)
	b := simBack{id: p.id + "_dispute", amount: s.between(1, p.amount), dispute: true, status: payment.DisputeOpen}
	at := s.between(simDay, 4*simDay)
	s.goesBack(p, at, b, "dispute")
	b.status = []string{payment.DisputeWon, payment.DisputeLost}[s.rng.IntN(2)]
	s.goesBack(p, at+s.between(simDay, 6*simDay), b, "dispute")
}
