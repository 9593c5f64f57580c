package settlement

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// row is one row of a file. A row that cannot be read has a fault and no cells.
type row struct {
	number int
	cells  []string // valid until the next row is read
	fault  string
}

// rows gives the rows of a file in order; io.EOF ends them.
type rows interface {
	next() (row, error)
	close() error
}

// How the text of a report may be written.
const (
	utf8Text    = "utf-8"
	utf16Text   = "utf-16"
	gbkText     = "gbk"
	windowsText = "windows-1252"
)

const sniffed = 64 << 10

// sniff tells how the text is written where its first bytes say so, and whether its beginning is sound UTF-8.
func sniff(head []byte, whole bool) (mark string, sound bool) {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return utf8Text, true
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return utf16Text, false
	}
	for !whole && len(head) > 0 && !utf8.RuneStart(head[len(head)-1]) {
		head = head[:len(head)-1]
	}
	if !whole && len(head) > 0 {
		head = head[:len(head)-1] // the last character may be cut
	}
	return "", utf8.Valid(head)
}

// decoded gives the text as UTF-8 without a mark at its beginning.
func decoded(in io.Reader, charset string) io.Reader {
	switch charset {
	case utf16Text:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Reader(in)
	case gbkText:
		return simplifiedchinese.GB18030.NewDecoder().Reader(in)
	case windowsText:
		return charmap.Windows1252.NewDecoder().Reader(in)
	}
	b := bufio.NewReader(in)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\xef\xbb\xbf" {
		_, _ = b.Discard(3) // it was just peeked at
	}
	return b
}

// bounded gives a row too wide or with too long a value a fault in place of its cells.
func bounded(r row, l Limits) row {
	if len(r.cells) > l.Cells {
		return row{number: r.number, fault: "it has more values than any report"}
	}
	for _, c := range r.cells {
		if len(c) > l.Cell {
			return row{number: r.number, fault: "one of its values is longer than any report's: is a quote missing?"}
		}
	}
	return r
}

// separators are tried in this order where nothing says which it is.
var separators = []rune{',', ';', '\t', '|'}

// likelySeparator is the one that stands most often in the first rows.
func likelySeparator(head string) rune {
	best, most := ',', 0
	for _, s := range separators {
		if n := strings.Count(head, string(s)); n > most {
			best, most = s, n
		}
	}
	return best
}
