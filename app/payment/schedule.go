package payment

import "hash/fnv"

// Milliseconds.
const (
	second = int64(1000)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// DefaultSchedule is when a new payment is asked about, in milliseconds after its creation.
func DefaultSchedule() []int64 {
	return []int64{30 * second, minute, 2 * minute, 5 * minute, 15 * minute, hour}
}

var defaultSchedule = DefaultSchedule()

// tail thins out after the first rungs; whole days follow.
var tail = [...]int64{3 * hour, 6 * hour, 12 * hour}

// ladder walks the instants at which an open payment is asked about, ascending whatever the schedule says.
type ladder struct {
	t      *Terms
	offset int64 // of the last rung, from creation
	at     int64 // instant of the last rung, with its jitter
}

func newLadder(t *Terms) ladder { return ladder{t: t, at: t.CreatedMs - second} }

// step takes the rung at an offset; it reports false at the end of the ladder, which is give-up time.
func (l *ladder) step(offset int64, n uint64) bool {
	offset = max(offset, l.offset)
	if offset >= l.t.GiveUpMs-l.t.CreatedMs {
		return false
	}
	gap := offset - l.offset
	l.at = max(l.t.CreatedMs+offset+jitter(l.t.PaymentID, n, gap), l.at+second)
	l.offset = offset
	return l.at < l.t.GiveUpMs
}

// jitter is up to a tenth of a gap, derived from the payment and the number of the attempt.
func jitter(id string, n uint64, gap int64) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	var b [8]byte
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	_, _ = h.Write(b[:])
	return int64(h.Sum64() % uint64(max(0, gap)/10+1))
}

// nextRung is the first rung after an instant, 0: none before give-up time.
func nextRung(t *Terms, after int64) (int64, AskKind) {
	l := newLadder(t)
	first := t.QueryScheduleMs
	if len(first) == 0 {
		first = defaultSchedule
	}
	for i, offset := range first {
		if !l.step(offset, uint64(i)) {
			return 0, ""
		}
		if l.at > after {
			return l.at, AskFirst
		}
	}
	return l.thinning(after)
}

func (l *ladder) thinning(after int64) (int64, AskKind) {
	for i, offset := range tail {
		if offset <= l.offset {
			continue
		}
		if !l.step(offset, 1000+uint64(i)) {
			return 0, ""
		}
		if l.at > after {
			return l.at, AskTail
		}
	}
	return l.days(after)
}

// days skips those long past, so that an old payment costs no more than a young one.
func (l *ladder) days(after int64) (int64, AskKind) {
	n := max(l.offset/day+1, (after-l.t.CreatedMs)/day-1)
	for ; ; n++ {
		l.offset = max(l.offset, (n-1)*day)
		if !l.step(n*day, 2000+uint64(n)) {
			return 0, ""
		}
		if l.at > after {
			return l.at, AskTail
		}
	}
}
