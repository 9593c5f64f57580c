package app

import (
	"hash/fnv"
	"strconv"
	"time"
)

// Pace holds the waits of the engine's loops, so that a demonstration can compress them.
type Pace struct {
	WorkRetry     time.Duration // first wait after a failure that may heal; doubles
	WorkTries     int           // then a dead letter
	Batch         int           // inbox rows worked on in one commit
	AskLease      time.Duration // a question not answered by then is asked again
	AskRetry      time.Duration // first wait after an unanswered question; doubles
	AskRetryMax   time.Duration
	PauseAfter    int           // unanswered questions in a row before a gateway is paused
	Pause         time.Duration // first pause; doubles
	PauseMax      time.Duration
	UnaskableFor  time.Duration   // then a review of the gateway
	SendRetries   []time.Duration // waits between attempts to tell the shop
	SendFor       time.Duration   // then a dead letter
	UnansweredFor time.Duration   // a payment's questions alone without an answer: then a review
	ScanSlack     time.Duration   // a question overdue by more is the scan's to restore
	Keep          time.Duration   // interval of housekeeping
	OffAfter      time.Duration   // a longer silence of our own counts as an outage
}

// DefaultPace is the pace of a real appliance.
func DefaultPace() Pace {
	return Pace{
		WorkRetry: time.Second, WorkTries: 8, Batch: 256,
		AskLease: 2 * time.Minute, AskRetry: 15 * time.Second, AskRetryMax: time.Hour,
		PauseAfter: 5, Pause: 30 * time.Second, PauseMax: 15 * time.Minute, UnaskableFor: 15 * time.Minute, UnansweredFor: 24 * time.Hour,
		SendRetries: []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour},
		SendFor:     72 * time.Hour,
		ScanSlack:   10 * time.Minute, Keep: 5 * time.Second, OffAfter: 5 * time.Minute,
	}
}

// jittered lengthens a wait by up to a fifth, derived from what it is for, so that a schedule can be reproduced.
func jittered(d time.Duration, id int64, attempt int64) time.Duration {
	h := fnv.New64a()
	h.Write(strconv.AppendInt(strconv.AppendInt(nil, id, 10), attempt, 36))
	return d + time.Duration(h.Sum64()%1000)*d/5000
}

// doubling is the n-th wait (from 0) of a series that doubles up to a limit.
func doubling(first, limit time.Duration, n int64) time.Duration {
	d := first
	for range min(n, 40) {
		d *= 2
		if d >= limit {
			return limit
		}
	}
	return d
}
