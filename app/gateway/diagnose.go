package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	for _, v := range bodyVariants(r.Body) {
		changed := r
		changed.Body = v.body
		if g.rightAt(changed, r.At) {
			return "the body was changed on its way: the signature fits once " + v.what
		}
	}
	return rd.Detail
}

// rightAt tells whether the signature would be right, whatever its age.
func (g *Gateway) rightAt(r Request, at time.Time) bool {
	v := g.view(r)
	if g.parseFirst {
		v.doc, _ = g.open(r.Body)
	}
	p := g.verify(&v, at)
	v.close()
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
