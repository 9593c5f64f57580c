package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/robfig/cron/v3"

	"nodrop/app/payment"
	"nodrop/store"
)

// runHolds writes down what time has brought about: the end of a hold.
func (e *Engine) runHolds(ctx context.Context) {
	if !e.awaitDrained(ctx) {
		return
	}
	for ctx.Err() == nil {
		wait, err := e.holdsOnce(ctx)
		if err != nil && ctx.Err() == nil {
			e.log.Error("ended holds could not be written down; they are tried again", "error", err)
			wait = e.pace.WorkRetry
		}
		e.holdWake.sleep(ctx, wait)
	}
}

const holdBatch = 50

// holdsOnce ends the holds that are due and tells how long none is; negative: until woken.
func (e *Engine) holdsOnce(ctx context.Context) (wait time.Duration, err error) {
	ended := 0
	err = e.guard(ctx, "hold", func(tx *store.Tx) error {
		wait = -1
		now := e.nowMs()
		timers, err := tx.ClaimTimers(holdLane, store.LaneHold, now, now+e.pace.AskLease.Milliseconds(), holdBatch)
		if err != nil {
			return err
		}
		ended = len(timers)
		for _, t := range timers {
			if err := e.endHold(tx, t, now); err != nil {
				return err
			}
		}
		ms, ok, err := tx.NextHoldMs(holdLane)
		if ok {
			wait = max(time.Millisecond, time.Duration(ms-now)*time.Millisecond)
		}
		return err
	})
	if poisoned(ctx, err) {
		wait, err = e.pace.WorkRetry, e.singly(ctx, holdLane, store.LaneHold, holdBatch, e.endHold)
	}
	if ended > 0 {
		e.wakeAll()
	}
	return wait, err
}

func (e *Engine) endHold(tx *store.Tx, t store.Timer, now int64) error {
	p, ok, err := tx.Payment(t.PaymentID)
	if err != nil || !ok {
		return err
	}
	f := payment.Fact{Key: "hold_over:" + itoa64(t.Refers), Kind: payment.FactHoldOver, Source: payment.SourceTimer, Refers: t.Refers, OwnMs: now}
	_, err = e.apply(tx, e.gateways[p.Gateway], &p, change{trigger: "timer", now: now, facts: []payment.Fact{f}})
	return err
}

// runKeeper does the housekeeping and the calendar jobs.
func (e *Engine) runKeeper(ctx context.Context) {
	for ctx.Err() == nil {
		if err := e.keepOnce(ctx); err != nil && ctx.Err() == nil {
			e.log.Error("housekeeping failed; it is tried again", "error", err)
		}
		waker(nil).sleep(ctx, e.pace.Keep)
	}
}

// keepOnce runs one round of housekeeping and the calendar jobs that are due.
func (e *Engine) keepOnce(ctx context.Context) error {
	if err := e.flushArrivals(ctx); err != nil {
		return err
	}
	e.Space() // a change is logged
	err := e.guard(ctx, "keep", func(tx *store.Tx) error {
		now := e.nowMs()
		if err := tx.Beat(now); err != nil {
			return err
		}
		if err := e.keepOutages(tx); err != nil {
			return err
		}
		if err := tx.PruneSessions(now); err != nil {
			return err
		}
		for _, name := range e.names {
			if err := e.reviewUnaskable(tx, e.gateways[name], now); err != nil {
				return err
			}
		}
		if err := e.unregisteredOnce(tx, now); err != nil {
			return err
		}
		return e.overdueClaims(tx, now)
	})
	if err != nil {
		return err
	}
	if err := e.pruneUnproved(ctx); err != nil {
		return err
	}
	return e.jobsOnce(ctx)
}

// scanned is why the scan makes an appointment.
const scanned = "scan"

// calendarJob is work that is due at slots of a calendar.
type calendarJob struct {
	name, schedule string
	run            func(context.Context) error
}

func (e *Engine) jobs() []calendarJob {
	return []calendarJob{
		{"reconcile", e.config.Jobs.ReconcileSchedule, e.scanAll},
		{"check", "30 3 * * *", e.checkNightly},
		{"settlement", "15 4 * * *", e.settleDaily},
	}
}

// jobsOnce runs each calendar job whose slot has come; a slot missed while off runs once.
func (e *Engine) jobsOnce(ctx context.Context) error {
	for _, j := range e.jobs() {
		due, err := e.slot(ctx, j)
		if err != nil {
			return err
		}
		if !due {
			continue
		}
		if err := j.run(ctx); err != nil {
			return fmt.Errorf("job %s: %w", j.name, err)
		}
	}
	return nil
}

// slot tells whether a job's slot has come and notes the next one.
func (e *Engine) slot(ctx context.Context, j calendarJob) (due bool, err error) {
	schedule, err := cron.ParseStandard(j.schedule)
	if err != nil {
		return false, fmt.Errorf("schedule %q of job %s: %w", j.schedule, j.name, err)
	}
	now := e.now().In(e.config.Timezone)
	err = e.guard(ctx, "job", func(tx *store.Tx) error {
		due = false
		old, ok, err := tx.Job(j.name)
		if err != nil {
			return err
		}
		if ok && old.Schedule == j.schedule && old.NextMs > now.UnixMilli() {
			return nil
		}
		due = ok && old.NextMs <= now.UnixMilli()
		next := store.Job{Name: j.name, Schedule: j.schedule, NextMs: schedule.Next(now).UnixMilli(), LastMs: old.LastMs, Result: old.Result}
		if due {
			next.LastMs = now.UnixMilli()
		}
		return tx.SetJob(next)
	})
	return due, err
}

// checkNightly looks at the whole database and tells a person when it breaks a law.
func (e *Engine) checkNightly(ctx context.Context) error {
	broken, err := e.CheckAll(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		broken = append(broken, "it could not be looked through: "+err.Error())
	}
	for _, b := range broken {
		e.log.Error("the database is not sound", "finding", b)
	}
	return e.guard(ctx, "checked", func(tx *store.Tx) error {
		now := e.nowMs()
		if len(broken) == 0 {
			return e.closeReview(tx, unsoundKind, "database", now, "sound again")
		}
		return openUnsound(tx, now)
	})
}

const unsoundKind = "unsound_database"

// scanAll looks for what fell through: payments without their question, and what waits at a gateway that is configured no
// more or for a person since a restore.
func (e *Engine) scanAll(ctx context.Context) error {
	_, err := e.ScanOnce(ctx)
	return errors.Join(err, e.reviewGone(ctx), e.uncertainClaims(ctx))
}

const scanBatch = 200

// ScanOnce looks at every open payment whose question is missing or overdue, makes the appointment again, and tells how many there were.
func (e *Engine) ScanOnce(ctx context.Context) (restored int, err error) {
	for {
		n := 0
		err := e.guard(ctx, "scan", func(tx *store.Tx) error {
			now := e.nowMs()
			list, err := tx.PaymentsToReconcile(now, scanBatch)
			n = len(list)
			if err != nil {
				return err
			}
			for _, p := range list {
				if err := e.restore(tx, p, now); err != nil {
					return err
				}
			}
			return nil
		})
		restored += n
		if err != nil || n < scanBatch {
			e.wakeAll()
			return restored, err
		}
	}
}

// restore makes the appointment of a payment again that should have been asked about long ago.
func (e *Engine) restore(tx *store.Tx, p store.Payment, now int64) error {
	facts, err := loadFacts(&tx.Rx, p)
	if err != nil {
		return err
	}
	a := e.gateways[p.Gateway]
	terms, err := e.terms(&tx.Rx, a, p)
	if err != nil {
		return err
	}
	if a == nil {
		if err := openUnaskable(tx, p.Gateway, now); err != nil {
			return err
		}
	}
	plan := planOf(terms, facts, askedOf(p), now)
	if err := e.schedule(tx, a, &p, plan); err != nil {
		return err
	}
	if plan.hintAtMs != 0 {
		p.ReconcileMs = max(p.ReconcileMs, now+time.Minute.Milliseconds())
	}
	if plan.AskAtMs != 0 && plan.AskAtMs <= now {
		p.ReconcileMs = now + max(e.pace.ScanSlack, time.Minute).Milliseconds()
		if err := tx.SetTimer(store.Timer{PaymentID: p.ID, Kind: "ask", Gateway: p.Gateway, Lane: store.LaneOld, DueMs: now, Why: scanned}); err != nil {
			return err
		}
	}
	return tx.NoteAsked(p)
}
