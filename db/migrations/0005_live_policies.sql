-- Streams and commands last as long as a connection: nothing of them need survive a crash of PostgreSQL, so they write
-- no WAL (answers may weigh 5 MiB). Row level security as for every table with an organization.
ALTER TABLE agent_streams SET UNLOGGED;
--> statement-breakpoint
ALTER TABLE live_commands SET UNLOGGED;
--> statement-breakpoint
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['agent_streams', 'live_commands'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format($policy$CREATE POLICY %I ON %I TO trailmark_app
      USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
        OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]))$policy$, t || '_tenant', t);
  END LOOP;
END
$$;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_streams, live_commands TO trailmark_app;
