-- Background exports, downloadable for a day, visible only to their requester; a row belongs to the requester's
-- organization or partner, both null for the platform's operator. An export contains the chains up to `heads`, so that
-- a restart writes the same file.
CREATE TABLE audit_exports (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT audit_exports_pkey PRIMARY KEY,
  org_id uuid,
  partner_id uuid,
  org_ids uuid[] NOT NULL,
  created_by uuid NOT NULL,
  created_by_type text NOT NULL,
  filter jsonb NOT NULL,
  format text NOT NULL,
  gzip boolean NOT NULL,
  file_name text NOT NULL,
  status text NOT NULL DEFAULT 'waiting',
  heads jsonb,
  total_rows bigint,
  rows_done bigint NOT NULL DEFAULT 0,
  size_bytes bigint NOT NULL DEFAULT 0,
  sha256 text,
  attempt integer NOT NULL DEFAULT 0,
  error text,
  ip_address text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT audit_exports_creator_check CHECK (created_by_type IN ('user', 'api_key')),
  CONSTRAINT audit_exports_format_check CHECK (format IN ('spreadsheet', 'csv', 'ndjson', 'json')),
  CONSTRAINT audit_exports_status_check CHECK (status IN ('waiting', 'running', 'done', 'failed')),
  CONSTRAINT audit_exports_sha256_check CHECK (sha256 ~ '^[0-9a-f]{64}$')
);
CREATE INDEX audit_exports_creator_idx ON audit_exports (created_by, created_at);

SELECT tenant_policy('audit_exports', 'organization or partner');
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_exports TO trailmark_app;
