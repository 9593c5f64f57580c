package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
	"nodrop/app/config"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// fence is one block of code in the README.
type fence struct{ language, text string }

func fences(t *testing.T) []fence {
	t.Helper()
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []fence
	for i, part := range strings.Split("\n"+string(raw), "\n```") {
		if language, text, found := strings.Cut(part, "\n"); i%2 == 1 && found {
			list = append(list, fence{language, text + "\n"})
		}
	}
	return list
}

// step is what a block of shell commands must print when it is run as it is written.
type step struct {
	begins string
	before string   // commands of the test's own, to be done first
	prints []string // all of these
}

// The steps that are not run here: the demo, the tests and the import of the sample run on their own, and the program is there already.
var notRun = []string{"go run . demo", "go test ./...", "NODROP_BROWSER=required go test", "NODROP_KILLS=2200 go test", "CGO_ENABLED=0 go build", "go run . import"}

const (
	aSecondShell = `unset PAYMONGO_WEBHOOK_SECRET PAYMONGO_SECRET_KEY NODROP_SHOP_SECRET`
	untilReady   = `until curl -fs http://127.0.0.1:8081/readyz; do sleep 0.05; done`
	untilPaid    = `until curl -s -H "Authorization: Bearer $TOKEN" http://127.0.0.1:8081/v1/orders/ORDER-1001 | grep -q '"paid":true'; do sleep 0.05; done`
)

var steps = []step{
	{begins: "(umask 077", prints: []string{"configuration nodrop.toml is sound", "gateway gcash, notices to /hooks/gcash", "payment.paid", "whsk_"}},
	{begins: "./nodrop serve", prints: []string{"ready"}},
	{begins: ". ./nodrop.env\n./nodrop user add ada", before: aSecondShell, prints: []string{"/signup/", "it is not shown again"}},
	{begins: `curl -s --json '{"gateway":"gcash"`, prints: []string{`"state":"pending"`, `"merchant_ref":"ORDER-1001"`, "pi_Zt6RmW9qLx3KpVbN7yDsHf2G"}},
	{begins: "curl -s -H", prints: []string{`"paid":false`, `"safe_to_charge_again":false`}},
	{begins: "curl -s --json '{}'", prints: []string{`"may_still_succeed"`, `"status":409`}},
	{begins: "now=", prints: []string{`{"received":true}`}},
	{begins: "printf 'POST", prints: []string{"accepted: it would be stored", "1250.50 PHP (125050 in minor units)"}},
	{begins: "id=", before: untilPaid, prints: []string{`"owner":"worker-1","state":"held"`, `"state":"done"`}},
	{begins: "./nodrop backup", prints: []string{"and the copy verified"}},
	{begins: "./nodrop restore", before: "kill $server; wait $server; test ! -e nodrop.db-wal", prints: []string{"nodrop.db was restored from nodrop-backup.db", "nodrop.db.replaced"}},
}

// TestReadme runs the README's set-up as it is written, with free ports instead of the usual ones.
func TestReadme(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the README's commands need %s", tool)
		}
	}
	folder := t.TempDir()
	addresses, err := freeAddresses(3)
	if err != nil {
		t.Fatal(err)
	}
	ports := strings.NewReplacer("127.0.0.1:8081", addresses[1], "127.0.0.1:8080", addresses[0], `":8080"`, `"`+addresses[0]+`"`, "127.0.0.1:3000", addresses[2])
	var script strings.Builder
	script.WriteString("set -eu\n")
	next := 0
	for _, f := range fences(t) {
		switch {
		case f.language == "toml" && !strings.Contains(f.text, "hostname"):
			if err := os.WriteFile(filepath.Join(folder, "nodrop.toml"), []byte(ports.Replace(f.text)), 0o600); err != nil {
				t.Fatal(err)
			}
		case f.language == "sh" && !slices.ContainsFunc(notRun, func(s string) bool { return strings.HasPrefix(f.text, s) }):
			if next == len(steps) || !strings.HasPrefix(f.text, steps[next].begins) {
				t.Fatalf("the README has a step that this test does not know:\n%s", f.text)
			}
			fmt.Fprintf(&script, "%s\necho '@@@@'\n%s", steps[next].before, asRun(f.text))
			next++
		}
	}
	if next != len(steps) {
		t.Fatalf("the README lacks the step %q", steps[next].begins)
	}
	checkSteps(t, runReadme(t, folder, ports.Replace(script.String())))
}

// asRun leaves a server running in the background while the next steps are done.
func asRun(text string) string {
	if text != "./nodrop serve\n" {
		return text
	}
	return "./nodrop serve 2>serve.log &\nserver=$!\ntrap 'kill $server 2>/dev/null || true' EXIT\n" + untilReady + "\n"
}

func runReadme(t *testing.T, folder, script string) string {
	t.Helper()
	program, err := exec.LookPath("nodrop")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program, filepath.Join(folder, "nodrop")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", "-c", script)
	c.WaitDelay = time.Second
	// The gateway is not to be asked by a test: whatever leaves the machine goes to a proxy that is not there.
	c.Dir, c.Env = folder, append(os.Environ(), "HTTPS_PROXY=http://127.0.0.1:1", "HTTP_PROXY=http://127.0.0.1:1", "NO_PROXY=127.0.0.1")
	out, err := c.CombinedOutput()
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(folder, "serve.log"))
		t.Fatalf("the README's steps do not run: %v\n%s\nthe server:\n%s", err, out, log)
	}
	return string(out)
}

func checkSteps(t *testing.T, out string) {
	t.Helper()
	printed := strings.Split(out, "@@@@\n")[1:]
	for i, s := range steps {
		for _, text := range s.prints {
			if !strings.Contains(printed[i], text) {
				t.Errorf("the README's step %q does not print %q but\n%s", s.begins, text, printed[i])
			}
		}
	}
}

// TestReadmeVerification gives the README's Python an event that the Standard Webhooks library has signed.
func TestReadmeVerification(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("the README's example needs python3")
	}
	const secret, id, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "1-17", `{"type":"payment.succeeded","data":{"amount":"₱1"}}`
	hook, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-c", "", secret, id, body}
	for _, at := range []time.Time{time.Now(), time.Now().Add(-10 * time.Minute)} {
		signature, err := hook.Sign(id, at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, fmt.Sprint(at.Unix()), signature)
	}
	i := slices.IndexFunc(fences(t), func(f fence) bool { return f.language == "python" })
	if i < 0 {
		t.Fatal("the README has no Python")
	}
	args[1] = fences(t)[i].text + `
import sys
secret, identity, body, now, signature, old, old_signature = sys.argv[1:]
def check(stamp, signature, body):
    return verify(secret, {"webhook-id": identity, "webhook-timestamp": stamp, "webhook-signature": "v1,AAAA " + signature}, body.encode())
print(check(now, signature, body), check(now, signature, body + " "), check(old, old_signature, body))
`
	out, err := exec.Command(python, args...).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "True False False" {
		t.Errorf("verification says %s, want True False False (%v)", out, err)
	}
}

// TestReadmeListsEveryGateway compares the README's table with the definitions.
// TestReadmeHostNames loads the configurations with host names as they are written; the files of a certificate need not be there.
func TestReadmeHostNames(t *testing.T) {
	n := 0
	for _, f := range fences(t) {
		if f.language != "toml" || !strings.Contains(f.text, "hostname") {
			continue
		}
		n++
		_, err := config.Load("nodrop.toml", config.Env{Getenv: os.LookupEnv, ReadFile: func(name string) ([]byte, error) {
			if name == "nodrop.toml" {
				return []byte(f.text), nil
			}
			return nil, fs.ErrNotExist
		}})
		var faults *config.Faults
		if errors.As(err, &faults) {
			for _, fault := range faults.List {
				if !strings.Contains(fault.Text, "file does not exist") {
					t.Errorf("%s\n%s", fault, f.text)
				}
			}
		} else if err != nil {
			t.Error(err)
		}
	}
	if n != 2 {
		t.Errorf("%d configurations with host names, want 2", n)
	}
}

func TestReadmeListsEveryGateway(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("app/gateway/presets/*.toml")
	if err != nil || len(files) < 31 {
		t.Fatalf("%d definitions, %v", len(files), err)
	}
	listed := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		var d struct {
			Title, Status string
			Needs         []string
		}
		definition, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := toml.Unmarshal(definition, &d); err != nil {
			t.Fatal(err)
		}
		if name == "custom" || name == "sandbox" {
			continue
		}
		listed++
		if row := fmt.Sprintf("| `%s` | %s | %s | `%s` |\n", name, d.Title, d.Status, strings.Join(d.Needs, "`, `")); !strings.Contains(string(raw), row) {
			t.Errorf("the README lacks the row %s", row)
		}
	}
	if want := fmt.Sprintf("\n%d gateways are described", listed); !strings.Contains(string(raw), want) {
		t.Errorf("the README does not say %q", want)
	}
}
