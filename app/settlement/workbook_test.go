package settlement

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// workbook makes one with the given rows in each sheet.
func workbook(t testing.TB, sheets ...[][]any) *excelize.File {
	t.Helper()
	book := excelize.NewFile()
	for i, rows := range sheets {
		name := fmt.Sprintf("Sheet%d", i+1)
		if _, err := book.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		for n, values := range rows {
			if err := book.SetSheetRow(name, fmt.Sprintf("A%d", n+1), &values); err != nil {
				t.Fatal(err)
			}
		}
	}
	return book
}

func saved(t testing.TB, book *excelize.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(book.Write(&b), book.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var (
	headRow  = []any{"Ref", "Gross", "Date"}
	lineRow  = []any{"A", 12.5, "2031-03-07"}
	otherRow = []any{"Some", "summary"}
)

func TestSheetsOfAWorkbook(t *testing.T) {
	t.Run("the lines stand in the second", func(t *testing.T) {
		lines, totals, err := readPath(write(t, "r.xlsx", saved(t, workbook(t, [][]any{otherRow}, [][]any{headRow, lineRow}))), Limits{}, formatOf(t, pointReport))
		if err != nil || totals.Lines != 1 || lines[0].MerchantRef != "A" || lines[0].Gross != known(1250) {
			t.Errorf("%+v %+v %v", lines, totals, err)
		}
	})
	t.Run("lines in two", func(t *testing.T) {
		lines, _, err := readPath(write(t, "r.xlsx", saved(t, workbook(t, [][]any{headRow, lineRow}, [][]any{otherRow, headRow, lineRow}))), Limits{}, formatOf(t, pointReport))
		var p *Problem
		if !errors.As(err, &p) || !strings.Contains(p.Text, `"Sheet1" and "Sheet2"`) || len(lines) != 0 {
			t.Errorf("%+v %v: the lines of the second would be lost", lines, err)
		}
	})
	t.Run("in an archive", func(t *testing.T) {
		content := zipped(t, "a/r.xlsx", saved(t, workbook(t, [][]any{headRow, lineRow})))
		lines, totals, err := readPath(write(t, "r.zip", content), Limits{}, formatOf(t, pointReport))
		if err != nil || totals.Lines != 1 || lines[0].Gross != known(1250) {
			t.Errorf("%+v %+v %v", lines, totals, err)
		}
		if _, err := Open(write(t, "r.zip", zipped(t, "r.xlsx", zipped(t, "r.csv", []byte("x")))), Limits{}); err == nil {
			t.Error("an archive in an archive is read")
		}
	})
	t.Run("a footer of formulas", func(t *testing.T) {
		book := workbook(t, [][]any{headRow, lineRow, {"Total", 99}})
		if err := book.SetCellFormula("Sheet1", "B3", "SUM(B2:B2)"); err != nil {
			t.Fatal(err)
		}
		_, totals, err := readPath(write(t, "r.xlsx", saved(t, book)), Limits{}, formatOf(t, pointReport))
		if err != nil || totals.Lines != 1 || totals.Rejected != 0 || len(totals.Stated) != 0 {
			t.Errorf("%+v %v: a sum that was worked out when the file was saved states nothing", totals, err)
		}
	})
}

// TestNumbersAsTheyAreStored: spreadsheets write the nearest binary number with 17 digits and show 15.
func TestNumbersAsTheyAreStored(t *testing.T) {
	stored := map[string]int64{"0.30000000000000004": 30, "48.019999999999996": 4802, "5.0000000000000003E-2": 5, "1.2505E3": 125050, "-1E2": -10000, "100000": 10000000}
	var rows strings.Builder
	number := 1
	order := []string{"0.30000000000000004", "48.019999999999996", "5.0000000000000003E-2", "1.2505E3", "-1E2", "100000"}
	for _, text := range order {
		number++
		fmt.Fprintf(&rows, `<row r="%d"><c r="A%d" t="inlineStr"><is><t>A</t></is></c><c r="B%d"><v>%s</v></c><c r="C%d" t="inlineStr"><is><t>2031-03-07</t></is></c></row>`, number, number, number, text, number)
	}
	content := replacePart(t, saved(t, workbook(t, [][]any{headRow})), "xl/worksheets/sheet1.xml", func(sheet string) string {
		return strings.Replace(sheet, "</sheetData>", rows.String()+"</sheetData>", 1)
	})
	lines, totals, err := readPath(write(t, "r.xlsx", content), Limits{}, formatOf(t, pointReport))
	if err != nil || totals.Lines != len(order) {
		t.Fatalf("%+v %+v %v", lines, totals, err)
	}
	for i, text := range order {
		if lines[i].Gross != known(stored[text]) {
			t.Errorf("%s is %+v, want %d", text, lines[i].Gross, stored[text])
		}
	}
}

// replacePart writes an archive anew with one part changed.
func replacePart(t testing.TB, content []byte, name string, change func(string) string) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, part := range in.File {
		r, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		w, err := out.Create(part.Name)
		if err == nil {
			_, err = text.ReadFrom(r)
		}
		if part.Name == name {
			text = *bytes.NewBufferString(change(text.String()))
		}
		if err == nil {
			_, err = text.WriteTo(w)
		}
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
