package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"hash"
	"strings"
)

// A copy carries the digest of all that it holds in a table of its own: integrity_check says nothing of bytes that changed
// within a value. The table is dropped as soon as the file is opened for use.
const (
	sealTable = "backup_seal"
	unseal    = "DROP TABLE IF EXISTS " + sealTable
)

// seal writes into a copy the digest of what it holds.
func seal(ctx context.Context, path string) (err error) {
	c, err := dial(path, []setting{{"journal_mode", "delete"}})
	if err != nil {
		return err
	}
	defer func() {
		if e := c.close(); err == nil {
			err = e
		}
	}()
	if _, err := c.exec(unseal); err != nil {
		return err
	}
	digest, err := c.digest(ctx)
	if err != nil {
		return err
	}
	if _, err := c.exec("CREATE TABLE " + sealTable + " (digest BLOB NOT NULL) STRICT"); err != nil {
		return err
	}
	_, err = c.exec("INSERT INTO "+sealTable+" (digest) VALUES (?)", digest)
	return err
}

// broken tells what contradicts the digest that a copy carries; "": nothing, or it carries none.
func (c *conn) broken(ctx context.Context) (string, error) {
	sealed, err := c.value("SELECT count(*) FROM sqlite_schema WHERE name = ?", sealTable)
	if err != nil || sealed == "0" {
		return "", err
	}
	var want []byte
	err = c.each(ctx, "SELECT digest FROM "+sealTable, func(r *Row) bool { want = bytes.Clone(r.Blob(0)); return true })
	if err != nil {
		return "", err
	}
	got, err := c.digest(ctx)
	if err == nil && !bytes.Equal(got, want) {
		return "its content is not what was backed up", nil
	}
	return "", err
}

// digest is the SHA-256 of the schema and of every row, in the order of the tables' names and of their keys.
func (c *conn) digest(ctx context.Context) ([]byte, error) {
	sum := sha256.New()
	var tables []string
	err := c.each(ctx, "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND tbl_name <> ? ORDER BY name", func(r *Row) bool {
		if r.Text(0) == "table" {
			tables = append(tables, r.Text(1))
		}
		addRow(sum, r.vals)
		return true
	}, sealTable)
	if err != nil {
		return nil, err
	}
	for _, name := range tables {
		query := `SELECT * FROM "` + strings.ReplaceAll(name, `"`, `""`) + `" NOT INDEXED`
		if err := c.each(ctx, query, func(r *Row) bool { addRow(sum, r.vals); return true }); err != nil {
			return nil, err
		}
	}
	return sum.Sum(nil), nil
}

// addRow adds values with their kinds and lengths, so that no two rows give the same bytes.
func addRow(sum hash.Hash, vals []driver.Value) {
	for _, v := range vals {
		b, isBytes := v.([]byte)
		if !isBytes {
			b = fmt.Append(nil, v)
		}
		head := binary.BigEndian.AppendUint64(fmt.Appendf(nil, "%T:", v), uint64(len(b)))
		sum.Write(head)
		sum.Write(b)
	}
	sum.Write([]byte{'\n'})
}
