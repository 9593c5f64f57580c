package web

import (
	"nodrop/app"
	"nodrop/app/payment"
	"nodrop/store"
	"nodrop/templates"
)

// approvalWanted is the kind of review that asks whether a decision above the limit is approved.
const approvalWanted = "approval_wanted"

// approval tells of the decision that a question asks to approve, or links the one that waits about its payment.
func (v *visit) approval(rx *store.Rx, r store.Review, p store.Payment) ([]templates.Row, error) {
	if r.Kind == approvalWanted {
		made, ok, err := rx.Proposal(r.ID)
		if err != nil || !ok {
			return nil, err
		}
		return v.proposed(made, p), nil
	}
	all, err := rx.ReviewsOfPayment(p.ID)
	for _, w := range all {
		if w.Kind == approvalWanted && w.State == "open" {
			link := templates.Link{Text: v.lang.T("A decision that waits for approval"), Href: numbered("/reviews", w.ID)}
			return []templates.Row{{Name: v.lang.T("Decided already"), Link: link}}, err
		}
	}
	return nil, err
}

// proposed says what was decided, by whom and why.
func (v *visit) proposed(made store.Proposal, p store.Payment) []templates.Row {
	rows := []templates.Row{{Name: v.lang.T("Decision"), Value: v.lang.word("act", made.Act)}, {Name: v.lang.T("Made by"), Value: visible(made.Actor)}}
	if minor, err := payment.ParseAmount(made.Amount, p.Currency); err == nil {
		rows = append(rows, templates.Row{Name: v.lang.T("Amount typed"), Value: money(minor, p.Currency)})
	}
	if made.Basis != "" {
		rows = append(rows, templates.Row{Name: v.lang.T("Based on"), Value: v.lang.word("basis", made.Basis)})
	}
	rows = append(rows, templates.Row{Name: v.lang.T("Its reason"), Value: visible(made.Reason)})
	if made.Answers != 0 {
		rows = append(rows, templates.Row{Name: v.lang.T("It answers"), Link: templates.Link{Text: v.lang.T("This question"), Href: numbered("/reviews", made.Answers)}})
	}
	return rows
}

// withoutOwn keeps the person who made a decision from approving it.
func (v *visit) withoutOwn(r store.Review, choices []app.Choice) ([]app.Choice, error) {
	if r.Kind != approvalWanted {
		return choices, nil
	}
	made, _, err := v.engine.ProposalOf(v.r.Context(), r.ID)
	for i := range choices {
		if choices[i].Act == app.ActApprove && made.Actor == v.user.Name {
			choices[i].Blocked = "own_decision"
		}
	}
	return choices, err
}
