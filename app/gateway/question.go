package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"nodrop/app/payment"
)

// asking is one question while it is written: one instant and one nonce, wherever they stand in it.
type asking struct {
	g      *Gateway
	step   *step
	about  Question
	id     string
	at     time.Time
	token  string        // of oauth2
	secret string        // the key that signs, for its text
	made   map[op]string // parts that are made once
	err    error         // the first reason why it cannot be written
}

func (g *Gateway) asking(i int, about Question, at time.Time) *asking {
	a := &asking{g: g, about: about, at: at, made: map[op]string{}}
	if i >= 0 {
		a.step = &g.query.steps[i]
		a.id, _ = a.step.id(about)
	}
	return a
}

// request writes the question down.
func (a *asking) request(ctx context.Context) (*http.Request, error) {
	q, s := a.g.query, a.step
	target := q.base + s.path.fill(a, escapePath)
	if query := a.make(opRawQuery); query != "" {
		target += "?" + query
	}
	var body io.Reader
	if s.hasBody() {
		body = strings.NewReader(a.make(opRawBody))
	}
	req, err := http.NewRequestWithContext(ctx, s.method, target, body)
	if err != nil {
		return nil, errUnwritable
	}
	a.head(req)
	return req, a.err
}

var errUnwritable = errors.New("the question cannot be written: the address is not valid")

func (a *asking) head(req *http.Request) {
	q, s := a.g.query, a.step
	req.Header.Set("Accept", s.accept)
	req.Header.Set("User-Agent", "nodrop")
	if s.hasBody() {
		req.Header.Set("Content-Type", s.contentType)
	}
	for _, list := range [][]pair{q.headers, s.headers} {
		for _, h := range list {
			if value := h.value.fill(a, escapeHeader); value != "" {
				req.Header.Set(h.name, value)
			}
		}
	}
	switch q.auth.Kind {
	case "basic":
		req.SetBasicAuth(q.user.fill(a, escapeNone), q.password.fill(a, escapeNone))
	case "bearer":
		req.Header.Set("Authorization", "Bearer "+q.token.fill(a, escapeHeader))
	case "header":
		req.Header.Set(q.auth.Header, q.token.fill(a, escapeHeader))
	case "oauth2":
		req.Header.Set("Authorization", "Bearer "+escapeHeader(a.token))
	}
}

// fill writes a phrase, escaping what is filled in and nothing else.
func (p phrase) fill(a *asking, escape func(string) string) string {
	var b strings.Builder
	for i := range p {
		one := &p[i]
		if one.op == opLiteral {
			b.WriteString(one.text)
			continue
		}
		s := a.word(one)
		for _, turn := range one.turns {
			s = turn(s)
		}
		b.WriteString(escape(s))
	}
	return b.String()
}

func (a *asking) word(p *phrasePart) string {
	q := a.g.query
	switch p.op {
	case opNow:
		return p.now(a.at)
	case opAccount:
		return a.g.account
	case opAPIKey:
		return q.key
	case opAPISecret:
		return q.secret
	case opPublicURL:
		return a.g.publicURL
	case opID:
		return a.id
	case opMerchantRef:
		return a.about.MerchantRef
	case opCurrency:
		return a.about.Currency
	case opAmountMinor:
		return strconv.FormatInt(a.about.Amount, 10)
	case opAmount:
		return a.amount()
	case opMethod:
		return a.step.method
	case opKeySerial:
		return q.serial
	case opPublicKeyID:
		return q.publicKeyID
	case opHost:
		_, host, _ := strings.Cut(q.base, "://")
		host, _, _ = strings.Cut(host, "/")
		return host
	case opSecret:
		return a.secret
	}
	return a.make(p.op)
}

func (a *asking) amount() string {
	if _, ok := payment.Exponent(a.about.Currency); !ok {
		a.fail(errors.New("the question needs the amount, and its currency " + clip(a.about.Currency) + " is not known"))
	}
	return payment.FormatAmount(a.about.Amount, a.about.Currency)
}

func (a *asking) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// make returns what is made of other parts, the same each time. Compiling has seen to it that nothing holds itself.
func (a *asking) make(o op) string {
	if s, ok := a.made[o]; ok {
		return s
	}
	s := ""
	switch o {
	case opNonce:
		s = a.g.query.nonce()
	case opPath:
		s = a.path()
	case opRawQuery:
		s = encodeForm(a.step.params.fields(a))
	case opTarget:
		s = a.make(opPath)
		if query := a.make(opRawQuery); query != "" {
			s += "?" + query
		}
	case opRawBody:
		s = a.step.writeBody(a)
	case opSignature:
		s = a.sign()
	}
	a.made[o] = s
	return s
}

// path is the escaped path of the address that is asked, as it goes over the wire.
func (a *asking) path() string {
	u, err := url.Parse(a.g.query.base + a.step.path.fill(a, escapePath))
	if err != nil {
		a.fail(errUnwritable)
		return ""
	}
	return u.EscapedPath()
}

func (a *asking) sign() string {
	s, err := a.step.signer.sign(a)
	if err != nil {
		a.fail(err)
	}
	return s
}
