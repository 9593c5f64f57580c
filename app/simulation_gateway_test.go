package app

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"nodrop/app/config"
	"nodrop/app/gateway"
	"nodrop/app/payment"
)

// simNames are the gateways: one whose notices are signed and that can be asked, one whose notices prove nothing, one
// that lets a reference be paid several times, and one that cannot be asked.
var simNames = []string{"sandbox", "hint", "tries", "blind"}

// simGateway is one gateway's misfortune.
type simGateway struct {
	name, host string
	asked      int
	down       int // ways in which it is down now
	wire       map[payment.Word]string
}

func simGateways() map[string]*simGateway {
	custom := map[payment.Word]string{"pending": "OPEN", "processing": "PROC", "attempt_failed": "TRY", "succeeded": "PAID", "failed": "FAILED",
		"expired": "EXPIRED", "cancelled": "CANCELLED", "reversed": "BACK"}
	sandbox := map[payment.Word]string{"pending": "waiting", "succeeded": "paid"}
	m := map[string]*simGateway{"sandbox": {name: "sandbox", host: "127.0.0.1:9090", wire: sandbox}}
	for _, name := range simNames[1:] {
		m[name] = &simGateway{name: name, host: name + ".example", wire: custom}
	}
	return m
}

func (g *simGateway) word(w payment.Word) string {
	if word, ok := g.wire[w]; ok {
		return word
	}
	return string(w)
}

const (
	simSignature = "[[signature]]\nkind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"\nfrom = \"{header:X-Signature}\"\n"
	simUnsigned  = "[[signature]]\nkind = \"none\"\n"
	simFields    = `[notice]
type = "type"
dedupe = "eid"
[fields]
merchant_ref = "ref"
status = "status"
amount = { from = "amount", kind = "decimal_string", currency = "currency" }
occurred = { from = "at", format = "unix_ms" }
[[shape]]
when = { "{type}" = ["payment", ""] }
kind = "payment"
refs = [{ kind = "payment", from = "pid" }]
account = "account"
[shape.words]
OPEN = "pending"
PROC = "processing"
TRY = "attempt_failed"
PAID = "succeeded"
FAILED = "failed"
EXPIRED = "expired"
CANCELLED = "cancelled"
BACK = "reversed"
[[shape.also]]
kind = "refund"
each = "backs"
ref = "id"
status = "status"
amount = { from = "amount", kind = "decimal_string", currency = ["currency", "{item:currency}"] }
[[shape]]
when = { "{type}" = "refund" }
kind = "refund"
refs = [{ kind = "payment", from = "pid" }]
ref = "id"
words = { pending = "pending", succeeded = "succeeded", failed = "failed" }
[[shape]]
when = { "{type}" = "dispute" }
kind = "dispute"
refs = [{ kind = "payment", from = "pid" }]
ref = "id"
words = { open = "open", won = "won", lost = "lost" }
[ack]
body = "OK"
`
	simQuery = `[query]
base = { test = "https://%s.example" }
auth = { kind = "bearer", token = "{api_key}" }
`
	simByRef  = "[[query.step]]\nby = \"ref\"\nref = \"payment\"\npath = \"/p/{id}\"\nnot_found = [{ status = 404, when = { error = \"none\" } }]\n"
	simByName = "[[query.step]]\nby = \"merchant_ref\"\npath = \"/r/{merchant_ref}\"\nnot_found = [{ status = 404, when = { error = \"none\" } }]\n"
	simList   = "list = \"all\"\npick = \"newest_first\"\n"
)

// configure adds the gateways that are described, not coded.
func (s *simulation) configure(c *config.Config) {
	c.Gateways[0].QueryConcurrency = 1
	c.Gateways[0].Account = "shop"
	c.Limits.ApproveAbove = config.Approval{"PHP": 1_500_000}
	definitions := map[string]string{
		"hint":  "title = \"Hints\"\n" + simUnsigned + simFields + fmt.Sprintf(simQuery, "hint") + simByRef + simByName,
		"tries": "title = \"Tries\"\n[facts]\nattempt_kind = \"payment\"\n" + simSignature + simFields + fmt.Sprintf(simQuery, "tries") + simByName + simList,
		"blind": "title = \"Blind\"\n" + simSignature + simFields,
	}
	for _, name := range simNames[1:] {
		definition := definitions[name]
		spec, err := gateway.ParseSpec([]byte(definition), "custom")
		if err != nil {
			s.t.Fatalf("%s: %v", name, err)
		}
		g := c.Gateways[0]
		g.Name, g.Preset, g.Custom, g.BaseURL = name, "custom", &spec, ""
		if name == "hint" {
			g.WebhookSecrets = nil
		}
		c.Gateways = append(c.Gateways, g)
	}
}

// breakDown has a gateway answer no question for a while.
func (s *simulation) breakDown(g *simGateway) {
	g.down++
	s.count["gateway outages"]++
	long := s.between(5*simMinute, 3*simHour)
	if s.chance(200) {
		long = s.between(6*simHour, 30*simHour)
	}
	s.after(long, func() { g.down-- })
}

// answer is what a gateway says when it is asked: the truth, the truth of some minutes ago, or nothing of use.
func (s *simulation) answer(g *simGateway, r *http.Request) (*http.Response, error) {
	status, header, body := http.StatusOK, http.Header{"Content-Type": {"application/json"}}, ""
	switch n := s.rng.IntN(1000); {
	case g.down > 0 && n < 500 || n < 30:
		s.count["questions timed out"]++
		return nil, fmt.Errorf("no answer")
	case g.down > 0 || n < 60:
		s.count["questions failed"]++
		status, body = 500+3*(n%2), "<h1>sorry</h1>"
	case n < 75:
		s.count["questions throttled"]++
		status = http.StatusTooManyRequests
		header.Set("Retry-After", fmt.Sprint(1+s.rng.IntN(600)))
	case n < 85:
		body = "<html>log in</html>"
	case n < 95:
		body = `{"data":[{"id":"`
	default:
		status, body = s.truth(g, r, s.now)
	}
	return simResponse(r, status, header, body), nil
}

// truth is what a gateway knows of what it is asked about, at an instant.
func (s *simulation) truth(g *simGateway, r *http.Request, now int64) (int, string) {
	by, id, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/v1"), "/"), "/")
	ref := r.URL.Query().Get("reference")
	if by == "r" {
		ref = id
	}
	if ref == "" {
		ref = s.refOf(g.name, id)
	}
	var shown []string
	for _, p := range s.refs[g.name+" "+ref] {
		if (by == "r" || r.URL.Query().Has("reference") || p.id == id) && p.shownAt(now-p.lag) {
			shown = append([]string{s.object(g, p, now)}, shown...)
		}
	}
	list := strings.Join(shown, ",")
	switch {
	case len(shown) == 0:
		return http.StatusNotFound, map[bool]string{true: `{"error":"not_found"}`, false: `{"error":"none"}`}[g.name == "sandbox"]
	case g.name == "sandbox" && r.URL.Query().Has("reference"):
		return http.StatusOK, `{"data":[` + list + `]}`
	case g.name == "tries":
		return http.StatusOK, `{"all":[` + list + `]}`
	}
	return http.StatusOK, shown[0]
}

func (s *simulation) refOf(gateway, id string) string {
	ref, _, _ := strings.Cut(strings.TrimPrefix(id, gateway+"_"), "_")
	return ref
}

// object is one payment as its gateway shows it.
func (s *simulation) object(g *simGateway, p *simPayment, now int64) string {
	w := p.wordAt(now - p.lag)
	if s.forgetful {
		w = p.wordAt(p.created)
	}
	if w.word == payment.WordSucceeded && s.chance(15) && p.noticed && !p.lied && !p.doubtful(now) {
		s.count["questions answered wrongly"]++
		w.word, p.lied = payment.WordFailed, true
	}
	amount := payment.FormatAmount(w.amount, w.currency)
	refunds := []string{}
	for _, b := range p.backs {
		if !b.dispute && b.at <= now-p.lag {
			refunds = append(refunds, fmt.Sprintf(`{"id":%q,"status":"succeeded","amount":%q,"currency":"PHP"}`, b.id, payment.FormatAmount(b.amount, "PHP")))
		}
	}
	form := `{"pid":%q,"ref":%q,"status":%q,"amount":%q,"currency":%q,"account":"shop","backs":[%s]}`
	if g.name == "sandbox" {
		form = `{"id":%q,"reference":%q,"status":%q,"amount":%q,"currency":%q,"account":"shop","refunds":[%s]}`
	}
	return fmt.Sprintf(form, p.id, p.ref, g.word(w.word), amount, w.currency, strings.Join(refunds, ","))
}

// doubtful tells whether answers that lag behind may have denied the success already. One that denies it wrongly besides
// makes two denials ten minutes apart, and those are the gateway's word that nothing was paid, or that it was taken back.
func (p *simPayment) doubtful(now int64) bool { return p.lag > 0 && p.endedBy(now) }

// simNotice is one message of a gateway, the same at every delivery.
type simNotice struct {
	gateway string
	body    []byte
	forged  bool
	done    func()
}

// notice makes the message about a word of a payment.
func (s *simulation) notice(p *simPayment, w simWord) simNotice {
	return s.message(p, p.key(w), "payment", w.at, map[string]any{"id": p.id, "status": s.gateways[p.gateway].word(w.word), "account": "shop",
		"amount": payment.FormatAmount(w.amount, w.currency), "currency": w.currency})
}

// key is what a gateway calls its notice of a word.
func (p *simPayment) key(w simWord) string { return fmt.Sprintf("%s_%s_%d", p.id, w.word, w.at) }

// message is a notice in the manner of the payment's gateway.
func (s *simulation) message(p *simPayment, key, kind string, at int64, data map[string]any) simNotice {
	var whole map[string]any
	if p.gateway == "sandbox" {
		data["payment"], data["reference"] = p.id, p.ref
		whole = map[string]any{"id": key, "type": kind, "livemode": false, "created": time.UnixMilli(at).UTC().Format(time.RFC3339Nano), "data": data}
	} else {
		whole = data
		data["pid"], data["ref"], data["eid"], data["type"], data["at"] = p.id, p.ref, key, kind, at
	}
	body, err := json.Marshal(whole)
	if err != nil {
		s.stopped = err
	}
	return simNotice{gateway: p.gateway, body: body}
}

// elsewhere sends a properly signed notice of another merchant's account, which says that a payment of this reference is paid.
func (s *simulation) elsewhere(p *simPayment) {
	w := simWord{at: s.now, word: payment.WordSucceeded, amount: p.amount, currency: "PHP"}
	s.count["notices for another account"]++
	s.deliver(s.message(p, p.key(w)+"_other", "payment", w.at, map[string]any{"id": p.id + "_other", "status": s.gateways[p.gateway].word(w.word),
		"account": "another shop", "amount": payment.FormatAmount(w.amount, "PHP"), "currency": "PHP"}), 0)
}

// again sends a notice once more under its key with other content: the same said in other words, or another amount.
func (s *simulation) again(p *simPayment, w simWord) {
	data := map[string]any{"id": p.id, "status": s.gateways[p.gateway].word(w.word), "account": "shop", "note": "again",
		"amount": payment.FormatAmount(w.amount, w.currency), "currency": w.currency}
	if p.gateway == "sandbox" && s.chance(300) {
		p.muddled = true
		s.count["notices with the same key and another amount"]++
		data["amount"] = payment.FormatAmount(w.amount+1, w.currency)
	}
	s.count["notices with the same key and other content"]++
	n := s.message(p, p.key(w), "payment", w.at, data)
	s.after(s.between(simSecond, 3*simHour), func() { s.deliver(n, 0) })
}

// announce has a notice sent with the luck of the network: lost, late, twice, in any order. What must arrive is never lost.
func (s *simulation) announce(n simNotice, mustArrive bool) (sent bool) {
	if !mustArrive && s.chance(150) {
		s.count["notices lost"]++
		return false
	}
	delay := s.between(200, 30*simSecond)
	if s.chance(100) {
		s.count["notices late"]++
		delay = s.between(20*simMinute, 40*simHour)
	}
	s.after(delay, func() { s.deliver(n, 0) })
	if s.chance(120) {
		s.count["notices doubled"]++
		s.after(delay+s.between(0, 6*simHour), func() { s.deliver(n, 0) })
	}
	return true
}

// simRetries are the waits of a gateway whose notice was not acknowledged.
var simRetries = []int64{simMinute, 5 * simMinute, 15 * simMinute, simHour, 3 * simHour, 6 * simHour, 12 * simHour, simDay, simDay}

func (s *simulation) deliver(n simNotice, attempt int) {
	status := s.accept(n.gateway, s.signed(n))
	switch {
	case n.forged && n.gateway != "hint":
		if status/100 == 2 {
			s.find("a forged notice was acknowledged with %d: %s", status, n.body)
		}
	case status/100 == 2:
		s.count["notices acknowledged"]++
		if n.done != nil {
			n.done()
		}
	case attempt < len(simRetries):
		s.count["notices not acknowledged"]++
		s.after(simRetries[attempt], func() { s.deliver(n, attempt+1) })
	default:
		s.find("a notice was not acknowledged in four days: %s", n.body)
	}
}

// signed is a notice as it goes out, signed now.
func (s *simulation) signed(n simNotice) gateway.Request {
	secret, at := hookSecret, s.now/1000
	if n.forged {
		secret = "a guess"
	}
	h := http.Header{"Content-Type": {"application/json"}}
	mac := hmac.New(sha256.New, []byte(secret))
	if n.gateway == "sandbox" {
		fmt.Fprintf(mac, "%d.%s", at, n.body)
		h.Set("Sandbox-Signature", fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil))))
	} else if n.gateway != "hint" {
		mac.Write(n.body)
		h.Set("X-Signature", hex.EncodeToString(mac.Sum(nil)))
	}
	return gateway.Request{Method: http.MethodPost, Target: "/hooks/" + n.gateway, Header: h, Body: n.body, RemoteIP: "127.0.0.1"}
}

// forge sends the opposite of the truth as anybody could.
func (s *simulation) forge(p *simPayment) {
	word := payment.WordSucceeded
	if p.paidAt(s.now) {
		word = payment.WordFailed
	}
	n := s.notice(p, simWord{at: s.now, word: word, amount: p.amount, currency: "PHP"})
	n.forged = true
	s.count["notices forged"]++
	s.deliver(n, 0)
}
