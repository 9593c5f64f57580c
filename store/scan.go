package store

import (
	"database/sql/driver"
	"fmt"
)

// Row is the present row of a result. Columns count from 0; NULL reads as the zero value. It is valid only
// inside the scan function; what it returned stays valid.
type Row struct {
	vals []driver.Value
	err  error
}

// Int reads an INTEGER column.
func (r *Row) Int(i int) int64 { return column[int64](r, i) }

// Bool reads an INTEGER column as not zero.
func (r *Row) Bool(i int) bool { return column[int64](r, i) != 0 }

// Text reads a TEXT column.
func (r *Row) Text(i int) string { return column[string](r, i) }

// Blob reads a BLOB column; an empty one reads as nil.
func (r *Row) Blob(i int) []byte { return column[[]byte](r, i) }

// Null reports whether a column is NULL.
func (r *Row) Null(i int) bool { return i >= 0 && i < len(r.vals) && r.vals[i] == nil }

// Len gives the number of columns.
func (r *Row) Len() int { return len(r.vals) }

func column[T any](r *Row, i int) (v T) {
	if i < 0 || i >= len(r.vals) {
		r.fail(fmt.Errorf("column %d of %d was read", i, len(r.vals)))
		return v
	}
	if r.vals[i] == nil {
		return v
	}
	v, ok := r.vals[i].(T)
	if !ok {
		r.fail(fmt.Errorf("column %d holds %T and was read as %T", i, r.vals[i], v))
	}
	return v
}

func (r *Row) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}
