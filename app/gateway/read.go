package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"nodrop/app/payment"
)

// Read verifies a request and decodes what it says. It is pure: ages are measured at
// the request's arrival, so the same request always reads alike.
func (g *Gateway) Read(r Request) Reading {
	if rd, ok := g.early(r); ok {
		return rd
	}
	v := g.view(r)
	defer v.close()
	var openErr error
	if g.parseFirst {
		openErr = v.open(g.envelopes)
	}
	p := g.verify(&v, r.At)
	rd := Reading{Secret: p.secret, SkewMs: p.skew.Milliseconds(), Detail: p.detail, Certificate: p.certificate}
	if reason := p.refusal(g); reason != "" {
		return g.refuse(rd, reason, p.detail)
	}
	if p.flag {
		rd.Reason = "stale_timestamp"
	}
	if g.networks.strange(r.RemoteIP) {
		rd.Reason, rd.Detail = "unknown_network", "it comes from "+clip(r.RemoteIP)+", which is not among the gateway's known addresses"
		if g.networks.policy == "enforce" {
			return g.refuse(rd, rd.Reason, rd.Detail)
		}
	}
	if v.doc == nil && openErr == nil {
		openErr = v.open(g.envelopes)
	}
	return g.decode(&v, openErr, &p, rd)
}

// Decode reads a stored request that was verified when it came in.
func (g *Gateway) Decode(r Request) Reading {
	if rd, ok := g.early(r); ok {
		return rd
	}
	v := g.view(r)
	defer v.close()
	return g.decode(&v, v.open(g.envelopes), nil, Reading{Secret: -1})
}

func (g *Gateway) view(r Request) view {
	return view{method: r.Method, target: r.Target, header: r.Header, raw: r.Body, redacted: r.Redacted, publicURL: g.publicURL, g: g}
}

// open runs the first envelope, which is what signatures read.
func (v *view) open(stages []envelope) error {
	o, err := openOuter(stages, v.raw, v.target)
	v.doc, v.outer = o.doc, o.outer
	return err
}

// openInner runs the other envelopes once the request is verified.
func (v *view) openInner(stages []envelope) error {
	o, err := opened{outer: v.outer, doc: v.doc}.inner(stages)
	v.doc, v.outer = o.doc, o.outer
	return err
}

func (v *view) close() {
	opened{outer: v.outer, doc: v.doc}.release()
	v.doc, v.outer = nil, nil
}

// early answers what is no notice: a challenge, or a method that is not used.
func (g *Gateway) early(r Request) (Reading, bool) {
	if g.challenge != nil && (r.Method == g.challenge.Method || r.Method == http.MethodHead) {
		return g.answerChallenge(r), true
	}
	if slices.Contains(g.methods, r.Method) {
		return Reading{}, false
	}
	a := Ack{Status: http.StatusMethodNotAllowed, ContentType: plainText, Body: []byte("method not allowed"),
		Header: http.Header{"Allow": {strings.Join(g.Methods(), ", ")}}}
	return Reading{Verdict: Refused, Reason: "wrong_method", Secret: -1, Ack: a,
		Detail: "the gateway sends " + strings.Join(g.methods, " or ") + ": a redirect on the way, or a browser"}, true
}

// Methods lists the HTTP methods that the gateway uses, those of a challenge included.
func (g *Gateway) Methods() []string {
	if g.challenge == nil {
		return g.methods
	}
	return append(slices.Clip(g.methods), g.challenge.Method, http.MethodHead)
}

func (g *Gateway) refuse(rd Reading, reason, detail string) Reading {
	rd.Verdict, rd.Reason, rd.Detail, rd.Ack = Refused, reason, detail, g.acks[OutcomeRefused]
	if reason == "certificate_pending" {
		rd.Ack = g.acks[OutcomeBusy]
	}
	return rd
}

func (g *Gateway) dead(rd Reading, v *view, reason, detail string) Reading {
	sum := sha256.Sum256(v.raw)
	rd.Verdict, rd.Reason, rd.Detail, rd.Ack = Unreadable, reason, detail, g.acks[OutcomeStored]
	rd.Observations = []Observation{{Verdict: Unreadable, Reason: reason, Detail: detail, Kind: KindPayment,
		Digest: sum, DedupeKey: "sha256:" + hex.EncodeToString(sum[:]), Item: v.raw, Hint: v.hint}}
	return rd
}

// decode reads an opened message; p is nil for one that was verified before.
func (g *Gateway) decode(v *view, openErr error, p *proof, rd Reading) Reading {
	v.hint = g.hintAt(v)
	if openErr == nil && len(g.skip) > 0 && g.skip.check(v) == holds {
		rd.Verdict, rd.Reason, rd.Ack = Ignored, "not_concerned", g.acks[OutcomeIgnored]
		return rd
	}
	if openErr == nil {
		openErr = v.openInner(g.envelopes)
	}
	if openErr != nil {
		return g.dead(rd, v, "body_unreadable", "the body cannot be read: "+openErr.Error())
	}
	mode, reason, why := g.messageMode(v, p)
	rd.Mode = mode
	switch reason {
	case "wrong_mode":
		return g.refuse(rd, reason, why)
	case "mode_unreadable":
		return g.dead(rd, v, reason, why)
	}
	items, why := g.itemsOf(v)
	if why != "" {
		return g.dead(rd, v, "items_unreadable", why)
	}
	rd.Observations = make([]Observation, 0, len(items))
	for _, i := range items {
		rd.Observations = g.readItem(v, i, rd.Observations)
	}
	if mode != "" && mode != g.mode {
		return g.otherMode(rd)
	}
	return g.conclude(rd)
}

// itemsOf returns the nodes of the items: the whole message, or a batch's elements.
func (g *Gateway) itemsOf(v *view) ([]int32, string) {
	if !g.batch {
		return []int32{0}, ""
	}
	if v.doc == nil {
		return nil, "the message cannot be read"
	}
	items, ok := v.doc.list(v.doc.find(0, &g.items))
	if !ok {
		return nil, "the list " + quote(g.items.whole) + " of items is missing"
	}
	return items, ""
}

func (g *Gateway) readItem(root *view, i int32, out []Observation) []Observation {
	v := *root
	base := Observation{Verdict: Accepted, Kind: KindPayment, Hint: v.hint, Item: v.raw}
	if g.batch {
		base.Item = v.doc.raw(i)
	}
	base.Digest = sha256.Sum256(base.Item)
	if i = v.doc.find(i, &g.item); i < 0 {
		base.unreadable("items_unreadable", "an element holds no item")
		return append(out, base.keyed(value{}))
	}
	v.at, v.item = i, i
	typ := g.typ.read(&v)
	v.typ = typ.text
	base = base.keyed(g.dedupe.read(&v))
	switch {
	case typ.kind == faulty || len(g.typ) > 0 && typ.empty():
		base.unreadable("type_unreadable", "the type of the notice is missing or cannot be read")
		return append(out, base)
	case g.ignored(v.typ):
		return append(out, base.notConcerned())
	}
	if v.at = v.doc.find(i, &g.noticeAt); v.at < 0 {
		base.unreadable("object_missing", "the object that the notice is about is missing")
		return append(out, base)
	}
	return g.readShape(&v, base, out)
}

func (g *Gateway) readShape(v *view, base Observation, out []Observation) []Observation {
	c := choose(g.shapes, *v)
	switch {
	case !c.found:
		base.unreadable("object_missing", "the object that the notice is about is missing")
		return append(out, base)
	case c.unclear:
		base.unreadable("type_unreadable", "a field that tells what the notice is about cannot be read")
		return append(out, base)
	case c.shape == nil || c.shape.kind == "ignore":
		return append(out, base.notConcerned())
	}
	from := len(out)
	out = c.shape.observe(&c.view, base, out)
	for i := from; i < len(out); i++ {
		g.judge(&out[i], c.shape)
	}
	return out
}

func (g *Gateway) ignored(typ string) bool {
	for _, t := range g.ignore {
		if matches(typ, t, false) {
			return true
		}
	}
	return false
}

func (o Observation) notConcerned() Observation {
	if o.Verdict == Accepted {
		o.Verdict, o.Reason = Ignored, "not_concerned"
	}
	return o
}

// keyed sets the dedupe key; without one of its own an item is known by its bytes.
func (o Observation) keyed(v value) Observation {
	switch {
	case v.kind == faulty:
		o.unreadable("dedupe_unreadable", "the id of the notice cannot be read: "+v.text)
	case !v.empty() && len(v.text) <= maxIDBytes:
		o.DedupeKey = v.text
		return o
	case !v.empty():
		sum := sha256.Sum256([]byte(v.text))
		o.DedupeKey = "long:" + hex.EncodeToString(sum[:])
		return o
	}
	o.DedupeKey = "sha256:" + hex.EncodeToString(o.Digest[:])
	return o
}

// judge applies what a notice must have to be taken at its word.
func (g *Gateway) judge(o *Observation, s *shape) {
	if o.Verdict != Accepted {
		return
	}
	if len(o.Refs) == 0 && o.MerchantRef == "" {
		o.unreadable("reference_missing", "the "+o.Kind+" names no payment")
	}
	if o.Kind == KindPayment && (s.amount.never() || o.Word == payment.WordSucceeded && !o.HasAmount && g.Queryable()) {
		o.Hint = true
	}
	if o.Word == payment.WordSucceeded && !o.HasAmount && !o.Hint {
		o.unreadable("amount_missing", "it says that the payment succeeded, but not how much was paid")
	}
	if g.account == "" || len(s.account) == 0 || o.Verdict != Accepted {
		return
	}
	if o.Account == "" {
		o.unreadable("account_missing", "the merchant account is missing")
	} else if o.Account != g.account {
		o.Verdict, o.Reason, o.Detail = Ignored, "not_ours", "it is about the merchant account "+clip(o.Account)
	}
}

func (g *Gateway) otherMode(rd Reading) Reading {
	for i := range rd.Observations {
		rd.Observations[i].Verdict, rd.Observations[i].Reason = Ignored, "wrong_mode"
	}
	rd.Verdict, rd.Reason, rd.Ack = Ignored, "wrong_mode", g.acks[OutcomeIgnored]
	rd.Detail = "a " + rd.Mode + " notice, properly signed, came to the " + g.mode + " gateway: the address is registered in both modes"
	return rd
}

// conclude derives the verdict on the request from those on its items: one accepted
// item makes it accepted, else one unreadable item makes it unreadable.
func (g *Gateway) conclude(rd Reading) Reading {
	rd.Verdict = Ignored
	reason, detail := "not_concerned", ""
	for i := range rd.Observations {
		o := &rd.Observations[i]
		switch {
		case o.Verdict == Accepted:
			rd.Verdict, rd.Ack = Accepted, g.acks[OutcomeStored]
			return rd
		case o.Verdict == Unreadable && rd.Verdict != Unreadable:
			rd.Verdict, reason, detail = Unreadable, o.Reason, o.Detail
		case rd.Verdict == Ignored:
			reason, detail = o.Reason, o.Detail
		}
	}
	rd.Reason, rd.Detail, rd.Ack = reason, detail, g.acks[OutcomeStored]
	if rd.Verdict == Ignored {
		rd.Ack = g.acks[OutcomeIgnored]
	}
	return rd
}

// bodyMode is the mode that the message itself names; present tells whether it does.
func (g *Gateway) bodyMode(v *view) (mode string, present bool, why string) {
	if len(g.modeFrom) == 0 {
		return "", false, ""
	}
	got := g.modeFrom.read(v)
	mode = g.modes[got.text]
	if got.kind == faulty || mode == "" && !got.empty() {
		return "", true, modeUnclear
	}
	return mode, !got.empty(), ""
}

const modeUnclear = "it does not tell whether it is live or test"

// messageMode returns the mode that a notice is in; p is nil for one verified before.
func (g *Gateway) messageMode(v *view, p *proof) (mode, reason, detail string) {
	mode, present, why := g.bodyMode(v)
	if why != "" {
		return "", "mode_unreadable", why
	}
	if !present {
		mode = g.modeAbsent
	}
	switch {
	case !g.slotted && mode == "" && len(g.modeFrom) > 0:
		return "", "mode_unreadable", modeUnclear
	case !g.slotted || p == nil:
		return mode, "", ""
	case mode == "" && p.right[g.mode]:
		return g.mode, "", ""
	case mode == "":
		return opposite(g.mode), "", ""
	case !p.right[mode]:
		return mode, "wrong_mode", "the body says " + mode + ", but it is signed as " + opposite(mode)
	}
	return mode, "", ""
}

func opposite(mode string) string {
	if mode == "live" {
		return "test"
	}
	return "live"
}
