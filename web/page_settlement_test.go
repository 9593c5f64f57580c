package web

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"nodrop/app"
	"nodrop/store"
)

const reportHead = "Line,Type,Payment,Refund,Reference,Amount,Fee,Net,Currency,Created,Payout\n"

// eveningReport is the sandbox's report of the morning of a desk: one line matches, two are of payments that nobody
// registered (500.00 and 40.00), one is no payment, one repeats the first (1250.50), and one has no amount.
const eveningReport = reportHead + `ln_1,payment,sbx_ORDER-1001,,ORDER-1001,1250.50,31.26,1219.24,PHP,2031-03-07T01:00:00Z,po_1
ln_2,payment,sbx_GONE-1,,GONE-1,500.00,0.00,500.00,PHP,2031-03-07T02:00:00Z,po_1
ln_3,payment,sbx_GONE-2,,"=HYPERLINK(""http://x"")",40.00,0.00,40.00,PHP,2031-03-07T03:00:00Z,po_1
ln_4,payout,,,,-1719.24,0.00,-1719.24,PHP,2031-03-07T04:00:00Z,po_1
ln_1,payment,sbx_ORDER-1001,,ORDER-1001,1250.50,31.26,1219.24,PHP,2031-03-07T01:00:00Z,po_1
ln_5,payment,sbx_GONE-3,,GONE-3,n/a,0.00,0.00,PHP,2031-03-07T05:00:00Z,po_1
`

const eveningDay = "/settlement/sandbox/2031-03-07"

// uploads sends a report as the form of the page does.
func (d *desk) uploads(gateway, name, content string) *sheet {
	d.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	if err := w.WriteField("gateway", gateway); err != nil {
		d.t.Fatal(err)
	}
	part, err := w.CreateFormFile("file", name)
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := part.Write([]byte(content)); err != nil {
		d.t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		d.t.Fatal(err)
	}
	r := d.request("POST", d.private.URL+"/settlement/upload", &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return d.fetch(r)
}

// spooled lists the uploads that lie beside the database.
func (d *desk) spooled() []string {
	d.t.Helper()
	list, err := filepath.Glob(d.store.Path() + spoolMark + "*")
	if err != nil {
		d.t.Fatal(err)
	}
	return list
}

// imports uploads a report, confirms it and waits until it is done; it gives the import's page.
func (d *desk) imports(gateway, name, content string) string {
	d.t.Helper()
	d.move(time.Second)
	p := d.uploads(gateway, name, content)
	if p.status != http.StatusSeeOther {
		d.t.Fatalf("uploading %s: %d %s", name, p.status, p.words("main"))
	}
	page := d.get(p.to)
	form := url.Values{}
	for _, n := range page.all(`form[action="/settlement/import"] input`) {
		form.Set(attr(n, "name"), attr(n, "value"))
	}
	sent := d.send("/settlement/import", form)
	if sent.status != http.StatusSeeOther {
		d.t.Fatalf("importing %s: %d %s\n%s", name, sent.status, sent.words("main"), page.words("main"))
	}
	d.until("the import", func(rx *store.Rx) (bool, error) {
		list, err := rx.UnfinishedImports(10)
		return len(list) == 0, err
	})
	return sent.to
}

func TestAReportFromUploadToResult(t *testing.T) {
	d := newDesk(t)
	d.morning()
	before := d.rows()
	p := d.uploads("sandbox", `C:\reports\evening.csv`, eveningReport)
	if p.status != http.StatusSeeOther || !strings.Contains(p.to, "name=evening.csv") {
		t.Fatalf("uploading: %d to %q", p.status, p.to)
	}
	list := d.spooled()
	if len(list) != 1 {
		t.Fatalf("%d files lie beside the database, want one", len(list))
	}
	if info, err := os.Stat(list[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the upload may be read by others: %v %v", info.Mode(), err)
	}
	page := d.get(p.to)
	page.wants("h1", "4 differences, ₱1,790.50")
	page.wants(".findings", "Unknown here")
	page.wants("main", `"n/a" is no amount`)
	page.wants(".sheet", "ln_1 payment sbx_ORDER-1001")
	d.wantNew(before, map[string]int{})

	at := d.imports("sandbox", "evening.csv", eveningReport)
	page = d.get(at)
	page.wants("h1", "4 differences, ₱1,790.50")
	page.wants(".rows", "Lines that can be used 5 Lines that cannot 1")
	page.wants("main", "Line 7")
	page.wants(".chips", "7 Mar 2031")
	if left := len(d.spooled()); left != 1 {
		t.Errorf("%d uploads are left, want the one that nobody confirmed", left)
	}
	page = d.get("/settlement?month=2031-03")
	page.wants("h1", "One day differs from its reports, ₱1,790.50 at stake.")
	page.wants(".calendar .today", "Open 4 differences")
	page = d.get(eveningDay)
	page.wants("h1", "4 differences, ₱1,790.50")
	page.wants(".findings", "Matched The line and our payment say the same. 1 ₱1,250.50")
	page.wants(".findings", "Other money Payouts, fees and reserves; no payment of a customer. 1 −₱1,719.24")
	d.get(eveningDay+"?lines=matched").wants("table.cards:not(.findings)", "ORDER-1001 Payment Matched ₱1,250.50 ₱31.26 ₱1,219.24")
	if again := d.imports("sandbox", "again.csv", eveningReport); again != at {
		t.Errorf("the same file again leads to %s, want %s", again, at)
	}
	d.get(at).wants("[role=status]", "This file was imported before; nothing was done.")
}

func TestADayThatAgreesSaysSo(t *testing.T) {
	d := newDesk(t)
	d.morning()
	d.imports("sandbox", "good.csv", strings.Join(strings.SplitAfter(eveningReport, "\n")[:2], ""))
	p := d.get(eveningDay)
	p.wants("h1", "The one line matches.")
	p.wants(".sum", "Clean")
	d.get("/settlement?month=2031-03").wants("h1", "Every day with a report agrees with it.")
	d.get("/settlement/sandbox/2031-03-06").wants("h1", "Nothing happened on this day.")
	for _, path := range []string{"/settlement/sandbox/today", "/settlement/nobody/2031-03-07", "/settlement/imports/99", eveningDay + "/other.csv"} {
		if p := d.get(path); p.status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, p.status)
		}
	}
}

func TestManyDifferencesAreDecidedWithAPreview(t *testing.T) {
	d := newDesk(t)
	d.morning()
	d.imports("sandbox", "evening.csv", eveningReport)
	preview := eveningDay + "/decide?all=1&kind=missing_locally"
	p := d.get(preview)
	p.wants("h1", "2 differences are decided on")
	p.wants(".lead", "₱540.00 at stake.")
	action, form := p.form("accept")
	if p := d.send(action, form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.words("#settle-accept .problem"), "what it rests on") {
		t.Errorf("without a reason: %d %s", p.status, p.words("main"))
	}
	form.Set("reason", "both are of the other shop")
	for range 2 {
		if p := d.send(action, form); p.status != http.StatusSeeOther || p.to != eveningDay+"?kind=missing_locally" {
			t.Fatalf("deciding: %d to %q", p.status, p.to)
		}
	}
	p = d.get(eveningDay)
	p.wants("[role=status]", "2 differences: Accept as it is.")
	p.wants("h1", "2 differences, ₱1,250.50")
	d.get(eveningDay+"?state=decided").wants("table.cards:not(.findings)", "Accept as it is by maria both are of the other shop")
	d.get("/audit").wants("table", "maria Accept as it is")
	form.Set("form_key", "another")
	if p := d.send(action, form); p.status != http.StatusConflict {
		t.Errorf("deciding on what has changed since: %d, want 409", p.status)
	}
	if p := d.send(action, url.Values{"version": {"1.1,x"}, "act": {"accept"}}); p.status != http.StatusBadRequest {
		t.Errorf("a broken form: %d, want 400", p.status)
	}
	p = d.get(eveningDay + "/decide")
	if p.status != http.StatusSeeOther {
		t.Errorf("nothing ticked: %d", p.status)
	}
}

func TestAnImportIsUndoneUntilSomethingIsDecided(t *testing.T) {
	d := newDesk(t)
	d.morning()
	at := d.imports("sandbox", "evening.csv", eveningReport)
	action, form := d.get(at).form(actUndoImport, "reason", "the wrong file")
	if p := d.send(action, form); p.status != http.StatusSeeOther {
		t.Fatalf("undoing: %d %s", p.status, p.words("main"))
	}
	p := d.get(at)
	p.wants("h1", "The import of evening.csv was undone")
	d.get(eveningDay).wants("h1", "One payment succeeded")
	d.get("/audit").wants("table", "maria Undo the import")

	at = d.imports("sandbox", "evening.csv", eveningReport)
	action, form = d.get(eveningDay+"/decide?all=1&kind=unparseable").form("ignore", "reason", "a test line")
	if p := d.send(action, form); p.status != http.StatusSeeOther {
		t.Fatalf("deciding: %d %s", p.status, p.words("main"))
	}
	d.get(at).wants(".blocked", "A person has decided differences of this import")
}

func TestWhatIsNoReportIsRefusedAtOnce(t *testing.T) {
	d := newDesk(t)
	for name, c := range map[string]struct {
		content string
		says    string
	}{
		"a PDF":       {"%PDF-1.7 and so on", "The file is a PDF"},
		"nothing":     {"", "The file is empty"},
		"an old book": {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook"},
		"a gzip":      {"\x1f\x8b\x08\x00 and so on", "packed by gzip"},
	} {
		p := d.uploads("sandbox", "report", c.content)
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.words("main > [role=alert]"), c.says) {
			t.Errorf("%s: %d %q", name, p.status, p.words("main > [role=alert]"))
		}
	}
	if p := d.uploads("nobody", "x.csv", eveningReport); p.status != http.StatusNotFound {
		t.Errorf("for a gateway that there is not: %d", p.status)
	}
	if n := len(d.spooled()); n != 0 {
		t.Errorf("%d refused files are kept", n)
	}
	if p := d.send("/settlement/upload", url.Values{"gateway": {"sandbox"}}); p.status != http.StatusBadRequest {
		t.Errorf("a form without a file: %d", p.status)
	}
	for _, key := range []string{"", "../../etc/passwd", "00", strings.Repeat("0", 24)} {
		if p := d.get(address("/settlement/upload", "file", key, "gateway", "sandbox", "name", "x")); p.status != http.StatusNotFound {
			t.Errorf("the upload %q: %d, want 404", key, p.status)
		}
	}
}

func TestALargeReportIsRefused(t *testing.T) {
	d := newDesk(t)
	d.reconfigure("[limits]\n", "[limits]\nmax_report = \"1KiB\"\n")
	if p := d.uploads("sandbox", "large.csv", strings.Repeat(eveningReport, 400)); p.status != http.StatusRequestEntityTooLarge || !strings.Contains(p.words("main > [role=alert]"), "Import it with “nodrop import” on the server.") {
		t.Errorf("a file that is too large: %d %s", p.status, p.words("main"))
	}
	if n := len(d.spooled()); n != 0 {
		t.Errorf("%d parts of it are kept", n)
	}
}

func TestUploadsThatNobodyConfirmsAreForgotten(t *testing.T) {
	d := newDesk(t)
	d.uploads("sandbox", "first.csv", eveningReport)
	first := d.spooled()[0]
	old := d.now().Add(-25 * time.Hour)
	if err := os.Chtimes(first, old, old); err != nil {
		t.Fatal(err)
	}
	d.move(time.Second)
	d.uploads("sandbox", "second.csv", eveningReport)
	if list := d.spooled(); len(list) != 1 || list[0] == first {
		t.Errorf("left: %v, want the second alone", list)
	}
}

func TestViewersSeeReportsAndChangeNothing(t *testing.T) {
	d := newDesk(t)
	d.morning()
	at := d.imports("sandbox", "evening.csv", eveningReport)
	action, form := d.get(eveningDay+"/decide?all=1").form("note", "reason", "x")
	undo, undoForm := d.get(at).form(actUndoImport, "reason", "x")
	d.addUser("vic", "viewer")
	d.client = d.newClient()
	d.signIn("vic")
	d.get(eveningDay).wants("h1", "4 differences")
	if n := len(d.get(eveningDay).all("input[type=checkbox]")); n != 0 {
		t.Errorf("a viewer is offered %d boxes to tick", n)
	}
	before := d.rows()
	for _, p := range []*sheet{d.uploads("sandbox", "x.csv", eveningReport), d.send(action, form), d.send(undo, undoForm), d.send("/settlement/import", url.Values{}), d.send("/settlement/format", url.Values{})} {
		if p.status != http.StatusForbidden {
			t.Errorf("a viewer acts: %d", p.status)
		}
	}
	d.wantNew(before, map[string]int{})
}

// foreignReport has headings that nobody has described.
const foreignReport = "Settlement of March\nBuchung;Bestellung;Art;Brutto;Gebühr;Währung;Datum\nb1;ORDER-1001;Zahlung;1.250,50;31,26;PHP;07.03.2031\n"

func TestColumnsAreAssignedOnceAndKnownAgain(t *testing.T) {
	d := newDesk(t)
	d.morning()
	p := d.uploads("sandbox", "fremd.csv", foreignReport)
	page := d.get(p.to)
	page.wants("h1", "Say what the columns hold")
	page.wants("main", "missing:")
	form := url.Values{}
	for _, n := range page.all(`form[action="/settlement/format"] input[type=hidden]`) {
		form.Set(attr(n, "name"), attr(n, "value"))
	}
	for name, value := range map[string]string{
		"row": "2", "c0": "gateway_ref", "c1": "merchant_ref", "c2": "type", "c3": "gross", "c4": "fee", "c5": "currency", "c6": "occurred", "amount": "decimal", "mark": ",", "sign": "signed",
		"format": "dd.MM.yyyy", "charset": "", "zone": "Europe/Berlin", "types": "Zahlung", "as": "german",
	} {
		form.Set(name, value)
	}
	if p := d.send("/settlement/format", form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.words("#mapping-problem"), "Sale = payment") {
		t.Errorf("words that are assigned to nothing: %d %s", p.status, p.words("main"))
	}
	form.Set("types", "Zahlung = payment\n")
	form.Set("c3", "")
	if p := d.send("/settlement/format", form); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.words("#mapping-problem"), "No column holds an amount") || p.words(`select[name=format] option[selected]`) != "dd.MM.yyyy" {
		t.Errorf("no amount: %d %s", p.status, p.words("#mapping-problem"))
	}
	form.Set("c3", "gross")
	if p := d.send("/settlement/format", form); p.status != http.StatusSeeOther {
		t.Fatalf("saving: %d %s", p.status, p.words("#mapping-problem"))
	}
	page = d.get(p.to)
	page.wants("h1", "The one line matches.")
	page.wants(".lead", "read as german")
	d.get(p.to+"&assign=1").wants("h1", "Say what the columns hold")
	d.move(time.Second)
	p = d.uploads("sandbox", "april.csv", strings.Replace(foreignReport, "b1", "b2", 1))
	d.get(p.to).wants(".lead", "read as german")
}

func TestExportsOfADayRunNothing(t *testing.T) {
	d := newDesk(t)
	d.morning()
	d.imports("sandbox", "evening.csv", eveningReport)
	rows, err := csv.NewReader(strings.NewReader(d.get(eveningDay + "/lines.csv").text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 5 {
		t.Fatalf("%d rows, want a heading and four lines", len(rows))
	}
	at := columnsOf(rows[0])
	if got := rows[3][at["merchant_ref"]]; got != `'=HYPERLINK("http://x")` {
		t.Errorf("a reference that a spreadsheet would run is exported as %q", got)
	}
	if got := rows[4][at["gross"]]; got != "-1719.24" {
		t.Errorf("a negative amount is exported as %q", got)
	}
	book, err := excelize.OpenReader(strings.NewReader(d.get(eveningDay + "/lines.xlsx").text))
	if err != nil {
		t.Fatal(err)
	}
	for cell, want := range map[string]struct {
		value string
		kind  excelize.CellType
	}{"G4": {`'=HYPERLINK("http://x")`, excelize.CellTypeInlineString}, "K5": {"-1719.24", excelize.CellTypeUnset}, "F2": {"sbx_ORDER-1001", excelize.CellTypeInlineString}} {
		value, err := book.GetCellValue("Sheet1", cell)
		kind, err2 := book.GetCellType("Sheet1", cell)
		if err != nil || err2 != nil || value != want.value || kind != want.kind {
			t.Errorf("%s is %q of the kind %v, want %q of %v", cell, value, kind, want.value, want.kind)
		}
	}
	rows, err = csv.NewReader(strings.NewReader(d.get(eveningDay + "/differences.csv?kind=missing_locally").text)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d rows of differences, want a heading and two: %v", len(rows), err)
	}
	at = columnsOf(rows[0])
	if rows[1][at["seen"]] != "500.00" || rows[1][at["gateway_ref"]] != "sbx_GONE-1" || rows[1][at["file"]] != "evening.csv" || rows[1][at["line"]] != "3" {
		t.Errorf("the first difference is exported as %v", rows[1])
	}
}

func columnsOf(head []string) map[string]int {
	at := map[string]int{}
	for i, name := range head {
		at[name] = i
	}
	return at
}

// TestALargeDayOpensFast holds the page of a day with many lines to the time that a person waits gladly.
func TestALargeDayOpensFast(t *testing.T) {
	if testing.Short() {
		t.Skip("as many lines are imported for it")
	}
	d := newDesk(t)
	path := filepath.Join(t.TempDir(), "large.csv")
	var b strings.Builder
	b.WriteString(reportHead)
	for i := range largeDay {
		fmt.Fprintf(&b, "ln_%d,payout,,,,-1.00,0.00,-1.00,PHP,2031-03-07T01:00:00Z,po_%d\n", i, i)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.engine.Import(t.Context(), app.ImportRequest{Gateway: "sandbox", Path: path}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{eveningDay, eveningDay + "?lines=other_money", eveningDay + "?lines=other_money&after=99000", "/settlement?month=2031-03"} {
		best := time.Hour
		for range 5 {
			begun := time.Now()
			if p := d.get(path); p.status != http.StatusOK {
				t.Fatalf("%s: %d", path, p.status)
			}
			best = min(best, time.Since(begun))
		}
		t.Logf("%s: %v", path, best)
		if best > 200*time.Millisecond {
			t.Errorf("%s takes %v with %d lines, want less than 200 ms", path, best, largeDay)
		}
	}
	d.get(eveningDay).wants("h1", "Nothing differs in "+count(largeDay)+" lines.")
}

func TestTheFiguresOfSettlement(t *testing.T) {
	d := newDesk(t)
	d.morning()
	d.imports("sandbox", "evening.csv", eveningReport)
	a := d.do(d.request(http.MethodGet, d.private.URL+"/metrics", nil))
	for _, line := range []string{
		`nodrop_settlement_differences{gateway="sandbox",kind="missing_locally"} 2`, `nodrop_settlement_differences{gateway="sandbox",kind="unparseable"} 1`,
		`nodrop_settlement_differences{gateway="sandbox",kind="duplicate_line"} 1`, `nodrop_settlement_days_without_report{gateway="sandbox"} 0`, `nodrop_settlement_found_total{gateway="sandbox"} 0`,
	} {
		if !strings.Contains(a.text, "\n"+line+"\n") {
			t.Errorf("%s is missing", line)
		}
	}
}
