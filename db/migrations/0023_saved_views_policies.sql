-- Saved views: seen by whoever reaches the organization, or (org_id NULL) belongs to the partner. That a view that is
-- not shared is its maker's alone, and a partner's shared one for the partner's people, the verbs see to.
ALTER TABLE audit_saved_views ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE audit_saved_views FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY audit_saved_views_tenant ON audit_saved_views TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR org_id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
    OR (org_id IS NULL AND partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)));
--> statement-breakpoint

-- A preference is reached through its person, whom row level security shows or hides.
ALTER TABLE user_preferences ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE user_preferences FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY user_preferences_tenant ON user_preferences TO trailmark_app
  USING (EXISTS (SELECT FROM users u WHERE u.id = user_id));
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_saved_views, user_preferences TO trailmark_app;
