package web

import (
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"nodrop/app"
	"nodrop/store"
)

// storeFigures collects what the database holds at the moment of the scrape.
type storeFigures struct {
	engine *app.Engine
	log    *slog.Logger
	desc   map[string]*prometheus.Desc
	judged *prometheus.Desc
	skew   *prometheus.Desc
}

// figureHelp are the names and meanings of all of them.
var figureHelp = map[string]string{
	"nodrop_inbox_pending":                "Notices and answers that are stored and not yet worked on.",
	"nodrop_inbox_oldest_seconds":         "Age of the oldest of them; 0 when there is none.",
	"nodrop_inbox_parked":                 "Notices for payments that nobody registered.",
	"nodrop_inbox_dead":                   "Notices that automatic handling gave up on.",
	"nodrop_outbox_pending":               "Events that the shop has not taken yet.",
	"nodrop_outbox_oldest_seconds":        "Age of the oldest of them; 0 when there is none.",
	"nodrop_outbox_dead":                  "Events that were given up on.",
	"nodrop_reviews_open":                 "Questions that wait for a person.",
	"nodrop_store_groups_total":           "Commits.",
	"nodrop_store_closures_total":         "Units of work in them.",
	"nodrop_store_failed_groups_total":    "Commits that failed.",
	"nodrop_store_commit_seconds_total":   "Time spent in commits.",
	"nodrop_store_longest_commit_seconds": "The longest commit.",
	"nodrop_store_queued":                 "Units of work that wait for the next commit.",
	"nodrop_store_log_frames":             "Pages in the write-ahead log at the last checkpoint.",
	"nodrop_disk_free_bytes":              "Room on the disk that holds the database; 0 when the system does not tell.",
	"nodrop_disk_size_bytes":              "Size of that disk; 0 when the system does not tell.",
	"nodrop_store_refusing":               "1 when the database takes no changes after a disk failure.",
}

func newStoreFigures(e *app.Engine, log *slog.Logger) *storeFigures {
	b := &storeFigures{engine: e, log: log, desc: map[string]*prometheus.Desc{}}
	b.judged = prometheus.NewDesc("nodrop_requests_judged_total", "Gateways' requests that were refused, ignored or remarked on since the start, by verdict and reason.",
		[]string{"gateway", "verdict", "reason"}, nil)
	b.skew = prometheus.NewDesc("nodrop_gateway_clock_skew_seconds", "A gateway's clock minus ours: the median of its last answers' dates, or of its notices' signing times.", []string{"gateway"}, nil)
	for name, help := range figureHelp {
		b.desc[name] = prometheus.NewDesc(name, help, nil, nil)
	}
	return b
}

// Describe gives all descriptions.
func (b *storeFigures) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range b.desc {
		ch <- d
	}
	ch <- b.judged
	ch <- b.skew
}

// Collect reads the figures; what cannot be read is left out and logged.
func (b *storeFigures) Collect(ch chan<- prometheus.Metric) {
	b.collectStore(ch)
	for _, c := range b.engine.ReasonCounts() {
		ch <- prometheus.MustNewConstMetric(b.judged, prometheus.CounterValue, float64(c.Count), c.Gateway, c.Verdict, c.Reason)
	}
	for _, name := range b.engine.GatewayNames() {
		h, _ := b.engine.Health(name)
		ch <- prometheus.MustNewConstMetric(b.skew, prometheus.GaugeValue, float64(h.SkewMs)/1000, name)
	}
	ctx, cancel := scrapeContext()
	defer cancel()
	figures := map[string]float64{}
	err := b.engine.Store().View(ctx, "figures", func(rx *store.Rx) error { return b.read(rx, figures) })
	if err != nil {
		b.log.Warn("the figures of the database could not be read for /metrics", "error", err)
		return
	}
	for name, v := range figures {
		b.send(ch, name, prometheus.GaugeValue, v)
	}
}

func (b *storeFigures) send(ch chan<- prometheus.Metric, name string, kind prometheus.ValueType, v float64) {
	ch <- prometheus.MustNewConstMetric(b.desc[name], kind, v)
}

func (b *storeFigures) read(rx *store.Rx, into map[string]float64) error {
	for name, read := range map[string]func() (store.Backlog, error){
		"nodrop_inbox_pending": rx.InboxBacklog, "nodrop_inbox_parked": rx.ParkedBacklog, "nodrop_inbox_dead": rx.DeadInbox,
		"nodrop_outbox_pending": rx.OutboxBacklog, "nodrop_outbox_dead": rx.DeadOutbox,
	} {
		backlog, err := read()
		if err != nil {
			return err
		}
		into[name] = float64(backlog.Count)
		switch name {
		case "nodrop_inbox_pending":
			into["nodrop_inbox_oldest_seconds"] = b.age(backlog)
		case "nodrop_outbox_pending":
			into["nodrop_outbox_oldest_seconds"] = b.age(backlog)
		}
	}
	risks, err := rx.AtRisk()
	open := int64(0)
	for _, r := range risks {
		open += r.Count
	}
	into["nodrop_reviews_open"] = float64(open)
	return err
}

func (b *storeFigures) age(l store.Backlog) float64 {
	if l.Count == 0 {
		return 0
	}
	return max(0, b.engine.Now().Sub(time.UnixMilli(l.OldestMs)).Seconds())
}

func (b *storeFigures) collectStore(ch chan<- prometheus.Metric) {
	s := b.engine.Store().Stats()
	refusing := 0.0
	if s.Refusing != "" {
		refusing = 1
	}
	space := b.engine.Space()
	b.send(ch, "nodrop_disk_free_bytes", prometheus.GaugeValue, float64(space.Free))
	b.send(ch, "nodrop_disk_size_bytes", prometheus.GaugeValue, float64(space.Size))
	b.send(ch, "nodrop_store_groups_total", prometheus.CounterValue, float64(s.Groups))
	b.send(ch, "nodrop_store_closures_total", prometheus.CounterValue, float64(s.Closures))
	b.send(ch, "nodrop_store_failed_groups_total", prometheus.CounterValue, float64(s.FailedGroups))
	b.send(ch, "nodrop_store_commit_seconds_total", prometheus.CounterValue, s.CommitTime.Seconds())
	b.send(ch, "nodrop_store_longest_commit_seconds", prometheus.GaugeValue, s.LongestCommit.Seconds())
	b.send(ch, "nodrop_store_queued", prometheus.GaugeValue, float64(s.Queued))
	b.send(ch, "nodrop_store_log_frames", prometheus.GaugeValue, float64(s.LogFrames))
	b.send(ch, "nodrop_store_refusing", prometheus.GaugeValue, refusing)
}
