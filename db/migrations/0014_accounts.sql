-- Accounts: sign-ins with their device and address, one-time links, second factors, sign-in by another identity
-- provider, and who must use a second factor. All of it belongs to a person, not to an organization, and is reached by
-- sign-in and the person's own pages alone: without the platform's own sight no row is visible and none can be written.
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
--> statement-breakpoint
CREATE INDEX user_sessions_user_idx ON user_sessions (user_id);
--> statement-breakpoint

-- What a link or the second step of a sign-in carries: stored as a hash, good once and for a short time.
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
--> statement-breakpoint
CREATE INDEX user_tokens_user_idx ON user_tokens (user_id);
--> statement-breakpoint

-- A TOTP secret (RFC 6238), encrypted; last_step is the last time step whose code was taken, none is taken twice.
CREATE TABLE user_totp (
  user_id uuid CONSTRAINT user_totp_pkey PRIMARY KEY,
  secret text NOT NULL,
  confirmed_at timestamptz(3),
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_totp_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
--> statement-breakpoint

CREATE TABLE user_recovery_codes (
  user_id uuid NOT NULL,
  code_hash text NOT NULL,
  used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  CONSTRAINT user_recovery_codes_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
--> statement-breakpoint

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
--> statement-breakpoint
CREATE INDEX user_passkeys_user_idx ON user_passkeys (user_id);
--> statement-breakpoint

-- Who a person is at an identity provider (OpenID Connect: issuer and subject).
CREATE TABLE user_identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT user_identities_pkey PRIMARY KEY (issuer, subject),
  CONSTRAINT user_identities_user_id_users_id_fk
    FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX user_identities_user_idx ON user_identities (user_id);
--> statement-breakpoint

-- Without a password a person was invited and has not chosen one, or signs in by an identity provider alone.
ALTER TABLE users ALTER COLUMN password_hash DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE organizations ADD COLUMN require_two_factor boolean NOT NULL DEFAULT false;
--> statement-breakpoint

-- Sign-ins of an earlier version: from where they came was not noted.
INSERT INTO user_sessions (id, user_id, via, created_at, last_seen_at, proven_at)
SELECT family_id, user_id, 'browser', min(created_at), max(created_at), min(created_at)
FROM refresh_tokens
WHERE revoked_at IS NULL
  AND expires_at > now()
GROUP BY family_id, user_id;
--> statement-breakpoint

-- Row level security: as for refresh_tokens.
ALTER TABLE user_sessions ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY user_sessions_system ON user_sessions TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
ALTER TABLE user_tokens ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY user_tokens_system ON user_tokens TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
ALTER TABLE user_totp ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY user_totp_system ON user_totp TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
ALTER TABLE user_recovery_codes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY user_recovery_codes_system ON user_recovery_codes TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
ALTER TABLE user_passkeys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY user_passkeys_system ON user_passkeys TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
ALTER TABLE user_identities ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY user_identities_system ON user_identities TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint

GRANT SELECT, INSERT, UPDATE, DELETE ON
  user_sessions, user_tokens, user_totp, user_recovery_codes, user_passkeys, user_identities
  TO trailmark_app;
