-- The tamper-evident chain. audit_logs takes rows and never changes or loses one except by retention; every row gets,
-- at the latest when its transaction commits, the next number of its organization's chain and a SHA-256 over its
-- canonical payload, in which the checksum of the row before is the first field (docs/chain.md).
--
-- Two ways in, one chain. audit_append() is the batch writer's: it locks the organizations, links in memory and inserts
-- rows that are already sealed. Every other INSERT is sealed by a deferred constraint trigger at commit, so an open
-- transaction never makes another writer of its organization wait. Both take the same advisory lock per organization,
-- in key order, in a statement of its own before the head is read: in READ COMMITTED the next statement's snapshot then
-- sees what the last holder committed.
--
-- A chain has one head. It is found as the greatest sequence in its key, never by organization alone: while a snapshot
-- is held open elsewhere (a backup, a long report) the old versions of a head cannot be removed, and a look-up by
-- organization would walk through all of them at every seal. For the same reason, and because a session keeps plans
-- that it made while the tables were small, the sealing functions forbid plans that read a table from end to end.
--
-- trailmark_sealer owns the functions that seal. It cannot log in, has no members and has exactly the rights used here.
-- Row level security is forced, so each table that it touches has a USING (true) policy for it: without one the sealing
-- trigger would see no row and commit it unsealed, which is why it raises when it cannot see its row.

CREATE TABLE audit_logs (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT audit_logs_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  "timestamp" timestamptz(3) NOT NULL DEFAULT now(),
  actor_type text NOT NULL,
  actor_id uuid NOT NULL,
  actor_email varchar(255),
  action varchar(100) NOT NULL,
  resource_type varchar(50) NOT NULL,
  resource_id uuid,
  resource_name varchar(255),
  details jsonb,
  ip_address varchar(45),
  user_agent text,
  result text NOT NULL,
  error_message text,
  checksum varchar(128),
  prev_checksum varchar(128),
  chain_seq bigint,
  seal_tx xid8 DEFAULT pg_current_xact_id(),
  -- Time when the database took the row: retention uses the earlier of this and the client's timestamp.
  sealed_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT audit_logs_actor_type_check CHECK (actor_type IN ('user', 'api_key', 'agent', 'system', 'ai_agent')),
  CONSTRAINT audit_logs_result_check CHECK (result IN ('success', 'failure', 'denied')),
  CONSTRAINT audit_logs_timestamp_check
    CHECK ("timestamp" >= '1970-01-01T00:00:00Z' AND "timestamp" < '10000-01-01T00:00:00Z')
);
CREATE UNIQUE INDEX audit_logs_org_seq_key ON audit_logs (org_id, chain_seq) WHERE chain_seq IS NOT NULL;
CREATE INDEX audit_logs_org_ts_idx ON audit_logs (org_id, "timestamp", chain_seq);
CREATE INDEX audit_logs_unsealed_idx ON audit_logs (seal_tx) WHERE chain_seq IS NULL;
-- Denials and failures are few, so partial indexes suffice.
CREATE INDEX audit_logs_denied_idx ON audit_logs (org_id, "timestamp") WHERE result = 'denied';
CREATE INDEX audit_logs_failure_idx ON audit_logs (org_id, "timestamp") WHERE result = 'failure';
-- Entries that set the retention, of which the newest counts.
CREATE INDEX audit_logs_retention_idx ON audit_logs (org_id, chain_seq)
WHERE action = 'organization.audit_retention.update';
-- Entries submitted by API keys, for the filter and the reports that count them.
CREATE INDEX audit_logs_submitted_idx ON audit_logs (org_id, "timestamp", chain_seq) WHERE details ? 'submittedBy';

CREATE TABLE audit_chain_heads (
  org_id uuid NOT NULL,
  seq bigint NOT NULL,
  checksum varchar(128) NOT NULL,
  pruned_through_seq bigint NOT NULL DEFAULT 0,
  pruned_through_checksum varchar(128),
  CONSTRAINT audit_chain_heads_pkey PRIMARY KEY (org_id, seq)
);

CREATE TABLE audit_retention_policies (
  org_id uuid CONSTRAINT audit_retention_policies_pkey PRIMARY KEY,
  retention_days integer NOT NULL DEFAULT 365,
  archive_to_s3 boolean NOT NULL DEFAULT false,
  last_cleanup_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT audit_retention_policies_days_check CHECK (retention_days BETWEEN 1 AND 3650),
  CONSTRAINT audit_retention_policies_archive_check CHECK (NOT archive_to_s3),
  CONSTRAINT audit_retention_policies_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);

ALTER TABLE audit_chain_heads SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
ALTER TABLE audit_logs SET (
  autovacuum_vacuum_scale_factor = 0.05,
  autovacuum_vacuum_insert_scale_factor = 0.05,
  autovacuum_analyze_scale_factor = 0.02);

-- Rights. The application role writes every column except the seal's.
GRANT SELECT ON audit_logs TO trailmark_app, trailmark_audit_admin, trailmark_sealer;
GRANT INSERT (
  id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id, resource_name,
  details, ip_address, user_agent, result, error_message) ON audit_logs TO trailmark_app;
GRANT INSERT, UPDATE (chain_seq, checksum, prev_checksum, seal_tx) ON audit_logs TO trailmark_sealer;
GRANT DELETE ON audit_logs TO trailmark_audit_admin;
GRANT SELECT, INSERT, UPDATE ON audit_chain_heads TO trailmark_sealer;
GRANT SELECT ON audit_chain_heads TO trailmark_audit_admin;
-- Policies change only through audit_set_retention(); on a cluster, the policy of a new organization is inserted.
GRANT SELECT, INSERT (org_id) ON audit_retention_policies TO trailmark_app;
GRANT SELECT, UPDATE (last_cleanup_at) ON audit_retention_policies TO trailmark_audit_admin;
GRANT SELECT, INSERT, UPDATE ON audit_retention_policies TO trailmark_sealer;
-- The owner could restore these, but not by mistake.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_logs, audit_chain_heads FROM CURRENT_USER;

-- Row-level security. The application role has no policy on the heads: functions show those in reach.
SELECT tenant_policy(t) FROM unnest(ARRAY['audit_logs', 'audit_retention_policies']) AS t;
ALTER TABLE audit_chain_heads ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY audit_logs_sealer ON audit_logs TO trailmark_sealer USING (true);
CREATE POLICY audit_chain_heads_sealer ON audit_chain_heads TO trailmark_sealer USING (true);
CREATE POLICY audit_retention_policies_sealer ON audit_retention_policies TO trailmark_sealer USING (true);
CREATE POLICY audit_logs_admin ON audit_logs TO trailmark_audit_admin USING (true);
CREATE POLICY audit_chain_heads_admin ON audit_chain_heads FOR SELECT TO trailmark_audit_admin USING (true);
CREATE POLICY audit_retention_policies_admin ON audit_retention_policies TO trailmark_audit_admin USING (true);

-- Triggers. No role can update what a row says, whatever the statement would hit; the seal columns once, the sealer
-- alone, for no other role has the right: not even the tables' owner, from whom it is taken above. Guards on
-- columns, and rights, cost the legal path nothing; a WHEN condition is parsed for every statement.
CREATE CONSTRAINT TRIGGER audit_logs_seal
  AFTER INSERT ON audit_logs
  DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (NEW.chain_seq IS NULL)
  EXECUTE FUNCTION audit_seal();
CREATE TRIGGER audit_logs_no_update
  BEFORE UPDATE OF id, org_id, "timestamp", actor_type, actor_id, actor_email, action, resource_type, resource_id,
    resource_name, details, ip_address, user_agent, result, error_message ON audit_logs
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_logs_seal_once
  BEFORE UPDATE ON audit_logs
  FOR EACH ROW
  WHEN (OLD.chain_seq IS NOT NULL OR NEW.chain_seq IS NULL OR NEW.checksum IS NULL)
  EXECUTE FUNCTION audit_refuse('A row is sealed once.');
CREATE TRIGGER audit_logs_guard_delete
  BEFORE DELETE ON audit_logs
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_guard_delete();
CREATE TRIGGER audit_logs_prune
  AFTER DELETE ON audit_logs
  REFERENCING OLD TABLE AS pruned
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_prune();
CREATE TRIGGER audit_logs_no_truncate
  BEFORE TRUNCATE ON audit_logs
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_chain_heads_no_delete
  BEFORE DELETE ON audit_chain_heads
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER audit_chain_heads_no_truncate
  BEFORE TRUNCATE ON audit_chain_heads
  FOR EACH STATEMENT
  EXECUTE FUNCTION audit_refuse();
CREATE TRIGGER organizations_retention_policy
  AFTER INSERT ON organizations
  FOR EACH ROW
  EXECUTE FUNCTION audit_default_policy();
