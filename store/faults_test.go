package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

func faulty() (Options, *Faults) {
	o := coreOptions()
	o.Faults = &Faults{}
	return o, o.Faults
}

func TestLostTransactionEndsTheGroup(t *testing.T) {
	o, faults := faulty()
	db := openCore(t, o)
	ranAfter := false
	answers := crowd(t, db,
		putting("a"),
		func(tx *Tx) error {
			faults.Arm(LoseGroup, 1)
			first := put(tx, "b")
			if second := put(tx, "c"); !errors.Is(second, ErrFull) {
				return fmt.Errorf("a statement ran after the loss: %v", second)
			}
			return first
		},
		func(tx *Tx) error { ranAfter = true; return put(tx, "d") })
	for i, err := range answers[:3] {
		if !Retryable(err) || !errors.Is(err, ErrFull) {
			t.Errorf("answer %d: %v", i, err)
		}
	}
	if answers[3] != nil || !ranAfter {
		t.Errorf("the next group: %v", answers[3])
	}
	sameKeys(t, "rows", keys(t, db), []string{"d"})
	if s := db.Stats(); s.Groups != 2 || s.FailedGroups != 1 {
		t.Errorf("stats %+v", s)
	}
}

func TestClosureCannotCommitOrRollBackTheGroup(t *testing.T) {
	for _, statement := range []string{"COMMIT", "ROLLBACK"} {
		t.Run(statement, func(t *testing.T) {
			db := openCore(t, coreOptions())
			answers := crowd(t, db, putting("a"), func(tx *Tx) error {
				_, _ = tx.exec(statement)
				_ = put(tx, "alone")
				return nil
			})
			for i, err := range answers[:2] {
				if !Retryable(err) {
					t.Errorf("answer %d: %v", i, err)
				}
			}
			if !errors.Is(answers[2], ErrMisuse) || Retryable(answers[2]) {
				t.Errorf("who did it: %v", answers[2])
			}
			sameKeys(t, "rows", keys(t, db), nil)
		})
	}
}

func TestCommitThatIsDefinitelyNotStored(t *testing.T) {
	o, faults := faulty()
	db := openCore(t, o)
	faults.Arm(FailCommit, 1)
	for i, err := range crowd(t, db, putting("a")) {
		if !errors.Is(err, ErrFull) || !Retryable(err) {
			t.Errorf("answer %d: %v", i, err)
		}
	}
	if !faults.Fired() {
		t.Fatal("the fault never fired")
	}
	if err := db.Update(t.Context(), "again", putting("a")); err != nil {
		t.Errorf("the next commit: %v", err)
	}
	sameKeys(t, "rows", keys(t, db), []string{"a"})
}

func TestCommitOfUnknownOutcomeRefusesFurtherChanges(t *testing.T) {
	for fault, want := range map[Fault][]string{DropCommit: nil, HideCommit: {"a", "gate"}} {
		o, faults := faulty()
		path := filepath.Join(t.TempDir(), "core.db")
		db, err := Open(t.Context(), path, o)
		if err != nil {
			t.Fatal(err)
		}
		faults.Arm(fault, 1)
		for i, err := range crowd(t, db, putting("a")) {
			if !errors.Is(err, ErrUnknownOutcome) || Retryable(err) {
				t.Errorf("fault %d, answer %d: %v", fault, i, err)
			}
		}
		if err := db.Update(t.Context(), "more", putting("b")); !errors.Is(err, ErrRefusing) || errors.Is(err, ErrUnknownOutcome) {
			t.Errorf("fault %d, a later change: %v", fault, err)
		}
		select {
		case <-db.Refused():
		default:
			t.Error("Refused does not tell")
		}
		if db.Stats().Refusing == "" {
			t.Error("Stats do not tell")
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		sameKeys(t, "rows after a restart", keys(t, openCoreAt(t, path, coreOptions())), want)
	}
}

func TestFaultsCountAndFireOnce(t *testing.T) {
	o, faults := faulty()
	db := openCore(t, o)
	work := func() error {
		return db.Update(t.Context(), "work", func(tx *Tx) error {
			_, err := tx.exec("DELETE FROM note")
			return errors.Join(err, put(tx, "a"), put(tx, "b"))
		})
	}
	failures := 0
	for n := 1; ; n++ {
		faults.Arm(FailStatement, n)
		err := work()
		if !faults.Fired() {
			break
		}
		if !errors.Is(err, ErrFull) {
			t.Errorf("statement %d: %v", n, err)
		}
		failures++
	}
	if failures != 3 {
		t.Errorf("three statements, %d failures", failures)
	}
	if _, commits := faults.Counts(); commits != 4 {
		t.Errorf("four runs, %d commits", commits)
	}
	sameKeys(t, "rows", keys(t, db), []string{"a", "b"})
}

// fill adds rows of 100 kB until one is refused and tells how many were taken.
func fill(t *testing.T, db *DB, limit int) (taken int, err error) {
	t.Helper()
	body := make([]byte, 100_000)
	for taken < limit {
		err := db.Update(t.Context(), "fill", func(tx *Tx) error {
			_, err := tx.insert("INSERT INTO note (key, body) VALUES (?, ?)", fmt.Sprintf("f%04d", taken), body)
			return err
		})
		if err != nil {
			return taken, err
		}
		taken++
	}
	return taken, nil
}

func TestFullDatabase(t *testing.T) {
	db := openCore(t, coreOptions())
	err := db.Update(t.Context(), "limit", func(tx *Tx) error {
		_, err := tx.c.exec("PRAGMA max_page_count = 200")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	taken, err := fill(t, db, 20)
	if !errors.Is(err, ErrFull) || !Retryable(err) {
		t.Fatalf("after %d rows: %v", taken, err)
	}
	if got := len(keys(t, db)); got != taken {
		t.Errorf("%d rows were acknowledged, %d are there", taken, got)
	}
	err = db.Update(t.Context(), "free", func(tx *Tx) error {
		_, err := tx.exec("DELETE FROM note")
		return errors.Join(err, put(tx, "room"))
	})
	if err != nil {
		t.Errorf("after room was made: %v", err)
	}
	sameKeys(t, "rows", keys(t, db), []string{"room"})
}
