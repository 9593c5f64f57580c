package store

// Backlog is how much of a queue waits and since when.
type Backlog struct {
	Count    int64
	OldestMs int64 // 0: nothing waits
}

// InboxBacklog counts rows that are not worked on yet.
func (rx *Rx) InboxBacklog() (Backlog, error) {
	return rx.backlog(`SELECT count(*), coalesce(min(received_ms), 0) FROM inbox WHERE state = 'pending'`)
}

// ParkedBacklog counts notices for payments that nobody registered.
func (rx *Rx) ParkedBacklog() (Backlog, error) {
	return rx.backlog(`SELECT count(*), coalesce(min(received_ms), 0) FROM inbox WHERE state = 'parked'`)
}

// DeadInbox counts dead inbox rows.
func (rx *Rx) DeadInbox() (Backlog, error) {
	return rx.backlog(`SELECT count(*), coalesce(min(received_ms), 0) FROM inbox WHERE state = 'dead'`)
}

// OutboxBacklog counts events that the shop has not taken yet.
func (rx *Rx) OutboxBacklog() (Backlog, error) {
	return rx.backlog(`SELECT count(*), coalesce(min(created_ms), 0) FROM outbox WHERE state = 'pending'`)
}

// DeadOutbox counts events that were given up on and that nobody has answered for.
func (rx *Rx) DeadOutbox() (Backlog, error) {
	return rx.backlog(`SELECT count(*), coalesce(min(created_ms), 0) FROM outbox e WHERE state = 'dead'
		AND EXISTS (SELECT 1 FROM review v WHERE v.kind = 'dead_outbox' AND v.subject = 'outbox:' || e.seq AND v.state = 'open')`)
}

func (rx *Rx) backlog(query string) (b Backlog, err error) {
	_, err = rx.one(query, func(r *Row) { b = Backlog{r.Int(0), r.Int(1)} })
	return b, err
}

// StateCount is how many payments stand in a state, with what they expect in one currency.
type StateCount struct {
	State, Currency string
	Count           int64
	AmountMinor     int64
}

// countedPayments bounds how many rows a page counts, so that a flood of open payments does not keep it from being shown.
const countedPayments = 50_000

// OpenPayments counts the payments that are not over, by state and currency, up to fifty thousand; sinceMs and beforeMs bound their creation.
func (rx *Rx) OpenPayments(sinceMs, beforeMs int64) (list []StateCount, err error) {
	err = rx.each(`SELECT state, currency, count(*), sum(amount_minor) FROM (SELECT state, currency, amount_minor, created_ms FROM payment
			WHERE state IN ('pending', 'processing', 'unknown') LIMIT ?3)
		WHERE created_ms >= ?1 AND created_ms < ?2 GROUP BY state, currency`,
		func(r *Row) { list = append(list, StateCount{r.Text(0), r.Text(1), r.Int(2), r.Int(3)}) }, sinceMs, beforeMs, countedPayments)
	return list, err
}

// Resolved is how many payments reached a state through one trigger.
type Resolved struct {
	Trigger string // webhook, query, scan, settlement, person, shop, timer
	State   string
	Count   int64
}

// ResolvedSince counts moves into final states since an instant, by what brought them about.
func (rx *Rx) ResolvedSince(sinceMs int64) (list []Resolved, err error) {
	err = rx.each(`SELECT trigger, to_state, count(*) FROM history WHERE at_ms >= ? AND to_state != from_state AND to_state IN ('succeeded', 'failed', 'closed', 'unknown')
		GROUP BY trigger, to_state ORDER BY 3 DESC`,
		func(r *Row) { list = append(list, Resolved{r.Text(0), r.Text(1), r.Int(2)}) }, sinceMs)
	return list, err
}
