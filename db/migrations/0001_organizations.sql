-- Partners and their organizations. Without a tenant in the transaction no row is visible or writable.
CREATE TABLE partners (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT partners_pkey PRIMARY KEY,
  name text NOT NULL,
  slug text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  require_two_factor boolean NOT NULL DEFAULT false,
  is_platform boolean NOT NULL DEFAULT false,
  CONSTRAINT partners_slug_key UNIQUE (slug)
);
-- At most one; its home organization's log records what has no customer.
CREATE UNIQUE INDEX partners_platform_key ON partners (is_platform) WHERE is_platform;

CREATE TABLE organizations (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT organizations_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  name text NOT NULL,
  slug text NOT NULL,
  is_home boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  require_two_factor boolean NOT NULL DEFAULT false,
  time_zone text,
  CONSTRAINT organizations_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id)
);
CREATE UNIQUE INDEX organizations_partner_slug_key ON organizations (partner_id, slug);
CREATE UNIQUE INDEX organizations_partner_home_key ON organizations (partner_id) WHERE is_home;
CREATE INDEX organizations_partner_idx ON organizations (partner_id);

-- A partner sees itself.
ALTER TABLE partners ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY partners_tenant ON partners TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid));

-- An organization is visible to those who reach it, and created only below the caller's own partner.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY organizations_tenant ON organizations TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[]))
  WITH CHECK ((SELECT current_setting('trailmark.scope', true)) = 'system'
    OR (id = ANY ((SELECT NULLIF(current_setting('trailmark.org_ids', true), '')::uuid[])::uuid[])
      AND partner_id = (SELECT NULLIF(current_setting('trailmark.partner_id', true), '')::uuid)));

GRANT SELECT, INSERT, UPDATE, DELETE ON partners, organizations TO trailmark_app;
