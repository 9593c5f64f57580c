package app

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"nodrop/store"
)

// The rules for people and tokens.
const (
	authInviteValid = 24 * time.Hour
	authMinPassword = 12
	authMaxPassword = 1000 // characters; more costs us, not them
	authSecretBytes = 32
	authTokenPrefix = "nd_"
	authTouchEvery  = time.Minute // how often a token's last use is written down
)

// authParams cost about 30 ms on one core and 19 MiB while it lasts.
var authParams = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// authDecoy is compared with where there is no password to compare with, so that an unknown name takes as long as a known one.
const authDecoy = "$argon2id$v=19$m=19456,t=2,p=1$bm9kcm9wIGRlY295IHNsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

var (
	authRoles    = []string{"viewer", "operator", "admin"}
	authNameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._@-]{0,63}$`)
)

// AddUser adds a person who may sign in, and returns the secret of a sign-up link that is valid once and for a day.
func (e *Engine) AddUser(ctx context.Context, name, role string) (string, error) {
	name = authName(name)
	if !authNameForm.MatchString(name) {
		return "", fail(KindInvalid, "bad_name", "%q cannot be a user's name: write 1 to 64 letters a-z, digits, dots, hyphens, underscores or @", name)
	}
	if !slices.Contains(authRoles, role) {
		return "", fail(KindInvalid, "bad_role", "%q is no role: write %s", role, strings.Join(authRoles, ", "))
	}
	secret, hash, err := e.authSecret("")
	if err != nil {
		return "", err
	}
	err = e.store.Update(ctx, "add user", func(tx *store.Tx) error {
		switch _, taken, err := tx.UserByName(name); {
		case err != nil:
			return err
		case taken:
			return fail(KindConflict, "user_exists", "there is a user %s already: make a new link for them instead", name)
		}
		return tx.SetUser(store.User{Name: name, Role: role, Invite: hash, InviteMs: e.nowMs() + authInviteValid.Milliseconds(), CreatedMs: e.nowMs()})
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// ResetUser takes a person's password away and returns the secret of a new sign-up link.
func (e *Engine) ResetUser(ctx context.Context, name string) (string, error) {
	name = authName(name)
	secret, hash, err := e.authSecret("")
	if err != nil {
		return "", err
	}
	err = e.store.Update(ctx, "reset user", func(tx *store.Tx) error {
		u, ok, err := tx.UserByName(name)
		switch {
		case err != nil:
			return err
		case !ok:
			return fail(KindNotFound, "unknown_user", "there is no user %s: list them, or add this one", name)
		}
		u.Hash, u.Invite, u.InviteMs, u.Failures, u.LockedMs = "", hash, e.nowMs()+authInviteValid.Milliseconds(), 0, 0
		return tx.SetUser(u)
	})
	if err != nil {
		return "", err
	}
	return secret, nil
}

// Users lists everybody who may sign in, by name.
func (e *Engine) Users(ctx context.Context) (list []store.User, err error) {
	err = e.store.View(ctx, "list users", func(rx *store.Rx) (err error) {
		list, err = rx.Users()
		return err
	})
	return list, err
}

// InviteName tells whose sign-up link a secret is, for the page that asks for the password.
func (e *Engine) InviteName(ctx context.Context, secret string) (name string, err error) {
	err = e.store.View(ctx, "read invite", func(rx *store.Rx) error {
		u, err := e.authInvited(rx, secret)
		name = u.Name
		return err
	})
	return name, err
}

// SignUp sets the password of the person whose link it is; the link then ends.
func (e *Engine) SignUp(ctx context.Context, secret, password string) (string, error) {
	name, err := e.InviteName(ctx, secret)
	if err != nil {
		return "", err
	}
	hash, err := e.authHash(ctx, name, password)
	if err != nil {
		return "", err
	}
	err = e.store.Update(ctx, "sign up", func(tx *store.Tx) error {
		u, err := e.authInvited(&tx.Rx, secret)
		if err != nil {
			return err
		}
		u.Hash, u.Invite, u.InviteMs, u.Failures, u.LockedMs = hash, nil, 0, 0, 0
		return tx.SetUser(u)
	})
	if err != nil {
		return "", err
	}
	return name, nil
}

// ChangePassword replaces a signed-in person's own password; wrong old ones count like wrong sign-ins.
func (e *Engine) ChangePassword(ctx context.Context, name, old, password, remote string) error {
	u, err := e.SignIn(ctx, name, old, remote)
	if err != nil {
		return err
	}
	hash, err := e.authHash(ctx, u.Name, password)
	if err != nil {
		return err
	}
	return e.store.Update(ctx, "change password", func(tx *store.Tx) error {
		now, ok, err := tx.UserByName(u.Name)
		switch {
		case err != nil:
			return err
		case !ok || now.Hash != u.Hash:
			return fail(KindStale, "password_changed", "the password was changed meanwhile: sign in again")
		}
		now.Hash, now.Invite, now.InviteMs = hash, nil, 0
		return tx.SetUser(now)
	})
}

// authInvited finds the person of a sign-up link that is still valid.
func (e *Engine) authInvited(rx *store.Rx, secret string) (store.User, error) {
	sum := sha256.Sum256([]byte(secret))
	u, ok, err := rx.UserByInvite(sum[:])
	if err != nil {
		return store.User{}, err
	}
	if !ok || u.InviteMs <= e.nowMs() {
		return store.User{}, fail(KindNotFound, "invite_invalid", "this sign-up link was used already or is older than a day: ask for a new one")
	}
	return u, nil
}

// authHash checks a new password and hashes it.
func (e *Engine) authHash(ctx context.Context, name, password string) (hash string, err error) {
	n := utf8.RuneCountInString(password)
	switch {
	case n < authMinPassword:
		return "", fail(KindInvalid, "password_short", "the password needs at least %d characters", authMinPassword)
	case n > authMaxPassword:
		return "", fail(KindInvalid, "password_long", "the password may have at most %d characters", authMaxPassword)
	case authName(password) == name:
		return "", fail(KindInvalid, "password_is_name", "the password is the name: choose another")
	}
	err = e.auth.oneAtATime(ctx, func() (err error) {
		hash, err = argon2id.CreateHash(password, authParams)
		return err
	})
	return hash, err
}

// authSecret makes a secret to hand out and the hash of it to keep.
func (e *Engine) authSecret(prefix string) (secret string, hash []byte, err error) {
	raw := make([]byte, authSecretBytes)
	if _, err := io.ReadFull(e.random, raw); err != nil {
		return "", nil, fmt.Errorf("make a secret: %w", err)
	}
	secret = prefix + base64.RawURLEncoding.EncodeToString(raw)
	sum := sha256.Sum256([]byte(secret))
	return secret, sum[:], nil
}

// authName is how a name is compared: without case and outer spaces.
func authName(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
