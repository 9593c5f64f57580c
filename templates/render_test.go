package templates

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

func drawn(t *testing.T, name string) (*html.Node, string) {
	t.Helper()
	var out bytes.Buffer
	if err := samples()[name].Render(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return doc, out.String()
}

func each(t *testing.T, check func(t *testing.T, doc *html.Node, text string)) {
	for name := range samples() {
		t.Run(name, func(t *testing.T) {
			doc, text := drawn(t, name)
			check(t, doc, text)
		})
	}
}

func all(n *html.Node, selector string) []*html.Node {
	return cascadia.MustCompile(selector).MatchAll(n)
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(text(c) + " ")
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestNothingRunsThatWasSent(t *testing.T) {
	each(t, func(t *testing.T, doc *html.Node, source string) {
		for _, n := range all(doc, "script") {
			if attr(n, "src") == "" || text(n) != "" {
				t.Errorf("a script in the page: %q", text(n))
			}
		}
		for _, n := range all(doc, "*") {
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(a.Val, "javascript:") {
					t.Errorf("<%s %s=%q> would break the content policy", n.Data, a.Key, a.Val)
				}
				if (a.Key == "href" || a.Key == "src" || a.Key == "action") && strings.Contains(a.Val, "//") {
					t.Errorf("<%s %s=%q> leads to another host", n.Data, a.Key, a.Val)
				}
			}
		}
		if strings.Contains(source, hostile) {
			t.Error("hostile text is in the page as markup")
		}
	})
}

func TestPagesCanBeHeardAndReachedByKeyboard(t *testing.T) {
	each(t, func(t *testing.T, doc *html.Node, _ string) {
		for selector, want := range map[string]int{"main": 1, "h1": 1, "html[lang]": 1, "title": 1} {
			if got := len(all(doc, selector)); got != want {
				t.Errorf("%d of %s, want %d", got, selector, want)
			}
		}
		seen := map[string]bool{}
		for _, n := range all(doc, "[id]") {
			if seen[attr(n, "id")] {
				t.Errorf("the id %q is used twice", attr(n, "id"))
			}
			seen[attr(n, "id")] = true
		}
		for _, n := range all(doc, "[aria-labelledby], label[for], [aria-describedby]") {
			if to := attr(n, "aria-labelledby") + attr(n, "for") + attr(n, "aria-describedby"); !seen[to] {
				t.Errorf("<%s> is named by %q, which is not there", n.Data, to)
			}
		}
		named := map[*html.Node]bool{}
		for _, n := range all(doc, "label input, label select, label textarea, input[type=hidden], input[id]") {
			named[n] = true
		}
		for _, n := range all(doc, "input, select, textarea") {
			if !named[n] {
				t.Errorf("the field %q has no label", attr(n, "name"))
			}
		}
		for _, n := range all(doc, "a, button, summary") {
			if text(n) == "" && attr(n, "aria-label") == "" {
				t.Errorf("<%s href=%q> says nothing", n.Data, attr(n, "href"))
			}
		}
	})
}

func TestTablesSayWhatTheirCellsAre(t *testing.T) {
	each(t, func(t *testing.T, doc *html.Node, _ string) {
		for _, n := range all(doc, "thead th") {
			if attr(n, "scope") != "col" || text(n) == "" {
				t.Errorf("a column's heading %q lacks its scope or its words", text(n))
			}
		}
		for _, table := range all(doc, "table") {
			heads := map[string]bool{}
			for _, h := range all(table, "thead th") {
				heads[text(h)] = true
			}
			for _, n := range all(table, "tbody td:not(.wide):not(.act):not([colspan])") {
				if !heads[attr(n, "data-label")] {
					t.Errorf("a cell is labelled %q, which is no column of its table", attr(n, "data-label"))
				}
			}
		}
		for _, n := range all(doc, "time") {
			if attr(n, "datetime") == "" || attr(n, "title") == "" {
				t.Errorf("the time %q lacks its whole form", text(n))
			}
		}
	})
}

func TestFormsCarryWhatTheServerNeeds(t *testing.T) {
	each(t, func(t *testing.T, doc *html.Node, _ string) {
		for _, f := range all(doc, "details.act form") {
			for _, name := range []string{"act", "version", "form_key"} {
				if len(all(f, "input[type=hidden][name="+name+"]")) != 1 {
					t.Errorf("the form to %s carries no %s", attr(f, "action"), name)
				}
			}
			if attr(f, "method") != "post" || len(all(f, "button.main")) != 1 {
				t.Errorf("the form to %s cannot be sent", attr(f, "action"))
			}
		}
	})
}

func TestAMistakeKeepsWhatWasTyped(t *testing.T) {
	doc, _ := drawn(t, "payment")
	form := all(doc, "#act-accept")[0]
	if _, open := attrOf(form, "open"); !open {
		t.Error("the form with the mistake is closed")
	}
	if got := attr(all(form, "input[name=amount]")[0], "value"); got != "100" {
		t.Errorf("the amount is %q, want what was typed", got)
	}
	if got := text(all(form, ".problem")[0]); !strings.Contains(got, "₱90.00") {
		t.Errorf("the message is %q", got)
	}
	if got := attr(all(form, "input[name=amount]")[0], "aria-describedby"); got != attr(all(form, ".problem")[0], "id") {
		t.Errorf("the amount is described by %q, which is not the message", got)
	}
	if got := attr(all(doc, "main > [role=alert] a")[0], "href"); got != "#"+attr(all(form, "input[name=amount]")[0], "id") {
		t.Errorf("the summary leads to %q, which is not the field", got)
	}
	if got := text(all(doc, "title")[0]); !strings.HasPrefix(got, "Error: ") {
		t.Errorf("the title is %q, which does not say that something went wrong", got)
	}
	if got := text(all(form, "textarea")[0]); got != "Customer agreed" {
		t.Errorf("the reason is %q, want what was typed", got)
	}
	if got := text(all(doc, ".blocked")[0]); !strings.Contains(got, "Only a late success can be fulfilled.") {
		t.Errorf("%q does not say why fulfilling is not allowed", got)
	}
}

func attrOf(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func TestAViewerSeesNoForm(t *testing.T) {
	v := samplePayment()
	v.Forms.ReadOnly = true
	var out bytes.Buffer
	if err := Payment(v).Render(context.Background(), &out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), `name="form_key"`) || !strings.Contains(out.String(), "You may look but not decide.") {
		t.Error("a viewer is offered an act, or is not told why there is none")
	}
}

func TestLang(t *testing.T) {
	l := Lang{Find: func(s string) string { return map[string]string{"%d of %s": "%[2]s: %[1]d"}[s] }}
	if got := l.T("%d of %s", 3, "x"); got != "x: 3" {
		t.Errorf("T gave %q, want x: 3", got)
	}
	if got := (Lang{}).N(1, "One", "%d things", 1); got != "One" {
		t.Errorf("one thing is called %q", got)
	}
	if got := (Lang{}).N(0, "One", "%d things", 0); got != "0 things" {
		t.Errorf("no things are called %q", got)
	}
}
