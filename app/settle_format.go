package app

import (
	"context"
	"errors"
	"strings"

	"nodrop/app/gateway"
	"nodrop/app/payment"
	"nodrop/app/settlement"
	"nodrop/store"
)

// ReportFormats lists the ways of reading a gateway's reports: those that persons saved, then those of its definition.
func (e *Engine) ReportFormats(ctx context.Context, name string) (list []ReportFormat, err error) {
	a, ok := e.gateways[name]
	if !ok {
		return nil, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", name)
	}
	err = e.store.View(ctx, "report formats", func(rx *store.Rx) error {
		saved, err := rx.Formats(name)
		for _, f := range saved {
			list = append(list, ReportFormat{Name: f.Name, Spec: f.Spec, Header: strings.Split(f.Header, "\t"), Actor: f.Actor, Saved: f.SavedMs})
		}
		return err
	})
	for _, spec := range a.def.Reports() {
		list = append(list, ReportFormat{Name: spec.Name, Preset: true})
	}
	return list, err
}

// SaveReportFormat keeps how a person said that a gateway's report is to be read, to be recognised by its header the next
// time. A description with faults is KindInvalid.
func (e *Engine) SaveReportFormat(ctx context.Context, name string, spec gateway.ReportSpec, header []string, actor string) error {
	if _, ok := e.gateways[name]; !ok {
		return fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", name)
	}
	if actor == "" {
		return fail(KindForbidden, "no_actor", "a format needs somebody who saves it")
	}
	if spec.Status == "" {
		spec.Status = "unconfirmed"
	}
	if err := gateway.CheckReport(spec); err != nil {
		return &Error{Kind: KindInvalid, Code: "bad_format", Text: err.Error(), Cause: err}
	}
	text, err := gateway.ReportText(spec)
	if err != nil {
		return err
	}
	return e.store.Update(ctx, "save format", func(tx *store.Tx) error {
		now := e.nowMs()
		if err := tx.SaveFormat(store.Format{Gateway: name, Name: spec.Name, Spec: text, Header: strings.Join(header, "\t"), Actor: actor, SavedMs: now}); err != nil {
			return err
		}
		_, err := tx.InsertAudit(store.Audit{AtMs: now, Actor: actor, Action: "save_format", Subject: "report " + name + " " + spec.Name, Detail: strings.Join(header, ", ")})
		return err
	})
}

// previewRows is how many rows of a file are shown before it is imported.
const previewRows = 12

// PreviewReport shows the first rows of a file and, where a format fits, what its import would find. Nothing is written.
func (e *Engine) PreviewReport(ctx context.Context, name, path string) (p ReportPreview, err error) {
	a, ok := e.gateways[name]
	if !ok {
		return p, fail(KindNotFound, "unknown_gateway", "no gateway %q is configured here", name)
	}
	file, err := settlement.Open(path, e.reportLimits())
	if err != nil {
		return p, asInvalid(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if p.Head, err = file.Head(previewRows); err != nil {
		return p, asInvalid(err)
	}
	formats, err := e.formatsOf(ctx, a)
	if err != nil {
		return p, err
	}
	format, err := file.Recognise(formats)
	if err != nil {
		text, final := problemOf(err)
		if !final {
			return p, err
		}
		p.Missing = text
		return p, nil
	}
	p.Recognised = format.Spec.Name
	result, err := e.Import(ctx, ImportRequest{Gateway: name, Path: path, Report: p.Recognised, Dry: true})
	if err != nil {
		return p, err
	}
	p.Result = &result
	return p, nil
}

// asInvalid makes what is wrong with a file a failure of the person who chose it.
func asInvalid(err error) error {
	if text, final := problemOf(err); final {
		return &Error{Kind: KindInvalid, Code: "unreadable_report", Text: text, Cause: err}
	}
	return err
}

// reportLimits bounds what a report may cost.
func (e *Engine) reportLimits() settlement.Limits { return settlement.Limits{} }

// totalDifference is the gap between what a file states of itself and what its lines give.
func totalDifference(t settlement.Total) (store.Difference, bool) {
	if t.Stated == t.Counted {
		return store.Difference{}, false
	}
	d := store.Difference{Kind: findTotals, ExpectedMinor: t.Counted, SeenMinor: t.Stated, Currency: currencyOr(t.Currency, noCurrency)}
	if t.Currency == "" {
		d.Detail = "the file states " + itoa64(t.Stated) + " lines, and holds " + itoa64(t.Counted)
		return d, true
	}
	d.RiskMinor = abs(t.Stated - t.Counted)
	d.Detail = "the file states " + payment.FormatAmount(t.Stated, t.Currency) + " " + t.Currency + " as its total of " + t.What + ", its lines give " +
		payment.FormatAmount(t.Counted, t.Currency) + " (differs by " + payment.FormatAmount(t.Stated-t.Counted, t.Currency) + ")"
	return d, true
}
