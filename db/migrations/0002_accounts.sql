-- People, their sign-ins, keys of programs and agents, and personal data.
CREATE TABLE users (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT users_pkey PRIMARY KEY,
  partner_id uuid,
  org_id uuid,
  email text NOT NULL,
  name text NOT NULL,
  -- NULL until an invited person chooses one, and for people who only sign in by an identity provider.
  password_hash text,
  role text NOT NULL,
  department text NOT NULL DEFAULT '',
  all_organizations boolean NOT NULL DEFAULT true,
  require_two_factor boolean NOT NULL DEFAULT false,
  disabled_at timestamptz(3),
  last_login_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT users_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT users_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
CREATE UNIQUE INDEX users_email_key ON users (lower(email));
CREATE INDEX users_org_idx ON users (org_id);
CREATE INDEX users_partner_idx ON users (partner_id);

CREATE TABLE user_organizations (
  user_id uuid NOT NULL,
  org_id uuid NOT NULL,
  CONSTRAINT user_organizations_pkey PRIMARY KEY (user_id, org_id),
  CONSTRAINT user_organizations_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE,
  CONSTRAINT user_organizations_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);

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
CREATE INDEX refresh_tokens_family_idx ON refresh_tokens (family_id);
CREATE INDEX refresh_tokens_user_idx ON refresh_tokens (user_id);

CREATE TABLE user_sessions (
  id uuid CONSTRAINT user_sessions_pkey PRIMARY KEY,
  user_id uuid NOT NULL,
  via text NOT NULL,
  ip text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  proven_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_sessions_via_check CHECK (via IN ('api', 'browser')),
  CONSTRAINT user_sessions_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX user_sessions_user_idx ON user_sessions (user_id);

-- Secrets of links and of the second step of a sign-in: stored as a hash, single use, short-lived.
CREATE TABLE user_tokens (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT user_tokens_pkey PRIMARY KEY,
  user_id uuid NOT NULL,
  purpose text NOT NULL,
  token_hash text NOT NULL,
  challenge text,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_tokens_hash_key UNIQUE (token_hash),
  CONSTRAINT user_tokens_purpose_check CHECK (purpose IN ('invite', 'reset', 'second_factor', 'passkey')),
  CONSTRAINT user_tokens_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX user_tokens_user_idx ON user_tokens (user_id);

-- A TOTP secret (RFC 6238), encrypted; last_step is the last accepted time step, so that none is accepted twice.
CREATE TABLE user_totp (
  user_id uuid CONSTRAINT user_totp_pkey PRIMARY KEY,
  secret text NOT NULL,
  confirmed_at timestamptz(3),
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_totp_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

CREATE TABLE user_recovery_codes (
  user_id uuid NOT NULL,
  code_hash text NOT NULL,
  used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT user_recovery_codes_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);

-- A WebAuthn credential; public_key is COSE in base64url.
CREATE TABLE user_passkeys (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT user_passkeys_pkey PRIMARY KEY,
  user_id uuid NOT NULL,
  credential_id text NOT NULL,
  public_key text NOT NULL,
  counter bigint NOT NULL DEFAULT 0,
  transports text[] NOT NULL DEFAULT '{}',
  name text NOT NULL,
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_passkeys_credential_key UNIQUE (credential_id),
  CONSTRAINT user_passkeys_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX user_passkeys_user_idx ON user_passkeys (user_id);

-- A person's id at an identity provider (OpenID Connect: issuer and subject).
CREATE TABLE user_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT user_identities_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX user_identities_user_idx ON user_identities (user_id);

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
  last_used_ip text,
  -- The former secret of a rotated key stays valid for a chosen time.
  former_hash text,
  former_until timestamptz(3),
  CONSTRAINT api_keys_hash_key UNIQUE (key_hash),
  CONSTRAINT api_keys_former_key UNIQUE (former_hash),
  CONSTRAINT api_keys_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT api_keys_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
CREATE INDEX api_keys_partner_idx ON api_keys (partner_id);
CREATE INDEX api_keys_org_idx ON api_keys (org_id);

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
CREATE INDEX enrollment_keys_org_idx ON enrollment_keys (org_id);

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
CREATE UNIQUE INDEX audit_saved_views_mine_key ON audit_saved_views (created_by, lower(name))
  WHERE NOT shared;
CREATE UNIQUE INDEX audit_saved_views_org_key ON audit_saved_views (org_id, lower(name))
  WHERE shared AND org_id IS NOT NULL;
CREATE UNIQUE INDEX audit_saved_views_partner_key ON audit_saved_views (partner_id, lower(name))
  WHERE shared AND org_id IS NULL;
CREATE INDEX audit_saved_views_creator_idx ON audit_saved_views (created_by);

-- The application limits private views to their creators.
SELECT tenant_policy(t) FROM unnest(ARRAY['user_organizations', 'enrollment_keys']) AS t;
SELECT tenant_policy(t, 'organization or partner') FROM unnest(ARRAY['users', 'api_keys', 'audit_saved_views']) AS t;

-- Used by sign-in and a person's own pages, before a tenant is known.
SELECT tenant_policy(t, 'system')
FROM unnest(ARRAY[
  'refresh_tokens', 'user_sessions', 'user_tokens', 'user_totp', 'user_recovery_codes', 'user_passkeys',
  'user_identities']) AS t;

SELECT tenant_policy('user_preferences', 'person');

GRANT SELECT, INSERT, UPDATE, DELETE ON
  users, user_organizations, refresh_tokens, user_sessions, user_tokens, user_totp, user_recovery_codes, user_passkeys,
  user_identities, api_keys, enrollment_keys, user_preferences, audit_saved_views
  TO trailmark_app;
