package payment

import (
	"encoding/binary"
	"slices"
	"testing"
)

// spread is the jitter by its definition: FNV-1a over the id and the number's eight bytes, the least first.
func spread(id string, n uint64, gap int64) int64 {
	h := uint64(14695981039346656037)
	for _, b := range binary.LittleEndian.AppendUint64([]byte(id), n) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return int64(h % uint64(gap/10+1))
}

// ladderOf computes the rungs at the given offsets by hand: each with its jitter, and at least a second after the one before.
func ladderOf(t Terms, offsets ...int64) []int64 {
	var list []int64
	var before, at int64
	for _, offset := range offsets {
		at = max(t.CreatedMs+offset+spread(t.PaymentID, uint64(offset), offset-before), at+second)
		list, before = append(list, at), offset
	}
	return list
}

func TestDefaultSchedule(t *testing.T) {
	if got := DefaultSchedule(); !slices.Equal(got, []int64{30_000, 60_000, 120_000, 300_000, 900_000, 3_600_000}) {
		t.Errorf("%v; want 30 s, 1 m, 2 m, 5 m, 15 m and 1 h", got)
	}
}

// Every rung, to the millisecond: the schedule, then three, six and twelve hours and whole days as far as they are later.
func TestLadderIsComputedByHand(t *testing.T) {
	for _, c := range []struct{ schedule, offsets []int64 }{
		{nil, []int64{30 * second, minute, 2 * minute, 5 * minute, 15 * minute, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 3 * day}},
		{[]int64{0, 0, 0}, []int64{0, 0, 0, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 3 * day}},
		{[]int64{hour, second, minute}, []int64{hour, hour, hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 3 * day}},
		{[]int64{-5, 10}, []int64{0, 10, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 3 * day}},
		{[]int64{3 * hour}, []int64{3 * hour, 6 * hour, 12 * hour, day, 2 * day, 3 * day}},
		{[]int64{12 * hour, 13 * hour}, []int64{12 * hour, 13 * hour, day, 2 * day, 3 * day}},
		{[]int64{30 * hour}, []int64{30 * hour, 2 * day, 3 * day}},
		{[]int64{day}, []int64{day, 2 * day, 3 * day}},
		{[]int64{day, 80 * hour}, []int64{day, 80 * hour}},
	} {
		for _, id := range []string{"pay_1", "pay_2", "pay_3"} {
			tm := terms()
			tm.PaymentID, tm.QueryScheduleMs, tm.CreatedMs = id, c.schedule, 1_900_000_000_000
			tm.GiveUpMs = tm.CreatedMs + 90*hour
			if got, want := rungsOf(tm, 100), ladderOf(tm, c.offsets...); !slices.Equal(got, want) {
				t.Errorf("%s, schedule %v: %v, want %v", id, c.schedule, got, want)
			}
		}
	}
}

// A rung at give-up time is none: the last question takes its place.
func TestNoRungAtGiveUpTime(t *testing.T) {
	tm := terms()
	rungs := ladderOf(tm, 30*second, minute, 2*minute)
	for end, want := range map[int64]int{rungs[1]: 1, rungs[1] + 1: 2, rungs[2]: 2, rungs[2] + 1: 3} {
		tm.GiveUpMs = end
		if got := rungsOf(tm, 100); !slices.Equal(got, rungs[:want]) {
			t.Errorf("given up at %d: %v, want %v", end, got, rungs[:want])
		}
	}
}

// A payment that is long open is asked about once a day, whichever rung comes next.
func TestDailyRungs(t *testing.T) {
	for _, id := range []string{"pay_1", "pay_2", "pay_3"} {
		tm := terms()
		tm.PaymentID, tm.CreatedMs = id, 1_900_000_000_000
		tm.GiveUpMs = tm.CreatedMs + 400*day
		rung := func(n int64) int64 { return tm.CreatedMs + n*day + spread(id, uint64(n*day), day) }
		for _, c := range []struct{ after, want int64 }{
			{rung(300) - 1, rung(300)}, {rung(300), rung(301)}, {tm.CreatedMs + 301*day - 1, rung(301)},
			{tm.CreatedMs + 301*day, rung(301)}, {tm.CreatedMs + 301*day + day/2, rung(302)}, {rung(399), 0},
		} {
			if got, _ := nextRung(&tm, c.after); got != c.want {
				t.Errorf("%s after %d: %d, want %d", id, c.after-tm.CreatedMs, got-tm.CreatedMs, c.want-tm.CreatedMs)
			}
		}
	}
}
