package web

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// crlf writes line ends as a browser sends those of a field.
func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// tries sends the form of a gateway's page as a browser does: names and values of fields, line ends as CRLF; the
// value of "file" is its content, byte for byte.
func (d *desk) tries(name string, fields ...string) *sheet {
	d.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		if fields[i] != "file" {
			_ = form.WriteField(fields[i], crlf(fields[i+1]))
			continue
		}
		part, _ := form.CreateFormFile("file", "request.txt")
		_, _ = part.Write([]byte(fields[i+1]))
	}
	_ = form.Close()
	r := d.request("POST", d.private.URL+"/gateways/"+name+"/try", &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return d.fetch(r)
}

// spread is a sandbox notice written over several lines that end in the given way.
func (d *desk) spread(ending string) string {
	flat := string(d.notice("evt_7", "ORDER-1001", "paid", "1250.50"))
	return strings.ReplaceAll(flat, ",", ","+ending)
}

// capture is a whole signed request to the sandbox.
func (d *desk) capture(body string) string {
	return "POST /hooks/sandbox HTTP/1.1\nHost: pay.shop.example\nContent-Type: application/json\nSandbox-Signature: " + d.signature([]byte(body)) + "\n\n" + body
}

func TestATriedRequestIsReadAndNothingIsStored(t *testing.T) {
	d := newDesk(t)
	before := d.rows()
	p := d.tries("sandbox", "capture", d.capture(d.spread("\n")))
	if p.status != http.StatusOK {
		t.Fatalf("trying: %d %s", p.status, p.words("main"))
	}
	p.wants("#verdict", "Accepted")
	p.wants(".verdict", "It would be stored, acknowledged and worked on.")
	p.wants(".verdict", "The body fits with its line ends as LF.")
	p.wants("section[aria-labelledby=how]", "Secret that matched webhook_secrets[0]")
	for _, want := range []string{"Payment: succeeded", "Gateway's id (payment) sbx_ORDER-1001", "Merchant reference ORDER-1001", "Amount ₱1,250.50 (125050)", "Currency PHP", "Merchant account shop", "Happened at 01:00:00", "Event id evt_7", "Proof It is taken at its word."} {
		p.wants("section[aria-labelledby=said]", want)
	}
	p.wants("section[aria-labelledby=ack]", "200 OK")
	d.wantNew(before, map[string]int{})
}

func TestEachKindOfLineEndIsTried(t *testing.T) {
	d := newDesk(t)
	lf, with := d.spread("\n"), d.spread("\r\n")
	for name, one := range map[string]struct{ field, text, verdict, says string }{
		"signed with CRLF":       {"capture", strings.Replace(d.capture(with), with, lf, 1), "Accepted", "The body fits with its line ends as CRLF."},
		"a line end pasted on":   {"capture", d.capture(lf) + "\n", "Accepted", "The body fits without the line end that was pasted after it."},
		"neither":                {"capture", strings.Replace(d.capture(lf), "1250.50", "1250.51", 1), "Refused", "none fits"},
		"one line":               {"capture", d.capture(d.spread("")), "Accepted", ""},
		"a file, mixed":          {"file", d.capture(lf + "\r\n"), "Accepted", ""},
		"a file with line ends":  {"file", d.capture(with), "Accepted", ""},
		"a file of other bytes":  {"file", strings.Replace(d.capture(with), with, lf, 1), "Refused", "the signature fits once line ends are written as CRLF"},
		"a head that ends in LF": {"file", crlf(d.capture("X"))[:len(crlf(d.capture("X")))-1] + "{}", "Refused", "The signature does not fit."},
	} {
		p := d.tries("sandbox", one.field, one.text)
		if got := p.words("#verdict"); got != one.verdict || !strings.Contains(p.words(".verdict"), one.says) {
			t.Errorf("%s: %s; want %s and %q", name, p.words(".verdict"), one.verdict, one.says)
		}
		if one.says == "" && strings.Contains(p.words(".verdict"), "line end") {
			t.Errorf("%s: it speaks of line ends where nothing was tried: %s", name, p.words(".verdict"))
		}
	}
}

func TestABodyWithItsHeadersApart(t *testing.T) {
	d := newDesk(t)
	body := d.spread("\n")
	signature := "Sandbox-Signature: " + d.signature([]byte(body))
	for name, fields := range map[string][]string{
		"body and headers":           {"capture", body, "headers", signature},
		"body, request line, header": {"capture", body, "headers", "POST /hooks/sandbox HTTP/1.1\n" + signature + "\n"},
		"headers and body as one":    {"capture", signature + "\n\n" + body},
		"one more header":            {"capture", "POST /hooks/sandbox\nHost: x\n\n" + body, "headers", signature},
	} {
		if p := d.tries("sandbox", fields...); p.words("#verdict") != "Accepted" {
			t.Errorf("%s: %d %s", name, p.status, p.words(".verdict, [role=alert]"))
		}
	}
	d.tries("sandbox", "capture", body).wants(".verdict", "There is no signature.")
	p := d.tries("plain", "capture", "GET /hooks/plain?c=abc%20d HTTP/1.1")
	p.wants("#verdict", "Challenge")
	p.wants("section[aria-labelledby=ack] pre", "abc d")
}

func TestARefusedTryShowsWhyAndTheAnswer(t *testing.T) {
	d := newDesk(t)
	body := string(d.notice("evt_7", "ORDER-1001", "paid", "1250.50"))
	good := d.capture(body)
	p := d.tries("sandbox", "capture", good, "at", "2031-03-07 03:00:00")
	p.wants(".verdict", "Its signature states a time 2 h before it came in")
	p.wants("section[aria-labelledby=how]", "Signed 2 h before it came in")
	for _, at := range []string{"2031-03-07T08:30:00+07:00", "1930613400", "1930613400000", "2031-03-07T01:30:00"} {
		d.tries("sandbox", "capture", good, "at", at).wants(".verdict", "30 min before it came in")
	}
	d.tries("sandbox", "capture", good, "at", "2031-03-07T00:55:01Z").wants("#verdict", "Accepted")
	d.tries("sandbox", "capture", good, "at", "2031-03-06 23:00").wants(".verdict", "2 h after it came in")
	p = d.tries("sandbox", "capture", good+" ")
	p.wants("section[aria-labelledby=ack]", "401 Unauthorized")
	p.wants("section[aria-labelledby=ack] pre", "refused")
	p.wants("section[aria-labelledby=said]", "A refused request is not read any further.")
	d.tries("sandbox", "capture", strings.Replace(good, "\n\n", "\nContent-Length: 9\n\n", 1)).wants(".verdict", fmt.Sprintf("The body has %d bytes here, but its Content-Length announces 9", len(body)))
}

func TestTryingSaysWhatIsWrongWithTheForm(t *testing.T) {
	d := newDesk(t)
	good := d.capture("{}")
	for name, one := range map[string]struct {
		fields []string
		status int
		field  string
		says   string
	}{
		"nothing":    {nil, 422, "capture", "Paste a request, or choose a file."},
		"no time":    {[]string{"capture", good, "at", "yesterday"}, 422, "at", "This is no time."},
		"no header":  {[]string{"capture", "POST / HTTP/1.1\nno header\n\n{}"}, 422, "capture", "is no header"},
		"too large":  {[]string{"file", strings.Repeat("x", maxTryForm)}, 413, "capture", "larger than 1 MB"},
		"no address": {[]string{"capture", good, "from", "here"}, 422, "from", "This is no address."},
	} {
		p := d.tries("sandbox", one.fields...)
		if p.status != one.status || !strings.Contains(p.words("[role=alert]"), one.says) || p.value("[role=alert] a", "href") != "#"+one.field {
			t.Errorf("%s: %d %s", name, p.status, p.words("[role=alert]"))
		}
		if !strings.HasPrefix(p.words("title"), "Error: ") {
			t.Errorf("%s: the title is %q", name, p.words("title"))
		}
	}
	p := d.tries("sandbox", "capture", good, "at", "yesterday")
	if got := p.all("#capture")[0].FirstChild.Data; strings.TrimSpace(got) != good || p.value("#at", "value") != "yesterday" {
		t.Errorf("what was typed is shown again as %q at %q", got, p.value("#at", "value"))
	}
}

func TestCredentialsOfATriedRequestAreNotShown(t *testing.T) {
	d := newDesk(t)
	for name, fields := range map[string][]string{
		"read":        {"capture", "POST /hooks/sandbox HTTP/1.1\nAuthorization: Bearer swordfish\nCookie: swordfish\n\n{}"},
		"headers":     {"capture", "{}", "headers", "authorization:Basic swordfish"},
		"wrong form":  {"capture", "POST /hooks/sandbox HTTP/1.1\nAuthorization: swordfish\n\n{}", "at", "never"},
		"never ended": {"capture", "POST /hooks/sandbox HTTP/1.1\nAuthorization: swordfish\nbroken"},
		"file":        {"file", "POST /hooks/sandbox HTTP/1.1\r\nAuthorization: swordfish\r\n\r\n{}"},
	} {
		p := d.tries("sandbox", fields...)
		if strings.Contains(p.text, "swordfish") || strings.Contains(d.log.String(), "swordfish") {
			t.Errorf("%s: the credential is shown", name)
		}
		if name != "file" && !strings.Contains(p.text, "sha256:") {
			t.Errorf("%s: its digest is not shown", name)
		}
	}
	if p := d.tries("sandbox", "capture", d.capture(hostileRef)); strings.Contains(p.text, hostileRef) || !strings.Contains(p.words("#capture"), hostileRef) {
		t.Error("hostile text is shown as markup, or not at all")
	}
}

// TestATokenIsReadByItsDigest has a gateway that sends a fixed token, which no page shows: the digest in its place reads alike.
func TestATokenIsReadByItsDigest(t *testing.T) {
	d := newStillDesk(t)
	d.reconfigure("kind     = \"hmac\"\nhash     = \"sha256\"\nfrom     = \"{header:X-Sig}\"\nencoding = \"hex\"", "kind = \"static_token\"\nfrom = \"{header:X-Sig}\"\n[gateway.custom.query]\nbase = { live = \"https://ask.example\", test = \"https://ask.example\" }\nauth = { kind = \"none\" }\n[[gateway.custom.query.step]]\nby = \"merchant_ref\"\npath = \"/{merchant_ref}\"")
	text := "POST /hooks/plain HTTP/1.1\nX-Sig: " + labSecret + "\n\n" + `{"id":"e1","ref":"ORDER-1","status":"PAID","amount":"5.00","currency":"PHP"}`
	for range 2 {
		p := d.tries("plain", "capture", text)
		p.wants("#verdict", "Accepted")
		p.wants("section[aria-labelledby=said]", "It proves nothing by itself: the gateway is asked.")
		if strings.Contains(p.text, labSecret) {
			t.Fatal("the token is shown")
		}
		text = strings.TrimSpace(p.all("#capture")[0].FirstChild.Data)
	}
	if !strings.Contains(text, "X-Sig: sha256:") {
		t.Errorf("the form shows again %q, without the digest", text)
	}
	d.tries("plain", "capture", strings.Replace(text, "sha256:", "sha256:0", 1)).wants("#verdict", "Refused")
}

func TestAStoredRequestIsReadFromItsPage(t *testing.T) {
	d := newDesk(t)
	d.morning()
	before := d.rows()
	d.move(30 * time.Minute)
	for page, verdict := range map[string]string{d.get("/inbox?state=refused").value("table a.strong", "href"): "Refused", d.get("/inbox?state=dead").value("table a.strong", "href"): "Cannot be read"} {
		link := d.get(page).value(".buttons a[href*=try]", "href")
		p := d.get(link)
		if got := p.words("#verdict"); got != verdict {
			t.Errorf("%s is read as %q, want %q", page, got, verdict)
		}
		if got := p.value("#at", "value"); got != "2031-03-07T01:00:00Z" {
			t.Errorf("it came in at %q", got)
		}
		p.wants("#capture", "Sandbox-Signature: t=")
	}
	for _, path := range []string{"/gateways/sandbox/try?refused=99", "/gateways/sandbox/try?request=99", "/gateways/sandbox/try?refused=x", "/gateways/none/try"} {
		if p := d.get(path); p.status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, p.status)
		}
	}
	d.wantNew(before, map[string]int{})
}

func TestWhoMayTry(t *testing.T) {
	d := newDesk(t)
	d.addUser("vera", "viewer")
	viewer := &desk{lab: d.lab, client: d.newClient()}
	viewer.signIn("vera")
	viewer.tries("sandbox", "capture", d.capture("{}")).wants("#verdict", "Cannot be read")
	stranger := &desk{lab: d.lab, client: d.newClient()}
	if p := stranger.tries("sandbox", "capture", d.capture("{}")); p.status != http.StatusSeeOther || p.to != "/signin" {
		t.Errorf("a stranger: %d to %q", p.status, p.to)
	}
	r := d.request("POST", d.private.URL+"/gateways/sandbox/try", strings.NewReader(url.Values{"capture": {"x"}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	if p := d.fetch(r); p.status != http.StatusForbidden {
		t.Errorf("a form of another site: %d", p.status)
	}
	if p := d.tries("none", "capture", "x"); p.status != http.StatusNotFound {
		t.Errorf("a gateway that is not configured: %d", p.status)
	}
}

// TestComposing gives every form in which a person may have a request.
func TestComposing(t *testing.T) {
	for name, one := range map[string]struct{ headers, raw, want string }{
		"whole":                {"", "PUT /x HTTP/1.1\r\nA: b\r\n\r\nbody\r\n", "PUT /x HTTP/1.1\r\nA: b\r\n\r\nbody\r\n"},
		"after blank lines":    {"", "\r\n\nPUT /x\nA: b\n\nbody", "PUT /x\nA: b\n\nbody"},
		"headers first":        {"", "A: b\n\nbody", "POST /hooks/g HTTP/1.1\nA: b\n\nbody"},
		"body alone":           {"", "{\"a\":\n\n1}", "POST /hooks/g HTTP/1.1\n\n{\"a\":\n\n1}"},
		"body and headers":     {"A: b\r\nC: d\r\n", "x=1&y=2", "POST /hooks/g HTTP/1.1\nA: b\r\nC: d\n\nx=1&y=2"},
		"headers that begin":   {"GET /y HTTP/1.1\nA: b", "body", "GET /y HTTP/1.1\nA: b\n\nbody"},
		"no body":              {"", "GET /y?c=1 HTTP/1.1", "GET /y?c=1 HTTP/1.1\n\n"},
		"a body of line ends":  {"A: b", "\n\nx", "POST /hooks/g HTTP/1.1\nA: b\n\n\n\nx"},
		"only headers, no end": {"", "A: b\nC: d\n", "POST /hooks/g HTTP/1.1\nA: b\nC: d\n\n"},
	} {
		if got := string(compose("g", []byte(one.headers), []byte(one.raw))); got != one.want {
			t.Errorf("%s: %q, want %q", name, got, one.want)
		}
	}
}
