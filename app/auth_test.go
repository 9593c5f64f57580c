package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/alexedwards/argon2id"

	"nodrop/app/config"
	"nodrop/store"
)

const authGood = "correct horse battery"

// authDesk is an engine with a clock that stands still until it is moved.
type authDesk struct {
	*Engine
	t  *testing.T
	at time.Time
}

func newAuthDesk(t *testing.T) *authDesk {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "auth.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &authDesk{t: t, at: time.Date(2031, 3, 7, 9, 0, 0, 0, time.UTC)}
	random := bytes.NewReader(bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz~"), 50))
	d.Engine, err = New(Options{Store: db, Config: &config.Config{}, Now: func() time.Time { return d.at }, Random: random, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (d *authDesk) invite(name, role string) string {
	d.t.Helper()
	secret, err := d.AddUser(d.t.Context(), name, role)
	if err != nil {
		d.t.Fatal(err)
	}
	return secret
}

func (d *authDesk) person(name string) {
	d.t.Helper()
	if _, err := d.SignUp(d.t.Context(), d.invite(name, "operator"), authGood); err != nil {
		d.t.Fatal(err)
	}
}

func (d *authDesk) user(name string) (u store.User) {
	d.t.Helper()
	list, err := d.Users(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	for _, u := range list {
		if u.Name == name {
			return u
		}
	}
	d.t.Fatalf("there is no user %s", name)
	return u
}

func authWantCode(t *testing.T, err error, kind Kind, code string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind || e.Code != code {
		t.Fatalf("got %v, want kind %d and code %s", err, kind, code)
	}
}

func TestSignUpWorksOnce(t *testing.T) {
	d := newAuthDesk(t)
	secret := d.invite(" Maria ", "operator")
	if len(secret) != 43 { // 32 bytes in base64 without padding
		t.Errorf("the secret %q has %d characters", secret, len(secret))
	}
	sum := sha256.Sum256([]byte(secret))
	if u := d.user("maria"); !bytes.Equal(u.Invite, sum[:]) || u.Hash != "" || u.Role != "operator" {
		t.Errorf("stored: %+v", u)
	}
	_, err := d.SignUp(t.Context(), secret, "elevenchars")
	authWantCode(t, err, KindInvalid, "password_short")
	name, err := d.SignUp(t.Context(), secret, authGood)
	if err != nil || name != "maria" {
		t.Fatalf("%q, %v", name, err)
	}
	if u := d.user("maria"); !strings.HasPrefix(u.Hash, "$argon2id$v=19$m=19456,t=2,p=1$") || u.Invite != nil {
		t.Errorf("stored: %+v", u)
	}
	_, err = d.SignUp(t.Context(), secret, authGood+"!")
	authWantCode(t, err, KindNotFound, "invite_invalid")
	u, err := d.SignIn(t.Context(), "MARIA", authGood, "192.0.2.1")
	if err != nil || u.Name != "maria" || u.Role != "operator" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestInviteEndsAfterADay(t *testing.T) {
	d := newAuthDesk(t)
	secret := d.invite("maria", "viewer")
	d.at = d.at.Add(24*time.Hour - time.Millisecond)
	if name, err := d.InviteName(t.Context(), secret); name != "maria" || err != nil {
		t.Fatalf("%q, %v", name, err)
	}
	d.at = d.at.Add(time.Millisecond)
	_, err := d.SignUp(t.Context(), secret, authGood)
	authWantCode(t, err, KindNotFound, "invite_invalid")
	_, err = d.InviteName(t.Context(), "")
	authWantCode(t, err, KindNotFound, "invite_invalid")
}

func TestPasswordRules(t *testing.T) {
	d := newAuthDesk(t)
	secret := d.invite("maria@example.com", "viewer")
	for password, code := range map[string]string{
		"":                         "password_short",
		"12345678901":              "password_short",
		"密码密码密码密码密码密":              "password_short", // 11 characters, 33 bytes
		" Maria@Example.com ":      "password_is_name",
		strings.Repeat("x", 1_001): "password_long",
	} {
		_, err := d.SignUp(t.Context(), secret, password)
		authWantCode(t, err, KindInvalid, code)
	}
	if _, err := d.SignUp(t.Context(), secret, "密码密码密码密码密码密码"); err != nil {
		t.Error(err)
	}
}

func TestUsersThatAreRefused(t *testing.T) {
	d := newAuthDesk(t)
	d.invite("maria", "admin")
	for _, c := range []struct {
		name, role string
		kind       Kind
		code       string
	}{
		{"maria", "viewer", KindConflict, "user_exists"},
		{"MARIA ", "viewer", KindConflict, "user_exists"},
		{"", "viewer", KindInvalid, "bad_name"},
		{"a b", "viewer", KindInvalid, "bad_name"},
		{"-a", "viewer", KindInvalid, "bad_name"},
		{strings.Repeat("a", 65), "viewer", KindInvalid, "bad_name"},
		{"jose", "root", KindInvalid, "bad_role"},
	} {
		secret, err := d.AddUser(t.Context(), c.name, c.role)
		authWantCode(t, err, c.kind, c.code)
		if secret != "" {
			t.Errorf("%q: a secret was given beside the error", c.name)
		}
	}
	if list, err := d.Users(t.Context()); err != nil || len(list) != 1 || list[0].Role != "admin" {
		t.Errorf("%+v, %v", list, err)
	}
	_, err := d.ResetUser(t.Context(), "jose")
	authWantCode(t, err, KindNotFound, "unknown_user")
}

func TestResetTakesThePasswordAway(t *testing.T) {
	d := newAuthDesk(t)
	d.person("maria")
	secret, err := d.ResetUser(t.Context(), "maria")
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.SignIn(t.Context(), "maria", authGood, "192.0.2.1")
	authWantCode(t, err, KindForbidden, "sign_in_wrong")
	if _, err := d.SignUp(t.Context(), secret, "another good one"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.SignIn(t.Context(), "maria", "another good one", "192.0.2.1"); err != nil {
		t.Error(err)
	}
}

func TestChangePassword(t *testing.T) {
	d := newAuthDesk(t)
	d.person("maria")
	authWantCode(t, d.ChangePassword(t.Context(), "maria", "wrong", "another good one", "192.0.2.1"), KindForbidden, "sign_in_wrong")
	authWantCode(t, d.ChangePassword(t.Context(), "maria", authGood, "short", "192.0.2.1"), KindInvalid, "password_short")
	if err := d.ChangePassword(t.Context(), "maria", authGood, "another good one", "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	if _, err := d.SignIn(t.Context(), "maria", "another good one", "192.0.2.1"); err != nil {
		t.Error(err)
	}
}

// A name that does not exist must look like one that does: the same answers, the same lock.
func TestAccountLocksAndSoDoesAStranger(t *testing.T) {
	for _, name := range []string{"maria", "nobody"} {
		t.Run(name, func(t *testing.T) {
			d := newAuthDesk(t)
			d.person("maria")
			try := func(password string) error {
				_, err := d.SignIn(t.Context(), name, password, "192.0.2.5")
				return err
			}
			for range 5 {
				authWantCode(t, try("wrong"), KindForbidden, "sign_in_wrong")
			}
			authWantCode(t, try(authGood), KindBusy, "throttled")
			d.at = d.at.Add(5*time.Second - time.Millisecond)
			authWantCode(t, try(authGood), KindBusy, "throttled")
			d.at = d.at.Add(time.Millisecond)
			authWantCode(t, try("wrong"), KindForbidden, "sign_in_wrong")
			err := try(authGood)
			authWantCode(t, err, KindBusy, "throttled")
			var e *Error
			if errors.As(err, &e) && e.Fields["retry_after"] != int64(10) {
				t.Errorf("retry after %v, want 10: the sixth failure locks twice as long", e.Fields["retry_after"])
			}
		})
	}
}

func TestRightPasswordClearsTheCount(t *testing.T) {
	d := newAuthDesk(t)
	d.person("maria")
	for range 4 {
		_, err := d.SignIn(t.Context(), "maria", "wrong", "192.0.2.1")
		authWantCode(t, err, KindForbidden, "sign_in_wrong")
	}
	if u := d.user("maria"); u.Failures != 4 {
		t.Errorf("%d failures are stored", u.Failures)
	}
	if _, err := d.SignIn(t.Context(), "maria", authGood, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	if u := d.user("maria"); u.Failures != 0 || u.LockedMs != 0 {
		t.Errorf("%+v", u)
	}
}

func TestLockGrows(t *testing.T) {
	const now = int64(1_000_000)
	for failures, want := range map[int64]int64{0: 0, 3: 0, 4: 5, 5: 10, 6: 20, 7: 40, 8: 80, 9: 160, 10: 320, 11: 640, 12: 900, 100: 900} {
		u := authCount(store.User{Failures: failures}, now)
		locked := int64(0)
		if u.LockedMs != 0 {
			locked = (u.LockedMs - now) / 1000
		}
		if u.Failures != failures+1 || locked != want {
			t.Errorf("after %d failures: locked for %d s, want %d", u.Failures, locked, want)
		}
	}
	old := authCount(store.User{Failures: 50, LockedMs: 5_000}, 5_000+3_600_000)
	if old.Failures != 1 {
		t.Errorf("an hour after the lock the count goes on at %d", old.Failures)
	}
}

func TestAddressIsThrottled(t *testing.T) {
	var l authLimits
	at := time.Date(2031, 3, 7, 9, 0, 0, 0, time.UTC)
	for i := range 10 {
		if !l.allow("2001:db8::1", at) {
			t.Fatalf("try %d is refused", i+1)
		}
	}
	if l.allow("2001:db8::2", at) {
		t.Error("the eleventh try of one network is let through")
	}
	if !l.allow("2001:db8:0:1::1", at) || !l.allow("192.0.2.1", at) {
		t.Error("another network is refused")
	}
	if !l.allow("2001:db8::3", at.Add(6*time.Second)) {
		t.Error("six seconds later one more is refused")
	}
	d := newAuthDesk(t)
	for range 10 {
		d.auth.allow("192.0.2.1", d.at)
	}
	_, err := d.SignIn(t.Context(), "maria", authGood, "192.0.2.1")
	authWantCode(t, err, KindBusy, "throttled")
}

func TestThrottleForgets(t *testing.T) {
	var l authLimits
	at := time.Date(2031, 3, 7, 9, 0, 0, 0, time.UTC)
	for i := range 3 * authAddresses {
		l.allow(fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), at)
		l.remember(store.User{Name: fmt.Sprint(i)})
	}
	if len(l.addresses) > authAddresses || len(l.strangers) > authStrangers {
		t.Errorf("%d addresses and %d names are remembered", len(l.addresses), len(l.strangers))
	}
	l.allow("192.0.2.1", at.Add(time.Hour))
	if len(l.addresses) != 1 {
		t.Errorf("%d addresses are remembered though all but one have been quiet", len(l.addresses))
	}
}

func TestDecoyCostsTheSame(t *testing.T) {
	params, salt, key, err := argon2id.DecodeHash(authDecoy)
	if err != nil {
		t.Fatal(err)
	}
	if params.Memory != authParams.Memory || params.Iterations != authParams.Iterations || params.Parallelism != authParams.Parallelism ||
		len(salt) != int(authParams.SaltLength) || len(key) != int(authParams.KeyLength) {
		t.Errorf("%+v, want %+v", params, authParams)
	}
}

func TestHashingIsOneAtATime(t *testing.T) {
	var l authLimits
	inside, leave, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- l.oneAtATime(context.Background(), func() error { close(inside); <-leave; return nil })
	}()
	<-inside
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	authWantCode(t, l.oneAtATime(gone, func() error { return errors.New("ran beside another") }), KindBusy, "busy")
	l.waiting.Store(authWaiting)
	authWantCode(t, l.oneAtATime(t.Context(), func() error { return errors.New("ran beside another") }), KindBusy, "throttled")
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if n := l.waiting.Load(); n != authWaiting-1 {
		t.Errorf("%d are counted as waiting, want %d", n, authWaiting-1)
	}
}

func TestTokens(t *testing.T) {
	d := newAuthDesk(t)
	secret, err := d.AddToken(t.Context(), "shop")
	if err != nil || !strings.HasPrefix(secret, "nd_") || len(secret) != 46 {
		t.Fatalf("%q, %v", secret, err)
	}
	_, err = d.AddToken(t.Context(), " shop ")
	authWantCode(t, err, KindConflict, "token_exists")
	for _, name := range []string{"", "a\nb", strings.Repeat("x", 65)} {
		_, err = d.AddToken(t.Context(), name)
		authWantCode(t, err, KindInvalid, "bad_name")
	}
	for _, wrong := range []string{"", "nd_", secret[3:], secret + "x", strings.ToUpper(secret)} {
		if name, ok, err := d.TokenValid(t.Context(), wrong); ok || err != nil {
			t.Errorf("%q is valid for %q, %v", wrong, name, err)
		}
	}
	if name, ok, err := d.TokenValid(t.Context(), secret); !ok || name != "shop" || err != nil {
		t.Fatalf("%q, %v, %v", name, ok, err)
	}
	if err := d.RevokeToken(t.Context(), "shop"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := d.TokenValid(t.Context(), secret); ok || err != nil {
		t.Errorf("a revoked token is valid: %v", err)
	}
	authWantCode(t, d.RevokeToken(t.Context(), "shop"), KindNotFound, "unknown_token")
	list, err := d.Tokens(t.Context())
	sum := sha256.Sum256([]byte(secret))
	if err != nil || len(list) != 1 || !bytes.Equal(list[0].Hash, sum[:]) || list[0].RevokedMs != d.at.UnixMilli() {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestTokenUseIsNotedOnceAMinute(t *testing.T) {
	d := newAuthDesk(t)
	secret, err := d.AddToken(t.Context(), "shop")
	if err != nil {
		t.Fatal(err)
	}
	begin := d.at
	for _, step := range []struct{ after, want time.Duration }{{0, 0}, {59 * time.Second, 0}, {time.Minute, time.Minute}} {
		d.at = begin.Add(step.after)
		if _, ok, err := d.TokenValid(t.Context(), secret); !ok || err != nil {
			t.Fatal(ok, err)
		}
		list, err := d.Tokens(t.Context())
		if err != nil || list[0].UsedMs != begin.Add(step.want).UnixMilli() {
			t.Errorf("after %v: %+v, %v", step.after, list, err)
		}
	}
}

func TestNoRandomnessNoSecret(t *testing.T) {
	d := newAuthDesk(t)
	d.random = iotest.ErrReader(errors.New("no entropy"))
	if secret, err := d.AddUser(t.Context(), "maria", "viewer"); err == nil || secret != "" {
		t.Errorf("%q, %v", secret, err)
	}
	if secret, err := d.AddToken(t.Context(), "shop"); err == nil || secret != "" {
		t.Errorf("%q, %v", secret, err)
	}
	if list, err := d.Users(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
