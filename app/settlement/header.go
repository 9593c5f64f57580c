package settlement

import (
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"

	"nodrop/app/gateway"
)

// headerWithin is how many rows may stand before the headings.
const headerWithin = 64

// Head gives the first rows as text, for a person who assigns the columns.
func (f *File) Head(count int) ([][]string, error) {
	charset, separator, err := f.guess()
	if err != nil {
		return nil, err
	}
	r, err := f.rows(gateway.ReportSpec{Charset: charset, Separator: string(separator)})
	if err != nil {
		return nil, err
	}
	var out [][]string
	for len(out) < count {
		one, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		if one.fault == "" {
			out = append(out, slices.Clone(one.cells))
		}
	}
	return out, r.close()
}

// guess tells how the text is written and parted where no format says it.
func (f *File) guess() (charset string, separator rune, err error) {
	if f.table {
		return utf8Text, ',', nil
	}
	in, err := f.open()
	if err != nil {
		return "", 0, err
	}
	head := make([]byte, sniffed)
	n, err := io.ReadFull(in, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", 0, err
	}
	charset, sound := sniff(head[:n], err != nil)
	switch {
	case charset == "" && sound:
		charset = utf8Text
	case charset == "":
		charset = windowsText // only shown; a format has to say it
	}
	text, err := io.ReadAll(decoded(strings.NewReader(string(head[:n])), charset))
	if err != nil {
		return "", 0, err
	}
	return charset, likelySeparator(string(text)), nil
}

// rows opens the file anew.
func (f *File) rows(spec gateway.ReportSpec) (rows, error) {
	if f.table {
		return f.openBook(spec)
	}
	separator := ','
	if spec.Separator != "" {
		separator = rune(spec.Separator[0])
	}
	in, err := f.open()
	if err != nil {
		return nil, err
	}
	return newTextRows(decoded(in, spec.Charset), separator, spec.Comment, f.limits), nil
}

// Recognise finds the format whose headings the file has, and fills in how its text is written. The error is *Problem
// and names what is missing for the nearest one.
func (f *File) Recognise(formats []Format) (Format, error) {
	if len(formats) == 0 {
		return Format{}, problem("it is not known how this gateway's reports are read: upload one in the admin pages and assign its columns")
	}
	var nearest error
	fewest := -1
	guessed, _, err := f.guess()
	if err != nil {
		return Format{}, err
	}
	for _, format := range formats {
		if c := format.Spec.Charset; guessed == windowsText && (c == "" || c == utf8Text) {
			if nearest == nil {
				nearest = problem("its text is not UTF-8: state the charset of the report %q (gbk, utf-16 or windows-1252)", format.Spec.Name)
			}
			continue
		}
		for _, way := range f.ways(format.Spec) {
			found, missing, err := f.try(format, way)
			if err != nil {
				return Format{}, err
			}
			if len(missing.names) == 0 {
				return found, nil
			}
			if fewest < 0 || len(missing.names) < fewest {
				fewest, nearest = len(missing.names), missing.problem(format.Spec.Name)
			}
		}
	}
	return Format{}, nearest
}

// way is one manner in which a text may be written.
type way struct {
	charset   string
	separator rune
}

// ways lists those that are worth a try: what the format says, and what the file says of itself.
func (f *File) ways(spec gateway.ReportSpec) (list []way) {
	if f.table {
		return []way{{utf8Text, ','}}
	}
	charsets := []string{spec.Charset}
	guessed, likely, err := f.guess()
	if err != nil {
		guessed, likely = utf8Text, ','
	}
	switch {
	case guessed == utf16Text, spec.Charset == "":
		charsets = []string{guessed}
	case guessed == utf8Text && spec.Charset != utf8Text:
		charsets = append([]string{guessed}, spec.Charset)
	}
	parted := []rune{likely}
	if spec.Separator != "" {
		parted = []rune{rune(spec.Separator[0])}
	} else {
		for _, s := range separators {
			if s != likely {
				parted = append(parted, s)
			}
		}
	}
	for _, c := range charsets {
		for _, s := range parted {
			list = append(list, way{c, s})
		}
	}
	return list
}

// missing is what a row of headings lacks.
type missing struct {
	names []string
	seen  []string
}

func (m missing) problem(report string) *Problem {
	text := "it has not the headings of the report \"" + report + "\"; missing: " + strings.Join(m.names, ", ")
	for _, name := range m.names {
		for _, seen := range m.seen {
			if seen != "" && mangled(name) == seen {
				return problem("%s. The heading %q looks like %q in a wrong encoding: download the file again, or state its charset", text, seen, name)
			}
		}
	}
	return problem("%s. Look whether the gateway changed its report, or assign the columns anew in the admin pages", text)
}

// mangled is a heading in UTF-8 that somebody took for Windows-1252.
func mangled(name string) string {
	out, err := charmap.Windows1252.NewDecoder().String(normal(name))
	if err != nil {
		return ""
	}
	return normal(out)
}

// try reads the first rows in one way and looks for the headings.
func (f *File) try(format Format, w way) (Format, missing, error) {
	format.Spec.Charset, format.Spec.Separator = w.charset, string(w.separator)
	lack := missing{names: needed(format.Spec)}
	r, err := f.rows(format.Spec)
	if err != nil {
		return format, lack, err
	}
	for range headerWithin {
		one, err := r.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var p *Problem
			if errors.As(err, &p) && w.charset == format.Spec.Charset {
				break // not to be read in this way
			}
			return format, lack, errors.Join(err, r.close())
		}
		seen := headings(one.cells, format.Spec)
		if now := lacking(format.Spec, seen); len(now) < len(lack.names) || lack.seen == nil && len(seen) > 1 {
			lack = missing{names: now, seen: seen}
		}
		if len(lack.names) == 0 {
			break
		}
	}
	return format, lack, r.close()
}

// headings are a row's values as names of columns.
func headings(cells []string, spec gateway.ReportSpec) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = normal(strings.TrimLeft(c, spec.Strip))
	}
	return out
}

// normal is a heading without what people and programs add to it.
func normal(name string) string {
	return strings.ToLower(norm.NFC.String(strings.Join(strings.Fields(strings.TrimPrefix(name, "\ufeff")), " ")))
}

// needed lists the headings without which a report is not read.
func needed(spec gateway.ReportSpec) []string {
	if len(spec.Required) > 0 {
		return spec.Required
	}
	var out []string
	for _, column := range slices.Sorted(maps.Keys(spec.Columns)) {
		if names := spec.Columns[column]; len(names) > 0 {
			out = append(out, names[0])
		}
	}
	return out
}

// lacking lists which of the needed headings a row has not; without a list of them, any name of each column will do.
func lacking(spec gateway.ReportSpec, seen []string) (names []string) {
	has := func(name string) bool { return slices.Contains(seen, normal(name)) }
	if len(spec.Required) > 0 {
		for _, name := range spec.Required {
			if !has(name) {
				names = append(names, name)
			}
		}
		return names
	}
	for _, column := range slices.Sorted(maps.Keys(spec.Columns)) {
		if list := spec.Columns[column]; len(list) > 0 && !slices.ContainsFunc(list, has) {
			names = append(names, list[0])
		}
	}
	return names
}
