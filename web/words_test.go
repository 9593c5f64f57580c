package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"nodrop/app"
	"nodrop/app/gateway"
	"nodrop/app/payment"
)

// spoken collects every text that the pages give to T or N: from the code of this package and of the templates.
func spoken(t *testing.T) map[string]bool {
	t.Helper()
	texts := map[string]bool{}
	for _, pattern := range []string{"*.go", filepath.Join("..", "templates", "*_templ.go")} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no file is like %s: %v", pattern, err)
		}
		for _, name := range files {
			if !strings.HasSuffix(name, "_test.go") {
				listen(t, name, texts)
			}
		}
	}
	return texts
}

func listen(t *testing.T, name string, texts map[string]bool) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, raw, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || method.Sel.Name != "T" && method.Sel.Name != "N" {
			return true
		}
		args := call.Args[:1]
		if method.Sel.Name == "N" {
			args = call.Args[1:3]
		}
		for _, a := range args {
			literal, ok := a.(*ast.BasicLit)
			if !ok {
				t.Errorf("%s: a text given to %s is not written where it is said, so nobody can tell whether it is translated", name, method.Sel.Name)
				continue
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts[text] = true
		}
		return true
	})
}

func TestEveryTextIsTranslatedAndEveryTranslationUsed(t *testing.T) {
	texts := spoken(t)
	if len(texts) < 100 {
		t.Fatalf("only %d texts were found", len(texts))
	}
	for text := range texts {
		if chinese[text] == "" {
			t.Errorf("not translated: %q", text)
		}
	}
	for text := range chinese {
		if !texts[text] {
			t.Errorf("translated, but never said: %q", text)
		}
	}
}

var verb = regexp.MustCompile(`%(\[\d\])?[a-z]`)

func TestTranslationsSayTheSameThings(t *testing.T) {
	for english, zh := range chinese {
		want, got := verb.FindAllString(english, -1), verb.FindAllString(zh, -1)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%q has %v, its translation %v", english, want, got)
		}
		if strings.Contains(english, "15:04") || verb.ReplaceAllString(english, "") == ": " {
			continue
		}
		if !strings.ContainsFunc(zh, func(r rune) bool { return unicode.Is(unicode.Han, r) }) && strings.ContainsFunc(verb.ReplaceAllString(english, ""), unicode.IsLetter) {
			t.Errorf("%q is translated as %q, which is no Chinese", english, zh)
		}
	}
}

// TestEveryWordOfTheContractIsSaid compares the families with the lists of the packages whose words they are.
func TestEveryWordOfTheContractIsSaid(t *testing.T) {
	want := map[string][]string{"class": {gateway.ClassAnswered, gateway.ClassNotFound, gateway.ClassUnreadable, gateway.ClassTimeout, gateway.ClassRefused, gateway.ClassThrottled, gateway.ClassFailing, gateway.ClassNotAsked}}
	for _, s := range payment.States() {
		want["state"] = append(want["state"], string(s))
		for _, c := range payment.Causes(s) {
			word := strings.TrimSuffix(string(s)+"."+string(c), ".")
			want["standing"], want["truth"] = append(want["standing"], word), append(want["truth"], word)
		}
	}
	for _, w := range payment.Words() {
		want["word"] = append(want["word"], string(w))
	}
	for _, a := range payment.Acts() {
		want["act"] = append(want["act"], string(a))
	}
	want["act"] = append(want["act"], app.ActAsk, app.ActLink, app.ActReplay, app.ActResend, app.ActRelease, app.ActResume, app.ActSnooze, app.ActReopen, app.ActDismiss, app.ActVerify,
		app.ActApprove, app.ActTurnDown, app.ActPropose, app.ActRecordRefund, app.ActRecordDispute, app.ActRecordLoss)
	want["follows"], want["acted"], want["answer"] = want["act"], want["act"], want["act"]
	want["kind"] = app.ReviewKinds()
	want["review"], want["advice"] = want["kind"], want["kind"]
	for _, e := range payment.EventTypes() {
		want["event"] = append(want["event"], string(e))
	}
	want["because"] = []string{string(payment.BecauseNoPayment), string(payment.BecausePaid), string(payment.BecauseReview), string(payment.BecauseParked), string(payment.BecauseUnconfirmed),
		string(payment.BecauseOpen), string(payment.BecauseUnknown), string(payment.BecauseSucceeded), string(payment.BecauseAbandoned), string(payment.BecausePerson)}
	want["verdict"] = []string{gateway.Accepted, gateway.Ignored, gateway.Refused, gateway.Unreadable, gateway.Challenged}
	want["reads"] = want["verdict"]
	want["observed"] = []string{gateway.KindPayment, gateway.KindRefund, gateway.KindDispute}
	want["reason"] = []string{"bad_signature", "no_signature", "stale_timestamp", "no_secret", "wrong_mode", "wrong_method", "unknown_network", "bad_challenge", "key_unknown", "certificate_pending"}
	want["likely"] = want["reason"]
	for family, words := range want {
		for _, w := range words {
			if families[family][w] == (said{}) {
				t.Errorf("the family %q does not say %q", family, w)
			}
		}
	}
}

func TestEveryWordIsSaidInBothLanguages(t *testing.T) {
	for family, words := range families {
		for word, s := range words {
			if s.en == "" || s.zh == "" {
				t.Errorf("%s %q lacks a language: %q %q", family, word, s.en, s.zh)
			}
		}
	}
}

func TestLanguage(t *testing.T) {
	if got := language("zh").T("Sign in"); got != "登录" {
		t.Errorf("signing in is called %q", got)
	}
	if got := language("en").word("state", "closed"); got != "Closed" {
		t.Errorf("closed is called %q", got)
	}
	if got := language("xx").word("state", "made_up"); got != "made_up" {
		t.Errorf("a word that nobody knows is shown as %q", got)
	}
}
