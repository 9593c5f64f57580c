package gateway

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"nodrop/app/payment"
)

const askByRef = `
[query]
base = { live = "https://pay.example" }
auth = { kind = "none" }
[[query.step]]
by   = "merchant_ref"
path = "/p"
query = { ref = "{merchant_ref}" }
list = "found"
pick = "oldest_first"
not_found = [{ empty = true }]
`

func TestWhatMakesAHint(t *testing.T) {
	body := `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP"}`
	fields := `encoding = "hex"
message = "{field:ref}{field:status}{field:amount}"
covers = `
	for name, c := range map[string]struct {
		definition, message string
		hint                bool
	}{
		"whole body":               {signedJSON, body, false},
		"asked for":                {"confirm_by_query = true\n" + signedJSON, body, true},
		"amount absent":            {replaced(`kind = "decimal"`, `kind = "absent"`), body, true},
		"status not bound":         {replaced(`encoding = "hex"`, fields+`["amount", "currency", "reference"]`), "APAID1.00", true},
		"currency not bound":       {replaced(`encoding = "hex"`, fields+`["status", "amount", "reference"]`), "APAID1.00", true},
		"all bound":                {replaced(`encoding = "hex"`, fields+`["status", "amount", "currency", "reference"]`), "APAID1.00", false},
		"currency fixed, rest too": {strings.Replace(replaced(`encoding = "hex"`, fields+`["status", "amount", "reference"]`), `currency = "currency"`, `fixed = "PHP"`, 1), "APAID1.00", false},
	} {
		rd := custom(t, c.definition+askByRef, "k").Read(post(body, "X-Sig", hex256("k", c.message)))
		if rd.Verdict != Accepted || only(t, rd).Hint != c.hint {
			t.Errorf("%s: %s (%s), hint %v", name, rd.Verdict, rd.Reason, rd.Observations)
		}
	}
}

func TestModeOfSlotsWithoutModeInTheBody(t *testing.T) {
	slot := func(name, mode string) string {
		return "[[signature]]\nkind = \"hmac\"\nhash = \"sha256\"\nencoding = \"hex\"\nfrom = \"{header:X-Sig}\"\nname = \"" + name + "\"\nmode = \"" + mode + "\"\n"
	}
	g := custom(t, "signatures = \"any\"\n"+slot("te", "test")+slot("li", "live")+"[notice]"+strings.SplitN(signedJSON, "[notice]", 2)[1], "k")
	body := `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP"}`
	sig := hex256("k", body)
	for header, want := range map[string][2]string{"te=,li=" + sig: {Accepted, ""}, "te=" + sig + ",li=": {Ignored, "wrong_mode"}, "te=" + sig + ",li=" + sig: {Accepted, ""},
		"te=" + hex256("x", body) + ",li=" + sig: {Accepted, ""}, "te=,li=": {Refused, "no_signature"}, "te=" + hex256("x", body): {Refused, "bad_signature"}} {
		rd := g.Read(post(body, "X-Sig", header))
		wantVerdict(t, rd, want[0], want[1])
	}
}

func TestAllSignaturesMustBeRight(t *testing.T) {
	second := "[[signature]]\nkind = \"static_token\"\nfrom = \"{header:X-Token}\"\n"
	g := custom(t, second+signedJSON, "k")
	body := `{"id":"1","ref":"A","status":"PAID","amount":"1.00","currency":"PHP"}`
	wantVerdict(t, g.Read(post(body, "X-Token", "k", "X-Sig", hex256("k", body))), Accepted, "")
	wantVerdict(t, g.Read(post(body, "X-Token", "k")), Refused, "no_signature")
	wantVerdict(t, g.Read(post(body, "X-Token", "k", "X-Sig", hex256("x", body))), Refused, "bad_signature")
	wantVerdict(t, g.Read(post(body, "X-Sig", hex256("k", body))), Refused, "no_signature")
}

func TestAttempt(t *testing.T) {
	g := custom(t, strings.Replace(signedJSON, "merchant_ref =", "refs = [{ kind = \"payment\", from = \"id\" }, { kind = \"try\", from = \"try\" }]\nmerchant_ref =", 1)+"[facts]\nattempt_kind = \"try\"\n", "k")
	rd := g.Read(signed("k", `{"id":"1","try":"t7","ref":"A","status":"WAIT"}`))
	if o := only(t, rd); o.Attempt != "t7" || g.Facts().AttemptKind != "try" {
		t.Errorf("attempt %q", o.Attempt)
	}
}

func TestOldestFirst(t *testing.T) {
	one := func(id, status string) string { return `{"id":"` + id + `","ref":"A","status":"` + status + `"}` }
	for body, want := range map[string]payment.Word{
		`{"found":[` + one("1", "PAID") + `,` + one("2", "WAIT") + `]}`: payment.WordSucceeded,
		`{"found":[` + one("1", "OPEN") + `,` + one("2", "WAIT") + `]}`: payment.WordPending,
		`{"found":[` + one("1", "WAIT") + `,` + one("2", "OPEN") + `]}`: payment.WordUnreadable,
		`{"found":[]}`: payment.WordNotFound,
	} {
		in := customInstance(t, signedJSON+askByRef, "k")
		in.BaseURL = simulate(t, canned(200, body)).URL
		g := mustNew(t, in)
		q := Question{MerchantRef: "A"}
		if o := only(t, g.ReadAnswer(q, g.Query(context.Background(), http.DefaultClient, q, fixed))); o.Word != want {
			t.Errorf("%s: %q, want %q", body, o.Word, want)
		}
	}
}

func TestUnsignedIsADefinitionThatAsksForNoSignature(t *testing.T) {
	if custom(t, signedJSON, "k").Unsigned() {
		t.Error("a gateway that signs is unsigned")
	}
	if !custom(t, "[[signature]]\nkind = \"none\"\n"+kindTail).Unsigned() {
		t.Error("a gateway that signs nothing is not unsigned")
	}
}

func TestHeadersThatSignaturesRead(t *testing.T) {
	g := custom(t, `signatures = "any"
[[signature]]
kind = "static_token"
from = "{header:X-Token}"
[[signature]]
kind      = "hmac"
hash      = "sha256"
parts     = ["{header:X-Id};", "{sig:t}"]
from      = ["{header:Authorization}", "{header:X-Sig}"]
encoding  = "hex"
key_id    = "{header:X-Serial}"
timestamp = { from = "{header:X-Time}", tolerance = "5m" }
`+kindTail, "k")
	if got := strings.Join(g.SecretHeaders(), " "); got != "X-Token" {
		t.Errorf("secret headers %s", got)
	}
	if got := strings.Join(g.SignedHeaders(), " "); got != "Authorization X-Sig X-Serial X-Id X-Time" {
		t.Errorf("signed headers %s", got)
	}
}
