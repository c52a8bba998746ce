-- Row level security behind every query (not instead of its own condition): without a tenant set for the transaction
-- no row is visible and none can be written. The settings are read through scalar sub-selects, so once a statement;
-- a setting that was local to an earlier transaction reads as '', hence NULLIF. The audit tables have their own
-- policies in the chain migration.

-- A partner sees itself.
ALTER TABLE partners ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE partners FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY partners_tenant ON partners TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid));
--> statement-breakpoint

-- An organization is seen by whoever reaches it, and made only below the caller's own partner.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY organizations_tenant ON organizations TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]))
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR (id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
      AND partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)));
--> statement-breakpoint

-- Tables whose rows belong to exactly one organization.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['user_organizations', 'enrollment_keys', 'devices', 'agents', 'agent_logs', 'device_event_logs'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format($policy$CREATE POLICY %I ON %I TO trailmark_app
      USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
        OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]))$policy$, t || '_tenant', t);
  END LOOP;
END
$$;
--> statement-breakpoint

-- Tables whose rows belong to one organization, or (org_id NULL) to a partner as a whole.
DO $$
DECLARE t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['users', 'api_keys'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format($policy$CREATE POLICY %I ON %I TO trailmark_app
      USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
        OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
        OR (org_id IS NULL AND partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)))$policy$, t || '_tenant', t);
  END LOOP;
END
$$;
--> statement-breakpoint

-- Refresh tokens are touched by sign-in alone, before any tenant is known.
ALTER TABLE refresh_tokens ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE refresh_tokens FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY refresh_tokens_system ON refresh_tokens TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON
  partners, organizations, users, user_organizations, refresh_tokens, api_keys, enrollment_keys, devices, agents, agent_logs, device_event_logs
  TO trailmark_app;
