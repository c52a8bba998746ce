-- Partners, their organizations, who signs in and with which keys, and what persons keep for themselves. Without a
-- tenant set for the transaction no row is visible and none can be written.
--> functions tenant_policy
CREATE TABLE partners (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT partners_pkey PRIMARY KEY,
  name text NOT NULL,
  slug text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT partners_slug_key UNIQUE (slug)
);
--> statement-breakpoint

CREATE TABLE organizations (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT organizations_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  is_home boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT organizations_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id)
);
--> statement-breakpoint
CREATE UNIQUE INDEX organizations_partner_slug_key ON organizations (partner_id, slug);
--> statement-breakpoint
CREATE UNIQUE INDEX organizations_partner_home_key ON organizations (partner_id) WHERE is_home;
--> statement-breakpoint
CREATE INDEX organizations_partner_idx ON organizations (partner_id);
--> statement-breakpoint

CREATE TABLE users (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT users_pkey PRIMARY KEY,
  partner_id uuid,
  org_id uuid,
  email text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL,
  department text NOT NULL DEFAULT '',
  all_organizations boolean NOT NULL DEFAULT true,
  disabled_at timestamptz(3),
  last_login_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT users_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT users_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
--> statement-breakpoint
CREATE UNIQUE INDEX users_email_key ON users (lower(email));
--> statement-breakpoint
CREATE INDEX users_org_idx ON users (org_id);
--> statement-breakpoint
CREATE INDEX users_partner_idx ON users (partner_id);
--> statement-breakpoint

CREATE TABLE user_organizations (
  user_id uuid NOT NULL,
  org_id uuid NOT NULL,
  CONSTRAINT user_organizations_pkey PRIMARY KEY (user_id, org_id),
  CONSTRAINT user_organizations_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
  CONSTRAINT user_organizations_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
--> statement-breakpoint

CREATE TABLE refresh_tokens (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT refresh_tokens_pkey PRIMARY KEY,
  family_id uuid NOT NULL,
  user_id uuid NOT NULL,
  token_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT refresh_tokens_hash_key UNIQUE (token_hash),
  CONSTRAINT refresh_tokens_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX refresh_tokens_family_idx ON refresh_tokens (family_id);
--> statement-breakpoint
CREATE INDEX refresh_tokens_user_idx ON refresh_tokens (user_id);
--> statement-breakpoint

CREATE TABLE api_keys (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT api_keys_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  org_id uuid,
  name text NOT NULL,
  prefix text NOT NULL,
  key_hash text NOT NULL,
  permissions text[] NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT api_keys_hash_key UNIQUE (key_hash),
  CONSTRAINT api_keys_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT api_keys_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
--> statement-breakpoint
CREATE INDEX api_keys_partner_idx ON api_keys (partner_id);
--> statement-breakpoint
CREATE INDEX api_keys_org_idx ON api_keys (org_id);
--> statement-breakpoint

CREATE TABLE enrollment_keys (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT enrollment_keys_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  prefix text NOT NULL,
  key_hash text NOT NULL,
  max_uses integer,
  uses integer NOT NULL DEFAULT 0,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_by uuid,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT enrollment_keys_hash_key UNIQUE (key_hash),
  CONSTRAINT enrollment_keys_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
--> statement-breakpoint
CREATE INDEX enrollment_keys_org_idx ON enrollment_keys (org_id);
--> statement-breakpoint

CREATE TABLE user_preferences (
  user_id uuid NOT NULL,
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_preferences_pkey PRIMARY KEY (user_id, key),
  CONSTRAINT user_preferences_value_check CHECK (length(value::text) <= 8192),
  CONSTRAINT user_preferences_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
--> statement-breakpoint

CREATE TABLE audit_saved_views (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT audit_saved_views_pkey PRIMARY KEY,
  partner_id uuid,
  org_id uuid,
  created_by uuid NOT NULL,
  created_by_name text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  shared boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT audit_saved_views_name_check CHECK (length(name) BETWEEN 1 AND 80),
  CONSTRAINT audit_saved_views_query_check CHECK (length(query) <= 4000),
  CONSTRAINT audit_saved_views_owner_check CHECK (NOT shared OR partner_id IS NOT NULL),
  CONSTRAINT audit_saved_views_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT audit_saved_views_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id),
  CONSTRAINT audit_saved_views_created_by_users_id_fk
    FOREIGN KEY (created_by) REFERENCES users (id)
);
--> statement-breakpoint
CREATE UNIQUE INDEX audit_saved_views_mine_key ON audit_saved_views (created_by, lower(name))
  WHERE NOT shared;
--> statement-breakpoint
CREATE UNIQUE INDEX audit_saved_views_org_key ON audit_saved_views (org_id, lower(name))
  WHERE shared AND org_id IS NOT NULL;
--> statement-breakpoint
CREATE UNIQUE INDEX audit_saved_views_partner_key ON audit_saved_views (partner_id, lower(name))
  WHERE shared AND org_id IS NULL;
--> statement-breakpoint
CREATE INDEX audit_saved_views_creator_idx ON audit_saved_views (created_by);
--> statement-breakpoint

-- Row level security. The tables that belong to an organization follow the one rule of tenant_policy(). That a view
-- that is not shared is its creator's alone is enforced by the application.
SELECT tenant_policy(t) FROM unnest(ARRAY['user_organizations', 'enrollment_keys']) AS t;
--> statement-breakpoint
SELECT tenant_policy(t, 'organization or partner') FROM unnest(ARRAY['users', 'api_keys', 'audit_saved_views']) AS t;
--> statement-breakpoint

-- A partner sees itself.
ALTER TABLE partners ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY partners_tenant ON partners TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid));
--> statement-breakpoint

-- An organization is seen by whoever reaches it, and created only below the caller's own partner.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY organizations_tenant ON organizations TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]))
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR (id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
      AND partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)));
--> statement-breakpoint

-- Refresh tokens are used by sign-in alone, before any tenant is known.
ALTER TABLE refresh_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY refresh_tokens_system ON refresh_tokens TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint

-- A preference is reached through its person, whom row level security shows or hides.
ALTER TABLE user_preferences ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY user_preferences_tenant ON user_preferences TO trailmark_app
  USING (EXISTS (SELECT FROM users u WHERE u.id = user_id));
--> statement-breakpoint

GRANT SELECT, INSERT, UPDATE, DELETE ON
  partners, organizations, users, user_organizations, refresh_tokens, api_keys, enrollment_keys, user_preferences,
  audit_saved_views
  TO trailmark_app;
