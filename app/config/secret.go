package config

import (
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Secret is a value that no print, log or encoding shows; only Reveal gives it.
type Secret struct {
	value  *string // a pointer: printing by reflection shows an address at most
	origin string  // "env:NAME", "file:PATH" or "" for a value written plainly
}

// NewSecret keeps value from being shown.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{value: &value}
}

// Reveal gives the secret itself; use it only where it is needed and pass it no further.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsSet tells whether there is a secret.
func (s Secret) IsSet() bool { return s.value != nil }

// String says where the secret comes from, never what it is.
func (s Secret) String() string {
	switch {
	case s.value == nil:
		return "(none)"
	case s.origin == "":
		return "(secret)"
	default:
		return "(secret from " + s.origin + ")"
	}
}

// Format answers every verb as String does.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText answers as String does, so that JSON and TOML show no secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue answers as String does.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// TimedSecret is a secret that is valid from NotBefore (included) to Until (not
// included); a zero time is no limit.
type TimedSecret struct {
	ID        string // by which the gateway names it, where it does
	Value     Secret
	NotBefore time.Time
	Until     time.Time
}

// ValidAt tells whether the secret counts at the instant.
func (s TimedSecret) ValidAt(at time.Time) bool {
	return (s.NotBefore.IsZero() || !at.Before(s.NotBefore)) && (s.Until.IsZero() || at.Before(s.Until))
}
