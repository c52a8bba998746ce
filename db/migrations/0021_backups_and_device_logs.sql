-- Backups and restores that commands of this installation made, for doctor, the metric and whoever sets the system up.
-- They concern every organization and no one in particular: read and written without a tenant, as idempotency_keys.
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
--> statement-breakpoint
CREATE INDEX backup_runs_kind_ran_idx ON backup_runs (kind, ran_at);
--> statement-breakpoint
ALTER TABLE backup_runs ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY backup_runs_system ON backup_runs TO trailmark_app
  USING ((SELECT current_setting('trailmark.scope', true)) = 'system');
--> statement-breakpoint
GRANT SELECT, INSERT ON backup_runs TO trailmark_app;
--> statement-breakpoint

-- How long an organization keeps the diagnostic logs of its agents and the events of its devices. Nothing is removed
-- before prune_from: an organization that is older than this version gets thirty days' notice, a new one none.
CREATE TABLE device_log_policies (
  org_id uuid CONSTRAINT device_log_policies_pkey PRIMARY KEY,
  diagnostic_days integer NOT NULL DEFAULT 30,
  event_days integer NOT NULL DEFAULT 90,
  prune_from timestamptz(3) NOT NULL DEFAULT now(),
  last_cleanup_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT device_log_policies_diagnostic_check CHECK (diagnostic_days BETWEEN 1 AND 3650),
  CONSTRAINT device_log_policies_event_check CHECK (event_days BETWEEN 1 AND 3650),
  CONSTRAINT device_log_policies_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
--> statement-breakpoint
-- Forced row level security would show the owner no organization.
ALTER TABLE organizations NO FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
INSERT INTO device_log_policies (org_id, prune_from)
SELECT id, now() + interval '30 days'
FROM organizations;
--> statement-breakpoint
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
SELECT tenant_policy('device_log_policies');
--> statement-breakpoint
GRANT SELECT, INSERT, UPDATE ON device_log_policies TO trailmark_app;
--> statement-breakpoint
GRANT SELECT, INSERT ON device_log_policies TO trailmark_sealer;
--> statement-breakpoint
CREATE POLICY device_log_policies_sealer ON device_log_policies TO trailmark_sealer USING (true);
--> statement-breakpoint
--> functions device_log_default_policy
CREATE TRIGGER organizations_device_log_policy
  AFTER INSERT ON organizations
  FOR EACH ROW
  EXECUTE FUNCTION device_log_default_policy();
--> statement-breakpoint

-- A third kind of note: that a chain was restored to an older state and goes on, signed by our key.
ALTER TABLE audit_notes
  DROP CONSTRAINT audit_notes_kind_check,
  ADD CONSTRAINT audit_notes_kind_check CHECK (kind IN ('checkpoint', 'receipt', 'restored'));
--> statement-breakpoint
-- Tiles over entries that were lost go with them, through audit_continue_chain() alone.
DROP TRIGGER audit_tree_tiles_no_change ON audit_tree_tiles;
--> statement-breakpoint
CREATE TRIGGER audit_tree_tiles_no_change
  BEFORE UPDATE OR TRUNCATE ON audit_tree_tiles
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse('Tiles stay.');
--> statement-breakpoint
CREATE TRIGGER audit_tree_tiles_no_delete
  BEFORE DELETE ON audit_tree_tiles
  FOR EACH STATEMENT
  WHEN (current_user <> 'trailmark_sealer')
  EXECUTE FUNCTION audit_refuse('Tiles stay.');
--> statement-breakpoint
GRANT DELETE ON audit_tree_tiles TO trailmark_sealer;
--> statement-breakpoint
GRANT UPDATE (zero_through) ON audit_trees TO trailmark_sealer;
--> statement-breakpoint
DROP POLICY audit_tree_tiles_sealer ON audit_tree_tiles;
--> statement-breakpoint
CREATE POLICY audit_tree_tiles_sealer ON audit_tree_tiles TO trailmark_sealer USING (true);
