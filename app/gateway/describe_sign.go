package gateway

import (
	"fmt"
	"strings"
	"time"
)

// describeSignature says in one line what a signature must be; keys is how many can check it.
func describeSignature(s SignatureSpec, keys int) string {
	line := describeProof(s, keys)
	if s.Mode != "" {
		line = "For " + s.Mode + " requests: " + line
	}
	if len(s.When) > 0 {
		line = "For some messages: " + line
	}
	if s.EachItem {
		line += " Every item of a batch carries its own."
	}
	if s.Certificate != nil {
		line += " Without a configured key the certificate is fetched from " + strings.Join(s.Certificate.Hosts, ", ") + "."
	}
	return line + describeWindow(s.Timestamp)
}

func describeWindow(s *TimestampSpec) string {
	if s == nil {
		return ""
	}
	beyond := "it is refused."
	if s.Policy == "flag" {
		beyond = "it is flagged."
	}
	span := plainSpan(time.Duration(s.Tolerance))
	switch {
	case s.Policy == "off":
		return " Its time may be any."
	case s.Future != nil && *s.Future == 0:
		return " Its time may be " + span + " before ours, or any time after it; beyond, " + beyond
	}
	return " Its time may be " + span + " away from ours; beyond, " + beyond
}

// plainSpan writes a time span without the parts that are zero: 5m, 1h30m, 45s.
func plainSpan(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func describeProof(s SignatureSpec, keys int) string {
	place := strings.Join(s.From, ", else in ")
	if s.Name != "" {
		place += " under " + s.Name
	}
	switch s.Kind {
	case "none":
		return "Requests are not signed."
	case "static_token":
		return fmt.Sprintf("A fixed token must stand in %s; tokens configured: %d.", place, keys)
	case "jwt":
		return fmt.Sprintf("A token signed with %s must stand in %s; keys configured: %d.", s.Algorithm, place, keys)
	case "ed25519":
		return fmt.Sprintf("An Ed25519 signature over %s, written in %s, must stand in %s; public keys configured: %d.", describeText(s), s.Encoding, place, keys)
	}
	name := map[string]string{"hmac": "An HMAC-", "digest": "A plain ", "rsa": "An RSA signature with "}[s.Kind] + strings.ToUpper(s.Hash)
	return fmt.Sprintf("%s over %s, written in %s, must stand in %s; keys configured: %d.", name, describeText(s), s.Encoding, place, keys)
}

func describeText(s SignatureSpec) string {
	switch {
	case s.Sorted != nil:
		return "the sorted fields"
	case s.Flattened != nil:
		return "every value of the message, sorted"
	case len(s.Parts) > 0:
		return strings.Join(s.Parts, "")
	case len(s.Message) == 0:
		return "{raw_body}"
	}
	return strings.Join(s.Message, ", else over ")
}
