-- Finding audit rows without reading the history, and without costing the write path anything: an indexer in the
-- background gathers consecutive rows of a chain into a block (audit_search_make) and indexes the block. A search first
-- finds the blocks that can hold a match, then reads their rows in audit_logs; rows that are not indexed yet are read
-- too, so an answer is exact however far the indexer is behind.
--
-- ILIKE is not leakproof: under row level security it never becomes an index condition. So audit_search is read by
-- functions of trailmark_sealer alone, which see every row and themselves compare the organizations with the
-- transaction's tenant settings, as audit_chain_heads_of() does. They return block boundaries, never text.

CREATE TABLE audit_search (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  min_at timestamptz(3) NOT NULL,
  max_at timestamptz(3) NOT NULL,
  rough boolean NOT NULL,
  tags integer[] NOT NULL,
  text text NOT NULL,
  kinds text NOT NULL,
  CONSTRAINT audit_search_pkey PRIMARY KEY (org_id, first_seq)
);
CREATE INDEX audit_search_newest_idx ON audit_search (org_id, max_at, first_seq, min_at);
CREATE INDEX audit_search_rough_idx ON audit_search (org_id, first_seq) WHERE rough;
CREATE INDEX audit_search_terms_idx ON audit_search USING gin (org_id, tags, text gin_trgm_ops);
-- A block's text is compressed in place (a fifth of its length); beside the table it would cost a look-up per block.
ALTER TABLE audit_search ALTER COLUMN text SET STORAGE MAIN, ALTER COLUMN kinds SET STORAGE MAIN;
-- An organization that has just written much must be in the statistics: without them its blocks are all read.
ALTER TABLE audit_search SET (autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000);

CREATE TABLE audit_search_state (
  org_id uuid CONSTRAINT audit_search_state_pkey PRIMARY KEY,
  indexed_through_seq bigint NOT NULL DEFAULT 0,
  tallied_through_seq bigint NOT NULL DEFAULT 0,
  pruned_through_seq bigint NOT NULL DEFAULT 0,
  merged_through_seq bigint NOT NULL DEFAULT 0
);
ALTER TABLE audit_search_state SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500);

CREATE TABLE audit_search_terms (
  org_id uuid NOT NULL,
  kind text NOT NULL,
  value text NOT NULL,
  CONSTRAINT audit_search_terms_pkey PRIMARY KEY (org_id, kind, value)
);

-- Totals without reading rows: each counts a slice of a chain, by hour or day, or without time, so that it stays small.
CREATE TABLE audit_tallies (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  since timestamptz(3) NOT NULL,
  action text NOT NULL,
  actor_type text NOT NULL,
  result text NOT NULL,
  rows integer NOT NULL,
  resource_type text NOT NULL
);
CREATE INDEX audit_tallies_org_idx ON audit_tallies (org_id, first_seq);

CREATE TABLE audit_actor_tallies (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  since timestamptz(3) NOT NULL,
  actor_type text NOT NULL,
  actor_id uuid NOT NULL,
  raw_id text,
  email text,
  last_at timestamptz(3) NOT NULL,
  rows integer NOT NULL
);
CREATE INDEX audit_actor_tallies_org_idx ON audit_actor_tallies (org_id, first_seq);

CREATE TABLE audit_kind_counts (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  action text NOT NULL,
  resource_type text NOT NULL,
  actor_type text NOT NULL,
  result text NOT NULL,
  rows integer NOT NULL
);
CREATE INDEX audit_kind_counts_org_idx ON audit_kind_counts (org_id, first_seq);

-- The counts of actors and resources say where their rows are: the page of one of them is read by key, newest first.
CREATE TABLE audit_actor_counts (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  actor_type text NOT NULL,
  actor_id uuid NOT NULL,
  raw_id text,
  email text,
  rows integer NOT NULL,
  first_at timestamptz(3),
  last_at timestamptz(3),
  seqs bytea
);
CREATE INDEX audit_actor_counts_org_idx ON audit_actor_counts (org_id, first_seq);
CREATE INDEX audit_actor_counts_actor_idx ON audit_actor_counts (org_id, actor_id);

CREATE TABLE audit_resource_counts (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  resource_type text NOT NULL,
  resource_id uuid,
  resource_name text,
  rows integer NOT NULL,
  first_at timestamptz(3),
  last_at timestamptz(3),
  seqs bytea
);
CREATE INDEX audit_resource_counts_org_idx ON audit_resource_counts (org_id, first_seq);
CREATE INDEX audit_resource_counts_resource_idx ON audit_resource_counts (org_id, resource_id);
-- Sequences do not compress: trying would cost the indexer.
ALTER TABLE audit_actor_counts ALTER COLUMN seqs SET STORAGE EXTERNAL;
ALTER TABLE audit_resource_counts ALTER COLUMN seqs SET STORAGE EXTERNAL;

-- Who acted in a chain, under each name.
CREATE TABLE audit_actors (
  org_id uuid NOT NULL,
  actor_id uuid NOT NULL,
  name_hash uuid NOT NULL,
  actor_type text NOT NULL,
  raw_id text,
  email text,
  CONSTRAINT audit_actors_pkey PRIMARY KEY (org_id, actor_id, name_hash)
);

ALTER TABLE audit_search ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT tenant_policy(t, p_command => 'SELECT')
FROM unnest(ARRAY[
  'audit_search_state', 'audit_search_terms', 'audit_tallies', 'audit_actor_tallies', 'audit_kind_counts',
  'audit_actor_counts', 'audit_resource_counts', 'audit_actors']) AS t;
CREATE POLICY audit_search_sealer ON audit_search TO trailmark_sealer USING (true);
CREATE POLICY audit_search_state_sealer ON audit_search_state TO trailmark_sealer USING (true);
CREATE POLICY audit_search_terms_sealer ON audit_search_terms TO trailmark_sealer USING (true);
CREATE POLICY audit_tallies_sealer ON audit_tallies TO trailmark_sealer USING (true);
CREATE POLICY audit_actor_tallies_sealer ON audit_actor_tallies TO trailmark_sealer USING (true);
CREATE POLICY audit_kind_counts_sealer ON audit_kind_counts TO trailmark_sealer USING (true);
CREATE POLICY audit_actor_counts_sealer ON audit_actor_counts TO trailmark_sealer USING (true);
CREATE POLICY audit_resource_counts_sealer ON audit_resource_counts TO trailmark_sealer USING (true);
CREATE POLICY audit_actors_sealer ON audit_actors TO trailmark_sealer USING (true);
GRANT SELECT ON
  audit_search_state, audit_search_terms, audit_tallies, audit_actor_tallies, audit_kind_counts, audit_actor_counts,
  audit_resource_counts, audit_actors
  TO trailmark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  audit_search, audit_search_state, audit_search_terms, audit_tallies, audit_actor_tallies, audit_kind_counts,
  audit_actor_counts, audit_resource_counts, audit_actors
  TO trailmark_sealer;
