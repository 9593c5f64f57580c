package gateway

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nodrop/app/payment"
)

const sandboxPaid = `{"id":"evt_1","type":"payment","livemode":false,"created":"2031-03-07T01:15:00Z","data":{"id":"sbx_1","reference":"ORDER-1","status":"paid","amount":"1250.50","currency":"PHP","account":"shop"}}`

func sandbox(t testing.TB, secrets ...string) *Gateway {
	in := Instance{Name: "sandbox", Preset: "sandbox", Mode: "test", APIKey: "sk_1", Account: "shop"}
	for _, s := range secrets {
		in.Secrets = append(in.Secrets, Secret{Value: s})
	}
	return mustNew(t, in)
}

func sandboxNotice(secret, body string, at time.Time) Request {
	ts := strconv.FormatInt(at.Unix(), 10)
	return post(body, "Sandbox-Signature", "t="+ts+",v1="+hex256(secret, ts+"."+body))
}

func TestSandboxAccepted(t *testing.T) {
	rd := sandbox(t, "s1").Read(sandboxNotice("s1", sandboxPaid, arrival))
	wantVerdict(t, rd, Accepted, "")
	wantAck(t, rd.Ack, 200, "text/plain; charset=utf-8", "OK")
	if rd.Secret != 0 || rd.Mode != "test" || rd.SkewMs != 0 {
		t.Errorf("secret %d, mode %q, skew %d", rd.Secret, rd.Mode, rd.SkewMs)
	}
	o := only(t, rd)
	if o.DedupeKey != "evt_1" || o.Kind != KindPayment || o.Word != payment.WordSucceeded || o.RawWord != "paid" || o.Hint {
		t.Errorf("observation %+v", o)
	}
	if len(o.Refs) != 1 || o.Refs[0] != (Ref{"payment", "sbx_1"}) || o.MerchantRef != "ORDER-1" || o.Account != "shop" {
		t.Errorf("references %+v %q %q", o.Refs, o.MerchantRef, o.Account)
	}
	if !o.HasAmount || o.AmountMinor != 125050 || o.AmountText != "1250.50" || o.Currency != "PHP" {
		t.Errorf("amount %v %d %q %q", o.HasAmount, o.AmountMinor, o.AmountText, o.Currency)
	}
	if !o.OccurredAt.Equal(arrival) || o.Digest != sha256.Sum256([]byte(sandboxPaid)) {
		t.Errorf("occurred %v, digest %x", o.OccurredAt, o.Digest)
	}
}

func TestSandboxRefused(t *testing.T) {
	good := sandboxNotice("s1", sandboxPaid, arrival)
	header := good.Header.Get("Sandbox-Signature")
	flipped := func(change func(*Request)) Request {
		r := sandboxNotice("s1", sandboxPaid, arrival)
		change(&r)
		return r
	}
	last := header[len(header)-1] ^ 1
	if last < '0' || last > '9' && last < 'a' || last > 'f' {
		last = '0'
	}
	cases := map[string]struct {
		gateway *Gateway
		request Request
		reason  string
	}{
		"body changed":      {sandbox(t, "s1"), flipped(func(r *Request) { r.Body[40] ^= 1 }), "bad_signature"},
		"signature changed": {sandbox(t, "s1"), flipped(func(r *Request) { r.Header.Set("Sandbox-Signature", header[:len(header)-1]+string(last)) }), "bad_signature"},
		"time changed": {sandbox(t, "s1"), flipped(func(r *Request) {
			r.Header.Set("Sandbox-Signature", strings.Replace(header, "t=1930612500", "t=1930612501", 1))
		}), "bad_signature"},
		"other secret":        {sandbox(t, "s2"), good, "bad_signature"},
		"no secret":           {sandbox(t), good, "no_secret"},
		"empty secret":        {sandbox(t, ""), good, "no_secret"},
		"no header":           {sandbox(t, "s1"), flipped(func(r *Request) { r.Header.Del("Sandbox-Signature") }), "no_signature"},
		"header empty":        {sandbox(t, "s1"), flipped(func(r *Request) { r.Header.Set("Sandbox-Signature", "") }), "no_signature"},
		"not hexadecimal":     {sandbox(t, "s1"), flipped(func(r *Request) { r.Header.Set("Sandbox-Signature", "t=1930612500,v1=zz") }), "bad_signature"},
		"no time":             {sandbox(t, "s1"), flipped(func(r *Request) { r.Header.Set("Sandbox-Signature", header[len("t=1930612500,"):]) }), "bad_signature"},
		"too old":             {sandbox(t, "s1"), sandboxNotice("s1", sandboxPaid, arrival.Add(-301*time.Second)), "stale_timestamp"},
		"too far ahead":       {sandbox(t, "s1"), sandboxNotice("s1", sandboxPaid, arrival.Add(301*time.Second)), "stale_timestamp"},
		"signed with nothing": {sandbox(t, ""), sandboxNotice("", sandboxPaid, arrival), "no_secret"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			rd := c.gateway.Read(c.request)
			wantVerdict(t, rd, Refused, c.reason)
			wantAck(t, rd.Ack, 401, "text/plain; charset=utf-8", "refused")
			if len(rd.Observations) != 0 || rd.Secret != -1 && c.reason != "stale_timestamp" || rd.Detail == "" {
				t.Errorf("observations %d, secret %d, detail %q", len(rd.Observations), rd.Secret, rd.Detail)
			}
		})
	}
}

func TestSandboxTimeAtTheEdge(t *testing.T) {
	for _, s := range []int{-300, 300} {
		rd := sandbox(t, "s1").Read(sandboxNotice("s1", sandboxPaid, arrival.Add(time.Duration(s)*time.Second)))
		wantVerdict(t, rd, Accepted, "")
		if rd.SkewMs != int64(s)*1000 {
			t.Errorf("skew %d ms, want %d s", rd.SkewMs, s)
		}
	}
}

func TestSandboxWords(t *testing.T) {
	words := map[string]payment.Word{"waiting": payment.WordPending, "processing": payment.WordProcessing, "authorised": payment.WordAuthorised,
		"paid": payment.WordSucceeded, "attempt_failed": payment.WordAttemptFailed, "failed": payment.WordFailed, "expired": payment.WordExpired,
		"cancelled": payment.WordCancelled, "reversed": payment.WordReversed}
	for raw, want := range words {
		rd := sandbox(t, "s1").Read(sandboxNotice("s1", strings.Replace(sandboxPaid, `"paid"`, `"`+raw+`"`, 1), arrival))
		wantVerdict(t, rd, Accepted, "")
		if o := only(t, rd); o.Word != want || o.RawWord != raw {
			t.Errorf("%s reads as %q", raw, o.Word)
		}
	}
	for _, raw := range []string{"PAID", "paid ", "refunded"} {
		rd := sandbox(t, "s1").Read(sandboxNotice("s1", strings.Replace(sandboxPaid, `"paid"`, `"`+raw+`"`, 1), arrival))
		wantVerdict(t, rd, Accepted, "")
		if o := only(t, rd); o.Word != "" || o.RawWord != raw || o.Reason != "unmapped_word" {
			t.Errorf("%q reads as %q (%s)", raw, o.Word, o.Reason)
		}
	}
}

func TestSandboxRefundAndDispute(t *testing.T) {
	g := sandbox(t, "s1")
	refund := `{"id":"evt_2","type":"refund","livemode":false,"created":"2031-03-07T01:15:00Z","data":{"id":"re_1","payment":"sbx_1","reference":"ORDER-1","status":"succeeded","amount":"100.00","currency":"PHP"}}`
	o := only(t, g.Read(sandboxNotice("s1", refund, arrival)))
	if o.Kind != KindRefund || o.RefundRef != "re_1" || o.Status != "succeeded" || o.AmountMinor != 10000 || o.Cumulative || o.Refs[0] != (Ref{"payment", "sbx_1"}) || o.Word != "" {
		t.Errorf("refund %+v", o)
	}
	dispute := `{"id":"evt_3","type":"dispute","livemode":false,"created":"2031-03-07T01:15:00Z","data":{"id":"dp_1","payment":"sbx_1","reference":"ORDER-1","status":"lost","amount":"1250.50","currency":"PHP"}}`
	o = only(t, g.Read(sandboxNotice("s1", dispute, arrival)))
	if o.Kind != KindDispute || o.RefundRef != "dp_1" || o.Status != "lost" || o.AmountMinor != 125050 || o.MerchantRef != "ORDER-1" {
		t.Errorf("dispute %+v", o)
	}
	for name, change := range map[string][2]string{"id": {`"re_1"`, `null`}, "amount": {`"100.00"`, `""`}} {
		rd := g.Read(sandboxNotice("s1", strings.Replace(refund, change[0], change[1], 1), arrival))
		if rd.Verdict != Unreadable {
			t.Errorf("refund without %s: %s", name, rd.Verdict)
		}
	}
}

func TestSandboxNotOurConcern(t *testing.T) {
	g := sandbox(t, "s1")
	cases := []struct{ from, to, verdict, reason string }{
		{`"type":"payment"`, `"type":"payout"`, Ignored, "not_concerned"},
		{`"account":"shop"`, `"account":"other"`, Ignored, "not_ours"},
		{`"livemode":false`, `"livemode":true`, Ignored, "wrong_mode"},
		{`"account":"shop"`, `"account":null`, Unreadable, "account_missing"},
		{`"type":"payment"`, `"type":null`, Unreadable, "type_unreadable"},
		{`"livemode":false`, `"livemode":"maybe"`, Unreadable, "mode_unreadable"},
		{`"livemode":false,`, ``, Unreadable, "mode_unreadable"},
		{`"data":`, `"date":`, Unreadable, "object_missing"},
		{`"status":"paid"`, `"status":""`, Unreadable, "status_missing"},
		{`"id":"sbx_1","reference":"ORDER-1"`, `"x":1`, Unreadable, "reference_missing"},
	}
	for _, c := range cases {
		rd := g.Read(sandboxNotice("s1", strings.Replace(sandboxPaid, c.from, c.to, 1), arrival))
		wantVerdict(t, rd, c.verdict, c.reason)
		wantAck(t, rd.Ack, 200, "text/plain; charset=utf-8", "OK")
		if only(t, rd).Verdict != c.verdict {
			t.Errorf("%s: observation %s", c.to, rd.Observations[0].Verdict)
		}
	}
}

func TestDecodeReadsTheSameWithoutSignature(t *testing.T) {
	g := sandbox(t, "s1")
	r := sandboxNotice("s1", sandboxPaid, arrival)
	read := only(t, g.Read(r))
	r.Header.Set("Sandbox-Signature", "[redacted]")
	r.At = arrival.Add(400 * 24 * time.Hour)
	rd := g.Decode(r)
	wantVerdict(t, rd, Accepted, "")
	if o := only(t, rd); o.DedupeKey != read.DedupeKey || o.Digest != read.Digest || o.AmountMinor != 125050 || o.Word != payment.WordSucceeded {
		t.Errorf("decoded %+v", o)
	}
}

func TestSandboxAcks(t *testing.T) {
	g := sandbox(t, "s1")
	for _, outcome := range []string{OutcomeStored, OutcomeDuplicate, OutcomeIgnored} {
		wantAck(t, g.Ack(outcome), 200, "text/plain; charset=utf-8", "OK")
	}
	wantAck(t, g.Ack(OutcomeRefused), 401, "text/plain; charset=utf-8", "refused")
	for _, outcome := range []string{OutcomeBusy, "never heard of"} {
		a := g.Ack(outcome)
		wantAck(t, a, 503, "text/plain; charset=utf-8", "try again")
		if a.Header.Get("Retry-After") != "5" {
			t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
		}
	}
}

func TestWrongMethod(t *testing.T) {
	r := sandboxNotice("s1", sandboxPaid, arrival)
	r.Method = "GET"
	rd := sandbox(t, "s1").Read(r)
	wantVerdict(t, rd, Refused, "wrong_method")
	if rd.Ack.Status != 405 || rd.Ack.Header.Get("Allow") != "POST" {
		t.Errorf("answer %d, Allow %q", rd.Ack.Status, rd.Ack.Header.Get("Allow"))
	}
}

func TestConcurrentReadsDoNotMix(t *testing.T) {
	g := sandbox(t, "s1")
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			ref := "ORDER-" + strconv.Itoa(n)
			r := sandboxNotice("s1", strings.Replace(sandboxPaid, "ORDER-1", ref, 1), arrival)
			for range 50 {
				if rd := g.Read(r); rd.Verdict != Accepted || rd.Observations[0].MerchantRef != ref {
					t.Errorf("%s reads as %+v", ref, rd.Observations)
				}
			}
		})
	}
	wg.Wait()
}
