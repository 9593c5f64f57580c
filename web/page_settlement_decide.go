package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"nodrop/app"
	"nodrop/templates"
)

const (
	// maxDecideForm bounds a form that decides on many differences, in bytes.
	maxDecideForm = 256 << 10
	// decideMost is how many differences one form decides; the engine takes no more.
	decideMost = 5000
	// decideRows is how many of them are listed.
	decideRows = 50
)

// decideAsked previews a decision on the differences that the address names.
func (v *visit) decideAsked() error {
	w := v.dayWish()
	q := v.r.URL.Query()
	var ids []int64
	for _, text := range q["d"] {
		if id, err := strconv.ParseInt(text, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	if q.Get("all") == "" && len(ids) == 0 {
		return v.done(w.at(""), v.lang.T("Tick at least one difference."))
	}
	list, err := v.chosen(w, ids, q.Get("all") != "")
	if err != nil {
		return err
	}
	return v.showDecide(http.StatusOK, w, list, typed{})
}

// chosen reads the differences of a day by their ids, or all of those that a wish is about.
func (v *visit) chosen(w dayWish, ids []int64, all bool) (list []app.DifferenceView, err error) {
	slices.Sort(ids)
	q := app.DifferenceQuery{Gateway: w.gateway, Day: w.day, Kind: w.kind, State: w.state, Limit: 1000}
	if !all {
		q.Kind, q.State = "", ""
		q.After = ids[0] - 1
		if len(ids) == 1 {
			q.Limit = 1
		}
	}
	for len(list) < decideMost {
		part, err := v.engine.Differences(v.r.Context(), q)
		if err != nil || len(part) == 0 {
			return list, err
		}
		for _, d := range part {
			if _, picked := slices.BinarySearch(ids, d.ID); (all || picked) && len(list) < decideMost {
				list = append(list, d)
			}
		}
		q.After = part[len(part)-1].ID
		if !all && q.After >= ids[len(ids)-1] {
			break
		}
	}
	return list, nil
}

func (v *visit) showDecide(status int, w dayWish, list []app.DifferenceView, t typed) error {
	if len(list) == 0 {
		return v.done(dayPath(w.gateway, w.day), v.lang.T("What you had chosen is no longer there. Look again."))
	}
	n := int64(len(list))
	sums := make([]app.FindingSum, len(list))
	for i, d := range list {
		sums[i] = app.FindingSum{Kind: d.Kind, Currency: d.Currency, Count: 1, Minor: d.RiskMinor}
	}
	view := templates.DecideView{
		Page: v.page("settlement", v.lang.T("Decide on differences")), Findings: v.findingRows(sums), Forms: v.decideForms(w, list, t),
		Back: templates.Link{Text: v.lang.T("%s, %s", w.gateway, v.dayText(w.day)), Href: dayPath(w.gateway, w.day)},
	}
	view.Sentence = v.lang.N(n, "One difference is decided on", "%s differences are decided on", count(n))
	if stake := v.stakes(sums); stake != "" {
		view.Says = v.lang.T("%s at stake. Nothing happens before you send a form below.", stake)
	} else {
		view.Says = v.lang.T("Nothing happens before you send a form below.")
	}
	if n == 1 {
		view.Sentence = v.lang.wordOr("found", list[0].Kind, v.lang.word("finding", list[0].Kind))
	}
	for _, d := range list[:min(len(list), decideRows)] {
		view.List = append(view.List, v.differenceRow(d))
	}
	if n > decideRows {
		view.More = v.lang.T("%s more are not shown, and are decided on too.", count(n-decideRows))
	}
	view.Alerts = view.Forms.Wrong
	return v.show(status, templates.Decide(view))
}

// settleActs are the answers to differences, in the order in which they are offered.
var settleActs = []string{
	app.ActAskDifference, app.ActAcceptDifference, app.ActLinkDifference, app.ActAcceptReport, app.ActIgnoreDifference, app.ActReopenDifference, app.ActNoteDifference,
}

// decideForms offers the answers that all of the differences allow.
func (v *visit) decideForms(w dayWish, list []app.DifferenceView, t typed) templates.FormsView {
	f := templates.FormsView{
		Page: v.page("", ""), Action: address(dayPath(w.gateway, w.day)+"/decide", "kind", w.kind, "state", w.state), Version: packed(list), Key: v.formKey(), ID: "settle", ReadOnly: !v.mayAct(),
	}
	for _, act := range settleActs {
		allowed := 0
		for _, d := range list {
			if slices.Contains(d.Acts, act) {
				allowed++
			}
		}
		if allowed == 0 || act == app.ActLinkDifference && len(list) > 1 {
			continue
		}
		a := templates.Act{Act: act, Label: v.lang.word("settle", act), Follows: v.lang.word("settle_follows", act), Reason: true, Link: act == app.ActLinkDifference}
		if a.Link && list[0].Proposal != "" {
			a.LinkValue = list[0].Proposal
		}
		if allowed < len(list) {
			a.Blocked = v.lang.T("Only %s of the %s allow it. Narrow your choice.", count(int64(allowed)), count(int64(len(list))))
		}
		if t.values.Get("act") == act {
			field := fill(&a, t)
			f.Wrong = []templates.Link{{Text: t.text, Href: "#" + f.Field(a, field)}}
		}
		f.Acts = append(f.Acts, a)
	}
	if t.text != "" && f.Wrong == nil {
		f.Wrong = []templates.Link{{Text: t.text}}
	}
	return f
}

// packed writes what a decision is about, with the versions that the person saw.
func packed(list []app.DifferenceView) string {
	var b strings.Builder
	for i, d := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(number(d.ID) + "." + number(d.Version))
	}
	return b.String()
}

func unpacked(text string) (ids, versions []int64, ok bool) {
	for part := range strings.SplitSeq(text, ",") {
		id, version, _ := strings.Cut(part, ".")
		i, err := strconv.ParseInt(id, 10, 64)
		n, err2 := strconv.ParseInt(version, 10, 64)
		if err != nil || err2 != nil {
			return nil, nil, false
		}
		ids, versions = append(ids, i), append(versions, n)
	}
	return ids, versions, true
}

// postDifferences carries a decision out.
func (v *visit) postDifferences() error {
	w := v.dayWish()
	_ = v.r.ParseForm() // a form that cannot be read is about nothing, which is refused
	t := typed{values: v.r.PostForm}
	ids, versions, ok := unpacked(t.values.Get("version"))
	if !ok {
		return &fault{status: http.StatusBadRequest, code: "form_broken", detail: v.lang.T("The form did not arrive whole. Send it again.")}
	}
	done, err := v.engine.DecideDifferences(v.r.Context(), app.DifferenceDecision{
		IDs: ids, Versions: versions, Act: t.values.Get("act"), PaymentRef: strings.TrimSpace(t.values.Get("link")), Reason: t.values.Get("reason"), Actor: v.user.Name, FormKey: t.values.Get("form_key"),
	})
	if err == nil {
		w.after = 0
		return v.done(w.at(""), v.lang.N(int64(done), "One difference: %[2]s.", "%[1]s differences: %[2]s.", count(int64(done)), v.lang.word("settle", t.values.Get("act"))))
	}
	if t.code, t.text, ok = v.decideMistake(err, t.values); !ok {
		return err
	}
	list, failed := v.chosen(w, slices.Clone(ids), false)
	if failed != nil {
		return failed
	}
	return v.showDecide(http.StatusUnprocessableEntity, w, list, t)
}

// decideMistake is what a person got wrong; a payment that is not found is a matter of the field that names it.
func (v *visit) decideMistake(err error, form url.Values) (code, text string, ok bool) {
	if form.Get("act") == app.ActLinkDifference && (app.KindOf(err) == app.KindNotFound || form.Get("link") == "") {
		return "link", v.lang.T("There is no payment with this id. Copy it from the payment's page."), true
	}
	return v.mistake(err)
}
