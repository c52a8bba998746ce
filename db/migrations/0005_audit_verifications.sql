-- Verifications of the chain, and alarms that stand until a whole chain was found intact. The application adds to the
-- history of verifications and cannot rewrite it.
--> functions tenant_policy
CREATE TABLE audit_verifications (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT audit_verifications_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  ran_at timestamptz(3) NOT NULL DEFAULT now(),
  kind text NOT NULL,
  status text NOT NULL,
  rows_checked bigint NOT NULL,
  first_seq bigint,
  last_seq bigint,
  breaks jsonb NOT NULL DEFAULT '[]'::jsonb,
  verified_through_seq bigint,
  rolling_through_seq bigint,
  CONSTRAINT audit_verifications_kind_check CHECK (kind IN ('nightly', 'whole', 'range')),
  CONSTRAINT audit_verifications_status_check CHECK (status IN ('intact', 'broken', 'empty'))
);
--> statement-breakpoint
CREATE INDEX audit_verifications_org_ran_idx ON audit_verifications (org_id, ran_at);
--> statement-breakpoint

CREATE TABLE audit_alarms (
  org_id uuid CONSTRAINT audit_alarms_pkey PRIMARY KEY,
  raised_at timestamptz(3) NOT NULL,
  source text NOT NULL,
  breaks jsonb NOT NULL
);
--> statement-breakpoint

SELECT tenant_policy(t) FROM unnest(ARRAY['audit_verifications', 'audit_alarms']) AS t;
--> statement-breakpoint
GRANT SELECT, INSERT ON audit_verifications TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON audit_alarms TO trailmark_app;
