package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
)

func view(t *testing.T, db *DB, f func(*Rx) error) {
	t.Helper()
	if err := db.View(t.Context(), t.Name(), f); err != nil {
		t.Fatal(err)
	}
}

// keepRefused stores refused requests of a gateway, one for each reason, and gives their ids.
func keepRefused(t *testing.T, db *DB, gateway string, reasons ...string) (ids []int64) {
	t.Helper()
	update(t, db, func(tx *Tx) error {
		for i, reason := range reasons {
			id, err := tx.InsertRefused(Request{Gateway: gateway, ReceivedMs: int64(1000 + i), Method: "POST", Target: "/", Status: 401, Reason: reason})
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	})
	return ids
}

func TestARefusedRequestIsTakenInOnce(t *testing.T) {
	db := openProduct(t)
	ids := keepRefused(t, db, "g", "bad_signature", "bad_signature", "no_secret")
	update(t, db, func(tx *Tx) error {
		for _, want := range []bool{true, false} {
			got, err := tx.TakeRefused(ids[0], 5000)
			if err != nil {
				return err
			}
			if got != want {
				t.Errorf("taken %v, want %v", got, want)
			}
		}
		if err := tx.JudgeRefused(ids[2], "bad_signature", "another secret"); err != nil {
			return err
		}
		return tx.JudgeRefused(ids[0], "stale_timestamp", "never written")
	})
	view(t, db, func(rx *Rx) error {
		counts, err := rx.RefusedCounts()
		if want := []RefusedCount{{"g", "bad_signature", 2, 1002}}; !slices.Equal(counts, want) {
			t.Errorf("counts %v, want %v", counts, want)
		}
		if err != nil {
			return err
		}
		list, err := rx.Refused("g", 0, 10)
		if len(list) != 2 || list[0].ID != ids[2] || list[0].Detail != "another secret" || list[1].ID != ids[1] {
			t.Errorf("still refused: %+v", list)
		}
		if err != nil {
			return err
		}
		q, ok, err := rx.GetRefused(ids[0])
		if !ok || q.TakenMs != 5000 || q.Reason != "bad_signature" || q.Status != 401 {
			t.Errorf("the one taken in: %+v", q)
		}
		return err
	})
}

func TestRefusedRequestsAreReadInPages(t *testing.T) {
	db := openProduct(t)
	ids := keepRefused(t, db, "g", "a", "b", "a", "a")
	keepRefused(t, db, "other", "a")
	view(t, db, func(rx *Rx) error {
		last, err := rx.LastRefused()
		if err != nil || last != ids[3]+1 {
			t.Errorf("last %d, %v", last, err)
		}
		for _, c := range []struct {
			reason      string
			after, upTo int64
			want        []int64
		}{
			{"", 0, last, ids[:2]}, {"", ids[1], last, ids[2:]}, {"a", 0, last, []int64{ids[0], ids[2]}}, {"a", ids[0], ids[2], []int64{ids[2]}}, {"c", 0, last, nil},
		} {
			page, err := rx.RefusedAfter("g", c.reason, c.after, c.upTo, 2)
			if err != nil {
				return err
			}
			var got []int64
			for _, q := range page {
				got = append(got, q.ID)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q after %d up to %d: %v, want %v", c.reason, c.after, c.upTo, got, c.want)
			}
		}
		return nil
	})
}

func TestMatchesKeepTheLatest(t *testing.T) {
	db := openProduct(t)
	update(t, db, func(tx *Tx) error {
		for _, ms := range []int64{2000, 3000, 1000} {
			if err := tx.NoteMatch("g", "k1", ms); err != nil {
				return err
			}
		}
		return tx.NoteMatch("other", "k1", 9000)
	})
	view(t, db, func(rx *Rx) error {
		got, err := rx.Matches("g")
		if len(got) != 1 || got["k1"] != 3000 {
			t.Errorf("matches %v", got)
		}
		return err
	})
}

func TestHintsWaitAsOneAppointment(t *testing.T) {
	db := openProduct(t)
	update(t, db, func(tx *Tx) error {
		id, err := putPayment(tx, "A", "pending", 1)
		if err != nil {
			return err
		}
		hint := Timer{PaymentID: id, Gateway: "g", Lane: LaneHinted, DueMs: 100, Why: "hint"}
		again := hint
		again.DueMs, again.Refers, again.Why = 300, 300, "check"
		for _, one := range []Timer{hint, again, hint} {
			if err := tx.WantHint(one); err != nil {
				return err
			}
		}
		if list, err := tx.TimersOf(id); err != nil || len(list) != 1 || list[0].DueMs != 100 || list[0].Refers != 300 || list[0].Why != "check" {
			t.Errorf("timers %+v, %v", list, err)
		}
		for _, c := range []struct {
			answered int64
			left     bool
		}{{299, true}, {300, false}} {
			if err := tx.DropHint(id, c.answered); err != nil {
				return err
			}
			if _, left, err := tx.HintOf(id); err != nil || left != c.left {
				t.Errorf("answered as of %d: left %v, %v", c.answered, left, err)
			}
		}
		return nil
	})
}

// putNotice adds an inbox row that nothing proves.
func putNotice(tx *Tx, key, state string) (int64, error) {
	return tx.InsertItem(Item{Gateway: "g", Channel: "webhook", DedupeKey: key, Digest: make([]byte, 32), State: state, ReceivedMs: 1, DueMs: 1, DoneMs: 1}, Request{Verdict: "accepted", Secret: -1})
}

func TestOnlyUnprovedMessagesAboutNothingArePruned(t *testing.T) {
	db := openProduct(t)
	var ids []int64
	update(t, db, func(tx *Tx) error {
		for i, state := range []string{"ignored", "parked", "pending", "parked", "ignored", "parked"} {
			id, err := putNotice(tx, string(rune('a'+i)), state)
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		if err := tx.Park("g", "", "R", ids[1]); err != nil {
			return err
		}
		_, err := tx.OpenReview(Review{Kind: "money_without_order", Subject: "x", InboxID: ids[3], Gateway: "g", Currency: "XXX", OpenedMs: 1})
		return err
	})
	update(t, db, func(tx *Tx) error {
		n, err := tx.PruneUnproved("g", 2)
		if n != 2 {
			t.Errorf("pruned %d, want the first two: the third waits, the fourth was shown, the last two are new", n)
		}
		return err
	})
	view(t, db, func(rx *Rx) error {
		items, err := rx.Items(InboxFilter{Limit: 10})
		var got []int64
		for _, it := range items {
			got = append(got, it.ID)
		}
		if want := []int64{ids[5], ids[4], ids[3], ids[2]}; !slices.Equal(got, want) {
			t.Errorf("left %v, want %v", got, want)
		}
		return err
	})
}

func TestAHintThatOthersStandOnStays(t *testing.T) {
	db := openProduct(t)
	update(t, db, func(tx *Tx) error {
		whole, err := putNotice(tx, "whole", "pending")
		if err != nil {
			return err
		}
		part, err := tx.InsertItem(Item{RequestID: whole, Item: 1, Gateway: "g", Channel: "webhook", DedupeKey: "part", Digest: make([]byte, 32), State: "pending"}, Request{})
		if err != nil {
			return err
		}
		for _, c := range []struct {
			id   int64
			want bool
		}{{whole, false}, {part, true}, {whole, true}} {
			if got, err := tx.DropHinted(c.id); err != nil || got != c.want {
				t.Errorf("row %d dropped %v, %v; want %v", c.id, got, err, c.want)
			}
		}
		return nil
	})
}

func TestAppointmentsOutliveTheNewSchema(t *testing.T) {
	first, err := migrationFiles.ReadFile("migrations/00001_init.sql")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "nodrop.db")
	old, err := Open(t.Context(), path, Options{migrations: fstest.MapFS{"00001_init.sql": {Data: first}}})
	if err != nil {
		t.Fatal(err)
	}
	want := Timer{Kind: "ask", Gateway: "g", Lane: LaneOld, DueMs: 700, LeasedMs: 600, Attempts: 3, Refers: 5, Why: "tail"}
	update(t, old, func(tx *Tx) error {
		if want.PaymentID, err = putPayment(tx, "A", "pending", 1); err != nil {
			return err
		}
		return tx.SetTimer(want)
	})
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	view(t, openCoreAt(t, path, Options{}), func(rx *Rx) error {
		list, err := rx.TimersOf(want.PaymentID)
		if !slices.Equal(list, []Timer{want}) {
			t.Errorf("timers %+v, want %+v", list, want)
		}
		return err
	})
	known, err := schemaOf(embedded())
	if err != nil || !exists(fmt.Sprintf("%s.before-%d", path, known.last)) {
		t.Error("no copy of the old file was kept")
	}
}
