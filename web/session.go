package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/alexedwards/scs/v2"

	"nodrop/app"
	"nodrop/store"
	"nodrop/templates"
)

// What a session holds.
const (
	keyUser     = "user"
	keyMark     = "mark" // changes with the password, so that other sessions end with it
	keySince    = "since"
	keyLanguage = "language"
	keyFlash    = "flash"
)

// A session ends after an hour without a request of a person, and after twelve hours in any case.
const (
	sessionIdle = time.Hour
	sessionLife = 12 * time.Hour
)

func newSessions(e *app.Engine, secure bool) *scs.SessionManager {
	m := scs.New()
	m.IdleTimeout = sessionIdle // has every request saved, which prolongs it
	m.Store = sessionStore{e}
	m.HashTokenInStore = true
	m.Cookie.Name = "nodrop_session"
	if secure {
		m.Cookie.Name, m.Cookie.Secure = "__Host-nodrop", true
	}
	m.Cookie.SameSite = http.SameSiteLaxMode
	m.Cookie.Persist = false
	return m
}

// sessionStore keeps sessions in the database.
type sessionStore struct{ engine *app.Engine }

// FindCtx returns a session's data.
func (s sessionStore) FindCtx(ctx context.Context, token string) (data []byte, found bool, err error) {
	err = s.engine.Store().View(ctx, "session", func(rx *store.Rx) (err error) {
		data, found, err = rx.Session(token, s.engine.Now().UnixMilli())
		return err
	})
	return data, found, err
}

// CommitCtx stores a session until it has been idle for too long by the engine's clock.
func (s sessionStore) CommitCtx(ctx context.Context, token string, data []byte, _ time.Time) error {
	return s.engine.SaveSession(ctx, token, data, s.engine.Now().Add(sessionIdle))
}

// DeleteCtx ends a session.
func (s sessionStore) DeleteCtx(ctx context.Context, token string) error {
	return s.engine.DropSession(ctx, token)
}

// Find is FindCtx without a context.
func (s sessionStore) Find(token string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), token)
}

// Commit is CommitCtx without a context.
func (s sessionStore) Commit(token string, data []byte, expiry time.Time) error {
	return s.CommitCtx(context.Background(), token, data, expiry)
}

// Delete is DeleteCtx without a context.
func (s sessionStore) Delete(token string) error { return s.DeleteCtx(context.Background(), token) }

// session loads a visitor's session and saves it. A page that refreshes itself reads the session without
// prolonging it, so that a forgotten screen signs out.
func (a *admin) session(next http.Handler) http.Handler {
	a.sessions.ErrorFunc = func(w http.ResponseWriter, r *http.Request, err error) {
		f := faultOf(err)
		a.report(r, f)
		w.Header().Set("Retry-After", "2")
		plain(w, http.StatusServiceUnavailable, "The session cannot be read or stored at the moment. Try again in a few seconds.\n")
	}
	full := a.sessions.LoadAndSave(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !refreshing(r) {
			full.ServeHTTP(w, r)
			return
		}
		token := ""
		if c, err := r.Cookie(a.sessions.Cookie.Name); err == nil {
			token = c.Value
		}
		ctx, err := a.sessions.Load(r.Context(), token)
		if err != nil {
			a.sessions.ErrorFunc(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// markOf changes whenever a person's password does.
func markOf(u store.User) string {
	sum := sha256.Sum256([]byte(u.Name + "\n" + u.Hash))
	return hex.EncodeToString(sum[:12])
}

// begin makes the visitor's session that of a person, under a new token.
func (v *visit) begin(u store.User) error {
	ctx := v.r.Context()
	if err := v.sessions.RenewToken(ctx); err != nil {
		return err
	}
	v.sessions.Put(ctx, keyUser, u.Name)
	v.sessions.Put(ctx, keyMark, markOf(u))
	v.sessions.Put(ctx, keySince, v.now.UnixMilli())
	return nil
}

func (v *visit) takeFlash() *templates.Flash {
	if text := v.sessions.PopString(v.r.Context(), keyFlash); text != "" {
		return &templates.Flash{Text: text}
	}
	return nil
}

// formKey makes a form's double click one act. It follows from who looks at what and when, so it needs no chance.
func (v *visit) formKey() string {
	sum := sha256.Sum256([]byte(v.sessions.Token(v.r.Context()) + "\n" + v.r.URL.Path + "\n" + v.now.UTC().Format(time.RFC3339Nano)))
	return hex.EncodeToString(sum[:12])
}
