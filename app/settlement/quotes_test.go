package settlement

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pointReport is refReport with the decimal mark stated.
var pointReport = strings.Replace(refReport, "sign =", "mark = \".\"\nsign =", 1)

func TestABadQuoteSpoilsNoOtherLine(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		good     []int // their numbers
		rejected []int
	}{
		"never closed":          {"A,1.00,2031-03-07\nB,\"2.00,2031-03-07\nC,3.00,2031-03-07\n", []int{2, 4}, []int{3}},
		"closed by a later one": {"A,\"1.00,2031-03-07\nB,2.00,2031-03-07\nC,\"3.00\",2031-03-07\nD,4.00,2031-03-07\n", []int{3, 4, 5}, []int{2}},
		"text behind it":        {"A,\"1.00\"x,2031-03-07\nB,2.00,2031-03-07\n", []int{3}, []int{2}},
		"in a value without":    {"5\" pipe,1.00,2031-03-07\nB\"\",2.00,2031-03-07\n", []int{2, 3}, nil},
		"line ends in a value":  {"\"A\r\nA\",1.00,2031-03-07\r\n\r\n\"B\n\n\"\"B\"\",\",2.00,2031-03-07\r\nC,3.00,2031-03-07", []int{2, 5, 8}, nil},
		"a row beyond bounds":   {"A,1.00,2031-03-07," + strings.Repeat("x", 3000) + "\nB,2.00,2031-03-07\n", []int{3}, []int{2}},
		"a value beyond bounds": {"\"A" + strings.Repeat("\nx", 1500) + "\",1.00,2031-03-07\n", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			lines, totals, err := readPath(write(t, "r.csv", []byte("Ref,Gross,Date\n"+c.text)), Limits{Row: 2048}, formatOf(t, pointReport))
			if err != nil || totals.Lines+totals.Rejected != len(lines) {
				t.Fatalf("%+v, %v", totals, err)
			}
			if name == "a value beyond bounds" { // each of its lines by itself, then
				if totals.Lines != 0 || totals.Rejected != 1501 {
					t.Errorf("%+v", totals)
				}
				return
			}
			var good, rejected []int
			for _, l := range lines {
				if l.Fault == "" {
					good = append(good, l.Number)
				} else {
					rejected = append(rejected, l.Number)
				}
			}
			if !slices.Equal(good, c.good) || !slices.Equal(rejected, c.rejected) {
				t.Errorf("good %v, want %v; rejected %v, want %v", good, c.good, rejected, c.rejected)
			}
		})
	}
}

// TestManyOpenQuotes: looking for closing quotes stays within what the file is long.
func TestManyOpenQuotes(t *testing.T) {
	var b strings.Builder
	b.WriteString("Ref,Gross,Date\n")
	for range 50_000 {
		b.WriteString("A,\"\"\"1.00,2031-03-07\nB,2.00,2031-03-07\n")
	}
	_, totals, err := readPath(write(t, "r.csv", []byte(b.String())), Limits{}, formatOf(t, pointReport))
	if err != nil || totals.Lines+totals.Rejected == 0 || totals.Lines+totals.Rejected > 100_000 {
		t.Errorf("%+v, %v", totals, err)
	}
}

// TestRowsAsOthersWriteThem: what a sound writer writes is read as it was.
func TestRowsAsOthersWriteThem(t *testing.T) {
	value := rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.SampledFrom([]rune("a\",;\n\t ")), 0, 12, -1))
	rapid.Check(t, func(r *rapid.T) {
		var b bytes.Buffer
		w := csv.NewWriter(&b)
		w.Comma, w.UseCRLF = rapid.SampledFrom(separators).Draw(r, "separator"), rapid.Bool().Draw(r, "crlf")
		want := rapid.SliceOfN(rapid.SliceOfN(value, 2, 5), 1, 8).Draw(r, "rows")
		if err := w.WriteAll(want); err != nil {
			r.Fatal(err)
		}
		reader := csv.NewReader(bytes.NewReader(b.Bytes()))
		reader.Comma, reader.FieldsPerRecord = w.Comma, -1
		rows := newTextRows(&b, w.Comma, "", Limits{}.filled())
		for {
			theirs, err := reader.Read()
			ours, ourErr := rows.next()
			if errors.Is(err, io.EOF) {
				if !errors.Is(ourErr, io.EOF) {
					r.Fatalf("one row too many: %q", ours.cells)
				}
				return
			}
			number, _ := reader.FieldPos(0)
			if err != nil || ourErr != nil || ours.fault != "" || ours.number != number || !slices.Equal(ours.cells, theirs) {
				r.Fatalf("row %d %q, %v, %v; want row %d %q, %v", ours.number, ours.cells, ours.fault, ourErr, number, theirs, err)
			}
		}
	})
}

func TestIDsKeptAsText(t *testing.T) {
	lines, totals := mustRead(t, "Ref,Gross,Date\n=\"0001\",1.00,2031-03-07\n\"=\"\"0002\"\"\",2.00,2031-03-07\n\"2,03103E+15\",2.00,2031-03-07\n", pointReport)
	if totals.Lines != 2 || lines[0].MerchantRef != "0001" || lines[1].MerchantRef != "0002" {
		t.Errorf("%+v", lines)
	}
	if !strings.Contains(lines[2].Fault, "damaged") { // as a German spreadsheet writes it
		t.Errorf("%+v", lines[2])
	}
}

func FuzzTextRows(f *testing.F) {
	for _, s := range []string{"a,b\n", "\"a\nb\",c\n", "a,\"b\nc\n\"d", "\"\"\"\n\"", "a\r\n\r\nb"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		rows, lines, last := newTextRows(bytes.NewReader(content), ',', "#", Limits{Row: 64}.filled()), bytes.Count(content, []byte("\n"))+1, 0
		for {
			r, err := rows.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil || r.number <= last || r.number > lines || (r.fault == "") != (len(r.cells) > 0) {
				t.Fatalf("%+v after line %d of %d: %v", r, last, lines, err)
			}
			last = r.number
		}
	})
}
