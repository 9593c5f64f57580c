-- +goose Up

-- The payment's own time of its success, by which it is looked for in the report of a day; 0: no success that a gateway would report.
ALTER TABLE payment ADD COLUMN paid_ms INTEGER NOT NULL DEFAULT 0;
CREATE INDEX payment_paid ON payment (gateway, paid_ms) WHERE paid_ms != 0;
UPDATE payment SET paid_ms = coalesce((SELECT min(f.own_ms) FROM fact f WHERE f.payment_id = payment.id AND f.kind = 'word' AND f.word = 'succeeded'
  AND f.hint = 0 AND (f.source = 'notice' OR f.source = 'query')), 0) WHERE state = 'succeeded';

-- A reference alone finds its payment without a second look-up.
DROP INDEX gateway_ref_search;
CREATE INDEX gateway_ref_search ON gateway_ref (ref, gateway, payment_id);

-- One reading of one report.
CREATE TABLE report_import (
  id         INTEGER PRIMARY KEY,
  gateway    TEXT NOT NULL,
  name       TEXT NOT NULL,                  -- of the file, as it came
  digest     BLOB NOT NULL CHECK (length(digest) = 32), -- SHA-256 of the file
  report     TEXT NOT NULL,                  -- name of the format; '': recognised when it is read
  source     TEXT NOT NULL CHECK (source = 'upload' OR source = 'command' OR source = 'folder' OR source = 'gateway'),
  actor      TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state = 'waiting' OR state = 'reading' OR state = 'acting' OR state = 'done' OR state = 'failed' OR state = 'undoing' OR state = 'undone'),
  path       TEXT NOT NULL,                  -- of our own copy, read again after an interruption; '': there is none
  owner      TEXT NOT NULL DEFAULT '',       -- whose run it is; a run that was taken for dead writes no more
  bytes      INTEGER NOT NULL DEFAULT 0,
  bytes_done INTEGER NOT NULL DEFAULT 0,
  lines      INTEGER NOT NULL DEFAULT 0,     -- good ones, repeated and known ones included
  rejected   INTEGER NOT NULL DEFAULT 0,
  skipped    INTEGER NOT NULL DEFAULT 0,     -- no data: comments, headers, footers
  known      INTEGER NOT NULL DEFAULT 0,     -- came in an earlier file
  matched    INTEGER NOT NULL DEFAULT 0,
  detail     TEXT NOT NULL DEFAULT '',       -- faults and stated totals as JSON, or why it failed
  first_line INTEGER NOT NULL DEFAULT 0,     -- its rows in report_line lie from here
  last_line  INTEGER NOT NULL DEFAULT 0,     -- to here, maybe among those of others
  started_ms INTEGER NOT NULL,
  beat_ms    INTEGER NOT NULL,
  done_ms    INTEGER,
  first_day  TEXT NOT NULL DEFAULT '',
  last_day   TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX report_import_done ON report_import (gateway, digest) WHERE state = 'done' OR state = 'acting';
CREATE UNIQUE INDEX report_import_busy ON report_import (gateway) WHERE state = 'reading' OR state = 'acting' OR state = 'undoing';
CREATE INDEX report_import_todo ON report_import (state, id) WHERE state = 'waiting' OR state = 'reading' OR state = 'acting' OR state = 'undoing';
CREATE INDEX report_import_file ON report_import (gateway, digest);

-- How many lines of an import had come in an earlier one, which therefore cannot be undone before it.
CREATE TABLE report_known (
  import_id INTEGER NOT NULL REFERENCES report_import (id),
  of_id     INTEGER NOT NULL REFERENCES report_import (id),
  count     INTEGER NOT NULL,
  PRIMARY KEY (of_id, import_id)
) STRICT, WITHOUT ROWID;

-- A calendar day of a gateway, by its own clock.
CREATE TABLE report_day (
  id      INTEGER PRIMARY KEY,
  gateway TEXT NOT NULL,
  day     TEXT NOT NULL,                     -- 2026-11-30
  from_ms INTEGER NOT NULL,
  to_ms   INTEGER NOT NULL,
  UNIQUE (gateway, day)
) STRICT;

-- Which days an import speaks of as a whole: a success without a line is missed on those only.
CREATE TABLE report_cover (
  day_id    INTEGER NOT NULL REFERENCES report_day (id),
  import_id INTEGER NOT NULL REFERENCES report_import (id),
  PRIMARY KEY (day_id, import_id)
) STRICT, WITHOUT ROWID;

-- One row of data of a report. A line that we know again is not stored again.
CREATE TABLE report_line (
  id           INTEGER PRIMARY KEY,
  import_id    INTEGER NOT NULL REFERENCES report_import (id),
  number       INTEGER NOT NULL,             -- of the line in its file
  day_id       INTEGER NOT NULL REFERENCES report_day (id),
  key          BLOB NOT NULL,                -- identity: of its id, else of its content and how often that came before in its file
  type         TEXT NOT NULL,
  finding      TEXT NOT NULL,
  gateway_ref  TEXT NOT NULL,
  merchant_ref TEXT NOT NULL,
  gross_minor  INTEGER,
  fee_minor    INTEGER,
  net_minor    INTEGER,
  currency     TEXT NOT NULL,
  occurred_ms  INTEGER NOT NULL,             -- 0: not said
  settled_ms   INTEGER NOT NULL,
  batch        TEXT NOT NULL,
  status       TEXT NOT NULL,
  payment_id   INTEGER REFERENCES payment (id),
  movement     TEXT NOT NULL                 -- id of the refund or dispute that it is matched with
) STRICT;
-- The key is unique among the lines of one payment, where its other lines are looked up anyway, and among those without a
-- payment. An index over all keys would be written to at random places: one page for each line.
CREATE UNIQUE INDEX report_line_payment ON report_line (payment_id, type, key) WHERE payment_id IS NOT NULL;
CREATE UNIQUE INDEX report_line_key ON report_line (key) WHERE payment_id IS NULL;
CREATE INDEX report_line_day ON report_line (day_id, finding);

-- What the lines of a day come to; kept with them so that a large day opens fast.
CREATE TABLE report_sum (
  day_id      INTEGER NOT NULL REFERENCES report_day (id),
  import_id   INTEGER NOT NULL REFERENCES report_import (id),
  finding     TEXT NOT NULL,
  type        TEXT NOT NULL,
  currency    TEXT NOT NULL,
  count       INTEGER NOT NULL,
  gross_minor INTEGER NOT NULL,
  fee_minor   INTEGER NOT NULL,
  net_minor   INTEGER NOT NULL,
  PRIMARY KEY (day_id, import_id, finding, type, currency)
) STRICT, WITHOUT ROWID;

-- A finding that somebody or something must still explain, or has explained.
CREATE TABLE difference (
  id             INTEGER PRIMARY KEY,
  day_id         INTEGER NOT NULL REFERENCES report_day (id),
  kind           TEXT NOT NULL,
  state          TEXT NOT NULL CHECK (state = 'new' OR state = 'asking' OR state = 'expected' OR state = 'open' OR state = 'decided' OR state = 'cleared'), -- new: its import is still being read
  line_id        INTEGER REFERENCES report_line (id),
  import_id      INTEGER REFERENCES report_import (id),
  number         INTEGER NOT NULL,           -- of the line in its file; 0: none
  payment_id     INTEGER REFERENCES payment (id),
  suggested_id   INTEGER REFERENCES payment (id), -- what a line may be about whose ids were damaged; never applied
  inbox_id       INTEGER REFERENCES inbox (id), -- the statement that was made of its line
  expected_minor INTEGER NOT NULL,
  seen_minor     INTEGER NOT NULL,
  risk_minor     INTEGER NOT NULL,
  currency       TEXT NOT NULL,
  detail         TEXT NOT NULL,
  seen_version   INTEGER NOT NULL,           -- of the payment, when it was last judged
  asked_ms       INTEGER NOT NULL DEFAULT 0, -- 0: nobody was asked
  due_ms         INTEGER NOT NULL DEFAULT 0, -- when an expected or asked one becomes open; 0: never by time
  opened_ms      INTEGER NOT NULL,
  closed_ms      INTEGER,
  closed_by      TEXT NOT NULL DEFAULT '',
  answer         TEXT NOT NULL DEFAULT '',
  reason         TEXT NOT NULL DEFAULT '',
  version        INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE INDEX difference_day ON difference (day_id, state, kind, currency, risk_minor, expected_minor, seen_minor);
CREATE INDEX difference_import ON difference (import_id, state) WHERE import_id IS NOT NULL;
CREATE INDEX difference_line ON difference (line_id) WHERE line_id IS NOT NULL;
CREATE INDEX difference_waiting ON difference (state, due_ms) WHERE state = 'asking' OR state = 'expected' OR state = 'open';
CREATE INDEX difference_inbox ON difference (inbox_id) WHERE inbox_id IS NOT NULL;
CREATE INDEX difference_payment ON difference (payment_id) WHERE payment_id IS NOT NULL;
CREATE UNIQUE INDEX difference_missing ON difference (payment_id) WHERE kind = 'missing_at_gateway';

-- How a person said that a gateway's report is to be read.
CREATE TABLE report_format (
  id       INTEGER PRIMARY KEY,
  gateway  TEXT NOT NULL,
  name     TEXT NOT NULL,
  spec     TEXT NOT NULL,                    -- a [[report]] in TOML
  header   TEXT NOT NULL,                    -- the first line that it was made for, tabs between
  actor    TEXT NOT NULL,
  saved_ms INTEGER NOT NULL,
  UNIQUE (gateway, name)
) STRICT;
