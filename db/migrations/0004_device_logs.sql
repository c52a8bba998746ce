-- Data from agents: diagnostic logs and device events, and their retention by organization.
CREATE TABLE agent_logs (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT agent_logs_pkey PRIMARY KEY,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  "timestamp" timestamptz(3) NOT NULL,
  level text NOT NULL,
  component varchar(100) NOT NULL,
  message text NOT NULL,
  fields jsonb,
  agent_version varchar(50),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT agent_logs_level_check CHECK (level IN ('debug', 'info', 'warn', 'error')),
  CONSTRAINT agent_logs_device_id_devices_id_fk
    FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE,
  CONSTRAINT agent_logs_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
CREATE INDEX agent_logs_device_idx ON agent_logs (device_id, "timestamp", id);
CREATE INDEX agent_logs_org_ts_idx ON agent_logs (org_id, "timestamp");
CREATE INDEX agent_logs_level_component_idx ON agent_logs (level, component);
CREATE INDEX agent_logs_timestamp_idx ON agent_logs ("timestamp");

CREATE TABLE device_event_logs (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT device_event_logs_pkey PRIMARY KEY,
  device_id uuid NOT NULL,
  org_id uuid NOT NULL,
  "timestamp" timestamptz(3) NOT NULL,
  level text NOT NULL,
  category text NOT NULL,
  source varchar(255) NOT NULL,
  event_id varchar(100),
  message text NOT NULL,
  details jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT device_event_logs_level_check CHECK (level IN ('info', 'warning', 'error', 'critical')),
  CONSTRAINT device_event_logs_category_check CHECK (category IN ('security', 'hardware', 'application', 'system')),
  CONSTRAINT device_event_logs_device_id_devices_id_fk
    FOREIGN KEY (device_id) REFERENCES devices (id) ON DELETE CASCADE,
  CONSTRAINT device_event_logs_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id)
);
CREATE INDEX device_event_logs_device_idx ON device_event_logs (device_id, "timestamp", id);
CREATE INDEX device_event_logs_org_ts_idx ON device_event_logs (org_id, "timestamp");
CREATE UNIQUE INDEX device_event_logs_dedup_idx ON device_event_logs (device_id, source, event_id);
CREATE INDEX device_event_logs_cat_level_idx ON device_event_logs (category, level, device_id, "timestamp", id);

-- Retention of diagnostic logs and device events by organization. Nothing is removed before prune_from.
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
CREATE TRIGGER organizations_device_log_policy
  AFTER INSERT ON organizations
  FOR EACH ROW
  EXECUTE FUNCTION device_log_default_policy();

SELECT tenant_policy(t) FROM unnest(ARRAY['agent_logs', 'device_event_logs', 'device_log_policies']) AS t;
CREATE POLICY device_log_policies_sealer ON device_log_policies TO trailmark_sealer USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_logs, device_event_logs TO trailmark_app;
GRANT SELECT, INSERT, UPDATE ON device_log_policies TO trailmark_app;
GRANT SELECT, INSERT ON device_log_policies TO trailmark_sealer;
