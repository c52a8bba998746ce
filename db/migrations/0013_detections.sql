-- Detections: rules evaluated over each organization's sealed entries, and their alerts.

-- Sigma rules over the audit log. org_id NULL is every organization of the partner; shipped is the key of a rule in the
-- product.
CREATE TABLE detection_rules (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT detection_rules_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  org_id uuid,
  shipped text,
  title text NOT NULL,
  level text NOT NULL,
  yaml text NOT NULL,
  digest text NOT NULL,
  enabled boolean NOT NULL,
  dedupe_seconds integer NOT NULL,
  snoozed_until timestamptz(3),
  created_by_name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT detection_rules_level_check CHECK (level IN ('informational', 'low', 'medium', 'high', 'critical')),
  CONSTRAINT detection_rules_dedupe_check CHECK (dedupe_seconds BETWEEN 0 AND 604800),
  CONSTRAINT detection_rules_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT detection_rules_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX detection_rules_shipped_key ON detection_rules (partner_id, shipped) WHERE shipped IS NOT NULL;
CREATE INDEX detection_rules_org_idx ON detection_rules (org_id);
CREATE INDEX detection_rules_partner_idx ON detection_rules (partner_id);

-- Position of a rule in an organization's chain. Advances in the transaction that stores the findings, so that no entry
-- counts twice or never, however the process ends.
CREATE TABLE detection_positions (
  rule_id uuid NOT NULL,
  org_id uuid NOT NULL,
  through_seq bigint NOT NULL,
  newest_at timestamptz(3),
  capped_at timestamptz(3),
  CONSTRAINT detection_positions_pkey PRIMARY KEY (rule_id, org_id),
  CONSTRAINT detection_positions_rule_id_detection_rules_id_fk
    FOREIGN KEY (rule_id) REFERENCES detection_rules (id) ON DELETE CASCADE,
  CONSTRAINT detection_positions_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE INDEX detection_positions_org_idx ON detection_positions (org_id, through_seq);

-- State of a group of entries counted together by a rule, until none can count any more.
CREATE TABLE detection_windows (
  rule_id uuid NOT NULL,
  org_id uuid NOT NULL,
  group_digest text NOT NULL,
  marks jsonb NOT NULL,
  alert_id uuid,
  alerted_at timestamptz(3),
  touched_seq bigint NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT detection_windows_pkey PRIMARY KEY (rule_id, org_id, group_digest),
  CONSTRAINT detection_windows_rule_id_detection_rules_id_fk
    FOREIGN KEY (rule_id) REFERENCES detection_rules (id) ON DELETE CASCADE,
  CONSTRAINT detection_windows_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE
);
CREATE INDEX detection_windows_org_idx ON detection_windows (org_id);
CREATE INDEX detection_windows_expires_idx ON detection_windows (expires_at);

-- Findings of a rule: sequences of one chain's entries, and people's actions. The id is also that of the alert's own
-- entry in the log; recorded tells that it exists.
CREATE TABLE detection_alerts (
  id uuid CONSTRAINT detection_alerts_pkey PRIMARY KEY,
  org_id uuid NOT NULL,
  rule_id uuid,
  rule_digest text NOT NULL,
  title text NOT NULL,
  description text NOT NULL,
  level text NOT NULL,
  group_digest text NOT NULL,
  group_key jsonb NOT NULL,
  actor_id uuid NOT NULL,
  actor_name text NOT NULL,
  entries bigint[] NOT NULL,
  raised_entries integer NOT NULL,
  entry_count integer NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  late boolean NOT NULL,
  raised_at timestamptz(3) NOT NULL,
  recorded boolean NOT NULL DEFAULT false,
  notifies boolean NOT NULL,
  state text NOT NULL DEFAULT 'open',
  reason text,
  note text,
  assignee_id uuid,
  assignee_name text,
  changed_by_name text,
  changed_at timestamptz(3),
  CONSTRAINT detection_alerts_state_check CHECK (state IN ('open', 'acknowledged', 'closed')),
  CONSTRAINT detection_alerts_reason_check CHECK (
    reason IN ('true', 'expected', 'noise') AND state = 'closed' OR reason IS NULL AND state <> 'closed'
  ),
  CONSTRAINT detection_alerts_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
  CONSTRAINT detection_alerts_rule_id_detection_rules_id_fk
    FOREIGN KEY (rule_id) REFERENCES detection_rules (id) ON DELETE SET NULL
);
CREATE INDEX detection_alerts_org_idx ON detection_alerts (org_id, raised_at);
CREATE INDEX detection_alerts_group_idx ON detection_alerts (rule_id, org_id, group_digest);
CREATE INDEX detection_alerts_open_idx ON detection_alerts (org_id) WHERE state = 'open';
CREATE INDEX detection_alerts_unrecorded_idx ON detection_alerts (org_id) WHERE NOT recorded;

-- Exceptions of a rule, by fields that must all match, until expires_at. org_id NULL is every organization.
CREATE TABLE detection_exceptions (
  id uuid DEFAULT gen_random_uuid() CONSTRAINT detection_exceptions_pkey PRIMARY KEY,
  partner_id uuid NOT NULL,
  org_id uuid,
  rule_id uuid NOT NULL,
  fields jsonb NOT NULL,
  reason text NOT NULL,
  expires_at timestamptz(3),
  created_by_name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  CONSTRAINT detection_exceptions_partner_id_partners_id_fk
    FOREIGN KEY (partner_id) REFERENCES partners (id),
  CONSTRAINT detection_exceptions_org_id_organizations_id_fk
    FOREIGN KEY (org_id) REFERENCES organizations (id) ON DELETE CASCADE,
  CONSTRAINT detection_exceptions_rule_id_detection_rules_id_fk
    FOREIGN KEY (rule_id) REFERENCES detection_rules (id) ON DELETE CASCADE
);
CREATE INDEX detection_exceptions_rule_idx ON detection_exceptions (rule_id);
CREATE INDEX detection_exceptions_org_idx ON detection_exceptions (org_id);

SELECT tenant_policy(t)
FROM unnest(ARRAY['detection_positions', 'detection_windows', 'detection_alerts']) AS t;
SELECT tenant_policy(t, 'organization or partner')
FROM unnest(ARRAY['detection_rules', 'detection_exceptions']) AS t;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  detection_rules, detection_positions, detection_windows, detection_alerts, detection_exceptions
  TO trailmark_app;
