package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Run sells every payment of the plan, lets the stories play, calls o.Midway once
// half of the payments are sold, and compares as soon as everything stands as it
// must, or when o.Deadline has passed. g and s must already be served. An error
// means that the run could not be made; what went wrong in it is in the Report.
func Run(ctx context.Context, o Options, g *Gateway, s *Shop) (Report, error) {
	o = o.withDefaults()
	plans, err := MakePlan(o)
	if err == nil {
		err = o.check()
	}
	if err != nil {
		return Report{}, err
	}
	r := &run{o: o, g: g, s: s, began: o.Now(), total: len(plans), patience: patience(plans, o)}
	return r.whole(ctx, plans)
}

type run struct {
	o        Options
	g        *Gateway
	s        *Shop
	began    time.Time
	total    int
	patience time.Duration // how long it takes to see that what must stay open does
	sold     atomic.Int64
	midway   sync.Once
	midErr   error // written once, before ready
	ready    sync.WaitGroup
}

func (r *run) whole(ctx context.Context, plans []Plan) (Report, error) {
	limited, cancel := context.WithTimeout(ctx, r.o.Deadline)
	defer cancel()
	r.s.OnTold(r.g.Told)
	r.s.begin()
	for i, p := range plans {
		if p.SecondOf < 0 {
			r.ready.Go(func() { r.checkout(limited, p, second(plans, i)) })
		}
	}
	selling := make(chan struct{})
	go func() { defer close(selling); r.ready.Wait() }()
	report, err := r.settle(limited, selling)
	cancel()
	<-selling
	return report, errors.Join(ctx.Err(), r.midErr, err)
}

// patience is the time after which every payment that must stay open is past its giving up.
func patience(plans []Plan, o Options) time.Duration {
	var longest time.Duration
	for _, p := range plans {
		if len(p.Story.Right) > 0 && p.Story.Right[0].State == "pending" {
			longest = max(longest, p.At+o.GiveUpAfter+time.Second)
		}
	}
	return longest
}

func second(plans []Plan, i int) *Plan {
	if i+1 < len(plans) && plans[i+1].SecondOf == plans[i].Index {
		return &plans[i+1]
	}
	return nil
}

// checkout sells one order: its payment, and the second one if its story has one.
func (r *run) checkout(ctx context.Context, p Plan, next *Plan) {
	if !pause(ctx, p.At) {
		return
	}
	r.sell(ctx, p)
	if next == nil {
		return
	}
	if p.Story.Wait != "" {
		if !r.s.awaitTold(ctx, p.Ref, p.Story.Wait) {
			r.s.problem("order %s: the shop was never told %s", p.Order, p.Story.Wait)
			return
		}
		if err := r.s.safeAgain(ctx, p.Order); err != nil {
			r.s.problem("%v", err)
			return
		}
	}
	r.sell(ctx, *next)
}

func (r *run) sell(ctx context.Context, p Plan) {
	if err := r.s.sell(ctx, p, r.g.AwaitNotice); err != nil {
		r.s.problem("%v", err)
	}
	if r.sold.Add(1) >= int64(r.total/2) && r.o.Midway != nil {
		r.midway.Do(func() {
			r.ready.Go(func() { r.midErr = r.o.Midway(ctx) })
		})
	}
}

// settle looks again and again until nothing differs, twice in a row.
func (r *run) settle(ctx context.Context, selling <-chan struct{}) (Report, error) {
	next, good, wait := r.began, 0, lookWait
	for {
		last := !pause(ctx, wait)
		if now := r.o.Now(); !now.Before(next) {
			r.progress(now)
			next = now.Add(time.Second)
		}
		if !last && !r.over(selling) {
			continue
		}
		report, err := r.look(ctx)
		if good++; err != nil || !report.OK() {
			good, wait = 0, min(wait*2, 1600*ms)
		}
		if last || good == 2 {
			r.progress(r.o.Now())
			return report, err
		}
	}
}

// lookWait is the time between two looks; it grows while there are differences,
// because a look asks nodrop about every order.
const lookWait = 400 * ms

// over reports whether all is sold and played, and what must stay open has had its time.
func (r *run) over(selling <-chan struct{}) bool {
	select {
	case <-selling:
	default:
		return false
	}
	return r.g.Idle() && r.o.Now().Sub(r.began) >= r.patience
}

// look fetches nodrop's view and compares. It outlives the deadline, so that the
// last look can be made.
func (r *run) look(ctx context.Context) (Report, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 4*time.Second)
	defer cancel()
	payments, err := api{r.o}.payments(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("nodrop's payments could not be read: %w", err)
	}
	if err := r.withOrders(ctx, payments); err != nil {
		return Report{}, fmt.Errorf("nodrop's orders could not be read: %w", err)
	}
	report := Compare(r.g.Ledger(), r.s.Ledger(), payments)
	report.Differences = append(report.Differences, compareNotices(r.g.Notices())...)
	report.Gateway, report.Shop, report.Took = r.g.Stats(), r.s.Ledger().Stats, r.o.Now().Sub(r.began)
	return report, nil
}

// withOrders fills in what nodrop says about the order of each payment, a few orders at once.
func (r *run) withOrders(ctx context.Context, payments []NodropPayment) error {
	byOrder := map[string][]int{}
	for i, p := range payments {
		byOrder[p.OrderRef] = append(byOrder[p.OrderRef], i)
	}
	refs := sortedKeys(byOrder)
	errs := make([]error, len(refs))
	var next atomic.Int64
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for n := next.Add(1) - 1; n < int64(len(refs)); n = next.Add(1) - 1 {
				state, err := api{r.o}.order(ctx, refs[n])
				for _, i := range byOrder[refs[n]] {
					payments[i].Order = state
				}
				errs[n] = err
			}
		})
	}
	work.Wait()
	return errors.Join(errs...)
}

// compareNotices: a true webhook must be acknowledged, a forged one refused.
func compareNotices(notices []Notice) []Difference {
	var found []Difference
	for _, n := range notices {
		switch {
		case n.Forged && (n.Delivered || n.Status != 401):
			found = append(found, Difference{DiffWebhook, n.Reference, fmt.Sprintf("the forged webhook %s was answered %d, not 401", n.ID, n.Status)})
		case !n.Forged && !n.Lost && !n.Delivered:
			found = append(found, Difference{DiffWebhook, n.Reference, fmt.Sprintf("the webhook %s was never acknowledged, last answer %d", n.ID, n.Status)})
		}
	}
	return found
}

func (r *run) progress(now time.Time) {
	stats, heard, failed := r.g.Stats(), len(r.s.Ledger().Heard), 0
	for class, n := range stats.Queries {
		if class != answerOK {
			failed += n
		}
	}
	fmt.Fprintf(r.o.Progress, "%5.1f s  sold %d of %d · webhooks %d sent, %d lost, %d forged · queries %d answered, %d failed · shop told about %d\n",
		now.Sub(r.began).Seconds(), r.sold.Load(), r.total, stats.Sent, stats.Lost, stats.Forged, stats.Queries[answerOK], failed, heard)
}
