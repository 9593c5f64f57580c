package gateway

import "time"

// Facts is what a definition states beside the wire format.
type Facts struct {
	Title         string
	GraceMs       int64 // milliseconds after expires_at before the last question
	PayerCreates  bool  // nothing exists at the gateway before the payer acts
	FailureHoldMs int64 // how long a final failure waits where there is no query
	AttemptKind   string
	AckDeadline   time.Duration
	RetryHorizon  time.Duration
	Status        string // verified or unconfirmed
	Notes         []string
	Events        []string // event types to subscribe to
	ResendHint    string   // where to send a notice again by hand
	Needs         []string // keys of the instance
	Where         map[string]string
	Final         []string
	MayTurn       []string
	QueryRate     string   // what the gateway bears where that is less than the default: "20/m"
	Confirm       []string // what to confirm in a sandbox
	Variants      []string // ways in which accounts differ; the first is the default
	Networks      []string // where requests come from in this mode
}

const defaultFailureHold = 10 * time.Minute

// Facts returns what the definition states.
func (g *Gateway) Facts() Facts {
	f := g.spec.Facts
	hold := time.Duration(f.FailureHold)
	if hold == 0 {
		hold = defaultFailureHold
	}
	return Facts{Title: g.spec.Title, GraceMs: time.Duration(f.Grace).Milliseconds(), PayerCreates: f.PayerCreates,
		FailureHoldMs: hold.Milliseconds(), AttemptKind: f.AttemptKind, AckDeadline: time.Duration(f.AckDeadline),
		RetryHorizon: time.Duration(f.RetryHorizon), Status: g.spec.Status, Notes: g.spec.Notes, Events: f.Events,
		ResendHint: f.Resend, Needs: g.spec.Needs, Where: f.Where, Final: f.Final, MayTurn: f.MayTurn,
		QueryRate: f.QueryRate, Confirm: f.Confirm, Variants: g.spec.Variants, Networks: g.networksOfMode()}
}

func (c *compiler) facts(s Spec) {
	c.oneOf(c.prefix+"status", s.Status, "verified", "unconfirmed")
	if s.Title == "" {
		c.add("title", "the definition has no name", `write title = "Name of the gateway"`)
	}
	for _, w := range s.Facts.Final {
		c.oneOf(c.prefix+"facts.final", w, allowedWords[KindPayment]...)
	}
	for _, w := range s.Facts.MayTurn {
		c.oneOf(c.prefix+"facts.may_turn", w, allowedWords[KindPayment]...)
	}
	for key := range s.Facts.Where {
		if key == "" {
			c.add("facts.where", "a place has no key", "write the key of the instance that it is about")
		}
	}
}
