package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func embedded() fs.FS {
	sub, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return sub
}

// applicationID marks a file as nodrop's own: "nodr" in ASCII.
const applicationID = "1852793970"

// Foreign keys are off while tables are rebuilt, and checked afterwards.
var migrateSettings = []setting{{"busy_timeout", "5000"}, {"page_size", "4096"}, {"journal_mode", "wal"}, {"synchronous", "2"},
	{"foreign_keys", "0"}, {"temp_store", "2"}}

// migrate brings the file to the newest schema, after a copy of it is made. A running server is never migrated beneath.
func (db *DB) migrate(ctx context.Context, o Options) error {
	want, err := schemaOf(o.migrations)
	if err != nil {
		return err
	}
	if have, _, err := inspect(db.path); err != nil || have == want {
		return err
	} else if have.last > want.last {
		return &Error{Op: "open " + db.path, Kind: ErrNewer, Cause: fmt.Errorf("its schema is %d, this program knows %d", have.last, want.last)}
	}
	if db.lock == nil {
		l, err := acquire(ctx, db.path, migrating)
		if err != nil {
			return err
		}
		defer l.release()
	}
	have, fresh, err := inspect(db.path) // again: another process may have migrated meanwhile
	if err != nil || !have.behind(want) {
		return err
	}
	if fresh || o.noCopy {
		return upgrade(ctx, db.path, o.migrations)
	}
	kept, err := keep(ctx, db.path, want.last)
	if err != nil {
		return fmt.Errorf("store: copy %s before its schema is changed from %d to %d: %w", db.path, have.last, want.last, err)
	}
	db.log.Info("the database was copied before its schema is changed", "copy", kept, "from", have.last, "to", want.last)
	if err := upgrade(ctx, db.path, o.migrations); err != nil {
		return fmt.Errorf("%w; the database as it was is in %s", err, kept)
	}
	return nil
}

// schema says which migrations there are, or were run: how many, and the highest number.
type schema struct{ count, last int64 }

// behind tells whether migrations are wanting: newer ones, or one with a lower number that was written later.
func (s schema) behind(want schema) bool {
	return s.last < want.last || s.last == want.last && s.count < want.count
}

// schemaOf reads the migrations of a program.
func schemaOf(files fs.FS) (s schema, err error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return s, err
	}
	for _, name := range names {
		number, _, _ := strings.Cut(name, "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return s, fmt.Errorf("store: migration %s: %w", name, err)
		}
		s.count, s.last = s.count+1, max(s.last, n)
	}
	return s, nil
}

// inspect reads the schema of a file, and whether it holds nothing yet; a database of another program is refused.
func inspect(path string) (have schema, fresh bool, err error) {
	c, err := dial(path, []setting{{"busy_timeout", "5000"}, {"query_only", "1"}})
	if err != nil {
		return have, false, err
	}
	defer c.close()
	// In this order: another process marks a fresh file before it makes the first table.
	tables, err := c.value("SELECT count(*) FROM sqlite_schema")
	if err != nil {
		return have, false, failure("open "+path, "", err)
	}
	id, err := c.value("PRAGMA application_id")
	if err != nil {
		return have, false, failure("open "+path, "", err)
	}
	if id != applicationID {
		if id == "0" && tables == "0" {
			return have, true, nil
		}
		return have, false, &Error{Op: "open " + path, Kind: ErrForeign}
	}
	if tables == "0" {
		return have, true, nil
	}
	for query, into := range map[string]*int64{
		"SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied = 1":                  &have.last,
		"SELECT count(DISTINCT version_id) FROM goose_db_version WHERE is_applied = 1 AND version_id > 0": &have.count,
	} {
		text, err := c.value(query)
		if err != nil {
			return have, false, failure("open "+path, "", err)
		}
		if *into, err = strconv.ParseInt(text, 10, 64); err != nil {
			return have, false, err
		}
	}
	return have, false, nil
}

// keep copies the file to path.before-VERSION, beside earlier copies if there are any.
func keep(ctx context.Context, path string, version int64) (string, error) {
	for n := 0; ; n++ {
		dest := fmt.Sprintf("%s.before-%d", path, version)
		if n > 0 {
			dest = fmt.Sprintf("%s.%d", dest, n)
		}
		if _, err := os.Lstat(dest); err == nil {
			continue
		}
		return dest, copyFile(ctx, path, dest, nil)
	}
}

// upgrade runs the migrations that are missing, each in a transaction of its own.
func upgrade(ctx context.Context, path string, files fs.FS) (err error) {
	connector, err := sqlite.NewConnector(dsn(path, migrateSettings))
	if err != nil {
		return err
	}
	db := sql.OpenDB(connector)
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "PRAGMA application_id = "+applicationID); err != nil {
		return failure("open "+path, "", err)
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true), goose.WithLogger(goose.NopLogger()))
	if err != nil {
		return fmt.Errorf("store: migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return failure("change the schema of "+path, "", err)
	}
	rows, err := db.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return failure("check "+path, "", err)
	}
	defer rows.Close()
	if rows.Next() {
		return fmt.Errorf("store: change the schema of %s: rows refer to rows that do not exist", path)
	}
	return rows.Err()
}
