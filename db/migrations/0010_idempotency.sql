-- Repeated requests: what a request that created something was answered, so that the same request sent again creates
-- nothing more. The caller and its Idempotency-Key stand as hashes, the answer sealed with a key made of the
-- Idempotency-Key and the server's secret: it may hold a secret that is shown once. Nobody reads it but the door, without
-- a tenant: row level security as for refresh_tokens.
CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  key_hash text NOT NULL,
  request_hash text NOT NULL,
  status integer,
  answer text,
  claimed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, key_hash)
);
--> statement-breakpoint
CREATE INDEX idempotency_keys_claimed_idx ON idempotency_keys (claimed_at);
--> statement-breakpoint
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY idempotency_keys_system ON idempotency_keys TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys TO trailmark_app;
--> statement-breakpoint

-- A rotated key's former secret stays good for a chosen time; from where a key was used last.
ALTER TABLE api_keys
  ADD COLUMN last_used_ip text,
  ADD COLUMN former_hash text CONSTRAINT api_keys_former_key UNIQUE,
  ADD COLUMN former_until timestamptz(3);
--> statement-breakpoint

-- An administrator's leave to enrol a known agent anew without its token, and until when.
ALTER TABLE agents ADD COLUMN released_until timestamptz(3);
--> statement-breakpoint

-- When the database took an entry: retention judges by the lesser of this and the timestamp, which is the client's. Of
-- entries from before this version it is known that they are older than this migration.
ALTER TABLE audit_logs ADD COLUMN sealed_at timestamptz(3) NOT NULL DEFAULT now();
