package web

import (
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"nodrop/app"
)

// settlementFigures collects what the gateways' reports have come to at the moment of the scrape.
type settlementFigures struct {
	engine      *app.Engine
	log         *slog.Logger
	differences *prometheus.Desc
	days        *prometheus.Desc
	found       *prometheus.Desc
}

func newSettlementFigures(e *app.Engine, log *slog.Logger) *settlementFigures {
	return &settlementFigures{
		engine: e, log: log,
		differences: prometheus.NewDesc("nodrop_settlement_differences", "Differences between reports and books that are open or being asked about, by kind.", []string{"gateway", "kind"}, nil),
		days:        prometheus.NewDesc("nodrop_settlement_days_without_report", "Days of the last month with successes whose report is late.", []string{"gateway"}, nil),
		found:       prometheus.NewDesc("nodrop_settlement_found_total", "Payments that only a report made known.", []string{"gateway"}, nil),
	}
}

// Describe gives all descriptions.
func (f *settlementFigures) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{f.differences, f.days, f.found} {
		ch <- d
	}
}

// Collect reads the figures; what cannot be read is left out and logged.
func (f *settlementFigures) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := scrapeContext()
	defer cancel()
	list, err := f.engine.SettlementFigures(ctx)
	if err != nil {
		f.log.Warn("the figures of settlement could not be read for /metrics", "error", err)
		return
	}
	for _, g := range list {
		for kind, n := range g.Differences {
			ch <- prometheus.MustNewConstMetric(f.differences, prometheus.GaugeValue, float64(n), g.Gateway, kind)
		}
		ch <- prometheus.MustNewConstMetric(f.days, prometheus.GaugeValue, float64(g.DaysWithoutReport), g.Gateway)
		ch <- prometheus.MustNewConstMetric(f.found, prometheus.CounterValue, float64(g.Found), g.Gateway)
	}
}
