package app

import (
	"context"
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf8"

	"nodrop/store"
)

// AddToken makes an API token and returns its secret, which is kept nowhere.
func (e *Engine) AddToken(ctx context.Context, name string) (string, error) {
	name = strings.TrimSpace(name)
	if n := utf8.RuneCountInString(name); n < 1 || n > 64 || strings.ContainsFunc(name, unicode.IsControl) {
		return "", fail(KindInvalid, "bad_name", "%q cannot be a token's name: write 1 to 64 characters that say who uses it", name)
	}
	secret, hash, err := e.authSecret(authTokenPrefix)
	if err != nil {
		return "", err
	}
	err = e.store.Update(ctx, "add token", func(tx *store.Tx) error {
		added, err := tx.InsertToken(store.Token{Name: name, Hash: hash, CreatedMs: e.nowMs()})
		if err == nil && !added {
			return fail(KindConflict, "token_exists", "there is or was a token %q: choose another name", name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// RevokeToken ends an API token at once.
func (e *Engine) RevokeToken(ctx context.Context, name string) error {
	return e.store.Update(ctx, "revoke token", func(tx *store.Tx) error {
		ended, err := tx.RevokeToken(strings.TrimSpace(name), e.nowMs())
		if err == nil && !ended {
			return fail(KindNotFound, "unknown_token", "there is no valid token %q: list them to see the names", name)
		}
		return err
	})
}

// Tokens lists all API tokens, revoked ones too, by name.
func (e *Engine) Tokens(ctx context.Context) (list []store.Token, err error) {
	err = e.store.View(ctx, "list tokens", func(rx *store.Rx) (err error) {
		list, err = rx.Tokens()
		return err
	})
	return list, err
}

// TokenValid tells whether a secret is that of a token in force, and whose. Its last use is noted at most once a minute.
func (e *Engine) TokenValid(ctx context.Context, secret string) (name string, ok bool, err error) {
	if !strings.HasPrefix(secret, authTokenPrefix) {
		return "", false, nil
	}
	sum := sha256.Sum256([]byte(secret))
	var t store.Token
	err = e.store.View(ctx, "check token", func(rx *store.Rx) (err error) {
		t, ok, err = rx.TokenByHash(sum[:])
		return err
	})
	if err != nil || !ok {
		return "", false, err
	}
	if now := e.nowMs(); now-t.UsedMs >= authTouchEvery.Milliseconds() {
		// Only a note: what asks for nothing but reading must not fail because it cannot be written.
		_ = e.store.UpdateLow(ctx, "note token use", func(tx *store.Tx) error { return tx.TouchToken(t.ID, now) })
	}
	return t.Name, true, nil
}
