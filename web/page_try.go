package web

import (
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"nodrop/app"
	"nodrop/app/gateway"
	"nodrop/store"
	"nodrop/templates"
)

// maxTried bounds a captured request, in bytes, and maxTryForm what its form may carry.
const (
	maxTried   = 1 << 20
	maxTryForm = maxTried + 64<<10
)

// trial is a captured request that a person wants to see read.
type trial struct {
	v    *visit
	name string
	def  *gateway.Gateway
	view templates.TryView
}

// trialOf begins a trial with the gateway that the address names.
func (v *visit) trialOf() (*trial, error) {
	name := v.r.PathValue("name")
	def, ok := v.engine.Gateway(name)
	if !ok {
		return nil, v.lost()
	}
	t := &trial{v: v, name: name, def: def}
	back := "/gateways/" + url.PathEscape(name)
	t.view = templates.TryView{Page: v.page("gateways", v.lang.T("Try a request with %s", name)), Gateway: name, Back: back, Action: back + "/try", Limit: "1 MB"}
	for _, c := range v.engine.Config().Gateways {
		t.view.AsksFrom = t.view.AsksFrom || c.Name == name && watched(c.SourceNetworks)
	}
	return t, nil
}

// try shows the form; with a stored request in the address, how that one is read.
func (v *visit) try() error {
	t, err := v.trialOf()
	if err != nil {
		return err
	}
	q, ok, err := v.storedForTrial()
	if err != nil {
		return err
	}
	if ok {
		t.readStored(q)
	}
	return v.show(http.StatusOK, templates.Try(t.view))
}

// storedForTrial finds the request that the address names by its number among the refused or the stored ones.
func (v *visit) storedForTrial() (q store.Request, ok bool, err error) {
	for name, get := range map[string]func(*store.Rx, int64) (store.Request, bool, error){"refused": (*store.Rx).GetRefused, "request": (*store.Rx).GetRequest} {
		text := v.r.URL.Query().Get(name)
		if text == "" {
			continue
		}
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return q, false, v.lost()
		}
		err = v.read("request to try", func(rx *store.Rx) (err error) {
			if q, ok, err = get(rx, id); err == nil && !ok {
				err = v.lost()
			}
			return err
		})
		return q, ok, err
	}
	return q, false, nil
}

// readStored reads the untouched bytes as of their arrival.
func (t *trial) readStored(q store.Request) {
	r := app.StoredRequest(q)
	t.fill(r)
	t.view.At = r.At.In(t.v.engine.Config().Timezone).Format(time.RFC3339Nano)
	t.read([]candidate{{request: r}})
}

// fill shows a request in the form, credentials replaced by their digest.
func (t *trial) fill(r gateway.Request) {
	t.view.From = r.RemoteIP
	if body, binary, cut := bodyText(r.Body); binary || cut || body != string(r.Body) {
		return // what cannot be sent back as it is would only be read wrongly
	}
	t.view.Capture = r.Method + " " + visible(r.Target) + " HTTP/1.1\n" + t.headers(r) + "\n" + string(r.Body)
}

// headers are those of a request as a page shows them.
func (t *trial) headers(r gateway.Request) string {
	return visible(t.concealed(string(app.HeaderLines(r.Header))))
}

// postTry reads what was pasted or uploaded.
func (v *visit) postTry() error {
	t, err := v.trialOf()
	if err != nil {
		return err
	}
	raw, file, err := v.captured()
	if no := t.keep(err); no != nil {
		return t.wrong(no)
	}
	at, err := v.moment(v.r.FormValue("at"))
	if err != nil {
		return t.wrong(&misfit{http.StatusUnprocessableEntity, "at", v.lang.T("This is no time. Write it like 2031-03-07 09:15:00 or 2031-03-07T09:15:00Z.")})
	}
	if ip := t.view.From; ip != "" {
		if _, err := netip.ParseAddr(ip); err != nil {
			return t.wrong(&misfit{http.StatusUnprocessableEntity, "from", v.lang.T("This is no address. Write it like 203.0.113.7 or 2001:db8::7.")})
		}
	}
	r, err := gateway.ParseCapture(compose(t.name, []byte(v.r.FormValue("headers")), raw), at)
	if err != nil {
		return t.wrong(&misfit{http.StatusUnprocessableEntity, "capture", v.lang.T("This cannot be read as a request: %s", sentence(err.Error()))})
	}
	r.RemoteIP = t.view.From
	list := []candidate{{request: r}}
	if !file {
		list = lineEnds(r)
	}
	t.read(list)
	return v.show(http.StatusOK, templates.Try(t.view))
}

// misfit is a field of the form that cannot be used, and why.
type misfit struct {
	status int
	field  string
	text   string
}

var errNothingPasted = errors.New("nothing was pasted or uploaded")

// captured gives the uploaded file, or else the pasted text with the line ends that the browser sent.
func (v *visit) captured() (raw []byte, file bool, err error) {
	if err := v.r.ParseMultipartForm(maxTryForm); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return nil, false, err
	}
	raw = []byte(v.r.FormValue("capture"))
	if f, _, err := v.r.FormFile("file"); err == nil {
		defer f.Close()
		content, err := io.ReadAll(f)
		if err != nil {
			return nil, false, err
		}
		if len(content) > 0 {
			raw, file = content, true
		}
	}
	if len(strings.TrimSpace(string(raw))) == 0 && v.r.FormValue("headers") == "" {
		return nil, false, errNothingPasted
	}
	return raw, file, nil
}

// keep has the form show again what was typed; it tells what is wrong where nothing usable came.
func (t *trial) keep(err error) *misfit {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &misfit{http.StatusRequestEntityTooLarge, "capture", t.v.lang.T("The request is larger than %s. Read it with “nodrop explain” on the server.", t.view.Limit)}
	case err != nil && !errors.Is(err, errNothingPasted):
		return &misfit{http.StatusBadRequest, "capture", t.v.lang.T("The form did not arrive whole. Send it again.")}
	}
	t.view.Capture, t.view.Headers = t.concealed(unix(t.v.r.FormValue("capture"))), t.concealed(unix(t.v.r.FormValue("headers")))
	t.view.At, t.view.From = strings.TrimSpace(t.v.r.FormValue("at")), strings.TrimSpace(t.v.r.FormValue("from"))
	if err != nil {
		return &misfit{http.StatusUnprocessableEntity, "capture", t.v.lang.T("Paste a request, or choose a file.")}
	}
	return nil
}

// wrong shows the form again with what is wrong with it.
func (t *trial) wrong(no *misfit) error {
	t.view.Wrong, t.view.Problem = no.field, no.text
	t.view.Alerts = []templates.Link{{Text: no.text, Href: "#" + no.field}}
	return t.v.show(no.status, templates.Try(t.view))
}

// moment reads an instant as people write it; nothing means now.
func (v *visit) moment(text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return v.now, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
		if len(text) >= 13 {
			return time.UnixMilli(n), nil
		}
		return time.Unix(n, 0), nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	var err error
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02 15:04"} {
		var at time.Time
		if at, err = time.ParseInLocation(layout, text, v.engine.Config().Timezone); err == nil {
			return at, nil
		}
	}
	return time.Time{}, err
}
