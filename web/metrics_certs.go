package web

import (
	"github.com/prometheus/client_golang/prometheus"

	"nodrop/app/certs"
)

var (
	certificateEnds = prometheus.NewDesc("nodrop_certificate_expires_timestamp_seconds",
		"When the first certificate of the served chain ends; 0 when there is none.", []string{"listener"}, nil)
	certificateTries = prometheus.NewDesc("nodrop_certificate_failures",
		"Failures in a row to get a new certificate.", []string{"listener"}, nil)
)

// certificateFigures says how the certificates of the listeners stand at the moment of the scrape.
type certificateFigures func() []certs.Status

// Describe gives all descriptions.
func (f certificateFigures) Describe(ch chan<- *prometheus.Desc) {
	ch <- certificateEnds
	ch <- certificateTries
}

// Collect gives the figures.
func (f certificateFigures) Collect(ch chan<- prometheus.Metric) {
	for _, st := range f() {
		ch <- prometheus.MustNewConstMetric(certificateEnds, prometheus.GaugeValue, float64(st.EndsMs)/1000, st.Listener)
		ch <- prometheus.MustNewConstMetric(certificateTries, prometheus.GaugeValue, float64(st.Tries), st.Listener)
	}
}
