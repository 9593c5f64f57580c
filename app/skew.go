package app

import (
	"slices"

	"nodrop/app/gateway"
	"nodrop/store"
)

// staleReason is why a request is refused whose signature is right and whose time is not.
const staleReason = "stale_timestamp"

// skewReadings is how many of the last readings of a gateway's clock are kept; one that is far off moves their median little.
const skewReadings = 9

// skews are the last readings of one gateway's clock against ours. The date of an answer is the clock itself; a signed
// notice may have been held up, so its time counts only while there are few answers.
type skews struct{ answers, notices readings }

// reading is the gateway's clock minus ours, and the instant that the gateway stated, both in milliseconds.
type reading struct{ skewMs, statedMs int64 }

type readings []reading

// add keeps a reading; the same request sent again says nothing new.
func (r *readings) add(one reading) {
	if slices.ContainsFunc(*r, func(old reading) bool { return old.statedMs == one.statedMs }) {
		return
	}
	*r = append(*r, one)
	if over := len(*r) - skewReadings; over > 0 {
		*r = slices.Delete(*r, 0, over)
	}
}

// figure is the median of what is most to be trusted; false: too little was read yet. One or two notices that are late may
// have been held up, and say nothing of any clock.
func (s *skews) figure() (ms int64, ok bool) {
	const enough = 3
	list := s.answers
	if len(list) < enough && len(s.notices) > 0 {
		list = append(slices.Clone(list), s.notices...)
	}
	if len(s.answers) == 0 && len(list) < enough {
		return 0, false
	}
	sorted := make([]int64, len(list))
	for i, r := range list {
		sorted[i] = r.skewMs
	}
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2], true
}

// noteSigned reads the clock from a notice whose signature is right, be it in time or not. What was refused for any other
// reason proves nothing.
func (a *account) noteSigned(r gateway.Request, rd gateway.Reading) {
	if rd.SkewMs == 0 || rd.Verdict == gateway.Refused && rd.Reason != staleReason {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.skews.notices.add(reading{skewMs: rd.SkewMs, statedMs: r.At.UnixMilli() + rd.SkewMs})
	if ms, read := a.skews.figure(); read {
		a.state.SkewMs = ms
	}
}

// noteDate reads the clock from the date of an answer; a.mu is held.
func (a *account) noteDate(answer gateway.Answer) {
	if answer.ServerDate.IsZero() {
		return
	}
	stated := answer.ServerDate.UnixMilli()
	a.skews.answers.add(reading{skewMs: stated - answer.AskedAt.UnixMilli(), statedMs: stated})
	a.state.SkewMs, _ = a.skews.figure()
}

// askOfLate has the gateway asked about the payments that a notice names which came too late, or from another clock.
// Nothing of it is applied, for it may be an old one sent again; what is true now is worth a question of the hints' budget.
func (e *Engine) askOfLate(tx *store.Tx, a *account, late []gateway.Observation, at int64) error {
	for i := range late {
		if late[i].Verdict != gateway.Accepted {
			continue
		}
		id, err := paymentNamed(tx, a, &late[i])
		if err == nil && id != 0 {
			_, err = e.askAgain(tx, a, id, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// paymentNamed finds the payment that an observation names, and binds nothing; 0: none that we know.
func paymentNamed(tx *store.Tx, a *account, o *gateway.Observation) (int64, error) {
	for _, ref := range o.Refs {
		if id, ok, err := tx.PaymentOfRef(a.name, store.GatewayRef{Kind: ref.Kind, Ref: ref.ID}); ok || err != nil {
			return id, err
		}
	}
	if o.MerchantRef == "" {
		return 0, nil
	}
	list, err := tx.PaymentsByMerchantRef(a.name, o.MerchantRef)
	if err != nil || len(list) == 0 {
		return 0, err
	}
	return list[0].ID, nil
}
