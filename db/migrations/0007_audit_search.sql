-- Finds audit rows without reading the history, at no cost to writers: a background indexer writes the inverted index
-- of consecutive rows of a chain as an immutable segment (server/audit/search); small adjacent ones are merged. Rows
-- past the last segment are read, so answers are exact however far the indexer is behind. All of it can be emptied at
-- any time and is rebuilt from audit_logs.

CREATE TABLE audit_segments (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  id uuid NOT NULL,
  oldest_at timestamptz(3) NOT NULL,
  newest_at timestamptz(3) NOT NULL,
  actions text[] NOT NULL,
  times bytea NOT NULL,
  grams bytea NOT NULL,
  CONSTRAINT audit_segments_pkey PRIMARY KEY (org_id, first_seq)
);

CREATE TABLE audit_segment_blocks (
  org_id uuid NOT NULL,
  segment_id uuid NOT NULL,
  block integer NOT NULL,
  words bytea NOT NULL,
  postings bytea NOT NULL,
  CONSTRAINT audit_segment_blocks_pkey PRIMARY KEY (org_id, segment_id, block)
);
-- Compression would cost the indexer more than it saves.
ALTER TABLE audit_segments
  ALTER COLUMN times SET STORAGE EXTERNAL,
  ALTER COLUMN grams SET STORAGE EXTERNAL;
ALTER TABLE audit_segment_blocks
  ALTER COLUMN words SET STORAGE EXTERNAL,
  ALTER COLUMN postings SET STORAGE EXTERNAL;

-- Totals without reading rows: each row counts a slice of a chain, by hour or day.
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

CREATE TABLE audit_tally_state (
  org_id uuid CONSTRAINT audit_tally_state_pkey PRIMARY KEY,
  tallied_through_seq bigint NOT NULL DEFAULT 0,
  pruned_through_seq bigint NOT NULL DEFAULT 0
);
ALTER TABLE audit_tally_state SET (
  fillfactor = 50,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_threshold = 500);

-- Values seen with each actor, to detect new ones. The digest replaces the possibly long value.
CREATE TABLE audit_first_seen (
  org_id uuid NOT NULL,
  kind text NOT NULL,
  actor_type text NOT NULL,
  actor text NOT NULL,
  digest uuid NOT NULL,
  value text NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  CONSTRAINT audit_first_seen_pkey PRIMARY KEY (org_id, kind, actor_type, actor, digest)
);
CREATE INDEX audit_first_seen_seq_idx ON audit_first_seen (org_id, first_seq);

CREATE TABLE audit_first_seen_state (
  org_id uuid CONSTRAINT audit_first_seen_state_pkey PRIMARY KEY,
  through_seq bigint NOT NULL DEFAULT 0,
  pruned_through_seq bigint NOT NULL DEFAULT 0
);

SELECT tenant_policy(t, p_command => 'SELECT')
FROM unnest(ARRAY[
  'audit_segments', 'audit_segment_blocks', 'audit_tallies', 'audit_actor_tallies', 'audit_tally_state',
  'audit_first_seen', 'audit_first_seen_state']) AS t;
-- The indexer is part of the application.
CREATE POLICY audit_segments_system ON audit_segments TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
CREATE POLICY audit_segment_blocks_system ON audit_segment_blocks TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
CREATE POLICY audit_first_seen_system ON audit_first_seen TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
CREATE POLICY audit_first_seen_state_system ON audit_first_seen_state TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
CREATE POLICY audit_segments_sealer ON audit_segments FOR SELECT TO trailmark_sealer USING (true);
CREATE POLICY audit_tallies_sealer ON audit_tallies TO trailmark_sealer USING (true);
CREATE POLICY audit_actor_tallies_sealer ON audit_actor_tallies TO trailmark_sealer USING (true);
CREATE POLICY audit_tally_state_sealer ON audit_tally_state TO trailmark_sealer USING (true);
GRANT SELECT, INSERT, DELETE ON audit_segments, audit_segment_blocks TO trailmark_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_first_seen, audit_first_seen_state TO trailmark_app;
GRANT SELECT ON audit_tallies, audit_actor_tallies, audit_tally_state TO trailmark_app;
GRANT SELECT ON audit_segments TO trailmark_sealer;
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_tallies, audit_actor_tallies, audit_tally_state TO trailmark_sealer;
