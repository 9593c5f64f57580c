package web

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nodrop/app"
	"nodrop/store"
)

// question is how one kind of review comes about, and how a person answers it on its page.
type question struct {
	arises func(*counter)
	step   time.Duration // time goes on by it until the question is there
	act    string
	fills  map[string]string // by the name of the field
}

const phpHundred = "100.00"

// questions has one scene for each kind of review that there is.
var questions = map[string]question{
	"difference":    {arises: askedDifference, act: "accept", fills: map[string]string{"amount": "90.00"}},
	"contradiction": {arises: askedContradiction, act: "reject"},
	"no_answer":     {arises: func(c *counter) { c.order("plain", "N-1", "N-1", phpHundred) }, step: 7 * time.Hour, act: "mark_failed"},
	"reversed": {arises: func(c *counter) {
		c.paid("R-1")
		c.move(time.Minute)
		c.post(c.notice("evt_back", "R-1", "reversed", phpHundred))
	}, act: "money_back"},
	"late": {arises: askedLate, act: "refund", fills: map[string]string{"amount": phpHundred}},
	"excess": {arises: func(c *counter) {
		c.paid("E-1")
		c.refunded("re_1", "E-1", "60.00")
		c.refunded("re_2", "E-1", "60.00")
	}, act: "ignore"},
	"double_loss": {arises: func(c *counter) {
		c.paid("DL-1")
		c.refunded("re_1", "DL-1", phpHundred)
		c.post(c.back("dispute", "DL-1", "dp_1", "open"))
	}, act: "ignore"},
	"return_waits": {arises: func(c *counter) {
		c.paid("RW-1")
		c.post(c.back("refund", "RW-1", "re_1", "pending"))
	}, step: 32 * 24 * time.Hour, act: "record_refund", fills: map[string]string{"amount": phpHundred}},
	"money_without_success": {arises: func(c *counter) { c.failed("M-1"); c.refunded("re_1", "M-1", "30.00") }, act: "ignore"},
	"elsewhere_and_gateway": {arises: askedElsewhere, act: "keep_both"},
	"unmapped": {arises: func(c *counter) {
		c.order("plain", "U-1", "U-1", phpHundred)
		body := `{"id":"p1","ref":"U-1","status":"ODD","amount":"100.00","currency":"PHP"}`
		c.send("plain", body, "X-Sig", hexMAC([]byte(body)))
	}, act: "ignore"},
	"refund_owed": {arises: func(c *counter) {
		c.decides(app.Decision{Actor: "jo", PaymentID: c.paid("O-1"), Act: "refund", Amount: phpHundred, Reason: "sent back"})
	}, act: "refund_proof"},
	"duplicate":              {arises: askedDuplicate, act: "refund", fills: map[string]string{"amount": phpHundred}},
	"reference_conflict":     {arises: askedConflict, act: "dismiss"},
	"money_without_order":    {arises: func(c *counter) { c.post(c.notice("evt_1", "NOBODY", "paid", phpHundred)) }, step: time.Hour, act: "link", fills: map[string]string{"link": "ORDER-L"}},
	"same_key_other_content": {arises: func(c *counter) { c.paid("S-1"); c.post(c.notice("evt_S-1", "S-1", "paid", "50.00")) }, act: "dismiss"},
	"dead_inbox": {arises: func(c *counter) {
		c.order("sandbox", "D-1", "D-1", phpHundred)
		c.post(c.notice("evt_1", "D-1", "paid", "12,34"))
	}, act: "replay"},
	"dead_outbox":       {arises: func(c *counter) { c.shopAnswers(http.StatusInternalServerError); c.paid("T-1") }, step: 9 * time.Hour, act: "resend"},
	"shop_gone":         {arises: func(c *counter) { c.shopAnswers(http.StatusGone); c.paid("G-1") }, act: "resume"},
	"gateway_unaskable": {arises: func(c *counter) { c.broken = true; c.order("sandbox", "B-1", "B-1", phpHundred) }, step: 10 * time.Minute, act: "dismiss"},
	"claim_overdue": {arises: func(c *counter) {
		if _, _, err := c.engine.Claim(c.t.Context(), "ship:C-1", c.paid("C-1"), "worker"); err != nil {
			c.t.Fatal(err)
		}
	}, step: 10 * time.Minute, act: "release"},
	"unanswered":       {arises: askedUnanswered, act: "dismiss"},
	"second_payment":   {arises: askedSecond, act: "dismiss"},
	"unsound_database": {arises: askedUnsound, step: 3 * time.Hour, act: "dismiss"},
	"settlement":       {arises: askedSettlement},
	"accept_report":    {arises: askedAcceptReport, act: "accept_report", fills: map[string]string{"amount": phpHundred}},
	"unproved_return":  {arises: askedHintedRefund, act: "record_refund", fills: map[string]string{"amount": "40.00"}},
	"approval_wanted": {arises: func(c *counter) {
		c.decides(app.Decision{Actor: "jo", PaymentID: c.order("sandbox", "A-1", "A-1", "6000.00"), Act: "mark_succeeded", Basis: "elsewhere", Amount: "6000.00", Reason: "cash"})
	}, act: "approve"},
}

func (c *counter) shopAnswers(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shop = status
}

func askedDifference(c *counter) {
	c.order("sandbox", "D-1", "D-1", phpHundred)
	c.post(c.notice("evt_1", "D-1", "paid", "90.00"))
}

func askedContradiction(c *counter) {
	id := c.failed("C-1")
	c.move(time.Minute)
	c.post(c.notice("evt_1", "C-1", "paid", phpHundred))
	c.untilState(id, "succeeded")
	c.asks(id)
	c.untilState(id, "unknown")
}

func askedLate(c *counter) {
	id := c.failed("L-1")
	c.says("L-1", "paid")
	c.move(time.Minute)
	c.post(c.notice("evt_1", "L-1", "paid", phpHundred))
	c.untilState(id, "succeeded")
	c.asks(id)
}

func askedElsewhere(c *counter) {
	id := c.order("sandbox", "W-1", "W-1", phpHundred)
	c.decides(app.Decision{Actor: "jo", PaymentID: id, Act: "mark_succeeded", Basis: "elsewhere", Amount: phpHundred, Reason: "cash"})
	c.move(time.Minute)
	c.post(c.notice("evt_1", "W-1", "paid", phpHundred))
}

func askedDuplicate(c *counter) {
	for _, ref := range []string{"P-1", "P-2"} {
		c.order("sandbox", ref, "P", phpHundred)
		c.post(c.notice("evt_"+ref, ref, "paid", phpHundred))
	}
}

func askedConflict(c *counter) {
	c.paid("F-1")
	c.order("sandbox", "F-2", "F-2", phpHundred)
	body := c.notice("evt_2", "F-1", "paid", phpHundred)
	c.post([]byte(strings.Replace(string(body), `"reference":"F-1"`, `"reference":"F-2"`, 1)))
}

func askedUnanswered(c *counter) {
	c.says("OTHER", "waiting")
	other := c.order("sandbox", "OTHER", "OTHER", phpHundred)
	id := c.order("sandbox", "MUTE", "MUTE", phpHundred)
	for n := range 15 {
		c.move(2 * time.Hour)
		c.asks(other)
		c.until("the question without an answer", func(rx *store.Rx) (bool, error) {
			p, _, err := rx.PaymentByPublicID(id)
			if err != nil {
				return false, err
			}
			timers, err := rx.TimersOf(p.ID)
			return len(timers) == 1 && int(timers[0].Attempts) > n, err
		})
	}
}

func askedSecond(c *counter) {
	c.paid("X-1")
	body := c.notice("evt_2", "X-1", "paid", phpHundred)
	c.post([]byte(strings.Replace(string(body), `"id":"sbx_X-1"`, `"id":"sbx_again"`, 1)))
}

// askedUnsound breaks a law of the database: nobody waits for the first answer about a payment that is over.
func askedUnsound(c *counter) {
	id := c.paid("V-1")
	c.until("the nightly check to be planned", func(rx *store.Rx) (bool, error) {
		_, ok, err := rx.Job("check")
		return ok, err
	})
	err := c.store.Update(c.t.Context(), "spoil", func(tx *store.Tx) error {
		p, _, err := tx.PaymentByPublicID(id)
		if err != nil {
			return err
		}
		return tx.SetTimer(store.Timer{PaymentID: p.ID, Kind: "ask", Gateway: "sandbox", Lane: store.LaneOld, DueMs: c.now().Add(1000 * time.Hour).UnixMilli(), Why: "first"})
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

func askedHintedRefund(c *counter) {
	id := c.order("hints", "H-1", "H-1", phpHundred)
	c.says("H-1", "paid")
	c.asks(id)
	c.untilState(id, "succeeded")
	c.move(time.Hour)
	c.send("hints", `{"eid":"h1","type":"refund","rid":"re_1","ref":"H-1","status":"DONE","amount":"40.00","currency":"PHP"}`)
	c.untilItems("done", 2)
	c.asks(id)
}

func TestEachQuestionIsAskedSeenAndAnswered(t *testing.T) {
	browser := newBrowser(t)
	kinds := app.ReviewKinds()
	if len(kinds) != len(questions) {
		t.Errorf("%d kinds of reviews, %d scenes", len(kinds), len(questions))
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			q, ok := questions[kind]
			if !ok {
				t.Fatal("no scene shows how this question comes about and is answered")
			}
			c := newCounter(t)
			q.arises(c)
			r := c.openQuestion(kind, q.step)
			if kind == "settlement" {
				answerDayInBrowser(t, seated(t, browser, c.desk), r)
				return
			}
			answerInBrowser(t, seated(t, browser, c.desk), q, r)
		})
	}
}

// answerInBrowser finds a question in the queue, reads its page and answers it.
func answerInBrowser(t *testing.T, p *person, q question, r store.Review) {
	t.Helper()
	words := language("en")
	if q.fills["link"] != "" {
		q.fills = map[string]string{"link": p.register(q.fills["link"], phpHundred)}
	}
	p.comesIn()
	p.open(address("/reviews", "kind", r.Kind))
	p.follows("Answer")
	p.open(numbered("/reviews", r.ID))
	p.sees(words.word("advice", r.Kind))
	p.sees("Open since")
	p.clicks(words.word("act", q.act))
	p.awaits("the form of "+q.act+" does not open", `document.querySelector('details[id$="-`+q.act+`"][open] button.main') !== null`)
	for name, value := range q.fills {
		p.fill(q.act, name, value)
	}
	p.fill(q.act, "reason", "looked into it")
	p.submits(q.act)
	p.sees(words.word("acted", q.act))
	p.until("the answer", func(rx *store.Rx) (bool, error) {
		v, _, err := rx.Review(r.ID)
		if v.State == "closed" && (v.Answer != q.act || v.ClosedBy != "maria" || v.Reason != "looked into it") {
			t.Fatalf("closed as %+v", v)
		}
		return v.State == "closed", err
	})
	p.open("/reviews?show=answered")
	p.sees("looked into it")
}

// fill writes into a field of an act's form.
func (p *person) fill(act, name, value string) {
	p.t.Helper()
	evaluate[bool](p, `(() => { const f = document.querySelector('details[id$="-`+act+`"][open] [name=`+name+`]'); f.focus(); f.select(); return true; })()`)
	p.do(chromedp.KeyEvent(value))
}

// newBrowser starts Chromium for one test.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	path := findBrowser(t)
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), browserFlags(t, path)...)
	t.Cleanup(cancel)
	browser, quit := chromedp.NewContext(allocator)
	t.Cleanup(quit)
	if err := chromedp.Do(browser, chromedp.Navigate("about:blank")); err != nil {
		t.Fatalf("Chromium at %s does not start: %v", path, err)
	}
	return browser
}
