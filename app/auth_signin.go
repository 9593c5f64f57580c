package app

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/alexedwards/argon2id"
	"golang.org/x/time/rate"

	"nodrop/store"
)

// The throttle of sign-ins. An account locks after five wrong passwords, for five seconds and then twice as long each
// time; an address may try ten times at once and then every six seconds.
const (
	authFreeFailures = 5
	authFirstLock    = 5 * time.Second
	authLongestLock  = 15 * time.Minute
	authForget       = time.Hour // after the end of a lock the count begins anew
	authBurst        = 10
	authPerAddress   = 6 * time.Second
	authAddresses    = 4096 // remembered at once
	authStrangers    = 1024 // unknown names remembered at once
	authWaiting      = 16   // sign-ins that wait for the one under way
)

// authLimits throttles sign-ins; its zero value is ready.
type authLimits struct {
	once    sync.Once
	slot    chan struct{} // held while a password is hashed: each takes 19 MiB
	waiting atomic.Int32

	mu        sync.Mutex // guards what follows
	addresses map[string]*rate.Limiter
	strangers map[string]store.User // unknown names lock like known ones, or the lock would tell who exists
}

// SignIn checks a name and a password. It takes the same time and gives the same answer for names that do not exist.
func (e *Engine) SignIn(ctx context.Context, name, password, remote string) (u store.User, err error) {
	now := e.now()
	if !e.auth.allow(remote, now) {
		return store.User{}, authThrottled(authPerAddress)
	}
	err = e.auth.oneAtATime(ctx, func() (err error) {
		u, err = e.authTry(ctx, authName(name), password, now.UnixMilli())
		return err
	})
	return u, err
}

func (e *Engine) authTry(ctx context.Context, name, password string, nowMs int64) (store.User, error) {
	u, err := e.authUser(ctx, name)
	if err != nil {
		return store.User{}, err
	}
	if u.LockedMs > nowMs {
		return store.User{}, authThrottled(time.Duration(u.LockedMs-nowMs) * time.Millisecond)
	}
	hash := u.Hash
	if hash == "" {
		hash = authDecoy
	}
	match, err := argon2id.ComparePasswordAndHash(password, hash)
	if err != nil {
		return store.User{}, &Error{Kind: KindInternal, Code: "bad_hash", Text: "the stored password cannot be read: make a new sign-up link", Cause: err}
	}
	if match && u.Hash != "" {
		return u, e.authMatched(ctx, u)
	}
	if err := e.authMissed(ctx, u, nowMs); err != nil {
		return store.User{}, err
	}
	return store.User{}, fail(KindForbidden, "sign_in_wrong", "the name or the password is wrong")
}

// authUser reads a person, or what is remembered of a name that does not exist.
func (e *Engine) authUser(ctx context.Context, name string) (u store.User, err error) {
	known := false
	err = e.store.View(ctx, "sign in", func(rx *store.Rx) (err error) {
		u, known, err = rx.UserByName(name)
		return err
	})
	if err != nil || known {
		return u, err
	}
	e.auth.mu.Lock()
	defer e.auth.mu.Unlock()
	u = e.auth.strangers[name]
	u.Name = name
	return u, nil
}

func (e *Engine) authMatched(ctx context.Context, u store.User) error {
	if u.Failures == 0 {
		return nil
	}
	return e.store.Update(ctx, "sign in", func(tx *store.Tx) error {
		now, ok, err := tx.UserByName(u.Name)
		if err != nil || !ok {
			return err
		}
		now.Failures, now.LockedMs = 0, 0
		return tx.SetUser(now)
	})
}

// authMissed counts a wrong password. A stranger's costs a write too, for the time it takes.
func (e *Engine) authMissed(ctx context.Context, u store.User, nowMs int64) error {
	if u.ID == 0 {
		e.auth.remember(authCount(u, nowMs))
	}
	return e.store.Update(ctx, "sign in refused", func(tx *store.Tx) error {
		now, ok, err := tx.UserByName(u.Name)
		switch {
		case err != nil:
			return err
		case !ok:
			return tx.Beat(nowMs)
		}
		return tx.SetUser(authCount(now, nowMs))
	})
}

// authCount adds a wrong password and locks the account when there were too many.
func authCount(u store.User, nowMs int64) store.User {
	if u.LockedMs != 0 && nowMs-u.LockedMs >= authForget.Milliseconds() {
		u.Failures = 0
	}
	u.Failures++
	if over := u.Failures - authFreeFailures; over >= 0 {
		lock := authLongestLock
		if over < 8 {
			lock = min(lock, authFirstLock<<over)
		}
		u.LockedMs = nowMs + lock.Milliseconds()
	}
	return u
}

func authThrottled(wait time.Duration) *Error {
	seconds := int64((wait + time.Second - 1) / time.Second)
	err := fail(KindBusy, "throttled", "there were too many tries: wait %d seconds, then try again", seconds)
	err.Fields = map[string]any{"retry_after": seconds}
	return err
}

// allow spends one try of an address.
func (l *authLimits) allow(remote string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.addresses == nil {
		l.addresses = map[string]*rate.Limiter{}
	}
	key := authAddress(remote)
	limiter := l.addresses[key]
	if limiter == nil {
		l.forgetAddresses(now)
		limiter = rate.NewLimiter(rate.Every(authPerAddress), authBurst)
		l.addresses[key] = limiter
	}
	return limiter.AllowN(now, 1)
}

// forgetAddresses makes room: first by those that have been quiet, else by any half of them.
func (l *authLimits) forgetAddresses(now time.Time) {
	if len(l.addresses) < authAddresses {
		return
	}
	for key, limiter := range l.addresses {
		if limiter.TokensAt(now) >= authBurst {
			delete(l.addresses, key)
		}
	}
	for key := range l.addresses {
		if len(l.addresses) <= authAddresses/2 {
			return
		}
		delete(l.addresses, key)
	}
}

// authAddress is what counts as one sender: an IPv4 address, or the network of an IPv6 one.
func authAddress(remote string) string {
	ip, err := netip.ParseAddr(remote)
	if err != nil {
		return remote
	}
	ip = ip.Unmap().WithZone("")
	if network, err := ip.Prefix(64); ip.Is6() && err == nil {
		return network.String()
	}
	return ip.String()
}

func (l *authLimits) remember(stranger store.User) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.strangers == nil || len(l.strangers) >= authStrangers {
		l.strangers = map[string]store.User{}
	}
	l.strangers[stranger.Name] = stranger
}

// oneAtATime runs a costly computation alone; too many that wait are turned away.
func (l *authLimits) oneAtATime(ctx context.Context, f func() error) error {
	l.once.Do(func() { l.slot = make(chan struct{}, 1) })
	defer l.waiting.Add(-1)
	if l.waiting.Add(1) > authWaiting {
		return authThrottled(authFirstLock)
	}
	select {
	case l.slot <- struct{}{}:
	case <-ctx.Done():
		return &Error{Kind: KindBusy, Code: "busy", Text: "signing in took too long: try again", Cause: context.Cause(ctx)}
	}
	defer func() { <-l.slot }()
	return f()
}
