package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"nodrop/app"
	"nodrop/templates"
)

func (v *visit) signIn() error {
	if v.user.Name != "" {
		return v.done("/", "")
	}
	return v.showSignIn(http.StatusOK, "", "", v.r.URL.Query().Get("next"))
}

func (v *visit) showSignIn(status int, name, problem, next string) error {
	view := templates.SignInView{Page: v.page("", v.lang.T("Sign in")), Name: name, Problem: problem, Next: next}
	view.Failed = problem != ""
	return v.show(status, templates.SignIn(view))
}

func (v *visit) postSignIn() error {
	name, next := v.r.FormValue("name"), v.r.FormValue("next")
	u, err := v.engine.SignIn(v.r.Context(), name, v.r.FormValue("password"), remoteIP(v.r, nil))
	if err != nil {
		return v.signInRefused(err, name, next)
	}
	if err := v.begin(u); err != nil {
		return err
	}
	return v.done(inside(next), "")
}

// signInRefused shows the form again.
func (v *visit) signInRefused(err error, name, next string) error {
	_, text, ok := v.mistake(err)
	if !ok {
		return err
	}
	f := faultOf(err)
	if after := retryAfter(err); after != "" {
		v.w.Header().Set("Retry-After", after)
	}
	return v.showSignIn(f.status, name, text, next)
}

// inside gives an address of these pages, or the overview for any other.
func inside(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) {
		return "/"
	}
	return u.RequestURI()
}

func (v *visit) signUp() error {
	_, err := v.engine.InviteName(v.r.Context(), v.r.PathValue("secret"))
	return v.showSignUp(http.StatusOK, err)
}

func (v *visit) showSignUp(status int, err error) error {
	view := templates.SignUpView{Page: v.page("", v.lang.T("Choose your password")), Action: "/signup/" + url.PathEscape(v.r.PathValue("secret"))}
	var e *app.Error
	switch {
	case err == nil:
	case errors.As(err, &e) && e.Kind == app.KindNotFound:
		status, view.Over = http.StatusNotFound, true
	default:
		_, text, ok := v.mistake(err)
		if !ok {
			return err
		}
		status, view.Problem = faultOf(err).status, text
	}
	view.Failed = view.Problem != ""
	return v.show(status, templates.SignUp(view))
}

func (v *visit) postSignUp() error {
	if v.r.FormValue("password") != v.r.FormValue("again") {
		return v.showSignUp(http.StatusBadRequest, v.unlike())
	}
	name, err := v.engine.SignUp(v.r.Context(), v.r.PathValue("secret"), v.r.FormValue("password"))
	if err != nil {
		return v.showSignUp(http.StatusBadRequest, err)
	}
	v.sessions.Put(v.r.Context(), keyFlash, v.lang.T("Your password is set, %s. Sign in with it.", name))
	return v.done("/signin", "")
}

func (v *visit) unlike() error {
	return &app.Error{Kind: app.KindInvalid, Code: "passwords_differ", Text: v.lang.T("The two passwords are not alike. Type the same one twice.")}
}

func (v *visit) postSignOut() error {
	if err := v.sessions.Destroy(v.r.Context()); err != nil {
		return err
	}
	return v.done("/signin", "")
}

func (v *visit) account() error { return v.showAccount(http.StatusOK, "") }

func (v *visit) showAccount(status int, problem string) error {
	view := templates.AccountView{
		Page: v.page("account", v.lang.T("Your account")), Problem: problem, Role: v.lang.word("role", v.user.Role),
		Since: v.stamp(v.sessions.GetInt64(v.r.Context(), keySince)),
		Langs: []templates.Filter{{Text: "English", Href: "en", Active: v.lang.Code == "en"}, {Text: "简体中文", Href: "zh", Active: v.lang.Code == "zh"}},
	}
	view.Failed = problem != ""
	return v.show(status, templates.Account(view))
}

func (v *visit) postPassword() error {
	password := v.r.FormValue("password")
	err := v.unlike()
	if password == v.r.FormValue("again") {
		err = v.engine.ChangePassword(v.r.Context(), v.user.Name, v.r.FormValue("old"), password, remoteIP(v.r, nil))
	}
	if err != nil {
		code, text, ok := v.mistake(err)
		if !ok {
			return err
		}
		if code == "sign_in_wrong" {
			text = v.lang.T("The present password is wrong.")
		}
		return v.showAccount(faultOf(err).status, text)
	}
	if err := v.stay(); err != nil {
		return err
	}
	return v.done("/account", v.lang.T("The password is changed. Your other sessions have ended."))
}

// stay keeps this one session after the password has changed.
func (v *visit) stay() error {
	users, err := v.engine.Users(v.r.Context())
	if err != nil {
		return err
	}
	for _, u := range users {
		if u.Name == v.user.Name {
			return v.begin(u)
		}
	}
	return nil
}

func (v *visit) postLanguage() error {
	v.lang = language(v.r.FormValue("language"))
	v.sessions.Put(v.r.Context(), keyLanguage, v.lang.Code)
	return v.done("/account", v.lang.T("The pages now speak your language."))
}

// retryAfter is how many seconds to wait, where an error says so.
func retryAfter(err error) string {
	var e *app.Error
	if errors.As(err, &e) {
		if seconds, ok := e.Fields["retry_after"]; ok {
			return fmt.Sprint(seconds)
		}
	}
	return ""
}
