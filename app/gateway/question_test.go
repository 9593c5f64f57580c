package gateway

import (
	"context"
	"net/http"
	"strings"
	"testing"
)

// questions is signedJSON with a query: the table itself, then the steps.
func questions(rest string) string {
	return signedJSON + "\n[query]\nbase = { live = \"https://pay.example\" }\n" + rest
}

// asked puts a question through a definition and returns what arrived, with the answer.
func asked(t *testing.T, rest string, change func(*Instance), q Question) (string, Answer) {
	t.Helper()
	s := simulate(t, canned(200, `{"ref":"A 1&é","status":"PAID","amount":"1250.50","currency":"PHP"}`))
	in := customInstance(t, questions(rest), "whs")
	in.APIKey, in.APISecret, in.Account, in.PublicURL, in.BaseURL = "key", "sec ret", "M1", "https://shop.example/hooks/gw1", s.URL
	in.Nonce = func() string { return "0123456789abcdef0123456789abcdef" }
	if change != nil {
		change(&in)
	}
	a := mustNew(t, in).Query(context.Background(), http.DefaultClient, q, fixed)
	if len(s.asked) != 1 {
		t.Fatalf("asked %d times: %s (%s)", len(s.asked), a.Class, a.Detail)
	}
	return s.asked[0], a
}

var odd = Question{MerchantRef: "A 1&é", Currency: "PHP", Amount: 125050, CreatedMs: 1}

func sends(t *testing.T, got string, want ...string) {
	t.Helper()
	if joined := strings.Join(want, "\r\n"); got != joined {
		t.Errorf("asked\n%q, want\n%q", got, joined)
	}
}

// arrival, 2031-03-07T01:15:00Z, is 09:15 in Shanghai.
func TestEveryWordOfAQuestion(t *testing.T) {
	got, a := asked(t, `auth = { kind = "none" }
[[query.step]]
by    = "merchant_ref"
path  = "/v1/{account}/{merchant_ref}"
query = { a = "{amount}", c = "{currency}", i = "{id}", m = "{amount_minor}" }
[query.step.headers]
X-Basic  = "{account}:{api_key|base64}"
X-Body   = "[{body}]"
X-Method = "{method|lower}"
X-Nonce  = "{nonce}{nonce|upper}"
X-None   = "{body}"
X-Path   = "{path}"
X-Public = "{public_url}"
X-Query  = "{query_string}"
X-Serial = "{key_serial}"
X-Target = "{target}"
X-Time   = "{now:unix} {now:unix_ms} {now:rfc3339} {now:yyyy-MM-dd HH:mm:ss@Asia/Shanghai} {now:yyyyMMddHHmmss@UTC}"
`, nil, odd)
	if a.Class != ClassAnswered {
		t.Errorf("%s (%s)", a.Class, a.Detail)
	}
	sends(t, got, "GET /v1/M1/A%201&%C3%A9?a=1250.50&c=PHP&i=A+1%26%C3%A9&m=125050 HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "User-Agent: nodrop",
		"X-Basic: M1:a2V5", "X-Body: []", "X-Method: get", "X-Nonce: 0123456789abcdef0123456789abcdef0123456789ABCDEF0123456789ABCDEF",
		"X-Path: /v1/M1/A%201&%C3%A9", "X-Public: https://shop.example/hooks/gw1", "X-Query: a=1250.50&c=PHP&i=A+1%26%C3%A9&m=125050", "X-Serial: key",
		"X-Target: /v1/M1/A%201&%C3%A9?a=1250.50&c=PHP&i=A+1%26%C3%A9&m=125050",
		"X-Time: 1930612500 1930612500000 2031-03-07T01:15:00Z 2031-03-07 09:15:00 20310307011500", "", "")
}

func TestAmountHasTheCurrencysPlaces(t *testing.T) {
	step := "auth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/p\"\nquery = { a = \"{amount}\" }\n"
	for currency, want := range map[string]string{"JPY": "125050", "PHP": "1250.50", "KWD": "125.050"} {
		got, _ := asked(t, step, nil, Question{MerchantRef: "R", Currency: currency, Amount: 125050})
		if !strings.HasPrefix(got, "GET /p?a="+want+" ") {
			t.Errorf("%s: %q", currency, got)
		}
	}
	g := custom(t, questions(step))
	if a := g.Query(context.Background(), http.DefaultClient, Question{MerchantRef: "R", Amount: 5}, fixed); a.Class != ClassNotAsked || !strings.Contains(a.Detail, "currency") {
		t.Errorf("without currency: %s (%s)", a.Class, a.Detail)
	}
}

func TestBasePathIsPartOfThePath(t *testing.T) {
	got, _ := asked(t, "auth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/q\"\nheaders = { X-Path = \"{path}\" }\n",
		func(in *Instance) { in.BaseURL += "/ams/sandbox/" }, odd)
	sends(t, got, "GET /ams/sandbox/q HTTP/1.1", "Host: gateway.test", "Accept: application/json", "Accept-Encoding: gzip", "User-Agent: nodrop", "X-Path: /ams/sandbox/q", "", "")
}

func TestFormsAreWrittenInThreeWays(t *testing.T) {
	for encode, want := range map[string]string{
		"form": "application/x-www-form-urlencoded|a=%3C+%261%22&b=&ref=A+1%26%C3%A9",
		"json": `application/json|{"a":"< &1\"","b":"","ref":"A 1&é"}`,
		"xml":  `text/xml; charset=utf-8|<xml><a>&lt; &amp;1&#34;</a><b></b><ref>A 1&amp;é</ref></xml>`,
	} {
		got, _ := asked(t, "auth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\nmethod = \"POST\"\npath = \"/p\"\naccept = \"text/plain\"\nencode = \""+encode+
			"\"\nform = { ref = \"{merchant_ref}\", b = \"\", a = '< &1\"' }\n", nil, odd)
		contentType, body, _ := strings.Cut(want, "|")
		sends(t, got, "POST /p HTTP/1.1", "Host: gateway.test", "Accept: text/plain", "Accept-Encoding: gzip", "Content-Length: "+itoa(len(body)),
			"Content-Type: "+contentType, "User-Agent: nodrop", "", body)
	}
}

func TestJSONInsideAForm(t *testing.T) {
	got, _ := asked(t, "auth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\nmethod = \"POST\"\npath = \"/p\"\nencode = \"json\"\n"+
		`form = { biz = '{"ref":"{merchant_ref|json}","n":{{}}' }`+"\n", nil, Question{MerchantRef: `a"b`})
	if !strings.HasSuffix(got, `{"biz":"{\"ref\":\"a\\\"b\",\"n\":{}}"}`) {
		t.Errorf("%q", got)
	}
}

func TestNonceIsRandomWithoutOneGiven(t *testing.T) {
	step := "auth = { kind = \"none\" }\n[[query.step]]\nby = \"merchant_ref\"\npath = \"/{nonce}\"\n"
	seen := map[string]bool{}
	for range 2 {
		got, _ := asked(t, step, func(in *Instance) { in.Nonce = nil }, odd)
		nonce := strings.TrimPrefix(strings.Fields(got)[1], "/")
		if len(nonce) != 32 || strings.Trim(nonce, "0123456789abcdef") != "" || seen[nonce] {
			t.Errorf("nonce %q", nonce)
		}
		seen[nonce] = true
	}
}

func TestWrongQuestionsAreRefused(t *testing.T) {
	step := "[[query.step]]\nby = \"merchant_ref\"\npath = \"/p\"\n"
	open := "auth = { kind = \"none\" }\n"
	hmac := "sign = { kind = \"hmac\", hash = \"sha256\", key = \"api_key\", encoding = \"hex\", message = \"{path}\" }\n"
	cases := map[string]struct{ definition, path, text string }{
		"unknown word":        {open + step + `query = { a = "{merchant_reff}" }`, "custom.query.step[0].query.a", "{merchant_ref}"},
		"unknown in JSON":     {open + step + "method = \"POST\"\n" + `body = '{"a":"{refr}"}'`, "custom.query.step[0].body", "not known"},
		"secret outside":      {open + step + `headers = { X = "{secret}" }`, "custom.query.step[0].headers.X", "not known"},
		"unknown modifier":    {open + step + `query = { a = "{id|rot13}" }`, "custom.query.step[0].query.a", "|base64"},
		"no brace":            {open + step + `query = { a = "{id" }`, "custom.query.step[0].query.a", "no }"},
		"time without format": {open + step + `query = { a = "{now}" }`, "custom.query.step[0].query.a", "not complete"},
		"time without zone":   {open + step + `query = { a = "{now:yyyy-MM-dd}" }`, "custom.query.step[0].query.a", "zone"},
		"unknown zone":        {open + step + `query = { a = "{now:yyyy-MM-dd@Mars/Base}" }`, "custom.query.step[0].query.a", "zone"},
		"argument":            {open + step + `query = { a = "{id:x}" }`, "custom.query.step[0].query.a", "not complete"},
		"query in path":       {open + "[[query.step]]\nby = \"merchant_ref\"\npath = \"/p?a=1\"\n", "custom.query.step[0].path", "no path"},
		"body is no JSON":     {open + step + "method = \"POST\"\nbody = '<a>{id}</a>'", "custom.query.step[0].body", "no JSON"},
		"encode without form": {open + step + "method = \"POST\"\nencode = \"xml\"", "custom.query.step[0].encode", "no form"},
		"unknown encode":      {open + step + "method = \"POST\"\nencode = \"yaml\"\nform = { a = \"1\" }", "custom.query.step[0].encode", "not a known word"},
		"XML name":            {open + step + "method = \"POST\"\nencode = \"xml\"\nform = { \"1a\" = \"1\" }", "custom.query.step[0].form.1a", "XML"},
		"holds itself":        {open + step + `query = { a = "{query_string}" }`, "custom.query.step[0]", "made of itself"},
		"by way of others":    {open + "headers = { X = \"{signature}\" }\n" + hmac + "[[query.step]]\nby = \"merchant_ref\"\npath = \"/{signature}\"\n", "custom.query.step[0]", "made of itself"},
		"nothing to sign":     {open + step + `query = { a = "{signature}" }`, "custom.query.step[0]", "{signature}"},
		"signs in vain":       {open + hmac + step, "custom.query.sign", "stands nowhere"},
		"sign kind":           {open + "headers = { X = \"{signature}\" }\n" + strings.Replace(hmac, "\"hmac\"", "\"dsa\"", 1) + step, "custom.query.sign.kind", "known word"},
		"md5 with a key":      {open + "headers = { X = \"{signature}\" }\n" + strings.Replace(hmac, "sha256", "md5", 1) + step, "custom.query.sign.hash", "known word"},
		"no sign key":         {open + "headers = { X = \"{signature}\" }\n" + strings.Replace(hmac, "key = \"api_key\", ", "", 1) + step, "custom.query.sign.key", "known word"},
		"signs nothing":       {open + "headers = { X = \"{signature}\" }\n" + strings.Replace(hmac, ", message = \"{path}\"", "", 1) + step, "custom.query.sign.message", "what is signed"},
		"private key shown":   {open + "headers = { X = \"{signature}\" }\nsign = { kind = \"rsa\", hash = \"sha256\", key = \"private_key\", encoding = \"hex\", message = \"{secret}\" }\n" + step, "custom.query.sign", "private key"},
		"claims no JSON":      {open + "headers = { X = \"{signature}\" }\nsign = { kind = \"jwt\", algorithm = \"HS256\", key = \"api_key\", message = \"id={id}\" }\n" + step, "custom.query.sign.message", "no JSON"},
		"none algorithm":      {open + "headers = { X = \"{signature}\" }\nsign = { kind = \"jwt\", algorithm = \"none\", key = \"api_key\", message = '{}' }\n" + step, "custom.query.sign.algorithm", "known word"},
		"token path":          {"auth = { kind = \"oauth2\", user = \"{api_key}\" }\n" + step, "custom.query.auth.token_path", "no path"},
		"token for nobody":    {"auth = { kind = \"oauth2\", token_path = \"/t\" }\n" + step, "custom.query.auth.user", "who asks"},
		"token of a payment":  {"auth = { kind = \"oauth2\", token_path = \"/t\", user = \"{id}\" }\n" + step, "custom.query.auth.user", "not known"},
		"refused everywhere":  {open + step + "refused = [{}]", "custom.query.step[0].refused[0]", "every answer"},
		"verify by mode":      {open + "verify = { kind = \"hmac\", hash = \"sha256\", encoding = \"hex\", from = \"{header:S}\", mode = \"live\" }\n" + step, "custom.query.verify", "notices"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := customInstance(t, questions(c.definition), "whs")
			in.APIKey = "0123456789abcdef0123456789abcdef"
			_, err := New(in)
			problems, _ := err.(Problems)
			found := false
			for _, p := range problems {
				found = found || p.Path == c.path && strings.Contains(p.Text+p.Remedy, c.text) && p.Remedy != ""
			}
			if !found {
				t.Errorf("want %s: …%s…, got %v", c.path, c.text, err)
			}
		})
	}
}
