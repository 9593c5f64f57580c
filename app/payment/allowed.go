package payment

import "fmt"

// Refusal is the reason why a decision is not allowed: Word is stable and meant for translation.
type Refusal struct {
	Word string
	Text string
}

// The words of a Refusal.
const (
	RefusedNotAllowed = "not_allowed"
	RefusedReason     = "reason_missing"
	RefusedSaw        = "version_unknown"
	RefusedAmount     = "amount_missing"
	RefusedOther      = "amount_differs"
	RefusedCurrency   = "currency_differs"
	RefusedBasis      = "basis_missing"
	RefusedReview     = "review_not_open"
	RefusedUnnamed    = "review_unnamed"
	RefusedUndo       = "nothing_to_undo"
)

// Error says what was refused and what to do instead.
func (r *Refusal) Error() string { return r.Text }

func refuse(word, format string, args ...any) error {
	return &Refusal{Word: word, Text: fmt.Sprintf(format, args...)}
}

// judge is what the table of allowed answers looks at.
type judge struct {
	s       Standing
	reviews []Review
	facts   []Fact
}

// allowedWhen is the table of allowed answers: for each act, when a person may choose it.
var allowedWhen = map[Act]func(j *judge) bool{
	ActMarkSucceeded: func(j *judge) bool { return j.s.State != Succeeded || j.lost() },
	ActAccept:        func(j *judge) bool { return j.open(ReasonDifference) || j.open(ReasonContradiction) },
	ActMarkFailed:    func(j *judge) bool { return !j.s.Settled() || j.s.Cause == NoAnswer || j.lost() },
	ActReject:        func(j *judge) bool { return j.s.Cause == Difference || j.s.Cause == Contradiction },
	ActMoneyBack:     func(j *judge) bool { return j.s.Reversed > 0 && j.takenBackByWord() },
	ActFulfil:        func(j *judge) bool { return j.s.Paid() && j.fulfillable() },
	ActRefund:        func(j *judge) bool { return j.s.Left() > 0 && !j.open(ReasonRefundOwed) },
	ActRefundProof:   func(j *judge) bool { return j.open(ReasonRefundOwed) },
	ActKeepBoth:      func(j *judge) bool { return j.open(ReasonDuplicate) || j.open(ReasonElsewhere) },
	ActIgnore:        func(j *judge) bool { return j.ignorable() },
	ActNote:          func(*judge) bool { return true },
	ActUndo:          func(j *judge) bool { return j.undoable() },
}

// Allowed lists the acts that a person may choose, in the order of Acts. The reviews may include the order's.
func Allowed(s Standing, reviews []Review, facts []Fact) []Act {
	j := &judge{s, reviews, facts}
	var list []Act
	for _, a := range Acts() {
		if allowedWhen[a](j) {
			list = append(list, a)
		}
	}
	return list
}

// open tells whether a review of the payment itself (not of one refund) is open for a reason.
func (j *judge) open(reason Reason) bool {
	for _, r := range j.reviews {
		if r.Reason == reason && (reason != ReasonDifference || r.Key == "") {
			return true
		}
	}
	return false
}

// lost: a success of which nothing is left because it was taken back.
func (j *judge) lost() bool { return j.s.State == Succeeded && !j.s.Paid() && j.s.Reversed > 0 }

func (j *judge) takenBackByWord() bool {
	for i := range j.facts {
		if j.facts[i].says(WordReversed) || j.facts[i].denies() {
			return true
		}
	}
	return false
}

// fulfillable: a duplicate at once, a late success once a query has confirmed it.
func (j *judge) fulfillable() bool {
	if j.open(ReasonLate) {
		return j.s.Fulfillable
	}
	return j.open(ReasonDuplicate)
}

// canIgnore tells whether leaving a review's evidence as it is changes nothing.
func (j *judge) canIgnore(r Review) bool {
	switch r.Reason {
	case ReasonDifference:
		return r.Key != "" || j.s.Cause != Difference
	case ReasonReversed, ReasonExcess, ReasonDoubleLoss, ReasonWaiting, ReasonMoved, ReasonElsewhere, ReasonUnmapped:
		return true
	}
	return false
}

func (j *judge) ignorable() bool {
	for _, r := range j.reviews {
		if j.canIgnore(r) {
			return true
		}
	}
	return false
}

// target finds the standing decision with an id, if it can be undone.
func (j *judge) target(id int64) bool {
	for i := range j.facts {
		f := &j.facts[i]
		if f.Kind == FactDecision && f.ID == id && f.Act != ActNote && f.Act != ActUndo && !undone(j.facts, f) {
			return true
		}
	}
	return false
}

func (j *judge) undoable() bool {
	for i := range j.facts {
		if j.target(j.facts[i].ID) {
			return true
		}
	}
	return false
}

// CheckDecision tells why a decision is not allowed on the facts that the person saw; nil: it is. A *Refusal explains.
func CheckDecision(t Terms, s Standing, reviews []Review, facts []Fact, decision Fact) error {
	j := &judge{s, reviews, facts}
	d := &decision
	allowed, known := allowedWhen[d.Act]
	if !known || !allowed(j) {
		return refuse(RefusedNotAllowed, "%q is not an answer to payment %s while it is %s; choose one of %v",
			d.Act, t.PaymentID, describe(s), Allowed(s, reviews, facts))
	}
	if d.Reason == "" {
		return refuse(RefusedReason, "%q on payment %s needs a reason; write in a few words what it rests on", d.Act, t.PaymentID)
	}
	if err := j.checkSaw(&t, d); err != nil {
		return err
	}
	return j.checkDetails(&t, d)
}

func describe(s Standing) string {
	if s.Cause == NoCause {
		return string(s.State)
	}
	return string(s.State) + " (" + string(s.Cause) + ")"
}

// checkSaw refuses a decision on facts that the person has not seen; a note decides nothing.
func (j *judge) checkSaw(t *Terms, d *Fact) error {
	for i := range j.facts {
		if d.Act != ActNote && d.Saw < j.facts[i].Version {
			return refuse(RefusedSaw, "payment %s has changed since version %d; look at it again and decide then", t.PaymentID, d.Saw)
		}
	}
	return nil
}

func (j *judge) checkDetails(t *Terms, d *Fact) error {
	switch d.Act {
	case ActMarkSucceeded:
		if d.Basis != BasisGateway && d.Basis != BasisElsewhere {
			return refuse(RefusedBasis, "marking payment %s as paid needs a basis: %q or %q", t.PaymentID, BasisGateway, BasisElsewhere)
		}
		if d.Basis == BasisGateway && j.lost() {
			return refuse(RefusedBasis, "the gateway took payment %s back; if it has returned the money choose %q", t.PaymentID, ActMoneyBack)
		}
		return checkAmount(t, d)
	case ActAccept:
		return j.checkAccept(t, d)
	case ActRefund:
		return j.checkRefund(t, d)
	case ActFulfil, ActKeepBoth, ActRefundProof, ActIgnore:
		return j.checkRef(t, d)
	case ActUndo:
		if !j.target(d.Refers) {
			return refuse(RefusedUndo, "payment %s has no decision %d that can be undone", t.PaymentID, d.Refers)
		}
	}
	return nil
}

func checkAmount(t *Terms, d *Fact) error {
	switch {
	case !d.HasAmount || d.Amount <= 0:
		return refuse(RefusedAmount, "%q on payment %s needs an amount above zero; type it as a confirmation", d.Act, t.PaymentID)
	case d.Currency != t.Currency:
		return refuse(RefusedCurrency, "%q on payment %s is in %s, not in %q", d.Act, t.PaymentID, t.Currency, d.Currency)
	}
	return nil
}

// checkAccept compares a typed amount with what would be received; where no word tells the amount, the person must.
func (j *judge) checkAccept(t *Terms, d *Fact) error {
	if d.Basis == BasisElsewhere {
		return refuse(RefusedBasis, "accepting what the gateway said of payment %s rests on the gateway; to record other money choose %q",
			t.PaymentID, ActMarkSucceeded)
	}
	e := evidence{t: *t, facts: j.facts}
	e.weigh()
	if d.HasAmount || e.gatewayPart() == 0 {
		if err := checkAmount(t, d); err != nil {
			return err
		}
	}
	if said := e.gatewayPart(); d.HasAmount && said > 0 && said != d.Amount {
		return refuse(RefusedOther, "the gateway said %s %s for payment %s, not %s; type that amount, or choose %q",
			FormatAmount(said, t.Currency), t.Currency, t.PaymentID, FormatAmount(d.Amount, t.Currency), ActMarkSucceeded)
	}
	return nil
}

func (j *judge) checkRefund(t *Terms, d *Fact) error {
	if err := checkAmount(t, d); err != nil {
		return err
	}
	if left := j.s.Left(); d.Amount > left {
		return refuse(RefusedOther, "only %s %s of payment %s is left to refund, not %s",
			FormatAmount(left, t.Currency), t.Currency, t.PaymentID, FormatAmount(d.Amount, t.Currency))
	}
	if left := j.s.Left(); d.Amount != left && (j.open(ReasonLate) || j.open(ReasonDuplicate)) {
		return refuse(RefusedOther, "payment %s is fulfilled or refunded whole: type %s %s", t.PaymentID, FormatAmount(left, t.Currency), t.Currency)
	}
	return j.checkRef(t, d)
}

// checkRef refuses an answer to a review that is not open. What is ignored must be named, and so must an order's
// duplicate, because its id says which payments were looked at.
func (j *judge) checkRef(t *Terms, d *Fact) error {
	if d.Ref == "" {
		if d.Act == ActIgnore || d.Act != ActRefundProof && j.open(ReasonDuplicate) {
			return refuse(RefusedUnnamed, "%q on payment %s must say which open review it answers; open that review and answer there", d.Act, t.PaymentID)
		}
		return nil
	}
	for _, r := range j.reviews {
		if r.ID() == d.Ref && (d.Act != ActIgnore || j.canIgnore(r)) {
			return nil
		}
	}
	return refuse(RefusedReview, "payment %s has no open review %q that %q could answer", t.PaymentID, d.Ref, d.Act)
}
