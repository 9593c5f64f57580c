package store

// GatewayState is what is known of a gateway's health; instants are UTC milliseconds, 0: never.
type GatewayState struct {
	Gateway       string
	LastWebhookMs int64
	LastRefusedMs int64
	LastAnswerMs  int64
	LastErrorMs   int64
	LastError     string
	Errors        int64 // in a row
	PausedUntilMs int64
	UnaskableMs   int64 // since when no question is answered; 0: askable
	SkewMs        int64 // the gateway's clock minus ours
}

const gatewayColumns = `gateway, last_webhook_ms, last_refused_ms, last_answer_ms, last_error_ms, last_error, errors, paused_until_ms, unaskable_ms, skew_ms`

// GatewayState returns what is known of a gateway; a gateway never heard of gives zero values.
func (rx *Rx) GatewayState(name string) (g GatewayState, err error) {
	g.Gateway = name
	_, err = rx.one(`SELECT `+gatewayColumns+` FROM gateway_state WHERE gateway = ?`,
		func(r *Row) {
			g = GatewayState{Gateway: r.Text(0), LastWebhookMs: r.Int(1), LastRefusedMs: r.Int(2), LastAnswerMs: r.Int(3), LastErrorMs: r.Int(4), LastError: r.Text(5), Errors: r.Int(6), PausedUntilMs: r.Int(7), UnaskableMs: r.Int(8), SkewMs: r.Int(9)}
		}, name)
	return g, err
}

// GatewaysParkedAt lists the gateways that have a notice parked for a payment that nobody registered, by name.
func (rx *Rx) GatewaysParkedAt() (names []string, err error) {
	err = rx.each(`SELECT g.gateway FROM gateway_state g WHERE EXISTS (SELECT 1 FROM inbox i WHERE i.gateway = g.gateway AND i.state = 'parked' AND i.reason = 'unregistered') ORDER BY 1`,
		func(r *Row) { names = append(names, r.Text(0)) })
	return names, err
}

// SetGatewayState writes what is known of a gateway's answers.
func (tx *Tx) SetGatewayState(g GatewayState) error {
	_, err := tx.exec(`INSERT INTO gateway_state (`+gatewayColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (gateway) DO UPDATE SET last_webhook_ms = max(last_webhook_ms, excluded.last_webhook_ms), last_refused_ms = max(last_refused_ms, excluded.last_refused_ms),
			last_answer_ms = excluded.last_answer_ms, last_error_ms = excluded.last_error_ms, last_error = excluded.last_error, errors = excluded.errors,
			paused_until_ms = excluded.paused_until_ms, unaskable_ms = excluded.unaskable_ms, skew_ms = excluded.skew_ms`,
		g.Gateway, g.LastWebhookMs, g.LastRefusedMs, g.LastAnswerMs, g.LastErrorMs, g.LastError, g.Errors, g.PausedUntilMs, g.UnaskableMs, g.SkewMs)
	return err
}

// NoteArrival records when a gateway last sent something accepted and something refused; 0 leaves as it is.
func (tx *Tx) NoteArrival(gateway string, webhookMs, refusedMs int64) error {
	_, err := tx.exec(`INSERT INTO gateway_state (gateway, last_webhook_ms, last_refused_ms) VALUES (?, ?, ?)
		ON CONFLICT (gateway) DO UPDATE SET last_webhook_ms = max(last_webhook_ms, excluded.last_webhook_ms), last_refused_ms = max(last_refused_ms, excluded.last_refused_ms)`,
		gateway, webhookMs, refusedMs)
	return err
}

// NoteMatch records when a secret or public key of a gateway matched.
func (tx *Tx) NoteMatch(gateway, key string, ms int64) error {
	_, err := tx.exec(`INSERT INTO key_match (gateway, key, last_ms) VALUES (?, ?, ?)
		ON CONFLICT (gateway, key) DO UPDATE SET last_ms = max(last_ms, excluded.last_ms)`, gateway, key, ms)
	return err
}

// Matches gives when each key of a gateway last matched.
func (rx *Rx) Matches(gateway string) (last map[string]int64, err error) {
	last = map[string]int64{}
	err = rx.each(`SELECT key, last_ms FROM key_match WHERE gateway = ?`, func(r *Row) { last[r.Text(0)] = r.Int(1) }, gateway)
	return last, err
}

// Job is a calendar appointment that survives restarts.
type Job struct {
	Name     string
	Schedule string // cron expression
	NextMs   int64
	LastMs   int64 // 0: never ran
	Result   string
}

// Job returns one calendar appointment.
func (rx *Rx) Job(name string) (j Job, ok bool, err error) {
	ok, err = rx.one(`SELECT name, schedule, next_ms, last_ms, result FROM job WHERE name = ?`,
		func(r *Row) {
			j = Job{Name: r.Text(0), Schedule: r.Text(1), NextMs: r.Int(2), LastMs: r.Int(3), Result: r.Text(4)}
		}, name)
	return j, ok, err
}

// SetJob writes a calendar appointment.
func (tx *Tx) SetJob(j Job) error {
	_, err := tx.exec(`INSERT INTO job (name, schedule, next_ms, last_ms, result) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (name) DO UPDATE SET schedule = excluded.schedule, next_ms = excluded.next_ms, last_ms = excluded.last_ms, result = excluded.result`,
		j.Name, j.Schedule, j.NextMs, j.LastMs, j.Result)
	return err
}

// Outage is a time in which a gateway could not be asked; gateway "" is the appliance itself being off.
type Outage struct {
	Gateway string
	FromMs  int64
	ToMs    int64
}

// Outages lists the outages of a gateway and of the appliance that ended after an instant, oldest first.
func (rx *Rx) Outages(sinceMs int64) (list []Outage, err error) {
	err = rx.each(`SELECT gateway, from_ms, to_ms FROM outage WHERE to_ms > ? ORDER BY from_ms, gateway`,
		func(r *Row) { list = append(list, Outage{r.Text(0), r.Int(1), r.Int(2)}) }, sinceMs)
	return list, err
}

// NoteOutage records an outage, or how long it has lasted by now.
func (tx *Tx) NoteOutage(o Outage) error {
	_, err := tx.exec(`INSERT INTO outage (gateway, from_ms, to_ms) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET to_ms = max(to_ms, excluded.to_ms)`, o.Gateway, o.FromMs, o.ToMs)
	return err
}

// PruneOutages forgets outages that ended before an instant.
func (tx *Tx) PruneOutages(beforeMs int64) error {
	_, err := tx.exec(`DELETE FROM outage WHERE to_ms < ?`, beforeMs)
	return err
}

// Heartbeat returns when the appliance last said that it runs; 0: never.
func (rx *Rx) Heartbeat() (ms int64, err error) {
	_, err = rx.one(`SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'heartbeat_ms'`, func(r *Row) { ms = r.Int(0) })
	return ms, err
}

// Beat notes that the appliance runs.
func (tx *Tx) Beat(nowMs int64) error {
	_, err := tx.exec(`INSERT INTO meta (key, value) VALUES ('heartbeat_ms', CAST(? AS TEXT)) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, nowMs)
	return err
}
