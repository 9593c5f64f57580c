package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"nodrop/app/config"
	"nodrop/store"
)

// keyIDs names the webhook secrets and then the public keys of a gateway so that the names outlive a reordering: by the id
// that the gateway gives a secret, or else by the beginning of its SHA-256.
func keyIDs(c *config.Gateway) []string {
	uses := map[string]int{}
	for _, s := range c.WebhookSecrets {
		uses[s.ID]++
	}
	ids := make([]string, 0, len(c.WebhookSecrets)+len(c.PublicKeys))
	for _, s := range c.WebhookSecrets {
		id := fingerprint(s.Value.Reveal())
		if s.ID != "" && uses[s.ID] == 1 {
			id = s.ID
		}
		ids = append(ids, id)
	}
	for _, k := range c.PublicKeys {
		ids = append(ids, fingerprint(k))
	}
	return ids
}

// fingerprint tells keys apart and gives none of them away.
func fingerprint(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:4])
}

// matched notes which key verified a request that arrived at an instant.
func (e *Engine) matched(a *account, index int, ms int64) {
	if index >= 0 && index < len(a.keys) {
		e.arrivals.match(a.name, a.keys[index], ms)
	}
}

// unusedFor is after how long without a match a key may go, if another one has matched since.
const unusedFor = 30 * 24 * time.Hour

// KeyUse is one configured webhook secret or public key and when it last matched.
type KeyUse struct {
	Name             string // its place in the configuration: webhook_secrets[0]
	ID               string // stable over reordering
	LastMs           int64  // last match, milliseconds UTC; 0: never
	NotBefore, Until time.Time
	Valid            bool // counts now
	Last             bool // matched last of all
	Removable        bool // has not matched for 30 days, while another one has
}

// KeyUses lists a gateway's webhook secrets and then its public keys, with when each last matched.
func (e *Engine) KeyUses(ctx context.Context, gateway string) ([]KeyUse, error) {
	a, ok := e.gateways[gateway]
	if !ok {
		return nil, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", gateway)
	}
	var last map[string]int64
	err := e.store.View(ctx, "key matches", func(rx *store.Rx) (err error) {
		last, err = rx.Matches(gateway)
		return err
	})
	if err != nil {
		return nil, err
	}
	newer(last, e.arrivals.matchesOf(gateway))
	return a.keyUses(last, e.now()), nil
}

func (a *account) keyUses(last map[string]int64, now time.Time) []KeyUse {
	names := a.def.KeyNames()
	newest := int64(0)
	for _, id := range a.keys {
		newest = max(newest, last[id])
	}
	list := make([]KeyUse, 0, len(a.keys))
	for i, id := range a.keys {
		u := KeyUse{ID: id, LastMs: last[id], Valid: true, Last: newest != 0 && last[id] == newest}
		if i < len(names) {
			u.Name = names[i]
		}
		if i < len(a.config.WebhookSecrets) {
			s := a.config.WebhookSecrets[i]
			u.NotBefore, u.Until, u.Valid = s.NotBefore, s.Until, s.ValidAt(now)
		}
		u.Removable = u.LastMs != 0 && !u.Last && now.UnixMilli()-u.LastMs >= unusedFor.Milliseconds()
		list = append(list, u)
	}
	return list
}
