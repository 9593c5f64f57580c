package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	sqlite3 "modernc.org/sqlite/lib"
)

// Restore puts a copy of the backup src in the place of the database dst, which nobody may have open. The copy is
// verified, brought to this program's schema and given to prepare; only then it takes the place, in one step. The
// replaced file is kept, and its name returned ("" when there was none).
func Restore(ctx context.Context, src, dst string, prepare func(context.Context, *DB) error) (kept string, err error) {
	r := restore{src: src, dst: dst, prepare: prepare}
	return r.run(ctx)
}

type restore struct {
	src, dst string
	options  Options
	prepare  func(context.Context, *DB) error
}

func (r *restore) run(ctx context.Context) (kept string, err error) {
	given := r.dst
	if r.dst, err = resolve(given); err != nil {
		return "", fmt.Errorf("store: restore to %s: %w", given, err)
	}
	r.options = r.options.filled()
	r.options.noCopy = true
	l, err := acquire(ctx, r.dst, restoring)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, l.release()) }()
	temp, err := r.prepared(ctx)
	if temp != "" {
		defer discard(temp)
	}
	if err != nil {
		return "", fmt.Errorf("store: restore %s: %w", r.src, err)
	}
	if kept, err = replace(temp, r.dst); err != nil {
		return kept, fmt.Errorf("store: restore %s to %s: %w", r.src, r.dst, err)
	}
	return kept, nil
}

// prepared makes the finished database beside the one that it will replace.
func (r *restore) prepared(ctx context.Context) (temp string, err error) {
	if _, err := os.Stat(r.src); err != nil {
		return "", err
	}
	if _, fresh, err := inspect(r.src); err != nil {
		return "", err
	} else if fresh {
		return "", fmt.Errorf("%w: it is empty", ErrForeign)
	}
	if temp, err = temporary(r.dst); err != nil {
		return "", err
	}
	if err := copyPages(ctx, r.src, temp, nil); err != nil {
		return temp, failure("copy", "", err)
	}
	if err := verify(ctx, temp); err != nil {
		return temp, failure("verify", "", err)
	}
	db, err := Open(ctx, temp, r.options)
	if err != nil {
		return temp, err
	}
	if r.prepare != nil {
		err = r.prepare(ctx, db)
	}
	return temp, errors.Join(err, db.Close(), syncFile(temp))
}

// replace puts temp in the place of dst.
func replace(temp, dst string) (kept string, err error) {
	if _, err := os.Stat(dst); errors.Is(err, fs.ErrNotExist) {
		return "", errors.Join(os.Rename(temp, dst), syncDir(dst))
	}
	if kept, err = setAside(dst); err != nil {
		return "", fmt.Errorf("keep the present file: %w: move it away yourself", err)
	}
	guard, err := seize(dst)
	if err != nil {
		discard(kept)
		return "", err
	}
	defer guard.close()
	stale := []string{dst + "-wal", dst + "-shm"} // must not be applied to what comes
	if guard != nil {
		stale = []string{kept + "-wal"} // was folded in
	}
	for _, name := range stale {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return kept, err
		}
	}
	return kept, errors.Join(os.Rename(temp, dst), syncDir(dst))
}

// setAside gives the file, and its log if there is one, a second name.
func setAside(path string) (kept string, err error) {
	for n := 0; ; n++ {
		kept = path + ".replaced"
		if n > 0 {
			kept = fmt.Sprintf("%s.%d", kept, n)
		}
		if err = os.Link(path, kept); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", err
	}
	if err := os.Link(path+"-wal", kept+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", errors.Join(err, os.Remove(kept))
	}
	return kept, nil
}

// seize keeps every other process from the file until it is closed, and folds its log in. A file that is no database
// any more needs no guard: nil.
func seize(path string) (*conn, error) {
	c, err := dial(path, []setting{{"busy_timeout", "2000"}})
	if err != nil {
		return nil, unlessDamaged(path, err)
	}
	mode, err := c.value("PRAGMA journal_mode = DELETE")
	if err == nil && mode != "delete" {
		err = ErrBusy
	}
	if err == nil {
		_, err = c.exec("BEGIN EXCLUSIVE")
	}
	if err != nil {
		_ = c.close()
		return nil, unlessDamaged(path, err)
	}
	return c, nil
}

func unlessDamaged(path string, err error) error {
	if c := code(err) & 0xff; c == sqlite3.SQLITE_NOTADB || c == sqlite3.SQLITE_CORRUPT {
		return nil
	}
	return fmt.Errorf("%w (%s must not be open in another nodrop command): %w", ErrBusy, path, err)
}

// discard removes a database with everything beside it.
func discard(path string) {
	for _, end := range []string{"", "-wal", "-shm", "-journal", ".lock"} {
		_ = os.Remove(path + end)
	}
}
