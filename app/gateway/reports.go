package gateway

import (
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Reports lists the settlement reports whose columns the definition knows.
func (g *Gateway) Reports() []ReportSpec { return g.spec.Report }

// RefKinds lists the kinds of ids that the gateway gives a payment, by the definition.
func (g *Gateway) RefKinds() []string {
	var kinds []string
	add := func(list []RefSpec) {
		for _, r := range list {
			if r.Kind != "" && !slices.Contains(kinds, r.Kind) {
				kinds = append(kinds, r.Kind)
			}
		}
	}
	add(g.spec.Fields.Refs)
	for _, s := range g.spec.Shape {
		add(s.Refs)
	}
	for _, kind := range g.AskedKinds() {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// AskedKinds lists the kinds of ids by which the gateway can be asked.
func (g *Gateway) AskedKinds() []string {
	var kinds []string
	if g.query == nil {
		return nil
	}
	for i := range g.query.steps {
		if kind := g.query.steps[i].byRef; kind != "" && !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// ParseReport reads a TOML document of one [[report]]. Its error is Problems where the text is TOML.
func ParseReport(text string) (ReportSpec, error) {
	spec, err := ParseSpec([]byte(text), "report")
	if err != nil {
		return ReportSpec{}, err
	}
	if len(spec.Report) != 1 {
		return ReportSpec{}, Problems{{Path: "report", Text: "the text holds " + itoa(len(spec.Report)) + " reports", Remedy: "write one [[report]]"}}
	}
	return spec.Report[0], CheckReport(spec.Report[0])
}

// CheckReport tells what is wrong with a report's description.
func CheckReport(r ReportSpec) error {
	c := &compiler{g: &Gateway{}}
	c.reports([]ReportSpec{r})
	return c.err()
}

// ReportText writes a report's description as ParseReport reads it.
func ReportText(r ReportSpec) (string, error) {
	text, err := toml.Marshal(struct {
		Report []ReportSpec `toml:"report"`
	}{[]ReportSpec{r}})
	return string(text), err
}

// Instant reads a time of the report, in UTC milliseconds; false when it is none. What has no zone of its own is in the
// given one.
func (r ReportSpec) Instant(text string, zone *time.Location) (int64, bool) {
	var t time.Time
	ok := false
	switch r.Format {
	case "", "rfc3339":
		t, ok = parseStamp(text, "rfc3339")
	case "auto":
		t, ok = parseStamp(text, "auto")
	case "unix":
		t, ok = parseStamp(text, "s")
	case "unix_ms":
		t, ok = parseStamp(text, "ms")
	default:
		layout, _ := layoutOf(r.Format)
		parsed, err := time.ParseInLocation(layout, text, zone)
		t, ok = parsed, err == nil
	}
	if !ok || t.Year() < 1990 || t.Year() > 9999 {
		return 0, false
	}
	return t.UnixMilli(), true
}
