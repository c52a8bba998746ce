-- Short links to proofs of single entries, for print: whoever has one may open it until it ends or is revoked. Only the
-- hash of the secret in a link is kept, and nothing of the entry. The application counts openings and revokes; it never
-- changes whose link it is, to what, or for how long.
--> functions tenant_policy
CREATE TABLE audit_shared_proofs (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT audit_shared_proofs_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  entry_id uuid NOT NULL,
  chain_seq bigint NOT NULL,
  token_hash text NOT NULL,
  created_by uuid NOT NULL,
  created_by_name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  revoked_at timestamptz(3),
  openings integer NOT NULL DEFAULT 0,
  last_opened_at timestamptz(3),
  CONSTRAINT audit_shared_proofs_token_hash_check CHECK (token_hash ~ '^[0-9a-f]{64}$')
);
--> statement-breakpoint
CREATE UNIQUE INDEX audit_shared_proofs_token_hash_key ON audit_shared_proofs (token_hash);
--> statement-breakpoint
CREATE INDEX audit_shared_proofs_org_entry_idx ON audit_shared_proofs (org_id, entry_id);
--> statement-breakpoint

SELECT tenant_policy('audit_shared_proofs');
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE (revoked_at, openings, last_opened_at) ON audit_shared_proofs TO trailmark_app;
