package store

import "testing"

// TestDeletingAnInboxRowReadsNoTable: every foreign key that a deletion has to look at must have an index, or each answer
// that changed nothing costs as much as there are facts.
func TestDeletingAnInboxRowReadsNoTable(t *testing.T) {
	db := openProduct(t)
	var scans []string
	err := db.View(t.Context(), "explain", func(rx *Rx) error {
		return rx.each(`EXPLAIN DELETE FROM inbox WHERE id = ? AND channel = 'query'`, func(r *Row) {
			if op := r.Text(1); op == "Rewind" || op == "Last" {
				scans = append(scans, op)
			}
		}, 1)
	})
	if err != nil || len(scans) > 0 {
		t.Errorf("a table is read from end to end: %v %v", scans, err)
	}
}
