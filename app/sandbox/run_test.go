package sandbox

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// play runs the simulation in a bubble against the fake nodrop.
func play(t *testing.T, o Options, broken string) (report Report, text string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		o.Now = time.Now
		o.NodropAPI, o.NodropHooks, o.GatewayURL = "http://nodrop", "http://nodrop/hooks/sandbox", "http://gateway"
		o.ShopSecret, o.HookSecret, o.APIKey, o.Token = "whsec_c2FuZGJveC1zaG9wLXNlY3JldC0x", "hook-secret", "key", "token"
		net := local{}
		o.Client = &http.Client{Transport: net, Timeout: 5 * time.Second}
		f := &fake{o: o, t: t, broken: broken, ctx: ctx, events: map[string][]Event{}, busy: map[string]bool{},
			dedupe: map[string]bool{}, claims: map[string]string{}, keys: map[string]bool{}}
		o.Midway = f.restart
		g, err := NewGateway(o)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewShop(o)
		if err != nil {
			t.Fatal(err)
		}
		net["nodrop"], net["gateway"], net["shop"] = f, g, s
		report, err = Run(ctx, o, g, s)
		if err != nil {
			t.Error(err)
		}
		g.Close()
		s.Close()
		cancel()
		f.work.Wait()
		var b bytes.Buffer
		if err := report.Write(&b); err != nil {
			t.Error(err)
		}
		text = b.String()
	})
	return report, text
}

// restart takes the fake away for a second, as a kill does.
func (f *fake) restart(ctx context.Context) error {
	f.mu.Lock()
	f.off = true
	f.mu.Unlock()
	pause(ctx, time.Second)
	f.mu.Lock()
	f.off = false
	f.mu.Unlock()
	return nil
}

func TestRunSettlesEveryStory(t *testing.T) {
	for _, seed := range []uint64{1, 2} {
		var progress bytes.Buffer
		report, text := play(t, Options{Payments: 200, Seed: seed, Progress: &progress}, "")
		if !report.OK() {
			t.Errorf("seed %d:\n%s", seed, text)
		}
		if report.Took > 24*time.Second {
			t.Errorf("seed %d took %v, want at most 24 s", seed, report.Took)
		}
		total := 0
		for _, row := range report.Rows {
			total += row.Count
		}
		if total != 200 || !strings.Contains(text, "0 differences in ") {
			t.Errorf("seed %d: %d payments in the table, want 200:\n%s", seed, total, text)
		}
		if !strings.Contains(progress.String(), "sold 200 of 200") {
			t.Errorf("seed %d: progress never says that all are sold:\n%s", seed, progress.String())
		}
	}
}

// Every rule that the fake breaks on purpose must show as a difference of the stated kind.
func TestRunCatchesBrokenRules(t *testing.T) {
	cases := []struct {
		broken, kind string
		stories      []string
	}{
		{"signature", DiffWebhook, []string{"forged", "unsigned", "stale"}},
		{"signature", DiffShippedNotPaid, []string{"forged"}},
		{"amount", DiffAmount, []string{"wrong_amount"}},
		{"amount", DiffState, []string{"other_amount"}},
		{"late", DiffState, []string{"late_failed"}},
		{"late", DiffShippedUnasked, []string{"late_failed"}},
		{"review", DiffReview, []string{"late_expired"}},
		{"review", DiffPaidNotShipped, []string{"late_expired"}},
		{"duplicate", DiffReview, []string{"paid_twice"}},
		{"duplicate keys", DiffShippedTwice, []string{"paid_twice"}},
		{"refund", DiffAmount, []string{"refund_part"}},
		{"untold", DiffUntold, []string{"refund_whole"}},
		{"timeouts fail", DiffState, []string{"query_timeout"}},
		{"claims", DiffShop, []string{"paid"}},
	}
	for _, c := range cases {
		o := Options{Payments: 12, Seed: 4, Stories: c.stories, Deadline: 14 * time.Second}
		report, text := play(t, o, c.broken)
		if !slices.ContainsFunc(report.Differences, func(d Difference) bool { return d.Kind == c.kind }) {
			t.Errorf("%s broken in %v: no difference of kind %q:\n%s", c.broken, c.stories, c.kind, text)
		}
	}
}
