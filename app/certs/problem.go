package certs

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
)

// problemOf finds what the authority itself said.
func problemOf(err error) *acme.Error {
	var said *acme.Error
	var refused *acme.AuthorizationError
	var order *acme.OrderError
	switch {
	case errors.As(err, &said):
		return said
	case errors.As(err, &order):
		return order.Problem
	case errors.As(err, &refused):
		for _, e := range refused.Errors {
			if said = problemOf(e); said != nil {
				return said
			}
		}
	}
	return nil
}

// longestHold bounds what an authority may have us wait.
const longestHold = day

// holdOf is the time before which the authority wants no further try; zero where it names none.
func holdOf(err error, now time.Time) time.Time {
	said := problemOf(err)
	if said == nil || said.Header == nil {
		return time.Time{}
	}
	text := said.Header.Get("Retry-After")
	at, _ := http.ParseTime(text) // zero for what is no date
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		at = now.Add(time.Duration(seconds) * time.Second)
	}
	if latest := now.Add(longestHold); at.After(latest) {
		return latest
	}
	return at
}

// remedies by the end of the problem's type (RFC 8555, section 6.7).
var remedies = map[string]string{
	"dns":                     "let %[1]s lead to this machine's public address",
	"connection":              "let %[1]s lead to this machine's public address, and its port 80 reach acme.listen through every firewall",
	"tls":                     "let port 80 of %[1]s reach acme.listen of this machine, without a redirect to somewhere else",
	"unauthorized":            "let port 80 of %[1]s reach acme.listen of this machine: another program answers there",
	"incorrectResponse":       "let port 80 of %[1]s reach acme.listen of this machine: another program answers there",
	"caa":                     "let the CAA entry of %[1]s allow this authority, or remove it",
	"rateLimited":             "wait: the authority has had too many tries",
	"externalAccountRequired": "set acme.key_id and acme.key to what the authority gave you",
	"rejectedIdentifier":      "the authority gives no certificate for %[1]s: choose another name or another authority",
	"invalidContact":          "correct acme.email",
	"unsupportedContact":      "correct acme.email",
}

// remedyOf says what a person can do about a failure.
func remedyOf(err error, host string) string {
	if said := problemOf(err); said != nil {
		if text, ok := remedies[said.ProblemType[strings.LastIndexByte(said.ProblemType, ':')+1:]]; ok {
			if strings.Contains(text, "%") {
				return fmt.Sprintf(text, host)
			}
			return text
		}
	}
	return "see that acme.directory can be reached from this machine; it is tried again by itself"
}
