-- +goose Up

-- A refused request that was verified again and taken in; NULL: it is still refused.
ALTER TABLE refused ADD COLUMN taken_ms INTEGER;

-- When each configured secret or public key last matched; key is its id or the beginning of its SHA-256.
CREATE TABLE key_match (
  gateway TEXT NOT NULL,
  key     TEXT NOT NULL,
  last_ms INTEGER NOT NULL,
  PRIMARY KEY (gateway, key)
) STRICT, WITHOUT ROWID;

-- A question that only a hint wants is an appointment of its own: it never takes the place of a regular one.
CREATE TABLE timer_new (
  payment_id INTEGER NOT NULL REFERENCES payment (id),
  kind       TEXT NOT NULL CHECK (kind = 'ask' OR kind = 'hint' OR kind = 'hold'),
  gateway    TEXT NOT NULL,
  lane       INTEGER NOT NULL,               -- 0 payer waits, 1 young, 2 old, 3 hinted, 9 hold
  due_ms     INTEGER NOT NULL,
  leased_ms  INTEGER NOT NULL DEFAULT 0,     -- when it was last taken; 0: never
  attempts   INTEGER NOT NULL DEFAULT 0,     -- unanswered questions in a row
  refers     INTEGER NOT NULL DEFAULT 0,     -- hold: the held fact; hint: when the hint came
  why        TEXT NOT NULL,
  PRIMARY KEY (payment_id, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO timer_new SELECT payment_id, kind, gateway, lane, due_ms, leased_ms, attempts, refers, why FROM timer;
DROP TABLE timer;
ALTER TABLE timer_new RENAME TO timer;
CREATE INDEX timer_due ON timer (gateway, lane, due_ms);

-- Notices that nothing proves are kept in small numbers only.
CREATE INDEX inbox_unproved ON inbox (gateway, id) WHERE secret = -1 AND channel = 'webhook' AND body IS NOT NULL AND payment_id IS NULL;

CREATE INDEX review_inbox ON review (inbox_id) WHERE inbox_id IS NOT NULL;
