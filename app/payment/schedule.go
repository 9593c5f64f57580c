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

// step takes the rung at an offset, which numbers its jitter too; it reports false at the end of the ladder, which is give-up time.
func (l *ladder) step(offset int64) bool {
	offset = max(offset, l.offset)
	if offset >= l.t.GiveUpMs-l.t.CreatedMs {
		return false
	}
	l.at = max(l.t.CreatedMs+offset+jitter(l.t.PaymentID, uint64(offset), offset-l.offset), l.at+second)
	l.offset = offset
	return l.at < l.t.GiveUpMs
}

// jitter is up to a tenth of a gap, derived from the payment and a number that tells its questions apart: FNV-1a of the id and
// the number's eight bytes, the least first.
func jitter(id string, n uint64, gap int64) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	var b [8]byte
	for i := range b {
		b[i] = byte(n >> (8 * i))
	}
	_, _ = h.Write(b[:])
	return int64(h.Sum64() % uint64(gap/10+1))
}

// nextRung is the first rung after an instant, 0: none before give-up time.
func nextRung(t *Terms, after int64) (int64, AskKind) {
	l := ladder{t: t}
	first := t.QueryScheduleMs
	if len(first) == 0 {
		first = defaultSchedule
	}
	for _, offset := range first {
		if !l.step(offset) {
			return 0, ""
		}
		if l.at > after {
			return l.at, AskFirst
		}
	}
	return l.thinning(after)
}

func (l *ladder) thinning(after int64) (int64, AskKind) {
	for _, offset := range tail {
		if offset <= l.offset {
			continue
		}
		if !l.step(offset) {
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
	n := max(l.offset/day+1, (after-l.t.CreatedMs)/day)
	for ; ; n++ {
		l.offset = max(l.offset, (n-1)*day)
		if !l.step(n * day) {
			return 0, ""
		}
		if l.at > after {
			return l.at, AskTail
		}
	}
}
