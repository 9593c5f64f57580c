package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"nodrop/app/gateway"
	"nodrop/templates"
)

// mappingView asks for the columns of a report; what was chosen before stands in it again.
func (v *visit) mappingView(u upload, head [][]string, problem string) *templates.MappingView {
	chosen := v.r.Form
	row := headingRow(head)
	if n, err := strconv.Atoi(chosen.Get("row")); err == nil && n >= 1 && n <= len(head) {
		row = n - 1
	}
	m := &templates.MappingView{
		Name: valueOr(chosen, "as", "settlement"), Row: strconv.Itoa(row + 1), Problem: problem, Currency: chosen.Get("currency"), Types: chosen.Get("types"),
		Zone: valueOr(chosen, "zone", v.engine.Config().Timezone.String()),
	}
	for i := range head {
		m.Rows = append(m.Rows, templates.Option{Value: strconv.Itoa(i + 1), Text: strconv.Itoa(i + 1), Chosen: i == row})
	}
	m.Amounts = v.optionsOf("amount", chosen.Get("amount"), "decimal", "minor", "hundredths")
	m.Marks = v.optionsOf("mark", chosen.Get("mark"), "", ".", ",")
	m.Signs = v.optionsOf("sign", chosen.Get("sign"), "signed", "debit_credit", "direction", "type")
	m.Charsets = v.optionsOf("charset", chosen.Get("charset"), "", "utf-8", "gbk", "windows-1252", "utf-16")
	for _, pattern := range timePatterns {
		m.Times = append(m.Times, templates.Option{Value: pattern, Text: v.lang.wordOr("times", pattern, pattern), Chosen: chosen.Get("format") == pattern})
	}
	if row < len(head) {
		m.Columns = v.mappedColumns(head, row, chosen)
	}
	return m
}

// timePatterns are ways in which reports write times; which one it is, is never guessed.
var timePatterns = []string{"auto", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd", "dd/MM/yyyy HH:mm:ss", "dd/MM/yyyy", "MM/dd/yyyy HH:mm:ss", "MM/dd/yyyy", "dd.MM.yyyy HH:mm:ss", "dd.MM.yyyy", "yyyy/MM/dd HH:mm:ss", "yyyyMMddHHmmss", "unix", "unix_ms"}

func valueOr(form url.Values, name, otherwise string) string {
	if form.Has(name) {
		return form.Get(name)
	}
	return otherwise
}

func (v *visit) optionsOf(family, chosen string, values ...string) (list []templates.Option) {
	for _, value := range values {
		list = append(list, templates.Option{Value: value, Text: v.lang.word(family, value), Chosen: value == chosen})
	}
	return list
}

// headingRow is the row that is most likely the headings: the first of those with the most values.
func headingRow(head [][]string) (best int) {
	most := 0
	for i, row := range head {
		n := 0
		for _, cell := range row {
			if strings.TrimSpace(cell) != "" {
				n++
			}
		}
		if n > most {
			best, most = i, n
		}
	}
	return best
}

func (v *visit) mappedColumns(head [][]string, row int, chosen url.Values) (list []templates.MappedColumn) {
	for i, heading := range head[row] {
		if i == reportCells {
			break
		}
		if strings.TrimSpace(heading) == "" {
			continue
		}
		c := templates.MappedColumn{Field: "c" + strconv.Itoa(i), Heading: clip(heading)}
		if row+1 < len(head) && i < len(head[row+1]) {
			c.Example = clip(head[row+1][i])
		}
		holds := valueOr(chosen, c.Field, likelyColumn(heading))
		c.Holds = append(c.Holds, templates.Option{Text: v.lang.T("nothing that is needed"), Chosen: holds == ""})
		for _, name := range gateway.ReportColumns {
			c.Holds = append(c.Holds, templates.Option{Value: name, Text: v.lang.word("column", name), Chosen: name == holds})
		}
		list = append(list, c)
	}
	return list
}

func clip(text string) string {
	runes := []rune(visible(strings.TrimSpace(text)))
	if len(runes) > reportCell {
		return string(runes[:reportCell]) + "…"
	}
	return string(runes)
}

// likely are words of headings and what their columns mostly hold, in the order in which they are tried. The person sees
// and confirms it.
var likely = [][2]string{
	{"fee", "fee"}, {"commission", "fee"}, {"tax", "tax"}, {"vat", "tax"}, {"net", "net"}, {"gross", "gross"}, {"amount", "gross"}, {"currency", "currency"}, {"type", "type"}, {"kind", "type"},
	{"status", "status"}, {"settle", "settled"}, {"payout date", "settled"}, {"date", "occurred"}, {"time", "occurred"}, {"created", "occurred"}, {"batch", "batch"}, {"payout", "batch"},
	{"order", "merchant_ref"}, {"reference", "merchant_ref"}, {"merchant", "merchant_ref"}, {"transaction", "gateway_ref"}, {"payment id", "gateway_ref"}, {"charge", "gateway_ref"},
}

func likelyColumn(heading string) string {
	heading = strings.ToLower(heading)
	for _, l := range likely {
		if strings.Contains(heading, l[0]) {
			return l[1]
		}
	}
	return ""
}

// postFormat keeps how a person says that a report is read, and reads it.
func (v *visit) postFormat() error {
	u, err := v.uploaded()
	if err != nil {
		return err
	}
	if v.r.FormValue("again") != "" {
		for name := range v.r.Form {
			if len(name) > 1 && name[0] == 'c' && name[1] >= '0' && name[1] <= '9' {
				v.r.Form.Del(name) // the columns of another row
			}
		}
		return v.showReport(http.StatusOK, true, "")
	}
	p, err := v.engine.PreviewReport(v.r.Context(), u.gateway, v.spool(u.key))
	if err != nil && len(p.Head) == 0 {
		return v.showReport(faultOf(err).status, true, "")
	}
	spec, header := v.mapped(p.Head)
	if spec.Types, err = typeWords(v.r.FormValue("types")); err != nil {
		return v.showReport(http.StatusUnprocessableEntity, true, v.lang.T("Write each word of the column of kinds as in “Sale = payment”."))
	}
	if err := v.engine.SaveReportFormat(v.r.Context(), u.gateway, spec, header, v.user.Name); err != nil {
		var faults gateway.Problems
		if errors.As(err, &faults) && len(faults) > 0 {
			return v.showReport(http.StatusUnprocessableEntity, true, sentence(faults[0].Text+": "+faults[0].Remedy))
		}
		_, text, ok := v.mistake(err)
		if !ok {
			return err
		}
		return v.showReport(faultOf(err).status, true, text)
	}
	return v.done(u.preview(), v.lang.T("The columns are saved as %s.", spec.Name))
}

// mapped makes a description of a report from the form.
func (v *visit) mapped(head [][]string) (spec gateway.ReportSpec, header []string) {
	f := v.r.Form
	spec = gateway.ReportSpec{
		Name: strings.TrimSpace(f.Get("as")), Charset: f.Get("charset"), Amount: f.Get("amount"), Mark: f.Get("mark"), Sign: f.Get("sign"), Format: f.Get("format"),
		Zone: strings.TrimSpace(f.Get("zone")), Currency: strings.ToUpper(strings.TrimSpace(f.Get("currency"))), Columns: map[string]gateway.List{},
	}
	n, _ := strconv.Atoi(f.Get("row"))
	if n < 1 || n > len(head) {
		return spec, nil
	}
	header = head[n-1]
	for i, heading := range header {
		name := f.Get("c" + strconv.Itoa(i))
		if heading = strings.TrimSpace(heading); heading == "" || !slices.Contains(gateway.ReportColumns, name) {
			continue
		}
		spec.Columns[name] = append(spec.Columns[name], heading)
		spec.Required = append(spec.Required, heading)
	}
	return spec, header
}

// typeWords reads lines such as “Sale = payment”.
func typeWords(text string) (map[string]string, error) {
	types := map[string]string{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		at := strings.LastIndex(line, "=")
		if at < 0 {
			return nil, errBrokenForm
		}
		types[strings.TrimSpace(line[:at])] = strings.TrimSpace(line[at+1:])
	}
	if len(types) == 0 {
		return nil, nil
	}
	return types, nil
}
