package certs

import (
	"hash/fnv"
	"time"

	"nodrop/store"
)

const day = 24 * time.Hour

// shortLived is the lifetime below which a certificate is renewed at half of it instead of at two thirds
// (Let's Encrypt, "Integration Guide", on renewal).
const shortLived = 10 * day

// A chain in which another certificate than the leaf ends first is asked for anew, but seldom: authorities count
// equal certificates (Let's Encrypt: five a week).
const (
	linkBefore = 21 * day
	linkEvery  = 7 * day
)

// renewalDue is when the next certificate is asked for.
func renewalDue(c *chain, now time.Time) time.Time {
	before := c.lifetime() / 3
	if c.lifetime() < shortLived {
		before = c.lifetime() / 2
	}
	due := c.leaf().NotAfter.Add(-before)
	if end := c.ends(now); end.Before(c.leaf().NotAfter) {
		link := end.Add(-linkBefore)
		if soonest := c.obtained.Add(linkEvery); link.Before(soonest) {
			link = soonest
		}
		if link.Before(due) {
			due = link
		}
	}
	// By a clock that is wrong, a new certificate may be over already; asking for another at once would not help.
	if soonest := c.obtained.Add(min(c.lifetime()/4, linkEvery)); due.Before(soonest) && !c.obtained.After(now) {
		due = soonest
	}
	return due
}

// pauses are the times after each failure in a row. The first five stay within the five failed validations an hour
// that Let's Encrypt allows for one name; the last one goes on for ever.
var pauses = []time.Duration{time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, time.Hour}

// restartPause is what a failure before a restart still holds back, at most: at this pace no limit is ever met, and
// whoever has corrected something and starts again does not wait for long.
const restartPause = 12 * time.Minute

// pauseAfter is how long to wait after so many failures in a row, up to a tenth longer by name, so that not everybody
// asks at once.
func pauseAfter(tries int64, host string) time.Duration {
	base := pauses[min(max(int(tries), 1), len(pauses))-1]
	h := fnv.New32a()
	_, _ = h.Write([]byte(host))
	return base + base*time.Duration(h.Sum32()%1000)/10000
}

// afterRestart brings the next try forward, unless the authority itself named its time.
func afterRestart(f store.CertificateFailure) store.CertificateFailure {
	if !f.Held {
		f.NextMs = min(f.NextMs, f.FailedMs+restartPause.Milliseconds())
	}
	return f
}
