package web

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"nodrop/app"
	"nodrop/app/gateway"
	"nodrop/store"
)

// brings puts a report into the file field of the page.
func (p *person) brings(name, content string) {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.do(chromedp.SetUploadFiles(chromedp.CSS("input[name=file]"), []string{path}))
}

// chooses picks an entry of a selection by its value.
func (p *person) chooses(name, value string) {
	p.t.Helper()
	if !evaluate[bool](p, `(() => { const s = document.querySelector('select[name="`+name+`"]'); if (!s) return false; s.value = "`+value+`"; return s.value === "`+value+`"; })()`) {
		p.t.Fatalf("%q cannot be chosen for %s", value, name)
	}
}

func TestSettlementInARealBrowser(t *testing.T) {
	browser := newBrowser(t)
	scenes := map[string]func(*testing.T, *person){
		"from upload to decision": sceneReconcile, "assign columns": sceneColumns, "undo": sceneUndo, "narrow": sceneNarrowReports, "tick two": sceneTick,
	}
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) { scene(t, seated(t, browser, newDesk(t))) })
	}
}

// sceneReconcile brings the evening's report and decides on what nobody knows.
func sceneReconcile(_ *testing.T, p *person) {
	p.morning()
	p.comesIn()
	p.follows("Settlement")
	p.sees("No report has been imported yet.")
	p.brings("evening.csv", eveningReport)
	p.follows("Read it")
	p.sees("4 differences, ₱1,790.50")
	p.sees("Nothing is stored yet")
	p.follows("Import it")
	p.sees("What differs stands on the pages of its days.")
	p.follows("7 Mar 2031")
	p.sees("4 differences, ₱1,790.50")
	p.follows("Line cannot be read")
	p.sees(`"n/a" is no amount`)
	p.open(eveningDay + "?kind=unparseable")
	evaluate[bool](p, `document.querySelector("input[name=d]").click(), true`)
	p.follows("Decide on those that are ticked")
	p.sees("The line cannot be used; the others count.")
	p.clicks("Close without consequence")
	p.types("Reason, for those who ask later", "a test payment")
	p.submits("ignore")
	p.sees("One difference: Close without consequence.")
	p.open(eveningDay + "?state=decided")
	p.sees("Close without consequence by maria")
	p.sees("a test payment")
}

func sceneTick(_ *testing.T, p *person) {
	p.morning()
	p.imports("sandbox", "evening.csv", eveningReport)
	p.comesIn()
	p.open(eveningDay + "?kind=missing_locally")
	evaluate[bool](p, `document.querySelectorAll("input[name=d]").forEach((box) => box.click()), true`)
	p.follows("Decide on those that are ticked")
	p.sees("2 differences are decided on")
	p.sees("₱540.00 at stake.")
	p.clicks("Accept as it is")
	p.types("Reason, for those who ask later", "both are of the other shop")
	p.submits("accept")
	p.sees("2 differences: Accept as it is.")
	p.open(eveningDay)
	p.sees("2 differences, ₱1,250.50")
}

// sceneColumns brings a report that nobody has described.
func sceneColumns(_ *testing.T, p *person) {
	p.morning()
	p.comesIn()
	p.open("/settlement")
	p.brings("fremd.csv", foreignReport)
	p.follows("Read it")
	p.sees("Say what the columns hold")
	p.chooses("row", "2")
	p.follows("Show its columns")
	p.sees("Buchung")
	for field, value := range map[string]string{
		"c0": "gateway_ref", "c1": "merchant_ref", "c2": "type", "c3": "gross", "c4": "fee", "c5": "currency", "c6": "occurred", "mark": ",", "format": "dd.MM.yyyy",
	} {
		p.chooses(field, value)
	}
	p.types("Words of the column of kinds, one a line", "Zahlung = payment")
	p.types("Name of this kind of report", "german")
	p.follows("Save and read it")
	p.sees("The one line matches.")
	p.follows("Import it")
	p.sees("The one line matches.")
}

func sceneUndo(_ *testing.T, p *person) {
	p.morning()
	at := p.imports("sandbox", "evening.csv", eveningReport)
	p.comesIn()
	p.open(at)
	p.clicks("Undo the import")
	p.types("Reason, for those who ask later", "the wrong file")
	p.submits(actUndoImport)
	p.sees("The import of evening.csv was undone")
}

func sceneNarrowReports(t *testing.T, p *person) {
	p.morning()
	at := p.imports("sandbox", "evening.csv", eveningReport)
	p.move(time.Second)
	foreign := p.uploads("sandbox", "fremd.csv", foreignReport).to
	p.move(time.Second)
	known := p.uploads("sandbox", "known.csv", eveningReport+"\n").to
	p.comesIn()
	for width, dark := range map[int64]bool{390: true, 1440: false} {
		p.window(width, dark)
		for _, path := range []string{"/settlement?month=2031-03", eveningDay, eveningDay + "?lines=matched", eveningDay + "/decide?all=1", at, foreign, known} {
			p.open(path)
			p.sees("Sign out")
			if got := evaluate[int64](p, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%s is %d wide in a window of %d: it scrolls sideways", path, got, width)
			}
			if out := evaluate[string](p, `[...document.querySelectorAll("main *:not(.sheet *)")].filter((e) => e.checkVisibility() && !e.closest(".unseen, thead, option") && e.getBoundingClientRect().right > innerWidth + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 80)).join("\n")`); out != "" {
				t.Errorf("%s at %d: beyond the edge:\n%s", path, width, out)
			}
		}
	}
}

// askedSettlement has a report with a line that cannot be used.
func askedSettlement(c *counter) {
	c.report("sandbox", reportHead+"ln_1,payment,sbx_X,,X-1,n/a,0.00,0.00,PHP,2031-03-07T01:00:00Z,po_1\n")
}

// askedAcceptReport has a report say that a payment of a gateway without a query is paid.
func askedAcceptReport(c *counter) {
	c.order("plain", "Q-1", "Q-1", phpHundred)
	spec := gateway.ReportSpec{Name: "own", Amount: "decimal", Mark: ".", Sign: "signed", Currency: "PHP", Format: "yyyy-MM-dd", Columns: map[string]gateway.List{"merchant_ref": {"Ref"}, "gross": {"Amount"}, "occurred": {"Day"}}}
	if err := c.engine.SaveReportFormat(c.t.Context(), "plain", spec, []string{"Ref", "Amount", "Day"}, "jo"); err != nil {
		c.t.Fatal(err)
	}
	c.report("plain", "Ref,Amount,Day\nQ-1,100.00,2031-03-07\n")
}

// report imports a report.
func (c *counter) report(gateway, content string) {
	c.t.Helper()
	path := filepath.Join(c.t.TempDir(), "report.csv")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.engine.Import(c.t.Context(), app.ImportRequest{Gateway: gateway, Path: path}); err != nil {
		c.t.Fatal(err)
	}
}

// answerDayInBrowser finds the question about a day in the queue and answers it on the day's page, by which it closes.
func answerDayInBrowser(t *testing.T, p *person, r store.Review) {
	t.Helper()
	p.comesIn()
	p.open(address("/reviews", "kind", r.Kind))
	p.follows(language("en").word("review", r.Kind))
	p.sees("One difference")
	p.open(numbered("/reviews", r.ID))
	p.follows("Line cannot be read")
	evaluate[bool](p, `document.querySelector("input[name=d]").click(), true`)
	p.follows("Decide on those that are ticked")
	p.clicks("Close without consequence")
	p.fill("ignore", "reason", "looked into it")
	p.submits("ignore")
	p.until("the answer", func(rx *store.Rx) (bool, error) {
		v, _, err := rx.Review(r.ID)
		return v.State == "closed", err
	})
}
