-- Prepares history tables for Citus: unique keys with org_id, no reference to a table on the coordinator, no default
-- filled in by another node under a right that the application role must not have, and a seal that does not wait for
-- the commit (db/citus/functions/audit_seal.sql).
ALTER TABLE audit_logs DROP CONSTRAINT audit_logs_pkey, ADD CONSTRAINT audit_logs_pkey PRIMARY KEY (org_id, id);
--> statement-breakpoint
CREATE INDEX audit_logs_id_idx ON audit_logs (id);
--> statement-breakpoint
ALTER TABLE audit_logs ALTER COLUMN seal_tx DROP DEFAULT, ALTER COLUMN sealed_at DROP DEFAULT;
--> statement-breakpoint
DROP TRIGGER audit_logs_seal ON audit_logs;
--> statement-breakpoint
CREATE TRIGGER audit_logs_seal
  AFTER INSERT ON audit_logs
  FOR EACH ROW
  WHEN (NEW.chain_seq IS NULL)
  EXECUTE FUNCTION audit_seal();
--> statement-breakpoint
CREATE TRIGGER audit_logs_stamp
  BEFORE INSERT ON audit_logs
  FOR EACH ROW
  WHEN (NEW.sealed_at IS NULL)
  EXECUTE FUNCTION audit_stamp();
--> statement-breakpoint
ALTER TABLE audit_retention_policies DROP CONSTRAINT audit_retention_policies_org_id_organizations_id_fk;
--> statement-breakpoint
ALTER TABLE audit_verifications
  DROP CONSTRAINT audit_verifications_pkey,
  ADD CONSTRAINT audit_verifications_pkey PRIMARY KEY (org_id, id);
--> statement-breakpoint
ALTER TABLE agent_logs
  DROP CONSTRAINT agent_logs_pkey,
  ADD CONSTRAINT agent_logs_pkey PRIMARY KEY (org_id, id),
  DROP CONSTRAINT agent_logs_device_id_devices_id_fk,
  DROP CONSTRAINT agent_logs_org_id_organizations_id_fk;
--> statement-breakpoint
ALTER TABLE device_event_logs
  DROP CONSTRAINT device_event_logs_pkey,
  ADD CONSTRAINT device_event_logs_pkey PRIMARY KEY (org_id, id),
  DROP CONSTRAINT device_event_logs_device_id_devices_id_fk,
  DROP CONSTRAINT device_event_logs_org_id_organizations_id_fk;
--> statement-breakpoint
DROP INDEX device_event_logs_dedup_idx;
--> statement-breakpoint
CREATE UNIQUE INDEX device_event_logs_dedup_idx ON device_event_logs (org_id, device_id, source, event_id);
--> statement-breakpoint
-- Row-level security on the shards shows the heads.
GRANT SELECT ON audit_chain_heads TO trailmark_app;
--> statement-breakpoint
SELECT tenant_policy('audit_chain_heads', p_command => 'SELECT');
