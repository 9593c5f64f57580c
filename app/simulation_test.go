package app

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// simShopSize is how many payments one simulated shop has in its twelve weeks.
const simShopSize = 5000

// simRun is what NODROP_SIM asks for, as "payments=1000000,seed=1,minutes=15": how many payments, the first shop's seed
// (each further shop has the next), and after how many minutes no further shop is begun (0: no limit).
type simRun struct {
	payments, seed, minutes int
}

func parseSimRun(text string, usual simRun) (simRun, error) {
	if text == "" {
		return usual, nil
	}
	run := usual
	fields := map[string]*int{"payments": &run.payments, "seed": &run.seed, "minutes": &run.minutes}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.Atoi(value)
		if fields[name] == nil || err != nil || n < 0 {
			return run, fmt.Errorf("NODROP_SIM: %q is none of payments=N, seed=N, minutes=N", part)
		}
		*fields[name] = n
	}
	return run, nil
}

// TestSimulation lives through twelve weeks of several shops with faults everywhere and settles the accounts.
func TestSimulation(t *testing.T) {
	usual := simRun{payments: 2 * simShopSize / simShare, seed: 1}
	if testing.Short() {
		usual.payments /= 10
	}
	run, err := parseSimRun(os.Getenv("NODROP_SIM"), usual)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	var mu sync.Mutex
	total := map[string]int{}
	var seeds []int
	t.Run("shops", func(t *testing.T) {
		seed := run.seed
		for left := run.payments; left > 0; {
			size, seedOfShop := min(left, simShopSize/simShare), seed
			left -= size
			seed++
			t.Run(fmt.Sprintf("seed=%d", seedOfShop), func(t *testing.T) {
				t.Parallel()
				if run.minutes > 0 && time.Since(began) > time.Duration(run.minutes)*time.Minute {
					t.Skip("the time is over")
				}
				s := simulate(t, uint64(seedOfShop), size)
				mu.Lock()
				defer mu.Unlock()
				for name, n := range s.count {
					total[name] += n
				}
				total["payments"] += len(s.payments)
				total["shops"]++
				seeds = append(seeds, seedOfShop)
			})
		}
	})
	took := time.Since(began)
	slices.Sort(seeds)
	t.Logf("%d payments in %d shops, seeds %v, in %s: %.0f a second", total["payments"], total["shops"], seeds,
		took.Round(time.Second), float64(total["payments"])/took.Seconds())
	for _, name := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%8d %s", total[name], name)
	}
	if run.payments >= 2*simShopSize {
		everythingHappened(t, total)
	}
}

// simulate runs one shop and reports what its ledger finds, with the call that repeats it.
func simulate(t *testing.T, seed uint64, size int) *simulation {
	t.Helper()
	s := newSimulation(t, seed, size)
	s.run()
	for _, f := range s.findings {
		t.Error(f)
	}
	if len(s.findings) > 0 {
		t.Errorf("to repeat it: NODROP_SIM=payments=%d,seed=%d go test -run TestSimulation ./app", size, seed)
	}
	t.Logf("seed %d, %d payments: result %s", seed, len(s.payments), s.print())
	return s
}

// everythingHappened fails when a kind of misfortune did not come about: a simulation of fair weather proves nothing.
func everythingHappened(t *testing.T, total map[string]int) {
	t.Helper()
	for _, name := range []string{
		"notices lost", "notices late", "notices doubled", "notices forged", "notices not acknowledged", "registered late", "registered hours late",
		"questions timed out", "questions failed", "questions throttled", "questions answered wrongly", "gateway outages",
		"disk faults", "kills between commits", "kills while idle", "restarts", "clock jumps forward", "clock jumps back",
		"notices for another account", "notices with the same key and other content", "notices with the same key and another amount",
		"told that the shop is gone", "workers died", "fulfilled", "orders closed", "charged again",
		"decisions", "double clicks", "undone", "refunds decided",
		"answered late", "answered duplicate", "answered difference", "answered no_answer", "answered reversed", "answered refund_owed",
		"refund at sandbox", "refund at hint", "refund at tries", "refund at blind",
		"dispute at sandbox", "dispute at hint", "dispute at tries", "dispute at blind",
		"decisions that wait for a second person", "answer approve", "answer turn_down", "answer link", "answer snooze", "answered same_key_other_content",
		"answered dead_outbox", "answered shop_gone", "answered claim_overdue", "answered money_without_order",
	} {
		if total[name] == 0 {
			t.Errorf("never happened: %s", name)
		}
	}
}

// TestTheSameSeedGivesTheSameResult runs one shop twice.
func TestTheSameSeedGivesTheSameResult(t *testing.T) {
	t.Parallel()
	first, second := newSimulation(t, 77, 60), newSimulation(t, 77, 60)
	for _, s := range []*simulation{first, second} {
		s.run()
	}
	if a, b := first.print(), second.print(); a != b || !maps.Equal(first.count, second.count) {
		t.Errorf("results %s and %s", a, b)
	}
	other := newSimulation(t, 78, 60)
	other.run()
	if first.print() == other.print() {
		t.Error("another seed gave the same result")
	}
}

// TestTheLedgerFindsALoss has acknowledged notices vanish at gateways that never answer: the ledger must not be content.
func TestTheLedgerFindsALoss(t *testing.T) {
	t.Parallel()
	s := newSimulation(t, 5, 60)
	s.forgetful = true
	s.run()
	if len(s.findings) == 0 {
		t.Error("every acknowledged notice was lost, and the ledger found nothing")
	}
}
