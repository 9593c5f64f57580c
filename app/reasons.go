package app

import (
	"cmp"
	"slices"
	"sync"
)

// ReasonCount is how often, since the start, a gateway's requests were judged so.
type ReasonCount struct {
	Gateway, Verdict, Reason string
	Count                    int64
}

// reasons counts the judgements that say more than "accepted".
type reasons struct {
	mu     sync.Mutex
	counts map[ReasonCount]int64 // by all but Count
}

func (r *reasons) count(gateway, verdict, reason string) {
	if reason == "" {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[ReasonCount]int64{}
	}
	r.counts[ReasonCount{Gateway: gateway, Verdict: verdict, Reason: reason}]++
}

// ReasonCounts lists how often requests were refused, ignored or remarked on since the start, and why; gateways and words
// come from the configuration and from fixed lists.
func (e *Engine) ReasonCounts() []ReasonCount {
	e.reasons.mu.Lock()
	defer e.reasons.mu.Unlock()
	list := make([]ReasonCount, 0, len(e.reasons.counts))
	for c, n := range e.reasons.counts {
		c.Count = n
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(a.Gateway, b.Gateway), cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.Reason, b.Reason))
	})
	return list
}
