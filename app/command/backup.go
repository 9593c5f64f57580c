package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"nodrop/store"
)

// Backup copies the database to a new file while it may be served, and verifies the copy.
func (e *Env) Backup(ctx context.Context, path, dest string) (err error) {
	c, err := e.existing(path)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, c.Data, store.Options{Log: e.Log, Now: e.Now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	show, end := e.progress("copying")
	err = db.Backup(ctx, dest, show)
	end()
	switch {
	case errors.Is(err, fs.ErrExist):
		return Wrong("there is a file %s already: choose another name", dest)
	case err != nil:
		return err
	}
	e.print("%s was copied to %s, and the copy verified\n", c.Data, dest)
	return nil
}

// recheckBefore is how long before the end of a backup a change is asked about again.
const recheckBefore = 24 * time.Hour

// restoring is one restore: what the backup reaches, and what was done to its copy.
type restoring struct {
	backup    store.Extent
	rechecked int64
	doubted   int64
	claims    carrying
}

// Restore puts a backup in the place of the database, which nobody may serve.
func (e *Env) Restore(ctx context.Context, path, src string) error {
	c, err := e.locate(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(src); errors.Is(err, fs.ErrNotExist) {
		return Wrong("there is no file %s to restore", src)
	}
	now := e.Now()
	var r restoring
	e.note("verifying %s\n", src)
	kept, err := store.Restore(ctx, src, c.Data, func(ctx context.Context, db *store.DB) error {
		r.claims.list, r.claims.unread = store.ClaimsIn(ctx, c.Data)
		return r.prepare(ctx, db, now)
	})
	if err != nil {
		return err
	}
	e.print("%s was restored from %s\n\n", c.Data, src)
	if kept != "" {
		e.printGap(ctx, r.backup, kept)
	}
	e.print("%s open in the backup or changed in the day before its end will be asked about again.\n", count(r.rechecked, "payment"))
	e.print("%s made before wait for a person, who releases them or not.\n", count(r.doubted, "claim"))
	e.printCarried(&r.claims)
	if kept != "" {
		e.print("The file that was replaced is kept as %s.\n", kept)
	}
	return nil
}

// prepare makes the copy of the backup fit to go on from: a new epoch of event ids, claims in doubt, questions due.
func (r *restoring) prepare(ctx context.Context, db *store.DB, now time.Time) error {
	return db.Update(ctx, "restore", func(tx *store.Tx) (err error) {
		if r.backup, err = tx.Extent(); err != nil {
			return err
		}
		if err = tx.OpenEpoch(); err != nil {
			return err
		}
		if r.doubted, err = tx.DoubtClaims(); err != nil {
			return err
		}
		if err = r.claims.carry(tx); err != nil {
			return err
		}
		since := max(r.backup.LastChangeMs, r.backup.LastReceiptMs) - recheckBefore.Milliseconds()
		r.rechecked, err = tx.RecheckAll(now.UnixMilli(), since)
		return err
	})
}

// printGap says what the replaced file had beyond the backup. A damaged file has nothing to say.
func (e *Env) printGap(ctx context.Context, backup store.Extent, kept string) {
	old, err := e.extent(ctx, kept)
	if err != nil {
		e.print("The replaced file cannot be read, so what it had beyond the backup is not known: %v\n\n", err)
		return
	}
	t := tabwriter.NewWriter(e.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(t, "\tbackup\treplaced file\tgap")
	row := func(what string, a, b int64) { fmt.Fprintf(t, "%s\t%d\t%d\t%+d\n", what, a, b, a-b) }
	row("payments", backup.Payments, old.Payments)
	row("requests kept", backup.Requests, old.Requests)
	row("events to the shop", backup.Events, old.Events)
	last := func(what string, a, b int64) {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", what, stamp(a), stamp(b), gap(a, b))
	}
	last("last request", backup.LastReceiptMs, old.LastReceiptMs)
	last("last change", backup.LastChangeMs, old.LastChangeMs)
	last("last event", backup.LastEventMs, old.LastEventMs)
	_ = t.Flush()
	if old.Payments > backup.Payments {
		e.print("\nThe shop must register the payments again that the backup does not have; their notices are kept until then.\n")
	}
	e.print("\n")
}

func (e *Env) extent(ctx context.Context, path string) (x store.Extent, err error) {
	db, err := store.Open(ctx, path, store.Options{Log: e.Log, Now: e.Now})
	if err != nil {
		return x, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.View(ctx, "extent", func(rx *store.Rx) (err error) {
		x, err = rx.Extent()
		return err
	})
	return x, err
}

func stamp(ms int64) string {
	if ms == 0 {
		return "never"
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05Z")
}

// gap words how much later b is than a.
func gap(a, b int64) string {
	switch {
	case a == b:
		return "none"
	case a == 0 || b == 0:
		return "all"
	case b < a:
		return "the backup is newer"
	}
	return (time.Duration(b-a) * time.Millisecond).Round(time.Second).String()
}

func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// table prints aligned columns.
func (e *Env) table(rows [][]string) error {
	t := tabwriter.NewWriter(e.Stdout, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	return t.Flush()
}
