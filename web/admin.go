package web

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/alexedwards/scs/v2"

	"nodrop/app"
	"nodrop/static"
	"nodrop/store"
	"nodrop/templates"
)

// admin serves the pages for people.
type admin struct {
	*Server
	sessions *scs.SessionManager
}

// page answers one request of a person, or says why not.
type page func(v *visit) error

// adminRoutes is the site map of the admin pages.
func (s *Server) adminRoutes() http.Handler {
	a := &admin{Server: s, sessions: newSessions(s.engine, s.engine.Config().Private.Hostname != "")}
	mux := http.NewServeMux()
	for route, p := range a.openPages() {
		mux.HandleFunc(route, a.open(p))
	}
	for route, p := range a.readPages() {
		mux.HandleFunc(route, a.signedIn(p))
	}
	for route, p := range a.actPages() {
		mux.HandleFunc(route, a.signedIn(acting(p)))
	}
	mux.HandleFunc("POST /gateways/{name}/try", a.serve((*visit).postTry, maxTryForm, true))
	mux.HandleFunc("POST /settlement/{gateway}/{day}/decide", a.serve(acting((*visit).postDifferences), maxDecideForm, true))
	mux.HandleFunc("POST /settlement/upload", a.serve(acting((*visit).postReport), a.engine.Config().Limits.MaxReport+maxForm, true))
	mux.HandleFunc("/", a.open((*visit).lost))
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(a.session(a.open((*visit).foreign)))
	root := http.NewServeMux()
	root.Handle("GET "+static.Prefix, static.Handler())
	root.Handle("/", guard.Handler(a.session(mux)))
	return a.headers(root)
}

// openPages are for everybody.
func (a *admin) openPages() map[string]page {
	return map[string]page{
		"GET /signin":           (*visit).signIn,
		"POST /signin":          (*visit).postSignIn,
		"GET /signup/{secret}":  (*visit).signUp,
		"POST /signup/{secret}": (*visit).postSignUp,
		"POST /signout":         (*visit).postSignOut,
	}
}

// readPages are for everybody who is signed in.
func (a *admin) readPages() map[string]page {
	return map[string]page{
		"GET /{$}":                               (*visit).overview,
		"GET /reviews":                           (*visit).reviews,
		"GET /reviews/{id}":                      (*visit).review,
		"GET /payments":                          (*visit).payments,
		"GET /payments.csv":                      (*visit).paymentsCSV,
		"GET /payments/{id}":                     (*visit).payment,
		"GET /inbox":                             (*visit).inbox,
		"GET /inbox/{id}":                        (*visit).inboxItem,
		"GET /inbox/replay":                      (*visit).replay,
		"GET /inbox/verify":                      (*visit).verify,
		"GET /inbox/refused/{id}":                (*visit).request,
		"GET /inbox/refused/{id}/body":           (*visit).refusedBody,
		"GET /inbox/requests/{id}/body":          (*visit).requestBody,
		"GET /outbox":                            (*visit).outbox,
		"GET /outbox/{seq}":                      (*visit).event,
		"GET /gateways":                          (*visit).gateways,
		"GET /gateways/{name}":                   (*visit).gateway,
		"GET /gateways/{name}/try":               (*visit).try,
		"GET /settlement":                        (*visit).settlement,
		"GET /settlement/upload":                 (*visit).uploadPage,
		"GET /settlement/imports/{id}":           (*visit).importPage,
		"GET /settlement/{gateway}/{day}":        (*visit).settlementDay,
		"GET /settlement/{gateway}/{day}/decide": (*visit).decideAsked,
		"GET /settlement/{gateway}/{day}/{file}": (*visit).export,
		"GET /audit":                             (*visit).audit,
		"GET /account":                           (*visit).account,
		"POST /account/password":                 (*visit).postPassword,
		"POST /account/language":                 (*visit).postLanguage,
	}
}

// actPages change something and need the role operator or admin.
func (a *admin) actPages() map[string]page {
	return map[string]page{
		"POST /payments/{id}/decide":         (*visit).postPaymentDecision,
		"POST /reviews/{id}/decide":          (*visit).postReviewDecision,
		"POST /inbox/{id}/replay":            (*visit).postReplayOne,
		"POST /inbox/replay":                 (*visit).postReplay,
		"POST /inbox/refused/{id}/verify":    (*visit).postVerifyOne,
		"POST /inbox/verify":                 (*visit).postVerify,
		"POST /outbox/{seq}/resend":          (*visit).postResend,
		"POST /settlement/format":            (*visit).postFormat,
		"POST /settlement/import":            (*visit).postImport,
		"POST /settlement/imports/{id}/undo": (*visit).postUndoImport,
	}
}

const contentPolicy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// headers has browsers keep the pages to themselves.
func (a *admin) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
		next.ServeHTTP(w, r)
	})
}

// maxForm bounds what a form may carry.
const maxForm = 64 << 10

// open makes a handler of a page for everybody.
func (a *admin) open(p page) http.HandlerFunc { return a.serve(p, maxForm, false) }

// signedIn makes a handler of a page for people who have signed in.
func (a *admin) signedIn(p page) http.HandlerFunc { return a.serve(p, maxForm, true) }

// serve makes a handler of a page whose form carries no more than so many bytes.
func (a *admin) serve(p page, limit int64, mustSignIn bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		r.Body = http.MaxBytesReader(w, r.Body, limit)
		v := &visit{admin: a, w: w, r: r, now: a.engine.Now(), lang: language(a.engine.Config().Language)}
		defer v.survive()
		err := v.arrive()
		if err == nil && mustSignIn && v.user.Name == "" {
			v.toSignIn()
			return
		}
		if err == nil {
			err = p(v)
		}
		if err != nil && r.Context().Err() == nil {
			v.fail(err)
		}
	}
}

// acting keeps viewers from acting.
func acting(p page) page {
	return func(v *visit) error {
		if !v.mayAct() {
			return &fault{status: http.StatusForbidden, code: "role", detail: v.lang.T("Deciding needs the role operator or admin; whoever runs this server can give it.")}
		}
		return p(v)
	}
}

// visit is one request of a person.
type visit struct {
	*admin
	w    http.ResponseWriter
	r    *http.Request
	now  time.Time
	lang lang
	user store.User // Name is "" before the sign-in
	risk []store.Risk
}

// arrive finds out who is there.
func (v *visit) arrive() error {
	if code := v.sessions.GetString(v.r.Context(), keyLanguage); code != "" {
		v.lang = language(code)
	}
	name := v.sessions.GetString(v.r.Context(), keyUser)
	since := v.sessions.GetInt64(v.r.Context(), keySince)
	if name == "" || v.now.UnixMilli()-since > sessionLife.Milliseconds() {
		return nil
	}
	return v.read("who is there", func(rx *store.Rx) error {
		u, ok, err := rx.UserByName(name)
		if err != nil || !ok || markOf(u) != v.sessions.GetString(v.r.Context(), keyMark) {
			return err
		}
		v.user = u
		v.risk, err = rx.AtRisk()
		return err
	})
}

// read runs f in one read transaction.
func (v *visit) read(op string, f func(*store.Rx) error) error {
	return v.engine.Store().View(v.r.Context(), op, f)
}

func (v *visit) mayAct() bool { return v.user.Role == "operator" || v.user.Role == "admin" }

// refreshing tells whether the page itself asks, not a person.
func refreshing(r *http.Request) bool { return r.Header.Get("X-Refresh") != "" }

func (v *visit) openReviews() (n int64) {
	for _, r := range v.risk {
		n += r.Count
	}
	return n
}

// refreshEvery is how often the live parts of a page are fetched anew, in seconds.
const refreshEvery = 10

func (v *visit) page(section, title string) templates.Page {
	p := templates.Page{
		Lang: v.lang.Lang, Title: title, Section: section, User: templates.User{Name: v.user.Name, Role: v.user.Role}, Open: v.openReviews(),
		Assets: templates.Assets{CSS: static.URL("style.css"), JS: static.URL("app.js"), Icon: static.URL("icon.svg")},
		Now:    v.clock(v.now.UnixMilli()), Zone: v.engine.Config().Timezone.String(), Refresh: refreshEvery,
	}
	if !refreshing(v.r) {
		p.Flash = v.takeFlash()
	}
	return p
}

// show draws a page; nothing is sent before it is drawn whole.
func (v *visit) show(status int, c templ.Component) error {
	var out bytes.Buffer
	if err := c.Render(v.r.Context(), &out); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.WriteHeader(status)
	_, _ = v.w.Write(out.Bytes())
	return nil
}

// done leads on after something was done, with a message.
func (v *visit) done(to, message string) error {
	if message != "" {
		v.sessions.Put(v.r.Context(), keyFlash, message)
	}
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
	return nil
}

func (v *visit) toSignIn() {
	if refreshing(v.r) {
		v.w.WriteHeader(http.StatusUnauthorized)
		return
	}
	to := "/signin"
	if v.r.Method == http.MethodGet && v.r.URL.Path != "/" {
		to += "?" + query("next", v.r.URL.RequestURI())
	}
	http.Redirect(v.w, v.r, to, http.StatusSeeOther)
}

// lost answers for an address that leads nowhere.
func (v *visit) lost() error {
	return &fault{status: http.StatusNotFound, code: "not_found", detail: v.lang.T("Nothing is at this address. It may have been copied in part, or what it led to is no longer kept.")}
}

// foreign answers for a form that was sent from another site.
func (v *visit) foreign() error {
	return &fault{status: http.StatusForbidden, code: "cross_origin", detail: v.lang.T("This form was sent from another site, so nothing was done. Open the page here and send it again.")}
}

// fail shows an error page.
func (v *visit) fail(err error) {
	f := faultOf(err)
	view := templates.FaultView{Page: v.page("", ""), Heading: v.lang.wordOr("fault", f.code, v.heading(f.status)), Text: v.lang.wordOr("error", f.code, f.detail)}
	view.Title = view.Heading
	view.Back = templates.Link{Text: v.lang.T("To the overview"), Href: "/"}
	if f.status >= http.StatusInternalServerError {
		view.ID = v.report(v.r, f)
	}
	if f.header[0] != "" {
		v.w.Header().Set(f.header[0], f.header[1])
	}
	if err := v.show(f.status, templates.Fault(view)); err != nil {
		v.log.Error("an error page could not be drawn", "path", v.r.URL.Path, "error", err)
	}
}

func (v *visit) heading(status int) string {
	switch status {
	case http.StatusNotFound:
		return v.lang.T("Not found")
	case http.StatusForbidden:
		return v.lang.T("Not allowed")
	case http.StatusConflict:
		return v.lang.T("It has changed")
	case http.StatusServiceUnavailable:
		return v.lang.T("Not now")
	case http.StatusInternalServerError:
		return v.lang.T("Something went wrong on our side")
	}
	return v.lang.T("That did not work")
}

func (v *visit) survive() {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	v.logPanic(v.r, p)
	v.fail(errors.New("the page met a mistake in the program"))
}

// mistake is what a person got wrong in a form, with what to do; ok is false for any other error.
func (v *visit) mistake(err error) (code, text string, ok bool) {
	var e *app.Error
	if !errors.As(err, &e) || e.Kind == app.KindInternal || e.Kind == app.KindNotFound || e.Kind == app.KindStale {
		return "", "", false
	}
	return e.Code, v.lang.wordOr("error", e.Code, sentence(e.Text)), true
}

// sentence gives a text a capital letter and a full stop.
func sentence(text string) string {
	if text == "" {
		return text
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
