-- Finding audit rows without reading the history, and without costing the write path anything: an indexer in the
-- background gathers consecutive rows of a chain into a block (audit_search_make) and indexes the block. A search first
-- finds the blocks that can hold a match, then reads their rows in audit_logs; rows that are not indexed yet are read
-- too, so an answer is exact however far the indexer is behind.
--
-- ILIKE is not leakproof: under row level security it never becomes an index condition. So audit_search is read by
-- functions of trailmark_sealer alone, which see every row and themselves compare the organizations with the
-- transaction's tenant settings, as audit_chain_heads_of() does. They return block boundaries, never text.
--> functions tenant_policy

CREATE TABLE audit_search (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  min_at timestamptz(3) NOT NULL,
  max_at timestamptz(3) NOT NULL,
  rough boolean NOT NULL,
  tags integer[] NOT NULL,
  text text NOT NULL,
  CONSTRAINT audit_search_pkey PRIMARY KEY (org_id, first_seq)
);
--> statement-breakpoint
CREATE INDEX audit_search_newest_idx ON audit_search (org_id, max_at, first_seq, min_at);
--> statement-breakpoint
CREATE INDEX audit_search_terms_idx ON audit_search USING gin (org_id, tags, text gin_trgm_ops);
--> statement-breakpoint
-- A block's text is compressed in place (a fifth of its length); beside the table it would cost a look-up per block.
ALTER TABLE audit_search ALTER COLUMN text SET STORAGE MAIN;
--> statement-breakpoint

CREATE TABLE audit_search_state (
  org_id uuid CONSTRAINT audit_search_state_pkey PRIMARY KEY,
  indexed_through_seq bigint NOT NULL DEFAULT 0,
  tallied_through_seq bigint NOT NULL DEFAULT 0,
  pruned_through_seq bigint NOT NULL DEFAULT 0
);
--> statement-breakpoint
ALTER TABLE audit_search_state SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500);
--> statement-breakpoint

CREATE TABLE audit_search_terms (
  org_id uuid NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  CONSTRAINT audit_search_terms_pkey PRIMARY KEY (org_id, kind, value)
);
--> statement-breakpoint

CREATE TABLE audit_tallies (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  since timestamptz(3) NOT NULL,
  action text NOT NULL,
  actor_type text NOT NULL,
  result text NOT NULL,
  rows integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX audit_tallies_org_idx ON audit_tallies (org_id, first_seq);
--> statement-breakpoint

ALTER TABLE audit_search ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
SELECT tenant_policy(t, p_command => 'SELECT')
FROM unnest(ARRAY['audit_search_state', 'audit_search_terms', 'audit_tallies']) AS t;
--> statement-breakpoint
CREATE POLICY audit_search_sealer ON audit_search TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_search_state_sealer ON audit_search_state TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_search_terms_sealer ON audit_search_terms TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_tallies_sealer ON audit_tallies TO trailmark_sealer USING (true);
--> statement-breakpoint
GRANT SELECT ON audit_search_state, audit_search_terms, audit_tallies TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON
  audit_search, audit_search_state, audit_search_terms, audit_tallies
  TO trailmark_sealer;
