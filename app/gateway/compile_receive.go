package gateway

import (
	"fmt"
	"net/http"
	"time"
)

func (c *compiler) receiving(s Spec) {
	g := c.g
	g.methods = s.Methods
	if len(g.methods) == 0 {
		g.methods = []string{http.MethodPost}
	}
	for i, m := range g.methods {
		c.oneOf(fmt.Sprintf("%smethods[%d]", c.prefix, i), m, http.MethodPost, http.MethodGet, http.MethodPut)
	}
	g.envelopes = c.envelopes("envelope", s.Envelope, s.Signature)
	if g.which = s.Signatures; g.which == "" {
		g.which = "all"
	}
	c.oneOf(c.prefix+"signatures", g.which, "all", "any", "first")
	if len(s.Signature) == 0 {
		c.add("signature", "nothing says how a request is signed", `add [[signature]]; kind = "none" only where the gateway signs nothing`)
	}
	for i, one := range s.Signature {
		g.signatures = append(g.signatures, signature{})
		c.signature(fmt.Sprintf("signature[%d]", i), one, &g.signatures[i])
	}
	if s.Challenge != nil {
		c.challenge(*s.Challenge)
	}
	if s.Mode != nil {
		c.mode(*s.Mode)
	}
}

func (c *compiler) stamp(path string, s TimestampSpec) *stamp {
	out := &stamp{unit: s.Unit, past: time.Duration(s.Tolerance), future: time.Duration(s.Tolerance)}
	if s.Unit == "" {
		out.unit = "s"
	}
	c.oneOf(c.prefix+path+".unit", out.unit, "s", "ms", "auto", "rfc3339")
	if s.Policy == "" {
		s.Policy = "reject"
	}
	c.oneOf(c.prefix+path+".policy", s.Policy, "reject", "flag", "off")
	out.flagOnly = s.Policy == "flag"
	if s.Future != nil {
		out.future = time.Duration(*s.Future)
	}
	if (s.Tolerance == 0) != (s.Policy == "off") {
		c.add(path+".tolerance", "nothing says how old a request may be", `write for example tolerance = "300s", or policy = "off"`)
	}
	if c.in.Tolerance != nil {
		out.past, out.future, out.flagOnly = *c.in.Tolerance, *c.in.Tolerance, false
	}
	if s.From == "" {
		c.add(path+".from", "nothing says where the time stands", `write from = "{sig:t}" or "{header:X-Timestamp}"`)
	}
	out.from = c.template(path+".from", s.From, signWords)
	return out
}

func (c *compiler) mode(s ModeSpec) {
	c.g.modeFrom = c.selector("mode.from", s.From)
	c.g.modes = map[string]string{}
	for _, v := range s.Live {
		c.g.modes[v] = "live"
	}
	for _, v := range s.Test {
		if c.g.modes[v] != "" {
			c.add("mode.test", quote(v)+" cannot mean live and test", "write it in one of the two")
		}
		c.g.modes[v] = "test"
	}
	if len(s.From) == 0 || len(s.Live) == 0 || len(s.Test) == 0 {
		c.add("mode", "it is not complete", `write from = "livemode", live = "true", test = "false"`)
	}
	c.g.modeAbsent = s.Absent
	if s.Absent != "" {
		c.oneOf(c.prefix+"mode.absent", s.Absent, "test", "live", "own")
	}
	if s.Absent == "own" {
		c.g.modeAbsent = c.in.Mode
	}
}

func (c *compiler) path(at, s string) path {
	p, err := compilePath(s)
	if err != nil {
		c.add(at, err.Error(), `write a path such as data.id, list.0.id or list.#(type=card).id`)
	}
	return p
}

func (c *compiler) template(at, s string, words vocabulary) template {
	t, err := compileTemplate(s, words)
	if err != nil {
		c.add(at, err.Error(), "write known parts only; a brace itself is {{")
	}
	return t
}

func (c *compiler) selector(at string, l List) selector {
	var out selector
	for _, s := range l {
		t, err := compileSelector(s)
		if err != nil {
			c.add(at, err.Error(), `write a path such as data.id, or parts such as {header:X-Id}`)
		}
		out = append(out, t)
	}
	return out
}
