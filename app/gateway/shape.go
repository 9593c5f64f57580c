package gateway

import (
	"strconv"
	"strings"

	"nodrop/app/payment"
)

// shape is a compiled Shape.
type shape struct {
	when       guard
	kind       string
	at, each   path
	refs       []refSelector
	merchant   selector
	status     selector
	words      map[string]string
	rules      []rule
	fold       bool
	amount     *amount
	account    selector
	occurred   *instant
	ref        selector
	cumulative bool
	attempt    string
	also       []shape
}

type refSelector struct {
	kind string
	from selector
}

type rule struct {
	when guard
	word string
}

// maxIDBytes bounds references: longer ones are no reference of any gateway.
const maxIDBytes = 255

// start moves a view to where the shape begins; false when nothing is there.
func (s *shape) start(v view) (view, bool) {
	at := v.doc.find(v.at, &s.at)
	v.at = at
	return v, at >= 0
}

// choice is which shape reads an object. Without one, found tells whether the place
// that any shape starts from was there, unclear whether a guard could not be read.
type choice struct {
	shape          *shape
	view           view
	found, unclear bool
}

func choose(shapes []shape, v view) (c choice) {
	for i := range shapes {
		at, ok := shapes[i].start(v)
		if !ok {
			continue
		}
		c.found = true
		switch shapes[i].when.check(&at) {
		case holds:
			c.shape, c.view = &shapes[i], at
			return c
		case unclear:
			c.unclear = true
			return c
		}
	}
	return c
}

// observe reads one object into an observation and adds what stands inside it.
func (s *shape) observe(v *view, base Observation, out []Observation) []Observation {
	o := base
	o.Kind = s.kind
	s.fill(v, &o)
	out = append(out, o)
	for i := range s.also {
		out = s.also[i].inside(v, o, out)
	}
	return out
}

// inside reads refunds and disputes that stand in an object, one or a list of them.
func (s *shape) inside(parent *view, of Observation, out []Observation) []Observation {
	v, ok := s.start(*parent)
	if !ok {
		return out
	}
	v.item = parent.at
	base := Observation{Verdict: Accepted, DedupeKey: of.DedupeKey, Digest: of.Digest, Item: of.Item, Refs: of.Refs,
		MerchantRef: of.MerchantRef, Attempt: of.Attempt, Currency: of.Currency, Account: of.Account,
		OccurredAt: of.OccurredAt, Hint: of.Hint}
	if s.each.whole == "" {
		return s.nested(&v, base, 0, out)
	}
	list := v.doc.find(v.at, &s.each)
	if list == -1 || list >= 0 && v.doc.nodes[list].kind == null {
		return out
	}
	elements, ok := v.doc.list(list)
	if !ok {
		base.Kind, base.DedupeKey = s.kind, base.DedupeKey+"#"+s.kind
		base.unreadable("items_unreadable", "the list "+quote(s.each.whole)+" cannot be read")
		return append(out, base)
	}
	for n, c := range elements {
		v.at = c
		out = s.nested(&v, base, n, out)
	}
	return out
}

func (s *shape) nested(v *view, o Observation, place int, out []Observation) []Observation {
	switch s.when.check(v) {
	case fails:
		return out
	case unclear:
		o.unreadable("guard_unreadable", "it cannot be told whether there is a "+s.kind)
	}
	o.Kind = s.kind
	s.fill(v, &o)
	id := o.RefundRef
	if id == "" {
		id = strconv.Itoa(place)
	}
	o.DedupeKey += "#" + s.kind + ":" + id
	return append(out, o)
}

// fill reads every field. The first that cannot be read makes the observation
// unreadable and leaves the rest to be shown.
func (s *shape) fill(v *view, o *Observation) {
	s.fillRefs(v, o)
	s.fillWord(v, o)
	if at := s.occurred.read(v); !at.IsZero() {
		o.OccurredAt = at
	}
	m, why := s.amount.read(v)
	if why != "" {
		o.unreadable("amount_unreadable", why)
	}
	o.HasAmount, o.AmountMinor, o.AmountText = m.has, m.minor, m.text
	if m.currency != "" {
		o.Currency = m.currency
	}
	if s.kind == KindPayment {
		return
	}
	o.RefundRef, o.Cumulative = o.id(s.ref.read(v), s.kind+" id"), s.cumulative
	if o.RefundRef == "" && !s.cumulative {
		o.unreadable("reference_missing", "the "+s.kind+" has no id")
	}
	if !m.has {
		o.unreadable("amount_missing", "the "+s.kind+" has no amount")
	}
}

func (s *shape) fillRefs(v *view, o *Observation) {
	if len(s.refs) > 0 {
		o.Refs = o.Refs[:len(o.Refs):len(o.Refs)]
	}
	for i := range s.refs {
		r := &s.refs[i]
		if id := o.id(r.from.read(v), r.kind+" reference"); id != "" && !o.hasRef(r.kind) {
			o.Refs = append(o.Refs, Ref{Kind: r.kind, ID: id})
			if r.kind == s.attempt {
				o.Attempt = id
			}
		}
	}
	if id := o.id(s.merchant.read(v), "merchant reference"); id != "" {
		o.MerchantRef = id
	}
	if account := o.id(s.account.read(v), "merchant account"); account != "" {
		o.Account = account
	}
}

func (o *Observation) hasRef(kind string) bool {
	for _, r := range o.Refs {
		if r.Kind == kind {
			return true
		}
	}
	return false
}

// id accepts a text or a whole number as a reference.
func (o *Observation) id(v value, what string) string {
	why := ""
	switch {
	case v.kind == faulty:
		why = v.text
	case v.kind == boolean || v.kind == number && !allDigits(v.text):
		why = clip(v.text) + " is no reference"
	case len(v.text) > maxIDBytes:
		why = "it is longer than " + strconv.Itoa(maxIDBytes) + " bytes"
	case strings.ContainsFunc(v.text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		why = "a control character stands in it"
	}
	if why != "" {
		o.unreadable("reference_unreadable", "the "+what+" cannot be read: "+why)
		return ""
	}
	return v.text
}

func (s *shape) fillWord(v *view, o *Observation) {
	raw := s.status.read(v)
	if raw.kind == faulty {
		o.unreadable("status_unreadable", "the status cannot be read: "+raw.text)
		return
	}
	o.RawWord = raw.text
	word, clear := s.word(v, raw.text)
	if !clear {
		o.unreadable("status_unreadable", "a field that the status depends on cannot be read")
		return
	}
	if word == "" && raw.text == "" {
		o.unreadable("status_missing", "the "+s.kind+" has no status")
		return
	}
	if word == "" {
		o.Reason = "unmapped_word"
		return
	}
	if s.kind == KindPayment {
		o.Word = payment.Word(word)
	} else {
		o.Status = word
	}
}

func (s *shape) word(v *view, raw string) (word string, clear bool) {
	for i := range s.rules {
		switch s.rules[i].when.check(v) {
		case holds:
			return s.rules[i].word, true
		case unclear:
			return "", false
		}
	}
	if s.fold {
		raw = strings.ToLower(raw)
	}
	return s.words[raw], true
}

// unreadable keeps the first reason.
func (o *Observation) unreadable(reason, detail string) {
	if o.Verdict != Unreadable {
		o.Verdict, o.Reason, o.Detail = Unreadable, reason, detail
	}
}
