package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"nodrop/store"
	"nodrop/templates"
)

const auditShown = 100

func (v *visit) audit() error {
	before, _ := strconv.ParseInt(v.r.URL.Query().Get("before"), 10, 64)
	var list []store.Audit
	payments := map[int64]store.Payment{}
	err := v.read("audit", func(rx *store.Rx) (err error) {
		if list, err = rx.Audits(0, before, auditShown+1); err != nil {
			return err
		}
		for _, a := range list {
			if a.PaymentID == 0 {
				continue
			}
			if payments[a.PaymentID], _, err = rx.Payment(a.PaymentID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	view := templates.AuditView{Page: v.page("audit", v.lang.T("Audit"))}
	if len(list) > auditShown {
		list = list[:auditShown]
		view.Pager.Next = address("/audit", "before", strconv.FormatInt(list[auditShown-1].ID, 10))
	}
	if before > 0 {
		view.Pager.First = "/audit"
	}
	for _, a := range list {
		view.List = append(view.List, v.auditRow(a, payments[a.PaymentID]))
	}
	return v.show(http.StatusOK, templates.Audit(view))
}

func (v *visit) auditRow(a store.Audit, p store.Payment) templates.AuditRow {
	what, detail := v.audited(a)
	row := templates.AuditRow{At: v.stamp(a.AtMs), Actor: a.Actor, Action: what, Subject: ref(a.Subject), Detail: visible(detail)}
	if p.ID != 0 {
		row.Subject, row.Link = ref(p.MerchantRef), paymentPath(p.PublicID)
		return row
	}
	for prefix, path := range map[string]string{"import ": "/settlement/imports/", "outbox:": "/outbox/", "inbox:": "/inbox/", "refused:": "/inbox/refused/", "gateway:": "/gateways/"} {
		if id, ok := strings.CutPrefix(a.Subject, prefix); ok {
			row.Link = path + url.PathEscape(id)
		}
	}
	return row
}

// did is the word for what a person did; the answers to differences of a report have their own.
func (v *visit) did(a store.Audit) string {
	switch {
	case strings.HasPrefix(a.Subject, "difference "):
		return v.lang.word("settle", a.Action)
	case strings.HasPrefix(a.Subject, "import "):
		return v.lang.word("act", actUndoImport)
	}
	return v.lang.word("act", a.Action)
}
