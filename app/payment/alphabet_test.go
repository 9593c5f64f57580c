package payment

// letter is one fact of the model's alphabet; it may be impossible before others have come.
type letter struct {
	name     string
	person   bool // a decision: each time that it is taken it is a fact of its own
	raced    bool // a decision that misses the last commit
	together bool // may come with others in one commit
	fact     func(w *world) (Fact, bool)
	sibling  func(w *world) bool // not a fact, but what becomes of another payment of the order
}

func plain(name string, f Fact) letter {
	return letter{name: name, together: true, fact: func(*world) (Fact, bool) { return f, true }}
}

// act is a person's decision who has seen everything but the last `behind` commits; its own time does not depend on the order.
func act(name string, f Fact, behind int64) letter {
	return letter{name: name, person: true, raced: behind > 0, fact: func(w *world) (Fact, bool) {
		d := f // several worlds take the letter at once
		d.OwnMs, d.Saw = 40*minute, w.version-behind
		return d, w.version > behind
	}}
}

// undoing undoes the last decision that stands.
func undoing() letter {
	return letter{name: "undo", person: true, fact: func(w *world) (Fact, bool) {
		for i := len(w.facts) - 1; i >= 0; i-- {
			if f := &w.facts[i]; f.Kind == FactDecision && f.Act != ActUndo && !undone(w.facts, f) {
				u := undo(f.ID)
				u.OwnMs = 41 * minute
				return u, true
			}
		}
		return Fact{}, false
	}}
}

// undoingUndo undoes the last undo that stands.
func undoingUndo() letter {
	return letter{name: "undo the undo", person: true, fact: func(w *world) (Fact, bool) {
		for i := len(w.facts) - 1; i >= 0; i-- {
			if f := &w.facts[i]; f.Act == ActUndo && !undone(w.facts, f) {
				u := undo(f.ID)
				u.OwnMs = 42 * minute
				return u, true
			}
		}
		return Fact{}, false
	}}
}

// holding ends the hold of a final notice, which must have come.
func holding(name string, word Word) letter {
	return letter{name: name, fact: func(w *world) (Fact, bool) {
		for i := range w.facts {
			if w.facts[i].says(word) && w.facts[i].Source == SourceNotice {
				return holdOver(w.facts[i].ID), true
			}
		}
		return Fact{}, false
	}}
}

// siblings are what becomes of another payment of the order: it is paid, and that is refunded.
func siblings() []letter {
	return []letter{
		{name: "P2 paid", sibling: func(w *world) bool {
			w.sibling = &Standing{State: Succeeded, Received: 10000}
			w.other = true
			return true
		}},
		{name: "P2 refunded", sibling: func(w *world) bool {
			if w.sibling == nil {
				return false
			}
			w.sibling = &Standing{State: Succeeded, Received: 10000, Refunded: 10000}
			w.other = false
			return true
		}},
	}
}

// common are the letters for gateways with and without a query.
func common() []letter {
	return []letter{
		plain("n+", paidNotice(10*minute)),
		plain("n90", notice(WordSucceeded, 11*minute).amount(9000)),
		plain("n-", notice(WordFailed, 8*minute)),
		plain("nx", notice(WordExpired, 9*minute)),
		plain("n?-", notice(WordAttemptFailed, 4*minute)),
		plain("n~", notice(WordAuthorised, 3*minute)),
		plain("n<", notice(WordReversed, 30*minute)),
		plain("hint", paidNotice(32*minute).hint()),
		plain("r30", refund("re_1", RefundSucceeded, 3000, 15*minute)),
		plain("r40 in all", running(4000, 18*minute)),
		plain("d-", dispute(DisputeLost, 10000, 19*minute)),
		plain("closed", shopClosed(35*minute)),
		act("fail", decision(ActMarkFailed), 0),
		act("accept", decision(ActAccept), 0),
		act("cash", elsewhere(), 0),
		act("back", decision(ActMoneyBack), 0),
		undoing(),
		siblings()[0],
		siblings()[1],
	}
}

// core is the alphabet that is explored to the full depth where the gateway can be asked, 28 letters: of notices a success, another
// amount, failed, expired, a failed attempt, authorised, reversed and a hint; a refund, a running total and a lost dispute; of answers a
// success, another amount, two failed, cancelled, two not found and an unreadable one; giving up; the shop's closing; a person's failed,
// accept, cash, money back and undo; and another payment of the order that is paid or refunded.
func core() []letter {
	return append(common(),
		plain("q+", paidQuery(20*minute)),
		plain("q90", query(WordSucceeded, 21*minute).amount(9000)),
		plain("q-5", query(WordFailed, 5*minute)),
		plain("q-25", query(WordFailed, 25*minute)),
		plain("q-36", query(WordCancelled, 36*minute)),
		plain("q404 young", query(WordNotFound, 1*minute)),
		plain("q404 old", query(WordNotFound, 47*hour)),
		plain("q html", query(WordUnreadable, 24*minute)),
		plain("gave up ~", gaveUp(WordProcessing, 48*hour)),
	)
}

// coreWithoutQuery is its like where it cannot, 22 letters: no answers, but the ends of holds.
func coreWithoutQuery() []letter {
	return append(common(), holding("failed held", WordFailed),
		holding("expired held", WordExpired), plain("gave up", gaveUp("", 48*hour)))
}

// rare are letters that add less to what has happened: words that settle nothing, a decision that raced a fact, small money.
func rare() []letter {
	return []letter{
		plain("n?", notice(WordPending, 2*minute)),
		plain("r30-", refund("re_1", RefundFailed, 3000, 16*minute)),
		plain("r100", refund("re_2", RefundSucceeded, 10000, 17*minute)),
		plain("r$", refund("re_3", RefundSucceeded, 3000, 15*minute).in("USD")),
		plain("d?", dispute(DisputeOpen, 4000, 18*minute)),
		plain("d+", dispute(DisputeWon, 10000, 23*minute)),
		plain("unmapped", unmapped(9*minute)),
		plain("report", paidNotice(31*minute).report()),
		plain("reopened", shopReopened(37*minute)),
		act("fail raced", decision(ActMarkFailed), 1),
		act("cash raced", elsewhere(), 1),
		act("vouch", vouched(), 0),
		act("reject", decision(ActReject), 0),
		act("refund", decision(ActRefund).amount(10000), 0),
		act("proof", decision(ActRefundProof), 0),
		act("fulfil", decision(ActFulfil), 0),
		act("both", decision(ActKeepBoth), 0),
		undoingUndo(),
	}
}

// full are all 51 letters where the gateway can be asked: the core's, the rare ones and some more answers and ends.
func full() []letter {
	return append(append(core(), rare()...),
		plain("q?", query(WordPending, 22*minute)),
		plain("q?-", query(WordAttemptFailed, 23*minute)),
		plain("q<", query(WordReversed, 33*minute)),
		plain("gave up ?", gaveUp(WordPending, 48*hour)),
		plain("gave up 404", neverHeard(48*hour)),
	)
}

// fullWithoutQuery are all 40 where it cannot.
func fullWithoutQuery() []letter { return append(coreWithoutQuery(), rare()...) }

// payerCreates are the terms of a gateway that knows of nothing before the payer acts.
func payerCreates() Terms {
	t := terms()
	t.PayerCreates = true
	return t
}
