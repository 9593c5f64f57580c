package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"nodrop/store"
)

// tale is one payment of 12.50 from its registration to its end, and what must be there then.
type tale struct {
	name               string
	happens            func(k *killing, ref string) bool // false when the test ended first
	state              string
	received, refunded int64 // minor units
	facts              []string
	events             []string
	answers            []string // kind=answer of each review, oldest first
	notices            []string // dedupe keys before the reference, each stored once
}

var tales = []tale{
	{
		name: "paid", happens: func(k *killing, ref string) bool { return twice(func() bool { return k.paid(ref) }) && k.claimed(ref) },
		state: "succeeded", received: 1250, facts: []string{"word"}, events: []string{"payment.succeeded"}, notices: []string{"SP-"},
	},
	{
		name: "refunded in parts", happens: func(k *killing, ref string) bool {
			return k.paid(ref) && k.refund(ref, "RA", "5.00") && k.refund(ref, "RA", "5.00") && k.refund(ref, "RB", "2.50")
		},
		state: "succeeded", received: 1250, refunded: 750, facts: []string{"word", "refund", "refund"},
		events: []string{"payment.succeeded", "payment.refunded", "payment.refunded"}, notices: []string{"SP-", "RA-", "RB-"},
	},
	{
		name: "refunded before it is paid", happens: func(k *killing, ref string) bool {
			return k.refund(ref, "RA", "5.00") && k.paid(ref) && k.refund(ref, "RA", "5.00") && k.refund(ref, "RB", "7.50")
		},
		state: "succeeded", received: 1250, refunded: 1250, facts: []string{"refund", "word", "refund"},
		events: []string{"payment.succeeded", "payment.refunded", "payment.refunded"}, notices: []string{"SP-", "RA-", "RB-"},
	},
	{
		name: "another amount, accepted", happens: func(k *killing, ref string) bool {
			return k.notice(ref, "SP-"+ref, "10.00") && k.maria.decides(ref, "difference", "accept", "10.00")
		},
		state: "succeeded", received: 1000, facts: []string{"word", "decision"},
		events: []string{"payment.unknown", "payment.succeeded"}, answers: []string{"difference=accept"}, notices: []string{"SP-"},
	},
	{
		name: "another amount, rejected", happens: func(k *killing, ref string) bool {
			return k.notice(ref, "SP-"+ref, "20.00") && k.maria.decides(ref, "difference", "reject", "")
		},
		state: "failed", facts: []string{"word", "decision"},
		events: []string{"payment.unknown", "payment.failed"}, answers: []string{"difference=reject"}, notices: []string{"SP-"},
	},
	{
		name: "late, fulfilled", happens: func(k *killing, ref string) bool {
			return k.closed(ref) && k.paid(ref) && k.maria.decides(ref, "late", "fulfil", "") && k.claimed(ref)
		},
		state: "succeeded", received: 1250, facts: []string{"order_closed", "word", "late", "decision"},
		events: []string{"payment.succeeded_late", "payment.decided"}, answers: []string{"late=fulfil"}, notices: []string{"SP-"},
	},
	{
		name: "late, refunded", happens: func(k *killing, ref string) bool {
			return k.closed(ref) && k.paid(ref) && k.maria.decides(ref, "late", "refund", "12.50") && k.refund(ref, "RA", "12.50")
		},
		state: "succeeded", received: 1250, refunded: 1250, facts: []string{"order_closed", "word", "late", "decision", "refund"},
		events: []string{"payment.succeeded_late", "payment.decided", "payment.refunded"}, answers: []string{"late=refund", "refund_owed=answered"}, notices: []string{"SP-", "RA-"},
	},
	{
		name: "too much refunded, looked into", happens: func(k *killing, ref string) bool {
			return k.paid(ref) && k.refund(ref, "RA", "12.50") && k.refund(ref, "RB", "1.00") && k.maria.decides(ref, "excess", "ignore", "")
		},
		state: "succeeded", received: 1250, refunded: 1350, facts: []string{"word", "refund", "refund", "decision"},
		events: []string{"payment.succeeded", "payment.refunded", "payment.refunded"}, answers: []string{"excess=ignore"}, notices: []string{"SP-", "RA-", "RB-"},
	},
}

// twice does one thing again although it was acknowledged.
func twice(do func() bool) bool {
	for range 2 {
		if !do() {
			return false
		}
	}
	return true
}

func (k *killing) paid(ref string) bool { return k.notice(ref, "SP-"+ref, "12.50") }

// closed gives an order up, whatever may still come.
func (k *killing) closed(ref string) bool {
	_, done := k.call("POST", "/v1/orders/"+ref+"/close", `{"force":true}`, http.StatusOK)
	return done
}

// claimed takes the right to fulfil an order, uses it up, and is refused a second one, as is another owner before.
func (k *killing) claimed(ref string) bool {
	claim := func(owner string, want ...int) (int, bool) {
		body := fmt.Sprintf(`{"key":"fulfil:%s","payment_id":%q,"owner":%q}`, ref, k.payment(ref), owner)
		status := 0
		_, done := k.insist("claim "+body, func() (s int, answer string, err error) {
			s, answer, err = send("POST", "http://"+k.place.private+"/v1/claims", body, k.header)
			status = s
			return s, answer, err
		}, want...)
		return status, done
	}
	for status := http.StatusUnprocessableEntity; status == http.StatusUnprocessableEntity; k.rest() { // until the notice is worked on
		var done bool
		if status, done = claim("one", http.StatusCreated, http.StatusOK, http.StatusUnprocessableEntity); !done {
			return false
		}
	}
	if _, done := claim("two", http.StatusConflict); !done {
		return false
	}
	if _, done := k.call("PUT", "/v1/claims/"+url.PathEscape("fulfil:"+ref)+"/done", "", http.StatusOK); !done {
		return false
	}
	_, done := claim("one", http.StatusConflict)
	return done
}

// payment is the id of a reference's payment; "" when the test ended first.
func (k *killing) payment(ref string) string {
	answer, done := k.call("GET", "/v1/payments?merchant_ref="+ref, "", http.StatusOK)
	var list struct{ Payments []struct{ ID string } }
	if !done {
		return ""
	}
	if err := json.Unmarshal([]byte(answer), &list); err != nil || len(list.Payments) != 1 {
		k.t.Errorf("%s: %d payments, %v, want one", ref, len(list.Payments), err)
		return ""
	}
	return list.Payments[0].ID
}

// verify wants a payment as its tale ended, everything in it once.
func (t *tale) verify(rx *store.Rx, ref string) error {
	list, err := rx.PaymentsByMerchantRef("smartpay", ref)
	if err != nil || len(list) != 1 {
		return fmt.Errorf("%s: %d payments, want 1: %w", t.name, len(list), err)
	}
	p := list[0]
	if p.State != t.state || p.ReceivedMinor != t.received || p.RefundedMinor != t.refunded {
		err = fmt.Errorf("%s: stands as %s with %d received and %d refunded, want %s with %d and %d", t.name, p.State, p.ReceivedMinor, p.RefundedMinor, t.state, t.received, t.refunded)
	}
	err = errors.Join(err, t.verifyRows(rx, p))
	for _, prefix := range t.notices {
		err = errors.Join(err, stored(rx, prefix+ref+":SUCCESS", "done"))
	}
	return err
}

// verifyRows compares the facts, the events, the reviews and what a person did.
func (t *tale) verifyRows(rx *store.Rx, p store.Payment) error {
	var facts, events, answers, acts []string
	rows, err := rx.FactsOf(p.ID)
	for _, f := range rows {
		facts = append(facts, f.Kind)
	}
	told, err2 := rx.EventsOf(p.ID)
	for _, e := range told {
		events = append(events, e.Type)
	}
	asked, err3 := rx.ReviewsOfPayment(p.ID)
	for _, v := range asked {
		answers = append(answers, v.Kind+"="+v.Answer)
		if v.ClosedBy == "maria" {
			acts = append(acts, v.Answer)
		}
	}
	done, err4 := rx.Audits(p.ID, 0, 10)
	var audit []string
	for _, a := range done {
		audit = append(audit, a.Action)
	}
	err = errors.Join(err, err2, err3, err4)
	for _, c := range []struct {
		what       string
		have, want []string
	}{{"facts", facts, t.facts}, {"events", events, t.events}, {"reviews", answers, t.answers}, {"acts of a person", audit, acts}} {
		if !slices.Equal(c.have, c.want) {
			err = errors.Join(err, fmt.Errorf("%s: %s %v, want %v", t.name, c.what, c.have, c.want))
		}
	}
	return err
}

// person decides on the admin pages, as a browser would.
type person struct {
	k      *killing
	client *http.Client
	invite string
}

func newPerson(k *killing, invite string) *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		k.t.Fatal(err)
	}
	shared := *client
	shared.Jar, shared.CheckRedirect = jar, func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &person{k, &shared, invite}
}

const mariasPassword = "a long night of killing"

func (p *person) signsIn() {
	p.k.t.Helper()
	invited, err := url.Parse(p.invite)
	if err != nil {
		p.k.t.Fatal(err)
	}
	p.submits(invited.Path, url.Values{"password": {mariasPassword}, "again": {mariasPassword}})
	p.submits("/signin", url.Values{"name": {"maria"}, "password": {mariasPassword}})
}

// request opens a page, or sends a form where there is one.
func (p *person) request(path string, form url.Values) (int, string, error) {
	method, body := http.MethodGet, ""
	if form != nil {
		method, body = http.MethodPost, form.Encode()
	}
	req, err := http.NewRequest(method, "http://"+p.k.place.private+path, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := p.client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return res.StatusCode, string(raw), err
}

func (p *person) opens(path string) (string, bool) {
	return p.k.insist("page "+path, func() (int, string, error) { return p.request(path, nil) }, http.StatusOK)
}

// submits sends a form until it is taken; after an answer that never came the same form is sent again.
func (p *person) submits(path string, form url.Values) bool {
	_, done := p.k.insist("form "+path+" "+form.Encode(), func() (int, string, error) { return p.request(path, form) }, http.StatusSeeOther)
	return done
}

var questionLink = regexp.MustCompile(`href="(/reviews/[0-9]+)"`)

// decides waits until a payment is in question, opens the question and answers it, twice with one form.
func (p *person) decides(ref, kind, act, amount string) bool {
	id := p.k.payment(ref)
	if id == "" {
		return false
	}
	for {
		page, done := p.opens("/payments/" + id)
		if !done {
			return false
		}
		link := questionLink.FindStringSubmatch(page)
		if link == nil {
			p.k.rest() // the notice is not worked on yet
			continue
		}
		return p.answers(link[1], kind, act, amount)
	}
}

func (p *person) answers(question, kind, act, amount string) bool {
	page, done := p.opens(question)
	if !done {
		return false
	}
	form := hiddenFields(page, act)
	if form == nil {
		p.k.t.Errorf("%s (%s) offers no form for %s:\n%s", question, kind, act, page)
		return false
	}
	form.Set("reason", "looked into it")
	if amount != "" {
		form.Set("amount", amount)
	}
	if !twice(func() bool { return p.submits(question+"/decide", form) }) {
		return false
	}
	p.k.again()
	return true
}

// hiddenFields are what the form of an act carries along; nil: there is no such form.
func hiddenFields(page, act string) url.Values {
	form := regexp.MustCompile(`(?s)<input type="hidden" name="act" value="` + act + `"/?>.*?</form>`).FindString(page)
	if form == "" {
		return nil
	}
	values := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([a-z_]+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		values.Set(m[1], html.UnescapeString(m[2]))
	}
	return values
}
