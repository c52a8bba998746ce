-- The recorded source ids belong to their device's organization: row level security as for every such table.
ALTER TABLE device_source_ids ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE device_source_ids FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY device_source_ids_tenant ON device_source_ids TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]));
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON device_source_ids TO trailmark_app;
