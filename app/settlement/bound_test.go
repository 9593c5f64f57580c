package settlement

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// refReport needs a reference and an amount alone.
const refReport = "[[report]]\nname = \"r\"\nstatus = \"unconfirmed\"\namount = \"decimal\"\nsign = \"signed\"\ncurrency = \"PHP\"\nformat = \"yyyy-MM-dd\"\n" +
	"[report.columns]\nmerchant_ref = \"Ref\"\ngross = \"Gross\"\noccurred = \"Date\"\n"

func TestWhatIsNoReport(t *testing.T) {
	for name, c := range map[string]struct {
		content []byte
		says    string
	}{
		"empty":                 {nil, "empty"},
		"PDF":                   {[]byte("%PDF-1.7 ..."), "PDF"},
		"old Excel":             {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...."), "XLSX"},
		"gzip":                  {[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00"), "unpack"},
		"archive of archives":   {zipped(t, "b.zip", []byte("PK")), "another archive"},
		"archive of a workbook": {zipped(t, "b.xlsx", []byte("PK")), "workbook"},
		"archive of two":        {zipped(t, "a.csv", []byte("x"), "b.csv"), "a.csv, b.csv"},
		"archive of nothing":    {zipped(t, ".hidden", nil), "holds no file"},
		"damaged archive":       {[]byte("PK\x03\x04 and then nothing of use"), "damaged"},
		"bomb":                  {zipped(t, "a.csv", make([]byte, 20<<20)), "no report"},
		"headings alone":        {[]byte("Ref,Gross,Date\n"), "no lines"},
		"headings and footer":   {[]byte("Ref,Gross,Date\n\nTotal,0.00,\n"), "no lines"},
		"other headings":        {[]byte("Name,Amount\nA,1\n"), "missing"},
		"prose":                 {[]byte("Dear merchant,\nthere is no report today.\n"), "missing"},
		"heading twice":         {[]byte("Ref,Gross,Gross,Date\nA,1,2,2031-03-07\n"), "twice"},
	} {
		t.Run(name, func(t *testing.T) {
			lines, _, err := readPath(write(t, "r.bin", c.content), Limits{}, formatOf(t, refReport))
			var p *Problem
			if !errors.As(err, &p) || !strings.Contains(p.Text, c.says) {
				t.Errorf("%d lines, %v; want a problem that says %q", len(lines), err, c.says)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none"), Limits{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, _, err := readPath(write(t, "r.csv", []byte("Ref,Gross\nA,1\n")), Limits{}); err == nil || !strings.Contains(err.Error(), "assign its columns") {
		t.Errorf("without a format: %v", err)
	}
	if _, _, err := readPath(write(t, "r.csv", []byte("Ref,Gross,Date\n"+strings.Repeat("A,1.00,2031-03-07\n", 4))), Limits{Lines: 3}, formatOf(t, refReport)); err == nil || !strings.Contains(err.Error(), "more than 3 lines") {
		t.Errorf("more lines than allowed: %v", err)
	}
	if _, err := Open(write(t, "r.csv", []byte("0123456789")), Limits{Bytes: 9}); err == nil {
		t.Error("a file beyond the limit is opened")
	}
}

func TestBadLinesSpoilNoOthers(t *testing.T) {
	lines, totals := mustRead(t, strings.Join([]string{
		"Ref,Gross,Date",
		"A,1.00,2031-03-07",
		"B,one,2031-03-07",
		"C,1.00,07.03.2031",
		"D,,2031-03-07",
		"E,1.00,",
		"F\x00,1.00,2031-03-07",
		"G,\"1.00\"x,2031-03-07",
		"H",
		"I,1.00,2031-03-07," + strings.Repeat(",", 1100),
		"J," + strings.Repeat("9", 40_000) + ",2031-03-07",
		"\"K",
		"L\",2.00,2031-03-07",
		"M,3.00,2031-03-07",
	}, "\n")+"\n", refReport)
	if totals.Lines != 3 || totals.Rejected != 9 || len(lines) != 12 {
		t.Fatalf("%+v", totals)
	}
	numbers := []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14}
	for i, l := range lines {
		if good := i == 0 || i >= 10; l.Number != numbers[i] || (l.Fault == "") != good {
			t.Errorf("line %d is number %d: %q", i, l.Number, l.Fault)
		}
	}
	if lines[10].MerchantRef != "K\nL" || lines[11].Gross != known(300) {
		t.Errorf("%+v", lines[10:])
	}
}

// TestEveryLineIsCounted: whatever stands in the cells, lines and rejected ones are together the rows of data.
func TestEveryLineIsCounted(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		b.WriteString("Ref,Gross,Date\n")
		cell := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"1.00", "-4", "2031-03-07", "A", "1E+15", "\"", "=1+1", "\r\n", ";", "\ufffd"}))
		n := rapid.IntRange(1, 20).Draw(r, "rows")
		for i := range n {
			cells := append([]string{fmt.Sprintf("x%d", i)}, rapid.SliceOfN(cell, 0, 4).Draw(r, "cells")...)
			if err := w.Write(cells); err != nil {
				r.Fatal(err)
			}
		}
		w.Flush()
		name := filepath.Join(dir, "r.csv")
		if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
			r.Fatal(err)
		}
		lines, totals, err := readPath(name, Limits{}, formatOf(t, refReport))
		var p *Problem
		if errors.As(err, &p) { // an amount that can be read in two ways, for example: nothing counts
			return
		}
		if err != nil || totals.Lines+totals.Rejected != n || len(lines) != n {
			r.Fatalf("%d rows: %+v, %d lines, %v", n, totals, len(lines), err)
		}
	})
}

// bulk writes a report of many lines.
func bulk(t testing.TB, n int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bulk.csv")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("Row,Ref,Gross,Fee,Net,Date\n")
	for i := range n {
		fmt.Fprintf(&b, "r%07d,ORD-%07d,%d.50,0.50,%d.00,2031-03-07\n", i, i, 100+i%900, 100+i%900)
		if b.Len() > 1<<20 || i == n-1 {
			if _, err := b.WriteTo(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

var bulkReport = strings.Replace(with(`merchant_ref = "Ref"`, "merchant_ref = \"Ref\"\nline_id = \"Row\""), `sign `, "mark = \".\"\nsign ", 1)

// TestMemoryDoesNotGrowWithTheFile reads a small and a large file and looks what is held after most of it.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	held := func(n int) (most uint64) {
		f, err := Open(bulk(t, n), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		format, err := f.Recognise([]Format{formatOf(t, bulkReport)})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		totals, err := f.Read(format, func(Line) error {
			if seen++; seen == n-1 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				most = m.HeapAlloc
			}
			return nil
		})
		if err != nil || totals.Lines != n {
			t.Fatalf("%+v, %v", totals, err)
		}
		return most
	}
	small, large := held(1_000), held(200_000)
	if large > small+2<<20 {
		t.Errorf("%d bytes are held after 1,000 lines and %d after 200,000", small, large)
	}
}

func BenchmarkRead(b *testing.B) {
	const n = 100_000
	name, format := bulk(b, n), formatOf(b, bulkReport)
	b.ResetTimer()
	for b.Loop() {
		f, err := Open(name, Limits{})
		if err != nil {
			b.Fatal(err)
		}
		if format, err = f.Recognise([]Format{format}); err != nil {
			b.Fatal(err)
		}
		if totals, err := f.Read(format, func(Line) error { return nil }); err != nil || totals.Lines != n {
			b.Fatalf("%+v, %v", totals, err)
		}
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/line")
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("Ref,Gross,Date\nA,1.00,2031-03-07\n"))
	f.Add([]byte("\xff\xfeR\x00e\x00f\x00"))
	f.Add([]byte("Ref;Gross;Date\n\"A;1,00;2031-03-07\n"))
	f.Add(zipped(f, "a.csv", []byte("Ref\tGross\tDate\nA\t1\t2031-03-07\n")))
	f.Fuzz(func(t *testing.T, content []byte) {
		lines, totals, err := readPath(write(t, "r", content), Limits{Row: 4096, Lines: 1000}, formatOf(t, refReport))
		if err == nil && (totals.Lines+totals.Rejected != len(lines) || len(lines) == 0) {
			t.Errorf("%+v with %d lines", totals, len(lines))
		}
		for _, l := range lines {
			if l.Fault == "" && (!l.Gross.Known || l.Day == "" || l.Currency != "PHP") {
				t.Errorf("%+v", l)
			}
		}
	})
}

func FuzzParseAmount(f *testing.F) {
	for _, s := range []string{"1.00", "-1.000,00 €", "(1'000.5)", "PHP 4", "1e3"} {
		f.Add(s, ".")
		f.Add(s, ",")
		f.Add(s, "")
	}
	f.Fuzz(func(t *testing.T, text, mark string) {
		if mark != "" && mark != "," {
			mark = "."
		}
		minor, err := ParseAmount(text, mark, "PHP")
		if err != nil {
			return
		}
		digits := 0
		for _, r := range text {
			if r >= '0' && r <= '9' {
				digits++
			}
		}
		if digits == 0 && minor != 0 {
			t.Errorf("%q is %d", text, minor)
		}
		if again, err := ParseAmount(fmt.Sprintf("%d.%02d", absolute(minor)/100, absolute(minor)%100), ".", "PHP"); err != nil || again != absolute(minor) {
			t.Errorf("%q is %d and then %d, %v", text, minor, again, err)
		}
	})
}
