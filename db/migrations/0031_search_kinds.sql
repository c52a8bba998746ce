-- A block of the search index holds what its rows are (action, resource type, actor type, result) beside the text and
-- not in it: words that many of these have are counted by a third table of counts. Index and counts are built again;
-- until then searches and totals read the rows.
--> functions tenant_policy

TRUNCATE audit_search, audit_search_terms, audit_tallies, audit_actor_tallies, audit_actor_counts,
  audit_resource_counts;
--> statement-breakpoint
UPDATE audit_search_state SET indexed_through_seq = 0, tallied_through_seq = 0, merged_through_seq = 0;
--> statement-breakpoint
ALTER TABLE audit_search ADD COLUMN kinds text NOT NULL;
--> statement-breakpoint
ALTER TABLE audit_search ALTER COLUMN kinds SET STORAGE MAIN;
--> statement-breakpoint
CREATE INDEX audit_search_rough_idx ON audit_search (org_id, first_seq) WHERE rough;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX audit_kind_counts_org_idx ON audit_kind_counts (org_id, first_seq);
--> statement-breakpoint
SELECT tenant_policy('audit_kind_counts', p_command => 'SELECT');
--> statement-breakpoint
CREATE POLICY audit_kind_counts_sealer ON audit_kind_counts TO trailmark_sealer USING (true);
--> statement-breakpoint
GRANT SELECT ON audit_kind_counts TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_kind_counts TO trailmark_sealer;
--> statement-breakpoint
-- It has another parameter now.
DROP FUNCTION IF EXISTS audit_search_clause(jsonb);
