package gateway

import (
	"crypto/sha256"
	"net/http"
	"time"

	"nodrop/app/payment"
)

// ReadAnswer decodes an answer of Query, also one that was stored. An answer that was
// none gives no observation; not found and unreadable give one with that word.
func (g *Gateway) ReadAnswer(q Question, a Answer) Reading {
	switch a.Class {
	case ClassAnswered, ClassNotFound, ClassUnreadable:
	default:
		return silent(a.Class, a.Detail)
	}
	if g.query == nil || a.Step < 0 || a.Step >= len(g.query.steps) || a.Class == ClassUnreadable && a.Detail != "" {
		return unreadableAnswer(a.Detail, "")
	}
	_, _, rd := g.classify(q, a)
	if a.Class == ClassUnreadable && rd.Verdict != Unreadable {
		return unreadableAnswer("the answer was not taken when it came", "")
	}
	return rd
}

// request is what an answer answers, as its proof may cover it.
type request struct{ method, target string }

const throttledDetail = "the gateway wants to be asked less often"

// classify sorts an answer from the store and decodes it. It was proved when it came.
func (g *Gateway) classify(q Question, a Answer) (class, detail string, rd Reading) {
	return g.sortOut(q, a, nil)
}

// sortOut sorts an answer that has arrived whole, proves it if it is known what it answers, and decodes it.
func (g *Gateway) sortOut(q Question, a Answer, of *request) (class, detail string, rd Reading) {
	if class, detail = classOfStatus(a.Status); class != "" {
		return class, detail, silent(class, detail)
	}
	s := &g.query.steps[a.Step]
	q.asked = a.Asked
	v := view{header: a.Header, raw: a.Raw, target: g.askedTarget(s, q, a), g: g}
	defer v.close()
	err := v.open(s.envelopes)
	why := ""
	if err == nil {
		why = g.unproved(v, a.AskedAt, of)
		err = v.openInner(s.envelopes)
	}
	if v.doc != nil {
		// An error often comes without the envelopes, and unsigned.
		if class, detail = s.silence(&v, a.Status); class != "" {
			return class, detail, silent(class, detail)
		}
	}
	if err != nil {
		why = "the answer cannot be read: " + err.Error()
	}
	if why != "" {
		rd = unreadableAnswer(why, "")
		return ClassUnreadable, rd.Detail, rd
	}
	return g.answered(s, &v, q, a)
}

// askedTarget is the address that a question was put to: some answers say only that what was asked is so.
func (g *Gateway) askedTarget(s *step, q Question, a Answer) string {
	if len(s.params) == 0 {
		return ""
	}
	return g.asking(a.Step, q, a.AskedAt).make(opTarget)
}

func classOfStatus(status int) (class, detail string) {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return ClassRefused, refusedDetail
	case status == http.StatusTooManyRequests:
		return ClassThrottled, throttledDetail
	case status >= 500 || status == http.StatusRequestTimeout:
		return ClassFailing, "the gateway answered " + itoa(status)
	}
	return "", ""
}

const refusedDetail = "the gateway refused our key: check api_key, its mode and its permissions"

// silence sorts out what the definition knows for other ways of not answering.
func (s *step) silence(v *view, status int) (class, detail string) {
	switch {
	case s.anyHolds(s.refused, v, status):
		return ClassRefused, refusedDetail
	case s.anyHolds(s.throttled, v, status):
		return ClassThrottled, throttledDetail
	case s.anyHolds(s.failing, v, status):
		return ClassFailing, "the gateway says that it cannot answer now"
	}
	return "", ""
}

// silent is the reading of an answer that says nothing about the payment.
func silent(class, detail string) Reading {
	return Reading{Verdict: Ignored, Reason: class, Detail: detail, Secret: -1}
}

// unproved says why an answer, opened by its first envelope, does not prove where it comes from, or "".
func (g *Gateway) unproved(v view, at time.Time, of *request) string {
	sig := g.query.verify
	if sig == nil || of == nil {
		return ""
	}
	v.method, v.target = of.method, of.target
	switch p := sig.check(&v, at); {
	case p.state == sigRight && !p.stale:
		return ""
	case p.state == sigNoKey:
		return "the answer cannot be proved to come from the gateway: no key to check it with is configured"
	case p.state == sigRight:
		return "the signing time of the answer is too far from ours"
	}
	return "the signature of the answer is missing or wrong: it is not taken as the gateway's word"
}

func (g *Gateway) answered(s *step, v *view, q Question, a Answer) (class, detail string, rd Reading) {
	if s.anyHolds(s.notFound, v, a.Status) {
		rd = notFoundAnswer(s, q, a)
		return ClassNotFound, "", rd
	}
	if a.Status < 200 || a.Status > 299 {
		rd = unreadableAnswer("the gateway answered "+itoa(a.Status)+" with something else than a payment", "")
		return ClassUnreadable, rd.Detail, rd
	}
	if s.success.check(v) != holds {
		rd = unreadableAnswer("the gateway says that the question itself failed", "")
		return ClassUnreadable, rd.Detail, rd
	}
	rd = g.result(s, v, q)
	if rd.Verdict == Unreadable {
		return ClassUnreadable, rd.Detail, rd
	}
	return ClassAnswered, "", rd
}

// anyHolds tells whether one of the predicates holds; one without a status is about a 2xx.
func (s *step) anyHolds(list []predicate, v *view, status int) bool {
	for i := range list {
		n := &list[i]
		if n.status != 0 && n.status != status || n.status == 0 && (status < 200 || status > 299) {
			continue
		}
		if n.when.check(v) == holds && (!n.empty || s.emptyList(v)) {
			return true
		}
	}
	return false
}

func (s *step) emptyList(v *view) bool {
	list, ok := v.doc.list(v.doc.find(0, &s.list))
	return ok && len(list) == 0
}

func notFoundAnswer(s *step, q Question, a Answer) Reading {
	o := Observation{Verdict: Accepted, Kind: KindPayment, Word: payment.WordNotFound, MerchantRef: q.MerchantRef, Item: a.Raw}
	if a.AskedAt.Sub(time.UnixMilli(q.CreatedMs)) < s.grace {
		o.Reason, o.Detail = "not_yet", "it is so young that the gateway may not show it yet"
	}
	return Reading{Verdict: Accepted, Reason: o.Reason, Detail: o.Detail, Secret: -1, Observations: []Observation{o}}
}

func unreadableAnswer(detail, rawWord string) Reading {
	o := Observation{Verdict: Unreadable, Reason: ClassUnreadable, Detail: detail, Kind: KindPayment, Word: payment.WordUnreadable, RawWord: rawWord}
	return Reading{Verdict: Unreadable, Reason: ClassUnreadable, Detail: detail, Secret: -1, Observations: []Observation{o}}
}

// result reads the payment in an answer, or the one of a list that the rule picks.
func (g *Gateway) result(s *step, v *view, q Question) Reading {
	if !s.isList {
		at := v.doc.find(0, &s.at)
		if at < 0 {
			return unreadableAnswer("the answer holds no payment", "")
		}
		return g.resultAt(s, *v, at, q)
	}
	list, ok := v.doc.list(v.doc.find(0, &s.list))
	if !ok {
		return unreadableAnswer("the answer holds no list of payments", "")
	}
	var best Reading
	var others []Observation
	rank, paid := -1, 0
	for _, c := range list {
		at := v.doc.find(c, &s.at)
		if at < 0 {
			return unreadableAnswer("an element of the list holds no payment", "")
		}
		rd := g.resultAt(s, *v, at, q)
		others = append(others, rd.Others...)
		r := rankOf(rd)
		if r == rankPaid {
			paid++
		}
		if r > rank || r == rank && s.newestLast {
			best, rank = rd, r
		}
	}
	if paid > 1 {
		best.Observations[0].Reason = SeveralPaid
	}
	if rank <= 0 {
		best = unreadableAnswer("the list holds nothing about this payment", "")
	}
	best.Others = others
	return best
}

// SeveralPaid is the reason on an observation that was picked from a list in which more than one payment is paid.
const SeveralPaid = "several_paid"

const rankPaid = 3

// rankOf: a paid one before one that cannot be read, before the newest other.
func rankOf(rd Reading) int {
	switch {
	case rd.Reason == "other_payment":
		return 0
	case rd.Verdict == Accepted && rd.Observations[0].Word == payment.WordSucceeded:
		return rankPaid
	case rd.Verdict == Unreadable:
		return 2
	}
	return 1
}

func (g *Gateway) resultAt(s *step, v view, at int32, q Question) Reading {
	v.at, v.item = at, at
	if mode, present, _ := g.bodyMode(&v); present && mode != g.mode {
		return unreadableAnswer("the answer does not say that it is about "+g.mode+" mode, which this gateway is in", "")
	}
	c := choose(s.shapes, v)
	if c.shape == nil || c.shape.kind != KindPayment {
		return unreadableAnswer("the answer is about something else than a payment", "")
	}
	item := v.doc.raw(at)
	out := c.shape.observe(&c.view, Observation{Verdict: Accepted, Item: item, Digest: sha256.Sum256(item)}, nil)
	o := &out[0]
	if o.Verdict == Unreadable {
		return unreadableAnswer(o.Detail, o.RawWord)
	}
	if why := s.otherPayment(c.shape, o, q); why != "" {
		rd := unreadableAnswer(why, o.RawWord)
		rd.Reason = "other_payment"
		if s.byRef == "" && o.Word == payment.WordSucceeded && o.Attempt != "" && o.Attempt != q.Attempt && (o.MerchantRef == q.MerchantRef || o.MerchantRef == q.OrderRef) {
			rd.Others = []Observation{*o}
		}
		return rd
	}
	if g.account != "" && o.Account != "" && o.Account != g.account {
		return unreadableAnswer("the answer is about the merchant account "+clip(o.Account), o.RawWord)
	}
	if o.Word == "" {
		o.Word = payment.WordUnreadable
		o.Detail = "the gateway's word " + clip(o.RawWord) + " is not known to this definition"
	}
	return Reading{Verdict: Accepted, Reason: o.Reason, Detail: o.Detail, Mode: g.mode, Secret: -1, Observations: out}
}

// otherPayment guards against an answer about another payment than was asked: it must name what it was asked by, and
// nothing in it may name another.
func (s *step) otherPayment(c *shape, o *Observation, q Question) string {
	if o.MerchantRef != "" && o.MerchantRef != q.MerchantRef && o.MerchantRef != q.OrderRef && (s.byRef == "" || !o.OwnNumber()) {
		return "the answer is about another payment: " + clip(o.MerchantRef)
	}
	if q.Attempt != "" && c.attempt != "" && o.Attempt != q.Attempt {
		return "the answer is about another attempt: " + clip(o.Attempt)
	}
	if s.byRef == "" {
		if o.MerchantRef == "" && len(c.merchant) > 0 {
			return "the answer does not name the reference that it was asked by"
		}
		return ""
	}
	asked := q.asked
	if asked == "" {
		asked, _ = s.id(q)
	}
	named := false
	for _, r := range o.Refs {
		if r.Kind == s.byRef && r.ID != asked {
			return "the answer is about another payment: " + clip(r.ID)
		}
		named = named || r.Kind == s.byRef
	}
	if !named && o.MerchantRef == "" && c.reads(s.byRef) {
		return "the answer does not name the payment that was asked about"
	}
	return ""
}

// reads tells whether a shape looks for a reference of a kind or for the merchant's.
func (c *shape) reads(kind string) bool {
	for i := range c.refs {
		if c.refs[i].kind == kind {
			return true
		}
	}
	return len(c.merchant) > 0
}

func (c *compiler) verifying(s *SignatureSpec, q *query) {
	if s == nil {
		return
	}
	if s.Mode != "" || s.EachItem || len(s.When) > 0 || s.Certificate != nil {
		c.add("query.verify", "mode, each_item, when and certificate are of notices", "leave them out: every answer is proved alike, with a key that is configured")
		return
	}
	q.verify = &signature{}
	c.signature("query.verify", *s, q.verify)
	for _, k := range q.verify.keys {
		if q.publicKeyID == "" {
			q.publicKeyID = k.id
		}
	}
}
