-- The counts of actors and resources say where their rows are: the page of one person or thing is read by key, newest
-- first, and who acted in a chain is a table of a few hundred rows. Tallies are counted again by the indexer; until
-- then totals and pages read the rows. The index of texts stays as it is.
--> functions tenant_policy

TRUNCATE audit_tallies, audit_actor_tallies, audit_kind_counts, audit_actor_counts, audit_resource_counts;
--> statement-breakpoint
UPDATE audit_search_state SET tallied_through_seq = 0, merged_through_seq = 0;
--> statement-breakpoint
ALTER TABLE audit_actor_counts
  ADD COLUMN first_at timestamp (3) with time zone,
  ADD COLUMN last_at timestamp (3) with time zone,
  ADD COLUMN seqs bytea;
--> statement-breakpoint
ALTER TABLE audit_resource_counts
  ADD COLUMN first_at timestamp (3) with time zone,
  ADD COLUMN last_at timestamp (3) with time zone,
  ADD COLUMN seqs bytea;
--> statement-breakpoint
-- Sequences do not compress: trying would cost the indexer.
ALTER TABLE audit_actor_counts ALTER COLUMN seqs SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE audit_resource_counts ALTER COLUMN seqs SET STORAGE EXTERNAL;
--> statement-breakpoint
CREATE INDEX audit_actor_counts_actor_idx ON audit_actor_counts (org_id, actor_id);
--> statement-breakpoint
CREATE TABLE audit_actors (
  org_id uuid NOT NULL,
  actor_id uuid NOT NULL,
  name_hash uuid NOT NULL,
  actor_type text NOT NULL,
  raw_id text,
  email text,
  CONSTRAINT audit_actors_pkey PRIMARY KEY (org_id, actor_id, name_hash)
);
--> statement-breakpoint
SELECT tenant_policy('audit_actors', p_command => 'SELECT');
--> statement-breakpoint
CREATE POLICY audit_actors_sealer ON audit_actors TO trailmark_sealer USING (true);
--> statement-breakpoint
GRANT SELECT ON audit_actors TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_actors TO trailmark_sealer;
