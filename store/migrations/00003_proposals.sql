-- +goose Up

-- A decision above the shop's limit, written down until another person approves it; its review is what the other one sees.
CREATE TABLE proposal (
  review_id    INTEGER PRIMARY KEY REFERENCES review (id),
  payment_id   INTEGER NOT NULL REFERENCES payment (id),
  answers      INTEGER REFERENCES review (id),   -- the question that it answers; NULL: made on the payment's page
  version      INTEGER NOT NULL,                 -- of the payment, as the person saw it
  act          TEXT NOT NULL,
  basis        TEXT NOT NULL,
  amount       TEXT NOT NULL,                    -- major units, as typed
  reason       TEXT NOT NULL,
  refers       INTEGER NOT NULL,                 -- undo: the decision's fact; 0: none
  actor        TEXT NOT NULL
) STRICT;

CREATE INDEX audit_subject ON audit (subject);
