-- +goose Up

-- The word lists are written with OR: for x IN (three or more) SQLite builds a table at every insert and update.

-- One row each: epoch (grows at every restore), instance.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Requests that were refused: nothing of them is ever applied. Bounded by count and age.
CREATE TABLE refused (
  id          INTEGER PRIMARY KEY,
  gateway     TEXT NOT NULL,
  received_ms INTEGER NOT NULL,
  method      TEXT NOT NULL,
  target      TEXT NOT NULL,
  remote      TEXT NOT NULL,
  header      BLOB NOT NULL,                 -- "Name: value" lines, credentials redacted
  body        BLOB NOT NULL,
  status      INTEGER NOT NULL,              -- answered
  reason      TEXT NOT NULL,
  detail      TEXT NOT NULL                  -- the likely cause in plain words, for a person
) STRICT;
CREATE INDEX refused_reason ON refused (gateway, reason, id);

CREATE TABLE orders (
  id         INTEGER PRIMARY KEY,
  order_ref  TEXT NOT NULL UNIQUE,
  payments   INTEGER NOT NULL DEFAULT 0,     -- how many payments it has
  closed_ms  INTEGER,                        -- the shop's word that it gives the order up
  forced     INTEGER NOT NULL DEFAULT 0 CHECK (forced IN (0, 1)),
  created_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE payment (
  id               INTEGER PRIMARY KEY,
  public_id        TEXT NOT NULL UNIQUE,
  gateway          TEXT NOT NULL,
  merchant_ref     TEXT NOT NULL,
  attempt          TEXT NOT NULL DEFAULT '', -- id of the preset's attempt kind, where one reference may be paid several times
  order_id         INTEGER NOT NULL REFERENCES orders (id),
  amount_minor     INTEGER NOT NULL CHECK (amount_minor >= 0),
  currency         TEXT NOT NULL CHECK (length(currency) = 3),
  state            TEXT NOT NULL CHECK (state = 'pending' OR state = 'processing' OR state = 'succeeded' OR state = 'failed' OR state = 'closed' OR state = 'unknown'),
  cause            TEXT NOT NULL CHECK ((state = 'closed' AND (cause = 'expired' OR cause = 'cancelled' OR cause = 'abandoned'))
                     OR (state = 'unknown' AND (cause = 'no_answer' OR cause = 'difference' OR cause = 'contradiction'))
                     OR (state NOT IN ('closed', 'unknown') AND cause = '')),
  late             INTEGER NOT NULL DEFAULT 0 CHECK (late IN (0, 1)),
  received_minor   INTEGER NOT NULL DEFAULT 0 CHECK (received_minor >= 0),
  refunded_minor   INTEGER NOT NULL DEFAULT 0 CHECK (refunded_minor >= 0),
  disputed_minor   INTEGER NOT NULL DEFAULT 0 CHECK (disputed_minor >= 0),
  reversed_minor   INTEGER NOT NULL DEFAULT 0 CHECK (reversed_minor >= 0),
  source           TEXT NOT NULL DEFAULT '', -- who decided the state
  version          INTEGER NOT NULL CHECK (version >= 1),
  facts            INTEGER NOT NULL DEFAULT 0,
  reviews          INTEGER NOT NULL DEFAULT 0, -- open ones
  told             TEXT NOT NULL DEFAULT '', -- what the shop was told so far, as payment.Told
  paid             INTEGER NOT NULL DEFAULT 0 CHECK (paid IN (0, 1)),
  success_told     INTEGER NOT NULL DEFAULT 0 CHECK (success_told IN (0, 1)), -- the last entry about the state was a success
  last_asked_ms    INTEGER NOT NULL DEFAULT 0,
  last_answered_ms INTEGER NOT NULL DEFAULT 0,
  last_answer      TEXT NOT NULL DEFAULT '', -- word of the last answered query
  ever_heard       INTEGER NOT NULL DEFAULT 0 CHECK (ever_heard IN (0, 1)),
  created_ms       INTEGER NOT NULL,
  changed_ms       INTEGER NOT NULL,
  expires_ms       INTEGER NOT NULL DEFAULT 0, -- 0: never
  give_up_ms       INTEGER NOT NULL,
  next_reconciliation_at_ms INTEGER,         -- NULL once nothing is left to ask
  metadata         TEXT NOT NULL DEFAULT '',
  UNIQUE (gateway, merchant_ref, attempt)
) STRICT;
CREATE INDEX payment_order ON payment (order_id);
CREATE INDEX payment_state ON payment (state, id);
CREATE INDEX payment_amount ON payment (amount_minor, id);
CREATE INDEX payment_reconcile ON payment (next_reconciliation_at_ms) WHERE next_reconciliation_at_ms IS NOT NULL;

-- The gateway's own ids of a payment.
CREATE TABLE gateway_ref (
  gateway    TEXT NOT NULL,
  kind       TEXT NOT NULL,
  ref        TEXT NOT NULL,
  payment_id INTEGER NOT NULL REFERENCES payment (id),
  PRIMARY KEY (gateway, kind, ref)
) STRICT, WITHOUT ROWID;
CREATE INDEX gateway_ref_payment ON gateway_ref (payment_id);
CREATE INDEX gateway_ref_search ON gateway_ref (ref);

-- What came in: one row for each item of a message, to be worked on once. The first row of a message holds it raw.
CREATE TABLE inbox (
  id           INTEGER PRIMARY KEY,
  raw_id       INTEGER REFERENCES inbox (id), -- the row that holds the raw message; NULL: this one
  item         INTEGER NOT NULL,             -- position in the message
  gateway      TEXT NOT NULL,
  channel      TEXT NOT NULL CHECK (channel = 'webhook' OR channel = 'query' OR channel = 'report'),
  dedupe_key   TEXT NOT NULL,
  digest       BLOB NOT NULL CHECK (length(digest) = 32),
  merchant_ref TEXT NOT NULL,
  state        TEXT NOT NULL CHECK (state = 'pending' OR state = 'parked' OR state = 'done' OR state = 'ignored' OR state = 'dead'),
  reason       TEXT NOT NULL DEFAULT '',
  error        TEXT NOT NULL DEFAULT '',
  attempts     INTEGER NOT NULL DEFAULT 0,
  due_ms       INTEGER NOT NULL,
  received_ms  INTEGER NOT NULL,
  done_ms      INTEGER,
  repeats      INTEGER NOT NULL DEFAULT 0,   -- how often the same came again
  payment_id   INTEGER REFERENCES payment (id),
  asked_ms     INTEGER,                      -- when the question was put, for an answer
  method       TEXT NOT NULL DEFAULT '',
  target       TEXT NOT NULL DEFAULT '',     -- path and query as received
  remote       TEXT NOT NULL DEFAULT '',
  status       INTEGER NOT NULL DEFAULT 0,   -- answered (webhook) or received (query)
  verdict      TEXT NOT NULL DEFAULT '',     -- on the message as a whole
  cause        TEXT NOT NULL DEFAULT '',     -- the verdict's stable word; of an answer: why it was asked
  detail       TEXT NOT NULL DEFAULT '',
  secret       INTEGER NOT NULL DEFAULT -1,  -- which configured secret matched; -1: none
  header       BLOB,                         -- "Name: value" lines, credentials redacted
  body         BLOB,
  UNIQUE (gateway, channel, dedupe_key, digest),
  CHECK (state != 'done' OR done_ms IS NOT NULL),
  CHECK (raw_id IS NOT NULL OR body IS NOT NULL)
) STRICT;
CREATE INDEX inbox_pending ON inbox (due_ms, id) WHERE state = 'pending';
CREATE INDEX inbox_held ON inbox (state, id) WHERE state IN ('parked', 'dead');
CREATE INDEX inbox_unregistered ON inbox (gateway, received_ms) WHERE state = 'parked' AND reason = 'unregistered';
CREATE INDEX inbox_payment ON inbox (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX inbox_raw ON inbox (raw_id) WHERE raw_id IS NOT NULL;

-- What a parked notice can be adopted by: a merchant reference (kind '') or a gateway ref.
CREATE TABLE parked (
  gateway   TEXT NOT NULL,
  kind      TEXT NOT NULL,
  ref       TEXT NOT NULL,
  inbox_id  INTEGER NOT NULL REFERENCES inbox (id),
  PRIMARY KEY (gateway, kind, ref, inbox_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX parked_inbox ON parked (inbox_id);

CREATE TABLE fact (
  id           INTEGER PRIMARY KEY,
  payment_id   INTEGER NOT NULL REFERENCES payment (id),
  version      INTEGER NOT NULL,
  key          TEXT NOT NULL,
  kind         TEXT NOT NULL CHECK (kind = 'word' OR kind = 'unmapped' OR kind = 'refund' OR kind = 'dispute' OR kind = 'hold_over' OR kind = 'gave_up' OR kind = 'late' OR kind = 'order_closed' OR kind = 'order_reopened' OR kind = 'decision'),
  source       TEXT NOT NULL CHECK (source = 'notice' OR source = 'query' OR source = 'report' OR source = 'person' OR source = 'shop' OR source = 'timer' OR source = 'nodrop'),
  word         TEXT NOT NULL,
  hint         INTEGER NOT NULL CHECK (hint IN (0, 1)),
  never        INTEGER NOT NULL CHECK (never IN (0, 1)),
  amount_minor INTEGER CHECK (amount_minor >= 0),
  currency     TEXT NOT NULL,
  ref          TEXT NOT NULL,
  cumulative   INTEGER NOT NULL CHECK (cumulative IN (0, 1)),
  status       TEXT NOT NULL,
  own_ms       INTEGER NOT NULL,
  committed_ms INTEGER NOT NULL,
  refers       INTEGER NOT NULL,
  act          TEXT NOT NULL,
  basis        TEXT NOT NULL CHECK (basis = '' OR basis = 'gateway' OR basis = 'elsewhere'),
  saw          INTEGER NOT NULL,
  actor        TEXT NOT NULL,
  reason       TEXT NOT NULL,
  inbox_id     INTEGER REFERENCES inbox (id), -- the evidence
  UNIQUE (payment_id, key)
) STRICT;

CREATE TABLE history (
  id         INTEGER PRIMARY KEY,
  payment_id INTEGER NOT NULL REFERENCES payment (id),
  version    INTEGER NOT NULL,
  from_state TEXT NOT NULL,
  to_state   TEXT NOT NULL,
  from_cause TEXT NOT NULL,
  to_cause   TEXT NOT NULL,
  source     TEXT NOT NULL,                  -- who moved it: notice, query, report, person, shop, timer, nodrop
  trigger    TEXT NOT NULL,                  -- webhook, query, scan, settlement, person, shop, timer, registration
  evidence   INTEGER,                        -- inbox id
  at_ms      INTEGER NOT NULL,
  UNIQUE (payment_id, version)
) STRICT;
CREATE INDEX history_at ON history (at_ms);

-- A durable appointment. Leasing moves due_ms on, so that one index serves.
CREATE TABLE timer (
  payment_id INTEGER NOT NULL REFERENCES payment (id),
  kind       TEXT NOT NULL CHECK (kind = 'ask' OR kind = 'hold'),
  gateway    TEXT NOT NULL,
  lane       INTEGER NOT NULL,               -- 0 payer waits, 1 young, 2 old, 3 hinted, 9 hold
  due_ms     INTEGER NOT NULL,
  leased_ms  INTEGER NOT NULL DEFAULT 0,     -- when it was last taken; 0: never
  attempts   INTEGER NOT NULL DEFAULT 0,     -- unanswered questions in a row
  refers     INTEGER NOT NULL DEFAULT 0,     -- the held fact
  why        TEXT NOT NULL,
  PRIMARY KEY (payment_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX timer_due ON timer (gateway, lane, due_ms);

-- Every question that was asked; answers alike in a row share one row.
CREATE TABLE query (
  id         INTEGER PRIMARY KEY,
  payment_id INTEGER NOT NULL REFERENCES payment (id),
  gateway    TEXT NOT NULL,
  asked_ms   INTEGER NOT NULL,
  last_ms    INTEGER NOT NULL,
  class      TEXT NOT NULL,
  status     INTEGER NOT NULL,
  digest     BLOB,
  detail     TEXT NOT NULL,
  repeats    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX query_payment ON query (payment_id, id);
CREATE INDEX query_asked ON query (asked_ms);

-- What the shop must be told. Ids are epoch-seq.
CREATE TABLE outbox (
  seq          INTEGER PRIMARY KEY AUTOINCREMENT,
  epoch        INTEGER NOT NULL,
  payment_id   INTEGER NOT NULL REFERENCES payment (id),
  order_id     INTEGER NOT NULL REFERENCES orders (id),
  version      INTEGER NOT NULL,
  type         TEXT NOT NULL,
  body         BLOB NOT NULL,
  created_ms   INTEGER NOT NULL,
  state        TEXT NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'dead' OR state = 'feed'), -- feed: no address configured
  attempts     INTEGER NOT NULL DEFAULT 0,
  due_ms       INTEGER NOT NULL,
  leased_ms    INTEGER NOT NULL DEFAULT 0,
  delivered_ms INTEGER,
  status       INTEGER NOT NULL DEFAULT 0,   -- last HTTP status
  error        TEXT NOT NULL DEFAULT '',
  UNIQUE (payment_id, version, type)
) STRICT;
CREATE INDEX outbox_due ON outbox (due_ms, seq) WHERE state = 'pending';
CREATE INDEX outbox_order ON outbox (order_id, seq) WHERE state = 'pending';
CREATE INDEX outbox_dead ON outbox (seq) WHERE state = 'dead';

CREATE TABLE outbox_attempt (
  id      INTEGER PRIMARY KEY,
  seq     INTEGER NOT NULL REFERENCES outbox (seq),
  at_ms   INTEGER NOT NULL,
  took_ms INTEGER NOT NULL,
  status  INTEGER NOT NULL,
  error   TEXT NOT NULL
) STRICT;
CREATE INDEX outbox_attempt_seq ON outbox_attempt (seq);

CREATE TABLE review (
  id           INTEGER PRIMARY KEY,
  kind         TEXT NOT NULL,
  subject      TEXT NOT NULL,                -- what it is about, unique among the open ones of its kind
  payment_id   INTEGER REFERENCES payment (id),
  order_id     INTEGER REFERENCES orders (id),
  inbox_id     INTEGER REFERENCES inbox (id),
  outbox_seq   INTEGER REFERENCES outbox (seq),
  gateway      TEXT NOT NULL DEFAULT '',
  amount_minor INTEGER NOT NULL,             -- money at risk
  currency     TEXT NOT NULL,
  urgent       INTEGER NOT NULL CHECK (urgent IN (0, 1)),
  state        TEXT NOT NULL CHECK (state = 'open' OR state = 'closed'),
  snoozed_ms   INTEGER NOT NULL DEFAULT 0,   -- hidden until
  opened_ms    INTEGER NOT NULL,
  closed_ms    INTEGER,
  closed_by    TEXT NOT NULL DEFAULT '',     -- a person, or 'nodrop' when the facts answered it
  answer       TEXT NOT NULL DEFAULT '',
  reason       TEXT NOT NULL DEFAULT '',
  CHECK ((state = 'closed') = (closed_ms IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX review_open ON review (kind, subject) WHERE state = 'open';
CREATE INDEX review_payment ON review (payment_id);
CREATE INDEX review_order ON review (order_id);

-- What may happen only once.
CREATE TABLE once (
  key        TEXT PRIMARY KEY,
  payment_id INTEGER REFERENCES payment (id),
  at_ms      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE claim (
  key        TEXT PRIMARY KEY,
  payment_id INTEGER NOT NULL REFERENCES payment (id),
  owner      TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state = 'held' OR state = 'done' OR state = 'uncertain'),
  made_ms    INTEGER NOT NULL,
  due_ms     INTEGER NOT NULL,               -- not done by then: a review
  done_ms    INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_due ON claim (due_ms) WHERE state = 'held';

-- Who did what. form_key makes a double click one act.
CREATE TABLE audit (
  id         INTEGER PRIMARY KEY,
  at_ms      INTEGER NOT NULL,
  actor      TEXT NOT NULL,
  action     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  payment_id INTEGER REFERENCES payment (id),
  detail     TEXT NOT NULL,
  form_key   TEXT UNIQUE
) STRICT;
CREATE INDEX audit_payment ON audit (payment_id) WHERE payment_id IS NOT NULL;

CREATE TABLE gateway_state (
  gateway         TEXT PRIMARY KEY,
  last_webhook_ms INTEGER NOT NULL DEFAULT 0,
  last_refused_ms INTEGER NOT NULL DEFAULT 0,
  last_answer_ms  INTEGER NOT NULL DEFAULT 0,
  last_error_ms   INTEGER NOT NULL DEFAULT 0,
  last_error      TEXT NOT NULL DEFAULT '',
  errors          INTEGER NOT NULL DEFAULT 0, -- in a row
  paused_until_ms INTEGER NOT NULL DEFAULT 0,
  unaskable_ms    INTEGER NOT NULL DEFAULT 0, -- since when no question is answered; 0: askable
  skew_ms         INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Time in which a gateway could not be asked; gateway '' is the appliance itself being off.
CREATE TABLE outage (
  gateway TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms   INTEGER NOT NULL CHECK (to_ms >= from_ms),
  PRIMARY KEY (gateway, from_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
  name      TEXT PRIMARY KEY,
  schedule  TEXT NOT NULL,
  next_ms   INTEGER NOT NULL,
  last_ms   INTEGER NOT NULL DEFAULT 0,
  result    TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

CREATE TABLE user (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  role       TEXT NOT NULL CHECK (role = 'viewer' OR role = 'operator' OR role = 'admin'),
  hash       TEXT NOT NULL DEFAULT '',       -- argon2id; empty until the sign-up link was used
  invite     BLOB,                           -- SHA-256 of the one-time sign-up link's secret
  invite_ms  INTEGER NOT NULL DEFAULT 0,     -- valid until
  failures   INTEGER NOT NULL DEFAULT 0,
  locked_ms  INTEGER NOT NULL DEFAULT 0,     -- no sign-in before
  created_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
  token     TEXT PRIMARY KEY,
  data      BLOB NOT NULL,
  expiry_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_expiry ON session (expiry_ms);

CREATE TABLE token (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  hash       BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
  created_ms INTEGER NOT NULL,
  used_ms    INTEGER NOT NULL DEFAULT 0,
  revoked_ms INTEGER
) STRICT;

INSERT INTO meta (key, value) VALUES ('epoch', '1');
