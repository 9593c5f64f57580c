package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// secret gives the secret of one line at key, unset when the key is absent.
func (t *table) secret(key string) Secret {
	v, ok := t.take(key)
	if !ok {
		return Secret{}
	}
	return t.d.oneLineSecret(t.at(key), v)
}

// block gives a secret that may span lines, such as a key in PEM form.
func (t *table) block(key string) Secret {
	v, ok := t.take(key)
	if !ok {
		return Secret{}
	}
	return t.d.secret(t.at(key), v)
}

// secrets gives the list at key; an entry is a text or a table with times.
func (t *table) secrets(key string) []TimedSecret {
	var all []TimedSecret
	for i, v := range t.elements(key) {
		entry := TimedSecret{}
		path := fmt.Sprintf("%s[%d]", t.at(key), i)
		if values, ok := v.(map[string]any); ok {
			entry = readTimed(&table{d: t.d, path: path, values: values})
		} else {
			entry.Value = t.d.oneLineSecret(path, v)
		}
		if entry.Value.IsSet() {
			all = append(all, entry)
		}
	}
	return all
}

func readTimed(t *table) TimedSecret {
	defer t.done()
	s := TimedSecret{ID: t.text("id", ""), Value: t.secret("value"), NotBefore: t.instant("not_before"), Until: t.instant("until")}
	if _, ok := t.values["value"]; !ok {
		t.d.fault(t.path, "is a secret without a value", `write { value = "env:NAME", until = 2031-04-01 }`)
	}
	if len(s.ID) > maxIDBytes || !oneLine(s.ID) {
		t.fault("id", "is not the id of a secret", "write the id or version that the gateway shows beside the secret, or remove the key")
	}
	if !s.NotBefore.IsZero() && !s.Until.IsZero() && !s.NotBefore.Before(s.Until) {
		t.fault("until", "is not later than not_before, so the secret never counts", "correct one of the two dates")
	}
	return s
}

// maxIDBytes bounds the id by which a gateway names a secret.
const maxIDBytes = 100

// instant gives the date or time at key; one without a zone is meant in `timezone`,
// and a date alone is its first moment.
func (t *table) instant(key string) time.Time {
	v, ok := t.take(key)
	if !ok {
		return time.Time{}
	}
	switch at := v.(type) {
	case time.Time:
		return at
	case toml.LocalDate:
		return at.AsTime(t.d.zone)
	case toml.LocalDateTime:
		return at.AsTime(t.d.zone)
	}
	t.fault(key, "is "+kind(v)+", not a date", "write a date without quotes, such as 2031-04-01 or 2031-04-01T08:00:00+08:00")
	return time.Time{}
}

func (d *document) oneLineSecret(path string, v any) Secret {
	s := d.secret(path, v)
	if !oneLine(s.Reveal()) {
		d.fault(path, "the secret has a line break or another control character in it", "give the one line that the gateway shows")
		return Secret{}
	}
	return s
}

// secret resolves a value that must not be shown and warns where the file holds it.
func (d *document) secret(path string, v any) Secret {
	value, ok := d.resolve(path, v)
	if !ok {
		return Secret{}
	}
	if strings.TrimSpace(value) == "" {
		d.fault(path, "the secret is empty", `write "env:NAME" or "file:PATH", or remove the entry`)
		return Secret{}
	}
	if value != strings.TrimSpace(value) {
		d.warn(path, "the secret begins or ends with a space", "remove the space unless the gateway shows it so")
	}
	s := NewSecret(value)
	s.origin = d.origins[path]
	if s.origin == "" {
		d.warn(path, "the secret is written plainly in the file", `move it to the environment or to a file of its own and write "env:NAME" or "file:PATH"`)
	}
	return s
}
