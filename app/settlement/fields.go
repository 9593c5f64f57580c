package settlement

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// textRows reads rows of text with a separator. Quotes may hold a value together that has separators or line ends in it.
// A row whose quotes do not match spoils no other: reading goes on with the next line of the file.
type textRows struct {
	in        *bufio.Reader
	separator byte
	comment   string
	limits    Limits
	number    int        // of the last line that was taken
	ahead     []textLine // read while a closing quote was looked for
	doubt     bool       // the row may be the rest of another
	open      bool       // a quote was not closed yet
	cells     []string
	long      []byte
}

// textLine is a line of the file without its end; one beyond the limit is not whole and has no text.
type textLine struct {
	text  string
	whole bool
}

func newTextRows(in io.Reader, separator rune, comment string, limits Limits) *textRows {
	return &textRows{in: bufio.NewReaderSize(in, 64<<10), separator: byte(separator), comment: comment, limits: limits}
}

func (t *textRows) close() error { return nil }

const (
	tooLong   = "it is longer than any report's rows: is it the right file?"
	badQuotes = "its quotes do not match: a quote inside a value in quotes is written twice, and the last one is followed by a separator"
	openQuote = "a quote in it is never closed"
)

func (t *textRows) next() (row, error) {
	for {
		line, err := t.line()
		if err != nil {
			return row{}, err
		}
		r := row{number: t.number}
		switch {
		case !line.whole:
			r.fault = tooLong
		case line.text == "":
			continue
		case t.comment != "" && strings.HasPrefix(line.text, t.comment):
			t.cells = append(t.cells[:0], line.text)
			r.cells = t.cells
		default:
			if r.fault, err = t.split(line.text); err != nil {
				return row{}, err
			}
			if r.fault == "" {
				r.cells = t.cells
				r = bounded(r, t.limits)
			}
		}
		return r, nil
	}
}

// line takes the next line. One that follows a row whose quotes do not match, and may be of it, is in doubt.
func (t *textRows) line() (l textLine, err error) {
	t.doubt = t.open || len(t.ahead) > 0
	if len(t.ahead) > 0 {
		l, t.ahead = t.ahead[0], t.ahead[1:]
	} else if l, err = t.fetch(); err != nil {
		return l, err
	}
	t.open = t.open && !strings.Contains(l.text, `"`)
	t.number++
	return l, nil
}

// fetch reads a line from the file; what is beyond the limit is passed over.
func (t *textRows) fetch() (textLine, error) {
	t.long = t.long[:0]
	whole := true
	for {
		part, err := t.in.ReadSlice('\n')
		switch {
		case err == nil && whole && len(t.long) == 0: // the usual: all of it stands in the buffer
			return t.ended(part, true), nil
		case err == nil, errors.Is(err, bufio.ErrBufferFull):
		case !errors.Is(err, io.EOF):
			return textLine{}, err
		case whole && len(t.long)+len(part) == 0:
			return textLine{}, io.EOF
		}
		if t.long = append(t.long, part...); len(t.long) > t.limits.Row+2 {
			whole, t.long = false, t.long[:0]
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return t.ended(t.long, whole), nil
		}
	}
}

func (t *textRows) ended(line []byte, whole bool) textLine {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if !whole || len(line) > t.limits.Row {
		return textLine{}
	}
	return textLine{string(line), true}
}

// split parts a row into its cells, and takes further lines where a quote is open at the end of one. Where it finds a
// fault it takes none.
func (t *textRows) split(line string) (fault string, err error) {
	t.cells = t.cells[:0]
	used, size := 0, len(line)
	for more := true; more; {
		if !strings.HasPrefix(line, `"`) {
			var value string
			if value, line, more = t.cut(line); t.doubt && strings.Contains(value, `"`) {
				return badQuotes, nil // the rest of that row, as it seems
			}
			t.cells = append(t.cells, value)
			continue
		}
		end := quoteEnd(line, 1)
		if end < 0 {
			size -= len(line)
			if line, end, used, err = t.reach(line, used, size); err != nil {
				return "", err
			}
			size += len(line)
		}
		if end < 0 {
			t.open = true
			return openQuote, nil
		}
		value, rest := line[1:end], line[end+1:]
		if rest != "" && rest[0] != t.separator {
			return badQuotes, nil
		}
		t.cells = append(t.cells, strings.ReplaceAll(value, `""`, `"`))
		_, line, more = t.cut(rest)
	}
	t.ahead = t.ahead[used:]
	t.number += used
	return "", nil
}

func (t *textRows) cut(line string) (value, rest string, more bool) {
	if at := strings.IndexByte(line, t.separator); at >= 0 {
		return line[:at], line[at+1:], true
	}
	return line, "", false
}

// quoteEnd is where the quote stands that ends a value: one that is not written twice; -1: not in this text.
func quoteEnd(text string, from int) int {
	for {
		at := strings.IndexByte(text[from:], '"')
		if at < 0 {
			return -1
		}
		if from += at; from+1 >= len(text) || text[from+1] != '"' {
			return from
		}
		from += 2
	}
}

// reach adds further lines to a text until the value at its beginning ends, or the row is longer than any.
func (t *textRows) reach(text string, used, size int) (all string, end, nowUsed int, err error) {
	long, end := []byte(text), -1
	for end < 0 {
		if used == len(t.ahead) {
			line, err := t.fetch()
			if errors.Is(err, io.EOF) {
				return text, -1, used, nil
			}
			if err != nil {
				return text, -1, used, err
			}
			t.ahead = append(t.ahead, line)
		}
		next := t.ahead[used]
		if used++; !next.whole || size+len(long)+len(next.text) > t.limits.Row {
			return text, -1, used, nil
		}
		if end = quoteEnd(next.text, 0); end >= 0 {
			end += len(long) + 1
		}
		long = append(append(long, '\n'), next.text...)
	}
	return string(long), end, used, nil
}
