package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestViewSeesOneState(t *testing.T) {
	db := openCore(t, coreOptions())
	if err := db.Update(t.Context(), "put", putting("a")); err != nil {
		t.Fatal(err)
	}
	count := func(rx *Rx) (n int64) {
		if _, err := rx.one("SELECT count(*) FROM note", func(r *Row) { n = r.Int(0) }); err != nil {
			t.Error(err)
		}
		return n
	}
	err := db.View(t.Context(), "twice", func(rx *Rx) error {
		before := count(rx)
		if err := db.Update(t.Context(), "put", putting("b")); err != nil {
			return err
		}
		if after := count(rx); before != 1 || after != 1 {
			return fmt.Errorf("saw %d, then %d", before, after)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	sameKeys(t, "rows", keys(t, db), []string{"a", "b"})
}

func TestViewCannotWrite(t *testing.T) {
	db := openCore(t, coreOptions())
	err := db.View(t.Context(), "write", func(rx *Rx) error {
		return rx.each("INSERT INTO note (key) VALUES ('a') RETURNING id", func(*Row) {})
	})
	if err == nil || !strings.Contains(err.Error(), "readonly") {
		t.Errorf("writing in a view: %v", err)
	}
	sameKeys(t, "rows", keys(t, db), nil)
}

func TestViewEndsWithItsContext(t *testing.T) {
	db := openCore(t, coreOptions())
	ctx, cancel := context.WithCancel(t.Context())
	const endless = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c"
	rows := 0
	err := db.View(ctx, "endless", func(rx *Rx) error {
		return rx.each(endless, func(*Row) {
			if rows++; rows == 1000 {
				cancel()
			}
		})
	})
	if !errors.Is(err, context.Canceled) || rows != 1000 {
		t.Errorf("after %d rows: %v", rows, err)
	}
	short, stop := context.WithTimeout(t.Context(), 1)
	defer stop()
	err = db.View(short, "endless", func(rx *Rx) error {
		_, err := rx.one("SELECT count(*) FROM ("+endless+")", func(*Row) {})
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a statement without end: %v", err)
	}
	sameKeys(t, "the connections still work", keys(t, db), nil)
}

func TestStatementThatNeverYieldsIsInterrupted(t *testing.T) {
	db := openCore(t, coreOptions())
	ctx, cancel := context.WithCancel(t.Context())
	err := db.View(ctx, "endless", func(rx *Rx) error {
		go cancel()
		_, err := rx.one("WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c", func(*Row) {})
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestPanicInAViewGivesTheConnectionBack(t *testing.T) {
	o := coreOptions()
	o.Readers = 1
	db := openCore(t, o)
	for range 3 {
		func() {
			defer func() {
				if recover() != "in a view" {
					t.Error("the panic did not come through")
				}
			}()
			_ = db.View(t.Context(), "panic", func(rx *Rx) error {
				return rx.each("SELECT 1", func(*Row) { panic("in a view") })
			})
		}()
	}
	sameKeys(t, "rows", keys(t, db), nil)
}

func TestViewWaitsForAConnectionNoLongerThanItsContext(t *testing.T) {
	o := coreOptions()
	o.Readers = 1
	db := openCore(t, o)
	err := db.View(t.Context(), "outer", func(*Rx) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return db.View(ctx, "inner", func(*Rx) error { return nil })
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestColumnsAreReadByType(t *testing.T) {
	db := openCore(t, coreOptions())
	err := db.Update(t.Context(), "types", func(tx *Tx) error {
		if _, err := tx.insert("INSERT INTO note (key, n, body) VALUES (?, ?, ?), (?, ?, ?)", "", int64(1)<<62, []byte{}, "é\x00z", true, nil); err != nil {
			return err
		}
		n := 0
		return tx.each("SELECT key, n, body, body IS NULL FROM note ORDER BY id", func(r *Row) {
			n++
			if n == 1 && (r.Text(0) != "" || r.Int(1) != 4611686018427387904 || r.Null(2) || len(r.Blob(2)) != 0 && r.Bool(3)) {
				t.Errorf("row 1: %q %d %t %v", r.Text(0), r.Int(1), r.Null(2), r.Blob(2))
			}
			if n == 2 && (r.Text(0) != "é\x00z" || r.Int(1) != 1 || !r.Null(2) || r.Blob(2) != nil || !r.Bool(3)) {
				t.Errorf("row 2: %q %d %t %v", r.Text(0), r.Int(1), r.Null(2), r.Blob(2))
			}
		})
	})
	if err != nil {
		t.Error(err)
	}
	for what, read := range map[string]func(*Row){
		"another type": func(r *Row) { r.Int(0) },
		"too far":      func(r *Row) { r.Text(7) },
	} {
		err := db.View(t.Context(), what, func(rx *Rx) error { return rx.each("SELECT key FROM note", read) })
		if err == nil {
			t.Errorf("%s was read without an error", what)
		}
	}
	err = db.Update(t.Context(), "float", func(tx *Tx) error {
		_, err := tx.insert("INSERT INTO note (key, n) VALUES ('f', ?)", 1.5)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "float64") {
		t.Errorf("a float was taken: %v", err)
	}
}

func TestMoreStatementsThanAreKept(t *testing.T) {
	db := openCore(t, coreOptions())
	err := db.View(t.Context(), "many", func(rx *Rx) error {
		sum := int64(0)
		for round := range 2 {
			for i := range maxStatements + 10 {
				if _, err := rx.one(fmt.Sprintf("SELECT %d", i), func(r *Row) { sum += r.Int(0) }); err != nil {
					return err
				}
			}
			if want := int64(round+1) * 409 * 410 / 2; sum != want {
				return fmt.Errorf("0 to 409 summed up %d times to %d, want %d", round+1, sum, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
