-- Failures of an account are counted once for all processes. The key is a hash of the rule and what is counted; losing
-- the counts in a crash costs nothing, so nothing of them is logged. Nobody reads them but the rule, without a tenant.
CREATE UNLOGGED TABLE shared_limits (
  key text NOT NULL,
  points integer NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT shared_limits_pkey PRIMARY KEY (key)
);
--> statement-breakpoint
CREATE INDEX shared_limits_expires_idx ON shared_limits (expires_at);
--> statement-breakpoint
ALTER TABLE shared_limits ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY shared_limits_system ON shared_limits TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE, DELETE ON shared_limits TO trailmark_app;
