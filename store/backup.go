package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
)

// backupPages are copied in one go, about a megabyte; between two steps others get the processor.
const backupPages = 256

// Backup copies the database to dest while it is in use, verifies the copy, and only then gives it its name. An
// existing file is never overwritten. progress, if any, is told the pages done and the total.
func (db *DB) Backup(ctx context.Context, dest string, progress func(done, total int)) error {
	db.w.log2file.pinned.Add(1)
	defer db.w.log2file.pinned.Add(-1)
	if err := copyFile(ctx, db.path, dest, progress); err != nil {
		return fmt.Errorf("store: back up %s to %s: %w", db.path, dest, err)
	}
	return nil
}

// copyFile makes a verified copy of a database under a new name.
func copyFile(ctx context.Context, src, dest string, progress func(done, total int)) error {
	temp, err := reserve(dest)
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := copyPages(ctx, src, temp, progress); err != nil {
		return err
	}
	if err := seal(ctx, temp); err != nil {
		return fmt.Errorf("seal the copy: %w", err)
	}
	if err := verify(ctx, temp); err != nil {
		return fmt.Errorf("the copy is not sound: %w", err)
	}
	if err := syncFile(temp); err != nil {
		return err
	}
	if err := name(temp, dest); err != nil {
		return err
	}
	return syncDir(dest)
}

// name gives a finished file its name; a link, unlike a rename, never overwrites. Some file systems have no links.
func name(temp, dest string) error {
	err := os.Link(temp, dest)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := absent(dest); err != nil {
		return err
	}
	return os.Rename(temp, dest)
}

func absent(path string) error {
	_, err := os.Lstat(path)
	if err == nil {
		return fmt.Errorf("%w: choose another name", fs.ErrExist)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// reserve makes an empty temporary file beside dest, which must not exist.
func reserve(dest string) (string, error) {
	if err := absent(dest); err != nil {
		return "", err
	}
	return temporary(dest)
}

// temporary makes an empty file in dest's folder that only its owner may read.
func temporary(dest string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(dest), "."+filepath.Base(dest)+".*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// copyPages copies one state of src: a read transaction held throughout keeps writers from restarting the copy.
func copyPages(ctx context.Context, src, dest string, progress func(done, total int)) (err error) {
	c, err := dial(src, readerSettings)
	if err != nil {
		return err
	}
	defer c.close()
	if _, err := c.exec("BEGIN"); err != nil {
		return err
	}
	if _, err := c.value("SELECT count(*) FROM sqlite_schema"); err != nil {
		return err
	}
	b, err := c.raw.(interface {
		NewBackup(string) (*sqlite.Backup, error)
	}).NewBackup(dsn(dest, []setting{{"synchronous", "0"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Finish()) }()
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if more, err = b.Step(backupPages); err != nil {
			return err
		}
		if progress != nil {
			progress(b.PageCount()-b.Remaining(), b.PageCount())
		}
	}
	return nil
}

// verify turns a finished copy into a single plain file and checks it throughout.
func verify(ctx context.Context, path string) error {
	c, err := dial(path, []setting{{"journal_mode", "delete"}, {"cache_size", "-16384"}})
	if err != nil {
		return err
	}
	found, err := c.integrity(ctx)
	if err == nil && len(found) == 0 {
		broken := ""
		if broken, err = c.broken(ctx); broken != "" {
			found = append(found, broken)
		}
	}
	if e := c.close(); err == nil {
		err = e
	}
	if err == nil && len(found) > 0 {
		err = fmt.Errorf("%w: %s", ErrDamaged, found[0])
	}
	return err
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
