package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// place is a folder with a configuration, from which servers are started one after the other.
type place struct {
	t               *testing.T
	folder          string
	public, private string // host:port
	env             []string
}

// smartpay describes a gateway that signs the raw body, and cannot be asked.
const smartpay = `
[[gateway]]
name            = "smartpay"
preset          = "custom"
mode            = "test"
webhook_secrets = ["env:SMARTPAY_SECRET"]

[gateway.custom.notice]
dedupe = "{field:gateway_ref}:{field:status}"

[[gateway.custom.signature]]
kind     = "hmac"
hash     = "sha256"
encoding = "hex"
from     = "{header:X-Signature}"

[gateway.custom.fields]
refs         = [{ kind = "payment", from = "gateway_ref" }]
merchant_ref = "merchant_ref"
status       = "status"
words        = { SUCCESS = "succeeded" }
amount       = { from = "amount", kind = "decimal_string", currency = "currency" }

[[gateway.custom.shape]]
when  = { "{field:kind}" = "refund" }
kind  = "refund"
refs  = [{ kind = "payment", from = "payment_ref" }]
ref   = "gateway_ref"
words = { SUCCESS = "succeeded" }

[[gateway.custom.shape]]
kind = "payment"

[gateway.custom.ack]
body = "SUCCESS"
`

// newPlace writes a configuration, with free ports in front of the rest.
func newPlace(t *testing.T, rest string, env ...string) *place {
	t.Helper()
	addresses, err := freeAddresses(2)
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, folder: t.TempDir(), public: addresses[0], private: addresses[1], env: append(os.Environ(), env...)}
	text := fmt.Sprintf("[public]\nlisten = %q\n\n[private]\nlisten = %q\n%s", p.public, p.private, rest)
	if err := os.WriteFile(filepath.Join(p.folder, "nodrop.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// command prepares a call of the program in the place.
func (p *place) command(args ...string) *exec.Cmd {
	c := exec.Command("nodrop", args...)
	c.Dir, c.Env = p.folder, p.env
	return c
}

// call runs the program, which must succeed, and gives what it printed.
func (p *place) call(args ...string) string {
	p.t.Helper()
	out, err := p.command(args...).Output()
	if err != nil {
		var exit *exec.ExitError
		errors.As(err, &exit)
		p.t.Fatalf("nodrop %s: %v\n%s%s", strings.Join(args, " "), err, out, exit.Stderr)
	}
	return strings.TrimSpace(string(out))
}

// process is one run of the server.
type process struct {
	*exec.Cmd
	log    bytes.Buffer // to be read once ended is closed
	ended  chan struct{}
	result error
}

// serve starts the server; it is killed with the test if it still runs.
func (p *place) serve() *process {
	p.t.Helper()
	s := &process{Cmd: p.command("serve"), ended: make(chan struct{})}
	s.Stdout, s.Stderr = &s.log, &s.log
	if err := s.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() {
		s.result = s.Wait()
		close(s.ended)
	}()
	p.t.Cleanup(func() {
		_ = s.Process.Kill()
		<-s.ended
	})
	return s
}

// ready waits until the server takes requests.
func (p *place) ready() {
	p.t.Helper()
	if err := await("http://"+p.private+"/readyz", "", ""); err != nil {
		p.t.Fatal(err)
	}
}

// kill ends the server as a power cut does. One that has ended by itself fails the test.
func (s *process) kill(t *testing.T) {
	t.Helper()
	select {
	case <-s.ended:
		t.Fatalf("the server ended by itself: %v\n%s", s.result, s.log.String())
	default:
	}
	if err := s.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.ended
}

// stop ends the server in order; nothing but the database may stay.
func (p *place) stop(s *process) {
	p.t.Helper()
	if err := s.Process.Signal(os.Interrupt); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-s.ended:
	case <-time.After(30 * time.Second):
		p.t.Fatal("the server does not stop")
	}
	if s.result != nil {
		p.t.Fatalf("the server stopped with %v\n%s", s.result, s.log.String())
	}
	for _, end := range []string{"-wal", "-shm", ".lock"} {
		if _, err := os.Stat(filepath.Join(p.folder, "nodrop.db"+end)); err == nil {
			p.t.Errorf("nodrop.db%s is left behind after an orderly stop", end)
		}
	}
}
