-- Totals without reading rows: tallies by hour know the resource's type too, and two more tables count a chain by actor
-- and by resource, a slice at a time, without time, so that they stay small. Tallies are counted again by the indexer;
-- until then totals read the rows. The index of texts stays as it is.
--> functions tenant_policy

TRUNCATE audit_tallies, audit_actor_tallies;
--> statement-breakpoint
UPDATE audit_search_state SET tallied_through_seq = 0;
--> statement-breakpoint
ALTER TABLE audit_search_state ADD COLUMN merged_through_seq bigint NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE audit_tallies ADD COLUMN resource_type text NOT NULL;
--> statement-breakpoint
CREATE TABLE audit_actor_counts (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  actor_type text NOT NULL,
  actor_id uuid NOT NULL,
  raw_id text,
  email text,
  rows integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX audit_actor_counts_org_idx ON audit_actor_counts (org_id, first_seq);
--> statement-breakpoint
CREATE TABLE audit_resource_counts (
  org_id uuid NOT NULL,
  first_seq bigint NOT NULL,
  last_seq bigint NOT NULL,
  resource_type text NOT NULL,
  resource_id uuid,
  resource_name text,
  rows integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX audit_resource_counts_org_idx ON audit_resource_counts (org_id, first_seq);
--> statement-breakpoint
SELECT tenant_policy(t, p_command => 'SELECT')
FROM unnest(ARRAY['audit_actor_counts', 'audit_resource_counts']) AS t;
--> statement-breakpoint
CREATE POLICY audit_actor_counts_sealer ON audit_actor_counts TO trailmark_sealer USING (true);
--> statement-breakpoint
CREATE POLICY audit_resource_counts_sealer ON audit_resource_counts TO trailmark_sealer USING (true);
--> statement-breakpoint
GRANT SELECT ON audit_actor_counts, audit_resource_counts TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_actor_counts, audit_resource_counts TO trailmark_sealer;
