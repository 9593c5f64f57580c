package store

// laws hold in every sound database; each query returns what breaks it.
var laws = []law{
	{"a payment's history ends in its state", `
		SELECT p.public_id FROM payment p LEFT JOIN history h ON h.payment_id = p.id AND h.version = p.version
		WHERE h.id IS NULL OR h.to_state != p.state OR h.to_cause != p.cause`},
	{"a payment's history has one row for each version", `
		SELECT p.public_id FROM payment p WHERE (SELECT count(*) FROM history h WHERE h.payment_id = p.id) != p.version`},
	{"each move begins where the last one ended", `
		SELECT h.payment_id || ' version ' || h.version FROM history h JOIN history b ON b.payment_id = h.payment_id AND b.version = h.version - 1
		WHERE h.from_state != b.to_state OR h.from_cause != b.to_cause`},
	{"no fact is newer than its payment", `
		SELECT f.id FROM fact f JOIN payment p ON p.id = f.payment_id WHERE f.version > p.version`},
	{"a payment's row counts its open reviews", `
		SELECT p.public_id FROM payment p WHERE p.reviews != (SELECT count(*) FROM review v WHERE v.payment_id = p.id AND v.state = 'open')`},
	{"an order counts its payments", `
		SELECT o.order_ref FROM orders o WHERE o.payments != (SELECT count(*) FROM payment p WHERE p.order_id = o.id)`},
	{"nobody waits for the first answer about a payment that is over", `
		SELECT p.public_id FROM payment p JOIN timer t ON t.payment_id = p.id
		WHERE p.state IN ('succeeded', 'failed', 'closed') AND t.why IN ('first', 'tail', 'expiry', 'give_up')`},
	{"an open payment has an appointment and is looked after by the scan", `
		SELECT p.public_id FROM payment p WHERE p.state IN ('pending', 'processing')
		AND (p.next_reconciliation_at_ms IS NULL OR NOT EXISTS (SELECT 1 FROM timer t WHERE t.payment_id = p.id))`},
	{"an inbox row that is done says for which payment", `
		SELECT id FROM inbox WHERE state = 'done' AND payment_id IS NULL`},
	{"a dead inbox row was shown to a person", `
		SELECT i.id FROM inbox i WHERE i.state = 'dead' AND NOT EXISTS (SELECT 1 FROM review v WHERE v.inbox_id = i.id)`},
	{"a dead event was shown to a person", `
		SELECT e.seq FROM outbox e WHERE e.state = 'dead' AND NOT EXISTS (SELECT 1 FROM review v WHERE v.outbox_seq = e.seq)`},
	{"only parked notices wait to be adopted", `
		SELECT k.inbox_id FROM parked k JOIN inbox i ON i.id = k.inbox_id WHERE i.state != 'parked'`},
	{"payment.succeeded is told once, unless a person acted", `
		SELECT e.payment_id FROM outbox e WHERE e.type = 'payment.succeeded' GROUP BY e.payment_id
		HAVING count(*) > 1 AND NOT EXISTS (SELECT 1 FROM fact f WHERE f.payment_id = e.payment_id AND f.kind = 'decision')`},
	{"every success that was told has its order's fulfil key", `
		SELECT e.seq FROM outbox e JOIN orders o ON o.id = e.order_id
		WHERE e.type IN ('payment.succeeded', 'payment.succeeded_late', 'payment.duplicate') AND NOT EXISTS (SELECT 1 FROM once n WHERE n.key = 'fulfil:' || o.order_ref)`},
	{"a decision that waits for approval was made on its payment", `
		SELECT v.id FROM review v LEFT JOIN proposal q ON q.review_id = v.id LEFT JOIN payment p ON p.id = q.payment_id
		WHERE v.kind = 'approval_wanted' AND (q.review_id IS NULL OR v.state = 'open' AND p.version < q.version)`},
	{"an unknown payment, and one called late, is or was in front of a person", `
		SELECT p.public_id FROM payment p WHERE (p.state = 'unknown' OR p.late = 1) AND NOT EXISTS (SELECT 1 FROM review v WHERE v.payment_id = p.id)`},
	{"only a success has a time at which it was paid", `
		SELECT public_id FROM payment WHERE paid_ms != 0 AND state != 'succeeded'`},
	{"what the lines of an import come to is what its days say", `
		SELECT i.id, n.day_id, n.finding, n.type, n.currency FROM report_import i JOIN (
			SELECT import_id, day_id, finding, type, currency, sum(count) AS count, sum(gross) AS gross, sum(fee) AS fee, sum(net) AS net FROM (
				SELECT import_id, day_id, finding, type, currency, count(*) AS count, coalesce(sum(gross_minor), 0) AS gross, coalesce(sum(fee_minor), 0) AS fee, coalesce(sum(net_minor), 0) AS net
					FROM report_line GROUP BY import_id, day_id, finding, type, currency
				UNION ALL SELECT import_id, day_id, finding, type, currency, -count, -gross_minor, -fee_minor, -net_minor FROM report_sum)
			GROUP BY import_id, day_id, finding, type, currency) n ON n.import_id = i.id
		WHERE i.state IN ('acting', 'done') AND (n.count != 0 OR n.gross != 0 OR n.fee != 0 OR n.net != 0)`},
	{"every good line of an import is stored, known or repeated", `
		SELECT i.id, i.lines FROM report_import i WHERE i.state IN ('acting', 'done') AND i.lines != i.known
			+ (SELECT count(*) FROM report_line l WHERE l.import_id = i.id) + (SELECT count(*) FROM difference d WHERE d.import_id = i.id AND d.kind = 'duplicate_line')`},
	{"nothing is left of an import that failed or was undone", `
		SELECT l.id FROM report_line l JOIN report_import i ON i.id = l.import_id WHERE i.state IN ('waiting', 'failed', 'undone')
		UNION ALL SELECT d.id FROM difference d JOIN report_import i ON i.id = d.import_id WHERE i.state IN ('waiting', 'failed', 'undone')`},
	{"one line settles one payment", `
		SELECT payment_id FROM report_line WHERE type = 'payment' AND finding = 'matched' GROUP BY payment_id HAVING count(*) > 1`},
	{"what a line differs in is written down", `
		SELECT l.id FROM report_line l WHERE l.finding NOT IN ('matched', 'other_money') AND NOT EXISTS (SELECT 1 FROM difference d WHERE d.line_id = l.id)`},
	{"a difference is shown once its import was read", `
		SELECT d.id FROM difference d LEFT JOIN report_import i ON i.id = d.import_id WHERE d.state = 'new' AND (i.id IS NULL OR i.state = 'done')`},
	{"an open difference is in front of a person", `
		SELECT DISTINCT y.gateway, y.day FROM difference d JOIN report_day y ON y.id = d.day_id WHERE d.state = 'open'
		AND NOT EXISTS (SELECT 1 FROM review v WHERE v.kind = 'settlement' AND v.subject = y.gateway || ':' || y.day AND v.state = 'open')
		AND NOT EXISTS (SELECT 1 FROM report_import i WHERE i.gateway = y.gateway AND i.state IN ('reading', 'acting', 'undoing'))`},
}
