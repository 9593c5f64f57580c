package store

import (
	"context"
	"fmt"
	"strings"
)

// maxFindings bounds what one check reports.
const maxFindings = 20

// law is a query that must return no rows; what it returns says what is wrong.
type law struct{ name, query string }

// Check looks for damage in the file, references to nothing, and broken laws, and gives a line for each finding. It reads
// everything and may take long on a large file; it does not stop writers.
func (db *DB) Check(ctx context.Context) ([]string, error) {
	db.w.log2file.pinned.Add(1)
	defer db.w.log2file.pinned.Add(-1)
	c, err := dial(db.path, readerSettings)
	if err != nil {
		return nil, err
	}
	defer c.close()
	list, err := c.integrity(ctx)
	if err != nil {
		return nil, failure("check", "", err)
	}
	for _, l := range db.laws {
		found, err := c.findings(ctx, l.query)
		if err != nil {
			return nil, failure("check", l.name, err)
		}
		for _, f := range found {
			list = append(list, l.name+": "+f)
		}
	}
	return list, nil
}

// integrity runs SQLite's own checks.
func (c *conn) integrity(ctx context.Context) ([]string, error) {
	found, err := c.findings(ctx, "PRAGMA integrity_check")
	if err != nil {
		return nil, err
	}
	if len(found) == 1 && found[0] == "ok" {
		found = nil
	}
	for i := range found {
		found[i] = "damage: " + found[i]
	}
	dangling, err := c.findings(ctx, "PRAGMA foreign_key_check")
	for _, d := range dangling {
		found = append(found, "reference to nothing (table, row, refers to, key): "+d)
	}
	return found, err
}

// findings gives the rows of a query as text.
func (c *conn) findings(ctx context.Context, query string) (list []string, err error) {
	err = c.each(ctx, query, func(r *Row) bool {
		if len(list) == maxFindings {
			list = append(list, "… and more")
			return false
		}
		words := make([]string, r.Len())
		for i, v := range r.vals {
			words[i] = fmt.Sprint(v)
		}
		list = append(list, strings.Join(words, " "))
		return true
	})
	return list, err
}
