package settlement

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"nodrop/app/gateway"
)

// plainReport is how the usual file of these tests is described.
const plainReport = `
[[report]]
name     = "plain"
status   = "unconfirmed"
amount   = "decimal"
sign     = "signed"
currency = "PHP"
format   = "yyyy-MM-dd"
zone     = "Asia/Manila"
[report.columns]
occurred     = "Date"
gross        = "Gross"
fee          = "Fee"
net          = "Net"
merchant_ref = "Ref"
`

func formatOf(t testing.TB, text string) Format {
	t.Helper()
	spec, err := gateway.ParseReport(text)
	if err != nil {
		t.Fatal(err)
	}
	return Format{Spec: spec, Days: time.UTC}
}

// with is the usual report with some of its text replaced.
func with(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(plainReport) }

func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(p, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// readPath reads a file with the format that it is recognised as.
func readPath(path string, limits Limits, formats ...Format) (lines []Line, totals Totals, err error) {
	f, err := Open(path, limits)
	if err != nil {
		return nil, totals, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	format, err := f.Recognise(formats)
	if err != nil {
		return nil, totals, err
	}
	totals, err = f.Read(format, func(l Line) error { lines = append(lines, l); return nil })
	return lines, totals, err
}

func read(t testing.TB, content, report string) ([]Line, Totals, error) {
	t.Helper()
	return readPath(write(t, "report.csv", []byte(content)), Limits{}, formatOf(t, report))
}

func mustRead(t testing.TB, content, report string) ([]Line, Totals) {
	t.Helper()
	lines, totals, err := read(t, content, report)
	if err != nil {
		t.Fatal(err)
	}
	return lines, totals
}

func known(minor int64) Amount { return Amount{minor, true} }

func encoded(t *testing.T, text, charset string) []byte {
	t.Helper()
	encoders := map[string]func(string) (string, error){
		"gbk":          simplifiedchinese.GBK.NewEncoder().String,
		"windows-1252": charmap.Windows1252.NewEncoder().String,
		"utf-16le":     unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String,
		"utf-16be":     unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String,
	}
	out, err := encoders[charset](text)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(out)
}

func TestAByteOrderMarkIsNoPartOfAHeading(t *testing.T) {
	const text = "\"Date\",\"Gross\",\"Fee\",\"Net\",\"Reference\"\r\n\"2031-03-07\",\"250.00\",\"-8.75\",\"241.25\",\"ORD-501\"\r\n"
	report := with(`"Ref"`, `"Reference"`)
	for name, content := range map[string][]byte{
		"R-135":            []byte("\xef\xbb\xbf" + text),
		"R-135 UTF-16LE":   encoded(t, text, "utf-16le"),
		"R-135 UTF-16BE":   encoded(t, text, "utf-16be"),
		"without any mark": []byte(text),
	} {
		t.Run(name, func(t *testing.T) {
			lines, totals, err := readPath(write(t, "r.csv", content), Limits{}, formatOf(t, report))
			if err != nil || len(lines) != 1 || totals.Lines != 1 || totals.Rejected != 0 {
				t.Fatalf("%v, %+v, %v", lines, totals, err)
			}
			l := lines[0]
			if l.MerchantRef != "ORD-501" || l.Gross != known(25000) || l.Fee != known(875) || l.Net != known(24125) || l.Day != "2031-03-07" || l.Number != 2 {
				t.Errorf("%+v", l)
			}
		})
	}
}

func TestHeadingsInAWrongEncoding(t *testing.T) {
	report := with(`currency = "PHP"`, `mark = ","`, `"yyyy-MM-dd"`, `"dd.MM.yyyy"`, `"Date"`, `"Datum"`, `"Gross"`, `"Brutto"`, `fee          = "Fee"`, `currency = "Währung"`,
		"net          = \"Net\"\n", "", `"Ref"`, `"Nr"`)
	t.Run("R-137 mangled", func(t *testing.T) {
		_, _, err := read(t, "Datum, WÃ¤hrung, Brutto, Nr\n07.03.2031,EUR,\"12,50\",A\n", report)
		if err == nil || !strings.Contains(err.Error(), "missing: Währung") || !strings.Contains(err.Error(), "wrong encoding") {
			t.Errorf("%v", err)
		}
	})
	t.Run("R-137 padded", func(t *testing.T) {
		lines, _ := mustRead(t, "Datum, Währung , Brutto,Nr \n07.03.2031,EUR,\"12,50\",A\n", report)
		if len(lines) != 1 || lines[0].Gross != known(1250) || lines[0].Currency != "EUR" || lines[0].MerchantRef != "A" {
			t.Errorf("%+v", lines)
		}
	})
	t.Run("R-137 spelt otherwise", func(t *testing.T) {
		_, _, err := read(t, "Datum,Waehrung,Brutto,Nr\n07.03.2031,EUR,\"12,50\",A\n", report)
		if err == nil || !strings.Contains(err.Error(), "missing: Währung") {
			t.Errorf("%v", err)
		}
	})
}

func TestColumnsAreFoundByTheirNames(t *testing.T) {
	t.Run("R-138", func(t *testing.T) {
		v1, _ := mustRead(t, "Date,Gross,Fee,Net,Ref\n2031-03-07,250.00,-8.75,241.25,A\n", plainReport)
		v2, _ := mustRead(t, "Time Zone,Ref,Date,Net,Gross,Fee,Balance\nX,A,2031-03-07,241.25,250.00,-8.75,999.00\n", plainReport)
		if len(v1) != 1 || len(v2) != 1 || v1[0].Gross != known(25000) || v2[0].Gross != known(25000) || v2[0].Net != known(24125) {
			t.Fatalf("%+v and %+v", v1, v2)
		}
		if v1[0].Key != v2[0].Key {
			t.Error("the same line of both is not the same")
		}
		lines, _, err := read(t, "Date,Gross amount,Fee,Net,Ref\n2031-03-07,250.00,-8.75,241.25,A\n", plainReport)
		if err == nil || !strings.Contains(err.Error(), "missing: Gross.") || len(lines) != 0 {
			t.Errorf("%v, %v", lines, err)
		}
	})
}

func TestDaysDoNotDependOnTheServer(t *testing.T) {
	t.Run("R-139", func(t *testing.T) {
		report := with(`"yyyy-MM-dd"`, `"MM/dd/yyyy"`, "fee          = \"Fee\"\nnet          = \"Net\"\n", "")
		keys := map[[16]byte]bool{}
		for _, zone := range []string{"UTC", "Asia/Tokyo"} {
			loc, err := time.LoadLocation(zone)
			if err != nil {
				t.Fatal(err)
			}
			format := formatOf(t, report)
			format.Spec.Zone, format.Days = "", loc
			lines, _, err := readPath(write(t, "r.csv", []byte("Date,Ref,Gross\n01/02/2031,ORD-1,10.00\n13/01/2031,ORD-2,10.00\n")), Limits{}, format)
			if err != nil || len(lines) != 2 {
				t.Fatalf("%v, %v", lines, err)
			}
			if lines[0].Day != "2031-01-02" {
				t.Errorf("in %s the day is %s", zone, lines[0].Day)
			}
			if !strings.Contains(lines[1].Fault, "13/01/2031") {
				t.Errorf("the thirteenth month: %+v", lines[1])
			}
			keys[lines[0].Key] = true
		}
		if len(keys) != 1 {
			t.Error("the identity of the line depends on the zone")
		}
	})
	t.Run("R-150", func(t *testing.T) {
		report := with(`"yyyy-MM-dd"`, `"rfc3339"`, `"Asia/Manila"`, `"Asia/Bangkok"`, "fee          = \"Fee\"\nnet          = \"Net\"\n", "")
		lines, _ := mustRead(t, "Date,Ref,Gross\n2031-03-07T16:30:00Z,PM-1,10.00\n2031-03-07T17:30:00Z,PM-2,10.00\n", report)
		if len(lines) != 2 || lines[0].Day != "2031-03-07" || lines[1].Day != "2031-03-08" {
			t.Errorf("%+v", lines)
		}
	})
}

func TestOneDecimalMarkForAWholeColumn(t *testing.T) {
	const text = "Date;Gross;Ref\n2031-03-07;-3.000;A\n2031-03-07;1.111,11;B\n2031-03-07;1.000;C\n2031-03-07;12,5;D\n"
	report := with("fee          = \"Fee\"\nnet          = \"Net\"\n", "")
	t.Run("R-141", func(t *testing.T) {
		lines, _ := mustRead(t, text, strings.Replace(report, `sign `, "mark = \",\"\nsign ", 1))
		for i, want := range []int64{-300000, 111111, 100000, 1250} {
			if lines[i].Gross != known(want) || lines[i].Fault != "" {
				t.Errorf("line %d: %+v, want %d", i, lines[i], want)
			}
		}
	})
	t.Run("R-141 not stated", func(t *testing.T) {
		_, _, err := read(t, text, report)
		var p *Problem
		if !errors.As(err, &p) || !strings.Contains(p.Text, "decimal mark") || !strings.Contains(p.Text, "-3.000") || !strings.Contains(p.Text, `"gross"`) {
			t.Errorf("%v", err)
		}
	})
}

func TestAmountsAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		text, mark, currency string
		want                 int64
		wrong                bool
	}{
		{"3.842,17 €", ",", "EUR", 384217, false},
		{"1'000'000,00", ",", "EUR", 100000000, false},
		{"1\u00a0234,50", ",", "EUR", 123450, false},
		{"1\u202f234,50", ",", "EUR", 123450, false},
		{"10,00", ",", "EUR", 1000, false},
		{"₱1,250.50", ".", "PHP", 125050, false},
		{"PHP 1,250.50", ".", "PHP", 125050, false},
		{"(40.00)", ".", "PHP", -4000, false},
		{"40.00-", ".", "PHP", -4000, false},
		{"\u221240.00", ".", "PHP", -4000, false},
		{"+40.00", ".", "PHP", 4000, false},
		{".50", ".", "PHP", 50, false},
		{"1500", ".", "JPY", 1500, false},
		{"1.500", ".", "KWD", 1500, false},
		{"40.00", "", "PHP", 4000, false},
		{"40", "", "PHP", 4000, false},
		{"1,25.50", ".", "PHP", 0, true},
		{"1.250.50", ".", "PHP", 0, true},
		{"1.355,90", ".", "EUR", 0, true},
		{"--4", ".", "PHP", 0, true},
		{"4e3", ".", "PHP", 400, true},
		{"=4+4", ".", "PHP", 0, true},
		{"12.345", ".", "PHP", 0, true},
		{"", ".", "PHP", 0, true},
		{"€", ".", "PHP", 0, true},
		{"99999999999999999999", ".", "PHP", 0, true},
	} {
		got, err := ParseAmount(c.text, c.mark, c.currency)
		if c.wrong {
			if err == nil {
				t.Errorf("%q is read as %d", c.text, got)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%q: %d, %v, want %d", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"1.000", "1,000", "12,5", "1.000.000"} {
		if _, err := ParseAmount(text, "", "PHP"); !errors.Is(err, errAmbiguous) {
			t.Errorf("%q is not ambiguous: %v", text, err)
		}
	}
}

func TestTheSignOfRefunds(t *testing.T) {
	const text = "type,ref,gross,fee,net,Date\ncharge,ORD-1,100.00,-3.20,96.80,2031-03-07\nrefund,ORD-1,40.00,0.00,-40.00,2031-03-07\n"
	report := with(`"Gross"`, `"gross"`, `"Fee"`, `"fee"`, `"Net"`, `"net"`, `merchant_ref = "Ref"`, "merchant_ref = \"ref\"\ntype = \"type\"")
	t.Run("R-145", func(t *testing.T) {
		lines, totals := mustRead(t, text, strings.Replace(report, `"signed"`, `"type"`, 1))
		if totals.Rejected != 0 || lines[1].Gross != known(-4000) || lines[1].Net != known(-4000) || lines[1].Type != "refund" {
			t.Fatalf("%+v", lines)
		}
		if sum := lines[0].Net.Minor + lines[1].Net.Minor; sum != 5680 {
			t.Errorf("the day comes to %d, want 5680", sum)
		}
	})
	t.Run("R-145 signed", func(t *testing.T) {
		lines, totals := mustRead(t, text, report)
		if totals.Lines != 1 || totals.Rejected != 1 || !strings.Contains(lines[1].Fault, `sign = "type"`) {
			t.Errorf("%+v, %+v", totals, lines[1])
		}
	})
}

func TestTheFilesOwnTotals(t *testing.T) {
	t.Run("R-147", func(t *testing.T) {
		lines, totals := mustRead(t, "Date,Ref,Gross,Fee,Net\n2031-03-07,A,50.00,-1.75,48.25\n2031-03-07,B,30.00,-1.17,28.83\nPayout total,,,,41.15\n", plainReport)
		if len(lines) != 2 || len(totals.Stated) != 1 {
			t.Fatalf("%+v %+v", lines, totals)
		}
		if got := totals.Stated[0]; got != (Total{What: "net", Currency: "PHP", Stated: 4115, Counted: 7708}) || got.Stated-got.Counted != -3593 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("no count among them", func(t *testing.T) {
		report := strings.Replace(pointReport, "[report.columns]", "[report.totals]\namounts = { \"Sum in\" = \"credit\" }\n[report.columns]", 1)
		_, totals := mustRead(t, "Ref,Gross,Date\nA,1.00,2031-03-07\nSum in\n9.00\n", report)
		if want := (Total{What: "credit", Currency: "PHP", Stated: 900, Counted: 100}); totals.Lines != 1 || totals.Rejected != 0 || len(totals.Stated) != 1 || totals.Stated[0] != want {
			t.Errorf("%+v", totals)
		}
	})
	t.Run("under headings of their own", func(t *testing.T) {
		report := strings.Replace(with(`sign     = "signed"`, `sign = "debit_credit"`, `gross        = "Gross"`, "credit = \"In\"\ndebit = \"Out\"", "fee          = \"Fee\"\nnet          = \"Net\"\n", ""),
			"[report.columns]", "[report.totals]\ncount = \"Number\"\namounts = { \"Sum in\" = \"credit\", \"Sum out\" = \"debit\" }\n[report.columns]", 1)
		_, totals := mustRead(t, "Date,Ref,In,Out\n2031-03-07,A,50.00,\n2031-03-07,A,0.00,20.00\nNumber,Sum in,Sum out\n3,50.00,20.00\n", report)
		want := []Total{{What: "count", Stated: 3, Counted: 2}, {What: "credit", Currency: "PHP", Stated: 5000, Counted: 5000}, {What: "debit", Currency: "PHP", Stated: 2000, Counted: 2000}}
		if fmt.Sprint(totals.Stated) != fmt.Sprint(want) || totals.Lines != 2 {
			t.Errorf("%+v", totals)
		}
	})
}

func TestLinesAreKnownAgain(t *testing.T) {
	byID := with(`merchant_ref = "Ref"`, "merchant_ref = \"Ref\"\nline_id = \"Row\"", "fee          = \"Fee\"\nnet          = \"Net\"\n", "")
	t.Run("R-148", func(t *testing.T) {
		one, _ := mustRead(t, "Date,Row,Ref,Gross\n2031-03-07,r1,PM-1,20.00\n2031-03-07,r1,PM-1,20.00\n2031-03-07,r2,PM-1,20.00\n", byID)
		two, _ := mustRead(t, "Date,Row,Ref,Gross\n2031-03-08,r1,PM-1,20.00\n", byID)
		if one[0].Key != one[1].Key || one[0].Key != two[0].Key || one[0].Key == one[2].Key {
			t.Error("a line is not known by its id alone")
		}
	})
	t.Run("R-149", func(t *testing.T) {
		const text = "Date,Ref,Gross\n2031-05-11,Transfer,-35.00\n2031-05-11,Transfer,-35.00\n2031-05-11,Transfer,-36.00\n"
		report := with("fee          = \"Fee\"\nnet          = \"Net\"\n", "")
		first, _ := mustRead(t, text, report)
		again, _ := mustRead(t, text, report)
		if first[0].Key == first[1].Key || first[1].Key == first[2].Key {
			t.Error("lines that are alike, or not, are one")
		}
		for i := range first {
			if first[i].Key != again[i].Key {
				t.Errorf("line %d is another one when it comes again", i)
			}
		}
	})
}

func TestDamagedIDs(t *testing.T) {
	report := with(`merchant_ref = "Ref"`, "merchant_ref = \"Ref\"\ngateway_ref = \"TxnId\"", "fee          = \"Fee\"\nnet          = \"Net\"\n", "")
	t.Run("R-152", func(t *testing.T) {
		lines, totals := mustRead(t, "Date,Ref,TxnId,Gross\n2031-03-07,ORD-1,2.03103E+15,10.00\n2031-03-07,ORD-2,2031030700000420,12.00\n2031-03-07,7,0000123,5.00\n", report)
		if totals.Rejected != 1 || !strings.Contains(lines[0].Fault, "scientific notation") || !strings.Contains(lines[0].Fault, "original file") {
			t.Errorf("%+v", lines[0])
		}
		if lines[2].GatewayRef != "0000123" {
			t.Errorf("an id is no number: %q", lines[2].GatewayRef)
		}
		got := Match(&lines[1], []Books{{PaymentID: 5, By: BySuggestion, State: "succeeded", ReceivedMinor: 1200, Currency: "PHP"}})
		if got.Kind != MissingLocally || got.PaymentID != 5 || got.Detail == "" {
			t.Errorf("%+v: a suggestion, not applied", got)
		}
	})
}

func TestCharsetsAndSeparators(t *testing.T) {
	const text = "报表 2031\n#说明\nDate|Ref|Gross\n2031-03-07|订单一|1.50\n\n2031-03-07|B|x\nTotal||1.50\n"
	report := strings.Replace(with("fee          = \"Fee\"\nnet          = \"Net\"\n", ""), `sign `, "comment = \"#\"\nsign ", 1)
	gbk := strings.Replace(report, `sign `, "charset = \"gbk\"\nsign ", 1)
	for name, c := range map[string]struct {
		content []byte
		report  string
	}{
		"GBK, stated":                  {encoded(t, text, "gbk"), gbk},
		"UTF-8 where GBK is stated":    {[]byte(text), gbk},
		"UTF-8":                        {[]byte(text), report},
		"UTF-8, carriage returns":      {[]byte(strings.ReplaceAll(text, "\n", "\r\n")), report},
		"tabs":                         {[]byte(strings.ReplaceAll(text, "|", "\t")), report},
		"semicolons, UTF-16":           {encoded(t, strings.ReplaceAll(text, "|", ";"), "utf-16le"), report},
		"commas, in an archive":        {zipped(t, "a/report.csv", []byte(strings.ReplaceAll(text, "|", ","))), report},
		"GBK in an archive with rests": {zipped(t, "report.csv", encoded(t, text, "gbk")), gbk},
	} {
		t.Run(name, func(t *testing.T) {
			lines, totals, err := readPath(write(t, "r.csv", c.content), Limits{}, formatOf(t, c.report))
			if err != nil || totals.Lines != 1 || totals.Rejected != 1 || len(lines) != 2 {
				t.Fatalf("%+v, %+v, %v", lines, totals, err)
			}
			if lines[0].MerchantRef != "订单一" || lines[0].Gross != known(150) || !strings.Contains(lines[1].Fault, `"x"`) {
				t.Errorf("%+v", lines)
			}
			if len(totals.Stated) != 1 || totals.Stated[0] != (Total{What: "gross", Currency: "PHP", Stated: 150, Counted: 150}) {
				t.Errorf("%+v", totals)
			}
		})
	}
	t.Run("Windows-1252", func(t *testing.T) {
		content := encoded(t, "Date,Ref,Größe\n2031-03-07,Bär,1.50\n", "windows-1252")
		report := strings.Replace(report, `"Gross"`, `"Größe"`, 1)
		if lines, _, err := readPath(write(t, "r.csv", content), Limits{}, formatOf(t, report)); err == nil {
			t.Errorf("a charset is guessed: %+v", lines)
		}
		lines, _, err := readPath(write(t, "r.csv", content), Limits{}, formatOf(t, strings.Replace(report, `sign `, "charset = \"windows-1252\"\nsign ", 1)))
		if err != nil || len(lines) != 1 || lines[0].MerchantRef != "Bär" {
			t.Errorf("%+v, %v", lines, err)
		}
	})
}

func zipped(t testing.TB, name string, content []byte, more ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, n := range append([]string{name, "__MACOSX/._x", ".DS_Store"}, more...) {
		f, err := w.Create(n)
		if err == nil {
			_, err = f.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWorkbooks(t *testing.T) {
	book := excelize.NewFile()
	for i, values := range [][]any{
		{"Report of the day"},
		{"Date", "Ref", "TxnId", "Gross"},
		{"2031-03-07", "A", "0001", 12.5},
		{time.Date(2031, 3, 8, 9, 30, 0, 0, time.UTC), "B", 123456789012345, "1,250.50"},
		{"2031-03-07", "C", "x", nil},
		{"2031-03-07", "D", "1.23456789012E+17", 3},
		{"Total", nil, nil, 1263.0},
	} {
		if err := book.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &values); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.SetCellFormula("Sheet1", "D6", "1+1"); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := book.Write(&b); err != nil {
		t.Fatal(err)
	}
	report := with(`merchant_ref = "Ref"`, "merchant_ref = \"Ref\"\ngateway_ref = \"TxnId\"", "fee          = \"Fee\"\nnet          = \"Net\"\n", "")
	report = strings.Replace(report, `sign `, "mark = \".\"\nsign ", 1)
	lines, totals, err := readPath(write(t, "r.xlsx", b.Bytes()), Limits{}, formatOf(t, report))
	if err != nil || len(lines) != 4 || totals.Lines != 2 || totals.Rejected != 2 {
		t.Fatalf("%+v %+v %v", lines, totals, err)
	}
	if l := lines[0]; l.GatewayRef != "0001" || l.Gross != known(1250) || l.Number != 4 {
		t.Errorf("%+v", l)
	}
	if l := lines[1]; l.GatewayRef != "123456789012345" || l.Gross != known(125050) || l.Day != "2031-03-08" || l.OccurredMs != time.Date(2031, 3, 8, 1, 30, 0, 0, time.UTC).UnixMilli() {
		t.Errorf("%+v", l)
	}
	if !strings.Contains(lines[2].Fault, "formula") || lines[2].Number != 6 {
		t.Errorf("%+v", lines[2])
	}
	if !strings.Contains(lines[3].Fault, "damaged") {
		t.Errorf("%+v", lines[3])
	}
	if len(totals.Stated) != 1 || totals.Stated[0].Stated != 126300 || totals.Stated[0].Counted != 126300 {
		t.Errorf("%+v", totals.Stated)
	}
}
