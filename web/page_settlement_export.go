package web

import (
	"encoding/csv"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/xuri/excelize/v2"

	"nodrop/app"
	"nodrop/app/payment"
	"nodrop/store"
)

// cell is one value of an export: a number as it is written, or a text.
type cell struct {
	text   string
	number bool
}

// table takes the rows of an export.
type table interface {
	row(cells []cell) error
	end() error
}

var (
	lineHead       = []string{"gateway", "day", "line", "type", "finding", "gateway_ref", "merchant_ref", "payment", "state", "currency", "gross", "fee", "net", "received", "occurred_at", "settled_at", "batch", "status"}
	differenceHead = []string{"gateway", "day", "kind", "state", "gateway_ref", "merchant_ref", "payment", "currency", "expected", "seen", "at_stake", "file", "line", "detail", "decided_by", "answer", "reason", "decided_at"}
)

// export gives a day's lines or differences as a file.
func (v *visit) export() error {
	w, file := v.dayWish(), v.r.PathValue("file")
	var head []string
	var next func(after *int64) ([][]cell, error)
	switch file {
	case "lines.csv", "lines.xlsx":
		head, next = lineHead, func(after *int64) ([][]cell, error) { return v.lineCells(w, after) }
	case "differences.csv", "differences.xlsx":
		head, next = differenceHead, func(after *int64) ([][]cell, error) { return v.differenceCells(w, after) }
	default:
		return v.lost()
	}
	if _, err := v.engine.SettlementDay(v.r.Context(), w.gateway, w.day); err != nil {
		return err
	}
	after := int64(0)
	rows, err := next(&after)
	if err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Disposition", `attachment; filename="`+w.gateway+"-"+w.day+"-"+file+`"`)
	out, err := v.tableOf(file, head)
	for err == nil && len(rows) > 0 {
		for _, row := range rows {
			if err = out.row(row); err != nil {
				return v.cut(err)
			}
		}
		v.patient()
		rows, err = next(&after)
	}
	if err == nil {
		err = out.end()
	}
	return v.cut(err)
}

// cut breaks a file off that could not be written whole, so that the browser does not take the part for the whole.
func (v *visit) cut(err error) error {
	if err != nil {
		if v.r.Context().Err() == nil {
			v.log.Error("an export was cut off", "error", err)
		}
		panic(http.ErrAbortHandler)
	}
	return nil
}

func (v *visit) tableOf(file string, head []string) (table, error) {
	cells := make([]cell, len(head))
	for i, name := range head {
		cells[i] = cell{text: name}
	}
	if file[len(file)-4:] == ".csv" {
		v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
		out := &csvTable{csv.NewWriter(v.w)}
		return out, out.row(cells)
	}
	v.w.Header().Set("Content-Type", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
	out, err := newBook(v.w)
	if err != nil {
		return nil, err
	}
	return out, out.row(cells)
}

// csvTable writes CSV.
type csvTable struct{ *csv.Writer }

func (t *csvTable) row(cells []cell) error {
	out := make([]string, len(cells))
	for i, c := range cells {
		if out[i] = c.text; !c.number {
			out[i] = harmless(c.text)
		}
	}
	return t.Write(out)
}

func (t *csvTable) end() error {
	t.Flush()
	return t.Error()
}

// book writes a workbook of one sheet; excelize keeps a large one on disk until it is whole.
type book struct {
	file  *excelize.File
	sheet *excelize.StreamWriter
	to    io.Writer
	n     int
}

func newBook(to io.Writer) (*book, error) {
	file := excelize.NewFile()
	sheet, err := file.NewStreamWriter("Sheet1")
	if err != nil {
		return nil, err
	}
	return &book{file: file, sheet: sheet, to: to}, nil
}

// exactDigits is how many digits of a number a spreadsheet keeps.
const exactDigits = 15

func (b *book) row(cells []cell) error {
	b.n++
	at, err := excelize.CoordinatesToCellName(1, b.n)
	if err != nil {
		return err
	}
	out := make([]any, len(cells))
	for i, c := range cells {
		out[i] = harmless(c.text)
		if n, err := strconv.ParseFloat(c.text, 64); c.number && err == nil && len(c.text) <= exactDigits {
			out[i] = n // a spreadsheet knows no other numbers
		} else if c.number {
			out[i] = c.text
		}
	}
	return b.sheet.SetRow(at, out)
}

func (b *book) end() error {
	if err := b.sheet.Flush(); err != nil {
		return err
	}
	if err := b.file.Write(b.to); err != nil {
		return err
	}
	return b.file.Close()
}

// exportRows is how many rows of an export are read at once.
const exportRows = 500

func (v *visit) lineCells(w dayWish, after *int64) (rows [][]cell, err error) {
	list, err := v.engine.DayLines(v.r.Context(), w.gateway, w.day, "", *after, exportRows)
	for _, l := range list {
		*after = l.ID
		received := cell{}
		if l.Payment != "" {
			received = amountCell(store.Amount{Minor: l.Received, Known: true}, l.Currency)
		}
		rows = append(rows, []cell{
			{text: w.gateway}, {text: w.day}, {strconv.FormatInt(l.Number, 10), true}, {text: l.Type}, {text: l.Finding}, {text: l.GatewayRef}, {text: l.Line.MerchantRef}, {text: l.Payment},
			{text: l.State}, {text: l.Currency}, amountCell(l.Gross, l.Currency), amountCell(l.Fee, l.Currency), amountCell(l.Net, l.Currency), received,
			v.instantCell(l.OccurredMs), v.instantCell(l.SettledMs), {text: l.Batch}, {text: l.Status},
		})
	}
	return rows, err
}

func (v *visit) differenceCells(w dayWish, after *int64) (rows [][]cell, err error) {
	list, err := v.engine.Differences(v.r.Context(), app.DifferenceQuery{Gateway: w.gateway, Day: w.day, Kind: w.kind, State: w.state, After: *after, Limit: exportRows})
	for _, d := range list {
		*after = d.ID
		gatewayRef, merchantRef, id := "", "", ""
		if d.Line != nil {
			gatewayRef, merchantRef = d.Line.GatewayRef, d.Line.MerchantRef
		}
		if d.Payment != nil {
			merchantRef, id = d.Payment.MerchantRef, d.Payment.ID
		}
		amount := func(minor int64) cell { return amountCell(store.Amount{Minor: minor, Known: true}, d.Currency) }
		rows = append(rows, []cell{
			{text: d.Gateway}, {text: d.Day}, {text: d.Kind}, {text: d.State}, {text: gatewayRef}, {text: merchantRef}, {text: id}, {text: d.Currency}, amount(d.ExpectedMinor), amount(d.SeenMinor),
			amount(d.RiskMinor), {text: d.File}, {strconv.FormatInt(d.Number, 10), true}, {text: d.Detail}, {text: d.ClosedBy}, {text: d.Answer}, {text: d.Reason}, v.instantCell(d.ClosedMs),
		})
	}
	return rows, err
}

// amountCell is a number in units of the currency; nothing where the line leaves it out.
func amountCell(a store.Amount, currency string) cell {
	if !a.Known {
		return cell{}
	}
	if currency == noMoney {
		return cell{strconv.FormatInt(a.Minor, 10), true}
	}
	return cell{payment.FormatAmount(a.Minor, currency), true}
}

func (v *visit) instantCell(ms int64) cell {
	if ms == 0 {
		return cell{}
	}
	return cell{text: time.UnixMilli(ms).In(v.engine.Config().Timezone).Format(time.RFC3339)}
}
