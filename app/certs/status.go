package certs

import (
	"time"
)

// Trouble says in a word what a person should know of a certificate.
type Trouble string

// The kinds of trouble, the worst first.
const (
	Missing Trouble = "missing" // there is none yet: senders cannot connect
	Ended   Trouble = "ended"   // senders refuse it
	Ending  Trouble = "ending"  // it ends soon and was not renewed
	Link    Trouble = "link"    // a certificate beside the leaf has ended and is left out
	Fine    Trouble = ""
)

// Status is what is known of the certificate of one host name; instants are UTC milliseconds, 0: never or unknown.
type Status struct {
	Site
	EndsMs   int64 // when the first certificate that is served ends; 0: there is none
	NextMs   int64 // when the next one is asked for; 0: we do not ask
	Tries    int64 // failures in a row
	FailedMs int64 // the last of them
	Error    string
	Trouble  Trouble
	Urgent   bool
}

// A certificate that was not renewed is worth a word below the first, and urgent below the second; a short-lived one
// below a quarter of its lifetime.
const (
	warnBefore   = 21 * day
	urgentBefore = 7 * day
)

// status judges a site at an instant.
func (s *site) status(now time.Time) Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{Site: s.Site, Tries: s.failure.Tries, FailedMs: s.failure.FailedMs, Error: s.failure.Error}
	if !s.files() {
		st.NextMs = max(now.UnixMilli(), s.due(now).UnixMilli())
	}
	if s.current == nil {
		st.Trouble, st.Urgent = Missing, true
		return st
	}
	end := s.current.ends(now)
	st.EndsMs = end.UnixMilli()
	left := end.Sub(now)
	switch {
	case left <= 0:
		st.Trouble, st.Urgent = Ended, true
	case left < min(warnBefore, s.current.lifetime()/4) && (s.files() || s.failure.Tries > 0):
		st.Trouble, st.Urgent = Ending, left < min(urgentBefore, s.current.lifetime()/12)
	case s.current.linkEnded(now):
		st.Trouble = Link
	}
	return st
}
