package gateway

import (
	"fmt"
	"net/http"
)

// Ack is an exact HTTP answer.
type Ack struct {
	Status      int
	ContentType string
	Body        []byte
	Header      http.Header
}

// The outcomes of taking in a request that have an answer of their own.
const (
	OutcomeStored    = "stored"
	OutcomeDuplicate = "duplicate"
	OutcomeIgnored   = "ignored"
	OutcomeRefused   = "refused"
	OutcomeBusy      = "busy"
)

const plainText = "text/plain; charset=utf-8"

// Ack returns the answer for an outcome; an unknown outcome gets the one for busy,
// so that the gateway comes again. The answer is shared: do not change it.
func (g *Gateway) Ack(outcome string) Ack {
	if a, ok := g.acks[outcome]; ok {
		return a
	}
	return g.acks[OutcomeBusy]
}

func (c *compiler) acks(s AckSpec) map[string]Ack {
	stored := AnswerSpec{Status: s.Status, ContentType: s.ContentType, Body: s.Body, Header: s.Header}
	if stored.Status == 0 {
		stored.Status = http.StatusOK
	}
	if stored.ContentType == "" && stored.Body != "" {
		stored.ContentType = plainText
	}
	refused := AnswerSpec{Status: http.StatusUnauthorized, ContentType: plainText, Body: "refused"}
	busy := AnswerSpec{Status: http.StatusServiceUnavailable, ContentType: plainText, Body: "try again",
		Header: map[string]string{"Retry-After": "5"}}
	out := map[string]Ack{OutcomeStored: c.success("ack", stored)}
	out[OutcomeDuplicate] = c.success("ack.duplicate", stored.with(s.Duplicate))
	out[OutcomeIgnored] = c.success("ack.ignored", stored.with(s.Ignored))
	out[OutcomeRefused] = c.failure("ack.refused", refused.with(s.Refused), 400, 499)
	out[OutcomeBusy] = c.failure("ack.busy", busy.with(s.Busy), 500, 599)
	return out
}

// with overlays what an outcome says of itself.
func (a AnswerSpec) with(over *AnswerSpec) AnswerSpec {
	if over == nil {
		return a
	}
	out := *over
	if out.Status == 0 {
		out.Status = a.Status
	}
	if out.ContentType == "" && out.Body != "" {
		out.ContentType = a.ContentType
	}
	if out.ContentType == "" && out.Body != "" {
		out.ContentType = plainText
	}
	if out.Header == nil {
		out.Header = a.Header
	}
	return out
}

func (c *compiler) success(path string, a AnswerSpec) Ack { return c.failure(path, a, 200, 299) }

func (c *compiler) failure(path string, a AnswerSpec, from, to int) Ack {
	if a.Status < from || a.Status > to || a.Status == http.StatusGone {
		c.add(path+".status", fmt.Sprintf("%d is no status for this answer", a.Status), fmt.Sprintf("write a status from %d to %d", from, to))
	}
	if a.Status == http.StatusNoContent && a.Body != "" {
		c.add(path+".body", "an answer with status 204 has no body", `remove the body, or write status = 200`)
	}
	h := http.Header{}
	for _, k := range sortedKeys(a.Header) {
		if !plainHeader(k) || !plainHeader(a.Header[k]) {
			c.add(path+".header."+k, "a header holds a control character", "write it on one line")
		}
		h.Set(k, a.Header[k])
	}
	return Ack{Status: a.Status, ContentType: a.ContentType, Body: []byte(a.Body), Header: h}
}

func plainHeader(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return false
		}
	}
	return true
}
