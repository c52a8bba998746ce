-- A block of the search index now holds what words are looked up in besides the five searched fields (address, reason of
-- a failure), and devices that the details name; tallies are of one hour, so that they add up to a reader's days, and
-- actors are counted too, so that a report counts every entry of its range. The index is built again; until then
-- searches and reports read the rows.
--> functions tenant_policy

TRUNCATE audit_search, audit_search_state, audit_search_terms, audit_tallies;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX audit_actor_tallies_org_idx ON audit_actor_tallies (org_id, first_seq);
--> statement-breakpoint
SELECT tenant_policy('audit_actor_tallies', p_command => 'SELECT');
--> statement-breakpoint
CREATE POLICY audit_actor_tallies_sealer ON audit_actor_tallies TO trailmark_sealer USING (true);
--> statement-breakpoint
GRANT SELECT ON audit_actor_tallies TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_actor_tallies TO trailmark_sealer;
