-- +goose Up

-- Certificates for our own host names, each from one authority: a name that moves to another authority asks anew.
CREATE TABLE certificate (
  directory   TEXT NOT NULL,       -- address of the ACME directory
  host        TEXT NOT NULL,
  chain       TEXT NOT NULL CHECK (chain <> ''),       -- PEM, the leaf first
  private_key TEXT NOT NULL CHECK (private_key <> ''), -- PEM
  obtained_ms INTEGER NOT NULL,
  PRIMARY KEY (directory, host)
) STRICT, WITHOUT ROWID;

-- What went wrong since the last success; it outlives a restart, for authorities count failures.
CREATE TABLE certificate_failure (
  directory TEXT NOT NULL,
  host      TEXT NOT NULL,
  tries     INTEGER NOT NULL CHECK (tries > 0), -- in a row
  failed_ms INTEGER NOT NULL,                   -- the last of them
  next_ms   INTEGER NOT NULL,                   -- when the next is due
  held      INTEGER NOT NULL CHECK (held = 0 OR held = 1), -- 1: the authority itself named next_ms
  error     TEXT NOT NULL,
  PRIMARY KEY (directory, host)
) STRICT, WITHOUT ROWID;

-- Our account at each authority.
CREATE TABLE acme_account (
  directory   TEXT NOT NULL PRIMARY KEY,
  private_key TEXT NOT NULL CHECK (private_key <> '') -- PEM
) STRICT, WITHOUT ROWID;
