-- +goose Up

-- Whether a fact stands on an inbox row is asked whenever one is deleted; without an index all facts were read.
CREATE INDEX fact_inbox ON fact (inbox_id) WHERE inbox_id IS NOT NULL;
