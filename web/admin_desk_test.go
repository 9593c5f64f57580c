package web

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"nodrop/app"
	"nodrop/store"
)

const deskPassword = "correct horse battery"

// desk is a lab with a person who has signed in and a shop's morning in the books.
type desk struct {
	*lab
	client *http.Client
}

// hostileRef is a merchant reference that a careless page would run.
const hostileRef = `<script>document.title="owned"</script>`

// newDesk has maria, an operator, signed in; nothing has come in yet.
func newDesk(t *testing.T, edit ...func(*Options)) *desk {
	t.Helper()
	d := &desk{lab: newLab(t, edit...)}
	d.run()
	d.addUser("maria", "operator")
	d.client = d.newClient()
	d.signIn("maria")
	return d
}

func (d *desk) newClient() *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		d.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	d.t.Cleanup(client.CloseIdleConnections)
	return client
}

func (d *desk) addUser(name, role string) {
	d.t.Helper()
	secret, err := d.engine.AddUser(d.t.Context(), name, role)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.engine.SignUp(d.t.Context(), secret, deskPassword); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) signIn(name string) {
	d.t.Helper()
	if p := d.send("/signin", url.Values{"name": {name}, "password": {deskPassword}}); p.status != http.StatusSeeOther || p.to != "/" {
		d.t.Fatalf("signing in was answered %d, to %q: %s", p.status, p.to, p.words("main"))
	}
}

// sheet is a page as a program sees it.
type sheet struct {
	t      *testing.T
	status int
	to     string // where it leads
	header http.Header
	text   string
	doc    *html.Node
}

func (d *desk) get(path string) *sheet {
	d.t.Helper()
	return d.fetch(d.request("GET", d.private.URL+path, nil))
}

// send posts a form as a browser would from our own pages.
func (d *desk) send(path string, form url.Values) *sheet {
	d.t.Helper()
	r := d.request("POST", d.private.URL+path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return d.fetch(r)
}

func (d *desk) fetch(r *http.Request) *sheet {
	d.t.Helper()
	res, err := d.client.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	defer res.Body.Close()
	var text strings.Builder
	doc, err := html.Parse(teeReader{res.Body, &text})
	if err != nil {
		d.t.Fatal(err)
	}
	return &sheet{t: d.t, status: res.StatusCode, to: res.Header.Get("Location"), header: res.Header, text: text.String(), doc: doc}
}

type teeReader struct {
	from interface{ Read([]byte) (int, error) }
	to   *strings.Builder
}

func (r teeReader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.to.Write(p[:n])
	return n, err
}

func (s *sheet) all(selector string) []*html.Node {
	return cascadia.MustCompile(selector).MatchAll(s.doc)
}

// words is the text of everything that a selector finds.
func (s *sheet) words(selector string) string {
	var parts []string
	for _, n := range s.all(selector) {
		parts = append(parts, textOf(n))
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
		b.WriteByte(' ')
	}
	return b.String()
}

// value is an attribute of the first thing that a selector finds.
func (s *sheet) value(selector, name string) string {
	s.t.Helper()
	found := s.all(selector)
	if len(found) == 0 {
		s.t.Fatalf("nothing is like %s", selector)
	}
	for _, a := range found[0].Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (s *sheet) wants(selector, text string) {
	s.t.Helper()
	if got := s.words(selector); !strings.Contains(got, text) {
		s.t.Errorf("%s says %q, which lacks %q", selector, got, text)
	}
}

// form is what a browser would send from the form of one act.
func (s *sheet) form(act string, fields ...string) (action string, form url.Values) {
	s.t.Helper()
	at := `details[id$="-` + act + `"] form`
	form = url.Values{}
	for _, n := range s.all(at + ` input[type="hidden"]`) {
		form.Set(attr(n, "name"), attr(n, "value"))
	}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return s.value(at, "action"), form
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// register has the shop register a payment and returns its public id.
func (d *desk) register(ref, amount string) string {
	d.t.Helper()
	v, _, err := d.engine.Register(d.t.Context(), app.Registration{Gateway: "sandbox", MerchantRef: ref, Amount: amount, Currency: "PHP"})
	if err != nil {
		d.t.Fatal(err)
	}
	return v.ID
}

// until waits until the books say so.
func (d *desk) until(what string, says func(*store.Rx) (bool, error)) {
	d.t.Helper()
	deadline := time.After(10 * time.Second)
	for {
		ok := false
		err := d.store.View(d.t.Context(), what, func(rx *store.Rx) (err error) {
			ok, err = says(rx)
			return err
		})
		if err != nil {
			d.t.Fatal(err)
		}
		if ok {
			return
		}
		select {
		case <-deadline:
			d.t.Fatalf("waited in vain for %s; the log says:\n%s", what, d.log)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func (d *desk) untilState(id, state string) {
	d.t.Helper()
	d.until(id+" to be "+state, func(rx *store.Rx) (bool, error) {
		p, _, err := rx.PaymentByPublicID(id)
		return p.State == state, err
	})
}

func (d *desk) untilItems(state string, n int) {
	d.t.Helper()
	d.until(state+" entries", func(rx *store.Rx) (bool, error) {
		list, err := rx.Items(store.InboxFilter{State: state, Limit: 100})
		return len(list) >= n, err
	})
}

// morning is the ids of the payments of a shop's morning.
type morning struct{ paid, odd, open, hostile string }

// morning has a payment that is paid, one with another amount, two open ones, and of each trouble of the inbox one.
func (d *desk) morning() (m morning) {
	d.t.Helper()
	m.paid, m.odd = d.register("ORDER-1001", "1250.50"), d.register("ORDER-1002-2031-03-07-0000000017", "100.00")
	m.open, m.hostile = d.register("ORDER-1003", "75.00"), d.register(hostileRef, "20.00")
	d.post(d.notice("evt_1", "ORDER-1001", "paid", "1250.50"))
	d.post(d.notice("evt_1", "ORDER-1001", "paid", "1250.50"))
	d.post(d.notice("evt_2", "ORDER-1002-2031-03-07-0000000017", "paid", "90.00"))
	d.post(d.notice("evt_3", "ORDER-9999", "paid", "310.00"))
	d.post([]byte(`{"id":"evt_4","type":"payment","livemode":false,"data":{"id":"sbx_4","reference":"` + `ORDER-1003` + `","status":"paid","amount":"12,34","currency":"PHP","account":"shop","big":12345678901234567890123,"note":"<b>bold</b>"}}`))
	d.post(d.notice("evt_5", "ORDER-1001", "paid", "1250.50"), header("Sandbox-Signature", "t=1,v1=00"))
	d.untilState(m.paid, "succeeded")
	d.untilState(m.odd, "unknown")
	d.untilItems("parked", 1)
	d.untilItems("dead", 1)
	return m
}
