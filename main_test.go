package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets every test call the program as nodrop, found along PATH.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"nodrop": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Condition: func(name string) (bool, error) {
			if name != "usual" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return free("127.0.0.1:8080") && free("127.0.0.1:8081"), nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": scriptExits, "ports": scriptPorts, "hold": scriptHold, "ready": scriptReady, "call": scriptCall,
			"eventually": scriptEventually, "token": scriptToken, "claim": scriptClaim,
		},
	})
}

func want(ts *testscript.TestScript, neg bool, args []string, n int, usage string) {
	if neg || len(args) < n {
		ts.Fatalf("usage: %s", usage)
	}
}

// scriptExits runs a command that must end with a status.
func scriptExits(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "exits STATUS COMMAND…")
	status := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
}

// scriptPorts puts free addresses on loopback into variables.
func scriptPorts(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 1, "ports NAME…")
	addresses, err := freeAddresses(len(args))
	ts.Check(err)
	for i, name := range args {
		ts.Setenv(name, addresses[i])
	}
}

// scriptHold listens on the address in a variable until the script ends.
func scriptHold(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 1, "hold NAME")
	l, err := net.Listen("tcp", ts.Getenv(args[0]))
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
}

// scriptReady waits until an address answers 200.
func scriptReady(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 1, "ready URL")
	ts.Check(await(args[0], "", ""))
}

// scriptEventually waits until an address, asked with $TOKEN, answers a text.
func scriptEventually(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "eventually URL TEXT")
	ts.Check(await(args[0], ts.Getenv("TOKEN"), args[1]))
}

// scriptCall makes a request with $TOKEN, the body from a file, and wants a status; the answer is the standard output.
func scriptCall(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 3, "call METHOD URL STATUS [FILE [HEADER:VALUE…]]")
	header := http.Header{"Authorization": {"Bearer " + ts.Getenv("TOKEN")}}
	body := ""
	if len(args) > 3 {
		body = ts.ReadFile(args[3])
		header.Set("Content-Type", "application/json")
		for _, line := range args[4:] {
			name, value, _ := strings.Cut(line, ":")
			header.Set(name, value)
		}
	}
	scriptSend(ts, args[0], args[1], args[2], body, header)
}

func scriptSend(ts *testscript.TestScript, method, url, status, body string, header http.Header) string {
	got, answer, err := send(method, url, body, header)
	ts.Check(err)
	fmt.Fprint(ts.Stdout(), answer)
	if strconv.Itoa(got) != status {
		ts.Fatalf("%s %s answered %d, want %s:\n%s", method, url, got, status, answer)
	}
	return answer
}

// scriptToken makes an API token and keeps it in a variable.
func scriptToken(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 1, "token NAME")
	ts.Check(ts.Exec("nodrop", "token", "add", "script"))
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile("stdout")))
}

// scriptClaim claims the fulfilment of an order.
func scriptClaim(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 3, "claim BASE ORDER STATUS")
	header := http.Header{"Authorization": {"Bearer " + ts.Getenv("TOKEN")}, "Content-Type": {"application/json"}}
	var order struct{ Payments []struct{ ID string } }
	_, answer, err := send("GET", args[0]+"/v1/orders/"+args[1], "", header)
	ts.Check(err)
	ts.Check(json.Unmarshal([]byte(answer), &order))
	if len(order.Payments) != 1 {
		ts.Fatalf("order %s has %d payments", args[1], len(order.Payments))
	}
	body := fmt.Sprintf(`{"key":"fulfil:%s","payment_id":"%s","owner":"script"}`, args[1], order.Payments[0].ID)
	scriptSend(ts, "POST", args[0]+"/v1/claims", args[2], body, header)
}

// free reports whether an address can be listened on.
func free(address string) bool {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// freeAddresses finds addresses on loopback that nobody listens on, below those that connections begin from: one of
// these could take the port of a server that is down for a moment.
func freeAddresses(n int) (list []string, err error) {
	for tries := 0; len(list) < n && tries < 1000; tries++ {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 10000+rand.IntN(20000))); err == nil {
			defer l.Close()
			list = append(list, l.Addr().String())
		}
	}
	if len(list) < n {
		return nil, err
	}
	return list, nil
}

var client = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

// send makes one request and reads its answer.
func send(method, url, body string, header http.Header) (status int, answer string, err error) {
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header = header
	res, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return res.StatusCode, string(raw), err
}

// await asks an address again and again until it answers 200 with a text in it.
func await(url, token, text string) error {
	deadline := time.Now().Add(20 * time.Second)
	for {
		status, answer, err := send("GET", url, "", http.Header{"Authorization": {"Bearer " + token}})
		if err == nil && status == http.StatusOK && strings.Contains(answer, text) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s does not answer 200 with %q: %d %s %v", url, text, status, answer, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
