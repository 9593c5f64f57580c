package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nodrop/app/payment"
	"nodrop/store"
)

// simAnswers is how the person answers each kind of review: one of these acts, if it is allowed; else any that is.
var simAnswers = map[string][]string{
	"difference": {"accept", "accept", "reject", "mark_succeeded"}, "late": {"fulfil", "fulfil", "refund"}, "duplicate": {"refund", "refund", "keep_both"},
	"refund_owed": {"refund_proof"}, "reversed": {"ignore", "money_back"}, "claim_overdue": {ActRelease}, "dead_outbox": {ActResend},
	approvalKind: {ActApprove, ActApprove, ActApprove, ActTurnDown}, "same_key_other_content": {ActDismiss},
	"dead_inbox": {ActReplay}, "shop_gone": {ActResume}, "money_without_order": {ActDismiss}, "reference_conflict": {ActDismiss},
}

// answerReviews has the person look at the queue and answer what has been there for some hours.
func (s *simulation) answerReviews() {
	if !s.up {
		return
	}
	var list []store.Review
	err := s.view(func(rx *store.Rx) (err error) {
		list, err = rx.OpenReviews("", s.e.nowMs(), false, 200)
		return err
	})
	if !s.worked("reviews", err) {
		return
	}
	for _, v := range list {
		if v.Kind == unsoundKind {
			s.find("the nightly check found the database unsound")
		}
		if s.e.nowMs()-v.OpenedMs < s.between(1, 12)*simHour || v.Kind == "money_without_order" && s.e.nowMs()-v.OpenedMs < simDay {
			continue
		}
		s.answerReview(v)
		if !s.up {
			return
		}
	}
}

// answerReview makes one decision, sometimes with a double click and sometimes on a stale page.
func (s *simulation) answerReview(v store.Review) {
	if s.chance(50) {
		s.snooze(v)
		return
	}
	act, ok := s.choose(v)
	if !ok {
		return
	}
	d := Decision{Actor: "ana", ReviewID: v.ID, Act: act, Reason: "looked into it"}
	if act == ActApprove {
		d.Actor = "ben"
	}
	if act == ActLink {
		d.LinkTo = s.meant(v)
	}
	if (ruled(act) || recorded[act] != "") && !s.detail(&d, v) {
		return
	}
	if s.chance(100) {
		s.after(s.between(simHour, 20*simHour), func() { s.decide(d, v.Kind) })
		return
	}
	s.decide(d, v.Kind)
}

func (s *simulation) decide(d Decision, kind string) {
	if !s.up {
		return
	}
	s.seq++
	d.FormKey = fmt.Sprintf("form-%d", s.seq)
	s.touch()
	made, _, err := s.e.ProposalOf(s.t.Context(), d.ReviewID)
	if !s.worked("proposal", err) {
		return
	}
	waits, err := s.e.Submit(s.t.Context(), d)
	if !s.worked("decide", err) {
		s.count["decisions refused"]++
		return
	}
	s.count["decisions"]++
	if waits {
		s.count["decisions that wait for a second person"]++
	} else {
		s.count["answered "+kind]++
		s.count["answer "+d.Act]++
	}
	if s.chance(100) {
		s.count["double clicks"]++
		if err := s.e.Decide(s.t.Context(), d); !s.worked("decide", err) && s.up && KindOf(err) != KindBusy {
			s.find("the second click of %s on review %d: %v", d.Act, d.ReviewID, err)
		}
	}
	switch {
	case waits:
	case d.Act == ActApprove && made.Act == string(payment.ActRefund):
		s.refundAsDecided(s.row(made.PaymentID).PublicID, made.Amount)
	case d.Act == string(payment.ActRefund):
		s.refundAsDecided(d.PaymentID, d.Amount)
	case ruled(d.Act) && s.chance(50):
		s.after(s.between(simHour, simDay), func() { s.undo(d.PaymentID) })
	}
}

// choose takes an act that the review's page offers.
func (s *simulation) choose(v store.Review) (string, bool) {
	choices, err := s.e.ReviewChoices(s.t.Context(), v.ID)
	if !s.worked("choices", err) {
		return "", false
	}
	var allowed []string
	for _, c := range choices {
		if c.Blocked == "" && !slices.Contains([]string{ActSnooze, ActLink, ActReopen}, c.Act) {
			allowed = append(allowed, c.Act)
		}
	}
	if len(allowed) == 0 {
		return "", false
	}
	liked := simAnswers[v.Kind]
	if s.meant(v) != "" {
		return ActLink, true
	}
	switch v.Kind {
	case "no_answer", "contradiction":
		liked = s.byTheTruth(v.PaymentID)
	case unprovedReturnKind, string(payment.ReasonWaiting):
		liked = s.returnByTheTruth(v)
	}
	if len(liked) > 0 {
		if act := liked[s.rng.IntN(len(liked))]; slices.Contains(allowed, act) {
			return act, true
		}
	}
	return allowed[s.rng.IntN(len(allowed))], true
}

// snooze puts a review off for some hours or days.
func (s *simulation) snooze(v store.Review) {
	until := time.UnixMilli(s.e.nowMs() + s.between(simHour, 3*simDay))
	s.decide(Decision{Actor: "ana", ReviewID: v.ID, Act: ActSnooze, Until: until}, v.Kind)
}

// meant finds for a notice under a reference that nobody registered the payment whose reference the shop had mistyped; the
// notices after the first name its id, and yet another reference.
func (s *simulation) meant(v store.Review) (publicID string) {
	if v.Kind != "money_without_order" && v.Kind != "reference_conflict" {
		return ""
	}
	err := s.view(func(rx *store.Rx) error {
		w, ok, err := rx.GetWork(v.InboxID)
		if truth := s.refs[w.Gateway+" "+w.MerchantRef]; ok && len(truth) > 0 && truth[0].mistyped != "" {
			publicID = truth[0].public
		}
		return err
	})
	s.worked("meant", err)
	return publicID
}

// byTheTruth is what somebody decides who has looked into the gateway's dashboard.
func (s *simulation) byTheTruth(id int64) []string {
	if p := s.truthOf(id); p != nil && p.paidAt(s.now) {
		return []string{"accept", "mark_succeeded"}
	}
	return []string{"reject", "mark_failed"}
}

// returnByTheTruth is what somebody records of a refund or dispute who has looked into the gateway's dashboard.
func (s *simulation) returnByTheTruth(v store.Review) []string {
	if strings.Contains(v.Subject, ":"+string(payment.FactRefund)+":") {
		return []string{ActRecordRefund}
	}
	status := payment.DisputeOpen
	if p := s.truthOf(v.PaymentID); p != nil {
		for _, b := range p.backs {
			if b.dispute {
				status = b.status
			}
		}
	}
	switch {
	case status == payment.DisputeLost:
		return []string{ActRecordLoss}
	case status == payment.DisputeOpen:
		return []string{ActRecordDispute}
	case v.Kind == unprovedReturnKind:
		return []string{ActDismiss}
	}
	return []string{ActRecordNone}
}

func (s *simulation) row(id int64) (p store.Payment) {
	err := s.view(func(rx *store.Rx) (err error) { p, _, err = rx.Payment(id); return err })
	s.worked("payment", err)
	return p
}

func (s *simulation) truthOf(id int64) *simPayment { return s.truthAbout(s.row(id)) }

// truthAbout finds the truth behind a payment of nodrop's; of several tries the one that it is, else the one that is paid.
func (s *simulation) truthAbout(row store.Payment) (truth *simPayment) {
	if typo := s.refs["mistyped "+row.Gateway+" "+row.MerchantRef]; len(typo) > 0 {
		return typo[0]
	}
	for _, p := range s.refs[row.Gateway+" "+row.MerchantRef] {
		if p.id == row.Attempt {
			return p
		}
		if truth == nil || row.Attempt == "" && len(truth.words) > 0 && !truth.paidAt(s.now) && p.paidAt(s.now) {
			truth = p
		}
	}
	return truth
}

// detail says which payment a decision is about, as it stands, and types the amount.
func (s *simulation) detail(d *Decision, v store.Review) bool {
	row := s.row(v.PaymentID)
	if v.PaymentID == 0 {
		var all []store.Payment
		err := s.view(func(rx *store.Rx) (err error) { all, err = rx.PaymentsOfOrder(v.OrderID); return err })
		if !s.worked("order", err) {
			return false
		}
		all = slices.DeleteFunc(all, func(p store.Payment) bool { return !p.Paid })
		if len(all) == 0 {
			return false
		}
		row = all[len(all)-1]
	}
	d.PaymentID, d.Version = row.PublicID, row.Version
	amount := row.AmountMinor
	switch payment.Act(d.Act) {
	case payment.ActRefund:
		amount = row.ReceivedMinor - row.RefundedMinor - row.ReversedMinor
	case payment.ActAccept:
		if row.ReceivedMinor > 0 {
			amount = row.ReceivedMinor
		}
	case payment.ActMarkSucceeded:
		d.Basis = string(payment.BasisGateway)
		if s.chance(200) {
			d.Basis = string(payment.BasisElsewhere)
		}
	default:
		if recorded[d.Act] == "" {
			return true
		}
		amount = v.AmountMinor
	}
	d.Amount = payment.FormatAmount(amount, row.Currency)
	return true
}

// refundAsDecided has the money go back at the gateway some hours after a person decided so.
func (s *simulation) refundAsDecided(publicID, amount string) {
	s.count["refunds decided"]++
	for _, p := range s.payments {
		if p.public != publicID {
			continue
		}
		minor, err := payment.ParseAmount(strings.TrimSpace(amount), "PHP")
		if err != nil {
			s.find("amount %q: %v", amount, err)
		}
		s.refunded(p, s.between(simHour, 30*simHour), minor)
	}
}

// undo takes a person's last decision back, by a further one.
func (s *simulation) undo(publicID string) {
	if !s.up || publicID == "" {
		return
	}
	choices, err := s.e.PaymentChoices(s.t.Context(), publicID)
	if !s.worked("choices", err) {
		return
	}
	for _, c := range choices {
		if c.Act != string(payment.ActUndo) || c.Blocked != "" {
			continue
		}
		v, err := s.e.Payment(s.t.Context(), publicID)
		if !s.worked("payment", err) {
			return
		}
		s.count["undone"]++
		s.decide(Decision{Actor: "ben", PaymentID: publicID, Version: v.Version, Act: c.Act, Refers: c.Refers, Reason: "a mistake"}, "by undo")
	}
}
