package sandbox

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// The ways in which a payment can have been resolved.
const (
	byWebhook = "webhook"
	byQuery   = "query"
	byScan    = "scan"
	byPerson  = "person"
	byTime    = "time" // given up after its time
	inReview  = "review"
	stillOpen = "open"
	notOurs   = "parked" // of an unknown reference: kept, nothing touched
)

var ways = []string{byWebhook, byQuery, byScan, byPerson, byTime, inReview, stillOpen, notOurs}

// Row is the payments of one cause and how they were resolved.
type Row struct {
	Cause   string
	Count   int
	By      map[string]int // by way
	Reasons []string       // of the reviews that are open
}

// Report is the outcome of a run.
type Report struct {
	Rows        []Row
	Differences []Difference
	Gateway     Stats
	Shop        ShopStats
	Took        time.Duration
}

// OK reports whether nothing differs.
func (r Report) OK() bool { return len(r.Differences) == 0 }

func (r *Report) add(a Account, way, reason string) {
	i := slices.IndexFunc(r.Rows, func(row Row) bool { return row.Cause == a.Plan.Story.Label })
	if i < 0 {
		i = len(r.Rows)
		r.Rows = append(r.Rows, Row{Cause: a.Plan.Story.Label, By: map[string]int{}})
	}
	row := &r.Rows[i]
	row.Count++
	row.By[way]++
	if reason != "" && !slices.Contains(row.Reasons, reason) {
		row.Reasons = append(row.Reasons, reason)
	}
}

// resolution says how a payment was resolved and why it is in review.
func (c *comparison) resolution(a Account) (way, reason string) {
	p, held := c.nodrop[a.Reference]
	if !held {
		return notOurs, ""
	}
	if open := reviews(p); len(open) > 0 {
		return inReview, wanted(a, open)
	}
	switch p.State {
	case "pending", "processing":
		return stillOpen, ""
	}
	return waySource(p.Source), ""
}

// wanted is the open reason that the story asks for, else the first that is open.
func wanted(a Account, open []string) string {
	for _, r := range a.Plan.Story.Right {
		if r.Review != "" && slices.Contains(open, r.Review) {
			return r.Review
		}
	}
	return open[0]
}

func waySource(source string) string {
	switch source {
	case "notice", "webhook":
		return byWebhook
	case "timer", "nodrop":
		return byTime
	case byQuery, byScan, byPerson:
		return source
	}
	return stillOpen
}

// Write prints the report: a table by cause, then every difference.
func (r Report) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	shown := r.shown()
	fmt.Fprintf(t, "payments\t%s\t  cause\n", strings.Join(shown, "\t"))
	rows := slices.Clone(r.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return order(a.Cause) - order(b.Cause) })
	total := Row{Cause: "all", By: map[string]int{}}
	for _, row := range rows {
		fmt.Fprintln(t, row.line(shown))
		total.Count += row.Count
		for way, n := range row.By {
			total.By[way] += n
		}
	}
	fmt.Fprintln(t, total.line(shown))
	if err := t.Flush(); err != nil {
		return err
	}
	return r.writeEnd(w)
}

// order is the place of a cause in the table of stories.
func order(cause string) int {
	return slices.IndexFunc(stories, func(s Story) bool { return s.Label == cause })
}

// shown are the ways that occur.
func (r Report) shown() []string {
	var out []string
	for _, way := range ways {
		if slices.ContainsFunc(r.Rows, func(row Row) bool { return row.By[way] > 0 }) {
			out = append(out, way)
		}
	}
	return out
}

func (row Row) line(shown []string) string {
	cells := []string{strconv.Itoa(row.Count)}
	for _, way := range shown {
		cell := "·"
		if n := row.By[way]; n > 0 {
			cell = strconv.Itoa(n)
		}
		cells = append(cells, cell)
	}
	cause := "  " + row.Cause
	if len(row.Reasons) > 0 {
		cause += " (review: " + strings.Join(row.Reasons, ", ") + ")"
	}
	return strings.Join(append(cells, cause), "\t")
}

func (r Report) writeEnd(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\nGateway: %s\nShop:    %s\n\n", r.Gateway, r.Shop)
	for _, d := range r.Differences {
		fmt.Fprintf(&b, "DIFFERENCE  %s  %s: %s\n", d.Ref, d.Kind, d.Text)
	}
	fmt.Fprintf(&b, "%s in %.1f s\n", plural(len(r.Differences), "difference"), r.Took.Seconds())
	_, err := io.WriteString(w, b.String())
	return err
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// String is one line about the gateway.
func (s Stats) String() string {
	parts := []string{fmt.Sprintf("%s, webhooks %d sent, %d sent again, %d lost, %d forged (%d refused)",
		plural(s.Created, "payment"), s.Sent, s.Repeated, s.Lost, s.Forged, s.ForgedRefused)}
	var queries []string
	for _, class := range sortedKeys(s.Queries) {
		queries = append(queries, fmt.Sprintf("%d %s", s.Queries[class], class))
	}
	if len(queries) > 0 {
		parts = append(parts, "queries "+strings.Join(queries, ", "))
	}
	return strings.Join(parts, "; ")
}

// String is one line about the shop.
func (s ShopStats) String() string {
	return fmt.Sprintf("%s registered, %s taken, %d told again, %d refused, %s, feed read %d times",
		plural(s.Sold, "payment"), plural(s.Events, "event"), s.Repeats, s.Refused, plural(s.Claims, "claim"), s.FeedReads)
}
