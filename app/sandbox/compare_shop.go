package sandbox

import (
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// told compares what the shop heard about one payment with nodrop and the truth.
func (c *comparison) told(a Account, p NodropPayment) {
	h := c.heard[a.Reference]
	if n := times(h.Events, "payment.succeeded"); n > 1 {
		c.differ(DiffToldTwice, a.Reference, "the shop was told payment.succeeded %d times", n)
	}
	if a.Taken == a.Asked && toldOver(h.Events) {
		c.differ(DiffToldFailed, a.Reference, "paid at the gateway, and the shop was last told %s", h.Events[len(h.Events)-1])
	}
	if p.State == "succeeded" && p.Late && slices.Contains(h.Events, "payment.succeeded") && !c.startedWell(h.Events) {
		c.differ(DiffState, a.Reference, "late success was told as payment.succeeded")
	}
	if !mustTell(p.State) {
		return
	}
	heard := phrase(h.Last.State, h.Last.Cause, h.Last.Late)
	switch {
	case len(h.Events) == 0:
		c.differ(DiffUntold, a.Reference, "nodrop says %s, the shop was told nothing", standing(p))
	case heard != standing(p):
		c.differ(DiffUntold, a.Reference, "nodrop says %s, the shop was last told %s", standing(p), heard)
	case h.Last.Received != p.Received || h.Last.Refunded != p.Refunded || h.Last.Reversed != p.Reversed:
		c.differ(DiffUntold, a.Reference, "the shop was told received %s, refunded %s, reversed %s; nodrop says %s, %s, %s",
			h.Last.Received, h.Last.Refunded, h.Last.Reversed, p.Received, p.Refunded, p.Reversed)
	}
}

// startedWell: the plain success was told before anything was called over.
func (c *comparison) startedWell(events []string) bool {
	good := slices.Index(events, "payment.succeeded")
	over := slices.IndexFunc(events, isOver)
	return over < 0 || good < over
}

func isOver(event string) bool { return event == "payment.failed" || event == "payment.closed" }

// toldOver reports whether the shop was told failed or closed and never, after that, of success.
func toldOver(events []string) bool {
	over := false
	for _, e := range events {
		if isOver(e) {
			over = true
		} else if isSuccess(e) {
			over = false
		}
	}
	return over
}

func isSuccess(event string) bool {
	return event == "payment.duplicate" || strings.HasPrefix(event, "payment.succeeded")
}

func mustTell(state string) bool {
	return state == "succeeded" || state == "failed" || state == "closed" || state == "unknown"
}

func times(events []string, event string) int {
	n := 0
	for _, e := range events {
		if e == event {
			n++
		}
	}
	return n
}

// order compares what was fulfilled with what was truly paid.
func (c *comparison) order(ref string, accounts []Account) {
	registered := slices.ContainsFunc(accounts, func(a Account) bool { return a.Plan.Story.Register != registerNever })
	fulfilled := len(c.orders[ref].Fulfilled)
	paid := slices.ContainsFunc(accounts, func(a Account) bool { return a.Taken > 0 })
	switch {
	case fulfilled > 1:
		c.differ(DiffShippedTwice, ref, "fulfilled %d times, under the keys %q", fulfilled, c.orders[ref].Fulfilled)
	case fulfilled == 1 && !paid:
		c.differ(DiffShippedNotPaid, ref, "fulfilled under %s, and nothing was paid at the gateway", c.orders[ref].Fulfilled[0])
	case fulfilled == 1 && !c.meant(accounts):
		c.differ(DiffShippedUnasked, ref, "fulfilled under %s, though it must wait for a person", c.orders[ref].Fulfilled[0])
	case fulfilled == 0 && paid && registered && !c.inReview(accounts):
		c.differ(DiffPaidNotShipped, ref, "paid at the gateway, not fulfilled, and no review is open")
	case fulfilled == 0 && c.must(accounts):
		c.differ(DiffPaidNotShipped, ref, "paid at the gateway and settled by nodrop, not fulfilled")
	}
}

func (c *comparison) inReview(accounts []Account) bool {
	return slices.ContainsFunc(accounts, func(a Account) bool { return len(reviews(c.nodrop[a.Reference])) > 0 })
}

// meant reports whether some right end of the stories has the order fulfilled.
func (c *comparison) meant(accounts []Account) bool {
	return slices.ContainsFunc(accounts, func(a Account) bool {
		return slices.ContainsFunc(a.Plan.Story.Right, func(r Right) bool { return r.Fulfilled })
	})
}

// must reports whether every right end of some story has the order fulfilled.
func (c *comparison) must(accounts []Account) bool {
	return slices.ContainsFunc(accounts, func(a Account) bool {
		return a.Taken > 0 && !slices.ContainsFunc(a.Plan.Story.Right, func(r Right) bool { return !r.Fulfilled })
	})
}
