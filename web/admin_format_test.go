package web

import (
	"strings"
	"testing"
	"time"
)

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		minor    int64
		currency string
		want     string
	}{
		{125050, "PHP", "₱1,250.50"}, {0, "PHP", "₱0.00"}, {100, "JPY", "JPY 100"}, {1234567, "JPY", "JPY 1,234,567"}, {1500, "KWD", "KWD 1.500"},
		{9223372036854775807, "USD", "USD 92,233,720,368,547,758.07"}, {-500, "PHP", "−₱5.00"}, {5, "XXX", "–"}, {99999, "EUR", "€999.99"}, {100000, "EUR", "€1,000.00"},
	} {
		if got := money(c.minor, c.currency); got != c.want {
			t.Errorf("%d %s is shown as %q, want %q", c.minor, c.currency, got, c.want)
		}
	}
}

func TestLongReferencesAreCutInTheMiddle(t *testing.T) {
	if got := ref("ORDER-1"); got.Short != "ORDER-1" || got.Full != "ORDER-1" {
		t.Errorf("a short one is shown as %v", got)
	}
	got := ref("ORDER-2031-03-07-0000000017-B")
	if !strings.HasPrefix(got.Short, "ORDER-2031-") || !strings.HasSuffix(got.Short, "17-B") || !strings.Contains(got.Short, "…") || len([]rune(got.Short)) != refWidth {
		t.Errorf("a long one is shown as %q", got.Short)
	}
	if got.Full != "ORDER-2031-03-07-0000000017-B" {
		t.Errorf("the whole of it is %q", got.Full)
	}
}

func TestHiddenCharactersAreShown(t *testing.T) {
	for in, want := range map[string]string{
		"plain ₱ 登录\n\tend": "plain ₱ 登录\n\tend", "a\x00b": `a\u{0}b`, "abc\u202edef": `abc\u{202E}def`, "zero\u200bwidth": `zero\u{200B}width`, "bad\xffbyte": "bad\uFFFDbyte", "\ufeffbom": `\u{FEFF}bom`,
	} {
		if got := visible(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

func TestBodiesAreShownAsTheyCame(t *testing.T) {
	if got := indented([]byte(`{"n":12345678901234567890123,"f":1.10,"a":[]}`)); got != "{\n  \"n\": 12345678901234567890123,\n  \"f\": 1.10,\n  \"a\": []\n}" {
		t.Errorf("JSON is indented as %q", got)
	}
	for _, other := range []string{"", "a=1&b=2", `{"a":`, `"text"`, "<xml/>"} {
		if got := indented([]byte(other)); got != "" {
			t.Errorf("%q is no JSON object, but is shown as %q", other, got)
		}
	}
	if text, binary, _ := bodyText([]byte{0xff, 0xfe, 0x00}); !binary || !strings.Contains(text, "ff fe 00") {
		t.Errorf("bytes that are no text are shown as %q", text)
	}
	long := strings.Repeat("a", rawShown-1) + "₱₱"
	if text, binary, cut := bodyText([]byte(long)); binary || !cut || strings.Contains(text, "₱") || len(text) != rawShown-1 {
		t.Errorf("a long body is cut to %d bytes, binary %v, cut %v", len(text), binary, cut)
	}
}

func TestTimes(t *testing.T) {
	manila, err := time.LoadLocation("Asia/Manila")
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(t)
	l.engine.Config().Timezone = manila
	v := &visit{admin: &admin{Server: l.server}, now: time.Date(2031, 3, 7, 1, 15, 0, 0, time.UTC), lang: language("en")}
	for _, c := range []struct {
		at        time.Time
		text, ago string
	}{
		{time.Date(2031, 3, 7, 1, 14, 48, 0, time.UTC), "09:14:48", "12 s ago"},
		{time.Date(2031, 3, 6, 16, 0, 0, 0, time.UTC), "00:00:00", "9 h ago"},
		{time.Date(2031, 3, 6, 15, 59, 0, 0, time.UTC), "6 Mar 23:59", "9 h ago"},
		{time.Date(2030, 12, 31, 15, 0, 0, 0, time.UTC), "2030-12-31 23:00", "65 days ago"},
		{time.Date(2031, 3, 7, 1, 20, 0, 0, time.UTC), "09:20:00", "in 5 min"},
	} {
		s := v.stamp(c.at.UnixMilli())
		if s.Text != c.text || s.Ago != c.ago || !strings.HasSuffix(s.Title, "+08:00 Asia/Manila") || s.ISO != c.at.Format(time.RFC3339) {
			t.Errorf("%v is shown as %+v, want %q, %q", c.at, s, c.text, c.ago)
		}
	}
	if v.stamp(0).Known() {
		t.Error("never is shown as an instant")
	}
}

func TestOnlyOurOwnPagesAreLedTo(t *testing.T) {
	for next, want := range map[string]string{
		"": "/", "/payments?q=a": "/payments?q=a", "//evil.example": "/", "https://evil.example/": "/", `/\evil.example`: "/", "javascript:alert(1)": "/", "payments": "/", "/%2f/evil": "/%2f/evil",
	} {
		if got := inside(next); got != want {
			t.Errorf("%q leads to %q, want %q", next, got, want)
		}
	}
}

func TestSpreadsheetsRunNothing(t *testing.T) {
	for in, want := range map[string]string{"ORDER": "ORDER", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\tx": "'\tx", "": ""} {
		if got := harmless(in); got != want {
			t.Errorf("%q is exported as %q, want %q", in, got, want)
		}
	}
}

func TestTypedAmounts(t *testing.T) {
	for in, want := range map[string]string{"90.00": "90.00", "₱1,250.50": "1250.50", "PHP 90": "90", "90.00 PHP": "90.00", "1,25": "1,25", "1.250,50": "1.250,50", "ninety": "ninety", "9O": "9O", "-5": "-5", "": "", "12,34,567": "12,34,567"} {
		if got := plainAmount(in); got != want {
			t.Errorf("%q is read as %q, want %q", in, got, want)
		}
	}
}

func TestSearchReadsAmounts(t *testing.T) {
	type span struct {
		currency string
		from, to int64
	}
	for text, want := range map[string][]span{
		"1250.50": {{"PHP", 125050, 125050}, {"KWD", 1250500, 1250500}}, "₱1,250.50": {{"PHP", 125050, 125050}, {"KWD", 1250500, 1250500}},
		"75": {{"JPY", 75, 75}, {"PHP", 7500, 7599}, {"KWD", 75000, 75999}}, "ORDER-1": nil, "-5": nil, "1.2345": nil,
	} {
		got := amountsOf(text)
		if len(got) != len(want) {
			t.Errorf("%q is read as %v, want %v", text, got, want)
			continue
		}
		for i, w := range want {
			if got[i].FromMinor != w.from || got[i].ToMinor != w.to || !got[i].Counts(w.currency) || got[i].Counts("CLF") {
				t.Errorf("%q is read as %d to %d, want %+v", text, got[i].FromMinor, got[i].ToMinor, w)
			}
		}
	}
}
