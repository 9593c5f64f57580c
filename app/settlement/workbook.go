package settlement

import (
	"archive/zip"
	"bufio"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"nodrop/app/gateway"
)

const (
	workbookPart = "xl/workbook.xml"
	relationPart = "xl/_rels/workbook.xml.rels"
)

// boundBook refuses workbooks that unpack to more than a report may have.
func (f *File) boundBook(archive *zip.Reader) error {
	var unpacked, packed uint64
	for _, z := range archive.File {
		unpacked += z.UncompressedSize64
		packed += z.CompressedSize64
	}
	if unpacked > uint64(f.limits.Bytes) || tooDense(unpacked, packed) {
		return problem("the workbook would have %d bytes unpacked: that is no report", unpacked)
	}
	return nil
}

// bookRows reads a sheet of a workbook, its values as they are stored.
type bookRows struct {
	book     *excelize.File
	rows     *excelize.Rows
	limits   Limits
	number   int
	formulas map[int]bool // rows with one
	f        *File
}

const (
	inMemory  = 8 << 20 // how large a part of a workbook may be before it is unpacked to a temporary file
	maxSheets = 100
)

func (f *File) book() (*excelize.File, error) {
	book, err := excelize.OpenReader(io.NewSectionReader(f.f, 0, f.size), excelize.Options{
		RawCellValue: true, UnzipSizeLimit: f.limits.Bytes, UnzipXMLSizeLimit: inMemory,
	})
	if err != nil {
		return nil, problem("the workbook cannot be read (%v): save it as CSV", err)
	}
	if n := book.SheetCount; n == 0 || n > maxSheets {
		return nil, errors.Join(problem("the workbook has %d sheets: save the one that is the report as a file of its own", n), book.Close())
	}
	return book, nil
}

// openBook opens the sheet of the report.
func (f *File) openBook(spec gateway.ReportSpec) (*bookRows, error) {
	f.done.Store(0)
	book, err := f.book()
	if err != nil {
		return nil, err
	}
	sheet, err := sheetOf(book, spec)
	if err != nil {
		return nil, errors.Join(err, book.Close())
	}
	formulas, err := f.formulaRows(sheet)
	if err != nil {
		return nil, errors.Join(err, book.Close())
	}
	rows, err := book.Rows(book.GetSheetList()[sheet])
	if err != nil {
		return nil, errors.Join(problem("a sheet of the workbook cannot be read (%v): save it as CSV", err), book.Close())
	}
	return &bookRows{book: book, rows: rows, limits: f.limits, formulas: formulas, f: f}, nil
}

// sheetOf is the one sheet that has the report's headings; the first, when none has. Lines in another would be lost.
func sheetOf(book *excelize.File, spec gateway.ReportSpec) (int, error) {
	names, found := book.GetSheetList(), -1
	for i, name := range names {
		switch has := hasHeadings(book, name, spec); {
		case has && found >= 0:
			return 0, problem("the sheets %q and %q of the workbook both hold lines: save each as a file of its own", names[found], name)
		case has:
			found = i
		}
	}
	return max(found, 0), nil
}

// hasHeadings looks for the headings in a sheet's first rows; a sheet without rows, such as a chart, has none.
func hasHeadings(book *excelize.File, sheet string, spec gateway.ReportSpec) bool {
	rows, err := book.Rows(sheet)
	if err != nil {
		return false
	}
	defer rows.Close()
	for n := 0; n < headerWithin && rows.Next(); {
		cells, err := rows.Columns()
		if err != nil {
			return false
		}
		if len(cells) == 0 {
			continue
		}
		if n++; len(lacking(spec, headings(cells, spec))) == 0 {
			return true
		}
	}
	return false
}

// storedNumber writes a number as a spreadsheet shows it: files hold it in binary, with up to two digits of noise at its
// end (0.30000000000000004) or with an exponent (5E-2).
func storedNumber(text string) string {
	if len(text) <= 15 && !strings.ContainsAny(text, "eE") || strings.Trim(text, "0123456789.-+eE") != "" {
		return text
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text
	}
	if v, err = strconv.ParseFloat(strconv.FormatFloat(v, 'e', 14, 64), 64); err != nil {
		return text
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func (b *bookRows) next() (row, error) {
	for b.rows.Next() {
		b.number++
		cells, err := b.rows.Columns()
		if err != nil {
			return row{number: b.number, fault: "it cannot be read: " + err.Error()}, nil
		}
		if len(cells) == 0 {
			continue
		}
		if b.formulas[b.number] {
			return row{number: b.number, cells: cells, fault: "it holds a formula, whose value may be an old one: import the file as the gateway wrote it"}, nil
		}
		return bounded(row{number: b.number, cells: cells}, b.limits), nil
	}
	if err := b.rows.Error(); err != nil {
		return row{}, problem("the workbook cannot be read to its end (%v): save it as CSV", err)
	}
	b.f.done.Store(b.f.size)
	return row{}, io.EOF
}

func (b *bookRows) close() error { return errors.Join(b.rows.Close(), b.book.Close()) }

// formulasKept is how many rows with formulas are told one by one.
const formulasKept = 10_000

// formulaRows finds the rows of a sheet in which a formula stands: what is shown there is what it came to when
// the file was last saved.
func (f *File) formulaRows(sheet int) (map[int]bool, error) {
	archive, err := zip.NewReader(f.f, f.size)
	if err != nil {
		return nil, problem("the workbook is damaged (%v): download it again", err)
	}
	name, err := sheetPart(archive, sheet)
	if err != nil {
		return nil, err
	}
	part, err := archive.Open(name)
	if err != nil {
		return nil, problem("a sheet of the workbook is missing: save it as CSV")
	}
	defer part.Close()
	return scanFormulas(part)
}

// scanFormulas goes over the marks of a sheet without building anything of it.
func scanFormulas(in io.Reader) (map[int]bool, error) {
	found, b, at := map[int]bool{}, bufio.NewReaderSize(in, 64<<10), 0
	for {
		if _, err := b.ReadSlice('<'); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, problem("the workbook is damaged (%v): download it again", err)
		} else if err != nil {
			continue
		}
		word, _ := b.Peek(24) // shorter at the end of the sheet
		switch mark := string(word); {
		case strings.HasPrefix(mark, "row"):
			at++
			if _, rest, ok := strings.Cut(mark, ` r="`); ok {
				if number, _, ok := strings.Cut(rest, `"`); ok {
					if n, err := strconv.Atoi(number); err == nil {
						at = n
					}
				}
			}
		case strings.HasPrefix(mark, "f>"), strings.HasPrefix(mark, "f "):
			if found[at] = true; len(found) > formulasKept {
				return nil, problem("the workbook consists of formulas: import the file as the gateway wrote it")
			}
		}
	}
}

// sheetPart is the part of the archive that holds a sheet of the workbook, counted from 0.
func sheetPart(archive *zip.Reader, sheet int) (string, error) {
	var book struct {
		Sheets []struct {
			ID string `xml:"id,attr"`
		} `xml:"sheets>sheet"`
	}
	var relations struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	if err := errors.Join(readPart(archive, workbookPart, &book), readPart(archive, relationPart, &relations)); err != nil || len(book.Sheets) <= sheet {
		return "", problem("the workbook has no sheet that can be read: save it as CSV")
	}
	for _, r := range relations.List {
		if r.ID != book.Sheets[sheet].ID {
			continue
		}
		if strings.HasPrefix(r.Target, "/") {
			return r.Target[1:], nil
		}
		return path.Join("xl", r.Target), nil
	}
	return "", problem("a sheet of the workbook is missing: save it as CSV")
}

func readPart(archive *zip.Reader, name string, into any) error {
	part, err := archive.Open(name)
	if err != nil {
		return err
	}
	defer part.Close()
	return xml.NewDecoder(io.LimitReader(part, inMemory)).Decode(into)
}
