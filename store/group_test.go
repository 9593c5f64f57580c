package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// crowd has the writer busy with a first closure, queues the others behind it in order, and then lets all run: they
// share one group. It returns the answers in the order of fs, the first being the gate's.
func crowd(t *testing.T, db *DB, fs ...func(*Tx) error) []error {
	t.Helper()
	return crowdOf(t, db, db.Update, fs...)
}

func crowdOf(t *testing.T, db *DB, update func(context.Context, string, func(*Tx) error) error, fs ...func(*Tx) error) []error {
	t.Helper()
	answers := make([]error, len(fs)+1)
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		answers[0] = db.Update(t.Context(), "gate", func(tx *Tx) error {
			close(started)
			<-release
			return put(tx, "gate")
		})
	})
	<-started
	for i, f := range fs {
		wg.Go(func() { answers[i+1] = update(t.Context(), fmt.Sprint("closure ", i+1), f) })
		waitFor(t, func() bool { return db.w.q.length() == i+1 })
	}
	close(release)
	wg.Wait()
	return answers
}

// waitFor gives way to others until a condition holds.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for !ok() {
		if t.Context().Err() != nil {
			t.Fatal("the condition never came true")
		}
		runtime.Gosched()
	}
}

func putting(key string) func(*Tx) error { return func(tx *Tx) error { return put(tx, key) } }

func sameKeys(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestConcurrentUpdatesShareOneCommit(t *testing.T) {
	db := openCore(t, coreOptions())
	var fs []func(*Tx) error
	want := []string{"gate"}
	for i := range 40 {
		fs = append(fs, putting(fmt.Sprintf("k%02d", i)))
		want = append(want, fmt.Sprintf("k%02d", i))
	}
	for i, err := range crowd(t, db, fs...) {
		if err != nil {
			t.Errorf("closure %d: %v", i, err)
		}
	}
	sameKeys(t, "rows", keys(t, db), want)
	if s := db.Stats(); s.Groups != 1 || s.Closures != 41 || s.LargestGroup != 41 || s.Queued != 0 {
		t.Errorf("41 closures behind one gate: %+v", s)
	}
}

func TestGroupIsBounded(t *testing.T) {
	db := openCore(t, coreOptions())
	fs := slices.Repeat([]func(*Tx) error{func(*Tx) error { return nil }}, maxGroup+43)
	for i, err := range crowd(t, db, fs...) {
		if err != nil {
			t.Errorf("closure %d: %v", i, err)
		}
	}
	if s := db.Stats(); s.Groups != 2 || s.LargestGroup != 256 || s.Closures != 300 {
		t.Errorf("300 closures: %+v", s)
	}
}

func TestFailingClosureTakesBackOnlyItself(t *testing.T) {
	db := openCore(t, coreOptions())
	mine := errors.New("my own reason")
	answers := crowd(t, db,
		putting("a"),
		func(tx *Tx) error { return errors.Join(put(tx, "b"), mine) },
		func(tx *Tx) error { return put(tx, "a") },
		putting("c"))
	if answers[0] != nil || answers[1] != nil || answers[4] != nil {
		t.Errorf("neighbours: %v", answers)
	}
	if !errors.Is(answers[2], mine) {
		t.Errorf("the closure's own error: %v", answers[2])
	}
	if !errors.Is(answers[3], ErrConstraint) || Retryable(answers[3]) {
		t.Errorf("a second a: %v", answers[3])
	}
	sameKeys(t, "rows", keys(t, db), []string{"a", "c", "gate"})
	if s := db.Stats(); s.Groups != 1 || s.FailedClosures != 2 || s.FailedGroups != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestSwallowedFailureStillFails(t *testing.T) {
	faults := &Faults{}
	o := coreOptions()
	o.Faults = faults
	db := openCore(t, o)
	faults.Arm(FailStatement, 2)
	err := db.Update(t.Context(), "swallow", func(tx *Tx) error {
		_ = put(tx, "a")
		_ = put(tx, "b")
		_ = put(tx, "c")
		return nil
	})
	if !errors.Is(err, ErrFull) || !Retryable(err) {
		t.Errorf("got %v, want a full disk", err)
	}
	sameKeys(t, "rows", keys(t, db), nil)
}

func TestToleratedConstraintGoesOn(t *testing.T) {
	db := openCore(t, coreOptions())
	err := db.Update(t.Context(), "tolerate", func(tx *Tx) error {
		if err := put(tx, "a"); err != nil {
			return err
		}
		if err := put(tx, "a"); !errors.Is(err, ErrConstraint) {
			return fmt.Errorf("a twice: %v", err)
		}
		return put(tx, "b")
	})
	if err != nil {
		t.Error(err)
	}
	sameKeys(t, "rows", keys(t, db), []string{"a", "b"})
}

func TestConstraintSaysWhich(t *testing.T) {
	db := openCore(t, coreOptions())
	if err := db.Update(t.Context(), "seed", putting("a")); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		query    string
		rule, on string
	}{
		{"INSERT INTO note (key) VALUES ('a')", "unique", "note.key"},
		{"INSERT INTO note (id, key) VALUES (1, 'b')", "primary key", "note.id"},
		{"INSERT INTO note (key, n) VALUES ('b', -1)", "check", "n >= 0"},
		{"INSERT INTO note (key) VALUES (NULL)", "not null", "note.key"},
		{"INSERT INTO page (note) VALUES (77)", "foreign key", ""},
		{"INSERT INTO note (key, n) VALUES ('b', 'text')", "type", "cannot store TEXT value in INTEGER column note.n"},
	}
	for _, c := range cases {
		err := db.Update(t.Context(), "break", func(tx *Tx) error {
			_, err := tx.exec(c.query)
			return err
		})
		var which *ConstraintError
		if !errors.As(err, &which) || which.Rule != c.rule || which.On != c.on {
			t.Errorf("%s: got %v, want %s on %q", c.query, err, c.rule, c.on)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "store: break: INSERT INTO ") {
			t.Errorf("%s: the operation is missing in %q", c.query, err)
		}
	}
}

func TestCallerCancelledInTheQueueLeavesIt(t *testing.T) {
	db := openCore(t, coreOptions())
	ctx, cancel := context.WithCancel(t.Context())
	started, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	update := func(f func(*Tx) error) {
		wg.Go(func() {
			if err := db.Update(t.Context(), "neighbour", f); err != nil {
				t.Errorf("neighbour: %v", err)
			}
		})
	}
	update(func(tx *Tx) error { close(started); <-release; return put(tx, "gate") })
	<-started
	ran, left := false, make(chan error)
	go func() {
		left <- db.Update(ctx, "leave", func(tx *Tx) error { ran = true; return put(tx, "b") })
	}()
	waitFor(t, func() bool { return db.w.q.length() == 1 })
	update(putting("c"))
	waitFor(t, func() bool { return db.w.q.length() == 2 })
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) || ran { // answered while the gate is still shut
		t.Errorf("cancelled in the queue: %v, ran %t", err, ran)
	}
	close(release)
	wg.Wait()
	sameKeys(t, "rows", keys(t, db), []string{"c", "gate"})
}

func TestCallerCancelledInsideFails(t *testing.T) {
	db := openCore(t, coreOptions())
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Update(ctx, "inside", func(tx *Tx) error {
		if err := put(tx, "a"); err != nil {
			return err
		}
		cancel()
		_ = put(tx, "b")
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want cancelled", err)
	}
	sameKeys(t, "rows", keys(t, db), nil)
	if err := db.Update(ctx, "before", putting("c")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the call: %v", err)
	}
}

func TestCallerCancelledAfterwardsGetsTheCommitsAnswer(t *testing.T) {
	db := openCore(t, coreOptions())
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Update(ctx, "after", func(tx *Tx) error {
		err := put(tx, "a")
		cancel()
		return err
	})
	if err != nil {
		t.Errorf("the row is stored, the answer was %v", err)
	}
	sameKeys(t, "rows", keys(t, db), []string{"a"})
}

func TestPanicIsRaisedInTheCaller(t *testing.T) {
	db := openCore(t, coreOptions())
	var raised any
	answers := crowdOf(t, db, func(ctx context.Context, op string, f func(*Tx) error) error {
		defer func() {
			if r := recover(); r != nil {
				raised = r
			}
		}()
		return db.Update(ctx, op, f)
	}, putting("a"), func(tx *Tx) error { _ = put(tx, "b"); panic("out of luck") }, putting("c"))
	if raised != "out of luck" {
		t.Errorf("raised %v", raised)
	}
	if answers[0] != nil || answers[1] != nil || answers[3] != nil {
		t.Errorf("neighbours: %v", answers)
	}
	sameKeys(t, "rows", keys(t, db), []string{"a", "c", "gate"})
	if s := db.Stats(); s.Groups != 1 {
		t.Errorf("the panic cost the group: %+v", s)
	}
}

func TestPanicWhileReadingRowsLeavesNoneOpen(t *testing.T) {
	db := openCore(t, coreOptions())
	if err := db.Update(t.Context(), "seed", func(tx *Tx) error { return errors.Join(put(tx, "a"), put(tx, "b")) }); err != nil {
		t.Fatal(err)
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.Update(t.Context(), "panic", func(tx *Tx) error {
			return tx.each("UPDATE note SET n = n + 1 RETURNING key", func(*Row) { panic("in a row") })
		})
	}()
	if err := db.Update(t.Context(), "go on", putting("c")); err != nil {
		t.Error(err)
	}
	sameKeys(t, "rows", keys(t, db), []string{"a", "b", "c"})
}

func TestGoexitEndsOnlyItsCaller(t *testing.T) {
	db := openCore(t, coreOptions())
	returned := false
	answers := crowdOf(t, db, func(ctx context.Context, op string, f func(*Tx) error) error {
		err := db.Update(ctx, op, f)
		if op == "closure 2" {
			returned = true
		}
		return err
	}, putting("a"), func(tx *Tx) error { _ = put(tx, "b"); runtime.Goexit(); return nil }, putting("c"))
	if returned {
		t.Error("the caller went on after Goexit")
	}
	if answers[0] != nil || answers[1] != nil || answers[3] != nil {
		t.Errorf("neighbours: %v", answers)
	}
	sameKeys(t, "rows", keys(t, db), []string{"a", "c", "gate"})
	if err := db.Update(t.Context(), "after", putting("d")); err != nil {
		t.Errorf("the writer did not survive: %v", err)
	}
}

func TestNestedUpdateIsRefused(t *testing.T) {
	db := openCore(t, coreOptions())
	err := db.Update(t.Context(), "outer", func(tx *Tx) error {
		if err := put(tx, "outer"); err != nil {
			return err
		}
		deep := func() error { return db.UpdateLow(t.Context(), "inner", putting("inner")) }
		if err := deep(); !errors.Is(err, ErrNested) {
			return fmt.Errorf("nested: %v", err)
		}
		if err := db.View(t.Context(), "inner", func(*Rx) error { return nil }); !errors.Is(err, ErrNested) {
			return fmt.Errorf("nested view: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	sameKeys(t, "rows", keys(t, db), []string{"outer"})
}

func TestTransactionIsDeadAfterItsClosure(t *testing.T) {
	db := openCore(t, coreOptions())
	var kept *Tx
	if err := db.Update(t.Context(), "keep", func(tx *Tx) error { kept = tx; return nil }); err != nil {
		t.Fatal(err)
	}
	if err := put(kept, "late"); !errors.Is(err, ErrMisuse) {
		t.Errorf("used after its end: %v", err)
	}
	sameKeys(t, "rows", keys(t, db), nil)
}

func TestNoStatementWhileRowsAreRead(t *testing.T) {
	db := openCore(t, coreOptions())
	err := db.Update(t.Context(), "scan", func(tx *Tx) error {
		_ = put(tx, "a")
		return tx.each("SELECT key FROM note", func(*Row) { _ = put(tx, "b") })
	})
	if !errors.Is(err, ErrMisuse) {
		t.Errorf("got %v, want misuse", err)
	}
	sameKeys(t, "rows", keys(t, db), nil)
}

func TestHalfReadReturningCommits(t *testing.T) {
	db := openCore(t, coreOptions())
	if err := db.Update(t.Context(), "seed", func(tx *Tx) error {
		return errors.Join(put(tx, "a"), put(tx, "b"), put(tx, "c"))
	}); err != nil {
		t.Fatal(err)
	}
	err := db.Update(t.Context(), "returning", func(tx *Tx) error {
		found, err := tx.one("UPDATE note SET n = 5 RETURNING id", func(*Row) {})
		if !found {
			err = errors.Join(err, errors.New("no row"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	if err := db.View(t.Context(), "sum", func(rx *Rx) error {
		_, err := rx.one("SELECT sum(n) FROM note", func(r *Row) { sum = r.Int(0) })
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if sum != 15 {
		t.Errorf("three rows of 5 sum up to %d", sum)
	}
}

func TestInsertTellsWhetherItAdded(t *testing.T) {
	db := openCore(t, coreOptions())
	err := db.Update(t.Context(), "insert", func(tx *Tx) error {
		const query = "INSERT INTO note (key) VALUES (?) ON CONFLICT DO NOTHING"
		first, err := tx.insert(query, "a")
		if err != nil || first != 1 {
			return fmt.Errorf("first: id %d, %w", first, err)
		}
		again, err := tx.insert(query, "a")
		if err != nil || again != 0 {
			return fmt.Errorf("again: id %d, %w", again, err)
		}
		changed, err := tx.exec("UPDATE note SET n = 1 WHERE key = ?", "none")
		if err != nil || changed != 0 {
			return fmt.Errorf("update of nothing: %d, %w", changed, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

func TestUrgentGoesFirstAndLowIsNotStarved(t *testing.T) {
	db := openCore(t, coreOptions())
	var mu sync.Mutex
	var order []string
	say := func(s string) func(*Tx) error {
		return func(*Tx) error {
			mu.Lock()
			order = append(order, s)
			mu.Unlock()
			return nil
		}
	}
	var fs []func(*Tx) error
	for range 20 {
		fs = append(fs, say("low"))
	}
	for range maxGroup - 1 {
		fs = append(fs, say("urgent"))
	}
	crowdOf(t, db, func(ctx context.Context, op string, f func(*Tx) error) error {
		var n int
		_, _ = fmt.Sscanf(op, "closure %d", &n)
		if n <= 20 {
			return db.UpdateLow(ctx, op, f)
		}
		return db.Update(ctx, op, f)
	}, fs...)
	// The first group: the gate and 255 urgent ones, then one low although it is full.
	if len(order) != 275 || slices.Contains(order[:255], "low") || order[255] != "low" {
		t.Errorf("order of %d closures: first low at %d", len(order), slices.Index(order, "low"))
	}
	if s := db.Stats(); s.LowClosures != 20 || s.Groups != 2 || s.LargestGroup != 257 {
		t.Errorf("stats %+v", s)
	}
}

func TestGroupIsBoundedInTime(t *testing.T) {
	clock := time.Unix(0, 0)
	o := coreOptions()
	o.Now = func() time.Time { return clock } // only the writer's goroutine touches it
	db := openCore(t, o)
	slow := func(*Tx) error { clock = clock.Add(6 * time.Millisecond); return nil }
	for i, err := range crowd(t, db, slow, slow, slow, slow) {
		if err != nil {
			t.Errorf("closure %d: %v", i, err)
		}
	}
	// The gate and two of 6 ms are beyond 10 ms; the other two make a second group.
	if s := db.Stats(); s.Groups != 2 || s.LargestGroup != 3 || s.CommitTime != 0 {
		t.Errorf("stats %+v", s)
	}
}

func TestBrokenSavepointEndsTheGroup(t *testing.T) {
	db := openCore(t, coreOptions())
	answers := crowd(t, db, putting("a"), func(tx *Tx) error {
		_, err := tx.exec("RELEASE closure")
		return err
	}, putting("c"))
	for i, err := range answers[:3] {
		if !Retryable(err) || !errors.Is(err, ErrRetry) {
			t.Errorf("answer %d: %v", i, err)
		}
	}
	if answers[3] != nil {
		t.Errorf("the next group: %v", answers[3])
	}
	sameKeys(t, "rows", keys(t, db), []string{"c"})
}

func TestNeighboursDoNotInheritReasons(t *testing.T) {
	db := openCore(t, coreOptions())
	mine := errors.New("my own reason")
	answers := crowd(t, db, putting("a"), func(tx *Tx) error {
		_, _ = tx.exec("ROLLBACK")
		return mine
	})
	if !errors.Is(answers[2], mine) {
		t.Errorf("who did it: %v", answers[2])
	}
	for i, err := range answers[:2] {
		if !Retryable(err) || errors.Is(err, mine) {
			t.Errorf("answer %d: %v", i, err)
		}
	}
}

func TestOneLowOneJoinsAGroupWithUrgentOnes(t *testing.T) {
	db := openCore(t, coreOptions())
	fs := slices.Repeat([]func(*Tx) error{func(*Tx) error { return nil }}, 20)
	for i, err := range crowdOf(t, db, db.UpdateLow, fs...) {
		if err != nil {
			t.Errorf("closure %d: %v", i, err)
		}
	}
	// The urgent gate takes one along; the other nineteen are among themselves.
	if s := db.Stats(); s.Groups != 2 || s.LowClosures != 20 || s.LargestGroup != 19 {
		t.Errorf("stats %+v", s)
	}
}
