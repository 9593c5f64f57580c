package gateway

import (
	"strings"
	"testing"
)

func TestXMLIsReadAsJSON(t *testing.T) {
	for src, want := range map[string]string{
		`<a/>`:                                    `""`,
		`<a>x "y" \ z</a>`:                        `"x \"y\" \\ z"`,
		"<a>\t\n\u00e9</a>":                       `"\t\n\u00e9"`,
		`<a><![CDATA[<b>&]]></a>`:                 `"\u003cb\u003e\u0026"`,
		`<a>&lt;&#65;</a>`:                        `"\u003cA"`,
		`<a><b>1</b><c>2</c><b>3</b></a>`:         `{"b":["1","3"],"c":"2"}`,
		`<a> <b><d>1</d></b> text <b/></a>`:       `{"b":[{"d":"1"},""]}`,
		"\xef\xbb\xbf<?xml version=\"1.0\"?><a/>": `""`,
	} {
		d, err := parseXML([]byte(src), defaultDepth)
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		want, err := parseJSON([]byte(want), defaultDepth)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := outline(d, 0), outline(want, 0); got != want {
			t.Errorf("%q is read as %s, want %s", src, got, want)
		}
	}
}

// outline writes a document with the texts as they are meant.
func outline(d *document, i int32) string {
	if text, ok := d.plainText(i); ok {
		return "(" + text + ")"
	}
	var b strings.Builder
	b.WriteString("[")
	for _, c := range d.children(i) {
		b.WriteString(d.name(c) + outline(d, c))
	}
	return b.String() + "]"
}

func TestOneElementInXMLIsAList(t *testing.T) {
	g := custom(t, "envelope = [{ kind = \"xml\" }]\n[[signature]]\nkind = \"hmac\"\nhash = \"sha256\"\nfrom = \"{header:X-Sig}\"\nencoding = \"hex\"\n"+
		strings.Replace(kindTail, "[query]", "[[fields.also]]\nkind = \"refund\"\neach = \"refunds.refund\"\nref = \"id\"\nstatus = \"status\"\namount = { from = \"amount\", kind = \"decimal\", fixed = \"PHP\" }\n[query]", 1), "k")
	const one = "<refund><id>r1</id><status>succeeded</status><amount>1.00</amount></refund>"
	for inside, want := range map[string]int{"": 1, "<refunds/>": 1, "<refunds>" + one + "</refunds>": 2, "<refunds>" + one + one + "</refunds>": 3} {
		rd := g.Read(signed("k", "<n><id>o1</id><status>paid</status><amount>12.50</amount>"+inside+"</n>"))
		if rd.Verdict != Accepted || len(rd.Observations) != want {
			t.Errorf("%q: %s with %d observations, want %d", inside, rd.Verdict, len(rd.Observations), want)
		}
	}
}
