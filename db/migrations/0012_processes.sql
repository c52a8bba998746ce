-- State shared by the server's processes. It belongs to no organization: read and written without a tenant.

-- Repeated requests: the answer to a creating request, so that a repeat creates nothing more. Caller and
-- Idempotency-Key are hashed; the answer is sealed with a key derived from the Idempotency-Key and the server's secret,
-- because it may contain a secret shown only once.
CREATE TABLE idempotency_keys (
  caller text NOT NULL,
  key_hash text NOT NULL,
  request_hash text NOT NULL,
  status integer,
  answer text,
  claimed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (caller, key_hash)
);
CREATE INDEX idempotency_keys_claimed_idx ON idempotency_keys (claimed_at);

-- Failures per account, counted across processes, in rate-limiter-flexible's format (expire is in ms). The key is a
-- hash of rule and subject. Unlogged: losing the counts in a crash is harmless.
CREATE UNLOGGED TABLE shared_limits (
  key text NOT NULL,
  points integer NOT NULL,
  expire bigint,
  CONSTRAINT shared_limits_pkey PRIMARY KEY (key)
);

-- Audit events lost or set aside by each server process, identified by its spool.
CREATE TABLE recording_losses (
  spool_id text CONSTRAINT recording_losses_pkey PRIMARY KEY,
  dropped bigint NOT NULL DEFAULT 0,
  dropped_at timestamptz(3),
  dead_letters bigint NOT NULL DEFAULT 0,
  seen_at timestamptz(3) NOT NULL
);

-- Backups and restores by commands of this installation, for doctor, the metric and the setup checklist.
CREATE TABLE backup_runs (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT backup_runs_pkey PRIMARY KEY,
  kind text NOT NULL,
  ran_at timestamptz(3) NOT NULL DEFAULT now(),
  taken_at timestamptz(3) NOT NULL,
  file text NOT NULL,
  bytes bigint NOT NULL,
  has_keys boolean NOT NULL,
  CONSTRAINT backup_runs_kind_check CHECK (kind IN ('backup', 'restore')),
  CONSTRAINT backup_runs_bytes_check CHECK (bytes >= 0)
);
CREATE INDEX backup_runs_kind_ran_idx ON backup_runs (kind, ran_at);

SELECT tenant_policy(t, 'system')
FROM unnest(ARRAY['idempotency_keys', 'shared_limits', 'recording_losses', 'backup_runs']) AS t;
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_keys, shared_limits, recording_losses TO trailmark_app;
GRANT SELECT, INSERT ON backup_runs TO trailmark_app;
