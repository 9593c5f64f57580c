package web

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nodrop/app"
)

// outcomes are the words for the answers of a hook, by status; any other is "other".
var outcomes = map[int]string{
	http.StatusOK: "acknowledged", http.StatusCreated: "acknowledged", http.StatusAccepted: "acknowledged", http.StatusNoContent: "acknowledged",
	http.StatusBadRequest: "empty", http.StatusUnauthorized: "refused", http.StatusMethodNotAllowed: "method", http.StatusRequestTimeout: "slow",
	http.StatusRequestEntityTooLarge: "too_large", http.StatusUnsupportedMediaType: "encoding", http.StatusServiceUnavailable: "unavailable",
}

// unknownGateway is the label of requests for a gateway that is not configured.
const unknownGateway = "unknown"

// metrics are the figures for Prometheus. Labels take their values from the configuration and from fixed lists.
type metrics struct {
	registry *prometheus.Registry
	log      *slog.Logger
	acks     *prometheus.CounterVec
	seconds  map[string]prometheus.Observer // by gateway
}

func newMetrics(e *app.Engine, log *slog.Logger) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(), log: log, seconds: map[string]prometheus.Observer{},
		acks: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nodrop_acknowledgements_total", Help: "Answers to gateways' requests by gateway and outcome."}, []string{"gateway", "outcome"}),
	}
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "nodrop_acknowledgement_seconds", Help: "Time from the head of a gateway's request to the answer.",
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
	}, []string{"gateway"})
	for _, name := range e.GatewayNames() {
		m.seconds[name] = seconds.WithLabelValues(name)
		m.acks.WithLabelValues(name, "acknowledged")
		m.acks.WithLabelValues(name, "refused")
	}
	m.registry.MustRegister(m.acks, seconds, newStoreFigures(e, log), newSettlementFigures(e, log), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// hook counts one answer to a configured gateway; refused tells that the definition refused the request, whatever its status.
func (m *metrics) hook(gateway string, status int, refused bool, took time.Duration) {
	outcome, ok := outcomes[status]
	switch {
	case refused:
		outcome = "refused"
	case !ok:
		outcome = "other"
	}
	m.acks.WithLabelValues(gateway, outcome).Inc()
	m.seconds[gateway].Observe(took.Seconds())
}

func (m *metrics) unknownHook() { m.acks.WithLabelValues(unknownGateway, "other").Inc() }

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelError), MaxRequestsInFlight: 2, Timeout: 10 * time.Second,
	})
}

// scrapeTimeout bounds the reading of the figures that come from the database.
const scrapeTimeout = 5 * time.Second

func scrapeContext() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), scrapeTimeout)
}
