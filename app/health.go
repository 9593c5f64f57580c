package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"nodrop/app/gateway"
	"nodrop/store"
)

// loadHealth reads what was known of a gateway before the restart; a pause survives it.
func (e *Engine) loadHealth(ctx context.Context, a *account) error {
	return e.store.View(ctx, "gateway health", func(rx *store.Rx) error {
		s, err := rx.GatewayState(a.name)
		if err != nil {
			return err
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		if ms, read := a.skews.figure(); read {
			s.SkewMs = ms // later than what was stored
		}
		a.state = s
		return nil
	})
}

// noteAnswer keeps the count of errors in a row, the pause and the time since which nothing is answered. A time that does
// not count lies between the first and the last of many failures: a single one says nothing about the hours after it.
func (a *account) noteAnswer(e *Engine, answer gateway.Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := e.nowMs()
	s := &a.state
	s.Gateway = a.name
	a.noteDate(answer)
	if answered(answer.Class) {
		if s.Errors >= int64(e.pace.PauseAfter) && s.LastErrorMs-s.UnaskableMs >= e.pace.OffAfter.Milliseconds() {
			e.outages.add(store.Outage{Gateway: a.name, FromMs: s.UnaskableMs, ToMs: s.LastErrorMs})
		}
		s.LastAnswerMs, s.Errors, s.PausedUntilMs, s.UnaskableMs = now, 0, 0, 0
		return
	}
	s.LastErrorMs, s.LastError = now, answer.Class+": "+answer.Detail
	s.Errors++
	if s.UnaskableMs == 0 {
		s.UnaskableMs = now
	}
	if answer.RetryAfter > 0 {
		s.PausedUntilMs = max(s.PausedUntilMs, now+answer.RetryAfter.Milliseconds())
	}
	if over := s.Errors - int64(e.pace.PauseAfter); over >= 0 {
		pause := jittered(doubling(e.pace.Pause, e.pace.PauseMax, over), over, s.Errors)
		s.PausedUntilMs = max(s.PausedUntilMs, now+pause.Milliseconds())
	}
}

// outages remembers the times that do not count: a gateway could not be asked, or the appliance was off.
type outages struct {
	mu   sync.Mutex
	list []store.Outage
	news []store.Outage // not written down yet
}

func (o *outages) add(out store.Outage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, out)
	o.news = append(o.news, out)
}

// during sums the outages of a gateway and of the appliance between two instants; overlapping ones count once.
func (o *outages) during(gateway string, fromMs, toMs int64) (ms int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	end := fromMs
	for _, out := range o.list {
		if out.Gateway != gateway && out.Gateway != "" {
			continue
		}
		from, to := max(out.FromMs, end), min(out.ToMs, toMs)
		if to > from {
			ms += to - from
			end = to
		}
	}
	return ms
}

// begin finds out for how long the appliance was off, before anything is closed or given up.
func (e *Engine) begin(ctx context.Context) error {
	now := e.nowMs()
	return e.store.Update(ctx, "begin", func(tx *store.Tx) error {
		last, err := tx.Heartbeat()
		if err != nil {
			return err
		}
		if last != 0 && now-last > e.pace.OffAfter.Milliseconds() {
			if err := tx.NoteOutage(store.Outage{FromMs: last, ToMs: now}); err != nil {
				return err
			}
		}
		longAgo := now - (400 * 24 * time.Hour).Milliseconds() // no payment is asked about for longer
		if err := tx.PruneOutages(longAgo); err != nil {
			return err
		}
		list, err := tx.Outages(longAgo)
		if err != nil {
			return err
		}
		e.outages.mu.Lock()
		e.outages.list = list
		e.outages.mu.Unlock()
		for _, name := range e.names { // pages look gateways up before anything has come from them
			if err := tx.NoteArrival(name, 0, 0); err != nil {
				return err
			}
		}
		return tx.Beat(now)
	})
}

// keepOutages writes new outages down.
func (e *Engine) keepOutages(tx *store.Tx) error {
	e.outages.mu.Lock()
	news := e.outages.news
	e.outages.news = nil
	e.outages.mu.Unlock()
	for _, out := range news {
		if err := tx.NoteOutage(out); err != nil {
			return err
		}
	}
	return nil
}

// reviewUnaskable opens one review of a gateway that has answered nothing for long, and closes it when it answers again.
func (e *Engine) reviewUnaskable(tx *store.Tx, a *account, now int64) error {
	h := a.health()
	subject := unaskableSubject(a.name)
	if h.UnaskableMs == 0 || now-h.UnaskableMs < e.pace.UnaskableFor.Milliseconds() {
		return e.closeReview(tx, "gateway_unaskable", subject, now, "answers again")
	}
	return openUnaskable(tx, a.name, now)
}

func unaskableSubject(name string) string { return "gateway:" + name }

func openUnaskable(tx *store.Tx, name string, now int64) error {
	_, err := tx.OpenReview(store.Review{Kind: "gateway_unaskable", Subject: unaskableSubject(name), Gateway: name, Currency: noCurrency, Urgent: true, OpenedMs: now})
	return err
}

// reviewGone asks a person about gateways that are configured no more while notices of theirs wait to be matched.
func (e *Engine) reviewGone(ctx context.Context) error {
	var gone []string
	err := e.store.View(ctx, "gateways gone", func(rx *store.Rx) error {
		names, err := rx.GatewaysParkedAt()
		gone = slices.DeleteFunc(names, func(name string) bool { return e.gateways[name] != nil })
		return err
	})
	if err != nil || len(gone) == 0 {
		return err
	}
	return e.guard(ctx, "gateways gone", func(tx *store.Tx) error {
		for _, name := range gone {
			if err := openUnaskable(tx, name, e.nowMs()); err != nil {
				return err
			}
		}
		return nil
	})
}
