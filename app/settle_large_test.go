package app

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nodrop/app/payment"
	"nodrop/store"
)

// largeEnv is how many lines against as many payments TestLargeReport imports; unset: it is skipped.
const largeEnv = "NODROP_SETTLE"

// largeFrom is when the first of the large report's payments was paid; they are spread over thirty days.
var largeFrom = time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)

func largeAt(i, n int) time.Time {
	return largeFrom.Add(time.Duration(i) * (30 * 24 * time.Hour) / time.Duration(n))
}

// largeBooks makes n payments that succeeded, each with an id of the gateway.
func largeBooks(t *testing.T, db *store.DB, n int) {
	t.Helper()
	const at = 2000
	for first := 0; first < n; first += at {
		err := db.Update(t.Context(), "large books", func(tx *store.Tx) error {
			for i := first; i < min(first+at, n); i++ {
				if err := largePayment(tx, i, n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func largePayment(tx *store.Tx, i, n int) error {
	ms := largeAt(i, n).UnixMilli()
	order, err := tx.EnsureOrder(fmt.Sprintf("ORDER-%08d", i), ms)
	if err != nil {
		return err
	}
	p := store.Payment{
		PublicID: fmt.Sprintf("pay_%020d", i), Gateway: "sandbox", MerchantRef: fmt.Sprintf("ORDER-%08d", i), OrderID: order.ID, AmountMinor: int64(1000 + i%90000), Currency: "PHP",
		State: "pending", Version: 1, CreatedMs: ms - 60_000, ChangedMs: ms, GiveUpMs: ms,
	}
	if p.ID, err = tx.InsertPayment(p); err != nil {
		return err
	}
	p.State, p.ReceivedMinor, p.Version, p.PaidMs, p.Paid, p.Source = "succeeded", p.AmountMinor, 2, ms, true, "notice"
	p.Told = `{"last":{"state":"succeeded"},"success":true}`
	if _, err := tx.MovePayment(p, 1); err != nil {
		return err
	}
	_, err = tx.AddRef("sandbox", store.GatewayRef{Kind: "payment", Ref: largeRef(i)}, p.ID)
	return err
}

// largeRef is the gateway's id of a payment: it tells nothing of the order in which they were made.
func largeRef(i int) string { return fmt.Sprintf("sbx_%016x", uint64(i)*0x9E3779B97F4A7C15) }

func largeReport(t *testing.T, path string, n int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	fmt.Fprint(w, settleHeader)
	for i := range n {
		amount := int64(1000 + i%90000)
		fee := amount * 25 / 1000
		fmt.Fprint(w, row{
			id: fmt.Sprintf("txn_%016x", uint64(i+7)*0xC2B2AE3D27D4EB4F), payment: largeRef(i), ref: fmt.Sprintf("ORDER-%08d", i), gross: payment.FormatAmount(amount, "PHP"),
			fee: payment.FormatAmount(fee, "PHP"), net: payment.FormatAmount(amount-fee, "PHP"), at: largeAt(i, n).Format(time.DateTime), status: "paid",
		})
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
}

// TestLargeReport imports a report of as many lines as the environment says against as many payments, while webhooks come
// in, and compares the time with what the sqlite3 shell takes for the like.
func TestLargeReport(t *testing.T) {
	n, err := strconv.Atoi(os.Getenv(largeEnv))
	if err != nil {
		t.Skipf("set %s to the number of lines, such as 1000000", largeEnv)
	}
	folder := cmp.Or(os.Getenv(largeEnv+"_DIR"), t.TempDir())
	base, report := filepath.Join(folder, fmt.Sprintf("books-%d.db", n)), filepath.Join(folder, fmt.Sprintf("report-%d.csv", n))
	if _, err := os.Stat(base); err != nil {
		db := openLarge(t, base)
		largeBooks(t, db, n)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		largeReport(t, report, n)
	}
	path := filepath.Join(t.TempDir(), "nodrop.db")
	copyFile(t, base, path)
	db := openLarge(t, path)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	b := benchOn(t, db)
	b.clock.move(60 * 24 * time.Hour)
	if err := b.e.SaveReportFormat(b.ctx(), "sandbox", settleSpec(), nil, "ana"); err != nil {
		t.Fatal(err)
	}
	idle := b.intake(500, nil)
	ctx, stop := context.WithCancel(b.ctx())
	var busy []time.Duration
	var wg sync.WaitGroup
	if os.Getenv(largeEnv+"_ALONE") == "" {
		wg.Go(func() { busy = b.intake(1<<30, ctx.Done()) })
	}
	began := time.Now()
	r := b.imported(report)
	took := time.Since(began)
	stop()
	wg.Wait()
	t.Logf("%d lines in %v (%.1f µs a line), %d MB resident; intake p99 %v idle, %v beside it (%d requests)", n, took, float64(took.Microseconds())/float64(n), residentMB(), p99(idle), p99(busy), len(busy))
	if r.Matched != n || r.Lines != n {
		t.Errorf("%+v", r)
	}
	began = time.Now()
	if _, err := b.e.SettlementDay(b.ctx(), "sandbox", "2031-03-07"); err != nil {
		t.Error(err)
	}
	if _, err := b.e.DayLines(b.ctx(), "sandbox", "2031-03-07", "", 0, 100); err != nil {
		t.Error(err)
	}
	t.Logf("a day's page: %v", time.Since(began))
	shell(t, base, report, took)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err == nil {
		_, err = io.Copy(out, in)
	}
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
}

func openLarge(t *testing.T, path string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), path, store.Options{Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// intake sends webhooks one after the other, two hundred a second, and times each acknowledgement.
func (b *bench) intake(n int, done <-chan struct{}) (took []time.Duration) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for i := range n {
		select {
		case <-done:
			return took
		case <-tick.C:
		}
		body, err := jsonOf(b.notice(fmt.Sprintf("ORDER-%08d", i), "processing", "10.00"))
		if err != nil {
			b.t.Error(err)
			return took
		}
		request := b.signed(body)
		began := time.Now()
		if _, err := b.e.Accept(context.WithoutCancel(b.ctx()), "sandbox", request); err != nil {
			b.t.Error(err)
		}
		took = append(took, time.Since(began))
	}
	return took
}

func p99(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)*99/100]
}

// residentMB is the most memory that the process has held, in megabytes; 0 where the system does not tell.
func residentMB() int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kb, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return kb / 1024
}

// shell has the sqlite3 shell import the same file into an indexed table and join it with the payments.
func shell(t *testing.T, base, report string, took time.Duration) {
	t.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Log("no comparison with the sqlite3 shell: it is not installed (package sqlite3)")
		return
	}
	copied := filepath.Join(t.TempDir(), "shell.db")
	copyFile(t, base, copied)
	began := time.Now()
	cmd := exec.CommandContext(t.Context(), "sqlite3", copied)
	script, err := os.ReadFile("../store/testdata/settlement-shell.sql")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(string(script), "REPORT", report))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	alone := time.Since(began)
	t.Logf("the sqlite3 shell: %v (%s); ours is %.1f times that", alone, strings.TrimSpace(string(out)), took.Seconds()/alone.Seconds())
}
