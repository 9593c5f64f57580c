package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Diagnose says in plain words why a request is refused, as likely as can be told by
// trying what commonly goes wrong. It costs more than Read and is for a person who asks.
func (g *Gateway) Diagnose(r Request) string {
	rd := g.Read(r)
	if rd.Verdict != Refused || rd.Reason != "bad_signature" {
		return rd.Detail
	}
	if why := g.untimely(r); why != "" {
		return why
	}
	for _, address := range g.addressVariants(r) {
		if g.rightFor(r, r.At, address) {
			return "it was sent to another address: the signature fits " + address + "; write that as public_url, or correct the address in the gateway's dashboard"
		}
	}
	for _, v := range bodyVariants(r.Body) {
		changed := r
		changed.Body = v.body
		if g.rightAt(changed, r.At) {
			return "the body was changed on its way: the signature fits once " + v.what
		}
	}
	if why := g.strangeMode(r); why != "" {
		return why
	}
	return rd.Detail
}

// strangeMode tells whether the unproved body says that it is of the other mode, whose secret differs.
func (g *Gateway) strangeMode(r Request) string {
	v := g.view(r)
	defer v.close()
	if v.open(g.envelopes) != nil {
		return ""
	}
	if mode, present, _ := g.bodyMode(&v); present && mode == opposite(g.mode) {
		return "it says that it is a " + mode + " notice, and this gateway is in " + g.mode + " mode: the secret of the other mode signs it"
	}
	return ""
}

// addressVariants are addresses that the gateway may know us by, where the address is signed.
func (g *Gateway) addressVariants(r Request) []string {
	signed := false
	for i := range g.signatures {
		for _, m := range g.signatures[i].messages {
			t, plain := m.(*template)
			signed = signed || plain && t.uses(opPublicURL, opSentTarget)
		}
	}
	if !signed {
		return nil
	}
	var out []string
	own, ok := strings.CutSuffix(g.publicURL, "/")
	if out = append(out, own); !ok {
		out[0] = own + "/"
	}
	bases := []string{g.publicURL, out[0]}
	if host := r.Header.Get("Host"); host != "" {
		bases = append(bases, "https://"+host+r.Target)
	}
	for _, b := range bases {
		_, rest, _ := strings.Cut(b, "://")
		out = append(out, "https://"+rest, "http://"+rest)
	}
	return out
}

// rightAt tells whether the signature would be right, whatever its age.
func (g *Gateway) rightAt(r Request, at time.Time) bool { return g.rightFor(r, at, g.publicURL) }

func (g *Gateway) rightFor(r Request, at time.Time, address string) bool {
	v := g.view(r)
	v.publicURL = address
	defer v.close()
	if g.parseFirst && v.open(g.envelopes) != nil {
		return false
	}
	p := g.verify(&v, at)
	return p.state == sigRight
}

// untimely finds a secret that fits but was not valid when the request arrived.
func (g *Gateway) untimely(r Request) string {
	for i, s := range g.secretTimes {
		if !s.Until.IsZero() && !r.At.Before(s.Until) && g.rightAt(r, s.Until.Add(-time.Millisecond)) {
			return fmt.Sprintf("it is signed with secret %d, which ended at %s", i+1, s.Until.UTC().Format(time.RFC3339))
		}
		if r.At.Before(s.NotBefore) && g.rightAt(r, s.NotBefore) {
			return fmt.Sprintf("it is signed with secret %d, which begins at %s", i+1, s.NotBefore.UTC().Format(time.RFC3339))
		}
	}
	return ""
}

type variant struct {
	what string
	body []byte
}

func bodyVariants(body []byte) []variant {
	var compact bytes.Buffer
	list := []variant{
		{"the line end at the end is removed", bytes.TrimRight(body, "\r\n")},
		{"a line end is added", append(bytes.Clone(body), '\n')},
		{"line ends are written as CRLF", bytes.ReplaceAll(body, []byte("\n"), []byte("\r\n"))},
		{"line ends are written as LF", bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))},
		{"the byte order mark is removed", bytes.TrimPrefix(body, byteOrderMark)},
	}
	if json.Compact(&compact, body) == nil {
		list = append(list, variant{"the spaces between its fields are removed", compact.Bytes()})
	}
	return list
}
