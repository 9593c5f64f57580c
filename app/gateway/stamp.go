package gateway

import (
	"fmt"
	"strconv"
	"time"
)

// stamp bounds how far the sender's clock may lie from the arrival.
type stamp struct {
	from         template
	unit         string
	past, future time.Duration // 0: no bound
	flagOnly     bool
}

func (s *stamp) check(v *view, at time.Time, p *proof) {
	got := s.from.read(v)
	t, ok := parseStamp(got.text, s.unit)
	if !ok {
		p.state, p.detail = sigWrong, "the time that belongs to the signature is missing or no time"
		return
	}
	p.skew = t.Sub(at)
	if s.past > 0 && -p.skew > s.past || s.future > 0 && p.skew > s.future {
		p.stale, p.flag = !s.flagOnly, true
		p.detail = fmt.Sprintf("the signature is right, but its time is %d s away from ours: a late delivery, a repeat of an old request, or a clock that is wrong",
			int64(p.skew.Abs()/time.Second))
	}
}

func parseStamp(s, unit string) (time.Time, bool) {
	if unit == "rfc3339" {
		t, err := time.Parse(time.RFC3339, s)
		return t, err == nil
	}
	n, ok := wholeNumber(s)
	if !ok {
		return time.Time{}, false
	}
	if unit == "ms" || unit == "auto" && n > 1e11 {
		return time.UnixMilli(n), true
	}
	return time.Unix(n, 0), true
}

// wholeNumber reads up to 15 digits and nothing else.
func wholeNumber(s string) (int64, bool) {
	if len(s) == 0 || len(s) > 15 {
		return 0, false
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}
