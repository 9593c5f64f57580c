package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"modernc.org/sqlite"
)

// maxStatements bounds the prepared statements that one connection keeps.
const maxStatements = 400

// conn is one connection to the file with its prepared statements. It belongs to one goroutine at a time. It stands on
// the driver itself: database/sql costs a third of a short statement in locks, copies and reflection.
type conn struct {
	raw   driver.Conn
	stmts map[string]*stmt
	args  []driver.NamedValue
	vals  []driver.Value
}

type stmt struct {
	driver.Stmt
	exec  driver.StmtExecContext
	query driver.StmtQueryContext
}

// setting is a PRAGMA with the value that must be read back.
type setting struct{ name, value string }

var (
	commonSettings = []setting{{"busy_timeout", "5000"}, {"foreign_keys", "1"}, {"temp_store", "2"}, {"mmap_size", "0"}, {"trusted_schema", "0"}}
	writerSettings = append([]setting{{"page_size", "4096"}, {"journal_mode", "wal"}, {"synchronous", "2"}, {"wal_autocheckpoint", "0"},
		{"journal_size_limit", "33554432"}, {"cache_size", "-16384"}}, commonSettings...)
	readerSettings = append([]setting{{"query_only", "1"}, {"cache_size", "-4096"}}, commonSettings...)
	// A second connection that only moves pages from the log into the file.
	checkpointSettings = append([]setting{{"synchronous", "2"}, {"wal_autocheckpoint", "0"}, {"journal_size_limit", "33554432"}}, commonSettings...)
)

// dsn writes the driver's name of a file with its settings, the wait for other processes first.
func dsn(path string, set []setting) string {
	var b strings.Builder
	b.WriteString("file:" + (&url.URL{Path: path}).EscapedPath() + "?_dqs=0&_defensive=1")
	for _, s := range set {
		if s.name == "busy_timeout" {
			b.WriteString("&_pragma=" + s.name + "(" + s.value + ")")
		}
	}
	for _, s := range set {
		if s.name != "busy_timeout" {
			b.WriteString("&_pragma=" + s.name + "(" + s.value + ")")
		}
	}
	return b.String()
}

// dial opens a connection and verifies each setting by reading it back.
func dial(path string, set []setting) (*conn, error) {
	connector, err := sqlite.NewConnector(dsn(path, set))
	if err != nil {
		return nil, err
	}
	raw, err := connector.Connect(context.Background())
	if err != nil {
		return nil, failure("open "+path, "", err)
	}
	c := &conn{raw: raw, stmts: map[string]*stmt{}}
	for _, s := range set {
		got, err := c.value("PRAGMA " + s.name)
		if err == nil && got != s.value {
			err = fmt.Errorf("setting %s is %q, %q was asked for", s.name, got, s.value)
		}
		if err != nil {
			c.close()
			return nil, failure("open "+path, "", err)
		}
	}
	c.forget()
	return c, nil
}

// prepare gives the prepared statement for a constant query.
func (c *conn) prepare(query string) (*stmt, error) {
	if s := c.stmts[query]; s != nil {
		return s, nil
	}
	if len(c.stmts) >= maxStatements {
		c.forget()
	}
	raw, err := c.raw.(driver.ConnPrepareContext).PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	s := &stmt{Stmt: raw, exec: raw.(driver.StmtExecContext), query: raw.(driver.StmtQueryContext)}
	c.stmts[query] = s
	return s, nil
}

// exec runs a statement and drains it.
func (c *conn) exec(query string, args ...any) (driver.Result, error) {
	s, err := c.prepare(query)
	if err != nil {
		return nil, err
	}
	if err := c.bind(args); err != nil {
		return nil, err
	}
	defer clear(c.args)
	return s.exec.ExecContext(context.Background(), c.args)
}

// each runs a query and gives its rows to scan until they end or scan returns false; no row stays open.
func (c *conn) each(ctx context.Context, query string, scan func(*Row) bool, args ...any) (err error) {
	s, err := c.prepare(query)
	if err != nil {
		return err
	}
	if err := c.bind(args); err != nil {
		return err
	}
	defer clear(c.args)
	rows, err := s.query.QueryContext(ctx, c.args)
	if err != nil {
		return err
	}
	defer func() {
		if e := rows.Close(); err == nil {
			err = e
		}
	}()
	return c.read(ctx, rows, scan)
}

func (c *conn) read(ctx context.Context, rows driver.Rows, scan func(*Row) bool) error {
	width := len(rows.Columns())
	if cap(c.vals) < width {
		c.vals = make([]driver.Value, width)
	}
	vals := c.vals[:width]
	defer clear(vals)
	row := Row{vals: vals}
	for {
		if err := rows.Next(vals); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if more := scan(&row); row.err != nil || !more {
			return row.err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// value reads one column of one row as text; "" when there is no row.
func (c *conn) value(query string, args ...any) (string, error) {
	text := ""
	err := c.each(context.Background(), query, func(r *Row) bool {
		text = fmt.Sprint(r.vals[0])
		return false
	}, args...)
	return text, err
}

// bind converts the arguments into the connection's own list, without copying texts and blobs.
func (c *conn) bind(args []any) error {
	c.args = c.args[:0]
	for i, arg := range args {
		v, err := argument(arg)
		if err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return nil
}

func argument(arg any) (driver.Value, error) {
	switch v := arg.(type) {
	case nil, int64, string, []byte:
		return v, nil
	case int:
		return int64(v), nil
	case int32:
		return int64(v), nil
	case bool:
		return flag(v), nil
	case driver.Valuer:
		return v.Value()
	}
	return nil, fmt.Errorf("type %T cannot be stored", arg)
}

// forget closes all prepared statements.
func (c *conn) forget() {
	for q, s := range c.stmts {
		_ = s.Close()
		delete(c.stmts, q)
	}
}

func (c *conn) close() error {
	if c == nil {
		return nil
	}
	c.forget()
	return c.raw.Close()
}
