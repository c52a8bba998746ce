-- Custom fields: row level security as for every tenant's table.

-- A definition belongs to one organization, or (org_id NULL) to a partner as a whole; whoever belongs to the partner
-- sees the latter. Who may change which is the verbs' business.
ALTER TABLE custom_field_definitions ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE custom_field_definitions FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY custom_field_definitions_tenant ON custom_field_definitions TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
    OR (org_id IS NULL AND partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)));
--> statement-breakpoint

-- Tables whose rows belong to exactly one organization.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['custom_field_values', 'custom_field_import_changes'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format($policy$CREATE POLICY %I ON %I TO trailmark_app
      USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
        OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]))$policy$, t || '_tenant', t);
  END LOOP;
END
$$;
--> statement-breakpoint

-- An import may name every organization that its maker reached: only who reaches all of them sees it.
ALTER TABLE custom_field_imports ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE custom_field_imports FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY custom_field_imports_tenant ON custom_field_imports TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR (partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)
      AND org_ids <@ (SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])));
--> statement-breakpoint

-- The import's rows and results are reached through the import alone; a bulk write cannot afford a look-up per row.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['custom_field_import_rows', 'custom_field_import_results', 'custom_field_import_mappings'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format($policy$CREATE POLICY %I ON %I TO trailmark_app
      USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
        OR partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid))$policy$, t || '_tenant', t);
  END LOOP;
END
$$;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON
  custom_field_definitions, custom_field_values, custom_field_imports, custom_field_import_rows,
  custom_field_import_results, custom_field_import_changes, custom_field_import_mappings
  TO trailmark_app;
