package store

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// until gives the schema as it was up to a migration.
func until(t *testing.T, last string) fstest.MapFS {
	t.Helper()
	old := fstest.MapFS{}
	entries, err := fs.ReadDir(embedded(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() > last {
			continue
		}
		text, err := fs.ReadFile(embedded(), entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		old[entry.Name()] = &fstest.MapFile{Data: text}
	}
	return old
}

const onePayment = `INSERT INTO payment (id, public_id, gateway, merchant_ref, order_id, amount_minor, currency, state, cause, version, created_ms, changed_ms, give_up_ms, facts)
	VALUES (?, ?, 'gcash', ?, 1, 2000, 'PHP', ?, '', 1, 5, 5, 5, ?)`

const oneFact = `INSERT INTO fact (payment_id, version, key, kind, source, word, hint, never, currency, ref, cumulative, status, own_ms, committed_ms, refers, act, basis, saw, actor, reason)
	VALUES (?, 1, ?, 'word', ?, ?, ?, 0, 'PHP', '', 0, '', ?, 90, 0, '', '', 0, '', '')`

// TestOldSuccessesGetTheTimeAtWhichTheyWerePaid: the first success word that proves something says it.
func TestOldSuccessesGetTheTimeAtWhichTheyWerePaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old.db")
	old, err := Open(t.Context(), path, Options{migrations: until(t, "00003_z"), laws: []law{}})
	if err != nil {
		t.Fatal(err)
	}
	err = old.Update(t.Context(), "old rows", func(tx *Tx) error {
		statements := []func() (int64, error){
			func() (int64, error) {
				return tx.exec(`INSERT INTO orders (id, order_ref, created_ms) VALUES (1, 'O', 5)`)
			},
			func() (int64, error) { return tx.exec(onePayment, 1, "a", "A", "succeeded", 3) },
			func() (int64, error) { return tx.exec(onePayment, 2, "b", "B", "pending", 1) },
			func() (int64, error) { return tx.exec(oneFact, 1, "hint", "notice", "succeeded", 1, 10) },
			func() (int64, error) { return tx.exec(oneFact, 1, "query", "query", "succeeded", 0, 40) },
			func() (int64, error) { return tx.exec(oneFact, 1, "notice", "notice", "succeeded", 0, 30) },
			func() (int64, error) { return tx.exec(oneFact, 2, "hint", "notice", "succeeded", 1, 10) },
		}
		for _, run := range statements {
			if _, err := run(); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	db := openCoreAt(t, path, Options{laws: []law{}})
	var paid []int64
	err = db.View(t.Context(), "paid", func(rx *Rx) error {
		return rx.each(`SELECT paid_ms FROM payment ORDER BY id`, func(r *Row) { paid = append(paid, r.Int(0)) })
	})
	if err != nil || !slices.Equal(paid, []int64{30, 0}) {
		t.Errorf("paid at %v, %v", paid, err)
	}
}

// settlementDB is a database with one import of a day whose lines a test adds.
func settlementDB(t *testing.T) (db *DB, day int64, row Import) {
	t.Helper()
	db = openCoreAt(t, filepath.Join(t.TempDir(), "settlement.db"), Options{})
	row = Import{Gateway: "gcash", Name: "a.csv", Digest: make([]byte, 32), Source: "command", State: "reading", Owner: "me", StartedMs: 1, BeatMs: 1}
	err := db.Update(t.Context(), "begin", func(tx *Tx) (err error) {
		if row.ID, err = tx.InsertImport(row); err != nil {
			return err
		}
		day, err = tx.EnsureDay(Day{Gateway: "gcash", Day: "2031-03-07", FromMs: 0, ToMs: 1000})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return db, day, row
}

// addLines stores n lines of findings in turn, with their sums and a difference for every third.
func addLines(t *testing.T, db *DB, day int64, row *Import, n int) {
	t.Helper()
	findings := []string{"matched", "other_money", "amount"}
	err := db.Update(t.Context(), "lines", func(tx *Tx) error {
		first, err := tx.NextLineID()
		if err != nil {
			return err
		}
		var lines []Line
		for i := range n {
			lines = append(lines, Line{
				ID: first + int64(i), ImportID: row.ID, Number: int64(i + 2), DayID: day, Key: fmt.Appendf(nil, "%016d", i), Type: "payment", Finding: findings[i%3], Currency: "PHP",
				Gross: Amount{100, true},
			})
		}
		if err := tx.InsertLines(lines); err != nil {
			return err
		}
		for i, l := range lines {
			if err := tx.AddSum(Sum{DayID: day, ImportID: row.ID, Finding: l.Finding, Type: l.Type, Currency: l.Currency, Count: 1, GrossMinor: l.Gross.Minor}); err != nil {
				return err
			}
			if i%3 == 2 {
				if _, err := tx.InsertDifference(Difference{DayID: day, Kind: "amount", State: "new", LineID: l.ID, ImportID: row.ID, Number: l.Number, RiskMinor: 5, Currency: "PHP"}); err != nil {
					return err
				}
			}
		}
		row.FirstLine, row.LastLine, row.Lines, row.FirstDay, row.LastDay = first, first+int64(n)-1, int64(n), "2031-03-07", "2031-03-07"
		_, err = tx.SetImport(*row)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLinesOfADayComeInTheOrderOfTheirImport(t *testing.T) {
	db, day, row := settlementDB(t)
	addLines(t, db, day, &row, 100)
	var numbers []int64
	err := db.View(t.Context(), "pages", func(rx *Rx) error {
		for after := int64(0); ; {
			page, err := rx.LinesOfDay(day, "", after, 7)
			if err != nil || len(page) == 0 {
				return err
			}
			for _, l := range page {
				numbers = append(numbers, l.Number)
				after = l.ID
			}
		}
	})
	if err != nil || len(numbers) != 100 || !slices.IsSorted(numbers) {
		t.Errorf("lines %v, %v", numbers, err)
	}
}

func TestAJudgedLineMovesAmongTheSums(t *testing.T) {
	db, day, row := settlementDB(t)
	addLines(t, db, day, &row, 9)
	var sums []string
	err := db.Update(t.Context(), "judge", func(tx *Tx) error {
		list, err := tx.LinesOfDay(day, "amount", 0, 1)
		if err != nil {
			return err
		}
		if err := tx.JudgeLine(list[0], "matched", 0, ""); err != nil {
			return err
		}
		all, err := tx.SumsOfDay(day)
		for _, s := range all {
			sums = append(sums, fmt.Sprint(s.Finding, s.Count, " ", s.GrossMinor))
		}
		return err
	})
	if want := []string{"amount2 200", "matched4 400", "other_money3 300"}; err != nil || !slices.Equal(sums, want) {
		t.Errorf("sums %v, want %v, %v", sums, want, err)
	}
}

func TestAForgottenImportLeavesNothing(t *testing.T) {
	db, day, row := settlementDB(t)
	addLines(t, db, day, &row, 50)
	rounds := 0
	for more := true; more; rounds++ {
		err := db.Update(t.Context(), "forget", func(tx *Tx) (err error) {
			if more, err = tx.ForgetImport(row, 8); err != nil || more {
				return err
			}
			row.State = "failed"
			_, err = tx.SetImport(row)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if rounds < 7 {
		t.Errorf("all gone in %d rounds of eight", rounds)
	}
	broken, err := db.Check(t.Context())
	if err != nil || len(broken) != 0 {
		t.Errorf("%s, %v", strings.Join(broken, "\n"), err)
	}
	err = db.View(t.Context(), "left", func(rx *Rx) error {
		sums, err := rx.SumsOfDay(day)
		if len(sums) != 0 {
			t.Errorf("sums %v", sums)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestABrokenLawOfSettlementIsFound(t *testing.T) {
	db, day, row := settlementDB(t)
	addLines(t, db, day, &row, 3)
	row.State = "done"
	err := db.Update(t.Context(), "break", func(tx *Tx) error {
		if err := tx.AddSum(Sum{DayID: day, ImportID: row.ID, Finding: "matched", Type: "payment", Currency: "PHP", Count: 1}); err != nil {
			return err
		}
		row.Lines++
		_, err := tx.SetImport(row)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	broken, err := db.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"what the lines of an import come to", "every good line of an import", "a difference is shown"} {
		if !slices.ContainsFunc(broken, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%q was not found among %q", want, broken)
		}
	}
}
