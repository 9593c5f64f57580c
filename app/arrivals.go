package app

import (
	"context"
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"nodrop/store"
)

// refusedRate bounds how many refused requests of one gateway are written down each second; the rest is only counted.
const refusedRate = 20

// arrivals remembers, between two rounds of housekeeping, when each gateway last sent something.
type arrivals struct {
	mu   sync.Mutex
	seen seen
	keep map[string]*rate.Limiter
	gets map[string]Misdirected // by gateway
}

// seen holds instants in UTC milliseconds.
type seen struct {
	webhook map[string]int64    // by gateway
	refused map[string]int64    // by gateway
	matches map[[2]string]int64 // by gateway and key
}

func newSeen() seen {
	return seen{webhook: map[string]int64{}, refused: map[string]int64{}, matches: map[[2]string]int64{}}
}

func newArrivals() arrivals {
	return arrivals{seen: newSeen(), keep: map[string]*rate.Limiter{}, gets: map[string]Misdirected{}}
}

func (s *arrivals) note(gateway string, ms int64, refused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if refused {
		s.seen.refused[gateway] = ms
		return
	}
	s.seen.webhook[gateway] = ms
}

// lastOf gives what is not written down yet of a gateway's last arrivals.
func (s *arrivals) lastOf(gateway string) (webhookMs, refusedMs int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.webhook[gateway], s.seen.refused[gateway]
}

// match remembers when a key of a gateway verified a request.
func (s *arrivals) match(gateway, key string, ms int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := [2]string{gateway, key}
	s.seen.matches[at] = max(s.seen.matches[at], ms)
}

// matchesOf gives the matches of a gateway's keys that are not written down yet.
func (s *arrivals) matchesOf(gateway string) map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := map[string]int64{}
	for at, ms := range s.seen.matches {
		if at[0] == gateway {
			list[at[1]] = ms
		}
	}
	return list
}

// Misdirected counts, since the start, requests by GET to an address that takes none. Most often a redirect on the way has
// made one of a notice and dropped its body.
type Misdirected struct{ Count, LastMs int64 }

// NoteMisdirected counts a request by GET to a gateway's address that takes none; nothing of it is stored.
func (e *Engine) NoteMisdirected(gateway string, atMs int64) {
	e.reasons.count(gateway, "refused", "wrong_method")
	s := &e.arrivals
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gets[gateway] = Misdirected{s.gets[gateway].Count + 1, max(s.gets[gateway].LastMs, atMs)}
}

func (s *arrivals) misdirected(gateway string) Misdirected {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gets[gateway]
}

func (s *arrivals) mayKeep(gateway string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.keep[gateway]
	if l == nil {
		l = rate.NewLimiter(refusedRate, refusedRate)
		s.keep[gateway] = l
	}
	return l.AllowN(now, 1)
}

func (s *arrivals) take() seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.seen
	s.seen = newSeen()
	return taken
}

// giveBack remembers what could not be written down, beside what was seen meanwhile.
func (s *arrivals) giveBack(old seen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	newer(s.seen.webhook, old.webhook)
	newer(s.seen.refused, old.refused)
	newer(s.seen.matches, old.matches)
}

func newer[K comparable](into, from map[K]int64) {
	for k, ms := range from {
		into[k] = max(into[k], ms)
	}
}

// flushArrivals writes down when each gateway last sent something and which of its keys matched.
func (e *Engine) flushArrivals(ctx context.Context) error {
	taken := e.arrivals.take()
	if len(taken.webhook)+len(taken.refused)+len(taken.matches) == 0 {
		return nil
	}
	err := e.store.UpdateLow(ctx, "arrivals", func(tx *store.Tx) error { return writeSeen(tx, taken) })
	if err != nil {
		e.arrivals.giveBack(taken)
	}
	return err
}

func writeSeen(tx *store.Tx, s seen) error {
	names := maps.Clone(s.webhook)
	for name := range s.refused {
		names[name] += 0
	}
	for name := range names {
		if err := tx.NoteArrival(name, s.webhook[name], s.refused[name]); err != nil {
			return err
		}
	}
	for at, ms := range s.matches {
		if err := tx.NoteMatch(at[0], at[1], ms); err != nil {
			return err
		}
	}
	return nil
}
