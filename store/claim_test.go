package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// withClaims makes a closed database with payments of the given references, and claims of the first of them.
func withClaims(t *testing.T, refs []string, keys ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "nodrop.db")
	db, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(tx *Tx) error {
		first := int64(0)
		for _, ref := range refs {
			id, err := putPayment(tx, ref, "succeeded", 1000)
			if err != nil {
				return err
			}
			if first == 0 {
				first = id
			}
		}
		for _, key := range keys {
			if _, err := tx.InsertClaim(Claim{Key: key, PaymentID: first, Owner: "worker", MadeMs: 10, DueMs: 20}); err != nil {
				return err
			}
		}
		if len(keys) == 0 {
			return nil
		}
		_, err := tx.FinishClaim(keys[0], 15)
		return err
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestClaimsOfAReplacedFileAreCarried(t *testing.T) {
	list, err := ClaimsIn(t.Context(), withClaims(t, []string{"B"}, "done", "held", "taken"))
	if err != nil {
		t.Fatal(err)
	}
	lost := KeptClaim{Claim: Claim{Key: "lost", PaymentID: 1, Owner: "worker", State: "held", MadeMs: 10, DueMs: 20}, PublicID: "pay_Z"}
	db := openCoreAt(t, withClaims(t, []string{"A", "B"}, "taken"), Options{}) // B has another row id here
	update(t, db, func(tx *Tx) error {
		var got [][2]bool
		for _, c := range append(list, lost) {
			carried, known, err := tx.CarryClaim(c)
			if err != nil {
				return err
			}
			got = append(got, [2]bool{carried, known})
		}
		if want := [][2]bool{{true, true}, {true, true}, {false, true}, {false, false}}; !reflect.DeepEqual(got, want) {
			t.Errorf("carried and known: %v, want %v", got, want)
		}
		b, _, err := tx.PaymentByPublicID("pay_B")
		if err != nil {
			return err
		}
		for _, want := range []Claim{
			{Key: "done", PaymentID: b.ID, Owner: "worker", State: "uncertain", MadeMs: 10, DueMs: 20, DoneMs: 15},
			{Key: "held", PaymentID: b.ID, Owner: "worker", State: "uncertain", MadeMs: 10, DueMs: 20},
		} {
			if got, _, err := tx.Claim(want.Key); err != nil || got != want {
				t.Errorf("claim %+v, %v, want %+v", got, err, want)
			}
		}
		return nil
	})
}

func TestClaimsOfAFileThatCannotBeRead(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone.db")
	junk := filepath.Join(t.TempDir(), "junk.db")
	if err := os.WriteFile(junk, []byte("this is no database; "+string(make([]byte, 5000))), 0o600); err != nil {
		t.Fatal(err)
	}
	newer := withClaims(t, []string{"A"}, "key")
	c, err := dial(newer, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)"); err != nil {
		t.Fatal(err)
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{gone: fs.ErrNotExist, junk: ErrDamaged, newer: ErrNewer} {
		if list, err := ClaimsIn(t.Context(), path); !errors.Is(err, want) || len(list) > 0 {
			t.Errorf("%s: %v, %v, want %v", path, list, err, want)
		}
	}
	if exists(gone) {
		t.Error("a file that is not there was made")
	}
}
