-- What the sqlite3 shell does with the large report of the tests: import it into an indexed table and join it.
CREATE TABLE r (row TEXT PRIMARY KEY, kind TEXT, payment TEXT, reference TEXT, gross TEXT, fee TEXT, net TEXT, currency TEXT, time TEXT, status TEXT);
CREATE INDEX r_payment ON r (payment);
.mode csv
.import --skip 1 REPORT r
SELECT count(*), sum(p.received_minor = CAST(round(r.gross * 100) AS INTEGER)) FROM r
  JOIN gateway_ref g ON g.gateway = 'sandbox' AND g.kind = 'payment' AND g.ref = r.payment JOIN payment p ON p.id = g.payment_id;
