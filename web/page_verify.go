package web

import (
	"net/http"
	"net/url"
	"strings"

	"nodrop/app"
	"nodrop/app/gateway"
	"nodrop/store"
	"nodrop/templates"
)

// diagnosed bounds the bodies, in bytes, that a list looks into for the likely reason; the page of one request looks into any.
const diagnosed = 16 << 10

// why says in the reader's language, and more exactly in English, why a request was refused, by the present configuration.
func (v *visit) why(q store.Request, closely bool) (likely, detail string) {
	def, ok := v.engine.Gateway(q.Gateway)
	if !ok || !closely || q.Verdict != refused {
		return v.lang.wordOr("likely", q.Reason, ""), visible(sentence(q.Detail))
	}
	r := app.StoredRequest(q)
	rd := def.Read(r)
	if rd.Verdict != gateway.Refused {
		return v.lang.T("With the present configuration it is right: verify it again to take it in."), ""
	}
	likely, detail = v.diagnosis(def, r, rd)
	if state, _ := v.engine.Health(q.Gateway); rd.Reason == "stale_timestamp" && clockOff(health{GatewayHealth: state}) != 0 {
		likely = v.lang.T("The clock of this server is off: by that of %s, %s. Set it right (NTP), then verify this request again.", q.Gateway, v.skew(health{GatewayHealth: state}))
	}
	return likely, detail
}

// diagnosis says of a request that is not simply accepted why, as far as trying what commonly goes wrong can tell.
func (v *visit) diagnosis(def *gateway.Gateway, r gateway.Request, rd gateway.Reading) (likely, detail string) {
	likely, detail = v.likely(rd.Reason, rd.SkewMs), def.Diagnose(r)
	for beginning, words := range families["diagnosis"] {
		if strings.HasPrefix(detail, beginning) {
			likely = words.in(v.lang.Code)
		}
	}
	return likely, visible(sentence(detail))
}

// inShort leaves out of a list what is said twice.
func (v *visit) inShort(reason, likely, detail string) (string, string) {
	if v.lang.Code != "en" || detail == "" {
		return likely, detail
	}
	if reason == "stale_timestamp" && likely != "" {
		return likely, ""
	}
	return "", detail
}

// tryLink leads to reading a stored request before the reader's eyes, where its gateway is still configured.
func (v *visit) tryLink(list string, q store.Request) (l templates.Link) {
	if _, ok := v.engine.Gateway(q.Gateway); ok {
		l = templates.Link{Text: v.lang.T("See how %s reads it", q.Gateway), Href: address("/gateways/"+url.PathEscape(q.Gateway)+"/try", list, number(q.ID))}
	}
	return l
}

// verifyLinks leads to the previews of verifying the refused requests of a gateway, "" for all, again.
func (v *visit) verifyLinks(only string, kept []store.RefusedCount) (list []templates.Link) {
	for _, name := range v.engine.GatewayNames() {
		if only != "" && name != only {
			continue
		}
		if n := countRefused(name, kept); n > 0 {
			list = append(list, v.verifyLink(name, n))
		}
	}
	return list
}

func (v *visit) verifyLink(name string, n int64) templates.Link {
	return templates.Link{Text: v.lang.N(n, "Verify one request of %[2]s again", "Verify %[1]s requests of %[2]s again", count(n), name), Href: address("/inbox/verify", "gateway", name)}
}

func countRefused(name string, kept []store.RefusedCount) (n int64) {
	for _, c := range kept {
		if c.Gateway == name {
			n += c.Count
		}
	}
	return n
}

// verify previews what verifying the refused requests of a gateway again would come to.
func (v *visit) verify() error {
	name := v.r.FormValue("gateway")
	found, err := v.engine.VerifyPreview(v.r.Context(), name)
	if err != nil {
		return err
	}
	var kept []store.RefusedCount
	err = v.read("refused counts", func(rx *store.Rx) (err error) {
		kept, err = rx.RefusedCounts()
		return err
	})
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, templates.Verify(templates.VerifyView{
		Page: v.page("inbox", v.lang.T("Verify again")), Gateway: name, Sentence: v.verifySentence(name, found), Reasons: v.refusedRows(name, kept),
		Count: count(int64(found.Tried)), Key: v.formKey(), Empty: found.Accepted == 0, ReadOnly: !v.mayAct(),
	}))
}

func (v *visit) verifySentence(name string, found app.VerifyResult) string {
	switch n := int64(found.Tried); {
	case n == 0:
		return v.lang.T("No refused request of %s is kept.", name)
	case found.Accepted == 0:
		return v.lang.N(n, "The one refused request of %[2]s is still wrong with the present configuration. Correct what the reason says, start nodrop again, then come back.",
			"All %[1]d refused requests of %[2]s are still wrong with the present configuration. Correct what the reasons say, start nodrop again, then come back.", found.Tried, name)
	case found.StillRefused == 0:
		return v.lang.N(n, "The one refused request of %[2]s is right with the present configuration and would be taken in.",
			"All %[1]d refused requests of %[2]s are right with the present configuration and would be taken in.", found.Tried, name)
	}
	return v.lang.T("Of %[1]d refused requests of %[2]s, %[3]d are right with the present configuration and would be taken in; %[4]d would stay refused.", found.Tried, name, found.Accepted, found.StillRefused)
}

// refusedRows counts the kept refused requests of a gateway by reason.
func (v *visit) refusedRows(name string, kept []store.RefusedCount) (rows []templates.RefusedRow) {
	for _, c := range kept {
		if c.Gateway == name {
			rows = append(rows, templates.RefusedRow{Reason: v.lang.word("reason", c.Reason), Likely: v.lang.wordOr("likely", c.Reason, ""), Count: count(c.Count), Last: v.stamp(c.LastMs),
				Href: address("/inbox", "state", refused, "gateway", name)})
		}
	}
	return rows
}

func (v *visit) postVerify() error {
	name := v.r.FormValue("gateway")
	found, err := v.engine.VerifyRefused(v.r.Context(), app.Verification{Actor: v.user.Name, FormKey: v.r.FormValue("form_key"), Gateway: name})
	if err != nil {
		return err
	}
	return v.done(address("/inbox", "state", refused, "gateway", name), v.verified(found))
}

func (v *visit) postVerifyOne() error {
	id, err := v.number("id")
	if err != nil {
		return err
	}
	found, err := v.engine.VerifyOneRefused(v.r.Context(), v.user.Name, v.r.FormValue("form_key"), id)
	if err != nil {
		return err
	}
	return v.done(numbered("/inbox/refused", id), v.verified(found))
}

// verified says what verifying again came to.
func (v *visit) verified(found app.VerifyResult) string {
	switch {
	case found.Again:
		return v.lang.T("That was done already.")
	case found.Tried == 1 && found.Accepted == 1:
		return v.lang.T("It is right now and was taken in.")
	case found.Tried == 1:
		return v.lang.T("It was verified again and is still refused.")
	}
	return v.lang.T("Verified again: %d tried, %d taken in, %d still refused.", found.Tried, found.Accepted, found.StillRefused)
}
